"""URLs in running text: a table of texts with what is found in them (`tables/text.jsonl`), and laws.

A row has a text, and of each URL in it: the URL, its fragment, its grade, and whether it is uncertain.
"""

from __future__ import annotations

import io
import json
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import urlschemes
from urlschemes import default_registry as REGISTRY  # noqa: N812  it does not change here
from urlschemes.errors import UserinfoNotAllowed
from urlschemes_testing.strategies import urls
from urlschemes_text import search as room
from urlschemes_text import Broken, Found, find, wrap

if TYPE_CHECKING:
    from collections.abc import Callable

ROWS = [json.loads(line) for line in (Path(__file__).parent / "tables" / "text.jsonl").read_text("utf-8").splitlines()]
EXAMPLES = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])

# What means something to `find`, so that random texts are made of it.
TOKENS = [
    "<URL:", "url:", "<", ">", "http:", "http://", "ftp://host.dom", "news:", "mailto:a@b", "file:///a", "x-y:", "//",
    "host.dom", "/", "a", "1", ".", ",", ";", ":", "!", "?", "'", '"', "(", ")", "[", "]", "{", "}", "*", "_", "~", "|",
    "#", "%", "%41", "-", "+", "@", " ", "\n", "\r\n", "-\n", "- \n", "\n>", "\t", "\x00", "\u00e9", "\u00a0",
    "\u201c", "\uff0c", "\u200b", "\u202e", "\u2028", "\udc80", "\u0301", "$", "&", "&quot;", "&#39;", "&#3",
    "x-y://", "<a@b>", "a_",
]  # fmt: skip
texts = st.lists(st.sampled_from(TOKENS), max_size=30).map("".join)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_what_is_found(row: dict[str, Any]) -> None:
    found = [[str(each.url), each.fragment, each.grade, each.uncertain] for each in find(row["text"])]
    assert found == row["found"], row["says"]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_it_is_the_same_wherever_the_text_is_cut(row: dict[str, Any]) -> None:
    text = row["text"]
    whole = [*find(text, invalid=True)]
    for cut in range(len(text) + 1):
        assert [*find((text[:cut], text[cut:]), invalid=True)] == whole, cut
    assert [*find(iter(text), invalid=True)] == whole
    assert [*find(io.StringIO(text, newline=""), invalid=True)] == whole


def as_it_stands(text: str, passages: list[Found | Broken]) -> None:
    """The places of `passages` are those of the text, in its order, and apart from each other."""
    end = 0
    for each in passages:
        start, inside, inner_end = each.span[0], *each.inside
        assert end <= start <= inside <= inner_end <= each.span[1] <= len(text)
        end = each.span[1]
        assert text[slice(*each.span)] == each.text
        before = text[:start].split("\n")
        assert (each.line, each.column) == (len(before), len(before[-1]) + 1)
        written = "".join(text[slice(*each.inside)].split())
        if isinstance(each, Found):
            assert written == str(each.url) + ("" if each.fragment is None else "#" + each.fragment)
            assert each.grade == "delimited" or each.url.scheme in REGISTRY
            assert urlschemes.parse_generic(str(each.url)) == each.url
        else:
            assert not urlschemes.is_valid(written.partition("#")[0])


@EXAMPLES
@given(texts)
def test_every_place_is_that_of_the_text(text: str) -> None:
    passages = [*find(text, invalid=True)]
    as_it_stands(text, passages)
    assert [*find(text)] == [each for each in passages if isinstance(each, Found)]
    for each in find(text):
        first, *others = each.readings()
        assert first == each
        assert not others or each.uncertain


@EXAMPLES
@given(texts, st.lists(st.integers(1, 9), min_size=1), st.sampled_from([12, 65536]))
def test_a_text_in_pieces_is_the_text(text: str, lengths: list[int], limit: int) -> None:
    pieces: list[str] = []
    start = 0
    while start < len(text):
        end = start + lengths[len(pieces) % len(lengths)]
        pieces.append(text[start:end])
        start = end
    whole = [*find(text, invalid=True, limit=limit)]
    assert [*find(pieces, invalid=True, limit=limit)] == whole
    for each in whole:
        assert text[slice(*each.span)] == each.text


def of_every_scheme(law: Callable[[str], None]) -> Callable[[str], None]:
    return pytest.mark.parametrize("scheme", sorted(REGISTRY))(law)


