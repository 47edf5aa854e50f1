"""The syntax of prospero URLs (RFC 1738 section 3.11): parts, errors, constructor."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

import urlschemes
from urlschemes import Encoded, InvalidURL
from urlschemes.errors import NotHierarchical, UnsafeURL
from urlschemes.record.record_fields import Example
from urlschemes_prospero import ProsperoURL, registration
from urlschemes_testing.examples import check_example


@pytest.mark.parametrize("example", registration.examples, ids=lambda example: example.url)
def test_the_examples_of_the_record_are_true(example: Example) -> None:
    check_example(ProsperoURL, example)


def test_the_record_is_that_of_the_scheme() -> None:
    assert (registration.scheme, registration.status, registration.default_port) == ("prospero", "historical", 1525)
    assert sum(example.parts is None for example in registration.examples) >= 10


@pytest.mark.decision(17)
def test_fields_keep_their_order_and_may_repeat() -> None:
    url = ProsperoURL.parse("prospero://h/n;b=1;a=2;b=%31;=")
    assert url.fields == (("b", "1"), ("a", "2"), ("b", "1"), ("", ""))
    assert url.raw["fields"] == (("b", "1"), ("a", "2"), ("b", "%31"), ("", ""))
    assert ProsperoURL.parse("prospero://h/n").raw["fields"] == ()


@pytest.mark.decision(17)
@pytest.mark.parametrize("reserved", ["/", ";", "="])
def test_reserved_characters_are_encoded_in_fields(reserved: str) -> None:
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
    ("text", "code", "position"),
    [
        ("prospero:h/n", "missing-authority", 9),
        ("prospero:///n", "empty-host", 11),
        ("prospero://u@h/n", "userinfo-not-allowed", 11),
        ("prospero://h:/n", "invalid-port", 13),
        ("prospero://h", "invalid-part", 12),
        ("prospero://h/n;", "invalid-part", 15),
        ("prospero://h/n;a", "invalid-part", 16),
        ("prospero://h/n;a=b=c", "invalid-part", 18),
        ("prospero://h/n;a/b=c", "invalid-part", 16),
        ("prospero://h/n m", "invalid-character", 14),
        ("prospero://h/n;~=v", "invalid-character", 15),
        ("prospero://h/n#f", "fragment-present", 14),
        ("prospero://h/n;a=%4", "bad-escape", 17),
    ],
)
def test_invalid_urls_are_refused(text: str, code: str, position: int) -> None:
    with pytest.raises(InvalidURL) as caught:
        ProsperoURL.parse(text)
    assert caught.value.code == code
    assert caught.value.position == position


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
def test_values_without_a_url_are_refused(parts: dict[str, Any]) -> None:
    with pytest.raises(InvalidURL):
        ProsperoURL(host="h", **parts)


def test_replace_changes_the_given_parts() -> None:
    url = ProsperoURL.parse("prospero://H:1525//%61;x=%62")
    assert str(url.replace(fields=[("v", "3")])) == "prospero://H:1525//%61;v=3"
    assert str(url.replace(fields=[])) == "prospero://H:1525//%61"
    assert str(url.replace(hsoname="n")) == "prospero://H:1525/n;x=%62"
    assert str(url.replace(port=None, host="g")) == "prospero://g//%61;x=%62"
    assert pickle.loads(pickle.dumps(url)).fields == (("x", "b"),)


def test_equivalent_urls() -> None:
    assert str(ProsperoURL.parse("PROSPERO://H:01525//%61%2f;%62=%3b").normalized()) == "prospero://h//a/;b=%3B"


def test_prospero_urls_have_no_hierarchy() -> None:
    with pytest.raises(NotHierarchical):
        ProsperoURL.parse("prospero://h/a/b").join("c")


def test_control_octets_are_parsed_and_never_sent() -> None:
    for text in ("prospero://h/a%0Ab", "prospero://h/a;b%0A=c", "prospero://h/a;b=%00"):
        with pytest.raises(UnsafeURL):
            ProsperoURL.parse(text).check_line()
    ProsperoURL.parse("prospero://h/a;b=c").check_line()
