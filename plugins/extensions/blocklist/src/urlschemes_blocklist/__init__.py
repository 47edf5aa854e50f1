"""Hosts, networks and schemes that must not be accessed, from the files that `URLSCHEMES_BLOCKLIST` names.

The variable can only forbid accesses, so that it counts even if the environment is not trusted. Without it, nothing is
done. A list that cannot be read, or has a line that cannot be understood, forbids every access, and says why.

    __init__.py     the hook
    block_list.py   parses a list, and finds the line that blocks a URL
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from urlschemes.registry.hooks import hookimpl
from urlschemes_blocklist.block_list import reason_to_block

if TYPE_CHECKING:
    from urlschemes import URL
    from urlschemes_access.guard import RequestedURL

__all__ = ["VARIABLE", "urlschemes_veto"]

VARIABLE = "URLSCHEMES_BLOCKLIST"
"""The variable that names the files, by absolute paths separated as in PATH."""


@hookimpl
def urlschemes_veto(url: URL | RequestedURL) -> str | None:
    """Return why the lists forbid the URL, None if they do not."""
    files = os.environ.get(VARIABLE)
    return reason_to_block(url, [file for file in files.split(os.pathsep) if file]) if files else None
