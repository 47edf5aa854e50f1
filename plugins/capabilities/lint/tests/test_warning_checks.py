"""Warnings about what is legal in a URL but unwise."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

import urlschemes_lint
from urlschemes import Registry
from urlschemes.rfc1738 import algorithms


@pytest.mark.parametrize(
    ("text", "findings"),
    [
        ("x-album://h/a", []),
        ("x-album://h:4711/a", []),
        ("x-album://h:8080/", [("other-port", "port", (12, 16))]),
        ("x-album://h:25/", [("reserved-port", "port", (12, 14))]),
        ("x-album://h:0/", [("impossible-port", "port", (12, 13))]),
        ("x-album://h:65536/", [("impossible-port", "port", (12, 17))]),
        ("x-bare://h:8080/", []),
        ("x-bare://h:25/", [("reserved-port", "port", (11, 13))]),
        ("x-album://u:p@h/", [("password", "password", (12, 13))]),
        ("x-album://u:@h/", [("password", "password", (12, 12))]),
        ("x-album://www.h.dom@h/", [("misleading-user", "user", (10, 19))]),
        (
            "x-album://h.dom%2Fa@h/",
            [("misleading-user", "user", (10, 19)), ("encoded-delimiter", "user", (15, 18))],
        ),
        ("x-album://x-bare//h/a", [("second-scheme", "host", (10, 16))]),
        ("x-album://x-bare/h//a", []),
        ("x-album://joe%40h.dom@h/", [("encoded-delimiter", "user", (13, 16))]),
        ("x-album://h/%0d", [("control-octet", "picture", (12, 15))]),
        ("x-album://h/%0D%0A%7f/a", [("control-octet", "albums", (12, 21))]),
        ("x-album://h/a%2Fb/%7F", [("encoded-delimiter", "albums", (13, 16)), ("control-octet", "picture", (18, 21))]),
        (
            "x-album://h/%3F%3B%3A%26",
            [("encoded-delimiter", "picture", (12, 15)), ("encoded-delimiter", "picture", (15, 18))],
        ),
        ("x-album://h/?%2F%3B", [("encoded-delimiter", "words", (16, 19))]),
        ("x-note:%2F%3F%3B%40", [("encoded-delimiter", "first", (13, 16))]),
        ("x-atom:a%40b", []),
        ("x-note:a?b;1", [("question", "first", (8, 9))]),
        ("x-album://256.1.1.01/", [("impossible-address", "host", (10, 13)), ("impossible-address", "host", (18, 20))]),
        # In this host a label has underscores and no hyphens, and a host of RFC 1738 stands between parentheses.
        ("x-under://a_b.c@h/", [("misleading-user", "user", (10, 15))]),
        ("x-under://a-b.c@h/", []),
        ("x-under://" + "a" * 64 + ".b/", []),
        ("x-under://(300.1.1.1)/", [("impossible-address", "host", (11, 14))]),
        ("x-under://(b." + "a" * 64 + ")/", [("long-label", "host", (13, 77))]),
        ("x-album://b." + "a" * 64 + "/", [("long-label", "host", (12, 76))]),
        ("x-album://" + "a." * 130 + "b/", [("long-host", "host", (10, 271))]),
    ],
    ids=lambda value: ascii(value)[:40],
)
def test_what_is_legal_but_unwise_is_a_warning(
    registry: Registry, text: str, findings: list[tuple[str, str, tuple[int, int]]]
) -> None:
    found = urlschemes_lint.check(text, registry=registry)
    assert [(each.code, each.part, each.span) for each in found] == findings
    assert all(each.severity == "warning" and each.section and each.message for each in found)


def test_a_profile_may_warn_of_more_with_codes_of_its_own(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    warned = {"code": "x-own", "message": "unwise", "section": None, "hint": "do it"}
    places: list[list[tuple[int, int]]] = []

    def of_profile(_: object, __: object, hosts: list[tuple[int, int]]) -> list[SimpleNamespace]:
        places.append(hosts)
        return [SimpleNamespace(start=start, end=end, **warned) for start, end in ((10, 11), (11, 12), (12, 13))]

    monkeypatch.setattr(algorithms, "warnings", of_profile)
    found = urlschemes_lint.check("x-album://h/a", registry=registry)
    assert [(each.code, each.severity, each.message, each.span, each.part, each.hint) for each in found] == [
        ("x-own", "warning", "unwise", (10, 11), "host", "do it"),
        ("x-own", "warning", "unwise", (11, 12), "host", "do it"),  # a delimiter
        ("x-own", "warning", "unwise", (12, 13), "picture", "do it"),
    ]
    assert all(each.section for each in found), "that of the rule"
    urlschemes_lint.check("x-album://1.2.3.4/", registry=registry)
    assert places == [[(10, 11)], []]
