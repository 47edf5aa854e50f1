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
from typing import TYPE_CHECKING

from urlschemes.display import one_line
from urlschemes.errors import AuthRequired, LimitExceeded, UnsafeURL
from urlschemes.octets import octets_of, text_of
from urlschemes.resource import Attributes
from urlschemes.wire import LINE, Algorithm, Authenticate, Connect, Deliver, Open
from urlschemes_ftp.control import Control, named
from urlschemes_ftp.facts import facts_of, media_type_of, number, time
from urlschemes_ftp.listing import Folder
from urlschemes_ftp.transfer import Transfer, passive

if TYPE_CHECKING:
    from urlschemes_ftp import FtpURL
    from urlschemes_ftp.replies import Reply

__all__ = ["access", "find_attributes"]

ANONYMOUS = b"anonymous"
ANONYMOUS_PASSWORD = b"anonymous@example.com"
"""The same for everybody: the address of the user, which the convention asks for, is nobody's business."""

MOST_SEGMENTS = 256
"""Segments in a path: each one is a command."""

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


# Who asks, and where it is --------------------------------------------------------------------------------------------


def _log_in(url: FtpURL) -> Algorithm[Control]:
    """Connect and log in, as section 3.2.1 says: USER, then PASS where the server asks for it, each once."""
    if len(url.directories) >= MOST_SEGMENTS:
        raise UnsafeURL(
            f"the path has more than {MOST_SEGMENTS} segments, and each costs the server a command",
            part="directories",
        )
    control = Control((yield from Connect(url.host, url.port, label="control")))
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


def _password(url: FtpURL, asked: Reply) -> Algorithm[bytes]:
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


def _change_directory(control: Control, url: FtpURL) -> Algorithm[None]:
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


# A file, and a directory ----------------------------------------------------------------------------------------------


def _retrieve(control: Control, url: FtpURL) -> Algorithm[None]:
    name = octets_of(url.name or "")
    representation = _representation(url)
    yield from control.carry_out(b"TYPE", representation)
    size = number((yield from _optional(control, b"SIZE", name)).answer) if representation == b"I" else None
    data = yield from passive(control)
    reply = yield from control.command(b"RETR", name)
    if reply.kind in (4, 5):
        hint = "if it is a directory, the same URL with ;type=d lists it" if reply.code == 550 else None
        raise reply.refusal(named(b"RETR", name), hint=hint)
    if reply.kind != 1:
        raise reply.astray("RETR", "a reply 150")
    transfer = Transfer(control, data, "RETR", size)
    yield from Open("document", Attributes(media_type=media_type_of(url.name), name=url.name, size=size))
    while octets := (yield from transfer.octets()):
        yield from Deliver(octets)
    yield from transfer.confirmed()


def _list(control: Control, url: FtpURL) -> Algorithm[None]:
    """MLSD or NLST, without an argument: the directory is the working directory, so no name is read as an option."""
    with_facts = b"MLST" in (yield from _features(control))
    verb = b"MLSD" if with_facts else b"NLST"
    yield from control.carry_out(b"TYPE", b"A")
    data = yield from passive(control)
    reply = yield from control.command(verb)
    folder = Folder(url.replace(directories=_place(url), name="", typecode=None))
    attributes = Attributes(name=url.name or None)
    if reply.code in (450, 550) and _NO_FILES.search(reply.words):  # how many servers say that a directory is empty
        yield from Open("listing", attributes)
        return
    if reply.kind in (4, 5):
        raise reply.refusal(verb.decode())
    if reply.kind != 1:
        raise reply.astray(verb.decode(), "a reply 150")
    transfer = Transfer(control, data, verb.decode(), None)
    yield from Open("listing", attributes)
    entry = folder.entry_with_facts if with_facts else folder.entry
    rest = b""
    while octets := (yield from transfer.octets()):
        *lines, rest = (rest + octets).split(b"\n")
        if any(len(line) > LINE for line in (*lines, rest)):
            raise LimitExceeded(f"a line is longer than {LINE} octets", limit="line", value=LINE)
        for line in lines:
            for found in entry(line.removesuffix(b"\r")):
                yield from Deliver(found)
    yield from transfer.confirmed()
    for found in entry(rest.removesuffix(b"\r")):  # line ends separate the names (RFC 959): the last may lack its own
        yield from Deliver(found)


# What the server knows of a file --------------------------------------------------------------------------------------


def _features(control: Control) -> Algorithm[frozenset[bytes]]:
    """The extensions that the server names in answer to FEAT (RFC 2389); none where it does not know the command."""
    reply = yield from control.command(b"FEAT")
    if reply.kind == 5:
        return frozenset()
    if reply.kind != 2:
        raise reply.refusal("FEAT") if reply.kind == 4 else reply.astray("FEAT", "a reply 211")
    return frozenset(line.split()[0].upper() for line in reply.lines[1:-1] if line.strip())


def _optional(control: Control, verb: bytes, name: bytes) -> Algorithm[Reply]:
    """SIZE or MDTM, which a server need not know: 213 has the answer, a refusal is none and no error."""
    reply = yield from control.command(verb, name)
    if reply.code == 421:
        raise reply.refusal(named(verb, name))
    if reply.code != 213 and reply.kind not in (4, 5):
        raise reply.astray(verb.decode(), "a reply 213")
    return reply


def _size_and_time(control: Control, url: FtpURL) -> Algorithm[Attributes]:
    name = octets_of(url.name or "")
    modified = yield from _optional(control, b"MDTM", name)
    if _representation(url) == b"A":
        if modified.code != 213:
            raise modified.refusal(named(b"MDTM", name))
        return Attributes(media_type=media_type_of(url.name), name=url.name, modified=time(modified.answer))
    size = yield from _optional(control, b"SIZE", name)
    if modified.code != 213 and size.code != 213:
        raise size.refusal(named(b"SIZE", name))
    return Attributes(
        media_type=media_type_of(url.name),
        name=url.name,
        size=number(size.answer),
        modified=time(modified.answer),
    )


def _facts_of_one(control: Control, url: FtpURL) -> Algorithm[Attributes]:
    """MLST: of the working directory or of a name in it. The facts stand on an indented line (RFC 3659 section 7.2)."""
    name = None if _is_directory(url) else octets_of(url.name or "")
    reply = yield from control.carry_out(b"MLST", name)
    for line in reply.lines[1:-1]:
        facts, _ = facts_of(line.removeprefix(b" "))
        if facts:
            break
    else:
        raise reply.astray("MLST", "a line of facts")
    size = None if _is_directory(url) or _representation(url) == b"A" else number(facts.get("size", ""))
    return Attributes(
        media_type=None if _is_directory(url) else media_type_of(url.name),
        name=url.name or None,
        size=size,
        modified=time(facts.get("modify", "")),
        fields=facts,
    )
