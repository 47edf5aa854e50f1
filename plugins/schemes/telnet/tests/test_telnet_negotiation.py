"""Option negotiation: the table of RFC 1143 section 7, row by row, and the octets of a connection, cut everywhere."""

import itertools
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlschemes_access.errors import LimitExceeded
from urlschemes_telnet.options import BINARY, ECHO, SUPPRESS_GO_AHEAD, Option, State
from urlschemes_telnet.stream import ANSWERS, COMMANDS, SUBNEGOTIATION, Stream

SE, NOP, DM, IP, AYT, GA = b"\xff\xf0", b"\xff\xf1", b"\xff\xf2", b"\xff\xf4", b"\xff\xf6", b"\xff\xf9"
SB, WILL, WONT, DO, DONT = b"\xff\xfa", b"\xff\xfb", b"\xff\xfc", b"\xff\xfd", b"\xff\xfe"
EMPTY, OPPOSITE = False, True
NO, YES, WANTNO, WANTYES = State.NO, State.YES, State.WANTNO, State.WANTYES

Event = Literal["agreed on", "refused on", "off", "want on", "want off"]


# RFC 1143 section 7 ---------------------------------------------------------------------------------------------------

# (state, queue bit, what happens) -> (state, queue bit, what is said: True is WILL or DO, False WONT or DONT)
TABLE: dict[tuple[State, bool, Event], tuple[State, bool, bool | None]] = {
    # Upon receipt of WILL (for the other side), or of DO (for ours).
    (NO, EMPTY, "agreed on"): (YES, EMPTY, True),
    (NO, EMPTY, "refused on"): (NO, EMPTY, False),
    (YES, EMPTY, "agreed on"): (YES, EMPTY, None),
    (YES, EMPTY, "refused on"): (YES, EMPTY, None),
    (WANTNO, EMPTY, "agreed on"): (NO, EMPTY, None),  # error: DONT answered by WILL
    (WANTNO, EMPTY, "refused on"): (NO, EMPTY, None),
    (WANTNO, OPPOSITE, "agreed on"): (YES, EMPTY, None),  # error: DONT answered by WILL
    (WANTNO, OPPOSITE, "refused on"): (YES, EMPTY, None),
    (WANTYES, EMPTY, "agreed on"): (YES, EMPTY, None),
    (WANTYES, EMPTY, "refused on"): (YES, EMPTY, None),
    (WANTYES, OPPOSITE, "agreed on"): (WANTNO, EMPTY, False),
    (WANTYES, OPPOSITE, "refused on"): (WANTNO, EMPTY, False),
    # Upon receipt of WONT, or of DONT.
    (NO, EMPTY, "off"): (NO, EMPTY, None),
    (YES, EMPTY, "off"): (NO, EMPTY, False),
    (WANTNO, EMPTY, "off"): (NO, EMPTY, None),
    (WANTNO, OPPOSITE, "off"): (WANTYES, EMPTY, True),
    (WANTYES, EMPTY, "off"): (NO, EMPTY, None),
    (WANTYES, OPPOSITE, "off"): (NO, EMPTY, None),
    # If we decide to ask for it.
    (NO, EMPTY, "want on"): (WANTYES, EMPTY, True),
    (YES, EMPTY, "want on"): (YES, EMPTY, None),
    (WANTNO, EMPTY, "want on"): (WANTNO, OPPOSITE, None),
    (WANTNO, OPPOSITE, "want on"): (WANTNO, OPPOSITE, None),
    (WANTYES, EMPTY, "want on"): (WANTYES, EMPTY, None),
    (WANTYES, OPPOSITE, "want on"): (WANTYES, EMPTY, None),
    # If we decide to ask for its end.
    (NO, EMPTY, "want off"): (NO, EMPTY, None),
    (YES, EMPTY, "want off"): (WANTNO, EMPTY, False),
    (WANTNO, EMPTY, "want off"): (WANTNO, EMPTY, None),
    (WANTNO, OPPOSITE, "want off"): (WANTNO, EMPTY, None),
    (WANTYES, EMPTY, "want off"): (WANTYES, OPPOSITE, None),
    (WANTYES, OPPOSITE, "want off"): (WANTYES, OPPOSITE, None),
}


def happen(option: Option, event: Event) -> bool | None:
    if event.startswith("want"):
        return option.want(on=event == "want on")
    option.agreed = event != "refused on"
    return option.hear(on=event != "off")


