"""Access by FTP: what RFC 1738 section 3.2.2 says, in the dialogue of RFC 959.

    220 ready           USER, PASS                          who asks
    230 logged in       CWD, for each directory             where it is
    200                 TYPE, SIZE, EPSV or PASV, RETR      what is asked for; a directory: MLSD or NLST
    150 ... data ... 226                                    only the 226 says that it is whole
                        QUIT

EPSV is that of RFC 2428, FEAT that of RFC 2389; SIZE, MDTM, MLST and MLSD are those of RFC 3659. Connections are always
opened from here to the server, data connections to the very address that the control connection has.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from urlschemes.display import one_line
from urlschemes.errors import (
    AccessError,
    AuthRequired,
    ConnectError,
    DeadlineExceeded,
    LimitExceeded,
    ProtocolError,
    RemoteError,
    Truncated,
    UnsafeURL,
)
from urlschemes.octets import octets_of, text_of
from urlschemes.resource import Attributes, Entry
from urlschemes.wire import (
    TEXT_LINE,
    Algorithm,
    Authenticate,
    Close,
    Connect,
    ConnectBack,
    Deliver,
    Open,
    Peer,
    Reader,
    Receive,
    Send,
    unexpected,
)
from urlschemes_ftp import FtpURL

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["access", "find_attributes"]

ANONYMOUS = b"anonymous"
ANONYMOUS_PASSWORD = b"anonymous@example.com"
"""The same for everybody: the address of the user, which the convention asks for, is nobody's business."""

MOST_SEGMENTS = 256
"""Segments in a path: each one is a command."""
MOST_REPLY_LINES = 1000
MOST_REPLY_OCTETS = 64 * 1024
PIECE = 128 * 1024
"""Octets of content received at once: half as many cost a tenth of the speed on a fast connection."""
CONFIRMATION = 15.0
"""Seconds that the 226 may keep waiting after the last octet."""
FAREWELL = 1.0
"""Seconds that the 221 may take. Nothing depends on it."""

_FIRST_LINE = re.compile(rb"([1-5][0-9][0-9])(?:([ -]).*)?", re.DOTALL)
_CONTROL_OCTET = re.compile(rb"[\x00-\x1f\x7f]")
_PASV = re.compile(rb"(?<![0-9])[0-9]{1,3}(?:,[0-9]{1,3}){3},([0-9]{1,3}),([0-9]{1,3})(?![0-9])")
_EPSV = re.compile(rb"\(([!-/:-~])(?:(?!\1)[!-~])*\1(?:(?!\1)[!-~])*\1([0-9]{1,5})\1\)")
_TIME = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})(?:\.([0-9]{1,6})[0-9]*)?")
_NUMBER = re.compile(r"[0-9]{1,18}")
_NO_FILES = re.compile(rb"no files", re.IGNORECASE)


def access(url: FtpURL) -> Algorithm[None]:
    """Deliver the file, or the entries of the directory, that `url` designates (RFC 1738 section 3.2.2).

    `;type=d` and an empty name mean a directory. Raises UnsafeURL before it connects; AuthRequired, RemoteError,
    ProtocolError, LimitExceeded; Truncated where the server does not confirm that all was sent.
    """
    control = yield from _log_in(url)
    yield from _change_directory(control, url)
    if _is_directory(url):
        yield from _list(control, url)
    else:
        yield from _retrieve(control, url)
    yield from control.quit()


def find_attributes(url: FtpURL) -> Algorithm[None]:
    """Size and time of modification, by MLST where the server has it, else by SIZE and MDTM (RFC 3659).

    The size is that of `TYPE I`: none is given for `;type=a`. Raises what `access` raises.
    """
    control = yield from _log_in(url)
    yield from _change_directory(control, url)
    yield from control.carry_out(b"TYPE", _representation(url))
    if b"MLST" in (yield from _features(control)):
        attributes = yield from _facts_of_one(control, url)
    elif _is_directory(url):
        # The server accepted CWD, so the directory is there; nothing in RFC 959 says more of it.
        attributes = Attributes(name=url.name or None, fields={"type": "dir"})
    else:
        attributes = yield from _size_and_time(control, url)
    yield from Open("attributes", attributes)
    yield from control.quit()


