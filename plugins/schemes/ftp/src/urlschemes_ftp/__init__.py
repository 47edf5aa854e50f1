"""The ftp scheme (RFC 1738 section 3.2): files and directories on hosts that speak the File Transfer Protocol.

    ftp://<user>:<password>@<host>:<port>/<cwd1>/<cwd2>/.../<cwdN>/<name>;type=<typecode>

The syntax is in `registration.toml`, the algorithms are in `access.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes import UNCHANGED, Encoded, LoginURL, Registration, Scheme, Unchanged

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

__all__ = ["FtpURL", "registration", "scheme"]

registration = Registration.of(__name__)


class FtpURL(LoginURL, registration=registration):
    """A URL that designates a file or a directory, by the commands that lead to it."""

    __slots__ = ()

    if TYPE_CHECKING:
        # The record has a default port, so that it is never None.
        @property
        def port(self) -> int:
            """The port to connect to: the one written, else 21."""

    @property
    def directories(self) -> tuple[str, ...]:
        """The arguments of the CWD commands, in their order, decoded; `""` is one too (section 3.2.2)."""
        return self._elements("directories")

    @property
    def name(self) -> str | None:
        """The name of the file, decoded. `""` means the directory itself, None that the whole path is absent."""
        name = self._value("name")
        return None if name is None else str(name)

    @property
    def typecode(self) -> str | None:
        """`a`, `i` or `d`, in the case of the URL: a text, octets, a directory. None where it is omitted."""
        return self._text("typecode")

    @classmethod
    def build(
        cls,
        *,
        host: str,
        port: int | None = None,
        user: str | Encoded | None = None,
        password: str | Encoded | None = None,
        directories: Sequence[str | Encoded] = (),
        name: str | Encoded | None = None,
        typecode: str | None = None,
    ) -> Self:
        """The URL of these parts, each encoded where it must be; `Encoded` parts are taken as they are.

        Without directories, name and typecode the path is absent; directories without a name end in a `/`. Raises
        InvalidURL where no URL can hold the parts.
        """
        if name is None and (directories or typecode is not None):
            name = ""
        return cls._build(
            host=host, port=port, user=user, password=password, directories=directories, name=name, typecode=typecode
        )

    def replace(
        self,
        *,
        host: str | Unchanged = UNCHANGED,
        port: int | Unchanged | None = UNCHANGED,
        user: str | Encoded | Unchanged | None = UNCHANGED,
        password: str | Encoded | Unchanged | None = UNCHANGED,
        directories: Sequence[str | Encoded] | Unchanged = UNCHANGED,
        name: str | Encoded | Unchanged | None = UNCHANGED,
        typecode: str | Unchanged | None = UNCHANGED,
    ) -> Self:
        """The same URL but for these parts; the text of the others does not change. None leaves a part out."""
        return self._replace(
            host=host, port=port, user=user, password=password, directories=directories, name=name, typecode=typecode
        )

    def normalized(self) -> Self:
        """As `URL.normalized`, with the typecode in lower case: both cases mean the same."""
        url = super().normalized()
        return url if url.typecode is None else url.replace(typecode=url.typecode.lower())


scheme = Scheme(registration, FtpURL, access="urlschemes_ftp.access")
