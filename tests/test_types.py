"""The types of URLs for a type checker: mypy checks `assert_type`, the tests check the values.

mypy runs over this file in strict mode with the rest of the workspace.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from types import FunctionType
from typing import Literal, assert_type

import pytest

import urlschemes
import urlschemes_access.client
import urlschemes_rfc3986.algorithms
from urlschemes import URL, Encoded, InternetURL, InvalidURL
from urlschemes.grammar.profile import Profile
from urlschemes.rfc1738 import RFC1738, algorithms
from urlschemes.url.algorithms import Algorithms, algorithms_of
from urlschemes_access import AsyncClient, AsyncSession, Attributes, Client, Policy
from urlschemes_file import FileURL
from urlschemes_file.rfc3986 import FileURI
from urlschemes_ftp import FtpURL
from urlschemes_ftp.rfc3986 import FtpURI
from urlschemes_gopher import GopherURL
from urlschemes_http import HttpURL
from urlschemes_https import HttpsURL
from urlschemes_news import NewsURL
from urlschemes_nntp import NntpURL
from urlschemes_prospero import ProsperoURL
from urlschemes_telnet import TelnetURL
from urlschemes_telnet.session import TelnetSession
from urlschemes_wais import WaisURL


def test_parse_returns_the_type_that_was_asked_for() -> None:
    text = "ftp://u@h/a/b;type=i"
    assert_type(urlschemes.parse(text), URL)
    assert_type(urlschemes.parse(text, FtpURL), FtpURL)
    assert_type(urlschemes.parse(text, InternetURL), InternetURL)
    assert_type(FtpURL.parse(text), FtpURL)
    assert type(urlschemes.parse(text)) is FtpURL
    with pytest.raises(urlschemes.InvalidURL, match="expected HttpURL, got FtpURL"):
        urlschemes.parse(text, HttpURL)


def blocking_example() -> None:
    client = Client(policy=Policy.interactive())
    with client.open_document("ftp://host.dom/notes.txt") as document:
        text = document.read_text()
        assert_type(text, str)


async def event_loop_example() -> None:
    async with await AsyncClient().open_document("ftp://host.dom/notes.txt") as document:
        text = await document.read_text()
        assert_type(text, str)


@pytest.mark.parametrize("example", [blocking_example, event_loop_example])
def test_the_examples_of_clients_are_typed(example: Callable[[], object]) -> None:
    body = inspect.getsource(example).partition("\n")[2].rpartition("        assert_type")[0]
    assert body in str(urlschemes_access.client.__doc__)


def test_operations_are_typed_on_an_event_loop_too() -> None:
    async def converse(client: AsyncClient, session: AsyncSession[TelnetSession]) -> None:
        assert_type(await session.call(TelnetSession.read, within=1.0), bytes | None)
        assert_type(await session.call(lambda each: each.advice.user), str | None)
        assert_type(await client.find_attributes("ftp://h/a", deadline=1.0), Attributes)
        await client.access("ftp://h/a", deadline="soon")  # type: ignore[arg-type]
        await client.replace("ftp://h/a", "text")  # type: ignore[arg-type]

    assert converse.__name__ == "converse"


def test_parts_are_typed() -> None:
    ftp = FtpURL.parse("ftp://u@h/a/b;type=i")
    assert_type(ftp.scheme, str)
    assert_type(ftp.user, str | None)
    assert_type(ftp.host, str)
    assert_type(ftp.port, int)
    assert_type(ftp.directories, tuple[str, ...])
    assert_type(ftp.name, str | None)
    assert_type(ftp.typecode, str | None)
    assert (ftp.directories, ftp.name, ftp.port) == (("a",), "b", 21)
    http = HttpURL.parse("http://h/a?b")
    assert_type(http.path, str | None)
    assert_type(http.search, str | None)
    assert_type(http.query, str | None)
    assert_type(http.user, str | None)
    assert_type(http.port, int)
    gopher = GopherURL.parse("gopher://h/7s%09w")
    assert_type(gopher.gtype, str | None)
    assert_type(gopher.effective_gtype, str)
    assert_type(gopher.selector, str)
    assert_type(gopher.search, str | None)
    assert_type(gopher.gopher_plus, str | None)
    assert_type(FtpURI.parse("ftp://h/a/b").directories, tuple[str, ...])
    assert_type(FileURI.parse("file:///a/b").segments, tuple[str, ...])
    file = FileURL.parse("file:///a/b")
    assert_type(file.host, str)
    assert_type(file.segments, tuple[str, ...])
    assert_type(file.path, str)
    assert (http.path, gopher.search, file.segments) == ("a", "w", ("a", "b"))


def test_a_type_takes_the_parts_of_its_urls() -> None:
    url = HttpsURL.parse("https://h/a?b")
    assert HttpsURL(**url.parts) == type(url)(**url.parts) == url


def test_a_policy_takes_any_sets_and_lists() -> None:
    policy = Policy(hosts={"h"}, networks=["10.0.0.0/8"], roots=["/srv"])
    assert replace(policy, roots=[], writable=["/srv"]).networks == ("10.0.0.0/8",)


def test_parts_of_news_nntp_telnet_and_wais_are_typed() -> None:
    news = NewsURL.parse("news:1@h")
    assert_type(news.form, Literal["groups", "group", "article"])
    assert_type(news.group, str | None)
    assert_type(news.message_id, str | None)
    nntp = NntpURL.parse("nntp://h/a/1")
    assert_type(nntp.group, str)
    assert_type(nntp.article, int | None)
    assert_type(nntp.port, int)
    telnet = TelnetURL.parse("telnet://u@h/")
    assert_type(telnet.user, str | None)
    assert_type(telnet.password, str | None)
    assert_type(telnet.port, int)
    wais = WaisURL.parse("wais://h/db?q")
    assert_type(wais.form, Literal["database", "search", "document"])
    assert_type(wais.database, str)
    assert_type(wais.search, str | None)
    assert_type(wais.wtype, str | None)
    assert_type(wais.wpath, str | None)
    assert (news.form, nntp.article, telnet.port, wais.form) == ("article", 1, 23, "search")


def test_constructor_and_replace_keep_the_type() -> None:
    url = FtpURL(host="h", directories=["a", Encoded("b%2Fc")], name="d")
    assert url == FtpURL(host="h", directories=("a", Encoded("b%2Fc")), name="d")
    assert_type(ProsperoURL(host="h", hsoname="a", fields=[("b", "c")]).fields, tuple[tuple[str, str], ...])
    assert_type(url, FtpURL)
    assert_type(url.replace(name=None, port=2121), FtpURL)
    assert_type(url.normalized(), FtpURL)
    assert_type(HttpsURL(host="h", path="a").replace(search="q"), HttpsURL)
    assert_type(NewsURL(group="a").replace(group="*"), NewsURL)
    assert_type(WaisURL(host="h", database="").replace(search="q"), WaisURL)
    assert str(url) == "ftp://h/a/b%2Fc/d"


def test_a_wrong_argument_of_a_constructor_is_reported() -> None:
    with pytest.raises(TypeError, match="has no part 'hots'"):
        FtpURL(hots="h")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="is missing the part 'host'"):
        FtpURL(name="a")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="takes its parts as keywords"):
        FtpURL("ftp://h/")  # type: ignore[call-arg]
    for build in (
        lambda: FtpURL(host=3),  # type: ignore[arg-type]
        lambda: FtpURL(host="h", port="21"),  # type: ignore[arg-type]
        lambda: FtpURL(host="h", directories="pub"),  # type: ignore[arg-type]
        lambda: ProsperoURL(host="h", fields=("a",)),  # type: ignore[arg-type]
    ):
        with pytest.raises(InvalidURL):
            build()


def test_assignment_to_a_part_is_reported() -> None:
    url = FtpURL(host="h", name="a")
    with pytest.raises(AttributeError):
        url.name = "b"  # type: ignore[misc]
    with pytest.raises(AttributeError):
        url.host = "b"  # type: ignore[misc]


def test_pattern_matching_narrows() -> None:
    match urlschemes.parse("ftp://h/a/b"):
        case FtpURL(host=host, directories=directories) as url:
            assert_type(url, FtpURL)
            assert (host, directories) == ("h", ("a",))
        case _:
            pytest.fail("it is a FtpURL")


def test_profiles_have_the_same_algorithms() -> None:
    typed: list[tuple[Profile, Algorithms]] = [
        (RFC1738, algorithms),
        (urlschemes_rfc3986.profile, urlschemes_rfc3986.algorithms),
    ]
    for profile, offered in typed:
        assert algorithms_of(profile) is offered
    names = [name for name, each in vars(Algorithms).items() if isinstance(each, FunctionType)]
    for name in {*names} - {
        "__init__",
        "__subclasshook__",
        "warnings",
    }:  # that of RFC 1738 takes anything, and has none
        one, other = (inspect.signature(getattr(offered, name)) for _, offered in typed)
        assert [each.annotation for each in one.parameters.values()] == [
            each.annotation for each in other.parameters.values()
        ], name
