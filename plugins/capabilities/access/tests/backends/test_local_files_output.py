"""Files of this machine are written below the folders that the policy names for it: all of the content, or nothing.

What is refused to those who read and to those who write is tested here for both.
"""

from __future__ import annotations

import errno
import os
import resource
import signal
import socket
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from urlschemes.errors import PluginContractError, UnsafeURL, URLError
from urlschemes.record.registration import Registration
from urlschemes.scheme.scheme import Scheme
from urlschemes_access import Policy
from urlschemes_access.attributes import FileFacts
from urlschemes_access.dialogue import Dialogue, Operation
from urlschemes_access.errors import PolicyDenied, RemoteError
from urlschemes_access.protocol import (
    Algorithm,
    Close,
    Examine,
    Keep,
    ListFolder,
    Open,
    OpenFile,
    Peer,
    Pull,
    Ready,
    Receive,
    Remove,
    Request,
    Send,
)
from urlschemes_access.resources.synchronous import run
from urlschemes_access.settings import Settings

SCHEME = Scheme(
    Registration.from_text(
        'scheme = "x-shelf"\noperations = ["replace"]\nlocal = true\n[syntax]\nbnf = \'shelfurl = "x-shelf:" *uchar\''
    )
)

posix = pytest.mark.skipif(os.name == "nt", reason="what only POSIX has")


def operate(
    algorithm: Algorithm[None],
    *,
    policy: Policy,
    content: Any = None,
    trace: Any = None,
    clock: Callable[[], float] = monotonic,
) -> None:
    url = SCHEME.url_type.parse("x-shelf:")
    run(Dialogue(algorithm, Operation(url, Settings(policy=policy, trace=trace), content=content, clock=clock)))


def doing(*asked: Request[Any], found: list[Any]) -> Algorithm[None]:
    for request in asked:
        answer = yield from request
        found.append(answer)
    yield from Open("attributes")


def place(*asked: Request[Any], writable: tuple[Path, ...], roots: tuple[Path, ...] = ()) -> list[Any]:
    """Return the answers to requests."""
    found: list[Any] = []
    policy = Policy(writable=tuple(map(str, writable)), roots=tuple(map(str, roots)))
    operate(doing(*asked, found=found), policy=policy)
    return found


def writing(path: Path | str, to: Any, *pieces: bytes, kept: bool = True, facts: list[FileFacts]) -> Algorithm[None]:
    file = yield from OpenFile(str(path), to=to)
    for piece in pieces:
        yield from Send(file, piece)
    if kept:
        facts.append((yield from Keep(file)))
    yield from Open("attributes")


def write(path: Path | str, to: Any, *pieces: bytes, under: Path, kept: bool = True) -> FileFacts | None:
    """Write the pieces, and keep them."""
    facts: list[FileFacts] = []
    operate(writing(path, to, *pieces, kept=kept, facts=facts), policy=Policy(writable=(str(under),)))
    return facts[0] if facts else None


