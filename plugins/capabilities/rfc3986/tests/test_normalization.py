"""Normalization by the levels of RFC 3986 section 6.2."""

import pytest

import urlschemes
from urlschemes import Registration, Registry, Scheme

MODERN = Registry(profile="rfc3986")


@pytest.mark.parametrize(
    ("text", "spellings"),
    [
        # Section 6.2.2: these two are equivalent.
        ("example://a/b/c/%7Bfoo%7D", ["example://a/b/c/%7Bfoo%7D"] * 4),
        (
            "eXAMPLE://a/./b/../b/%63/%7bfoo%7d",
            [
                "example://a/./b/../b/%63/%7Bfoo%7D",
                "example://a/./b/../b/c/%7Bfoo%7D",
                "example://a/b/c/%7Bfoo%7D",
                "example://a/b/c/%7Bfoo%7D",
            ],
        ),
        # Section 6.2.3: and these four.
        ("http://example.com", [*["http://example.com"] * 3, "http://example.com/"]),
        ("http://example.com/", ["http://example.com/"] * 4),
        ("http://example.com:/", [*["http://example.com:/"] * 3, "http://example.com/"]),
        ("http://example.com:80/", [*["http://example.com:80/"] * 3, "http://example.com/"]),
        ("http://h:080?q", [*["http://h:080?q"] * 3, "http://h/?q"]),
        ("http://h:081/", [*["http://h:081/"] * 3, "http://h:81/"]),
        ("http://h#f", [*["http://h#f"] * 3, "http://h/#f"]),
        ("HTTP://A%2d%c3%a9.B/", ["http://a%2D%C3%A9.b/", *["http://a-%C3%A9.b/"] * 3]),
        ("http://02130706433/", ["http://02130706433/"] * 4),
        ("http://%41/", ["http://%41/", *["http://a/"] * 3]),
        ("http://[2001:DB8::A]/", ["http://[2001:db8::a]/"] * 4),
        ("http://h/%24$%3b;?%2F/#%2e", ["http://h/%24$%3B;?%2F/#%2E", *["http://h/%24$%3B;?%2F/#."] * 3]),
        ("http://h/%2e%2E/a/..", ["http://h/%2E%2E/a/..", "http://h/../a/..", "http://h/", "http://h/"]),
        ("x://h:0/a", ["x://h:0/a"] * 4),
        ("x:a/../b", ["x:a/../b"] * 4),
        ("x:/a/..//b", [*["x:/a/..//b"] * 2, *["x:/.//b"] * 2]),
        ("X://U%7e@H", ["x://U%7E@h", *["x://U~@h"] * 3]),
    ],
)
def test_each_level_adds_to_those_before(text, spellings):
    url = MODERN.parse(text) if text.lower().startswith("http:") else MODERN.parse_generic(text)
    assert [str(url.normalized(level)) for level in MODERN.profile.levels] == spellings
    assert str(url.normalized()) == spellings[-1]
    assert url.normalized().normalized() == url.normalized()
    assert url.equivalent(url.normalized())


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("H;A", "h;A"),
        ("H:;A", "h;A"),
        ("H:1;A", "h;A"),
        ("H:02;A", "h:2;A"),
        ("[::A];A:B", "[::a];A:B"),
        ("%2D;%2D", "-;-"),
    ],
)
def test_parameters_after_host_and_port_keep_their_letter_case(text, normal):
    rules = 'u = "x-p://" h [ ":" [ port ] ] ";" p\nh = IP-literal / *( unreserved / pct-encoded )\np = *pchar'
    parts = 'parts = { host = "h", port = "port", p = "p" }'
    record = f"scheme = 'x-p'\nprofile = 'rfc3986'\ndefault_port = 1\n[syntax]\nbnf = '''{rules}'''\n{parts}"
    url = Scheme(Registration.from_text(record, profile=MODERN.profile)).url_type.parse(f"x-p://{text}")
    assert str(url.normalized()) == f"x-p://{normal}"


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("@H%5a.D:01", "@hz.d"),
        ("U@H:", "U@h"),
        ("//U@H:2;A", "//U@h:2;A"),
        ("%2d@[::A]", "-@[::a]"),
        ("U@H/A", "U@h/A"),
    ],
)
def test_a_host_without_an_authority_is_spelled_like_any(text, normal):
    rules = 'u = "x-p:" user "@" host [ ":" port ] [ p ]\nuser = *( pchar-no-at / "/" )\np = ( ";" / "/" ) *pchar\n'
    rules += "pchar-no-at = unreserved / pct-encoded\nhost = IP-literal / *( unreserved / pct-encoded )"
    parts = 'parts = { user = "user", host = "host", port = "port", p = "p" }'
    record = f"scheme = 'x-p'\nprofile = 'rfc3986'\ndefault_port = 1\n[syntax]\nbnf = '''{rules}'''\n{parts}"
    url = Scheme(Registration.from_text(record, profile=MODERN.profile)).url_type.parse(f"x-p:{text}")
    assert str(url.normalized()) == f"x-p:{normal}"


def test_there_are_no_other_levels():
    with pytest.raises(ValueError, match=r"'protocol': RFC 3986 has case, percent-encoding, dot-segments, sch"):
        MODERN.parse("http://h").normalized("protocol")
    with pytest.raises(ValueError, match="unknown level 'case': RFC 1738 has one level"):
        urlschemes.parse("http://h").normalized("case")
