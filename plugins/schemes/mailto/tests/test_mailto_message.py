"""Messages: what `compose` makes, the octets sent, and texts that would become header fields."""

from __future__ import annotations

import copy
import email
import pickle
import time
from email.message import EmailMessage, Message
from email.mime.text import MIMEText
from email.policy import SMTP, default
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlschemes import parse
from urlschemes.errors import InvalidURL, UnsafeURL, UnsupportedOperation, URLError
from urlschemes_access.errors import PolicyDenied
from urlschemes_mailto import MailtoURL, Submission, compose, send
from urlschemes_mailto.message import message_octets, submission_of


def parsed(message: EmailMessage) -> EmailMessage:
    """The message as its recipient parses it."""
    again = email.message_from_bytes(message.as_bytes(), policy=default)
    assert isinstance(again, EmailMessage)
    return again


def raw(message: EmailMessage, name: str) -> str:
    """The value of a field, unfolded."""
    octets = message.as_bytes().replace(b"\r\n ", b" ")
    (line,) = [line for line in octets.split(b"\r\n") if line.startswith(name.encode() + b":")]
    return line.decode("ascii").partition(":")[2].strip()


def test_compose_makes_a_standard_message() -> None:
    message = compose("mailto:joe@host.dom", subject="Locators", body="As you say.\n", sender="Ann <ann@home.dom>")
    assert type(message) is EmailMessage
    assert message.keys() == [
        "To",
        "From",
        "Subject",
        "Date",
        "Message-ID",
        "Content-Type",
        "Content-Transfer-Encoding",
        "MIME-Version",
    ]
    assert (message["To"], message["From"], message["Subject"]) == ("joe@host.dom", "Ann <ann@home.dom>", "Locators")
    assert message.get_content() == "As you say.\n"
    assert message["Date"].datetime.utcoffset().total_seconds() == 0  # the time zone would tell where the sender is
    assert message["Message-ID"].endswith("@home.dom>")
    message.add_attachment(b"\xff" * 100, maintype="application", subtype="octet-stream", filename="notes")
    octets = message.as_bytes()
    assert octets.isascii()
    assert b"\n" not in octets.replace(b"\r\n", b"")
    for other in (copy.deepcopy(message), pickle.loads(pickle.dumps(message))):
        assert other.as_bytes() == octets


def test_only_the_recipient_is_required() -> None:
    message = compose(MailtoURL.parse("mailto:joe@host.dom"))
    assert message.keys() == ["To", "Date", "Content-Type", "Content-Transfer-Encoding", "MIME-Version"]
    assert message.get_content() == "\n" or not message.get_content()


ADDRESSES = {
    "mailto:joe@host.dom": "joe@host.dom",
    "mailto:Joe@Host.DOM": "Joe@Host.DOM",
    "mailto:%6Aoe%40host%2Edom": "joe@host.dom",
    "mailto:gorby%25kremvax@example.com": "gorby%kremvax@example.com",
    "mailto:%22Joe%20Q.%20Public%22@host.dom": '"Joe Q. Public"@host.dom',
    "mailto:%22a@b,(c)%22@host.dom": '"a@b,(c)"@host.dom',
    "mailto:%22a%5C%22b%22@host.dom": '"a\\"b"@host.dom',
    "mailto:%22%5Ca%5C%5C%22@host.dom": '"a\\\\"@host.dom',
    "mailto:%22joe%22@host.dom": "joe@host.dom",
    "mailto:%22%22@host.dom": '""@host.dom',
    "mailto:%22%20%22@host.dom": '" "@host.dom',
    "mailto:first.%22of%20two%22.words@host.dom": '"first.of two.words"@host.dom',
    "mailto:joe@%5B192.0.2.7%5D": "joe@[192.0.2.7]",
    "mailto:joe@%5BIPv6:2001:db8::1%5D": "joe@[IPv6:2001:db8::1]",
    "mailto:joe/x=y&z*$!'+-_@host": "joe/x=y&z*$!'+-_@host",
    "mailto:-oQx@host.dom": "-oQx@host.dom",
    "mailto:%22" + "a%20b%20" * 30 + "%22@host.dom": '"' + "a b " * 30 + '"@host.dom',
}