def test_no_file_is_written_without_an_allowed_folder(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    for request in (OpenFile(str(path), to="replace"), OpenFile(str(path), to="append"), Remove(str(path))):
        with pytest.raises(PolicyDenied, match=r"writable=\(\"/the/folder\",\)") as refusal:
            place(request, writable=(), roots=(tmp_path,))
        assert refusal.value.rule == "writable"
    with pytest.raises(PolicyDenied) as refusal:
        place(OpenFile(str(path)), writable=(tmp_path,))
    assert refusal.value.rule == "roots"
    assert path.read_bytes() == b"old"


def test_a_new_file_has_the_whole_content_and_the_usual_mode(tmp_path: Path) -> None:
    facts = write(tmp_path / "new", "replace", b"one ", b"", b"two", under=tmp_path)
    assert (tmp_path / "new").read_bytes() == b"one two"
    assert facts is not None
    assert (facts.path, facts.kind, facts.size) == (str(tmp_path / "new"), "file", 7)
    usual = tmp_path / "usual"
    usual.touch()
    assert (tmp_path / "new").stat().st_mode == usual.stat().st_mode
    assert sorted(each.name for each in tmp_path.iterdir()) == ["new", "usual"]


def test_a_replaced_file_keeps_its_mode_and_open_readers_the_old_content(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    path.chmod(0o640)
    with path.open("rb") as reader:
        write(path, "replace", b"new content", under=tmp_path)
        assert reader.read() == b"old"
    assert path.read_bytes() == b"new content"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@posix
def test_a_replaced_file_is_never_readable_by_more_users_nor_setuid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    path.chmod(0o4700)
    made: list[int] = []
    really = os.open

    def seen(name: Any, flags: int, mode: int = 0o777, **more: Any) -> int:
        descriptor = really(name, flags, mode, **more)
        if flags & os.O_CREAT:
            made.append(stat.S_IMODE(os.fstat(descriptor).st_mode))
        return descriptor

    monkeypatch.setattr(os, "open", seen)
    monkeypatch.setenv("URLSCHEMES_CACHE", "none")
    write(path, "replace", b"new", under=tmp_path)
    assert made == [0o700]
    assert stat.S_IMODE(path.stat().st_mode) == 0o700


def test_content_is_appended_to_an_existing_file(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"one")
    facts = write(path, "append", b" two", b" three", under=tmp_path)
    assert path.read_bytes() == b"one two three"
    assert facts is not None
    assert facts.size == 13
    with pytest.raises(RemoteError) as refusal:
        write(tmp_path / "missing", "append", b"x", under=tmp_path)
    assert refusal.value.status == "ENOENT"


@pytest.mark.parametrize("to", ["replace", "append"])
def test_a_change_without_keep_is_undone(tmp_path: Path, to: str) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    write(path, to, b"x" * 3_000_000, under=tmp_path, kept=False)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("to", ["replace", "append"])
def test_content_that_fails_leaves_the_file_as_it_was(tmp_path: Path, to: Any) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")

    def content() -> Any:
        yield b"some"
        raise KeyError("the caller's own")

    def algorithm() -> Algorithm[None]:
        file = yield from OpenFile(str(path), to=to)
        while pieces := (yield from Pull()):
            yield from Send(file, pieces)
        yield from Keep(file)
        yield from Open("attributes")

    with pytest.raises(KeyError):
        operate(algorithm(), policy=Policy(writable=(str(tmp_path),)), content=content())
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_octets_of_other_writers_are_not_truncated(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")

    def algorithm() -> Algorithm[None]:
        file = yield from OpenFile(str(path), to="append")
        yield from Send(file, b" ours")
        with path.open("ab") as other:
            other.write(b" theirs")
        yield from Close(file)
        yield from Open("attributes")

    operate(algorithm(), policy=Policy(writable=(str(tmp_path),)))
    assert path.read_bytes() == b"old ours theirs"


@posix
@pytest.mark.parametrize("to", ["replace", "append"])
def test_a_full_disk_leaves_the_file_as_it_was(tmp_path: Path, to: str) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
    try:
        with pytest.raises(RemoteError) as refusal:
            write(path, to, b"x" * 90_000, b"y" * 90_000, under=tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert refusal.value.status == "EFBIG"
    assert refusal.value.accepted in (10_000, 9_997)  # of the second piece
    assert refusal.value.sent is None  # nothing is stored
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


CHANGING: list[Callable[[str], Request[Any]]] = [
    lambda path: OpenFile(path, to="replace"),
    lambda path: OpenFile(path, to="append"),
    Remove,
]
READING: list[Callable[[str], Request[Any]]] = [OpenFile, Examine, ListFolder]
for_each_change = pytest.mark.parametrize("ask", CHANGING, ids=["replace", "append", "remove"])
for_each_request = pytest.mark.parametrize(
    "ask", [*CHANGING, *READING], ids=["replace", "append", "remove", "open", "examine", "list"]
)


@for_each_request
@pytest.mark.parametrize(
    "path",
    [
        *("{root}/../secret", "{root}/out", "{root}/out/passwd", "{root}/link", "{root}2/file", "/etc/passwd", "/etc"),
        *("/", "/missing", "relative", "", "//host.example/share", "\\\\host.example\\share"),
    ],
)
def test_files_outside_the_allowed_folders_are_neither_read_nor_changed(
    tmp_path: Path, path: str, ask: Callable[[str], Request[Any]]
) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "root2").mkdir()
    (tmp_path / "root2" / "file").write_text("secret")
    (root / "out").symlink_to("/etc")
    (root / "link").symlink_to("../secret")
    allowed = (
        {"roots": (root,), "writable": (Path("/"),)} if ask in READING else {"writable": (root,), "roots": (Path("/"),)}
    )
    with pytest.raises(PolicyDenied) as refusal:
        place(ask(path.format(root=root)), **allowed)
    assert refusal.value.rule == ("roots" if ask in READING else "writable")
    assert (tmp_path / "secret").read_text() == (tmp_path / "root2" / "file").read_text() == "secret"
    assert sorted(each.name for each in root.iterdir()) == ["link", "out"]


@for_each_request
@pytest.mark.parametrize(
    "path", ["/proc/self/oom_score_adj", "/proc/self/mem", "/proc", "/dev/null", "/dev/stdin", "/sys/x", "/dev/shm/x"]
)
def test_files_in_system_folders_are_neither_read_nor_changed(path: str, ask: Callable[[str], Request[Any]]) -> None:
    with pytest.raises(PolicyDenied, match="in a system folder"):
        place(ask(path), writable=(Path("/"),), roots=(Path("/"),))


@for_each_request
def test_a_nul_in_a_path_is_unsafe(tmp_path: Path, ask: Callable[[str], Request[Any]]) -> None:
    with pytest.raises(UnsafeURL):
        place(ask(f"{tmp_path}/a\0b"), writable=(tmp_path,), roots=(tmp_path,))


@posix
@for_each_change
def test_only_regular_files_are_changed(tmp_path: Path, ask: Callable[[str], Request[Any]]) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "to-folder").symlink_to("folder")
    with socket.socket(socket.AF_UNIX) as listener:
        here = os.open(tmp_path, os.O_RDONLY)
        listener.bind(f"/proc/self/fd/{here}/s")
        os.close(here)
        for name in ("pipe", "s"):
            for request in (ask, OpenFile):
                with pytest.raises(PolicyDenied, match="not a regular file"):
                    place(request(str(tmp_path / name)), writable=(tmp_path,), roots=(tmp_path,))
            assert place(Examine(str(tmp_path / name)), writable=(), roots=(tmp_path,))[0].kind == "other"
    for name in ("folder", "to-folder", "folder/..", "."):
        for request in (ask, OpenFile):
            with pytest.raises(RemoteError) as refusal:
                place(request(f"{tmp_path}/{name}"), writable=(tmp_path,), roots=(tmp_path,))
            assert refusal.value.status == "EISDIR"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["folder", "pipe", "s", "to-folder"]


@posix
def test_a_link_is_followed_when_written_and_removed_by_itself(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "nowhere").symlink_to("made")
    write(tmp_path / "link", "replace", b"new", under=tmp_path)
    write(tmp_path / "link", "append", b"er", under=tmp_path)
    write(tmp_path / "nowhere", "replace", b"made", under=tmp_path)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_bytes() == b"newer"
    assert (tmp_path / "made").read_bytes() == b"made"
    place(Remove(str(tmp_path / "link")), writable=(tmp_path,))
    assert not (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_bytes() == b"newer"
    place(Remove(str(tmp_path / "file")), writable=(tmp_path,))
    assert sorted(each.name for each in tmp_path.iterdir()) == ["made", "nowhere"]


def test_the_policy_may_allow_one_file(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"old")
    write(tmp_path / "log", "append", b"er", under=tmp_path / "log")
    write(tmp_path / "log", "replace", b"new", under=tmp_path / "log")
    with pytest.raises(PolicyDenied):
        write(tmp_path / "other", "replace", b"new", under=tmp_path / "log")
    assert (tmp_path / "log").read_bytes() == b"new"


@posix
@pytest.mark.parametrize(
    ("name", "status"), [("missing/a", "ENOENT"), ("file/a", "ENOTDIR"), ("loop", "ELOOP"), ("n" * 300, "ENAMETOOLONG")]
)
@pytest.mark.parametrize("ask", [*CHANGING, OpenFile], ids=["replace", "append", "remove", "open"])
def test_the_reason_of_the_system_is_reported(
    tmp_path: Path, ask: Callable[[str], Request[Any]], name: str, status: str
) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(RemoteError) as refusal:
        place(ask(str(tmp_path / name)), writable=(tmp_path,), roots=(tmp_path,))
    assert refusal.value.status == status
    assert refusal.value.text == os.strerror(getattr(errno, status))
    assert sorted(each.name for each in tmp_path.iterdir()) == ["file", "loop"]


@posix
def test_a_file_with_the_longest_name_can_be_replaced(tmp_path: Path) -> None:
    for name in ("n" * 255, "\u20ac" * 80):
        write(tmp_path / name, "replace", b"x", under=tmp_path)
        assert (tmp_path / name).read_bytes() == b"x"


@posix
@pytest.mark.parametrize("ask", [CHANGING[0], CHANGING[2]], ids=["replace", "remove"])
def test_a_folder_that_changes_while_it_is_opened_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ask: Callable[[str], Request[Any]]
) -> None:
    """The path is allowed when it is checked, and another when it is opened."""
    root = tmp_path / "root"
    (root / "folder").mkdir(parents=True)
    (root / "folder" / "a").write_text("harmless")
    (tmp_path / "a").write_text("secret")
    real_open = os.open

    def swapped(path: str, flags: int, *more: Any, **others: Any) -> int:
        if path.endswith("folder") and not (root / "folder").is_symlink():
            (root / "folder" / "a").unlink()
            (root / "folder").rmdir()
            (root / "folder").symlink_to(tmp_path)
            flags &= ~os.O_NOFOLLOW
        return real_open(path, flags, *more, **others)

    monkeypatch.setattr(os, "open", swapped)
    with pytest.raises(PolicyDenied, match="in none of the allowed folders"):
        place(ask(str(root / "folder" / "a")), writable=(root,))
    assert (tmp_path / "a").read_text() == "secret"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a", "root"]


def test_no_file_descriptor_is_left_open(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")

    def held() -> int:
        descriptors = Path("/proc/self/fd")
        return len(list(descriptors.iterdir())) if descriptors.is_dir() else 0

    before = held()
    for name in ("a", "missing/a", "."):
        for ask in CHANGING:
            try:
                place(ask(f"{tmp_path}/{name}"), writable=(tmp_path,))
            except URLError:
                continue
    for to in ("replace", "append"):
        (tmp_path / "a").write_bytes(b"old")
        write(tmp_path / "a", to, b"x", under=tmp_path)
        write(tmp_path / "a", to, b"x", under=tmp_path, kept=False)
    assert held() == before


def misusing(path: str, to: Any, then: Callable[[Peer], Request[Any]]) -> Algorithm[None]:
    file = yield from OpenFile(path, to=to)
    yield from then(file)
    yield from Open("attributes")


@pytest.mark.parametrize(
    ("to", "then"),
    [
        ("read", lambda file: Send(file, b"x")),
        ("read", Keep),
        ("replace", Receive),
        ("append", Receive),
    ],
)
def test_a_file_is_used_for_what_it_was_opened_for(tmp_path: Path, to: str, then: Any) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    policy = Policy(writable=(str(tmp_path),), roots=(str(tmp_path),))
    with pytest.raises(PluginContractError):
        operate(misusing(str(path), to, then), policy=policy)
    assert path.read_bytes() == b"old"
    operate(misusing(str(path), "append", lambda file: Ready((file,))), policy=policy)


def test_changes_of_files_are_traced(tmp_path: Path) -> None:
    events: list[str] = []
    policy = Policy(writable=(str(tmp_path),))
    facts: list[FileFacts] = []
    algorithm = writing(tmp_path / "a", "replace", b"octets", facts=facts)
    operate(algorithm, policy=policy, trace=lambda event: events.append(event.text or str(event.octets)))
    operate(doing(Remove(str(tmp_path / "a")), found=[]), policy=policy, trace=lambda event: events.append(event.text))
    assert events == [
        f"open {tmp_path}/a to replace",
        "b'octets'",
        f"{tmp_path}/a has 6 octets now",
        "b''",
        "attributes",
        f"removed {tmp_path}/a",
        "attributes",
    ]


def test_the_deadline_is_checked_between_two_writes(tmp_path: Path) -> None:
    now = 0.0

    def clock() -> float:
        nonlocal now
        now += 1.0
        return now

    def algorithm() -> Algorithm[None]:
        file = yield from OpenFile(str(tmp_path / "a"), to="replace")
        while True:
            yield from Send(file, b"x")

    policy = Policy(writable=(str(tmp_path),))
    policy = replace(policy, limits=replace(policy.limits, deadline=30))
    with pytest.raises(URLError) as late:
        operate(algorithm(), policy=policy, clock=clock)
    assert late.value.code == "deadline-exceeded"
    assert list(tmp_path.iterdir()) == []
