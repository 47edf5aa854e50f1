"""Mirrors: whole trees of menus, folders and listings, saved as files.

    for step in mirror("gopher://host.dom/1/docs", "docs"):
        print(step.action, step.url, step.path)

walk.py       mirror: goes through the tree
names.py      names for files, from URLs that a server made up
folders.py    the folders of a mirror; nothing is written outside
record.py     what was saved before
"""

from urlschemes_access.mirroring.walk import DEPTH, ENTRIES, OCTETS, MirrorStep, mirror

__all__ = ["DEPTH", "ENTRIES", "OCTETS", "MirrorStep", "mirror"]
