"""`explain`: a URL with its parts named underneath, or its error with a caret."""

from __future__ import annotations

from textwrap import dedent

import pytest

from urlschemes import PluginError, Registry, Scheme
from urlschemes_lint import explain
from urlschemes_lint.explaining import draw, plain_text


def test_a_url_with_its_parts_underneath(registry: Registry) -> None:
    expected = """
        x-album://joe:***@h.example:80/a%20b/c;size=3
        ^~~~~~~   ^~~ ^~~ ^~~~~~~~~ ^~ ^~~~~ ^      ^
        |         |   |   |         |  |     |      +- size 3  RFC 1738 section 5
        |         |   |   |         |  |     +- picture 'c'  The album specification, section 2
        |         |   |   |         |  +- albums 'a b'  The album specification, section 2
        |         |   |   |         +- port 80  RFC 1738 section 3.1
        |         |   |   +- host 'h.example'  RFC 1738 section 3.1
        |         |   +- password ***  RFC 1738 section 3.1
        |         +- user 'joe'  RFC 1738 section 3.1
        +- scheme x-album  RFC 1738 section 2.1
        """
    text = "x-album://joe:secret@h.example:80/a%20b/c;size=3"
    assert explain(text, registry=registry) == dedent(expected).strip("\n")


def test_the_fields_of_a_query_are_shown_one_by_one() -> None:
    def shown(text: str, profile: str = "rfc3986") -> list[str]:
        lines = explain(text, profile=profile).splitlines()
        return [line.partition("- field")[2].strip() for line in lines if "- field" in line][::-1]

    fields = ["'a' = '1 2'", "'b' = 'c&='", "'d'"]
    assert shown("http://h/?a=1+2&b=c%26=&&d#e=f") == shown("http://h/?a=1+2&b=c%26=&&d", "rfc1738") == fields
    assert shown("http://h/?a") == shown("http://h/a=b") == shown("wais://h/d?a=b", "rfc1738") == []
    assert shown("x-nobody:?a=1+2") == ["'a' = '1+2'"]
    assert explain("http://h/?" + "a=b&" * 99, profile="rfc3986").splitlines()[-1].split() == ["fields", "50", "more"]


def test_a_url_of_an_unknown_scheme_has_the_parts_of_all_urls_and_the_error() -> None:
    lines = explain("htp://joe:hunter2@h/a", profile="rfc3986").splitlines()
    assert lines[0] == "htp://joe:***@h/a"
    assert lines[4] == "|     +- userinfo 'joe:***'  RFC 3986 section 3.2.1"
    assert lines[6:] == ["no scheme is registered as 'htp'", "  help      did you mean http or https?"]
    assert "position 6" in explain("htp:/a b", profile="rfc3986").splitlines()[2]
    assert explain(r"C:\a\b", profile="rfc3986").splitlines()[:2] == [r"C:\a\b", "no scheme is registered as 'c'"]


def test_an_error_with_its_caret_and_the_repair(registry: Registry) -> None:
    lines = explain("x-album://h/~joe", registry=registry).splitlines()
    assert lines[:2] == ["x-album://h/~joe", "            ^"]
    assert "'~' in the picture at position 12" in lines[2]
    assert lines[3:] == [
        "  rule      xchar = unreserved | reserved | escape",
        "  section   RFC 1738 section 2.2",
        "  part      picture",
        "  help      write %7E, or let `fix` do it",
        "  repaired  x-album://h/%7Ejoe",
    ]


def test_a_list_is_shown_by_its_elements(registry: Registry) -> None:
    assert "albums 'a' / 'b/c' / ''  The" in explain("x-album://h/a/b%2Fc//d", registry=registry)


def test_a_fragment_is_shown_beside_the_repaired_url(registry: Registry) -> None:
    assert explain("x-album://h/a#top", registry=registry).splitlines()[-2:] == [
        "  repaired  x-album://h/a",
        "  fragment  top",
    ]


@pytest.mark.parametrize("text", ["x-album://h/" + "a/" * 30_000, "x-album://h/" + "~/" * 30_000])
def test_the_drawing_of_a_long_text_is_bounded(registry: Registry, text: str) -> None:
    assert len(explain(text, registry=registry)) < 5000


def test_the_caret_is_under_the_error_of_a_long_text_too(registry: Registry) -> None:
    lines = explain("x-album://h/" + "a" * 500 + "~" + "b" * 500, registry=registry).splitlines()
    assert lines[0][lines[1].index("^")] == "~"
    assert len(lines[0]) < 120


