"""Entries of a directory, from the lines that NLST and MLSD send."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.grammar.octets import text_of
from urlschemes_access.attributes import Entry
from urlschemes_access.protocol.replies import CONTROL_OCTET
from urlschemes_ftp import FtpURL
from urlschemes_ftp.attributes import parse_facts, parse_size, parse_time

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["DirectoryReader"]


class DirectoryReader:
    """Makes entries from the lines of a directory listing. `url` is that of the directory and ends in `/`."""

    __slots__ = ("_name_part", "_url")

    def __init__(self, url: FtpURL) -> None:
        self._url = str(url)
        self._name_part = FtpURL.syntax.parts["name"]

    def entries_of_name(self, line: bytes) -> Iterator[Entry]:
        """Yield the entry of a line of NLST, which is a name; nothing for an empty line."""
        if line:
            yield self._entry(line, kind="", facts={})

    def entries_of_facts(self, line: bytes) -> Iterator[Entry]:
        """Yield the entry of a line of MLSD: facts and a name. The directory itself and its parent are left out."""
        if not line:
            return
        facts, name = parse_facts(line)
        if name is None:
            yield Entry(name=text_of(line), problem="the line has not the form of facts and a name")
            return
        kind = facts.get("type", "").lower()
        if kind not in ("cdir", "pdir"):
            yield self._entry(name, kind={"dir": "directory"}.get(kind, kind), facts=facts)

    def _entry(self, name: bytes, *, kind: str, facts: dict[str, str]) -> Entry:
        text = text_of(name)
        problem = _problem(name)
        url = self._url + self._name_part.written(text) + ("/" if kind == "directory" else "")
        return Entry(
            name=text,
            url=url if problem is None else None,
            kind=kind,
            size=parse_size(facts.get("size", "")),
            modified=parse_time(facts.get("modify", "")),
            fields=facts,
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
