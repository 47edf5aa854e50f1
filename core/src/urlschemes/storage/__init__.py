"""Files that the library reads and writes on this machine.

In goes the name of a file; out comes its content, if the file exists and can be trusted: files beside packages (read
without importing them), files of the user, and a cache of what earlier processes computed. This package does not
know what any of it means.

    package_data.py   files beside packages
    user_dirs.py      the user's folders, and private files
    cache.py          what earlier processes computed
    named_objects.py  objects that are named in data
"""
