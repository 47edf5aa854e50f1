"""Operations on ftp URLs: RFC 1738 section 3.2.2 in the dialogue of RFC 959.

    server  client
    220     USER, PASS                  log in
    230     CWD, for each directory     go to the directory
    250     TYPE, SIZE, EPSV            prepare a data connection
    229     RETR                        a file; MLSD, LIST or NLST for a directory; STOR, APPE to write
    150     ... data ...
    226     QUIT                        only the 226 says that the transfer is complete

EPSV is defined in RFC 2428, FEAT in RFC 2389; SIZE, MDTM, MLST and MLSD in RFC 3659.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.errors import UnsupportedOperation
from urlschemes_access.attributes import Attributes, media_type_of
from urlschemes_access.protocol import Algorithm, Deliver, Open, Pull
from urlschemes_access.protocol.ranges import WHOLE, Range, decide
from urlschemes_access.protocol.replies import command_name
from urlschemes_ftp.attributes import fetch_attributes, fetch_size, fetch_time
from urlschemes_ftp.data_connection import Download, open_data_connection
from urlschemes_ftp.listing import deliver_directory
from urlschemes_ftp.login import log_in
from urlschemes_ftp.upload import Upload, change
from urlschemes_ftp.url_path import (
    change_directory,
    file_name,
    names_directory,
    refusal_of_file,
    representation_type,
)

if TYPE_CHECKING:
    from datetime import datetime

    from urlschemes_ftp import FtpURL
    from urlschemes_ftp.control import Control

__all__ = ["access", "delete", "find_attributes", "replace", "update"]


def access(url: FtpURL, *, range: Range = WHOLE) -> Algorithm[None]:  # noqa: A002  the name of the option
    """Deliver the file, or the entries of the directory, that `url` names (RFC 1738 section 3.2.2).

    `;type=d` and an empty name mean a directory. Raises UnsafeURL before connecting; AuthRequired, RemoteError,
    ProtocolError, LimitExceeded; IsDirectory if another name is that of a directory; Truncated if the server does not
    confirm the transfer; UnsupportedOperation for a range of a directory or a text, and if the server has no ranges.
    """
    range = _possible_range(url, range)  # noqa: A001  as above
    control = yield from log_in(url)
    yield from change_directory(control, url)
    if names_directory(url):
        yield from deliver_directory(control, url)
    else:
        yield from _retrieve(control, url, range)
    yield from control.end()


def find_attributes(url: FtpURL) -> Algorithm[None]:
    """Find size and time of modification, by MLST if the server has it, else by SIZE, MDTM or LIST.

    The size is that of `TYPE I`, so that there is none for `;type=a`. Raises what `access` raises.
    """
    control = yield from log_in(url)
    yield from change_directory(control, url)
    yield from control.carry_out(b"TYPE " + representation_type(url))
    attributes = yield from fetch_attributes(control, url)
    yield from Open("attributes", attributes)
    yield from control.end()


def replace(url: FtpURL) -> Algorithm[None]:
    """Store the caller's content as the file that `url` names, replacing an older one: STOR.

    `;type=a` sends lines ended by CR LF. Raises what `access` raises, and UnsupportedOperation for a directory. After
    an error, a part of the content may be in the file: the error's `sent` counts the octets sent. RemoteError has the
    server's reason; Indeterminate means that all was sent and not confirmed.
    """
    yield from _store(url, b"STOR")


def update(url: FtpURL) -> Algorithm[None]:
    """Append the caller's content to the file that `url` names: APPE. Raises what `replace` raises."""
    yield from _store(url, b"APPE")


def delete(url: FtpURL) -> Algorithm[None]:
    """Delete the file that `url` names: DELE.

    Raises what `access` raises, UnsupportedOperation for a directory, and Indeterminate if the server does not reply.
    """
    _check_names_file(url)
    control = yield from log_in(url)
    yield from change_directory(control, url)
    command = b"DELE " + file_name(url)
    reply = (yield from change(control, command)).checked(command_name(command), 2)
    yield from Open("attributes", Attributes(name=url.name, fields={"reply": str(reply)}))
    yield from control.end()


