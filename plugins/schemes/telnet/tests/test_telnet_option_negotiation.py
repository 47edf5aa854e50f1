"""Option negotiation: the table of RFC 1143 section 7, row by row, and two sides that follow it."""

from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlschemes_telnet.option_negotiation import Option, State

EMPTY, OPPOSITE = False, True
NO, YES, WANTNO, WANTYES = State.NO, State.YES, State.WANTNO, State.WANTYES

Event = Literal["allowed on", "refused on", "off", "request on", "request off"]


# (state, queue bit, event) -> (state, queue bit, what is sent: True is WILL or DO, False WONT or DONT)
TABLE: dict[tuple[State, bool, Event], tuple[State, bool, bool | None]] = {
    # Upon receipt of WILL (remote side) or DO (local side).
    (NO, EMPTY, "allowed on"): (YES, EMPTY, True),
    (NO, EMPTY, "refused on"): (NO, EMPTY, False),
    (YES, EMPTY, "allowed on"): (YES, EMPTY, None),
    (YES, EMPTY, "refused on"): (YES, EMPTY, None),
    (WANTNO, EMPTY, "allowed on"): (NO, EMPTY, None),  # error: DONT answered by WILL
    (WANTNO, EMPTY, "refused on"): (NO, EMPTY, None),
    (WANTNO, OPPOSITE, "allowed on"): (YES, EMPTY, None),  # error: DONT answered by WILL
    (WANTNO, OPPOSITE, "refused on"): (YES, EMPTY, None),
    (WANTYES, EMPTY, "allowed on"): (YES, EMPTY, None),
    (WANTYES, EMPTY, "refused on"): (YES, EMPTY, None),
    (WANTYES, OPPOSITE, "allowed on"): (WANTNO, EMPTY, False),
    (WANTYES, OPPOSITE, "refused on"): (WANTNO, EMPTY, False),
    # Upon receipt of WONT or DONT.
    (NO, EMPTY, "off"): (NO, EMPTY, None),
    (YES, EMPTY, "off"): (NO, EMPTY, False),
    (WANTNO, EMPTY, "off"): (NO, EMPTY, None),
    (WANTNO, OPPOSITE, "off"): (WANTYES, EMPTY, True),
    (WANTYES, EMPTY, "off"): (NO, EMPTY, None),
    (WANTYES, OPPOSITE, "off"): (NO, EMPTY, None),
    # If this side requests the option.
    (NO, EMPTY, "request on"): (WANTYES, EMPTY, True),
    (YES, EMPTY, "request on"): (YES, EMPTY, None),
    (WANTNO, EMPTY, "request on"): (WANTNO, OPPOSITE, None),
    (WANTNO, OPPOSITE, "request on"): (WANTNO, OPPOSITE, None),
    (WANTYES, EMPTY, "request on"): (WANTYES, EMPTY, None),
    (WANTYES, OPPOSITE, "request on"): (WANTYES, EMPTY, None),
    # If this side requests its end.
    (NO, EMPTY, "request off"): (NO, EMPTY, None),
    (YES, EMPTY, "request off"): (WANTNO, EMPTY, False),
    (WANTNO, EMPTY, "request off"): (WANTNO, EMPTY, None),
    (WANTNO, OPPOSITE, "request off"): (WANTNO, EMPTY, None),
    (WANTYES, EMPTY, "request off"): (WANTYES, OPPOSITE, None),
    (WANTYES, OPPOSITE, "request off"): (WANTYES, OPPOSITE, None),
}


def happen(option: Option, event: Event) -> bool | None:
    if event.startswith("request"):
        return option.request(on=event == "request on")
    option.allowed = event != "refused on"
    return option.receive(on=event != "off")


def test_the_table_has_a_row_for_every_state_and_event() -> None:
    states = [(NO, EMPTY), (YES, EMPTY), (WANTNO, EMPTY), (WANTNO, OPPOSITE), (WANTYES, EMPTY), (WANTYES, OPPOSITE)]
    events = ("allowed on", "refused on", "off", "request on", "request off")
    assert set(TABLE) == {(*state, event) for state in states for event in events}


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row[0].name} {'OPPOSITE' if row[1] else 'EMPTY'} {row[2]}")
def test_an_option_follows_the_table_of_rfc_1143(row: tuple[State, bool, Event]) -> None:
    option = Option()
    option.state, option.opposite = row[0], row[1]
    sent = happen(option, row[2])
    assert (option.state, option.opposite, sent) == TABLE[row]


@given(events=st.lists(st.sampled_from(["allowed on", "refused on", "off", "request on", "request off"]), max_size=30))
def test_the_queue_bit_is_set_only_while_waiting_for_an_answer(events: list[Event]) -> None:
    option = Option()
    for event in events:
        happen(option, event)
        assert not option.opposite or option.state in {WANTNO, WANTYES}


@given(
    requests=st.lists(st.tuples(st.booleans(), st.booleans()), max_size=20),
    allowed=st.tuples(st.booleans(), st.booleans()),
    order=st.randoms(use_true_random=False),
)
def test_two_sides_end_in_agreement_and_without_a_loop(
    requests: list[tuple[bool, bool]], allowed: tuple[bool, bool], order: object
) -> None:
    """Whatever each side requests, and in whatever order the messages arrive (RFC 1143 section 6)."""
    sides = (Option(allowed=allowed[0]), Option(allowed=allowed[1]))
    in_transit: tuple[list[bool], list[bool]] = ([], [])  # messages to each side
    left = list(requests)
    exchanged = 0
    while left or any(in_transit):
        choices = ["request"] * bool(left) + [side for side in (0, 1) if in_transit[side]]
        choice = order.choice(choices)  # type: ignore[attr-defined]
        if choice == "request":
            first, wanted = left.pop()
            side = int(first)
            sent = sides[side].request(on=wanted)
        else:
            side = choice
            sent = sides[side].receive(on=in_transit[side].pop(0))
            exchanged += 1
        if sent is not None:
            in_transit[1 - side].append(sent)
        assert exchanged <= 4 * len(requests) + 4
    assert sides[0].state is sides[1].state
    assert sides[0].state in {NO, YES}
