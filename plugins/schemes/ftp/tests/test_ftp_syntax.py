"""The syntax of ftp URLs (RFC 1738 section 3.2): parts, errors, constructor."""

from __future__ import annotations

from typing import Any

import pytest

import urlschemes_access
from urlschemes import Encoded
from urlschemes.errors import InvalidURL, UnsafeURL
from urlschemes.record.record_fields import Example
from urlschemes_ftp import FtpURL, registration, scheme
from urlschemes_testing.examples import check_example

EXAMPLES = {example.url: example for example in registration.examples}


@pytest.mark.parametrize("example", registration.examples, ids=EXAMPLES)
def test_the_examples_of_the_record_are_true(example: Example) -> None:
    check_example(FtpURL, example)


def test_the_record_has_the_examples_of_the_rfc() -> None:
    # Section 3.1, section 3.2.2, the Appendix and the references of RFC 1738.
    for url in (
        "ftp://@host.com/",
        "ftp://host.com/",
        "ftp://foo:@host.com/",
        "ftp://myname@host.dom/%2Fetc/motd",
        "ftp://myname@host.dom/etc/motd",
        "ftp://myname@host.dom//etc/motd",
        "ftp://info.cern.ch/pub/www/doc;type=d",
        "ftp://ds.internic.net/rfc",
        "ftp://ds.internic.net/rfc/rfc1436.txt;type=a",
        "ftp://boombox.micro.umn.edu/pub/gopher/gopher_protocol/Gopher+/Gopher+.txt",
        "ftp://info.cern.ch/pub/www/doc/http-spec.txt.Z",
        "ftp://prospero.isi.edu/pub/prospero/doc/prospero-protocol.PS.Z",
    ):
        assert EXAMPLES[url].parts is not None


def test_the_record_is_that_of_the_scheme() -> None:
    assert scheme.name == "ftp"
    assert scheme.url_type is FtpURL
    assert registration.default_port == 21
    assert registration.operations == ("access", "find attributes", "update", "replace", "delete")
    assert list(registration.syntax.parts) == ["user", "password", "host", "port", "directories", "name", "typecode"]


def test_a_url_has_its_parts() -> None:
    url = FtpURL.parse("ftp://jo%65:p%3Aq@Host.DOM:0021/%2Fetc//a%20b/x%2Fy;TYPE=A")
    assert (url.scheme, url.user, url.password, url.host, url.port) == ("ftp", "joe", "p:q", "host.dom", 21)
    assert (url.directories, url.name, url.typecode) == (("/etc", "", "a b"), "x/y", "A")
    assert url.raw["directories"] == ("%2Fetc", "", "a%20b")
    assert (url.raw["user"], url.raw["name"], url.raw["port"]) == ("jo%65", "x%2Fy", "0021")
    match url:
        case FtpURL(host=host, directories=(first, *_), name=name):
            assert (host, first, name) == ("host.dom", "/etc", "x/y")
        case _:
            pytest.fail("a URL matches the pattern of its parts")


@pytest.mark.parametrize(
    ("text", "directories", "name"),
    [
        ("ftp://h", (), None),
        ("ftp://h/", (), ""),
        ("ftp://h//", ("",), ""),
        ("ftp://h/a", (), "a"),
        ("ftp://h/a/", ("a",), ""),
        ("ftp://h/a//b", ("a", ""), "b"),
        ("ftp://h/;type=d", (), ""),
        ("ftp://h/a%ffb", (), "a\udcffb"),
        ("ftp://h/..%2f..%2fetc/passwd", ("../../etc",), "passwd"),
        ("ftp://h/%20", (), " "),
        ("ftp://h/%2542", (), "%42"),
    ],
)
def test_slashes_separate_directories_and_name(text: str, directories: tuple[str, ...], name: str | None) -> None:
    url = FtpURL.parse(text)
    assert (url.directories, url.name) == (directories, name)


@pytest.mark.decision(5)
@pytest.mark.parametrize("code", "aidAID")
def test_the_typecode_keeps_its_case(code: str) -> None:
    assert FtpURL.parse(f"ftp://h/x;type={code}").typecode == code


@pytest.mark.parametrize(
    ("text", "code", "part"),
    [
        ("ftp://a@b@evil.example/", "invalid-userinfo", None),  # H005
        ("ftp://a:b:c@evil.example/", "invalid-userinfo", None),  # H006
        ("ftp://h.example/a;type=x", "invalid-part", "typecode"),  # F008
        ("ftp://h.example/a;type=", "invalid-part", "typecode"),  # F010
        ("ftp://h.example/a;type=i;type=a", "invalid-part", "typecode"),  # F011
        ("ftp://h.example/a;type=%69", "invalid-part", "typecode"),  # decision 4
        ("ftp://h.example/a;type=ii", "invalid-part", "typecode"),
        ("ftp://h.ex%61mple/a", "invalid-host", None),  # decision 4
        ("ftp://h.example:2%31/a", "invalid-port", None),  # decision 4
        ("ftp://h.example:/a", "invalid-port", None),  # decision 19
        ("ftp://h.example/%4", "bad-escape", None),
        ("ftp://h.example/~user", "invalid-character", None),
        ("ftp://h.example/é", "invalid-character", None),
        ("ftp://h.example/a#b", "fragment-present", None),
        ("ftp:h.example/a", "missing-authority", None),
        ("ftp:/h.example/a", "missing-authority", None),
        ("ftp://h.example/" + "a" * 70_000, "url-too-long", None),
    ],
)
def test_invalid_urls_are_refused(text: str, code: str, part: str | None) -> None:
    with pytest.raises(InvalidURL) as caught:
        FtpURL.parse(text)
    assert caught.value.code == code
    assert caught.value.code == code
    if part is not None:
        assert caught.value.part == part


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("ftp://u:p%0d%0aDELE%20x@h.example/", "password"),  # H008
        ("ftp://u%00:p@h.example/", "user"),  # H009
        ("ftp://h.example/a%0d%0aDELE%20b", "name"),  # F001
        ("ftp://h.example/a%0aDELE%20b", "name"),  # F002
        ("ftp://h.example/a%0dDELE%20b", "name"),  # F003
        ("ftp://h.example/a%00b", "name"),  # F004
        ("ftp://h.example/a%0a/b", "directories"),
        ("ftp://h.example/a%7F/b", "directories"),
    ],
)
def test_control_octets_are_parsed_and_never_sent(text: str, part: str) -> None:
    url = FtpURL.parse(text)
    with pytest.raises(UnsafeURL) as caught:
        url.check_line()
    assert caught.value.part == part
    assert "DELE" not in str(caught.value)
    with pytest.raises(UnsafeURL):
        urlschemes_access.access(url)


