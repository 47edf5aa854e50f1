"""NNTP over real sockets on this machine: the news server for tests, young and old, and servers that misbehave."""

from __future__ import annotations

import asyncio
import threading
import tracemalloc
from typing import TYPE_CHECKING, Any

import pytest

import urlschemes_access
import urlschemes_access.client
import urlschemes_access.protocol.replies
from urlschemes.errors import UnsafeURL
from urlschemes_access import Credentials, Document, Limits, Listing, Policy
from urlschemes_access.errors import (
    AuthRequired,
    DeadlineExceeded,
    Indeterminate,
    LimitExceeded,
    ProtocolError,
    RemoteError,
    Truncated,
)
from urlschemes_nntp import NntpURL
from urlschemes_servers.nntp import Newsgroup, article, nntp_server
from urlschemes_servers.tls import make_certificates
from urlschemes_testing.rogue import (
    Act,
    Visitor,
    floods,
    hears,
    hears_until,
    loops,
    resets,
    rogue,
    says,
    stays_silent,
)

if TYPE_CHECKING:
    from urlschemes_access.protocol import Authenticate

HERE = Policy.interactive()
PATIENCE = 10


def document(url: str, **options: Any) -> Document:
    found = urlschemes_access.access(url, **{"policy": HERE, **options})
    assert isinstance(found, Document)
    return found


def listing(url: str, **options: Any) -> Listing:
    found = urlschemes_access.access(url, **{"policy": HERE, **options})
    assert isinstance(found, Listing)
    return found


def read(url: str, **options: Any) -> bytes:
    with document(url, **options) as found:
        return found.read()


# The server for tests -------------------------------------------------------------------------------------------------

LARGE = b"".join(b".%07d" % number * 9 + b"\r\n" for number in range(20_000))
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
            with document(f"{group}/{number}") as found:
                assert found.read() == expected
                assert found.media_type == "message/rfc822"
                assert found.terminated
        with listing(group) as entries:
            listed = list(entries)
        assert [entry.name for entry in listed] == ["Hello naïve", "Octets", "9", "Large"]
        assert [read(entry.url or "") for entry in listed] == ARTICLES
        with listing(group, newest=3) as entries:
            assert [entry.fields["number"] for entry in entries] == ["8", "9", "10"]
        with listing(f"nntp://{server}/misc.empty") as entries:
            assert list(entries) == []


def test_what_an_overview_tells() -> None:
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
        found = urlschemes_access.find_attributes(f"nntp://{server}/misc.test/9", policy=HERE)
        assert (found.name, found.fields["x-latin"]) == (None, "\udce9")
        found = urlschemes_access.find_attributes(f"nntp://{server}/misc.test", policy=HERE)
        assert (found.name, found.fields["count"]) == ("misc.test", "4")


@pytest.mark.parametrize("kind", [*SERVERS.values(), {"posting": False}], ids=[*SERVERS, "without posting"])
def test_b32_what_is_not_there(kind: dict[str, Any]) -> None:
    with nntp_server(GROUPS, **kind) as server:
        for path, status, says_so in (("no.such", 411, "no such group"), ("misc.test/6", 423, "of that number")):
            for operation in ("access", "find attributes"):
                with pytest.raises(RemoteError, match=says_so) as refused:
                    urlschemes_access.operate(operation, f"nntp://{server}/{path}", policy=HERE)
                assert (refused.value.status, refused.value.temporary) == (status, False)


POST = b"From: me\nSubject: Hi\nNewsgroups: misc.empty\n\n.\n..\nHello\n"


def test_posting() -> None:
    with nntp_server(GROUPS) as server:
        url = f"nntp://{server}/misc.empty"
        told = urlschemes_access.update(url, POST, policy=HERE)
        again = urlschemes_access.update(url, (POST[:20], POST[20:]), policy=HERE)
        assert told.fields["message-id"] != again.fields["message-id"]
        with listing(url) as entries:
            posted = [(entry.fields["message-id"], entry.url) for entry in entries]
        assert [identifier for identifier, _ in posted] == [told.fields["message-id"], again.fields["message-id"]]
        assert read(posted[0][1] or "").endswith(POST.replace(b"\n", b"\r\n"))


@pytest.mark.parametrize(
    ("kind", "group", "status"),
    [({"posting": False}, "misc.empty", 440), ({}, "misc.moderated", 441), ({}, "no.such", 441)],
)
def test_posting_refused(kind: dict[str, Any], group: str, status: int) -> None:
    content = POST.replace(b"misc.empty", group.encode())
    with nntp_server(GROUPS, **kind) as server, pytest.raises(RemoteError) as refused:
        urlschemes_access.update(f"nntp://{server}/{group}", content, policy=HERE)
    assert refused.value.status == status


