"""The news algorithms: dialogues cut and faulted everywhere, real sockets, and servers that misbehave."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

import urlschemes_access
from urlschemes.errors import UnsafeURL, UnsupportedOperation, URLError
from urlschemes_access import Document, Limits, Listing, Policy
from urlschemes_access.attributes import Attributes, Entry
from urlschemes_access.errors import (
    AuthRequired,
    Indeterminate,
    LimitExceeded,
    PolicyDenied,
    ProtocolError,
    RemoteError,
    Truncated,
)
from urlschemes_access.protocol import Connect
from urlschemes_news import NewsURL
from urlschemes_news.access import access, find_attributes, update
from urlschemes_nntp import NntpURL
from urlschemes_servers.nntp import Newsgroup, article, nntp_server
from urlschemes_testing.replay import (
    Dialogue,
    Step,
    client,
    connect,
    fault_everywhere,
    replay,
    server,
    server_closes,
    split_everywhere,
    upload,
)
from urlschemes_testing.rogue import (
    floods,
    hears,
    hears_until,
    resets,
    rogue,
    says,
    stays_silent,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from urlschemes_access.protocol import Algorithm

HERE = Policy.interactive()
PATIENCE = 10

# Dialogues ------------------------------------------------------------------------------------------------------------

SERVER = "news.dom"
READY = Dialogue(
    connect(SERVER, 119),
    server("200 news.dom ready"),
    client("CAPABILITIES"),
    server("101 Capabilities:", "VERSION 2", "READER", "OVER", "POST", "."),
)
BYE: tuple[Step, ...] = (client("QUIT"), server("205 Goodbye"))
ARTICLE = b"Subject: Hi\r\nMessage-ID: <4123%@host.dom>\r\n\r\n..\r\n"
TOLD = Attributes(media_type="message/rfc822", name="Hi", fields={"subject": "Hi", "message-id": "<4123%@host.dom>"})
ASKED = READY.then(client("ARTICLE <4123%@host.dom>"))
COUNTS = Attributes(name="misc.test", fields={"count": "4", "low": "1", "high": "4"})
SELECTED = (client("GROUP misc.test"), server("211 4 1 4 misc.test"))
OVERVIEW = (
    b"1\tone\tme\t\t<4123%@host.dom>\r\n2\ttwo\tme\t\t<a@[192.0.2.1]>\r\n3\tthree\tme\t\t<a@b@c.d>\r\n4\tfour\tme\r\n"
)
POSTED = b"From: me\nNewsgroups: misc.test\nSubject: Hi\n\n.\n"


@dataclass(frozen=True)
class Good:
    url: str
    dialogue: Dialogue
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


GOOD = {
    "an article": Good(
        "news:4123%25@host.dom",
        ASKED.then(server(b"220 0 <4123%@host.dom>\r\n" + ARTICLE + b".\r\n"), *BYE),
        content=ARTICLE.replace(b"..", b"."),
        attributes=TOLD,
    ),
    "an article of an old server, on another port, that does not say who it is": Good(
        "news:4123%25@host.dom",
        Dialogue(
            connect(SERVER, 1119),
            server("201 news.dom ready"),
            client("CAPABILITIES"),
            server("500 What?"),
            client("MODE READER"),
            server("200 Hello"),
            client("ARTICLE <4123%@host.dom>"),
            server("220 77 <4123%@host.dom> article retrieved", "", "Hi", "."),
            *BYE,
        ),
        content=b"\r\nHi\r\n",
        attributes=Attributes(media_type="message/rfc822"),
        options={"server": f"{SERVER}:1119"},
    ),
    "an article with two slashes, and an at sign": Good(
        "news://h/1%40@x",
        READY.then(client("ARTICLE <//h/1@@x>"), server("220 1 <//h/1@@x>", "."), *BYE),
        attributes=Attributes(media_type="message/rfc822"),
    ),
    "an article with octets that are no UTF-8": Good(
        "news:%E9@x",
        READY.then(client(b"ARTICLE <\xe9@x>\r\n"), server(b"220 1 <\xe9@x>\r\nMessage-ID: <\xe9@x>\r\n.\r\n"), *BYE),
        content=b"Message-ID: <\xe9@x>\r\n",
        attributes=Attributes(media_type="message/rfc822", fields={"message-id": "<\udce9@x>"}),
    ),
    "a group": Good(
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
    "all groups": Good(
        "news:*",
        READY.then(
            client("LIST NEWSGROUPS"),
            server("215 list", "misc.test\t \tFor =?utf-8?q?na=C3=AFve?= tests", "gone\tx", "."),
            client("LIST ACTIVE"),
            server(b"215 list\r\nmisc.test 0009 0007 y\r\n3b.misc 1 0 m\r\nc++ 1\r\n\xe9 1 1 n\r\n.\r\n"),
            *BYE,
        ),
        entries=(
            grouped("misc.test", "news:misc.test", low="0007", high="0009", status="y", description="For naïve tests"),
            grouped("3b.misc", None, low="0", high="1", status="m"),
            grouped("c++", "news:c++", high="1"),
            grouped("\udce9", None, low="1", high="1", status="n"),
        ),
    ),
    "all groups of a server that keeps no descriptions": Good(
        "news:*",
        READY.then(
            client("LIST NEWSGROUPS"), server("503 No"), client("LIST ACTIVE"), server("215 list", "a 1 1 y", "."), *BYE
        ),
        entries=(grouped("a", "news:a", low="1", high="1", status="y"),),
    ),
    "the attributes of an article": Good(
        "news:4123%25@host.dom",
        READY.then(
            client("HEAD <4123%@host.dom>"), server(b"221 0 <4123%@host.dom>\r\n" + ARTICLE[:43] + b".\r\n"), *BYE
        ),
        attributes=TOLD,
        algorithm=find_attributes,
    ),
    "the attributes of a group": Good(
        "news:misc.test", READY.then(*SELECTED, *BYE), attributes=COUNTS, algorithm=find_attributes
    ),
    "posting": Good(
        "news:misc.test",
        Dialogue(
            upload(POSTED),
            *READY,
            client("POST"),
            server("340 Go on"),
            client(b"From: me\r\nNewsgroups: misc.test\r\nSubject: Hi\r\n\r\n..\r\n"),
            client(b".\r\n"),
            server("240 Thanks"),
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


@pytest.mark.parametrize("case", GOOD.values(), ids=GOOD)
def test_a_good_dialogue_gives_this_however_it_is_cut(case: Good) -> None:
    outcome = split_everywhere(case.run, case.dialogue)
    assert outcome.error is None
    assert outcome.complete
    assert outcome.content == case.content
    assert outcome.entries == case.entries
    assert outcome.attributes == case.attributes


@pytest.mark.parametrize("case", GOOD.values(), ids=GOOD)
def test_every_fault_at_every_step_is_an_error_and_never_a_short_success(case: Good) -> None:
    runs = fault_everywhere(case.run, case.dialogue, also=["QUIT"] if case.algorithm is update else ())
    failed = [run for run in runs if run.outcome.error is not None]
    assert len(failed) > len(case.dialogue)


@dataclass(frozen=True)
class Bad:
    dialogue: Dialogue
    error: type[URLError]
    says: str
    url: str = "news:4123%25@host.dom"
    algorithm: Callable[..., Algorithm[None]] = access


GROUPS_ASKED = READY.then(client("LIST NEWSGROUPS"), server("500 What?"), client("LIST ACTIVE"))
BAD = {
    "430": Bad(ASKED.then(server("430 No")), RemoteError, "the server has no such article (ARTICLE <4123%@host.dom>)"),
    "430 to HEAD": Bad(
        READY.then(client("HEAD <4123%@host.dom>"), server("430 No")),
        RemoteError,
        "no such article",
        algorithm=find_attributes,
    ),
    "411": Bad(
        READY.then(client("GROUP misc.test"), server("411 No")), RemoteError, "no such group", url="news:misc.test"
    ),
    # B34: the identifier that is answered is the one that was asked for
    "another identifier": Bad(
        ASKED.then(server("220 0 <4124@host.dom>")), ProtocolError, "the article <4123%@host.dom>"
    ),
    "another letter case": Bad(ASKED.then(server("220 0 <4123%@HOST.dom>")), ProtocolError, "was due"),
    "no identifier": Bad(ASKED.then(server("220 0")), ProtocolError, "was due"),
    "the identifier where the number is due": Bad(ASKED.then(server("220 <4123%@host.dom>")), ProtocolError, "was due"),
    "another identifier in the header": Bad(
        ASKED.then(server("220 0 <4123%@host.dom>", "Message-ID: <9@h>", "", ".")), ProtocolError, "header says <9@h>"
    ),
    "another identifier in the header alone": Bad(
        READY.then(client("HEAD <4123%@host.dom>"), server("221 0 <4123%@host.dom>", "message-id: <9@h>", ".")),
        ProtocolError,
        "header says <9@h>",
        algorithm=find_attributes,
    ),
    "an article without its end": Bad(
        ASKED.then(server("220 0 <4123%@host.dom>", "", "Hi"), server_closes()), Truncated, "single dot"
    ),
    # All groups
    "no list of groups": Bad(GROUPS_ASKED.then(server("503 No")), RemoteError, "LIST ACTIVE", url="news:*"),
    "a list of groups without its end": Bad(
        GROUPS_ASKED.then(server("215 list", "a 1 1 y"), server_closes()), Truncated, "single dot", url="news:*"
    ),
    "220 to LIST ACTIVE": Bad(GROUPS_ASKED.then(server("220 list")), ProtocolError, "a reply 215", url="news:*"),
    "400 to LIST NEWSGROUPS": Bad(
        READY.then(client("LIST NEWSGROUPS"), server("400 Bye")), RemoteError, "400 Bye", url="news:*"
    ),
    "211 to LIST NEWSGROUPS": Bad(
        READY.then(client("LIST NEWSGROUPS"), server("211 list")), ProtocolError, "a reply 215", url="news:*"
    ),
    "480": Bad(ASKED.then(server("480 Who?")), AuthRequired, "wants a login"),
}


@pytest.mark.parametrize("case", BAD.values(), ids=BAD)
def test_a_bad_dialogue_is_this_error(case: Bad) -> None:
    outcome = replay(case.algorithm(NewsURL.parse(case.url), server=SERVER), case.dialogue)
    assert type(outcome.error) is case.error
    text = str(outcome.error)
    assert case.says in text
    assert text.isprintable()
    assert text.isascii()
    assert not outcome.complete


# Which server, and what must not be sent ------------------------------------------------------------------------------

ALL = (access, find_attributes, update)


@pytest.mark.parametrize("algorithm", ALL)
def test_without_a_server_the_three_ways_to_name_one_are_told(algorithm: Callable[..., Algorithm[None]]) -> None:
    for url in ("news:misc.test", *(() if algorithm is update else ("news:1@host.dom",))):
        with pytest.raises(UnsupportedOperation) as missing:
            next(algorithm(NewsURL.parse(url)))
        for way in ("server=", "configuration file", "NNTPSERVER"):
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
def test_where_the_server_is(given: str, host: str, port: int) -> None:
    request = next(access(NewsURL.parse("news:*"), server=given))
    assert isinstance(request, Connect)
    assert (request.host, request.port) == (host, port)


def test_no_url_leads_back_to_a_host_that_none_can_name() -> None:
    """An underscore is in the names of some hosts, and in no URL; an article's own news URL needs no host."""
    dialogue = Dialogue(connect("news_1", 119), *[*READY][1:], *SELECTED, client("OVER 1-4"))
    dialogue = dialogue.then(server("224 follows"), server(OVERVIEW + b".\r\n"), *BYE)
    case = Good("news:misc.test", dialogue, options={"server": "news_1"})
    outcome = split_everywhere(case.run, dialogue)
    fault_everywhere(case.run, dialogue)
    assert outcome.error is None
    assert [entry.url for entry in outcome.entries] == ["news:4123%25@host.dom", None, "news:a%40b@c.d", None]
    assert outcome.entries[3].problem == "no URL can name this article"


