"""`dev release` fills a folder from which the pages install, and refuses archives with wrong files."""

from __future__ import annotations

import io
import shutil
import tarfile
import time
import tomllib
import zipfile
from pathlib import Path

import pytest
from installation import installations, required
from release import SOURCE_DATE, faults, files_of, release_notes, with_absolute_links
from workspace import ROOT, Environment, must, name_in

PAGES = [ROOT / "README.md", *ROOT.glob("core/README.md"), *sorted(ROOT.glob("plugins/*/*/README.md"))]


def projects() -> set[str]:
    """Return the names of all distributions as archives have them; of one in C only if it can be built here."""
    files = [path for pattern in ("core", "plugins/*/*") for path in ROOT.glob(f"{pattern}/pyproject.toml")]
    compiled = shutil.which("cc") is not None and shutil.which("git") is not None
    names = [
        tomllib.loads(path.read_text("utf-8"))["project"]["name"]
        for path in files
        if compiled or not (path.parent / "meson.build").exists()
    ]
    return {name.replace("-", "_") for name in names}


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_release_holds_a_wheel_and_a_source_distribution_of_every_distribution(release: Path) -> None:
    for ending in ("*.whl", "*.tar.gz"):
        names = [path.name.partition("-")[0] for path in release.glob(ending)]
        assert sorted(name for name in names if name.startswith("urlschemes")) == sorted(projects())
    sums = (release / "SHA256SUMS").read_text("utf-8")
    assert [line.partition("  ")[2] for line in sums.splitlines()] == sorted(
        {path.name for path in release.iterdir()} - {"SHA256SUMS"}
    )
    if shutil.which("sha256sum"):
        must("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=release)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_every_file_in_our_archives_has_the_same_date(release: Path) -> None:
    """So the archives of two builds are equal to the octet."""
    epoch = int(SOURCE_DATE)
    for path in release.glob("urlschemes*.whl"):
        dates = {each.date_time for each in zipfile.ZipFile(path).infolist()}
        assert dates == {time.gmtime(epoch)[:6]}, path
    for path in release.glob("urlschemes*.tar.gz"):
        with tarfile.open(path) as source:
            assert {each.mtime for each in source if each.isfile()} == {epoch}, path


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_what_the_pages_install_is_in_a_release(empty: Environment) -> None:
    found = {page: installations(page) for page in PAGES}
    assert [page for page in PAGES if not found[page]] == []
    requirements = {each for page in PAGES for words in found[page] for each in words if each.startswith("urlschemes")}
    requirements = {each for each in requirements if not each.startswith("urlschemes-columns")}  # needs pyarrow, too
    empty.install("--dry-run", *sorted(requirements))


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_schemes_of_rfc_1738_need_three_libraries(release: Path) -> None:
    wheels = {path.name.partition("-")[0]: path for path in release.glob("urlschemes*.whl")}
    needed = {name_in(each) for each in required(wheels, ["urlschemes-rfc1738"])}
    assert needed == {"h11", "importlib-metadata", "pluggy"}


@pytest.mark.parametrize(
    ("version", "notes"),
    [
        ("0.1.0", "# urlschemes 0.1.0, 2026-12-01\n\n### Fixed\n\n- b, see how"),
        ("0.0.9", "# urlschemes 0.0.9 - 2026-11-01\n\n- a, [b](https://e.com)"),
        ("9.9.9", "# urlschemes 9.9.9 (unreleased)\n\n### Added\n\n- c"),
    ],
)
def test_the_notes_are_the_section_of_the_changelog_with_a_title(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, version: str, notes: str
) -> None:
    text = """# Changelog\n\nAll.\n\n## Unreleased\n\n### Added\n\n- c\n
## 0.1.0, 2026-12-01\n\n### Fixed\n\n- b, see [how](docs/how.md#b)\n
## [0.0.9] - 2026-11-01\n\n- a, [b](https://e.com)\n"""
    (tmp_path / "CHANGELOG.md").write_text(text, "utf-8")
    monkeypatch.setattr("release.ROOT", tmp_path)
    assert release_notes(version).strip() == notes


def test_a_readme_on_an_index_has_no_relative_link(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("release.ROOT", tmp_path)
    page = tmp_path / "README.md"
    page.write_text("[how](README.md#why), [here](#b), [there](https://e.com), `[x](y)`")
    expected = "[how](https://forge.example/README.md#why), [here](#b), [there](https://e.com), `[x](y)`"
    assert with_absolute_links(page, "https://forge.example") == expected


def archive(folder: Path, name: str, files: dict[str, str]) -> Path:
    """Write a wheel, or a source distribution, with these files."""
    path = folder / name
    if path.suffix == ".whl":
        with zipfile.ZipFile(path, "w") as wheel:
            for place, text in files.items():
                wheel.writestr(place, text)
    else:
        with tarfile.open(path, "w:gz") as source:
            for place, text in files.items():
                member = tarfile.TarInfo(f"{name.removesuffix('.tar.gz')}/{place}")
                member.size = len(text)
                source.addfile(member, io.BytesIO(text.encode()))
    assert files_of(path) == {place: text.encode() for place, text in files.items()}
    return path


INFO = "x_made-1.0.dist-info"
WHEEL = {"x_made/__init__.py": "", "x_made/py.typed": "", f"{INFO}/licenses/LICENSE": "", f"{INFO}/METADATA": ""}
SOURCE = {"src/x_made/__init__.py": "", "src/x_made/py.typed": "", "LICENSE": "", "PKG-INFO": ""}


@pytest.mark.parametrize(
    ("removed", "added", "fault"),
    [
        (None, {}, None),
        (f"{INFO}/licenses/LICENSE", {}, f"{INFO}/licenses/LICENSE is missing"),
        ("x_made/py.typed", {}, "x_made/py.typed is missing"),
        (None, {"tests/test_made.py": ""}, "tests/test_made.py does not belong in a release"),
        (None, {"x_made/tests/made.py": ""}, "x_made/tests/made.py does not belong in a release"),
        (None, {"x_made/made.pyc": ""}, "x_made/made.pyc does not belong in a release"),
        (None, {"x_made/.mypy_cache/made": ""}, "x_made/.mypy_cache/made does not belong in a release"),
        (None, {"made.py": ""}, "made.py does not belong in a release"),
        (None, {"x_made/made.py": "made in /home/ann/src"}, "x_made/made.py names /home/ann, a folder of this machine"),
    ],
)
def test_a_wheel_with_a_file_too_many_or_too_few_is_refused(
    tmp_path: Path, removed: str | None, added: dict[str, str], fault: str | None
) -> None:
    files = {place: text for place, text in (WHEEL | added).items() if place != removed}
    wheel = archive(tmp_path, "x_made-1.0-py3-none-any.whl", files)
    assert [*faults(wheel, [Path("/home/ann")])] == ([] if fault is None else [f"{wheel.name}: {fault}"])


@pytest.mark.parametrize(
    ("removed", "added", "fault"),
    [
        (None, {"meson.build": ""}, None),
        ("LICENSE", {}, "LICENSE is missing"),
        ("src/x_made/py.typed", {}, "src/x_made/py.typed is missing"),
        (None, {"tests/test_made.py": ""}, "tests/test_made.py does not belong in a release"),
    ],
)
def test_a_source_distribution_with_a_file_too_many_or_too_few_is_refused(
    tmp_path: Path, removed: str | None, added: dict[str, str], fault: str | None
) -> None:
    files = {place: text for place, text in (SOURCE | added).items() if place != removed}
    source = archive(tmp_path, "x_made-1.0.tar.gz", files)
    assert [*faults(source, [])] == ([] if fault is None else [f"{source.name}: {fault}"])
