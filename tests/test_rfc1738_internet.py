"""RFC 1738 sections 3 and 3.1: the ten schemes, and the Common Internet Scheme Syntax."""

from __future__ import annotations

import re

import pytest
from rfc1738_helpers import INTERNET, TEN, present, refused

import urlschemes
import urlschemes_lint
from urlschemes import (
    InternetURL,
    InvalidURL,
    LoginURL,
    default_registry,
    parse,
)
from urlschemes_file import FileURL
from urlschemes_ftp import FtpURL
from urlschemes_gopher import GopherURL
from urlschemes_http import HttpURL
from urlschemes_news import NewsURL
from urlschemes_prospero import ProsperoURL
from urlschemes_telnet import TelnetURL

# Section 3


@pytest.mark.rfc1738(31)
def test_each_of_the_ten_schemes_has_a_type_of_its_own() -> None:
    assert set(TEN) < set(default_registry)
    types = {default_registry[name].url_type for name in TEN}
    assert len(types) == 10
    assert not {urlschemes.URL, InternetURL, LoginURL} & types
    for name in TEN:
        record = default_registry.registration(name)
        assert record.scheme == name
        assert re.match(r"RFC 1738 section 3\.\d", record.reference)


# Section 3.1


@pytest.mark.decision(2)
@pytest.mark.rfc1738(33, 35)
@pytest.mark.parametrize("name", TEN)
def test_a_scheme_of_an_ip_based_protocol_requires_two_slashes(name: str) -> None:
    assert issubclass(default_registry[name].url_type, InternetURL) == (name in INTERNET)
    if name in INTERNET:
        for rest in ("host.dom/a", "/host.dom/a", ""):
            refused(f"{name}:{rest}", "missing-authority", section="RFC 1738 section 3.1", scheme=name)
    else:
        assert "host" not in default_registry.registration(name).syntax.parts


@pytest.mark.rfc1738(34, 36, 37, 38)
@pytest.mark.parametrize(
    ("login", "user", "password"),
    [("", None, None), ("@", "", None), ("u@", "u", None), (":@", "", ""), ("u:p@", "u", "p")],
)
@pytest.mark.parametrize(("colon", "port"), [("", 21), (":2121", 2121)])
@pytest.mark.parametrize(("path", "name"), [("", None), ("/", ""), ("/p", "p")])
def test_all_but_the_host_may_be_left_out(
    login: str, user: str | None, password: str | None, colon: str, port: int, path: str, name: str | None
) -> None:
    url = parse(f"ftp://{login}h{colon}{path}", FtpURL)
    assert (url.user, url.password, url.host, url.port, url.name) == (user, password, "h", port, name)


@pytest.mark.rfc1738(34)
@pytest.mark.parametrize("text", ["ftp:///a", "ftp://", "ftp://u@/a", "ftp://u:p@:21/a", "http:///a", "telnet://:23"])
def test_the_host_may_not_be_left_out(text: str) -> None:
    refused(text, "empty-host", section="RFC 1738 section 3.1", part="host")


@pytest.mark.decision(7)
@pytest.mark.rfc1738(36, 70, 133)
@pytest.mark.parametrize("name", INTERNET)
def test_only_ftp_and_telnet_permit_a_user_name(name: str) -> None:
    assert issubclass(default_registry[name].url_type, LoginURL) == (name in {"ftp", "telnet"})
    for login in ("joe@", "joe:secret@", "@", ":@"):
        text = f"{name}://{login}host.dom/" + ("" if name == "telnet" else "a")
        if name in {"ftp", "telnet"}:
            assert parse(text).parts["user"] == login.partition(":")[0].strip("@")
        else:
            refused(text, "userinfo-not-allowed", scheme=name, section="RFC 1738 section 3.1")


@pytest.mark.rfc1738(39)
@pytest.mark.parametrize("character", [":", "@", "/"])
def test_colon_at_sign_and_slash_are_encoded_in_a_login(character: str) -> None:
    escape = f"%{ord(character):02X}"
    url = parse(f"ftp://a{escape}b:c{escape}d@h/", FtpURL)
    assert (url.user, url.password) == (f"a{character}b", f"c{character}d")
    assert FtpURL(host="h", user=f"a{character}b", password=f"c{character}d", name="") == url
    with pytest.raises(InvalidURL):
        parse(f"telnet://u:c{character}d@h/")


@pytest.mark.rfc1738(39)
def test_an_unencoded_delimiter_in_a_login_is_an_error_or_ends_it() -> None:
    error = refused("ftp://a:b:c@h/", "invalid-userinfo", part="password", section="RFC 1738 section 3.1", position=9)
    assert "%3A, %40 and %2F" in str(error)
    refused("ftp://a@b@h/", "invalid-userinfo", section="RFC 1738 section 3.1", position=7)
    assert "%3A, %40 and %2F" in str(urlschemes_lint.explain("ftp://a@b@h/"))
    url = parse("ftp://a/b@h/", FtpURL)  # the slash ends the host
    assert (url.user, url.host, url.directories) == (None, "a", ("b@h",))


@pytest.mark.rfc1738(40)
def test_an_empty_user_name_an_absent_one_and_an_empty_password_differ() -> None:
    three = [parse(text, FtpURL) for text in ("ftp://@host.com/", "ftp://host.com/", "ftp://foo:@host.com/")]
    assert [(url.user, url.password) for url in three] == [("", None), (None, None), ("foo", "")]
    assert len({url.normalized() for url in three}) == 3
    assert str(FtpURL(host="host.com", user="", name="")) == "ftp://@host.com/"
    assert str(FtpURL(host="host.com", user="foo", password="", name="")) == "ftp://foo:@host.com/"


