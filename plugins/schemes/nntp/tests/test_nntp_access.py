"""The nntp algorithms of access and find attributes against written dialogues, cut at every octet, with every fault."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from nntp_dialogues import (
    ARTICLE,
    BYE,
    CAPABILITIES,
    DOT,
    GREETING,
    GROUP,
    HEADER,
    HOST,
    OFFERS_TLS,
    READY,
    READY_RFC977,
    SELECTED,
)

from urlschemes.errors import UnsafeURL, UnsupportedOperation, URLError
from urlschemes_access.attributes import Attributes, Entry
from urlschemes_access.protocol import Connect
from urlschemes_nntp import NntpURL
from urlschemes_nntp.access import access, find_attributes, update
from urlschemes_testing.replay import (
    Script,
    Step,
    client,
    connect,
    credentials,
    exchange,
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


OFFERED = GREETING.then(*OFFERS_TLS)
TLS = (client("STARTTLS"), server("382 Go on"), start_tls(HOST))
NO_OVER = GREETING.then(client("CAPABILITIES"), server("101 list", "version 2", "reader", "."))

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
ATTRIBUTES = Attributes(media_type="message/rfc822", name="naïve =?x?", modified=WRITTEN, fields=FIELDS)
COUNTS = Attributes(name="misc.test", fields={"count": "3", "low": "7", "high": "9"})
OVERVIEW = (
    b"7\tHello\tJoe <joe@host.dom>\tThu, 01 Dec 1994 12:00:00 +0100\t<7@host.dom>\t<5@h> <6@h>\t1234\t12\tXref: x\r\n"
    b"8\t\t\tnever\t<8@host.dom>\t\t\t\r\n"
    b"009\t..\x1b[2J\xe9\r\n"
    b"..\r\n"
)


def entry(number: str, name: str, problem: str | None = None, **fields: str) -> Entry:
    known = {"number": number, **{key.replace("_", "-"): value for key, value in fields.items()}}
    return Entry(
        name=name,
        url=None if problem else f"{GROUP}/{number}",
        kind="article",
        size=int(known["bytes"]) if "bytes" in known else None,
        modified=WRITTEN if "12:00:00 +0100" in known.get("date", "") else None,
        fields={} if problem else known,
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
    entry(".", ".", "the line from the server has no article number"),
)


@dataclass(frozen=True)
class Success:
    url: str
    script: Script
    content: bytes = b""
    entries: tuple[Entry, ...] = ()
    attributes: Attributes | None = None
    algorithm: Callable[..., Algorithm[None]] = access
    options: dict[str, Any] = field(default_factory=dict)

    def run(self) -> Algorithm[None]:
        return self.algorithm(NntpURL.parse(self.url), **self.options)


def article(begun: Script, sent: bytes, came: bytes, attributes: Attributes = ATTRIBUTES) -> Success:
    reply = client("ARTICLE 7"), server(b"220 7 <7@host.dom> article follows\r\n", sent)
    return Success(ARTICLE, begun.then(*SELECTED, *reply, *BYE), content=came, attributes=attributes)


def listing(begun: Script, *steps: Step, **more: Any) -> Success:
    given = {"entries": ENTRIES, "attributes": COUNTS, **more}
    return Success(GROUP, begun.then(*SELECTED, *steps, *BYE), **given)


def head_exchanges(*numbers: int) -> tuple[Step, ...]:
    steps: list[Step] = []
    for number in numbers:
        head = f"221 {number} <{number}@h>".encode() + b"\r\nSubject: number\r\nMessage-ID: <1@h>\r\n.\r\n"
        steps += [client(f"HEAD {number}"), server(head)]
    return tuple(steps)


def entry_from_header(number: int) -> Entry:
    return entry(str(number), "number", subject="number", message_id="<1@h>")


OVERVIEWS = (client("OVER 7-9"), server(b"224 follows\r\n" + OVERVIEW + DOT))

SUCCESSES = {
    "an article": article(READY, HEADER + b"\r\nHello,\r\nworld\r\n.\r\n", HEADER + b"\r\nHello,\r\nworld\r\n"),
    "every octet": article(
        READY, HEADER + b"\r\n" + bytes(range(256)) + b"\r\n.\r\n", HEADER + b"\r\n" + bytes(range(256)) + b"\r\n"
    ),
    "a header alone": article(READY, HEADER + b".\r\n", HEADER),
    "nothing at all": article(READY, b".\r\n", b"", Attributes(media_type="message/rfc822")),
    "a server of RFC 977": article(READY_RFC977, HEADER + b"\r\n.\r\n", HEADER + b"\r\n"),
    "a server that knows neither CAPABILITIES nor MODE READER": article(
        GREETING.then(client("CAPABILITIES"), server("500 What?"), client("MODE READER"), server("501 What?")),
        HEADER + b".\r\n",
        HEADER,
    ),
    "no posting": article(
        Script(connect(HOST, 119), server("201 no posting"), *CAPABILITIES), HEADER + b".\r\n", HEADER
    ),
    "another port, leading zeros, a reply without the group": Success(
        f"nntp://{HOST}:1119/misc.test/0007",
        Script(
            connect(HOST, 1119),
            *tuple(READY)[1:],
            *exchange("GROUP misc.test", "211 3 7 9"),
            client("ARTICLE 7"),
            server("220 07 <7@host.dom>", HEADER + DOT),
            *BYE,
        ),
        content=HEADER,
        attributes=ATTRIBUTES,
    ),
    "a server with two modes": listing(
        GREETING.then(
            client("CAPABILITIES"),
            server("101 list", "VERSION 2", "MODE-READER", "."),
            *exchange("MODE READER", "201 no posting"),
        ),
        *CAPABILITIES,
        *exchange("OVER 7-9", b"224 follows\r\n" + OVERVIEW + DOT),
        entries=ENTRIES,
    ),
    "OVER": listing(READY, client("OVER 7-9"), server(b"224 follows\r\n" + OVERVIEW + DOT)),
    "XOVER": listing(NO_OVER, client("XOVER 7-9"), server(b"224 follows\r\n" + OVERVIEW + DOT)),
    "XOVER of an old server": listing(READY_RFC977, client("XOVER 7-9"), server(b"224 follows\r\n" + OVERVIEW + DOT)),
    "only the newest": listing(
        READY, *exchange("OVER 8-9", b"224 follows\r\n.\r\n"), entries=(), options={"newest": 2}
    ),
    "newest is more than there are": listing(
        READY, *exchange("OVER 7-9", b"224 follows\r\n.\r\n"), entries=(), options={"newest": 10**20}
    ),
    "no articles left, by RFC 3977": listing(READY, client("OVER 7-9"), server("423 None there"), entries=()),
    "no articles left, by RFC 2980": listing(NO_OVER, client("XOVER 7-9"), server("420 No articles"), entries=()),
    "an empty group": Success(
        GROUP,
        READY.then(client("GROUP misc.test"), server("211 0 0 0 misc.test"), *BYE),
        attributes=Attributes(name="misc.test", fields={"count": "0", "low": "0", "high": "0"}),
    ),
    "a group that was emptied": Success(
        GROUP,
        READY.then(client("GROUP misc.test"), server("211 1 10 9 misc.test"), *BYE),
        attributes=Attributes(name="misc.test", fields={"count": "1", "low": "10", "high": "9"}),
    ),
    "no overview: LISTGROUP and HEAD, with articles that are gone": listing(
        READY_RFC977,
        *exchange("XOVER 7-9", "500 What?"),
        client("LISTGROUP misc.test"),
        server("211 list", "5", "6", "7", "8", " 9 ", "10", "x", "."),
        *head_exchanges(7),
        *exchange("HEAD 8", "423 No such article"),
        *head_exchanges(9),
        *exchange("HEAD 10", "430 No such article"),
        entries=(entry_from_header(7), entry_from_header(9)),
    ),
    "no overview, and no LISTGROUP": listing(
        READY_RFC977,
        *exchange("XOVER 8-9", "502 No", "LISTGROUP misc.test", "500 What?"),
        *head_exchanges(8, 9),
        entries=(entry_from_header(8), entry_from_header(9)),
        options={"newest": 2},
    ),
    "only the newest by LISTGROUP": listing(
        READY_RFC977,
        *exchange("XOVER 9-9", "500 What?"),
        client("LISTGROUP misc.test"),
        server("211 list", "7", "8", "9", "."),
        *head_exchanges(9),
        entries=(entry_from_header(9),),
        options={"newest": 1},
    ),
    "a login in clear text, allowed": Success(
        ARTICLE,
        READY.then(
            *exchange("GROUP misc.test", "480 Who are you?"),
            credentials("joe", "s3cret 1"),
            *exchange("AUTHINFO USER joe", "381 Password?", "AUTHINFO PASS s3cret 1", "281 Welcome"),
            *SELECTED,
            *exchange("ARTICLE 7", b"220 7 <7@host.dom>\r\n" + HEADER + DOT),
            *BYE,
        ),
        content=HEADER,
        attributes=ATTRIBUTES,
        options={"allow_cleartext": True},
    ),
    "a login without a password, before the capabilities": Success(
        GROUP,
        GREETING.then(
            *exchange("CAPABILITIES", "480 Who are you?"),
            credentials("joe"),
            *exchange("AUTHINFO USER joe", "281 Welcome"),
            *CAPABILITIES,
            *SELECTED,
            *exchange("OVER 7-9", b"224 follows\r\n.\r\n"),
            *BYE,
        ),
        attributes=COUNTS,
        options={"allow_cleartext": True},
    ),
    "a login over TLS": Success(
        ARTICLE,
        GREETING.then(
            *exchange("STARTTLS", "382 Go on"),
            start_tls(HOST),
            *CAPABILITIES,
            *SELECTED,
            *exchange("ARTICLE 7", "480 Who are you?"),
            credentials("joe", "s3cret"),
            *exchange("AUTHINFO USER joe", "381 Password?", "AUTHINFO PASS s3cret", "281 Welcome"),
            *exchange("ARTICLE 7", b"220 7 <7@host.dom>\r\n" + HEADER + DOT),
            *BYE,
        ),
        content=HEADER,
        attributes=ATTRIBUTES,
        options={"starttls": "required"},
    ),
    "TLS if offered": listing(OFFERED.then(*TLS, *CAPABILITIES), *OVERVIEWS, options={"starttls": "if offered"}),
    "TLS if only readers are offered it": listing(
        GREETING.then(
            client("CAPABILITIES"),
            server("101 list", "VERSION 2", "MODE-READER", "."),
            *exchange("MODE READER", "201 no posting"),
            *OFFERS_TLS,
            *TLS,
        ),
        *CAPABILITIES,
        *OVERVIEWS,
        options={"starttls": "if offered"},
    ),
    "no TLS if it is not offered": listing(READY, *OVERVIEWS, options={"starttls": "if offered"}),
    "no TLS with a server of RFC 977": listing(
        READY_RFC977, *exchange("XOVER 7-9", b"224 follows\r\n" + OVERVIEW + DOT), options={"starttls": "if offered"}
    ),
    "TLS that is offered and not requested": listing(OFFERED, *OVERVIEWS, options={"starttls": "never"}),
    "the attributes of an article": Success(
        ARTICLE,
        READY.then(*SELECTED, client("HEAD 7"), server(b"221 7 <7@host.dom>\r\n" + HEADER + DOT), *BYE),
        attributes=ATTRIBUTES,
        algorithm=find_attributes,
    ),
    "the attributes of a group": Success(
        GROUP, READY.then(*SELECTED, *BYE), attributes=COUNTS, algorithm=find_attributes
    ),
}


@pytest.mark.fault(34, 52)
@pytest.mark.parametrize("case", SUCCESSES.values(), ids=SUCCESSES)
def test_a_dialogue_gives_the_same_result_however_the_octets_are_cut(case: Success) -> None:
    outcome = split_everywhere(case.run, case.script)
    assert outcome.error is None
    assert outcome.complete
    assert outcome.content == case.content
    assert outcome.entries == case.entries
    assert outcome.attributes == case.attributes


@pytest.mark.fault(51)
@pytest.mark.parametrize(
    "case",
    [
        case if number % 3 == 0 else pytest.param(case, marks=pytest.mark.slow)
        for number, case in enumerate(SUCCESSES.values())
    ],
    ids=SUCCESSES,
)
def test_every_fault_at_every_step_is_an_error_and_never_a_short_success(case: Success) -> None:
    runs = fault_everywhere(case.run, case.script)
    assert any(run.fault == "cancelled" for run in runs)
    failed = [run for run in runs if run.outcome.error is not None]
    assert len(failed) > len(case.script)
    for run in failed:
        assert isinstance(run.outcome.error, URLError)


def test_the_url_of_an_entry_names_its_article() -> None:
    for case in SUCCESSES.values():
        for listed in case.entries:
            if listed.url is not None:
                assert NntpURL.parse(listed.url).article == int(listed.fields["number"])


@pytest.mark.parametrize(
    "ending", [(client("QUIT"), server_resets()), (client("QUIT"), server_closes()), (client("QUIT"),)]
)
def test_the_reply_to_quit_may_be_lost(ending: tuple[Step, ...]) -> None:
    case = SUCCESSES["an article"]
    script = Script(*tuple(case.script)[:-2], *ending)
    outcome = split_everywhere(case.run, script)
    fault_everywhere(case.run, script)
    assert outcome.error is None
    assert outcome.content == case.content


def test_a_caller_who_leaves_early_causes_no_further_command() -> None:
    for name in ("an article", "OVER", "no overview, and no LISTGROUP"):
        outcome = replay(SUCCESSES[name].run(), SUCCESSES[name].script, take=1)
        assert b"QUIT" not in outcome.sent["connection"]
        assert b"HEAD 9" not in outcome.sent["connection"]


def test_lines_of_the_maximum_length_pass_however_they_are_cut() -> None:
    sent = HEADER + b"\r\n" + b"x" * 65536 + b"\r\n"
    requested = READY.then(*SELECTED, client("ARTICLE 7"))
    script = requested.then(server(b"220 7 <7@host.dom>\r\n", sent, DOT), *BYE)
    assert replay(access(NntpURL.parse(ARTICLE)), script).content == sent
    pieces = [server(sent[start : start + 65530]) for start in range(0, len(sent), 65530)]
    script = requested.then(server("220 7 <7@host.dom>"), *pieces, server(DOT), *BYE)
    assert replay(access(NntpURL.parse(ARTICLE)), script).content == sent


# Before connecting ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", [access, find_attributes, update])
def test_a_group_name_that_is_too_long_for_a_command_is_refused(algorithm: Callable[..., Algorithm[None]]) -> None:
    if algorithm is not update:
        assert isinstance(next(algorithm(NntpURL.parse(f"nntp://{HOST}/" + "a" * 497))), Connect)
    with pytest.raises(UnsafeURL, match="498 octets: expected at most 497 octets"):
        next(algorithm(NntpURL.parse(f"nntp://{HOST}/" + "a" * 498)))


@pytest.mark.parametrize("algorithm", [access, find_attributes])
def test_an_article_number_of_17_digits_is_refused(algorithm: Callable[..., Algorithm[None]]) -> None:
    assert isinstance(next(algorithm(NntpURL.parse(f"{GROUP}/{'0' * 99}{'9' * 16}"))), Connect)
    with pytest.raises(UnsafeURL, match="17 digits: expected at most 16 digits"):
        next(algorithm(NntpURL.parse(f"{GROUP}/1{'0' * 16}")))


@pytest.mark.parametrize("algorithm", [access, find_attributes, update])
def test_an_unknown_starttls_is_refused(algorithm: Callable[..., Algorithm[None]]) -> None:
    article = b"From: me\nNewsgroups: misc.test\nSubject: Hi\n\n"
    script = Script(upload(article)) if algorithm is update else Script()
    outcome = replay(algorithm(NntpURL.parse(GROUP), starttls="if-offered"), script)
    assert isinstance(outcome.error, UnsupportedOperation)
    assert outcome.error.message == "invalid starttls 'if-offered': expected 'never', 'if offered' or 'required'"
