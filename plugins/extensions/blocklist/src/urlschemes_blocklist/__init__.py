"""Hosts, networks and schemes that must not be accessed, from the files that `URLSCHEMES_BLOCKLIST` names.

The variable restricts, and leads nowhere: it always counts. Without it, nothing is done. A list that cannot be read, or
holds a line that is understood by nobody, forbids everything, and says why.

    __init__.py   the hook
    lists.py      what a file says, and what a URL is held against
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from urlschemes.registry.hooks import hookimpl

if TYPE_CHECKING:
    from urlschemes import URL

__all__ = ["VARIABLE", "urlschemes_veto"]

VARIABLE = "URLSCHEMES_BLOCKLIST"
"""The variable that names the files: whole paths, separated as in PATH."""


@hookimpl
def urlschemes_veto(url: URL) -> str | None:
    """Why the lists forbid the URL, if they do."""
    files = os.environ.get(VARIABLE)
    if not files:
        return None
    from urlschemes_blocklist.lists import verdict

    return verdict(url, [file for file in files.split(os.pathsep) if file])
