"""Checks of the laws that hold for the URLs of every scheme, each tried on thousands of URLs."""

from __future__ import annotations

import copy
import pickle
import sys
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

from urlschemes.errors import InvalidURL, URLError
from urlschemes.redaction import described
from urlschemes.url.value import URL
from urlschemes_conformance.review.catalogue import asks
from urlschemes_conformance.review.subject import as_text
from urlschemes_conformance.review.verdicts import failed, passed
from urlschemes_lint import Fixed, check, explain, fix

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from urlschemes_conformance.review.subject import Subject
    from urlschemes_conformance.review.verdicts import Judgement

__all__: list[str] = []

T = TypeVar("T")

PAIRS = 300
"""URLs in which one part is replaced, for each part."""
EXPLAINED = 400
"""Texts that are checked, repaired and explained, of each kind."""


def _tried(items: Iterable[T], text_of: Callable[[T], str], law: Callable[[T], str], help: str) -> Judgement:  # noqa: A002  the word that people read
    """Whether `law` finds nothing to say of any of them; what it says of the first, which is the shortest."""
    count = 0
    for item in items:
        count += 1
        try:
            fault = law(item)
        except URLError as error:
            fault = f"it is refused: {error.message}"
        except Exception as error:  # noqa: BLE001  the plugin's code may raise anything
            fault = f"it raises {described(error)}"
        if fault:
            return failed(fault, help, repr(text_of(item)))
    return passed(f"{count} URLs")


@asks("prints-back", "RFC 1738 section 2.1; docs/urls.md")
def prints_back(subject: Subject) -> Judgement:
    """A URL that is read is written back octet for octet, by the type and by the registry."""
    registry, kind = subject.registry, subject.url_type

    def law(text: str) -> str:
        try:
            url = kind.parse(text)
        except InvalidURL:
            return ""  # the check same-language says so
        written = str(url)
        if type(written) is not str or written != text:
            return f"it is written back as {written!r}"
        read = registry.parse(text)
        if type(read) is not type(url) or as_text(read) != text:
            return f"the registry reads {type(read).__name__} {as_text(read)!r}"
        return ""

    return _tried(subject.texts, str, law, "leave __str__ and parse to the core")


@asks("builds-back", "docs/urls.md")
def builds_back(subject: Subject) -> Judgement:
    """What is built of a URL's parts has these parts."""
    kind, plain = subject.url_type, subject.plain_type

    def law(url: URL) -> str:
        own = plain.parse(as_text(url))
        given = _given(own)
        built = plain.parse(as_text(kind(**given)))
        if built.syntax is not own.syntax:
            return "it builds another scheme's URL"
        for name, value in given.items():
            if getattr(built, name) != value:
                return f"built of {name} = {value!r} it has {getattr(built, name)!r}: {as_text(built)}"
        more = [name for name, raw in built.raw.items() if raw not in {None, ()} and own.raw[name] in {None, ()}]
        return f"it is built with a {more[0]} that nobody gave: {as_text(built)}" if more else ""

    return _tried(subject.urls, as_text, law, "leave the constructor to the core")


def _given(url: URL) -> dict[str, Any]:
    """The parts of a URL that are there, but for those that lie within another."""
    syntax = url.syntax
    there = {name for name, raw in url.raw.items() if raw is not None and raw != ()}
    inner = {mark for name in there for mark in syntax.within(syntax.parts[name].mark)}
    return {name: getattr(url, name) for name in syntax.parts if name in there and syntax.parts[name].mark not in inner}


@asks("replaces-alone", "docs/urls.md")
def replaces_alone(subject: Subject) -> Judgement:
    """Replacing one part changes that part, and no octet of the others."""
    plain, urls = subject.plain_type, subject.urls
    advice = "leave replace to the core"
    done = 0
    for part in plain.syntax.parts:
        givers = [own for own in map(plain.parse, map(as_text, urls)) if own.raw[part] is not None][:PAIRS]
        made = 0
        for number, giver in enumerate(givers):
            url = urls[number * 7 % len(urls)]
            value = getattr(giver, part)
            try:
                other = url.replace(**{part: value})
            except InvalidURL:
                continue  # not every URL has a place for it
            except Exception as error:  # noqa: BLE001  the plugin's code may raise anything
                return failed(f"replace({part}={value!r}) raises {described(error)}", advice, repr(as_text(url)))
            made += 1
            fault = _changed(plain.parse(as_text(url)), plain.parse(as_text(other)), part, value)
            if fault:
                return failed(f"replace({part}={value!r}) {fault}", advice, repr(as_text(url)), repr(as_text(other)))
        if givers and not made:
            value = getattr(givers[0], part)
            return failed(f"replace({part}={value!r}) is refused, for every URL that was tried", advice)
        done += made
    return passed(f"{done} URLs")