# The control connection ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Reply:
    """One reply (RFC 959 section 4.2): its code, and its lines as they came."""

    code: int
    lines: tuple[bytes, ...]

    @property
    def kind(self) -> int:
        """The first digit: 1 preliminary, 2 done, 3 go on, 4 refused for now, 5 refused."""
        return self.code // 100

    @property
    def words(self) -> bytes:
        """The text, without the codes."""
        code = b"%03d" % self.code
        return b" ".join(line[4:] if line.startswith(code) else line for line in self.lines).strip()

    @property
    def answer(self) -> str:
        """The text of a reply 213, what SIZE and MDTM ask for; empty where the reply is another."""
        return text_of(self.words) if self.code == 213 else ""

    def __str__(self) -> str:
        return one_line(f"{self.code} {text_of(self.words)}".rstrip(), 200)

    def without(self, secret: bytes) -> _Reply:
        """The same reply where it quotes `secret` hidden: servers repeat a command that they do not know."""
        return _Reply(self.code, tuple(line.replace(secret, b"***") for line in self.lines)) if secret else self

    def refusal(self, what: str, *, hint: str | None = None) -> RemoteError:
        """The error that this reply means, `what` having been refused."""
        return RemoteError(
            f"the server refused {what}: {self}",
            status=self.code,
            text=one_line(text_of(self.words)),
            temporary=self.kind == 4,
            hint=hint,
        )

    def astray(self, what: str, wanted: str) -> ProtocolError:
        """The error of a reply that may not follow `what`."""
        return ProtocolError(f"{wanted} was due in answer to {what}, but '{self}' came", where=what)


class _Control:
    """The control connection: one command at a time, and its reply."""

    __slots__ = ("_replies", "peer")

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self._replies = Reader(peer)

    def reply(self, what: str, *, within: float | None = None, phase: str = "response") -> Algorithm[_Reply]:
        """The next reply, to `what`. `within` bounds the wait for its first line."""
        waits = within is not None and b"\n" not in self._replies.pending
        if waits and (yield from self._replies.more(within=within, phase=phase)) is None:
            raise DeadlineExceeded(f"no reply to {what} came within {within:g} seconds", phase=phase)
        line = yield from self._line(what, phase)
        first = _FIRST_LINE.fullmatch(line)
        if first is None:
            raise unexpected(line, what, f"a reply to {what}")
        code, lines, octets = first[1], [line], len(line)
        if first[2] == b"-":
            while line != code and not line.startswith(code + b" "):
                line = yield from self._line(what, phase)
                lines.append(line)
                octets += len(line)
                if len(lines) > MOST_REPLY_LINES:
                    raise _too_much(what, "lines", MOST_REPLY_LINES)
                if octets > MOST_REPLY_OCTETS:
                    raise _too_much(what, "octets", MOST_REPLY_OCTETS)
        return _Reply(int(code), tuple(lines))

    def _line(self, what: str, phase: str) -> Algorithm[bytes]:
        line = yield from self._replies.line(phase=phase)
        if line is None:
            closed = f"the server closed the connection where a reply to {what} was due"
            raise Truncated(closed) if self._replies.received else ConnectError(closed)
        return line

    def command(self, verb: bytes, argument: bytes | None = None, *, secret: bool = False) -> Algorithm[_Reply]:
        """Send a command and read its reply. A `secret` argument is shown nowhere, whatever the server makes of it."""
        what = verb.decode()
        if self._replies.pending:
            raise unexpected(self._replies.pending, what, f"silence before {what}")
        octets = verb
        if argument is not None:
            if _CONTROL_OCTET.search(argument):
                raise UnsafeURL(f"the argument of {what} holds a control character")
            argument = argument.replace(b"\xff", b"\xff\xff")  # the octet FF is a command on a Telnet connection
            octets += b" " + argument
        yield from Send(self.peer, octets + b"\r\n", secret=argument if secret else None)
        reply = yield from self.reply(what)
        return reply.without(argument) if secret and argument else reply

    def carry_out(self, verb: bytes, argument: bytes | None = None, *, hint: str | None = None) -> Algorithm[_Reply]:
        """As `command`; raises RemoteError, with `hint`, unless the reply says that it was done."""
        reply = yield from self.command(verb, argument)
        if reply.kind in (4, 5):
            raise reply.refusal(_named(verb, argument), hint=hint)
        if reply.kind != 2:
            raise reply.astray(_named(verb, argument), "a reply 2xx")
        return reply

    def quit(self) -> Algorithm[None]:
        """Take leave. All that was asked for has come and been confirmed: what goes wrong now spoils nothing."""
        try:
            yield from Send(self.peer, b"QUIT\r\n")
            yield from self._replies.more(within=FAREWELL, phase="farewell")
        except AccessError:
            return


