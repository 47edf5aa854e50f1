"""mailto URLs (RFC 1738 section 3.5, RFC 6068)."""

from __future__ import annotations

import pytest

import urlschemes_lint
from urlschemes import Encoded
from urlschemes.errors import NotHierarchical, UnsafeURL
from urlschemes_conformance.url_table import built, changed, invalid, refused, url_tests, valid, warned
from urlschemes_lint import NotRepairable
from urlschemes_mailto import MailtoURL
from urlschemes_mailto.rfc3986 import MailtoURI

decision, rfc1738 = pytest.mark.decision, pytest.mark.rfc1738

# fmt: off
test_mailto_urls = url_tests(MailtoURL, [
    # An address: an addr-spec of RFC 822, once decoded.
    valid("mailto:%6Aoe%40host.dom", decision(11), address="joe@host.dom", normalized="mailto:joe@host.dom"),
    valid("mailto:joe@host.dom?subject=x",          decision(11), local_part="joe", domain="host.dom?subject=x"),
    valid("mailto:joe@host.dom", rfc1738(97, 98), address="joe@host.dom", local_part="joe", domain="host.dom"),
    valid("mailto:Joe.Q.Public@host.dom",
        address="Joe.Q.Public@host.dom", local_part="Joe.Q.Public", domain="host.dom"),
    valid("mailto:%22Joe%20Q%22@host.dom", address='"Joe Q"@host.dom', local_part='"Joe Q"', domain="host.dom"),
    valid("mailto:joe%40host.dom",                  address="joe@host.dom", local_part="joe", domain="host.dom"),
    valid("mailto:host!joe/a=b&c@h", address="host!joe/a=b&c@h", local_part="host!joe/a=b&c", domain="h"),
    valid("mailto:joe%25far@gateway.dom",           rfc1738(100), local_part="joe%far"),
    valid("mailto:%22a%28%29%3C%3E%40,;:%5B%5D%20%09%7F%00b%22@host.dom",domain="host.dom"),
    valid("mailto:%22%5C%0D%22@host.dom",           domain="host.dom"),
    valid("mailto:joe@%5B%5C%0D%5D",                local_part="joe"),
    valid("mailto:%22%5C%22%22@host.dom",           domain="host.dom"),
    valid("mailto:joe@%5B%5C%22%5D",                local_part="joe"),
    valid("mailto:%22%5C%5C%22@host.dom",           domain="host.dom"),
    valid("mailto:joe@%5B%5C%5C%5D",                local_part="joe"),
    valid("mailto:%22%5C%00%22@host.dom",           domain="host.dom"),
    valid("mailto:joe@%5B%5C%00%5D",                local_part="joe"),
    valid("mailto:%22%5Ca%22@host.dom",             domain="host.dom"),
    valid("mailto:joe@%5B%5Ca%5D",                  local_part="joe"),
    valid("mailto:joe@%5Ba%5D",                     domain="[a]"),
    valid("mailto:%22a%3B%2F%3F%3A%40%26%3Dz%22@h", rfc1738(99), address='"a;/?:@&=z"@h'),
    valid("mailto:%22a;/?:@&=z%22@h",               rfc1738(99), address='"a;/?:@&=z"@h'),
    valid("mailto:a?b@h",                           normalized="mailto:a%3Fb@h"),
    valid("mailto:%6Aoe%40host",                    normalized="mailto:joe@host"),
    valid("MAILTO:%6Aoe%40host%2Edom",              normalized="mailto:joe@host.dom"),
    valid("mailto:Joe@host.dom",                    normalized="mailto:Joe@host.dom"),
    valid("mailto:%22a%20b%22@h",                   normalized="mailto:%22a%20b%22@h"),
    # Invalid texts.
    invalid("mailto:",                   "invalid-part", 7, part="address"),
    invalid("mailto:joe",
        "invalid-part", 10, rfc1738(98), decision(11), part="address", rule="addr-spec", section="RFC 822 section 6.1"),
    invalid("mailto:joe@",               "invalid-part", 11, part="domain"),
    invalid("mailto:joe@host.",          "invalid-part", 16, part="domain"),
    invalid("mailto:joe@@host",          "invalid-part", 11, part="domain"),
    invalid("mailto:a,b@host",           "invalid-part", 8, part="address"),
    invalid("mailto:%22a%22b@host",      "invalid-part", 14, part="address"),
    invalid("mailto:joe smith@host",     "invalid-character", 10),
    invalid("mailto:<joe@host>",         "invalid-character", 7),
    invalid("mailto:joe@[192.0.2.7]",    "invalid-character", 11),
    invalid("mailto:joe@host#top",       "fragment-present", 15),
    invalid("mailto:joe%x@host",         "bad-escape", 10, rfc1738(100)),
    invalid("mailto:@h",                 "invalid-part", 7, part="address"),
    invalid("mailto:a@b@c",              "invalid-part", 10, part="domain"),
    invalid("mailto:a,b@c",              "invalid-part", 8, part="address"),
    invalid("mailto:Joe%20%3Cjoe@h%3E",  "invalid-part", 10, part="local_part"),
    invalid("mailto:.a@b",               "invalid-part", 7, part="address"),
    invalid("mailto:a..b@c",             "invalid-part", 9, part="local_part"),
    invalid("mailto:a(b@host.dom",       "invalid-part", 8, part="address"),
    invalid("mailto:a@host(b.dom",       "invalid-part", 13, part="domain"),
    invalid("mailto:a)b@host.dom",       "invalid-part", 8, part="address"),
    invalid("mailto:a@host)b.dom",       "invalid-part", 13, part="domain"),
    invalid("mailto:a%3Cb@host.dom",     "invalid-part", 8, part="local_part"),
    invalid("mailto:a@host%3Cb.dom",     "invalid-part", 13, part="domain"),
    invalid("mailto:a%3Eb@host.dom",     "invalid-part", 8, part="local_part"),
    invalid("mailto:a@host%3Eb.dom",     "invalid-part", 13, part="domain"),
    invalid("mailto:a@b@host.dom",       "invalid-part", 10, part="domain"),
    invalid("mailto:a@host@b.dom",       "invalid-part", 13, part="domain"),
    invalid("mailto:a,b@host.dom",       "invalid-part", 8, part="address"),
    invalid("mailto:a@host,b.dom",       "invalid-part", 13, part="domain"),
    invalid("mailto:a;b@host.dom",       "invalid-part", 8, part="address"),
    invalid("mailto:a@host;b.dom",       "invalid-part", 13, part="domain"),
    invalid("mailto:a:b@host.dom",       "invalid-part", 8, part="address"),
    invalid("mailto:a@host:b.dom",       "invalid-part", 13, part="domain"),
    invalid("mailto:a%5Cb@host.dom",     "invalid-part", 8, part="local_part"),
    invalid("mailto:a@host%5Cb.dom",     "invalid-part", 13, part="domain"),
    invalid("mailto:a%22b@host.dom",     "invalid-part", 8, part="local_part"),
    invalid("mailto:a@host%22b.dom",     "invalid-part", 13, part="domain"),
    invalid("mailto:a%5Bb@host.dom",     "invalid-part", 8, part="local_part"),
    invalid("mailto:a@host%5Bb.dom",     "invalid-part", 13, part="domain"),
    invalid("mailto:a%5Db@host.dom",     "invalid-part", 8, part="local_part"),
    invalid("mailto:a@host%5Db.dom",     "invalid-part", 13, part="domain"),
    invalid("mailto:a%20b@host.dom",     "invalid-part", 8, part="local_part"),
    invalid("mailto:a@host%20b.dom",     "invalid-part", 13, part="domain"),
    invalid("mailto:a%09b@host.dom",     "invalid-part", 8, part="local_part"),
    invalid("mailto:a@host%09b.dom",     "invalid-part", 13, part="domain"),
    invalid("mailto:a%7Fb@host.dom",     "invalid-part", 8, part="local_part"),
    invalid("mailto:a@host%7Fb.dom",     "invalid-part", 13, part="domain"),
    invalid("mailto:a%00b@host.dom",     "invalid-part", 8, part="local_part"),
    invalid("mailto:a@host%00b.dom",     "invalid-part", 13, part="domain"),
    invalid("mailto:joe@%5Ba%0D%5D",     "invalid-part", 15, part="domain"),
    invalid("mailto:joe@%5Ba%5B%5D",     "invalid-part", 15, part="domain"),
    invalid("mailto:joe@%5Ba%5C%5D",     "invalid-part", 21, part="domain"),
    invalid("mailto:joe@%5Ba%80%5D",     "invalid-part", 15, part="domain"),
    invalid("mailto:joe@%5Ba%C3%A9%5D",  "invalid-part", 15, part="domain"),
    invalid("mailto:a%80@host",          "invalid-part", 8, part="local_part"),
    invalid("mailto:%22a%C3%A9%22@host", "invalid-part", 11, part="local_part"),
    invalid("mailto:%22%5C%FF%22@host",  "invalid-part", 13, part="local_part"),
    invalid("mailto:a@b%80",             "invalid-part", 10, part="domain"),
    # Header fields, which RFC 1738 has not.
    warned("mailto:joe@host.dom?subject=x", {"header-fields": (19, 20)}),
    warned("mailto:joe%3F@host.dom",        {}),
    warned("mailto:joe?subject=hello@h",    {"header-fields": (10, 11)}, rfc1738(99)),
    # Building and changing.
    built("mailto:joe@host.dom",                address="joe@host.dom"),
    built("mailto:%22Joe%20Public%22@host.dom", address='"Joe Public"@host.dom'),
    built("mailto:joe%25inner@relay.dom",       address="joe%inner@relay.dom"),
    built("mailto:joe@%5B192.0.2.7%5D",         local_part="joe", domain="[192.0.2.7]"),
    built("mailto:a%7Eb%7B%7C%7D@host",         local_part="a~b{|}", domain="host"),
    built("mailto:joe%40host.dom",              address=Encoded("joe%40host.dom")),
    built("mailto:joe@host",                    address="joe@host", domain="host"),
    built("mailto:joe%25far@gateway.dom",       rfc1738(100), address="joe%far@gateway.dom"),
    refused("invalid-part", "address"),
    refused("invalid-part", "address", address=""),
    refused("invalid-part", "address", address="joe"),
    refused("invalid-part", "address", address="josé@host"),
    refused("invalid-part", "address", address="Joe Public@host"),
    refused("invalid-part", "domain", address="joe@host", domain="elsewhere"),
    refused("invalid-url",  None, local_part="joe"),
    refused("invalid-part", "local_part", local_part="a@b", domain="host"),
    refused("invalid-part", "domain", local_part="joe", domain="host,dom"),
    refused("invalid-part", "address", address=7),
    changed("mailto:%6Aoe%40host%2Edom", "mailto:%6Aoe%40else.where", domain="else.where"),
    changed("mailto:%6Aoe%40host%2Edom", "mailto:ann%40host%2Edom", local_part="ann"),
    changed("mailto:%6Aoe%40host%2Edom", "mailto:a%40b", local_part="a", domain="b"),
    changed("mailto:%6Aoe%40host%2Edom", "mailto:a@b", address="a@b"),
    changed("mailto:%6Aoe%40host%2Edom", "mailto:a@b", address="a@b", domain="b"),
    changed("mailto:%6Aoe%40host%2Edom", "mailto:%6Aoe%40host%2Edom"),
    changed("mailto:%6Aoe%40host%2Edom", None, address="a@b", domain="c"),
])

