"""Laws that hold for the URLs of every installed scheme, whatever octets they hold."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import urlschemes
import urlschemes_lint
from urlschemes import URL, Encoded, InvalidURL, URLError
from urlschemes import default_registry as REGISTRY  # noqa: N812  it does not change here
from urlschemes.grammar.octets import text_of
from urlschemes.grammar.syntax import Part
from urlschemes_testing.strategies import near_misses, urls

SCHEMES = sorted(REGISTRY)
EXAMPLES = settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow]
)

octet_texts = st.binary(max_size=6).map(text_of)


def complaint(function: Callable[[str], object], text: str) -> str:
    """What the project's error says; an error of anybody else comes out."""
    try:
        function(text)
    except URLError as error:
        return str(error)
    return ""


def values(kind: type[URL], part: Part) -> st.SearchStrategy[Any]:
    """Values of a part: what it has in other URLs, or any octets that it may hold."""
    syntax = kind.syntax
    if part.number:
        return st.integers(0, 99_999)
    elsewhere = (
        urls(syntax).map(lambda text: getattr(kind.parse(text), part.name)).filter(lambda value: value is not None)
    )
    if not part.escapes:
        return elsewhere
    one = st.lists(st.sampled_from(sorted(part.escapes | part.bare)), max_size=6).map(lambda each: text_of(bytes(each)))
    if part.division is None or part.take == "last":
        return elsewhere | one
    return elsewhere | st.lists(st.tuples(one, one) if part.division.equals else one, max_size=3).map(tuple)


def written(raw: Any) -> Any:
    """Return a raw part as the constructor and `replace` accept it."""
    return Encoded(raw) if isinstance(raw, str) else tuple(map(written, raw))


@pytest.mark.parametrize("name", SCHEMES)
def test_what_parses_prints_back_and_is_one_value(name: str) -> None:
    @EXAMPLES
    @given(urls(name))
    def law(text: str) -> None:
        url = urlschemes.parse(text)
        assert str(url) == text
        assert pickle.loads(pickle.dumps(url)) == url
        assert type(pickle.loads(pickle.dumps(url))) is type(url)
        assert urlschemes.parse(text.partition(":")[0].upper() + ":" + text.partition(":")[2]) == url
        assert url == URL.parse(text)
        assert url.normalized().normalized() == url.normalized()
        assert url.equivalent(url.normalized())
        fixed = urlschemes_lint.fix(text)
        assert (fixed.url, fixed.changes, fixed.fragment) == (url, (), None)
        assert urlschemes.is_valid(text)
        assert "error" not in {finding.severity for finding in urlschemes_lint.check(text)}
        assert urlschemes_lint.explain(text)

    law()


PARTS = [(name, part) for name in SCHEMES for part in REGISTRY.registration(name).syntax.parts]
# Of each part. That none of its values makes a URL is an error of the test.
SOME = settings(EXAMPLES, max_examples=20)


@pytest.mark.parametrize(("name", "part"), PARTS)
def test_what_is_built_has_the_parts_it_was_built_of(name: str, part: str) -> None:
    kind = REGISTRY[name].url_type
    kind.syntax.automaton  # noqa: B018  what parts may hold is known then

    @SOME
    @given(urls(name), values(kind, kind.syntax.parts[part]))
    def law(text: str, value: Any) -> None:
        url = kind.parse(text)
        parts = {each: getattr(url, each) for each in kind.syntax.parts if url.raw[each] is not None}
        apart = {each: old for each, old in parts.items() if not kind.syntax.overlap(each, part)} | {part: value}
        try:
            built = kind(**apart)
        except InvalidURL:
            assume(False)
        for each, given_value in apart.items():
            assert getattr(built, each) == given_value
        assert kind.parse(str(built)) == built

    law()


@pytest.mark.parametrize(("name", "part"), PARTS)
def test_replace_changes_nothing_else(name: str, part: str) -> None:
    kind = REGISTRY[name].url_type
    kind.syntax.automaton  # noqa: B018  what parts may hold is known then

    @SOME
    @given(urls(name), values(kind, kind.syntax.parts[part]))
    def law(text: str, value: Any) -> None:
        url = kind.parse(text)
        try:
            other = url.replace(**{part: value})
        except InvalidURL:
            assume(False)
        assert getattr(other, part) == value
        mark = kind.syntax.parts[part].mark
        for rest, each in kind.syntax.parts.items():
            apart = each.mark != mark and not kind.syntax.overlap(rest, part)
            if apart and url.raw[rest] is not None:
                assert other.raw[rest] == url.raw[rest]
        if url.span(part) is not None:
            assert other.replace(**{part: written(url.raw[part])}) == url

    law()


NESTED = [
    (name, outer, inner)
    for name in SCHEMES
    for outer, part in REGISTRY.registration(name).syntax.parts.items()
    for inner, other in REGISTRY.registration(name).syntax.parts.items()
    if other.mark in REGISTRY.registration(name).syntax.within(part.mark)
]


@pytest.mark.parametrize(("name", "outer", "inner"), NESTED)
def test_a_part_within_another_is_a_piece_of_it_and_changes_with_it(name: str, outer: str, inner: str) -> None:
    kind = REGISTRY[name].url_type

    @EXAMPLES
    @given(urls(name), urls(name))
    def law(text: str, other: str) -> None:
        url, giver = kind.parse(text), kind.parse(other)
        around, within = (url.span(part) for part in (outer, inner))
        assert around is not None
        assert within is not None
        assert around[0] <= within[0] <= within[1] <= around[1]
        changed = url.replace(**{inner: getattr(giver, inner)})
        before, after = str(url)[around[0] : within[0]], str(url)[within[1] : around[1]]
        assert changed.raw[outer] == f"{before}{changed.raw[inner]}{after}"
        assert getattr(changed, inner) == getattr(giver, inner)
        assert getattr(url.replace(**{outer: getattr(giver, outer)}), inner) == getattr(giver, inner)

    law()


@pytest.mark.parametrize("name", SCHEMES)
def test_nothing_but_the_projects_errors_comes_out(name: str) -> None:
    @settings(max_examples=300, deadline=None)
    @given(near_misses(name))
    def law(text: str) -> None:
        for function in (urlschemes.parse, urlschemes.parse_generic, urlschemes_lint.check, urlschemes_lint.explain):
            said = complaint(function, text)
            assert said.isascii()
            assert len(said) <= 300
        try:
            fixed = urlschemes_lint.fix(text)
        except URLError:
            return
        assert urlschemes.parse(str(fixed.url)) == fixed.url
        again = urlschemes_lint.fix(str(fixed.url))
        assert (again.url, again.changes, again.fragment) == (fixed.url, (), None)

    law()


@settings(max_examples=500, deadline=None)
@given(st.text(max_size=40))
def test_any_text_at_all(text: str) -> None:
    for function in (
        urlschemes.parse,
        urlschemes.parse_generic,
        urlschemes_lint.check,
        urlschemes_lint.fix,
        urlschemes_lint.explain,
    ):
        assert complaint(function, text).isascii()
    assert urlschemes.is_valid(text) in {True, False}
