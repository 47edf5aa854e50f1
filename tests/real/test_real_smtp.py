"""Mail through OpenSMTPD, where it is installed: messages arrive as those of other clients do."""

from __future__ import annotations

import itertools
import os
import re
import shutil
import smtplib
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from opening import HERE
from real_servers import HAS_IPV6, PATIENCE, free_port, greets, program, stop, wait

import urlschemes_access
from urlschemes import Registry
from urlschemes_access.errors import RemoteError
from urlschemes_mailto import Delivery, MailtoURL, Submission, compose, send
from urlschemes_mailto.rfc3986 import MailtoURI

pytestmark = pytest.mark.real_server


@dataclass(frozen=True)
class Relay:
    """OpenSMTPD on a port of this machine; it delivers every message into the folder `delivered`."""

    port: int
    delivered: Path

    def arrived(self) -> tuple[str, bytes]:
        """Return the recipient and the octets of the one message that arrives, without trace fields."""
        ((recipient, octets),) = self.all_arrived(1).items()
        return recipient, octets

    def all_arrived(self, count: int) -> dict[str, bytes]:
        """Return the octets of the next `count` messages by their recipients, without trace fields."""
        ends = time.monotonic() + PATIENCE
        while len(mails := sorted(self.delivered.glob("*.mail"))) < count:
            assert time.monotonic() < ends, "too few messages have arrived"
            time.sleep(0.02)
        arrived = {}
        for mail in mails:
            octets = mail.read_bytes()
            mail.unlink()
            found = re.search(rb"^Delivered-To: (.*)$", octets, re.MULTILINE)
            assert found
            arrived[found[1].decode()] = _without_trace(octets)
        assert len(arrived) == count
        return arrived


def _without_trace(octets: bytes) -> bytes:
    """Return the message without its trace fields (RFC 5321 section 4.4) and Delivered-To."""
    lines = octets.splitlines(keepends=True)
    while lines and lines[0].split(b":")[0] in {b"Return-Path", b"Received", b"Delivered-To"}:
        del lines[0]
        while lines and lines[0][:1] in b" \t":
            del lines[0]
    return b"".join(lines)


CONFIGURATION = """\
table catchall {{ "@" = "mail" }}
listen on 127.0.0.1 port {port} hostname smtp.test
{v6}listen on ::1 port {port} hostname smtp.test
action "keep" mda "/bin/sh {folder}/keep" virtual <catchall>
match from any for domain "reject.test" reject
match from any for any action "keep"
"""
KEEP = 'file=$(mktemp "{folder}/delivered/XXXXXX") && cat > "$file" && mv "$file" "$file.mail"\n'


