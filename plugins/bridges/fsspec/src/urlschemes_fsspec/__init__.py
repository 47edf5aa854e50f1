"""A filesystem for fsspec whose paths are URLs.

    import fsspec
    from urlschemes_access import Policy

    files = fsspec.filesystem("gopher", policy=Policy.untrusted())
    files.ls("gopher://host.dom/1/data")
    files.cat_file("gopher://host.dom/0/data/prices.csv")

filesystem.py    URLFileSystem
ranged_file.py   open documents that are transferred in parts
os_errors.py     the exceptions that fsspec and its users know

In: URLs and a policy. Out: files, listings and facts as fsspec wants them. This package knows no scheme's protocol.
"""

from urlschemes_fsspec.filesystem import URLFileSystem

__all__ = ["URLFileSystem"]
