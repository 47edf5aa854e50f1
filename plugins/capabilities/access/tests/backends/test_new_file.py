"""A file is replaced as a whole, or not at all, by one that only its writer can have made."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from urlschemes_access import NewFile

pytestmark = pytest.mark.usefixtures("nothing_left_open")

New = Callable[..., NewFile]


@pytest.fixture(
    params=["path", pytest.param("descriptor", marks=pytest.mark.skipif(os.name == "nt", reason="only POSIX has it"))]
)
def new(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[New]:
    """Make a new file for the name `a` in the folder of the test, which is named in either way."""
    if request.param == "path":
        yield lambda *mode: NewFile(tmp_path, "a", *mode)
        return
    descriptor = os.open(tmp_path, os.O_RDONLY)
    yield lambda *mode: NewFile(descriptor, "a", *mode)
    os.close(descriptor)


def test_the_content_has_its_name_when_it_is_complete(new: New, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    file = new()
    file.create()
    file.write(b"new ")
    file.write(b"content")
    assert (tmp_path / "a").read_bytes() == b"old"
    file.commit()
    file.discard()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a": b"new content"}


@pytest.mark.skipif(os.name == "nt", reason="Windows has another error")
def test_a_file_that_is_discarded_or_cannot_have_its_name_is_removed(new: New, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    file, other = new(), new()
    file.create()
    other.create()
    file.discard()
    with pytest.raises(IsADirectoryError):
        other.commit()
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
@pytest.mark.parametrize(("older", "mode"), [(None, 0o640), (0o604, 0o604), (0o666, 0o666), (0o4711, 0o711)])
def test_a_new_file_has_the_permissions_of_the_older_one(
    new: New, tmp_path: Path, older: int | None, mode: int
) -> None:
    if older is not None:
        (tmp_path / "a").touch()
        (tmp_path / "a").chmod(older)
    file = new(0o660)
    before = os.umask(0o027)
    try:
        file.create()
    finally:
        os.umask(before)
    file.commit()
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == mode


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_nothing_that_is_there_is_written_to(new: New, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tmp_path / "kept"
    kept.write_bytes(b"kept")
    (tmp_path / "a").symlink_to(kept)
    file = new()
    file.create()
    file.write(b"new")
    file.commit()
    assert not (tmp_path / "a").is_symlink()
    monkeypatch.setattr(os, "urandom", lambda _: b"\xde\xad")
    (tmp_path / ".a.dead").symlink_to(kept)
    file = new()
    with pytest.raises(FileExistsError):
        file.create()
    file.discard()
    assert (tmp_path / ".a.dead").is_symlink()
    assert kept.read_bytes() == b"kept"