def test_a_post_that_fails_on_this_side_is_not_posted() -> None:
    def pieces() -> Any:
        yield POST
        raise KeyboardInterrupt

    with nntp_server(GROUPS) as server:
        with pytest.raises(KeyboardInterrupt):
            urlschemes_access.update(f"nntp://{server}/misc.empty", pieces(), policy=HERE)
        assert urlschemes_access.find_attributes(f"nntp://{server}/misc.empty", policy=HERE).fields["count"] == "0"


def test_logins() -> None:
    asked: list[tuple[str, int, str | None]] = []

    def credentials(request: Authenticate) -> Credentials:
        asked.append((request.host, request.port, request.user))
        return Credentials("joe", "open sesame")

    with nntp_server(GROUPS, users={"joe": "open sesame"}) as server:
        url = f"nntp://{server}/misc.test/7"
        with pytest.raises(AuthRequired, match="anybody on the way"):
            read(url, credentials=credentials)
        assert asked == []
        with pytest.raises(AuthRequired, match="no credentials were given"):
            read(url, allow_cleartext=True)
        assert read(url, credentials=credentials, allow_cleartext=True) == ARTICLES[0]
        assert asked == [(server.host, server.port, None)]
        with pytest.raises(AuthRequired) as refused:
            read(url, credentials=lambda _: Credentials("joe", "hunter2"), allow_cleartext=True)
        assert "hunter2" not in str(refused.value)


