"""What is kept of a scheme's record says what the record says: each installed scheme, both ways."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from urlschemes.storage.cached_records import keep, kept

from urlschemes import URL, InvalidURL, Registration, Scheme
from urlschemes import default_registry as REGISTRY  # noqa: N812  it does not change here
from urlschemes_testing.strategies import near_misses, urls

EXAMPLES = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow]
)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(params=sorted(REGISTRY))
def both(request: pytest.FixtureRequest, cache: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Registration, str]:
    """The record of each scheme as it is read, and its text, of which everything is kept."""
    monkeypatch.setenv("URLSCHEMES_CACHE", str(cache))
    source = REGISTRY.registration(request.param).source
    text = Path(source).read_text("utf-8")
    read = Registration.from_text(text, source=source)
    keep(read.scheme, read.default_port, read.syntax, text)
    assert read.syntax.pattern
    return read, text


def again(text: str, source: str) -> Registration:
    found = kept(text)
    assert found is not None
    return Registration.restored(*found, text, source)


def plain(value: Any) -> Any:
    """What a value of a record says, so that two can be compared."""
    if isinstance(value, tuple | list):
        return [plain(each) for each in value]
    if isinstance(value, Mapping):
        return {name: plain(each) for name, each in value.items()}
    if type(value).__module__.startswith("urlschemes."):
        return {name: plain(getattr(value, name)) for name in value.__slots__ if not name.startswith("_")}
    return value


def test_the_record_is_the_same(both: tuple[Registration, str]) -> None:
    read, text = both
    found = again(text, read.source)
    for name in Registration.__slots__:
        if not name.startswith("_") and name != "syntax":
            assert plain(getattr(found, name)) == plain(getattr(read, name)), name


def test_the_syntax_is_the_same(both: tuple[Registration, str]) -> None:
    read, text = both
    found, syntax = again(text, read.source).syntax, read.syntax
    for name in ("bnf", "rule", "section", "hierarchy", "slash_may_be_omitted", "groups", "repeated", "pattern"):
        assert getattr(found, name) == getattr(syntax, name), name
    if "host" in syntax.parts:
        assert found.host_may_be_empty == syntax.host_may_be_empty
    assert list(found.parts) == list(syntax.parts)
    for name, part in syntax.parts.items():
        other = found.parts[name]
        for attribute in part.__slots__:
            if attribute not in {"division", "held"}:
                assert getattr(other, attribute) == getattr(part, attribute), (name, attribute)
        assert plain(other.division) == plain(part.division)
        assert other.absent == part.absent
        assert found.within(other.mark) == syntax.within(part.mark)
    assert {name: str(rule) for name, rule in found.grammar.rules.items()} == {
        name: str(rule) for name, rule in syntax.grammar.rules.items()
    }


def type_of(registration: Registration) -> type[URL]:
    return Scheme(registration).url_type


def outcome(kind: type[URL], text: str) -> object:
    """What `kind` reads in `text`, or what it says of it."""
    try:
        url = kind.parse(text)
    except InvalidURL as error:
        return type(error), str(error), error.part, error.position, error.section, error.expected
    spans = {name: url.span(name) for name in kind.syntax.parts}
    return str(url), repr(url), url.raw, url.parts, spans, url.normalized()


def test_urls_are_read_alike_by_the_program_by_the_kept_pattern_and_by_the_rules(
    both: tuple[Registration, str],
) -> None:
    read, text = both
    kind, second = type_of(read), type_of(again(text, read.source))

    def compare(url: str) -> None:
        wanted = outcome(kind, url)
        first = type_of(again(text, read.source))
        assert first.syntax._program  # of every scheme there is one
        assert outcome(first, url) == wanted  # by the program
        assert outcome(second, url) == wanted

    for example in read.examples:
        compare(example.url)
        compare(example.url.upper())

    @EXAMPLES
    @given(urls(read.scheme))
    def right(url: str) -> None:
        compare(url)

    @EXAMPLES
    @given(near_misses(read.scheme))
    def wrong(url: str) -> None:
        compare(url)

    right()
    wrong()
    for text_ in ("", ":", read.scheme, f"{read.scheme}:", f"\u212a{read.scheme}", "ht\u0131p://a/", "\0", "x" * 2000):
        compare(text_)