def test_the_table_has_a_row_for_everything_that_can_happen() -> None:
    states = [(NO, EMPTY), (YES, EMPTY), (WANTNO, EMPTY), (WANTNO, OPPOSITE), (WANTYES, EMPTY), (WANTYES, OPPOSITE)]
    events = ("agreed on", "refused on", "off", "want on", "want off")
    assert set(TABLE) == {(*state, event) for state in states for event in events}


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row[0].name} {'OPPOSITE' if row[1] else 'EMPTY'} {row[2]}")
def test_a_row_of_rfc_1143(row: tuple[State, bool, Event]) -> None:
    option = Option()
    option.state, option.opposite = row[0], row[1]
    said = happen(option, row[2])
    assert (option.state, option.opposite, said) == TABLE[row]


@given(events=st.lists(st.sampled_from(["agreed on", "refused on", "off", "want on", "want off"]), max_size=30))
def test_the_queue_bit_is_set_only_while_an_answer_is_awaited(events: list[Event]) -> None:
    option = Option()
    for event in events:
        happen(option, event)
        assert not option.opposite or option.state in {WANTNO, WANTYES}


@given(
    wishes=st.lists(st.tuples(st.booleans(), st.booleans()), max_size=20),
    agreed=st.tuples(st.booleans(), st.booleans()),
    order=st.randoms(use_true_random=False),
)
def test_two_that_keep_to_it_end_agreed_and_in_silence(
    wishes: list[tuple[bool, bool]], agreed: tuple[bool, bool], order: object
) -> None:
    """Whatever each side wants, and when the messages arrive: no loop, and the same state on both sides (section 6)."""
    sides = (Option(agreed=agreed[0]), Option(agreed=agreed[1]))
    under_way: tuple[list[bool], list[bool]] = ([], [])  # what is on its way to each side
    left = list(wishes)
    exchanged = 0
    while left or any(under_way):
        choices = ["wish"] * bool(left) + [side for side in (0, 1) if under_way[side]]
        choice = order.choice(choices)  # type: ignore[attr-defined]
        if choice == "wish":
            first, wanted = left.pop()
            side = int(first)
            said = sides[side].want(on=wanted)
        else:
            side = choice
            said = sides[side].hear(on=under_way[side].pop(0))
            exchanged += 1
        if said is not None:
            under_way[1 - side].append(said)
        assert exchanged <= 4 * len(wishes) + 4
    assert sides[0].state is sides[1].state
    assert sides[0].state in {NO, YES}


# What is agreed to ----------------------------------------------------------------------------------------------------


def answered(octets: bytes, *, size: tuple[int, int] = (0, 0)) -> bytes:
    return Stream(*size).receive(octets)[1]


@pytest.mark.parametrize("code", range(256))
def test_b42_everything_but_four_options_is_refused(code: int) -> None:
    option = bytes((code,))
    we, they = code in {BINARY, SUPPRESS_GO_AHEAD}, code in {BINARY, ECHO, SUPPRESS_GO_AHEAD}
    assert answered(DO + option) == (WILL if we else WONT) + option
    assert answered(WILL + option) == (DO if they else DONT) + option
    assert answered(DONT + option) == b""
    assert answered(WONT + option) == b""


@pytest.mark.parametrize(
    ("name", "subnegotiation"),
    [
        ("TERMINAL-TYPE", b"\x18\x01"),
        ("TERMINAL-SPEED", b"\x20\x01"),
        ("X-DISPLAY-LOCATION", b"\x23\x01"),
        ("OLD-ENVIRON", b"\x24\x01"),
        ("NEW-ENVIRON", b"\x27\x01\x00USER\x03DISPLAY"),
        ("SEND-LOCATION", b"\x17\x01"),
        ("NAWS", b"\x1f"),
        ("STATUS", b"\x05\x01"),
        ("LINEMODE", b"\x22\x01\x03"),
        ("AUTHENTICATION", b"\x25\x01\x02\x00"),
    ],
)
def test_b42_whoever_asks_for_it_all_the_same_hears_nothing(name: str, subnegotiation: bytes) -> None:
    """The refusal, once; the question itself is never answered."""
    code = subnegotiation[:1]
    assert answered((DO + code) + (SB + subnegotiation + SE) * 200, size=(0, 0)) == WONT + code


def test_the_size_of_the_window_is_told_to_who_asks_for_it() -> None:
    stream = Stream(80, 24)
    assert stream.receive(DO + b"\x1f")[1] == WILL + b"\x1f" + SB + b"\x1f\x00\x50\x00\x18" + SE
    assert stream.receive(DO + b"\x1f")[1] == b""
    assert stream.resize(255, 65535) == SB + b"\x1f\x00\xff\xff\xff\xff\xff\xff" + SE
    assert stream.resize(100_000, -1) == SB + b"\x1f\xff\xff\xff\xff\x00\x00" + SE
    assert stream.receive(DONT + b"\x1f")[1] == WONT + b"\x1f"
    assert stream.resize(80, 24) == WILL + b"\x1f"  # it asked once, and may have changed its mind
    assert stream.receive(DONT + b"\x1f")[1] == b""