test_mailto_uris = url_tests(MailtoURI, [
    # The examples of RFC 6068 sections 2 and 6.
    valid("mailto:infobot@example.com?body=send%20current-issue"),
    valid("mailto:majordomo@example.com?body=subscribe%20bamboo-l"),
    valid("mailto:joe@an.example?cc=bob@an.example&body=hello"),
    valid("mailto:%22oh%5C%5Cno%22@example.org",                to=('"oh\\\\no"@example.org',)),
    valid("mailto:user@example.org?subject=caf%C3%A9"),
    valid("mailto:user@example.org?subject=%3D%3Fiso-8859-1%3FQ%3Fcaf%3DE9%3F%3D"),
    valid("mailto:addr1@an.example?to=addr2@an.example"),
    valid("mailto:user@%E7%B4%8D%E8%B1%86.example.org",         to=("user@納豆.example.org",)),
    invalid("mailto:joe@example.com?cc=bob@example.com?body=hello","invalid-part", 41, part="headers"),
    # Header fields, in any letter case.
    valid("mailto:?Subject=a&CC=b@c&cc=d@e,f@g&BODY=x%0D%0Ay&subject=b",
        subject="a", body="x\r\ny", cc=("b@c", "d@e,f@g")),
    valid("mailto:", subject=None, body=None, cc=()),
    # Building and changing.
    built("mailto:"),
    built("mailto:a@b.example?subject=x",                     to=["a@b.example"], headers=[("subject", "x")]),
    built("mailto:a%2Fb%3Fc%23d@e,%22x%2Cy%22@%5B1.2.3.4%5D", to=["a/b?c#d@e", '"x,y"@[1.2.3.4]']),
    built("mailto:?a%26b=c%3Dd%26e%3Ff%2Fg%20%23%C3%A9&=",    headers=[("a&b", "c=d&e?f/g #é"), ("", "")]),
    built("mailto:?body=a%0D%0Ab+c#",                         headers=[("body", "a\r\nb+c")], fragment=""),
    built("mailto:a%40b",                                     to=[Encoded("a%40b")]),
    built("mailto:a@%5B%5D",                                  to=["a@[]"]),
    changed("mailto:%61@b?x=%79#f", "mailto:c@d,e@f?x=%79#f", to=["c@d", "e@f"]),
    changed("mailto:%61@b?x=%79#f", "mailto:?x=%79#f", to=[]),
    changed("mailto:%61@b?x=%79#f", "mailto:%61@b#f", headers=[]),
    changed("mailto:%61@b?x=%79#f", "mailto:%61@b?x=y&z=", headers=[("x", "y"), ("z", "")], fragment=None),
    refused("invalid-part", "to", to=["a"]),
    refused("invalid-part", "to", to=["a@b,c@d"]),
    refused("invalid-part", "to", to=["Joe <a@b>"]),
    refused("invalid-part", "to", to=["a b@c"]),
    refused("invalid-part", "to", to=["a@b\nc"]),
    refused("invalid-part", "to", to=[Encoded("%FF@b")]),
    refused("invalid-part", "to", to="a@b"),
    refused("invalid-part", "headers", headers=["x"]),
    refused("invalid-part", "headers", headers=[("x", Encoded("y=z"))]),
])
# fmt: on


def test_mailto_urls_have_no_hierarchy() -> None:
    with pytest.raises(NotHierarchical):
        MailtoURL.parse("mailto:joe@host.dom").join("ann")


def test_control_octets_are_parsed_and_never_sent() -> None:
    with pytest.raises(UnsafeURL):
        MailtoURL.parse("mailto:%22a%0Ab%22@host.dom").line("address")
    assert MailtoURL.parse("mailto:%22a%20b%22@host.dom").line("address") == b'"a b"@host.dom'


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        ('mailto:"Joe Public"@host.dom', "mailto:%22Joe%20Public%22@host.dom"),
        ("mailto:joe%inner@relay.dom", "mailto:joe%25inner@relay.dom"),
        ("<URL:mailto:joe@host.dom>", "mailto:joe@host.dom"),
    ],
)
def test_fix(text: str, fixed: str) -> None:
    assert str(urlschemes_lint.fix(text).url) == fixed


@pytest.mark.parametrize("text", ["mailto:joe", "mailto:Joe Public <joe@host>", "mailto:a@x,b@y", "mailto:josé@host"])
def test_an_address_is_never_guessed(text: str) -> None:
    with pytest.raises(NotRepairable):
        urlschemes_lint.fix(text)
