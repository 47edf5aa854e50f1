"""Prospero's responses, line by line (The Prospero Protocol, version 5).

ATTRIBUTE ...           an attribute of the object, or of the link before it
LINK ...                a link of a directory
NONE-FOUND              there is nothing
FORWARDED ...           the object has moved
FAILURE ...             the server refuses
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from urlschemes.grammar.octets import text_of
from urlschemes.redaction import one_line
from urlschemes_access.errors import AuthRequired, ProtocolError, RemoteError
from urlschemes_access.protocol import unexpected
from urlschemes_prospero.tokens import split_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Attribute", "Forwarded", "Link", "Response", "parse_response"]

MAX_WARNING = 500
"""Characters of a warning that are kept."""

_IGNORED = frozenset({b"VERSION", b"AUTHENTICATED", b"AUTHENTICATE", b"SUCCESS", b"ID", b"NONE-FOUND"})
_REFUSALS = frozenset({b"FAILURE", b"ERROR", b"VERSION-NOT-SUPPORTED"})
_TYPED = frozenset({b"INTRINSIC", b"APPLICATION"})
_MEANINGS = {
    "NOT-FOUND": "the server has no such object",
    "NOT-A-DIRECTORY": "the object is not a directory",
}


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute of an object or of a link: `values` are the tokens of its value."""

    name: str
    values: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """A link of a directory: its tokens and its attributes."""

    tokens: tuple[bytes, ...]
    attributes: list[Attribute] = field(default_factory=list)


class Forwarded(NamedTuple):
    """The new location of an object."""

    host_type: bytes
    host: bytes
    name_type: bytes
    name: bytes
    version: bytes = b"0"


@dataclass(slots=True)
class Response:
    """A response: links, attributes of the object, warnings; or the new location of the object in `forwarded`."""

    links: list[Link] = field(default_factory=list)
    attributes: list[Attribute] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    forwarded: Forwarded | None = None

    def values(self, name: str) -> list[tuple[bytes, ...]]:
        """Return the values of the object's attribute `name`, in their order."""
        return [attribute.values for attribute in self.attributes if attribute.name == name]


def parse_response(text: bytes) -> Response:
    """Parse a response. Raise RemoteError or AuthRequired for a refusal, ProtocolError if it is not a response."""
    response = Response()
    empty = True
    for tokens in split_lines(text):
        empty = False
        word, rest = tokens[0], tokens[1:]
        if word == b"LINK":
            response.links.append(Link(tuple(rest)))
        elif word == b"ATTRIBUTE":
            _add_attribute(response, rest)
        elif word == b"FORWARDED":
            if len(rest) < 4:
                raise unexpected(b" ".join(tokens), "forwarded", "a host and a name")
            response.forwarded = Forwarded(*rest[:5])
        elif word == b"WARNING":
            response.warnings.append(one_line(_join(rest), MAX_WARNING))
        elif word in _REFUSALS:
            _raise_refusal(word, rest)
        elif word not in _IGNORED and not word.startswith(b"ATTRIBUTE>"):  # an attribute within an attribute
            raise unexpected(b" ".join(tokens), "response", "a line of a Prospero response")
    if empty:
        raise ProtocolError("the response is empty", where="response")
    return response


def _add_attribute(response: Response, tokens: Sequence[bytes]) -> None:
    """Add an attribute to the last link; or to the object, if no link precedes it."""
    if len(tokens) < 3:
        raise unexpected(b" ".join([b"ATTRIBUTE", *tokens]), "attribute", "an attribute with a name")
    applies_to, space, name, *values = tokens
    # By the specification all values have a type; real servers send a FIELD without it.
    if values and (space in _TYPED or values[0] == b"SEQUENCE"):
        del values[0]
    attribute = Attribute(text_of(name).upper(), tuple(values))
    if response.links:
        response.links[-1].attributes.append(attribute)
    elif applies_to == b"OBJECT":
        response.attributes.append(attribute)


def _raise_refusal(word: bytes, rest: Sequence[bytes]) -> NoReturn:
    status = text_of(rest[0] if word == b"FAILURE" and rest else word).upper()
    text = _join(rest)
    if status in {"AUTHENTICATION-REQUIRED", "AUTHENTICATION-DATA"}:
        raise AuthRequired(f"the server requires authentication: {text}")
    meaning = _MEANINGS.get(status, "the server refused")
    raise RemoteError(f"{meaning}: {text or status}", status=status, text=text, temporary=status == "SERVER-FAILED")


def _join(tokens: Sequence[bytes]) -> str:
    return text_of(b" ".join(tokens))
