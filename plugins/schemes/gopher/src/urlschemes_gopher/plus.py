"""Gopher+: how an answer begins, the attributes of items, and forms (the Gopher+ document, sections 2.3 to 2.8)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from urlschemes.errors import UnsafeURL, UnsupportedOperation
from urlschemes.grammar.octets import octets_of, text_of
from urlschemes_access.credentials import Form, Question
from urlschemes_access.errors import InputRequired, LimitExceeded
from urlschemes_gopher.menu import entry_of

if TYPE_CHECKING:
    from urlschemes_access.attributes import Attributes, Entry
    from urlschemes_access.credentials import Answers
    from urlschemes_gopher import GopherURL

__all__ = ["BEGUN_HEAD", "FILLED_FORM", "HEAD", "Collector", "Item", "data_block", "form_of"]

HEAD = re.compile(rb"(?P<sign>[+-])(?P<length>-1|-2|[0-9]{1,18})[ \t]*\r?\n")
"""How an answer begins (section 2.3): `+` or `-`, then the number of octets, or -1 (to a dot), or -2 (to the end)."""

BEGUN_HEAD = re.compile(rb"(?:[+-]-?[0-9]*[ \t]*\r?)?")
"""What may still become such a line."""

FILLED_FORM = re.compile(rb"\+\t1\r\n\+-1\r\n(?>(?:(?!\.\r\n)[^\x00-\x1f\x7f]*+\r\n)*)\.\r\n")
"""A form filled in, exactly as RFC 1738 section 3.4.9 has it: control octets nowhere but where that form has them."""

MOST_OCTETS = 1024 * 1024
"""Octets of the attributes of one item."""

_BLOCK = re.compile(rb"(\+[^+:\s]+):?[ \t]*(.*)", re.DOTALL)
_VIEW = re.compile(r"[^\s:/]+/[^\s:/]+")
_DATE = re.compile(r"^(?:Mod-)?Date:.*<([0-9]{14})>", re.MULTILINE)
_UNSENDABLE = re.compile(r"[\x00-\x1f\x7f\ud800-\udc7f\udd00-\udfff]")  # control characters, and surrogates of no octet

_ANSWERED_BY_TEXT = frozenset({"Ask", "AskF", "AskL", "AskP"})


@dataclass(slots=True)
class Item:
    """The attributes of one item, by the names of the blocks, `+` included.

    `blocks` has the lines of each block, `references` the descriptors of the items that blocks refer to (section
    2.5); that of `+INFO` is the item itself.
    """

    blocks: dict[str, list[str]] = field(default_factory=dict)
    references: dict[str, bytes] = field(default_factory=dict)

    def fields(self, url: GopherURL) -> dict[str, str]:
        """Each block as one text; of a block that only refers to another item, that item's URL."""
        fields = {name: "\n".join(lines) for name, lines in self.blocks.items()}
        for name, descriptor in self.references.items():
            fields[name] = fields[name] or entry_of(descriptor, url).url or text_of(descriptor)
        return fields

    def modified(self) -> datetime | None:
        """The Mod-Date of the `+ADMIN` block. Gopher+ names no time zone; UTC is assumed."""
        found = _DATE.search("\n".join(self.blocks.get("+ADMIN", ())))
        try:
            return datetime.strptime(found[1], "%Y%m%d%H%M%S").replace(tzinfo=UTC) if found else None
        except ValueError:
            return None

    @property
    def descriptor(self) -> bytes:
        """The line of a menu that describes the item; `b""` where `+INFO` is missing."""
        return self.references.get("+INFO") or octets_of("".join(self.blocks.get("+INFO", ())))

    def entry(self, url: GopherURL) -> Entry:
        """The item as an entry of the menu at `url`, its blocks among the fields."""
        entry = entry_of(self.descriptor, url)
        return replace(entry, modified=self.modified(), fields={**entry.fields, **self.fields(url)})

    def attributes(self, url: GopherURL, known: Attributes) -> Attributes:
        """What is `known` of the item and what its blocks say; its media type is the first view, which is preferred."""
        views = [view[0].lower() for line in self.blocks.get("+VIEWS", ()) if (view := _VIEW.match(line.strip()))]
        return replace(
            known,
            media_type=views[0] if views else known.media_type,
            modified=self.modified(),
            name=entry_of(self.descriptor, url).name or None,
            fields={**known.fields, **self.fields(url)},
        )


