"""Errors of accesses as the exceptions that fsspec and its users know."""

from __future__ import annotations

import io
from contextlib import contextmanager
from typing import TYPE_CHECKING

from urlschemes.errors import UnsafeURL, UnsupportedOperation
from urlschemes_access.errors import AccessError, AuthRequired, IsDirectory, PolicyDenied, RemoteError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from urlschemes.errors import URLError

__all__ = ["os_errors"]


@contextmanager
def os_errors() -> Iterator[None]:
    """Raise errors of accesses as OSErrors with the same text; the error itself is the cause.

    InvalidURL, which is a ValueError, UnknownScheme and PluginError pass through.
    """
    try:
        yield
    except (AccessError, PolicyDenied, UnsafeURL, UnsupportedOperation) as error:
        raise _os_error(error) from error


def _os_error(error: URLError) -> OSError:
    match error:
        case PolicyDenied() | UnsafeURL() | AuthRequired():
            return PermissionError(str(error))
        case IsDirectory():
            return IsADirectoryError(str(error))
        case RemoteError(temporary=False):
            return FileNotFoundError(str(error))
        case UnsupportedOperation():
            return io.UnsupportedOperation(str(error))
        case _:  # no TimeoutError: fsspec would raise one of its own, without the text
            return OSError(str(error))
