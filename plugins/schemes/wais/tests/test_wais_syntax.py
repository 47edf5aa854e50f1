"""wais URLs (RFC 1738 section 3.9, RFC 4156)."""

import pytest

import urlschemes_access
from urlschemes import Encoded
from urlschemes.errors import UnsupportedOperation
from urlschemes.grammar.octets import octets_of, text_of
from urlschemes_conformance.url_table import built, changed, invalid, refused, unsafe, url_tests, valid, warned
from urlschemes_wais import WaisURL
from urlschemes_wais.rfc3986 import WaisURI

decision, rfc1738 = pytest.mark.decision, pytest.mark.rfc1738

# fmt: off
test_wais_urls = url_tests(WaisURL, [
    # Three forms, with empty and opaque parts.
    valid("wais://h/",                     form="database", database=""),
    valid("wais://h/db",                   rfc1738(120), form="database", database="db"),
    valid("wais://h/%2F%3f",               form="database", database="/?"),
    valid("wais://h/?",                    form="search", database="", search=""),
    valid("wais://h/db?",                  decision(15), form="search", database="db", search=""),
    valid("wais://h/db?a%20b+c",           form="search", database="db", search="a b+c"),
    valid("wais://h/db?;:@&=",             form="search", database="db", search=";:@&="),
    valid("wais://h///",                   form="document", database="", wtype="", wpath=""),
    valid("wais://h/db//",                 form="document", database="db", wtype="", wpath=""),
    valid("wais://h/db/TEXT/",             form="document", database="db", wtype="TEXT", wpath=""),
    valid("wais://h/db//id",               form="document", database="db", wtype="", wpath="id"),
    valid("wais://h/db/TEXT/%01%07%00%FF", form="document", database="db", wtype="TEXT", wpath="\x01\x07\x00\udcff"),
    valid("wais://h/0/%2F/%2F%3B%3D",      form="document", database="0", wtype="/", wpath="/;="),
    valid("wais://h/db?two%20words",       rfc1738(122), form="search", database="db", search="two words"),
    valid("wais://h/db/TEXT/42", rfc1738(123), decision(15), form="document", database="db", wtype="TEXT", wpath="42"),
    valid("wais://h/a%3Bb",                database="a;b"),
    valid("wais://h/db/a%40b/a%3Db",       wtype="a@b", wpath="a=b"),
    valid("wais://h/db?a%2bb+c",           normalized="wais://h/db?a%2Bb%2Bc"),
    valid("wais://H:210/%64b?a%20%62",     normalized="wais://h/db?a%20b"),
    # Invalid texts.
    invalid("wais:h/db",            "missing-authority", 5),
    invalid("wais:///db",           "empty-host", 7),
    invalid("wais://u:p@h/db",      "userinfo-not-allowed", 7),
    invalid("wais://h:/db",         "invalid-port", 9),
    invalid("wais://w+w.dom/db",    "invalid-host", 8),
    invalid("wais://h?q",           "invalid-host", 8),
    invalid("wais://h",             "invalid-part", 8, decision(15), part="host"),
    invalid("wais://h/db/",         "invalid-part", 12),
    invalid("wais://h/db/TEXT",     "invalid-part", 16, part="wtype"),
    invalid("wais://h/db/TEXT?q",   "invalid-part", 16, part="wtype"),
    invalid("wais://h/db/TEXT/a/b", "invalid-part", 18, part="wpath"),
    invalid("wais://h/db/TEXT/a?q", "invalid-part", 18, part="wpath"),
    invalid("wais://h//db/TEXT/id", "invalid-part", 17, part="wpath"),
    invalid("wais://h/db?a/b",      "invalid-part", 13, part="search"),
    invalid("wais://h/db?a?b",      "invalid-part", 13, part="search"),
    invalid("wais://h/~",           "invalid-character", 9),
    invalid("wais://h/db?a b",      "invalid-character", 13),
    invalid("wais://h/db#a",        "fragment-present", 11),
    invalid("wais://h/db/TEXT/%0",  "bad-escape", 17),
    invalid("wais://h/a;b",         "invalid-part", 10, decision(15), part="database"),
    invalid("wais://h/a:b",         "invalid-part", 10, part="database"),
    invalid("wais://h/a@b",         "invalid-part", 10, part="database"),
    invalid("wais://h/db/a&b/id",   "invalid-part", 13, part="wtype"),
    invalid("wais://h/db/TEXT/a=b", "invalid-part", 18, part="wpath"),
    invalid("wais://h:210",         "invalid-part", 12, part="port"),
    invalid("wais://h:210?q",       "invalid-port", 12),
    # A plus sign in a search; control octets, which are parsed and never sent.
    warned("wais://h/db?a+b",       {"plus-for-blank": (13, 14)}),
    warned("wais://h/db?a%2Bb%20c", {}),
    warned("wais://h/d+b",          {}),
    warned("wais://h/db/T+/i+d",    {}),
    unsafe("wais://h/a%1Fb",         "database"),
    unsafe("wais://h/db?a%0Ab",      "search"),
    unsafe("wais://h/db?%00",        "search"),
    unsafe("wais://h/db/TEXT%00/id", "wtype"),
    unsafe("wais://h/%7F/TEXT/id",   "database"),
    # Building and changing.
    built("wais://h/db",                      host="h", database="db"),
    built("wais://h/",                        host="h", database=""),
    built("wais://h/a%2Fb%3Fc%3Bd",           host="h", database="a/b?c;d"),
    built("wais://h:8210/db?a%2Fb%20c%3Fd;e", host="h", database="db", port=8210, search="a/b c?d;e"),
    built("wais://h/db?",                     host="h", database="db", search=""),
    built("wais://h/db?a%20b",                host="h", database="db", search=Encoded("a%20b")),
    built("wais://h/db/TEXT/%01%FF%2F",       host="h", database="db", wtype="TEXT", wpath="\x01\udcff/"),
    built("wais://h///",                      host="h", database="", wtype="", wpath=""),
    built("wais://h/db/TEXT/3%3Da%2Fb%3B",    rfc1738(124, 125), host="h", database="db", wtype="TEXT", wpath="3=a/b;"),
    refused("invalid-part", "search", host="h", database="db", search="a", wtype="TEXT", wpath="1"),
    refused("invalid-url",  None, host="h", database="db", search="a", wpath="1"),
    refused("invalid-url",  None, host="h", database="db", search="", wtype=""),
    refused("invalid-part", "wtype", host="h", database="db", wpath="1"),
    refused("invalid-part", "wpath", host="h", database="db", wtype="TEXT"),
    refused("invalid-part", "search", host="h", database="db", search=Encoded("a/b")),
    refused("invalid-part", "wpath", host="h", database="db", wtype="TEXT", wpath=Encoded("a;b")),
    refused("invalid-part", "database", host="h", database=Encoded("a b")),
    refused("invalid-part", "database", host="h", database=1),
    refused("invalid-host", "host", host="h:1", database="db"),
    changed("wais://h/d%62",      "wais://h/d%62?a%20b", search="a b"),
    changed("wais://h/d%62?q",    "wais://h/d%62", search=None),
    changed("wais://h/d%62?q",    "wais://h/d%62?r", search="r"),
    changed("wais://h/db?q",      "wais://h/e?q", database="e"),
    changed("wais://h/db/%54/id", "wais://h/db/%54/%00", wpath="\x00"),
    changed("wais://h/db/%54/id", "wais://h:1/e/%54/id", database="e", port=1),
    changed("wais://h/db/T/id",   "wais://h/db", wtype=None, wpath=None),
    changed("wais://h/db/T/id",   "wais://h/db?q", wtype=None, wpath=None, search="q"),
    changed("wais://h/db?q",      "wais://h/db/T/id", wtype="T", wpath="id", search=None),
    changed("wais://h/",          "wais://h//T/id", wtype="T", wpath="id"),
    changed("wais://h/db/T/id",   None, search="q"),
    changed("wais://h/db/T/id",   None, wtype=None),
    changed("wais://h/db?q",      None, wtype="T", wpath="id"),
    changed("wais://h/db",        None, wpath="id"),
])

