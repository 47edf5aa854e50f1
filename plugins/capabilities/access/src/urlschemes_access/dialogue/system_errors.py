"""Messages and errors for OSErrors of the system and of TLS, with hints that say what helps."""

from __future__ import annotations

import errno
import sys

from urlschemes.errors import Hint, Remedy
from urlschemes_access.errors import RemoteError, TLSError

# Numbers of OpenSSL's certificate verification (x509_vfy.h).
_UNKNOWN_AUTHORITY = frozenset({2, 18, 19, 20, 21})
_NOT_YET_VALID, _EXPIRED = 9, 10
_OTHER_NAME = frozenset({62, 64})

_PROBLEMS_OF_ALERTS = {
    "CERTIFICATE_REQUIRED": "the server requires a client certificate",
    "HANDSHAKE_FAILURE": "the server may require a client certificate",
    "BAD_CERTIFICATE": "the server requires another client certificate",
    "ALERT_UNKNOWN_CA": "the server does not trust the authority of the client certificate",
    "CERTIFICATE_EXPIRED": "the client certificate has expired",
    "CERTIFICATE_UNKNOWN": "the server refused the client certificate",
}
"""The problem with the client's certificate that an alert of the server tells, by a part of its name in OpenSSL."""


def reason(error: BaseException) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def system_refusal(error: BaseException, what: str) -> RemoteError:
    """Return the error for what the file system refused. `what` names the file; `status` is the name of the errno."""
    text = reason(error)
    status = errno.errorcode.get(getattr(error, "errno", None) or 0)
    return RemoteError(f"{what}: {text}", status=status, text=text, part="path")


def is_tls_fault(fault: BaseException) -> bool:
    """Return True for a fault of TLS itself; False for one of the connection, such as its end without an alert."""
    ssl = sys.modules.get("ssl")  # a connection without TLS does not import it
    if ssl is None or not isinstance(fault, ssl.SSLError) or isinstance(fault, TimeoutError):
        return False
    end = isinstance(fault, ssl.SSLEOFError | ssl.SSLZeroReturnError | ssl.SSLSyscallError)
    return not end and "UNEXPECTED_EOF" not in (fault.reason or "")


def tls_error(host: str, fault: BaseException, *, received: int | None = None) -> TLSError:
    """Return the error for a fault of TLS with `host`, after `received` octets; None: in the handshake."""
    name = getattr(fault, "reason", None) or ""
    why = getattr(fault, "verify_message", "") or name or reason(fault)
    after = "" if received is None else f" after {received} octets"
    return TLSError(f"TLS with {host} failed{after}: {why}", hint=_hint(getattr(fault, "verify_code", 0), name))


def _hint(verify_code: int, name: str) -> str | None:
    if verify_code in _UNKNOWN_AUTHORITY:
        return Hint(Remedy("names the file of the authority's own certificate, if you trust it", "cacert"))
    if verify_code in _OTHER_NAME:
        return "the certificate is for another host: the URL must name the host as the certificate does"
    if verify_code in (_EXPIRED, _NOT_YET_VALID):
        when = "has expired" if verify_code == _EXPIRED else "is not valid yet"
        return f"the certificate of the server {when}, or the clock of this machine is wrong"
    if name == "WRONG_VERSION_NUMBER":
        return "the server does not speak TLS at this port"
    problem = next((problem for part, problem in _PROBLEMS_OF_ALERTS.items() if part in name), None)
    return problem and Hint(problem, Remedy("names its file", "cert"))
