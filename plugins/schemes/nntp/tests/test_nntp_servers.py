"""NNTP over real sockets: the news server of urlschemes-servers in each of its ages, and servers that misbehave."""

from __future__ import annotations

from typing import Any

import pytest
from opening import HERE, content_of, open_document, open_listing

import urlschemes_access
from urlschemes_access import Credentials
from urlschemes_access.errors import LimitExceeded
from urlschemes_servers.nntp import Newsgroup, article, nntp_server
from urlschemes_servers.tls import make_certificates
from urlschemes_testing.rogue import hears, loops, rogue, says

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


@pytest.mark.rfc1738(109)
@pytest.mark.parametrize("kind", SERVERS.values(), ids=SERVERS)
def test_every_form_of_url(kind: dict[str, Any]) -> None:
    with nntp_server(GROUPS, **kind) as server:
        group = f"nntp://{server}/misc.test"
        for number, expected in enumerate(ARTICLES, 7):
            with open_document(f"{group}/{number}") as opened:
                assert opened.read() == expected
                assert opened.media_type == "message/rfc822"
                assert opened.terminated
        with open_listing(group) as entries:
            listed = list(entries)
        assert [entry.name for entry in listed] == ["Hello naïve", "Octets", "9", "Large"]
        assert [content_of(entry.url or "") for entry in listed] == ARTICLES
        with open_listing(group, options={"newest": 3}) as entries:
            assert [entry.fields["number"] for entry in entries] == ["8", "9", "10"]
        with open_listing(f"nntp://{server}/misc.empty") as entries:
            assert list(entries) == []


POST = b"From: me\nSubject: Hi\nNewsgroups: misc.empty\n\n.\n..\nHello\n"


def test_posting() -> None:
    with nntp_server(GROUPS) as server:
        url = f"nntp://{server}/misc.empty"
        first = urlschemes_access.update(url, POST, policy=HERE).fields["message-id"]
        second = urlschemes_access.update(url, (POST[:20], POST[20:]), policy=HERE).fields["message-id"]
        assert first != second
        with open_listing(url) as entries:
            posted = [(entry.fields["message-id"], entry.url) for entry in entries]
        assert [identifier for identifier, _ in posted] == [first, second]
        assert content_of(posted[0][1] or "").endswith(POST.replace(b"\n", b"\r\n"))


def test_an_article_whose_content_raises_is_not_posted() -> None:
    def pieces() -> Any:
        yield POST
        raise KeyboardInterrupt

    with nntp_server(GROUPS) as server:
        with pytest.raises(KeyboardInterrupt):
            urlschemes_access.update(f"nntp://{server}/misc.empty", pieces(), policy=HERE)
        assert urlschemes_access.find_attributes(f"nntp://{server}/misc.empty", policy=HERE).fields["count"] == "0"


def test_over_tls_a_login_is_sent_and_the_trace_hides_the_password() -> None:
    certificates = make_certificates()
    events: list[object] = []
    with nntp_server(GROUPS, users={"joe": "open sesame"}, tls=certificates.server, mode_reader=True) as server:
        content = content_of(
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


@pytest.mark.fault(11)
def test_a_group_that_claims_to_be_endless_is_not_requested_article_by_article() -> None:
    high = 10**18
    acts = (*READY, hears(), says(f"211 {high} 1 {high} a.b"), hears(), says("500 what?"), hears(), says("500 what?"))
    with rogue(*acts, loops(hears(), says("423 none"))) as server:
        with pytest.raises(LimitExceeded) as exceeded:
            list(open_listing(f"nntp://{server}/a.b"))
        assert exceeded.value.hint == "list fewer with the option newest"
        with open_listing(f"nntp://{server}/a.b", options={"newest": 3}) as entries:
            assert list(entries) == []
    assert server.heard[1].endswith(b"HEAD %d\r\nHEAD %d\r\nHEAD %d\r\nQUIT\r\n" % (high - 2, high - 1, high))
