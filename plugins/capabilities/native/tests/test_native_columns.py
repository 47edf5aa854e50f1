"""Columns of URLs from Arrow buffers: the same answers as `parse`, row by row."""

from __future__ import annotations

import random
import threading
from array import array
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import pytest

import urlschemes
from urlschemes import InvalidURL, Registry, default_registry
from urlschemes_testing.generation import random_near_misses, random_urls

pytest.importorskip("urlschemes_native._native", reason="needs `python3 dev --group native`")

FORMATS = {4: "i", 8: "q"}


def buffers(texts: Iterable[str | None], width: int = 4) -> tuple[memoryview, bytes, bytes]:
    """Return offsets, data and validity of the array of `texts`."""
    rows = [None if text is None else text.encode() for text in texts]
    offsets = array(FORMATS[width], [0])
    validity = bytearray(len(rows) // 8 + 1)
    for number, row in enumerate(rows):
        offsets.append(offsets[-1] + len(row or b""))
        validity[number >> 3] |= (row is not None) << (number & 7)
    return memoryview(offsets), b"".join(row or b"" for row in rows), bytes(validity)


def column(buffers: Sequence[Any], rows: int, width: int = 4, number: str = "q") -> list[str | int | None]:
    """Return the values of a column that the reader returned: offsets, data and validity."""
    offsets, data, validity = buffers
    valid = [validity[row >> 3] >> (row & 7) & 1 for row in range(rows)]
    if offsets is None:
        numbers = memoryview(data).cast(number)
        return [numbers[row] if valid[row] else None for row in range(rows)]
    places = memoryview(offsets).cast(FORMATS[width])
    octets = bytes(data)
    return [octets[places[row] : places[row + 1]].decode() if valid[row] else None for row in range(rows)]


PARTS = (
    ("host", "text"),
    ("port", "number"),
    ("path", "text"),
    ("user", "text"),
    ("password", "raw"),
    ("directories", "raw"),
    ("name", "text"),
    ("name", "raw"),
    ("nosuchpart", "text"),
    ("article", "number"),
)
NEVER_KNOWN = f"ftp://h/{'a' * 5000} "
"""A text whose fault Python explains each time."""
ODD = [
    "",
    "abc",
    "nosuchscheme:a",
    "ftp://h.dom/%FF",
    "ftp://h.dom/%C3%A9",
    "ftp://h.dom/%ED%A0%80",
    "http://h.dom/%FF/%C3%A9%zz",
    "http://h.dom/%FF/%C3%A9",
    "http://h.dom:" + "9" * 30 + "/",
    "http://h.dom:" + "9" * 4001 + "/",
    "http://u:p@h.dom/",
    "ftp://u:p@s@h.dom/",
    "ftp://u:p/s@h.dom/",
    "ftp://joe:8x/",
    "ftp://joe:8yx/",
    "ftp://joe:8yx",
    "ftp://joe~x/",
    "http://h%41/",
    "http://h%4g/",
    "http://h%/",
    "http://h.dom/%",
    "http://h.dom/%4",
    "http://h.dom/%g4",
    "http://h.dom/%4g",
    "ftp://h.dom/%00",
    "gopher://h.dom/0a%090",
    "gopher://h.dom/0a%0g",
    "http://h.dom/\u00e9",
    "HTTP://H.DOM/",
    "ftp://h.dom/;type=x",
    "ftp://h.dom/a%2",
    "file:///a",
]


@pytest.fixture(scope="module", autouse=True)
def _schemes() -> None:
    """Load the schemes, which are read by Python before."""
    for name in default_registry:
        assert default_registry[name]


def explain(text: str) -> tuple[str, int]:
    with pytest.raises(InvalidURL) as caught:
        urlschemes.parse(text)
    assert caught.value.position is not None
    return caught.value.code, caught.value.position


def read(texts: list[str | None], parts: Any = PARTS, width: int = 4, **more: Any) -> dict[str, Any]:
    """Return the columns, with values of Python."""
    names, numbers, scheme, code, position, columns, rest = default_registry.reader.columns(
        *buffers(texts, width), 0, parts, explain, **more
    )
    schemes = column(scheme, len(texts), width)
    assert schemes == [None if number < 0 else names[number] for number in memoryview(numbers).cast("i")]
    return {
        "scheme": schemes,
        "code": column(code, len(texts), width),
        "position": column(position, len(texts), width, "i"),
        "columns": [column(each, len(texts), width) for each in columns],
        "rest": rest,
    }


def expected(text: str, name: str, form: str) -> object:
    url = urlschemes.parse(text)
    if name not in url.syntax.parts:
        return None
    span = url.span(name)
    return getattr(url, name) if form != "raw" else None if span is None else text[slice(*span)]


@cache
def all_texts(number: int) -> list[str | None]:
    texts: list[str | None] = [*ODD, None, None]
    for scheme in default_registry:
        texts += random_urls(scheme, number)
        texts += [text for text in random_near_misses(scheme, number) if text.isprintable()]
    random.Random(number).shuffle(texts)
    return texts


@pytest.mark.parametrize("width", [4, 8])
@pytest.mark.parametrize("number", [20, pytest.param(150, marks=[pytest.mark.slow, pytest.mark.timeout(600)])])
def test_columns_are_what_parse_returns(number: int, width: int) -> None:
    texts = all_texts(number)
    found = read(texts, width=width)
    for row, text in enumerate(texts):
        values = [each[row] for each in found["columns"]]
        assert (row in found["rest"]) <= (text is not None)
        if text is None or row in found["rest"]:
            assert (found["scheme"][row], found["code"][row], found["position"][row]) == (None, None, None)
            assert not any(value is not None for value in values)
            continue
        assert found["scheme"][row] == text.partition(":")[0].lower()
        if not urlschemes.is_valid(text):
            assert (found["code"][row], found["position"][row]) == explain(text), text
            assert not any(value is not None for value in values)
        else:
            url = urlschemes.parse(text)
            assert (found["scheme"][row], found["code"][row], found["position"][row]) == (url.scheme, None, None)
            assert values == [expected(text, *part) for part in PARTS], text


def test_few_rows_are_left_to_python() -> None:
    texts = [text for text in ODD if read([text])["rest"]]
    assert texts == ["", "abc", "nosuchscheme:a", "ftp://h.dom/%FF", "ftp://h.dom/%ED%A0%80", *ODD[8:10]]


def test_the_rows_of_a_slice_are_those_of_the_slice() -> None:
    texts = ["http://a.dom/", None, "http://b.dom/x", None, "http://c.dom/", "http://d_/"] * 5
    offsets, data, validity = buffers(texts)
    for first in range(len(texts)):
        found = default_registry.reader.columns(offsets[first:], data, validity, first, PARTS[:1], explain)
        rows = len(texts) - first
        assert column(found[5][0], rows) == read(texts, PARTS[:1])["columns"][0][first:]


def test_an_explanation_is_asked_for_once() -> None:
    registry, asked = Registry(), []

    def count(text: str) -> tuple[str, int]:
        asked.append(text)
        with pytest.raises(InvalidURL) as caught:
            registry.parse(text)
        assert caught.value.position is not None
        return caught.value.code, caught.value.position

    registry.parse("http://h.dom/")
    texts = [f"http://{host}{character}/" for host in ("a", "h.dom", "long.host.dom") for character in "_~|_"]
    for _ in range(2):
        registry.reader.columns(*buffers(texts), 0, (), count)
    assert len(asked) == len(set(asked)) <= 7


def test_names_that_are_not_read_natively_are_known() -> None:
    registry = Registry()
    texts = ["http://h.dom/", "FTP:", "ftp:x", None, "a b:", "", ":", "abc", "x" * 65 + ":", "x-\u00e9:", *ODD]
    assert registry.reader.unknown(*buffers(texts), 0) == {"http", "ftp", "file", "gopher", "nosuchscheme"}
    registry.parse("http://h.dom/")
    assert registry.reader.unknown(*buffers(texts), 0) == {"ftp", "file", "gopher", "nosuchscheme"}
    many = [f"x-{number}:a" for number in range(5000)]
    assert len(registry.reader.unknown(*buffers(many), 0)) == 1000


@pytest.mark.parametrize(
    ("offsets", "validity", "bit"),
    [
        ([0, 5, 3], None, 0),
        ([0, 5, 99], None, 0),
        ([-1, 5], None, 0),
        ([-(2**31), 2**31 - 1], None, 0),
        ([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], b"\xff", 0),
        ([0, 1], b"\xff", 8),
        ([0, 1], b"\xff", -1),
        *(([0, 1], b"\xff", 2**63 - 1 - less) for less in range(9)),
        ([0, 1], b"", 0),
    ],
)
def test_malformed_buffers_are_refused(offsets: list[int], validity: bytes | None, bit: int) -> None:
    places = memoryview(b"".join(each.to_bytes(4, "little", signed=True) for each in offsets)).cast("i")
    with pytest.raises(ValueError, match=r"offsets|bitmap"):
        default_registry.reader.columns(places, b"http://h.dom/", validity, bit, PARTS, explain)
    with pytest.raises(ValueError, match=r"offsets|bitmap"):
        default_registry.reader.unknown(places, b"http://h.dom/", validity, bit)


@pytest.mark.parametrize(
    ("parts", "answer", "error"),
    [
        (("host",), ("x", 1), TypeError),
        ((("host", "nosuchform"),), ("x", 1), ValueError),
        (((5, "text"),), ("x", 1), TypeError),
        ((), "x", TypeError),
        ((), ("x",), TypeError),
        ((), ("x", "y"), TypeError),
    ],
)
def test_wrong_arguments_are_errors(parts: Any, answer: Any, error: type[Exception]) -> None:
    registry = Registry()
    registry.parse("ftp://h.dom/")
    with pytest.raises(error):
        registry.reader.columns(*buffers([NEVER_KNOWN]), 0, parts, lambda _: answer)


def test_an_error_of_explain_passes_through() -> None:
    registry = Registry()
    registry.parse("ftp://h.dom/")
    with pytest.raises(ZeroDivisionError):
        registry.reader.columns(*buffers([NEVER_KNOWN]), 0, (), lambda _: 1 / 0)


@pytest.mark.parametrize("end", [-1, 2, 10**9, len(NEVER_KNOWN) + 2, 2 * len(NEVER_KNOWN) + 1])
def test_an_array_that_explain_changes_is_refused(end: int) -> None:
    registry = Registry()
    registry.parse("ftp://h.dom/")
    offsets = array("i", [0, len(NEVER_KNOWN), 2 * len(NEVER_KNOWN)])

    def change(_: str) -> tuple[str, int]:
        offsets[2] = end
        return "code", 0

    with pytest.raises(ValueError, match="was changed"):
        registry.reader.columns(memoryview(offsets), 2 * NEVER_KNOWN.encode(), None, 0, (), change)


def test_no_rows_are_no_rows() -> None:
    assert read([])["columns"] == [[]] * len(PARTS)
    assert default_registry.reader.columns(b"", b"", None, 0, (), explain)[6] == []


def test_threads_may_read_columns_while_schemes_change() -> None:
    registry = Registry()
    scheme = registry["x-example"]
    registry.parse("http://h.dom/")
    texts = [f"http://h{number}.dom/{number}" for number in range(2000)]
    wanted = [text.removeprefix("http://").partition("/")[0] for text in texts]
    results = []

    def work() -> None:
        for _ in range(20):
            found = registry.reader.columns(*buffers(texts), 0, (("host", "text"),), explain)
            results.append(column(found[5][0], len(texts)) == wanted)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(300):
        with registry.override(scheme):
            pass
    for thread in threads:
        thread.join(30)
    assert results == [True] * 60
