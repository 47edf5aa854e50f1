"""What a new process pays: the import, the first URL, and finding one scheme among many installed distributions."""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from importlib.util import find_spec
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
sys.path[:] = {path!r}
begun = time.process_time()
{statements}
print(time.process_time() - begun)
"""
URL = "http://www.host.example/a/page.html?x=1"
IMPORT = {REFERENCE: "import urllib.parse", OURS: "import urlschemes"}
FIRST = {
    REFERENCE: f"from urllib.parse import urlsplit; urlsplit({URL!r})",
    OURS: f"import urlschemes; urlschemes.parse({URL!r})",
}
LIST = {
    "importlib.metadata": "from importlib.metadata import entry_points; list(entry_points(group='urlschemes.schemes'))",
    OURS: "import urlschemes; list(urlschemes.Registry())",
}
LOOK = {OURS: "import urlschemes.registry.discovery as room; begun = time.process_time(); room.discover()"}

SETTLED = 2.5
"""Seconds after which nothing is too young for what was found to be kept."""


def startup(rounds: int) -> Iterator[Figure]:
    """CPU time in fresh processes, in turns, the least of all rounds."""
    table = "start of a process: CPU time"
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        sites = {count: _site(folder / f"site-{count}", count) for count in (20, 200, 1000)}
        plugins = _site(folder / "plugins", 0)
        for number in range(1000):
            _distribution(plugins, f"urlschemes-x-p{number}", f"[urlschemes.schemes]\nx-p{number} = p{number}:scheme\n")
        kept, none = str(folder / "cache"), "none"
        for site in (*sites.values(), plugins):
            _run(FIRST[OURS], site, none)  # writes bytecode
        time.sleep(SETTLED)
        for site in (*sites.values(), plugins):
            _run(FIRST[OURS], site, kept)
        yield from _figures(table, "import", IMPORT, sites[20], kept, rounds, 0.5, 0.1)
        for count, site in sites.items():
            what = f"first URL parsed, {count:,} distributions installed"
            yield from _figures(table, what, FIRST, site, kept, rounds, 1.0, 0.1)
        few = max(3, rounds // 2)
        what = "first URL parsed, 200 distributions, nothing kept"
        yield from _figures(table, what, FIRST, sites[200], none, few)
        what = "1,000 plugins listed"
        yield from _figures(table, what, LIST, plugins, kept, few, 0.1, 0.03)
        yield from _figures(table, f"{what}, nothing kept", LIST, plugins, none, few)
        for figure in _figures(table, "1,000 plugins looked at, the import not included", LOOK, plugins, none, few):
            yield Figure(table=table, what=figure.what, who=OURS, value=figure.value, unit="ms", target=50)


def _site(folder: Path, count: int) -> Path:
    """A folder as an installer leaves it: this project, and `count` distributions beside it.

    Every tenth has entry points, of nobody's interest.
    """
    folder.mkdir()
    for claim in importlib.metadata.entry_points(group="urlschemes.schemes"):
        if claim.dist is not None:
            _copy(folder, claim.module)
            _distribution(folder, claim.dist.name, claim.dist.read_text("entry_points.txt") or "")
    _copy(folder, "urlschemes")
    for number in range(count):
        points = "[console_scripts]\ncommand = package:main\n" if number % 10 == 0 else ""
        _distribution(folder, f"package-{number}", points)
        (folder / f"package_{number}").mkdir()
        (folder / f"package_{number}" / "__init__.py").write_text("", "utf-8")
    return folder


def _copy(folder: Path, package: str) -> None:
    spec = find_spec(package)
    if spec is not None and spec.origin is not None:
        place = Path(spec.origin).parent
        shutil.copytree(place, folder / package, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)


def _distribution(folder: Path, name: str, entry_points: str) -> None:
    info = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir(exist_ok=True)
    words = "What it is for, at the length that a README has.\n" * 60
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n\n{words}", "utf-8")
    (info / "RECORD").write_text("".join(f"{name}/room_{line}.py,sha256=0,0\n" for line in range(30)), "utf-8")
    if entry_points:
        (info / "entry_points.txt").write_text(entry_points, "utf-8")


def _run(statements: str, site: Path, cache: str) -> float:
    """The seconds that the statements take in a new process, in which nothing else is installed than in `site`."""
    library = [sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), sysconfig.get_config_var("DESTSHARED")]
    path = [*dict.fromkeys(entry for entry in library if entry), str(site)]
    program = PROGRAM.format(path=path, statements=statements)
    done = subprocess.run(
        [sys.executable, "-I", "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "URLSCHEMES_CACHE": cache},
    )
    return float(done.stdout)


def _figures(
    table: str,
    what: str,
    programs: dict[str, str],
    site: Path,
    cache: str,
    rounds: int,
    target: float | None = None,
    moonshot: float | None = None,
) -> Iterator[Figure]:
    best = dict.fromkeys(programs, float("inf"))
    for _ in range(rounds):
        for who, statements in programs.items():
            best[who] = min(best[who], _run(statements, site, cache))
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
