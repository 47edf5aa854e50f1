"""The ftp scheme (RFC 1738 section 3.2): files and directories on hosts that speak the File Transfer Protocol.

    ftp://<user>:<password>@<host>:<port>/<cwd1>/<cwd2>/.../<cwdN>/<name>;type=<typecode>

The syntax is in `registration.toml`, the algorithms are in `access.py`.
"""

from __future__ import annotations

from typing import Any, Final, Self

from urlschemes import Listed, LoginURL, Registration, Scheme, list_part, number_part, text_part

__all__ = ["DIRECTORIES", "FtpURL", "registration", "scheme"]

registration = Registration.of(__name__)

DIRECTORIES: Final[Any] = list_part(default=(), doc='The arguments of the CWD commands, decoded; `""` is one too.')


class FtpURL(LoginURL, registration=registration):
    """A URL that designates a file or a directory, by the commands that lead to it."""

    port: int = number_part(default=None, doc="The port to connect to: the one in the URL, or 21.")
    directories: Listed[str] = DIRECTORIES
    name: str | None = text_part(
        default=None,
        when_needed="",
        doc='The name of the file, decoded. `""` is the directory itself; None if the path is absent.',
    )
    typecode: str | None = text_part(
        default=None, doc="`a` for a text, `i` for octets, `d` for a directory, in either case; None if absent."
    )

    def normalized(self, level: str | None = None) -> Self:
        """Return the URL as `URL.normalized` does, with the typecode in lower case."""
        url = super().normalized(level)
        if url.typecode is None or level not in {None, "scheme"}:
            return url
        return url.replace(typecode=url.typecode.lower())


scheme = Scheme(registration, FtpURL, access="urlschemes_ftp.access")
