"""RFC 1738 sections 3.2, 3.3, 3.4 and 3.10: ftp, http, gopher and file."""

from __future__ import annotations

import pytest
from rfc1738_helpers import RESERVED, UNRESERVED, refused

import urlschemes_access
import urlschemes_lint
from urlschemes import (
    InvalidURL,
    default_registry,
    parse,
)
from urlschemes.grammar.octets import octets_of, text_of
from urlschemes_access import Policy
from urlschemes_access.errors import PolicyDenied
from urlschemes_file import FileURL
from urlschemes_ftp import FtpURL
from urlschemes_gopher import GopherURL
from urlschemes_http import HttpURL

# Section 3.2: ftp


@pytest.mark.rfc1738(53, 54, 55)
@pytest.mark.parametrize(
    ("path", "directories", "name", "typecode"),
    [
        ("/a/b/c;type=a", ("a", "b"), "c", "a"),
        ("/a/b/c;type=i", ("a", "b"), "c", "i"),
        ("/a/b/c;type=d", ("a", "b"), "c", "d"),
        ("/a/b/c;type=D", ("a", "b"), "c", "D"),
        ("/a/b/c", ("a", "b"), "c", None),
        ("/c", (), "c", None),
        ("/", (), "", None),
        ("//", ("",), "", None),
        ("///c", ("", ""), "c", None),
        ("/a/", ("a",), "", None),
        ("/;type=d", (), "", "d"),
    ],
)
def test_an_ftp_path_is_directories_a_name_and_a_typecode(
    path: str, directories: tuple[str, ...], name: str, typecode: str | None
) -> None:
    url = parse(f"ftp://h{path}", FtpURL)
    assert (url.directories, url.name, url.typecode) == (directories, name, typecode)
    assert FtpURL(host="h", directories=directories, name=name, typecode=typecode) == url


@pytest.mark.rfc1738(53)
@pytest.mark.parametrize("end", [";type=", ";type=x", ";type=ai", ";type=a;type=i", ";type=%61", ";typ=a", ";", ";a"])
def test_an_invalid_typecode_is_refused(end: str) -> None:
    refused(f"ftp://h/a{end}", "invalid-part", scheme="ftp")


@pytest.mark.rfc1738(56)
def test_the_whole_ftp_path_may_be_left_out_with_its_slash() -> None:
    assert (parse("ftp://h", FtpURL).name, parse("ftp://h", FtpURL).directories) == (None, ())
    assert str(FtpURL(host="h")) == "ftp://h"
    assert parse("ftp://h").equivalent(parse("ftp://h/"))
    refused("ftp://h;type=d", "invalid-host", scheme="ftp")


@pytest.mark.rfc1738(60)
@pytest.mark.parametrize("character", ["/", ";"])
def test_slash_and_semicolon_are_encoded_within_an_ftp_name_or_directory(character: str) -> None:
    data, escape = f"a{character}b", f"a%{ord(character):02X}b"
    url = FtpURL(host="h", directories=(data,), name=data)
    assert str(url) == f"ftp://h/{escape}/{escape}"
    assert (url.directories, url.name) == ((data,), data)
    assert (url.raw["directories"], url.raw["name"]) == ((escape,), escape)
    if character == ";":
        refused("ftp://h/a;b", "invalid-part", scheme="ftp")
        refused("ftp://h/a;b/c", "invalid-part", scheme="ftp")


@pytest.mark.rfc1738(61)
def test_three_urls_that_look_alike_and_name_other_directories() -> None:
    texts = [f"ftp://myname@host.dom/{path}" for path in ("%2Fetc/motd", "etc/motd", "/etc/motd")]
    assert [parse(text, FtpURL).directories for text in texts] == [("/etc",), ("etc",), ("", "etc")]
    assert len({parse(text).normalized() for text in texts}) == 3


@pytest.mark.rfc1738(64)
def test_an_ftp_url_has_no_path_that_could_be_taken_for_a_file_name() -> None:
    url = parse("ftp://h/../%2e%2e/a%2Fb", FtpURL)
    assert not hasattr(url, "path")
    assert (url.directories, url.name) == (("..", ".."), "a/b")  # dots are not resolved
    assert str(url.normalized()) == "ftp://h/../../a%2Fb"


# Section 3.3: http


