"""NNTP over real sockets: the news server of urlschemes-servers in each of its ages, and servers that misbehave."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import urlschemes_access
from urlschemes_access import Credentials, Document, Limits, Listing, Policy
from urlschemes_access.errors import AuthRequired, Indeterminate, LimitExceeded, RemoteError
from urlschemes_nntp import NntpURL
from urlschemes_servers.nntp import Newsgroup, article, nntp_server
from urlschemes_servers.tls import make_certificates
from urlschemes_testing.rogue import Act, hears, hears_until, loops, resets, rogue, says, stays_silent

if TYPE_CHECKING:
    from urlschemes_access.protocol import Authenticate

HERE = Policy.interactive()
CLEARTEXT = {"allow_cleartext": True}


def document(url: str, **arguments: Any) -> Document:
    opened = urlschemes_access.access(url, **{"policy": HERE, **arguments})
    assert isinstance(opened, Document)
    return opened


def listing(url: str, **arguments: Any) -> Listing:
    opened = urlschemes_access.access(url, **{"policy": HERE, **arguments})
    assert isinstance(opened, Listing)
    return opened


def read(url: str, **arguments: Any) -> bytes:
    with document(url, **arguments) as opened:
        return opened.read()


# The server for tests -------------------------------------------------------------------------------------------------

LARGE = b"".join(b".%07d" % number * 9 + b"\r\n" for number in range(5_000))
ARTICLES = [
    article("Hello =?utf-8?q?na=C3=AFve?=", "First.\n.dot\n..two\n.\n\n", message_id="1@host.dom"),
    article("Octets", bytes(range(256)).replace(b"\r", b"").replace(b"\n", b"") + b"\r\n", message_id="2$[x]@host.dom"),
    article("", "", message_id="3@[192.0.2.1]", fields={"X-Latin": "\udce9"}),
    article("Large", LARGE, message_id="4@host.dom"),
]
GROUPS = {
    "misc.test": Newsgroup(ARTICLES, description="Where to try things", first=7),
    "misc.empty": Newsgroup(),
    "misc.moderated": Newsgroup(posting="m"),
}
SERVERS: dict[str, dict[str, Any]] = {
    "of RFC 3977": {},
    "with two modes": {"mode_reader": True},
    "without overview": {"overview": ""},
    "of RFC 2980": {"capabilities": False, "overview": "XOVER"},
    "of RFC 977": {"capabilities": False, "overview": ""},
}


@pytest.mark.parametrize("kind", SERVERS.values(), ids=SERVERS)
def test_every_form_of_url(kind: dict[str, Any]) -> None:
    with nntp_server(GROUPS, **kind) as server:
        group = f"nntp://{server}/misc.test"
        for number, expected in enumerate(ARTICLES, 7):
            with document(f"{group}/{number}") as opened:
                assert opened.read() == expected
                assert opened.media_type == "message/rfc822"
                assert opened.terminated
        with listing(group) as entries:
            listed = list(entries)
        assert [entry.name for entry in listed] == ["Hello naïve", "Octets", "9", "Large"]
        assert [read(entry.url or "") for entry in listed] == ARTICLES
        with listing(group, options={"newest": 3}) as entries:
            assert [entry.fields["number"] for entry in entries] == ["8", "9", "10"]
        with listing(f"nntp://{server}/misc.empty") as entries:
            assert list(entries) == []


def test_an_entry_has_the_fields_of_the_overview() -> None:
    with nntp_server(GROUPS) as server, listing(f"nntp://{server}/misc.test") as entries:
        first = next(entries)
        assert entries.attributes.fields == {"count": "4", "low": "7", "high": "10"}
    assert (first.kind, first.size) == ("article", len(ARTICLES[0]))
    assert first.modified is not None
    assert first.modified.isoformat() == "1994-12-01T12:00:00+00:00"
    assert first.fields["message-id"] == "<1@host.dom>"
    assert first.fields["lines"] == "5"
    assert isinstance(first.parse(), NntpURL)


def test_find_attributes() -> None:
    with nntp_server(GROUPS) as server:
        attributes = urlschemes_access.find_attributes(f"nntp://{server}/misc.test/9", policy=HERE)
        assert (attributes.name, attributes.fields["x-latin"]) == (None, "\udce9")
        attributes = urlschemes_access.find_attributes(f"nntp://{server}/misc.test", policy=HERE)
        assert (attributes.name, attributes.fields["count"]) == ("misc.test", "4")


@pytest.mark.fault(32)
@pytest.mark.parametrize("kind", [*SERVERS.values(), {"posting": False}], ids=[*SERVERS, "without posting"])
def test_a_missing_group_or_article_is_a_remote_error(kind: dict[str, Any]) -> None:
    with nntp_server(GROUPS, **kind) as server:
        for path, status, message in (("no.such", 411, "no such group"), ("misc.test/6", 423, "with that number")):
            for operation in ("access", "find attributes"):
                with pytest.raises(RemoteError, match=message) as refused:
                    urlschemes_access.operate(operation, f"nntp://{server}/{path}", policy=HERE)
                assert (refused.value.status, refused.value.temporary) == (status, False)


POST = b"From: me\nSubject: Hi\nNewsgroups: misc.empty\n\n.\n..\nHello\n"


def test_posting() -> None:
    with nntp_server(GROUPS) as server:
        url = f"nntp://{server}/misc.empty"
        first = urlschemes_access.update(url, POST, policy=HERE).fields["message-id"]
        second = urlschemes_access.update(url, (POST[:20], POST[20:]), policy=HERE).fields["message-id"]
        assert first != second
        with listing(url) as entries:
            posted = [(entry.fields["message-id"], entry.url) for entry in entries]
        assert [identifier for identifier, _ in posted] == [first, second]
        assert read(posted[0][1] or "").endswith(POST.replace(b"\n", b"\r\n"))


@pytest.mark.parametrize(
    ("kind", "group", "status"),
    [({"posting": False}, "misc.empty", 440), ({}, "misc.moderated", 441), ({}, "no.such", 441)],
)
def test_posting_that_the_server_refuses_is_a_remote_error(kind: dict[str, Any], group: str, status: int) -> None:
    content = POST.replace(b"misc.empty", group.encode())
    with nntp_server(GROUPS, **kind) as server, pytest.raises(RemoteError) as refused:
        urlschemes_access.update(f"nntp://{server}/{group}", content, policy=HERE)
    assert refused.value.status == status


def test_an_article_whose_content_raises_is_not_posted() -> None:
    def pieces() -> Any:
        yield POST
        raise KeyboardInterrupt

    with nntp_server(GROUPS) as server:
        with pytest.raises(KeyboardInterrupt):
            urlschemes_access.update(f"nntp://{server}/misc.empty", pieces(), policy=HERE)
        assert urlschemes_access.find_attributes(f"nntp://{server}/misc.empty", policy=HERE).fields["count"] == "0"


def test_a_login_needs_credentials_and_leave_to_send_them_in_clear_text() -> None:
    asked: list[tuple[str, int, str | None]] = []

    def credentials(request: Authenticate) -> Credentials:
        asked.append((request.host, request.port, request.user))
        return Credentials("joe", "open sesame")

    with nntp_server(GROUPS, users={"joe": "open sesame"}) as server:
        url = f"nntp://{server}/misc.test/7"
        with pytest.raises(AuthRequired, match="not encrypted"):
            read(url, credentials=credentials)
        assert asked == []
        with pytest.raises(AuthRequired, match="no credentials were given"):
            read(url, options=CLEARTEXT)
        assert read(url, credentials=credentials, options=CLEARTEXT) == ARTICLES[0]
        assert asked == [(server.host, server.port, None)]
        with pytest.raises(AuthRequired) as refused:
            read(url, credentials=lambda _: Credentials("joe", "hunter2"), options=CLEARTEXT)
        assert "hunter2" not in str(refused.value)


def test_over_tls_a_login_is_sent_and_the_trace_hides_the_password() -> None:
    certificates = make_certificates()
    events: list[object] = []
    with nntp_server(GROUPS, users={"joe": "open sesame"}, tls=certificates.server, mode_reader=True) as server:
        content = read(
            f"nntp://{server}/misc.test/7",
            options={"starttls": "required"},
            ssl_context=certificates.client(),
            credentials=lambda _: Credentials("joe", "open sesame"),
            trace=events.append,
        )
    assert content == ARTICLES[0]
    shown = repr(events)
    for command in ("STARTTLS", "CAPABILITIES", "MODE READER", "AUTHINFO USER joe", "AUTHINFO PASS ***", "ARTICLE 7"):
        assert command in shown
    assert "sesame" not in shown


# Servers that misbehave -----------------------------------------------------------------------------------------------

READY = (says("200 ready"), hears(), says("101 list", "VERSION 2", "READER", "OVER", "."))
IMPATIENT = Policy(networks=HERE.networks, limits=Limits(idle=1, first_octet=1))


@pytest.mark.fault(11)
def test_a_group_that_claims_to_be_endless_is_not_requested_article_by_article() -> None:
    high = 10**18
    acts = (*READY, hears(), says(f"211 {high} 1 {high} a.b"), hears(), says("500 what?"), hears(), says("500 what?"))
    with rogue(*acts, loops(hears(), says("423 none"))) as server:
        with pytest.raises(LimitExceeded) as exceeded:
            list(listing(f"nntp://{server}/a.b"))
        assert exceeded.value.hint == "list fewer with the option newest"
        with listing(f"nntp://{server}/a.b", options={"newest": 3}) as entries:
            assert list(entries) == []
    assert server.heard[1].endswith(b"HEAD %d\r\nHEAD %d\r\nHEAD %d\r\nQUIT\r\n" % (high - 2, high - 1, high))


@pytest.mark.fault(36)
@pytest.mark.parametrize("ending", [(), (resets(),), (stays_silent(),)], ids=["closed", "reset", "silent"])
def test_an_article_whose_verdict_is_lost_is_not_posted_again(ending: tuple[Act, ...]) -> None:
    acts = (*READY, hears(), says("340 go on"), hears_until(b"\r\n.\r\n"), *ending)
    with rogue(*acts) as server, pytest.raises(Indeterminate, match="not known"):
        urlschemes_access.update(f"nntp://{server}/misc.empty", POST, policy=IMPATIENT if ending else HERE)
    assert len(server.visits) == 1
    assert server.heard[0].count(b"POST") == 1