def _too_much(what: str, unit: str, most: int) -> LimitExceeded:
    return LimitExceeded(f"the reply to {what} has more than {most} {unit}", limit="reply", value=most)


def _named(verb: bytes, argument: bytes | None) -> str:
    if argument == b"":
        return f"{verb.decode()} with an empty argument"
    return verb.decode() if argument is None else f"{verb.decode()} {one_line(text_of(argument), 60)}"


def _log_in(url: FtpURL) -> Algorithm[_Control]:
    """Connect and log in, as section 3.2.1 says: USER, then PASS where the server asks for it, each once."""
    if len(url.directories) >= MOST_SEGMENTS:
        raise UnsafeURL(
            f"the path has more than {MOST_SEGMENTS} segments, and each costs the server a command",
            part="directories",
        )
    control = _Control((yield from Connect(url.host, url.port, label="control")))
    banner = yield from control.reply("the connection", phase="banner")
    if banner.code == 120:  # ready in so many minutes; 220 follows
        banner = yield from control.reply("the connection", phase="banner")
    if banner.kind in (4, 5):
        raise banner.refusal("the connection")
    if banner.kind != 2:
        raise banner.astray("the connection", "a reply 220")

    reply = yield from control.command(b"USER", ANONYMOUS if url.user is None else octets_of(url.user))
    if reply.code == 331:
        password = yield from _password(url, reply)
        reply = yield from control.command(b"PASS", password, secret=True)
    if reply.kind == 2:
        return control
    if reply.code == 332:
        raise AuthRequired(f"the server wants an account, which a URL cannot carry: {reply}")
    if reply.kind == 3:
        raise AuthRequired(f"the server asks again after the password: {reply}")
    if reply.code in (430, 530, 532):
        raise AuthRequired(
            f"the server refused the login: {reply}",
            hint="the URL names no user, so it was tried as anonymous" if url.user is None else None,
        )
    if reply.kind == 1:
        raise reply.astray("the login", "a reply 230")
    raise reply.refusal("the login")


def _password(url: FtpURL, asked: _Reply) -> Algorithm[bytes]:
    if url.user is None:
        return ANONYMOUS_PASSWORD
    if url.password is not None:
        return octets_of(url.password)
    known = yield from Authenticate(url.host, url.port, user=url.user, realm=one_line(text_of(asked.words)))
    if known is None or known.user != url.user:
        raise AuthRequired(
            f"the server wants a password for the user {one_line(url.user, 60)}",
            hint="the URL holds none, and no credentials were given",
        )
    return octets_of(known.password)


def _change_directory(control: _Control, url: FtpURL) -> Algorithm[None]:
    """CWD for each directory, the empty one too (section 3.2.2), and for a name that is to be listed."""
    for directory in _place(url):
        hint = None if directory else "// in a path asks for this; /%2F begins a path at the root of the server"
        yield from control.carry_out(b"CWD", octets_of(directory), hint=hint)


def _is_directory(url: FtpURL) -> bool:
    return not url.name or url.typecode in ("d", "D")


def _place(url: FtpURL) -> tuple[str, ...]:
    """The directories to change to, one after the other."""
    return (*url.directories, url.name) if url.name and _is_directory(url) else url.directories


def _representation(url: FtpURL) -> bytes:
    return b"A" if url.typecode in ("a", "A") else b"I"


# Data connections ----------------------------------------------------------------------------------------------------


class _Transfer:
    """What one command sends over its own data connection.

    `size` is what was announced, None where nothing was; `received` counts octets.
    """

    __slots__ = ("_control", "_data", "_what", "received", "size")

    def __init__(self, control: _Control, data: Peer, what: str, size: int | None) -> None:
        self._control = control
        self._data = data
        self._what = what
        self.received = 0
        self.size = size

    def octets(self) -> Algorithm[bytes]:
        """The next octets; `b""` once the server has closed the data connection. Raises Truncated where it breaks."""
        try:
            octets = (yield from Receive(self._data, most=PIECE, phase="data")) or b""
        except (ConnectError, Truncated) as error:
            raise self._cut("the data connection broke") from error
        self.received += len(octets)
        return octets

    def confirmed(self) -> Algorithm[None]:
        """Wait for the 226 (or 250), which may have come already. Raises Truncated where neither comes."""
        yield from Close(self._data)
        try:
            reply = yield from self._control.reply(self._what, within=CONFIRMATION, phase="confirmation")
        except (ConnectError, DeadlineExceeded, Truncated) as error:
            raise self._cut("the data ended, and no 226 confirmed it") from error
        if reply.code not in (226, 250):
            raise self._cut(f"the data ended, but instead of 226 came '{reply}'")
        if self.size is not None and self.received != self.size:
            raise self._cut("the size that was announced is another")

    def _cut(self, why: str) -> Truncated:
        of = "" if self.size is None else f" of {self.size}"
        return Truncated(f"{why}; {self.received}{of} octets came", received=self.received, expected=self.size)