def _changed(before: URL, after: URL, part: str, value: object) -> str:
    syntax = before.syntax
    if (getattr(after, part) or None) != (value or None):  # an empty part may be as good as none
        return f"gives {getattr(after, part)!r}"
    for name, raw in before.raw.items():
        apart = syntax.parts[name].mark != syntax.parts[part].mark and not syntax.overlap(name, part)
        if apart and raw is not None and after.raw[name] != raw:
            return f"changes the {name} too, from {raw!r} to {after.raw[name]!r}"
    return ""


@asks("normalizes", "RFC 1738 sections 2.1, 2.2 and 3.1; docs/urls.md")
def normalizes(subject: Subject) -> Judgement:
    """A normalized URL is one of the same type, means the same, and is normalized already."""

    def law(url: URL) -> str:
        once = url.normalized()
        if type(once) is not type(url):
            return f"normalized it is a {type(once).__name__}"
        again = once.normalized()
        if as_text(again) != as_text(once):
            return f"normalized it is {as_text(once)}, and that normalized {as_text(again)}"
        return "" if url.equivalent(once) and once.equivalent(url) else f"it is not equivalent to {as_text(once)}"

    return _tried(subject.urls, as_text, law, "leave normalized to the core, or let a second time change nothing")


@asks("equality", "docs/urls.md")
def equality(subject: Subject) -> Judgement:
    """URLs are equal, hash alike and are in order as their texts are, with the scheme's name in lower case."""
    kind, urls = subject.url_type, subject.urls
    others = dict(zip(map(as_text, urls), [*urls[1:], urls[0]], strict=True))

    def law(url: URL) -> str:
        text = as_text(url)
        name, _, rest = text.partition(":")
        for same in (kind.parse(text), URL.parse(text), kind.parse(f"{name.upper()}:{rest}")):
            if not (url == same and same == url) or url != same or hash(url) != hash(same):
                return f"it is not equal to {same!r}, or has another hash"
        other = others[text]
        less, equal = _key(url) < _key(other), _key(url) == _key(other)
        if (url == other) != equal or (url != other) == equal or (url < other) != less or (other > url) != less:
            return f"compared with {as_text(other)} it is not what the texts are"
        return ""

    return _tried(urls, as_text, law, "leave __eq__, __hash__ and the order to the core")


def _key(url: URL) -> str:
    name, colon, rest = as_text(url).partition(":")
    return name.lower() + colon + rest


@asks("pickles", "docs/urls.md")
def pickles(subject: Subject) -> Judgement:
    """A URL that was pickled or copied is the same URL; of a type that can be imported, of the same type."""

    def law(url: URL) -> str:
        for copied in (pickle.loads(pickle.dumps(url)), copy.copy(url), copy.deepcopy(url)):  # noqa: S301  our own
            if not isinstance(copied, URL) or as_text(copied) != as_text(url):
                return f"a copy of it is {copied!r}"
            if type(copied) is not type(url) and _can_be_imported(type(url)):
                return f"a copy of it is a {type(copied).__name__}"
        return ""

    return _tried(subject.urls, as_text, law, "leave __reduce__ and __copy__ to the core")


def _can_be_imported(kind: type[URL]) -> bool:
    """Whether the type is found under its name; what the core makes of a record is not."""
    try:
        return attrgetter(kind.__qualname__)(sys.modules[kind.__module__]) is kind
    except (AttributeError, KeyError):
        return False


@asks("explains", "docs/errors.md")
def explains(subject: Subject) -> Judgement:
    """Of URLs and of near misses alike: check, explain and fix say something, or raise an error of urlschemes."""
    registry = subject.registry
    texts = [*subject.texts[:: max(len(subject.texts) // EXPLAINED, 1)], *subject.misses[:EXPLAINED]]
    valid = frozenset(subject.texts)
    ways: dict[str, Callable[[str], object]] = {
        "parse": registry.parse,
        "check": partial(check, registry=registry),
        "explain": partial(explain, registry=registry),
        "fix": partial(fix, registry=registry),
    }

    def law(text: str) -> str:
        for name, way in ways.items():
            try:
                found = way(text)
            except URLError as error:
                if text in valid:
                    return f"{name} raises {type(error).__name__}: {error}"
                str(error)  # the reason is found out only now
            else:
                if isinstance(found, Fixed) and text in valid and found.changes:
                    return "fix changes it"
        return ""

    return _tried(texts, str, law, "let no hook of parsing raise anything but the core's InvalidURL")
