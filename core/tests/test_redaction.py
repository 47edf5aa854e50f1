"""Text that is safe to print."""

import pytest

from urlschemes.redaction import one_line, redact, redact_url, shown

BIDI = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"


def test_control_characters_are_escaped_for_a_terminal() -> None:
    every = "".join(map(chr, [*range(0xA0), 0x2028, 0x2029, 0xFEFF, 0xDC80])) + BIDI
    safe = shown(every)
    assert set(safe) - set("\n\t") == set(filter(str.isprintable, safe))
    assert "\n" in safe
    assert "\\x1b" in safe
    assert "\\x80" in safe
    assert "\\u202e" in safe


def test_ordinary_text_is_not_changed() -> None:
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
        ("ftp://u:80?q=a@b", "ftp://u:***@b"),
        ("ftp://u:1?se=cret@h:80/a", "ftp://u:***@h:80/a"),
        ("http://[::1]?q=a@b", "http://[::1]?q=a@b"),
        ("http://[::1]:80/a@b, http://u@[::1]#a@b", "http://[::1]:80/a@b, http://u@[::1]#a@b"),
        ("ftp://u:secret@[::1]:21/a@b", "ftp://u:***@[::1]:21/a@b"),
        ("ftp://[::1]:secret@h/", "ftp://[:***@h/"),
        ("ftp://u:12?secret@h/", "ftp://u:***@h/"),
        ("ftp://u:?s;e&c=ret@h/a@b", "ftp://u:***@h/a@b"),
    ],
)
def test_passwords_are_hidden(text: str, safe: str) -> None:
    assert redact(text) == safe


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("ftp://u:two words@h/", "ftp://u:***@h/"),
        ("ftp://u:a\tb\nc@h/", "ftp://u:***@h/"),
        ("ftp://u v:secret@h/", "ftp://u v:***@h/"),
        ("ftp:/u:secret@h/", "ftp:/u:***@h/"),
        ("ftp:u:secret@h/", "ftp:u:***@h/"),
        ("ftp//u:secret@h", "ftp//u:***@h"),
        ("FTP;//u:secret@h/", "FTP;//u:***@h/"),
        ("ftp : //u:secret@h/", "ftp : //u:***@h/"),
        ("//u:secret@h/", "//u:***@h/"),
        ("http:\\\\u:secret@h/", "http:\\\\u:***@h/"),
        ("http://h:80/x:y@z", "http://h:80/x:y@z"),
        ("http://[::1]?q=a:@b", "http://[::1]?q=a:@b"),
        ("//u:two words@[::1]/", "//u:***@[::1]/"),
        ("mailto:joe@h", "mailto:joe@h"),
        ("@", "@"),
        ("<URL:ftp://joe:sec ret@h/>", "<URL:ftp://joe:***@h/>"),
        (" url:ftp:/joe:secret@h/", " url:ftp:/joe:***@h/"),
        ("URL:http://h:80/a@b", "URL:http://h:80/a@b"),
    ],
)
def test_passwords_are_hidden_in_a_text_that_is_meant_as_a_url(text: str, safe: str) -> None:
    assert redact_url(text) == safe


def test_a_password_longer_than_the_line_is_hidden() -> None:
    assert one_line(f"see ftp://u:{'p' * 5000}@h/") == "see ftp://u:***@h/"


def test_one_line_has_at_most_300_characters() -> None:
    assert len(one_line("\u202e" * 10_000)) == 300
    assert one_line("a\r\nb") == "a\\x0d\\x0ab"
