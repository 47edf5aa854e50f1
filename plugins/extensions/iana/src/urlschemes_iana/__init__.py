"""IANA's registry of URI schemes as a ledger: names that are known, with status and reference, without being installed.

The state that comes with this distribution is `uri-schemes.csv`, which names its source and date. The command
`urlschemes iana FILE` imports a newer one. Nothing is ever downloaded.

    __init__.py   the hook
    snapshot.py   the state in use: the shipped one, or the user's own
    iana_csv.py   parses the CSV file that IANA offers
    command.py    the command
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.registry.hooks import hookimpl
from urlschemes_iana.snapshot import snapshot_in_use

if TYPE_CHECKING:
    from urlschemes.registry.names import Ledger

__all__ = ["urlschemes_ledger"]


@hookimpl
def urlschemes_ledger() -> Ledger:
    """Return the newer of the registry that comes with this distribution and the user's own snapshot."""
    return snapshot_in_use().ledger