@pytest.mark.rfc1738(41)
def test_a_password_requires_a_user_name() -> None:
    assert parse("telnet://:secret@h/", TelnetURL).user == ""
    for kind in (FtpURL, TelnetURL):
        with pytest.raises(InvalidURL, match="needs a user name") as caught:
            kind(host="h", password="secret")
        assert caught.value.code == "invalid-userinfo"
    with pytest.raises(InvalidURL, match="needs a user name") as caught:
        parse("ftp://u:p@h/", FtpURL).replace(user=None)
    assert caught.value.code == "invalid-userinfo"


HOSTS = ["h", "host.dom", "a.b.c.d.e", "3com.com", "1.2.3.h", "a-b.c--d", "x1.y2z", "localhost", "H-1.D9", "0.0.0.0"]


NO_HOSTS = [
    "-a",
    "a-",
    "a.-b",
    "a-.b",
    "a..b",
    ".a",
    "a.",
    "a_b",
    "a.1",
    "1",
    "1.2.3",
    "1.2.3.4.5",
    "a.b.2c",
    "1.2.3.4.",
]


@pytest.mark.rfc1738(42, 43, 44)
@pytest.mark.parametrize("host", [*HOSTS, "192.0.2.7", "999.1.2.3", "0177.00.0.1", "00000.1.1.12345"])
def test_a_host_is_a_domain_name_or_four_groups_of_digits(host: str) -> None:
    for name in INTERNET:
        url = parse(f"{name}://{host}/" + ("" if name == "telnet" else "a"), InternetURL)
        assert (url.host, url.raw["host"]) == (host.lower(), host)
    assert parse(f"news:a@{host}", NewsURL).message_id == f"a@{host}"


@pytest.mark.rfc1738(43, 44)
@pytest.mark.parametrize("host", NO_HOSTS)
def test_an_invalid_host_is_refused(host: str) -> None:
    for name in INTERNET:
        error = refused(
            f"{name}://{host}/" + ("" if name == "telnet" else "a"), "invalid-host", scheme=name, part="host"
        )
        assert error.section == "RFC 1738 section 3.1"
    refused(f"news:a@{host}", "invalid-part", scheme="news")


@pytest.mark.rfc1738(44)
def test_the_last_label_of_a_name_begins_with_a_letter() -> None:
    assert parse("http://1.2.3.4a.b/", HttpURL).host == "1.2.3.4a.b"
    refused("http://1.2.3.4a/", "invalid-host", part="host")
    assert refused("http://h.1/", "invalid-host", position=10).rule == "toplabel"


@pytest.mark.rfc1738(45, 49, 69, 77, 111, 116, 121, 132)
@pytest.mark.parametrize(
    ("name", "port"),
    [
        ("ftp", 21),
        ("http", 80),
        ("gopher", 70),
        ("nntp", 119),
        ("telnet", 23),
        ("wais", 210),
        ("file", None),
        ("prospero", 1525),
    ],
)
def test_the_port_is_the_default_or_the_written_one(name: str, port: int | None) -> None:
    end = "/" if name == "telnet" else "/a"
    assert default_registry.registration(name).default_port == port
    if port is None:
        refused(f"{name}://h:80{end}", "invalid-host", scheme=name, position=8)
        return
    url = parse(f"{name}://h{end}", InternetURL)
    assert (url.port, url.raw["port"]) == (port, None)
    other = parse(f"{name}://h:4711{end}", InternetURL)
    assert (other.port, other.raw["port"]) == (4711, "4711")
    assert parse(f"{name}://h:{port}{end}").equivalent(url)


@pytest.mark.rfc1738(45)
@pytest.mark.parametrize("name", [name for name in INTERNET if name != "file"])
def test_a_port_is_decimal_digits_and_a_colon_requires_one(name: str) -> None:
    end = "/" if name == "telnet" else "/a"
    for port in ("", "a", "-1", "+1", "8a", "0x50", "80:80"):
        refused(f"{name}://h:{port}{end}", "invalid-port", part="port", section="RFC 1738 section 3.1")
    for digits in ("0", "00080", "65536"):
        assert parse(f"{name}://h:{digits}{end}", InternetURL).port == int(digits)


@pytest.mark.rfc1738(46, 47)
def test_the_slash_after_the_host_does_not_belong_to_the_path() -> None:
    assert parse("http://h/a/b", HttpURL).path == "a/b"
    assert parse("http://h//a", HttpURL).path == "/a"
    assert parse("ftp://h/a", FtpURL).directories == ()
    assert parse("ftp://h//a", FtpURL).directories == ("",)
    assert parse("gopher://h/0/a", GopherURL).selector == "/a"
    assert parse("prospero://h//a", ProsperoURL).hsoname == "/a"
    assert parse("file:///a", FileURL).segments == ("a",)


@pytest.mark.rfc1738(47)
def test_the_parts_of_a_path_depend_on_the_scheme() -> None:
    assert {name: present(f"{name}://h/a?b;c=d") for name in ("http", "gopher", "prospero")} == {
        "http": {"host": "h", "port": 80, "path": "a", "search": "b;c=d"},
        "gopher": {"host": "h", "port": 70, "gtype": "a", "selector": "?b;c=d"},
        "prospero": {"host": "h", "port": 1525, "hsoname": "a?b", "fields": (("c", "d"),)},
    }
    refused("ftp://h/a?b;c=d", "invalid-part", scheme="ftp")
    refused("telnet://h/a?b;c=d", "invalid-part", scheme="telnet")
