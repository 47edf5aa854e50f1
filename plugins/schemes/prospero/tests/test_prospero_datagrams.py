"""ARDP without a socket: packets, repetition, acknowledgement and assembly."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlschemes.errors import UnsafeURL
from urlschemes_access.errors import DeadlineExceeded, RemoteError
from urlschemes_access.protocol import Algorithm, Peer, Receive, Send
from urlschemes_prospero.datagrams import Packet, Redirect, check_length, exchange, new_identifier

ID = 0x1234
PEER = Peer("datagrams", ("192.0.2.7", 1525))


@pytest.fixture(autouse=True)
def _known_identifier(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urlschemes_prospero.datagrams.new_identifier", lambda: ID)


@dataclass
class Talk:
    """An exchange: the datagrams sent, the timeout of each wait, and the response, if any."""

    sent: list[bytes] = field(default_factory=list)
    waits: list[float | None] = field(default_factory=list)
    response: bytes | Redirect | None = None


def talk(algorithm: Algorithm[bytes | Redirect], *datagrams: bytes | None) -> Talk:
    """Answer each wait with the next of `datagrams` (None: timeout), until there are no more."""
    exchanged = Talk()
    coming = iter(datagrams)
    answer: Any = None
    try:
        while True:
            request = algorithm.send(answer)
            if isinstance(request, Send):
                exchanged.sent.append(request.octets)
                answer = None
            else:
                assert isinstance(request, Receive)
                exchanged.waits.append(request.within)
                try:
                    answer = next(coming)
                except StopIteration:
                    algorithm.close()
                    return exchanged
    except StopIteration as end:
        exchanged.response = end.value
        return exchanged


def ask(*datagrams: bytes | None, message: bytes = b"ask", retry: float = 4) -> Talk:
    return talk(exchange(PEER, message, retry=retry), *datagrams)


def packet(number: int, total: int, text: bytes, *, more: str = "", identifier: int = ID) -> bytes:
    """A packet of a response; `more` is the rest of its header, in hexadecimal."""
    header = b"".join(each.to_bytes(2) for each in (identifier, number, total)) + bytes.fromhex(more)
    return bytes((len(header) + 1,)) + header + text


REQUEST = bytes.fromhex("09 1234 0001 0001 0000") + b"ask"


# packets --------------------------------------------------------------------------------------------------------------


def test_a_header_may_end_after_any_field() -> None:
    for length, expected in {
        3: Packet(identifier=ID, number=1, total=1, text=b"x"),
        5: Packet(identifier=ID, number=2, total=0, text=b"x"),
        7: Packet(identifier=ID, number=2, total=3, text=b"x"),
        9: Packet(identifier=ID, number=2, total=3, through=1, text=b"x"),
        11: Packet(identifier=ID, number=2, total=3, through=1, wait=30, text=b"x"),
        12: Packet(identifier=ID, number=2, total=3, through=1, wait=30, acknowledge=True, text=b"x"),
        13: Packet(identifier=ID, number=2, total=3, through=1, wait=30, acknowledge=True, refused=True, text=b"x"),
    }.items():
        header = bytes.fromhex("1234 0002 0003 0001 001e 80 01")[: length - 1]
        assert Packet.parse(bytes((length,)) + header + b"x") == expected, length


def test_a_total_of_0_is_unknown_and_a_number_of_0_is_part_of_no_message() -> None:
    assert Packet.parse(packet(1, 0, b"x")) == Packet(identifier=ID, number=1, total=0, text=b"x")
    assert Packet.parse(packet(0, 0, b"")) == Packet(identifier=ID, number=0)


@pytest.mark.fault(48)
@pytest.mark.parametrize(
    "datagram",
    [
        b"",
        b"\x00",
        b"\x01",
        b"\x02\x12",
        b"\x03\x12",  # shorter than its header
        b"\x04\x12\x34\x00text",  # a header that ends within a field
        b"\x0a\x12\x34\x00\x01\x00\x01\x00\x00\x00text",
        b"\x20" + bytes(40),  # real servers and clients take a first octet from 32 up for text
        b"HTTP/1.1 200 OK\r\n\r\n",
        b"\x43\x12\x34text",  # another version of ARDP
        b"\x1f\x12\x34",
        bytes.fromhex("0d 1234 0001 0001 0000 0000 00 04"),  # a redirect without an address
    ],
)
def test_a_malformed_packet_is_dropped(datagram: bytes) -> None:
    assert Packet.parse(datagram) is None
    assert ask(datagram, b"\x03\x12\x34answer").response == b"answer"


@pytest.mark.parametrize(
    ("flags", "fields"), [("00", ""), ("0e", "000100020003"), ("01", "0104c0000201"), ("03", "01007fff")]
)
def test_the_address_of_a_redirect_follows_the_fields_of_the_flags(flags: str, fields: str) -> None:
    header = bytes.fromhex(f"1234 0000 0000 0000 0000 {flags} 04 {fields} c0000209 05f6")
    parsed = Packet.parse(bytes((len(header) + 1,)) + header)
    assert parsed is not None
    assert parsed.redirect == Redirect("192.0.2.9", 1526)


def _with_a_length(rest: bytes) -> st.SearchStrategy[bytes]:
    return st.integers(0, len(rest) + 2).map(lambda length: bytes((length,)) + rest)


@given(st.binary(max_size=100))
def test_any_datagram_is_a_packet_or_none(datagram: bytes) -> None:
    parsed = Packet.parse(datagram)
    if parsed is not None:
        assert datagram.endswith(parsed.text)
        assert len(datagram) - len(parsed.text) == datagram[0]


@given(st.lists(st.binary(max_size=12).map(b"\x12\x34".__add__).flatmap(_with_a_length) | st.binary(max_size=40)))
def test_any_datagrams_leave_an_exchange_intact(datagrams: list[bytes]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("urlschemes_prospero.datagrams.new_identifier", lambda: ID)
        with suppress(RemoteError):  # a random packet may be a refusal
            exchanged = ask(*datagrams, b"\x03\x12\x34answer")
            assert isinstance(exchanged.response, Redirect | bytes) or exchanged.waits


@given(
    st.integers(0, 65535), st.integers(0, 65535), st.integers(0, 65535), st.integers(0, 65535), st.binary(max_size=9)
)
def test_a_packet_is_parsed_from_its_octets(
    identifier: int, number: int, total: int, through: int, text: bytes
) -> None:
    sent = Packet(identifier=identifier, number=number, total=total, through=through, text=text)
    assert Packet.parse(sent.octets()) == sent


def test_connection_ids_are_random() -> None:
    drawn = {new_identifier() for _ in range(200)}
    assert len(drawn) > 190
    assert all(0 < each < 65536 for each in drawn)


# requests -------------------------------------------------------------------------------------------------------------


def test_a_short_request_is_one_packet() -> None:
    exchanged = ask(b"\x03\x12\x34answer")
    assert (exchanged.sent, exchanged.response) == ([REQUEST], b"answer")


def test_a_long_request_is_sent_in_packets_of_1250_octets() -> None:
    exchanged = ask(b"\x03\x12\x34answer", message=b"x" * 2501)
    heads = [bytes.fromhex(f"09 1234 {number:04x} 0003 0000") for number in (1, 2, 3)]
    assert exchanged.sent == [heads[0] + b"x" * 1250, heads[1] + b"x" * 1250, heads[2] + b"x"]


def test_a_request_is_at_most_one_window() -> None:
    check_length(b"x" * 20_000)
    with pytest.raises(UnsafeURL, match="20001 octets"):
        check_length(b"x" * 20_001)


def test_acknowledged_packets_are_not_repeated() -> None:
    server_has_two = bytes.fromhex("09 1234 0000 0000 0002")
    exchanged = ask(server_has_two, None, b"\x03\x12\x34answer", message=b"x" * 2501)
    assert exchanged.sent[3:] == [exchanged.sent[2]]
    assert exchanged.response == b"answer"


def test_acknowledgements_are_withdrawn_only_by_a_reset() -> None:
    server_has_two = bytes.fromhex("09 1234 0000 0000 0002")
    stale = bytes.fromhex("09 1234 0000 0000 0001")
    forgot = bytes.fromhex("0d 1234 0000 0000 0000 0000 00 02")
    assert len(ask(server_has_two, stale, None, message=b"x" * 2501).sent) == 4
    assert len(ask(server_has_two, forgot, None, message=b"x" * 2501).sent) == 6


# repetition -----------------------------------------------------------------------------------------------------------


@pytest.mark.fault(45)
def test_a_request_is_repeated_after_4_8_and_16_seconds() -> None:
    algorithm = exchange(PEER, b"ask")
    exchanged = talk(algorithm, None, None, None)
    assert exchanged.waits == [4, 8, 16, 32]
    assert exchanged.sent == [REQUEST] * 4


@pytest.mark.fault(45)
def test_after_three_repetitions_the_exchange_fails() -> None:
    with pytest.raises(DeadlineExceeded, match="no response arrived in time") as late:
        ask(None, None, None, None)
    assert late.value.phase == "response"


def test_a_lost_response_is_requested_again() -> None:
    assert ask(None, b"\x03\x12\x34answer").response == b"answer"


def test_progress_resets_the_timeout() -> None:
    assert ask(None, None, packet(1, 2, b"a"), None, retry=1).waits == [1, 2, 4, 1, 2]


def test_the_timeout_does_not_grow_while_packets_arrive() -> None:
    # The same packet again and again: the server is alive.
    waits = ask(packet(1, 2, b"a"), *(None, packet(1, 2, b"a")) * 5, None, retry=1).waits
    assert waits == [1, *(1, 2) * 5, 1, 2]


def test_after_a_gap_the_timeout_is_shorter() -> None:
    assert ask(packet(3, 3, b"c"), packet(1, 3, b"a"), retry=4).waits == [4, 1, 1]


def test_a_repetition_acknowledges_received_packets() -> None:
    exchanged = ask(packet(1, 0, b"a"), packet(2, 0, b"b"), None, retry=1)
    assert exchanged.sent[1] == bytes.fromhex("09 1234 0001 0001 0002") + b"ask"


def test_if_the_server_has_the_request_only_the_acknowledgement_is_repeated() -> None:
    exchanged = ask(packet(1, 3, b"a", more="0001"), None, packet(2, 3, b"b"), packet(3, 3, b"c"))
    assert exchanged.sent[1:] == [bytes.fromhex("09 1234 0000 0000 0001")]
    assert exchanged.response == b"abc"


def test_a_server_that_repeats_one_packet_endlessly_is_given_up() -> None:
    with pytest.raises(DeadlineExceeded, match="1 of 2 packets arrived") as late:
        ask(packet(1, 2, b"a"), *(None, packet(1, 2, b"a")) * 100)
    assert late.value.phase == "content"


def test_the_deadline_error_tells_how_many_packets_arrived() -> None:
    algorithm = exchange(PEER, b"ask")
    assert isinstance(next(algorithm), Send)
    assert isinstance(algorithm.send(None), Receive)
    algorithm.send(packet(1, 65535, b"a"))
    with pytest.raises(DeadlineExceeded, match="1 of 65535 packets arrived"):
        algorithm.throw(DeadlineExceeded("time is up", phase="response"))


# waiting times of the server ------------------------------------------------------------------------------------------


def test_the_waiting_time_of_the_server_is_used_up_to_a_limit() -> None:
    wait_9 = bytes.fromhex("0b 1234 0000 0000 0000 0009")
    wait_for_ever = bytes.fromhex("0b 1234 0000 0000 0000 ffff")
    no_wait = bytes.fromhex("0b 1234 0000 0000 0000 0000")
    assert ask(wait_9, None, wait_for_ever, no_wait, packet(1, 2, b"a"), retry=1).waits == [1, 9, 9, 60, 1, 1]


def test_a_server_may_ask_the_client_to_wait_more_than_three_times() -> None:
    wait = bytes.fromhex("0b 1234 0000 0000 0000 0001")
    assert ask(*(wait, None) * 10, b"\x03\x12\x34answer").response == b"answer"


def test_the_waiting_time_ends_when_the_response_begins() -> None:
    wait_9 = bytes.fromhex("0b 1234 0000 0000 0000 0009")
    assert ask(wait_9, packet(1, 2, b"a"), retry=1).waits == [1, 9, 1]


# assembly -------------------------------------------------------------------------------------------------------------

PARTS = [packet(1, 0, b"one "), packet(2, 0, b"two "), packet(3, 0, b"three "), packet(4, 4, b"four")]


@given(st.permutations([*PARTS, *PARTS[:2]]))
def test_packets_may_arrive_twice_and_in_any_order(datagrams: list[bytes]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("urlschemes_prospero.datagrams.new_identifier", lambda: ID)
        assert ask(*datagrams).response == b"one two three four"


@pytest.mark.fault(46)
def test_of_conflicting_copies_the_first_counts() -> None:
    assert ask(packet(1, 2, b"one "), packet(1, 2, b"evil "), packet(2, 2, b"two")).response == b"one two"


@pytest.mark.fault(46)
def test_a_gap_is_an_error() -> None:
    with pytest.raises(DeadlineExceeded, match="3 of 4 packets arrived"):
        ask(PARTS[0], PARTS[1], PARTS[3], *[None] * 20)


def test_the_octets_of_the_connection_id_may_be_swapped() -> None:
    swapped = packet(2, 2, b"two", identifier=0x3412)
    assert ask(packet(1, 2, b"one "), swapped).response == b"one two"


@pytest.mark.fault(47)
@pytest.mark.parametrize("identifier", [0, 0x1235, 0x1334, 0x4321, 0xFFFF])
def test_packets_of_another_connection_are_dropped(identifier: int) -> None:
    assert ask(packet(1, 1, b"evil", identifier=identifier), b"\x03\x12\x34answer").response == b"answer"


@pytest.mark.fault(48)
@pytest.mark.parametrize(
    "invalid",
    [
        packet(9, 2, b"evil"),
        packet(0, 0, b"evil"),
        packet(3, 0, b"evil"),  # of two
        packet(2, 1, b"evil"),
        packet(1, 1, b"evil"),  # another total than before
        packet(2, 65535, b"evil"),
    ],
)
def test_a_packet_that_contradicts_the_others_is_dropped(invalid: bytes) -> None:
    assert ask(packet(1, 2, b"one "), invalid, packet(2, 2, b"two")).response == b"one two"


def test_a_total_below_a_received_number_is_dropped() -> None:
    assert ask(
        packet(3, 0, b"three"), packet(1, 1, b"evil"), packet(1, 0, b"one "), packet(2, 3, b"two ")
    ).response == (b"one two three")


def test_a_numbered_control_packet_has_no_text() -> None:
    control = packet(2, 3, b"not for you", more="0001 0000 40")
    assert ask(packet(1, 3, b"one "), control, packet(3, 3, b"three")).response == b"one three"


def test_a_response_may_be_empty() -> None:
    assert ask(b"\x03\x12\x34").response == b""


# acknowledgement ------------------------------------------------------------------------------------------------------


def acknowledgement(through: int) -> bytes:
    return bytes.fromhex(f"09 1234 0000 0000 {through:04x}")


def test_an_acknowledgement_is_sent_at_once() -> None:
    exchanged = ask(packet(1, 0, b"a"), packet(2, 0, b"b", more="0000 0000 80"), packet(3, 3, b"c"))
    assert exchanged.sent[1:] == [acknowledgement(2)]
    assert exchanged.response == b"abc"


def test_a_copy_is_acknowledged_again() -> None:
    wanting = packet(1, 0, b"a", more="0000 0000 80")
    assert ask(wanting, wanting).sent[1:] == [acknowledgement(1)] * 2


def test_a_packet_is_acknowledged_again_once_the_gap_before_it_is_closed() -> None:
    exchanged = ask(packet(1, 0, b"a"), packet(3, 0, b"c", more="0000 0000 80"), packet(2, 0, b"b"), packet(4, 5, b"d"))
    assert exchanged.sent[1:] == [acknowledgement(1), acknowledgement(3)]


def test_a_packet_without_number_is_not_acknowledged() -> None:
    assert ask(bytes.fromhex("0c 1234 0000 0000 0000 0000 80")).sent == [REQUEST]


# refusals -------------------------------------------------------------------------------------------------------------


def test_a_server_may_refuse_the_connection() -> None:
    with pytest.raises(RemoteError, match="refused") as refusal:
        ask(bytes.fromhex("0d 1234 0000 0000 0000 0000 00 01"))
    assert (refusal.value.status, refusal.value.temporary) == ("refused", True)


@pytest.mark.parametrize("option", ["04", "05"])
def test_a_server_may_point_to_another(option: str) -> None:
    exchanged = ask(bytes.fromhex(f"13 1234 0000 0000 0000 0000 00 {option} c0000209 05f6"))
    assert exchanged.response == Redirect("192.0.2.9", 1526)


@pytest.mark.parametrize("option", ["00", "03", "06", "07", "63", "fd", "fe", "ff"])
def test_other_options_say_nothing_to_a_client(option: str) -> None:
    assert ask(bytes.fromhex(f"0d 1234 0001 0001 0000 0000 00 {option}") + b"answer").response == b"answer"
