"""Prospero over real sockets: the server of urlschemes-servers, an unreliable network, and servers that misbehave."""

from __future__ import annotations

import socket
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

import urlschemes_access
from urlschemes.errors import UnsafeURL
from urlschemes_access import Attributes, Document, Listing, Policy
from urlschemes_access.errors import (
    ConnectError,
    DeadlineExceeded,
    LimitExceeded,
    PolicyDenied,
    RedirectRefused,
    RemoteError,
    Truncated,
)
from urlschemes_prospero import ProsperoURL
from urlschemes_prospero.access import _check_fields
from urlschemes_prospero.response import Attribute
from urlschemes_servers.prospero import directory, external, failing, file, forwarded, link, prospero_server
from urlschemes_testing.loopback import Address, Datagrams

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


HERE = Policy.interactive()
RETRY = 0.1
"""Seconds until a request that is lost is repeated."""

LONG = b"".join(b"line %d, which isn't short\n" % number for number in range(2500))
TREE = directory(
    {
        "notes": file(b"Where things are.", versions={1: b"Where things were."}, attributes={"OWNER": "joe"}),
        "empty": file(b""),
        "octets": file(bytes(range(256)) * 4),
        "long": file(LONG),
        "elsewhere": file(
            None,
            methods=[
                ("LOCAL", "", "", "", ""),
                ("AFTP", "INTERNET-D", "ftp.dom(2121)", "ASCII", "/pub/a b", "BINARY"),
            ],
        ),
        "two words": directory({"nothing": directory({})}),
        "many": directory({f"entry number {number}": file(b"") for number in range(400)}),
        "mixed": directory(
            {
                "out": external(("GOPHER", "INTERNET-D", "g.dom", "ASCII", "0/about")),
                "there": link("other.dom(1526)", "/x"),
                "more": link("other.dom", "/y", target="DIRECTORY", union=True),
                "symbol": link("/vs", "/a", target="SYMBOLIC", host_type="VIRTUAL-SYSTEM"),
            }
        ),
        "secret": failing("NOT-AUTHORIZED"),
        "broken": failing("SERVER-FAILED", "out of memory"),
    }
)


def access(
    server: Address, rest: str, *, policy: Policy = HERE, deadline: float | None = None, **options: Any
) -> Document | Listing:
    opened = urlschemes_access.access(f"prospero://{server}/{rest}", policy=policy, deadline=deadline, options=options)
    assert isinstance(opened, Document | Listing)
    return opened


def content(server: Address, rest: str, **options: Any) -> bytes:
    with access(server, rest, **options) as document:
        assert isinstance(document, Document)
        return document.read()


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


def test_fields_that_contradict_the_attributes_are_an_error() -> None:
    with prospero_server(TREE) as server:
        for rest in ("/notes;OBJECT-VERSION=2", "/notes;OWNER=jane"):
            with pytest.raises(RemoteError):
                access(server, rest)


class _Counted(list[Attribute]):
    """Attributes that count iterations over them."""

    passes = 0

    def __iter__(self) -> Iterator[Attribute]:
        self.passes += 1
        return super().__iter__()


def test_attributes_are_iterated_once_however_many_fields_the_url_has() -> None:
    known = _Counted([Attribute("Q", (b"z",)), Attribute("Q", (b"y",))])
    url = ProsperoURL.parse("prospero://host.dom/x" + ";q=z;Q=y" * 100)
    _check_fields(url, known)
    assert known.passes == 1


@pytest.mark.rfc1738(130)
def test_a_directory_is_a_listing() -> None:
    with prospero_server(TREE) as server:
        with access(server, "") as listing:
            assert isinstance(listing, Listing)
            names = {entry.name: entry for entry in listing}
        assert list(names) == list(TREE.links or ())
        assert names["long"].size == len(LONG)
        inner = names["two words"].parse()
        assert isinstance(inner, ProsperoURL)
        assert inner.hsoname == "/two words"
        with urlschemes_access.access(inner, policy=HERE) as listing:
            assert isinstance(listing, Listing)
            assert [entry.kind for entry in listing] == ["directory"]
        with access(server, "/many") as listing:
            assert [entry.name for entry in listing if not isinstance(entry, bytes)] == [
                f"entry number {number}" for number in range(400)
            ]


@pytest.mark.rfc1738(137)
def test_links_have_the_urls_of_their_targets() -> None:
    with prospero_server(TREE) as server, access(server, "/mixed") as listing:
        assert isinstance(listing, Listing)
        assert [(entry.kind, entry.url) for entry in listing] == [
            ("external", "gopher://g.dom/00/about"),
            ("file", "prospero://other.dom:1526//x"),
            ("union", "prospero://other.dom//y"),
            ("symbolic", None),
        ]


