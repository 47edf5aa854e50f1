"""From text and a syntax to an immutable URL, or the reason why the text is not one.

This package does not know the registry: a URL type has its syntax, wherever that came from.

    value.py            URL, and the bases InternetURL and LoginURL
    building.py         parts made into the text of a URL: constructors and `replace`
    relative.py         relative references (RFC 1808)
    fault_kind.py       which class of InvalidURL a text deserves; must be quick
    fault_place.py      where and why a text is not a URL; computed when an error is read
    fault_messages.py   the messages and hints of those errors
"""
