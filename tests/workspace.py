"""The distributions and files of the workspace, child processes, and empty environments, for tests."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from urlschemes import Registry

ROOT = Path(__file__).resolve().parent.parent

SLOW_IMPORT = re.compile(r"^.* took [\d.]+ s to import.*\n", re.MULTILINE)
"""What a process on a busy machine may also write to standard error."""


def environ() -> dict[str, str]:
    """Return environment variables for a child process, without the settings of the user and of the tests.

    It shares the caches of the tests: to compile all that pytest imports takes seconds.
    """
    own = ("COVERAGE_", "NNTPSERVER", "PYTEST_", "PYTHON", "URLSCHEMES_", "UV", "VIRTUAL_ENV")
    kept = ("PYTHONPYCACHEPREFIX", "URLSCHEMES_CACHE")
    inherited = {name: value for name, value in os.environ.items() if name in kept or not name.startswith(own)}
    return {"URLSCHEMES_CACHE": "none"} | inherited | {"XDG_CONFIG_HOME": os.devnull}  # no file is below os.devnull


def run(*command: str | Path, cwd: Path, timeout: float = 100) -> subprocess.CompletedProcess[str]:
    """Run the command; return its output and exit code."""
    arguments = [str(argument) for argument in command]
    options: dict[str, Any] = {"capture_output": True, "text": True, "encoding": "utf-8"}
    return subprocess.run(arguments, cwd=cwd, env=environ(), timeout=timeout, check=False, **options)


def must(*command: str | Path, cwd: Path, timeout: float = 100) -> str:
    """Run the command, which must succeed; return its output."""
    done = run(*command, cwd=cwd, timeout=timeout)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def metadata(name: str, entry_points: Mapping[str, Mapping[str, str]], *, version: str = "1.0") -> dict[str, str]:
    """Return the metadata of an installed distribution: texts by the paths of their files."""
    info = f"{name.replace('-', '_')}-{version}.dist-info"
    groups = (
        f"[{group}]\n" + "".join(f"{entry} = {value}\n" for entry, value in entries.items())
        for group, entries in entry_points.items()
    )
    return {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/entry_points.txt": "".join(groups),
    }


def write(folder: Path, files: Mapping[str, str]) -> Path:
    """Write the files, by their paths below `folder`; return `folder`."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    return folder


@dataclass(frozen=True)
class Distribution:
    """A distribution of the workspace, from its folder."""

    folder: Path
    project: dict[str, Any]

    @property
    def name(self) -> str:
        """The name of the distribution."""
        return str(self.project["name"])

    @property
    def package(self) -> Path:
        """The folder of its package."""
        return self.folder / "src" / self.name.replace("-", "_")

    @property
    def has_code(self) -> bool:
        """Return True if it has a package."""
        return (self.folder / "src").exists()

    @property
    def schemes(self) -> dict[str, str]:
        """The schemes that it provides, with their objects."""
        provided: dict[str, str] = self.project.get("entry-points", {}).get("urlschemes.schemes", {})
        return provided

    @property
    def record(self) -> dict[str, Any]:
        """The record of its scheme; empty if that is in a ledger."""
        file = self.package / "registration.toml"
        return tomllib.loads(file.read_text("utf-8")) if file.exists() else {}

    @property
    def requirements(self) -> set[str]:
        """The names of the distributions that it depends on, without extras."""
        return {name_in(each) for each in self.project.get("dependencies", [])}

    def extras(self, names: Iterable[str]) -> set[str]:
        """Return the names of the distributions that its extras of these names install."""
        extras: dict[str, list[str]] = self.project.get("optional-dependencies", {})
        return {name_in(each) for name in names for each in extras.get(name, [])}

    def __str__(self) -> str:
        return self.name


def name_in(requirement: str) -> str:
    """Return the name of the distribution that is required."""
    return re.split(r"[^\w.-]", requirement)[0]


@cache
def distributions() -> tuple[Distribution, ...]:
    """Return every distribution of the workspace."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["uv"]["workspace"]
    files = [file for member in settings["members"] for file in sorted(ROOT.glob(f"{member}/pyproject.toml"))]
    return tuple(Distribution(file.parent, tomllib.loads(file.read_text("utf-8"))["project"]) for file in files)


def scheme_plugins() -> tuple[Distribution, ...]:
    """Return the distributions that provide schemes."""
    return tuple(each for each in distributions() if each.schemes)


def schemes_of_plugins(registry: Registry) -> list[str]:
    """Return the names of the schemes that plugins provide: the others are records of ledgers."""
    of_ledgers = {claim.name for claim in registry.claims() if claim.in_ledger and claim.state == "active"}
    return sorted({*registry} - of_ledgers)


def folder_of(name: str) -> Path:
    """Return the folder of the distribution `name`."""
    return next(each.folder for each in distributions() if each.name == name)


def workspace_files() -> list[Path]:
    """Return the files that belong to the workspace: those that git has or would add; without git, all."""
    if (ROOT / ".git").exists() and shutil.which("git"):
        listed = must("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=ROOT)
        names = [ROOT / name for name in listed.split("\0") if name]
    else:
        made = {".dev", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis", ".venv", "__pycache__", "dist"}
        names = [path for path in ROOT.rglob("*") if not made.intersection(path.relative_to(ROOT).parts)]
        names = [path for path in names if path.name != "uv.lock"]
    return sorted(path for path in names if path.is_file())


@dataclass(frozen=True)
class Environment:
    """A virtual environment that installs from a release and nothing else."""

    folder: Path
    wheels: Path

    @classmethod
    def make(cls, folder: Path, wheels: Path) -> Environment:
        """Return an empty environment."""
        venv.create(folder / "environment", with_pip=False, symlinks=os.name != "nt")
        return cls(folder / "environment", wheels)

    @property
    def scripts(self) -> Path:
        return self.folder / ("Scripts" if os.name == "nt" else "bin")

    @property
    def python(self) -> Path:
        return self.scripts / "python"

    def install(self, *requirements: str | Path) -> None:
        """Run `pip install ...`."""
        pip = (sys.executable, "-m", "pip", "--python", self.python, "--disable-pip-version-check", "--isolated")
        must(
            *pip,
            "install",
            "--quiet",
            "--no-compile",
            "--no-index",
            "--find-links",
            self.wheels,
            *requirements,
            cwd=ROOT,
        )

    def run(self, *command: str | Path) -> subprocess.CompletedProcess[str]:
        """Run a command that is installed in it."""
        return run(self.scripts / command[0], *command[1:], cwd=self.folder)

    def distributions(self) -> set[str]:
        """Return the names of the distributions that are installed in it."""
        code = "import importlib.metadata as m\nfor d in m.distributions(): print(d.name)"
        return set(must(self.python, "-I", "-c", code, cwd=self.folder).split())
