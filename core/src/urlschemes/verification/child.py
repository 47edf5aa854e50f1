"""What runs in the process that a plugin is verified in: it is loaded between two snapshots, and a report is written.

The report is one line of JSON on what was the standard output; whatever the plugin prints goes nowhere.
"""

from __future__ import annotations

import json
import os
from importlib import import_module
from pkgutil import iter_modules
from time import perf_counter
from typing import TYPE_CHECKING, Any

import urlschemes
from urlschemes.claims import HOOKS, SCHEMES, Claim
from urlschemes.discovery import described
from urlschemes.errors import URLError
from urlschemes.loading import imported, provided
from urlschemes.verification.snapshot import Deeds, Snapshot

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["report"]

# They need what need not be installed, or run something.
_LEFT_OUT = {"cli", "demonstration", "verification"}


def report(given: Mapping[str, Any]) -> None:
    """Load the plugin of `given["claim"]`, write what came of it, and end the process."""
    channel, process = os.dup(1), os.getpid()
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    _get_ready([Claim(*other) for other in given["others"]])
    claim = Claim(*given["claim"])
    found: dict[str, Any] = {"seconds": None, "fault": ""}
    deeds = Deeds()
    before = Snapshot.take()
    began = perf_counter()
    try:
        loaded = _load(claim)
        found["seconds"] = perf_counter() - began
        _load_further(claim, loaded)
    except URLError as error:
        found["fault"] = error.message
    except BaseException as error:  # noqa: BLE001  whatever it is, it is what there is to report
        what = "its import ended with" if found["seconds"] is None else "its algorithm cannot be imported:"
        found["fault"] = f"{what} {described(error)}"
    finally:
        deeds.stop()
    found["changes"] = [*before.differences(Snapshot.take()), *deeds.told]
    if os.getpid() == process:  # a plugin may have forked
        os.write(channel, json.dumps(found).encode())
    os._exit(0)  # whatever threads it started, and whatever it wants to do at the end


def _get_ready(others: list[Claim]) -> None:
    """Import what must be the same afterwards: the core, and the schemes of `others` with their algorithms."""
    for room in iter_modules(urlschemes.__path__):
        if room.name not in _LEFT_OUT:
            import_module(f"urlschemes.{room.name}")
    for other in others:
        try:
            _load_further(other, provided(other))
        except Exception:  # noqa: BLE001, S112  it is verified by itself
            continue


def _load(claim: Claim) -> object:
    if claim.group == SCHEMES:
        return provided(claim)
    return imported(claim)


def _load_further(claim: Claim, loaded: Any) -> None:
    """What the first access would import."""
    if claim.group == SCHEMES:
        for operation in loaded.registration.operations if loaded._access else ():
            loaded.algorithm(operation)
    elif claim.group == HOOKS:
        from urlschemes.hooks import check

        check(loaded, claim.provider)
