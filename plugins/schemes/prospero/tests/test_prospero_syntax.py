"""The syntax of prospero URLs: section 3.11 of RFC 1738."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

import urlschemes
from urlschemes import Encoded, InvalidURL
from urlschemes.errors import (
    BadEscape,
    EmptyHost,
    FragmentPresent,
    InvalidCharacter,
    InvalidPart,
    InvalidPort,
    MissingAuthority,
    NotHierarchical,
    UnsafeURL,
    UserinfoNotAllowed,
)
from urlschemes.scheme.record_fields import Example
from urlschemes_prospero import ProsperoURL, registration
from urlschemes_testing.examples import check_example


@pytest.mark.parametrize("example", registration.examples, ids=lambda example: example.url)
def test_the_examples_of_the_record(example: Example) -> None:
    check_example(ProsperoURL, example)


def test_the_record_tells_whom_it_concerns() -> None:
    assert (registration.scheme, registration.status, registration.default_port) == ("prospero", "historical", 1525)
    assert sum(example.parts is None for example in registration.examples) >= 10


def test_decision_17_fields_keep_their_order_and_may_repeat() -> None:
    url = ProsperoURL.parse("prospero://h/n;b=1;a=2;b=%31;=")
    assert url.fields == (("b", "1"), ("a", "2"), ("b", "1"), ("", ""))
    assert url.raw["fields"] == (("b", "1"), ("a", "2"), ("b", "%31"), ("", ""))
    assert ProsperoURL.parse("prospero://h/n").raw["fields"] == ()


@pytest.mark.parametrize("reserved", ["/", ";", "="])
def test_what_is_reserved_in_a_field_is_encoded_there(reserved: str) -> None:
    escape = f"%{ord(reserved):02X}"
    assert ProsperoURL.parse(f"prospero://h/n;a{escape}=b{escape}").fields == ((f"a{reserved}", f"b{reserved}"),)
    url = ProsperoURL(host="h", hsoname="n", fields=[(f"a{reserved}", f"b{reserved}")])
    assert str(url) == f"prospero://h/n;a{escape}=b{escape}"
    assert not urlschemes.is_valid(f"prospero://h/n;a=b{reserved}c") or reserved == ";"


def test_only_the_semicolon_is_reserved_in_a_name() -> None:
    name = "/?:@&=$-_.+!*'(),"
    assert str(ProsperoURL(host="h", hsoname=f"{name};")) == f"prospero://h/{name}%3B"
    assert ProsperoURL.parse(f"prospero://h/{name}").hsoname == name


@pytest.mark.parametrize(
    ("text", "error", "position"),
    [
        ("prospero:h/n", MissingAuthority, 9),
        ("prospero:///n", EmptyHost, 11),
        ("prospero://u@h/n", UserinfoNotAllowed, 11),
        ("prospero://h:/n", InvalidPort, 13),
        ("prospero://h", InvalidPart, 12),
        ("prospero://h/n;", InvalidPart, 15),
        ("prospero://h/n;a", InvalidPart, 16),
        ("prospero://h/n;a=b=c", InvalidPart, 18),
        ("prospero://h/n;a/b=c", InvalidPart, 16),
        ("prospero://h/n m", InvalidCharacter, 14),
        ("prospero://h/n;~=v", InvalidCharacter, 15),
        ("prospero://h/n#f", FragmentPresent, 14),
        ("prospero://h/n;a=%4", BadEscape, 17),
    ],
)
def test_what_is_no_prospero_url(text: str, error: type[InvalidURL], position: int) -> None:
    with pytest.raises(error) as refused:
        ProsperoURL.parse(text)
    assert refused.value.position == position


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ({}, "prospero://h/"),
        ({"port": 191, "hsoname": "/pros/name"}, "prospero://h:191//pros/name"),
        ({"hsoname": "é \udcff"}, "prospero://h/%C3%A9%20%FF"),
        ({"fields": [("a", "b"), ["c", "d"]]}, "prospero://h/;a=b;c=d"),
        ({"fields": [(Encoded("a%3Db"), "100%")]}, "prospero://h/;a%3Db=100%25"),
    ],
)
def test_a_constructor_encodes_its_parts(parts: dict[str, Any], text: str) -> None:
    assert str(ProsperoURL(host="h", **parts)) == text


@pytest.mark.parametrize(
    "parts",
    [
        {"fields": "a=b"},
        {"fields": ["ab"]},
        {"fields": [("a", "b", "c")]},
        {"fields": [("a", 1)]},
        {"fields": {"a": "b"}},
        {"fields": [(Encoded("a=b"), "c")]},
        {"hsoname": Encoded("a;b")},
        {"port": "191"},
    ],
)
def test_build_refuses_what_a_part_cannot_be(parts: dict[str, Any]) -> None:
    with pytest.raises(InvalidURL):
        ProsperoURL(host="h", **parts)


def test_replace_changes_nothing_else() -> None:
    url = ProsperoURL.parse("prospero://H:1525//%61;x=%62")
    assert str(url.replace(fields=[("v", "3")])) == "prospero://H:1525//%61;v=3"
    assert str(url.replace(fields=[])) == "prospero://H:1525//%61"
    assert str(url.replace(hsoname="n")) == "prospero://H:1525/n;x=%62"
    assert str(url.replace(port=None, host="g")) == "prospero://g//%61;x=%62"
    assert pickle.loads(pickle.dumps(url)).fields == (("x", "b"),)


def test_what_means_the_same() -> None:
    assert str(ProsperoURL.parse("PROSPERO://H:01525//%61%2f;%62=%3b").normalized()) == "prospero://h//a/;b=%3B"


def test_a_slash_in_a_name_is_no_hierarchy() -> None:
    with pytest.raises(NotHierarchical):
        ProsperoURL.parse("prospero://h/a/b").join("c")


def test_a_control_octet_in_a_name_or_a_field_never_reaches_a_line() -> None:
    for text in ("prospero://h/a%0Ab", "prospero://h/a;b%0A=c", "prospero://h/a;b=%00"):
        with pytest.raises(UnsafeURL):
            ProsperoURL.parse(text).check_line()
    ProsperoURL.parse("prospero://h/a;b=c").check_line()
