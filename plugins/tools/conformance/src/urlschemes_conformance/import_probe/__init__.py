"""What runs in the process that a plugin is verified in: it is loaded between two snapshots, and a report is written.

`urlschemes_conformance.import_probe.probe` starts the process; no other room imports this. `snapshot` says what a plugin could change
for others, at one moment, and how two moments differ.

The report is one line of JSON on what was the standard output; whatever the plugin prints goes nowhere.
"""

from __future__ import annotations

import os
from importlib import import_module
from json import JSONEncoder
from os import _exit, getpid, write
from pkgutil import walk_packages
from time import perf_counter
from typing import TYPE_CHECKING, Any

import urlschemes
import urlschemes_access
from urlschemes.errors import URLError
from urlschemes.redaction import described
from urlschemes.registry.claims import Claim
from urlschemes.registry.plugins import load_any
from urlschemes_conformance.import_probe.snapshot import Deeds, Snapshot

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["report"]

_encoded = JSONEncoder().encode
# What is needed after the plugin is loaded is kept from before: it may have put something else in its place.


def report(given: Mapping[str, Any]) -> None:
    """Load the plugin of `given["claim"]`, write what came of it, and end the process."""
    channel, process = os.dup(1), getpid()
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
        load_any(claim, [Claim(*each) for each in given["claims"]])
        found["seconds"] = perf_counter() - began
    except URLError as error:
        found["fault"] = error.message
    except BaseException as error:  # noqa: BLE001  whatever it is, it is what there is to report
        found["fault"] = f"its import ended with {described(error)}"
    finally:
        deeds.stop()
    try:
        found["changes"] = [*before.differences(Snapshot.take()), *deeds.told]
    except BaseException as error:  # noqa: BLE001  as above
        found |= {"seconds": None, "changes": deeds.told}
        found["fault"] = f"it left a process that cannot be looked at: {described(error)}"
    if getpid() == process:  # a plugin may have forked
        write(channel, _encoded(found).encode())
    _exit(0)  # whatever threads it started, and whatever it wants to do at the end


def _get_ready(others: list[Claim]) -> None:
    """Import what must be the same afterwards: the core, and the schemes of `others` with their algorithms."""
    for package in (urlschemes, urlschemes_access):
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            import_module(module.name)
    for other in others:
        try:
            load_any(other, ())
        except Exception:  # noqa: BLE001, S112  it is verified by itself
            continue
