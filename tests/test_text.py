"""URLs in running text: a table of texts with the URLs in them (`tables/text.jsonl`), and laws.

A row has a text, and for each URL in it: the URL, its fragment, its grade, and true if it is uncertain.
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
from workspace import schemes_of_plugins

from urlschemes import InvalidURL, Registry, default_registry
from urlschemes_testing.strategies import urls
from urlschemes_text import Broken, Found, bare_urls, find, wrap
from urlschemes_text.window import Window

if TYPE_CHECKING:
    from collections.abc import Callable

ROWS = [json.loads(line) for line in (Path(__file__).parent / "tables" / "text.jsonl").read_text("utf-8").splitlines()]
CHECKS = [HealthCheck.too_slow, HealthCheck.filter_too_much]
EXAMPLES = settings(deadline=None, suppress_health_check=CHECKS)
MODERN = Registry(profile="rfc3986")
SAMPLES = [
    *((default_registry, scheme, 8) for scheme in sorted(default_registry)),
    (MODERN, "http", 8),
    *(
        pytest.param(registry, scheme, 300, marks=pytest.mark.slow)
        for registry in (default_registry, MODERN)
        for scheme in schemes_of_plugins(registry)
        if scheme != "data"  # its record has no fragment
    ),
]
"""Registries, schemes, and the numbers of examples."""

# Random texts are made of tokens that have a meaning for `find`.
TOKENS = [
    "<URL:", "url:", "<", ">", "http:", "http://", "ftp://host.dom", "news:", "mailto:a@b", "file:///a", "x-y:", "//",
    "host.dom", "/", "a", "1", ".", ",", ";", ":", "!", "?", "'", '"', "(", ")", "[", "]", "{", "}", "*", "_", "~", "|",
    "#", "%", "%41", "-", "+", "@", " ", "\n", "\r\n", "-\n", "- \n", "\n>", "\t", "\x00", "\u00e9", "\u00a0",
    "\u201c", "\uff0c", "\u200b", "\u202e", "\u2028", "\udc80", "\u0301", "$", "&", "&quot;", "&#39;", "&#3",
    "x-y://", "<a@b>", "a_",
]  # fmt: skip
texts = st.lists(st.sampled_from(TOKENS), max_size=30).map("".join)


@pytest.mark.decision(22)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_the_urls_of_a_text_are_found(row: dict[str, Any]) -> None:
    found = [[str(each.url), each.fragment, each.grade, each.uncertain] for each in find(row["text"])]
    assert found == row["found"], row["says"]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_the_result_is_the_same_wherever_the_text_is_cut(row: dict[str, Any]) -> None:
    text = row["text"]
    whole = [*find(text, invalid=True)]
    for cut in range(len(text) + 1):
        assert [*find((text[:cut], text[cut:]), invalid=True)] == whole, cut
    assert [*find(iter(text), invalid=True)] == whole
    assert [*find(io.StringIO(text, newline=""), invalid=True)] == whole


def check_places(text: str, passages: list[Found | Broken], registry: Registry) -> None:
    """Check that the passages are in the order of the text, do not overlap, and are where they say."""
    has_fragments = registry.profile.has_fragments
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
            fragment = "" if each.fragment is None else "#" + each.fragment
            assert written == str(each.url) + ("" if has_fragments else fragment)
            assert written.endswith(fragment)
            assert each.grade == "delimited" or each.url.scheme in registry
            assert registry.parse_generic(str(each.url)) == each.url
        else:
            assert not registry.is_valid(written if has_fragments else written.partition("#")[0])


@pytest.mark.parametrize(
    ("registry", "count"),
    [(default_registry, 100), (MODERN, 30), pytest.param(MODERN, 1000, marks=pytest.mark.slow)],
)
def test_every_passage_is_where_it_says(registry: Registry, count: int) -> None:
    @settings(EXAMPLES, max_examples=count)
    @given(texts)
    def law(text: str) -> None:
        passages = [*find(text, invalid=True, registry=registry)]
        check_places(text, passages, registry)
        assert [*find(text, registry=registry)] == [each for each in passages if isinstance(each, Found)]
        for each in find(text, registry=registry):
            first, *others = each.readings()
            assert first == each
            assert not others or each.uncertain

    law()


@EXAMPLES
@given(texts, st.lists(st.integers(1, 9), min_size=1), st.sampled_from([12, 65536]))
def test_a_text_in_pieces_has_the_same_passages(text: str, lengths: list[int], limit: int) -> None:
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


@pytest.mark.parametrize(("registry", "scheme", "count"), SAMPLES)
def test_a_wrapped_url_is_found(registry: Registry, scheme: str, count: int) -> None:
    has_fragments = registry.profile.has_fragments
    characters = r"[a-z/?:@!~\-]" if has_fragments else r"[^\s<>\x00-\x1f\x7f-\x9f\ud800-\udfff]"

    @settings(EXAMPLES, max_examples=count)
    @given(
        urls(scheme, registry=registry),
        st.none() | st.from_regex(f"{characters}{{0,20}}", fullmatch=True),
        st.none() | st.integers(-1, 40),
    )
    def law(text: str, fragment: str | None, width: int | None) -> None:
        url = registry.parse(text)
        wrapped = wrap(url, fragment=fragment, width=width)
        if has_fragments and fragment is not None:
            url = url.join(f"#{fragment}")
        raw = url.raw["fragment"] if has_fragments else fragment
        [found] = find(f"see {wrapped}, and so on", registry=registry)
        assert (found.url, type(found.url), found.fragment) == (url, type(url), raw)
        assert (found.grade, found.uncertain, found.text) == ("delimited", False, wrapped)
        assert "\n" not in wrapped or width is not None
        [indented] = find(wrapped.replace("\n", " \r\n   "), registry=registry)
        assert (indented.url, indented.fragment, indented.uncertain) == (url, raw, False)

    law()


@pytest.mark.parametrize(("registry", "scheme", "count"), SAMPLES)
def test_a_bare_url_among_words_is_found(registry: Registry, scheme: str, count: int) -> None:
    @settings(EXAMPLES, max_examples=count)
    @given(
        urls(scheme, registry=registry),
        st.sampled_from(["", ".", ",", "!", "?", ":", ";", ").", '"', ">", "|", "\u201d"]),
    )
    def law(text: str, marks: str) -> None:
        text = text.translate(str.maketrans("!'*,;()", "$" * 7)).rstrip(".:?")  # without a text's own marks
        assume(registry.is_valid(text))
        assert [str(each.url) for each in find(f"see {text}{marks} there", registry=registry)] == [text]

    law()


def test_readings_that_are_not_urls_come_to_an_end() -> None:
    [found] = find("<URL:mailto:" + ".".join(["-\n"] * 40) + "@b>")
    assert [*found.readings()] == [found], "an address has no empty word"
    [found] = find("<URL:mailto:" + ".".join(["-\n"] * 2000) + "@b>")
    assert [*found.readings()] == [found]


def test_a_broken_passage_shows_no_password() -> None:
    [broken] = find("see http://u:secret@a.example/.", invalid=True)
    assert isinstance(broken, Broken)
    assert broken.error.code == "userinfo-not-allowed"
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
"""Texts that are slow to search for other software when they are repeated."""


@pytest.mark.parametrize(
    ("registry", "size"),
    [
        (default_registry, 300),
        pytest.param(default_registry, 1, marks=pytest.mark.slow),
        pytest.param(MODERN, 300, marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("unit", HOSTILE, ids=ascii)
def test_the_time_is_linear_in_the_length(
    unit: str, registry: Registry, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each character is examined a few times, counted in characters and not in seconds."""
    examined = 0

    def count(owner: object, name: str, work: Callable[..., int]) -> None:
        original = getattr(owner, name)

        def counting(*arguments: Any) -> Any:
            nonlocal examined
            result = original(*arguments)
            examined += work(result, *arguments)
            return result

        monkeypatch.setattr(owner, name, counting)

    count(Window, "match_end", lambda result, _window, _pattern, start, _most: result - start)
    count(Window, "move_to", lambda _result, window, _index: len(window.text))
    count(bare_urls, "_must_end", lambda _result, text, *_: len(text))
    text = unit * (40_000 // len(unit))
    pieces = (text[start : start + size] for start in range(0, len(text), size))
    for _ in find(pieces, registry=registry, invalid=True, limit=4_000):
        pass
    kept = 136  # characters before an index that stay in the window when it moves
    assert examined < 10 * len(text) + kept * len(text) / size


@pytest.mark.parametrize("unit", ["<URL:http://h/a", "http://h/a", "<URL:http://h/a>", "a b: c\n"])
def test_the_memory_does_not_grow_with_the_text(unit: str) -> None:
    piece = unit * (500 // len(unit))
    assert [*find(f"{unit}> <URL:http://h/>")], "what is made once is made"
    tracemalloc.start()
    try:
        found = sum(1 for _ in find((piece for _ in range(60)), limit=500))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found == (piece.count(unit) * 60 if "<" in unit else 0)
    assert peak < 60 * len(piece)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("See http://[2001:db8::1]:80/~joe/?q=a/b#top.", [("http://[2001:db8::1]:80/~joe/?q=a/b#top", "top")]),
        ("[http://[::1]], (http://[::1]/a)", [("http://[::1]", None), ("http://[::1]/a", None)]),
        ("[x](http://h/~a#b) [http://h/a](b)", [("http://h/~a#b", "b"), ("http://h/a", None)]),
        ("<URL:http://h/a#b\n c> <URL:x-y://[::1]/#>", [("http://h/a#bc", "bc"), ("x-y://[::1]/#", "")]),
        ("http://h/a#b, http://h#c,d;e. 'http://h?q'", [("http://h/a#b", "b"), ("http://h#c,d;e", "c,d;e"),
                                                         ("http://h?q", None)]),
        ("http://h/A_(b)#c_(d) _http://h/~a_ ~http://h/~", [("http://h/A_(b)#c_(d)", "c_(d)"), ("http://h/~a", None),
                                                            ("http://h/", None)]),
        ("http://h's http://i,j", [("http://h", None), ("http://i", None)]),
        ("http://h/a#b#c http://h/a[1] http://[::1 http://h/{x}", []),
    ],
)  # fmt: skip
def test_a_fragment_is_a_part_in_the_profile_of_rfc_3986(text: str, found: list[tuple[str, str | None]]) -> None:
    assert [(str(each.url), each.fragment) for each in find(text, registry=MODERN)] == found


def test_a_fragment_that_is_wrapped_takes_the_place_of_that_of_the_url() -> None:
    url = MODERN.parse("http://h/a#b")
    assert (wrap(url), wrap(url, fragment="c/d")) == ("<URL:http://h/a#b>", "<URL:http://h/a#c/d>")
    with pytest.raises(InvalidURL, match="invalid character '#' in the fragment"):
        wrap(url, fragment="c#d")
