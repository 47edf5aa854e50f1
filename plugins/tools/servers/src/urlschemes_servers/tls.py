"""Certificates for 127.0.0.1 and localhost, made when they are asked for (needs the extra `tls`: trustme)."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

__all__ = ["Certificates", "make_certificates"]

LONG_AGO = datetime(2001, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Certificates:
    """What two sides need to trust each other: `server` is the server's context, `authority` a certificate in PEM.

    `client()` trusts that authority and nothing else.
    """

    server: ssl.SSLContext
    authority: bytes

    def client(self) -> ssl.SSLContext:
        """A context that verifies, and trusts only these certificates."""
        return ssl.create_default_context(cadata=self.authority.decode("ascii"))


def make_certificates(*names: str, expired: bool = False) -> Certificates:
    """A new authority, and a server's certificate for `names` (127.0.0.1, ::1 and localhost unless others are given).

    With other names, or `expired`, the certificate is one that a client must refuse. Raises ModuleNotFoundError without
    trustme: install `urlschemes-testing[tls]`.
    """
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