@of_every_scheme
def test_what_is_wrapped_is_found(scheme: str) -> None:
    @EXAMPLES
    @given(urls(scheme), st.none() | st.from_regex(r"[^\s<>]{0,20}", fullmatch=True), st.none() | st.integers(-1, 40))
    def law(text: str, fragment: str | None, width: int | None) -> None:
        url = urlschemes.parse(text)
        wrapped = wrap(url, fragment=fragment, width=width)
        [found] = find(f"see {wrapped}, and so on")
        assert (found.url, type(found.url), found.fragment) == (url, type(url), fragment)
        assert (found.grade, found.uncertain, found.text) == ("delimited", False, wrapped)
        assert "\n" not in wrapped or width is not None
        [indented] = find(wrapped.replace("\n", " \r\n   "))
        assert (indented.url, indented.fragment, indented.uncertain) == (url, fragment, False)

    law()


@of_every_scheme
def test_a_bare_url_among_words_is_found(scheme: str) -> None:
    @EXAMPLES
    @given(urls(scheme), st.sampled_from(["", ".", ",", "!", "?", ":", ";", ").", '"', ">", "|", "\u201d"]))
    def law(text: str, marks: str) -> None:
        text = text.translate(str.maketrans("!'*,;()", "$" * 7)).rstrip(".:?")  # without a text's own marks
        assume(urlschemes.is_valid(text))
        assert [str(each.url) for each in find(f"see {text}{marks} there")] == [text]

    law()


def test_readings_that_are_no_urls_come_to_an_end() -> None:
    [found] = find("<URL:mailto:" + ".".join(["-\n"] * 40) + "@b>")
    assert [*found.readings()] == [found], "an address has no empty word"
    [found] = find("<URL:mailto:" + ".".join(["-\n"] * 8000) + "@b>")
    assert [*found.readings()] == [found]


def test_a_broken_passage_shows_no_password() -> None:
    [broken] = find("see http://u:secret@a.example/.", invalid=True)
    assert isinstance(broken, Broken)
    assert isinstance(broken.error, UserinfoNotAllowed)
    assert broken.text == "http://u:secret@a.example/"
    assert "secret" not in repr(broken) + str(broken.error)


HOSTILE = (
    "<URL:", "<URL:http://h/", "<URL:http://h/>", "<URL:h-\n", "<http://h/ ", "<http://h/\n", "<", ">", "-\n", " \n",
    "http:", "http://", "http://h/", "http://h,", "http://h((", "http://h/)", "http://h/a,b ", "http://h/~ ",
    "(http://h/", "'http://h/'", "http://h/\u2019", "http://h/\u00e9", "http://h/a#", "http://h/%", "http://h/a;",
    "URL:http:", "news:", "news:x,", "news:*", "ftp://a:", "ftp://a@", "mailto:a@b,", "1.http:", "....http:",
    "http:....", "a:", "(", ")", ".", "a", "x-y://", "x-y://a(", "a_http:", "_http://", "<URL:h<a>", "<URL:http:<a>",
    "news:<a@b", "news:<a@b>", "&quot", "http://h/&quot;", "http://h/&#39;a", "http://h/&#",
)  # fmt: skip
"""Texts that made others slow when they were repeated."""


@pytest.mark.parametrize("size", [1, 300])
@pytest.mark.parametrize("unit", HOSTILE, ids=ascii)
def test_each_character_is_looked_at_a_few_times_whatever_the_text(
    unit: str, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at = 0

    def counted(name: str, work: Callable[..., int]) -> None:
        original = getattr(room._Window, name)

        def counting(self: Any, *arguments: Any) -> Any:
            nonlocal looked_at
            result = original(self, *arguments)
            looked_at += work(self, result, *arguments)
            return result

        monkeypatch.setattr(room._Window, name, counting)

    counted("run", lambda _self, result, _pattern, start, _most: result - start)
    counted("must_end", lambda _self, _result, start, index: index - start)
    counted("move", lambda self, _result, _to: len(self.text))
    text = unit * (40_000 // len(unit))
    for _ in find((text[start : start + size] for start in range(0, len(text), size)), invalid=True, limit=4_000):
        pass
    # Of every piece the window takes what stands before it along.
    assert looked_at < 10 * len(text) + room._BEHIND * len(text) / size


@pytest.mark.parametrize("unit", ["<URL:http://h/a", "http://h/a", "<URL:http://h/a>", "a b: c\n"])
def test_a_long_text_needs_no_more_memory_than_a_short_one(unit: str) -> None:
    piece = unit * (2000 // len(unit))
    tracemalloc.start()
    try:
        found = sum(1 for _ in find((piece for _ in range(400)), limit=2000))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found == (piece.count(unit) * 400 if "<" in unit else 0)
    assert peak < 200_000
