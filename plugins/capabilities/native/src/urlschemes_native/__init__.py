"""The native reader: tables run in C.

Where it is installed, `urlschemes.parse` and the attributes of URLs run here, with the same results. Nothing here knows
a scheme. Programs do not import it.

    reader.py     NativeReader: what the core uses of this package

In C, `urlschemes_native._native`:

    Table         the automaton of one scheme, checked when it is loaded
    Base          the base type of URLs: the text, its table, and where each part begins and ends
    part_reader   a function that reads one part of a URL
    Reader        the schemes of one registry, by name; `columns` reads Arrow arrays
"""
