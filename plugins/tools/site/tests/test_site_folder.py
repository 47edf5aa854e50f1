"""The folder of the pages, and the command: no other file is ever lost."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

import urlschemes_cli.app
import urlschemes_site

if TYPE_CHECKING:
    from pathlib import Path

PAGES = {"index.md": "ö\n", "scheme-a.md": "a"}


def contents(folder: Path) -> dict[str, str]:
    return {each.name: each.read_bytes().decode().partition("-->\n\n")[2] for each in folder.iterdir()}


def refused(folder: Path, pages: dict[str, str] = PAGES) -> str:
    """Return the message of the error; the folder must stay as it was."""
    before = contents(folder) if folder.is_dir() else {}
    with pytest.raises(urlschemes_site.FolderRefused) as caught:
        urlschemes_site.write(pages, folder)
    assert (contents(folder) if folder.is_dir() else {}) == before
    assert caught.value.folder == str(folder)
    return str(caught.value)


def test_a_new_folder_is_created_and_its_pages_are_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "site"
    urlschemes_site.write(PAGES, folder)
    assert contents(folder) == PAGES
    urlschemes_site.write({"index.md": "new", "scheme-b.md": "b"}, folder)
    assert contents(folder) == {"index.md": "new", "scheme-b.md": "b"}


@pytest.mark.parametrize("name", ["../index.md", "a/b.md", "/index.md", "index.html", ""])
def test_a_page_is_a_file_of_the_folder(tmp_path: Path, name: str) -> None:
    assert "a page cannot have the file name" in refused(tmp_path / "site", {name: ""})


@pytest.mark.parametrize("pages", [None, {5: ""}, {"index.md": b""}])
def test_pages_are_texts_by_name(tmp_path: Path, pages: Any) -> None:
    with pytest.raises(TypeError, match="pages must be a"):
        urlschemes_site.write(pages, tmp_path)


@pytest.mark.parametrize("name", ["notes.txt", "index.md", "scheme-b.md"])
def test_a_folder_with_another_file_is_refused(tmp_path: Path, name: str) -> None:
    urlschemes_site.write({"scheme-a.md": "a"}, tmp_path)
    (tmp_path / name).write_text("mine")
    assert refused(tmp_path).endswith(
        f"contains {name!r}, which is not a page of this command; name a folder that is new or empty"
    )


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege on Windows")
def test_a_page_that_became_a_link_is_refused(tmp_path: Path) -> None:
    other, folder = tmp_path / "other", tmp_path / "site"
    urlschemes_site.write(PAGES, folder)
    (folder / "scheme-a.md").rename(other)
    (folder / "scheme-a.md").symlink_to(other)
    refused(folder, {"scheme-a.md": "new"})


def test_a_path_that_cannot_be_a_folder_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    for name in (file, file / "below", "a\0b", ""):
        with pytest.raises(urlschemes_site.FolderRefused, match="cannot be written"):
            urlschemes_site.write(PAGES, name)
    assert file.read_text() == "mine"


PAGES_OF_TWO = ["index.md", "rules-rfc1738.md", "rules-rfc3986.md", "scheme-ftp.md", "scheme-wais.md"]


def command(*words: str) -> Result:
    return CliRunner().invoke(urlschemes_cli.app.command, ["--no-config", *words], prog_name="urlschemes")


def test_the_command_writes_the_pages(tmp_path: Path) -> None:
    folder = tmp_path / "site"
    plugins = "urlschemes-ftp,urlschemes-wais,urlschemes-site"
    done = command("--plugins", plugins, "site", str(folder), "--title", "Ours")
    assert (done.exit_code, done.stdout, done.stderr) == (0, f"{folder}: 2 schemes; begin with index.md\n", "")
    assert {*contents(folder)} == {*PAGES_OF_TWO}
    assert contents(folder)["index.md"].startswith("# Ours\n")


def test_the_command_refuses_a_folder_with_other_files(tmp_path: Path) -> None:
    (tmp_path / "notes\x1b[2J.txt").write_text("mine")
    done = command("--plugins", "urlschemes-site", "site", str(tmp_path))
    assert (done.exit_code, done.stdout) == (3, "")
    assert "help: name a folder that is new or empty" in done.stderr
    assert "\x1b" not in done.stderr
