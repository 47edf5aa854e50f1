"""Claims: entry points as data."""

from __future__ import annotations

import pytest

from urlschemes.registry.claims import HOOKS, SCHEMES, Claim, distribution_key, object_reference


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a", ("a", "")),
        ("a.b", ("a.b", "")),
        ("a : b.c", ("a", "b.c")),
        ("a:b [extra]", ("a", "b")),
        ("", None),
        ("a:", None),
        (":b", None),
        ("a-b", None),
        ("a..b", None),
        ("a:b:c", None),
        ("a:b.", None),
        ("a b", None),
        ("a b:c", None),
        ("../a:b", None),
    ],
)
def test_an_object_reference_is_a_module_with_or_without_an_attribute(value, expected):
    assert object_reference(value) == expected


@pytest.mark.parametrize("name", ["Foo.Bar_baz", "foo-bar-baz", "FOO__BAR--baz", "foo.-_bar.baz"])
def test_spellings_of_one_distribution_have_one_key(name):
    assert distribution_key(name) == "foo-bar-baz"


def test_a_claim_prints_as_one_safe_line():
    claim = Claim("x-foo", "foo", "1.0", "/site", "foo.deep", "schemes.first")
    assert claim.provider == "foo 1.0"
    assert str(claim) == "x-foo: foo 1.0 [active] foo.deep:schemes.first in /site"
    assert str(claim._replace(name="", version="", state="malformed", reason="a\nb")) == (
        "(no name): foo [malformed] foo.deep:schemes.first in /site: a\\x0ab"
    )


@pytest.mark.parametrize(("group", "kind"), [(SCHEMES, "scheme"), (HOOKS, "hook"), ("urlschemes.tales", "tale")])
def test_the_kind_of_a_claim_is_that_of_its_group(group, kind):
    assert Claim("a", "b", "1", "/site", group=group).kind == kind


@pytest.mark.parametrize(
    ("state", "in_trouble"),
    [
        *((state, False) for state in ("active", "shadowed", "disabled", "ignored", "unused")),
        *((state, True) for state in ("conflict", "reserved", "malformed", "broken")),
    ],
)
def test_a_claim_is_in_trouble_if_the_user_must_do_something(state, in_trouble):
    assert Claim("a", "b", "1", "/site", state=state).in_trouble == in_trouble
