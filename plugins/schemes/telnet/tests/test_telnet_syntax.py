"""telnet URLs (RFC 1738 section 3.8, RFC 4248)."""

import pytest

import urlschemes_access
from urlschemes import Encoded
from urlschemes.errors import UnsupportedOperation
from urlschemes_conformance.url_table import built, changed, invalid, refused, unsafe, url_tests, valid, warned
from urlschemes_telnet import TelnetURL
from urlschemes_telnet.rfc3986 import TelnetURI

decision, rfc1738 = pytest.mark.decision, pytest.mark.rfc1738

# fmt: off
test_telnet_urls = url_tests(TelnetURL, [
    # A login, and a slash that may be left out.
    valid("telnet://host.dom/",                     user=None, password=None, port=23, host="host.dom"),
    valid("telnet://:@host.dom/",                   user="", password="", port=23, host="host.dom"),
    valid("telnet://u@host.dom/",                   rfc1738(114), user="u", password=None, port=23, host="host.dom"),
    valid("telnet://u:@host.dom/",                  user="u", password="", port=23, host="host.dom"),
    valid("telnet://:p@host.dom/",                  user="", password="p", port=23, host="host.dom"),
    valid("telnet://u:p@host.dom/",                 rfc1738(117), user="u", password="p", port=23, host="host.dom"),
    valid("telnet://%3a%40%2F:%3A%40%2f@host.dom/", user=":@/", password=":@/", port=23, host="host.dom"),
    valid("telnet://u;?&=$-_.+!*'(),:p;?&=$-_.+!*'(),@host.dom/",
        user="u;?&=$-_.+!*'(),", password="p;?&=$-_.+!*'(),", port=23, host="host.dom"),
    valid("telnet://%FF%00@host.dom/",              user="\udcff\x00", password=None, port=23, host="host.dom"),
    valid("telnet://u%2525@host.dom/",              user="u%25", password=None, port=23, host="host.dom"),
    valid("telnet://h",                             rfc1738(115), decision(14), port=23, normalized="telnet://h/"),
    valid("telnet://h:23/",                         normalized="telnet://h/"),
    valid("telnet://u:p@h:2323",                    rfc1738(113), user="u", port=2323, raw={"port": "2323"}),
    # Invalid texts.
    invalid("telnet:h",          "missing-authority", 7),
    invalid("telnet:/h/",        "missing-authority", 8),
    invalid("telnet://",         "empty-host", 9),
    invalid("telnet:///",        "empty-host", 9),
    invalid("telnet://u:p:q@h/", "invalid-userinfo", 12),
    invalid("telnet://u@v@h/",   "invalid-userinfo", 10),
    invalid("telnet://h_h/",     "invalid-host", 10),
    invalid("telnet://h./",      "invalid-host", 11),
    invalid("telnet://h?x",      "invalid-host", 10),
    invalid("telnet://h:",       "invalid-port", 11),
    invalid("telnet://h:-1/",    "invalid-port", 11),
    invalid("telnet://h:23x/",   "invalid-port", 13),
    invalid("telnet://h/x",      "invalid-part", 11),
    invalid("telnet://u/v@h/",   "invalid-part", 11),
    invalid("telnet://u v@h/",   "invalid-character", 10),
    invalid("telnet://u{}@h/",   "invalid-character", 10),
    invalid("telnet://h/\r\n",   "invalid-character", 11),
    invalid("telnet://h/#top",   "fragment-present", 11),
    invalid("telnet://%4@h/",    "bad-escape", 9),
    invalid("telnet://h//",      "invalid-part", 11, rfc1738(115)),
    invalid("telnet://h/?",      "invalid-part", 11, decision(14)),
    invalid("telnet://h/;x",     "invalid-part", 11),
    invalid("telnet://h/%20",    "invalid-part", 11),
    invalid("telnet://h/ ",      "invalid-character", 11),
    invalid("telnet://h/x@h/",   "invalid-part", 11),
    invalid("telnet://u:c/d@h/", "invalid-port", 11, rfc1738(39)),
    invalid("telnet://:23",      "empty-host", 9),
    # Control octets are parsed, and never sent.
    unsafe("telnet://a%0D%0Ab@h/", "user"),
    unsafe("telnet://a%00@h/",     "user"),
    unsafe("telnet://:%1B@h/",     "password"),
    unsafe("telnet://a:b%7F@h/",   "password"),
    unsafe("telnet://%09@h/",      "user"),
    warned("telnet://guest:s%00@h/", {"password": (15, 19), "control-octet": (16, 19)}),
    # Building and changing.
    built("telnet://h",                     host="h"),
    built("telnet://h:2323",                host="h", port=2323),
    built("telnet://u@h",                   host="h", user="u"),
    built("telnet://:@h",                   host="h", user="", password=""),
    built("telnet://a%3Ab%40c%2Fd:e%20f@h", host="h", user="a:b@c/d", password="e f"),
    built("telnet://?;&=%C3%A9%FF%7E@h",    host="h", user="?;&=é\udcff~"),
    built("telnet://a%3ab@h",               host="h", user=Encoded("a%3ab")),
    refused("invalid-userinfo", "password", rfc1738(41), host="h", password="p"),
    refused("invalid-userinfo", "user", host="h", user=Encoded("a:b")),
    refused("invalid-userinfo", "user", host="h", user=Encoded("a b")),
    refused("invalid-host",     "host", host="h/"),
    refused("invalid-host",     "host", host=""),
    refused("invalid-port",     "port", host="h", port="23"),
    refused("invalid-port",     "port", host="h", port=-1),
    refused("invalid-userinfo", "user", host="h", user="\ud800"),
    changed("telnet://u:p@h:23/", "telnet://u@h:23/", password=None),
    changed("telnet://u:p@h:23/", "telnet://h:23/", user=None, password=None),
    changed("telnet://h",         "telnet://u@h", user="u"),
    changed("telnet://h/",        "telnet://u:p@h/", user="u", password="p"),
    changed("telnet://%75@h/",    "telnet://%75@i:24/", host="i", port=24),
    changed("telnet://h:23",      "telnet://h", port=None),
    changed("telnet://h/",        None, password="p"),
])

test_telnet_uris = url_tests(TelnetURI, [
    valid("telnet://joe:s:x@[::1]:2323#x", user="joe", password="s:x", host="[::1]", port=2323, fragment="x"),
    valid("telnet://%7eJoe@[::A]:023",     normalized="telnet://~Joe@[::a]/"),
    valid("TELNET://~Joe@[::a]/",          normalized="telnet://~Joe@[::a]/"),
    built("telnet://[::1]",          host="[::1]", port=23),
    built("telnet://a%3Ab:c:d%40@h", host="h", user="a:b", password="c:d@"),
    built("telnet://h#",             host="h", fragment=""),
    built("telnet://%7Ejoe@h",       host="h", user=Encoded("%7Ejoe")),
    refused("invalid-host",     "host", host=""),
    refused("invalid-host",     "host", host="::1"),
    refused("invalid-userinfo", "password", host="h", password="p"),
])
# fmt: on


def test_a_service_cannot_be_accessed_as_an_object() -> None:
    with pytest.raises(UnsupportedOperation, match="it offers open session"):
        urlschemes_access.access("telnet://localhost/")
