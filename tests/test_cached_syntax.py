"""A syntax that is restored from the cache is the syntax that the record's rules give, for each installed scheme."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from urlschemes import URL, InvalidURL, Registration, Scheme
from urlschemes import default_registry as REGISTRY  # noqa: N812  it does not change here
from urlschemes.grammar.syntax import Syntax
from urlschemes.record.registration import _from_text
from urlschemes_testing.strategies import near_misses, urls

EXAMPLES = settings(
    max_examples=4, deadline=None, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow]
)


@pytest.fixture(params=sorted(REGISTRY))
def both(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Registration, Registration]:
    """The record of each scheme as one process computes it, and as the next restores it."""
    monkeypatch.setenv("URLSCHEMES_CACHE", str(tmp_path / "cache"))
    computed = read(request.param)
    Scheme(computed)
    assert computed.syntax.pattern
    assert computed.syntax.held
    (file,) = (tmp_path / "cache").iterdir()
    assert file.name.startswith("syntax-")
    restored = read(request.param)
    monkeypatch.setattr(Syntax, "automaton", None)  # the restored one needs none
    Scheme(restored)
    monkeypatch.undo()
    return computed, restored


def read(name: str) -> Registration:
    source = REGISTRY.registration(name).source
    _from_text.cache_clear()
    return Registration.from_file(source)


def outcome(kind: type[URL], text: str) -> object:
    """Return what `kind` parses `text` as, or why it does not."""
    try:
        url = kind.parse(text)
    except InvalidURL as error:
        return type(error), str(error), error.part, error.position, error.section, error.expected
    return str(url), repr(url), url.raw, url.parts, str(url.normalized())


def test_it_has_the_same_parts_and_rules(both: tuple[Registration, Registration]) -> None:
    computed, restored = (each.syntax for each in both)
    assert (restored.pattern, restored.held) == (computed.pattern, computed.held)
    assert restored.groups == computed.groups
    assert list(restored.parts) == list(computed.parts)
    for name, part in computed.parts.items():
        assert restored.parts[name].absent == part.absent
        assert restored.within(restored.parts[name].mark) == computed.within(part.mark)
    assert {name: str(rule) for name, rule in restored.grammar.rules.items()} == {
        name: str(rule) for name, rule in computed.grammar.rules.items()
    }


def test_it_parses_and_refuses_alike(both: tuple[Registration, Registration]) -> None:
    first, second = (Scheme(each).url_type for each in both)
    record = both[0]

    def compare(text: str) -> None:
        assert outcome(second, text) == outcome(first, text)

    for example in record.examples:
        compare(example.url)
        compare(example.url.upper())
    for text in ("", ":", record.scheme, f"{record.scheme}:", "\0", "x" * 2000):
        compare(text)

    @EXAMPLES
    @given(urls(record.scheme))
    def compare_urls(url: str) -> None:
        compare(url)

    @EXAMPLES
    @given(near_misses(record.scheme))
    def compare_near_misses(url: str) -> None:
        compare(url)

    compare_urls()
    compare_near_misses()
