"""Lists: how a text is divided into elements, and which rules are lists."""

from pathlib import Path

import pytest

from urlschemes import Registration
from urlschemes.errors import GrammarError
from urlschemes.grammar.bnf import BNFReader, Grammar
from urlschemes.grammar.part import Division
from urlschemes.grammar.syntax_builder import division

ALBUM = Registration.from_file(Path(__file__).parent.parent / "album.toml")


@pytest.mark.parametrize(
    ("form", "whole", "elements"),
    [
        (Division("/"), "", ("",)),
        (Division("/"), "a//b", ("a", "", "b")),
        (Division(";", leading=True), "", ()),
        (Division(";", leading=True), ";", ("",)),
        (Division(";", leading=True), ";a;;b", ("a", "", "b")),
        (Division("&", optional=True), "", ()),
        (Division("&", "="), "a=b&=&c=", (("a", "b"), ("", ""), ("c", ""))),
        (Division("&", "="), "a&b=c=d", (("a", None), ("b", "c=d"))),
        (Division(";", "=", leading=True), "", ()),
        (Division(";", "=", leading=True), ";a=b;=;c=", (("a", "b"), ("", ""), ("c", ""))),
    ],
)
def test_there_and_back(form: Division, whole: str, elements: tuple[str, ...]) -> None:
    assert form.divided(whole) == elements
    assert form.joined(elements) == whole


@pytest.mark.parametrize(
    ("rules", "separator", "equals", "leading", "optional"),
    [
        ('list = each *[ "/" each ]\neach = *"a"', "/", "", False, False),
        ('list = each *[ "&" each ]\neach = name "=" value\nname = "a"\nvalue = *"a"', "&", "=", False, False),
        (
            'list = each *[ and each ]\nand = "&"\neach = name [ "=" value ]\nname = "a"\nvalue = *"="',
            "&",
            "=",
            False,
            False,
        ),
        ('list = [ each *[ "/" each ] ]\neach = *"a"', "/", "", False, True),
        ('list = first *[ "/" each ]\nfirst = 1*"a"\neach = *"a"', "/", "", False, False),
        ('list = *[ each ]\neach = ";" value\nvalue = *"a"', ";", "", True, False),
        ('list = *[ ";" each ]\neach = *"a"', ";", "", True, False),
        ('list = *each\neach = "&" name "=" value\nname = "a"\nvalue = *"a"', "&", "=", True, False),
    ],
)
def test_the_rules_that_are_lists(rules: str, separator: str, equals: str, leading: bool, optional: bool) -> None:
    found = division(Grammar(BNFReader(rules).rules()), "list", "each", "part")
    assert found == (separator, equals, leading, optional)
    assert found.octets == frozenset((separator + equals).encode())


@pytest.mark.parametrize(
    "rules",
    [
        'list = each *[ "/" other ]\neach = *"a"\nother = *"b"',
        'list = 1*each\neach = ";" value\nvalue = *"a"',
        'list = *[ each ]\neach = value ";"\nvalue = *"a"',
        'list = *[ each ]\neach = ";x" value\nvalue = *"a"',
        'list = each *[ "%2F" each ]\neach = *"a"',
        'list = each\neach = *alpha\nalpha = <">',
        'list = "a" each *[ "/" each ]\neach = name "=" name\nname = *"a"',
        'list = other *[ "/" each ]\nother = "b"\neach = name "=" name\nname = *"a"',
    ],
)
def test_the_rules_that_are_none(rules: str) -> None:
    with pytest.raises(GrammarError, match="the list part 'part' must be a rule of the form"):
        division(Grammar(BNFReader(rules).rules()), "list", "each", "part")


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ('list = each *[ "/" each ]\neach = *"a" [ "/" ]', "each may hold '/', which ends it"),
        ('list = first *[ "/" each ]\nfirst = "b/"\neach = *"a"', "first may hold '/', which ends it"),
        ('list = *[ each ]\neach = ";" value\nvalue = *[ "a" | ";" ]', "value may hold ';', which ends it"),
        (
            'list = *each\neach = "&" name "=" value\nname = *[ "a" | "=" ]\nvalue = *"="',
            "name may hold '=', which ends it",
        ),
    ],
)
def test_no_element_holds_what_divides_the_list(rules: str, message: str) -> None:
    with pytest.raises(GrammarError, match=f"the list part 'part' is ambiguous: {message}"):
        division(Grammar(BNFReader(rules).rules()), "list", "each", "part")


@pytest.mark.parametrize(
    ("text", "albums", "picture"),
    [
        ("x-album://h/a/b/c;size=1", (12, 15), (16, 17)),
        ("x-album://h/a", None, (12, 13)),
        ("x-album://h//", (12, 12), (13, 13)),
        ("x-album://h/", None, (12, 12)),
        ("x-album://h", None, None),
    ],
)
def test_where_each_part_of_a_shared_list_stands(
    text: str, albums: tuple[int, int] | None, picture: tuple[int, int] | None
) -> None:
    match = ALBUM.syntax.fullmatch(text)
    assert match is not None
    assert (ALBUM.syntax.place(match, "albums"), ALBUM.syntax.place(match, "picture")) == (albums, picture)
