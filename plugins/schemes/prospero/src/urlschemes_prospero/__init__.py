"""The prospero scheme (RFC 1738 section 3.11): `prospero://<host>:<port>/<hsoname>;<field>=<value>`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes import UNCHANGED, Encoded, InternetURL, Registration, Scheme, Unchanged

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

__all__ = ["ProsperoURL", "registration", "scheme"]

registration = Registration.of(__name__)


class ProsperoURL(InternetURL, registration=registration):
    """A URL that designates an object of the Prospero Directory Service, by the name that its server has for it."""

    __slots__ = ()

    if TYPE_CHECKING:
        # The record has a default port, so that it is never None.
        @property
        def port(self) -> int:
            """The port to connect to: the one written, else 1525."""

    @property
    def hsoname(self) -> str:
        """The host-specific object name, decoded: opaque, and often with a slash of its own in front."""
        return self._text("hsoname") or ""

    @property
    def fields(self) -> tuple[tuple[str, str], ...]:
        """Names and values of the fields, decoded, in their order; a name may stand more than once."""
        return self._pairs("fields")

    @classmethod
    def build(
        cls,
        *,
        host: str,
        port: int | None = None,
        hsoname: str | Encoded = "",
        fields: Sequence[tuple[str | Encoded, str | Encoded]] = (),
    ) -> Self:
        """The URL of these parts, each encoded as it must be. Raises InvalidURL where a part cannot be what it should.

        A slash that begins `hsoname` is one of its own, beside the one that ends the host.
        """
        return cls._build(host=host, port=port, hsoname=hsoname, fields=fields)

    def replace(
        self,
        *,
        host: str | Unchanged = UNCHANGED,
        port: int | Unchanged | None = UNCHANGED,
        hsoname: str | Encoded | Unchanged = UNCHANGED,
        fields: Sequence[tuple[str | Encoded, str | Encoded]] | Unchanged = UNCHANGED,
    ) -> Self:
        """The same URL but for these parts; the text of the others does not change. Raises InvalidURL."""
        return self._replace(host=host, port=port, hsoname=hsoname, fields=fields)


scheme = Scheme(registration, ProsperoURL, access="urlschemes_prospero.access")