@contextmanager
def _opensmtpd() -> Iterator[Relay]:
    smtpd = program("smtpd", package="opensmtpd")
    if os.geteuid() != 0:
        pytest.skip("smtpd starts as root only")
    with tempfile.TemporaryDirectory(prefix="urlschemes-smtp-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        delivered = folder / "delivered"
        delivered.mkdir()
        delivered.chmod(0o777)
        (folder / "keep").write_text(KEEP.format(folder=folder))
        relay = Relay(free_port(), delivered)
        (folder / "smtpd.conf").write_text(
            CONFIGURATION.format(folder=folder, port=relay.port, v6="" if HAS_IPV6 else "# ")
        )
        command = [*_own_mounts(), smtpd, "-d", "-f", str(folder / "smtpd.conf")]
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            wait("smtpd", lambda: greets(relay.port), process, folder / "log")
            yield relay
        finally:
            stop(process)


def _own_mounts() -> list[str]:
    """Return the command in front of smtpd that gives it a control socket and a spool of its own.

    Their paths are compiled into OpenSMTPD: another one that runs as a service would be in its way.
    """
    unshare = shutil.which("unshare")
    if unshare is None:
        return []
    script = (
        "mount -t tmpfs tmpfs /run && mkdir -p /var/spool/smtpd && "
        'mount -t tmpfs -o mode=0711 tmpfs /var/spool/smtpd && exec "$@"'
    )
    return [unshare, "--mount", "--propagation", "private", "sh", "-c", script, "sh"]


@pytest.fixture(scope="module")
def relay() -> Iterator[Relay]:
    with _opensmtpd() as started:
        yield started


# A relay adds a Date and a Message-ID to a message without.
FIELDS = ("From: ann@home.dom", "Date: Thu, 1 Dec 1994 00:00:00 +0000", "Message-ID: <1@home.dom>", "Subject: Locators")


def header(recipient: str = "joe@host.dom", *more: str) -> str:
    return "".join(f"{line}\n" for line in (*FIELDS, f"To: {recipient}", *more, ""))


MESSAGES: dict[str, str] = {
    "plain": header() + "Hello\n",
    "no body": header(),
    "dots": header() + ".\n..\n...\n.leading\nmiddle.\n.\n",
    "a dot alone at the end": header() + "x\n.\n",
    "empty lines": header() + "\n\nx\n\n\n",
    "octets of 8 bits": header("joe@host.dom", "MIME-Version: 1.0", "Content-Transfer-Encoding: 8bit") + "naïve £\n",
    "commands": header() + "RSET\nQUIT\nMAIL FROM:<eve@host.dom>\n",
    "long lines": header() + "x" * 998 + "\n" + "y" * 900 + "\n",
    "trailing blanks and tabs": header() + "x \t\n \t\n",
    "many lines": header() + "0123456789 abcdefghijklmnopqrstuvwxyz\n" * 20_000,
}


def _ours(relay: Relay, message: str, recipient: str) -> None:
    url = MailtoURL(address=recipient)
    delivery = urlschemes_access.operate(
        "send",
        url,
        options={"message": message.encode(), "relay": f"127.0.0.1:{relay.port}", "confirm": True},
        policy=HERE,
    )
    assert isinstance(delivery, Delivery)
    assert delivery.outcomes[0].status == 250


def _smtplib(relay: Relay, message: str, recipient: str) -> None:
    with smtplib.SMTP("127.0.0.1", relay.port, local_hostname="[127.0.0.1]", timeout=PATIENCE) as client:
        options = [] if message.isascii() else ["BODY=8BITMIME"]
        client.sendmail("ann@home.dom", recipient, message.replace("\n", "\r\n").encode(), mail_options=options)


def _swaks(relay: Relay, message: str, recipient: str) -> None:
    server = ["--server", "127.0.0.1", "--port", str(relay.port), "--helo", "[127.0.0.1]"]
    envelope = ["--from", "ann@home.dom", "--to", recipient]
    # It ends the last line itself.
    _run([program("swaks"), *server, *envelope, "--data", "-", "--silent", "3"], message.removesuffix("\n"))


def _msmtp(relay: Relay, message: str, recipient: str) -> None:
    server = ["--host=127.0.0.1", f"--port={relay.port}", "--tls=off", "--auth=off", "--domain=[127.0.0.1]"]
    _run([program("msmtp"), "--file=/dev/null", *server, "--from=ann@home.dom", "--", recipient], message)


def _run(command: list[str], given: str) -> None:
    done = subprocess.run(command, check=False, input=given.encode(), capture_output=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr.decode() + done.stdout.decode()


CHANGED_BY_CLIENT = {("no body", "swaks"), ("dots", "swaks"), ("a dot alone at the end", "swaks")}
"""Messages that a client changes: swaks takes a last line of a single dot for the end of the data."""
CLIENTS: dict[str, Callable[[Relay, str, str], None]] = {"smtplib": _smtplib, "swaks": _swaks, "msmtp": _msmtp}


@pytest.mark.parametrize(
    ("name", "client"), [each for each in itertools.product(MESSAGES, CLIENTS) if each not in CHANGED_BY_CLIENT]
)
def test_the_same_octets_arrive(relay: Relay, name: str, client: str) -> None:
    message = MESSAGES[name]
    _ours(relay, message, "joe@host.dom")
    _, ours = relay.arrived()
    CLIENTS[client](relay, message, "joe@host.dom")
    _, theirs = relay.arrived()
    assert ours == message.encode()
    assert ours == theirs


RECIPIENTS = ["Joe@Host.DOM", "joe%far@host.dom", "-joe@host.dom", '"joe q. public"@host.dom', "joe@[192.0.2.7]"]


@pytest.mark.parametrize("recipient", RECIPIENTS)
def test_the_recipient_is_the_one_that_was_meant(relay: Relay, recipient: str) -> None:
    def delivered_to(client: Callable[[Relay, str, str], None]) -> str:
        client(relay, header(recipient) + "Hello\n", recipient)
        return relay.arrived()[0]

    try:
        theirs = delivered_to(_smtplib)
    except smtplib.SMTPRecipientsRefused as refusal:
        ((code, _),) = refusal.recipients.values()
        with pytest.raises(RemoteError) as ours:
            delivered_to(_ours)
        assert (ours.value.status, ours.value.step) == (code, "RCPT TO")
    else:
        assert delivered_to(_ours) == theirs == recipient


def test_what_compose_makes_arrives_as_it_was_shown(relay: Relay) -> None:
    shown: list[bytes] = []

    def confirm(submission: Submission) -> bool:
        shown.append(submission.message)
        return True

    message = compose("mailto:joe@host.dom", subject="Größe", body="naïve\n.\n", sender="Änn <ann@home.dom>")
    message.add_attachment(bytes(range(256)) * 400, maintype="application", subtype="octet-stream", filename="all")
    send(message, relay=f"127.0.0.1:{relay.port}", confirm=confirm, policy=HERE)
    assert relay.arrived()[1] == shown[0].replace(b"\r\n", b"\n")


def test_a_recipient_who_is_rejected(relay: Relay) -> None:
    message = compose("mailto:joe@reject.test", sender="ann@home.dom")
    with pytest.raises(RemoteError) as refusal:
        send(message, relay=f"127.0.0.1:{relay.port}", confirm=True, policy=HERE)
    assert (refusal.value.status, refusal.value.step, refusal.value.temporary) == (550, "RCPT TO", False)
    with (
        smtplib.SMTP("127.0.0.1", relay.port, local_hostname="[127.0.0.1]", timeout=PATIENCE) as client,
        pytest.raises(smtplib.SMTPRecipientsRefused) as theirs,
    ):
        client.sendmail("ann@home.dom", "joe@reject.test", message.as_bytes())
    assert theirs.value.recipients["joe@reject.test"][0] == 550


@pytest.mark.parametrize(
    "host", ["127.0.0.1", pytest.param("[::1]", marks=pytest.mark.skipif(not HAS_IPV6, reason="no IPv6"))]
)
def test_a_url_of_today_reaches_all_whom_the_relay_accepts(relay: Relay, host: str) -> None:
    url = MailtoURI.parse(
        "mailto:joe@host.dom,eve@reject.test?cc=%22Bob%20B.%22%20%3Cbob@host.dom%3E&subject=Gr%C3%B6%C3%9Fe"
        "&body=na%C3%AFve%0D%0A.%0D%0Alast&bcc=hidden@host.dom"
    )
    message = compose(url, sender="ann@home.dom")
    modern = Registry(profile="rfc3986")
    delivery = send(message, relay=f"{host}:{relay.port}", confirm=True, policy=HERE, registry=modern)
    assert [outcome.recipient for outcome in delivery.refused] == ["eve@reject.test"]
    assert delivery.refused[0].status == 550
    arrived = relay.all_arrived(2)
    assert arrived.keys() == {"joe@host.dom", "bob@host.dom"}
    for octets in arrived.values():
        assert octets == message.as_bytes().replace(b"\r\n", b"\n")
        assert b"hidden" not in octets
