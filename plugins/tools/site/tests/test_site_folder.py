"""The folder of a site, and the command: no other file is ever lost."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

import urlschemes_cli.app
import urlschemes_site
from urlschemes_site.output_folder import MARKER

if TYPE_CHECKING:
    from pathlib import Path

PAGES = {"index.html": "<p>ö</p>\n", "scheme-a.html": "a"}


def contents(folder: Path) -> dict[str, str]:
    return {each.name: each.read_text("utf-8") for each in folder.iterdir() if each.name != MARKER}


def refused(folder: Path, pages: dict[str, str] = PAGES) -> str:
    """Return the message of the error; the folder must stay as it was."""
    before = contents(folder) if folder.is_dir() else {}
    with pytest.raises(urlschemes_site.FolderRefused) as caught:
        urlschemes_site.write(pages, folder)
    assert (contents(folder) if folder.is_dir() else {}) == before
    assert caught.value.folder == str(folder)
    return str(caught.value)


def test_a_new_folder_is_created(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "site"
    urlschemes_site.write(PAGES, folder)
    assert contents(folder) == PAGES
    assert (folder / "index.html").read_bytes() == b"<p>\xc3\xb6</p>\n"


@pytest.mark.parametrize("name", ["../index.html", "a/b.html", "/index.html", MARKER, ""])
def test_a_page_is_a_file_of_the_folder(tmp_path: Path, name: str) -> None:
    assert "a page cannot have the file name" in refused(tmp_path / "site", {name: ""})


@pytest.mark.parametrize("pages", [None, {5: ""}, {"index.html": b""}])
def test_pages_are_texts_by_name(tmp_path: Path, pages: Any) -> None:
    with pytest.raises(TypeError, match="pages must be a"):
        urlschemes_site.write(pages, tmp_path)


def test_a_site_is_replaced_and_old_pages_are_removed(tmp_path: Path) -> None:
    urlschemes_site.write(PAGES, tmp_path)
    urlschemes_site.write({"index.html": "new", "scheme-b.html": "b"}, tmp_path)
    assert contents(tmp_path) == {"index.html": "new", "scheme-b.html": "b"}
    before = (tmp_path / MARKER).read_bytes()
    urlschemes_site.write({"scheme-b.html": "b", "index.html": "new"}, tmp_path)
    assert (tmp_path / MARKER).read_bytes() == before


def test_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    message = refused(tmp_path)
    assert "is not empty and not a site of this command: it contains 'notes.txt'" in message
    assert message.endswith("name a folder that is new or empty")


def test_other_files_beside_the_pages_stay(tmp_path: Path) -> None:
    urlschemes_site.write(PAGES, tmp_path)
    (tmp_path / "CNAME").write_text("host.dom")
    urlschemes_site.write({"index.html": "new"}, tmp_path)
    assert contents(tmp_path) == {"index.html": "new", "CNAME": "host.dom"}


def test_a_page_does_not_replace_another_file(tmp_path: Path) -> None:
    urlschemes_site.write(PAGES, tmp_path)
    (tmp_path / "scheme-b.html").write_text("mine")
    message = refused(tmp_path, {**PAGES, "scheme-b.html": "b"})
    assert "contains scheme-b.html, which does not belong to the site; move or delete that file" in message


def test_a_page_that_was_changed_is_not_replaced(tmp_path: Path) -> None:
    urlschemes_site.write(PAGES, tmp_path)
    (tmp_path / "scheme-a.html").write_text("improved")
    message = refused(tmp_path, {"index.html": "new"})
    assert "contains scheme-a.html, which was changed after the site was written" in message


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege on Windows")
def test_a_page_that_became_a_link_is_refused(tmp_path: Path) -> None:
    other, folder = tmp_path / "other", tmp_path / "site"
    urlschemes_site.write(PAGES, folder)
    other.write_text("a")
    (folder / "scheme-a.html").unlink()
    (folder / "scheme-a.html").symlink_to(other)
    refused(folder, {"scheme-a.html": "new"})
    assert other.read_text() == "a"


@pytest.mark.parametrize("line", ["0" * 64 + "  ../other.html", "0" * 64 + "  /etc/passwd", "x", "0" * 64 + "  other"])
def test_a_marker_of_another_form_is_refused(tmp_path: Path, line: str) -> None:
    urlschemes_site.write(PAGES, tmp_path)
    with (tmp_path / MARKER).open("a") as file:
        file.write(line + "\n")
    assert f"contains a file {MARKER} that this command did not write" in refused(tmp_path, {"index.html": "new"})


def test_a_site_that_was_written_in_part_can_be_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    assert contents(tmp_path) == {"index.html": "new", "scheme-b.html": "b"}


def test_a_path_that_cannot_be_a_folder_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    for name in (file, file / "below", "a\0b", ""):
        with pytest.raises(urlschemes_site.FolderRefused, match="cannot be written"):
            urlschemes_site.write(PAGES, name)
    assert file.read_text() == "mine"


def command(*words: str) -> Result:
    return CliRunner().invoke(urlschemes_cli.app.command, ["--no-config", *words], prog_name="urlschemes")


def test_the_command_writes_a_site(tmp_path: Path) -> None:
    folder = tmp_path / "site"
    plugins = "urlschemes-ftp,urlschemes-wais,urlschemes-site"
    done = command("--plugins", plugins, "site", str(folder), "--title", "Ours")
    assert (done.exit_code, done.stdout, done.stderr) == (0, f"{folder}: 2 schemes; open index.html\n", "")
    modern = {"index.html", "rules.html", "about.html", "scheme-ftp.html", "scheme-wais.html"}
    assert {*contents(folder)} == modern | {"rules-rfc1738.html", "rfc1738-ftp.html", "rfc1738-wais.html"}
    assert "<title>Ours</title>" in (folder / "index.html").read_text("utf-8")


def test_the_command_refuses_a_folder_with_other_files(tmp_path: Path) -> None:
    (tmp_path / "notes\x1b[2J.txt").write_text("mine")
    done = command("site", str(tmp_path))
    assert (done.exit_code, done.stdout) == (3, "")
    assert "is not empty and not a site of this command" in done.stderr
    assert "help: name a folder that is new or empty" in done.stderr
    assert "\x1b" not in done.stderr
