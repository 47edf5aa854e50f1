"""The folders of the user, and which files in them can be trusted."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from urlschemes.storage.user_dirs import UnsafeFileError, folder, open_regular, read_own, write_own

posix = pytest.mark.skipif(sys.platform == "win32", reason="files have owners and modes elsewhere")
as_root = pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="only root can give a file away")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "file"
    path.write_bytes(b"the content")
    path.chmod(0o600)
    return path


def refusal(path: Path | str, max_octets: int = 100, **options) -> tuple[str, str | None]:
    """Read the file, which must be refused; return the reason and the hint."""
    with pytest.raises(UnsafeFileError) as caught:
        read_own(path, max_octets, **options)
    assert str(caught.value) == caught.value.strerror
    return caught.value.strerror, caught.value.hint


@pytest.mark.skipif(sys.platform == "win32", reason="the paths are those of POSIX")
@pytest.mark.parametrize(
    ("platform", "kind", "environ", "expected"),
    [
        ("linux", "config", {"XDG_CONFIG_HOME": "/x", "HOME": "/h"}, "/x/urlschemes"),
        ("linux", "config", {"XDG_CONFIG_HOME": "x", "HOME": "/h"}, "/h/.config/urlschemes"),
        ("linux", "config", {"XDG_DATA_HOME": "/x", "HOME": "/h"}, "/h/.config/urlschemes"),
        ("linux", "data", {"XDG_DATA_HOME": "/x", "HOME": "/h"}, "/x/urlschemes"),
        ("linux", "data", {"HOME": "/h"}, "/h/.local/share/urlschemes"),
        ("linux", "cache", {"XDG_CACHE_HOME": "/x", "HOME": "/h"}, "/x/urlschemes"),
        ("linux", "cache", {"HOME": "/h"}, "/h/.cache/urlschemes"),
        ("linux", "cache", {"HOME": "relative"}, None),
        ("darwin", "config", {"HOME": "/h"}, "/h/Library/Application Support/urlschemes"),
        ("darwin", "data", {"HOME": "/h"}, "/h/Library/Application Support/urlschemes"),
        ("darwin", "cache", {"HOME": "/h"}, "/h/Library/Caches/urlschemes"),
        ("darwin", "cache", {"XDG_CACHE_HOME": "/x", "HOME": "/h"}, "/x/urlschemes"),
        ("win32", "config", {"APPDATA": "/roaming", "LOCALAPPDATA": "/local"}, "/roaming/urlschemes"),
        ("win32", "data", {"APPDATA": "/roaming", "LOCALAPPDATA": "/local"}, "/local/urlschemes"),
        ("win32", "cache", {"APPDATA": "/roaming", "LOCALAPPDATA": "/local"}, "/local/urlschemes"),
        ("win32", "cache", {"APPDATA": "/roaming", "HOME": "/h"}, None),
    ],
)
def test_each_system_has_its_folders(monkeypatch, platform, kind, environ, expected):
    monkeypatch.setattr("sys.platform", platform)
    assert folder(kind, environ) == expected


@posix
def test_a_user_without_a_home_has_no_folders(monkeypatch):
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setattr(os, "getuid", lambda: 123456789)  # the password database does not know this user
    assert folder("cache", {}) is None


def test_a_file_is_read_as_a_whole_up_to_the_limit(file):
    assert read_own(file, 11) == b"the content"
    assert refusal(file, 10) == ("it is longer than 10 octets", None)


def test_a_missing_file_is_an_oserror(file):
    with pytest.raises(FileNotFoundError):
        read_own(f"{file}-2", 11)
    assert refusal("a\0b") == ("no file can have such a path", None)


@posix
@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666, 0o777])
def test_a_file_that_others_can_write_is_refused(file, mode):
    file.chmod(mode)
    assert refusal(file) == refusal(file, writers="root")
    assert refusal(file) == ("other users can write it", "run chmod go-w on it")
    assert read_own(file, 100, writers="any") == b"the content"


@posix
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o610, 0o601, 0o644])
def test_a_secret_file_that_others_can_read_is_refused(file, mode):
    file.chmod(mode)
    assert read_own(file, 100) == b"the content"
    assert refusal(file, secret=True) == ("other users can read it", "run chmod 600 on it")
    file.chmod(0o600)
    assert read_own(file, 100, secret=True) == b"the content"


@as_root
def test_a_file_of_another_user_is_refused_even_to_root(file):
    os.chown(file, 12345, -1)
    for secret in (False, True):
        for writers in ("user", "root"):
            assert refusal(file, writers=writers, secret=secret) == ("it belongs to another user", None)
    assert read_own(file, 100, writers="any") == b"the content"


@posix
def test_a_file_of_root_counts_for_others_only_if_root_may_write(file, monkeypatch):
    if os.geteuid() != 0:
        file = Path("/etc/passwd")
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    assert read_own(file, 1_000_000, writers="root")
    assert refusal(file, 1_000_000) == ("it belongs to another user", None)


@posix
def test_only_regular_files_are_read_and_none_is_left_open(tmp_path, file):
    os.mkfifo(tmp_path / "pipe", 0o600)
    lowest_free = os.open(file, os.O_RDONLY)
    os.close(lowest_free)
    for path in (tmp_path / "pipe", tmp_path, Path(os.devnull)):
        assert refusal(path) == ("it is not a regular file", None)
    file.chmod(0o666)
    refusal(file)
    descriptor = os.open(file, os.O_RDONLY)
    os.close(descriptor)
    assert descriptor == lowest_free


@posix
def test_the_open_file_is_examined_and_not_its_name(tmp_path, file, monkeypatch):
    other = tmp_path / "other"
    other.write_bytes(b"of another user")
    other.chmod(0o666)
    real_open = os.open

    def open_and_exchange(path, *arguments, **more):
        descriptor = real_open(path, *arguments, **more)
        other.replace(file)
        return descriptor

    monkeypatch.setattr(os, "open", open_and_exchange)
    assert read_own(file, 100) == b"the content"
    monkeypatch.undo()
    assert refusal(file)[0] == "other users can write it"


def test_a_file_is_written_as_a_whole_and_for_its_owner_only(file, tmp_path, monkeypatch):
    file.chmod(0o666)
    write_own(file, b"new")
    assert read_own(file, 100, secret=True) == b"new"

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space"):
        write_own(file, b"newer")
    assert [each.name for each in tmp_path.iterdir()] == ["file"]
    assert file.read_bytes() == b"new"


def test_a_file_that_is_created_is_for_its_owner_only(tmp_path):
    path = tmp_path / "made"
    for line in (b"a\n", b"b\n"):
        with open(open_regular(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT), "ab") as stream:  # noqa: PTH123
            stream.write(line)
    assert read_own(path, 100, secret=True) == b"a\nb\n"
