"""RFC 1738 sections 3 and 3.1: the ten schemes, and the Common Internet Scheme Syntax."""

from __future__ import annotations

import re

import pytest
from rfc1738_helpers import INTERNET, TEN, present, refused

import urlschemes
from urlschemes import InternetURL, LoginURL, default_registry, parse
from urlschemes_file import FileURL
from urlschemes_ftp import FtpURL
from urlschemes_gopher import GopherURL
from urlschemes_http import HttpURL
from urlschemes_news import NewsURL
from urlschemes_prospero import ProsperoURL

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
            refused(text, "userinfo-not-allowed", scheme=name)


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
