"""The Gopher+ attributes of items (RFC 1738 section 3.4.6; the Gopher+ document, sections 2.5 to 2.7)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from urlschemes.grammar.octets import octets_of, text_of
from urlschemes_access.errors import LimitExceeded
from urlschemes_access.protocol.times import plain_time
from urlschemes_gopher.menu import parse_entry

if TYPE_CHECKING:
    from datetime import datetime

    from urlschemes_access.attributes import Attributes, Entry
    from urlschemes_gopher import GopherURL

__all__ = ["MAX_OCTETS", "Item", "ItemParser"]

MAX_OCTETS = 1024 * 1024
"""Octets of the attributes of one item."""

_BLOCK = re.compile(rb"(\+[^+:\s]+):?[ \t]*(.*)", re.DOTALL)
_VIEW = re.compile(r"[^\s:/]+/[^\s:/]+")
_DATE = re.compile(r"^(?:Mod-)?Date:.*<([0-9]{14})>", re.MULTILINE)


@dataclass(slots=True)
class Item:
    """The attributes of one item.

    `blocks` maps the name of each block, such as `+ABSTRACT`, to its lines. `references` maps the names of blocks that
    refer to an item to the menu line of that item (section 2.5); `+INFO` refers to the item itself.
    """

    blocks: dict[str, list[str]] = field(default_factory=dict)
    references: dict[str, bytes] = field(default_factory=dict)

    def fields(self, url: GopherURL) -> dict[str, str]:
        """Return the text of each block; of a block that only refers to another item, the item's URL."""
        fields = {name: "\n".join(lines) for name, lines in self.blocks.items()}
        for name, descriptor in self.references.items():
            fields[name] = fields[name] or parse_entry(descriptor, url).url or text_of(descriptor)
        return fields

    def modified(self) -> datetime | None:
        """Return the Mod-Date of the `+ADMIN` block. Gopher+ defines no time zone: UTC is assumed."""
        match = _DATE.search("\n".join(self.blocks.get("+ADMIN", ())))
        return plain_time(match[1]) if match else None

    @property
    def descriptor(self) -> bytes:
        """The menu line of the item; `b""` if `+INFO` is missing."""
        return self.references.get("+INFO") or octets_of("".join(self.blocks.get("+INFO", ())))

    def entry(self, url: GopherURL) -> Entry:
        """Return the item as an entry of the menu at `url`, with its blocks among the fields."""
        entry = parse_entry(self.descriptor, url)
        return replace(entry, modified=self.modified(), fields={**entry.fields, **self.fields(url)})

    def attributes(self, url: GopherURL, known: Attributes) -> Attributes:
        """Return `known` with what the blocks add. The first view, which the server prefers, is the media type."""
        views = [view[0].lower() for line in self.blocks.get("+VIEWS", ()) if (view := _VIEW.match(line.strip()))]
        return replace(
            known,
            media_type=views[0] if views else known.media_type,
            modified=self.modified(),
            name=parse_entry(self.descriptor, url).name or None,
            fields={**known.fields, **self.fields(url)},
        )


class ItemParser:
    """Parses the lines of attribute blocks: each `+INFO` begins an item (section 2.7)."""

    __slots__ = ("_item", "_lines", "_size")

    def __init__(self) -> None:
        self._item: Item | None = None
        self._lines: list[str] = []
        self._size = 0

    @property
    def begun(self) -> bool:
        """True if the first item has begun."""
        return self._item is not None

    def feed(self, line: bytes) -> Item | None:
        """Parse one line, and return the item before it if this line begins another. Raises LimitExceeded."""
        done = None
        block = _BLOCK.fullmatch(line)
        name = text_of(block[1]) if block else ""
        if self._item is None or name == "+INFO":
            done, self._item, self._lines, self._size = self._item, Item(), [], 0
        self._size += len(line)
        if self._size > MAX_OCTETS:
            raise LimitExceeded(
                f"the attributes of an item are longer than {MAX_OCTETS} octets", limit="attributes", value=MAX_OCTETS
            )
        if block:
            self._lines = self._item.blocks.setdefault(name, [])
            if block[2].count(b"\t") >= 3:
                self._item.references[name] = block[2]
            elif block[2]:
                self._lines.append(text_of(block[2]))
        elif line:
            self._lines.append(text_of(line.removeprefix(b" ")))
        return done

    def end(self) -> Item | None:
        """Return the last item, None if there is none."""
        return self._item
