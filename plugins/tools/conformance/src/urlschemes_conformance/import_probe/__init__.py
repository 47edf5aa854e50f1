"""The probe of imports: finds out what a plugin changes in the process that imports it.

    probe_imports(claims)  -- one process for each claim -->  child: snapshot, import, snapshot  -->  ImportReport

In: claims of plugins. Out: an `ImportReport` for each active one. A plugin that ends its process, hangs, or starts
threads does so in a child process. This is not a sandbox: what a plugin does to files or to other computers is done.

| module | content |
| --- | --- |
| `child` | the child process: imports the plugin between two snapshots, and writes a report |
| `snapshot` | the state of a process that a plugin could change, and the differences between two states |
"""

from __future__ import annotations

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

from urlschemes.redaction import one_line
from urlschemes.registry.claims import SCHEMES
from urlschemes.registry.names import known_names
from urlschemes_conformance.subprocesses import run

if TYPE_CHECKING:
    from collections.abc import Iterable

    from urlschemes.registry.claims import Claim

__all__ = ["MAX_SECONDS", "ImportReport", "probe_imports"]

MAX_SECONDS = 10.0
"""Seconds that importing one plugin may take."""


class ImportReport(NamedTuple):
    """The effects of importing one plugin.

    `seconds` is how long it took, or None if it failed; `fault` is the reason, or "". `changes` are the changes that it
    made to the process.
    """

    seconds: float | None
    fault: str
    changes: tuple[str, ...]


def probe_imports(claims: Iterable[Claim], profile: str = "rfc1738") -> dict[Claim, ImportReport]:
    """Import what each of the active claims names, each in a process of its own, and report the effects.

    Schemes are those of `profile`.

    The child process imports the reserved schemes first, so that changes to them are found too.
    """
    active = [claim for claim in claims if claim.state == "active"]
    reserved_names = {name for name, known in known_names().items() if known.distribution}
    reserved = [claim for claim in active if claim.group == SCHEMES and claim.name in reserved_names]

    def probe(claim: Claim) -> ImportReport:
        same_distribution = [each for each in active if each.distribution == claim.distribution]
        return _probe(claim, [each for each in reserved if each.module != claim.module], same_distribution, profile)

    with ThreadPoolExecutor(max_workers=min(4, os.cpu_count() or 1)) as pool:
        return dict(zip(active, pool.map(probe, active), strict=True))


def _probe(claim: Claim, first: list[Claim], same_distribution: list[Claim], profile: str) -> ImportReport:
    ended = run(
        "urlschemes_conformance.import_probe.child:main",
        *(claim, first, same_distribution, profile),
        seconds=MAX_SECONDS,
        options=[*(f"-W{option}" for option in sys.warnoptions), *(["-Xdev"] if sys.flags.dev_mode else [])],
    )
    if not ended.results:
        return ImportReport(None, f"the process that imports it {ended.how}", ())
    seconds, fault, changes = json.loads(ended.results[0])
    return ImportReport(seconds, one_line(fault, 300), tuple(one_line(each, 200) for each in changes))