test_wais_uris = url_tests(WaisURI, [
    valid("wais://[::1]:8210/d/t/p/q=3;4=%00#x",
        host="[::1]", port=8210, database="d", wtype="t", wpath="p/q=3;4=\x00", fragment="x"),
    valid("wais://h/d#f",                        form="database", normalized="wais://h/d#f"),
    valid("wais://h/d?",                         form="search", normalized="wais://h/d?"),
    valid("wais://h/d/t/a/../b",                 form="document", normalized="wais://h/d/t/a/../b"),
    built("wais://[::1]/",              host="[::1]", database=""),
    built("wais://h/a%2Fb%3F?c/d?%23",  host="h", database="a/b?", search="c/d?#"),
    built("wais://h/d/a%2Fb/c/d%3F%00", host="h", database="d", wtype="a/b", wpath="c/d?\x00"),
    built("wais://h/%61#f",             host="h", database=Encoded("%61"), fragment="f"),
    refused("invalid-host", "host", host="::1", database=""),
    refused("invalid-part", "wpath", host="h", database="d", wtype="t"),
])
# fmt: on


def test_wais_offers_only_access() -> None:
    with pytest.raises(UnsupportedOperation):
        urlschemes_access.find_attributes("wais://localhost/db")


def test_the_identifier_is_octets_of_any_kind() -> None:
    octets = bytes(range(256))
    url = WaisURL(host="h", database="db", wtype="TEXT", wpath=text_of(octets))
    assert octets_of(url.wpath or "") == octets
    url.check_line()
