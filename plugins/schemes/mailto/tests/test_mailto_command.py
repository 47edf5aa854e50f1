"""The command `urlschemes send`, with and without a terminal."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from urlschemes_cli.app import command
from urlschemes_servers.smtp import SmtpAddress, smtp_server
from urlschemes_testing.rogue import hears, hears_until, resets, rogue, says

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LIFETIME = 30


@pytest.fixture
def relay() -> Iterator[SmtpAddress]:
    with smtp_server(replies={"nobody@host.dom": "550 5.1.1 \x1b[2JNobody here"}) as address:
        yield address


def run(*arguments: str, text: str = "", env: dict[str, str] | None = None) -> Result:
    return CliRunner().invoke(command, list(arguments), input=text, env=env, prog_name="urlschemes")


def send(relay: object, *arguments: str, text: str = "", url: str = "mailto:joe@host.dom") -> Result:
    return run("send", url, "--relay", str(relay), "--from", "Ann <ann@home.dom>", *arguments, text=text)


@pytest.mark.parametrize("source", ["--body", "a file", "standard input"])
def test_a_message_is_shown_and_sent(relay: SmtpAddress, tmp_path: Path, source: str) -> None:
    text = "Hello\n.\nnaïve\n"
    file = tmp_path / "text"
    file.write_text(text, "utf-8")
    arguments = {"--body": ["--body", text], "a file": [str(file)], "standard input": []}[source]
    done = send(relay, *arguments, "--subject", "Locators", "--yes", text=text if source == "standard input" else "")
    assert (done.exit_code, done.stdout) == (0, f"joe@host.dom: accepted by {relay}: 250 2.0.0 queued as 1\n")
    (received,) = relay.messages
    assert "Subject: Locators\n" in done.stderr
    assert f"[{len(received.content)} octets in 12 lines; --show-all shows them]" in done.stderr
    assert "=C3" not in done.stderr
    assert (received.sender, received.recipients) == ("ann@home.dom", ("joe@host.dom",))
    assert b"Subject: Locators\r\n" in received.content
    assert b"na=C3=AFve" in received.content
    for line in ("from  ann@home.dom", "to    joe@host.dom", f"by    {relay}"):
        assert line in done.stderr


def test_show_all_shows_the_whole_message(relay: SmtpAddress) -> None:
    done = send(relay, "--body", "line\n" * 500, "--yes", "--show-all")
    (received,) = relay.messages
    assert received.content.decode() in "\r\n".join(done.stderr.split("\n"))


def test_credentials_are_not_sent_without_tls_and_nor_is_the_message(relay: SmtpAddress, tmp_path: Path) -> None:
    pytest.importorskip("urlschemes_netrc")
    file = tmp_path / "netrc"
    file.write_text(f"machine {relay.host} login ann password s3cret\n", "utf-8")
    file.chmod(0o600)
    arguments = ["send", "mailto:joe@host.dom", "--relay", str(relay), "--from", "a@b.dom", "--body", "x", "-y"]
    environment = {**os.environ, "NETRC": str(file)}
    done = run(*arguments, "--plugin-credentials", env=environment)
    assert (done.exit_code, len(relay.messages)) == (4, 0), done.output
    assert "TLS does not protect" in done.stderr
    for choice in ("login=false", "allow_cleartext=true"):
        done = run(*arguments, "--plugin-credentials", "--option", choice, env=environment)
        assert done.exit_code == 0, done.output


def test_json_and_verbose_output(relay: SmtpAddress) -> None:
    done = send(relay, "--body", "x", "--yes", "--json", "-v")
    output = json.loads(done.stdout)
    assert output["url"] == "mailto:joe@host.dom"
    assert output["delivery"]["outcomes"] == [{"recipient": "joe@host.dom", "status": 250, "text": "2.0.0 queued as 1"}]
    assert "relay      > RCPT TO:<joe@host.dom>" in done.stderr


def test_without_a_terminal_nothing_is_sent_unless_yes_is_given(relay: SmtpAddress) -> None:
    done = send(relay, "--body", "x")
    assert done.exit_code == 4
    assert "nothing was sent" in done.stderr
    assert "--yes" in done.stderr
    assert not relay.messages


@pytest.mark.parametrize(
    ("url", "code", "message"),
    [
        ("mailto:joe@host.dom?subject=hello", 4, "header fields"),
        ("mailto:%22a%0Ab%22@host.dom", 4, "control"),
        ("mailto:joe", 1, "addr"),
        ("mailto:nobody@host.dom", 3, "550 5.1.1"),
    ],
)
def test_a_refusal_has_its_exit_code(relay: SmtpAddress, url: str, code: int, message: str) -> None:
    done = send(relay, "--body", "x", "--yes", "--json", "--profile", "rfc1738", url=url)
    assert done.exit_code == code
    assert message in done.stderr
    assert "error" in json.loads(done.stdout)
    assert "\x1b" not in done.stderr + done.stdout
    assert not relay.messages


def test_a_url_of_another_scheme_is_refused(relay: SmtpAddress) -> None:
    pytest.importorskip("urlschemes_http")
    done = send(relay, "--body", "x", "--yes", url="http://host.dom/")
    assert done.exit_code == 4
    assert "names no mail address" in done.stderr


def test_missing_and_contradictory_options_are_usage_errors(relay: SmtpAddress, tmp_path: Path) -> None:
    file = tmp_path / "text"
    file.write_bytes(b"\xff")
    for arguments, message in (
        (["--from", "a@b", "--body", "x"], "--relay"),
        (["--relay", str(relay), "--body", "x"], "--from"),
        (["--relay", str(relay), "--from", "a@b", "--body", "x", str(file)], "cannot be used together"),
        (["--relay", str(relay), "--from", "a@b", str(file)], "UTF-8"),
    ):
        done = run("send", "mailto:joe@host.dom", *arguments)
        assert done.exit_code == 2
        assert message in done.stderr
    assert not relay.messages


def test_relay_and_sender_can_be_configured(relay: SmtpAddress, tmp_path: Path) -> None:
    (tmp_path / "urlschemes").mkdir()
    (tmp_path / "urlschemes" / "config.toml").write_text(
        f'[options.mailto]\nrelay = "{relay}"\nsender = "Bob <bob@home.dom>"\n', "utf-8"
    )
    done = run(
        "send", "mailto:joe@host.dom", "--body", "x", "--yes", env={**os.environ, "XDG_CONFIG_HOME": str(tmp_path)}
    )
    assert done.exit_code == 0, done.stderr
    (received,) = relay.messages
    assert received.sender == "bob@home.dom"
    assert b"From: Bob <bob@home.dom>\r\n" in received.content


@pytest.mark.parametrize("setting", ["confirm = true", 'message = "To: joe@host.dom"'])
def test_confirmation_and_message_cannot_be_configured(relay: SmtpAddress, tmp_path: Path, setting: str) -> None:
    configuration = tmp_path / "config.toml"
    configuration.write_text(f"[options.mailto]\n{setting}\n", "utf-8")
    arguments = ["--relay", str(relay), "--from", "ann@home.dom", "--body", "x", "--yes"]
    done = run("--config", str(configuration), "send", "mailto:joe@host.dom", *arguments)
    assert done.exit_code == 2
    assert "cannot be configured" in done.stderr
    assert not relay.messages


def test_a_message_lost_after_the_dot_is_reported_as_indeterminate() -> None:
    envelope = (says("220 r"), *(hears(), says("250 ok")) * 3)
    with rogue(*envelope, hears(), says("354 go"), hears_until(b"\r\n.\r\n"), resets()) as server:
        done = send(server, "--body", "x", "--yes")
    assert done.exit_code == 3
    assert "not known" in done.stderr
    assert len(server.heard) == 1


@pytest.mark.slow
def test_a_piped_text_that_is_not_sent_is_named() -> None:
    url = "mailto:joe@host.dom?body=y"
    words = ["--no-config", "--profile", "rfc3986", "send", url, "--relay", "h", "--from", "a@b.dom"]
    program = [sys.executable, "-m", "urlschemes_cli", *words]
    for file, sent, noted in (([], "\ny\n", True), (["-"], "\nhello\n", False)):
        words = [*program, *file]
        done = subprocess.run(words, check=False, input="hello", capture_output=True, text=True, timeout=LIFETIME)
        assert (sent in done.stderr, "standard input is not read, unless FILE is -" in done.stderr) == (True, noted)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
@pytest.mark.parametrize(("answer", "code"), [("y", 0), ("n", 4), ("", 4)])
def test_on_a_terminal_send_asks_and_the_default_is_no(relay: SmtpAddress, answer: str, code: int) -> None:
    ours, theirs = os.openpty()
    arguments = ["send", "mailto:joe@host.dom", "--relay", str(relay), "--from", "ann@home.dom"]
    program = [sys.executable, "-W", "error", "-m", "urlschemes_cli", *arguments]
    with subprocess.Popen(program, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True) as process:
        os.close(theirs)
        try:
            seen = _until(ours, "Ctrl-D")
            os.write(ours, b"Typed \x1b[31mhere\n" + b"last\n" * 100 + b"\x04")
            seen += _until(ours, "Send it? [y/N]")
            assert not relay.messages
            os.write(ours, answer.encode() + b"\n")
            seen += _until(ours, "accepted by" if code == 0 else "nothing was sent")
            assert process.wait(LIFETIME) == code
        finally:
            process.kill()
            os.close(ours)
    assert "Typed \\x1b[31mhere" in seen
    shown = seen.partition("MIME-Version")[2]
    assert (shown.count("last\r\n"), "[69 more lines; --show-all shows them]" in shown) == (31, True)
    assert len(relay.messages) == (1 if code == 0 else 0)


def _until(terminal: int, expected: str) -> str:
    """Read what the terminal shows until `expected` is in it."""
    seen = b""
    ends = time.monotonic() + LIFETIME
    while expected not in seen.decode("utf-8", "replace"):
        assert select.select([terminal], [], [], max(0.0, ends - time.monotonic()))[0], seen
        seen += os.read(terminal, 4096)
    return seen.decode("utf-8", "replace")