def test_the_size_is_offered_once_it_is_known_to_who_asked_before() -> None:
    stream = Stream()
    assert stream.resize(80, 24) == b""  # nobody asked
    stream = Stream()
    assert stream.receive(DO + b"\x1f")[1] == WONT + b"\x1f"
    assert stream.resize(0, 0) == b""
    assert stream.resize(80, 24) == WILL + b"\x1f"
    assert stream.resize(81, 24) == b""
    assert stream.receive(DO + b"\x1f")[1] == SB + b"\x1f\x00\x51\x00\x18" + SE


def test_binary_is_asked_for_in_both_directions_and_holds_once_it_is_agreed() -> None:
    stream = Stream()
    assert stream.binary(on=True) == WILL + b"\0" + DO + b"\0"
    assert stream.binary(on=True) == b""
    assert (stream.send(b"a\rb"), stream.line_end) == (b"a\r\0b", b"\r\n")
    assert stream.receive(b"\r\0" + DO + b"\0\r\0" + WILL + b"\0\r\0") == (b"\r\r\r\0", b"")
    assert (stream.send(b"a\rb\xff"), stream.line_end) == (b"a\rb\xff\xff", b"\r")
    assert stream.binary(on=False) == WONT + b"\0" + DONT + b"\0"
    assert stream.binary(on=True) == b""  # queued
    assert stream.receive(DONT + b"\0")[1] == WILL + b"\0"
    assert stream.receive(WONT + b"\0")[1] == DO + b"\0"


def test_whether_the_other_side_echoes() -> None:
    stream = Stream()
    echoes = [stream.echoes]
    for said, answer in ((WILL, DO), (WONT, DONT)):
        assert stream.receive(said + b"\x01")[1] == answer + b"\x01"
        echoes.append(stream.echoes)
    assert echoes == [False, True, False]


# The octets of a connection -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("received", "data"),
    [
        (b"plain", b"plain"),
        (b"a\xff\xffb", b"a\xffb"),
        (b"\xff\xff\xff\xff", b"\xff\xff"),
        (b"one\r\ntwo", b"one\r\ntwo"),
        (b"one\r\0two", b"one\rtwo"),
        (b"\r\0\0\r\r\0\n", b"\r\0\r\r\n"),
        (b"\r" + NOP + b"\0x", b"\rx"),
        (b"\r\xff\xff\0x", b"\r\xff\0x"),
        (b"\0\n\x80\xfe", b"\0\n\x80\xfe"),
        (b"a" + NOP + DM + AYT + GA + SE + b"b", b"ab"),
        (b"a" + SB + b"\x18\x01" + SE + b"b", b"ab"),
        (b"a" + SB + b"\x18\xff\xff\xff\xff\xf0" + SE + b"b", b"ab"),
        (b"a" + SB + SE + b"b", b"ab"),
        (b"a" + SB + b"\x18unfinished" + NOP + b"b", b"ab"),
        (b"a" + SB + b"\x18" + SB + b"\x18" + SE + b"b", b"ab"),
        (b"a" + DONT + b"\xff" + b"b", b"ab"),
    ],
)
def test_data_and_commands_are_told_apart_however_they_are_cut(received: bytes, data: bytes) -> None:
    assert Stream().receive(received)[0] == data
    for cut in range(len(received) + 1):
        stream = Stream()
        assert stream.receive(received[:cut])[0] + stream.receive(received[cut:])[0] == data
        assert not stream.unfinished


def test_a_subnegotiation_cut_short_by_a_command_is_over_and_the_command_counts() -> None:
    assert Stream().receive(SB + b"\x18\x00" + WILL + b"\x01" + b"x") == (b"x", DO + b"\x01")


@pytest.mark.parametrize("begun", [b"\xff", SB, SB + b"\x18", SB + b"\x18\xff", DO])
def test_a_command_that_has_begun_is_unfinished(begun: bytes) -> None:
    stream = Stream()
    stream.receive(b"data" + begun)
    assert stream.unfinished


PIECES = st.sampled_from(
    [
        *(b"\r", b"\n", b"\0", b"x", b"\xff\xff", b"\xff", b"\xf0", b"\x01", b"\x1f", b"\xfe"),
        *(SE, NOP, SB, WILL + b"\x01", WONT + b"\x01", DO + b"\0", DONT + b"\0", WILL + b"\0", DO + b"\x1f"),
    ]
)


