"""Prospero over real sockets: every form of URL, a network that loses and reorders, and servers that misbehave.

The rows are those of the faults that an access must survive: B06, B09, B11, B12, B14, B45 to B48.
"""

from __future__ import annotations

import socket
import threading
import tracemalloc
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

import urlschemes_access
from urlschemes.errors import UnsafeURL
from urlschemes_access import Attributes, Document, Limits, Listing, Policy
from urlschemes_access.errors import (
    ConnectError,
    DeadlineExceeded,
    LimitExceeded,
    PolicyDenied,
    ProtocolError,
    RedirectRefused,
    RemoteError,
    Truncated,
)
from urlschemes_prospero import ProsperoURL
from urlschemes_prospero.access import _Server
from urlschemes_prospero.protocol import Attribute, Reply
from urlschemes_servers.prospero import Node, directory, external, failing, file, forwarded, link, prospero_server
from urlschemes_testing.loopback import Address, Datagrams

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from urlschemes_access.trace_event import TraceEvent

HERE = Policy.interactive()
SOON = 0.05
"""Seconds until a request is repeated: what takes four on the Internet."""

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


def opened(
    server: Address, rest: str, *, policy: Policy = HERE, deadline: float | None = None, **options: Any
) -> Document | Listing:
    found = urlschemes_access.access(
        f"prospero://{server}/{rest}", policy=policy, deadline=deadline, options={"retry": SOON}, **options
    )
    assert isinstance(found, Document | Listing)
    return found


def content(server: Address, rest: str, **options: Any) -> bytes:
    with opened(server, rest, **options) as found:
        assert isinstance(found, Document)
        return found.read()


# --- every form of URL ------------------------------------------------------------------------------------------------


def test_documents() -> None:
    with prospero_server(TREE) as server:
        assert content(server, "/notes") == b"Where things are."
        assert content(server, "notes") == b"Where things are."
        assert content(server, "/empty") == b""
        assert content(server, "/octets") == bytes(range(256)) * 4
        assert content(server, "/long") == LONG
        assert content(server, "/notes;OBJECT-VERSION=1") == b"Where things were."
        assert content(server, "/notes;OWNER=joe") == b"Where things are."


def test_fields_that_identify_something_else() -> None:
    with prospero_server(TREE) as server:
        for rest in ("/notes;OBJECT-VERSION=2", "/notes;OWNER=jane"):
            with pytest.raises(RemoteError):
                opened(server, rest)


class _Counted(list[Attribute]):
    """Attributes that count how often somebody goes through them."""

    passes = 0

    def __iter__(self) -> Iterator[Attribute]:
        self.passes += 1
        return super().__iter__()


def test_attributes_are_gone_through_once_however_many_fields_the_url_has() -> None:
    known = _Counted([Attribute("Q", (b"z",)), Attribute("Q", (b"y",))])
    url = ProsperoURL.parse("prospero://host.dom/x" + ";q=z;Q=y" * 100)
    _Server(url, 4.0).identify(Reply(attributes=known))
    assert known.passes == 1


def test_directories() -> None:
    with prospero_server(TREE) as server:
        with opened(server, "") as listing:
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
        with opened(server, "/many") as listing:
            assert [entry.name for entry in listing if not isinstance(entry, bytes)] == [
                f"entry number {number}" for number in range(400)
            ]


def test_links_to_elsewhere() -> None:
    with prospero_server(TREE) as server, opened(server, "/mixed") as listing:
        assert isinstance(listing, Listing)
        assert [(entry.kind, entry.url) for entry in listing] == [
            ("external", "gopher://g.dom/00/about"),
            ("file", "prospero://other.dom:1526//x"),
            ("union", "prospero://other.dom//y"),
            ("symbolic", None),
        ]


def test_access_methods() -> None:
    with prospero_server(TREE) as server, opened(server, "/elsewhere") as listing:
        assert isinstance(listing, Listing)
        assert [(entry.name, entry.url) for entry in listing] == [
            ("LOCAL", None),
            ("AFTP", "ftp://ftp.dom:2121/pub/a%20b;type=i"),
        ]


def test_attributes() -> None:
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
def test_refusals(name: str, status: str, temporary: bool) -> None:
    with prospero_server(TREE) as server, pytest.raises(RemoteError) as refusal:
        opened(server, name)
    assert (refusal.value.status, refusal.value.temporary) == (status, temporary)


