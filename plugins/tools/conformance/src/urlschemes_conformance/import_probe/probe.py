"""What a plugin does to a process that loads it, found out in a process of its own.

    diagnose(verify=True)  -->  verify  --claim, sys.path-->  witness: snapshot, load, snapshot  --report-->  Verified

A plugin that ends the process, hangs, or starts threads does so there. This is no sandbox: what a plugin does to files
or to other computers, it has done; and one that knows that it is looked at can deceive.
"""

from __future__ import annotations

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

from urlschemes.redaction import one_line
from urlschemes.registry.claims import SCHEMES
from urlschemes.registry.known_names import known_names
from urlschemes.storage import cache
from urlschemes_conformance.subprocesses import run

if TYPE_CHECKING:
    from collections.abc import Iterable

    from urlschemes.registry.claims import Claim

__all__ = ["SECONDS", "Verified", "verify"]

SECONDS = 10.0
"""How long loading one plugin may take before it counts as hanging."""


class Verified(NamedTuple):
    """What came of loading one plugin.

    `seconds` is how long its import took (None: it did not end well), `fault` what broke it ("" for nothing), `changes`
    what it changed in the process, in words.
    """

    seconds: float | None
    fault: str
    changes: tuple[str, ...]


def verify(claims: Iterable[Claim]) -> dict[Claim, Verified]:
    """Load each of the active claims in a process of its own, bounded in time.

    The reserved schemes among them must stay as they are: they are loaded before it.
    """
    wanted = [claim for claim in claims if claim.state == "active"]
    reserved = {name for name, known in known_names().items() if known.distribution}
    watched = [claim for claim in wanted if claim.group == SCHEMES and claim.name in reserved]

    def look(claim: Claim) -> Verified:
        same = [each for each in wanted if each.distribution == claim.distribution]
        return _verified(claim, [each for each in watched if each.module != claim.module], same)

    with ThreadPoolExecutor(max_workers=min(4, os.cpu_count() or 1)) as pool:
        return dict(zip(wanted, pool.map(look, wanted), strict=True))


def _verified(claim: Claim, others: list[Claim], claims: list[Claim]) -> Verified:
    ended = run(
        "urlschemes_conformance.import_probe:report",
        {"claim": claim, "others": others, "claims": claims},
        seconds=SECONDS,
        path=sys.path,
        options=[*(f"-W{option}" for option in sys.warnoptions), *(["-Xdev"] if sys.flags.dev_mode else [])],
        env={**os.environ, cache.VARIABLE: "none"},  # what the core writes would look like the plugin's doing
    )
    return _read(ended.out) or Verified(None, f"the process to load it in {ended.how}", ())


def _read(written: bytes) -> Verified | None:
    """The report; None where there is none, or not the one that was agreed."""
    try:
        found: Any = json.loads(written)
        seconds, fault, changes = found["seconds"], found["fault"], found["changes"]
        right = type(seconds) in {float, type(None)} and all(type(each) is str for each in (fault, *changes))
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return Verified(seconds, one_line(fault, 300), tuple(one_line(each, 200) for each in changes)) if right else None
