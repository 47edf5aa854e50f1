"""Install a release into empty environments, and use it there."""

from __future__ import annotations

import email
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
import venv
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from urlschemes_servers import ftp_server

if TYPE_CHECKING:
    from collections.abc import Iterator

USE = """
import importlib, pkgutil, sys, urlschemes
from importlib.util import find_spec
from urlschemes_access import Policy, access
def load(name):
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if find_spec(error.name.partition(".")[0]):
            raise
        return
    for each in pkgutil.iter_modules(getattr(module, "__path__", ()), name + "."):
        if not each.name.endswith("__main__"):
            load(each.name)
for each in pkgutil.iter_modules():
    if each.name.startswith("urlschemes"):
        load(each.name)
for record in urlschemes.default_registry.registrations():
    urlschemes.parse(next(example.url for example in record.examples if example.parts is not None))
url = urlschemes.parse(sys.argv[1])
if find_spec("urlschemes_lint"):
    sys.modules["urlschemes_lint"].check(url)
with access(url, policy=Policy(networks=("127.0.0.0/8",))) as document:
    sys.stdout.write(document.read_text())
"""
"""Import what the installed libraries allow, parse an example of each scheme, check and access a URL."""
GREETING = "Installed, parsed and accessed.\n"
OLDEST_AND_NEWEST = ("lowest-direct", "highest")
NO_COMPILER = {"CC": os.devnull, "CXX": os.devnull}


def installations(page: Path) -> list[list[str]]:
    """Return the requirements of each command of the page that installs from a release."""
    commands = re.findall(r"\bpip install .*--no-index --find-links \w+ (.*)", page.read_text("utf-8"))
    return [shlex.split(command, comments=True) for command in commands]


def try_installation(folder: Path, requirements: list[str]) -> None:
    """Install from the folder alone, and without a compiler."""
    with tempfile.TemporaryDirectory() as temporary:
        environment = Path(temporary, "environment")
        venv.create(environment, symlinks=os.name != "nt")
        pip = [sys.executable, "-m", "pip", "--python", python_in(environment), "--isolated", "install", "--quiet"]
        begun = time.monotonic()
        run(*pip, "--no-index", "--find-links", folder, *requirements, PIP_CONFIG_FILE=os.devnull, **NO_COMPILER)
        note(f"installed {' '.join(requirements)} in {time.monotonic() - begun:.0f} s")
        use(environment)


def try_dependencies(folder: Path, requirements: list[str], resolution: str, *pages: Path) -> None:
    """Install from the folder, with the oldest or the newest dependencies of the package index, without a compiler.

    Then run the examples of the pages, too.
    """
    with tempfile.TemporaryDirectory() as temporary:
        environment, constraints = Path(temporary, "environment"), Path(temporary, "constraints.txt")
        wheels = {wheel.name.partition("-")[0]: wheel for wheel in folder.glob("urlschemes*.whl")}
        constraints.write_text("".join(f"{name} @ {wheel.as_uri()}\n" for name, wheel in wheels.items()), "utf-8")
        uv = os.environ["UV"]
        run(uv, "venv", "--quiet", "--python", sys.executable, environment)
        install = [uv, "pip", "install", "--quiet", "--no-config", "--python", python_in(environment)]
        options = ["--resolution", resolution, "--constraints", constraints]
        direct = sorted({*required(wheels, requirements)})
        run(*install, *options, *requirements, *direct, cwd=temporary, **NO_COMPILER)
        installed = run(uv, "pip", "freeze", "--python", python_in(environment)).split()
        others = [each for each in installed if not each.startswith(("urlschemes", "@", "file:"))]
        note(f"{resolution}: {' '.join(requirements)} with {' '.join(others)}")
        use(environment)
        for page in pages:
            run(python_in(environment), "-m", "doctest", "-o", "ELLIPSIS", page, cwd=temporary)


def required(wheels: dict[str, Path], requirements: list[str]) -> Iterator[str]:
    """Yield what the wheels need from others, if these requirements are installed."""
    waiting, seen = [*requirements], set()
    while waiting:
        each = Requirement(waiting.pop())
        wheel = wheels[canonicalize_name(each.name).replace("-", "_")]
        for extra in {"", *each.extras}:
            if (wheel, extra) in seen:
                continue
            seen.add((wheel, extra))
            for line in requires_dist(wheel):
                needed = Requirement(line)
                if needed.marker is not None and not needed.marker.evaluate({"extra": extra}):
                    continue
                needed.marker = None
                if needed.name.startswith("urlschemes"):
                    waiting.append(str(needed))
                else:
                    yield str(needed)


def requires_dist(wheel: Path) -> list[str]:
    """Return the requirements in the metadata of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (each for each in archive.namelist() if each.endswith(".dist-info/METADATA"))
        return email.message_from_bytes(archive.read(name)).get_all("Requires-Dist", [])


def use(environment: Path) -> None:
    """Import, parse, check, and access a URL of a local server, with what is installed in the environment."""
    with tempfile.TemporaryDirectory() as shared:
        Path(shared, "greeting.txt").write_text(GREETING, "utf-8")
        with ftp_server(Path(shared)) as address:
            printed = run(python_in(environment), "-I", "-W", "error", "-c", USE, f"ftp://{address}/greeting.txt")
    if printed != GREETING:
        sys.exit(f"dev: the installed distributions read {printed!r} in place of {GREETING!r}")
    if (command := python_in(environment).with_name("urlschemes")).exists():
        note(run(command, "--version").strip())


def python_in(environment: Path) -> Path:
    """Return the path of Python in a virtual environment."""
    return environment / ("Scripts" if os.name == "nt" else "bin") / "python"


def run(*command: object, cwd: Path | str | None = None, **variables: str) -> str:
    """Run the command, which must succeed; return its output."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("URLSCHEMES_")}
    environment |= variables
    done = subprocess.run(
        [*map(str, command)], cwd=cwd, env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    if done.returncode:
        sys.exit(f"{done.stdout}{done.stderr}dev: failed: {shlex.join(map(str, command))}")
    return done.stdout


def note(text: str) -> None:
    """Print what is done."""
    print(f"release: {text}", flush=True)
