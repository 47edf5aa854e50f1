"""Why a text is no URL: the kind of error, the place, what was due there, and the rule."""

from pathlib import Path
from typing import Any

import pytest

from urlschemes import InvalidURL, Registration, Scheme
from urlschemes.grammar.syntax import Part, Syntax
from urlschemes.url.fault_place import explanation
from urlschemes.url.value import URL

AlbumURL: Any = Scheme(Registration.from_file(Path(__file__).parent / "album.toml")).url_type
COUNT = Syntax(
    """
    url    = "x-count://" host "/" word ";" number fields
    word   = 1*4alpha
    number = digits
    fields = *3( "," digit )
    """,
    "url",
    [Part(name, [name], number=name == "number") for name in ("host", "word", "number")],
)

# text, kind, part, position, expected, rule, section
TABLE: list[tuple[str, str, str | None, int | None, tuple[str, ...], str | None, str | None]] = [
    ("x-album://h/a b", "InvalidCharacter", "picture", 13, ("a character that a URL may hold",), "xchar", "2.2"),
    ("x-album://h\u00e9", "InvalidCharacter", "host", 11, ("a character that a URL may hold",), "xchar", "2.2"),
    (" x-album://h", "InvalidCharacter", "scheme", 0, ("a character that a URL may hold",), "xchar", "2.2"),
    ("x-album://[::1]/", "InvalidCharacter", "host", 10, ("a character that a URL may hold",), "xchar", "2.2"),
    ("x-album://h/a#b", "FragmentPresent", "picture", 13, ("a character that a URL may hold",), "xchar", "2.2"),
    ("x-album://h/a%4", "BadEscape", "picture", 13, ("two hexadecimal digits",), "escape", "2.2"),
    ("x-album://h/a%4#b", "FragmentPresent", "picture", 15, ("a character that a URL may hold",), "xchar", "2.2"),
    ("x-album://h/a%4 ", "InvalidCharacter", "picture", 15, ("a character that a URL may hold",), "xchar", "2.2"),
    ("", "InvalidScheme", "scheme", 0, ("a scheme name and a colon",), "scheme", "2.1"),
    ("x_album://h", "InvalidScheme", "scheme", 1, ('":"',), "scheme", "2.1"),
    ("x-album:h", "MissingAuthority", "host", 8, ('"//"',), "ip-schemepart", "3.1"),
    ("x-album:/h", "MissingAuthority", "host", 9, ('a second "/"',), "ip-schemepart", "3.1"),
    ("x-album://a@b@h", "InvalidUserinfo", "user", 11, ('"%40"',), "user", "3.1"),
    ("x-album://a:b:c@h", "InvalidUserinfo", "password", 13, ('"%3A"',), "password", "3.1"),
    ("x-album:///a", "EmptyHost", "host", 10, (), "host", "3.1"),
    ("x-album://a_b/", "InvalidHost", "host", 11, (), "toplabel", "3.1"),
    ("x-album://1.2.3.4.5/", "InvalidHost", "host", 19, (), "hostnumber", "3.1"),
    ("x-album://h:/", "InvalidPort", "port", 12, (), "port", "3.1"),
    ("x-album://h:8x/", "InvalidPort", "port", 13, (), "port", "3.1"),
    ("x-album://h/;size=x", "InvalidPart", "size", 18, ("a digit",), "digits", "5"),
    ("x-album://h/;seize=1", "InvalidPart", None, 12, ('";size="',), "albumurl", "2.1"),
    (
        "x-album://h/?a%0Ab",
        "InvalidPart",
        "words",
        14,
        ("another octet",),
        "words",
        "The album specification, section 2",
    ),
    ("x-album://h/?a?b", "InvalidPart", "words", 14, (), "words", "The album specification, section 2"),
]


@pytest.mark.parametrize(
    ("text", "kind", "part", "position", "expected", "rule", "section"), TABLE, ids=[ascii(r[0]) for r in TABLE]
)
def test_what_an_error_says(
    text: str, kind: str, part: str | None, position: int | None, expected: tuple[str, ...], rule: str, section: str
) -> None:
    with pytest.raises(InvalidURL) as caught:
        AlbumURL.parse(text)
    error = caught.value
    assert type(error).__name__ == kind
    assert (error.part, error.position, error.rule) == (part, position, rule)
    assert error.section is not None
    assert error.section.endswith(section)
    if expected:
        assert error.expected == expected
    assert error.text == text
    assert error.definition is not None
    assert error.definition.startswith(f"{rule} = ")
    assert error.hint or kind == "InvalidPart"