def _possible_range(url: FtpURL, wanted: Range) -> Range:
    """Return the range, or the whole of what has no ranges. Raises UnsupportedOperation if only a part is wanted."""
    if wanted.is_whole or not (names_directory(url) or representation_type(url) == b"A"):
        return wanted
    if wanted.unchanged is not None:
        return WHOLE
    kind = "a directory" if names_directory(url) else "a text, whose line ends the server writes,"
    raise UnsupportedOperation(f"the URL names {kind} and not octets: it has no ranges", part="typecode")


def _retrieve(control: Control, url: FtpURL, wanted: Range) -> Algorithm[None]:
    """Deliver a file, or a range of it, by RETR."""
    type_code = representation_type(url)
    yield from control.carry_out(b"TYPE " + type_code)
    size = (yield from fetch_size(control, url)) if type_code == b"I" else None
    modified = None if wanted.unchanged is None else (yield from fetch_time(control, url))
    missing = decide(wanted, Attributes(size=size, modified=modified)).range
    if missing is None:
        yield from Open("document", _attributes(url, 0, modified, wanted))
        return
    if size is None and missing.unchanged is not None:
        size = missing.unchanged.size  # the file is unchanged
    data = yield from open_data_connection(control)
    wanted = yield from _restart(control, missing)
    command = b"RETR " + file_name(url)
    reply = yield from control.command(command)
    if reply.kind == 5:
        raise (yield from refusal_of_file(control, url, reply, command))
    reply.checked(command_name(command), 1)
    length = None if size is None else wanted.length(size)
    most = None  # the server ends the data
    if wanted.stop is not None and (size is None or wanted.stop < size):
        most = wanted.stop - wanted.start
    download = Download(control, data, "RETR", length, most=most)
    yield from Open("document", _attributes(url, length, modified, wanted))
    while octets := (yield from download.receive()):
        yield from Deliver(octets)
    yield from download.confirm()


def _restart(control: Control, wanted: Range) -> Algorithm[Range]:
    """Send REST, if the range does not begin with the file. Return the range that the server will send."""
    if not wanted.start:
        return wanted
    command = b"REST %d" % wanted.start
    reply = yield from control.command(command)
    if reply.kind != 5:
        reply.checked(command_name(command), 3)
        return wanted
    if wanted.unchanged is not None:
        return WHOLE
    raise UnsupportedOperation(
        f"the server has no ranges: {reply}", part="range", hint="only the whole file can be accessed"
    )


def _attributes(url: FtpURL, size: int | None, modified: datetime | None, wanted: Range) -> Attributes:
    return Attributes(
        media_type=media_type_of(url.name), name=url.name, size=size, modified=modified, start=wanted.start
    )


def _store(url: FtpURL, verb: bytes) -> Algorithm[None]:
    """Send the caller's content, by STOR or APPE."""
    _check_names_file(url)
    first = yield from Pull()  # a caller without content must not open a connection
    control = yield from log_in(url)
    yield from change_directory(control, url)
    type_code = representation_type(url)
    yield from control.carry_out(b"TYPE " + type_code)
    data = yield from open_data_connection(control, sends=True)
    upload = yield from Upload.begin(control, data, verb + b" " + file_name(url))
    yield from upload.send_all(first, as_text=type_code == b"A")
    reply = yield from upload.confirm()
    attributes = Attributes(
        media_type=media_type_of(url.name),
        name=url.name,
        size=upload.sent if verb == b"STOR" and type_code == b"I" else None,
        fields={"reply": str(reply)},
    )
    yield from Open("attributes", attributes)
    yield from control.end()


def _check_names_file(url: FtpURL) -> None:
    if names_directory(url):
        raise UnsupportedOperation(
            "the URL names a directory: only files can be replaced, updated or deleted",
            part="typecode" if url.name else "name",
        )
