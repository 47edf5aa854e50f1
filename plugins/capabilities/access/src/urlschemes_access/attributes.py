"""What is known of a resource: its attributes, the entries of a listing, what the file system says of a file."""

from __future__ import annotations

import codecs
from copy import copy
from dataclasses import dataclass, field, fields
from mimetypes import guess_type
from typing import TYPE_CHECKING, Any, Literal

from urlschemes.redaction import one_line, redact
from urlschemes.url.value import URL
from urlschemes_access.errors import ProtocolError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from urlschemes.url.value import URL

__all__ = ["Attributes", "Entry", "FileFacts", "Gateway", "charset_of", "media_type_of"]

_CODINGS = {"gzip": "application/gzip", "bzip2": "application/x-bzip2", "xz": "application/x-xz"}


def media_type_of(name: str | None) -> str | None:
    """The media type that the suffix of a file's name tells, where no protocol says it; None where it tells nothing.

    Of `a.txt.gz` it is that of the octets that are there, which are no text.
    """
    guessed, coding = guess_type(f"/{name or ''}", strict=False)  # without the slash, a name could look like a URL
    return guessed if coding is None else _CODINGS.get(coding)


# Codecs that a server must not choose: no character sets, or slow on hostile input.
_NO_CHARSETS = frozenset(
    {"idna", "punycode", "unicode-escape", "raw-unicode-escape", "utf-7", "undefined", "mbcs", "oem"}
)


def charset_of(media_type: str | None) -> str | None:
    """The name of Python's codec for the `charset` parameter; None where there is none that a server may choose."""
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


def _printed(value: Attributes | Entry) -> str:
    """As a dataclass prints, but without the passwords of the URLs in it: the other side may write one anywhere."""
    shown = [f"{each.name}={redact(repr(getattr(value, each.name)))}" for each in fields(value) if each.repr]
    return f"{type(value).__name__}({', '.join(shown)})"


@dataclass(frozen=True, slots=True)
class Gateway:
    """How a URL was reached through another (section 4).

    `asked` is the URL that was asked for, `url` the one it was reached through, `source` who said so: a file, a
    variable, a hook.
    """

    asked: URL
    url: URL
    source: str


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Attributes:
    """What is known of a resource apart from its content; None is unknown.

    `size` counts octets. `modified` bears a time zone. `name` is what the other side calls the resource; it is never
    used as a local file name. `fields` holds what the protocol says in its own words (HTTP header fields, Gopher+
    attribute blocks). `gateway` is the gateway that the resource was reached through, which no plugin sets.
    """

    media_type: str | None = None
    size: int | None = None
    modified: datetime | None = None
    name: str | None = None
    fields: Mapping[str, str] = field(default_factory=dict)
    gateway: Gateway | None = field(default=None, repr=False)

    __repr__ = _printed

    def reached_through(self, gateway: Gateway) -> Attributes:
        """The same, with the gateway. For whoever hands out the resource; a plugin may have derived its own type."""
        same = copy(self)
        object.__setattr__(same, "gateway", gateway)
        return same


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Entry:
    """One entry of a listing. `url` is the text of its URL: it may name a scheme that is not installed, or be None.

    `kind` is a word of the protocol's (`"file"`, `"directory"`, `"search"`, `"text"`). `problem` says why an entry
    that the other side sent cannot be followed.
    """

    name: str
    url: str | None = None
    kind: str = ""
    size: int | None = None
    modified: datetime | None = None
    fields: Mapping[str, str] = field(default_factory=dict)
    problem: str | None = None
    _reader: Callable[[str], URL] | None = field(default=None, init=False, repr=False, compare=False)

    __repr__ = _printed

    def parse(self) -> URL:
        """The URL of this entry, read by the registry that the listing came from.

        An entry that came from no listing, or out of a pickle, gives a generic URL, which `urlschemes.parse` reads
        further. Raises InvalidURL, UnknownScheme; ProtocolError where the entry has no URL.
        """
        if self.url is None:
            raise ProtocolError(self.problem or f"'{one_line(self.name, 80)}' has no URL", where="listing")
        if self._reader is not None:
            return self._reader(self.url)

        return URL.parse(self.url)

    def read_by(self, reader: Callable[[str], URL] | None) -> None:
        """Let `parse` use `reader`. For whoever hands out the listing; a pickle does not keep it."""
        object.__setattr__(self, "_reader", reader)

    def __reduce__(self) -> tuple[Any, ...]:
        return _entry, ({f.name: getattr(self, f.name) for f in fields(self) if f.init},)


def _entry(values: dict[str, Any]) -> Entry:
    return Entry(**values)


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What the file system says: `kind` is `"file"`, `"directory"` or `"other"`; `size` counts octets."""

    path: str
    kind: Literal["file", "directory", "other"]
    size: int
    modified: datetime
