r"""A small Gopher server, written from RFC 1436 and from the Gopher+ document of July 1993.

    tree = menu({
        "about": text("Welcome.\n", title="About this server", abstract="Who we are."),
        "archive": menu({"logo": binary(b"GIF89a", gtype="g")}, title="Old things"),
        "find": search(title="Search all texts"),
        "order": form(["Ask: How many?"], lambda answers: f"You get {answers[0]}.".encode()),
        "elsewhere": link("1", "/", "other.dom", 70, title="Another server"),
    })
    with gopher_server(tree) as (host, port): ...

The selector of an item is its path in the tree (`/archive/logo`). A client can request every item as RFC 1436 says and,
except for links, in the forms of Gopher+: `+`, `+view`, `!`, `$`.
"""

from __future__ import annotations

import mimetypes
import re
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, BinaryIO, Literal, TypeAlias, TypedDict, Unpack

from urlschemes_testing.loopback import HOST, LIFETIME, PATIENCE, Address, Loopback

if TYPE_CHECKING:
    import os
    import socket
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

__all__ = ["Item", "binary", "failing", "folder", "form", "gopher_server", "link", "menu", "search", "text"]

ADMIN = "Test Administrator <admin@localhost>"
MENU = "application/gopher-menu"
MODIFIED = "Thu Dec  1 00:00:00 1994 <19941201000000>"
LINE = 8 * 1024
"""Octets in a request line."""
BLOCK = 64 * 1024
"""Octets in the data block of a request."""

Block: TypeAlias = Literal["counted", "dot", "close"]
"""The end of a data block of Gopher+: `+length`, `+-1` (a dot), `+-2` (the end of the connection)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """An item, made by the functions of this module.

    `gtype` is its type character. `title` is shown in menus (by default its name). `content` is octets, or a file that
    is read for each request; `views` are other representations, by content type and language (`"text/plain De_DE"`).
    `terminated=False` omits the final dot of a text or menu, as many servers do. `plus=False` is an item without
    Gopher+. The server gives it its `selector`.
    """

    gtype: str
    title: str = ""
    content: bytes | Path = b""
    media_type: str = ""
    views: Mapping[str, bytes] = field(default_factory=lambda: MappingProxyType({}))
    abstract: str = ""
    block: Block = "counted"
    terminated: bool = True
    plus: bool = True
    items: Mapping[str, Item] = field(default_factory=lambda: MappingProxyType({}))
    find: Callable[[str], Iterable[str]] | None = None
    questions: tuple[str, ...] = ()
    answer: Callable[[tuple[str, ...]], bytes] | None = None
    elsewhere: tuple[str, str, int] | None = None
    error: tuple[int, str] | None = None
    selector: str = ""

    @property
    def representations(self) -> dict[str, bytes | None]:
        """The representations in order; None is the item's own content."""
        return {self.media_type: None, **self.views}


class More(TypedDict, total=False):
    """The fields of `Item` that every item may have besides its content."""

    title: str
    abstract: str
    views: Mapping[str, bytes]
    block: Block
    terminated: bool
    plus: bool


def text(content: str | bytes | Path, **more: Unpack[More]) -> Item:
    """Return a text (type 0). Its lines end with CR LF, and a line that begins with a dot is sent with two."""
    octets = content.encode() if isinstance(content, str) else content
    return Item(gtype="0", content=octets, media_type="text/plain", **more)


def binary(
    content: bytes | Path, *, gtype: str = "9", media_type: str = "application/octet-stream", **more: Unpack[More]
) -> Item:
    """Return octets (type 9, or `g`, `I`, `s`, `h`), which end with the connection."""
    return Item(gtype=gtype, content=content, media_type=media_type, **more)


def menu(items: Mapping[str, Item], **more: Unpack[More]) -> Item:
    """Return a menu (type 1) of items, by their names and in that order."""
    return Item(gtype="1", items=items, media_type=MENU, **more)


def search(find: Callable[[str], Iterable[str]] | None = None, **more: Unpack[More]) -> Item:
    """Return an index (type 7): `find` returns the selectors of the items for the words of a search.

    By default, it finds the items of the tree whose title or text contains all the words.
    """
    return Item(gtype="7", find=find, media_type=MENU, **more)


def form(
    questions: Sequence[str],
    answer: Callable[[tuple[str, ...]], bytes],
    *,
    gtype: str = "0",
    **more: Unpack[More],
) -> Item:
    r"""Return an item with an electronic form.

    `questions` are the lines of its +ASK block (`"Ask: How many?"`, `"Choose: Sure?\tYes\tNo"`). `answer` gets the
    lines of the client's data block, and returns the content.
    """
    return Item(gtype=gtype, questions=tuple(questions), answer=answer, media_type="text/plain", **more)


