"""The child process of the probe: imports a plugin between two snapshots, and writes the report."""

from __future__ import annotations

import json
import os
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from time import perf_counter
from typing import TYPE_CHECKING

import urlschemes
import urlschemes_access
from urlschemes.errors import URLError
from urlschemes.redaction import described
from urlschemes.registry.plugins import load_object
from urlschemes.storage import cache
from urlschemes_conformance.audit import recording, side_effect
from urlschemes_conformance.import_probe.snapshot import Snapshot

if TYPE_CHECKING:
    from urlschemes.registry.claims import Claim

__all__ = ["main"]


def main(results: str, claim: Claim, first: list[Claim], same_distribution: list[Claim], profile_name: str) -> None:
    """Import what `claim` names, after the schemes of `first`, write the report, and end the process."""
    process = os.getpid()
    cache.store = _store_nothing
    _import_first(first)
    profile = urlschemes.Registry(profile=profile_name).profile
    seconds: float | None = None
    fault = ""
    side_effects: list[str] = []
    before = Snapshot.take()
    began = perf_counter()
    try:
        with recording(side_effect, side_effects):
            load_object(claim, profile, same_distribution)
        seconds = perf_counter() - began
    except URLError as error:
        fault = error.message
    except BaseException as error:  # noqa: BLE001  the plugin may raise anything, KeyboardInterrupt too
        fault = f"its import ended with {described(error)}"
    changes = [*before.differences(Snapshot.take()), *dict.fromkeys(side_effects)]
    if os.getpid() == process:  # the plugin may have forked
        Path(results).write_text(json.dumps([seconds, fault, changes]), "utf-8")
    os._exit(0)  # without waiting for threads that the plugin started


def _store_nothing(kind: str, key: str, value: object) -> None:
    """Store nothing in the cache: its files would be reported as the plugin's."""


def _import_first(claims: list[Claim]) -> None:
    """Import everything that the plugin must leave unchanged: the core, access, and the schemes that `claims` name."""
    for package in (urlschemes, urlschemes_access):
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            import_module(module.name)
    for claim in claims:
        try:
            load_object(claim)
        except Exception:  # noqa: BLE001, S112  its own probe reports it
            continue