@pytest.mark.parametrize(
    "given", ["news.dom:", "news.dom:x", "nntp://news.dom", "a b", "a\r\nPOST", "[::1]", "\u212a", "h:123456", "u@h"]
)
def test_what_is_no_server(given: str) -> None:
    with pytest.raises(UnsafeURL, match="host:port") as refused:
        next(access(NewsURL.parse("news:*"), server=given))
    assert str(refused.value).isprintable()


@pytest.mark.parametrize("server", ["127.0.0.1:119", "127.0.0.1:25", "0177.0.0.1", "127.0.0.1:0", "127.0.0.1:70000"])
def test_the_server_is_under_the_policy(server: str) -> None:
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
def test_what_would_end_the_identifier_early_is_refused_before_connecting(
    algorithm: Callable[..., Algorithm[None]], identifier: str
) -> None:
    with pytest.raises(UnsafeURL, match=r"control|blank|longer than 248"):
        next(algorithm(NewsURL.parse(f"news:{identifier}"), server=SERVER))


def test_an_identifier_of_248_octets_fits() -> None:
    assert isinstance(next(access(NewsURL.parse("news:" + "a" * 246 + "@h"), server=SERVER)), Connect)


@pytest.mark.parametrize("algorithm", ALL)
def test_a_group_of_498_letters_fits_no_command(algorithm: Callable[..., Algorithm[None]]) -> None:
    with pytest.raises(UnsafeURL, match="497 octets"):
        next(algorithm(NewsURL.parse("news:" + "a" * 498), server=SERVER))