def link(gtype: str, selector: str, host: str, port: int, *, title: str) -> Item:
    """Return an entry of a menu that is an item of another server."""
    return Item(gtype=gtype, title=title, elsewhere=(selector, host, port), plus=False)


def failing(code: int, message: str, *, gtype: str = "0", title: str = "") -> Item:
    """Return an item whose response is an error: 1 not available, 2 try again later, 3 moved (to `message`)."""
    return Item(gtype=gtype, title=title, error=(code, message))


def folder(path: str | os.PathLike[str], *, title: str = "") -> Item:
    """Return a menu of the files and folders in `path`, each with the type that its name suggests."""
    items: dict[str, Item] = {}
    for child in sorted(Path(path).iterdir()):
        if child.is_dir():
            items[child.name] = folder(child, title=child.name)
            continue
        media_type = mimetypes.guess_type(child.name)[0] or "application/octet-stream"
        if media_type == "text/html":
            items[child.name] = binary(child, gtype="h", media_type=media_type)
        elif media_type.startswith("text/"):
            items[child.name] = replace(text(child), media_type=media_type)
        elif media_type.startswith("image/"):
            items[child.name] = binary(child, gtype="g" if media_type == "image/gif" else "I", media_type=media_type)
        else:
            items[child.name] = binary(child, media_type=media_type)
    return menu(items, title=title)


@contextmanager
def gopher_server(
    tree: Item | str | os.PathLike[str], *, host: str = HOST, lifetime: float = LIFETIME, patience: float = PATIENCE
) -> Iterator[Address]:
    """Serve `tree`, or a folder, until the block is left, or for `lifetime` seconds."""
    site = _Site(tree if isinstance(tree, Item) else folder(tree))

    def serve(connection: socket.socket) -> None:
        with connection.makefile("rb") as stream:
            connection.sendall(site.respond(stream))

    with Loopback(serve, host=host, lifetime=lifetime, patience=patience) as server:
        site.address = server.address
        yield server.address


class _Failure(Exception):
    """An error response: a Gopher+ error code and a message."""

    def __init__(self, code: int, message: str) -> None:
        self.code = code
        self.message = message


