"""prospero URLs (RFC 1738 section 3.11, RFC 4157)."""

from __future__ import annotations

import pytest

from urlschemes import Encoded
from urlschemes.errors import NotHierarchical
from urlschemes_conformance.url_table import built, changed, invalid, refused, unsafe, url_tests, valid
from urlschemes_prospero import ProsperoURL
from urlschemes_prospero.rfc3986 import ProsperoURI

decision, rfc1738 = pytest.mark.decision, pytest.mark.rfc1738

# fmt: off
test_prospero_urls = url_tests(ProsperoURL, [
    # A name and fields.
    valid("prospero://h/n;b=1;a=2;b=%31;=",
        decision(17), fields=(("b", "1"), ("a", "2"), ("b", "1"), ("", "")),
        raw={"fields": (("b", "1"), ("a", "2"), ("b", "%31"), ("", ""))}),
    valid("prospero://h/n",                       fields=(), raw={"fields": ()}),
    valid("prospero://h/n;a%2F%3B%3D=b%2F%3B%3D", decision(17), fields=(("a/;=", "b/;="),)),
    valid("prospero://h//?:@&=$-_.+!*'(),",       hsoname="/?:@&=$-_.+!*'(),"),
    valid("prospero://h/",                        hsoname="", fields=()),
    valid("prospero://h/name",                    hsoname="name", fields=()),
    valid("prospero://h//pros/name",              rfc1738(131, 139), hsoname="/pros/name", fields=()),
    valid("prospero://h/a//b/",                   rfc1738(134), hsoname="a//b/", fields=()),
    valid("prospero://h/a;OBJECT-VERSION=2",      rfc1738(140), hsoname="a", fields=(("OBJECT-VERSION", "2"),)),
    valid("prospero://h/a;b=c;d=;=e;b=c",         hsoname="a", fields=(("b", "c"), ("d", ""), ("", "e"), ("b", "c"))),
    valid("prospero://h/a?b:c@d&e=f",             hsoname="a?b:c@d&e=f", fields=()),
    valid("prospero://h/a%3Bb;c%3Dd=e%2Ff",       rfc1738(135), hsoname="a;b", fields=(("c=d", "e/f"),)),
    valid("prospero://h/a/../b%2Fc", rfc1738(134, 138), hsoname="a/../b/c", normalized="prospero://h/a/../b/c"),
    valid("PROSPERO://H:01525//%61%2f;%62=%3b",   normalized="prospero://h//a/;b=%3B"),
    valid("prospero://h:1525/a%2fb;c=%64",        normalized="prospero://h/a/b;c=d"),
    # Invalid texts.
    invalid("prospero:h/n",         "missing-authority", 9),
    invalid("prospero:///n",        "empty-host", 11),
    invalid("prospero://u@h/n",     "userinfo-not-allowed", 11),
    invalid("prospero://h:/n",      "invalid-port", 13),
    invalid("prospero://h",         "invalid-part", 12, rfc1738(131), part="host"),
    invalid("prospero://h/n;",      "invalid-part", 15, part="fields"),
    invalid("prospero://h/n;a",     "invalid-part", 16, rfc1738(135, 140), part="fields"),
    invalid("prospero://h/n;a=b=c", "invalid-part", 18, part="fields"),
    invalid("prospero://h/n;a/b=c", "invalid-part", 16, part="fields"),
    invalid("prospero://h/n m",     "invalid-character", 14),
    invalid("prospero://h/n;~=v",   "invalid-character", 15),
    invalid("prospero://h/n#f",     "fragment-present", 14),
    invalid("prospero://h/n;a=%4",  "bad-escape", 17),
    invalid("prospero://h/a;b;c=d", "invalid-part", 16, part="fields"),
    invalid("prospero://h/n;a=b/c", "invalid-part", 18, part="fields"),
    invalid("prospero://h;a=b",     "invalid-host", 12),
    # Control octets are parsed, and never sent.
    unsafe("prospero://h/a%0Ab",    "hsoname"),
    unsafe("prospero://h/a;b%0A=c", "fields"),
    unsafe("prospero://h/a;b=%00",  "fields"),
    # Building and changing.
    built("prospero://h/",                        host="h"),
    built("prospero://h:191//pros/name",          host="h", port=191, hsoname="/pros/name"),
    built("prospero://h/%C3%A9%20%FF",            host="h", hsoname="é \udcff"),
    built("prospero://h/;a=b;c=d",                host="h", fields=[("a", "b"), ["c", "d"]]),
    built("prospero://h/;a%3Db=100%25",           host="h", fields=[(Encoded("a%3Db"), "100%")]),
    built("prospero://h//?:@&=$-_.+!*'(),%3B",    rfc1738(135), host="h", hsoname="/?:@&=$-_.+!*'(),;"),
    built("prospero://h/n;a%2F%3B%3D=b%2F%3B%3D", decision(17), host="h", hsoname="n", fields=[("a/;=", "b/;=")]),
    refused("invalid-part", "fields", host="h", fields="a=b"),
    refused("invalid-part", "fields", host="h", fields=["ab"]),
    refused("invalid-part", "fields", host="h", fields=[("a", "b", "c")]),
    refused("invalid-part", "fields", host="h", fields=[("a", 1)]),
    refused("invalid-part", "fields", host="h", fields={"a": "b"}),
    refused("invalid-part", "fields", host="h", fields=[(Encoded("a=b"), "c")]),
    refused("invalid-part", "hsoname", host="h", hsoname=Encoded("a;b")),
    refused("invalid-port", "port", host="h", port="191"),
    changed("prospero://H:1525//%61;x=%62", "prospero://H:1525//%61;v=3", fields=[("v", "3")]),
    changed("prospero://H:1525//%61;x=%62", "prospero://H:1525//%61", fields=[]),
    changed("prospero://H:1525//%61;x=%62", "prospero://H:1525/n;x=%62", hsoname="n"),
    changed("prospero://H:1525//%61;x=%62", "prospero://g//%61;x=%62", port=None, host="g"),
])

test_prospero_uris = url_tests(ProsperoURI, [
    valid("prospero://[::1]:191//a;b=c#x", host="[::1]", port=191, hsoname="/a", fields=(("b", "c"),), fragment="x"),
    valid("PROSPERO://H:1525//a/../%7e;%41=b", normalized="prospero://h//a/../~;A=b"),
    built("prospero://[::1]/",              host="[::1]"),
    built("prospero://h//a%20b%3Bc%3F=~",   host="h", hsoname="/a b;c?=~"),
    built("prospero://h/;a%3Db=%2F%3B;=#f", host="h", fields=[("a=b", "/;"), ("", "")], fragment="f"),
    built("prospero://h/a%2Fb",             host="h", hsoname=Encoded("a%2Fb")),
    refused("invalid-host", "host", host=""),
    refused("invalid-host", "host", host="::1"),
    refused("invalid-part", "fields", host="h", fields=[("a",)]),
])
# fmt: on


def test_prospero_urls_have_no_hierarchy() -> None:
    with pytest.raises(NotHierarchical):
        ProsperoURL.parse("prospero://h/a/b").join("c")
