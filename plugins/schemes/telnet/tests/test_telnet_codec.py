"""The codec: which options are agreed to, data and commands cut everywhere, and the limits of negotiation."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlschemes_access.errors import LimitExceeded
from urlschemes_telnet.codec import MAX_ANSWERS, MAX_COMMAND_OCTETS, MAX_SUBNEGOTIATION, TelnetCodec
from urlschemes_telnet.option_negotiation import BINARY, ECHO, SUPPRESS_GO_AHEAD

SE, NOP, DM, IP, AYT, GA = b"\xff\xf0", b"\xff\xf1", b"\xff\xf2", b"\xff\xf4", b"\xff\xf6", b"\xff\xf9"
SB, WILL, WONT, DO, DONT = b"\xff\xfa", b"\xff\xfb", b"\xff\xfc", b"\xff\xfd", b"\xff\xfe"

# Options --------------------------------------------------------------------------------------------------------------


def answered(octets: bytes, *, size: tuple[int, int] = (0, 0)) -> bytes:
    return TelnetCodec(*size).decode(octets)[1]


@pytest.mark.fault(42)
@pytest.mark.parametrize("code", range(256))
def test_all_options_but_binary_echo_and_go_ahead_are_refused(code: int) -> None:
    option = bytes((code,))
    local, remote = code in {BINARY, SUPPRESS_GO_AHEAD}, code in {BINARY, ECHO, SUPPRESS_GO_AHEAD}
    assert answered(DO + option) == (WILL if local else WONT) + option
    assert answered(WILL + option) == (DO if remote else DONT) + option
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
def test_a_subnegotiation_of_a_refused_option_is_not_answered(name: str, subnegotiation: bytes) -> None:
    code = subnegotiation[:1]
    assert answered((DO + code) + (SB + subnegotiation + SE) * 200, size=(0, 0)) == WONT + code


def test_the_window_size_is_sent_to_a_service_that_asks() -> None:
    codec = TelnetCodec(80, 24)
    assert codec.decode(DO + b"\x1f")[1] == WILL + b"\x1f" + SB + b"\x1f\x00\x50\x00\x18" + SE
    assert codec.decode(DO + b"\x1f")[1] == b""
    assert codec.resize(255, 65535) == SB + b"\x1f\x00\xff\xff\xff\xff\xff\xff" + SE
    assert codec.resize(100_000, -1) == SB + b"\x1f\xff\xff\xff\xff\x00\x00" + SE
    assert codec.decode(DONT + b"\x1f")[1] == WONT + b"\x1f"
    assert codec.resize(80, 24) == WILL + b"\x1f"  # it asked once, and may ask again
    assert codec.decode(DONT + b"\x1f")[1] == b""


def test_the_window_size_is_offered_once_it_is_known() -> None:
    codec = TelnetCodec()
    assert codec.resize(80, 24) == b""  # the service has not asked
    codec = TelnetCodec()
    assert codec.decode(DO + b"\x1f")[1] == WONT + b"\x1f"
    assert codec.resize(0, 0) == b""
    assert codec.resize(80, 24) == WILL + b"\x1f"
    assert codec.resize(81, 24) == b""
    assert codec.decode(DO + b"\x1f")[1] == SB + b"\x1f\x00\x51\x00\x18" + SE


def test_the_name_of_the_terminal_and_then_the_window_size_are_sent_to_a_service_that_asks() -> None:
    codec = TelnetCodec(80, 24, "xterm-256color")
    send, name = SB + b"\x18\x01" + SE, SB + b"\x18\x00xterm-256color" + SE
    assert codec.decode(send)[1] == b""  # not agreed yet
    assert codec.decode(DO + b"\x18")[1] == WILL + b"\x18" + WILL + b"\x1f"
    assert codec.decode(send + DO + b"\x1f")[1] == name + SB + b"\x1f\x00\x50\x00\x18" + SE
    assert codec.decode(send)[1] == name  # the list of names has one, which is repeated (RFC 1091)
    for other in (b"\x18\x00vt100", b"\x18", b"\x18\x01\x01", b"\x27\x01"):
        assert codec.decode(SB + other + SE)[1] == b""
    assert codec.decode(DONT + b"\x18" + send)[1] == WONT + b"\x18"
    assert codec.decode(DONT + b"\x1f" + DO + b"\x18")[1] == WONT + b"\x1f" + WILL + b"\x18" + WILL + b"\x1f"
    assert TelnetCodec(0, 0, "vt100").decode(DO + b"\x18")[1] == WILL + b"\x18"


def test_a_service_that_asks_for_the_terminal_without_end_exceeds_a_limit() -> None:
    codec = TelnetCodec(80, 24, "vt100")
    assert (
        codec.decode(DO + b"\x18" + (SB + b"\x18\x01" + SE) * (MAX_ANSWERS - 1))[1].count(b"vt100") == MAX_ANSWERS - 1
    )
    with pytest.raises(LimitExceeded, match="negotiates endlessly"):
        codec.decode(SB + b"\x18\x01" + SE)


def test_binary_is_requested_in_both_directions_and_applies_once_it_is_agreed() -> None:
    codec = TelnetCodec()
    assert codec.binary(on=True) == WILL + b"\0" + DO + b"\0"
    assert codec.binary(on=True) == b""
    assert (codec.encode(b"a\rb"), codec.line_end) == (b"a\r\0b", b"\r\n")
    assert codec.decode(b"\r\0" + DO + b"\0\r\0" + WILL + b"\0\r\0") == (b"\r\r\r\0", b"")
    assert (codec.encode(b"a\rb\xff"), codec.line_end) == (b"a\rb\xff\xff", b"\r")
    assert codec.binary(on=False) == WONT + b"\0" + DONT + b"\0"
    assert codec.binary(on=True) == b""  # queued
    assert codec.decode(DONT + b"\0")[1] == WILL + b"\0"
    assert codec.decode(WONT + b"\0")[1] == DO + b"\0"


def test_echoes_tells_whether_the_service_echoes() -> None:
    codec = TelnetCodec()
    echoes = [codec.echoes]
    for command, answer in ((WILL, DO), (WONT, DONT)):
        assert codec.decode(command + b"\x01")[1] == answer + b"\x01"
        echoes.append(codec.echoes)
    assert echoes == [False, True, False]


# Data and commands ----------------------------------------------------------------------------------------------------


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
        (b"\r" + WILL + b"\0a" + WONT + b"\0\0", b"\ra\0"),
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
def test_data_and_commands_are_separated_however_they_are_cut(received: bytes, data: bytes) -> None:
    assert TelnetCodec().decode(received)[0] == data
    for cut in range(len(received) + 1):
        codec = TelnetCodec()
        assert codec.decode(received[:cut])[0] + codec.decode(received[cut:])[0] == data
        assert not codec.unfinished


def test_a_command_ends_a_subnegotiation_and_is_executed() -> None:
    assert TelnetCodec().decode(SB + b"\x18\x00" + WILL + b"\x01" + b"x") == (b"x", DO + b"\x01")


@pytest.mark.parametrize("begun", [b"\xff", SB, SB + b"\x18", SB + b"\x18\xff", DO])
def test_an_incomplete_command_is_unfinished(begun: bytes) -> None:
    codec = TelnetCodec()
    codec.decode(b"data" + begun)
    assert codec.unfinished


PIECES = st.sampled_from(
    [
        *(b"\r", b"\n", b"\0", b"x", b"\xff\xff", b"\xff", b"\xf0", b"\x01", b"\x1f", b"\xfe"),
        *(
            SE,
            NOP,
            SB,
            WILL + b"\x01",
            WONT + b"\x01",
            DO + b"\0",
            DONT + b"\0",
            WILL + b"\0",
            DO + b"\x1f",
            DO + b"\x18",
        ),
        SB + b"\x18\x01" + SE,
    ]
)


@pytest.mark.fault(52)
@given(pieces=st.lists(PIECES | st.binary(min_size=1, max_size=3), max_size=40), cuts=st.lists(st.integers(0, 99)))
def test_any_octets_are_decoded_the_same_however_they_are_cut(pieces: list[bytes], cuts: list[int]) -> None:
    received = b"".join(pieces)
    whole, parts = TelnetCodec(80, 24, "vt100"), TelnetCodec(80, 24, "vt100")
    expected = whole.decode(received)
    places = sorted({0, len(received), *(cut for cut in cuts if cut < len(received))})
    got = [parts.decode(received[start:end]) for start, end in itertools.pairwise(places)]
    assert (b"".join(data for data, _ in got), b"".join(answers for _, answers in got)) == expected
    assert whole.unfinished == parts.unfinished
    assert whole.encode(b"\r\xff\n") == parts.encode(b"\r\xff\n")


@given(octets=st.binary(max_size=200) | st.text("\r\n\0\xff", max_size=40).map(lambda text: text.encode("latin-1")))
def test_encoded_octets_decode_to_themselves_in_the_nvt_and_in_binary(octets: bytes) -> None:
    here, there = TelnetCodec(), TelnetCodec()
    assert there.decode(here.encode(octets)) == (octets, b"")
    there.decode(here.binary(on=True))
    here.decode(DO + b"\0" + WILL + b"\0")
    assert (here.line_end, there.remote.has(BINARY)) == (b"\r", True)
    assert there.decode(here.encode(octets)) == (octets, b"")


# Limits ---------------------------------------------------------------------------------------------------------------


@pytest.mark.fault(41)
def test_at_most_64_answers_are_sent_between_two_calls() -> None:
    codec = TelnetCodec()
    storm = b"".join(DO + bytes((code,)) for code in range(100, 100 + MAX_ANSWERS))
    assert len(codec.decode(storm)[1]) == 3 * MAX_ANSWERS
    with pytest.raises(LimitExceeded, match="negotiates endlessly") as endless:
        codec.decode(WILL + b"\x42")
    assert (endless.value.limit, endless.value.value) == ("negotiation", 64)
    codec = TelnetCodec()
    codec.decode(storm)
    for call in (
        lambda: codec.encode(b""),
        codec.interrupt,
        lambda: codec.resize(80, 24),
        lambda: codec.binary(on=True),
    ):
        call()  # a service that switches ECHO for every password may continue
        assert codec.decode(storm)[1]


@pytest.mark.fault(41)
@pytest.mark.parametrize(
    "storm",
    [DO + b"\x18", (WILL + b"\x01") + (WONT + b"\x01"), DO + b"\x06", (DO + b"\x1f") + (DONT + b"\x1f")],
    ids=["the same request", "on and off", "timing marks", "the window on and off"],
)
def test_a_negotiation_loop_exceeds_a_limit(storm: bytes) -> None:
    codec = TelnetCodec(80, 24)
    with pytest.raises(LimitExceeded):
        codec.decode(storm * 65)


def test_repeated_subnegotiations_need_no_answers() -> None:
    assert answered(DO + b"\x18" + (SB + b"\x18\x01" + SE) * 1000) == WONT + b"\x18"


@pytest.mark.fault(41)
@pytest.mark.parametrize("octet", [b"x", b"\xff\xff"], ids=["plain", "IAC IAC"])
def test_a_subnegotiation_has_at_most_1_kib(octet: bytes) -> None:
    for chunk in (1, 3, 10_000):
        codec = TelnetCodec()
        fits = SB + octet * MAX_SUBNEGOTIATION
        for start in range(0, len(fits), chunk):
            codec.decode(fits[start : start + chunk])
        with pytest.raises(LimitExceeded, match="subnegotiation longer than 1024") as endless:
            codec.decode(octet)
        assert endless.value.limit == "negotiation"


def test_the_limit_applies_to_each_subnegotiation() -> None:
    whole = SB + b"x" * MAX_SUBNEGOTIATION + SE
    assert TelnetCodec().decode(whole * 50) == (b"", b"")


def test_commands_without_data_are_limited() -> None:
    endless = b"".join((NOP * 8000, SB + b"x" * 1000 + SE, SB * 100, WONT + b"\x05"))
    codec = TelnetCodec()
    codec.decode(b"x" + endless * (MAX_COMMAND_OCTETS // len(endless)))
    with pytest.raises(LimitExceeded, match="octets of commands without data"):
        codec.decode(endless)
    for word in (b"x", b"\xff\xff"):
        codec = TelnetCodec()
        for _ in range(2):
            codec.decode(NOP * (MAX_COMMAND_OCTETS // 2 - 1) + word)
    codec = TelnetCodec()
    for call in (
        lambda: codec.encode(b""),
        codec.interrupt,
        lambda: codec.binary(on=True),
        lambda: codec.resize(80, 24),
    ):
        codec.decode(NOP * (MAX_COMMAND_OCTETS // 2))
        call()
