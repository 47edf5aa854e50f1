"""Errors in the profile of RFC 3986: places, rules, sections and hints, of hosts above all."""

import pytest

from urlschemes import InvalidURL, Registry

MODERN = Registry(profile="rfc3986")


@pytest.mark.parametrize(
    ("text", "code", "position", "section", "message"),
    [
        ("http://", "empty-host", 7, "3.2.2", "missing host at position 7: expected a name, an IPv4 address, or"),
        ("http://:80/", "empty-host", 7, "3.2.2", "missing host at position 7"),
        ("http://?q", "empty-host", 7, "3.2.2", "missing host at position 7"),
        ("http://#f", "empty-host", 7, "3.2.2", "missing host at position 7"),
        ("http://[::1", "invalid-host", 11, "3.2.2", "unclosed bracket in '[::1' at position 7: expected ']'"),
        ("http://[::1/a", "invalid-host", 11, "3.2.2", "unclosed bracket in '[::1' at position 7: expected ']'"),
        (
            "http://[1:2:3]/",
            "invalid-host",
            13,
            "3.2.2",
            "invalid address '1:2:3' at position 8: expected eight groups",
        ),
        ("http://[::g]/", "invalid-host", 10, "3.2.2", "invalid character 'g' in the host at position 10: expected"),
        ("http://[1::8888:1:12345]/", "invalid-host", 22, "3.2.2", "too many characters in the host at position 22"),
        ("http://[1:2:3::4:5]/ ", "invalid-character", 20, "2.1", "invalid character ' ' in the path at position 20"),
        (
            "http://[1:2:3:4:5:6:7:8:9]/",
            "invalid-host",
            23,
            "3.2.2",
            "invalid character ':' in the host at position 23",
        ),
        ("http://[::12345]/", "invalid-host", 14, "3.2.2", "too many characters in the host at position 14: expected"),
        ("http://[1.2.3.4]/", "invalid-host", 9, "3.2.2", "invalid address '1.2.3.4' at position 8: expected"),
        ("http://[]/", "invalid-host", 8, "3.2.2", "missing address at position 8: expected an IPv6 address"),
        ("http://[v1]/", "invalid-host", 10, "3.2.2", "invalid address 'v1' at position 8: expected a version, a dot"),
        ("http://[::1]80/", "invalid-host", 12, "3.2.2", "invalid character '8' at position 12: expected one of :, /"),
        ("http://::1/", "invalid-host", 7, "3.2.2", "invalid host '::1' at position 7: expected a name, an IPv4"),
        ("http://[fe80::1%25eth0]/", "invalid-host", 15, "3.2.2", "unexpected zone '%25eth0' at position 15: expected"),
        ("http://[fe80::1%eth0]/", "bad-escape", 15, "2.1", "invalid escape at position 15"),
        (
            "http://2001:db8::1/",
            "invalid-host",
            12,
            "3.2.2",
            "invalid host '2001:db8::1' at position 7: expected a name",
        ),
        ("http://a[b/", "invalid-host", 8, "3.2.2", "invalid character '[' in the host at position 8: expected"),
        ("http://a b/", "invalid-character", 8, "2.1", "invalid character ' ' in the host at position 8: neither"),
        ("http://127.0.0.1::80", "invalid-port", 17, "3.2.3", "invalid port at position 17: expected a digit"),
        ("http://[&::1%25eth0]/", "invalid-host", 8, "3.2.2", "invalid character '&' in the host at position 8"),
        ("http://h:8a/", "invalid-port", 10, "3.2.3", "invalid character in the port at position 10: exp"),
        ("http://h:a?", "invalid-port", 9, "3.2.3", "invalid port at position 9: expected a digit"),
        (
            "http://h?q@x#y#",
            "invalid-part",
            14,
            "3.5",
            "invalid character '#' in the fragment at position 14: expected",
        ),
        ("http://h/[", "invalid-part", 9, "3.3", "invalid character '[' in the path at position 9: expected %5B"),
        ("http:/h", "missing-authority", 6, "3.2", "invalid character 'h' at position 6: expected a second"),
        ("http:h", "missing-authority", 5, "3.2", "invalid character 'h' at position 5: expected \"//\""),
        ("ahttp//h", "invalid-scheme", 5, "3.1", "invalid character '/' in the scheme at position 5"),
        ("7:h", "invalid-scheme", 0, "3.1", "invalid character '7' in the scheme at position 0: expected a letter"),
    ],
)
def test_an_error_names_place_rule_and_section(text, code, position, section, message):
    with pytest.raises(InvalidURL) as caught:
        MODERN.parse(text)
    error = caught.value
    assert (error.code, error.position, error.section) == (code, position, f"RFC 3986 section {section}")
    assert error.message.startswith(message)
    assert "RFC 1738" not in str(error)


