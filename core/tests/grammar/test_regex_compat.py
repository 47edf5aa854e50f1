"""Regular expressions without possessive repetitions of groups, which early versions of CPython 3.11 get wrong."""

import re

import pytest

from urlschemes.grammar.regex_compat import portable


@pytest.mark.parametrize(
    ("pattern", "written"),
    [
        ("(?:a[)*+]b)*+c", "(?>(?:a[)*+]b)*)c"),
        (r"(?:\(a)?+", r"(?>(?:\(a)?)"),
        ("((?:a|b)++c){2,3}+", "(?>((?>(?:a|b)+)c){2,3})"),
        ("[a]*+a++(?:b)*", "[a]*+a++(?:b)*"),
        ("[]x]*+[^]]?+", "[]x]*+[^]]?+"),
        (r"(?:[a^][b\[](c)?+)*+", r"(?>(?:[a^][b\[](?>(c)?))*)"),
    ],
)
def test_only_groups_are_rewritten(pattern: str, written: str) -> None:
    assert portable(pattern) == written
    re.compile(written)