@pytest.mark.parametrize(("url", "address"), ADDRESSES.items())
def test_the_recipient_is_the_address_of_the_url_with_the_fewest_quotation_marks(url: str, address: str) -> None:
    message = compose(url, subject="x", sender="ann@home.dom")
    assert raw(message, "To") == address
    submission = submission_of(message_octets(message), relay="relay.dom")
    assert submission.recipients == (address,)


@pytest.mark.parametrize(
    "url",
    [
        "mailto:joe@host.dom?subject=hello",
        "mailto://joe@host.dom",
        "mailto:%22a%0Ab%22@host.dom",
        "mailto:%22a%5C%0Db%22@host.dom",
        "mailto:%22a%7Fb%22@host.dom",
        "mailto:joe@a.%5Bb%5D",
        "mailto:joe@%5B%5D",
        "mailto:joe@host!dom",
        "mailto:%3D%3Futf-8%3Fq%3Fa%3D0D%3D0AX%3F%3D@h",
    ],
)
def test_an_ambiguous_or_unsafe_address_is_refused(url: str) -> None:
    with pytest.raises(UnsafeURL) as refusal:
        compose(url)
    assert refusal.value.part in {"address", "local_part", "domain"}


def test_an_invalid_url_is_refused() -> None:
    with pytest.raises(InvalidURL):
        compose("mailto:joe@host.dom,eve@host.dom")


@pytest.mark.parametrize("name", ["subject", "body", "sender"])
def test_a_text_that_is_no_str_is_named(name: str) -> None:
    given: dict[str, Any] = {name: 5}
    with pytest.raises(TypeError, match=f"^{name} must be a str or None, not int$"):
        compose("mailto:joe@host.dom", **given)


INJECTIONS = [
    "x\r\nBcc: eve@host.dom",
    "x\nBcc: eve@host.dom",
    "x\rBcc: eve@host.dom",
    "x\r\n\r\nAnother body",
    "x\r\n Bcc: folded",
    "x\x0bBcc: eve@host.dom",
    "x\x85Bcc: eve@host.dom",
    "x\u2028Bcc: eve@host.dom",
    "x\x00y",
    "x\x1b[2J",
    "x\udc80",
    "=?utf-8?q?=0D=0ABcc:_eve@host.dom?=",
    "=?utf-8?b?DQpCY2M6IGV2ZUBob3N0LmRvbQ==?=",
    "x =?us-ascii?q?=0ABcc:_eve@host.dom?= y",
]


@pytest.mark.parametrize("text", INJECTIONS)
def test_a_subject_or_sender_never_becomes_another_field(text: str) -> None:
    for part in ("subject", "sender"):
        given: Any = {part: text if part == "subject" else f"{text} <ann@home.dom>"}
        with pytest.raises(UnsafeURL) as refusal:
            compose("mailto:joe@host.dom", **given)
        assert refusal.value.part == part
        assert str(refusal.value).isprintable()
    if "=?" not in text:  # these are ordinary characters of an address
        with pytest.raises(UnsafeURL):
            compose("mailto:joe@host.dom", sender=f"ann{text}@home.dom")


@pytest.mark.parametrize("text", [text for text in INJECTIONS if text.startswith(("=?", "x ="))])
def test_a_subject_set_by_the_caller_never_becomes_another_field(text: str) -> None:
    message = EmailMessage()
    message["To"], message["From"], message["Subject"] = "joe@host.dom", "ann@home.dom", text
    try:
        octets = message_octets(message)
    except UnsafeURL:  # this version of `email` would make it a field
        return
    assert email.message_from_bytes(octets).keys() == ["To", "From", "Subject"]


