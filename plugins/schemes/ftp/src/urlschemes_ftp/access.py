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

from urlschemes.grammar.octets import octets_of, text_of
from urlschemes_access.attributes import Attributes, media_type_of
from urlschemes_access.errors import LimitExceeded
from urlschemes_access.protocol import LINE, Algorithm, Deliver, Open
from urlschemes_access.protocol.replies import named
from urlschemes_ftp.facts import facts_of, number, time
from urlschemes_ftp.listing import Folder
from urlschemes_ftp.login import change_directory, is_directory, log_in, place, representation
from urlschemes_ftp.transfer import Transfer, passive
from urlschemes_ftp.writing import delete, replace, update

if TYPE_CHECKING:
    from urlschemes_access.protocol.replies import Reply
    from urlschemes_ftp import FtpURL
    from urlschemes_ftp.control import Control

__all__ = ["access", "delete", "find_attributes", "replace", "update"]

_NO_FILES = re.compile(rb"no files", re.IGNORECASE)


def access(url: FtpURL) -> Algorithm[None]:
    """Deliver the file, or the entries of the directory, that `url` designates (RFC 1738 section 3.2.2).

    `;type=d` and an empty name mean a directory. Raises UnsafeURL before it connects; AuthRequired, RemoteError,
    ProtocolError, LimitExceeded; Truncated where the server does not confirm that all was sent.
    """
    control = yield from log_in(url)
    yield from change_directory(control, url)
    if is_directory(url):
        yield from _list(control, url)
    else:
        yield from _retrieve(control, url)
    yield from control.quit()


def find_attributes(url: FtpURL) -> Algorithm[None]:
    """Size and time of modification, by MLST where the server has it, else by SIZE and MDTM (RFC 3659).

    The size is that of `TYPE I`: none is given for `;type=a`. Raises what `access` raises.
    """
    control = yield from log_in(url)
    yield from change_directory(control, url)
    yield from control.carry_out(b"TYPE " + representation(url))
    if b"MLST" in (yield from _features(control)):
        attributes = yield from _facts_of_one(control, url)
    elif is_directory(url):
        # The server accepted CWD, so the directory is there; nothing in RFC 959 says more of it.
        attributes = Attributes(name=url.name or None, fields={"type": "dir"})
    else:
        attributes = yield from _size_and_time(control, url)
    yield from Open("attributes", attributes)
    yield from control.quit()


# A file, and a directory ----------------------------------------------------------------------------------------------


def _retrieve(control: Control, url: FtpURL) -> Algorithm[None]:
    name = octets_of(url.name or "")
    type_code = representation(url)
    yield from control.carry_out(b"TYPE " + type_code)
    size = number(_answer((yield from _optional(control, b"SIZE " + name)))) if type_code == b"I" else None
    data = yield from passive(control)
    reply = yield from control.command(b"RETR " + name)
    hint = "if it is a directory, the same URL with ;type=d lists it" if reply.code == 550 else None
    reply.checked(named(b"RETR " + name), 1, hint=hint)
    transfer = Transfer(control, data, "RETR", size)
    yield from Open("document", Attributes(media_type=media_type_of(url.name), name=url.name, size=size))
    while octets := (yield from transfer.octets()):
        yield from Deliver(octets)
    yield from transfer.confirmed()


def _list(control: Control, url: FtpURL) -> Algorithm[None]:
    """MLSD or NLST, without an argument: the directory is the working directory, so no name is read as an option."""
    with_facts = b"MLST" in (yield from _features(control))
    verb = b"MLSD" if with_facts else b"NLST"
    yield from control.carry_out(b"TYPE A")
    data = yield from passive(control)
    reply = yield from control.command(verb)
    folder = Folder(url.replace(directories=place(url), name="", typecode=None))
    attributes = Attributes(name=url.name or None)
    if reply.code in (450, 550) and _NO_FILES.search(reply.words):  # how many servers say that a directory is empty
        yield from Open("listing", attributes)
        return
    reply.checked(verb.decode(), 1)
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
    lines = reply.checked("FEAT", 2).lines[1:-1]
    return frozenset(line.split()[0].upper() for line in lines if line.strip())


def _optional(control: Control, line: bytes) -> Algorithm[Reply]:
    """SIZE or MDTM, which a server need not know: 213 has the answer, a refusal is none and no error."""
    reply = yield from control.command(line)
    return reply.checked(named(line), 213) if reply.code == 421 or reply.kind not in (4, 5) else reply


def _answer(reply: Reply) -> str:
    return text_of(reply.words) if reply.code == 213 else ""


def _size_and_time(control: Control, url: FtpURL) -> Algorithm[Attributes]:
    name = octets_of(url.name or "")
    modified = yield from _optional(control, b"MDTM " + name)
    if representation(url) == b"A":
        modified.checked(named(b"MDTM " + name), 213)
        return Attributes(media_type=media_type_of(url.name), name=url.name, modified=time(_answer(modified)))
    size = yield from _optional(control, b"SIZE " + name)
    if modified.code != 213:
        size.checked(named(b"SIZE " + name), 213)
    return Attributes(
        media_type=media_type_of(url.name),
        name=url.name,
        size=number(_answer(size)),
        modified=time(_answer(modified)),
    )


def _facts_of_one(control: Control, url: FtpURL) -> Algorithm[Attributes]:
    """MLST: of the working directory or of a name in it. The facts stand on an indented line (RFC 3659 section 7.2)."""
    line = b"MLST" if is_directory(url) else b"MLST " + octets_of(url.name or "")
    reply = yield from control.carry_out(line)
    for found in reply.lines[1:-1]:
        facts, _ = facts_of(found.removeprefix(b" "))
        if facts:
            break
    else:
        raise reply.astray(named(line), "a line of facts")
    size = None if is_directory(url) or representation(url) == b"A" else number(facts.get("size", ""))
    return Attributes(
        media_type=None if is_directory(url) else media_type_of(url.name),
        name=url.name or None,
        size=size,
        modified=time(facts.get("modify", "")),
        fields=facts,
    )