@pytest.mark.parametrize("url", ["news:*", "news:1@host.dom"])
def test_only_a_group_takes_articles(url: str) -> None:
    with pytest.raises(UnsupportedOperation, match="one group"):
        next(update(NewsURL.parse(url), server=SERVER))


def test_all_groups_have_no_attributes() -> None:
    with pytest.raises(UnsupportedOperation, match="access lists them"):
        next(find_attributes(NewsURL.parse("news:*"), server=SERVER))


# Real sockets ---------------------------------------------------------------------------------------------------------

ODD = "2$[x]/;?&=%\udce9@host.dom"
ARTICLES = [article("One", "First.\n.\n", message_id="1@host.dom"), article("Two", "Second.\n", message_id=ODD)]
GROUPS = {"misc.test": Newsgroup(ARTICLES, description="Where to try things"), "misc.empty": Newsgroup()}


def read(url: str, **options: Any) -> bytes:
    with urlschemes_access.access(url, **{"policy": HERE, **options}) as found:
        assert isinstance(found, Document)
        return found.read()


def entries(url: str, **options: Any) -> list[Entry]:
    with urlschemes_access.access(url, **{"policy": HERE, **options}) as found:
        assert isinstance(found, Listing)
        return list(found)


@pytest.mark.parametrize("kind", [{}, {"capabilities": False, "overview": ""}], ids=["young", "old"])
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
        told = urlschemes_access.find_attributes("news:1@host.dom", options={"server": str(there)}, policy=HERE)
        assert (told.name, told.media_type) == ("One", "message/rfc822")


