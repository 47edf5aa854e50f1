"""The command `urlschemes send`: a message shown, asked about, and submitted."""

from __future__ import annotations

import sys
from typing import IO, TYPE_CHECKING, cast

import click

from urlschemes.errors import UnsupportedOperation
from urlschemes_access.errors import PolicyDenied
from urlschemes_cli.access_options import with_access_options
from urlschemes_cli.options import json_option
from urlschemes_cli.output.json_output import errors_as_json, write_json
from urlschemes_cli.output.text import safe_line, write_line, write_note

if TYPE_CHECKING:
    from collections.abc import Mapping

    from urlschemes_access.configuration import Setting
    from urlschemes_cli.access_options import AccessOptions
    from urlschemes_cli.settings import Settings
    from urlschemes_mailto import Delivery, MailtoURL, Submission

__all__ = ["send"]


@click.command(short_help="Send a message to the address of a mailto URL.")
@click.argument("url")
@click.argument("file", type=click.File(encoding="utf-8"), required=False)
@click.option("--relay", metavar="HOST[:PORT]", help="Who takes the message, unless configured. Without a port: 587.")
@click.option(
    "--from", "sender", metavar="ADDRESS", help="Who sends it, unless configured: ann@host.dom, or with a name."
)
@click.option("--subject", default="", metavar="TEXT", help="What it is about.")
@click.option("--body", metavar="TEXT", help="Its text, in place of FILE.")
@click.option(
    "--starttls",
    type=click.Choice(["if offered", "required", "never"]),
    help="Whether to go over to TLS; if offered, unless configured.",
)
@click.option("--allow-cleartext", is_flag=True, help="Log in without TLS too: others can read the password.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask: what is sent is known.")
@json_option
@with_access_options
@click.pass_obj
def send(
    settings: Settings,
    url: str,
    file: IO[str] | None,
    relay: str | None,
    sender: str | None,
    subject: str,
    body: str | None,
    starttls: str | None,
    access_options: AccessOptions,
    *,
    allow_cleartext: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Send a message to the address of a mailto URL, and to nobody else.

    Its text is that of --body, of FILE, or of standard input. Envelope and message are shown before anything is sent.
    On a terminal you are asked; elsewhere --yes says that it is meant. What a relay took may still fail to arrive.
    """
    if body is not None and file is not None:
        raise click.UsageError("the text is that of --body or of FILE, not of both")
    from urlschemes_mailto import compose, registration
    from urlschemes_mailto.message import message_octets, submission_of

    client = settings.client
    with errors_as_json(url, enabled=as_json):
        parsed = _address(client.registry.parse(url))
        configured = client.configuration.options(registration)
        relay, sender = (_told(name, value, configured) for name, value in (("relay", relay), ("from", sender)))
        text = _text(file) if body is None else body
        message = message_octets(compose(parsed, subject=subject, body=text, sender=sender))
        submission = submission_of(message, relay=relay)
        _confirm(submission, yes=yes)
        arguments = access_options.arguments(client, url, "send")
        options = {
            **arguments["options"],
            "message": submission.message,
            "relay": relay,
            "sender": submission.sender,
            "confirm": True,
        }
        if starttls is not None:
            options["starttls"] = starttls
        if allow_cleartext:
            options["allow_cleartext"] = True
        arguments["options"] = options
        delivery = cast("Delivery", client.operate("send", parsed, **arguments))
    if as_json:
        outcomes = [
            {"recipient": each.recipient, "status": each.status, "text": each.text} for each in delivery.outcomes
        ]
        facts = {"sender": delivery.sender, "relay": delivery.relay, "size": delivery.size, "outcomes": outcomes}
        write_json({"url": safe_line(url), "delivery": facts})
        return
    for outcome in delivery.outcomes:
        write_line(
            safe_line(f"{outcome.recipient}: {delivery.relay} took it: {outcome.status} {outcome.text}".rstrip())
        )


def _address(url: object) -> MailtoURL:
    from urlschemes_mailto import MailtoURL

    if not isinstance(url, MailtoURL):
        raise UnsupportedOperation(f"{safe_line(str(url))} names no mail address", hint="a mailto URL does")
    return url


def _told(option: str, value: str | None, configured: Mapping[str, Setting]) -> str:
    """What the option says, or the configuration in its place."""
    name = {"from": "sender"}.get(option, option)
    if value is None and name in configured:
        return str(configured[name].value)
    if not value:
        raise click.UsageError(f"--{option} is missing, and `{name}` is not configured in [options.mailto] either")
    return value


def _text(file: IO[str] | None) -> str:
    file = file or sys.stdin
    if file.isatty():
        write_note("type the text; a line with Ctrl-D alone ends it (on Windows: Ctrl-Z)")
    try:
        return file.read()
    except UnicodeDecodeError:
        raise click.UsageError("the text is not in UTF-8") from None


def _confirm(submission: Submission, *, yes: bool) -> None:
    """Show what will be sent, and ask whether it is to be. Raises PolicyDenied."""
    for row in str(submission).removesuffix("\n").split("\n"):
        write_line(row, stream=sys.stderr)
    if yes:
        return
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise PolicyDenied(
            "nothing was sent: nobody is there to be asked",
            scheme="mailto",
            rule="confirm",
            hint="--yes says it is meant",
        )
    if not click.confirm("\nSend it?", default=False, err=True):
        raise PolicyDenied("nothing was sent: the answer was no", scheme="mailto", rule="confirm")
