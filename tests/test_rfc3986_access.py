"""Access in the profile of RFC 3986, for the schemes of plugins: IPv6, fragments, and what no request can hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from opening import HERE, content_of, entries_of

import urlschemes_access
from urlschemes import Registry
from urlschemes.errors import UnsafeURL
from urlschemes_access import Policy
from urlschemes_servers import ftp, gopher, prospero, telnet, wais
from urlschemes_telnet import open_session
from urlschemes_wais.rfc3986 import WaisURI

MODERN = Registry(profile="rfc3986")


def read(url: str) -> bytes:
    return content_of(url, registry=MODERN)


def listed(url: str, **options: Any) -> list[urlschemes_access.Entry]:
    return entries_of(url, registry=MODERN, options=options)


def test_ftp_speaks_ipv6_and_sends_no_fragment(tmp_path: Path) -> None:
    (tmp_path / "a b").mkdir()
    (tmp_path / "a b" / "~?").write_bytes(b"one\ntwo\n")
    with ftp.ftp_server(tmp_path, {"joe": ftp.FtpUser("s:x", writable=True)}, host="::1") as address:
        here = f"ftp://joe:s:x@{address}/a%20b/"
        assert read(f"{here}~%3F;type=a#end") == b"one\r\ntwo\r\n"
        urlschemes_access.replace(f"{here}new#end", b"three", policy=HERE, registry=MODERN)
        assert {(each.name, each.url) for each in listed(f"{here}#end")} == {
            ("~?", f"{here}~%3F"),
            ("new", f"{here}new"),
        }


def test_gopher_speaks_ipv6_and_sends_no_fragment() -> None:
    items = {"~a": gopher.text("Hello.\n"), "link": gopher.link("1", "/", "2001:db8::1", 70, title="IPv6")}
    items["login"] = gopher.link("8", "a.example?joe", "[2001:db8::1]", 2323, title="Login")
    with gopher.gopher_server(gopher.menu(items), host="::1") as address:
        assert read(f"gopher://{address}/0/%7ea%09%09+#end") == b"Hello.\r\n"
        assert [each.url for each in listed(f"gopher://{address}#end")] == [
            f"gopher://{address}/0/~a%09%09+",
            "gopher://[2001:db8::1]/1/",
            "telnet://a.example%3Fjoe@[2001:db8::1]:2323/",
        ]


def test_prospero_speaks_ipv6_and_sends_no_fragment() -> None:
    methods = prospero.external(("GOPHER", "INTERNET-D", "", "ASCII", "0/~a?b$"))
    tree = prospero.directory({"~a": prospero.file(b"Hello."), "b": methods})
    with prospero.prospero_server(tree, host="::1") as address:
        assert read(f"prospero://{address}//~a#end") == b"Hello."
        inner, external = listed(f"prospero://{address}//#end")
        assert inner.url == f"prospero://{address}//~a"
        assert external.fields["ACCESS-METHOD"] == "gopher://[::1]/00/~a%3Fb$"


def test_telnet_speaks_ipv6_and_types_the_login() -> None:
    with (
        telnet.telnet_server({"joe": "a:b"}, host="::1") as address,
        open_session(f"telnet://joe:a:b@{address}#f", policy=HERE, registry=MODERN) as session,
    ):
        received = session.login()
        while b"Welcome, joe." not in received:
            received += session.read() or pytest.fail("the service said nothing more")


def test_wais_speaks_ipv6_and_sends_no_fragment() -> None:
    with wais.wais_server({"db": {"bread": "Bread and butter."}}, host="::1") as address:
        (entry,) = listed(f"wais://{address}/db?bread#end")
        url = MODERN.parse(entry.url or "")
        assert isinstance(url, WaisURI)
        assert (url.host, url.fragment) == ("[::1]", None)
        assert read(f"{url}#end") == b"Bread and butter."
        assert [each.name for each in listed(f"wais://{address}/db?x", feedback=f"{url}#end")] == [entry.name]


@pytest.mark.parametrize(
    ("text", "section"),
    [
        ("file:/a%2Fb", "RFC 8089 section 2"),
        ("file:///a%00", "RFC 8089 section 2"),
        ("file://localhost/a/%2e%2e%2fb", "RFC 8089 section 2"),
        ("ftp://h.invalid/a%0D%0ADELE%20b", "RFC 3986 section "),
        ("ftp://h.invalid/a%0A/b", "RFC 3986 section "),
        ("ftp://u:p%00@h.invalid/", "RFC 3986 section "),
        ("ftp://h;type=d", "RFC 3986 section "),
        ("gopher://h.invalid/0a%00", "RFC 3986 section 7"),
        ("gopher://h.invalid/%09x", "RFC 3986 section 7"),
        ("gopher://h.invalid/0a%09%09+%0D%0A", "RFC 3986 section 7"),
        ("gopher://h.invalid:7070/0%09%09+%091%0D%0A+-1%0D%0A.%0D%0A", "RFC 4266 section 2"),
        ("prospero://h.invalid/a%0A", "RFC 3986 section 7"),
        ("prospero://h.invalid/a;b=%00", "RFC 3986 section 7"),
        ("prospero://h.invalid/a;OBJECT-VERSION=x", "RFC 4157 section 2"),
        ("telnet://guest%0D%0A@h.invalid", "RFC 3986 section 7"),
        ("telnet://-froot@h.invalid/", "RFC 3986 section 7"),
        ("telnet://u:%1B@h.invalid", "RFC 3986 section 7"),
        ("wais://h.invalid/db/TEXT%1F/x", "RFC 3986 section 7"),
        ("wais://h.invalid/db@other", "RFC 3986 section 7"),
        ("wais://h.invalid/..%2Fdb?a", "RFC 3986 section 7"),
        ("wais://h.invalid/db?a%00", "RFC 3986 section 7"),
    ],
)
def test_what_no_request_can_hold_is_refused_before_connecting(text: str, section: str) -> None:
    url = MODERN.parse(text)
    operation = "open session" if url.scheme == "telnet" else "access"
    with pytest.raises(UnsafeURL) as refused:
        urlschemes_access.operate(operation, url, policy=Policy(roots=("/",)), registry=MODERN)
    assert refused.value.section is not None
    assert refused.value.section.startswith(section)