def test_b32_what_is_not_there() -> None:
    with nntp_server(GROUPS) as there:
        for url, status in (("news:no.such", 411), ("news:9@host.dom", 430)):
            for operation in ("access", "find attributes"):
                with pytest.raises(RemoteError) as refused:
                    urlschemes_access.operate(operation, url, options={"server": str(there)}, policy=HERE)
                assert (refused.value.status, refused.value.temporary) == (status, False)


def test_posting_and_reading_what_was_posted_anywhere() -> None:
    content = POSTED.replace(b"misc.test", b"misc.empty")
    with nntp_server(GROUPS) as there:
        told = urlschemes_access.update("news:misc.empty", content, options={"server": str(there)}, policy=HERE)
        url = NewsURL.build(message_id=told.fields["message-id"][1:-1])
        assert read(str(url), server=str(there)).endswith(content.replace(b"\n", b"\r\n"))
        number = NntpURL.build(host=there.host, port=there.port, group="misc.empty", article=1)
        assert read(str(number)) == read(str(url), server=str(there))


# Servers that misbehave -----------------------------------------------------------------------------------------------

HELLO = (says("200 ready"), hears(), says("101 list", "VERSION 2", "READER", "OVER", "."), hears())
BEGUN = (*HELLO, says("220 0 <1@host.dom>", "Subject: x", ""))
ONE = "news:1@host.dom"


