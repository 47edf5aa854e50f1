"""Prospero's requests (The Prospero Protocol, version 5).

VERSION 5                                               the beginning of every request
AUTHENTICATE '' UNAUTHENTICATED anonymous
GET-OBJECT-INFO #ALL ASCII <hsoname> <version>          the attributes of an object
DIRECTORY ASCII <hsoname> <version>                     the directory for LIST
LIST ATTRIBUTES COMPONENTS                              all its links
"""

from __future__ import annotations

from urlschemes_prospero.tokens import quote

__all__ = ["list_request", "object_info_request"]

_PREAMBLE = b"VERSION 5\nAUTHENTICATE '' UNAUTHENTICATED anonymous\n"


def object_info_request(attributes: bytes, name: bytes, version: int) -> bytes:
    """Return the request for attributes of an object: their names joined by `+`, `#ALL`, or `CONTENTS`."""
    return _PREAMBLE + b"GET-OBJECT-INFO %b ASCII %b %d\n" % (attributes, quote(name), version)


def list_request(name: bytes, version: int) -> bytes:
    """Return the request for all links of a directory, with the attributes that its server selects."""
    words = [b"DIRECTORY ASCII", quote(name), *([b"%d" % version] if version else ())]
    return _PREAMBLE + b" ".join(words) + b"\nLIST ATTRIBUTES COMPONENTS\n"
