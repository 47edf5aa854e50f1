"""Build a release: every distribution of the workspace, checked, and installed from the folder that holds it.

`python3 dev release DIR` runs this. With `--oldest-and-newest` it installs them also with the oldest and the newest
dependencies that their metadata allow, from the package index; their hashes are not known. DIR then holds

- a wheel and a source distribution of each distribution, built from a copy of the workspace that has no tests;
- wheels of the libraries that they need, and of what builds and tests a scheme, for the Python that runs this;
- `RELEASE_NOTES.md`, the section of CHANGELOG.md about the version;
- `SHA256SUMS`, for `sha256sum --check`.

A distribution in C is left out on a machine without a C compiler and git.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from hashes import LIST, entry, hashes_in, hashes_of_builds
from installation import OLDEST_AND_NEWEST, installations, note, run, try_dependencies, try_installation
from versions import table

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

ROOT = Path(__file__).resolve().parent.parent
LEFT_TO_USERS = "urlschemes_columns"
"""A distribution whose libraries are not added: they are many times as large as all the rest."""
SPARK = "spark"
"""An extra that is not tried: pyspark is 450 MB, and no wheel."""
BUILD_AND_TEST = ["hatchling", "editables", "pytest"]
"""What an author of a scheme needs to install its folder and to test it, besides what this project requires."""

SOURCE_DATE = "1580601600"
"""The time of every file in the archives, so that these are the same each time: hatchling's, 2 February 2020."""
GIT_DATES = ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE")


def main(arguments: list[str]) -> None:
    """Fill the folder that is the last argument; end with a message if something is wrong."""
    *options, name = arguments or ["--help"]
    if options not in ([], ["--oldest-and-newest"]) or name.startswith("-"):
        sys.exit("dev: release takes one argument, the folder to fill; the option --oldest-and-newest may precede it.")
    folder = Path(name).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    os.environ |= {"SOURCE_DATE_EPOCH": SOURCE_DATE} | dict.fromkeys(GIT_DATES, f"{SOURCE_DATE} +0000")
    with tempfile.TemporaryDirectory() as temporary:
        workspace, built = Path(temporary, "workspace"), Path(temporary, "built")
        requirements = build(workspace, built)
        archives = sorted(built.iterdir())
        note(f"checking {len(archives)} archives")
        run(sys.executable, "-m", "twine", "--no-color", "check", "--strict", *archives)
        places = {workspace, ROOT, Path.home()} - {Path("/")}
        wrong = [fault for archive in archives for fault in faults(archive, places)]
        if wrong:
            sys.exit("\n".join(wrong))
        for archive in archives:
            shutil.copy(archive, folder)
        note("adding the libraries that they need")
        add_libraries(folder, workspace, [each for each in requirements if not each.startswith(LEFT_TO_USERS)])
    (folder / "RELEASE_NOTES.md").write_text(release_notes(table()["version"]), "utf-8")
    write_sums(folder)
    lines = installations(ROOT / "README.md")
    for line in [*lines, ["urlschemes-rfc1738"]]:
        try_installation(folder, line)
    if options:
        everything = [each.partition(" @ ")[0] for each in requirements]
        for resolution in OLDEST_AND_NEWEST:
            for line in lines:
                try_dependencies(folder, line, resolution)
            try_dependencies(folder, everything, resolution, ROOT / "plugins/capabilities/columns/README.md")
    note(f"{folder} is ready, with SHA256SUMS")


def build(workspace: Path, built: Path) -> list[str]:
    """Copy the workspace and build its distributions; return the wheels with their extras, as requirements."""
    note("building")
    ignored = [line.rstrip("/") for line in (ROOT / ".gitignore").read_text("utf-8").split()]
    for name in ("core", "plugins"):
        shutil.copytree(ROOT / name, workspace / name, ignore=shutil.ignore_patterns("tests", *ignored))
    if source := table()["urls"].get("Source"):
        for page in workspace.rglob("README.md"):
            original = ROOT / page.relative_to(workspace)
            page.write_text(with_absolute_links(original, f"{source}/blob/v{table()['version']}"), "utf-8")
    shutil.copy(ROOT / "pyproject.toml", workspace)
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["uv"]
    hashes = hashes_of_builds()
    (workspace / "pins.txt").write_text("\n".join([*settings["constraint-dependencies"], *hashes]), "utf-8")
    (workspace / "builds.txt").write_text("".join(entry(*each) for each in hashes.items()), "utf-8")
    command = [os.environ["UV"], "build", "--quiet", "--no-create-gitignore", "--out-dir", built]
    run(*command, "--all-packages", cwd=workspace)
    left_out = {SPARK}
    for member in map(Path, settings["workspace"]["exclude"]):
        if (workspace / member / "meson.build").exists() and not prepare_for_meson(workspace / member):
            note(f"{member} is left out: it needs a C compiler, cc, and git")
            left_out.add(member.name)
        else:
            run(*command, "--build-constraints", "builds.txt", "--require-hashes", member, cwd=workspace)
    return [with_extras(wheel, left_out) for wheel in sorted(built.glob("*.whl"))]


