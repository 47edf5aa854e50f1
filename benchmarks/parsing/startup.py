"""The start of a process: the import, the first URL, many installed distributions, and the command."""

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

from common.measurement import Figure
from common.peers import OURS, REFERENCE

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["startup"]

URL = "http://www.host.example/a/page.html?x=1"
IMPORT = "import urlschemes"
FIRST = f"import urlschemes; urlschemes.parse({URL!r})"
LIST = "import urlschemes; list(urlschemes.Registry())"
REFERENCE_FIRST = f"from urllib.parse import urlsplit; urlsplit({URL!r})"
REFERENCE_LIST = "from importlib.metadata import entry_points; list(entry_points(group='urlschemes.schemes'))"
COMMAND = "from urlschemes_cli import main; main()"

# It runs in a new process and prints the CPU time of the statements: what they add to a bare interpreter.
PROGRAM = """
import sys, time
sys.path[:] = {path!r}
begin = time.process_time()
{statements}
print(time.process_time() - begin)
"""
MIN_ROUNDS = 20
SETTLED = 2.5
"""Seconds after which the claims of a folder that was just written are cached."""


def startup(rounds: int) -> Iterator[Figure]:
    """Measure CPU time in new processes: the minimum of at least twenty rounds."""
    rounds = max(MIN_ROUNDS, rounds)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        small, large = _site(folder / "site-20", 20), _site(folder / "site-200", 200)
        plugins = _site(folder / "plugins", 0)
        for number in range(1000):
            _distribution(plugins, f"urlschemes-x-p{number}", f"[urlschemes.schemes]\nx-p{number} = p{number}:scheme\n")
        cache = str(folder / "cache")
        time.sleep(SETTLED)
        for site in (small, large, plugins):
            _seconds(FIRST, site, cache)  # it writes bytecode and fills the cache
        few = max(5, rounds // 4)
        for what, who, statements, site, used, times, target in (
            ("import", OURS, IMPORT, small, cache, rounds, None),
            ("import and first URL, warm cache", REFERENCE, REFERENCE_FIRST, small, cache, rounds, None),
            ("import and first URL, warm cache", OURS, FIRST, small, cache, rounds, 50),
            ("import and first URL, no cache", OURS, FIRST, small, "none", rounds, 120),
            ("the same, 200 distributions, warm cache", OURS, FIRST, large, cache, rounds, 50),
            ("the same, 200 distributions, no cache", OURS, FIRST, large, "none", few, None),
            ("1,000 plugins listed, warm cache", REFERENCE, REFERENCE_LIST, plugins, cache, few, None),
            ("1,000 plugins listed, warm cache", OURS, LIST, plugins, cache, few, None),
            ("1,000 plugins listed, no cache", OURS, LIST, plugins, "none", few, None),
        ):
            least = min(_seconds(statements, site, used) for _ in range(times))
            yield _figure(what, who, least, target)
        yield from _commands(folder, cache, rounds)


def _figure(what: str, who: str, seconds: float, target: float | None) -> Figure:
    table = "start of a process: CPU time above a bare interpreter"
    return Figure(table=table, what=what, who=who, value=seconds * 1000, unit="ms", target=target)


def _seconds(statements: str, site: Path, cache: str) -> float:
    """Return the seconds that the statements take in a new process in which only `site` is installed."""
    library = [sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), sysconfig.get_config_var("DESTSHARED")]
    path = [*dict.fromkeys(entry for entry in library if entry), str(site)]
    return float(_run(PROGRAM.format(path=path, statements=statements), cache).stdout)


def _commands(folder: Path, cache: str, rounds: int) -> Iterator[Figure]:
    """Measure commands in this environment, from the start of the process to its end, beside those of curl."""
    file = folder / "small"
    file.write_bytes(b"small")
    url, ours = file.as_uri(), [sys.executable, "-I", "-c", COMMAND]
    for what, who, command, target in (
        ("--version", "curl", ["curl", "--version"], None),
        ("--version", OURS, [*ours, "--version"], None),
        ("parse URL", OURS, [*ours, "parse", URL], 200),
        ("access of a local file", "curl", ["curl", url], None),
        ("access of a local file", OURS, [*ours, "access", "--root", str(folder), url], 150),
    ):
        if shutil.which(command[0]) is not None:
            least = min(_process_seconds(command, cache) for _ in range(rounds))
            yield _figure(f"the whole process: {what}", who, least, target)


def _process_seconds(command: list[str], cache: str) -> float:
    nowhere = subprocess.DEVNULL
    process = subprocess.Popen(command, stdout=nowhere, stderr=nowhere, env=_environment(cache))
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return used.ru_utime + used.ru_stime


def _environment(cache: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"URLSCHEMES_CACHE": cache}


def _run(program: str, cache: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-I", "-c", program]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=_environment(cache))


def _site(folder: Path, count: int) -> Path:
    """Write a folder as an installer leaves it: the core, the schemes, and `count` other distributions.

    Every tenth of the others has entry points.
    """
    folder.mkdir()
    for claim in importlib.metadata.entry_points(group="urlschemes.schemes"):
        if claim.dist is not None:
            _copy(folder, claim.module)
            _distribution(folder, claim.dist.name, claim.dist.read_text("entry_points.txt") or "")
    for package in ("urlschemes", "importlib_metadata", *_requirements("importlib_metadata")):
        _copy(folder, package)
    for number in range(count):
        entry_points = "[console_scripts]\ncommand = package:main\n" if number % 10 == 0 else ""
        _distribution(folder, f"package-{number}", entry_points)
        (folder / f"package_{number}").mkdir()
        (folder / f"package_{number}" / "__init__.py").write_text("", "utf-8")
    return folder


def _requirements(distribution: str) -> set[str]:
    """Return the packages of what the distribution depends on."""
    required = (line.partition(";") for line in importlib.metadata.requires(distribution) or ())
    names = [line.split(">")[0].split("=")[0].strip() for line, _, marker in required if "extra" not in marker]
    return {name.replace("-", "_") for name in names}


def _copy(folder: Path, package: str) -> None:
    spec = find_spec(package)
    if spec is not None and spec.origin is not None:
        source = Path(spec.origin).parent
        shutil.copytree(source, folder / package, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)


def _distribution(folder: Path, name: str, entry_points: str) -> None:
    info = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir(exist_ok=True)
    description = "A description as long as that of most distributions.\n" * 60
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n\n{description}", "utf-8")
    (info / "RECORD").write_text("".join(f"{name}/module_{line}.py,sha256=0,0\n" for line in range(30)), "utf-8")
    if entry_points:
        (info / "entry_points.txt").write_text(entry_points, "utf-8")
