"""Parsing responses: records, diagnostics, and octets that are not a response."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlschemes.errors import URLError
from urlschemes_access.errors import ProtocolError, RemoteError
from urlschemes_wais.connection import build_apdu
from urlschemes_wais.data_elements import encode_element, encode_number
from urlschemes_wais.response import (
    Diagnostic,
    DocumentHeader,
    DocumentText,
    SearchResponse,
    parse_init_response,
    parse_search_response,
)


def response(*records: bytes, status: int = 0) -> bytes:
    """The body of a response to a search with `records`."""
    header = bytes([0x17, status]) + bytes(9) + encode_number(27, 0)
    return build_apdu(header, encode_element(99, b"".join(records)))


def diagnostic(code: bytes, words: bytes, end: bytes = b"\x1d") -> bytes:
    octets = code + words + b"\x00"
    return b"\x1c" + len(octets).to_bytes(2, "big") + octets + end


@pytest.mark.fault(44)
@pytest.mark.parametrize(
    "body",
    [
        b"\x00",
        b"\x00\x00",
        b"\x00\x05\x17",
        b"\xff\xff\x17\x00",
        build_apdu(b"\x17\x00", b""),  # the fixed fields are cut
        build_apdu(b"\x15\x01", b""),  # a response to Init
        build_apdu(b"\x17" + bytes(10) + b"\x1b\x05\x00", b""),
        build_apdu(b"\x17" + bytes(10), encode_element(98, b"")),
        build_apdu(b"\x17" + bytes(10), encode_element(99, b"") + b"\x00"),
        build_apdu(b"\x17" + bytes(10), b"\x63\x82\x00"),
        response(b"\x81\x16\x05abc"),
        response(encode_element(150, b"\x74\x05abc")),
        response(encode_element(150, encode_element(132, b"\x85"))),
        response(encode_element(150, encode_element(118, bytes(9)))),  # a number of nine octets
        response(encode_element(153, encode_element(116, b"id"))),  # a text without a text
        response(b"\x1c\x00"),
        response(b"\x1c\xff\xffS1"),
        response(b"\x1c\x00\x01S"),
    ],
)
def test_an_invalid_response_is_an_error(body: bytes) -> None:
    with pytest.raises(ProtocolError) as caught:
        parse_search_response(body)
    assert caught.value.where


def test_unknown_records_and_elements_are_ignored() -> None:
    record = encode_element(150, encode_element(116, b"id") + encode_element(199, b"?") + encode_element(123, b"News"))
    known = DocumentHeader(identifier=b"id", headline=b"News")
    assert parse_search_response(
        response(encode_element(155, b"codes"), encode_element(200, b"?"), record)
    ).headers == (known,)


def test_a_response_may_have_no_records() -> None:
    assert parse_search_response(build_apdu(b"\x17" + bytes(10), b"")) == SearchResponse()
    assert parse_search_response(response()) == SearchResponse()


def test_the_end_mark_of_a_diagnostic_may_be_missing() -> None:
    text = encode_element(153, encode_element(116, b"id") + encode_element(127, b"octets"))
    for end in (b"\x1d", b""):
        parsed = parse_search_response(response(encode_element(115, b"words"), diagnostic(b"S2", b"Busy", end), text))
        assert parsed == SearchResponse((), (DocumentText(b"id", b"octets"),), (Diagnostic("S2", "Busy"),), b"words")


@pytest.mark.parametrize(("code", "temporary"), [("S1", False), ("S2", True), ("SV", True), ("T2", False)])
def test_a_diagnostic_that_may_pass_is_temporary(code: str, temporary: bool) -> None:
    error = Diagnostic(code, "No\x1b[2J.\nReally").error()
    assert isinstance(error, RemoteError)
    assert (error.status, error.temporary) == (code, temporary)
    assert str(error) == f"the server refused: No\\x1b[2J.\\x0aReally ({code})"


def problems_of(body: bytes) -> list[str]:
    """The messages of the errors that the parsers raise for a body."""
    problems = []
    for parse in (parse_search_response, parse_init_response):
        try:
            parse(body)
        except URLError as error:
            problems.append(str(error))
    return problems


@given(st.binary(max_size=600))
def test_random_octets_raise_only_typed_errors(octets: bytes) -> None:
    for body in (
        octets,
        response(octets),
        response(encode_element(150, octets)),
        response(encode_element(153, octets)),
    ):
        assert all(problem.isascii() and problem.isprintable() for problem in problems_of(body))


@given(st.data())
def test_a_response_with_a_few_octets_changed_raises_only_typed_errors(data: st.DataObject) -> None:
    record = encode_element(
        150, encode_element(116, b"id") + encode_number(118, 5) + encode_element(132, encode_element(133, b"TEXT"))
    )
    octets = bytearray(response(record, diagnostic(b"S1", b"no")))
    for place in data.draw(st.lists(st.integers(0, len(octets) - 1), min_size=1, max_size=4)):
        octets[place] = data.draw(st.integers(0, 255))
    assert all(problem.isascii() and problem.isprintable() for problem in problems_of(bytes(octets)))


def test_parsing_takes_linear_time() -> None:
    record = encode_element(150, encode_element(116, b"id") + encode_element(123, b"x"))

    def steps(count: int) -> int:
        """The number of function calls to parse so many records."""
        body = response(record * count)
        calls = 0

        def counting(*_: object) -> None:
            nonlocal calls
            calls += 1

        sys.setprofile(counting)
        try:
            parse_search_response(body)
        finally:
            sys.setprofile(None)
        return calls

    assert steps(10_000) < 11 * steps(1000)
