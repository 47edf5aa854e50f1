"""Measure how fast and how small urlschemes is, compared with urllib.parse and other libraries, and print the tables.

    python3 dev --group benchmark python benchmarks/run.py            everything (about ten minutes)
    python3 dev --group benchmark python benchmarks/run.py --quick    less of everything (four minutes)

With `--group native`, the native reader is measured, and so is urlschemes without it, in a process of its own.

Nothing fails where a target is missed: it is a measurement, not a test.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

from common import report
from common.measurement import Figure
from common.peers import HERE, NATIVE, OURS, REFERENCE, parsers
from guarding import guard
from parsing import columns, hostile, memory, running_text, speed, startup
from transfers import transfers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

MIB = 1024 * 1024
IN_BOTH_WAYS = ("parse", "read", "refuse", "memory")
"""The subjects that differ with the native reader."""


def main() -> None:
    """Measure what the command line asks for."""
    options = _options()
    quick: bool = options.quick
    each, rounds = (400, 9) if quick else (2000, 15)
    compared = {who: parser for who, parser in parsers().items() if not options.alone or who in {REFERENCE, HERE}}
    subjects: dict[str, Callable[[], Iterator[Figure]]] = {
        "parse": lambda: speed.strict(compared, each, rounds),
        "read": lambda: speed.reading(compared, each, rounds),
        "refuse": lambda: speed.refusing(compared, each, rounds),
        "hostile": lambda: hostile.hostile(5 if quick else 9),
        "text": lambda: running_text.searching(5 if quick else 9),
        "columns": lambda: columns.columns(10**6 if quick else 10**7, 1 if quick else 3),
        "memory": lambda: memory.kept(compared),
        "startup": lambda: startup.startup(5 if quick else 15),
        "transfers": lambda: transfers.transfers((64 if quick else 256) * MIB, 5 if quick else 15),
        "unconfirmed": lambda: transfers.unconfirmed(1024 * MIB),
        "guard": lambda: guard.guard(20 if quick else 60),
    }
    absent = [name for name, subject in (("columns", columns), ("guard", guard)) if not subject.can_run()]
    left_out = {*(["unconfirmed"] if quick else []), *absent}
    wanted = options.only or [name for name in subjects if name not in left_out]
    if unknown := [name for name in wanted if name not in subjects]:
        sys.exit(f"benchmarks: there is no {', '.join(unknown)}; there are {', '.join(subjects)}")
    if not options.json:
        print(report.conditions())
    figures: list[Figure] = []
    for name in wanted:
        found = list(subjects[name]())
        if HERE == NATIVE and name in IN_BOTH_WAYS:
            found = _beside(found, _in_python(name, quick=quick))
        figures += found
        if not options.json:
            for rows in report.by_table(found):
                print(report.table(rows), flush=True)
    print(report.as_json(figures) if options.json else report.summary(figures))


def _in_python(name: str, *, quick: bool) -> Iterator[Figure]:
    """Our figures for the subject `name` from a process that does not use the native reader."""
    command = [sys.executable, __file__, name, "--json", "--alone", *(["--quick"] if quick else [])]
    environment = os.environ | {"URLSCHEMES_NATIVE": "none"}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    for figure in json.loads(done.stdout)["figures"]:
        if figure["who"] == OURS:
            del figure["met"]
            yield Figure(**figure)


def _beside(figures: Iterable[Figure], others: Iterable[Figure]) -> list[Figure]:
    """`figures` with each of `others` after ours of the same kind."""
    place = {(other.table, other.what): other for other in others}
    found = []
    for figure in figures:
        found.append(figure)
        if figure.who == NATIVE:
            found += [place.pop((figure.table, figure.what))]
    return found


def _options() -> argparse.Namespace:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="benchmarks/run.py", description=__doc__, formatter_class=form)
    parser.add_argument(
        "only",
        nargs="*",
        help="parse, read, refuse, hostile, text, columns, memory, startup, transfers, unconfirmed, guard",
    )
    parser.add_argument("--quick", action="store_true", help="smaller corpora and transfers, fewer rounds")
    parser.add_argument("--json", action="store_true", help="every figure as JSON, and nothing else")
    parser.add_argument("--alone", action="store_true", help="compare with urlsplit alone")
    return parser.parse_args()


if __name__ == "__main__":
    main()
