"""The command `urlschemes send`: show a message, ask for confirmation, and submit it."""

from __future__ import annotations

import os
import stat
import sys
from typing import IO, TYPE_CHECKING, Any, cast

import click

from urlschemes.errors import UnsupportedOperation
from urlschemes.redaction import redact
from urlschemes_access.errors import PolicyDenied
from urlschemes_cli.access_options import with_access_options
from urlschemes_cli.exit_codes import FAILED
from urlschemes_cli.options import json_option, url_argument
from urlschemes_cli.output.json_output import write_json
from urlschemes_cli.output.progress import progress_of_sending
from urlschemes_cli.output.text import safe_line, write_line, write_note
from urlschemes_mailto.url_types import MailURL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from email.message import EmailMessage

    from urlschemes_access.configuration import Setting
    from urlschemes_access.credentials import Credentials
    from urlschemes_access.protocol import Authenticate, Authenticator
    from urlschemes_cli.access_options import AccessOptions
    from urlschemes_cli.settings import Settings
    from urlschemes_mailto import Delivery, Submission

__all__ = ["send"]

SHOWN_LINES = 40
"""Lines of a message that are shown before the question, without --show-all."""
SUMMARY = ("From", "To", "Cc", "Subject", "Keywords", "In-Reply-To", "References", "Date")
"""Header fields that are shown with --yes."""


@click.command(short_help="Send a message to the addresses of a mailto URL.")
@url_argument
@click.argument("file", type=click.File(encoding="utf-8"), required=False)
@click.option(
    "--relay", metavar="HOST[:PORT]", help="Mail server that accepts the message, unless configured. Default port: 587."
)
@click.option(
    "--from", "sender", metavar="ADDRESS", help="Sender, unless configured: ann@host.dom or 'Ann <ann@host.dom>'."
)
@click.option("--subject", metavar="TEXT", help="Subject of the message, instead of that of the URL.")
@click.option("--body", metavar="TEXT", help="Text of the message, instead of FILE.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask for confirmation, and show only a summary of the message.")
@click.option("--show-all", is_flag=True, help=f"Show the whole message, not only its first {SHOWN_LINES} lines.")
@json_option
@with_access_options
@click.pass_obj
def send(
    settings: Settings,
    url: str,
    file: IO[str] | None,
    relay: str | None,
    sender: str | None,
    subject: str | None,
    body: str | None,
    access_options: AccessOptions,
    *,
    yes: bool,
    show_all: bool,
    as_json: bool,
) -> None:
    """Send a message to the addresses of URL, a mailto URL.

    The text of the message is --body, or the contents of FILE, or the body in the URL, or standard input. A URL may
    have several addresses and header fields, except with --profile rfc1738; the command names the fields that it does
    not use. It shows the envelope and the first lines of the message before it sends anything. On a terminal it asks
    for confirmation; elsewhere --yes is required. If the relay refuses some recipients, the others get the message,
    and the exit code is 3. The relay may still fail to deliver a message that it accepted. The options of the scheme
    are starttls (if offered, required or never), login and allow_cleartext, as in --option starttls=required.
    """
    # Late: composing a message imports email, which takes long.
    from urlschemes_mailto.header_fields import unused_fields
    from urlschemes_mailto.message import compose, message_octets, submission_of

    if body is not None and file is not None:
        raise click.UsageError("--body and FILE cannot be used together")
    client = settings.client_for(url)
    parsed = _mail_url(client.registry.parse(url))
    configured = client.configuration.options(client.registry.registration(parsed.scheme))
    relay = _option_or_setting("relay", relay, configured, "relay")
    sender = _option_or_setting("from", sender, configured, "sender")
    if body is None and (file is not None or not parsed.values("body")):
        body = _read_text(file)
    elif body is None and _is_piped():
        write_note("the text is the body of the URL: standard input is not read, unless FILE is -")
    message = compose(parsed, subject=subject, body=body, sender=sender)
    submission = submission_of(message_octets(message), relay=relay)
    unused = unused_fields(parsed)
    if unused:
        write_note(f"header fields of the URL that are not used: {', '.join(unused)}")
    _show(submission, message if yes else None, show_all=show_all)
    if not yes:
        _confirm()
    arguments = access_options.arguments(client, url, "send")
    content = {"message": submission.message, "relay": relay, "sender": submission.sender, "confirm": True}
    arguments["options"] = {**arguments["options"], **content}
    if callable(arguments["credentials"]) and not _allows_cleartext(arguments["options"], configured):
        known = client.credentials_from_hooks if access_options.plugin_credentials else None
        arguments["credentials"] = _without_prompt_in_cleartext(arguments["credentials"], known)
    progress = progress_of_sending(is_typed=False)
    arguments["trace"] = arguments["trace"] or progress.tracer
    with progress.transfer(len(submission.message)):
        delivery = cast("Delivery", client.operate("send", parsed, **arguments))
    _show_delivery(delivery, url, unused, as_json=as_json)
    if delivery.refused:
        click.get_current_context().exit(FAILED)


