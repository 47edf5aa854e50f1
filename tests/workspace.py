"""The workspace as its tests see it: its distributions, its files, other processes, empty environments."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).resolve().parent.parent


def environ() -> dict[str, str]:
    """The environment of a process that must know nothing of the one that runs the tests."""
    own = ("COVERAGE_", "NNTPSERVER", "PYTEST_", "PYTHON", "URLSCHEMES_", "UV", "VIRTUAL_ENV")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(own)}
    cache = os.environ.get("URLSCHEMES_TEST_CACHE", "none")
    return kept | {"XDG_CONFIG_HOME": os.devnull, "URLSCHEMES_CACHE": cache}  # below which nothing is


def run(*command: str | Path, cwd: Path, timeout: float = 100) -> subprocess.CompletedProcess[str]:
    """What the command printed, and how it ended."""
    words = [str(word) for word in command]
    return subprocess.run(
        words, cwd=cwd, env=environ(), capture_output=True, text=True, encoding="utf-8", timeout=timeout, check=False
    )


def must(*command: str | Path, cwd: Path, timeout: float = 100) -> str:
    """What the command printed; it must end well."""
    done = run(*command, cwd=cwd, timeout=timeout)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def metadata(name: str, entry_points: Mapping[str, Mapping[str, str]], *, version: str = "1.0") -> dict[str, str]:
    """What an installer leaves of a distribution beside its packages: texts by the paths of their files."""
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
    """Write the files, by their paths below `folder`, and return that."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    return folder


@dataclass(frozen=True)
class Distribution:
    """One distribution of the workspace, as its folder has it."""

    folder: Path
    project: dict[str, Any]

    @property
    def name(self) -> str:
        return str(self.project["name"])

    @property
    def package(self) -> Path:
        return self.folder / "src" / self.name.replace("-", "_")

    @property
    def has_code(self) -> bool:
        return (self.folder / "src").exists()

    @property
    def schemes(self) -> dict[str, str]:
        found: dict[str, str] = self.project.get("entry-points", {}).get("urlschemes.schemes", {})
        return found

    def __str__(self) -> str:
        return self.name


def distributions() -> list[Distribution]:
    """Every distribution of the workspace."""
    folders = [ROOT / "core", *sorted((ROOT / "plugins").iterdir())]
    files = [folder / "pyproject.toml" for folder in folders if (folder / "pyproject.toml").exists()]
    return [Distribution(file.parent, tomllib.loads(file.read_text("utf-8"))["project"]) for file in files]


def plugins() -> list[Distribution]:
    """Those that provide schemes."""
    return [each for each in distributions() if each.schemes]


def workspace_files() -> list[Path]:
    """The files that belong to the workspace: what git has or would take, or everything where there is no git."""
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
    """A virtual environment that sees the wheelhouse and nothing else."""

    folder: Path
    wheels: Path

    @classmethod
    def make(cls, folder: Path, wheels: Path) -> Environment:
        """An empty one."""
        venv.create(folder / "environment", with_pip=False, symlinks=os.name != "nt")
        return cls(folder / "environment", wheels)

    @property
    def scripts(self) -> Path:
        return self.folder / ("Scripts" if os.name == "nt" else "bin")

    @property
    def python(self) -> Path:
        return self.scripts / "python"

    def install(self, *requirements: str | Path) -> None:
        """What a person types: `pip install ...`."""
        pip = (sys.executable, "-m", "pip", "--python", self.python, "--disable-pip-version-check", "--isolated")
        must(*pip, "install", "--quiet", "--no-index", "--find-links", self.wheels, *requirements, cwd=ROOT)

    def run(self, *command: str | Path) -> subprocess.CompletedProcess[str]:
        """A command that is installed in it."""
        return run(self.scripts / command[0], *command[1:], cwd=self.folder)

    def distributions(self) -> set[str]:
        """What is installed in it."""
        code = "import importlib.metadata as m\nfor d in m.distributions(): print(d.name)"
        return set(must(self.python, "-I", "-c", code, cwd=self.folder).split())
