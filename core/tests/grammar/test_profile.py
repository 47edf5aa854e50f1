"""The profile of RFC 1738, and what every profile computes from its fields."""

import pickle
from string import ascii_letters, digits

import pytest

from urlschemes.grammar.syntax import Syntax
from urlschemes.rfc1738 import RFC1738


def test_a_profile_is_immutable_and_pickled_by_reference():
    for change in (lambda: setattr(RFC1738, "name", "x"), lambda: delattr(RFC1738, "name")):
        with pytest.raises(AttributeError, match="<Profile rfc1738> is immutable"):
            change()
    assert pickle.loads(pickle.dumps(RFC1738)) is RFC1738


def test_it_names_the_sections_of_its_document():
    assert RFC1738.section("scheme") == "RFC 1738 section 2.1"  # of a rule
    assert RFC1738.section("security") == "RFC 1738 section 6"  # of a topic


def test_its_characters_are_those_of_its_rules():
    letters_digits = {*ascii_letters, *digits}
    assert (RFC1738.reserved, RFC1738.has_fragments) == (";/?:@&=", False)
    assert {*RFC1738.unreserved} == letters_digits | {*"$-_.+!*'(),"}
    assert {*RFC1738.scheme_characters} == letters_digits | {*"+-."}
    assert [name for name in ("a", "Z9", "1+.-", "", "a_", "\u00e9", "a\n") if RFC1738.is_scheme_name(name)] == [
        *("a", "Z9", "1+.-")
    ]


def test_its_sets_of_characters_are_the_shared_rules_that_derive_one_character_or_escape():
    assert RFC1738.character_sets.keys() == {
        *("alpha", "alphadigit", "digit", "escape", "extra", "hex", "hialpha", "lowalpha", "national", "punctuation"),
        *("reserved", "safe", "uchar", "unreserved", "xchar"),
    }


def test_every_rule_that_it_names_is_one_of_its_rules():
    assert {*RFC1738.rule_names.values(), *RFC1738.host_rules} <= RFC1738.grammar.rules.keys()


def test_a_syntax_is_of_the_profile_of_rfc_1738_unless_another_is_named():
    assert Syntax('u = "x:" *uchar', "u", profile=RFC1738).profile is RFC1738
