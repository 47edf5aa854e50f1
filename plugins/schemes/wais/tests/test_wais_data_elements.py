"""Compressed integers, elements and numbers: encoding, decoding, and octets that are neither."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlschemes_access.errors import ProtocolError
from urlschemes_wais.connection import build_apdu
from urlschemes_wais.data_elements import ElementReader, decode_number, encode_element, encode_integer, encode_number


@pytest.mark.parametrize(
    ("value", "octets"),
    [
        (0, "00"),
        (1, "01"),
        (127, "7f"),
        (128, "8100"),
        (150, "8116"),
        (563, "8433"),
        (16383, "ff7f"),
        (16384, "818000"),
    ],
)
def test_compressed_integers(value: int, octets: str) -> None:
    assert encode_integer(value).hex() == octets
    assert ElementReader(bytes.fromhex(octets), "a test").compressed_integer() == value
    assert ElementReader(b"\x80\x80" + bytes.fromhex(octets), "a test").compressed_integer() == value  # padded


def test_numbers_are_unsigned_and_minimal() -> None:
    assert encode_number(120, 144).hex() == "780190"
    assert encode_number(118, 0).hex() == "760100"
    assert encode_number(118, 0x80000000).hex() == "760480000000"
    assert decode_number(b"\xff\xff\xff\xff", "a test") == 2**32 - 1
    assert decode_number(b"", "a test") == 0
    assert decode_number(bytes(7) + b"\x21", "a test") == 33  # as the specification prints it in its appendix B.4


@given(st.integers(0, 2**63))
def test_an_encoded_integer_decodes_to_itself(value: int) -> None:
    assert ElementReader(encode_integer(value), "a test").compressed_integer() == value
    ((tag, octets),) = ElementReader(encode_number(7, value), "a test").elements()
    assert (tag, decode_number(octets, "a test")) == (7, value)


@given(st.lists(st.tuples(st.integers(0, 2**20), st.binary(max_size=300))))
def test_encoded_elements_decode_to_themselves(elements: list[tuple[int, bytes]]) -> None:
    octets = b"".join(encode_element(tag, value) for tag, value in elements)
    assert list(ElementReader(octets, "a test").elements()) == elements


@given(st.binary(max_size=400))
def test_an_apdu_splits_into_header_and_information(octets: bytes) -> None:
    cursor = ElementReader(build_apdu(b"\x17" + octets, b"rest"), "a test")
    assert cursor.take(cursor.integer(2)) == b"\x17" + octets
    assert cursor.take(cursor.left) == b"rest"


@pytest.mark.fault(44)
@pytest.mark.parametrize(
    "octets",
    [
        "01",  # a tag without a length
        "81",  # a tag that does not end
        "0105ff",  # more announced than there is
        "01ffffffff7f",
        "80" * 11 + "01",  # a tag of twelve octets
        "01" + "ff" * 300,
    ],
)
def test_an_element_that_is_cut_is_an_error(octets: str) -> None:
    with pytest.raises(ProtocolError):
        list(ElementReader(bytes.fromhex(octets), "a test").elements())