class Collector:
    """Collects the lines of attribute blocks into items: each `+INFO` begins one (section 2.7)."""

    __slots__ = ("_item", "_lines", "_size")

    def __init__(self) -> None:
        self._item: Item | None = None
        self._lines: list[str] = []
        self._size = 0

    @property
    def begun(self) -> bool:
        """Whether the first item has begun."""
        return self._item is not None

    def feed(self, line: bytes) -> Item | None:
        """Take one line; give the item before it, where this line begins another. Raises LimitExceeded."""
        done = None
        block = _BLOCK.fullmatch(line)
        name = text_of(block[1]) if block else ""
        if self._item is None or name == "+INFO":
            done, self._item, self._lines, self._size = self._item, Item(), [], 0
        self._size += len(line)
        if self._size > MOST_OCTETS:
            raise LimitExceeded(
                f"the attributes of one item are more than {MOST_OCTETS} octets", limit="attributes", value=MOST_OCTETS
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
        """The last item."""
        return self._item


def form_of(item: Item) -> Form | None:
    """The questions of the `+ASK` block (section 2.8); None where there is no such block.

    The title is the item's name and the notes of the form, a line each.
    Raises UnsupportedOperation where the form wants a local file, or has a question of an unknown kind.
    """
    if "+ASK" not in item.blocks:
        return None
    notes, questions = [text_of(item.descriptor.partition(b"\t")[0][1:])], []
    for line in item.blocks["+ASK"]:
        kind, _, words = line.partition(":")
        prompt, *choices = words.strip(" ").split("\t")
        if kind in {"Note", "Notes"}:
            notes.append(prompt)
        elif kind == "ChooseF":
            raise UnsupportedOperation(
                "the form asks for a local file, and none is ever sent", section="RFC 1738 section 3.4.5"
            )
        elif kind == "Select" and not choices:
            prompt, marked, default = prompt.rpartition(":")
            if not marked or default not in {"0", "1"}:
                prompt, default = prompt + marked + default, "0"
            questions.append(Question(kind, prompt, default, ("0", "1")))
        elif kind in {"Choose", "Select"}:
            questions.append(Question(kind, prompt, choices[0] if choices else "", tuple(choices)))
        elif kind in _ANSWERED_BY_TEXT:
            questions.append(Question(kind, prompt, "\t".join(choices), hidden=kind == "AskP"))
        elif line.strip():
            raise UnsupportedOperation(
                f"the form has a question of the unknown kind {kind!r}", section="RFC 1738 section 3.4.5"
            )
    return Form("\n".join(notes), tuple(questions))


def data_block(form: Form, answers: Answers) -> tuple[bytes, bytes | None]:
    """The answers as a block of data (RFC 1738 section 3.4.9), and the part of it that must not be shown.

    An AskL is answered by the number of its lines and the lines. Raises InputRequired where the answers do not fit the
    questions, UnsafeURL where one holds a control character.
    """
    if len(answers) != len(form.questions):
        raise InputRequired(f"the form has {len(form.questions)} questions, and {len(answers)} answers came")
    lines: list[bytes] = []
    secret: list[int] = []
    for question, answer in zip(form.questions, answers, strict=True):
        if question.choices and answer not in question.choices:
            raise InputRequired(f"the answer to {question.prompt!r} is none of those that may be chosen")
        parts = [answer]
        if question.kind == "AskL":
            parts = answer.replace("\r\n", "\n").removesuffix("\n").split("\n") if answer else []
        if any(_UNSENDABLE.search(part) for part in parts):
            raise UnsafeURL(
                f"the answer to {question.prompt!r} holds a control character", section="RFC 1738 section 6"
            )
        if question.kind == "AskL":
            lines.append(b"%d" % len(parts))
        elif question.kind == "AskP":
            secret.append(len(lines))
        lines += [octets_of(part) for part in parts]
    # A line that begins with a dot gets a second one, so that no answer can end the block.
    block = [b"+-1", *(b"." + line if line.startswith(b".") else line for line in lines), b".", b""]
    hidden = b"\r\n".join(block[1 + secret[0] : 2 + secret[-1]]) if secret else None
    return b"\r\n".join(block), hidden or None
