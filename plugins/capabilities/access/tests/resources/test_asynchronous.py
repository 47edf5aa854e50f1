"""AsyncDocument, AsyncListing and AsyncSession."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest
from event_loop_helpers import begun, run
from fake_servers import Serve, echo, eventually, until_gone
from talk_scheme import Clock, Shell, fetch, shell

from urlschemes.errors import PluginContractError
from urlschemes_access.attributes import Attributes
from urlschemes_access.errors import AccessError, Truncated
from urlschemes_access.protocol import Algorithm, Deliver, Open
from urlschemes_access.resources.asynchronous import AsyncSession

pytestmark = pytest.mark.usefixtures("nothing_left_open")


def test_a_document_is_read_decoded_and_saved(tmp_path: Path) -> None:
    def algorithm(*pieces: bytes) -> Algorithm[None]:
        yield from Open("document", Attributes(media_type="text/plain;charset=latin-1"))
        for octets in pieces:
            yield from Deliver(octets)

    async def main() -> None:
        document = await begun(algorithm(b"one", b"two", b"three"))
        assert [await document.read(2), await document.read(5), await anext(document)] == [b"on", b"etwot", b"hree"]
        assert await document.read() == b""
        with pytest.raises(AccessError, match="nothing is left"):
            await document.save(tmp_path / "none")
        assert await (await begun(algorithm(b"gr\xfcn"))).read_text() == "grün"
        assert await (await begun(algorithm("grün".encode()))).read_text("utf-8") == "grün"
        assert await (await begun(algorithm(b"one" * 50_000, b"two"))).save(tmp_path / "a") == 150_003
        with pytest.raises(AccessError, match="cannot write"):
            await (await begun(algorithm(b"one"))).save(tmp_path / "no" / "folder")

    run(main())
    assert (tmp_path / "a").read_bytes() == b"one" * 50_000 + b"two"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_document_that_failed_fails_again(serve: Serve, tmp_path: Path) -> None:
    port = serve(lambda connection: connection.sendall(b"half"))

    def algorithm() -> Algorithm[None]:
        yield from fetch(port)
        raise Truncated("it was not the whole")

    async def main() -> None:
        (tmp_path / "old").write_bytes(b"old")
        async with await begun(algorithm()) as document:
            with pytest.raises(Truncated):
                await document.save(tmp_path / "old")
            with pytest.raises(Truncated) as cut:
                await document.read()
            assert cut.value.partial == b""
        with pytest.raises(Truncated):
            await anext(document)

    run(main())
    assert (tmp_path / "old").read_bytes() == b"old"
    assert eventually(lambda: [path.name for path in tmp_path.iterdir()] == ["old"])


def test_a_save_that_is_cancelled_leaves_the_old_file(serve: Serve, tmp_path: Path) -> None:
    def talk(connection: socket.socket) -> None:
        connection.sendall(b"half")
        until_gone(connection)

    port = serve(talk)
    target = tmp_path / "saved"
    target.write_text("old")

    async def main() -> None:
        document = await begun(fetch(port))
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await document.save(target)

    run(main())
    assert target.read_text() == "old"
    assert eventually(lambda: [path.name for path in tmp_path.iterdir()] == ["saved"])


def test_a_document_whose_reading_was_cancelled_cannot_be_read(serve: Serve) -> None:
    def talk(connection: socket.socket) -> None:
        connection.sendall(b"half")
        until_gone(connection)

    port = serve(talk)

    async def main() -> None:
        document = await begun(fetch(port))
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await document.read()
        for _ in range(2):
            with pytest.raises(AccessError, match="reading this document was cancelled"):
                await document.read()
        assert document.terminated is None

    run(main())


def test_a_document_cannot_be_read_by_two_tasks_at_once(serve: Serve) -> None:
    port = serve(until_gone)

    async def main() -> None:
        document = await begun(fetch(port))
        reading = asyncio.create_task(document.read())
        await asyncio.sleep(0.05)
        with pytest.raises(AccessError, match="busy"):
            await document.read()
        await document.aclose()
        with pytest.raises(AccessError, match=r"busy|closed while it was running"):
            await reading

    run(main())


def test_the_methods_of_a_session_are_awaited(serve: Serve) -> None:
    heard: list[bytes] = []
    port = serve(echo(heard))
    clock = Clock()

    async def main() -> None:
        async with await begun(shell(port), deadline=1000, clock=clock) as session:
            assert isinstance(session, AsyncSession)
            for _ in range(3):
                assert await session.call(Shell.say, b"hello") == b"hello"
                clock.now += 1001
            assert await session.call(Shell.say, b"silence", within=0.05) == b""
            assert await session.call(Shell.tell, b"listen") is None
            assert await session.call(lambda each: each.said) == 4
            assert await session.call(lambda each: each.say(b"lambda")) == b"lambda"
        with pytest.raises(AccessError, match="this session is closed"):
            await session.call(Shell.say, b"more")
        await session.aclose()

    run(main())
    assert eventually(lambda: heard == [b"hello"] * 3 + [b"silence", b"listen", b"lambda", b"bye"])


def test_a_method_may_run_only_one_algorithm(serve: Serve) -> None:
    heard: list[bytes] = []
    port = serve(echo(heard))
    kept: list[Shell] = []

    async def main() -> None:
        async with await begun(shell(port)) as session:
            with pytest.raises(PluginContractError, match="may run only one algorithm"):
                await session.call(Shell.say_twice)
            await session.call(kept.append)
            with pytest.raises(AccessError, match="belongs to an event loop") as fault:
                kept[0].say(b"directly")
            assert fault.value.hint is not None
            assert await session.call(Shell.say, b"still there") == b"still there"
            with pytest.raises(AccessError, match="belongs to an event loop"):
                kept[0].close()

    run(main())
    kept.clear()
    assert eventually(lambda: heard == [b"still there", b"bye"])


def test_a_cancelled_call_ends_the_session(serve: Serve) -> None:
    port = serve(echo([]))

    async def main() -> None:
        session = await begun(shell(port))
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await session.call(Shell.say, b"silence")
        with pytest.raises(AccessError, match="closed"):
            await session.call(Shell.say, b"more")
        await session.aclose()

    run(main())