def test_a_long_name_goes_in_several_packets() -> None:
    name = "long" * 1500
    with prospero_server(directory({name: file(b"found")})) as server:
        assert content(server, name) == b"found"


# --- a network that is not reliable (rows B45 and B46) ----------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_15_percent_of_all_datagrams_are_lost(seed: int) -> None:
    with prospero_server(TREE, loss=0.15, seed=seed) as server:
        assert content(server, "/long") == LONG


@pytest.mark.parametrize("seed", range(4))
def test_datagrams_come_twice_and_in_any_order(seed: int) -> None:
    with prospero_server(TREE, duplicates=0.5, reorder=0.9, seed=seed) as server:
        assert content(server, "/long") == LONG
        with opened(server, "/many") as listing:
            assert len(list(listing)) == 400


def test_connection_ids_come_with_their_octets_swapped() -> None:
    with prospero_server(TREE, swapped=True, loss=0.1, seed=3) as server:
        assert content(server, "/long") == LONG


def test_all_of_that_at_once_and_from_another_port() -> None:
    with prospero_server(TREE, loss=0.15, duplicates=0.3, reorder=0.5, swapped=True, other_port=True, seed=1) as server:
        assert content(server, "/long") == LONG
        assert content(server, "/octets") == bytes(range(256)) * 4


def test_when_everything_is_lost_the_access_ends() -> None:
    with prospero_server(TREE, loss=1) as server:
        with pytest.raises(DeadlineExceeded) as late:
            opened(server, "/notes")
        assert late.value.phase == "response"
        # The deadline wins over the repetitions, however long they would take.
        with pytest.raises(DeadlineExceeded):
            urlschemes_access.access(f"prospero://{server}//notes", policy=HERE, deadline=0.2)


# --- servers that misbehave -------------------------------------------------------------------------------------------


class Talker:
    """Says to each request what `answer` gives for its connection id; keeps what it heard."""

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


def test_the_ports_of_the_protocol_are_1525_and_191() -> None:
    for port in (191, 1525):
        with pytest.raises((ConnectError, DeadlineExceeded)):
            urlschemes_access.access(f"prospero://127.0.0.1:{port}/a", policy=HERE, deadline=0.5)
    with pytest.raises(PolicyDenied):
        urlschemes_access.access("prospero://127.0.0.1:190/a", policy=HERE)


def test_b06_silence_is_met_with_four_requests_and_no_more() -> None:
    talker = Talker(lambda _: [])
    with talker as server, pytest.raises(DeadlineExceeded):
        opened(server, "/a")
    assert len(talker.heard) == 4
    assert len(set(talker.heard)) == 1


def test_b09_the_server_goes_away_in_the_midst() -> None:
    # The system says so, at the first repetition.
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 0))
    server.settimeout(10)

    def answer_and_go() -> None:
        with server:
            datagram, who = server.recvfrom(65536)
            server.sendto(packet(datagram[1:3], 1, 2, b"NONE"), who)

    thread = threading.Thread(target=answer_and_go)
    address = Address(*server.getsockname())
    thread.start()
    with pytest.raises(Truncated):
        opened(address, "/a")
    thread.join()


def test_b11_b48_a_flood_is_bounded_in_packets_and_octets() -> None:
    def flood(identifier: bytes) -> list[bytes]:
        return [packet(identifier, number, 0, b"x" * 1200) for number in range(2, 400)]

    for limits, limit in ((Limits(datagrams=100), "datagrams"), (Limits(datagram_octets=50_000), "datagram_octets")):
        with Talker(flood) as server, pytest.raises(LimitExceeded) as refusal:
            opened(server, "/a", policy=replace(HERE, limits=limits))
        assert refusal.value.limit == limit


