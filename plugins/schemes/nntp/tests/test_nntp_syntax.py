"""nntp URLs (RFC 1738 section 3.7, RFC 5538)."""

import pytest

from urlschemes_conformance.url_table import built, changed, invalid, refused, url_tests, valid
from urlschemes_nntp import NntpURL
from urlschemes_nntp.rfc3986 import NntpURI

decision, rfc1738 = pytest.mark.decision, pytest.mark.rfc1738

# fmt: off
test_nntp_urls = url_tests(NntpURL, [
    # A group, and the number of an article.
    valid("nntp://h/a",                    decision(13), group="a", article=None, raw={"article": None}),
    valid("nntp://h/a/0",                  group="a", article=0, raw={"article": "0"}),
    valid("nntp://h/a/007",                group="a", article=7, raw={"article": "007"}),
    valid("nntp://h/misc.test/2147483648", group="misc.test", article=2147483648, raw={"article": "2147483648"}),
    valid("nntp://h/comp.lang.c++/1",      group="comp.lang.c++", article=1, raw={"article": "1"}),
    valid("nntp://h/A-b_c.9/1",            group="A-b_c.9", article=1, raw={"article": "1"}),
    valid("nntp://h:1119/comp.lang.c/42",  rfc1738(110), port=1119, group="comp.lang.c", article=42),
    valid("nntp://H:119/a.b/007",          normalized="nntp://h/a.b/7"),
    # Invalid texts.
    invalid("nntp:a",                   "missing-authority", 5),
    invalid("nntp:/h/a",                "missing-authority", 6),
    invalid("nntp:///a",                "empty-host", 7),
    invalid("nntp://u@h/a",             "userinfo-not-allowed", 7),
    invalid("nntp://h:/a",              "invalid-port", 9),
    invalid("nntp://h..i/a",            "invalid-host", 9),
    invalid("nntp://h",                 "invalid-part", 8, part="host"),
    invalid("nntp://h/",                "invalid-part", 9, rfc1738(110), part="group"),
    invalid("nntp://h/1",               "invalid-part", 9, part="group"),
    invalid("nntp://h/.a",              "invalid-part", 9, part="group"),
    invalid("nntp://h/*",               "invalid-part", 9, part="group"),
    invalid("nntp://h//a",              "invalid-part", 9, part="group"),
    invalid("nntp://h/a/",              "invalid-part", 11, part="article"),
    invalid("nntp://h/a/*",             "invalid-part", 11, part="article"),
    invalid("nntp://h/a/1x",            "invalid-part", 12, part="article"),
    invalid("nntp://h/a/1/2",           "invalid-part", 12, part="article"),
    invalid("nntp://h/a,b",             "invalid-part", 10, part="group"),
    invalid("nntp://h/a@b",             "invalid-part", 10, part="group"),
    invalid("nntp://h/a b",             "invalid-character", 10),
    invalid("nntp://h/a\r\nb",          "invalid-character", 10),
    invalid("nntp://h/a/1#x",           "fragment-present", 12),
    invalid("nntp://h/%61",             "invalid-part", 9, part="group"),
    invalid("nntp://h/a%2Eb",           "invalid-part", 10, part="group"),
    invalid("nntp://h/a/%31",           "invalid-part", 11, part="article"),
    invalid("nntp://h/a/1%30",          "invalid-part", 12, part="article"),
    invalid("nntp://h/a/-1",            "invalid-part", 11, decision(13), part="article"),
    invalid("nntp://h/a/" + "1" * 4001, "invalid-part", 4011, part="article"),
    # Building and changing.
    built("nntp://h/a.b",         host="h", group="a.b"),
    built("nntp://h:1119/c++/12", host="h", port=1119, group="c++", article=12),
    refused("invalid-part", "group", host="h", group=""),
    refused("invalid-part", "group", host="h", group="1a"),
    refused("invalid-part", "group", host="h", group="*"),
    refused("invalid-part", "group", host="h", group="a b"),
    refused("invalid-part", "group", host="h", group="a/1"),
    refused("invalid-part", "group", host="h", group="a\r\nQUIT"),
    refused("invalid-part", "article", host="h", group="a", article=-1),
    refused("invalid-part", "article", host="h", group="a", article="1"),
    refused("invalid-host", "host", host="h/x", group="a"),
    refused("invalid-port", "port", host="h", group="a", port=True),
    changed("nntp://h/a/007",  "nntp://h/b/007", group="b"),
    changed("nntp://h/a/007",  "nntp://h/a/8", article=8),
    changed("nntp://h/a/007",  "nntp://h/a", article=None),
    changed("nntp://h/a",      "nntp://h/a/1", article=1),
    changed("nntp://H:0119/a", "nntp://i:0119/a", host="i"),
    changed("nntp://h:119/a",  "nntp://h/a", port=None),
])

test_nntp_uris = url_tests(NntpURI, [
    # The examples of RFC 5538.
    valid("nntp://news.gmane.org/gmane.ietf.tools/742", group="gmane.ietf.tools", article=742),
    # Building and changing.
    built("nntp://h/n%2Fa",              host="h", group="n/a"),
    built("nntp://[::1]/g/7",            host="[::1]", port=119, group="g", article=7),
    built("nntp://h/g/9999999999999999", host="h", group="g", article=9999999999999999),
    built("nntp://u@h:1/%2A#f",          user="u", host="h", port=1, group="*", fragment="f"),
    changed("nntp://h:/g/01#f", "nntp://h:/g#f", article=None),
    changed("nntp://h:/g/01#f", "nntp://h:/g/9", article=9, fragment=None),
    changed("nntp://h:/g/01#f", "nntp://:p@h:/g/01#f", password="p", user=""),
    refused("invalid-part", "group", host="h", group=""),
    refused("invalid-host", "host", host="", group="g"),
    refused("invalid-part", "article", host="h", group="g", article=10000000000000000),
])
# fmt: on
