"""`explain` of every scheme: each example of its record, drawn."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import Any

import pytest

import urlschemes
import urlschemes_lint
from urlschemes import default_registry as REGISTRY  # noqa: N812  it does not change here
from urlschemes_lint.explaining import ASCII_STROKES, BOX_STROKES, draw, plain_text

# An experiment has no RFC whose section could be named.
SPECIFIED = [record for record in REGISTRY.registrations() if record.status != "experimental"]
EXAMPLES = [example for record in SPECIFIED for example in record.examples]
VALID = [example.url for example in EXAMPLES if example.parts is not None]
INVALID = [example.url for example in EXAMPLES if example.parts is None]

_ROW = re.compile(r"[| ]*\+- (\w+) (.*)  (\S.* section \S+)")


def written(url: urlschemes.URL) -> dict[str, Any]:
    """The parts that stand in the text of `url`."""
    raw = url.raw
    return {name: value for name, value in raw.items() if value is not None and value != ()}


def underneath(url: urlschemes.URL) -> list[str]:
    return plain_text(draw(url, width=1000)).splitlines()


def length(line: tuple[tuple[str, str], ...]) -> int:
    return sum(len(piece) for piece, _ in line)


@pytest.mark.parametrize("text", VALID, ids=ascii)
def test_each_part_has_a_line_with_its_value_and_its_section(text: str) -> None:
    url = urlschemes.parse(text)
    drawn, marks, *lines = underneath(url)
    assert len(marks) <= len(drawn) + 1
    rows = [found.groups() for line in lines if (found := _ROW.fullmatch(line))]
    assert len(rows) == len(lines)
    names = {name for name, _, _ in rows}
    assert names == {"scheme", *written(url)}
    for name, value, section in rows:
        assert section.startswith("RFC ")
        wanted = getattr(url, name)
        if name != "password" and isinstance(wanted, str) and wanted.isascii() and name != "scheme":
            assert value == repr(wanted)


@pytest.mark.parametrize("text", VALID, ids=ascii)
def test_a_line_begins_under_its_part(text: str) -> None:
    url = urlschemes.parse(text)
    _, marks, *lines = underneath(url)
    for line in lines:
        column = line.index("+- ")
        assert marks[column] == "^"


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("text", VALID, ids=ascii)
def test_nothing_but_the_url_is_wider_than_the_screen(text: str, width: int) -> None:
    first, *lines = draw(urlschemes.parse(text), width=width).lines
    assert length(first) <= max(width, len(text))
    assert max(map(length, lines)) <= width


@pytest.mark.parametrize("text", VALID, ids=ascii)
def test_lines_stand_where_plain_strokes_stand(text: str) -> None:
    url = urlschemes.parse(text)
    one, other = (draw(url, width=1000, strokes=strokes).lines for strokes in (BOX_STROKES, ASCII_STROKES))
    assert [*map(length, one)] == [*map(length, other)]


@pytest.mark.parametrize("text", INVALID, ids=ascii)
def test_each_text_that_is_no_url_has_a_caret_a_rule_and_a_section(text: str) -> None:
    explained = urlschemes_lint.explain(text)
    assert re.search(r"^ *\^$", explained, re.MULTILINE)
    assert re.search(r"^  rule      \S+ = \S", explained, re.MULTILINE)
    assert re.search(r"^  section   RFC \d+ section \S+$", explained, re.MULTILINE)
    assert re.search(r"^  help      \S", explained, re.MULTILINE)
    assert explained.isascii()


@pytest.mark.parametrize(
    "text", ["ftp://joe:secret@host.dom/pub/a%2Fb;type=a", "ftp://joe:a:b@host.dom/", "http://h/~#a"]
)
def test_the_command_draws_what_the_function_returns(text: str) -> None:
    command = [sys.executable, "-m", "urlschemes_cli", "explain", text]
    done = subprocess.run(command, env={**os.environ, "COLUMNS": "100"}, capture_output=True, timeout=60, check=False)
    assert done.stdout.decode().splitlines() == urlschemes_lint.explain(text).splitlines()
