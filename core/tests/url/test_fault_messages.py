"""Messages of invalid URLs: what is wrong, what was expected, and one hint."""

from pathlib import Path
from typing import Any

import pytest

from urlschemes import InvalidURL, Registration, Scheme
from urlschemes.grammar.part import Part
from urlschemes.grammar.syntax import Syntax
from urlschemes.rfc1738 import RFC1738
from urlschemes.url.fault_place import Fault

AlbumURL: Any = Scheme(Registration.from_file(Path(__file__).parent.parent / "album.toml")).url_type
COUNT = Syntax(
    """
    url    = "x-count://" host "/" word ";" number fields
    word   = 1*4alpha
    number = digits
    fields = *3( "," digit )
    """,
    "url",
    [Part(name, [name], number=name == "number") for name in ("host", "word", "number")],
    profile=RFC1738,
)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("x-count://h", 'add "/" and the word'),
        ("x-count://h/", "add the word"),
        ("x-count://h/ab", 'add ";" and the number'),
        ("x-count://h/ab;", "write the number in decimal digits"),
    ],
)
def test_the_hint_names_what_is_missing_at_the_end(text: str, hint: str) -> None:
    why = Fault(text, COUNT, None)
    assert (why.position, why.hint) == (len(text), hint)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x", ["free", "frog", "full", "tcp"]),
        ("f", ["free", "frog", "full"]),
        ("fr", ["free", "frog"]),
        ("fu", ["full"]),
    ],
)
def test_literals_that_begin_alike_are_all_expected(text: str, words: list[str]) -> None:
    syntax = Syntax('u = "x:" ( "free" | "full" | "frog" | "tcp" )', "u", profile=RFC1738)
    assert sorted(Fault(f"x:{text}", syntax, None).expected) == [f'"{word}"' for word in words]


def test_the_text_of_an_error_is_message_and_hint() -> None:
    with pytest.raises(InvalidURL) as caught:
        AlbumURL.parse("x-album://h:8x/")
    assert str(caught.value) == (
        'invalid character in the port at position 13: expected a digit, "/" or the end of the URL; '
        "the port is a decimal number"
    )


@pytest.mark.parametrize(
    ("host", "position", "message"),
    [
        ("-a-.b.", 0, "invalid label '-a-' at position 10: labels of a host do not begin with a hyphen"),
        ("a-.b.", 2, "invalid label 'a-' at position 10: labels of a host do not end with a hyphen"),
        ("-a..b", 0, "invalid label '-a' at position 10: labels of a host do not begin with a hyphen"),
        ("a..-b", 2, "empty label in the host at position 12: expected a letter or digit"),
        ("a.b.", 4, "unexpected '.' at position 13: expected the end of the host"),
        (";a", 0, "invalid character ';' in the host at position 10: expected a letter or digit"),
    ],
)
def test_the_first_fault_of_a_host_counts(host: str, position: int, message: str) -> None:
    with pytest.raises(InvalidURL) as caught:
        AlbumURL.parse(f"x-album://{host}/")
    assert (caught.value.position, caught.value.message) == (10 + position, message)


def test_a_password_is_not_quoted() -> None:
    for text in ("x-album://u:p<q@h/", "x-album://u:p@q@h/", "x-album://u:pa/ss@h/"):
        with pytest.raises(InvalidURL) as caught:
            AlbumURL.parse(text)
        assert "'" not in caught.value.message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x-album://h/a;b", "invalid character ';' in the picture at position 13: expected \";size=\" or %3B"),
        (
            "x-album://h/;size=1;",
            "invalid character ';' in the size at position 19: expected a digit or the end of the URL",
        ),
        ("x-album://h/;size=", "missing size at position 18: expected a digit"),
        ("x-album://h/;size=x", "invalid size 'x' at position 18: expected a digit"),
        ("x-album://", "missing host at position 10: expected a domain name or four groups of digits"),
        ("x-album://::1/", "invalid host '::1' at position 10: expected a domain name or four groups of digits"),
        ("x-album://1.2/", "invalid host '1.2' at position 10: expected four groups of digits, not 2"),
        ("x-album://h?a", "invalid character '?' at position 11: expected \"/\""),
        ("x-album://h%41/", "invalid character '%' in the host at position 11: a host has no escapes"),
        (
            "x-album://h/\udcff",
            "invalid character '\\xff' in the picture at position 12: expected graphic US-ASCII characters",
        ),
        ("x-album://u@v@h", "invalid character '@' in the user name at position 11: expected %40"),
    ],
)
def test_a_message_says_what_is_wrong_where_and_what_was_expected(text: str, message: str) -> None:
    with pytest.raises(InvalidURL) as caught:
        AlbumURL.parse(text)
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("text", "position", "message"),
    [
        ("x-count://h/ab;1,2,3,4,5", 22, "too many elements in the fields at position 22: expected at most 3"),
        ("x-count://h/abcdef;1", 16, "too many characters in the word at position 16: expected at most 4"),
    ],
)
def test_the_element_that_is_one_too_many_is_found(text: str, position: int, message: str) -> None:
    why = Fault(text, COUNT, None)
    assert (why.position, why.message) == (position, message)
    assert "*" in str(why.definition)
