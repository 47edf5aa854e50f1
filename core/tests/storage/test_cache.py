"""The cache: a value that was stored is loaded again, or computed again, and never wrong."""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path

import pytest

from urlschemes.storage import cache

posix = pytest.mark.skipif(sys.platform == "win32", reason="files have owners and modes elsewhere")


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """An empty cache folder."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("URLSCHEMES_CACHE", str(folder))
    return folder


def only_file(folder: Path) -> Path:
    (file,) = folder.iterdir()
    return file


def test_a_value_is_loaded_by_its_kind_and_key(folder):
    assert cache.load("kind", "key") is None
    cache.store("kind", "key", {"a": [1, None, "\u00e9"]})
    assert cache.load("kind", "key") == {"a": [1, None, "\u00e9"]}
    assert cache.load("kind", "other key") is None
    assert cache.load("other", "key") is None


def test_two_keys_with_one_checksum_are_not_confused(folder, monkeypatch):
    monkeypatch.setattr(cache, "crc32", lambda _: 7)
    cache.store("kind", "one", 1)
    assert cache.load("kind", "two") is None
    cache.store("kind", "two", 2)
    assert (cache.load("kind", "one"), cache.load("kind", "two")) == (None, 2)


def test_a_key_may_hold_any_character(folder):
    cache.store("kind", "\0\udc80\ud800\u00e9", "value")
    assert cache.load("kind", "\0\udc80\ud800\u00e9") == "value"


def test_another_version_of_the_core_starts_anew(folder, monkeypatch):
    cache.store("kind", "key", "value")
    monkeypatch.setattr(cache, "__version__", "9")
    assert cache.load("kind", "key") is None


@posix
def test_folder_and_files_are_for_their_owner_only(folder):
    cache.store("kind", "key", "value")
    assert folder.stat().st_mode & 0o777 == 0o700
    assert only_file(folder).stat().st_mode & 0o777 == 0o600


@posix
@pytest.mark.parametrize("mode", [0o620, 0o602])
def test_a_file_that_others_can_write_does_not_count(folder, mode):
    cache.store("kind", "key", "value")
    only_file(folder).chmod(mode)
    assert cache.load("kind", "key") is None
    cache.store("kind", "key", "value")
    assert cache.load("kind", "key") == "value"


@posix
@pytest.mark.parametrize("mode", [0o770, 0o707, 0o1777])
def test_a_folder_that_others_can_write_is_not_used(folder, mode):
    cache.store("kind", "key", "value")
    folder.chmod(mode)
    assert cache.load("kind", "key") is None
    cache.store("kind", "other", "value")
    only_file(folder)
    folder.chmod(0o755)
    assert cache.load("kind", "key") == "value"


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_another_user_is_not_used(folder):
    cache.store("kind", "key", "value")
    os.chown(folder, 12345, -1)
    assert cache.load("kind", "key") is None


@posix
def test_a_link_is_not_followed(folder, tmp_path, monkeypatch):
    cache.store("kind", "key", "value")
    file = only_file(folder)
    moved = file.rename(tmp_path / "moved")
    file.symlink_to(moved)
    assert cache.load("kind", "key") is None
    cache.store("kind", "key", "new")
    assert cache.load("kind", "key") == "new"
    assert b"value" in moved.read_bytes()
    folder.rename(tmp_path / "own")
    folder.symlink_to(tmp_path / "own")
    assert cache.load("kind", "key") is None
    monkeypatch.setenv("URLSCHEMES_CACHE", f"{folder}/")
    assert cache.load("kind", "key") is None
    cache.store("kind", "other", "value")
    only_file(tmp_path / "own")


@posix
def test_a_group_may_write_the_folder_above(monkeypatch, tmp_path):
    monkeypatch.setenv("URLSCHEMES_CACHE", str(tmp_path / "new" / "urlschemes"))
    before = os.umask(0o002)
    try:
        cache.store("kind", "key", "value")
    finally:
        os.umask(before)
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o775
    assert cache.load("kind", "key") == "value"


@posix
def test_the_folder_that_was_examined_is_used_and_not_its_name(folder, monkeypatch, tmp_path):
    cache.store("kind", "key", "value")
    other = tmp_path / "other"
    other.mkdir()
    real_fstat = os.fstat

    def examine_and_exchange(descriptor):
        status = real_fstat(descriptor)
        monkeypatch.undo()
        folder.rename(tmp_path / "own")
        other.rename(folder)
        return status

    monkeypatch.setattr(os, "fstat", examine_and_exchange)
    assert cache.load("kind", "key") == "value"
    assert [*folder.iterdir()] == []  # it is the other one


@pytest.mark.parametrize(
    "damage",
    [
        lambda octets: b"",
        lambda octets: octets[:-1],
        lambda octets: octets + b"\0",
        lambda octets: octets.replace(b"value", b"other"),
        lambda octets: os.urandom(len(octets)),
        lambda octets: b"[" * 100_000,
        lambda octets: b"{}",
        lambda octets: b"7",
        lambda octets: b'["0.1.0"]',
    ],
)
def test_a_damaged_file_is_as_no_file(folder, damage):
    cache.store("kind", "key", "value")
    file = only_file(folder)
    file.write_bytes(damage(file.read_bytes()))
    assert cache.load("kind", "key") is None


@pytest.mark.parametrize("value", ["none", "NONE", "relative/folder"])
def test_the_cache_can_be_switched_off(folder, monkeypatch, tmp_path, value):
    monkeypatch.setenv("URLSCHEMES_CACHE", value)
    monkeypatch.chdir(tmp_path)
    cache.store("kind", "key", "value")
    assert cache.load("kind", "key") is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform in {"win32", "darwin"}, reason="the folders are others there")
def test_the_folder_is_the_users_own_unless_a_variable_names_another(monkeypatch, tmp_path):
    monkeypatch.delenv("URLSCHEMES_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.folder() == str(tmp_path / "urlschemes")


def test_a_value_that_cannot_be_written_is_no_error(folder, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("URLSCHEMES_CACHE", str(tmp_path / "file" / "below"))
    cache.store("kind", "key", "value")
    monkeypatch.setenv("URLSCHEMES_CACHE", str(folder))

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    cache.store("kind", "key", "value")
    assert list(folder.iterdir()) == []  # nothing half-written is left
    assert cache.load("kind", "key") is None


def test_a_file_that_is_too_long_is_not_read(folder, monkeypatch):
    monkeypatch.setattr(cache, "MAX_OCTETS", 1000)
    cache.store("kind", "key", "x" * 1000)
    assert cache.load("kind", "key") is None


def test_the_older_half_is_deleted_and_nothing_else(folder, monkeypatch):
    monkeypatch.setattr(cache, "MAX_FILES", 4)
    folder.mkdir()
    others = ["photo.jpg", "my-notes.json", "kind-0a.txt", "claims-of-mine-01234567.jsonl"]
    for name in others:
        (folder / name).write_text("a file of another program")
        os.utime(folder / name, (0, 0))
    for number in range(9):
        before = {*folder.iterdir()}
        cache.store("kind", str(number), number)
        for new in {*folder.iterdir()} - before:
            os.utime(new, (number, number))
    assert cache.load("kind", "8") == 8
    assert cache.load("kind", "0") is None
    assert {path.name for path in folder.iterdir()} >= {*others}
    assert len(list(folder.iterdir())) <= len(others) + 4


def test_threads_that_store_at_once_leave_one_whole_file(folder):
    values = [str(number) * 5_000 for number in range(8)]
    threads = [threading.Thread(target=cache.store, args=("kind", "key", value)) for value in values * 4]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        assert cache.load("kind", "key") in {None, *values}
        time.sleep(0)
    assert cache.load("kind", "key") in values
    only_file(folder)
