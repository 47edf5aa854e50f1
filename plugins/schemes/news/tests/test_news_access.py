"""The news algorithms against written dialogues, cut at every octet, with every fault, and over real sockets."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from opening import HERE, content_of, entries_of
from outcomes import check_failure

import urlschemes_access
from urlschemes.errors import UnsafeURL, UnsupportedOperation, URLError
from urlschemes_access.attributes import Attributes, Entry
from urlschemes_access.errors import AuthRequired, PolicyDenied, ProtocolError, RemoteError, Truncated
from urlschemes_access.protocol import Connect
from urlschemes_news import NewsURL
from urlschemes_news.access import access, find_attributes, update
from urlschemes_nntp import NntpURL
from urlschemes_servers.nntp import Newsgroup, article, nntp_server
from urlschemes_testing.replay import (
    Script,
    Step,
    client,
    connect,
    exchange,
    fault_everywhere,
    replay,
    server,
    server_closes,
    split_everywhere,
    upload,
)
from urlschemes_testing.rogue import rogue, stays_silent

if TYPE_CHECKING:
    from collections.abc import Callable

    from urlschemes_access.protocol import Algorithm

# Dialogues ------------------------------------------------------------------------------------------------------------

SERVER = "news.dom"
READY = Script(
    connect(SERVER, 119),
    server("200 news.dom ready"),
    client("CAPABILITIES"),
    server("101 Capabilities:", "VERSION 2", "READER", "OVER", "POST", "."),
)
BYE: tuple[Step, ...] = (client("QUIT"), server("205 Goodbye"))
ARTICLE = b"Subject: Hi\r\nMessage-ID: <4123%@host.dom>\r\n\r\n..\r\n"
ATTRIBUTES = Attributes(
    media_type="message/rfc822", name="Hi", fields={"subject": "Hi", "message-id": "<4123%@host.dom>"}
)
REQUESTED = READY.then(client("ARTICLE <4123%@host.dom>"))
COUNTS = Attributes(name="misc.test", fields={"count": "4", "low": "1", "high": "4"})
SELECTED = (client("GROUP misc.test"), server("211 4 1 4 misc.test"))
OVERVIEW = (
    b"1\tone\tme\t\t<4123%@host.dom>\r\n2\ttwo\tme\t\t<a@[192.0.2.1]>\r\n3\tthree\tme\t\t<a@b@c.d>\r\n4\tfour\tme\r\n"
)
POSTED = b"From: me\nNewsgroups: misc.test\nSubject: Hi\n\n.\n"


@dataclass(frozen=True)
class Success:
    url: str
    script: Script
    content: bytes = b""
    entries: tuple[Entry, ...] = ()
    attributes: Attributes = field(default_factory=Attributes)
    algorithm: Callable[..., Algorithm[None]] = access
    options: dict[str, Any] = field(default_factory=dict)

    def run(self) -> Algorithm[None]:
        return self.algorithm(NewsURL.parse(self.url), **{"server": SERVER, **self.options})


def listed(number: str, subject: str, url: str, message_id: str = "") -> Entry:
    fields = {"number": number, "subject": subject, "from": "me", "message-id": message_id}
    return Entry(name=subject, url=url, kind="article", fields={name: value for name, value in fields.items() if value})


def grouped(name: str, url: str | None, **fields: str) -> Entry:
    problem = None if url else "no URL can name this group"
    return Entry(name=name, url=url, kind="group", fields={"group": name, **fields}, problem=problem)


SUCCESSES = {
    "an article": Success(
        "news:4123%25@host.dom",
        REQUESTED.then(server(b"220 0 <4123%@host.dom>\r\n" + ARTICLE + b".\r\n"), *BYE),
        content=ARTICLE.replace(b"..", b"."),
        attributes=ATTRIBUTES,
    ),
    "an article of an old server, on another port, that does not say who it is": Success(
        "news:4123%25@host.dom",
        Script(
            connect(SERVER, 1119),
            server("201 news.dom ready"),
            *exchange("CAPABILITIES", "500 What?", "MODE READER", "200 Hello"),
            client("ARTICLE <4123%@host.dom>"),
            server("220 77 <4123%@host.dom> article retrieved", "", "Hi", "."),
            *BYE,
        ),
        content=b"\r\nHi\r\n",
        attributes=Attributes(media_type="message/rfc822"),
        options={"server": f"{SERVER}:1119"},
    ),
    "an article with two slashes, and an at sign": Success(
        "news://h/1%40@x",
        READY.then(client("ARTICLE <//h/1@@x>"), server("220 1 <//h/1@@x>", "."), *BYE),
        attributes=Attributes(media_type="message/rfc822"),
    ),
    "an article with octets that are not UTF-8": Success(
        "news:%E9@x",
        READY.then(client(b"ARTICLE <\xe9@x>\r\n"), server(b"220 1 <\xe9@x>\r\nMessage-ID: <\xe9@x>\r\n.\r\n"), *BYE),
        content=b"Message-ID: <\xe9@x>\r\n",
        attributes=Attributes(media_type="message/rfc822", fields={"message-id": "<\udce9@x>"}),
    ),
    "a group": Success(
        "news:misc.test",
        READY.then(*SELECTED, client("OVER 1-4"), server(b"224 list\r\n" + OVERVIEW + b".\r\n"), *BYE),
        entries=(
            listed("1", "one", "news:4123%25@host.dom", "<4123%@host.dom>"),
            listed("2", "two", f"nntp://{SERVER}/misc.test/2", "<a@[192.0.2.1]>"),
            listed("3", "three", "news:a%40b@c.d", "<a@b@c.d>"),
            listed("4", "four", f"nntp://{SERVER}/misc.test/4"),
        ),
        attributes=COUNTS,
    ),
    "all groups": Success(
        "news:*",
        READY.then(
            client("LIST NEWSGROUPS"),
            server("215 list", "misc.test\t \tFor =?utf-8?q?na=C3=AFve?= tests", "gone\tx", "."),
            *exchange(
                "LIST ACTIVE", b"215 list\r\nmisc.test 0009 0007 y\r\n3b.misc 1 0 m\r\nc++ 1\r\n\xe9 1 1 n\r\n.\r\n"
            ),
            *BYE,
        ),
        entries=(
            grouped("misc.test", "news:misc.test", low="0007", high="0009", status="y", description="For naïve tests"),
            grouped("3b.misc", None, low="0", high="1", status="m"),
            grouped("c++", "news:c++", high="1"),
            grouped("\udce9", None, low="1", high="1", status="n"),
        ),
    ),
    "all groups of a server that keeps no descriptions": Success(
        "news:*",
        READY.then(
            *exchange("LIST NEWSGROUPS", "481 No"), client("LIST ACTIVE"), server("215 list", "a 1 1 y", "."), *BYE
        ),
        entries=(grouped("a", "news:a", low="1", high="1", status="y"),),
    ),
    "the attributes of an article": Success(
        "news:4123%25@host.dom",
        READY.then(*exchange("HEAD <4123%@host.dom>", b"221 0 <4123%@host.dom>\r\n" + ARTICLE[:43] + b".\r\n"), *BYE),
        attributes=ATTRIBUTES,
        algorithm=find_attributes,
    ),
    "the attributes of a group": Success(
        "news:misc.test", READY.then(*SELECTED, *BYE), attributes=COUNTS, algorithm=find_attributes
    ),
    "posting": Success(
        "news:misc.test",
        Script(
            upload(POSTED),
            *READY,
            *exchange("POST", "340 Go on"),
            client(b"From: me\r\nNewsgroups: misc.test\r\nSubject: Hi\r\n\r\n..\r\n"),
            *exchange(b".\r\n", "240 Thanks"),
            *BYE,
        ),
        attributes=Attributes(
            media_type="message/rfc822",
            name="Hi",
            size=51,
            fields={"from": "me", "newsgroups": "misc.test", "subject": "Hi"},
        ),
        algorithm=update,
    ),
}


@pytest.mark.fault(52)
@pytest.mark.parametrize("case", SUCCESSES.values(), ids=SUCCESSES)
def test_a_dialogue_gives_the_same_result_however_the_octets_are_cut(case: Success) -> None:
    outcome = split_everywhere(case.run, case.script)
    assert outcome.error is None
    assert outcome.complete
    assert outcome.content == case.content
    assert outcome.entries == case.entries
    assert outcome.attributes == case.attributes


@pytest.mark.fault(51)
@pytest.mark.parametrize("case", SUCCESSES.values(), ids=SUCCESSES)
def test_every_fault_at_every_step_is_an_error_and_never_a_short_success(case: Success) -> None:
    runs = fault_everywhere(case.run, case.script, also=["QUIT"] if case.algorithm is update else ())
    failed = [run for run in runs if run.outcome.error is not None]
    assert len(failed) > len(case.script)


@dataclass(frozen=True)
class Failure:
    script: Script
    error: type[URLError]
    message: str
    url: str = "news:4123%25@host.dom"
    algorithm: Callable[..., Algorithm[None]] = access


LIST_ACTIVE_SENT = READY.then(client("LIST NEWSGROUPS"), server("500 What?"), client("LIST ACTIVE"))
FAILURES = {
    "430": Failure(
        REQUESTED.then(server("430 No")), RemoteError, "the server has no such article (ARTICLE <4123%@host.dom>)"
    ),
    "430 to HEAD": Failure(
        READY.then(client("HEAD <4123%@host.dom>"), server("430 No")),
        RemoteError,
        "no such article",
        algorithm=find_attributes,
    ),
    "411": Failure(
        READY.then(client("GROUP misc.test"), server("411 No")), RemoteError, "no such group", url="news:misc.test"
    ),
    # The server sends another article
    "another identifier": Failure(
        REQUESTED.then(server("220 0 <4124@host.dom>")), ProtocolError, "the article <4123%@host.dom>"
    ),
    "another letter case": Failure(
        REQUESTED.then(server("220 0 <4123%@HOST.dom>")), ProtocolError, "expected the article"
    ),
    "no identifier": Failure(REQUESTED.then(server("220 0")), ProtocolError, "expected the article"),
    "the identifier instead of the number": Failure(
        REQUESTED.then(server("220 <4123%@host.dom>")), ProtocolError, "expected the article"
    ),
    "another identifier in the header": Failure(
        REQUESTED.then(server("220 0 <4123%@host.dom>", "Message-ID: <9@h>", "", ".")),
        ProtocolError,
        "its header has the Message-ID <9@h>",
    ),
    "another identifier in the header alone": Failure(
        READY.then(client("HEAD <4123%@host.dom>"), server("221 0 <4123%@host.dom>", "message-id: <9@h>", ".")),
        ProtocolError,
        "its header has the Message-ID <9@h>",
        algorithm=find_attributes,
    ),
    "an article without its end": Failure(
        REQUESTED.then(server("220 0 <4123%@host.dom>", "", "Hi"), server_closes()), Truncated, "single dot"
    ),
    # All groups
    "no list of groups": Failure(LIST_ACTIVE_SENT.then(server("503 No")), RemoteError, "LIST ACTIVE", url="news:*"),
    "a list of groups without its end": Failure(
        LIST_ACTIVE_SENT.then(server("215 list", "a 1 1 y"), server_closes()), Truncated, "single dot", url="news:*"
    ),
    "220 to LIST ACTIVE": Failure(
        LIST_ACTIVE_SENT.then(server("220 list")), ProtocolError, "a reply 215", url="news:*"
    ),
    "400 to LIST NEWSGROUPS": Failure(
        READY.then(client("LIST NEWSGROUPS"), server("400 Bye")), RemoteError, "400 Bye", url="news:*"
    ),
    "211 to LIST NEWSGROUPS": Failure(
        READY.then(client("LIST NEWSGROUPS"), server("211 list")), ProtocolError, "a reply 215", url="news:*"
    ),
    "480": Failure(REQUESTED.then(server("480 Who?")), AuthRequired, "requires a login"),
}


@pytest.mark.fault(14, 24, 25, 31, 33, 34)
@pytest.mark.parametrize("case", FAILURES.values(), ids=FAILURES)
def test_a_dialogue_that_fails_ends_with_its_error(case: Failure) -> None:
    outcome = replay(case.algorithm(NewsURL.parse(case.url), server=SERVER), case.script)
    status = getattr(outcome.error, "status", None)
    check_failure(outcome, case.error, case.message, status=status, temporary=status == 400)


# The option server, and refusals before connecting --------------------------------------------------------------------

ALL = (access, find_attributes, update)


@pytest.mark.parametrize("algorithm", ALL)
def test_without_a_server_the_error_tells_how_to_name_one(algorithm: Callable[..., Algorithm[None]]) -> None:
    for url in ("news:misc.test", *(() if algorithm is update else ("news:1@host.dom",))):
        with pytest.raises(UnsupportedOperation) as missing:
            next(algorithm(NewsURL.parse(url)))
        for way in ('{"server": "host"}', "configuration file", "NNTPSERVER"):
            assert way in str(missing.value)


def test_the_environment_names_no_server_unless_it_is_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    with rogue(stays_silent()) as there:
        monkeypatch.setenv("NNTPSERVER", str(there))
        with pytest.raises(UnsupportedOperation):
            urlschemes_access.access("news:misc.test", policy=HERE)
        assert there.visits == []


@pytest.mark.parametrize(
    ("given", "host", "port"),
    [("news.dom", "news.dom", 119), ("news.dom:1119", "news.dom", 1119), ("192.0.2.1:01119", "192.0.2.1", 1119)],
)
def test_a_server_is_a_host_or_a_host_and_a_port(given: str, host: str, port: int) -> None:
    request = next(access(NewsURL.parse("news:*"), server=given))
    assert isinstance(request, Connect)
    assert (request.host, request.port) == (host, port)


def test_an_article_on_a_host_that_no_url_can_name_has_only_a_news_url() -> None:
    """Some host names contain an underscore; a URL cannot."""
    script = Script(connect("news_1", 119), *[*READY][1:], *SELECTED, client("OVER 1-4"))
    script = script.then(server("224 follows"), server(OVERVIEW + b".\r\n"), *BYE)
    case = Success("news:misc.test", script, options={"server": "news_1"})
    outcome = split_everywhere(case.run, script)
    fault_everywhere(case.run, script)
    assert outcome.error is None
    assert [entry.url for entry in outcome.entries] == ["news:4123%25@host.dom", None, "news:a%40b@c.d", None]
    assert outcome.entries[3].problem == "no URL can name this article"


@pytest.mark.parametrize(
    "given", ["news.dom:", "news.dom:x", "nntp://news.dom", "a b", "a\r\nPOST", "::1", "\u212a", "h:123456", "u@h"]
)
def test_an_invalid_server_is_refused(given: str) -> None:
    with pytest.raises(UnsafeURL, match="host:port") as refused:
        next(access(NewsURL.parse("news:*"), server=given))
    assert str(refused.value).isprintable()


@pytest.mark.parametrize("server", ["127.0.0.1:119", "127.0.0.1:25", "0177.0.0.1", "127.0.0.1:0", "127.0.0.1:70000"])
def test_the_policy_applies_to_the_server(server: str) -> None:
    with pytest.raises((PolicyDenied, UnsafeURL)) as refused:
        urlschemes_access.access("news:misc.test", options={"server": server})
    expected = {"127.0.0.1:119": "networks", "127.0.0.1:25": "ports"}.get(server)
    assert getattr(refused.value, "rule", None) == expected


@pytest.mark.parametrize("algorithm", [access, find_attributes])
@pytest.mark.parametrize(
    "identifier",
    [
        "a%0D%0APOST@h",
        "a%0A@h",
        "a%00@h",
        "a%7F@h",
        "a%20b@h",
        "a%3E@h",
        "%3Ca@h",
        "a" * 247 + "@h",
        "%C2%A0" * 124 + "@h",
    ],
)
def test_an_identifier_that_no_command_can_carry_is_refused(
    algorithm: Callable[..., Algorithm[None]], identifier: str
) -> None:
    with pytest.raises(UnsafeURL, match=r"control|which would end it early|expected at most 248 octets"):
        next(algorithm(NewsURL.parse(f"news:{identifier}"), server=SERVER))


def test_an_identifier_of_248_octets_fits() -> None:
    assert isinstance(next(access(NewsURL.parse("news:" + "a" * 246 + "@h"), server=SERVER)), Connect)


@pytest.mark.parametrize("algorithm", ALL)
def test_a_group_name_of_498_letters_is_refused(algorithm: Callable[..., Algorithm[None]]) -> None:
    with pytest.raises(UnsafeURL, match="expected at most 497 octets"):
        next(algorithm(NewsURL.parse("news:" + "a" * 498), server=SERVER))


@pytest.mark.parametrize("url", ["news:*", "news:1@host.dom"])
def test_an_article_is_posted_only_to_a_group(url: str) -> None:
    with pytest.raises(UnsupportedOperation, match="one group"):
        next(update(NewsURL.parse(url), server=SERVER))


def test_all_groups_have_no_attributes() -> None:
    with pytest.raises(UnsupportedOperation, match="use access to list"):
        next(find_attributes(NewsURL.parse("news:*"), server=SERVER))


# Real sockets ---------------------------------------------------------------------------------------------------------

ODD = "2$[x]/;?&=%\udce9@host.dom"
ARTICLES = [article("One", "First.\n.\n", message_id="1@host.dom"), article("Two", "Second.\n", message_id=ODD)]
GROUPS = {"misc.test": Newsgroup(ARTICLES, description="Where to try things"), "misc.empty": Newsgroup()}


def read(url: str, **options: Any) -> bytes:
    return content_of(url, options=options)


def entries(url: str, **options: Any) -> list[Entry]:
    return entries_of(url, options=options)


@pytest.mark.rfc1738(102, 108)
@pytest.mark.parametrize("kind", [{}, {"capabilities": False, "overview": ""}], ids=["RFC 3977", "RFC 977"])
def test_every_form_of_url(kind: dict[str, Any]) -> None:
    with nntp_server(GROUPS, **kind) as there:
        groups = entries("news:*", server=str(there))
        assert [(each.name, each.fields.get("description")) for each in groups] == [
            ("misc.test", "Where to try things"),
            ("misc.empty", None),
        ]
        found = entries(groups[0].url or "", server=str(there))
        assert [each.name for each in found] == ["One", "Two"]
        for each, expected in zip(found, ARTICLES, strict=True):
            assert each.url is not None
            assert each.url.startswith("news:")
            assert read(each.url, server=str(there)) == expected
        url = found[1].parse()
        assert isinstance(url, NewsURL)
        assert url.message_id == ODD
        assert entries("news:misc.empty", server=str(there)) == []
        attributes = urlschemes_access.find_attributes("news:1@host.dom", options={"server": str(there)}, policy=HERE)
        assert (attributes.name, attributes.media_type) == ("One", "message/rfc822")


def test_a_posted_article_is_read_by_its_identifier_and_by_its_number() -> None:
    content = POSTED.replace(b"misc.test", b"misc.empty")
    with nntp_server(GROUPS) as there:
        posted = urlschemes_access.update("news:misc.empty", content, options={"server": str(there)}, policy=HERE)
        url = NewsURL(message_id=posted.fields["message-id"][1:-1])
        assert read(str(url), server=str(there)).endswith(content.replace(b"\n", b"\r\n"))
        number = NntpURL(host=there.host, port=there.port, group="misc.empty", article=1)
        assert read(str(number)) == read(str(url), server=str(there))
