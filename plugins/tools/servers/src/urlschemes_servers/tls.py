"""Certificates for 127.0.0.1 and localhost, made by trustme (the extra `tls`)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ssl

__all__ = ["Certificates", "make_certificates"]

LONG_AGO = datetime(2001, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Certificates:
    """The context of a server, and the certificate of its authority in PEM."""

    server: ssl.SSLContext
    authority: bytes

    def client(self) -> ssl.SSLContext:
        """Return the context of a client that trusts only this authority."""
        import ssl

        return ssl.create_default_context(cadata=self.authority.decode("ascii"))


def make_certificates(*names: str, expired: bool = False) -> Certificates:
    """Return a new authority, and a server certificate for `names`: by default 127.0.0.1, ::1 and localhost.

    A client must refuse a certificate for other names, or one that is `expired`. Raises ModuleNotFoundError if trustme
    is not installed.
    """
    import ssl

    import trustme

    authority = trustme.CA()
    certificate = authority.issue_cert(
        *(names or ("127.0.0.1", "::1", "localhost")),
        not_before=LONG_AGO if expired else None,
        not_after=LONG_AGO + timedelta(days=1) if expired else None,
    )
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    certificate.configure_cert(context)
    return Certificates(context, authority.cert_pem.bytes())
