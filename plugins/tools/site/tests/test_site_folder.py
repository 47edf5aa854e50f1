"""The folder of a site, and the command: nobody else's file is ever lost."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import urlschemes_site
from urlschemes_site.folder import MARKER

if TYPE_CHECKING:
    from pathlib import Path

PAGES = {"index.html": "<p>ö</p>\n", "scheme-a.html": "a"}


def held(folder: Path) -> dict[str, str]:
    return {each.name: each.read_text("utf-8") for each in folder.iterdir() if each.name != MARKER}


def refused(folder: Path, pages: dict[str, str] = PAGES) -> str:
    """What is said, and nothing is done."""
    before = held(folder) if folder.is_dir() else {}
    with pytest.raises(urlschemes_site.FolderRefused) as caught:
        urlschemes_site.write(pages, folder)
    assert (held(folder) if folder.is_dir() else {}) == before
    assert caught.value.folder == str(folder)
    return str(caught.value)


def test_a_folder_is_made(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "site"
    urlschemes_site.write(PAGES, folder)
    assert held(folder) == PAGES
    assert (folder / "index.html").read_bytes() == b"<p>\xc3\xb6</p>\n"


def test_a_site_is_made_anew_and_what_it_has_no_more_is_removed(tmp_path: Path) -> None:
    urlschemes_site.write(PAGES, tmp_path)
    urlschemes_site.write({"index.html": "new", "scheme-b.html": "b"}, tmp_path)
    assert held(tmp_path) == {"index.html": "new", "scheme-b.html": "b"}
    before = (tmp_path / MARKER).read_bytes()
    urlschemes_site.write({"scheme-b.html": "b", "index.html": "new"}, tmp_path)
    assert (tmp_path / MARKER).read_bytes() == before


def test_a_folder_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    said = refused(tmp_path)
    assert "is not empty (it holds 'notes.txt') and is no site made by this command" in said
    assert said.endswith("name a folder that is empty or not there yet")


def test_files_beside_the_pages_are_left_alone(tmp_path: Path) -> None:
    urlschemes_site.write(PAGES, tmp_path)
    (tmp_path / "CNAME").write_text("host.dom")
    urlschemes_site.write({"index.html": "new"}, tmp_path)
    assert held(tmp_path) == {"index.html": "new", "CNAME": "host.dom"}


def test_a_file_that_would_be_in_the_way_is_left_alone(tmp_path: Path) -> None:
    urlschemes_site.write(PAGES, tmp_path)
    (tmp_path / "scheme-b.html").write_text("mine")
    said = refused(tmp_path, {**PAGES, "scheme-b.html": "b"})
    assert "holds scheme-b.html, which is not of the site; move or delete that file" in said


def test_a_page_that_somebody_changed_is_left_alone(tmp_path: Path) -> None:
    urlschemes_site.write(PAGES, tmp_path)
    (tmp_path / "scheme-a.html").write_text("improved")
    assert "holds scheme-a.html, which was changed since the site was made" in refused(tmp_path, {"index.html": "new"})


@pytest.mark.skipif(os.name == "nt", reason="a link needs a privilege there")
def test_a_page_that_became_a_link_is_not_followed(tmp_path: Path) -> None:
    other, folder = tmp_path / "other", tmp_path / "site"
    urlschemes_site.write(PAGES, folder)
    other.write_text("a")
    (folder / "scheme-a.html").unlink()
    (folder / "scheme-a.html").symlink_to(other)
    refused(folder, {"scheme-a.html": "new"})
    assert other.read_text() == "a"


@pytest.mark.parametrize("line", ["0" * 64 + "  ../other.html", "0" * 64 + "  /etc/passwd", "x", "0" * 64 + "  other"])
def test_a_marker_that_says_something_else_is_not_believed(tmp_path: Path, line: str) -> None:
    urlschemes_site.write(PAGES, tmp_path)
    with (tmp_path / MARKER).open("a") as file:
        file.write(line + "\n")
    assert f"has a file {MARKER} that this command did not write" in refused(tmp_path, {"index.html": "new"})


def test_a_site_that_was_broken_off_is_made_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    urlschemes_site.write({**PAGES, "scheme-z.html": "z"}, tmp_path)
    replace, done = os.replace, []

    def failing(source: Path, target: Path) -> None:
        if len(done) == 2:
            raise OSError(28, "No space left on device")
        done.append(target)
        replace(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", failing)
        with pytest.raises(urlschemes_site.FolderRefused, match="cannot be written: No space left on device"):
            urlschemes_site.write({"index.html": "new", "scheme-b.html": "b"}, tmp_path)
    urlschemes_site.write({"index.html": "new", "scheme-b.html": "b"}, tmp_path)
    assert held(tmp_path) == {"index.html": "new", "scheme-b.html": "b"}


def test_what_is_no_folder_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    for name in (file, file / "below", "a\0b", ""):
        with pytest.raises(urlschemes_site.FolderRefused, match="cannot be written"):
            urlschemes_site.write(PAGES, name)
    assert file.read_text() == "mine"


def command(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "urlschemes_cli", "--no-config", *words],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_the_command_makes_a_site(tmp_path: Path) -> None:
    folder = tmp_path / "site"
    done = command(
        "--plugins", "urlschemes-ftp,urlschemes-wais,urlschemes-site", "site", str(folder), "--title", "Ours"
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{folder}: 2 schemes; open index.html\n", "")
    assert {*held(folder)} == {"index.html", "rules.html", "about.html", "scheme-ftp.html", "scheme-wais.html"}
    assert "<title>Ours</title>" in (folder / "index.html").read_text("utf-8")


def test_the_command_refuses_the_folder_of_somebody_else(tmp_path: Path) -> None:
    (tmp_path / "notes\x1b[2J.txt").write_text("mine")
    done = command("site", str(tmp_path))
    assert (done.returncode, done.stdout) == (3, "")
    assert "is no site made by this command" in done.stderr
    assert "help: name a folder that is empty or not there yet" in done.stderr
    assert "\x1b" not in done.stderr
    assert "Traceback" not in done.stderr
