"""What a new process pays: the import, the first URL, and finding one scheme among many installed distributions."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from measurement import Figure
from peers import OURS, REFERENCE

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["startup"]

# Each is run in a new process; the time is that of the statements, beyond what the interpreter did before.
PROGRAM = """
import sys, time
sys.path.append({folder!r})
begun = time.process_time()
{statements}
print(time.process_time() - begun)
"""
URL = "http://www.host.example/a/page.html?x=1"
FIRST = {
    REFERENCE: f"from urllib.parse import urlsplit; urlsplit({URL!r})",
    OURS: f"import urlschemes; urlschemes.parse({URL!r})",
}
FIND = {
    "importlib.metadata": (
        "from importlib.metadata import entry_points; entry_points(group='urlschemes.schemes', name='http')"
    ),
    OURS: "import urlschemes; 'http' in urlschemes.Registry()",
}


def startup(rounds: int) -> Iterator[Figure]:
    """CPU time in fresh processes, in turns, the least of all rounds."""
    table = "start of a process: CPU time"
    with tempfile.TemporaryDirectory() as folder:
        few, many, most = (Path(folder, name) for name in ("few", "many", "most"))
        for place, count in ((few, 0), (many, 200), (most, 1000)):
            _install(place, count)
        imports = {REFERENCE: "import urllib.parse", OURS: "import urlschemes"}
        yield from _figures(table, "import", imports, few, rounds, 0.5, 0.1)
        yield from _figures(table, "first URL parsed, the import included", FIRST, few, rounds)
        what = "first URL parsed, 200 more distributions installed"
        yield from _figures(table, what, FIRST, many, rounds, 1.0, 0.1)
        what = "one scheme found, 1,000 more distributions installed"
        yield from _figures(table, what, FIND, most, max(3, rounds // 2), 0.1, 0.03)


def _install(folder: Path, count: int) -> None:
    """Distributions as they lie in a site-packages folder; every tenth has entry points, of nobody's interest."""
    folder.mkdir()
    for number in range(count):
        info = folder / f"package_{number}-1.{number}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: package-{number}\nVersion: 1.{number}\n", "utf-8")
        (info / "RECORD").write_text("", "utf-8")
        if number % 10 == 0:
            (info / "entry_points.txt").write_text("[console_scripts]\ncommand = package:main\n", "utf-8")


def _figures(
    table: str,
    what: str,
    programs: dict[str, str],
    folder: Path,
    rounds: int,
    target: float | None = None,
    moonshot: float | None = None,
) -> Iterator[Figure]:
    best = dict.fromkeys(programs, float("inf"))
    for turn in range(rounds + 1):
        for who, statements in programs.items():
            program = PROGRAM.format(folder=str(folder), statements=statements)
            done = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True)
            if turn:  # the first round compiles what has no .pyc file yet
                best[who] = min(best[who], float(done.stdout))
    reference = next(iter(programs))
    for who, seconds in best.items():
        yield Figure(
            table=table,
            what=what,
            who=who,
            value=seconds * 1000,
            unit="ms",
            ratio=seconds / best[reference],
            target=target if who == OURS else None,
            moonshot=moonshot if who == OURS else None,
        )