@pytest.mark.rfc1738(68, 71)
@pytest.mark.parametrize(
    ("text", "path", "search"),
    [
        ("http://h", None, None),
        ("http://h/", "", None),
        ("http://h/a", "a", None),
        ("http://h/a/b;c", "a/b;c", None),
        ("http://h/?", "", ""),
        ("http://h/?q", "", "q"),
        ("http://h:8080/a?q=1&r;s:t@u", "a", "q=1&r;s:t@u"),
    ],
)
def test_an_http_url_is_a_path_and_a_search_each_optional(text: str, path: str | None, search: str | None) -> None:
    url = parse(text, HttpURL)
    assert (url.path, url.search, url.host) == (path, search, "h")


@pytest.mark.decision(6)
@pytest.mark.rfc1738(71)
def test_the_slash_of_an_http_url_may_be_omitted_at_the_end() -> None:
    assert parse("http://h").equivalent(parse("http://h/"))
    refused("http://h?q", "invalid-host", position=8, expected=('"/"',))
    assert str(urlschemes_lint.fix("http://h?q").url) == "http://h/?q"
    assert str(HttpURL(host="h", search="q")) == "http://h/?q"


@pytest.mark.decision(6)
@pytest.mark.rfc1738(72)
def test_slash_semicolon_and_question_mark_in_an_http_path_and_search() -> None:
    assert (parse("http://h/a?b", HttpURL).path, parse("http://h/a%3Fb", HttpURL).path) == ("a", "a%3Fb")
    for character in "/?":
        error = refused(f"http://h/?a{character}b", "invalid-part", part="search", rule="search")
        assert error.section == "RFC 1738 section 3.3"
    url = HttpURL(host="h", path="a?b", search="c/d?e")
    assert str(url) == "http://h/a%3Fb?c%2Fd%3Fe"
    # An escape may mean something else to the server: normalizing keeps reserved characters as they are.
    for reserved in (";", "%3B"):
        assert str(parse(f"http://h/a{reserved}b?c{reserved}d").normalized()) == f"http://h/a{reserved}b?c{reserved}d"


# Section 3.4: gopher


@pytest.mark.rfc1738(75, 76, 84, 85, 87)
@pytest.mark.parametrize(
    ("path", "gtype", "selector", "search", "gopher_plus"),
    [
        ("0", "0", "", None, None),
        ("0/sel", "0", "/sel", None, None),
        ("7/sel%09two%20words", "7", "/sel", "two words", None),
        ("7/sel%09", "7", "/sel", "", None),
        ("0/sel%09words%09+", "0", "/sel", "words", "+"),
        ("0/sel%09%09+", "0", "/sel", "", "+"),
        ("1%09%09$", "1", "", "", "$"),
        ("0%09%09", "0", "", "", ""),
    ],
)
def test_the_three_forms_of_a_gopher_path(
    path: str, gtype: str, selector: str, search: str | None, gopher_plus: str | None
) -> None:
    url = parse(f"gopher://h/{path}", GopherURL)
    assert (url.gtype, url.selector, url.search, url.gopher_plus) == (gtype, selector, search, gopher_plus)
    built = GopherURL(host="h", gtype=gtype, selector=selector, search=search, gopher_plus=gopher_plus)
    assert built.equivalent(url)


@pytest.mark.rfc1738(78)
def test_the_gopher_type_is_a_single_character() -> None:
    for character in sorted(UNRESERVED | RESERVED):
        url = parse(f"gopher://h/{character}sel", GopherURL)
        assert (url.gtype, url.selector) == (character, "sel")
    for gtype in ("", "00", "\u00e9"):
        with pytest.raises(InvalidURL) as caught:
            GopherURL(host="h", gtype=gtype, selector="sel")
        assert caught.value.code == "invalid-part"
        assert caught.value.part == "gtype"


@pytest.mark.rfc1738(79)
@pytest.mark.parametrize("text", ["gopher://h", "gopher://h/", "gopher://h:70"])
def test_an_empty_gopher_path_means_type_1_and_needs_no_slash(text: str) -> None:
    url = parse(text, GopherURL)
    assert (url.gtype, url.effective_gtype, url.selector, url.search, url.gopher_plus) == (None, "1", "", None, None)
    assert url.equivalent(parse("gopher://h"))


