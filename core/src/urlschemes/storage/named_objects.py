"""Objects that are named in data: in a pickle, a profile or a scheme.

They may be in distributions that the core does not know.
"""

from __future__ import annotations

from importlib import import_module
from operator import attrgetter
from typing import Any


def named(module: str, attribute: str = "") -> Any:
    """Import a module and return it, or the object that `attribute` names in it. Raises what the import raises."""
    found = import_module(module)
    return attrgetter(attribute)(found) if attribute else found