def _passive(control: _Control) -> Algorithm[Peer]:
    """A data connection: EPSV, and PASV where the server does not know EPSV.

    Of either reply only the port counts. An address in it would let a server send its client anywhere.
    """
    reply = yield from control.command(b"EPSV")
    if reply.kind == 5:
        reply = yield from control.carry_out(b"PASV")
        if reply.code != 227:
            raise reply.astray("PASV", "a reply 227")
        found = _PASV.search(reply.words)
        high, low = (int(found[1]), int(found[2])) if found else (0, 0)
        return (yield from _connect_back(control, reply, "PASV", high * 256 + low if high < 256 and low < 256 else 0))
    if reply.kind == 4:
        raise reply.refusal("EPSV")
    if reply.code != 229:
        raise reply.astray("EPSV", "a reply 229")
    found = _EPSV.search(reply.words)
    return (yield from _connect_back(control, reply, "EPSV", int(found[2]) if found else 0))


def _connect_back(control: _Control, reply: _Reply, verb: str, port: int) -> Algorithm[Peer]:
    if not 1024 <= port <= 65535:
        raise reply.astray(verb, "a port from 1024 to 65535")
    return (yield from ConnectBack(control.peer, port, label="data"))


def _retrieve(control: _Control, url: FtpURL) -> Algorithm[None]:
    name = octets_of(url.name or "")
    representation = _representation(url)
    yield from control.carry_out(b"TYPE", representation)
    size = _number((yield from _optional(control, b"SIZE", name)).answer) if representation == b"I" else None
    data = yield from _passive(control)
    reply = yield from control.command(b"RETR", name)
    if reply.kind in (4, 5):
        hint = "if it is a directory, the same URL with ;type=d lists it" if reply.code == 550 else None
        raise reply.refusal(_named(b"RETR", name), hint=hint)
    if reply.kind != 1:
        raise reply.astray("RETR", "a reply 150")
    transfer = _Transfer(control, data, "RETR", size)
    yield from Open("document", Attributes(name=url.name, size=size))
    while octets := (yield from transfer.octets()):
        yield from Deliver(octets)
    yield from transfer.confirmed()


def _list(control: _Control, url: FtpURL) -> Algorithm[None]:
    """MLSD or NLST, without an argument: the directory is the working directory, so no name is read as an option."""
    with_facts = b"MLST" in (yield from _features(control))
    verb = b"MLSD" if with_facts else b"NLST"
    yield from control.carry_out(b"TYPE", b"A")
    data = yield from _passive(control)
    reply = yield from control.command(verb)
    folder = _Folder(url)
    attributes = Attributes(name=url.name or None)
    if reply.code in (450, 550) and _NO_FILES.search(reply.words):  # how many servers say that a directory is empty
        yield from Open("listing", attributes)
        return
    if reply.kind in (4, 5):
        raise reply.refusal(verb.decode())
    if reply.kind != 1:
        raise reply.astray(verb.decode(), "a reply 150")
    transfer = _Transfer(control, data, verb.decode(), None)
    yield from Open("listing", attributes)
    entry = folder.entry_with_facts if with_facts else folder.entry
    rest = b""
    while octets := (yield from transfer.octets()):
        *lines, rest = (rest + octets).split(b"\n")
        if any(len(line) > TEXT_LINE for line in (*lines, rest)):
            raise LimitExceeded(f"a line is longer than {TEXT_LINE} octets", limit="line", value=TEXT_LINE)
        for line in lines:
            for found in entry(line.removesuffix(b"\r")):
                yield from Deliver(found)
    yield from transfer.confirmed()
    for found in entry(rest.removesuffix(b"\r")):  # line ends separate the names (RFC 959): the last may lack its own
        yield from Deliver(found)


