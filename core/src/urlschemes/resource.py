"""What an operation gives back: documents, listings, sessions, attributes (RFC 1738 section 2), and what they are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from urlschemes.url import URL

__all__ = [
    "Answers",
    "Attributes",
    "Credentials",
    "Entry",
    "FileFacts",
    "Form",
    "Question",
]

_NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Attributes:
    """What is known of a resource apart from its content; None is unknown.

    `size` counts octets. `modified` bears a time zone. `name` is what the other side calls the resource; it is never used as
    a local file name. `fields` holds what the protocol says in its own words (HTTP header fields, Gopher+ attribute blocks).
    """

    media_type: str | None = None
    size: int | None = None
    modified: datetime | None = None
    name: str | None = None
    fields: Mapping[str, str] = _NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry of a listing. `url` is the text of its URL: it may name a scheme that is not installed, or be None.

    `kind` is a word of the protocol's (`"file"`, `"directory"`, `"search"`, `"text"`). `problem` says why an entry that the other
    side sent cannot be followed.
    """

    name: str
    url: str | None = None
    kind: str = ""
    size: int | None = None
    modified: datetime | None = None
    fields: Mapping[str, str] = _NOTHING
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Credentials:
    """A user name and a password for one host and port."""

    user: str
    password: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What the file system says: `kind` is `"file"`, `"directory"` or `"other"`; `size` counts octets."""

    path: str
    kind: Literal["file", "directory", "other"]
    size: int
    modified: datetime


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a form. `kind` is the protocol's word (`"Ask"`, `"Choose"`, ...), `choices` what may be answered."""

    kind: str
    prompt: str
    default: str = ""
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Form:
    """Questions that the other side wants answered before it gives the resource."""

    title: str
    questions: tuple[Question, ...]


Answers: TypeAlias = tuple[str, ...]
"""One answer for each question of a form, in its order."""
