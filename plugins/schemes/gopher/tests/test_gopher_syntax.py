"""gopher URLs (RFC 1738 section 3.4, RFC 4266)."""

import pytest

from urlschemes import Encoded
from urlschemes.errors import UnsafeURL
from urlschemes_conformance.url_table import built, changed, invalid, refused, unsafe, url_tests, valid
from urlschemes_gopher import GopherURL
from urlschemes_gopher.rfc3986 import GopherURI

decision, rfc1738 = pytest.mark.decision, pytest.mark.rfc1738

# fmt: off
test_gopher_urls = url_tests(GopherURL, [
    # An empty path means type 1.
    valid("gopher://h",
        rfc1738(79), decision(9), gtype=None, effective_gtype="1", selector="", search=None, gopher_plus=None,
        normalized="gopher://h/1"),
    valid("gopher://h/",
        gtype=None, effective_gtype="1", selector="", search=None, gopher_plus=None, normalized="gopher://h/1"),
    valid("gopher://h:70",
        gtype=None, effective_gtype="1", selector="", search=None, gopher_plus=None, normalized="gopher://h/1"),
    valid("GOPHER://H/",   gtype=None, effective_gtype="1", selector="", search=None, gopher_plus=None),
    # The type is one octet, encoded or not.
    valid("gopher://h/0x",       rfc1738(78), decision(9), gtype="0", selector="x"),
    valid("gopher://h/%30x",     gtype="0", selector="x", raw={"gtype": "%30"}),
    valid("gopher://h/%3ax",     gtype=":", selector="x", raw={"gtype": "%3a"}),
    valid("gopher://h/%FFx",     gtype="\udcff", selector="x", raw={"gtype": "%FF"}),
    valid("gopher://h/%0Dx",     gtype="\r", selector="x", raw={"gtype": "%0D"}),
    valid("gopher://h/%09x",     gtype="\t", selector="x", raw={"gtype": "%09"}),
    valid("gopher://h/;sel",     gtype=";", selector="sel"),
    valid("gopher://h//sel",     gtype="/", selector="sel"),
    valid("gopher://h/?sel",     gtype="?", selector="sel"),
    valid("gopher://h/:sel",     gtype=":", selector="sel"),
    valid("gopher://h/@sel",     gtype="@", selector="sel"),
    valid("gopher://h/&sel",     gtype="&", selector="sel"),
    valid("gopher://h/=sel",     gtype="=", selector="sel"),
    valid("gopher://h/00/about", rfc1738(83), gtype="0", selector="0/about"),
    # Selector, search and Gopher+ string: divided at the first and at the second TAB.
    valid("gopher://h/0",                             gtype="0", selector="", search=None, gopher_plus=None),
    valid("gopher://h/0%09",                          gtype="0", selector="", search="", gopher_plus=None),
    valid("gopher://h/0%09%09",                       gtype="0", selector="", search="", gopher_plus=""),
    valid("gopher://h/0a%09b",                        gtype="0", selector="a", search="b", gopher_plus=None),
    valid("gopher://h/0a%09b%09c",                    gtype="0", selector="a", search="b", gopher_plus="c"),
    valid("gopher://h/0a%09b%09c%09d%09", decision(8), gtype="0", selector="a", search="b", gopher_plus="c\td\t"),
    valid("gopher://h/%09%09%09%09",                  gtype="\t", selector="", search="", gopher_plus="\t"),
    valid("gopher://h/%09x%09y",                      gtype="\t", selector="x", search="y", gopher_plus=None),
    valid("gopher://h/7/a/b?c=d;e@f&g:h%09/i/j?k",
        gtype="7", selector="/a/b?c=d;e@f&g:h", search="/i/j?k", gopher_plus=None),
    valid("gopher://h/0a%09%09+%0D%0A",               gtype="0", selector="a", search="", gopher_plus="+\r\n"),
    valid("gopher://h/0a%2509b",                      gtype="0", selector="a%09b", search=None, gopher_plus=None),
    valid("gopher://h/0/sel",                         gtype="0", selector="/sel", search=None, gopher_plus=None),
    valid("gopher://h/7/sel%09two%20words",
        rfc1738(75, 76, 84, 85), gtype="7", selector="/sel", search="two words", gopher_plus=None),
    valid("gopher://h/7/sel%09",                      gtype="7", selector="/sel", search="", gopher_plus=None),
    valid("gopher://h/0/sel%09words%09+", rfc1738(87), gtype="0", selector="/sel", search="words", gopher_plus="+"),
    valid("gopher://h/0/sel%09%09+",                  gtype="0", selector="/sel", search="", gopher_plus="+"),
    valid("gopher://h/1%09%09$",                      gtype="1", selector="", search="", gopher_plus="$"),
    valid("gopher://h/0s%09+",                        rfc1738(88), search="+", gopher_plus=None),
    valid("gopher://h/0sel%09%09+",                   rfc1738(90), gopher_plus="+"),
    valid("gopher://h/0sel%09%09?",                   rfc1738(92), gopher_plus="?"),
    valid("gopher://h/0sel%09%09!",                   rfc1738(93), gopher_plus="!"),
    valid("gopher://h/0sel%09%09$",                   rfc1738(94), gopher_plus="$"),
    valid("gopher://h/0sel%09%09!+ABSTRACT",          rfc1738(95), gopher_plus="!+ABSTRACT"),
    valid("gopher://h/0sel%09%09$+ABSTRACT",          gopher_plus="$+ABSTRACT"),
    valid("gopher://h/0sel%09%09!+ABSTRACT%20+SMELL", rfc1738(95), gopher_plus="!+ABSTRACT +SMELL"),
    valid("gopher://h/0sel%09%09+application/postscript%20Es_ES",gopher_plus="+application/postscript Es_ES"),
    valid("gopher://h/0sel%09%09+%091%0D%0A+-1%0D%0Aone%0D%0Atwo%0D%0A.%0D%0A",
        rfc1738(96), gopher_plus="+\t1\r\n+-1\r\none\r\ntwo\r\n.\r\n"),
    valid("gopher://h/0a%2fb%09%2f",                  normalized="gopher://h/0a/b%09/"),
    valid("gopher://h/%30a",                          normalized="gopher://h/0a"),
    valid("gopher://h/0%3B%2F%3F%3A%40%26%3D",        rfc1738(82), normalized="gopher://h/0;/?:@&="),
    valid("gopher://h/7s%09%3B%2F%3F",                rfc1738(82), normalized="gopher://h/7s%09;/?"),
    valid("gopher://h.example/8-oX",                  gtype="8", selector="-oX"),
    valid("gopher://h.example/hURL:javascript:alert(1)", gtype="h", selector="URL:javascript:alert(1)"),
    # Invalid texts.
    invalid("gopher:h/0a",           "missing-authority", 7),
    invalid("gopher:/h/0a",          "missing-authority", 8),
    invalid("gopher://",             "empty-host", 9),
    invalid("gopher:///0a",          "empty-host", 9),
    invalid("gopher://u:p@h/0a",     "userinfo-not-allowed", 9),
    invalid("gopher://h:/0a",        "invalid-port", 11),
    invalid("gopher://h:7a/0a",      "invalid-port", 12),
    invalid("gopher://h_h/0a",       "invalid-host", 10),
    invalid("gopher://h/~",          "invalid-character", 11),
    invalid("gopher://h/0a b",       "invalid-character", 13),
    invalid("gopher://h/0a\r\nb",    "invalid-character", 13),
    invalid("gopher://h/0a\tb",      "invalid-character", 13),
    invalid("gopher://h/0a#b",       "fragment-present", 13),
    invalid("gopher://h/%0",         "bad-escape", 11),
    invalid("gopher://h/0%9",        "bad-escape", 12),
    invalid("gopher://h/0a%0Ab",     "invalid-part", 13, rfc1738(80), decision(8), part="selector"),
    invalid("gopher://h/0%0d",       "invalid-part", 12, part="selector"),
    invalid("gopher://h/0a%09b%0Dc", "invalid-part", 17, part="search"),
    invalid("gopher://h/0%09%0a",    "invalid-part", 15, part="search"),
    invalid("gopher://127.0.0.1:25/_HELO%20x%0d%0aMAIL%20FROM:%3Ca%3E", "invalid-part", 31, part="selector"),
    # Control octets are parsed, and never sent; those of a Gopher+ string are left to the algorithm.
    unsafe("gopher://h/%0D",       "gtype", decision(9)),
    unsafe("gopher://h/%09x",      "gtype"),
    unsafe("gopher://h/%00",       "gtype"),
    unsafe("gopher://h/0%00",      "selector"),
    unsafe("gopher://h/0a%1Bb",    "selector"),
    unsafe("gopher://h/0a%7F",     "selector"),
    unsafe("gopher://h/7a%09b%08", "search"),
    # Building and changing.
    built("gopher://h",                     host="h"),
    built("gopher://h:7070",                host="h", port=7070),
    built("gopher://h/0",                   host="h", gtype="0"),
    built("gopher://h/1a%20b",              host="h", selector="a b"),
    built("gopher://h/7/f%09q/r",           host="h", gtype="7", selector="/f", search="q/r"),
    built("gopher://h/1%09q",               host="h", search="q"),
    built("gopher://h/1%09%09$",            host="h", gopher_plus="$"),
    built("gopher://h/0a%09%09+%091%0D%0A", host="h", gtype="0", selector="a", gopher_plus="+\t1\r\n"),
    built("gopher://h/0a%2Fb",              host="h", gtype="0", selector=Encoded("a%2Fb")),
    built("gopher://h/%7E%C3%A9%FF%25",     host="h", gtype="~", selector="é\udcff%"),
    built("gopher://h/0s%09%09+",           rfc1738(88), host="h", gtype="0", selector="s", gopher_plus="+"),
    built("gopher://h/00/about",            rfc1738(83), host="h", gtype="0", selector="0/about"),
    refused("invalid-part", "gtype", rfc1738(78), host="h", gtype="00"),
    refused("invalid-part", "gtype", host="h", gtype=""),
    refused("invalid-part", "gtype", host="h", gtype="é"),
    refused("invalid-part", "selector", rfc1738(80), host="h", selector="a\tb"),
    refused("invalid-part", "selector", host="h", selector="a\nb"),
    refused("invalid-part", "search", host="h", search="a\rb"),
    refused("invalid-part", "selector", host="h", selector=Encoded("a b")),
    refused("invalid-part", "selector", host="h", selector=Encoded("a%09b")),
    refused("invalid-port", "port", host="h", port="70"),
    refused("invalid-host", "host", host="h/0x"),
    changed("gopher://h/7%2ff%09a", "gopher://h/7%2ff%09b%20c", search="b c"),
    changed("gopher://h/7f%09a",    "gopher://h/7f", search=None),
    changed("gopher://h/0f",        "gopher://h/0f%09%09!", gopher_plus="!"),
    changed("gopher://h/0f%09%09+", "gopher://h/0f%09%09?", gopher_plus="?"),
    changed("gopher://h/0f",        "gopher://i:71/0f", host="i", port=71),
    changed("gopher://h",           "gopher://h/1f", selector="f"),
    changed("gopher://h/",          "gopher://h/1%09f", search="f"),
    changed("gopher://h",           "gopher://h/1%09%09$", gopher_plus="$"),
    changed("gopher://h:7/",        "gopher://h:71/", port=71),
    changed("gopher://h:70/",       "gopher://h:70/", selector=""),
    changed("gopher://h:70/",       "gopher://h:70/1a", selector="a"),
])