class _Site:
    def __init__(self, root: Item) -> None:
        self.address = Address("", 0)
        self.items: dict[str, Item] = {}
        self._placed("", "", root)

    def _placed(self, selector: str, name: str, item: Item) -> Item:
        """Return an item with its title and its selector, and its entries with theirs; add those of this server."""
        entries = {child: self._placed(f"{selector}/{child}", child, each) for child, each in item.items.items()}
        placed = replace(item, title=item.title or name, selector=selector, items=entries)
        if item.elsewhere is None:
            self.items[selector] = placed
        return placed

    def respond(self, stream: BinaryIO) -> bytes:
        line = stream.readline(LINE)
        selector, *fields = line.rstrip(b"\r\n").decode("utf-8", "surrogateescape").split("\t")
        item = self.items.get("" if selector == "/" else selector)
        words = ""
        if item is not None and item.gtype == "7" and fields:
            words, *fields = fields
        plus = bool(fields) and fields[0][:1] in ("+", "!", "$") and (item is None or item.plus)
        try:
            if item is None:
                raise _Failure(1, "no such item")
            if item.error:
                raise _Failure(*item.error)
            if not plus:
                return self._plain(item, words)
            if fields[0].startswith("+"):
                flag = fields[1] if len(fields) > 1 else "0"
                answers = _read_block(stream) if flag == "1" else None
                return _block(self._view(item, words, fields[0][1:], answers), item.block, stuffed=item.gtype == "0")
            shown = item.items.values() if fields[0].startswith("$") else [item]
            wanted = re.findall(r"\+([^+]+)", fields[0])
            lines = [line for entry in shown for line in self._attributes(entry, wanted)]
            return _block(_lines(lines), item.block, stuffed=True)
        except _Failure as failure:
            return _error(failure, plus=plus)

    def _plain(self, item: Item, words: str) -> bytes:
        """Return the response in the form of RFC 1436."""
        if item.answer is not None:
            raise _Failure(1, "this item has a form, which requires a Gopher+ client")
        content = self._content(item, words)
        if item.gtype in ("0", "1", "7"):
            return _stuffed(content) + (b".\r\n" if item.terminated else b"")
        return content

    def _content(self, item: Item, words: str = "") -> bytes:
        if item.gtype == "7":
            found = (item.find or self._find)(words)
            return _lines(self._descriptor(self.items[each]) for each in found if each in self.items)
        if item.gtype == "1" and not item.content:
            return _lines(map(self._descriptor, item.items.values()))
        content = item.content if isinstance(item.content, bytes) else item.content.read_bytes()
        return re.sub(rb"\r?\n", b"\r\n", content) if item.gtype == "0" else content

    def _find(self, words: str) -> list[str]:
        """Return the selectors of the items with all the words (RFC 1436: a space is an implied `and`)."""
        found = []
        for selector, item in self.items.items():
            if item.gtype == "0":
                content = b"" if item.questions else self._content(item)
                searched = f"{item.title}\n{content.decode('utf-8', 'replace')}".casefold()
                if all(word in searched for word in words.casefold().split()):
                    found.append(selector)
        return found

    def _descriptor(self, item: Item) -> str:
        selector, host, port = item.elsewhere or (item.selector, *self.address)
        extra = "" if not item.plus else "\t?" if item.questions else "\t+"
        return f"{item.gtype}{item.title}\t{selector}\t{host}\t{port}{extra}"

    def _view(self, item: Item, words: str, wanted: str, answers: tuple[str, ...] | None) -> bytes:
        if item.answer is not None:
            if answers is None:
                raise _Failure(1, "this item requires answers to its questions")
            return item.answer(answers)
        views = {view.casefold(): content for view, content in item.representations.items()}
        if wanted and wanted.casefold() not in views:
            raise _Failure(1, f"there is no view {wanted}")
        view = views.get(wanted.casefold())
        return self._content(item, words) if view is None else view

    def _attributes(self, item: Item, wanted: Sequence[str]) -> Iterator[str]:
        yield f"+INFO: {self._descriptor(item)}"
        if item.elsewhere:
            return
        blocks: dict[str, list[str]] = {"ADMIN": [f"Admin: {ADMIN}", f"Mod-Date: {MODIFIED}"], "VIEWS": []}
        for view, content in item.representations.items():
            octets = self._content(item) if content is None and not item.questions else content or b""
            blocks["VIEWS"].append(f"{view}: <{max(1, round(len(octets) / 1024))}k>")
        if item.abstract:
            blocks["ABSTRACT"] = item.abstract.splitlines()
        if item.questions:
            blocks["ASK"] = list(item.questions)
        for name, lines in blocks.items():
            if not wanted or name in wanted:
                yield f"+{name}:"
                yield from (f" {line}" for line in lines)


def _lines(lines: Iterable[str]) -> bytes:
    return b"".join(line.encode("utf-8", "surrogateescape") + b"\r\n" for line in lines)


def _stuffed(content: bytes) -> bytes:
    """Return a text with dot-stuffing, and with an end of the last line (RFC 1436, appendix)."""
    stuffed = re.sub(rb"(?m)^\.", b"..", content)
    return stuffed if not stuffed or stuffed.endswith(b"\n") else stuffed + b"\r\n"


def _block(content: bytes, how: Block, *, stuffed: bool) -> bytes:
    """Return a data block (Gopher+ section 2.3)."""
    if how == "counted":
        return b"+%d\r\n%s" % (len(content), content)
    if how == "dot":
        return b"+-1\r\n" + (_stuffed(content) if stuffed else content) + b".\r\n"
    return b"+-2\r\n" + content


def _error(failure: _Failure, *, plus: bool) -> bytes:
    if plus:
        return f"--1\r\n{failure.code} {ADMIN}\r\n{failure.message}\r\n.\r\n".encode()
    return f"3{failure.message}\t\terror.host\t1\r\n.\r\n".encode()


def _read_block(stream: BinaryIO) -> tuple[str, ...]:
    """Return the lines of the data block that follows a request line (Gopher+ section 2.4)."""
    head = re.fullmatch(rb"\+(-1|-2|[0-9]{1,8})\r?\n", stream.readline(LINE))
    if head is None:
        raise _Failure(1, "the announced data block is missing")
    if head[1] == b"-1":
        lines = []
        while (line := stream.readline(LINE)) not in (b".\r\n", b".\n", b""):
            lines.append(line)
            if len(lines) > 1000:
                raise _Failure(1, "the data block is too long")
        content = b"".join(line.removeprefix(b".") if line.startswith(b"..") else line for line in lines)
    else:
        content = stream.read(BLOCK if head[1] == b"-2" else min(int(head[1]), BLOCK))
    return tuple(content.decode("utf-8", "surrogateescape").splitlines())
