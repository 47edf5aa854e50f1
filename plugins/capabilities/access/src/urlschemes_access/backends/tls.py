"""TLS contexts, and the files that they are made of: the certificates that a client trusts, and its own."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Self

from urlschemes.errors import ConfigurationError, Hint, Remedy

if TYPE_CHECKING:
    import ssl


@dataclass(frozen=True, slots=True)
class TLSFiles:
    """Paths of files in PEM form, or None.

    `cacert` holds the certificates that are trusted, instead of those of the system. `cert` holds the certificate of
    the client, with those of its authorities. `key` holds its private key, if `cert` does not.
    """

    cacert: str | None = None
    cert: str | None = None
    key: str | None = None

    @classmethod
    def of(cls, **paths: str | os.PathLike[str] | None) -> Self:
        """Return the files with these paths. Raises TypeError, ConfigurationError."""
        for name, path in paths.items():
            if path is not None and not isinstance(path, str | os.PathLike):
                raise TypeError(f"{name} must be the path of a file, not {type(path).__name__}")
        return cls(**{name: None if path is None else os.fspath(path) for name, path in paths.items()})

    def __post_init__(self) -> None:
        if self.key is not None and self.cert is None:
            hint = Hint(Remedy("names the file of its certificate", "cert"))
            raise ConfigurationError("key is given without cert", key="key", hint=hint)

    def __bool__(self) -> bool:
        return self != TLSFiles()

    def context(self) -> ssl.SSLContext:
        """Return a context with the files as they are now: TLS 1.2 or later, verified, by default as the system does.

        `ssl.create_default_context` would write session keys to a file named by an environment variable. Raises
        ConfigurationError if a file cannot be used.
        """
        return _context(self, tuple(self._time_of(name) for name in self.__slots__))

    def _time_of(self, name: str) -> int | None:
        path = getattr(self, name)
        try:
            return None if path is None else os.stat(path).st_mtime_ns  # noqa: PTH116  pathlib would be imported
        except (OSError, ValueError) as fault:
            raise _error(name, path, getattr(fault, "strerror", None) or str(fault)) from None


def strict_context(context: ssl.SSLContext | TLSFiles | None) -> ssl.SSLContext:
    """Return `context`, or one made of files, changed so that a truncated connection is an error.

    Until Python 3.11.3, contexts came with an option of OpenSSL 3 that makes truncation look like a regular end.
    """
    import ssl  # heavy

    used = (context or TLSFiles()).context() if context is None or isinstance(context, TLSFiles) else context
    if sys.version_info < (3, 11, 4):
        used.options &= ~ssl.OP_IGNORE_UNEXPECTED_EOF
    return used


@lru_cache(maxsize=4)
def _context(files: TLSFiles, _: tuple[int | None, ...]) -> ssl.SSLContext:
    import ssl  # heavy

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    if files.cacert is None:
        context.load_default_certs()
    else:
        context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN  # the file may hold the certificate of the server itself
        try:
            context.load_verify_locations(cafile=files.cacert)
        except OSError as fault:
            raise _error("cacert", files.cacert, "it holds no certificate in PEM form") from fault
    if files.cert is not None:
        try:
            context.load_cert_chain(files.cert, files.key, password=_refuse_password)
        except OSError as fault:
            held = "certificate" if files.key else "certificate and private key"
            why = {"KEY_VALUES_MISMATCH": "the private key belongs to another certificate"}
            reason = why.get(getattr(fault, "reason", ""), f"it holds no {held} in PEM form, or the key does not")
            raise _error("cert", files.cert, reason) from fault
    return context


def _refuse_password() -> str:
    """Without this function, OpenSSL would ask for the password at the terminal."""
    raise ConfigurationError(
        "the private key is encrypted", key="key", hint="decrypt it with: openssl pkey -in FILE -out NEW"
    )


def _error(name: str, path: str, why: str) -> ConfigurationError:
    return ConfigurationError(f"{name}: the file {path!r} cannot be used: {why}", key=name)
