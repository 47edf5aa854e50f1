"""Hosts that mislead their readers, and hosts that programs do not understand alike."""

import sys

import pytest

from urlschemes.grammar.octets import encoded
from urlschemes_rfc3986.host_findings import form_findings
from urlschemes_rfc3986.host_findings import name_findings as findings


def a_label(text):
    return "xn--" + text.encode("punycode").decode()


@pytest.mark.parametrize("written", [a_label, lambda text: encoded(text.encode())], ids=["A-label", "escapes"])
@pytest.mark.parametrize(
    ("label", "code", "names"),
    [
        ("p\u0430ypal", "mixed-scripts", "Cyrillic (U+0430 CYRILLIC SMALL LETTER A) and Latin (U+0070 LATIN SMALL LET"),
        ("\u03b1b", "mixed-scripts", "Greek (U+03B1 GREEK SMALL LETTER ALPHA) and Latin"),
        ("\u5b57\u0436", "mixed-scripts", "Cyrillic (U+0436 CYRILLIC SMALL LETTER ZHE) and Han (U+5B57"),
        ("\u304b\u3105", "mixed-scripts", "Bopomofo (U+3105 BOPOMOFO LETTER B) and Hiragana"),
        ("\u304b\ud55c", "mixed-scripts", "Hangul (U+D55C HANGUL SYLLABLE HAN) and Hiragana"),
        ("a\u200bb", "invisible-character", "U+200B ZERO WIDTH SPACE"),
        ("a\u3164", "invisible-character", "U+3164 HANGUL FILLER"),
        ("\u2764\ufe0f", "invisible-character", "U+FE0F VARIATION SELECTOR-16"),
        ("a\u202e", "invisible-character", "U+202E RIGHT-TO-LEFT OVERRIDE"),
        ("\x80", "invisible-character", "U+0080 without a name"),
    ],
)
def test_what_misleads_is_found(label, written, code, names):
    found = findings(f"www.{written(label)}.example")
    (message,) = [message for each, message in found if each == code]
    assert names in message
    assert ascii(label) in message
    assert message.isascii()


@pytest.mark.parametrize(
    "label",
    [
        "b\u00fccher",
        "\u043f\u0440\u0438\u043c\u0435\u0440-1",
        "\u65e5\u672c\u30fc\u304b\u30ab\u3005abc",
        "\u6f22\u3105x",
        "\u6f22\ud55cx",
        "\u0928\u092e\u0938\u094d\u0924\u0947",
    ],
)
def test_scripts_that_are_written_together_are_no_finding(label):
    assert findings(f"{a_label(label)}.com") == findings(encoded(label.encode())) == ()


@pytest.mark.parametrize("host", ["example.com", "1.2.3.4", "[::1]", "a_b", "", "%FF", "xn-a", "\u0430.b"])
def test_other_hosts_have_no_findings(host):
    assert findings(host) == ()


@pytest.mark.parametrize(
    "label", ["xn--", "xn--abc-", "xn--99999999999", "XN---\u00e9", "xn--a%20", f"xn--{'a' * 60}9"]
)
def test_a_label_that_encodes_nothing_is_found(label):
    assert findings(f"{label}.com")[0][0] == "invalid-a-label"


@pytest.mark.parametrize(
    ("label", "reason"),
    [
        ("xn--ab-c6t", "U+2044 FRACTION SLASH"),
        ("xn--ab-r13a", "U+3002 IDEOGRAPHIC FULL STOP"),
        ("XN--AB-1U3N", "U+FF0F FULLWIDTH SOLIDUS"),
        ("xn--c0a", "U+0410 CYRILLIC CAPITAL LETTER A"),
        ("xn--n3h", "U+2603 SNOWMAN (a symbol: such names exist in the DNS, but not all programs look them up)"),
        ("xn--o-ccb", "Label must be in Normalization Form C"),
        (a_label("\u05d0a"), "letters that are written from right to left are mixed with others (RFC 5893)"),
    ],
)
def test_an_a_label_that_idna_2008_refuses_is_found_where_its_library_is_installed(label, reason, monkeypatch):
    (message,) = [message for code, message in findings(f"www.{label}.com") if code == "invalid-a-label"]
    assert message.endswith(f", which IDNA 2008 does not allow: {reason}")
    assert message.isascii()
    monkeypatch.setitem(sys.modules, "idna", None)
    assert "invalid-a-label" not in dict(findings(f"www.{label}.com"))


@pytest.mark.parametrize(
    ("host", "code", "message"),
    [
        ("0x7f.1", "numeric-host", "many programs read the host as the IPv4 address 127.0.0.1"),
        ("1.2.3", "numeric-host", "many programs read the host as the IPv4 address 1.2.0.3"),
        ("1.0377.0X1.", "numeric-host", "many programs read the host as the IPv4 address 1.255.0.1"),
        ("2130706433", "numeric-host", "many programs read the host as the IPv4 address 127.0.0.1"),
        ("%31.2", "numeric-host", "many programs read the host as the IPv4 address 1.0.0.2"),
        ("0x", "numeric-host", "many programs read the host as the IPv4 address 0.0.0.0"),
        ("256.1", "numeric-host", "the host ends with a number, but is not an IPv4 address: browsers reject it"),
        ("1.2.3.4.5", "numeric-host", "the host ends with a number, but is not an IPv4 address: browsers reject it"),
        ("4294967296", "numeric-host", "the host ends with a number, but is not an IPv4 address: browsers reject it"),
        ("08", "numeric-host", "the host ends with a number, but is not an IPv4 address: browsers reject it"),
        ("9" * 5000, "numeric-host", "the host ends with a number, but is not an IPv4 address: browsers reject it"),
        ("a.1", "numeric-host", "the host ends with a number, but is not an IPv4 address: browsers reject it"),
        ("a%2Db", "escaped-host", "the host has escapes: decoded, it is 'a-b'"),
        ("%C3%BC", "escaped-host", "the host has escapes: decoded, it is '\\xfc'"),
        ("a_b.c", "unusual-name", "no host of the DNS has a label like 'a_b'"),
        ("a.-b", "unusual-name", "no host of the DNS has a label like '-b'"),
        ("a;b", "unusual-name", "no host of the DNS has a label like 'a;b'"),
        ("a..b", "unusual-name", "the host has an empty label, which no name of the DNS has"),
        ("[::FFFF]", "address-spelling", "the address is usually written [::ffff]"),
        ("[1::2:0:0:0:0]", "address-spelling", "the address is usually written [1:0:0:2::]"),
        ("[::0:1]", "address-spelling", "the address is usually written [::1]"),
        ("[::ffff:10.0.0.1]", "mapped-address", "the IPv6 address stands for the IPv4 address 10.0.0.1"),
        ("[::ffff:a00:1]", "mapped-address", "the IPv6 address stands for the IPv4 address 10.0.0.1"),
        ("[V1f.x:y]", "future-address", "no program knows the addresses of version 1f"),
    ],
)
def test_an_unusual_form_is_found(host, code, message):
    assert [*form_findings(host)] == [(code, message)]


@pytest.mark.parametrize(
    "host",
    [
        "a",
        "a-b.c1",
        "a.example.",
        "xn--bcher-kva.de",
        "1a",
        "a.0x1g",
        "[::1]",
        "[1:0:0:2::]",
        "[64:ff9b::192.0.2.1]",
    ],
)
def test_the_usual_forms_are_no_finding(host):
    assert [*form_findings(host)] == []
