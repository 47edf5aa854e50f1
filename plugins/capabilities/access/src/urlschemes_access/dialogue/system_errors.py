"""Messages and errors for OSErrors of the system."""

from __future__ import annotations

import errno

from urlschemes_access.errors import RemoteError

__all__ = ["reason", "system_refusal"]


def reason(error: BaseException) -> str:
    """Return the system's reason for an error."""
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def system_refusal(error: BaseException, what: str) -> RemoteError:
    """Return the error for what the file system refused. `what` names the file; `status` is the name of the errno."""
    text = reason(error)
    status = errno.errorcode.get(getattr(error, "errno", None) or 0)
    return RemoteError(f"{what}: {text}", status=status, text=text, part="path")