def with_absolute_links(page: Path, base: str) -> str:
    """Return the text of a page with links to `base` in place of relative ones, which are dead on a package index."""

    def absolute(link: re.Match[str]) -> str:
        path, mark, anchor = link[0].partition("#")
        target = (page.parent / path).resolve()
        return f"{base}/{target.relative_to(ROOT).as_posix()}{mark}{anchor}" if target.is_file() else link[0]

    return re.sub(r"(?<=\]\()[^)\s]+", absolute, page.read_text("utf-8"))


def add_libraries(folder: Path, workspace: Path, requirements: list[str]) -> None:
    """Add wheels of what the requirements need, from files whose hashes are listed."""
    wanted, found = workspace / "wanted.txt", workspace / "found.txt"
    wanted.write_text("\n".join([*requirements, *BUILD_AND_TEST]), "utf-8")
    compile_ = [os.environ["UV"], "pip", "compile", "--quiet", "--no-annotate", "--no-header"]
    pinned = run(*compile_, "--constraints", workspace / "pins.txt", wanted).splitlines()
    listed = hashes_in(LIST.read_text("utf-8")) | hashes_of_builds()
    found.write_text("".join(entry(each, listed[each]) for each in pinned if "@" not in each), "utf-8")
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--wheel-dir", folder, "--no-deps"]
    run(*pip, "--no-build-isolation", "--require-hashes", "--requirement", found)


def prepare_for_meson(folder: Path) -> bool:
    """Make the folder a repository, from which Meson takes the sources; return False without compiler or git."""
    if not (shutil.which("cc") and shutil.which("git")):
        return False
    identity = ["-c", "user.name=release", "-c", "user.email=release", "-c", "commit.gpgsign=false"]
    for words in (["init"], ["add", "."], ["commit", "--message", "release"]):
        run("git", *identity, *words, cwd=folder)
    return True


def with_extras(wheel: Path, left_out: set[str]) -> str:
    """Return the wheel as a requirement with all of its extras that are not left out."""
    (metadata,) = (text.decode("utf-8") for name, text in files_of(wheel).items() if name.endswith("-info/METADATA"))
    extras = {*re.findall(r"^Provides-Extra: (.*)$", metadata, re.MULTILINE)} - left_out
    names = f"[{','.join(sorted(extras))}]" if extras else ""
    return f"{wheel.name.partition('-')[0]}{names} @ {wheel.as_uri()}"


def files_of(archive: Path) -> dict[str, bytes]:
    """Return the files in a wheel or a source distribution, by their names in it."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            return {name: wheel.read(name) for name in wheel.namelist()}
    with tarfile.open(archive) as source:
        files = {each.name.partition("/")[2]: source.extractfile(each) for each in source if each.isfile()}
        return {name: file.read() for name, file in files.items() if file is not None}


def faults(archive: Path, places: Collection[Path]) -> Iterator[str]:
    """Yield what is wrong with the files in an archive: one that is missing, superfluous, or names one of `places`."""
    files = files_of(archive)
    package, version = archive.name.split("-")[:2]
    is_wheel = archive.suffix == ".whl"
    info = f"{package}-{version}.dist-info"
    wanted = {f"{info}/licenses/LICENSE" if is_wheel else "LICENSE"}
    wanted |= {
        f"{name.removesuffix('__init__.py')}py.typed" for name in files if name.endswith(f"{package}/__init__.py")
    }
    for name in sorted(wanted - files.keys()):
        yield f"{archive.name}: {name} is missing"
    for name, content in files.items():
        parts = name.split("/")
        unwanted = {"tests", "__pycache__"}.intersection(parts) or any(part.startswith(".") for part in parts)
        if unwanted or name.endswith(".pyc") or (is_wheel and parts[0] not in (package, info)):
            yield f"{archive.name}: {name} does not belong in a release"
        for place in places:
            if f"{place}/".encode() in content:
                yield f"{archive.name}: {name} names {place}, a folder of this machine"


def release_notes(version: str) -> str:
    """Return the section of CHANGELOG.md about the version, with a title and without links into the repository.

    If there is no such section yet, it is the one about what is unreleased, and the title says so.
    """
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    found = re.findall(r"^## \[?([\w.]+)\]?(.*)\n+((?:(?!## ).*\n)*)", text, re.MULTILINE)
    sections = {name: (rest, body) for name, rest, body in found}
    rest, body = sections.get(version) or (" (unreleased)", sections["Unreleased"][1])
    return re.sub(r"\[([^\]]*)\]\((?!https?:)[^)]*\)", r"\1", f"# urlschemes {version}{rest}\n\n{body}")


def write_sums(folder: Path) -> None:
    """Write the SHA-256 of every archive in the folder, and of the notes."""
    paths = sorted([*folder.glob("*.[wg]*"), folder / "RELEASE_NOTES.md"])
    sums = "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in paths)
    (folder / "SHA256SUMS").write_text(sums, "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
