"""Listings of directories: by MLSD, else by LIST, else by NLST.

None of them is sent with an argument, since servers take a leading `-` for an option and `*` for a pattern.
"""

from __future__ import annotations

import re
from collections import deque
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from urlschemes.grammar.octets import text_of
from urlschemes_access.attributes import Attributes, Entry, name_of, without_fragment
from urlschemes_access.errors import LimitExceeded, RemoteError
from urlschemes_access.protocol import LINE, Algorithm, Close, Deliver, Open
from urlschemes_access.protocol.replies import CONTROL_OCTET
from urlschemes_access.protocol.times import plain_time
from urlschemes_ftp.control import UNKNOWN_COMMAND
from urlschemes_ftp.data_connection import Download, open_data_connection
from urlschemes_ftp.facts import parse_facts, parse_size
from urlschemes_ftp.long_format import ListedFile, parse_long_format
from urlschemes_ftp.url_path import directory_url

if TYPE_CHECKING:
    from collections.abc import Iterator

    from urlschemes_ftp import FtpURL
    from urlschemes_ftp.control import Control

__all__ = ["deliver_directory", "find_file"]

_NO_FILES = re.compile(rb"no files", re.IGNORECASE)
_TOTAL = re.compile(rb"total [0-9]+[kKMG]?")


def deliver_directory(control: Control, url: FtpURL) -> Algorithm[None]:
    """Deliver the entries of the working directory."""
    reader = DirectoryReader(directory_url(url))
    lines: DirectoryLines | None
    if b"MLST" in (yield from control.features()):
        command, entries_of = "MLSD", reader.entries_of_facts
        yield from control.carry_out(b"TYPE A")
        lines = yield from _begin(control, command)
    else:
        command, entries_of = "LIST", reader.entries_of_long_format
        yield from control.carry_out(b"TYPE A")
        lines = yield from _begin_list(control)
    fields = {"command": command}
    if lines is None:
        lines, entries_of = (yield from _begin(control, "NLST")), reader.entries_of_name
        fields = {"command": "NLST", "fallback": "only names: the server has no MLSD, and no LIST that can be read"}
    yield from Open("listing", Attributes(name=url.name or None, fields=fields))
    while (line := (yield from lines.next())) is not None:
        for entry in entries_of(line):
            yield from Deliver(entry)


def find_file(control: Control, name: bytes) -> Algorithm[ListedFile | None]:
    """Return the file of this name in the working directory, by LIST; None if LIST does not show it."""
    yield from control.carry_out(b"TYPE A")
    lines = yield from _begin_list(control)
    now = datetime.now(UTC)
    found = None
    while lines is not None and (line := (yield from lines.next())) is not None:
        listed = parse_long_format(line, now)
        if listed is not None and listed.name == name:
            found = listed
    return found


def _begin_list(control: Control) -> Algorithm[DirectoryLines | None]:
    """Send LIST; return None if the server does not know it, or if its first line cannot be read."""
    try:
        lines = yield from _begin(control, "LIST")
    except RemoteError as refusal:
        if refusal.status in UNKNOWN_COMMAND:
            return None
        raise
    first = yield from lines.skip_total()
    if first is None or parse_long_format(first, datetime.now(UTC)):
        return lines
    while (yield from lines.next()) is not None:
        pass  # the next command may follow only the end of the transfer
    return None


def _begin(control: Control, command: str) -> Algorithm[DirectoryLines]:
    """Begin the transfer of a directory. Raises RemoteError if the server refuses it."""
    data = yield from open_data_connection(control)
    reply = yield from control.command(command.encode())
    if reply.code in (450, 550) and _NO_FILES.search(reply.words):  # many servers say so of an empty directory
        return DirectoryLines(None)
    if reply.code in UNKNOWN_COMMAND:
        yield from Close(data)  # another command opens its own
    reply.checked(command, 1)
    return DirectoryLines(Download(control, data, command))


class DirectoryLines:
    """The lines of a directory; none without a `transfer`."""

    __slots__ = ("_lines", "_rest", "_transfer")

    def __init__(self, transfer: Download | None) -> None:
        self._transfer = transfer
        self._lines: deque[bytes] = deque()
        self._rest = b""

    def next(self) -> Algorithm[bytes | None]:
        """Return the next line that is not empty; None after the server confirmed that this was all."""
        while not self._lines and self._transfer is not None:
            octets = yield from self._transfer.receive()
            *lines, self._rest = (self._rest + octets).split(b"\n")
            if any(len(line) > LINE for line in (*lines, self._rest)):
                raise LimitExceeded(f"a line of the listing is longer than {LINE} octets", limit="line", value=LINE)
            if not octets:
                yield from self._transfer.confirm()
                self._transfer = None
                lines = [self._rest]  # the last line may lack its line end
            self._lines.extend(line for each in lines if (line := each.removesuffix(b"\r")))
        return self._lines.popleft() if self._lines else None

    def skip_total(self) -> Algorithm[bytes | None]:
        """Skip the line `total N` with which Unix begins; return the next line, which `next` will return again."""
        line = yield from self.next()
        if line is not None and _TOTAL.fullmatch(line):
            line = yield from self.next()
        if line is not None:
            self._lines.appendleft(line)
        return line


class DirectoryReader:
    """Makes entries from the lines of a directory. `url` is that of the directory and ends in `/`."""

    __slots__ = ("_name_part", "_now", "_url")

    def __init__(self, url: FtpURL) -> None:
        self._url = without_fragment(url)
        self._name_part = url.syntax.parts["name"]
        self._now = datetime.now(UTC)

    def entries_of_name(self, line: bytes) -> Iterator[Entry]:
        """Yield the entry of a line of NLST, which is a name."""
        yield self._entry(ListedFile(line, None, None, {}))

    def entries_of_facts(self, line: bytes) -> Iterator[Entry]:
        """Yield the entry of a line of MLSD: facts and a name. The directory itself and its parent are left out."""
        facts, name = parse_facts(line)
        if name is None:
            yield Entry(name=name_of(line), problem="the line does not have the form of facts and a name")
        elif facts.get("type", "").lower() not in ("cdir", "pdir"):
            size, modified = parse_size(facts.get("size", "")), plain_time(facts.get("modify", ""))
            yield self._entry(ListedFile(name, size, modified, facts))

    def entries_of_long_format(self, line: bytes) -> Iterator[Entry]:
        """Yield the entry of a line of LIST. The directory itself and its parent are left out."""
        listed = parse_long_format(line, self._now)
        if listed is None:
            yield Entry(name=name_of(line), problem="the line has neither the form of Unix nor that of Windows")
        elif listed.name not in (b".", b".."):
            yield self._entry(listed)

    def _entry(self, listed: ListedFile) -> Entry:
        kind = listed.fields.get("type", "").lower()
        kind = "directory" if kind == "dir" else kind
        problem = _problem(listed.name)
        url = self._url + self._name_part.written(text_of(listed.name)) + ("/" if kind == "directory" else "")
        return Entry(
            name=name_of(listed.name),
            url=url if problem is None else None,
            kind=kind,
            size=listed.size,
            modified=listed.modified,
            precision=listed.precision,
            fields=listed.fields,
            problem=problem,
        )


def _problem(name: bytes) -> str | None:
    """Return why a file with this name cannot be accessed, or None."""
    if not name:
        return "the name is empty"
    if name in (b".", b".."):
        return "the name means the directory itself or its parent"
    if CONTROL_OCTET.search(name):
        return "the name contains a control character, which no command can carry"
    return None
