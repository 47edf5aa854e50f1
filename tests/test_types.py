"""What a type checker sees of URLs: `assert_type` is checked by mypy, and the values by the tests.

mypy runs over this file in strict mode with the rest of the workspace.
"""

from __future__ import annotations

from typing import Literal, assert_type

import pytest

import urlschemes
import urlschemes_access
import urlschemes_access.client
from urlschemes import URL, Encoded, InternetURL
from urlschemes_access.resources.asynchronous import AsyncSession
from urlschemes_file import FileURL
from urlschemes_ftp import FtpURL
from urlschemes_gopher import GopherURL
from urlschemes_http import HttpURL
from urlschemes_https import HttpsURL
from urlschemes_news import NewsURL
from urlschemes_nntp import NntpURL
from urlschemes_telnet import TelnetURL
from urlschemes_telnet.session import TelnetSession
from urlschemes_wais import WaisURL


def test_parse_gives_the_type_that_was_asked_for() -> None:
    text = "ftp://u@h/a/b;type=i"
    assert_type(urlschemes.parse(text), URL)
    assert_type(urlschemes.parse(text, FtpURL), FtpURL)
    assert_type(urlschemes.parse(text, InternetURL), InternetURL)
    assert_type(FtpURL.parse(text), FtpURL)
    assert type(urlschemes.parse(text)) is FtpURL
    with pytest.raises(urlschemes.InvalidURL, match="this is a FtpURL, and a HttpURL is wanted"):
        urlschemes.parse(text, HttpURL)


def test_operations_are_typed_on_an_event_loop_as_elsewhere() -> None:
    async def converse(session: AsyncSession[TelnetSession]) -> None:
        assert_type(await session.call(TelnetSession.read, within=1.0), bytes | None)
        assert_type(await session.call(lambda each: each.advice.user), str | None)
        assert_type(
            await urlschemes_access.client.find_attributes("ftp://h/a", deadline=1.0), urlschemes_access.Attributes
        )
        await urlschemes_access.client.access("ftp://h/a", deadline="soon")  # type: ignore[arg-type]
        await urlschemes_access.client.replace("ftp://h/a", "text")  # type: ignore[arg-type]

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
    assert_type(http.port, int)
    gopher = GopherURL.parse("gopher://h/7s%09w")
    assert_type(gopher.gtype, str | None)
    assert_type(gopher.effective_gtype, str)
    assert_type(gopher.selector, str)
    assert_type(gopher.search, str | None)
    assert_type(gopher.gopher_plus, str | None)
    file = FileURL.parse("file:///a/b")
    assert_type(file.host, str)
    assert_type(file.segments, tuple[str, ...])
    assert_type(file.path, str)
    assert (http.path, gopher.search, file.segments) == ("a", "w", ("a", "b"))


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


def test_what_is_built_and_replaced_keeps_its_type() -> None:
    url = FtpURL(host="h", directories=("a", Encoded("b%2Fc")), name="d")
    assert_type(url, FtpURL)
    assert_type(url.replace(name=None, port=2121), FtpURL)
    assert_type(url.normalized(), FtpURL)
    assert_type(HttpsURL(host="h", path="a").replace(search="q"), HttpsURL)
    assert_type(NewsURL(group="a").replace(group="*"), NewsURL)
    assert_type(WaisURL(host="h", database="").replace(search="q"), WaisURL)
    assert str(url) == "ftp://h/a/b%2Fc/d"
    with pytest.raises(TypeError):
        FtpURL(hots="h")  # type: ignore[call-arg]


def test_pattern_matching_narrows() -> None:
    match urlschemes.parse("ftp://h/a/b"):
        case FtpURL(host=host, directories=directories) as url:
            assert_type(url, FtpURL)
            assert (host, directories) == ("h", ("a",))
        case _:
            pytest.fail("it is a FtpURL")
