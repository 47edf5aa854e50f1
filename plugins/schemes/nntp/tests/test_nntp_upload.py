"""Posting by NNTP: which articles are refused before connecting, how one is sent, and what its replies mean."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from nntp_dialogues import BYE, DOT, GROUP, READY, READY_RFC977
from outcomes import check_failure

from urlschemes.errors import UnsafeURL, UnsupportedOperation, URLError
from urlschemes_access.attributes import Attributes
from urlschemes_access.errors import Indeterminate, LimitExceeded, ProtocolError, RemoteError, Truncated
from urlschemes_access.protocol import Algorithm
from urlschemes_nntp import NntpURL
from urlschemes_nntp.access import update
from urlschemes_testing.replay import (
    Script,
    Step,
    client,
    credentials,
    exchange,
    fault_everywhere,
    replay,
    server,
    server_closes,
    split_everywhere,
    upload,
)

POSTED = b"From: me <me@host.dom>\nNewsgroups: misc.test\nSubject: Hi\n there\n\n.\n..\ntext\r\n.dot\n\xe9"
ON_THE_WIRE = (
    b"From: me <me@host.dom>\r\nNewsgroups: misc.test\r\nSubject: Hi\r\n there\r\n\r\n"
    b"..\r\n...\r\ntext\r\n..dot\r\n\xe9\r\n"
)
POSTED_FIELDS = {"from": "me <me@host.dom>", "newsgroups": "misc.test", "subject": "Hi there"}
POST = (client("POST"), server("340 Go on"))


@dataclass(frozen=True)
class Success:
    script: Script
    attributes: Attributes
    options: dict[str, Any] = field(default_factory=dict)

    def run(self) -> Algorithm[None]:
        return update(NntpURL.parse(GROUP), **self.options)


SUCCESSES = {
    "an article": Success(
        Script(upload(POSTED), *READY, *POST, client(ON_THE_WIRE), *exchange(DOT, "240 Article received <9@h>"), *BYE),
        attributes=Attributes(
            media_type="message/rfc822", name="Hi there", size=92, fields={**POSTED_FIELDS, "message-id": "<9@h>"}
        ),
    ),
    "an article in pieces, to two groups, with an identifier, after a login": Success(
        Script(
            upload(b"Subject: x\r"),
            upload(b"\nNewsgroups: alt.test,\r\n misc.test\r\nMessage-ID: <a@b>\r\nFrom: me\r\n"),
            upload(b"\r\n"),
            *READY_RFC977,
            *exchange("POST", "480 Who are you?"),
            credentials("joe", "s3cret"),
            *exchange("AUTHINFO USER joe", "381 Password?", "AUTHINFO PASS s3cret", "281 Welcome"),
            *POST,
            client(b"Subject: x\r\nNewsgroups: alt.test,\r\n misc.test\r\nMessage-ID: <a@b>\r\nFrom: me\r\n\r\n"),
            *exchange(DOT, "240 <other@h>"),
            *BYE,
        ),
        attributes=Attributes(
            media_type="message/rfc822",
            name="x",
            size=78,
            fields={"subject": "x", "newsgroups": "alt.test, misc.test", "message-id": "<a@b>", "from": "me"},
        ),
        options={"crosspost": True, "allow_cleartext": True},
    ),
}


@pytest.mark.parametrize("case", SUCCESSES.values(), ids=SUCCESSES)
def test_posting_gives_the_fields_of_the_article_however_the_octets_are_cut(case: Success) -> None:
    outcome = split_everywhere(case.run, case.script)
    assert outcome.error is None
    assert outcome.complete
    assert outcome.attributes == case.attributes


@pytest.mark.parametrize("case", SUCCESSES.values(), ids=SUCCESSES)
def test_every_fault_at_every_step_is_an_error(case: Success) -> None:
    failed = [run for run in fault_everywhere(case.run, case.script, also=["QUIT"]) if run.outcome.error is not None]
    assert len(failed) > len(case.script)


# Refusals of the server -----------------------------------------------------------------------------------------------

ASKED = Script(upload(POSTED), READY, client("POST"))
ARTICLE_SENT = ASKED.then(server("340 Go on"), client(ON_THE_WIRE), client(DOT))


@pytest.mark.fault(11, 13, 25, 31, 33, 34, 38)
@pytest.mark.parametrize(
    ("begun", "reply", "error", "words", "status"),
    [
        (ASKED, server("440 No"), RemoteError, "does not accept articles from this client", 440),
        (ASKED, server("240 Fine"), ProtocolError, "a reply 340", None),
        (ASKED, server_closes(), Truncated, "a reply to POST", None),
        (ARTICLE_SENT, server("441 Duplicate"), RemoteError, "not accept the article", 441),
        (ARTICLE_SENT, server_closes(), Indeterminate, "not known", None),
        (ARTICLE_SENT, server("200 ok"), Indeterminate, "got '200 ok'", None),
    ],
)
def test_a_dialogue_that_fails_ends_with_its_error(
    begun: Script, reply: Step, error: type[URLError], words: str, status: int | None
) -> None:
    check_failure(replay(update(NntpURL.parse(GROUP)), begun.then(reply)), error, words, status=status)


# Refusals before connecting -------------------------------------------------------------------------------------------


def start(url: str, *content: bytes, **options: Any) -> object:
    """The first request of the algorithm after it has read the content."""
    algorithm = update(NntpURL.parse(url), **options)
    request: object = next(algorithm)
    for pieces in (*zip(content, strict=True), ()):
        request = algorithm.send(pieces)
    return request


def test_an_article_cannot_be_posted_to_an_article_number() -> None:
    with pytest.raises(UnsupportedOperation, match="leave the article number out"):
        next(update(NntpURL.parse(f"{GROUP}/7")))


FROM = b"From: me\nSubject: x\n"
TO = FROM + b"Newsgroups: misc.test\n"
INVALID_ARTICLES = {
    "nothing": (b"\n", "no empty line"),
    "no header": (b"\n\nHello\n", "in line 1"),
    "no body": (TO + b"X: y", "no empty line"),
    "no field": (TO + b"Hello\n\n", "in line 4"),
    "a blank in the name of a field": (TO + b"X : y\n\n", "in line 4"),
    "a continuation of nothing": (b" x\n" + TO + b"\n", "in line 1"),
    "an empty continuation": (TO + b"X: y\n \n\n", "in line 5"),
    "an escape sequence": (TO + b"\x1b[2J\n\n", r"\x1b[2J"),
    "a NUL": (TO + b"\na\x00b\n", "a NUL"),
    "a CR in the header": (TO + b"X: a\rControl: cancel <1@h>\n\n", "a CR without an LF"),
    "a CR in the body": (TO + b"\na\r.\rb\n", "a CR without an LF"),
    "a CR at the end": (TO + b"\na\r", "a CR without an LF"),
    "no From": (b"Subject: x\nNewsgroups: misc.test\n\n", "no From field"),
    "two Subjects": (TO + b"SUBJECT: y\n\n", "more than one Subject field"),
    "no Newsgroups": (FROM + b"\n", "no Newsgroups field"),
    "two Newsgroups": (TO + b"newsgroups: alt.test\n\n", "more than one Newsgroups field"),
    "another group": (FROM + b"Newsgroups: misc.test.d\n\n", "does not name misc.test"),
    "another letter case": (FROM + b"Newsgroups: Misc.Test\n\n", "does not name misc.test"),
    "a second group": (
        FROM + b"Newsgroups: misc.test,alt.test\n\n",
        "names 2 groups: expected only the group of the URL",
    ),
    "a second group in a continuation": (FROM + b"Newsgroups: misc.test,\n alt.test\n\n", "names 2 groups"),
    "a command": (TO + b"Control: cancel <1@h>\n\n", "a command to servers"),
    "another command": (TO + b"supersedes: <1@h>\n\n", "a command to servers"),
    "a third command": (TO + b"Also-Control: cancel <1@h>\n\n", "a command to servers"),
}


@pytest.mark.parametrize(("content", "reason"), INVALID_ARTICLES.values(), ids=INVALID_ARTICLES)
def test_content_that_is_no_article_for_the_group_is_refused(content: bytes, reason: str) -> None:
    with pytest.raises(UnsafeURL) as refused:
        start(GROUP, content)
    text = str(refused.value)
    assert reason in text
    assert text.isprintable()
    assert text.isascii()


def test_with_crosspost_the_group_of_the_url_is_still_required() -> None:
    elsewhere = FROM + b"Newsgroups: alt.test,misc.test.d\n\n"
    with pytest.raises(UnsafeURL, match="does not name misc"):
        start(GROUP, elsewhere, crosspost=True)


def test_an_article_over_16_mib_is_refused() -> None:
    with pytest.raises(LimitExceeded, match="16777216"):
        start(GROUP, *[bytes(1024 * 1024)] * 17)
