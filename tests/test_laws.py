"""The laws of `urlschemes_conformance.laws` and `url_laws`, for the URLs of every scheme that a plugin provides."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import url_laws
from hostile_texts import hostile_texts
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from workspace import schemes_of_plugins

from urlschemes import URL, InvalidURL, Registry, URLError
from urlschemes.grammar.octets import text_of
from urlschemes.grammar.part import Part
from urlschemes_conformance import laws
from urlschemes_lint import check, explain, fix
from urlschemes_rfc3986.iri import from_unicode, to_unicode
from urlschemes_rfc3986.references import RelativeReference, parse_reference, relative_to
from urlschemes_testing.generation import random_near_misses, random_urls
from urlschemes_text import find, wrap

PROFILES = {profile: Registry(profile=profile) for profile in ("rfc1738", "rfc3986")}
TABLE = Path(__file__).parent / "tables" / "urls.jsonl"
URL_LAWS: dict[str, Callable[[URL], None]] = {
    "a URL built from the parts of another has these parts": laws.builds_back,
    "a URL loses nothing in its parts": laws.loses_nothing,
    "a normal form is its own normal form": laws.is_normalized_once,
    "a normal form is equivalent": url_laws.is_equivalent_to_its_normal_form,
    "a copied URL is equal to the original": url_laws.survives_copying,
}
NUMBERS = pytest.mark.parametrize("number", [8, pytest.param(300, marks=pytest.mark.slow)])
every_scheme = pytest.mark.parametrize(
    ("profile", "scheme"),
    [(profile, scheme) for profile, each in PROFILES.items() for scheme in schemes_of_plugins(each)],
)


@cache
def urls(profile: str, scheme: str, number: int) -> list[URL]:
    registry = PROFILES[profile]
    return [registry.parse(text) for text in random_urls(scheme, number, registry=registry)]


@cache
def texts_of_tables() -> list[str]:
    return [json.loads(line)["url"] for line in TABLE.read_text("utf-8").splitlines()]


@NUMBERS
@pytest.mark.parametrize("law", URL_LAWS)
@every_scheme
def test_each_url_keeps_the_law(profile: str, scheme: str, law: str, number: int) -> None:
    for url in urls(profile, scheme, number):
        URL_LAWS[law](url)


@NUMBERS
@every_scheme
def test_parse_is_valid_check_fix_and_explain_agree(profile: str, scheme: str, number: int) -> None:
    registry = PROFILES[profile]
    for text in random_urls(scheme, number, registry=registry) + random_near_misses(scheme, number, registry=registry):
        laws.tools_agree(text, registry)


@NUMBERS
@every_scheme
def test_a_parsed_url_prints_back_and_compares_as_its_text(profile: str, scheme: str, number: int) -> None:
    found = urls(profile, scheme, number)
    for url, other in zip(found, [*found[1:], found[0]], strict=True):
        url_laws.prints_back(str(url), PROFILES[profile])
        url_laws.compares_as_text(url, other)


@NUMBERS
@every_scheme
def test_a_part_within_another_changes_with_it(profile: str, scheme: str, number: int) -> None:
    syntax = PROFILES[profile].registration(scheme).syntax
    found = urls(profile, scheme, number)
    for inner in syntax.parts:
        for outer in url_laws.parts_around(syntax, inner):
            for url, giver in zip(found, [*found[1:], found[0]], strict=True):
                if giver.raw[inner] is not None and giver.raw[outer] is not None:
                    url_laws.replaces_within(url, outer, inner, giver)


@NUMBERS
@pytest.mark.parametrize("profile", PROFILES)
def test_a_generic_url_loses_nothing(profile: str, number: int) -> None:
    registry = PROFILES[profile]
    parse = registry.parse_generic
    syntax = parse("x:").syntax
    for text in (*random_urls(syntax, 20 * number), *filter(registry.is_valid, texts_of_tables())):
        laws.loses_nothing(parse(text))


@every_scheme
def test_the_urls_of_records_and_tables_lose_nothing(profile: str, scheme: str) -> None:
    registry = PROFILES[profile]
    examples = [each.url for each in registry.registration(scheme).examples if each.parts is not None]
    tables = [text for text in texts_of_tables() if text.partition(":")[0].lower() == scheme]
    for text in (*examples, *filter(registry.is_valid, tables)):
        laws.loses_nothing(registry.parse(text))


# Values of parts: those of other URLs, and any octets that the part may hold


def part_values(found: list[URL], part: Part) -> st.SearchStrategy[Any]:
    """Return a strategy of values of a part: those that it has in the URLs `found`, and any octets that it may hold."""
    values = st.sampled_from([url.parts[part.name] for url in found if url.raw[part.name] is not None])
    if part.number:
        numbers = st.decimals(-999, 999, places=3) if part.number == "decimal" else st.integers(0, 99_999)
        return values | numbers
    octets = sorted(part.escapes | part.bare)
    text = st.lists(st.sampled_from(octets), max_size=6).map(lambda each: text_of(bytes(each)))
    if part.kind == "text":
        return values | text
    elements = st.tuples(text, st.none() | text) if part.kind == "pairs" else text
    return values | st.lists(elements, max_size=3).map(tuple)


@pytest.mark.parametrize("number", [3, pytest.param(100, marks=pytest.mark.slow)])
@every_scheme
def test_a_part_is_replaced_by_each_value_that_it_may_have(profile: str, scheme: str, number: int) -> None:
    for part in PROFILES[profile].registration(scheme).syntax.parts.values():
        _test_replacing(urls(profile, scheme, 20), part, number)


def _test_replacing(found: list[URL], part: Part, number: int) -> None:
    @settings(
        max_examples=number, deadline=None, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow]
    )
    @given(st.sampled_from(found), part_values(found, part))
    def law(url: URL, value: Any) -> None:
        try:
            url_laws.replaces_one_part(url, part.name, value)
            changed = url.replace(**{part.name: value})
        except InvalidURL:
            assume(False)  # if no value is ever accepted, Hypothesis fails the test
        laws.builds_back(changed)

    law()


# Any text

BASES = {
    "rfc1738": ("http://h/a/b?c", "ftp://u:p@h/x", "file:///a", "mailto:a@b"),
    "rfc3986": ("http://h/a/b?c#d", "http://[::1]", "file:///a", "mailto:a@b"),
}


@pytest.mark.parametrize("number", [25, pytest.param(1000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("profile", PROFILES)
def test_any_text_keeps_the_laws_of_texts(profile: str, number: int) -> None:
    @settings(max_examples=number, deadline=None)
    @given(hostile_texts() | st.text(max_size=40))
    def law(text: str) -> None:
        laws.tools_agree(text, PROFILES[profile])

    law()


def uses_of_text(registry: Registry) -> Iterator[Callable[[str], object]]:
    """Yield every function that takes a text of anyone's."""
    yield from (registry.parse, registry.parse_generic, registry.is_valid, RelativeReference, parse_reference)
    yield from (partial(parse_reference, registry=registry), partial(fix, registry=registry))
    yield from (partial(check, registry=registry), partial(explain, registry=registry))
    yield lambda text: list(find(text, registry=registry))
    for read, uts46 in product((registry.parse, registry.parse_generic, parse_reference, RelativeReference), (0, 1)):
        yield partial(from_unicode, parse=read, uts46=bool(uts46))
    for base in map(registry.parse, BASES[registry.profile.name]):
        yield from (base.join, base.resolve)


