"""Prospero over real sockets: the server of urlschemes-servers, and an unreliable network."""

from __future__ import annotations

from typing import Any

import pytest
from opening import content_of, entries_of

from urlschemes_access import Entry
from urlschemes_access.errors import DeadlineExceeded
from urlschemes_prospero import ProsperoURL
from urlschemes_servers.prospero import directory, file, prospero_server
from urlschemes_testing.loopback import Address

RETRY = 0.1
"""Seconds until a request that is lost is repeated."""

LONG = b"".join(b"line %d, which isn't short\n" % number for number in range(2500))
TREE = directory(
    {
        "notes": file(b"Where things are.", versions={1: b"Where things were."}, attributes={"OWNER": "joe"}),
        "empty": file(b""),
        "octets": file(bytes(range(256)) * 4),
        "long": file(LONG),
        "two words": directory({"nothing": directory({})}),
        "many": directory({f"entry number {number}": file(b"") for number in range(400)}),
    }
)


def content(server: Address, rest: str, **options: Any) -> bytes:
    return content_of(f"prospero://{server}/{rest}", options=options)


def entries(server: Address, rest: str, **options: Any) -> list[Entry]:
    return entries_of(f"prospero://{server}/{rest}", options=options)


# every form of URL ----------------------------------------------------------------------------------------------------


def test_an_object_that_prospero_sends_is_a_document() -> None:
    with prospero_server(TREE) as server:
        assert content(server, "/notes") == b"Where things are."
        assert content(server, "notes") == b"Where things are."
        assert content(server, "/empty") == b""
        assert content(server, "/octets") == bytes(range(256)) * 4
        assert content(server, "/long") == LONG
        assert content(server, "/notes;OBJECT-VERSION=1") == b"Where things were."
        assert content(server, "/notes;OWNER=joe") == b"Where things are."


@pytest.mark.rfc1738(130)
def test_a_directory_is_a_listing() -> None:
    with prospero_server(TREE) as server:
        names = {entry.name: entry for entry in entries(server, "")}
        assert list(names) == list(TREE.links or ())
        assert names["long"].size == len(LONG)
        inner = names["two words"].parse()
        assert isinstance(inner, ProsperoURL)
        assert inner.hsoname == "/two words"
        assert [entry.kind for entry in entries_of(inner)] == ["directory"]
        assert [entry.name for entry in entries(server, "/many")] == [f"entry number {number}" for number in range(400)]


# an unreliable network ------------------------------------------------------------------------------------------------


@pytest.mark.fault(45)
@pytest.mark.parametrize("seed", range(2))
def test_15_percent_of_all_datagrams_may_be_lost(seed: int) -> None:
    with prospero_server(TREE, loss=0.15, seed=seed) as server:
        assert content(server, "/long", retry=RETRY) == LONG


@pytest.mark.fault(46)
@pytest.mark.parametrize("seed", range(2))
def test_datagrams_may_arrive_twice_and_in_any_order(seed: int) -> None:
    with prospero_server(TREE, duplicates=0.5, reorder=0.9, seed=seed) as server:
        assert content(server, "/long", retry=RETRY) == LONG
        assert len(entries(server, "/many", retry=RETRY)) == 400


def test_all_of_this_at_once_and_from_another_port() -> None:
    with prospero_server(TREE, loss=0.15, duplicates=0.3, reorder=0.5, swapped=True, other_port=True, seed=1) as server:
        assert content(server, "/long", retry=RETRY) == LONG
        assert content(server, "/octets", retry=RETRY) == bytes(range(256)) * 4


@pytest.mark.fault(45)
def test_if_everything_is_lost_the_access_ends() -> None:
    with prospero_server(TREE, loss=1) as server:
        with pytest.raises(DeadlineExceeded) as late:
            content(server, "/notes", retry=RETRY)
        assert late.value.phase == "response"
        # The deadline is earlier than the last repetition.
        with pytest.raises(DeadlineExceeded):
            content_of(f"prospero://{server}//notes", deadline=0.2)