test_gopher_uris = url_tests(GopherURI, [
    valid("gopher://[::1]:7070/7/q?%09a%20b%09+#x",
        host="[::1]", port=7070, gtype="7", selector="/q?", search="a b", gopher_plus="+", fragment="x"),
    valid("GOPHER://[::A]:70/0%2fa%3A../%7e%09%2B%09%23#f",
        effective_gtype="0", normalized="gopher://[::a]/0/a:../~%09+%09%23#f"),
    valid("gopher://h:#f",                                  effective_gtype="1", normalized="gopher://h/1#f"),
    invalid("gopher://h/0a%0Ab",     "invalid-part", 13, part="selector"),
    invalid("gopher://h/0%0d",       "invalid-part", 12, part="selector"),
    invalid("gopher://h/0a%09b%0Dc", "invalid-part", 17, part="search"),
    invalid("gopher://h/0%09%0a",    "invalid-part", 15, part="search"),
    built("gopher://[::1]",                  host="[::1]", port=70),
    built("gopher://h/1/a%20b?%23%5B%5D~",   host="h", selector="/a b?#[]~"),
    built("gopher://h/7/s%09a/b?",           host="h", gtype="7", selector="/s", search="a/b?"),
    built("gopher://h/1%09%09+%091%0D%0A#f", host="h", gopher_plus="+\t1\r\n", fragment="f"),
    built("gopher://h/1a%2Fb",               host="h", selector=Encoded("a%2Fb")),
    built("gopher://h//a",                   host="h", gtype="/", selector="a"),
    refused("invalid-host", "host", host="::1"),
    refused("invalid-part", "selector", host="h", selector="a\tb"),
    refused("invalid-part", "search", host="h", search="\r"),
    refused("invalid-part", "gtype", host="h", gtype=""),
])
# fmt: on


FORM = "+%091%0D%0A+-1%0D%0Aone%0D%0Atwo%0D%0A.%0D%0A"


@pytest.mark.parametrize("plus", ["+x%09y", FORM, FORM + "QUIT"])
def test_control_octets_of_a_gopher_plus_string_are_left_to_the_algorithm(plus: str) -> None:
    url = GopherURL.parse(f"gopher://h/0a%09%09{plus}")
    url.check_line()
    for check in (lambda: url.check_line(include_checked=True), lambda: url.line("gopher_plus")):
        with pytest.raises(UnsafeURL) as caught:
            check()
        assert caught.value.part == "gopher_plus"