def uses_of_url(url: URL) -> Iterator[Callable[[], object]]:
    """Yield every function that takes a URL of anyone's."""
    yield from (url.normalized, url.check_line, url.redacted, url.__repr__, lambda: type(url)(**url.parts))
    yield from (partial(url.normalized, level) for level in url.syntax.profile.levels)
    yield from (partial(registry.convert, url) for registry in PROFILES.values())
    yield from (partial(to_unicode, url), partial(url.join, "../a?b#c"), partial(url.resolve, url), partial(wrap, url))
    yield from (partial(url.equivalent, url), partial(relative_to, url, PROFILES["rfc3986"].parse("http://h/a")))
    yield from (partial(getattr, url, name) for name in (*url.syntax.parts, "raw", "schemepart"))


@pytest.mark.parametrize("number", [40, pytest.param(1000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("profile", PROFILES)
def test_no_text_makes_a_function_raise_an_error_of_another_kind(profile: str, number: int) -> None:
    uses = [*uses_of_text(PROFILES[profile])]

    @settings(max_examples=number, deadline=None)
    @given(hostile_texts())
    def law(text: str) -> None:
        urls: dict[str, URL] = {}
        for use in uses:
            with suppress(URLError):
                found = use(text)
                url = getattr(found, "url", found)
                if isinstance(url, URL):
                    urls[repr(url)] = url
        for url in urls.values():
            for use_url in uses_of_url(url):
                with suppress(URLError):
                    use_url()

    law()
