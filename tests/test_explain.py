"""`explain` of every scheme: each example of its record, drawn."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

import urlschemes
from urlschemes import default_registry
from urlschemes_cli.app import command
from urlschemes_lint import explain
from urlschemes_lint.explaining import ASCII_STROKES, BOX_STROKES, draw, plain_text

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROW = re.compile(r"[| ]*\+- (\w+) (.*)  (\S.* section \S+)")
SPECIFIED = [record.scheme for record in default_registry.registrations() if record.status != "experimental"]
"""The schemes of RFCs; an experiment has no sections that could be named."""


def examples(scheme: str, *, valid: bool) -> Iterator[str]:
    """Return the valid or the invalid examples of a scheme's record."""
    for example in default_registry.registration(scheme).examples:
        if (example.parts is not None) == valid:
            yield example.url


def length(line: tuple[tuple[str, str], ...]) -> int:
    return sum(len(piece) for piece, _ in line)


@pytest.mark.parametrize("scheme", SPECIFIED)
def test_each_part_has_a_line_under_it_with_its_value_and_its_section(scheme: str) -> None:
    for text in examples(scheme, valid=True):
        url = urlschemes.parse(text)
        _, marks, *lines = plain_text(draw(url, width=1000)).splitlines()
        rows = [found.groups() for line in lines if (found := _ROW.fullmatch(line))]
        assert len(rows) == len([line for line in lines if "- field " not in line])
        assert all(marks[line.index("+- ")] == "^" for line in lines)
        present = {name for name, value in url.raw.items() if value is not None and value != ()}
        assert {name for name, _, _ in rows} == {"scheme", *present}
        for name, value, section in rows:
            assert section.startswith("RFC ")
            expected = getattr(url, name)
            if name not in {"password", "scheme"} and isinstance(expected, str) and expected.isascii():
                assert value == repr(expected)


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("scheme", SPECIFIED)
def test_only_the_url_is_wider_than_the_drawing_may_be(scheme: str, width: int) -> None:
    for text in examples(scheme, valid=True):
        first, *lines = draw(urlschemes.parse(text), width=width).lines
        assert length(first) <= max(width, len(text))
        assert max(map(length, lines)) <= width


@pytest.mark.parametrize("scheme", SPECIFIED)
def test_box_and_ascii_strokes_take_the_same_columns(scheme: str) -> None:
    for text in examples(scheme, valid=True):
        url = urlschemes.parse(text)
        box, ascii_ = (draw(url, width=1000, strokes=strokes).lines for strokes in (BOX_STROKES, ASCII_STROKES))
        assert [*map(length, box)] == [*map(length, ascii_)]


@pytest.mark.parametrize("scheme", SPECIFIED)
def test_each_invalid_example_has_a_caret_a_rule_a_section_and_help(scheme: str) -> None:
    for text in examples(scheme, valid=False):
        explained = explain(text)
        assert explained.isascii()
        for line in (r" *\^", r"  rule      \S+ = \S.*", r"  section   RFC \d+ section \S+", r"  help      \S.*"):
            assert re.search(f"^{line}$", explained, re.MULTILINE), (text, line)


@pytest.mark.parametrize(
    "text", ["ftp://joe:secret@host.dom/pub/a%2Fb;type=a", "ftp://joe:a:b@host.dom/", "http://h/~#a"]
)
def test_the_command_prints_what_the_function_returns(text: str) -> None:
    done = CliRunner().invoke(command, ["--profile", "rfc1738", "explain", text], env={"COLUMNS": "100"})
    assert done.stdout.splitlines() == explain(text).splitlines()