def test_tls_and_a_login_that_no_trace_shows() -> None:
    certificates = make_certificates()
    events: list[object] = []
    with nntp_server(GROUPS, users={"joe": "open sesame"}, tls=certificates.server, mode_reader=True) as server:
        content = read(
            f"nntp://{server}/misc.test/7",
            starttls="required",
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
SELECTED = (*READY, hears(), says("211 3 1 3 a.b"), hears())
BEGUN = (*SELECTED, says("220 1 <1@host.dom>", "Subject: x", ""))


def quick(**limits: float) -> Policy:
    """The policy for this machine, with less patience."""
    few: dict[str, Any] = {"deadline": 3, "idle": 0.3, "first_octet": 0.3, "connect": 1, **limits}
    return Policy(networks=HERE.networks, limits=Limits(**few))


@pytest.mark.parametrize("acts", [(), READY, BEGUN], ids=["greeting", "reply", "article"])
def test_b06_silence(acts: tuple[Act, ...]) -> None:
    with rogue(*acts, stays_silent()) as server, pytest.raises(DeadlineExceeded) as late:
        read(f"nntp://{server}/a.b/1", policy=quick())
    assert late.value.phase == ("response" if acts is READY else "content" if acts else "banner")


def test_b09_reset_in_the_middle() -> None:
    read_some = threading.Event()

    def once_read(_: Visitor) -> None:
        assert read_some.wait(PATIENCE)

    acts = (*BEGUN, says("some"), once_read, resets())
    with rogue(*acts) as server, document(f"nntp://{server}/a.b/1", policy=quick(idle=PATIENCE)) as found:
        came = next(found) + next(found)
        read_some.set()
        with pytest.raises(Truncated) as cut:
            next(found)
    assert came == b"Subject: x\r\n\r\nsome\r\n"
    assert cut.value.received is not None
    assert cut.value.received > len(came)


def test_b11_an_endless_article_is_bounded_where_it_is_held_and_streams_in_flat_memory() -> None:
    with rogue(*BEGUN, floods(b"x" * 76 + b"\r\n")) as server:
        with pytest.raises(LimitExceeded) as much:
            read(f"nntp://{server}/a.b/1", policy=quick(content=1_000_000))
        assert much.value.limit == "content"
        tracemalloc.start()
        try:
            with document(f"nntp://{server}/a.b/1", policy=quick(content=1_000_000)) as found:
                received = 0
                for octets in found:
                    received += len(octets)
                    if received > 20_000_000:
                        break
            assert tracemalloc.get_traced_memory()[1] < 4_000_000
        finally:
            tracemalloc.stop()


@pytest.mark.parametrize("url", ["a.b", "a.b/1"])
def test_b11_an_endless_header(url: str) -> None:
    head = says("220 1 <1@host.dom>" if "/" in url else "500 no OVER")
    more = () if "/" in url else (hears(), says("500 no LISTGROUP"), hears(), says("221 1 <1@host.dom>"))
    with rogue(*SELECTED, head, *more, floods(b"X: y\r\n")) as server, pytest.raises(LimitExceeded) as much:
        list(urlschemes_access.access(f"nntp://{server}/{url}", policy=quick()))  # type: ignore[arg-type]  # all kinds iterate
    assert (much.value.limit, much.value.value) == ("headers", 65536)


def test_b11_an_endless_listing() -> None:
    acts = (*SELECTED, says("224 list"), floods(b"1\tSubject\r\n"))
    with rogue(*acts) as server, pytest.raises(LimitExceeded) as much:
        list(listing(f"nntp://{server}/a.b", policy=quick(entries=5000)))
    assert much.value.limit == "entries"


def test_b11_endless_capabilities() -> None:
    acts = (says("200 hi"), hears(), says("101 list"), floods(b"X\r\n"))
    with rogue(*acts) as server, pytest.raises(LimitExceeded) as much:
        read(f"nntp://{server}/a/1", policy=quick())
    assert (much.value.limit, much.value.value) == ("reply", 1000)


def test_b11_endless_numbers() -> None:
    acts = (*SELECTED, says("500 what?"), hears(), says("211 list"), floods(b"1\r\n"))
    with rogue(*acts) as server, pytest.raises(LimitExceeded) as much:
        list(listing(f"nntp://{server}/a.b", policy=quick()))
    assert (much.value.limit, much.value.value) == ("entries", 100_000)


def test_b11_a_group_that_claims_to_be_endless_without_a_list_of_it() -> None:
    """Each answer is octets received, for which the deadline grows: a deadline alone does not bound a fast server."""
    high = 10**18
    acts = (*READY, hears(), says(f"211 {high} 1 {high} a.b"), hears(), says("500 what?"), hears(), says("500 what?"))
    with rogue(*acts, loops(hears(), says("423 none"))) as server:
        with pytest.raises(LimitExceeded) as much:
            list(listing(f"nntp://{server}/a.b", policy=quick()))
        assert "newest" in (much.value.hint or "")
        with listing(f"nntp://{server}/a.b", policy=quick(), newest=3) as entries:
            assert list(entries) == []
    assert server.heard[1].endswith(b"HEAD %d\r\nHEAD %d\r\nHEAD %d\r\nQUIT\r\n" % (high - 2, high - 1, high))


@pytest.mark.parametrize(("acts", "most"), [((), 8192), ((*READY, hears()), 8192), (BEGUN, 65536)])
def test_b13_a_line_without_end(acts: tuple[Act, ...], most: int) -> None:
    with rogue(*acts, floods(b"2")) as server, pytest.raises(LimitExceeded) as much:
        read(f"nntp://{server}/a.b/1", policy=quick())
    assert (much.value.limit, much.value.value) == ("line", most)


def test_b24_a_reply_of_another_kind() -> None:
    with rogue(*READY, hears(), says("220 1 <1@h>"), stays_silent()) as server, pytest.raises(ProtocolError) as strange:
        read(f"nntp://{server}/a.b/1")
    assert "'220 1 <1@h>'" in str(strange.value)


def test_b25_a_forged_480_draws_no_login() -> None:
    def credentials(request: Authenticate) -> Credentials:
        raise AssertionError(request)

    acts = (says("200 hi"), hears(), says("101 list", ".", "480 password?"), stays_silent())
    with rogue(*acts) as server, pytest.raises(ProtocolError, match="silence before"):
        read(f"nntp://{server}/a.b/1", credentials=credentials, allow_cleartext=True)
    assert server.heard == [b"CAPABILITIES\r\n"]


@pytest.mark.parametrize(("greeting", "temporary"), [("400 later", True), ("502 never", False)])
def test_b31_a_refusal_left_open(greeting: str, temporary: bool) -> None:
    gone = threading.Event()
    with rogue(says(greeting), stays_silent(), lambda _: gone.set()) as server:
        with pytest.raises(RemoteError) as refused:
            read(f"nntp://{server}/a/1")
        assert (refused.value.status, refused.value.temporary) == (int(greeting[:3]), temporary)
        assert gone.wait(PATIENCE)
    assert server.heard == [b""]


def test_b33_a_login_asked_for_again_and_again() -> None:
    acts = (*READY, hears(), says("480 who?"), loops(hears(), says("381 password?")))
    with rogue(*acts) as server, pytest.raises(AuthRequired):
        read(f"nntp://{server}/a.b/1", credentials=lambda _: Credentials("joe", "geheim"), allow_cleartext=True)
    heard = server.heard[0]
    assert heard.endswith(b"GROUP a.b\r\nAUTHINFO USER joe\r\nAUTHINFO PASS geheim\r\n")


def test_b34_line_feeds_end_nothing() -> None:
    body = b"a\n.\nb\n.\r\nc\r\n.\n\r\n"
    with rogue(*BEGUN, says(body, b".\r\n"), hears(), says("205 bye")) as server:
        assert read(f"nntp://{server}/a.b/1") == b"Subject: x\r\n\r\na\n.\nb\n.\r\nc\r\n\n\r\n"
    with rogue(*BEGUN, says(body), stays_silent()) as server, pytest.raises(DeadlineExceeded):
        read(f"nntp://{server}/a.b/1", policy=quick())


def test_b34_an_article_that_does_not_end() -> None:
    with rogue(*BEGUN, says(b"some\r\nmore")) as server, pytest.raises(Truncated) as cut:
        read(f"nntp://{server}/a.b/1")
    assert cut.value.partial == b"Subject: x\r\n\r\nsome\r\n"


def test_b50_leaving_in_the_middle_closes_the_connection() -> None:
    gone = threading.Event()
    with rogue(*BEGUN, says("some"), stays_silent(), lambda _: gone.set()) as server:
        with document(f"nntp://{server}/a.b/1") as found:
            assert next(found) == b"Subject: x\r\n\r\n"
        assert gone.wait(PATIENCE)
    assert b"QUIT" not in server.heard[0]


def test_b50_a_cancelled_task_closes_the_connection() -> None:
    asked, gone = threading.Event(), threading.Event()
    acts: tuple[Act, ...] = (*SELECTED, lambda _: asked.set(), stays_silent(), lambda _: gone.set())

    async def cancelled(url: str) -> None:
        task = asyncio.ensure_future(urlschemes_access.client.access(url, policy=HERE))
        assert await asyncio.to_thread(asked.wait, PATIENCE)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(gone.wait, PATIENCE)

    with rogue(*acts) as server:
        asyncio.run(cancelled(f"nntp://{server}/a.b/1"))


def test_b50_an_interrupt_while_the_login_is_typed_closes_the_connection() -> None:
    def interrupted(_: Authenticate) -> Credentials:
        raise KeyboardInterrupt

    gone = threading.Event()
    with rogue(*READY, hears(), says("480 who?"), stays_silent(), lambda _: gone.set()) as server:
        with pytest.raises(KeyboardInterrupt):
            read(f"nntp://{server}/a.b/1", credentials=interrupted, allow_cleartext=True)
        assert gone.wait(PATIENCE)


def test_a_post_is_sent_only_when_asked_for_and_never_twice() -> None:
    for reply, error in (("240 fine", ProtocolError), ("440 no", RemoteError), ("500 what?", RemoteError)):
        with rogue(*READY, hears(), says(reply), stays_silent()) as server, pytest.raises(error):
            urlschemes_access.update(f"nntp://{server}/misc.empty", POST, policy=quick())
        assert server.heard == [b"CAPABILITIES\r\nPOST\r\n"]
    for ending in ((), (resets(),), (stays_silent(),)):
        acts = (*READY, hears(), says("340 go on"), hears_until(b"\r\n.\r\n"), *ending)
        with rogue(*acts) as server, pytest.raises(Indeterminate, match="not known"):
            urlschemes_access.update(f"nntp://{server}/misc.empty", POST, policy=quick())
        assert len(server.visits) == 1
        assert server.heard[0].count(b"POST") == 1


def test_nothing_reaches_a_server_that_the_url_may_not_say() -> None:
    with rogue(stays_silent()) as server:
        for path in (f"a/{10**16}", "a" * 498):
            with pytest.raises(UnsafeURL):
                read(f"nntp://{server}/{path}")
        with pytest.raises(UnsafeURL):
            urlschemes_access.update(f"nntp://{server}/alt.test", POST, policy=HERE)
        assert server.visits == []


def test_a_farewell_that_never_comes_spoils_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(urlschemes_access.protocol.replies, "FAREWELL", 0.1)
    with rogue(*BEGUN, says("some", "."), stays_silent()) as server:
        assert read(f"nntp://{server}/a.b/1") == b"Subject: x\r\n\r\nsome\r\n"
