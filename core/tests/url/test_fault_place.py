"""The errors of invalid URLs: class, part, position, expected texts, rule and section."""

from pathlib import Path
from typing import Any

import pytest

from urlschemes import InvalidURL, Registration, Scheme
from urlschemes.url.value import URL

AlbumURL: Any = Scheme(Registration.from_file(Path(__file__).parent.parent / "album.toml")).url_type

# text, kind, part, position, expected, rule, section
TABLE: list[tuple[str, str, str | None, int | None, tuple[str, ...], str | None, str | None]] = [
    ("x-album://h/a b", "invalid-character", "picture", 13, ('"%20"',), "xchar", "2.2"),
    ("x-album://h\u00e9", "invalid-character", "host", 11, (), "xchar", "2.2"),
    (" x-album://h", "invalid-character", "scheme", 0, (), "xchar", "2.2"),
    ("x-album://[::1]/", "invalid-character", "host", 10, (), "xchar", "2.2"),
    ("x-album://h/a#b", "fragment-present", "picture", 13, ('"%23"',), "xchar", "2.2"),
    ("x-album://h/a%4", "bad-escape", "picture", 13, ("two hexadecimal digits",), "escape", "2.2"),
    ("x-album://h/a%4#b", "bad-escape", "picture", 13, (), "escape", "2.2"),
    ("x-album://h/a%4 ", "bad-escape", "picture", 13, (), "escape", "2.2"),
    ("", "invalid-scheme", "scheme", 0, ("a scheme name and a colon",), "scheme", "2.1"),
    ("x_album://h", "invalid-scheme", "scheme", 1, ('":"',), "scheme", "2.1"),
    ("x-album:h", "missing-authority", "host", 8, ('"//"',), "ip-schemepart", "3.1"),
    ("x-album:/h", "missing-authority", "host", 9, ('a second "/"',), "ip-schemepart", "3.1"),
    ("x-album://a@b@h", "invalid-userinfo", "user", 11, ('"%40"',), "user", "3.1"),
    ("x-album://a:b:c@h", "invalid-userinfo", "password", 13, ('"%3A"',), "password", "3.1"),
    ("x-album:///a", "empty-host", "host", 10, (), "host", "3.1"),
    ("x-album://a_b/", "invalid-host", "host", 11, (), "toplabel", "3.1"),
    ("x-album://1.2.3.4.5/", "invalid-host", "host", 19, (), "hostnumber", "3.1"),
    ("x-album://h:/", "invalid-port", "port", 12, (), "port", "3.1"),
    ("x-album://h:8x/", "invalid-port", "port", 13, (), "port", "3.1"),
    ("x-album://h/;size=x", "invalid-part", "size", 18, ("a digit",), "digits", "5"),
    ("x-album://h/;seize=1", "invalid-part", None, 12, ('";size="',), "albumurl", "2.1"),
    (
        "x-album://h/?a%0Ab",
        "invalid-part",
        "words",
        14,
        ("another octet",),
        "words",
        "The album specification, section 2",
    ),
    ("x-album://h/?a?b", "invalid-part", "words", 14, (), "words", "The album specification, section 2"),
]


@pytest.mark.parametrize(
    ("text", "kind", "part", "position", "expected", "rule", "section"), TABLE, ids=[ascii(r[0]) for r in TABLE]
)
def test_an_error_names_part_position_expected_texts_rule_and_section(
    text: str, kind: str, part: str | None, position: int | None, expected: tuple[str, ...], rule: str, section: str
) -> None:
    with pytest.raises(InvalidURL) as caught:
        AlbumURL.parse(text)
    error = caught.value
    assert error.code == kind
    assert (error.part, error.position, error.rule) == (part, position, rule)
    assert error.section is not None
    assert error.section.endswith(section)
    if expected:
        assert error.expected == expected
    assert error.text == text
    assert error.definition is not None
    assert error.definition.startswith(f"{rule} = ")
    assert error.hint or kind == "invalid-part"


@pytest.mark.parametrize("text", ["", ":", "a", "a:b c", "a b:c", "a:%", "\ud800:"])
def test_the_generic_url_explains_its_errors(text: str) -> None:
    with pytest.raises(InvalidURL) as caught:
        URL.parse(text)
    assert caught.value.position is not None
    assert str(caught.value)


@pytest.mark.parametrize(
    ("text", "definition"),
    [
        ("x-album://h/?a%0Ab", 'words = *[ uchar | "/" | "=" ], without 0A'),
        ("x-album://h/?a?b", 'words = *[ uchar | "/" | "=" ], without 0A'),
        ("x-album://h/;size=x", "digits = 1*digit"),
        ("x-album://h:8x/", "port = digits"),
        ("x-album://h/a b", "xchar = unreserved | reserved | escape"),
    ],
)
def test_the_definition_names_excluded_octets(text: str, definition: str) -> None:
    with pytest.raises(InvalidURL) as caught:
        AlbumURL.parse(text)
    assert caught.value.definition == definition


@pytest.mark.parametrize(
    ("before", "behind", "code"),
    [
        ("x-album://h:", "/", "invalid-port"),
        ("x-album://h:000", "", "invalid-port"),
        ("x-album://h/;size=", "", "invalid-part"),
        ("x-album://h/;size=00", "", "invalid-part"),
    ],
)
def test_a_number_has_at_most_4000_digits(before: str, behind: str, code: str) -> None:
    assert AlbumURL.parse(f"{before}{'9' * 4000}{behind}")
    with pytest.raises(
        InvalidURL, match=r"^too many digits in the (port|size) at .*: expected at most 4,000"
    ) as caught:
        AlbumURL.parse(f"{before}{'9' * 4003}{behind}")
    error = caught.value
    assert (error.code, error.position) == (code, len(before) + 4000)
    assert (error.span, error.expected) == ((error.position, error.position + 3), ("at most 4,000 digits",))