def test_b11_b48_the_limits_are_1024_packets_and_a_mebibyte_and_so_is_the_memory() -> None:
    def flood(identifier: bytes) -> list[bytes]:
        return [packet(identifier, number, 0, b"x" * 60_000) for number in range(2, 65)]

    def trickle(identifier: bytes) -> list[bytes]:
        return [packet(identifier, 2, 0)] * 150

    assert (Limits().datagrams, Limits().datagram_octets) == (1024, 1024 * 1024)
    tracemalloc.start()
    try:
        with Talker(flood) as server, pytest.raises(LimitExceeded, match="octets came in datagrams"):
            opened(server, "/a")
        assert tracemalloc.get_traced_memory()[1] < 20 * 1024 * 1024
    finally:
        tracemalloc.stop()
    with Talker(trickle) as server, pytest.raises(LimitExceeded, match="more datagrams came than 1024"):
        opened(server, "/a")


def test_b12_a_drip_gains_no_time() -> None:
    # Each packet is new and right; the answer just never ends, and the deadline comes.
    numbers = iter(range(1, 65536))
    with (
        Talker(lambda identifier: [packet(identifier, next(numbers), 0, b"x")]) as server,
        pytest.raises(DeadlineExceeded, match=r"of the packets came|waiting for send") as late,
    ):
        opened(server, "/a", deadline=0.5)
    assert late.value.phase in {"content", "send"}  # it may pass while a packet is acknowledged


@pytest.mark.parametrize(
    "said",
    [
        b"220 ftp.dom FTP server ready\r\n",
        b"HTTP/1.0 400 Bad Request\r\n\r\n",
        bytes(range(256)),
        b"\x00",
        b"\x03",
        b"",
        bytes(1500),
        b"\xff" * 1500,
        b"\x1b[2J\x1b]0;evil\x07",
    ],
)
def test_b14_b48_what_is_not_ardp_is_dropped(said: bytes) -> None:
    def answer(identifier: bytes) -> list[bytes]:
        return [said, said, b"\x03" + identifier + b"NONE-FOUND\n"]

    with Talker(answer) as server, opened(server, "/a", want="links") as listing:
        assert list(listing) == []


@pytest.mark.parametrize(
    "said",
    [b"220 ready\r\n", bytes(range(256)), b"\x1b[2J", b"\xe2\x80\xae", b"FAILURE \x1b[2J'\n\x9b'\n", b"'" * 99],
)
def test_b14_what_is_not_prospero_is_an_error_that_can_be_shown(said: bytes) -> None:
    with Talker(lambda identifier: [b"\x03" + identifier + said]) as server:
        with pytest.raises((ProtocolError, RemoteError)) as fault:
            opened(server, "/a", want="links")
        assert str(fault.value).isascii()
        assert str(fault.value).isprintable()


def test_b46_a_gap_tells_how_much_came() -> None:
    with (
        Talker(lambda identifier: [packet(identifier, 1, 3, b"NONE"), packet(identifier, 3, 3, b"\n")]) as server,
        pytest.raises(DeadlineExceeded, match="2 of 3 packets came"),
    ):
        opened(server, "/a", deadline=0.5)


def test_b46_of_conflicting_copies_the_first_counts() -> None:
    def answer(identifier: bytes) -> list[bytes]:
        return [
            packet(identifier, 1, 2, b"NONE-"),
            packet(identifier, 1, 2, b"FAILURE "),
            packet(identifier, 2, 2, b"FOUND\n"),
        ]

    with Talker(answer) as server, opened(server, "/a", want="links") as listing:
        assert list(listing) == []


def test_b47_of_another_id_or_from_another_address_nothing_is_taken() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
        stranger.bind(("127.0.0.2", 0))

        def hear(datagram: bytes, who: Address) -> None:
            identifier = datagram[1:3]
            evil = b"\x03" + identifier + b"FAILURE EVIL\n"
            stranger.sendto(evil, who)
            other = bytes((identifier[0] ^ 1, identifier[1] ^ 2))
            listener.send(b"\x03" + other + b"FAILURE EVIL\n", who)
            listener.send(b"\x03" + identifier + b"NONE-FOUND\n", who)

        with Datagrams(hear) as listener, opened(listener.address, "/a", want="links") as listing:
            assert list(listing) == []


def test_b47_each_request_has_an_id_of_its_own_that_was_drawn() -> None:
    talker = Talker(lambda identifier: [b"\x03" + identifier + b"NONE-FOUND\n"])
    with talker as server:
        for _ in range(20):
            opened(server, "/a", want="links").close()
    assert len({datagram[1:3] for datagram in talker.heard}) > 15


