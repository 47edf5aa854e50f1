"""Mirrors: whole trees of menus, folders and listings, saved as files.

    for step in mirror("gopher://host.dom/1/docs", "docs"):
        print(step.action, step.url, step.path)

    walk.py       mirror: goes through the tree
    names.py      names for files, from URLs that a server made up
    folders.py    the folders of a mirror; nothing is written outside
    record.py     what was saved before
    command.py    the command `urlschemes mirror`

In: a URL and a client of urlschemes-access. Out: files, and a MirrorStep for each URL. No scheme is known here.
"""

from urlschemes_mirror.walk import MirrorStep, mirror

__all__ = ["MirrorStep", "mirror"]
