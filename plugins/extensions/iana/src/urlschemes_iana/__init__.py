"""IANA's registry of URI schemes as a ledger: names that are known, with status and reference, without being installed.

The state that comes with this distribution is `uri-schemes.csv`, a plain file that names its source and its date. A
newer one can be read from a file with the command `urlschemes iana FILE`. Nothing is ever fetched.

    __init__.py   the hook
    snapshot.py   the file as it is kept, the shipped one and the user's own, and which of the two counts
    download.py   the file as IANA gives it, checked
    command.py    the command
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.registry.hooks import hookimpl

if TYPE_CHECKING:
    from urlschemes.registry.known_names import Ledger

__all__ = ["urlschemes_ledger"]


@hookimpl
def urlschemes_ledger() -> Ledger:
    """The newer of the registry that comes with this distribution and the user's own snapshot of it."""
    from urlschemes_iana.snapshot import in_use

    return in_use().ledger
