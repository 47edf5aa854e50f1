"""The attributes of files: FEAT (RFC 2389), SIZE, MDTM and MLST (RFC 3659)."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from urlschemes.grammar.octets import text_of
from urlschemes_access.attributes import Attributes, media_type_of
from urlschemes_access.protocol.replies import command_name
from urlschemes_ftp.url_path import file_name, names_directory, representation_type

if TYPE_CHECKING:
    from urlschemes_access.protocol import Algorithm
    from urlschemes_access.protocol.replies import Reply
    from urlschemes_ftp import FtpURL
    from urlschemes_ftp.control import Control

__all__ = [
    "fetch_attributes",
    "fetch_features",
    "fetch_size",
    "parse_facts",
    "parse_size",
    "parse_time",
]

_TIME = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})(?:\.([0-9]{1,6})[0-9]*)?")
_SIZE = re.compile(r"[0-9]{1,18}")


def fetch_features(control: Control) -> Algorithm[frozenset[bytes]]:
    """Return the extensions that the server lists in its reply to FEAT; none if it does not know the command."""
    reply = yield from control.command(b"FEAT")
    if reply.kind == 5:
        return frozenset()
    lines = reply.checked("FEAT", 2).lines[1:-1]
    return frozenset(line.split()[0].upper() for line in lines if line.strip())


def fetch_size(control: Control, url: FtpURL) -> Algorithm[int | None]:
    """Return the size that the server announces for the file; None if it announces none."""
    return parse_size(_value((yield from _ask(control, b"SIZE " + file_name(url)))))


def fetch_attributes(control: Control, url: FtpURL) -> Algorithm[Attributes]:
    """Return the attributes of what `url` names: by MLST if the server has it, else by MDTM and SIZE."""
    if b"MLST" in (yield from fetch_features(control)):
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
        modified=parse_time(facts.get("modify", "")),
        fields=facts,
    )


def _by_size_and_time(control: Control, url: FtpURL) -> Algorithm[Attributes]:
    """Send MDTM and, for `TYPE I`, SIZE. Raises RemoteError if the server refuses both."""
    modified = yield from _ask(control, b"MDTM " + file_name(url))
    size = None
    if representation_type(url) == b"I":
        size = yield from _ask(control, b"SIZE " + file_name(url))
        if modified.code != 213:
            size.checked(command_name(b"SIZE " + file_name(url)), 213)
    else:
        modified.checked(command_name(b"MDTM " + file_name(url)), 213)
    return Attributes(
        media_type=media_type_of(url.name),
        name=url.name,
        size=None if size is None else parse_size(_value(size)),
        modified=parse_time(_value(modified)),
    )


def _ask(control: Control, command: bytes) -> Algorithm[Reply]:
    """Send SIZE or MDTM, which servers need not know: their refusal is no error, except for 421 (closing)."""
    reply = yield from control.command(command)
    return reply.checked(command_name(command), 213) if reply.code == 421 or reply.kind not in (4, 5) else reply


def _value(reply: Reply) -> str:
    return text_of(reply.words) if reply.code == 213 else ""


def parse_facts(line: bytes) -> tuple[dict[str, str], bytes | None]:
    """Return the facts of a line by their names in lower case, and the file's name; `({}, None)` for other lines."""
    facts, space, name = line.partition(b" ")
    pairs = [text_of(fact).partition("=") for fact in facts.split(b";") if fact]
    if not space or not all(equals for _, equals, _ in pairs):
        return {}, None
    return {key.lower(): value for key, _, value in pairs}, name


def parse_size(text: str) -> int | None:
    """Return a number of octets; None if `text` is not a number."""
    return int(text) if _SIZE.fullmatch(text) else None


def parse_time(text: str) -> datetime | None:
    """Return a time written as YYYYMMDDHHMMSS.sss in UTC (RFC 3659 section 2.3); None if `text` is not one."""
    match = _TIME.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(digits) for digits in match.groups()[:6])
    microsecond = int((match[7] or "").ljust(6, "0"))
    try:
        return datetime(year, month, day, hour, minute, second, microsecond, tzinfo=UTC)
    except ValueError:
        return None