@pytest.mark.parametrize(
    ("text", "column"),
    [("x-album://joe:hun^er@h/a", 14), ("x-album://joe:hunter2@h/a^", 21), ("x-album://h/\x1b^", 12)],
)
def test_the_caret_is_under_the_error_if_text_is_hidden_or_escaped(registry: Registry, text: str, column: int) -> None:
    lines = explain(text, registry=registry).splitlines()
    assert lines[1] == " " * column + "^"
    assert "hun" not in lines[0]
    assert "\x1b" not in lines[0]


def test_control_characters_are_escaped_and_passwords_hidden(registry: Registry) -> None:
    text = explain("x-album://joe:secret@h/\x1b[2J\u202e\n", registry=registry)
    assert text.replace("\n", "").isprintable()
    assert "secret" not in text


@pytest.mark.parametrize(
    "text",
    [
        "x-album://u@x:hunter2@h/",
        "x-album://u:hunter2 a@h/",
        "x-album://u:a\thunter2@h/",
        "x-album:u:hunter2@h/",
        "x-album:/u:hunter2@h/",
        "x-album:\\\\u:hunter2@h/",
        "//u:hunter2@h/",
        "x-album://u:p@h/x://u:hunter2@h/",
    ],
)
def test_the_password_of_any_text_is_hidden(registry: Registry, text: str) -> None:
    explained = explain(text, registry=registry)
    assert "hunter2" not in explained
    assert "***@h/" in explained


@pytest.mark.parametrize(
    ("parts", "rule", "text", "lines"),
    [
        (
            {"user": "user", "password": "password", "host": "host"},
            '"x-pin://" user ":" password "@" host\nuser = *uchar\npassword = 4digit',
            "x-pin://u:1234@h.dom",
            [
                "x-pin://u:***@h.dom",
                "^~~~~   ^ ^~~ ^~~~~",
                "|       | |   +- host 'h.dom'  RFC 1738 section 3.1",
                "|       | +- password ***  the scheme x-pin",
                "|       +- user 'u'  the scheme x-pin",
                "+- scheme x-pin  RFC 1738 section 2.1",
            ],
        ),
        (
            {"to": "to"},
            '"x-pin:" to\nto = *[ alpha | ":" | "/" | "@" ]',
            "x-pin:http://u:p@h/",
            [
                "x-pin:http://u:***@h/",
                "^~~~~ ^~~~~~~~~~~~~~~",
                "|     +- to ***  the scheme x-pin",
                "+- scheme x-pin  RFC 1738 section 2.1",
            ],
        ),
    ],
)
def test_a_password_is_hidden_that_the_rules_do_not_let_be(parts, rule, text: str, lines: list[str]) -> None:
    own = Registry()
    own.register(Scheme.of("x-pin", f"url = {rule}", **parts))
    assert plain_text(draw(own.parse(text))).splitlines() == lines


@pytest.mark.parametrize("width", [20, 40, 60, 80])
def test_a_url_too_wide_for_the_drawing_has_a_table(registry: Registry, width: int) -> None:
    url = registry.parse("x-album://joe:secret@h.example/" + "word%20" * 20)
    first, blank, *lines = plain_text(draw(url, width=width)).splitlines()
    assert (first, blank) == ("x-album://joe:***@h.example/" + "word%20" * 20, "")
    assert [line.split()[0] for line in lines if line.startswith("  ") and line[2] != " "] == [
        "scheme",
        "user",
        "password",
        "host",
        "picture",
    ]
    assert width < 80 or max(map(len, lines)) <= width


class _WithoutRepr:
    def __repr__(self) -> str:
        raise LookupError("no words")


@pytest.mark.parametrize(
    ("albums", "message"),
    [((1, 2), "TypeError: 'int' object is not iterable"), (_WithoutRepr(), "LookupError: no words")],
)
def test_a_value_that_cannot_be_shown_is_an_error_of_the_type(registry: Registry, albums: object, message: str) -> None:
    class OwnURL(registry["x-album"].url_type):  # type: ignore[misc]  # made of the record
        __slots__ = ()

    OwnURL.albums = property(lambda _: albums)
    own = Registry(plugins=())
    own.register(Scheme(registry.registration("x-album"), OwnURL))
    with pytest.raises(PluginError, match=f"^the type OwnURL failed: the albums cannot be shown: {message}"):
        draw(own.parse("x-album://h.example/a/b"))
    assert "picture 'b'" in plain_text(draw(own.parse("x-album://h.example/b"))), "an empty list is not shown"