def test_a_path_of_more_than_256_segments_is_refused_before_the_name_is_resolved() -> None:  # F015
    text = "ftp://no-such-host.invalid/" + "a/" * 20_000
    assert len(FtpURL.parse(text).directories) == 20_000
    with pytest.raises(UnsafeURL, match="at most 256"):
        urlschemes_access.access(text)


def test_a_password_is_never_shown() -> None:  # E001
    url = FtpURL.parse("ftp://u:hunter2@h.example/%0d")
    assert "hunter2" not in repr(url)
    assert "ftp://u:***@h.example/" in repr(url)
    with pytest.raises(UnsafeURL) as caught:
        urlschemes_access.access(url)
    assert "hunter2" not in str(caught.value)
    with pytest.raises(InvalidURL) as caught:
        FtpURL.parse("ftp://u:hunter2@h.example/ ")
    assert "hunter2" not in str(caught.value)


# Constructor and replace


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ({"host": "h"}, "ftp://h"),
        ({"host": "h", "name": ""}, "ftp://h/"),
        ({"host": "h", "directories": ["a"]}, "ftp://h/a/"),
        ({"host": "h", "typecode": "d"}, "ftp://h/;type=d"),
        ({"host": "h", "port": 2121, "name": "x"}, "ftp://h:2121/x"),
        ({"host": "h", "user": "u", "name": "x"}, "ftp://u@h/x"),
        ({"host": "h", "user": "", "password": "", "name": "x"}, "ftp://:@h/x"),
        # C002
        ({"host": "a.example", "user": "u", "password": "p@h/x", "name": ""}, "ftp://u:p%40h%2Fx@a.example/"),
        # C004
        ({"host": "a.example", "directories": ["a/b", ".."], "name": ""}, "ftp://a.example/a%2Fb/../"),
        ({"host": "h", "directories": ["/etc", ""], "name": "a;b%"}, "ftp://h/%2Fetc//a%3Bb%25"),
        ({"host": "h", "name": "naïve \udcff"}, "ftp://h/na%C3%AFve%20%FF"),
        ({"host": "h", "name": Encoded("na%c3%afve"), "typecode": "I"}, "ftp://h/na%c3%afve;type=I"),
        ({"host": "h", "directories": [Encoded("%2f"), "?:@&="], "name": "x"}, "ftp://h/%2f/?:@&=/x"),
    ],
)
def test_a_constructor_encodes_its_parts(parts: dict[str, Any], text: str) -> None:
    url = FtpURL(**parts)
    assert str(url) == text
    assert url == FtpURL.parse(text)


@pytest.mark.parametrize(
    "parts",
    [
        {"host": "a b"},
        {"host": ""},
        {"host": "h", "port": -1},
        {"host": "h", "port": True},
        {"host": "h", "password": "p"},
        {"host": "h", "name": "x", "typecode": "x"},
        {"host": "h", "name": "x", "typecode": ""},
        {"host": "h", "name": Encoded("a/b")},
        {"host": "h", "name": Encoded("a;type=i")},
        {"host": "h", "directories": "pub"},
        {"host": "h", "directories": [Encoded("a/b")], "name": "x"},
        {"host": "h@evil.example"},
        {"host": "h", "user": Encoded("a@b")},
    ],
)
def test_values_without_a_url_are_refused(parts: dict[str, Any]) -> None:
    with pytest.raises(InvalidURL):
        FtpURL(**parts)


def test_replace_changes_the_given_parts() -> None:
    url = FtpURL.parse("FTP://jo%65:%70@Host.dom:021/%2fetc/%6dotd;type=A")
    assert str(url.replace(name="issue")) == "FTP://jo%65:%70@Host.dom:021/%2fetc/issue;type=A"
    assert str(url.replace(typecode=None)) == "FTP://jo%65:%70@Host.dom:021/%2fetc/%6dotd"
    assert str(url.replace(host="h")) == "FTP://jo%65:%70@h:021/%2fetc/%6dotd;type=A"
    assert str(url.replace(port=None)) == "FTP://jo%65:%70@Host.dom/%2fetc/%6dotd;type=A"
    assert str(url.replace(password=None)) == "FTP://jo%65@Host.dom:021/%2fetc/%6dotd;type=A"
    assert str(url.replace(directories=["a/b", ""])) == "FTP://jo%65:%70@Host.dom:021/a%2Fb//%6dotd;type=A"
    assert str(FtpURL.parse("ftp://h").replace(name="x")) == "ftp://h/x"
    assert url.replace() == url
    with pytest.raises(InvalidURL):
        url.replace(typecode="z")
