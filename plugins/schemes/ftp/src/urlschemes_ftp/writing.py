"""Writing by FTP: STOR, APPE and DELE (RFC 959 section 4.1.3), each only where its own operation was asked for.

STOR or APPE, then 150: from here on a part may be there. The data, whose connection is closed in good order only when
that was all. Then 226 (or 250): nothing else says that all of it is there.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from urlschemes.errors import UnsupportedOperation
from urlschemes.grammar.octets import octets_of
from urlschemes_access.attributes import Attributes, media_type_of
from urlschemes_access.errors import AccessError, AuthRequired, ConnectError, DeadlineExceeded, Indeterminate, Truncated
from urlschemes_access.protocol import Algorithm, Open, Pull
from urlschemes_access.protocol.replies import named
from urlschemes_ftp.login import change_directory, is_directory, log_in, representation
from urlschemes_ftp.transfer import Upload, passive

if TYPE_CHECKING:
    from urlschemes_access.protocol import Peer
    from urlschemes_access.protocol.replies import Reply
    from urlschemes_ftp import FtpURL
    from urlschemes_ftp.control import Control

__all__ = ["delete", "replace", "update"]

_BARE_LINE_FEED = re.compile(rb"(?<!\r)\n")


def replace(url: FtpURL) -> Algorithm[None]:
    """Store the caller's content as the file that `url` designates, in the place of an older one: STOR.

    `;type=a` sends the line ends of the network. Raises what access does, and UnsupportedOperation for a directory.
    Where something was sent, the error's `sent` says how much, and a part may be there: RemoteError where the server
    says why, Truncated, DeadlineExceeded; Indeterminate where all was sent and not confirmed.
    """
    yield from _store(url, b"STOR")


def update(url: FtpURL) -> Algorithm[None]:
    """Add the caller's content to the end of the file that `url` designates: APPE. Raises what `replace` raises."""
    yield from _store(url, b"APPE")


def delete(url: FtpURL) -> Algorithm[None]:
    """Delete the file that `url` designates: DELE.

    Raises what access does, and UnsupportedOperation for a directory; Indeterminate where no reply came.
    """
    name = _name(url)
    control = yield from log_in(url)
    yield from change_directory(control, url)
    reply = (yield from _ask(control, b"DELE " + name)).checked(named(b"DELE " + name), 2)
    yield from Open("attributes", Attributes(name=url.name, fields={"reply": str(reply)}))
    yield from control.quit()


def _store(url: FtpURL, verb: bytes) -> Algorithm[None]:
    name = _name(url)
    first = yield from Pull()  # whoever has nothing to send has no business there
    control = yield from log_in(url)
    yield from change_directory(control, url)
    yield from control.carry_out(b"TYPE " + representation(url))
    data = yield from passive(control, sends=True)
    upload = yield from _send(control, data, verb + b" " + name, first, text=representation(url) == b"A")
    reply = yield from upload.confirmed()
    whole = verb == b"STOR" and representation(url) == b"I"
    attributes = Attributes(
        media_type=media_type_of(url.name),
        name=url.name,
        size=upload.sent if whole else None,
        fields={"reply": str(reply)},
    )
    yield from Open("attributes", attributes)
    yield from control.quit()


def _send(control: Control, data: Peer, line: bytes, octets: bytes, *, text: bool) -> Algorithm[Upload]:
    reply = yield from _ask(control, line)
    if reply.code in (530, 532):  # an account for storing files (RFC 959), or a login that is none for that
        raise AuthRequired(f"the server refused {named(line)}: {reply}")
    reply.checked(named(line), 1)
    upload = Upload(control, data, named(line))
    network = _NetworkLines() if text else None
    while octets:
        yield from upload.send(network.of(octets) if network else octets)
        octets = yield from Pull()
    yield from upload.check_silence()
    return upload


def _ask(control: Control, line: bytes) -> Algorithm[Reply]:
    """Send a command that changes something. Without a reply to it nobody knows whether it was carried out."""
    control.check_silence(named(line))
    try:
        return (yield from control.command(line))
    except AccessError as error:
        silent = isinstance(error, ConnectError | DeadlineExceeded | Truncated)
        came = "came" if silent else "that can be understood came"
        raise Indeterminate(f"no reply to {named(line)} {came}: whether it was carried out cannot be known") from error


def _name(url: FtpURL) -> bytes:
    if is_directory(url):
        raise UnsupportedOperation(
            "this ftp URL names a directory, and only files are written and deleted",
            part="typecode" if url.name else "name",
        )
    return octets_of(url.name or "")


class _NetworkLines:
    """Ends lines with CR LF, as the representation type A wants (RFC 959 section 3.1.1.1); those that do stay."""

    __slots__ = ("_after_return",)

    def __init__(self) -> None:
        self._after_return = False

    def of(self, octets: bytes) -> bytes:
        """The next octets, which are not empty."""
        start = int(self._after_return and octets.startswith(b"\n"))
        self._after_return = octets.endswith(b"\r")
        return octets[:start] + _BARE_LINE_FEED.sub(b"\r\n", octets[start:])