@pytest.mark.rfc1738(80)
def test_a_selector_contains_any_octet_except_tab_and_line_ends() -> None:
    octets = bytes(octet for octet in range(256) if octet not in {0x09, 0x0A, 0x0D})
    url = GopherURL(host="h", gtype="9", selector=text_of(octets))
    assert octets_of(parse(str(url), GopherURL).selector) == octets
    for octet in ("\t", "\n", "\r"):
        with pytest.raises(InvalidURL, match=f"octet {ord(octet):02X}") as caught:
            GopherURL(host="h", gtype="9", selector=f"a{octet}b")
        assert caught.value.code == "invalid-part"
    for escape in ("%0A", "%0d"):
        refused(f"gopher://h/9a{escape}b", "invalid-part", part="selector", section="RFC 1738 section 3.4.1")


@pytest.mark.rfc1738(82)
def test_no_character_is_reserved_within_a_gopher_path() -> None:
    for template in ("gopher://h/0{}", "gopher://h/7s%09{}", "gopher://h/0s%09%09{}"):
        for character in sorted(RESERVED):
            encoded = parse(template.format(f"%{ord(character):02X}"))
            assert encoded.equivalent(parse(template.format(character)))


@pytest.mark.rfc1738(83)
def test_a_selector_that_begins_with_the_type_repeats_it() -> None:
    url = parse("gopher://h/00/about", GopherURL)
    assert (url.gtype, url.selector) == ("0", "0/about")
    assert str(GopherURL(host="h", gtype="0", selector="0/about")) == "gopher://h/00/about"


@pytest.mark.rfc1738(88)
def test_a_gopher_plus_string_requires_a_search_even_an_empty_one() -> None:
    assert parse("gopher://h/0s%09+", GopherURL).search == "+"  # a single TAB precedes a search
    assert str(GopherURL(host="h", gtype="0", selector="s", gopher_plus="+")) == "gopher://h/0s%09%09+"


@pytest.mark.rfc1738(90, 92, 93, 94, 95, 96)
@pytest.mark.parametrize(
    ("written", "decoded"),
    [
        ("+", "+"),
        ("?", "?"),
        ("!", "!"),
        ("$", "$"),
        ("!+ABSTRACT", "!+ABSTRACT"),
        ("$+ABSTRACT", "$+ABSTRACT"),
        ("!+ABSTRACT%20+SMELL", "!+ABSTRACT +SMELL"),
        ("+application/postscript%20Es_ES", "+application/postscript Es_ES"),
        ("+%091%0D%0A+-1%0D%0Aone%0D%0Atwo%0D%0A.%0D%0A", "+\t1\r\n+-1\r\none\r\ntwo\r\n.\r\n"),
    ],
)
def test_the_gopher_plus_strings_that_the_rfc_names(written: str, decoded: str) -> None:
    url = parse(f"gopher://h/0sel%09%09{written}", GopherURL)
    assert (url.selector, url.search, url.gopher_plus) == ("sel", "", decoded)
    assert GopherURL(host="h", gtype="0", selector="sel", search="", gopher_plus=decoded) == url


# Section 3.10: file


@pytest.mark.decision(16)
@pytest.mark.rfc1738(126, 127, 128)
@pytest.mark.parametrize(
    ("text", "host", "segments", "local"),
    [
        ("file:///a/b", "", ("a", "b"), True),
        ("file://localhost/a", "localhost", ("a",), True),
        ("file://LOCALHOST/a", "localhost", ("a",), True),
        ("file://vms.host.edu/a/", "vms.host.edu", ("a", ""), False),
        ("file://192.0.2.7/", "192.0.2.7", ("",), False),
        ("file:///", "", ("",), True),
    ],
)
def test_a_file_url_is_a_path_on_a_host_or_on_this_machine(
    text: str, host: str, segments: tuple[str, ...], local: bool
) -> None:
    url = parse(text, FileURL)
    assert (url.host, url.segments, url.is_local) == (host, segments, local)
    assert FileURL(host=host, segments=segments).equivalent(url)


@pytest.mark.decision(16)
@pytest.mark.rfc1738(127)
@pytest.mark.parametrize(
    "text", ["file:a", "file:/a", "file://h", "file://", "file://h:80/a", "file://u@h/a", "file:///a;b"]
)
def test_an_invalid_file_url_is_refused(text: str) -> None:
    with pytest.raises(InvalidURL) as caught:
        parse(text)
    assert caught.value.scheme == "file"


@pytest.mark.rfc1738(129)
def test_a_file_url_has_no_port_and_other_hosts_are_not_accessed() -> None:
    assert default_registry.registration("file").default_port is None
    with pytest.raises(PolicyDenied):
        urlschemes_access.access("file://host.example/etc/motd", policy=Policy.interactive())
