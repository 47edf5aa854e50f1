"""file URLs (RFC 1738 section 3.10, RFC 8089)."""

import pytest

from urlschemes import Encoded
from urlschemes_conformance.url_table import built, changed, invalid, refused, url_tests, valid
from urlschemes_file import FileURL
from urlschemes_file.rfc3986 import FileURI

decision, rfc1738 = pytest.mark.decision, pytest.mark.rfc1738

# fmt: off
test_file_urls = url_tests(FileURL, [
    # The host: this machine, or another.
    valid("file:///x",              rfc1738(128), host="", is_local=True, port=None, normalized="file:///x"),
    valid("file://localhost/x",     rfc1738(127), decision(16), host="localhost", is_local=True, port=None),
    valid("file://LOCALhost/x",     host="localhost", is_local=True, port=None),
    valid("FILE:///x",              host="", is_local=True, port=None),
    valid("file://localhost.dom/x", host="localhost.dom", is_local=False, port=None),
    valid("file://a.localhost/x",   host="a.localhost", is_local=False, port=None),
    valid("file://127.0.0.1/x",     host="127.0.0.1", is_local=False, port=None),
    valid("file://vms.host.edu/x",  host="vms.host.edu", is_local=False, port=None),
    valid("FILE://Localhost/x",     normalized="file:///x"),
    valid("file://LOCALHOST/%61",   normalized="file:///a"),
    # Segments and path.
    valid("file:///",               path="/", is_local=True),
    valid("file:///a",              segments=("a",), path="/a"),
    valid("file:///a/",             segments=("a", ""), path="/a/"),
    valid("file:////a",             segments=("", "a"), path="//a"),
    valid("file:///a/./../b",       segments=("a", ".", "..", "b"), path="/a/./../b"),
    valid("file:///a%2Fb",          segments=("a/b",), path="/a/b"),
    valid("file:///a%2525",         segments=("a%25",), path="/a%25"),
    valid("file:///%E9%C3%A9",      segments=("\udce9é",), path="/\udce9é"),
    valid("file:///%41/%2f",        raw={"segments": ("%41", "%2f")}),
    valid("file:///a/b",            rfc1738(126), host="", segments=("a", "b"), is_local=True),
    valid("file://localhost/a",     host="localhost", segments=("a",), is_local=True),
    valid("file://LOCALHOST/a",     host="localhost", segments=("a",), is_local=True),
    valid("file://vms.host.edu/a/", host="vms.host.edu", segments=("a", ""), is_local=False),
    valid("file://192.0.2.7/",      decision(16), host="192.0.2.7", segments=("",), is_local=False),
    valid("file:////evil.example/share/x",      host="", path="//evil.example/share/x"),
    valid("file:///a/%2e%2e/%2e%2e/etc/passwd", segments=("a", "..", "..", "etc", "passwd")),
    # Invalid texts.
    invalid("file:",                  "missing-authority", 5),
    invalid("file:/x",                "missing-authority", 6, rfc1738(127), decision(16)),
    invalid("file:x",                 "missing-authority", 5),
    invalid("file://",                "invalid-part", 7),
    invalid("file://localhost",       "invalid-part", 16, rfc1738(127), decision(16)),
    invalid("file://localhost:80/x",  "invalid-host", 16),
    invalid("file://u@localhost/x",   "userinfo-not-allowed", 7),
    invalid("file://u:p@localhost/x", "userinfo-not-allowed", 7),
    invalid("file:///x;y",            "invalid-part", 9, part="segments"),
    invalid("file:///C|/x",           "invalid-character", 9),
    invalid("file:///a b",            "invalid-character", 9),
    invalid("file:///a\\b",           "invalid-character", 9),
    invalid("file:///a#b",            "fragment-present", 9),
    invalid("file:///a%",             "bad-escape", 9),
    # Building and changing.
    built("file:///"),
    built("file:///etc/motd",                     segments=["etc", "motd"]),
    built("file://localhost/etc/",                host="localhost", segments=["etc", ""]),
    built("file://h.dom/a%2Fb/c%3Bd/e%20f/?:@&=", host="h.dom", segments=["a/b", "c;d", "e f", "?:@&="]),
    built("file:///a%2fb/%25",                    segments=[Encoded("a%2fb"), "%"]),
    refused("invalid-part", "segments", segments=[]),
    refused("invalid-part", "segments", segments="etc"),
    refused("invalid-part", "segments", segments=[1]),
    refused("invalid-host", "host", host="h:80"),
    refused("invalid-part", "segments", segments=[Encoded("a/b")]),
    changed("file:///a%2Fb/c",          "file://localhost/a%2Fb/c", host="localhost"),
    changed("file://localhost/a%2Fb/c", "file:///a%2Fb/c", host=""),
    changed("file:///a%2Fb/c",          "file:///x/", segments=["x", ""]),
])

test_file_uris = url_tests(FileURI, [
    # The examples of RFC 8089 appendix B.
    valid("file:///path/to/file",                 is_local=True),
    valid("file:/path/to/file",                   is_local=True),
    valid("file://host.example.com/path/to/file", is_local=False),
    valid("file://[::1]/~a/b#x",                  host="[::1]", segments=("~a", "b"), fragment="x"),
    # Normal forms.
    valid("file:/a/./b",           normalized="file:///a/b"),
    valid("FILE://LocalHost/%7ea", normalized="file:///~a"),
    valid("file:/",                normalized="file:///"),
    valid("file://H/c:/../b",      normalized="file://h/b"),
    valid("file:///a/..//%7eb",    normalized="file:///a/..//~b"),
    valid("file:///a/..//b"),
    valid("file:///..//x"),
    valid("file:///%61/..//b"),
    valid("file:/a/../b"),
    # Building and changing.
    built("file:/"),
    built("file:/",                  host=""),
    built("file:///",                host=Encoded("")),
    built("file:/a%20b/c%2Fd/",      segments=["a b", "c/d", ""]),
    built("file://[::1]/~;%3F%23#f", host="[::1]", segments=["~;?#"], fragment="f"),
    built("file:/c:/",               host=None, segments=["c:", ""]),
    refused("invalid-part", "segments", segments=["", "a"]),
    refused("invalid-part", "segments", segments="a"),
    refused("invalid-host", "host", host="::1"),
    refused("invalid-part", "segments", segments=[]),
    changed("file:/a/b",      "file:/c", segments=["c"]),
    changed("file:/a/b",      "file://h/a/b", host="h"),
    changed("file://h/a/b#f", "file:///a/b", host=Encoded(""), fragment=None),
])
# fmt: on
