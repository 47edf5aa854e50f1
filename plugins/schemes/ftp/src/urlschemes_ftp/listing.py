"""The directory that is listed: entries, with their URLs, of the lines that NLST and MLSD send."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.grammar.octets import text_of
from urlschemes_access.attributes import Entry
from urlschemes_access.protocol.replies import CONTROL_OCTET
from urlschemes_ftp import FtpURL
from urlschemes_ftp.facts import facts_of, number, time

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Folder"]


class Folder:
    """The directory that is listed: makes entries, with their URLs, of the lines that a server sends.

    `url` is its own, and ends in `/`.
    """

    __slots__ = ("_name", "_url")

    def __init__(self, url: FtpURL) -> None:
        self._url = str(url)
        self._name = FtpURL.syntax.parts["name"]

    def entry(self, line: bytes) -> Iterator[Entry]:
        """What one line of NLST says: a name."""
        if line:
            yield self._entry(line, kind="", facts={})

    def entry_with_facts(self, line: bytes) -> Iterator[Entry]:
        """What one line of MLSD says: facts and a name. The directory itself and its parent are no entries of it."""
        if not line:
            return
        facts, name = facts_of(line)
        if name is None:
            yield Entry(name=text_of(line), problem="the server sent this line without facts and a name")
            return
        kind = facts.get("type", "").lower()
        if kind not in ("cdir", "pdir"):
            yield self._entry(name, kind={"dir": "directory"}.get(kind, kind), facts=facts)

    def _entry(self, name: bytes, *, kind: str, facts: dict[str, str]) -> Entry:
        text = text_of(name)
        problem = _problem(name)
        url = self._url + self._name.written(text) + ("/" if kind == "directory" else "")
        return Entry(
            name=text,
            url=url if problem is None else None,
            kind=kind,
            size=number(facts.get("size", "")),
            modified=time(facts.get("modify", "")),
            fields=facts,
            problem=problem,
        )


def _problem(name: bytes) -> str | None:
    """Why a name that the server sent cannot be asked for."""
    if not name:
        return "the server sent no name"
    if name in (b".", b".."):
        return "this names no entry, but the directory itself or the one above"
    if CONTROL_OCTET.search(name):
        return "the name holds a control character, which no command can carry"
    return None
