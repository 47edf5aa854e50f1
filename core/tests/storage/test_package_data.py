"""Files inside packages are read wherever the packages are, and nothing is imported."""

from __future__ import annotations

import os
import sys
import zipfile
from importlib.util import spec_from_file_location
from pathlib import Path

import pytest

from urlschemes.storage.package_data import locate, read_file

RECORD = "registration.toml"
EXIT = "raise SystemExit('imported')\n"


def make_packages(folder: Path, *names: str) -> None:
    """Write packages that must not be imported."""
    for name in names:
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / name / "__init__.py").write_text(EXIT)


def test_a_file_beside_a_package_is_read_without_importing_it(tmp_path, monkeypatch):
    make_packages(tmp_path, "plain_a", "plain_a/deep")
    (tmp_path / "plain_a" / RECORD).write_text("top", encoding="utf-8")
    (tmp_path / "plain_a" / "deep" / RECORD).write_text("caf\u00e9", encoding="utf-8")
    (tmp_path / "plain_a" / "module.py").write_text(EXIT)
    monkeypatch.syspath_prepend(tmp_path)
    assert read_file("plain_a", RECORD) == ("top", str(tmp_path / "plain_a" / RECORD))
    assert read_file("plain_a.deep", RECORD) == ("caf\u00e9", str(tmp_path / "plain_a" / "deep" / RECORD))
    assert read_file("plain_a.module", RECORD)[0] == "top"
    assert locate("plain_a.deep").origin == str(tmp_path / "plain_a" / "deep" / "__init__.py")
    assert not {"plain_a", "plain_a.deep", "plain_a.module"} & set(sys.modules)


def test_a_file_in_nested_namespace_packages_is_read(tmp_path, monkeypatch):
    make_packages(tmp_path / "one", "space_b/inner/code")
    (tmp_path / "one" / "space_b" / "inner" / "code" / RECORD).write_text("code")
    (tmp_path / "two" / "space_b" / "inner" / "data").mkdir(parents=True)
    (tmp_path / "two" / "space_b" / "inner" / "data" / RECORD).write_text("data")
    monkeypatch.syspath_prepend(tmp_path / "one")
    monkeypatch.syspath_prepend(tmp_path / "two")
    assert read_file("space_b.inner.code", RECORD)[0] == "code"
    assert read_file("space_b.inner.data", RECORD)[0] == "data"
    assert "space_b" not in sys.modules


def test_a_file_in_an_archive_is_read(tmp_path, monkeypatch):
    archive = tmp_path / "plugins.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for name in ("zip_c/__init__.py", "zip_c/sub/__init__.py"):
            file.writestr(name, EXIT)
        for name in ("zip_c", "zip_c/sub", "zip_space/inner"):
            file.writestr(f"{name}/{RECORD}", name)
        file.writestr("zip_space/", "")
        file.writestr("zip_space/inner/", "")
    monkeypatch.syspath_prepend(archive)
    for name in ("zip_c", "zip_c.sub", "zip_space.inner"):
        assert read_file(name, RECORD)[0] == name.replace(".", "/")
    with pytest.raises(FileNotFoundError):
        read_file("zip_c", "nothing.toml")
    assert not {"zip_c", "zip_space"} & set(sys.modules)


def test_a_file_behind_the_finder_of_an_editable_installation_is_read(tmp_path, monkeypatch):
    make_packages(tmp_path / "project", "edit_d", "edit_d/sub")
    (tmp_path / "project" / "edit_d" / "sub" / RECORD).write_text("editable")

    class Finder:
        @staticmethod
        def find_spec(name, path=None, target=None):
            place = str(tmp_path / "project" / "edit_d" / "__init__.py")
            return spec_from_file_location(name, place) if name == "edit_d" else None

    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder(), object()])
    assert read_file("edit_d.sub", RECORD)[0] == "editable"
    assert "edit_d" not in sys.modules


def test_a_current_directory_that_was_deleted_hides_nothing(tmp_path, monkeypatch):
    make_packages(tmp_path / "site", "plain_f")
    (tmp_path / "site" / "plain_f" / RECORD).write_text("there")
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    monkeypatch.setattr(sys, "path", ["", str(tmp_path / "site")])
    assert read_file("plain_f", RECORD)[0] == "there"


def test_a_missing_package_or_file_is_named(tmp_path, monkeypatch):
    make_packages(tmp_path, "bare_e", "latin_e")
    (tmp_path / "latin_e" / RECORD).write_bytes(b"caf\xe9")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match=r"^there is no module bare_e\.none$"):
        read_file("bare_e.none", RECORD)
    with pytest.raises(ModuleNotFoundError, match=r"^there is no module none_e$"):
        read_file("none_e.sub", RECORD)
    with pytest.raises(FileNotFoundError, match=r"^the package bare_e has no file registration\.toml$"):
        read_file("bare_e", RECORD)
    with pytest.raises(FileNotFoundError, match=r"^the package sys has no file registration\.toml$"):
        read_file("sys", RECORD)
    with pytest.raises(UnicodeDecodeError):
        read_file("latin_e", RECORD)


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_cannot_be_read_is_not_reported_as_missing(tmp_path, monkeypatch):
    make_packages(tmp_path, "shut_g")
    (tmp_path / "shut_g" / RECORD).write_text("")
    (tmp_path / "shut_g" / RECORD).chmod(0)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(PermissionError):
        read_file("shut_g", RECORD)
