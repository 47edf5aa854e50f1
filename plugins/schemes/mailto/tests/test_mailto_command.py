"""The command `urlschemes send`, in a process of its own, with and without a terminal."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from urlschemes_servers.smtp import SmtpAddress, smtp_server
from urlschemes_testing.rogue import hears, resets, rogue, says

LIFETIME = 30
SEND = [sys.executable, "-W", "error", "-m", "urlschemes_cli", "send"]


@pytest.fixture
def relay() -> Iterator[SmtpAddress]:
    with smtp_server(replies={"nobody@host.dom": "550 5.1.1 \x1b[2JNobody here"}) as address:
        yield address


def run(
    relay: object, *arguments: str, given: str = "", url: str = "mailto:joe@host.dom"
) -> subprocess.CompletedProcess[str]:
    options = ["--relay", str(relay), "--from", "Ann <ann@home.dom>", *arguments]
    return subprocess.run(
        [*SEND, url, *options], check=False, input=given, capture_output=True, encoding="utf-8", timeout=LIFETIME
    )


@pytest.mark.parametrize("source", ["--body", "a file", "standard input"])
def test_a_message_is_shown_and_sent(relay: SmtpAddress, tmp_path: Path, source: str) -> None:
    text = "Hello\n.\nnaïve\n"
    file = tmp_path / "text"
    file.write_text(text, "utf-8")
    where = {"--body": ["--body", text], "a file": [str(file)], "standard input": []}[source]
    done = run(relay, *where, "--subject", "Locators", "--yes", given=text if source == "standard input" else "")
    assert (done.returncode, done.stdout) == (0, f"joe@host.dom: {relay} took it: 250 2.0.0 queued as 1\n")
    (came,) = relay.messages
    assert came.content.decode() in "\r\n".join(done.stderr.split("\n"))
    assert (came.sender, came.recipients) == ("ann@home.dom", ("joe@host.dom",))
    assert b"Subject: Locators\r\n" in came.content
    assert b"na=C3=AFve" in came.content
    for line in ("from  ann@home.dom", "to    joe@host.dom", f"by    {relay}"):
        assert line in done.stderr


def test_json_and_the_dialogue(relay: SmtpAddress) -> None:
    done = run(relay, "--body", "x", "--yes", "--json", "-v")
    said = json.loads(done.stdout)
    assert said["url"] == "mailto:joe@host.dom"
    assert said["delivery"]["outcomes"] == [{"recipient": "joe@host.dom", "status": 250, "text": "2.0.0 queued as 1"}]
    assert "relay      > RCPT TO:<joe@host.dom>" in done.stderr


def test_without_a_terminal_nothing_is_sent_unless_it_is_meant(relay: SmtpAddress) -> None:
    done = run(relay, "--body", "x")
    assert done.returncode == 4
    assert "nothing was sent" in done.stderr
    assert "--yes" in done.stderr
    assert not relay.messages


@pytest.mark.parametrize(
    ("url", "code", "says_so"),
    [
        ("mailto:joe@host.dom?subject=hello", 4, "header fields"),
        ("mailto:%22a%0Ab%22@host.dom", 4, "control"),
        ("mailto:joe", 1, "addr"),
        ("mailto:nobody@host.dom", 3, "550 5.1.1"),
    ],
)
def test_refusals_and_their_exit_codes(relay: SmtpAddress, url: str, code: int, says_so: str) -> None:
    done = run(relay, "--body", "x", "--yes", "--json", url=url)
    assert done.returncode == code
    assert says_so in done.stderr
    assert "error" in json.loads(done.stdout)
    assert "\x1b" not in done.stderr + done.stdout
    assert not relay.messages


def test_the_url_of_another_scheme_names_no_address(relay: SmtpAddress) -> None:
    pytest.importorskip("urlschemes_http")
    done = run(relay, "--body", "x", "--yes", url="http://host.dom/")
    assert done.returncode == 4
    assert "names no mail address" in done.stderr


def test_what_is_missing_or_too_much(relay: SmtpAddress, tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(b"\xff")
    for arguments, says_so in (
        (["mailto:joe@host.dom", "--from", "a@b", "--body", "x"], "--relay"),
        (["mailto:joe@host.dom", "--relay", str(relay), "--body", "x"], "--from"),
        (
            ["mailto:joe@host.dom", "--relay", str(relay), "--from", "a@b", "--body", "x", str(tmp_path / "text")],
            "both",
        ),
        (["mailto:joe@host.dom", "--relay", str(relay), "--from", "a@b", str(tmp_path / "text")], "UTF-8"),
    ):
        done = subprocess.run(
            [*SEND, *arguments], check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIFETIME
        )
        assert done.returncode == 2
        assert says_so in done.stderr
    assert not relay.messages


def test_the_relay_and_the_sender_can_be_configured(relay: SmtpAddress, tmp_path: Path) -> None:
    folder = tmp_path / "urlschemes"
    folder.mkdir()
    (folder / "config.toml").write_text(
        f'[options.mailto]\nrelay = "{relay}"\nsender = "Bob <bob@home.dom>"\n', "utf-8"
    )
    done = subprocess.run(
        [*SEND, "mailto:joe@host.dom", "--body", "x", "--yes"],
        check=False,
        capture_output=True,
        text=True,
        timeout=LIFETIME,
        env={**os.environ, "XDG_CONFIG_HOME": str(tmp_path)},
    )
    assert done.returncode == 0, done.stderr
    (came,) = relay.messages
    assert came.sender == "bob@home.dom"
    assert b"From: Bob <bob@home.dom>\r\n" in came.content


@pytest.mark.parametrize("setting", ["confirm = true", 'message = "To: joe@host.dom"'])
def test_neither_the_consent_nor_the_message_can_be_configured(
    relay: SmtpAddress, tmp_path: Path, setting: str
) -> None:
    configuration = tmp_path / "config.toml"
    configuration.write_text(f"[options.mailto]\n{setting}\n", "utf-8")
    command = [*SEND[:-1], "--config", str(configuration), SEND[-1], "mailto:joe@host.dom"]
    done = subprocess.run(
        [*command, "--relay", str(relay), "--from", "ann@home.dom", "--body", "x", "--yes"],
        check=False,
        capture_output=True,
        text=True,
        timeout=LIFETIME,
    )
    assert done.returncode == 2
    assert "cannot be configured" in done.stderr
    assert not relay.messages


def test_a_message_lost_behind_the_dot_is_said_to_be_neither() -> None:
    acts = (
        says("220 r"),
        *(hears(), says("250 ok")) * 3,
        hears(),
        says("354 go"),
        lambda v: v.hear_until(b"\r\n.\r\n"),
    )
    with rogue(*acts, resets()) as server:
        done = run(server, "--body", "x", "--yes")
    assert done.returncode == 3
    assert "not known" in done.stderr
    assert len(server.heard) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
@pytest.mark.parametrize(("answer", "code"), [("y", 0), ("n", 4), ("", 4)])
def test_on_a_terminal_it_asks_and_the_default_is_no(relay: SmtpAddress, answer: str, code: int) -> None:
    ours, theirs = os.openpty()
    command = [*SEND, "mailto:joe@host.dom", "--relay", str(relay), "--from", "ann@home.dom"]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True) as process:
        os.close(theirs)
        try:
            seen = _until(ours, "Ctrl-D")
            os.write(ours, b"Typed \x1b[31mhere\n\x04")
            seen += _until(ours, "Send it? [y/N]")
            assert not relay.messages
            os.write(ours, answer.encode() + b"\n")
            seen += _until(ours, "took it" if code == 0 else "nothing was sent")
            assert process.wait(LIFETIME) == code
        finally:
            process.kill()
            os.close(ours)
    assert "Typed \\x1b[31mhere" in seen
    assert len(relay.messages) == (1 if code == 0 else 0)


def _until(terminal: int, wanted: str) -> str:
    """What a terminal shows up to `wanted`."""
    seen = b""
    ends = time.monotonic() + LIFETIME
    while wanted not in seen.decode("utf-8", "replace"):
        assert select.select([terminal], [], [], max(0.0, ends - time.monotonic()))[0], seen
        seen += os.read(terminal, 4096)
    return seen.decode("utf-8", "replace")
