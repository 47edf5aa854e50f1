"""The links of a directory as entries of a listing, and the attributes of an object."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from urlschemes.errors import InvalidURL, UnsafeURL
from urlschemes.grammar.octets import text_of
from urlschemes.redaction import one_line
from urlschemes_access.attributes import Attributes, Entry
from urlschemes_access.protocol.times import plain_time
from urlschemes_prospero.access_methods import CONTENTS, method_entry, object_url

if TYPE_CHECKING:
    from collections.abc import Iterable

    from urlschemes_prospero import ProsperoURL
    from urlschemes_prospero.response import Attribute, Link

__all__ = ["attributes_of", "link_entry"]

_SIZE = re.compile(rb"([0-9]{1,18}) bytes")


def attributes_of(attributes: Iterable[Attribute], url: ProsperoURL | None) -> Attributes:
    """Return the attributes of the object with this URL: each in `fields`, one value on each line.

    The values of ACCESS-METHOD are URLs if `url` is given and the method has one.
    """
    size = modified = None
    texts: dict[str, list[str]] = {}
    for attribute in attributes:
        value = b" ".join(attribute.values)
        text = text_of(value)
        if attribute.name == "ACCESS-METHOD" and url is not None:
            text = method_entry(attribute.values, url).url or text
        elif attribute.name == "SIZE" and (match := _SIZE.fullmatch(value)):
            size = int(match[1])
        elif attribute.name == "LAST-MODIFIED" and len(attribute.values) == 1:
            modified = plain_time(text)
        texts.setdefault(attribute.name, []).append(text)
    fields = {name: "\n".join(values) for name, values in texts.items()}
    return Attributes(size=size, modified=modified, fields=fields)


def link_entry(link: Link, directory: ProsperoURL) -> Entry:
    """Return the entry of a link. An external link has the URL of its access method (section 3.11).

    A union link, whose directory's links belong to this directory too, has the kind `union`. A link that no URL can
    name has a `problem`.
    """
    tokens = link.tokens
    if len(tokens) < 7:
        return Entry(name=text_of(b" ".join(tokens)), problem="the line from the server is not a complete link")
    union, target, name, host_type, host, name_type, hsoname, *rest = tokens
    target_url: ProsperoURL | None = None
    url = problem = None
    try:
        if target == b"NULL":
            raise UnsafeURL("the server hides the target of this link")
        if target == b"SYMBOLIC":
            raise UnsafeURL("it names an object in a virtual system, which is not a host")
        target_url = object_url(type(directory), host_type, host, name_type, hsoname, rest[0] if rest else b"0")
        url = str(target_url)
    except (InvalidURL, UnsafeURL) as error:
        problem = one_line(str(error))
    if target == b"EXTERNAL":
        url, problem = _external_url(link, target_url)
    attributes = attributes_of(link.attributes, target_url or directory)
    return Entry(
        name=text_of(name),
        kind="union" if union == b"U" else text_of(target).lower(),
        url=url,
        size=attributes.size,
        modified=attributes.modified,
        fields={"target": text_of(b" ".join((host_type, host, name_type, hsoname))), **attributes.fields},
        problem=problem,
    )


def _external_url(link: Link, target: ProsperoURL | None) -> tuple[str | None, str | None]:
    """Return the URL of the first access method that has one; otherwise None, and the problem of the first method."""
    if target is None:
        return None, "no URL can hold its host or its name"
    values = [attribute.values for attribute in link.attributes if attribute.name == "ACCESS-METHOD"]
    methods = [method_entry(value, target) for value in values if value[:1] != (CONTENTS,)]
    for method in methods:
        if method.url:
            return method.url, None
    return None, f"{methods[0].name}: {methods[0].problem}" if methods else "the link has no access method"
