"""Write what [tool.urlschemes] of pyproject.toml has into the files that repeat it.

`python3 dev versions` runs this after a change of that table: to raise the version of all distributions, to add or drop
a version of Python, to say where the project is, or to change a classifier of all distributions.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TEMPLATES = "plugins/tools/conformance/src/urlschemes_conformance/scaffold/templates"
TESTING = ".github/workflows/test.yml"
PUBLISHING = ".github/workflows/release.yml"
WEEKLY = ".github/workflows/weekly.yml"
OURS = ("core/pyproject.toml", "plugins/*/[!x]*/pyproject.toml", "plugins/*/x[!-]*/pyproject.toml")
NEW = ("plugins/*/x-*/pyproject.toml", f"{TEMPLATES}/*")
"""The files of a new scheme: its author chooses the addresses and the classifiers."""
PROJECTS = (*OURS, NEW[0])
PAGES = ("README.md", "CONTRIBUTING.md", "docs/**/*.md", "plugins/*/*/README.md")


def main(arguments: list[str]) -> None:
    """Write the files that differ, and print their names."""
    if arguments:
        sys.exit("dev: versions takes no arguments; change the table [tool.urlschemes] of pyproject.toml.")
    for path, text in changes().items():
        path.write_text(text, "utf-8")
        print(path.relative_to(ROOT))


def table() -> dict[str, Any]:
    """Return the table: `version`, `python`, `python-also-tested`, `urls` by their labels, and `classifiers`."""
    found: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["urlschemes"]
    return found


def changes() -> dict[Path, str]:
    """Return the texts of the files that differ from the table."""
    found: dict[Path, str] = {}
    for globs, pattern, replacement in rules():
        paths = [path for each in globs for path in sorted(ROOT.glob(each))]
        texts = {path: found.get(path, path.read_text("utf-8")) for path in paths}
        matching = {path: text for path, text in texts.items() if re.search(pattern, text, re.MULTILINE)}
        assert matching, f"no file of {globs} has {pattern}"
        found |= {path: re.sub(pattern, replacement, text, flags=re.MULTILINE) for path, text in matching.items()}
    return {path: text for path, text in found.items() if text != path.read_text("utf-8")}


def rules() -> list[tuple[tuple[str, ...], str, str]]:
    """Return the rules: files, a pattern of what repeats a version, and what is written in its place."""
    settings = table()
    version, supported = settings["version"], settings["python"]
    major, minor, _ = map(int, version.split("."))
    bound = f"0.{minor + 1}" if major == 0 else str(major + 1)
    oldest, tested = supported[0], [*supported, *settings["python-also-tested"]]
    pythons = [f'    "Programming Language :: Python :: {each}",\n' for each in supported]
    classifiers = sorted([*pythons, *(f'    "{each}",\n' for each in settings["classifiers"])])
    urls = ", ".join(f"{json.dumps(label)} = {json.dumps(address)}" for label, address in settings["urls"].items())
    addresses = f"urls = {{ {urls} }}\n" if urls else ""
    ours = r"\b(urlschemes[\w-]*(?:\[[\w,]+\])?)>=\d[\d.]*"
    return [
        (PROJECTS, r'^version = "\d.*"$', f'version = "{version}"'),
        (OURS, r"(?:^urls = .*\n)?^dependencies = ", f"{addresses}dependencies = "),
        (("core/src/urlschemes/version.py",), r'^__version__ = ".*"$', f'__version__ = "{version}"'),
        (("plugins/*/*/meson.build",), r"^  version: '.*'", f"  version: '{version}'"),
        (PAGES, r"\b(urlschemes-\w+) \d+\.\d+\.\d+", rf"\1 {version}"),
        ((*PROJECTS, *PAGES), ours, rf"\1>={major}.{minor}"),
        ((*PROJECTS, *PAGES), rf"{ours},<\d[\d.]*", rf"\1>={major}.{minor},<{bound}"),
        ((*OURS, *NEW), r'^requires-python = ".*"$', f'requires-python = ">={oldest}"'),
        (OURS, r'^    "Development Status [^]]*', "".join(classifiers)),  # above it are those of the distribution
        (NEW, r'(^    "Programming Language :: Python :: 3\.\d+",\n)+', "".join(pythons)),
        (("plugins/*/*/meson.build",), r"^  limited_api: '.*'", f"  limited_api: '{oldest}'"),
        (("pyproject.toml",), r'^python_version = ".*"$', f'python_version = "{oldest}"'),
        (("pyproject.toml",), r'^target-version = ".*"$', f'target-version = "py{oldest.replace(".", "")}"'),
        (("dev",), r"\(3, \d+\)", f"({oldest.replace('.', ', ')})"),
        ((*PAGES, "dev", ".ci/run"), r"\bPython 3\.\d+ (or|and) later", rf"Python {oldest} \1 later"),
        (
            (f"{TEMPLATES}/*", TESTING),
            r"^( +)python: \[.*\]$",
            r"\1python: [" + ", ".join(f'"{each}"' for each in tested) + "]",
        ),
        (
            (TESTING,),
            r"^( +)python-version: \|\n(?: +3\.\d+\n)+",
            r"\1python-version: |\n" + "".join(rf"\1  {each}\n" for each in reversed(tested)),
        ),
        ((PUBLISHING, WEEKLY), r'python-version: ".*"$', f'python-version: "{oldest}"'),
        ((PUBLISHING,), r"CIBW_BUILD: cp\d+-", f"CIBW_BUILD: cp{oldest.replace('.', '')}-"),
        ((".ci/run",), r"^for version in [\d. ]+;", f"for version in {' '.join(reversed(tested[1:]))};"),
    ]


if __name__ == "__main__":
    main(sys.argv[1:])
