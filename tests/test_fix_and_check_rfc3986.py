"""`check`, `fix` and `explain` of URLs of RFC 3986."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from contextlib import suppress

import pytest

from urlschemes import Registry, default_registry
from urlschemes_lint import NotRepairable, check, explain, fix

MODERN = Registry(profile="rfc3986")
ADDRESSES = [
    "\u2460\u2461\u2466.0.0.1", "127\u30020\u30020\u30021", "0x\uff17f.1", "\uff12\uff11\uff13\uff10", "\u2460",
    "\uff11::1", "\u2460::",
    "[\u00e9.xn--a", "[.xn--a.\u00e9]", "pay\u200bpal.example", "a\u00adb.example",
]  # fmt: skip
"""Hosts that mapping to US-ASCII would make addresses, or names with fewer letters."""


@pytest.mark.parametrize(
    ("text", "url", "what"),
    [
        ("http://h/~a[1]?[b]#[c]", "http://h/~a%5B1%5D?%5Bb%5D#%5Bc%5D", ["character encoded"] * 6),
        ("http://h/a b?c d#e f", "http://h/a%20b?c%20d#e%20f", ["character encoded"] * 3),
        ('http://h/"|^{}`<>', "http://h/%22%7C%5E%7B%7D%60%3C%3E", ["character encoded"] * 8),
        ("http://h/?a\\b#c\\d", "http://h/?a%5Cb#c%5Cd", ["character encoded"] * 2),
        ("http://h/100%?%zz#%4", "http://h/100%25?%25zz#%254", ["character encoded"] * 3),
        ("http://h/\u00e9?\u00e9#\u00e9", "http://h/%C3%A9?%C3%A9#%C3%A9", ["character encoded"] * 3),
        ("http://h/a#b#c", "http://h/a#b%23c", ["character encoded"]),
        ("http://2001:db8::1/", "http://[2001:db8::1]/", ["bracket added"] * 2),
        ("http://::1", "http://[::1]", ["bracket added"] * 2),
        ("http://1:2:3:4:5:6:7:8:80/", "http://[1:2:3:4:5:6:7:8]:80/", ["bracket added"] * 2),
        ("ftp://joe@::1/a b", "ftp://joe@[::1]/a%20b", ["bracket added"] * 2 + ["character encoded"]),
        ("<URL:http://h/a#b\n c>", "http://h/a#bc", ["wrapper removed", "white space removed", "wrapper removed"]),
        (" http://::1#a ", "http://[::1]#a", ["white space removed", *["bracket added"] * 2, "white space removed"]),
        ("http://B\u00dcCHER\u3002example:80", "http://xn--bcher-kva.example:80", ["name encoded"]),
        (
            "https://b\u00fccher.example/a b|c",
            "https://xn--bcher-kva.example/a%20b%7Cc",
            ["name encoded", *["character encoded"] * 2],
        ),
        (
            "<ftp://j\u00f6@\u00e9.\u4f8b/>",
            "ftp://j%C3%B6@xn--9ca.xn--fsq/",
            ["wrapper removed", "character encoded", "name encoded", "name encoded", "wrapper removed"],
        ),
        ("<http://::1>", "http://[::1]", ["wrapper removed", *["bracket added"] * 2, "wrapper removed"]),
        ("http://h:?q", "http://h:?q", []),
        ("http://h.", "http://h.", []),
    ],
)
def test_a_mistake_with_one_right_repair_is_repaired(text: str, url: str, what: list[str]) -> None:
    fixed = fix(text, registry=MODERN)
    assert str(fixed.url) == url
    assert fixed.fragment is None, "it is a part of the URL"
    assert [change.what for change in fixed.changes] == what
    for change in reversed(fixed.changes):
        end = change.position + len(change.before)
        assert text[change.position : end] == change.before
        text = text[: change.position] + change.after + text[end:]
    assert text == url
    for change in fixed.changes:
        sections = {
            "character encoded": "RFC 3986 section 2.1",
            "bracket added": "RFC 3986 section 3.2.2",
            "name encoded": "RFC 5891 section 4",
        }
        assert change.section == sections.get(change.what, "RFC 3986 Appendix C")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("http://1:2:::3/", "^cannot be repaired without guessing: "),
        ("http://::1:80/", r"^ambiguous IPv6 address at position 7: write \[::1\]:80 or \[::1:80\]; "),
        ("http://h/a\\b", r"^ambiguous '\\' at position 10"),
        ("http://h/a\u200bb", "^ambiguous .*: leave it out, or write %E2%80%8B if it is data"),
        ("<http://h/a-\n#b>", "^ambiguous hyphen before a line break at position 11: "),
        ("http://\u2615.example/", r"^`fix` never guesses a host: .* IDNA 2008 lets no domain name hold '\\u2615'$"),
        ("http://a_\u00fc.example/", "^`fix` never guesses a host: "),
        ("http://b\u00fc cher.example/", "^`fix` never guesses a host: "),
        ("http://a\u2100b/", "^`fix` never guesses a host: "),
        *(
            (f"http://{host}/", "^(`fix` never guesses a host|cannot be repaired without guessing): ")
            for host in ADDRESSES
        ),
        ("http://u:a#b@h/", "^cannot .*; if a user name and a password end at the `@`, leave them out: "),
        ("http://a b/", "^`fix` never guesses a host: .*; remove the white space$"),
        ("http://fe80::1%eth0/", "^cannot be repaired without guessing: "),
        (
            "data:text/html; charset=utf-8,<b>",
            "^ambiguous ' ' at position 15: leave it out, or write %20 if it is data; ",
        ),
        (
            "data:image/svg+xml;utf8,<svg/>",
            r"^ambiguous ',' .* `;utf8`, which is not name=value; it may mean data:image/svg\+xml,%3Csvg/%3E$",
        ),
        ("mailto://joe@h.example", "^ambiguous '/' at position 7: leave out the `//`, or write %2F%2F if it is data; "),
        ("file:////a", "^ambiguous '/' at position 8: leave it out, or write %2F if it is data; "),
        ("http://joe@h/", "^cannot be repaired without guessing: "),
        (
            "mailto:a@b.example&subject=x&body=a b",
            "^ambiguous '&' at position 18: write `[?]` if a field begins here, or %26 if ",
        ),
        (
            "mailto:a@b.example?cc=c@d.example?body=e",
            "^ambiguous '[?]' at position 33: write `&` if another field begins here, or %3F if ",
        ),
        (
            "file:////h/s",
            "^ambiguous '/' at position 8: read .* by `FileURI.from_nonstandard`, or write %2F if it is data; ",
        ),
        (
            "file:///c|/a b",
            "^ambiguous '[|]' at position 9: read .* by `FileURI.from_nonstandard`, or write %7C if it is data; ",
        ),
        ("http://[2001:db8::1]:::0/x", "^cannot be repaired without guessing: "),
        (
            'mailto:"a b"@c.d',
            (
                "^cannot be repaired without guessing: invalid character ' ' in the addresses at position 9: "
                "unsafe characters must be encoded; write %5C%20$"
            ),
        ),
        ("//h/a", "^there is no scheme name"),
        ("reload://0d@b c.example:6084/", "^cannot be repaired without guessing: invalid character ' ' in the overlay"),
        ("iax:a@b@c/x", "^cannot be repaired without guessing: invalid character '@' in the host"),
        ("xmpp:a b/c@d", "^cannot be repaired without guessing: invalid character ' ' at position 6"),
    ],
)
def test_a_mistake_without_one_right_repair_is_not_repaired(text: str, message: str) -> None:
    with pytest.raises(NotRepairable) as caught:
        fix(text, registry=MODERN)
    assert re.match(message, str(caught.value))


@pytest.mark.parametrize(
    ("url", "code", "span"),
    [
        ("mailto:%2f%2Fjoe@h.example", "slashes-before-address", (7, 13)),
        ("telnet://-fjoe@h/", "option-for-user", (9, 10)),
        ("telnet://%2dfjoe@h/", "option-for-user", (9, 12)),
        ("wais://h/db?a+b", "plus-for-blank", (13, 14)),
    ],
)
def test_the_cautions_of_records_are_reported(url: str, code: str, span: tuple[int, int]) -> None:
    found = [(each.code, each.span) for each in check(url, registry=MODERN) if each.code != "needless-escape"]
    assert found == [(code, span)]


@pytest.mark.parametrize(
    "text",
    [
        "news:a:b@host.example",
        "news:x(1)@h.example",
        "news:x..y@h.example",
        "news:a b@h.example",
        "news:*(@h.example",
        "news://u@h/x(1)@h.example",
    ],
)
def test_a_delimiter_does_not_become_data(text: str) -> None:
    with pytest.raises(NotRepairable, match=r"^cannot be repaired without guessing: "):
        fix(text, registry=MODERN)


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("news:a b", "news:a%20b"),
        ("news:a:b", "news:a%3Ab"),
        ("nntp://h/a:b@h", "nntp://h/a%3Ab%40h"),
        ("ftp://u[@h/a[b", "ftp://u%5B@h/a%5Bb"),
        ("http://h/a|b@c", "http://h/a%7Cb@c"),
        ("iax:a b@c/x", "iax:a%20b@c/x"),
        ("geo:1,2;a=[|]", "geo:1,2;a=[%7C]"),
        ("mailto:joe@h.example?subject=what?", "mailto:joe@h.example?subject=what%3F"),
        ("mailto:joe@h.example?subject=a?b&body=c", "mailto:joe@h.example?subject=a%3Fb&body=c"),
    ],
)
def test_a_character_that_divides_nothing_there_is_encoded(text: str, url: str) -> None:
    assert str(fix(text, registry=MODERN).url) == url


@pytest.mark.parametrize(
    ("text", "findings"),
    [
        ("http://h/~a?b[]=c#d#e", [("invalid-part", "query", (13, 15)), ("invalid-part", "fragment", (19, 20))]),
        ("http://h/a b#c d", [("invalid-character", "path", (10, 11)), ("invalid-character", "fragment", (14, 15))]),
        ("http://[::g:1.2]:25/", [("invalid-host", "host", (8, 15)), ("reserved-port", "port", (17, 19))]),
        ("http::\xfc./", [("missing-authority", "host", (5, 6)), ("invalid-character", "host", (6, 7))]),
        (
            "http://u@h|/|",
            [
                ("userinfo-not-allowed", "user", (7, 8)),
                ("invalid-character", "host", (10, 11)),
                ("invalid-character", "path", (12, 13)),
            ],
        ),
        ("http://[::1/a|", [("invalid-host", "host", (7, 11)), ("invalid-character", "path", (13, 14))]),
        ("http://[fe80::1%a]/|", [("bad-escape", "host", (15, 16)), ("invalid-character", "path", (19, 20))]),
        ("http://::1:80/|", [("invalid-host", "host", (7, 13)), ("invalid-character", "path", (14, 15))]),
        ("http://a b:25/", [("invalid-character", "host", (8, 9)), ("reserved-port", "port", (11, 13))]),
        ("http://h/%7E%2f", [("needless-escape", "path", (9, 12)), ("encoded-delimiter", "path", (12, 15))]),
        ("https://h/%FF?b=%C3%A9%41%e9#%FF", [("not-utf-8", "path", (10, 13)), ("needless-escape", "query", (22, 25)),
                                              ("not-utf-8", "query", (25, 28))]),
        ("file:///%FF", []),
        ("ftp://h/%FF", []),
        ("http://h/a/%2E./b/.", [("needless-escape", "path", (11, 14)), ("dot-segment", "path", (11, 15)),
                                 ("dot-segment", "path", (18, 19))]),
        ("http://h/a..b?/../", []),
        ("http://h:/", [("empty-port", "host", (8, 9))]),
        ("http://localhost:8000/", []),
        ("http://a.LocalHost:3000/?page_token=1&design=2&token=", []),
        ("http://127.1.2.3:8000/", []),
        ("http://[::1]:8000/", []),
        ("http://localhost.example:8000/", [("other-port", "port", (25, 29))]),
        ("http://localhost:25/", [("reserved-port", "port", (17, 19))]),
        ("http://h/?token=a&X-Amz-Signature=b#sig=c", [("secret-field", "query", (10, 15)),
                                                       ("secret-field", "query", (18, 33))]),
        ("nobody:a?x=1;api_key=2", [("unknown-scheme", "scheme", (0, 6)), ("secret-field", "query", (13, 20))]),
        ("http://256.1.1.01/", [("impossible-address", "host", (7, 10)), ("impossible-address", "host", (15, 17))]),
        ("http://a_b%2D/", [("escaped-host", "host", (7, 13))]),
        ("http://xn--pypal-4ve.example/", [("mixed-scripts", "host", (7, 28))]),
        ("http://a.example%40127.0.0.1/", [("numeric-host", "host", (7, 28)), ("encoded-delimiter", "host", (16, 19))]),
        ("nobody://u:p@[::1]/", [("unknown-scheme", "scheme", (0, 6)), ("password", "userinfo", (11, 12))]),
        ("nobody://a.example@b.example/", [("unknown-scheme", "scheme", (0, 6)),
                                           ("misleading-user", "userinfo", (9, 18))]),
        # Letters of a text are no beginning of a word that the rules ask for.
        ("turn:ex:ample.org?transport=udp", [("invalid-port", "port", (8, 17))]),
        ("turns:e:xample.org", [("invalid-port", "port", (8, 18))]),
        ("https://:[:A5:0:10:10:2121:1.101.124.116]?/E-#", [("empty-host", "host", (8, 9)),
                                                            ("invalid-host", "host", (10, 40))]),
        ("aaas://host.exampl:e.com", [("invalid-port", "port", (19, 24))]),
        ("aaa://h:6666;transprt=tcp", [("other-port", "port", (8, 12)), ("invalid-part", None, (12, 20))]),
        ("aaa://h;protocol=di|me~ter", [("invalid-part", None, (17, 20))]),
        ("aaa://h;protocol=dix|%met", [("invalid-part", None, (17, 20)), ("invalid-character", None, (20, 21)),
                                       ("bad-escape", None, (21, 22))]),
        ("geo:1,2;a=[x]", []),
        ("tel:*21#;phoe-context=+49;x", [("invalid-part", None, (8, 13))]),
        ("dtn:/|/node1.exa|mple/", [("invalid-part", None, (4, 6)), ("invalid-part", None, (6, 8)),
                                    ("invalid-character", "node", (16, 17))]),
        ("msrps://2001:db8::1:5/a)b;dc", [("invalid-host", None, (13, 15)), ("invalid-host", "port", (16, 17)),
                                          ("invalid-host", "port", (19, 20)), ("invalid-part", "session", (23, 24))]),
        ("mailto:joe@@h.dom", [("invalid-part", "to", (11, 12))]),
        ("servi[::1]ce:a:///;", [("invalid-scheme", "scheme", (5, 6)), ("invalid-host", "host", (10, 11)),
                                 ("invalid-port", "port", (13, 14))]),
        ("h323:joe:x@h.dom", []),
    ],
)  # fmt: skip
def test_every_error_or_warning_is_found(text: str, findings: list[tuple[str, str, tuple[int, int]]]) -> None:
    found = check(text, registry=MODERN)
    assert [(each.code, each.part, each.span) for each in found] == findings
    assert "1738" not in repr([tuple(each) for each in found])
    assert all(each.section for each in found)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("http://h/a#b#c", "a URL has one fragment: write %23 if the `#` is data in it, or let `fix` do it"),
        ("http://\u00e9/", "write xn--9ca, as `urlschemes unicode` does, or let `fix` do it"),
        ("http://[fe80::1%eth0]/", "leave out the zone of the address"),
        ("http://fe80::1%eth0/", "write brackets around an IPv6 address"),
        ("http://h%/", "write a name, an IPv4 address, or an IPv6 address in brackets"),
        ("http://h/a b", "write %20, or let `fix` do it"),
        ("news:a:b@h.example", "the `@` after it is a delimiter"),
        ("news:a..b@h.example", "it is a delimiter"),
        ("www.example.com/a", "a host alone is not a URL"),
        ("127.0.0.1:5000/api", "a host alone is not a URL"),
        ("3com.example", "a host alone is not a URL"),
        ("[::1]:8000", "a host alone is not a URL"),
        ("[2001:db8::1]", "a host alone is not a URL"),
        ("git@h.example:owner/repo.git", "this is a file on a host as scp and git write it, not a URL"),
        ("joe@h.example:22/a", "an address alone is not a URL"),
        ("http://h/\udce9", "the text is not UTF-8 there: write %E9 if that octet is meant, or let `fix` do it"),
        ("http://h/\udce9\udce8", "the text is not UTF-8 there: write %E9%E8 if those octets are meant"),
        ("http://h\udce9/", "IDNA 2008 lets no domain name hold '\\xe9'"),
        ("aaa://h:80//x", "the port is a decimal number"),
    ],
)
def test_an_error_says_what_to_do(text: str, hint: str) -> None:
    assert str(check(text, registry=MODERN)[0].hint).startswith(hint)


@pytest.mark.parametrize("text", ["http://[v1.a]b\xe9/", "w[v1.a]a\xe9is://"])
def test_no_hint_quotes_a_name_that_a_repair_wrote(text: str) -> None:
    assert str(check(text, registry=MODERN)[-1].hint).startswith("write a name, an IPv4 address")


def test_every_backslash_of_a_path_has_the_same_two_readings() -> None:
    hints = [each.hint for each in check(r"http://h/a\b\c", registry=MODERN)]
    assert hints == ["write `/` if it is a delimiter, or %5C if it is data"] * 2


def test_an_error_is_explained_by_the_rule_in_abnf() -> None:
    lines = explain("http://[::1/", registry=MODERN).splitlines()
    assert lines[3] == "  rule      named-host = IP-literal / 1*( unreserved / pct-encoded / sub-delims )"
    lines = explain("http://h:x/", registry=MODERN).splitlines()
    assert lines[3] == "  rule      port = *DIGIT"


def test_a_url_is_explained_by_the_sections_of_its_specifications() -> None:
    lines = explain("http://[::1]:8080/~joe?q#top", registry=MODERN).splitlines()
    assert lines[2:] == [
        "|      |     |   |     | +- fragment 'top'  RFC 3986 section 3.5",
        "|      |     |   |     +- query 'q'  RFC 3986 section 3.4",
        "|      |     |   +- path '/~joe'  RFC 3986 section 3.3",
        "|      |     +- port 8080  RFC 3986 section 3.2.3",
        "|      +- host '[::1]'  RFC 3986 section 3.2.2",
        "+- scheme http  RFC 3986 section 3.1",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "http://h/%41?%2D#%7E",
        "http://h/%2F%3a",
        "news:a%7Eb",
        "news:a%2Eb",
        "nntp://h/%7E",
        "ftp://u%2d@h/",
        "nobody:%41",
    ],
)
def test_an_escape_is_needless_if_normalization_decodes_it(text: str) -> None:
    url = MODERN.parse_generic(text) if text.startswith("nobody") else MODERN.parse(text)
    changes = str(url.normalized("case")) != str(url.normalized("percent-encoding"))
    assert changes == ("needless-escape" in {each.code for each in check(text, registry=MODERN)})


@pytest.mark.parametrize(
    "text",
    ["http://h/a/..", "http://h/.a?/../", "ftp://h/a/./b", "file:///a/%2e%2e/b", "gopher://h/1/../a", "nobody:a/../b"],
)
def test_a_dot_segment_is_found_if_normalization_removes_it(text: str) -> None:
    url = MODERN.parse_generic(text) if text.startswith("nobody") else MODERN.parse(text)
    changes = str(url.normalized("percent-encoding")) != str(url.normalized("dot-segments"))
    assert changes == ("dot-segment" in {each.code for each in check(text, registry=MODERN)})


def test_no_warning_is_about_what_only_the_repaired_text_has() -> None:
    assert [each.code for each in check("mailto://a@b.com", profile="rfc3986")] == ["invalid-part"]


def test_a_later_error_quotes_no_character_of_a_password() -> None:
    found = check("acap://joe:s\xe9cret@host.dom/", registry=MODERN)
    assert [(each.code, each.part) for each in found][:2] == [
        ("invalid-userinfo", "user"),
        ("invalid-character", "password"),
    ]
    assert not any("\xe9" in each.message for each in found)


@pytest.mark.parametrize("registry", [default_registry, MODERN], ids=["rfc1738", "rfc3986"])
@pytest.mark.parametrize(
    ("call", "begin", "character", "most"),
    [
        (check, "mailto:a@", "/", 200),
        (explain, "news:", "@", 80),
        (explain, "file:///", "?", 70),
        (fix, 'mailto:"', "?", 50),
    ],
)
def test_the_cost_of_each_character_of_a_long_text_is_small(
    call: Callable[..., object], begin: str, character: str, most: int, registry: Registry
) -> None:
    """Counted in calls of functions, not in seconds."""
    calls = 0

    def count(*_: object) -> None:
        nonlocal calls
        calls += 1

    for size in (300, 1000):  # the first text of a kind fills caches
        calls = 0
        with suppress(NotRepairable):
            sys.setprofile(count)
            try:
                call(begin + size * character, registry=registry)
            finally:
                sys.setprofile(None)
    assert calls < most * 1000
