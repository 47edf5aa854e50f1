"""The attributes of files: by MLST, SIZE and MDTM (RFC 3659), or by LIST from servers without these commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.grammar.octets import text_of
from urlschemes_access.attributes import Attributes, media_type_of
from urlschemes_access.protocol.replies import command_name
from urlschemes_access.protocol.times import plain_time
from urlschemes_ftp.control import UNKNOWN_COMMAND
from urlschemes_ftp.facts import parse_facts, parse_size
from urlschemes_ftp.listing import find_file
from urlschemes_ftp.url_path import file_name, names_directory, refusal_of_file, representation_type

if TYPE_CHECKING:
    from datetime import datetime

    from urlschemes_access.protocol import Algorithm
    from urlschemes_access.protocol.replies import Reply
    from urlschemes_ftp import FtpURL
    from urlschemes_ftp.control import Control

__all__ = ["fetch_attributes", "fetch_size", "fetch_time"]


def fetch_size(control: Control, url: FtpURL) -> Algorithm[int | None]:
    """Return the size that the server announces for the file; None if it announces none."""
    return parse_size(_value((yield from _ask(control, b"SIZE " + file_name(url)))))


def fetch_time(control: Control, url: FtpURL) -> Algorithm[datetime | None]:
    """Return when the file was modified; None if the server does not say."""
    return plain_time(_value((yield from _ask(control, b"MDTM " + file_name(url)))))


def fetch_attributes(control: Control, url: FtpURL) -> Algorithm[Attributes]:
    """Return the attributes of what `url` names: by MLST if the server has it, else by MDTM, SIZE and LIST."""
    if b"MLST" in (yield from control.features()):
        return (yield from _by_facts(control, url))
    if names_directory(url):
        # The server accepted CWD, so the directory exists; RFC 959 has no command that says more.
        return Attributes(name=url.name or None, fields={"type": "dir"})
    return (yield from _by_size_and_time(control, url))


def _by_facts(control: Control, url: FtpURL) -> Algorithm[Attributes]:
    """Send MLST: the facts are in an indented line of the reply (RFC 3659 section 7.2)."""
    is_directory = names_directory(url)
    command = b"MLST" if is_directory else b"MLST " + file_name(url)
    reply = yield from control.carry_out(command)
    for line in reply.lines[1:-1]:
        facts, _ = parse_facts(line.removeprefix(b" "))
        if facts:
            break
    else:
        raise reply.unexpected(command_name(command), "a line of facts")
    size_counts = not is_directory and representation_type(url) == b"I"
    return Attributes(
        media_type=None if is_directory else media_type_of(url.name),
        name=url.name or None,
        size=parse_size(facts.get("size", "")) if size_counts else None,
        modified=plain_time(facts.get("modify", "")),
        fields=facts,
    )


def _by_size_and_time(control: Control, url: FtpURL) -> Algorithm[Attributes]:
    """Send MDTM and, for `TYPE I`, SIZE; if the server does not know them, search for the file in its directory.

    Raises RemoteError if the server has nothing about the file.
    """
    is_binary = representation_type(url) == b"I"
    time_command, size_command = b"MDTM " + file_name(url), b"SIZE " + file_name(url)
    time = yield from _ask(control, time_command)
    size = (yield from _ask(control, size_command)) if is_binary else None
    listed = None
    if any(reply is not None and reply.code in UNKNOWN_COMMAND for reply in (time, size)):
        listed = yield from find_file(control, file_name(url))
    refused, command = (time, time_command) if size is None else (size, size_command)
    if listed is None and 213 not in (time.code, refused.code):
        raise (yield from refusal_of_file(control, url, refused, command))
    listed_size = listed.size if listed and is_binary else None
    return Attributes(
        media_type=media_type_of(url.name),
        name=url.name,
        size=listed_size if size is None or size.code != 213 else parse_size(_value(size)),
        modified=listed.modified if listed and time.code != 213 else plain_time(_value(time)),
        precision=listed.precision if listed and time.code != 213 else "second",
        fields=listed.fields if listed else {},
    )


def _ask(control: Control, command: bytes) -> Algorithm[Reply]:
    """Send SIZE or MDTM, which servers need not know: their refusal is not an error, except for 421 (closing)."""
    reply = yield from control.command(command)
    return reply.checked(command_name(command), 213) if reply.code == 421 or reply.kind not in (4, 5) else reply


def _value(reply: Reply) -> str:
    return text_of(reply.words) if reply.code == 213 else ""