@pytest.mark.parametrize("text", ["", ":", "a", "a:b c", "a b:c", "a:%", "\ud800:"])
def test_the_generic_syntax_explains_too(text: str) -> None:
    with pytest.raises(InvalidURL) as caught:
        URL.parse(text)
    assert caught.value.position is not None
    assert str(caught.value)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("x-count://h", 'write "/", and the word behind it'),
        ("x-count://h/", "the word is missing"),
        ("x-count://h/ab", 'write ";", and the number behind it'),
        ("x-count://h/ab;", "the number is a decimal number"),
    ],
)
def test_what_is_missing_at_the_end_is_said(text: str, hint: str) -> None:
    why = explanation(text, COUNT, None)
    assert (why.position, why.hint) == (len(text), hint)


@pytest.mark.parametrize(
    ("text", "position", "said"),
    [
        ("x-count://h/ab;1,2,3,4,5", 22, "too many elements in the fields: the one at position 22"),
        ("x-count://h/abcdef;1", 16, "too many characters in the word: the one at position 16"),
    ],
)
def test_what_is_too_long_is_said(text: str, position: int, said: str) -> None:
    why = explanation(text, COUNT, None)
    assert (why.position, why.message) == (position, f"{said} is more than its rule allows")
    assert "*" in str(why.definition)


def test_a_message_is_whole() -> None:
    with pytest.raises(InvalidURL) as caught:
        AlbumURL.parse("x-album://h:8x/")
    assert str(caught.value) == (
        "'x' at position 13 where a digit, \"/\" or the end of the URL is due; a port is a decimal number"
    )


@pytest.mark.parametrize(
    ("text", "definition"),
    [
        ("x-album://h/?a%0Ab", 'words = *[ uchar | "/" | "=" ], without 0A'),
        ("x-album://h/?a?b", 'words = *[ uchar | "/" | "=" ], without 0A'),
        ("x-album://h/;size=x", "digits = 1*digit, of which at most 4,000 are read"),
        ("x-album://h:8x/", "port = digits"),
        ("x-album://h/a b", "xchar = unreserved | reserved | escape"),
    ],
)
def test_a_definition_says_what_the_rule_of_the_rfc_does_not(text: str, definition: str) -> None:
    with pytest.raises(InvalidURL) as caught:
        AlbumURL.parse(text)
    assert caught.value.definition == definition


@pytest.mark.parametrize(
    ("before", "behind", "kind"),
    [
        ("x-album://h:", "/", "InvalidPort"),
        ("x-album://", ".1.1.1/", "InvalidHost"),
        ("x-album://1.1.1.", ":80/", "InvalidHost"),
        ("x-album://u@1.1.", ".1", "InvalidHost"),
        ("x-album://h/;size=", "", "InvalidPart"),
    ],
)
def test_the_digit_that_is_one_too_many(before: str, behind: str, kind: str) -> None:
    """Decision 18, wherever a number stands."""
    assert AlbumURL.parse(f"{before}{'9' * 4000}{behind}")
    with pytest.raises(InvalidURL, match="a number of more than 4,000 digits") as caught:
        AlbumURL.parse(f"{before}{'9' * 4001}{behind}")
    assert (type(caught.value).__name__, caught.value.position) == (kind, len(before) + 4000)


@pytest.mark.parametrize(
    ("host", "position", "said"),
    [
        ("-a-.b.", 0, "the label '-a-' begins with a hyphen"),
        ("a-.b.", 2, "the label 'a-' ends with a hyphen"),
        ("-a..b", 0, "the label '-a' begins with a hyphen"),
        ("a..-b", 2, "a label of the domain name is empty at position 12"),
        ("a.b.", 3, "the domain name ends with a dot at position 13"),
        (";a", 0, "';' at position 10 cannot stand in a domain name"),
    ],
)
def test_the_first_of_several_faults_of_a_host_is_told(host: str, position: int, said: str) -> None:
    with pytest.raises(InvalidURL) as caught:
        AlbumURL.parse(f"x-album://{host}/")
    assert (caught.value.position, caught.value.message) == (10 + position, said)


def test_more_digits_than_a_number_may_have() -> None:
    with pytest.raises(InvalidURL) as caught:
        AlbumURL.parse("x-album://h:" + "9" * 5000)
    assert type(caught.value).__name__ == "InvalidPort"
    assert caught.value.position == 12 + 4000