@pytest.mark.parametrize(
    ("host", "hint"),
    [
        ("b\u00fccher.example", "write xn--bcher-kva.example, as `urlschemes unicode` does"),
        ("B\u00fccher.example", "write xn--bcher-kva.example, as `urlschemes unicode` does"),
        ("\u2603.net", "IDNA 2008 lets no domain name hold '\u2603'"),
        ("\u0661\u0662.de", "no domain name has this form: letters that are written from right to left"),
        ("[::\u00fc]", "leave it out"),
        ("::1", "write brackets around an IPv6 address"),
        ("[::1%eth0]", "leave out the zone of the address: it has a meaning on one machine only"),
        ("a%b", "write a name, an IPv4 address, or an IPv6 address in brackets"),
    ],
)
def test_a_host_has_the_same_hint_in_a_text_and_as_a_part(host, hint):
    kind = MODERN["http"].url_type
    for make in (
        lambda: MODERN.parse(f"http://{host}/"),
        lambda: kind(host=host),
        lambda: kind.parse("http://h/").replace(host=host),
    ):
        with pytest.raises(InvalidURL) as caught:
            make()
        assert caught.value.part == "host"
        assert caught.value.hint.startswith(hint)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        *(
            (f"http://{rest}", "write a name, an IPv4 address, or an IPv6 address in brackets after `//`")
            for rest in ("", "/", "//", "//a", "/?a")
        ),
        (
            "http:///h/",
            "write a name, an IPv4 address, or an IPv6 address in brackets after `//`, or leave out the third `/`",
        ),
        (
            r"http://h\@e/",
            (
                "write `/` if the host ends here, or leave out the text before the `@`: the scheme has no user name "
                "and no password"
            ),
        ),
        (
            "http://[1:2:3/",
            (
                "an IPv6 address has eight groups of up to four hexadecimal digits, or `::` for groups that are "
                "zero, and a `]` after them"
            ),
        ),
        ("mailto:%22a b%22@c.d", "write %5C%20"),
        ("mailto://joe@h.example", "leave out the `//`: the scheme has no host"),
        ("http://[::1", "write a `]` after the address"),
        ("nntp://h?x", "write a `/` after the host"),
        ("ftp://joe:a#b@h/", "if this is a user name and a password, write %23 for `#` in them"),
        ("http://[http://h]/", "leave out the brackets: they are for IPv6 addresses only"),
        ("http://[1.2.3.4]/", "leave out the brackets: they are for IPv6 addresses only"),
        ("http://[::1.2.3.256]/", "an IPv4 address at the end is four numbers from 0 to 255, without leading zeros"),
        (
            "ftp://u[:p@h/",
            "write %3A, %40, %2F, %3F, %23 and %5B for `:`, `@`, `/`, `?`, `#` and `[` in a user name or password",
        ),
        ("http://[::1]80/", "write a colon before the port"),
        ("http://a:80:90/", "leave out the second port; an IPv6 address is written in brackets"),
        ("http://[fe80::1%25eth0]/", "leave out the zone of the address: it has a meaning on one machine only"),
        ("http://::1/", "write brackets around an IPv6 address"),
        ("http://2001:db8::1/", "write brackets around an IPv6 address"),
    ],
)
def test_a_hint_says_what_to_do(text, hint):
    with pytest.raises(InvalidURL) as caught:
        MODERN.parse(text)
    assert caught.value.hint == hint