def test_a_subject_of_a_compat32_message_never_becomes_another_field() -> None:
    message: Message = MIMEText("x")
    message["To"], message["From"], message["Subject"] = "joe@host.dom", "ann@home.dom", "x\nBcc: eve@host.dom"
    with pytest.raises(URLError):
        send(message, relay="127.0.0.1:9", confirm=True)  # type: ignore[arg-type]


@given(st.text(max_size=120))
def test_a_subject_is_unchanged_or_refused(subject: str) -> None:
    try:
        message = compose("mailto:joe@host.dom", subject=subject)
    except UnsafeURL:
        return
    again = parsed(message)
    assert again.get("Subject", "") == subject.strip()
    assert again.keys() == message.keys()


@given(st.text(max_size=300))
def test_a_body_is_unchanged_but_for_its_line_ends(body: str) -> None:
    try:
        message = compose("mailto:joe@host.dom", body=body)
    except UnsafeURL:
        return
    octets = message.as_bytes()
    assert octets.isascii()
    text = parsed(message).get_content()
    assert text.replace("\r\n", "\n").rstrip("\n") == body.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n")
    assert submission_of(octets, relay="relay.dom", sender="ann@home.dom").message == octets


@pytest.mark.parametrize("body", ["a\0b", "\ud800"])
def test_a_body_that_is_not_text_is_refused(body: str) -> None:
    with pytest.raises(UnsafeURL) as refusal:
        compose("mailto:joe@host.dom", body=body)
    assert refusal.value.part == "body"


@pytest.mark.parametrize(
    ("sender", "address"),
    [
        ("ann@home.dom", "ann@home.dom"),
        ("Ann <ann@home.dom>", "ann@home.dom"),
        ('"Ann, of home" <ann@home.dom>', "ann@home.dom"),
        ("Änn Exämple <ann@home.dom>", "ann@home.dom"),
        ('"ann b"@home.dom', '"ann b"@home.dom'),
    ],
)
def test_the_sender_of_the_envelope_is_that_of_the_header(sender: str, address: str) -> None:
    message = compose("mailto:joe@host.dom", sender=sender)
    assert str(parsed(message)["From"]) == sender
    assert submission_of(message_octets(message), relay="relay.dom").sender == address
    assert submission_of(message_octets(message), relay="relay.dom", sender="b@home.dom").sender == "b@home.dom"
    message["Sender"] = "office@home.dom"
    assert submission_of(message_octets(message), relay="relay.dom").sender == "office@home.dom"


INVALID_SENDERS = [
    "",
    "ann",
    "ann@",
    "@home.dom",
    "a@b, c@d",
    "us: ann@home.dom;",
    "änn@home.dom,",
    "\u200bnn@home.dom",
    "ann@höme.dom",
    "<>",
]


@pytest.mark.parametrize("sender", INVALID_SENDERS)
def test_an_invalid_sender_is_refused(sender: str) -> None:
    with pytest.raises((UnsafeURL, UnsupportedOperation)) as refusal:
        compose("mailto:joe@host.dom", sender=sender)
    assert refusal.value.part == "sender"


def test_the_sender_becomes_the_from_of_the_octets_and_not_of_the_message() -> None:
    message = compose("mailto:joe@host.dom")
    octets = message_octets(message, "ann@home.dom")
    assert octets == b"From: ann@home.dom\r\n" + message.as_bytes()
    assert "From" not in message
    with pytest.raises(UnsafeURL):
        message_octets(message, "ann@home.dom\r\nBcc: eve@host.dom")


def test_a_message_that_cannot_be_converted_is_a_typed_error() -> None:
    for thing in (None, "text", b"octets", 7):
        with pytest.raises(UnsafeURL):
            message_octets(thing)  # type: ignore[arg-type]
    broken = EmailMessage()
    broken["To"] = "joe@host.dom"
    broken.set_payload("\ud800")
    with pytest.raises(URLError):
        send(broken, relay="relay.dom", sender="ann@home.dom", confirm=True)