def quick(**limits: float) -> Policy:
    """The policy for this machine, with less patience."""
    few: dict[str, Any] = {"deadline": 3, "idle": 0.3, "first_octet": 0.3, "connect": 1, **limits}
    return Policy(networks=HERE.networks, limits=Limits(**few))


def failure(error: type[URLError], there: object, url: str = ONE, **limits: float) -> Any:
    with (
        pytest.raises(error) as raised,
        urlschemes_access.access(url, options={"server": str(there)}, policy=quick(**limits)) as found,
    ):
        for _ in found:  # type: ignore[union-attr]  # documents and listings iterate
            pass
    return raised.value


def test_b11_endless_articles_groups_and_descriptions() -> None:
    with rogue(*BEGUN, floods(b"x\r\n")) as there, pytest.raises(LimitExceeded):
        read(ONE, server=str(there), policy=quick(content=1_000_000))
    with rogue(*HELLO, says("500 what?"), hears(), says("215 list"), floods(b"a 1 1 y\r\n")) as there:
        assert failure(LimitExceeded, there, "news:*", entries=5000).limit == "entries"
    with rogue(*HELLO, says("215 list"), floods(b"a.b\tc\r\n")) as there:
        assert failure(LimitExceeded, there, "news:*", content=1_000_000).limit == "content"


@pytest.mark.parametrize("words", [bytes(64) + b"\n", bytes(range(256)), b"220 mail.dom ESMTP\r\n", b"299\x1b[2J\r\n"])
def test_b14_b24_no_news_server(words: bytes) -> None:
    with rogue(says(words), stays_silent()) as there:
        error = failure(ProtocolError, there)
        assert there.heard == [b""]
    assert str(error).isprintable()
    assert str(error).isascii()


def test_b25_a_reply_that_nobody_asked_for() -> None:
    with rogue(says("200 hi"), hears(), says("101 list", ".", "220 0 <1@host.dom>"), stays_silent()) as there:
        failure(ProtocolError, there)
    assert there.heard == [b"CAPABILITIES\r\n"]


def test_b31_a_refusal_left_open() -> None:
    gone = threading.Event()
    with rogue(says("400 later"), stays_silent(), lambda _: gone.set()) as there:
        error = failure(RemoteError, there)
        assert (error.status, error.temporary) == (400, True)
        assert gone.wait(PATIENCE)


def test_b33_a_login_that_nobody_gave_is_not_invented() -> None:
    with rogue(*HELLO, says("480 who?"), stays_silent()) as there:
        failure(AuthRequired, there)
    assert there.heard == [b"CAPABILITIES\r\nARTICLE <1@host.dom>\r\n"]


def test_b34_another_article_and_one_without_end() -> None:
    for words in (b"220 0 <2@host.dom>\r\n\r\n.\r\n", b"220 0 <1@host.dom>\r\nMessage-ID: <2@host.dom>\r\n\r\n.\r\n"):
        with rogue(*HELLO, says(words), stays_silent()) as there:
            failure(ProtocolError, there)
    with rogue(*BEGUN, says(b"a\n.\nb\r\n.\n")) as there:
        failure(Truncated, there)


def test_b50_leaving_in_the_middle_closes_the_connection() -> None:
    gone = threading.Event()
    with rogue(*BEGUN, says("some"), stays_silent(), lambda _: gone.set()) as there:
        with urlschemes_access.access(ONE, options={"server": str(there)}, policy=HERE) as found:
            assert isinstance(found, Document)
            assert next(found) == b"Subject: x\r\n\r\n"
        assert gone.wait(PATIENCE)


def test_a_post_whose_answer_is_lost_is_indeterminate_and_not_sent_again() -> None:
    acts = (*HELLO, says("340 go on"), hears_until(b"\r\n.\r\n"), resets())
    with rogue(*acts) as there:
        with pytest.raises(Indeterminate):
            urlschemes_access.update("news:misc.test", POSTED, options={"server": str(there)}, policy=quick())
        assert len(there.visits) == 1