def test_access_methods_are_a_listing() -> None:
    with prospero_server(TREE) as server, access(server, "/elsewhere") as listing:
        assert isinstance(listing, Listing)
        assert [(entry.name, entry.url) for entry in listing] == [
            ("LOCAL", None),
            ("AFTP", "ftp://ftp.dom:2121/pub/a%20b;type=i"),
        ]


def test_find_attributes() -> None:
    with prospero_server(TREE) as server:
        known = urlschemes_access.find_attributes(f"prospero://{server}//notes", policy=HERE)
    assert isinstance(known, Attributes)
    assert (known.size, known.fields["OWNER"]) == (17, "joe")
    assert known.modified is not None
    assert known.modified.year == 1994


@pytest.mark.parametrize(
    ("name", "status", "temporary"),
    [
        ("/secret", "NOT-AUTHORIZED", False),
        ("/broken", "SERVER-FAILED", True),
        ("/nowhere", "NOT-FOUND", False),
        ("/elsewhere/x", "NOT-FOUND", False),
    ],
)
def test_a_refusal_is_a_remote_error(name: str, status: str, temporary: bool) -> None:
    with prospero_server(TREE) as server, pytest.raises(RemoteError) as refusal:
        access(server, name)
    assert (refusal.value.status, refusal.value.temporary) == (status, temporary)


def test_a_long_name_is_sent_in_several_packets() -> None:
    name = "long" * 1500
    with prospero_server(directory({name: file(b"found")})) as server:
        assert content(server, name) == b"found"


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
        with access(server, "/many", retry=RETRY) as listing:
            assert len(list(listing)) == 400


def test_connection_ids_may_arrive_with_swapped_octets() -> None:
    with prospero_server(TREE, swapped=True, loss=0.1, seed=3) as server:
        assert content(server, "/long", retry=RETRY) == LONG


def test_all_of_this_at_once_and_from_another_port() -> None:
    with prospero_server(TREE, loss=0.15, duplicates=0.3, reorder=0.5, swapped=True, other_port=True, seed=1) as server:
        assert content(server, "/long", retry=RETRY) == LONG
        assert content(server, "/octets", retry=RETRY) == bytes(range(256)) * 4


@pytest.mark.fault(45)
def test_if_everything_is_lost_the_access_ends() -> None:
    with prospero_server(TREE, loss=1) as server:
        with pytest.raises(DeadlineExceeded) as late:
            access(server, "/notes", retry=RETRY)
        assert late.value.phase == "response"
        # The deadline is earlier than the last repetition.
        with pytest.raises(DeadlineExceeded):
            urlschemes_access.access(f"prospero://{server}//notes", policy=HERE, deadline=0.2)


# servers that misbehave -----------------------------------------------------------------------------------------------


class PacketServer:
    """A server that answers each request with the packets that `answer` returns for its connection id."""

    def __init__(self, answer: Callable[[bytes], list[bytes]]) -> None:
        self.heard: list[bytes] = []
        self._answer = answer

    def __enter__(self) -> Address:
        self._listener = Datagrams(self._hear)
        return self._listener.__enter__().address

    def __exit__(self, *error: object) -> None:
        self._listener.__exit__(None, None, None)

    def _hear(self, datagram: bytes, who: Address) -> None:
        self.heard.append(datagram)
        for packet in self._answer(datagram[1:3]):
            self._listener.send(packet, who)


def packet(identifier: bytes, number: int, total: int, text: bytes = b"") -> bytes:
    return b"\x07" + identifier + number.to_bytes(2) + total.to_bytes(2) + text


def test_the_policy_allows_ports_1525_and_191() -> None:
    for port in (191, 1525):
        with pytest.raises((ConnectError, DeadlineExceeded)):
            urlschemes_access.access(f"prospero://127.0.0.1:{port}/a", policy=HERE, deadline=0.5)
    with pytest.raises(PolicyDenied):
        urlschemes_access.access("prospero://127.0.0.1:190/a", policy=HERE)


@pytest.mark.fault(6)
def test_a_silent_server_gets_four_requests() -> None:
    server_of_packets = PacketServer(lambda _: [])
    with server_of_packets as server, pytest.raises(DeadlineExceeded):
        access(server, "/a", retry=RETRY)
    assert len(server_of_packets.heard) == 4
    assert len(set(server_of_packets.heard)) == 1


@pytest.mark.fault(9)
def test_a_server_that_goes_away_truncates_the_response() -> None:
    # The system reports it at the first repetition.
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 0))
    server.settimeout(10)

    def answer_and_close() -> None:
        with server:
            datagram, who = server.recvfrom(65536)
            server.sendto(packet(datagram[1:3], 1, 2, b"NONE"), who)

    thread = threading.Thread(target=answer_and_close)
    address = Address(*server.getsockname())
    thread.start()
    with pytest.raises(Truncated):
        access(address, "/a", retry=RETRY)
    thread.join()


