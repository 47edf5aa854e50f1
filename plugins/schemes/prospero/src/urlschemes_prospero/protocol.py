"""Prospero's requests, and what an answer says line by line (The Prospero Protocol, version 5).

VERSION 5                                               first of every request
AUTHENTICATE '' UNAUTHENTICATED anonymous
GET-OBJECT-INFO #ALL ASCII <hsoname> <version>          ATTRIBUTE ..., NONE-FOUND, FORWARDED ..., FAILURE ...
DIRECTORY ASCII <hsoname> <version>                     of what LIST asks
LIST ATTRIBUTES COMPONENTS                              LINK ... each with its ATTRIBUTE lines, NONE-FOUND, ...
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from urlschemes.grammar.octets import text_of
from urlschemes.redaction import one_line
from urlschemes_access.errors import AuthRequired, ProtocolError, RemoteError
from urlschemes_access.protocol import unexpected
from urlschemes_prospero.quoting import lines, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Attribute", "Forwarded", "Link", "Reply", "listing", "object_info", "read"]

_PREAMBLE = b"VERSION 5\nAUTHENTICATE '' UNAUTHENTICATED anonymous\n"
_IGNORED = frozenset({b"VERSION", b"AUTHENTICATED", b"AUTHENTICATE", b"SUCCESS", b"ID", b"NONE-FOUND"})
_TYPED = frozenset({b"INTRINSIC", b"APPLICATION"})
MOST_WARNING = 500
"""Characters kept of one warning."""


def object_info(attributes: bytes, name: bytes, version: int) -> bytes:
    """The request for attributes of an object: their names with `+` between them, `#ALL`, or `CONTENTS`."""
    return _PREAMBLE + b"GET-OBJECT-INFO %b ASCII %b %d\n" % (attributes, quoted(name), version)


def listing(name: bytes, version: int) -> bytes:
    """The request for all links of a directory, with the attributes that its server finds interesting."""
    words = [b"DIRECTORY ASCII", quoted(name), *([b"%d" % version] if version else ())]
    return _PREAMBLE + b" ".join(words) + b"\nLIST ATTRIBUTES COMPONENTS\n"


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute of an object or of a link: `values` are the tokens of its value."""

    name: str
    values: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """A link of a directory: its tokens as they came, and its attributes."""

    tokens: tuple[bytes, ...]
    attributes: list[Attribute] = field(default_factory=list)


class Forwarded(NamedTuple):
    """Where the object is now."""

    host_type: bytes
    host: bytes
    name_type: bytes
    name: bytes
    version: bytes = b"0"


@dataclass(slots=True)
class Reply:
    """What an answer says: `forwarded` instead of all else, or links, attributes of the object, and warnings."""

    links: list[Link] = field(default_factory=list)
    attributes: list[Attribute] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    forwarded: Forwarded | None = None

    def values(self, name: str) -> list[tuple[bytes, ...]]:
        """The values of the object's attribute `name`, in their order."""
        return [attribute.values for attribute in self.attributes if attribute.name == name]


def read(answer: bytes) -> Reply:
    """What the answer says. Raises RemoteError, AuthRequired; ProtocolError for what is no answer at all."""
    reply = Reply()
    empty = True
    for tokens in lines(answer):
        empty = False
        word, rest = tokens[0], tokens[1:]
        if word == b"LINK":
            reply.links.append(Link(tuple(rest)))
        elif word == b"ATTRIBUTE":
            applies_to, attribute = _attribute(rest)
            if applies_to == b"OBJECT" and not reply.links:
                reply.attributes.append(attribute)
            elif reply.links:
                reply.links[-1].attributes.append(attribute)
        elif word == b"FORWARDED":
            if len(rest) < 4:
                raise unexpected(b" ".join(tokens), "forwarded", "a host and a name")
            reply.forwarded = Forwarded(*rest[:5])
        elif word == b"WARNING":
            reply.warnings.append(one_line(_words(rest), MOST_WARNING))
        elif word in {b"FAILURE", b"ERROR", b"VERSION-NOT-SUPPORTED"}:
            _refuse(word, rest)
        elif word not in _IGNORED and not word.startswith(b"ATTRIBUTE>"):  # of a link within an attribute
            raise unexpected(b" ".join(tokens), "answer", "a line of Prospero's")
    if empty:
        raise ProtocolError("the answer is empty", where="answer")
    return reply


def _attribute(tokens: Sequence[bytes]) -> tuple[bytes, Attribute]:
    if len(tokens) < 3:
        raise unexpected(b" ".join([b"ATTRIBUTE", *tokens]), "attribute", "an attribute with its name")
    applies_to, space, name, *values = tokens
    # A field has no type before its value, by what real servers send; by the document it has one.
    if values and (space in _TYPED or values[0] == b"SEQUENCE"):
        del values[0]
    return applies_to, Attribute(text_of(name).upper(), tuple(values))


_MEANINGS = {
    "NOT-FOUND": "the server has no object of that name",
    "NOT-A-DIRECTORY": "the object is no directory",
}


def _refuse(word: bytes, rest: Sequence[bytes]) -> NoReturn:
    status = text_of(rest[0] if word == b"FAILURE" and rest else word).upper()
    words = _words(rest)
    if status in {"AUTHENTICATION-REQUIRED", "AUTHENTICATION-DATA"}:
        raise AuthRequired(f"the server wants to know who asks: {words}")
    meaning = _MEANINGS.get(status, "the server refused")
    raise RemoteError(f"{meaning}: {words or status}", status=status, text=words, temporary=status == "SERVER-FAILED")


def _words(tokens: Sequence[bytes]) -> str:
    return text_of(b" ".join(tokens))
