"""The telnet scheme (RFC 1738 section 3.8): interactive services reached by the Telnet protocol.

    telnet://<user>:<password>@<host>:<port>/

The syntax is in `registration.toml`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes import UNCHANGED, Encoded, LoginURL, Registration, Scheme, Unchanged

if TYPE_CHECKING:
    from typing import Self

__all__ = ["TelnetURL", "registration", "scheme"]

registration = Registration.of(__name__)


class TelnetURL(LoginURL, registration=registration):
    """A URL that designates an interactive service; user name and password are suggestions to who logs in."""

    __slots__ = ()

    if TYPE_CHECKING:
        # The record has a default port, so that it is never None.
        @property
        def port(self) -> int:
            """The port to connect to: the one written, else 23."""

    @classmethod
    def build(
        cls,
        *,
        host: str,
        port: int | None = None,
        user: str | Encoded | None = None,
        password: str | Encoded | None = None,
    ) -> Self:
        """The URL of these parts, each encoded where it must be; `Encoded` parts are taken as they are.

        It has no final `/`, which would mean nothing. Raises InvalidURL where no URL can hold the parts: a password
        needs a user name.
        """
        return cls._build(host=host, port=port, user=user, password=password)

    def replace(
        self,
        *,
        host: str | Unchanged = UNCHANGED,
        port: int | Unchanged | None = UNCHANGED,
        user: str | Encoded | Unchanged | None = UNCHANGED,
        password: str | Encoded | Unchanged | None = UNCHANGED,
    ) -> Self:
        """The same URL but for these parts; the text of the others does not change. None leaves a part out."""
        return self._replace(host=host, port=port, user=user, password=password)


scheme = Scheme(registration, TelnetURL)
