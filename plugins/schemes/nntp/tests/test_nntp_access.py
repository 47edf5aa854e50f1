"""The nntp algorithms against dialogues: what comes of them, cut at every octet and faulted at every step."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from urlschemes.errors import UnsafeURL, UnsupportedOperation, URLError
from urlschemes_access.attributes import Attributes, Entry
from urlschemes_access.errors import (
    AccessError,
    AuthRequired,
    ConnectError,
    DeadlineExceeded,
    Indeterminate,
    LimitExceeded,
    ProtocolError,
    RemoteError,
    TLSError,
    Truncated,
)
from urlschemes_access.protocol import Authenticate, Connect, Peer, Send
from urlschemes_nntp import NntpURL
from urlschemes_nntp.access import access, find_attributes, update
from urlschemes_testing.replay import (
    Dialogue,
    Outcome,
    Step,
    client,
    connect,
    credentials,
    fault_everywhere,
    replay,
    server,
    server_closes,
    server_resets,
    split_everywhere,
    start_tls,
    upload,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from urlschemes_access.protocol import Algorithm

HOST = "news.dom"
GROUP = f"nntp://{HOST}/misc.test"
ARTICLE = f"{GROUP}/7"

GREETING = Dialogue(connect(HOST, 119), server("200 news.dom ready, posting allowed"))
CAPABILITIES = (client("CAPABILITIES"), server("101 Capabilities:", "VERSION 2", "READER", "OVER", "POST", "."))
READY = GREETING.then(*CAPABILITIES)
OFFERS = (client("CAPABILITIES"), server("101 list", "VERSION 2", "READER", "OVER", "starttls", "."))
OFFERED = GREETING.then(*OFFERS)
TLS = (client("STARTTLS"), server("382 Go on"), start_tls(HOST))
NO_OVER = GREETING.then(client("CAPABILITIES"), server("101 list", "version 2", "reader", "."))
OLD = GREETING.then(client("CAPABILITIES"), server("500 What?"), client("MODE READER"), server("200 Hello, reader"))
SELECTED = (client("GROUP misc.test"), server("211 3 7 9 misc.test"))
BYE: tuple[Step, ...] = (client("QUIT"), server("205 Goodbye"))

HEADER = (
    b"Path: a!b\r\nFrom: J\xf6e <joe@host.dom>\r\nNewsgroups: misc.test\r\nSubject: =?utf-8?q?na=C3=AFve?=\r\n =?x?\r\n"
    b"Date: Thu, 01 Dec 1994 12:00:00 +0100\r\nMessage-ID: <7@host.dom>\r\nX: 1\r\nno field\r\nx:\t2\r\n"
)
FIELDS = {
    "path": "a!b",
    "from": "J\udcf6e <joe@host.dom>",
    "newsgroups": "misc.test",
    "subject": "=?utf-8?q?na=C3=AFve?= =?x?",
    "date": "Thu, 01 Dec 1994 12:00:00 +0100",
    "message-id": "<7@host.dom>",
    "x": "1, 2",
}
WRITTEN = datetime(1994, 12, 1, 11, 0, tzinfo=UTC)
TOLD = Attributes(media_type="message/rfc822", name="naïve =?x?", modified=WRITTEN, fields=FIELDS)
COUNTS = Attributes(name="misc.test", fields={"count": "3", "low": "7", "high": "9"})
OVERVIEW = (
    b"7\tHello\tJoe <joe@host.dom>\tThu, 01 Dec 1994 12:00:00 +0100\t<7@host.dom>\t<5@h> <6@h>\t1234\t12\tXref: x\r\n"
    b"8\t\t\tnever\t<8@host.dom>\t\t\t\r\n"
    b"009\t..\x1b[2J\xe9\r\n"
    b"..\r\n"
)


def entry(number: str, name: str, problem: str | None = None, **fields: str) -> Entry:
    told = {"number": number, **{key.replace("_", "-"): value for key, value in fields.items()}}
    return Entry(
        name=name,
        url=None if problem else f"{GROUP}/{number}",
        kind="article",
        size=int(told["bytes"]) if "bytes" in told else None,
        modified=WRITTEN if "12:00:00 +0100" in told.get("date", "") else None,
        fields={} if problem else told,
        problem=problem,
    )


ENTRIES = (
    entry(
        "7",
        "Hello",
        subject="Hello",
        **{"from": "Joe <joe@host.dom>"},
        date="Thu, 01 Dec 1994 12:00:00 +0100",
        message_id="<7@host.dom>",
        references="<5@h> <6@h>",
        bytes="1234",
        lines="12",
    ),
    entry("8", "8", date="never", message_id="<8@host.dom>"),
    entry("009", "..\x1b[2J\udce9", subject="..\x1b[2J\udce9"),
    entry(".", ".", "the server sent this line without a number"),
)


@dataclass(frozen=True)
class Good:
    url: str
    dialogue: Dialogue
    content: bytes = b""
    entries: tuple[Entry, ...] = ()
    attributes: Attributes | None = None
    algorithm: Callable[..., Algorithm[None]] = access
    options: dict[str, Any] = field(default_factory=dict)

    def run(self) -> Algorithm[None]:
        return self.algorithm(NntpURL.parse(self.url), **self.options)


def article(begun: Dialogue, sent: bytes, came: bytes, attributes: Attributes = TOLD) -> Good:
    reply = client("ARTICLE 7"), server(b"220 7 <7@host.dom> article follows\r\n", sent)
    return Good(ARTICLE, begun.then(*SELECTED, *reply, *BYE), content=came, attributes=attributes)


def listing(begun: Dialogue, *steps: Step, **more: Any) -> Good:
    given = {"entries": ENTRIES, "attributes": COUNTS, **more}
    return Good(GROUP, begun.then(*SELECTED, *steps, *BYE), **given)


def heads(*numbers: int) -> tuple[Step, ...]:
    steps: list[Step] = []
    for number in numbers:
        head = f"221 {number} <{number}@h>".encode() + b"\r\nSubject: number\r\nMessage-ID: <1@h>\r\n.\r\n"
        steps += [client(f"HEAD {number}"), server(head)]
    return tuple(steps)


def headed(number: int) -> Entry:
    return entry(str(number), "number", subject="number", message_id="<1@h>")


POSTED = b"From: me <me@host.dom>\nNewsgroups: misc.test\nSubject: Hi\n there\n\n.\n..\ntext\r\n.dot\n\xe9"
ON_THE_WIRE = (
    b"From: me <me@host.dom>\r\nNewsgroups: misc.test\r\nSubject: Hi\r\n there\r\n\r\n"
    b"..\r\n...\r\ntext\r\n..dot\r\n\xe9\r\n"
)
POSTED_FIELDS = {"from": "me <me@host.dom>", "newsgroups": "misc.test", "subject": "Hi there"}
POST = (client("POST"), server("340 Go on"))
DOT = b".\r\n"
OVERVIEWS = (client("OVER 7-9"), server(b"224 follows\r\n" + OVERVIEW + DOT))

GOOD = {
    "an article": article(READY, HEADER + b"\r\nHello,\r\nworld\r\n.\r\n", HEADER + b"\r\nHello,\r\nworld\r\n"),
    "dots: doubled ones, single ones, and those that a bare LF or CR precedes": article(
        READY,
        HEADER + b"\r\n..\r\n...three\r\n.single\r\na\n.\nb\n.\r\nc\r.\r\n..\r\n\r\n.\r\n",
        HEADER + b"\r\n.\r\n..three\r\nsingle\r\na\n.\nb\n.\r\nc\r.\r\n.\r\n\r\n",
    ),
    "every octet": article(
        READY, HEADER + b"\r\n" + bytes(range(256)) + b"\r\n.\r\n", HEADER + b"\r\n" + bytes(range(256)) + b"\r\n"
    ),
    "a header alone": article(READY, HEADER + b".\r\n", HEADER),
    "nothing at all": article(READY, b".\r\n", b"", Attributes(media_type="message/rfc822")),
    "a server of RFC 977": article(OLD, HEADER + b"\r\n.\r\n", HEADER + b"\r\n"),
    "a server that knows neither CAPABILITIES nor MODE READER": article(
        GREETING.then(client("CAPABILITIES"), server("500 What?"), client("MODE READER"), server("501 What?")),
        HEADER + b".\r\n",
        HEADER,
    ),
    "no posting": article(
        Dialogue(connect(HOST, 119), server("201 no posting"), *CAPABILITIES), HEADER + b".\r\n", HEADER
    ),
    "another port, zeros before the number, the group not named in the reply": Good(
        f"nntp://{HOST}:1119/misc.test/0007",
        Dialogue(
            connect(HOST, 1119),
            *tuple(READY)[1:],
            client("GROUP misc.test"),
            server("211 3 7 9"),
            client("ARTICLE 7"),
            server("220 07 <7@host.dom>", HEADER + DOT),
            *BYE,
        ),
        content=HEADER,
        attributes=TOLD,
    ),
    "a server with two modes": listing(
        GREETING.then(
            client("CAPABILITIES"),
            server("101 list", "VERSION 2", "MODE-READER", "."),
            client("MODE READER"),
            server("201 no posting"),
        ),
        *CAPABILITIES,
        client("OVER 7-9"),
        server(b"224 follows\r\n" + OVERVIEW + DOT),
        entries=ENTRIES,
    ),
    "OVER": listing(READY, client("OVER 7-9"), server(b"224 follows\r\n" + OVERVIEW + DOT)),
    "XOVER": listing(NO_OVER, client("XOVER 7-9"), server(b"224 follows\r\n" + OVERVIEW + DOT)),
    "XOVER of an old server": listing(OLD, client("XOVER 7-9"), server(b"224 follows\r\n" + OVERVIEW + DOT)),
    "only the newest": listing(READY, client("OVER 8-9"), server(b"224 follows\r\n.\r\n"), entries=(), newest=2),
    "newest is more than there are": listing(
        READY, client("OVER 7-9"), server(b"224 follows\r\n.\r\n"), entries=(), newest=10**20
    ),
    "all have gone, by RFC 3977": listing(READY, client("OVER 7-9"), server("423 None there"), entries=()),
    "all have gone, by RFC 2980": listing(NO_OVER, client("XOVER 7-9"), server("420 No articles"), entries=()),
    "an empty group": Good(
        GROUP,
        READY.then(client("GROUP misc.test"), server("211 0 0 0 misc.test"), *BYE),
        attributes=Attributes(name="misc.test", fields={"count": "0", "low": "0", "high": "0"}),
    ),
    "a group that was emptied": Good(
        GROUP,
        READY.then(client("GROUP misc.test"), server("211 1 10 9 misc.test"), *BYE),
        attributes=Attributes(name="misc.test", fields={"count": "1", "low": "10", "high": "9"}),
    ),
    "no overview: LISTGROUP and HEAD, and what has gone meanwhile": listing(
        OLD,
        client("XOVER 7-9"),
        server("500 What?"),
        client("LISTGROUP misc.test"),
        server("211 list", "5", "6", "7", "8", " 9 ", "10", "x", "."),
        *heads(7),
        client("HEAD 8"),
        server("423 No such article"),
        *heads(9),
        client("HEAD 10"),
        server("430 No such article"),
        entries=(headed(7), headed(9)),
    ),
    "no overview, and no LISTGROUP": listing(
        OLD,
        client("XOVER 8-9"),
        server("502 No"),
        client("LISTGROUP misc.test"),
        server("500 What?"),
        *heads(8, 9),
        entries=(headed(8), headed(9)),
        newest=2,
    ),
    "only the newest by LISTGROUP": listing(
        OLD,
        client("XOVER 9-9"),
        server("500 What?"),
        client("LISTGROUP misc.test"),
        server("211 list", "7", "8", "9", "."),
        *heads(9),
        entries=(headed(9),),
        newest=1,
    ),
    "a login in clear text, allowed": Good(
        ARTICLE,
        READY.then(
            client("GROUP misc.test"),
            server("480 Who are you?"),
            credentials("joe", "geheim 1"),
            client("AUTHINFO USER joe"),
            server("381 Password?"),
            client("AUTHINFO PASS geheim 1"),
            server("281 Welcome"),
            *SELECTED,
            client("ARTICLE 7"),
            server(b"220 7 <7@host.dom>\r\n" + HEADER + DOT),
            *BYE,
        ),
        content=HEADER,
        attributes=TOLD,
        options={"allow_cleartext": True},
    ),
    "a user whom no password is asked of, and what the login changes": Good(
        GROUP,
        GREETING.then(
            client("CAPABILITIES"),
            server("480 Who are you?"),
            credentials("joe"),
            client("AUTHINFO USER joe"),
            server("281 Welcome"),
            *CAPABILITIES,
            *SELECTED,
            client("OVER 7-9"),
            server(b"224 follows\r\n.\r\n"),
            *BYE,
        ),
        attributes=COUNTS,
        options={"allow_cleartext": True},
    ),
    "a login over TLS": Good(
        ARTICLE,
        GREETING.then(
            client("STARTTLS"),
            server("382 Go on"),
            start_tls(HOST),
            *CAPABILITIES,
            *SELECTED,
            client("ARTICLE 7"),
            server("480 Who are you?"),
            credentials("joe", "geheim"),
            client("AUTHINFO USER joe"),
            server("381 Password?"),
            client("AUTHINFO PASS geheim"),
            server("281 Welcome"),
            client("ARTICLE 7"),
            server(b"220 7 <7@host.dom>\r\n" + HEADER + DOT),
            *BYE,
        ),
        content=HEADER,
        attributes=TOLD,
        options={"starttls": "required"},
    ),
    "TLS where it is offered": listing(OFFERED.then(*TLS, *CAPABILITIES), *OVERVIEWS, starttls="if offered"),
    "TLS where it is offered to readers alone": listing(
        GREETING.then(
            client("CAPABILITIES"),
            server("101 list", "VERSION 2", "MODE-READER", "."),
            client("MODE READER"),
            server("201 no posting"),
            *OFFERS,
            *TLS,
        ),
        *CAPABILITIES,
        *OVERVIEWS,
        starttls="if offered",
    ),
    "TLS where it is not offered": listing(READY, *OVERVIEWS, starttls="if offered"),
    "TLS where a server of RFC 977 offers nothing": listing(
        OLD, client("XOVER 7-9"), server(b"224 follows\r\n" + OVERVIEW + DOT), starttls="if offered"
    ),
    "TLS that is offered, and not wanted": listing(OFFERED, *OVERVIEWS, starttls="never"),
    "the attributes of an article": Good(
        ARTICLE,
        READY.then(*SELECTED, client("HEAD 7"), server(b"221 7 <7@host.dom>\r\n" + HEADER + DOT), *BYE),
        attributes=TOLD,
        algorithm=find_attributes,
    ),
    "the attributes of a group": Good(GROUP, READY.then(*SELECTED, *BYE), attributes=COUNTS, algorithm=find_attributes),
    "posting": Good(
        GROUP,
        Dialogue(
            upload(POSTED), *READY, *POST, client(ON_THE_WIRE), client(DOT), server("240 Article received <9@h>"), *BYE
        ),
        attributes=Attributes(
            media_type="message/rfc822", name="Hi there", size=92, fields={**POSTED_FIELDS, "message-id": "<9@h>"}
        ),
        algorithm=update,
    ),
    "posting in pieces, to two groups, with an identifier, after a login": Good(
        GROUP,
        Dialogue(
            upload(b"Subject: x\r"),
            upload(b"\nNewsgroups: alt.test,\r\n misc.test\r\nMessage-ID: <a@b>\r\nFrom: me\r\n"),
            upload(b"\r\n"),
            *OLD,
            client("POST"),
            server("480 Who are you?"),
            credentials("joe", "geheim"),
            client("AUTHINFO USER joe"),
            server("381 Password?"),
            client("AUTHINFO PASS geheim"),
            server("281 Welcome"),
            *POST,
            client(b"Subject: x\r\nNewsgroups: alt.test,\r\n misc.test\r\nMessage-ID: <a@b>\r\nFrom: me\r\n\r\n"),
            client(DOT),
            server("240 <other@h>"),
            *BYE,
        ),
        attributes=Attributes(
            media_type="message/rfc822",
            name="x",
            size=78,
            fields={"subject": "x", "newsgroups": "alt.test, misc.test", "message-id": "<a@b>", "from": "me"},
        ),
        algorithm=update,
        options={"crosspost": True, "allow_cleartext": True},
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
    assert any(run.fault == "cancelled" for run in runs)
    failed = [run for run in runs if run.outcome.error is not None]
    assert len(failed) > len(case.dialogue)
    for run in failed:
        assert isinstance(run.outcome.error, URLError)


def test_every_fault_after_the_final_dot_is_indeterminate_and_none_before() -> None:
    case = GOOD["posting"]
    after = False
    seen = set()
    for run in fault_everywhere(case.run, case.dialogue, also=["QUIT"]):
        after = after or run.request.endswith(f"octets={DOT!r})")
        error = run.outcome.error
        if error is not None:
            assert isinstance(error, Indeterminate) == after, run
            seen.add(after)
    assert seen == {True, False}


def test_the_urls_of_entries_lead_back_to_their_numbers() -> None:
    for case in GOOD.values():
        for found in case.entries:
            if found.url is not None:
                assert NntpURL.parse(found.url).article == int(found.fields["number"])


# Faults ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Bad:
    dialogue: Dialogue
    error: type[URLError]
    says: str
    status: int | None = None
    temporary: bool = False
    url: str = ARTICLE
    algorithm: Callable[..., Algorithm[None]] = access
    options: dict[str, Any] = field(default_factory=dict)


def bad(error: type[URLError], says: str, *steps: Step | Dialogue, **more: Any) -> Bad:
    return Bad(Dialogue(*steps), error, says, **more)


C = connect(HOST, 119)
ASKED = READY.then(*SELECTED, client("ARTICLE 7"))
BEGUN = ASKED.then(server("220 7 <7@host.dom>"))
LISTED = READY.then(*SELECTED, client("OVER 7-9"))
HEADLESS = OLD.then(*SELECTED, client("XOVER 7-9"), server("500 What?"), client("LISTGROUP misc.test"))
WANTED = READY.then(client("GROUP misc.test"), server("480 Who are you?"))
NAMED = WANTED.then(credentials("joe", "geheim"), client("AUTHINFO USER joe"))
PASSED = NAMED.then(server("381 Password?"), client("AUTHINFO PASS geheim"))
SENT = Dialogue(upload(POSTED), READY, *POST, client(ON_THE_WIRE), client(DOT))
CLEAR = {"allow_cleartext": True}
UPDATE: dict[str, Any] = {"url": GROUP, "algorithm": update}

BAD = {
    # B31: greetings that say no, the connection left open
    "greeting 400": bad(RemoteError, "400 Later", C, server("400 Later"), status=400, temporary=True),
    "greeting 502": bad(RemoteError, "502 Never", C, server("502 Never"), status=502),
    "greeting 421": bad(RemoteError, "421", C, server("421 Busy"), status=421),
    "greeting 554": bad(RemoteError, "554", C, server("554 Go away"), status=554),
    # B14, B24: no NNTP, or no reply code
    "greeting of HTTP": bad(ProtocolError, "HTTP/1.1 400", C, server("HTTP/1.1 400 Bad Request")),
    "greeting of SSH": bad(ProtocolError, "SSH-2.0", C, server("SSH-2.0-OpenSSH_9.2")),
    "greeting of SMTP": bad(ProtocolError, "220", C, server("220 mail.dom ESMTP")),
    "greeting of octets": bad(ProtocolError, "x00", C, server(bytes(range(256)) + b"\n")),
    "greeting of NULs": bad(ProtocolError, "x00", C, server(bytes(100) + b"\n")),
    "greeting 999": bad(ProtocolError, "999", C, server("999 Ready")),
    "greeting 000": bad(ProtocolError, "000", C, server("000 Ready")),
    "greeting 20": bad(ProtocolError, "20 R", C, server("20 Ready")),
    "greeting 2000": bad(ProtocolError, "2000", C, server("2000 Ready")),
    "greeting 200-": bad(ProtocolError, "200-", C, server("200-Ready")),
    "greeting of letters": bad(ProtocolError, "two", C, server("two hundred")),
    "greeting of Arabic digits": bad(ProtocolError, "a reply", C, server("٢٠٠ Ready".encode() + b"\r\n")),
    "an escape sequence": bad(ProtocolError, r"\x1b[2J", C, server("220 \x1b[2J\u202e")),
    "no greeting": bad(ConnectError, "closed the connection", C, server_closes()),
    "half a greeting": bad(Truncated, "within a line", C, server(b"200 hos"), server_closes()),
    "a greeting, reset": bad(ConnectError, "broke off", C, server_resets()),
    # B13
    "a huge line": bad(LimitExceeded, "longer than 8192", C, server(b"200 " + b"x" * 9000)),
    "a huge line of text": bad(LimitExceeded, "longer than 65536", BEGUN, server(b"x" * 65538 + b"\r\n.\r\n")),
    "a huge line without end": bad(LimitExceeded, "longer than 65536", BEGUN, server(b"x" * 70000)),
    "a huge line of text in the middle": bad(
        LimitExceeded, "longer than 65536", BEGUN, server(b"a\r\n\r\n" + b"x" * 70000 + b"\r\nb\r\n.\r\n")
    ),
    "a huge line of overview": bad(
        LimitExceeded, "longer than 65536", LISTED, server(b"224 x\r\n" + b"x" * 70000), url=GROUP
    ),
    "a huge header": bad(LimitExceeded, "header", BEGUN, server((b"X: " + b"x" * 60 + b"\r\n") * 1100 + b"\r\n.\r\n")),
    "a thousand capabilities and one": bad(
        LimitExceeded,
        "1000 capabilities",
        GREETING,
        client("CAPABILITIES"),
        server(b"101 list\r\n" + b"X\r\n" * 1001 + DOT),
    ),
    # B25: replies that nobody asked for
    "two greetings": bad(ProtocolError, "silence before CAPABILITIES", C, server("200 ready", "200 ready")),
    "a forged 480": bad(
        ProtocolError,
        "silence before GROUP",
        GREETING,
        client("CAPABILITIES"),
        server("101 list", "VERSION 2", "READER", ".", "480 Password please"),
        options=CLEAR,
    ),
    "a 220 before it is asked for": bad(
        ProtocolError,
        "silence before ARTICLE",
        READY,
        client("GROUP misc.test"),
        server("211 3 7 9 misc.test", "220 7 <7@host.dom>"),
    ),
    "a 381 that is early": bad(
        ProtocolError,
        "silence before AUTHINFO USER",
        READY,
        client("GROUP misc.test"),
        server("480 Who?", "381 Password?"),
        credentials("joe", "geheim"),
        options=CLEAR,
    ),
    "a reply before the article is sent": bad(
        ProtocolError,
        "silence before the article",
        Dialogue(upload(POSTED), READY, client("POST"), server("340 Go on", "240 Thanks")),
        **UPDATE,
    ),
    "a word before TLS": bad(
        ProtocolError,
        "silence before TLS",
        GREETING,
        client("STARTTLS"),
        server("382 Go on", "101 list", "."),
        starttls="required",
    ),
    # B32: no such group or article
    "411": bad(RemoteError, "no such group", READY, client("GROUP misc.test"), server("411 What?"), status=411),
    "423": bad(RemoteError, "no article of that number", ASKED, server("423 What?"), status=423),
    "430": bad(RemoteError, "no such article", ASKED, server("430 What?"), status=430),
    "503 to ARTICLE": bad(RemoteError, "ARTICLE 7", ASKED, server("503 Broken"), status=503),
    "403 to ARTICLE": bad(RemoteError, "403", ASKED, server("403 Broken"), status=403, temporary=True),
    "423 to HEAD": bad(
        RemoteError,
        "no article of that number",
        READY.then(*SELECTED, client("HEAD 7")),
        server("423 What?"),
        status=423,
        algorithm=find_attributes,
    ),
    "412 to OVER": bad(RemoteError, "412", LISTED, server("412 No group"), status=412, url=GROUP),
    "502 to MODE READER": bad(
        RemoteError,
        "502 No readers",
        GREETING,
        client("CAPABILITIES"),
        server("101 list", "VERSION 2", "MODE-READER", "."),
        client("MODE READER"),
        server("502 No readers"),
        status=502,
    ),
    "502 to MODE READER of an old server": bad(
        RemoteError, "502", *tuple(OLD)[:-1], server("502 No readers"), status=502
    ),
    "400 to CAPABILITIES": bad(
        RemoteError, "400", GREETING, client("CAPABILITIES"), server("400 Bye"), status=400, temporary=True
    ),
    "403 to LISTGROUP": bad(RemoteError, "403", HEADLESS, server("403 Broken"), url=GROUP, status=403, temporary=True),
    "502 to HEAD": bad(
        RemoteError,
        "502 No",
        HEADLESS,
        server("211 list", "8", "."),
        client("HEAD 8"),
        server("502 No"),
        url=GROUP,
        status=502,
    ),
    # B34: another article, another group, no end
    "another number": bad(ProtocolError, "the article 7", ASKED, server("220 8 <8@host.dom>")),
    "no number": bad(ProtocolError, "the article 7", ASKED, server("220 <7@host.dom>")),
    "a number of 5000 digits": bad(ProtocolError, "the article 7", ASKED, server("220 " + "9" * 5000 + " <7@h>")),
    "a head for an article": bad(ProtocolError, "a reply 220", ASKED, server("221 7 <7@host.dom>")),
    "another group": bad(ProtocolError, "three numbers", READY, client("GROUP misc.test"), server("211 3 7 9 alt.sex")),
    "no counts": bad(ProtocolError, "three numbers", READY, client("GROUP misc.test"), server("211 misc.test")),
    "counts of 5000 digits": bad(
        ProtocolError, "three numbers", READY, client("GROUP misc.test"), server(f"211 3 7 {'9' * 5000} misc.test")
    ),
    "an article without its end": bad(Truncated, "single dot", BEGUN, server(HEADER + b"\r\nHel"), server_closes()),
    "LF, dot, LF is no end": bad(Truncated, "single dot", BEGUN, server(HEADER + b"\r\na\n.\n"), server_closes()),
    "LF, dot, CR LF is no end": bad(Truncated, "single dot", BEGUN, server(b"\r\na\n.\r\n"), server_closes()),
    "CR LF, dot, LF is no end": bad(Truncated, "single dot", BEGUN, server(b"\r\na\r\n.\n"), server_closes()),
    "an article, reset": bad(Truncated, "broke off", BEGUN, server(HEADER + b"\r\nHel"), server_resets()),
    "an article, then silence": bad(DeadlineExceeded, "nothing more came", BEGUN, server(HEADER + b"\r\nHel")),
    "a listing without its end": bad(
        Truncated, "single dot", LISTED, server(b"224 x\r\n" + OVERVIEW), server_closes(), url=GROUP
    ),
    "capabilities without their end": bad(
        Truncated, "single dot", GREETING, client("CAPABILITIES"), server("101 list", "VERSION 2"), server_closes()
    ),
    # B33: who asks
    "480, and clear text is not allowed": bad(AuthRequired, "anybody on the way could read", WANTED),
    "480, and nobody knows": bad(AuthRequired, "no credentials", WANTED, credentials(None), options=CLEAR),
    "480 again": bad(
        AuthRequired,
        "login again",
        PASSED,
        server("281 Welcome"),
        client("GROUP misc.test"),
        server("480 Who are you?"),
        options=CLEAR,
    ),
    "480 to a later command": bad(
        AuthRequired,
        "login again",
        PASSED,
        server("281 Welcome"),
        *SELECTED,
        client("ARTICLE 7"),
        server("480 Who are you?"),
        options=CLEAR,
    ),
    "381 again and again": bad(AuthRequired, "refused the login: 381", PASSED, server("381 Password?"), options=CLEAR),
    "480 to USER": bad(AuthRequired, "refused the login: 480", NAMED, server("480 Who are you?"), options=CLEAR),
    "481": bad(AuthRequired, "refused the login: 481", PASSED, server("481 No"), options=CLEAR),
    "482": bad(AuthRequired, "refused the login: 482", NAMED, server("482 Not now"), options=CLEAR),
    "502 to USER": bad(AuthRequired, "refused the login: 502", NAMED, server("502 No"), options=CLEAR),
    "483 to USER": bad(AuthRequired, "protected", NAMED, server("483 TLS"), options=CLEAR),
    "483": bad(AuthRequired, "protected: 483", READY, client("GROUP misc.test"), server("483 TLS")),
    "400 to PASS": bad(RemoteError, "400", PASSED, server("400 Bye"), status=400, temporary=True, options=CLEAR),
    "500 to USER": bad(RemoteError, "500", NAMED, server("500 What?"), status=500, options=CLEAR),
    "200 to PASS": bad(ProtocolError, "a reply 281", PASSED, server("200 Fine"), options=CLEAR),
    "the password repeated": bad(
        RemoteError, "501 PASS ***?", PASSED, server("501 PASS geheim?"), status=501, options=CLEAR
    ),
    "no TLS": bad(TLSError, "580 No", GREETING, client("STARTTLS"), server("580 No"), starttls="required"),
    "no STARTTLS": bad(TLSError, "500", GREETING, client("STARTTLS"), server("500 What?"), starttls="required"),
    "no TLS, although it was offered": bad(
        TLSError, "580 No", OFFERED, client("STARTTLS"), server("580 No"), starttls="if offered"
    ),
    # Posting
    "440": bad(
        RemoteError,
        "takes no articles",
        Dialogue(upload(POSTED), READY, client("POST"), server("440 No")),
        status=440,
        **UPDATE,
    ),
    "441": bad(RemoteError, "not accept the article", SENT, server("441 Duplicate"), status=441, **UPDATE),
    "503 to the article": bad(RemoteError, "503", SENT, server("503 Full"), status=503, **UPDATE),
    "240 instead of 340": bad(
        ProtocolError,
        "a reply 340",
        Dialogue(upload(POSTED), READY, client("POST"), server("240 Fine")),
        **UPDATE,
    ),
    "lost after the final dot": bad(Indeterminate, "not known", SENT, server_closes(), **UPDATE),
    "reset after the final dot": bad(Indeterminate, "not known", SENT, server_resets(), **UPDATE),
    "silence after the final dot": bad(Indeterminate, "not known", SENT, **UPDATE),
    "nonsense after the final dot": bad(Indeterminate, "not known", SENT, server("ok"), **UPDATE),
    "200 after the final dot": bad(Indeterminate, "'200 ok' came", SENT, server("200 ok"), **UPDATE),
    "lost before the 340": bad(
        Truncated, "a reply to POST", Dialogue(upload(POSTED), READY, client("POST"), server_closes()), **UPDATE
    ),
}


def outcome_of(case: Bad) -> Outcome:
    return replay(case.algorithm(NntpURL.parse(case.url), **case.options), case.dialogue)


@pytest.mark.parametrize("case", BAD.values(), ids=BAD)
def test_a_bad_dialogue_is_this_error(case: Bad) -> None:
    outcome = outcome_of(case)
    error = outcome.error
    assert type(error) is case.error
    text = str(error)
    assert case.says in text
    assert text.isprintable()
    assert text.isascii()
    assert len(text) <= 300
    assert "geheim" not in text
    assert not outcome.complete
    if isinstance(error, RemoteError):
        assert (error.status, error.temporary) == (case.status, case.temporary)
        assert "geheim" not in error.text


def test_errors_are_one_family() -> None:
    assert {case.error for case in BAD.values()} <= {*AccessError.__subclasses__()}


def test_cut_content_is_delivered_before_the_error() -> None:
    outcome = outcome_of(bad(Truncated, "", BEGUN, server(HEADER + b"\r\nHello\r\nwor"), server_closes()))
    assert outcome.content == HEADER + b"\r\nHello\r\n"
    assert isinstance(outcome.error, Truncated)


def test_lines_of_the_greatest_length_pass_however_they_come() -> None:
    sent = HEADER + b"\r\n" + b"x" * 65536 + b"\r\n"
    dialogue = ASKED.then(server(b"220 7 <7@host.dom>\r\n", sent, DOT), *BYE)
    assert replay(access(NntpURL.parse(ARTICLE)), dialogue).content == sent
    pieces = [server(sent[start : start + 65530]) for start in range(0, len(sent), 65530)]
    dialogue = BEGUN.then(*pieces, server(DOT), *BYE)
    assert replay(access(NntpURL.parse(ARTICLE)), dialogue).content == sent


# Every reply code to every command: an error of its class, never anything else, never success.
DUE: dict[str, tuple[Dialogue, set[str], Bad]] = {
    "the connection": (Dialogue(C), {"200", "201"}, bad(URLError, "")),
    "CAPABILITIES": (GREETING.then(client("CAPABILITIES")), {"101", "5", "480", "483"}, bad(URLError, "")),
    "MODE READER": (Dialogue(*tuple(OLD)[:-1]), {"200", "201", "500", "501", "503", "480", "483"}, bad(URLError, "")),
    "GROUP": (READY.then(client("GROUP misc.test")), {"211", "480", "483"}, bad(URLError, "")),
    "ARTICLE": (ASKED, {"220", "480", "483"}, bad(URLError, "")),
    "OVER": (LISTED, {"224", "5", "420", "423", "480", "483"}, bad(URLError, "", url=GROUP)),
    "LISTGROUP": (HEADLESS, {"211", "5", "480", "483"}, bad(URLError, "", url=GROUP)),
    "POST": (
        Dialogue(upload(POSTED), READY, client("POST")),
        {"340", "480", "483"},
        bad(URLError, "", **UPDATE),
    ),
}
CODES = ["100", "101", "111", "199", "200", "201", "202", "205", "206", "211", "215", "220", "221", "222", "223", "224",
         "225", "230", "231", "235", "240", "250", "281", "282", "288", "335", "340", "350", "381", "382", "383", "400",
         "401", "403", "411", "412", "420", "421", "422", "423", "430", "435", "436", "437", "440", "441", "450", "480",
         "481", "482", "483", "500", "501", "502", "503", "504", "580", "599"]  # fmt: skip


@pytest.mark.parametrize("command", DUE)
def test_b24_every_reply_code_to_every_command(command: str) -> None:
    begun, good, how = DUE[command]
    refused = 0
    for code in CODES:
        if code in good or code[0] in good:
            continue
        case = Bad(begun.then(server(f"{code} It says so")), URLError, "", url=how.url, algorithm=how.algorithm)
        error = outcome_of(case).error
        assert type(error) is (RemoteError if code[0] in "45" else ProtocolError), code
        assert code in str(error)
        if isinstance(error, RemoteError):
            assert error.status == int(code)
            assert error.temporary == (code in {"400", "403", "436", "450"})
        refused += 1
    assert refused >= 30


# What must not be sent ------------------------------------------------------------------------------------------------


def first_request(algorithm: Algorithm[None], *pulled: bytes) -> object:
    """The first request that is no Pull; those are answered with what is given."""
    request: object = next(algorithm)
    for octets in (*pulled, b"") if pulled else ():
        request = algorithm.send(octets)
    return request


@pytest.mark.parametrize("algorithm", [access, find_attributes, update])
def test_what_no_command_can_carry_is_refused_before_connecting(algorithm: Callable[..., Algorithm[None]]) -> None:
    fits = algorithm(NntpURL.parse(f"nntp://{HOST}/" + "a" * 497))
    if algorithm is not update:
        assert isinstance(first_request(fits), Connect)
    with pytest.raises(UnsafeURL, match="497 octets"):
        first_request(algorithm(NntpURL.parse(f"nntp://{HOST}/" + "a" * 498)))


def test_numbers_of_17_digits_are_refused_before_connecting() -> None:
    assert isinstance(first_request(access(NntpURL.parse(f"{GROUP}/{'0' * 99}{'9' * 16}"))), Connect)
    for algorithm in (access, find_attributes):
        with pytest.raises(UnsafeURL, match="16 digits"):
            first_request(algorithm(NntpURL.parse(f"{GROUP}/1{'0' * 16}")))


@pytest.mark.parametrize("algorithm", [access, find_attributes, update])
def test_starttls_is_one_of_three_words(algorithm: Callable[..., Algorithm[None]]) -> None:
    dialogue = Dialogue(upload(POSTED)) if algorithm is update else Dialogue()
    outcome = replay(algorithm(NntpURL.parse(GROUP), starttls="if-offered"), dialogue)
    assert isinstance(outcome.error, UnsupportedOperation)
    assert outcome.error.message == "starttls is 'never', 'if offered' or 'required'"


def test_nothing_is_posted_to_a_number() -> None:
    with pytest.raises(UnsupportedOperation, match="leave the number out"):
        next(update(NntpURL.parse(ARTICLE)))


FROM = b"From: me\nSubject: x\n"
TO = FROM + b"Newsgroups: misc.test\n"
NO_ARTICLES = {
    "nothing": (b"\n", "no empty line"),
    "no header": (b"\n\nHello\n", "line 1 is no header field"),
    "no body": (TO + b"X: y", "no empty line"),
    "no field": (TO + b"Hello\n\n", "line 4 is no header field"),
    "a blank in the name of a field": (TO + b"X : y\n\n", "line 4 is no header field"),
    "a continuation of nothing": (b" x\n" + TO + b"\n", "line 1 is no header field"),
    "an empty continuation": (TO + b"X: y\n \n\n", "line 5 is no header field"),
    "an escape sequence": (TO + b"\x1b[2J\n\n", r"\x1b[2J"),
    "a NUL": (TO + b"\na\x00b\n", "a NUL"),
    "a CR in the header": (TO + b"X: a\rControl: cancel <1@h>\n\n", "a CR that ends no line"),
    "a CR in the body": (TO + b"\na\r.\rb\n", "a CR that ends no line"),
    "a CR at the end": (TO + b"\na\r", "a CR that ends no line"),
    "no From": (b"Subject: x\nNewsgroups: misc.test\n\n", "no From field"),
    "two Subjects": (TO + b"SUBJECT: y\n\n", "more than one Subject field"),
    "no Newsgroups": (FROM + b"\n", "no Newsgroups field"),
    "two Newsgroups": (TO + b"newsgroups: alt.test\n\n", "more than one Newsgroups field"),
    "another group": (FROM + b"Newsgroups: misc.test.d\n\n", "does not name misc.test"),
    "another letter case": (FROM + b"Newsgroups: Misc.Test\n\n", "does not name misc.test"),
    "a second group": (FROM + b"Newsgroups: misc.test,alt.test\n\n", "names 2 groups, and the URL one"),
    "a second group in a continuation": (FROM + b"Newsgroups: misc.test,\n alt.test\n\n", "names 2 groups"),
    "a command": (TO + b"Control: cancel <1@h>\n\n", "a command to servers"),
    "another command": (TO + b"supersedes: <1@h>\n\n", "a command to servers"),
}


@pytest.mark.parametrize(("content", "why"), NO_ARTICLES.values(), ids=NO_ARTICLES)
def test_what_is_no_article_for_the_group_is_refused_before_connecting(content: bytes, why: str) -> None:
    with pytest.raises(UnsafeURL) as refused:
        first_request(update(NntpURL.parse(GROUP)), content)
    text = str(refused.value)
    assert why in text
    assert text.isprintable()
    assert text.isascii()


def test_an_article_is_posted_only_with_its_group_though_others_are_allowed() -> None:
    elsewhere = FROM + b"Newsgroups: alt.test,misc.test.d\n\n"
    with pytest.raises(UnsafeURL, match="does not name misc"):
        first_request(update(NntpURL.parse(GROUP), crosspost=True), elsewhere)


def test_an_article_of_16_mib_is_too_much() -> None:
    with pytest.raises(LimitExceeded, match="16777216"):
        first_request(update(NntpURL.parse(GROUP)), *[bytes(1024 * 1024)] * 17)


def test_what_is_posted_comes_back_as_it_was() -> None:
    """The dots that `stuffed` adds are those that a Block takes away."""
    from urlschemes_access.protocol.replies import END, stuffed

    for body in (b"", b".\r\n", b"..\r\n.\r\n\r\n.", b"\n.\n\r\n.x\r\n", bytes(range(256)).replace(b"\r", b"")):
        lines = HEADER + b"\r\n" + body + b"\r\n"
        good = article(READY, stuffed(lines) + END, lines)
        assert split_everywhere(good.run, good.dialogue).content == lines
        fault_everywhere(good.run, good.dialogue)


def test_no_control_character_reaches_a_command_even_from_an_unchecked_name() -> None:
    dialogue = WANTED.then(credentials("joe\r\nPOST", "geheim"))
    outcome = replay(access(NntpURL.parse(ARTICLE), allow_cleartext=True), dialogue)
    assert type(outcome.error) is UnsafeURL
    assert b"POST" not in outcome.sent["connection"]


def request_after(algorithm: Algorithm[None], *answers: object) -> object:
    """The request that the algorithm makes once its earlier ones have been answered."""
    request: object = next(algorithm)
    for answer in answers:
        request = algorithm.send(answer)
    return request


def test_the_credentials_hook_is_told_who_asks_and_the_password_is_a_secret() -> None:
    from urlschemes_access.credentials import Credentials

    begun = (Peer("connection"), b"200 hi\r\n", None, b"480 Say \x1b who\r\n")
    request = request_after(access(NntpURL.parse(ARTICLE), allow_cleartext=True), *begun)
    assert isinstance(request, Authenticate)
    assert (request.host, request.port, request.user, request.realm) == (HOST, 119, None, r"Say \x1b who")
    more = (*begun, Credentials("joe", "geheim"), None, b"381 Password\r\n")
    request = request_after(access(NntpURL.parse(ARTICLE), allow_cleartext=True), *more)
    assert isinstance(request, Send)
    assert request.octets == b"AUTHINFO PASS geheim\r\n"
    assert repr(request).endswith(r"octets=b'AUTHINFO PASS ***\r\n')")


def test_without_tls_or_leave_no_login_is_asked_for() -> None:
    algorithm = access(NntpURL.parse(ARTICLE))
    with pytest.raises(AuthRequired) as refused:
        request_after(algorithm, Peer("connection"), b"200 hi\r\n", None, b"480 Who\r\n")
    assert "allow_cleartext" in (refused.value.hint or "")


def test_a_lost_farewell_spoils_nothing() -> None:
    case = GOOD["an article"]
    steps = tuple(case.dialogue)[:-2]
    for ending in ((client("QUIT"), server_resets()), (client("QUIT"), server_closes()), (client("QUIT"),)):
        dialogue = Dialogue(*steps, *ending)
        outcome = split_everywhere(case.run, dialogue)
        fault_everywhere(case.run, dialogue)
        assert outcome.error is None
        assert outcome.content == case.content


def test_leaving_early_asks_for_nothing_more() -> None:
    for name in ("an article", "OVER", "no overview, and no LISTGROUP"):
        outcome = replay(GOOD[name].run(), GOOD[name].dialogue, take=1)
        assert b"QUIT" not in outcome.sent["connection"]
        assert b"HEAD 9" not in outcome.sent["connection"]


def test_many_numbers_are_not_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urlschemes_nntp.groups.MOST_NUMBERS", 2)
    case = bad(LimitExceeded, "", HEADLESS, server("211 list", "7", "8", "9", "."), url=GROUP)
    error = outcome_of(case).error
    assert isinstance(error, LimitExceeded)
    assert "newest" in (error.hint or "")
