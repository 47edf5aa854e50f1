"""Documents that are saved where the disk hangs: a named deadline holds, and nothing is left behind later."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from event_loop_helpers import begun
from event_loop_helpers import run as run_on_loop
from fake_servers import PATIENCE, eventually
from talk_scheme import LOOPBACK, Clock, run

from urlschemes_access.backends.new_file import NewFile
from urlschemes_access.errors import AccessError, DeadlineExceeded, Truncated
from urlschemes_access.protocol import Algorithm, Deliver, Open
from urlschemes_access.resources.downloads import Part

pytestmark = pytest.mark.usefixtures("nothing_left_open")

CONTENT = b"octets" * 50_000
URL = "x-talk://host.example/"


def document() -> Algorithm[None]:
    yield from Open("document")
    for start in range(0, len(CONTENT), 50_000):
        yield from Deliver(CONTENT[start : start + 50_000])


def drip() -> Algorithm[None]:
    yield from Open("document")
    for octet in b"drop by drop":
        yield from Deliver(bytes([octet]))
    raise Truncated("the server closed the connection", received=12)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def hang(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> Iterator[Callable[[Any, str], threading.Event]]:
    """A function that makes a method of a class hang, until the event that it returns is set; only this takes time."""
    let_go = threading.Event()

    def make_hang(kind: Any, name: str) -> threading.Event:
        method = getattr(kind, name)

        def hanging(*arguments: Any) -> Any:
            clock.now += 1000
            let_go.wait(PATIENCE)
            return method(*arguments)

        monkeypatch.setattr(kind, name, hanging)
        return let_go

    yield make_hang
    let_go.set()
    assert eventually(no_thread_writes)


def no_thread_writes() -> bool:
    return all(thread.name != "urlschemes file" for thread in threading.enumerate())


@pytest.mark.parametrize("blocks", [True, False], ids=["blocking", "event loop"])
@pytest.mark.parametrize("name", ["create", "write", "commit"])
def test_a_disk_that_hangs_does_not_outlast_the_deadline(
    tmp_path: Path, hang: Callable[[Any, str], threading.Event], clock: Clock, name: str, blocks: bool
) -> None:
    target = tmp_path / "a"
    target.write_bytes(b"older")
    let_go = hang(NewFile, name)
    settings: Any = {"deadline": 1, "clock": clock}

    async def save_on_loop() -> None:
        await (await begun(document(), **settings)).save(target)

    def save() -> None:
        if blocks:
            run(document(), **settings).save(target)
        else:
            run_on_loop(save_on_loop())

    with pytest.raises(DeadlineExceeded, match="the deadline passed while waiting for local file") as late:
        save()
    assert late.value.scheme == "x-talk"
    let_go.set()
    # The thread that was given up ends its action; then the new file is removed, unless it has the name already.
    assert eventually(no_thread_writes)
    assert [*tmp_path.iterdir()] == [target]
    assert target.read_bytes() == (CONTENT if name == "commit" else b"older")


def test_a_deadline_that_has_passed_before_is_not_the_fault_of_the_disk(tmp_path: Path, clock: Clock) -> None:
    def late() -> Algorithm[None]:
        clock.now += 2
        yield from Open("document")

    with pytest.raises(DeadlineExceeded, match="the deadline passed while waiting for content"):
        run(late(), deadline=1, clock=clock).save(tmp_path / "a")


def test_after_a_deadline_on_the_disk_the_document_is_not_complete(
    tmp_path: Path, hang: Callable[[Any, str], threading.Event]
) -> None:
    hang(NewFile, "write")
    resource = run(document(), deadline=0.1)
    for _ in range(2):
        with pytest.raises(DeadlineExceeded):
            resource.save(tmp_path / "a")


def test_the_time_of_the_disk_counts_against_the_deadline_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    """A server is not called idle because a disk is slow."""
    create = NewFile.create

    def slowly(file: Any) -> None:
        clock.now += LOOPBACK.limits.idle + 1
        create(file)

    monkeypatch.setattr(NewFile, "create", slowly)
    assert run(document(), clock=clock).save(tmp_path / "a") == len(CONTENT)


def test_finding_an_earlier_part_ends_at_the_deadline(
    tmp_path: Path, hang: Callable[[Any, str], threading.Event]
) -> None:
    hang(Part, "_open")
    with pytest.raises(DeadlineExceeded, match=r"the deadline passed while waiting for local file"):
        Part(tmp_path / "a", URL, timeout=0.1).__enter__()


@pytest.mark.parametrize("deadline", [None, PATIENCE])
def test_small_pieces_are_written_together_and_kept_after_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deadline: float | None
) -> None:
    written: list[bytes] = []
    write = Part.write
    monkeypatch.setattr("urlschemes_access.resources.resource.LONGEST_HELD", PATIENCE)
    monkeypatch.setattr(Part, "write", lambda part, octets: (written.append(octets), write(part, octets))[1])
    with Part(tmp_path / "a", URL, timeout=deadline) as part, pytest.raises(Truncated):
        run(drip(), deadline=deadline).save_part(part)
    assert written == [b"drop by drop"]
    assert (tmp_path / "a.part").read_bytes() == b"drop by drop"


def test_a_cancelled_save_leaves_the_old_file_alone(
    tmp_path: Path, hang: Callable[[Any, str], threading.Event], clock: Clock
) -> None:
    target = tmp_path / "a"
    target.write_bytes(b"older")
    let_go = hang(NewFile, "write")

    async def main() -> None:
        resource = await begun(document(), deadline=PATIENCE)
        task = asyncio.create_task(resource.save(target))
        assert await asyncio.to_thread(eventually, lambda: clock.now > 1000)  # it hangs
        task.cancel()
        let_go.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        with pytest.raises(AccessError):
            await resource.read()

    run_on_loop(main())
    assert eventually(lambda: [*tmp_path.iterdir()] == [target])
    assert target.read_bytes() == b"older"
