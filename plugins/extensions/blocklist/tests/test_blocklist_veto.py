"""Block lists: what they forbid, what cannot evade them, and lists that cannot be used."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import urlschemes
import urlschemes_access
from urlschemes import Registry
from urlschemes.redaction import one_line
from urlschemes_access import Policy
from urlschemes_access.errors import PolicyDenied
from urlschemes_blocklist import VARIABLE
from urlschemes_blocklist import urlschemes_veto as veto
from urlschemes_blocklist.block_list import read_list
from urlschemes_servers import http_server
from urlschemes_servers.http import echo, redirect

HERE = Policy.interactive()
MODERN = Registry(profile="rfc3986")


@pytest.fixture
def lists(tmp_path, monkeypatch):
    """Return a function that writes lists, and names them in the variable."""

    def write(*texts: str | bytes) -> list[str]:
        files = [tmp_path / f"list-{number}" for number in range(len(texts))]
        for file, text in zip(files, texts, strict=True):
            file.write_bytes(text if isinstance(text, bytes) else text.encode())
        monkeypatch.setenv(VARIABLE, os.pathsep.join(map(str, files)))
        return [str(file) for file in files]

    monkeypatch.delenv(VARIABLE, raising=False)
    return write


def reason(text: str) -> str | None:
    """Return why the plugin forbids a URL, whose scheme may be unknown."""
    return veto(urlschemes.parse(text) if urlschemes.is_valid(text) else urlschemes.parse_generic(text))


def test_without_the_variable_nothing_is_forbidden(lists):
    assert reason("http://bad.example/") is None


ENTRIES = """\
# hosts
Bad.Example          # a comment
.all.example.
gopher:
192.0.2.7
198.51.100.0/24
10.8.0.0/16
2001:db8::/32
m\u00fcnchen.example
fa\u00df.example
.\u4f8b\u3048.example
two.example three.example