class _Folder:
    """The directory that is listed: makes entries, with their URLs, of the lines that a server sends."""

    __slots__ = ("_name", "_url")

    def __init__(self, url: FtpURL) -> None:
        self._url = str(url.replace(directories=_place(url), name="", typecode=None))
        self._name = FtpURL.syntax.parts["name"]

    def entry(self, line: bytes) -> Iterator[Entry]:
        """What one line of NLST says: a name."""
        if line:
            yield self._entry(line, kind="", facts={})

    def entry_with_facts(self, line: bytes) -> Iterator[Entry]:
        """What one line of MLSD says: facts and a name. The directory itself and its parent are no entries of it."""
        if not line:
            return
        facts, name = _facts(line)
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
            size=_number(facts.get("size", "")),
            modified=_time(facts.get("modify", "")),
            fields=facts,
            problem=problem,
        )


def _problem(name: bytes) -> str | None:
    """Why a name that the server sent cannot be asked for."""
    if not name:
        return "the server sent no name"
    if name in (b".", b".."):
        return "this names no entry, but the directory itself or the one above"
    if _CONTROL_OCTET.search(name):
        return "the name holds a control character, which no command can carry"
    return None


# What the server knows of a file -------------------------------------------------------------------------------------


def _features(control: _Control) -> Algorithm[frozenset[bytes]]:
    """The extensions that the server names in answer to FEAT (RFC 2389); none where it does not know the command."""
    reply = yield from control.command(b"FEAT")
    if reply.kind == 5:
        return frozenset()
    if reply.kind != 2:
        raise reply.refusal("FEAT") if reply.kind == 4 else reply.astray("FEAT", "a reply 211")
    return frozenset(line.split()[0].upper() for line in reply.lines[1:-1] if line.strip())


def _optional(control: _Control, verb: bytes, name: bytes) -> Algorithm[_Reply]:
    """SIZE or MDTM, which a server need not know: 213 has the answer, a refusal is none and no error."""
    reply = yield from control.command(verb, name)
    if reply.code == 421:
        raise reply.refusal(_named(verb, name))
    if reply.code != 213 and reply.kind not in (4, 5):
        raise reply.astray(verb.decode(), "a reply 213")
    return reply


def _size_and_time(control: _Control, url: FtpURL) -> Algorithm[Attributes]:
    name = octets_of(url.name or "")
    modified = yield from _optional(control, b"MDTM", name)
    if _representation(url) == b"A":
        if modified.code != 213:
            raise modified.refusal(_named(b"MDTM", name))
        return Attributes(name=url.name, modified=_time(modified.answer))
    size = yield from _optional(control, b"SIZE", name)
    if modified.code != 213 and size.code != 213:
        raise size.refusal(_named(b"SIZE", name))
    return Attributes(name=url.name, size=_number(size.answer), modified=_time(modified.answer))


def _facts_of_one(control: _Control, url: FtpURL) -> Algorithm[Attributes]:
    """MLST: of the working directory or of a name in it. The facts stand on an indented line (RFC 3659 section 7.2)."""
    name = None if _is_directory(url) else octets_of(url.name or "")
    reply = yield from control.carry_out(b"MLST", name)
    for line in reply.lines[1:-1]:
        facts, _ = _facts(line.removeprefix(b" "))
        if facts:
            break
    else:
        raise reply.astray("MLST", "a line of facts")
    size = None if _is_directory(url) or _representation(url) == b"A" else _number(facts.get("size", ""))
    return Attributes(name=url.name or None, size=size, modified=_time(facts.get("modify", "")), fields=facts)


def _facts(line: bytes) -> tuple[dict[str, str], bytes | None]:
    """The facts of a line, by their names in lower case, and the name after them; None where there is no such form."""
    facts, space, name = line.partition(b" ")
    found = [text_of(fact).partition("=") for fact in facts.split(b";") if fact]
    if not space or not all(equals for _, equals, _ in found):
        return {}, None
    return {key.lower(): value for key, _, value in found}, name


def _number(text: str) -> int | None:
    return int(text) if _NUMBER.fullmatch(text) else None


def _time(text: str) -> datetime | None:
    """The time that RFC 3659 section 2.3 writes as YYYYMMDDHHMMSS.sss, always in UTC; None where it is none."""
    found = _TIME.fullmatch(text)
    if found is None:
        return None
    year, month, day, hour, minute, second = (int(digits) for digits in found.groups()[:6])
    fraction = int((found[7] or "").ljust(6, "0"))
    try:
        return datetime(year, month, day, hour, minute, second, fraction, tzinfo=UTC)
    except ValueError:
        return None
