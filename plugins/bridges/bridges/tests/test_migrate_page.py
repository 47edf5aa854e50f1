"""The page "Migrate from another type of URLs": its examples run, and its tables are true."""

from __future__ import annotations

import doctest
import json
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest
from pages import BLOCK, run_doctest
from workspace import ROOT

from urlschemes_http.rfc3986 import HttpURI
from urlschemes_rfc3986 import parse

for library in ("django", "httpx", "pydantic", "yarl"):
    pytest.importorskip(library, reason=f"needs {library}: python3 dev --group bridges pytest")
PAGE = ROOT / "docs" / "how-to" / "migrate.md"
TEXTS = [
    "https://example.com",
    "https://EXAMPLE.com/%7ejoe/%c3%a9?q=%7e&r=a+b",
    "https://example.com/pub/../a/?q=",
    "https://[::1]:443/a.b.c?q=%FF",
    "https://xn--bcher-kva.example/a%2fc#x",
]
"""Further URLs, for which the rows without a note hold."""


def plain(value: object) -> object:
    """Return the value; a URL of any type as its text."""
    return value if isinstance(value, str | int | list | tuple | None) else str(value)


def test_both_sides_of_each_row_give_the_same() -> None:
    names: dict[str, Any] = {"__name__": "urlschemes_bridges"}  # Django takes it for the application
    assignments: list[str] = []
    compared = 0
    for section in re.split(r"^(?=## )", PAGE.read_text("utf-8"), flags=re.MULTILINE):
        for match in BLOCK.finditer(section):
            test = doctest.DocTestParser().get_doctest(match[4], names, PAGE.name, str(PAGE), 0)
            run_doctest(test)
            names.update(test.globs)
            assignments += [each.source for each in test.examples if re.match(r"(?!text )[\w, ]+ = ", each.source)]
        rows = re.findall(r"^\| `([^`]+)` \| `([^`]+)` \| (.*)\|$", section, re.MULTILINE)
        for text in [names["text"], *TEXTS] if section.startswith("## ") else []:
            values = {**names, "text": text}
            for assignment in assignments:
                exec(assignment, values)
            for before, after, note in rows:
                if text == names["text"] or not note:
                    assert plain(eval(before, values)) == plain(eval(after, values)), (text, before)
                    compared += 1
    assert compared > 100


def test_the_table_of_what_sees_the_type_is_true() -> None:
    import httpx
    from django.http import HttpResponseRedirect
    from django.shortcuts import redirect

    import urlschemes_bridges.django  # noqa: F401  for `redirect`

    text = "https://e.com/"
    names = {
        "text": text,
        "url": parse(text, HttpURI),
        "httpx": httpx.Client(transport=httpx.MockTransport(lambda _: httpx.Response(200))),
    } | {each.__name__: each for each in (HttpResponseRedirect, json, parse, re, redirect, urljoin, urlsplit)}
    rows = re.findall(r"^\| (`.*`) \| (False|None|\w+Error)\b.* \| (`.*)\|$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert len(rows) == 12
    for before, result, after in rows:
        for code in re.findall(r"`(.+?)`", before):
            try:
                given = str(eval(code, names))
            except (AttributeError, TypeError) as error:
                given = type(error).__name__
            assert given == result, code
        for code in re.findall(r"`(.+?)`", after):
            assert eval(code, names), code


def test_the_table_of_texts_is_true() -> None:
    import yarl
    from django.core.exceptions import ValidationError
    from django.core.validators import URLValidator
    from pydantic import AnyUrl

    def validated(text: str) -> str:
        URLValidator()(text)
        return text

    readers: list[Callable[[str], object]] = [lambda text: urlsplit(text).geturl(), yarl.URL, AnyUrl, validated, parse]
    rows = re.findall(r"^\| `(\S+)` ((?:\|(?:[^|\n]|\\\|)*){5})\|$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert len(rows) == 15
    for text, cells in rows:
        given = text.replace("\\|", "|").replace("\\n", "\n")
        for read, cell in zip(readers, re.split(r"(?<!\\)\|", cells)[1:], strict=True):
            try:
                shown = str(read(given))
            except (ValueError, ValidationError):
                shown = "refused"
            expected = cell.partition(": ")[0].strip().strip("`")
            assert ("as it is" if shown == given else shown) == expected, (text, cell)
