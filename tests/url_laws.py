"""Laws of URLs that only the core can break: each asserts one for a URL of any scheme."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING, Any

from urlschemes.grammar.part import Encoded
from urlschemes.url.algorithms import algorithms_of
from urlschemes_conformance.laws import has_value, is_present

if TYPE_CHECKING:
    from urlschemes import URL, Registry
    from urlschemes.grammar.syntax import Syntax


def prints_back(text: str, registry: Registry) -> None:
    """A parsed URL is written back octet for octet, whether the registry or the type parses it."""
    url = registry.parse(text)
    assert str(url) == text
    again = type(url).parse(text)
    assert (type(again), str(again)) == (type(url), text)


def is_equivalent_to_its_normal_form(url: URL) -> None:
    """A URL and its normal form are equivalent."""
    normal = url.normalized()
    assert url.normalized(*url.syntax.profile.levels[-1:]) == normal
    assert url.equivalent(normal)
    assert normal.equivalent(url)


def replaces_one_part(url: URL, part: str, value: object) -> None:
    """Replacing one part gives it that value, and changes no octet of the others; replacing it back gives `url`.

    Raises InvalidURL if the URL cannot have that value.
    """
    changed, syntax = url.replace(**{part: value}), url.syntax
    assert has_value(changed, part, value), f"{part} is then {changed.parts[part]!r}"
    for other, each in syntax.parts.items():
        if each.mark != syntax.parts[part].mark and not syntax.overlap(other, part) and url.raw[other] is not None:
            assert changed.raw[other] == url.raw[other], f"{other} changes too, to {changed.raw[other]!r}: {changed!s}"
    if is_present(url, part):
        back = changed.replace(**{part: _encoded(url.raw[part])})
        # The colon of an empty port belongs to no part, and may be left out.
        same = back == url or (back.raw == url.raw and back.normalized() == url.normalized())
        assert same, f"replacing {part} back gives {back!s}"


def _encoded(raw: Any) -> Any:
    """Return a raw part as a value that is encoded already."""
    if raw is None:  # the value of a flag
        return None
    return Encoded(raw) if isinstance(raw, str) else tuple(map(_encoded, raw))


def parts_around(syntax: Syntax, inner: str) -> list[str]:
    """Return the parts within which the part `inner` lies."""
    mark = syntax.parts[inner].mark
    return [name for name, part in syntax.parts.items() if mark in syntax.within(part.mark)]


def replaces_within(url: URL, outer: str, inner: str, giver: URL) -> None:
    """A part within another is a piece of it, and changes with it, and it with the part.

    The new values are those of `giver`. Raises InvalidURL if `url` cannot have them.
    """
    text, around, within = str(url), url.span(outer), url.span(inner)
    if around is None or within is None:
        return
    assert around[0] <= within[0] <= within[1] <= around[1]
    changed = url.replace(**{inner: giver.parts[inner]})
    assert changed.parts[inner] == giver.parts[inner]
    assert changed.raw[outer] == f"{text[around[0] : within[0]]}{changed.raw[inner]}{text[within[1] : around[1]]}"
    changed = url.replace(**{outer: giver.parts[outer]})
    assert changed.parts[inner] == giver.parts[inner], f"{inner} does not change with {outer}"


def compares_as_text(url: URL, other: URL) -> None:
    """URLs are equal, hash and are ordered as their texts are, with the scheme in lower case."""
    scheme, _, rest = str(url).partition(":")
    generic = algorithms_of(url.syntax.profile).url_type
    for same in (type(url).parse(str(url)), generic.parse(str(url)), type(url).parse(f"{scheme.upper()}:{rest}")):
        assert (url == same, same == url, url != same) == (True, True, False)
        assert hash(url) == hash(same)
    key, other_key = _key(url), _key(other)
    assert (url == other, url != other) == (key == other_key, key != other_key)
    assert (url < other, other > url) == (key < other_key, key < other_key)


def _key(url: URL) -> str:
    scheme, colon, rest = str(url).partition(":")
    return scheme.lower() + colon + rest


def survives_copying(url: URL) -> None:
    """A pickled or copied URL is equal to the original, and of the same type."""
    for copied in (pickle.loads(pickle.dumps(url)), copy.copy(url), copy.deepcopy(url)):
        assert (type(copied), str(copied)) == (type(url), str(url))
