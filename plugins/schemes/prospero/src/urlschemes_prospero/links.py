"""Links of a directory as entries of a listing, and attributes as what is known of an object."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from urlschemes.errors import InvalidURL, UnsafeURL
from urlschemes.grammar.octets import text_of
from urlschemes.redaction import one_line
from urlschemes_access.attributes import Attributes, Entry
from urlschemes_prospero.methods import CONTENTS, method_of, object_url

if TYPE_CHECKING:
    from collections.abc import Iterable

    from urlschemes_prospero import ProsperoURL
    from urlschemes_prospero.protocol import Attribute, Link

__all__ = ["attributes_of", "entry_of"]

_SIZE = re.compile(rb"([0-9]{1,18}) bytes")
_TIME = re.compile(rb"([0-9]{4})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})Z")


def attributes_of(attributes: Iterable[Attribute], of: ProsperoURL | None) -> Attributes:
    """The attributes of the object, in words in `fields`, one value on each line; access methods as their URLs.

    `of` is the object's URL, where it has one.
    """
    size = modified = None
    words: dict[str, list[str]] = {}
    for attribute in attributes:
        told = text_of(b" ".join(attribute.values))
        if attribute.name == "ACCESS-METHOD" and of is not None:
            told = method_of(attribute.values, of).url or told
        elif attribute.name == "SIZE" and (found := _SIZE.fullmatch(b" ".join(attribute.values))):
            size = int(found[1])
        elif attribute.name == "LAST-MODIFIED" and len(attribute.values) == 1:
            modified = _time(attribute.values[0])
        words.setdefault(attribute.name, []).append(told)
    fields = {name: "\n".join(values) for name, values in words.items()}
    return Attributes(size=size, modified=modified, fields=fields)


def entry_of(link: Link, directory: ProsperoURL) -> Entry:
    """What a link leads to. An external one has the URL of its access method (section 3.11), all others their own.

    A union link, whose directory's links belong to this one too, has the kind `union`. One that no URL can come from
    has a `problem`.
    """
    tokens = link.tokens
    if len(tokens) < 7:
        return Entry(name=text_of(b" ".join(tokens)), problem="the line has not the tokens of a link")
    union, target, name, host_type, host, name_type, hsoname, *rest = tokens
    kind = "union" if union == b"U" else text_of(target).lower()
    place: ProsperoURL | None = None
    url = problem = None
    try:
        if target == b"NULL":
            raise UnsafeURL("the server does not show where this link leads")
        if target == b"SYMBOLIC":
            raise UnsafeURL("it leads to a name in a virtual system, which is no host")
        place = object_url(host_type, host, name_type, hsoname, rest[0] if rest else b"0")
        url = str(place)
    except (InvalidURL, UnsafeURL) as error:
        problem = one_line(str(error))
    known = attributes_of(link.attributes, place or directory)
    fields = {"target": text_of(b" ".join((host_type, host, name_type, hsoname))), **known.fields}
    if target == b"EXTERNAL":
        url, problem = _external(link, place)
    return Entry(
        name=text_of(name), kind=kind, url=url, size=known.size, modified=known.modified, fields=fields, problem=problem
    )


def _external(link: Link, place: ProsperoURL | None) -> tuple[str | None, str | None]:
    """The URL by the first method that has one, or else why the first has none."""
    values = [attribute.values for attribute in link.attributes if attribute.name == "ACCESS-METHOD"]
    if place is None:
        return None, "its host or its name cannot stand in a URL"
    found = [method_of(value, place) for value in values if value[:1] != (CONTENTS,)]
    for method in found:
        if method.url:
            return method.url, None
    return None, f"{found[0].name}: {found[0].problem}" if found else "the link tells no access method"


def _time(written: bytes) -> datetime | None:
    found = _TIME.fullmatch(written)
    if found is None:
        return None
    try:
        return datetime(*map(int, found.groups()), tzinfo=UTC)  # type: ignore[misc, arg-type]
    except ValueError:
        return None
