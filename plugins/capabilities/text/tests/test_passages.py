"""Passages: their places, and their readings."""

from __future__ import annotations

import pickle
from collections.abc import Iterator

import pytest

from urlschemes import Registry
from urlschemes_text import Found, fill_placeholders, find


def texts(passages: Iterator[Found]) -> list[str]:
    return [str(found.url) for found in passages]


def test_a_passage_has_its_span_line_and_column(registry: Registry) -> None:
    text = "one\ntwo <URL:\n x-word:a\r\nb#c\n>, url:x-word:d!"
    first, second = find(text, registry=registry)
    assert text[slice(*first.span)] == first.text == "<URL:\n x-word:a\r\nb#c\n>"
    assert text[slice(*first.inside)] == "x-word:a\r\nb#c"
    assert (first.line, first.column, first.fragment) == (2, 5, "c")
    assert text[slice(*second.span)] == second.text == "url:x-word:d"
    assert text[slice(*second.inside)] == "x-word:d"
    assert (second.line, second.column, second.fragment) == (5, 4, None)
    assert [first.place_of(index) for index in (0, 7, 8)] == [(3, 2), (3, 9), (4, 1)]
    assert [second.place_of(index) for index in (0, 8)] == [(5, 8), (5, 16)]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("<URL:x-word:\na#b> x-word:c#d", ["x-word:a", "x-word:c"]),
        ("x-hosts://h/~ x-hosts:/h/a <x-word:~>", ["x-hosts://h/~", "x-hosts:/h/a", "x-word:~"]),
        ("x-word:~ x-hosts::a <URL:a b> <URL:`>", [None] * 4),
        ("[m](x-word:a@~) x-word:~/@", ["x-word:a@~", None]),
        (
            "x-hosts://h/~\\_b x-hosts://h/~\\u0026b x-hosts://h/a\\b",
            ["x-hosts://h/~", "x-hosts://h/~", "x-hosts://h/a\\b"],
        ),
        ("x-hosts://h/~{a}", ["x-hosts://h/~{a}"]),
        (
            "<a href='x-word:a b'> '<x-word:~>' 'x-word:a|b' 'x-hosts://h/a|b'",
            ["x-word:a b", "x-word:~", None, "x-hosts://h/a|b"],
        ),
    ],
)
def test_what_is_meant_as_a_url_is_told_from_other_words(
    registry: Registry, text: str, meant: list[str | None]
) -> None:
    assert [each.meant for each in find(text, registry=registry, invalid=True)] == meant


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("h/{a}/{{b}}^{c", "h/xxx/xxxxx^xx"),
        ("#{a}%{a}${a}$A^$1", "xxxxxxxxxxxxxx^xx"),
        ("$(a b):$(c", "xxxxxx:xxx"),
        ("http://$", "http://x"),
        ("%s:%d/%(a)s?b=%1$s&%@=%(a)", "xx:xx/xxxxx?b=xxxx&xx=xxxx"),
        ("//@HOST@/ //%HOST%/ //[a-b]/ //@h@ //%C3%BC %abc%", "//xxxxxx/ //xxxxxx/ //xxxxx/ //@h@ //%C3%BC %abc%"),
        ("100%off/%zz/%like%/%C3%Bg/%u00e9/%sa", "100%off/%zz/%like%/%C3%Bg/%u00e9/%sa"),
        ("a&#38;b&#x26;&amp;", "axxxxxbxxxxxx&amp;"),
        ("h/<id>/<int:id></a>", "h/xxxx/xxxxxxxx</a>"),
        (
            "//HOST:PORT/ //[host]/ //[::1]/ //h:port //port:ports",
            "//HOST:xxxx/ //xxxxxx/ //[::1]/ //h:xxxx //port:ports",
        ),
    ],
)
def test_placeholders_are_filled(text: str, filled: str) -> None:
    assert fill_placeholders(text) == filled


def test_a_hyphen_before_a_line_break_stays_and_is_uncertain(registry: Registry) -> None:
    text = "<URL:x-hosts://a-\nb.dom/c-\n d>"
    [found] = find(text, registry=registry)
    assert (str(found.url), found.uncertain) == ("x-hosts://a-b.dom/c-d", True)
    readings = [*found.readings()]
    assert [str(each.url) for each in readings] == [
        "x-hosts://a-b.dom/c-d",
        "x-hosts://a-b.dom/cd",
        "x-hosts://ab.dom/c-d",
        "x-hosts://ab.dom/cd",
    ]
    assert {(each.span, each.text, type(each.url)) for each in readings} == {(found.span, text, type(found.url))}


def test_a_reading_that_is_not_a_url_is_left_out(registry: Registry) -> None:
    [found] = find("<URL:x-hosts://a-\n-b.dom/#c-\nd>", registry=registry)
    assert [(str(each.url), each.fragment) for each in found.readings()] == [
        ("x-hosts://a--b.dom/", "c-d"),
        ("x-hosts://a--b.dom/", "cd"),
        ("x-hosts://a-b.dom/", "c-d"),
        ("x-hosts://a-b.dom/", "cd"),
    ]
    [found] = find("<URL:x-\nword:a>", registry=registry)
    assert texts(found.readings()) == ["x-word:a"]


def test_readings_are_computed_one_by_one(registry: Registry) -> None:
    [found] = find("<URL:x-word:" + "a-\n" * 1000 + ">", registry=registry)
    readings = found.readings()
    assert next(readings) == found
    assert str(next(readings).url) == "x-word:" + "a" * 1000


@pytest.mark.parametrize(("hyphens", "count"), [(8, 256), (9, 11), (254, 256), (255, 256), (5000, 256)])
def test_not_every_combination_of_many_hyphens_is_tried(hyphens: int, count: int, registry: Registry) -> None:
    [found] = find("<URL:x-word:" + "a-\n" * hyphens + ">", registry=registry)
    readings = [str(each.url).count("-") - 1 for each in found.readings()]
    assert len(readings) == count
    assert (readings[0], min(readings)) == (hyphens, 0)
    if hyphens > 8:
        assert set(readings[2:]) == {hyphens - 1}


def test_a_passage_hides_passwords_and_can_be_compared_and_pickled(registry: Registry) -> None:
    text = "<URL:x-hosts://joe:secret@host.dom/> <URL:x-hosts://joe:secret@host.dom:x/>"
    passages = [*find(text, registry=registry, invalid=True)]
    assert "secret" not in repr(passages)
    assert passages == [*find(text, registry=registry, invalid=True)]
    assert len({*find(text, registry=registry)}) == 1
    assert [each.span for each in pickle.loads(pickle.dumps(passages))] == [each.span for each in passages]
