"""Document, Listing and Session, with an algorithm that needs no network."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from talk_scheme import LOOPBACK, TalkURL, run

from urlschemes_access.attributes import Attributes, Entry
from urlschemes_access.errors import AccessError, LimitExceeded, ProtocolError, Truncated
from urlschemes_access.policy import Limits
from urlschemes_access.protocol import Algorithm, Deliver, Open
from urlschemes_access.resources.resource import SMALL
from urlschemes_access.resources.synchronous import Session


def delivering(opening: Open, *pieces: bytes | Entry | Exception, ended: list[str] | None = None) -> Algorithm[None]:
    """Open a resource and deliver its pieces; `ended` tells how it was ended."""
    end = "closed"
    try:
        yield from opening
        for piece in pieces:
            if isinstance(piece, Exception):
                raise piece
            yield from Deliver(piece)
        end = "finished"
    finally:
        if ended is not None:
            ended.append(end)


def document(
    *pieces: bytes | Exception, limits: Limits | None = None, ended: list[str] | None = None, **attributes: Any
) -> Any:
    opening = Open("document", Attributes(**attributes))
    return run(delivering(opening, *pieces, ended=ended), policy=replace(LOOPBACK, limits=limits or Limits()))


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def test_a_document_reads_everything_or_a_number_of_octets() -> None:
    assert document(b"one", b"two").read() == b"onetwo"
    counted = document(b"one", b"two", b"three")
    assert [counted.read(2), counted.read(2), counted.read(0), counted.read(100), counted.read(), counted.read(1)] == [
        b"on",
        b"et",
        b"",
        b"wothree",
        b"",
        b"",
    ]


def test_reading_and_iterating_can_be_combined() -> None:
    mixed = document(b"onetwo", b"three")
    assert mixed.read(3) == b"one"
    assert list(mixed) == [b"two", b"three"]


def test_reading_everything_is_limited_and_iterating_is_not() -> None:
    limits = Limits(content=10)
    ended: list[str] = []
    with pytest.raises(LimitExceeded) as refusal:
        document(b"x" * 8, b"x" * 8, limits=limits, ended=ended).read()
    assert (refusal.value.limit, refusal.value.value, refusal.value.scheme) == ("content", 10, "x-talk")
    assert ended == ["closed"]
    assert sum(map(len, document(b"x" * 8, b"x" * 8, limits=limits))) == 16
    assert document(b"x" * 10, limits=limits).read() == b"x" * 10


def test_truncated_content_is_only_available_from_the_error() -> None:
    short = document(b"one", b"two", Truncated("cut", received=6, expected=9))
    with pytest.raises(Truncated) as cut:
        short.read()
    assert cut.value.partial == b"onetwo"
    with pytest.raises(Truncated):
        short.read()
    with pytest.raises(Truncated):
        next(iter(short))
    assert cut.value.partial == b"onetwo"
    assert short.terminated is None


@pytest.mark.parametrize(
    ("octets", "media_type", "text"),
    [
        ("grün".encode(), None, "grün"),
        ("grün".encode("latin-1"), None, "grün"),
        ("\ufeffgrün".encode(), None, "grün"),
        ("grün".encode("latin-1"), "text/plain; charset=iso-8859-1", "grün"),
        ("grün".encode("utf-16"), 'text/plain; x=y; Charset="UTF-16"', "grün"),
        ("grün".encode("latin-1"), "text/plain;charset=utf-8", "gr\ufffdn"),
        (b"a\r\nb\n", "text/plain", "a\r\nb\n"),
        (b"+AGE-", "text/plain;charset=utf-7", "+AGE-"),
        (b"616263", "text/plain;charset=hex", "616263"),
        (b"abc", "text/plain;charset=no-such", "abc"),
        (b"abc", "text/plain;charset=\x00", "abc"),
        (b"abc-", "text/plain;charset=punycode", "abc-"),
        (b"\\x41", "text/plain;charset=unicode_escape", "\\x41"),
        (b"\\u0041", "text/plain;charset=Raw-Unicode-Escape", "\\u0041"),
    ],
)
def test_text_is_decoded_by_the_media_type_or_by_the_octets(octets: bytes, media_type: str | None, text: str) -> None:
    assert document(octets, media_type=media_type).read_text() == text


def test_an_encoding_of_the_caller_is_strict() -> None:
    assert document(b"gr\xfcn", media_type="text/plain;charset=utf-8").read_text("latin-1") == "grün"
    with pytest.raises(ProtocolError, match="the content cannot be decoded as utf-8"):
        document(b"gr\xfcn").read_text("utf-8")


def test_small_pieces_take_no_more_memory_than_their_octets() -> None:
    size = 40_000
    tracemalloc.start()
    try:
        dripped = document(*(bytes([octet % 256, 1]) for octet in range(size // 2)), b"x" * SMALL, b"y")
        before, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        octets = dripped.read()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert octets == b"".join(bytes([octet % 256, 1]) for octet in range(size // 2)) + b"x" * SMALL + b"y"
    assert peak - before < 4 * size


def test_a_failed_save_leaves_only_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "saved"
    target.write_text("old")
    with pytest.raises(Truncated):
        document(b"one", Truncated("cut")).save(target)
    assert target.read_text() == "old"
    assert names(tmp_path) == ["saved"]


def test_saving_in_a_folder_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(AccessError, match="cannot write") as fault:
        document(b"one").save(tmp_path / "no" / "folder")
    assert isinstance(fault.value.__cause__, FileNotFoundError)
    (tmp_path / "folder").mkdir()
    with pytest.raises(AccessError, match="cannot write"):
        document(b"one").save(tmp_path / "folder")
    assert names(tmp_path) == ["folder"]


def test_a_name_from_the_server_is_never_a_file_name(tmp_path: Path) -> None:
    document(b"one", name="../../evil").save(tmp_path / "mine")
    assert names(tmp_path) == ["mine"]


def test_a_closed_document_can_be_closed_again_but_not_read() -> None:
    ended: list[str] = []
    with document(b"one", b"two", ended=ended) as closing:
        assert next(iter(closing)) == b"one"
    closing.close()
    assert closing.closed
    assert ended == ["closed"]
    with pytest.raises(AccessError, match="this document is closed") as closed:
        closing.read()
    assert closed.value.scheme == "x-talk"


def test_a_document_that_is_garbage_collected_closes_its_dialogue() -> None:
    ended: list[str] = []
    dropped = document(b"one", ended=ended)
    assert ended == []
    del dropped
    assert ended == ["closed"]


def test_a_session_ends_its_dialogue_unless_the_block_raised() -> None:
    ended: list[str] = []
    with run(delivering(Open("session", session=Session), ended=ended)) as session:
        assert ended == []
    session.close()
    assert ended == ["finished"]
    with pytest.raises(AccessError, match="this session is closed"):
        session.run_algorithm(delivering(Open("document")))
    with pytest.raises(KeyError), run(delivering(Open("session", session=Session), ended=ended)):
        raise KeyError
    assert ended == ["finished", "closed"]


def test_a_session_without_a_connection_has_no_peer() -> None:
    with (
        run(delivering(Open("session", session=Session))) as session,
        pytest.raises(AccessError, match="without a connection"),
    ):
        str(session.peer)


def test_a_resource_prints_without_its_password() -> None:
    url = TalkURL.parse("x-talk://user:secret@127.0.0.1/")
    assert repr(run(delivering(Open("document")), url=url)) == "<Document x-talk://user:***@127.0.0.1/>"