# as in hosts(5)
127.0.0.1 localhost ip6-loopback
0.0.0.0   ads.example tracker.example  # both
::1       localhost v6.example
"""


@pytest.mark.parametrize(
    ("url", "what", "line"),
    [
        ("http://bad.example/a", "bad.example", 2),
        ("http://BAD.EXAMPLE:8080/a", "bad.example", 2),
        ("ftp://user:secret@bad.example/", "bad.example", 2),
        ("x-nobody://user@bad.example:99/a", "bad.example", 2),
        ("x-nobody://bad.example./a", "bad.example", 2),
        ("x-nobody://good.example?@bad.example/", "bad.example", 2),
        ("x-nobody://bad.example?@good.example/", "bad.example", 2),
        ("x-nobody://b%61d%2Eexample/a", "bad.example", 2),
        ("mailto:joe@bad.example", "bad.example", 2),
        ("http://all.example/", "all.example", 3),
        ("http://a.b.all.example/", "a.b.all.example", 3),
        ("gopher://host.dom/", "the scheme gopher", 4),
        ("GOPHER://host.dom/", "the scheme gopher", 4),
        ("http://192.0.2.7/", "192.0.2.7", 5),
        ("http://192.0.02.007/", "192.0.02.007", 5),
        ("mailto:joe@%5B192.0.2.7%5D", "192.0.2.7", 5),
        ("telnet://198.51.100.255/", "198.51.100.255", 6),
        ("http://012.010.0.1/", "012.010.0.1", 7),
        ("http://xn--mnchen-3ya.example/", "xn--mnchen-3ya.example", 9),
        ("http://fass.example/", "fass.example", 10),
        ("http://xn--fa-hia.example/", "xn--fa-hia.example", 10),
        ("http://a.xn--r8jz45g.example/", "a.xn--r8jz45g.example", 11),
        ("http://two.example/", "two.example", 12),
        ("http://three.example/", "three.example", 12),
        ("http://ads.example/", "ads.example", 16),
        ("http://tracker.example/", "tracker.example", 16),
        ("http://v6.example/", "v6.example", 17),
    ],
)
def test_a_listed_url_is_forbidden(lists, url, what, line):
    (file,) = lists(ENTRIES)
    assert reason(url) == f"{what} is blocked by line {line} of {file}"


@pytest.mark.parametrize(
    ("url", "what", "line"),
    [
        ("http://bad.example?q", "bad.example", 2),
        ("http://b%61d.EXAMPLE./#f", "bad.example", 2),
        ("http://192.0.2%2e7/", "192.0.2.7", 5),
        ("http://[::ffff:192.0.2.7]/", "::ffff:192.0.2.7", 5),
        ("http://[64:ff9b::c000:207]/", "64:ff9b::c000:207", 5),
        ("x-nobody://[2001:DB8::7]:80?q", "2001:db8::7", 8),
        ("x-nobody://user@bad.example#f", "bad.example", 2),
        ("file://bad.example/a", "bad.example", 2),
        ("mailto:joe@good.example,%22a%40b%22@bad.example", "bad.example", 2),
        ("mailto:?subject=x&CC=Joe%20%3Cjoe%40bad.example%3E", "bad.example", 2),
        ("mailto:?to=joe%40[IPv6:2001:db8::1]".replace("[", "%5B").replace("]", "%5D"), "2001:db8::1", 8),
        ("mailto:joe@good.example?body=joe%40bad.example", None, 0),
        ("http://[2001:db9::7]/", None, 0),
        ("http://good.example?q=//bad.example", None, 0),
    ],
)
def test_a_listed_url_of_today_is_forbidden(lists, url, what, line):
    (file,) = lists(ENTRIES)
    parsed = MODERN.parse(url) if MODERN.is_valid(url) else MODERN.parse_generic(url)
    assert veto(parsed) == (what and f"{what} is blocked by line {line} of {file}")


@pytest.mark.parametrize(
    "url",
    [
        "http://www.bad.example/",
        "http://notbad.example/",
        "http://bad.example.dom/",
        "http://example/",
        "http://overall.example/",
        "http://192.0.2.8/",
        "http://198.51.101.0/",
        "http://localhost/",
        "http://127.0.0.1/",
        "http://good.dom/bad.example",
        "http://good.dom/?//bad.example/",
        "news:bad.example",
    ],
)
def test_any_other_url_is_permitted(lists, url):
    lists(ENTRIES)
    assert reason(url) is None


def test_all_lists_count_and_changes_take_effect_at_once(lists):
    one, two = lists("a.example\n", "b.example\n")
    assert reason("http://b.example/") == f"b.example is blocked by line 1 of {two}"
    Path(one).write_text("# empty now\n")
    assert reason("http://a.example/") is None
    Path(one).write_text("\nc.example\n")
    assert reason("http://c.example/") == f"c.example is blocked by line 2 of {one}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("good.example\n*.bad.example\n", "invalid line 2 in the block list {}: expected"),
        ("||ads.example^\n", "invalid line 1 in the block list {}: expected"),
        ("http://bad.example/\n", "invalid line 1 in the block list {}: expected"),
        (".\n", "invalid line 1 in the block list {}: expected"),
        ("192.0.2.7:\n", "invalid line 1 in the block list {}: expected"),
        (".all.example:\n", "invalid line 1 in the block list {}: expected"),
        ("-a.example\n", "invalid line 1 in the block list {}: expected"),
        ("a\u2044b.example\u0000\n", "invalid line 1 in the block list {}: expected"),
        ("192.168.1.5 nas.example\n", "invalid line 1 in the block list {}: it gives a host an address"),
        (b"\xff\xfe", "cannot use the block list {}: it is not UTF-8"),
        ("\x00\n", "invalid line 1 in the block list {}: expected"),
    ],
)
def test_a_list_that_cannot_be_understood_forbids_everything(lists, text, message):
    (file,) = lists(text)
    answer = reason("http://any.example/")
    assert answer is not None
    assert answer.startswith(message.format(file))
    if message.endswith("expected"):
        word = text.splitlines()[int(message[13]) - 1]
        assert answer.endswith(f"or a scheme (gopher:), got {one_line(repr(word), 80)}")
    with pytest.raises(PolicyDenied) as caught:
        urlschemes_access.access("http://any.example/", policy=HERE, registry=Registry())
    assert caught.value.rule == "veto"


def test_a_list_that_cannot_be_read_forbids_everything(lists, monkeypatch, tmp_path):
    (file,) = lists("a.example\n")
    Path(file).unlink()
    with pytest.raises(PolicyDenied) as caught:
        urlschemes_access.access("http://any.example/", registry=Registry())
    assert caught.value.rule == "veto"
    assert caught.value.message == (
        f"access denied by 'urlschemes-blocklist {urlschemes.__version__}' (hook urlschemes_veto): "
        f"cannot use the block list {file}: No such file or directory"
    )
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    assert reason("http://any.example/") == f"cannot use the block list {tmp_path}: it is not a regular file"
    monkeypatch.setenv(VARIABLE, "list-0")
    assert reason("http://any.example/") == "cannot use the block list list-0: the path is not absolute"


def test_a_redirect_cannot_lead_there(lists):
    with http_server(handler=echo) as bad:
        lists("localhost\n")
        with http_server(handler=redirect(f"http://localhost:{bad.port}/")) as server:
            with pytest.raises(PolicyDenied, match="localhost is blocked by line 1"):
                urlschemes_access.access(f"http://{server}/", policy=HERE, registry=Registry())
            assert len(server.requests) == 1
        assert bad.requests == []


def test_a_long_list_is_parsed_once(lists):
    (file,) = lists("".join(f"0.0.0.0 host-{number}.example\n" for number in range(50_000)))
    once = read_list(file)
    for number in (0, 49_999):
        assert (
            reason(f"http://host-{number}.example/")
            == f"host-{number}.example is blocked by line {number + 1} of {file}"
        )
    assert read_list(file) is once
