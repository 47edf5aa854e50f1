"""`urlschemes explain`: the drawings of urlschemes_lint, in colour on a terminal."""

from __future__ import annotations

import re

import pytest

URL = "x-shelf://joe:hunter2@host.dom:81/vase"


def test_the_parts_are_named_underneath(run) -> None:
    result = run("explain", URL)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines() == [
        "x-shelf://joe:***@host.dom:81/vase",
        "^~~~~~~   ^~~ ^~~ ^~~~~~~~ ^~ ^~~~",
        "|         |   |   |        |  +- thing 'vase'  nowhere, section 1",
        "|         |   |   |        +- port 81  RFC 1738 section 3.1",
        "|         |   |   +- host 'host.dom'  RFC 1738 section 3.1",
        "|         |   +- password ***  RFC 1738 section 3.1",
        "|         +- user 'joe'  RFC 1738 section 3.1",
        "+- scheme x-shelf  RFC 1738 section 2.1",
    ]


def test_an_invalid_url_gets_a_caret_and_its_repair(run) -> None:
    result = run("explain", "x-shelf://host.dom/~vase")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[:2] == ["x-shelf://host.dom/~vase", " " * 19 + "^"]
    assert "'~' in the thing at position 19" in lines[2]
    assert lines[-1] == "  repaired  x-shelf://host.dom/%7Evase"


@pytest.mark.parametrize(
    ("url", "language", "shown"),
    [
        ("x-shelf://müller.dom/", "C.UTF-8", ["x-shelf://müller.dom/", " " * 11 + "^"]),
        ("x-shelf://日本.dom/", "C.UTF-8", ["x-shelf://日本.dom/", " " * 10 + "^"]),
        ("x-shelf://h/日本 a", "C.UTF-8", ["x-shelf://h/日本 a", " " * 12 + "^"]),
        ("x-shelf://a日 b.dom/", "C.UTF-8", ["x-shelf://a日 b.dom/", " " * 11 + "^"]),
        ("x-shelf://h /日本", "C.UTF-8", ["x-shelf://h /日本", " " * 11 + "^"]),
        ("x-shelf://müller.dom/", "C", [r"x-shelf://m\xc3\xbcller.dom/", " " * 11 + "^"]),
    ],
)
def test_a_terminal_shows_the_letters_that_it_can(terminal, url: str, language: str, shown: list[str]) -> None:
    lines = terminal("explain", url, LC_ALL=language, PYTHONUTF8="0", PYTHONCOERCECLOCALE="0").text.splitlines()
    assert lines[:2] == shown


def test_an_empty_line_begins_each_of_several_drawings_and_an_unknown_scheme_is_reported(run) -> None:
    result = run("explain", "x-shelf://h/a", "x-attic:b")
    assert result.exit_code == 5
    assert (result.stdout[0], result.stdout.count("\n\n")) == ("\n", 1)
    assert "+- path 'b'" in result.stdout
    assert result.stderr == "urlschemes: x-attic:b: no scheme is registered as 'x-attic'\n"


def test_a_terminal_gets_colours_and_lines_unless_no_color_is_set(terminal, shell) -> None:
    screen = terminal("explain", "x-shelf://h/vase")
    assert "\x1b[36m" in screen.written
    assert "╰─ scheme x-shelf" in screen.text
    assert re.search(r"\x1b\[(3|4|9|10)\d", terminal("explain", "x-shelf://h/vase", NO_COLOR="1").written) is None
    assert b"\x1b" not in shell("explain", "x-shelf://h/vase").stdout