@pytest.mark.parametrize(
    "nonsense",
    [
        lambda identifier: [packet(identifier, 0, 0, b"FAILURE X")],
        lambda identifier: [packet(identifier, 9, 2, b"FAILURE X")],
        lambda identifier: [packet(identifier, 65535, 0)[:6]],
        lambda identifier: [b"\x1f" + identifier + b"short"],
    ],
    ids=("0 of 0", "9 of 2", "a short header", "a length that lies"),
)
def test_b48_nonsense_is_dropped(nonsense: Callable[[bytes], list[bytes]]) -> None:
    def answer(identifier: bytes) -> list[bytes]:
        return [*nonsense(identifier), packet(identifier, 1, 1, b"NONE-FOUND\n")]

    with Talker(answer) as server, opened(server, "/a", want="links") as listing:
        assert list(listing) == []


def test_b48_65535_packets_are_announced() -> None:
    with (
        Talker(lambda identifier: [packet(identifier, 1, 65535, b"NONE")]) as server,
        pytest.raises(DeadlineExceeded, match="1 of 65535 packets"),
    ):
        opened(server, "/a", deadline=0.5)


def test_b48_a_server_that_puts_off_for_ever_is_asked_no_more_often_than_it_wants() -> None:
    talker = Talker(lambda identifier: [b"\x0b" + identifier + bytes.fromhex("0000 0000 0000 ffff")])
    with talker as server, pytest.raises(DeadlineExceeded):
        opened(server, "/a", deadline=0.5)
    assert len(talker.heard) == 1


# --- moved (row B47) --------------------------------------------------------------------------------------------------


def test_b47_an_object_is_followed_to_another_server() -> None:
    with prospero_server(TREE) as second:
        tree = directory({"moved": forwarded("127.0.0.1", second.port, "/notes")})
        with prospero_server(tree) as first, opened(first, "/moved") as found:
            assert isinstance(found, Document)
            assert found.read() == b"Where things are."
            assert str(found.url) == f"prospero://{second}//notes"


def test_b47_a_loop_ends_after_five() -> None:
    ports: list[int] = []
    talker = Talker(
        lambda identifier: [b"\x03" + identifier + b"FORWARDED INTERNET-D 127.0.0.1(%d) ASCII a 0\n" % ports[0]]
    )
    with talker as server:
        ports.append(server.port)
        with pytest.raises(RedirectRefused) as refusal:
            opened(server, "a")
    assert refusal.value.reason == "hops"
    assert len(talker.heard) == 6


@pytest.mark.parametrize(
    ("place", "rule"),
    [
        (b"127.0.0.1(25)", "ports"),
        (b"10.0.0.1", "redirect"),
        (b"169.254.169.254", "denied_networks"),
        (b"denied.dom", "denied_hosts"),
    ],
)
def test_b47_the_policy_holds_for_where_it_leads(place: bytes, rule: str) -> None:
    answer = b"FORWARDED INTERNET-D " + place + b" ASCII a 0\n"
    policy = replace(HERE, denied_hosts=frozenset({"denied.dom"}))
    with Talker(lambda identifier: [b"\x03" + identifier + answer]) as server, pytest.raises(PolicyDenied) as refusal:
        opened(server, "/a", policy=policy)
    assert refusal.value.rule == rule


def test_nothing_is_sent_that_the_url_did_not_say() -> None:
    talker = Talker(lambda identifier: [b"\x03" + identifier + b"NONE-FOUND\n"])
    with talker as server:
        with pytest.raises(UnsafeURL):
            opened(server, "/a%0d%0aAUTHENTICATE%20''%20UNAUTHENTICATED%20root")
        assert talker.heard == []
        opened(server, "/a'%20b").close()
    commands = b"".join(datagram[9:] for datagram in talker.heard).split(b"\n")
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


def test_an_interrupt_leaves_nothing_open() -> None:
    # An unclosed socket would be a ResourceWarning, and that an error here.
    def interrupt(event: TraceEvent) -> None:
        if event.kind == "receive":
            raise KeyboardInterrupt

    tree: Node = directory({"a": file(LONG)})
    with prospero_server(tree) as server, pytest.raises(KeyboardInterrupt):
        opened(server, "/a", trace=interrupt)
