"""Write the versions and addresses that [tool.urlschemes] of pyproject.toml has into the files that repeat them.

`python3 dev versions` runs this after a change of that table: to raise the version of all distributions, to add or drop
a version of Python, or to say where the project is.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TEMPLATES = "plugins/tools/conformance/src/urlschemes_conformance/scaffold/templates"
TESTING = ".github/workflows/test.yml"
PUBLISHING = ".github/workflows/release.yml"
WEEKLY = ".github/workflows/weekly.yml"
PROJECTS = ("core/pyproject.toml", "plugins/*/*/pyproject.toml")
PAGES = ("README.md", "CONTRIBUTING.md", "docs/**/*.md", "plugins/*/*/README.md")


def main(arguments: list[str]) -> None:
    """Write the files that differ, and print their names."""
    if arguments:
        sys.exit("dev: versions takes no arguments; change the table [tool.urlschemes] of pyproject.toml.")
    for path, text in changes().items():
        path.write_text(text, "utf-8")
        print(path.relative_to(ROOT))


def table() -> tuple[str, list[str], list[str]]:
    """Return the version of all distributions, the versions of Python that they support, and those tested besides."""
    found = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["urlschemes"]
    return found["version"], found["python"], found["python-also-tested"]


def urls() -> dict[str, str]:
    """Return the addresses of the project by their labels. There are none until it is published."""
    found: dict[str, str] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["urlschemes"]["urls"]
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
    version, supported, others = table()
    major, minor, _ = map(int, version.split("."))
    bound = f"0.{minor + 1}" if major == 0 else str(major + 1)
    oldest, tested = supported[0], [*supported, *others]
    classifiers = "".join(f'    "Programming Language :: Python :: {each}",\n' for each in supported)
    addresses = ", ".join(f"{json.dumps(label)} = {json.dumps(address)}" for label, address in urls().items())
    ours = r"\b(urlschemes[\w-]*(?:\[[\w,]+\])?)>=\d[\d.]*"
    return [
        (PROJECTS, r'^version = "\d.*"$', f'version = "{version}"'),
        (
            PROJECTS,
            r"(?:^urls = .*\n)?^dependencies = ",
            (f"urls = {{ {addresses} }}\n" if addresses else "") + "dependencies = ",
        ),
        (("core/src/urlschemes/version.py",), r'^__version__ = ".*"$', f'__version__ = "{version}"'),
        (("plugins/*/*/meson.build",), r"^  version: '.*'", f"  version: '{version}'"),
        (PAGES, r"\b(urlschemes-\w+) \d+\.\d+\.\d+", rf"\1 {version}"),
        ((*PROJECTS, *PAGES), ours, rf"\1>={major}.{minor}"),
        ((*PROJECTS, *PAGES), rf"{ours},<\d[\d.]*", rf"\1>={major}.{minor},<{bound}"),
        ((*PROJECTS, f"{TEMPLATES}/*"), r'^requires-python = ".*"$', f'requires-python = ">={oldest}"'),
        ((*PROJECTS, f"{TEMPLATES}/*"), r'(^    "Programming Language :: Python :: 3\.\d+",\n)+', classifiers),
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
