"""Files of the user's own: where they lie, and which of them are believed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from urlschemes.storage.user_dirs import UnsafeFileError, folder, open_regular, read_own, write_own

posix = pytest.mark.skipif(sys.platform == "win32", reason="files have owners and modes elsewhere")
root = pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="only root can give a file away")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "file"
    path.write_bytes(b"what it says")
    path.chmod(0o600)
    return path


def refused(path: Path | str, most: int = 100, **more) -> tuple[str, str | None]:
    """Why the file is not used, and what to do about it."""
    with pytest.raises(UnsafeFileError) as caught:
        read_own(str(path), most, **more)
    assert str(caught.value) == caught.value.strerror
    return caught.value.strerror, caught.value.hint


@pytest.mark.skipif(sys.platform == "win32", reason="the paths are those of POSIX")
@pytest.mark.parametrize(
    ("platform", "kind", "environ", "place"),
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
def test_each_system_has_its_folders(monkeypatch, platform, kind, environ, place):
    monkeypatch.setattr("sys.platform", platform)
    assert folder(kind, environ) == place


def test_a_file_is_read_as_a_whole_up_to_the_bound(file):
    assert read_own(str(file), 12) == b"what it says"
    assert refused(file, 11) == ("it is longer than 11 octets", None)
    with pytest.raises(FileNotFoundError):
        read_own(f"{file}-2", 12)
    assert refused("a\0b") == ("there can be no such path", None)


@posix
@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666, 0o777])
def test_what_others_may_write_is_not_believed(file, mode):
    file.chmod(mode)
    assert refused(file) == refused(file, writers="root")
    assert refused(file) == ("others may write it, and so decide what it says", "chmod go-w on that file")
    assert read_own(str(file), 100, writers="any") == b"what it says"


@posix
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o610, 0o601, 0o644])
def test_what_is_secret_is_for_nobody_else(file, mode):
    file.chmod(mode)
    assert read_own(str(file), 100) == b"what it says"
    assert refused(file, secret=True) == ("it is open to others", "chmod 600 on that file")
    file.chmod(0o600)
    assert read_own(str(file), 100, secret=True) == b"what it says"


@root
def test_what_is_somebody_elses_is_not_believed_not_even_by_root(file):
    os.chown(file, 12345, -1)
    for secret in (False, True):
        for writers in ("user", "root"):
            assert refused(file, writers=writers, secret=secret)[0].startswith("it belongs to somebody else")
    assert read_own(str(file), 100, writers="any") == b"what it says"


@posix
def test_roots_files_count_for_others_where_that_is_said(file, monkeypatch):
    if os.geteuid() != 0:
        file = Path("/etc/passwd")
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    assert read_own(str(file), 1_000_000, writers="root")
    assert refused(file, 1_000_000)[0].startswith("it belongs to somebody else")


@posix
def test_a_process_that_runs_with_the_rights_of_another_has_no_files_of_its_own(file, monkeypatch):
    monkeypatch.setattr(os, "getuid", lambda: os.geteuid() + 1)
    assert refused(file)[0].startswith("it belongs to somebody else")


@posix
def test_what_is_no_regular_file_is_not_waited_for_and_not_left_open(tmp_path, file):
    os.mkfifo(tmp_path / "pipe", 0o600)
    before = os.open(file, os.O_RDONLY)
    os.close(before)
    for path in (tmp_path / "pipe", tmp_path, Path(os.devnull)):
        assert refused(path) == ("it is no regular file", None)
    file.chmod(0o666)
    refused(file)
    after = os.open(file, os.O_RDONLY)
    os.close(after)
    assert after == before  # the lowest number that is free


@posix
def test_a_link_counts_unless_none_may_be(tmp_path, file):
    link = tmp_path / "link"
    link.symlink_to(file)
    assert read_own(str(link), 100) == b"what it says"
    with pytest.raises(OSError, match=r"."):
        read_own(str(link), 100, links=False)


@posix
def test_what_is_looked_at_is_what_was_opened(tmp_path, file, monkeypatch):
    """Whoever exchanges the file between two looks at its name gains nothing: there is one."""
    other = tmp_path / "other"
    other.write_bytes(b"of somebody else")
    other.chmod(0o666)
    real = os.open

    def swapped(path, *more):
        descriptor = real(path, *more)
        other.replace(file)
        return descriptor

    monkeypatch.setattr(os, "open", swapped)
    assert read_own(str(file), 100) == b"what it says"
    monkeypatch.undo()
    assert refused(file)[0].startswith("others may write it")


def test_what_is_written_is_whole_and_for_its_owner_alone(file, tmp_path, monkeypatch):
    file.chmod(0o666)
    write_own(str(file), b"new")
    assert read_own(str(file), 100, secret=True) == b"new"

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space"):
        write_own(str(file), b"newer")
    assert [each.name for each in tmp_path.iterdir()] == ["file"]
    assert file.read_bytes() == b"new"


def test_a_file_that_is_made_is_for_its_owner_alone(tmp_path):
    path = tmp_path / "made"
    for line in (b"a\n", b"b\n"):
        with open(open_regular(str(path), os.O_WRONLY | os.O_APPEND | os.O_CREAT), "ab") as stream:  # noqa: PTH123
            stream.write(line)
    assert read_own(str(path), 100, secret=True) == b"a\nb\n"
