"""User names and passwords from a netrc file: `$NETRC`, or `.netrc` in the home directory.

Asked only in accesses whose caller passed `credentials=registry.credentials_from_hooks`, and only when the other side
wants a login. An entry counts for the host that it names, letter for letter but for letter case, and for no other; a
login that is known already must be the entry's own. The `default` entry counts for every host, so it gives nothing that
is secret: only the login `anonymous`. The file cannot tell ports apart. Macros are passed over.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from urlschemes.registry.hooks import hookimpl

if TYPE_CHECKING:
    from urlschemes_access import Credentials
    from urlschemes_access.protocol import Authenticate

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
    from urlschemes_access import Credentials

    if not user or request.user not in {None, user}:
        return None
    return Credentials(user, password)


def _entries(file: str) -> dict[str, tuple[str, str, str]]:
    """The entries of the file by host. Raises ConfigurationError."""
    from netrc import NetrcParseError

    from urlschemes.errors import ConfigurationError
    from urlschemes.storage.user_dirs import open_own

    hint = None
    try:
        return _parsed(open_own(file, _MOST, secret=True))
    except NetrcParseError as error:  # its words may be a password
        wrong = f"is malformed in line {error.lineno}, or just before it"
    except UnicodeDecodeError:
        wrong = "holds octets that are no text"
    except OSError as error:
        wrong, hint = f"cannot be used: {error.strerror}", getattr(error, "hint", None)
    # Raised here, where the error that was caught is forgotten.
    raise ConfigurationError(f"the netrc file {file} {wrong}", source=file, hint=hint)


def _parsed(descriptor: int) -> dict[str, tuple[str, str, str]]:
    """The entries by host of the file that was opened. Raises NetrcParseError, UnicodeDecodeError, OSError."""
    import netrc

    try:
        with open(descriptor, "rb", closefd=False) as file:
            file.read().decode()  # else it would be tried again in another encoding
            file.seek(0)
    except BaseException:
        os.close(descriptor)
        raise
    return netrc.netrc(descriptor).hosts  # type: ignore[arg-type]  # what `open` takes, it takes, and closes it