@pytest.mark.fault(11)
def test_at_most_1024_packets_are_received() -> None:
    def trickle(identifier: bytes) -> list[bytes]:
        return [packet(identifier, 2, 0)] * 150

    with PacketServer(trickle) as server, pytest.raises(LimitExceeded, match="more datagrams than 1024"):
        access(server, "/a", retry=RETRY)


@pytest.mark.fault(12)
def test_new_packets_do_not_extend_the_deadline() -> None:
    # Each packet is new and valid, but the response never ends.
    numbers = iter(range(1, 65536))
    with (
        PacketServer(lambda identifier: [packet(identifier, next(numbers), 0, b"x")]) as server,
        pytest.raises(DeadlineExceeded, match=r"packets arrived|waiting for send") as late,
    ):
        access(server, "/a", deadline=0.5, retry=RETRY)
    assert late.value.phase in {"content", "send"}  # it may pass while a packet is acknowledged


@pytest.mark.fault(47)
def test_packets_of_another_id_or_address_are_dropped() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
        stranger.bind(("127.0.0.2", 0))

        def hear(datagram: bytes, who: Address) -> None:
            identifier = datagram[1:3]
            evil = b"\x03" + identifier + b"FAILURE EVIL\n"
            stranger.sendto(evil, who)
            other = bytes((identifier[0] ^ 1, identifier[1] ^ 2))
            listener.send(b"\x03" + other + b"FAILURE EVIL\n", who)
            listener.send(b"\x03" + identifier + b"NONE-FOUND\n", who)

        with Datagrams(hear) as listener, access(listener.address, "/a", want="links") as listing:
            assert list(listing) == []


@pytest.mark.fault(48)
def test_a_server_that_asks_the_client_to_wait_gets_no_repetition() -> None:
    server_of_packets = PacketServer(lambda identifier: [b"\x0b" + identifier + bytes.fromhex("0000 0000 0000 ffff")])
    with server_of_packets as server, pytest.raises(DeadlineExceeded):
        access(server, "/a", deadline=1.5, retry=0.5)
    assert len(server_of_packets.heard) == 1


# moved objects --------------------------------------------------------------------------------------------------------


@pytest.mark.fault(47)
def test_a_moved_object_is_requested_from_its_new_server() -> None:
    with prospero_server(TREE) as second:
        tree = directory({"moved": forwarded("127.0.0.1", second.port, "/notes")})
        with prospero_server(tree) as first, access(first, "/moved") as document:
            assert isinstance(document, Document)
            assert document.read() == b"Where things are."
            assert str(document.url) == f"prospero://{second}//notes"


@pytest.mark.fault(47)
def test_a_loop_ends_after_five_redirects() -> None:
    ports: list[int] = []
    server_of_packets = PacketServer(
        lambda identifier: [b"\x03" + identifier + b"FORWARDED INTERNET-D 127.0.0.1(%d) ASCII a 0\n" % ports[0]]
    )
    with server_of_packets as server:
        ports.append(server.port)
        with pytest.raises(RedirectRefused) as refusal:
            access(server, "a")
    assert refusal.value.reason == "hops"
    assert len(server_of_packets.heard) == 6


@pytest.mark.fault(47)
@pytest.mark.parametrize(
    ("place", "rule"),
    [
        (b"127.0.0.1(25)", "ports"),
        (b"10.0.0.1", "redirect"),
        (b"10.0.0.2", "denied_networks"),
        (b"denied.dom", "denied_hosts"),
    ],
)
def test_the_policy_applies_to_the_new_location(place: bytes, rule: str) -> None:
    answer = b"FORWARDED INTERNET-D " + place + b" ASCII a 0\n"
    policy = replace(HERE, denied_hosts=frozenset({"denied.dom"}), denied_networks=("10.0.0.2",))
    with (
        PacketServer(lambda identifier: [b"\x03" + identifier + answer]) as server,
        pytest.raises(PolicyDenied) as refusal,
    ):
        access(server, "/a", policy=policy)
    assert refusal.value.rule == rule


def test_only_the_commands_for_the_url_are_sent() -> None:
    server_of_packets = PacketServer(lambda identifier: [b"\x03" + identifier + b"NONE-FOUND\n"])
    with server_of_packets as server:
        with pytest.raises(UnsafeURL):
            access(server, "/a%0d%0aAUTHENTICATE%20''%20UNAUTHENTICATED%20root")
        assert server_of_packets.heard == []
        access(server, "/a'%20b").close()
    commands = b"".join(datagram[9:] for datagram in server_of_packets.heard).split(b"\n")
    assert commands == [
        b"VERSION 5",
        b"AUTHENTICATE '' UNAUTHENTICATED anonymous",
        b"GET-OBJECT-INFO #ALL ASCII '/a'' b' 0",
        b"VERSION 5",
        b"AUTHENTICATE '' UNAUTHENTICATED anonymous",
        b"DIRECTORY ASCII '/a'' b'",
        b"LIST ATTRIBUTES COMPONENTS",
        b"",
    ]
