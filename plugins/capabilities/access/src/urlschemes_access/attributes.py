"""Descriptions of resources: attributes, the entries of listings, facts about local files."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from functools import partial
from mimetypes import guess_type
from typing import Any, Literal, TypeAlias

from urlschemes.redaction import one_line, redact
from urlschemes.url.value import URL
from urlschemes_access.errors import ProtocolError

__all__ = [
    "Attributes",
    "Entry",
    "FileFacts",
    "Gateway",
    "Precision",
    "charset_of",
    "media_type_of",
    "name_of",
    "redacted_repr",
    "without_fragment",
]

Precision: TypeAlias = Literal["day", "minute", "second"]
"""How exactly a time is known. What is not exact to the second comes from a server that names no time zone, either."""

_CODINGS = {"gzip": "application/gzip", "bzip2": "application/x-bzip2", "xz": "application/x-xz"}


def media_type_of(name: str | None) -> str | None:
    """Return the media type that the suffix of a file name stands for, None if it is unknown.

    `a.txt.gz` has the media type of its octets, which is application/gzip.
    """
    guessed, coding = guess_type(f"/{name or ''}", strict=False)  # without the slash a name could be read as a URL
    return guessed if coding is None else _CODINGS.get(coding)


# Codecs that a server may not choose: they are not character sets, or are slow on hostile input.
_NO_CHARSETS = frozenset(
    {"idna", "punycode", "unicode-escape", "raw-unicode-escape", "utf-7", "undefined", "mbcs", "oem"}
)


def charset_of(media_type: str | None) -> str | None:
    """Return Python's codec for the `charset` parameter of a media type; None if there is none a server may choose."""
    for parameter in (media_type or "").split(";")[1:]:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            try:
                found = codecs.lookup(value.strip().strip('"'))
                "".encode(found.name)  # refuses codecs that are not for text
                return None if found.name in _NO_CHARSETS else found.name
            except (LookupError, ValueError):
                return None
    return None


def name_of(octets: bytes) -> str:
    """Return the name of a listing's entry as text: as UTF-8, else as ISO 8859-1."""
    try:
        return octets.decode("utf-8")
    except UnicodeDecodeError:
        return octets.decode("iso-8859-1")


def without_fragment(url: URL) -> str:
    """Return the text of a URL without its fragment, which is never sent, and no part of the URLs in its listing."""
    text, span = str(url), url.span("fragment") if "fragment" in url.syntax.parts else None
    return text if span is None else text[: span[0] - 1]


def redacted_repr(value: Any) -> str:
    """Return the repr of a dataclass without passwords: a server may write a URL with a password anywhere."""
    shown = [f"{each.name}={redact(repr(getattr(value, each.name)))}" for each in fields(value) if each.repr]
    return f"{type(value).__name__}({', '.join(shown)})"


@dataclass(frozen=True, slots=True)
class Gateway:
    """A gateway that was used (section 4).

    `asked` is the URL that the caller gave, `url` the one that it was reached through, `source` the file, variable or
    hook that named the gateway.
    """

    asked: URL
    url: URL
    source: str


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Attributes:
    """The attributes of a resource; None means unknown.

    `size` is in octets. `modified` has a time zone, UTC if the server names none: see `precision`. `name` is the
    server's name for the resource; it is never used as a local file name. `fields` holds what the protocol says in
    its own words, such as HTTP header fields. `gateway` is the gateway that the resource was reached through;
    plugins leave it out. `start` is where the octets that were delivered, `size` of them, begin in the resource: 0
    unless a `Range` was accessed.
    """

    media_type: str | None = None
    size: int | None = None
    modified: datetime | None = None
    precision: Precision = field(default="second", repr=False)
    name: str | None = None
    fields: Mapping[str, str] = field(default_factory=dict)
    gateway: Gateway | None = field(default=None, repr=False)
    start: int = 0

    __repr__ = redacted_repr


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Entry:
    """One entry of a listing.

    `url` is the text of its URL, whose scheme need not be installed, or None. `kind` is a word of the protocol, such as
    `"file"`, `"directory"` or `"search"`. `problem` says why an entry cannot be followed.
    """

    name: str
    url: str | None = None
    kind: str = ""
    size: int | None = None
    modified: datetime | None = None
    precision: Precision = field(default="second", repr=False)
    fields: Mapping[str, str] = field(default_factory=dict)
    problem: str | None = None
    _reader: Callable[[str], URL] | None = field(default=None, init=False, repr=False, compare=False)

    __repr__ = redacted_repr

    @property
    def octets(self) -> int:
        """The octets of the name and the URL: what the entry counts for the rate of a listing."""
        return len(self.name) + len(self.url or "")

    def parse(self) -> URL:
        """Parse the URL of this entry with the registry of the listing.

        An entry without a listing, or from a pickle, gives a generic URL. Raises InvalidURL, UnknownScheme;
        ProtocolError if the entry has no URL.
        """
        if self.url is None:
            raise ProtocolError(self.problem or f"'{one_line(self.name, 80)}' has no URL", where="listing")
        if self._reader is not None:
            return self._reader(self.url)
        return URL.parse(self.url)

    def read_by(self, reader: Callable[[str], URL] | None) -> None:
        """Make `parse` use `reader`. The dialogue calls this; pickles do not keep it."""
        object.__setattr__(self, "_reader", reader)

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(Entry, **{each.name: getattr(self, each.name) for each in fields(self) if each.init}), ()


@dataclass(frozen=True, slots=True)
class FileFacts:
    """Facts about a local file or folder; `size` is in octets."""

    path: str
    kind: Literal["file", "directory", "other"]
    size: int
    modified: datetime
