"""User names and passwords from a netrc file: the one that `NETRC` names, or `.netrc` in the home directory.

It is asked only in accesses with `credentials=client.credentials_from_hooks`, and only if the server wants a login. An
entry is for the host that it names, in any case, and for no other. If the user is known already, the entry must be that
user's. The `default` entry is for every host, and therefore used only for the login `anonymous`. The file does not
distinguish ports. Macros are ignored.
"""

from __future__ import annotations

import netrc
import os
from typing import TYPE_CHECKING

from urlschemes.errors import ConfigurationError
from urlschemes.registry.hooks import hookimpl
from urlschemes.storage.user_dirs import open_own
from urlschemes_access import Credentials
from urlschemes_access.protocol.hosts import one_spelling

if TYPE_CHECKING:
    from urlschemes_access.protocol import Authenticate

__all__ = ["urlschemes_credentials"]

MAX_OCTETS = 1024 * 1024
"""Octets that the file may have."""
_ANY_HOST = "default"
_ANONYMOUS = "anonymous"


@hookimpl
def urlschemes_credentials(request: Authenticate) -> Credentials | None:
    """Return the login of the file for the host. Raises ConfigurationError, which never shows the file's content."""
    named = os.environ.get("NETRC")
    file = named or os.path.expanduser("~/.netrc")  # noqa: PTH111  no error without a home
    if not named and not os.path.lexists(file):
        return None
    entries = _read(file)
    host = one_spelling(request.host)
    for name, (user, _, password) in entries.items():
        if one_spelling(name) == host and name != _ANY_HOST:
            return Credentials(user, password) if user and request.user in {None, user} else None
    user, _, password = entries.get(_ANY_HOST, ("", "", ""))
    return Credentials(user, password) if user == _ANONYMOUS and request.user in {None, user} else None


def _read(file: str) -> dict[str, tuple[str, str, str]]:
    """Return the entries (user, account, password) by host. Raises ConfigurationError."""
    hint = None
    try:
        return _parse(open_own(file, MAX_OCTETS, secret=True))
    except netrc.NetrcParseError as error:  # its message may contain a password
        problem = f"is malformed in line {error.lineno}, or just before it"
    except UnicodeDecodeError:
        problem = "is not UTF-8"
    except OSError as error:
        problem, hint = f"cannot be used: {error.strerror}", getattr(error, "hint", None)
    # Raised outside of `except`, so that the error does not refer to the one that was caught.
    raise ConfigurationError(f"the netrc file {file} {problem}", source=file, hint=hint)


def _parse(descriptor: int) -> dict[str, tuple[str, str, str]]:
    """Return the entries of an open file, and close it. Raises NetrcParseError, UnicodeDecodeError, OSError."""
    with open(descriptor, "rb") as file:
        file.read().decode()  # netrc would read a file that is not UTF-8 in the encoding of the locale
        file.seek(0)
        copy = os.dup(descriptor)
        return netrc.netrc(copy).hosts  # type: ignore[arg-type]  # it passes the descriptor to `open`, which closes it
