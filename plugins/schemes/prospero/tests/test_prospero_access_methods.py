"""Access methods as URLs of other schemes, or why they have none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlschemes_prospero import ProsperoURL
from urlschemes_prospero.access_methods import method_entry
from urlschemes_prospero.tokens import split_lines

URL = ProsperoURL.parse("prospero://host.dom//pub/name")


@pytest.mark.parametrize(
    ("method", "url"),
    [
        ("AFTP INTERNET-D ftp.dom ASCII /pub/README BINARY", "ftp://ftp.dom/pub/README;type=i"),
        ("AFTP INTERNET-D ftp.dom ASCII /pub/README TEXT", "ftp://ftp.dom/pub/README;type=a"),
        ("AFTP INTERNET-D ftp.dom(2121) ASCII pub/a;b?%~ TEXT", "ftp://ftp.dom:2121/pub/a%3Bb%3F%25%7E;type=a"),
        ("AFTP INTERNET-D ftp.dom ASCII /pub/README", "ftp://ftp.dom/pub/README"),
        ("AFTP INTERNET-D '' ASCII '' TEXT", "ftp://host.dom/pub/name;type=a"),
        # The whole name is the selector; the type is its first character, or the sixth element.
        ("GOPHER INTERNET-D g.dom(150) ASCII '1/Fun Stuff'", "gopher://g.dom:150/11/Fun%20Stuff"),
        ("GOPHER INTERNET-D g.dom ASCII /about 0", "gopher://g.dom/0/about"),
        ("HTTP INTERNET-D www.dom(8080) ASCII /a/b.html", "http://www.dom:8080/a/b.html"),
        ("TELNET INTERNET-D t.dom ASCII ''", "telnet://t.dom/"),
        ("PROSPERO-CONTENTS '' '' '' ''", "prospero://host.dom//pub/name"),
        ("PROSPERO-CONTENTS INTERNET-D p.dom(1526) ASCII /x", "prospero://p.dom:1526//x"),
        ("PROSPERO-CONTENTS '' '' ASCII /x", "prospero://host.dom//x"),
    ],
)
def test_an_access_method_is_a_url_of_its_scheme(method: str, url: str) -> None:
    (tokens,) = split_lines(method.encode())
    entry = method_entry(tuple(tokens), URL)
    assert (entry.url, entry.problem) == (url, None)
    assert entry.name == method.split(maxsplit=1)[0]
    assert entry.parse().scheme == url.partition(":")[0]


@pytest.mark.parametrize(
    ("method", "problem"),
    [
        ("LOCAL '' '' '' ''", "share the server's file system"),
        ("LOCAL INTERNET-D h ASCII /etc/passwd", "share the server's file system"),
        ("NFS INTERNET-D h ASCII a /export", "mount"),
        ("AFS DUMMY DUMMY ASCII /grand.central.org", "Andrew"),
        ("FTP INTERNET-D h ASCII /home/joe/a TEXT", "login"),
        ("RCP INTERNET-D h ASCII /a", "login"),
        ("WAIS INTERNET-D h ASCII 42", "database"),
        ("BEAM INTERNET-D h ASCII /a", "no URL"),
        ("aftp INTERNET-D h ASCII /a", "no URL"),
        ("AFTP INTERNET-D h ASCII", "expected at least 5"),
        ("AFTP", "expected at least 5"),
        ("", "expected at least 5"),
        ("AFTP INTERNET-D h(0) ASCII /a", "invalid port"),
        ("AFTP INTERNET-D h(99999) ASCII /a", "invalid port"),
        ("AFTP INTERNET-D h(-1) ASCII /a", "not an Internet host"),
        ("AFTP DECNET h ASCII /a", "not an Internet host"),
        ("AFTP INTERNET-D a/b ASCII /a", "host"),
        ("AFTP INTERNET-D 'h\n' ASCII /a", "host"),
        ("AFTP INTERNET-D joe@h ASCII /a", "@"),
        ("AFTP INTERNET-D h ASCII 'a\r\nDELE b'", "control octet"),
        ("GOPHER INTERNET-D h ASCII 'a\tb'", "control octet"),
        ("PROSPERO-CONTENTS INTERNET-D h HANDLE 7", "type 'HANDLE'"),
    ],
)
def test_an_access_method_without_a_url_has_a_problem(method: str, problem: str) -> None:
    tokens = next(split_lines(method.encode()), [])
    entry = method_entry(tuple(tokens), URL)
    assert entry.url is None
    assert problem in (entry.problem or "")


@given(st.lists(st.binary(max_size=8), max_size=7), st.sampled_from([b"AFTP", b"GOPHER", b"HTTP", b"TELNET", b"LOCAL"]))
def test_any_access_method_has_a_url_that_parses_or_a_problem(rest: list[bytes], name: bytes) -> None:
    entry = method_entry((name, b"INTERNET-D", b"h.dom", b"ASCII", *rest), URL)
    assert (entry.url is None) == (entry.problem is not None)
    if entry.url is not None:
        entry.parse().check_line()
