"""Text made safe to show, and octets written and read."""

import pytest

from urlschemes.grammar.octets import escape, normal, octets_of, text_of, unescape
from urlschemes.redaction import one_line, redact, shown

BIDI = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"


def test_a_terminal_never_sees_a_control_character() -> None:
    every = "".join(map(chr, [*range(0xA0), 0x2028, 0x2029, 0xFEFF, 0xDC80])) + BIDI
    safe = shown(every)
    assert set(safe) - set("\n\t") == set(filter(str.isprintable, safe))
    assert "\n" in safe
    assert "\\x1b" in safe
    assert "\\x80" in safe
    assert "\\u202e" in safe


def test_what_people_write_is_shown_as_it_is() -> None:
    assert shown("na\u00efve \u65e5\u672c\n\tx") == "na\u00efve \u65e5\u672c\n\tx"


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("ftp://u:secret@h/", "ftp://u:***@h/"),
        ("see ftp://u:a@b@h/ and x://:p@k", "see ftp://u:***@h/ and x://:***@k"),
        ("ftp://u:hun/ter@h/", "ftp://u:***@h/"),
        ("ftp://u@x:pw@h/", "ftp://u@x:***@h/"),
        ("ftp://u:p@h/a@b", "ftp://u:***@h/a@b"),
        ("ftp://u@h/a:b@c", "ftp://u@h/a:b@c"),
        ("http://h:80/x@y", "http://h:80/x@y"),
        ("ftp://u:12?secret@h/", "ftp://u:***@h/"),
        ("ftp://u:?s;e&c=ret@h/a@b", "ftp://u:***@h/a@b"),
    ],
)
def test_passwords_are_hidden(text: str, safe: str) -> None:
    assert redact(text) == safe


def test_a_password_longer_than_the_line_is_hidden() -> None:
    assert one_line(f"see ftp://u:{'p' * 5000}@h/") == "see ftp://u:***@h/"


def test_one_line_is_short() -> None:
    assert len(one_line("\u202e" * 10_000)) == 300
    assert one_line("a\r\nb") == "a\\x0d\\x0ab"


def test_every_octet_survives_the_way_there_and_back() -> None:
    octets = bytes(range(256))
    assert octets_of(text_of(octets)) == octets
    assert octets_of(unescape(escape(octets, frozenset(b"abc")))) == octets


def test_octets_are_decoded_once() -> None:
    assert unescape("%2541%c3%A9") == "%41\u00e9"


def test_normal_undoes_only_escapes_of_unreserved_characters() -> None:
    assert normal("%41%7e%2f%2F%2E%3d") == "A%7E%2F%2F.%3D"
