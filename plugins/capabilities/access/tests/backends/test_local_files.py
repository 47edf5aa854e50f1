"""Local files are read and listed only in the folders that the policy allows."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from talk_scheme import LOOPBACK, LocalURL, run

from urlschemes_access.attributes import Attributes
from urlschemes_access.errors import LimitExceeded, PolicyDenied, RemoteError
from urlschemes_access.policy import Limits
from urlschemes_access.protocol import Algorithm, Deliver, Examine, ListFolder, Open, OpenFile, Peer, Ready, Receive


def place(*requests: Any, roots: tuple[Path, ...]) -> list[Any]:
    """Return the answers to requests."""
    answers: list[Any] = []

    def algorithm() -> Algorithm[None]:
        for request in requests:
            answers.append((yield from request))
            if isinstance(answers[-1], Peer):
                answers[-1] = yield from Receive(answers[-1])
        yield from Open("attributes")

    policy = replace(LOOPBACK, roots=tuple(map(str, roots)))
    run(algorithm(), url=LocalURL.parse("x-local://host.example/"), policy=policy)
    return answers


def test_no_file_is_read_without_an_allowed_folder(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a")
    with pytest.raises(PolicyDenied, match="unless the policy allows their folder") as refusal:
        place(OpenFile(str(tmp_path / "a")), roots=())
    assert refusal.value.rule == "roots"
    with pytest.raises(PolicyDenied):
        run(cast("Any", OpenFile(str(tmp_path / "a")).__iter__()))


def test_files_in_an_allowed_folder_are_read(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a b").write_bytes(b"octets")
    (tmp_path / "folder" / "link").symlink_to("a b")
    (tmp_path / "folder" / "out").symlink_to("/etc/passwd")
    (tmp_path / "folder" / "nowhere").symlink_to("missing")
    os.mkfifo(tmp_path / "folder" / "pipe")
    path = str(tmp_path / "folder" / "a b")
    octets, facts, entries = place(
        OpenFile(path), Examine(path), ListFolder(str(tmp_path / "folder")), roots=(tmp_path / "folder",)
    )
    assert octets == b"octets"
    assert (facts.path, facts.kind, facts.size) == (path, "file", 6)
    assert facts.modified.tzinfo is not None
    assert abs(facts.modified.timestamp() - Path(path).stat().st_mtime) < 1
    assert [(Path(entry.path).name, entry.kind) for entry in entries] == [
        ("a b", "file"),
        ("link", "file"),
        ("nowhere", "other"),
        ("out", "other"),
        ("pipe", "other"),
    ]
    assert place(OpenFile(str(tmp_path / "folder" / "link")), roots=(tmp_path,)) == [b"octets"]


def test_a_large_file_is_read_in_pieces(tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(b"x" * 1_000_000)

    def algorithm() -> Algorithm[None]:
        peer = yield from OpenFile(str(tmp_path / "large"))
        assert (yield from Ready([peer])) is peer
        yield from Open("document", Attributes(size=1_000_000))
        while octets := (yield from Receive(peer)):
            yield from Deliver(octets)

    policy = replace(LOOPBACK, roots=(str(tmp_path),))
    document = run(algorithm(), url=LocalURL.parse("x-local://host.example/"), policy=policy)
    assert sum(map(len, document)) == document.size


def test_a_device_is_not_opened(tmp_path: Path) -> None:
    device = tmp_path / "zero"
    try:
        os.mknod(device, stat.S_IFCHR | 0o600, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("only root makes devices")
    with pytest.raises(PolicyDenied, match="not a regular file"):
        place(OpenFile(str(device)), roots=(tmp_path,))


def test_a_file_cannot_be_listed(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a")
    with pytest.raises(RemoteError) as refusal:
        place(ListFolder(str(tmp_path / "a")), roots=(tmp_path,))
    assert refusal.value.status == "ENOTDIR"


def test_a_name_that_is_not_utf_8(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9")
    (tmp_path / name).write_bytes(b"x")
    (entries,) = place(ListFolder(str(tmp_path)), roots=(tmp_path,))
    assert [Path(entry.path).name for entry in entries] == [name]
    assert place(OpenFile(str(tmp_path / name)), roots=(tmp_path,)) == [b"x"]


def test_an_entry_removed_while_the_folder_is_listed_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("gone", "there"):
        (tmp_path / name).touch()
    scandir = os.scandir

    @contextmanager
    def late(folder: Any) -> Iterator[list[os.DirEntry[str]]]:
        with scandir(folder) as entries:
            found = list(entries)
            (tmp_path / "gone").unlink()
            yield found

    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", late)
        patch.setattr(os, "supports_fd", {*os.supports_fd, late})
        (entries,) = place(ListFolder(str(tmp_path)), roots=(tmp_path,))
    assert [Path(entry.path).name for entry in entries] == ["there"]


def test_the_entries_of_a_folder_are_limited(tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / str(number)).touch()

    def algorithm() -> Algorithm[None]:
        yield from ListFolder(str(tmp_path))

    policy = replace(LOOPBACK, roots=(str(tmp_path),), limits=Limits(entries=4))
    with pytest.raises(LimitExceeded) as refusal:
        run(algorithm(), url=LocalURL.parse("x-local://host.example/"), policy=policy)
    assert refusal.value.limit == "entries"


@pytest.mark.parametrize("request_", [OpenFile, Examine])
def test_a_link_that_changes_while_it_is_opened_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request_: type[OpenFile | Examine]
) -> None:
    """The path is allowed when it is checked, and another when it is opened."""
    root = tmp_path / "root"
    (root / "folder").mkdir(parents=True)
    (root / "folder" / "a").write_text("harmless")
    (tmp_path / "a").write_text("secret")
    real_open = os.open

    def swapped(path: str, flags: int) -> int:
        (root / "folder" / "a").unlink()
        (root / "folder").rmdir()
        (root / "folder").symlink_to(tmp_path)
        return real_open(path, flags)

    monkeypatch.setattr(os, "open", swapped)
    with pytest.raises(PolicyDenied, match="in none of the allowed folders"):
        place(request_(str(root / "folder" / "a")), roots=(root,))