def _mail_url(url: object) -> MailURL:
    if not isinstance(url, MailURL):
        raise UnsupportedOperation(f"{safe_line(str(url))} names no mail address", hint="pass a mailto URL")
    return url


def _option_or_setting(option: str, value: str | None, configured: Mapping[str, Setting], name: str) -> str:
    """Return the value of a command-line option, or else the setting `name` of the configuration file."""
    if value is None and name in configured:
        return str(configured[name].value)
    if not value:
        raise click.UsageError(
            f"--{option} is required unless [options.mailto] sets `{name}` in the configuration file"
        )
    return value


def _is_piped() -> bool:
    """Return True if standard input is a pipe or a file."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except OSError:
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode)


def _read_text(file: IO[str] | None) -> str:
    file = file or sys.stdin
    if file.isatty():
        write_note("type the text; end it with Ctrl-D on a line of its own (on Windows: Ctrl-Z)")
    try:
        return file.read()
    except UnicodeDecodeError:
        raise click.UsageError("the text is not UTF-8") from None


def _allows_cleartext(options: Mapping[str, Any], configured: Mapping[str, Setting]) -> bool:
    if "allow_cleartext" in options or "allow_cleartext" not in configured:
        return bool(options.get("allow_cleartext"))
    return str(configured["allow_cleartext"].value).lower() not in ("false", "no", "off", "0")


def _without_prompt_in_cleartext(prompt: Authenticator | None, known: Authenticator | None) -> Authenticator:
    """Return a function that does not ask for a password that would not be sent, and still uses one that is known."""

    def ask(request: Authenticate) -> Credentials | None:
        authenticator = prompt if request.protected else known
        return authenticator(request) if authenticator is not None else None

    return ask


def _show(submission: Submission, summarized: EmailMessage | None, *, show_all: bool) -> None:
    """Show the envelope and the first lines of the message, or a summary of its header; with `show_all`, everything."""
    if show_all:
        rows = [str(submission).removesuffix("\n")]
    elif summarized is not None:
        fields = [safe_line(f"{name}: {summarized[name]}") for name in SUMMARY if name in summarized]
        lines = submission.message.count(b"\r\n")
        size = f"{len(submission.message)} octets in {lines} lines"
        rows = [submission.envelope, "", *fields, "", f"[{size}; --show-all shows them]"]
    else:
        text, left_out = submission.first_lines(SHOWN_LINES)
        rows = [submission.envelope, "", text]
        if left_out:
            rows.append(f"[{left_out} more lines; --show-all shows them]")
    for row in "\n".join(rows).split("\n"):
        write_line(row, stream=sys.stderr)


def _confirm() -> None:
    """Ask for confirmation. Raise PolicyDenied without it."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise PolicyDenied(
            "nothing was sent: there is no terminal to ask for confirmation",
            scheme="mailto",
            rule="confirm",
            hint="--yes sends without asking",
        )
    if not click.confirm("\nSend it?", default=False, err=True):
        raise PolicyDenied("nothing was sent: the message was not confirmed", scheme="mailto", rule="confirm")


def _show_delivery(delivery: Delivery, url: str, unused: Sequence[str], *, as_json: bool) -> None:
    if as_json:
        outcomes = [
            {"recipient": each.recipient, "status": each.status, "text": each.text} for each in delivery.outcomes
        ]
        facts = {"sender": delivery.sender, "relay": delivery.relay, "size": delivery.size, "outcomes": outcomes}
        write_json({"url": redact(url), "delivery": facts, "unused_fields": list(unused)})
        return
    for outcome in delivery.outcomes:
        verdict = "accepted" if outcome.accepted else "REFUSED"
        reply = f"{outcome.status} {outcome.text}".rstrip()
        write_line(safe_line(f"{outcome.recipient}: {verdict} by {delivery.relay}: {reply}"))
