"""User names and passwords from a netrc file: `$NETRC`, or `.netrc` in the home directory.

Asked only in accesses whose caller passed `credentials=registry.credentials_from_hooks`, and only when the other side
wants a login. An entry counts for the host that it names, letter for letter but for letter case, and for no other; a
login that is known already must be the entry's own. The `default` entry counts for every host, so it gives nothing that
is secret: only the login `anonymous`. The file cannot tell ports apart. Macros are passed over.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from urlschemes.hooks import hookimpl

if TYPE_CHECKING:
    from urlschemes import Credentials
    from urlschemes.wire import Authenticate

__all__ = ["urlschemes_credentials"]

_MOST = 1024 * 1024
"""Octets that the file may have."""
_ANYWHERE = "default"
_PUBLIC = "anonymous"


@hookimpl
def urlschemes_credentials(request: Authenticate) -> Credentials | None:
    """What the file has for the host. Raises ConfigurationError, which never shows what the file holds."""
    named = os.environ.get("NETRC")
    file = named or os.path.expanduser("~/.netrc")  # noqa: PTH111  a text, to be shown
    if not named and not os.path.lexists(file):
        return None
    entries = _entries(file)
    host = request.host.lower()
    for name, (user, _, password) in entries.items():
        if name.lower() == host and name != _ANYWHERE:
            return _credentials(request, user, password)
    user, _, password = entries.get(_ANYWHERE, ("", "", ""))
    return _credentials(request, user, password) if user == _PUBLIC else None


def _credentials(request: Authenticate, user: str, password: str) -> Credentials | None:
    from urlschemes import Credentials

    if not user or request.user not in {None, user}:
        return None
    return Credentials(user, password)


def _entries(file: str) -> dict[str, tuple[str, str, str]]:
    """The entries of the file by host. Raises ConfigurationError."""
    from netrc import NetrcParseError, netrc

    from urlschemes.errors import ConfigurationError

    hint = None
    try:
        wrong, hint = _unsafe(file)
        if not wrong:
            return netrc(file).hosts
    except NetrcParseError as error:  # its words may be a password
        wrong = f"is malformed in line {error.lineno}, or just before it"
    except UnicodeDecodeError:
        wrong = "holds octets that are no text"
    except (OSError, ValueError) as error:
        wrong = f"cannot be read: {getattr(error, 'strerror', None) or 'no such path'}"
    # Raised here, where the error that was caught is forgotten.
    raise ConfigurationError(f"the netrc file {file} {wrong}", source=file, hint=hint)


def _unsafe(file: str) -> tuple[str, str | None]:
    """Why the file must not be read, and what to do; empty where it may."""
    import stat

    status = os.stat(file)  # noqa: PTH116  as above
    if not stat.S_ISREG(status.st_mode):
        return "is no file", None
    if hasattr(os, "getuid"):
        if status.st_uid != os.getuid():
            return "belongs to somebody else", None
        if status.st_mode & 0o077:
            return "is open to others", f"chmod 600 {file}"
    if status.st_size > _MOST:
        return f"is longer than {_MOST} octets", None
    return "", None
