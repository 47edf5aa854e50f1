"""From a text and a syntax to an immutable URL, or the reason why the text is not one.

This package does not know the registry: a URL type has its syntax, wherever that came from.

    value.py            URL, and the bases InternetURL and LoginURL
    algorithms.py       Algorithms: those of a profile, and their look-up
    fields.py           the base of all types of URLs, and the parts of a type as fields of its class
    building.py         the text of a URL from its parts: constructors, `replace`, normal forms
    hierarchy.py        the levels of a URL: its parent, and what is below it
    pattern_reader.py   the reader that matches patterns, and the reader of this process
    fault_place.py      where and why a text is not a URL; computed when an error is read
    fault_messages.py   the messages and hints of those errors
    original_text.py    errors of a text that was made of another one before it was parsed
"""