@given(pieces=st.lists(PIECES | st.binary(min_size=1, max_size=3), max_size=40), cuts=st.lists(st.integers(0, 99)))
def test_whatever_comes_the_outcome_is_the_same_however_it_is_cut(pieces: list[bytes], cuts: list[int]) -> None:
    received = b"".join(pieces)
    whole, parts = Stream(80, 24), Stream(80, 24)
    expected = whole.receive(received)
    places = sorted({0, len(received), *(cut for cut in cuts if cut < len(received))})
    got = [parts.receive(received[start:end]) for start, end in itertools.pairwise(places)]
    assert (b"".join(data for data, _ in got), b"".join(answers for _, answers in got)) == expected
    assert whole.unfinished == parts.unfinished
    assert whole.send(b"\r\xff\n") == parts.send(b"\r\xff\n")


@given(octets=st.binary(max_size=200) | st.text("\r\n\0\xff", max_size=40).map(lambda text: text.encode("latin-1")))
def test_what_one_sends_the_other_reads_by_the_rules_of_the_nvt_and_in_binary(octets: bytes) -> None:
    here, there = Stream(), Stream()
    assert there.receive(here.send(octets)) == (octets, b"")
    there.receive(here.binary(on=True))
    here.receive(DO + b"\0" + WILL + b"\0")
    assert (here.line_end, there.theirs.has(BINARY)) == (b"\r", True)
    assert there.receive(here.send(octets)) == (octets, b"")


# B41: bounds ----------------------------------------------------------------------------------------------------------


def test_b41_at_most_64_answers_between_two_things_that_are_said() -> None:
    stream = Stream()
    storm = b"".join(DO + bytes((code,)) for code in range(100, 100 + ANSWERS))
    assert len(stream.receive(storm)[1]) == 3 * ANSWERS
    with pytest.raises(LimitExceeded, match="negotiates without end") as endless:
        stream.receive(WILL + b"\x42")
    assert (endless.value.limit, endless.value.value) == ("negotiation", 64)
    stream = Stream()
    stream.receive(storm)
    stream.send(b"")  # somebody typed: a service that switches ECHO for every password may go on
    assert stream.receive(storm)[1]


@pytest.mark.parametrize(
    "storm",
    [DO + b"\x18", (WILL + b"\x01") + (WONT + b"\x01"), DO + b"\x06", (DO + b"\x1f") + (DONT + b"\x1f")],
    ids=["the same question", "on and off", "timing marks", "the window on and off"],
)
def test_b41_a_loop_is_left(storm: bytes) -> None:
    stream = Stream(80, 24)
    with pytest.raises(LimitExceeded):
        stream.receive(storm * 65)


def test_b41_a_question_that_is_repeated_in_a_subnegotiation_costs_no_answer() -> None:
    """The TTYPE storm: it was refused, and then asked for a thousand times."""
    assert answered(DO + b"\x18" + (SB + b"\x18\x01" + SE) * 1000) == WONT + b"\x18"


@pytest.mark.parametrize("octet", [b"x", b"\xff\xff"], ids=["plain", "IAC IAC"])
def test_b41_a_subnegotiation_is_bounded_at_1_kib(octet: bytes) -> None:
    for chunk in (1, 3, 10_000):
        stream = Stream()
        fits = SB + octet * SUBNEGOTIATION
        for start in range(0, len(fits), chunk):
            stream.receive(fits[start : start + chunk])
        with pytest.raises(LimitExceeded, match="subnegotiation is longer than 1024") as endless:
            stream.receive(octet)
        assert endless.value.limit == "negotiation"


def test_b41_the_octets_of_two_subnegotiations_are_not_added_up() -> None:
    whole = SB + b"x" * SUBNEGOTIATION + SE
    assert Stream().receive(whole * 50) == (b"", b"")


def test_b41_commands_without_end_are_bounded_as_well() -> None:
    endless = b"".join((NOP * 8000, SB + b"x" * 1000 + SE, SB * 100, WONT + b"\x05"))
    stream = Stream()
    stream.receive(b"x" + endless * (COMMANDS // len(endless)))
    with pytest.raises(LimitExceeded, match="commands without end"):
        stream.receive(endless)
    for word in (b"x", b"\xff\xff"):
        stream = Stream()
        for _ in range(10):
            stream.receive(NOP * (COMMANDS // 2 - 1) + word)
    stream = Stream()
    for _ in range(10):
        stream.receive(NOP * (COMMANDS // 2))
        stream.send(b"")
