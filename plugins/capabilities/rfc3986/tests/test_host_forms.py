"""Hosts that are legal, and that programs do not understand alike."""

import pytest

from urlschemes_rfc3986.host_forms import form_findings


@pytest.mark.parametrize(
    ("host", "code", "message"),
    [
        ("0x7f.1", "numeric-host", "many programs read the host as the IPv4 address 127.0.0.1"),
        ("1.2.3", "numeric-host", "many programs read the host as the IPv4 address 1.2.0.3"),
        ("1.0377.0X1.", "numeric-host", "many programs read the host as the IPv4 address 1.255.0.1"),
        ("2130706433", "numeric-host", "many programs read the host as the IPv4 address 127.0.0.1"),
        ("%31.2", "numeric-host", "many programs read the host as the IPv4 address 1.0.0.2"),
        ("0x", "numeric-host", "many programs read the host as the IPv4 address 0.0.0.0"),
        ("256.1", "numeric-host", "the host ends with a number, but is no IPv4 address: browsers reject it"),
        ("1.2.3.4.5", "numeric-host", "the host ends with a number, but is no IPv4 address: browsers reject it"),
        ("4294967296", "numeric-host", "the host ends with a number, but is no IPv4 address: browsers reject it"),
        ("08", "numeric-host", "the host ends with a number, but is no IPv4 address: browsers reject it"),
        ("9" * 5000, "numeric-host", "the host ends with a number, but is no IPv4 address: browsers reject it"),
        ("a.1", "numeric-host", "the host ends with a number, but is no IPv4 address: browsers reject it"),
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
        "1.2.3.4",
        "1a",
        "a.0x1g",
        "[::1]",
        "[1:0:0:2::]",
        "[64:ff9b::192.0.2.1]",
    ],
)
def test_the_usual_forms_are_no_finding(host):
    assert [*form_findings(host)] == []
