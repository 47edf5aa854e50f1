"""Requests: their limits, and identifiers of any octets. The octets of whole requests are in test_wais_captured.py."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlschemes.errors import UnsafeURL
from urlschemes_wais.connection import build_message
from urlschemes_wais.data_elements import ElementReader
from urlschemes_wais.request import DocumentPart, retrieval_request, search_request


def test_a_request_that_is_too_long_is_refused() -> None:
    with pytest.raises(UnsafeURL):
        search_request(b"x" * 65_536, b"")
    with pytest.raises(UnsafeURL):
        retrieval_request(b"db", b"x" * 100_000, b"TEXT", DocumentPart(0, 1))
    with pytest.raises(UnsafeURL):
        build_message(bytes(100_001))


@given(st.binary(max_size=300), st.binary(max_size=50), st.integers(0, 10**9))
def test_identifier_and_type_are_sent_unchanged(document: bytes, wtype: bytes, start: int) -> None:
    octets = retrieval_request(b"db", document, wtype, DocumentPart(start, start + 5))
    assert int(octets[:10]) == len(octets) - 25
    body = ElementReader(octets[25:], "a test")
    body.take(body.integer(2))
    ((tag, query),) = body.elements()
    terms = [value for tag, value in ElementReader(query, "a test").elements() if tag == 45]
    assert (tag, terms) == (21, [document, wtype, b"%d" % start, b"%d" % (start + 5)])
