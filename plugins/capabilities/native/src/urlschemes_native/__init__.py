"""The native reader: tables run in C.

The core compiles the rules of each scheme to a table, and uses this package where it is installed: `urlschemes.parse`
and the attributes of URLs then run here, with the same results. Nothing here knows a scheme. Programs do not import it.

    Table         the automaton of one scheme, checked when it is loaded
    Base          the base type of URLs: the text, its table, and where each part begins and ends
    part_reader   a function that reads one part of a URL
    Reader        the schemes of one registry, by name; `columns` reads Arrow arrays
"""

from urlschemes_native._native import ABI, Base, Reader, Table, part_reader

__all__ = ["ABI", "Base", "Reader", "Table", "part_reader"]