def test_a_submission_shows_the_whole_message_and_is_safe_to_print() -> None:
    shown: list[Submission] = []

    def refuse(submission: Submission) -> bool:
        shown.append(submission)
        return False

    message = compose("mailto:joe@host.dom", subject="Hi", body="\x1b[2Jred\u202e\nlast line\n", sender="ann@home.dom")
    message["X-Note"] = "kept"
    with pytest.raises(PolicyDenied, match="not confirmed") as refusal:
        send(message, relay="relay.dom", confirm=refuse)
    assert refusal.value.rule == "confirm"
    (submission,) = shown
    assert (submission.sender, submission.recipients) == ("ann@home.dom", ("joe@host.dom",))
    assert submission.relay == "relay.dom:587"
    assert submission.message == message.as_bytes()
    text = str(submission)
    assert "\x1b" not in text
    assert "\u202e" not in text
    for each in ("ann@home.dom", "joe@host.dom", "relay.dom:587", "Subject: Hi", "X-Note: kept", "last line"):
        assert each in text


@pytest.mark.parametrize("answer", [None, 1, "yes", False])
def test_only_true_confirms_a_message(answer: Any) -> None:
    message = compose("mailto:joe@host.dom", sender="ann@home.dom")
    with pytest.raises(PolicyDenied):
        send(message, relay="relay.dom", confirm=lambda _: answer)
    with pytest.raises(PolicyDenied):
        send(message, relay="relay.dom", confirm=answer if not isinstance(answer, bool) else None)


def test_an_exception_of_confirm_propagates() -> None:
    def leaves(_: Submission) -> bool:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        send(compose("mailto:joe@host.dom", sender="a@b"), relay="relay.dom", confirm=leaves)


def test_a_message_has_7_bit_lines_with_cr_lf() -> None:
    message = compose("mailto:joe@host.dom", body="naïve")
    assert message.policy.linesep == SMTP.linesep
    assert message.policy.cte_type == "7bit"  # every relay accepts it


HEADER = b"From: ann@home.dom\r\nTo: joe@host.dom\r\n\r\n"


@pytest.mark.parametrize("before", [b"", b"x\n", b"x" * 998 + b"\r\n", b"x" * 997 + b"\r"])
@pytest.mark.parametrize("after", [b"", b"\r\n", b"\n" + b"x" * 998 + b"\n"])
def test_a_line_has_at_most_998_octets(before: bytes, after: bytes) -> None:
    submission_of(HEADER + before + b"x" * 998 + after, relay="relay.dom")
    with pytest.raises(UnsafeURL, match="998"):
        submission_of(HEADER + before + b"x" * 999 + after, relay="relay.dom")


@pytest.mark.parametrize("line", [b"x" * 990 + b"\n", b"x\r\n", b"\r"])
def test_the_time_to_check_a_message_is_linear(line: bytes) -> None:
    def seconds(size: int) -> float:
        octets = HEADER + line * (size // len(line))
        began = time.process_time()
        submission_of(octets, relay="relay.dom")
        return time.process_time() - began

    # It would be 64 times as long for quadratic time.
    assert min(seconds(2_400_000) for _ in range(3)) < 32 * min(seconds(300_000) for _ in range(3))


def test_a_url_is_no_message_and_only_a_mailto_url_becomes_one() -> None:
    with pytest.raises(
        UnsafeURL, match=r"the message must be an EmailMessage, not MailtoURL; compose\(url\) makes one"
    ):
        send(MailtoURL.parse("mailto:joe@host.dom"), relay="host.dom")  # type: ignore[arg-type]  # what is tested
    with pytest.raises(InvalidURL, match="expected MailURL, got HttpURL"):
        compose(parse("http://host.dom/"))
