"""The http scheme (RFC 1738 section 3.3).

The algorithm is in `urlschemes_http.access`, which is imported at the first access, never for parsing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes import UNCHANGED, Encoded, InternetURL, Registration, Scheme, Unchanged

if TYPE_CHECKING:
    from typing import ClassVar, Self

__all__ = ["HttpURL", "registration", "scheme"]

registration = Registration.of(__name__)


class HttpURL(InternetURL, registration=registration):
    """`http://<host>:<port>/<path>?<searchpart>`."""

    __slots__ = ()

    tls: ClassVar[bool] = False
    """Whether the protocol is spoken over TLS."""

    if TYPE_CHECKING:
        # The record has a default port, so that these are never None.
        registration: ClassVar[Registration]

        @property
        def port(self) -> int:
            """The port to connect to: the one written, else the scheme's default."""

    @property
    def path(self) -> str | None:
        """What follows the first `/`, decoded; None where the `/` is left out. `raw["path"]` tells `/` from `%2F`."""
        return self._text("path")

    @property
    def search(self) -> str | None:
        """The query string, decoded; None without a `?`. `raw["search"]` tells `&` from `%26`."""
        return self._text("search")

    @property
    def target(self) -> str:
        """The request target (RFC 9112 section 3.2.1): path and search as the URL writes them, `/` without any."""
        path, search = self.raw["path"], self.raw["search"]
        return f"/{path or ''}" if search is None else f"/{path}?{search}"

    @classmethod
    def build(
        cls,
        *,
        host: str,
        port: int | None = None,
        path: str | Encoded | None = None,
        search: str | Encoded | None = None,
    ) -> Self:
        """The URL of these parts; each is encoded where it must be, an `Encoded` one is only checked.

        In a `path`, `/` divides segments; a `/` within a segment is given as `Encoded("a%2Fb")`. A `search` without a
        `path` means the empty path. Raises InvalidURL where the parts make no URL.
        """
        if search is not None and path is None:
            path = ""
        return cls._build(host=host, port=port, path=path, search=search)

    def replace(
        self,
        *,
        host: str | Unchanged = UNCHANGED,
        port: int | Unchanged | None = UNCHANGED,
        path: str | Encoded | Unchanged | None = UNCHANGED,
        search: str | Encoded | Unchanged | None = UNCHANGED,
    ) -> Self:
        """The same URL with other parts; what is not named stays as it is written, and None takes a part away."""
        return self._replace(host=host, port=port, path=path, search=search)


scheme = Scheme(registration, HttpURL, access="urlschemes_http.access")
