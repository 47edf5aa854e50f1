"""Requests as they are sent, and responses: attributes, links, warnings, refusals, and any octets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlschemes.errors import URLError
from urlschemes_access.errors import AuthRequired, ProtocolError, RemoteError
from urlschemes_prospero import ProsperoURL
from urlschemes_prospero.listing import attributes_of, link_entry
from urlschemes_prospero.request import list_request, object_info_request
from urlschemes_prospero.response import Attribute, Forwarded, parse_response
from urlschemes_prospero.tokens import quote

URL = ProsperoURL.parse("prospero://host.dom//pub/name")
PREAMBLE = b"VERSION 5\nAUTHENTICATE '' UNAUTHENTICATED anonymous\n"


def test_requests_are_written_by_the_specification() -> None:
    assert object_info_request(b"#ALL", b"/a b", 0) == PREAMBLE + b"GET-OBJECT-INFO #ALL ASCII '/a b' 0\n"
    assert object_info_request(b"CONTENTS", b"a", 3) == PREAMBLE + b"GET-OBJECT-INFO CONTENTS ASCII a 3\n"
    assert list_request(b"/a", 0) == PREAMBLE + b"DIRECTORY ASCII '/a'\nLIST ATTRIBUTES COMPONENTS\n"
    assert list_request(b"/a", 7) == PREAMBLE + b"DIRECTORY ASCII '/a' 7\nLIST ATTRIBUTES COMPONENTS\n"
    assert list_request(b"", 0) == PREAMBLE + b"DIRECTORY ASCII ''\nLIST ATTRIBUTES COMPONENTS\n"


def test_an_attribute_may_have_a_type_before_its_values() -> None:
    response = parse_response(
        b"ATTRIBUTE OBJECT FIELD ACCESS-METHOD AFTP INTERNET-D '' ASCII /a TEXT\n"
        b"ATTRIBUTE OBJECT INTRINSIC Size SEQUENCE 21' bytes'\n"
        b"ATTRIBUTE OBJECT FIELD owner SEQUENCE joe\n"
        b"ATTRIBUTE OBJECT APPLICATION EMPTY SEQUENCE\n"
        b"ATTRIBUTE> OBJECT FIELD INNER x\n"
    )
    assert response.values("ACCESS-METHOD") == [(b"AFTP", b"INTERNET-D", b"", b"ASCII", b"/a", b"TEXT")]
    assert (response.values("SIZE"), response.values("OWNER"), response.values("EMPTY")) == (
        [(b"21 bytes",)],
        [(b"joe",)],
        [()],
    )
    assert response.values("INNER") == []


def test_attributes_after_a_link_belong_to_it() -> None:
    response = parse_response(
        b"LINK L FILE a INTERNET-D h ASCII a 0\nATTRIBUTE CACHED FIELD X 1\nATTRIBUTE OBJECT FIELD Y 2\n"
        b"LINK L FILE b INTERNET-D h ASCII b 0\n"
    )
    first, second = response.links
    assert first.attributes == [Attribute("X", (b"1",)), Attribute("Y", (b"2",))]
    assert (second.attributes, response.attributes) == ([], [])


def test_lines_without_information_are_ignored() -> None:
    response = parse_response(b"VERSION 5 P53.17May94b\nAUTHENTICATED\nID REMOTE 7\nSUCCESS\nNONE-FOUND\n")
    assert not response.links
    assert not response.attributes


def test_a_warning_is_one_printable_line() -> None:
    assert parse_response(b"WARNING MESSAGE 'down\n tomorrow\x1b[2J'\n").warnings == [
        "MESSAGE down\\x0a tomorrow\\x1b[2J"
    ]


def test_forwarded_has_the_new_location() -> None:
    assert parse_response(
        b"FORWARDED INTERNET-D h.dom(1526) ASCII '/a' 0 DEST-EXP x\nID REMOTE 4\n"
    ).forwarded == Forwarded(b"INTERNET-D", b"h.dom(1526)", b"ASCII", b"/a", b"0")


@pytest.mark.parametrize(
    ("text", "status", "temporary"),
    [
        (b"FAILURE NOT-FOUND\n", "NOT-FOUND", False),
        (b"FAILURE NOT-FOUND FILE", "NOT-FOUND", False),
        (b"FAILURE SERVER-FAILED 'out of memory'\n", "SERVER-FAILED", True),
        (b"FAILURE", "FAILURE", False),
        (b"ERROR Unknown message: BOGUS\n", "ERROR", False),
        (b"VERSION-NOT-SUPPORTED TRY 1-5", "VERSION-NOT-SUPPORTED", False),
        (b"LINK L FILE a INTERNET-D h ASCII a 0\nFAILURE SERVER-FAILED\n", "SERVER-FAILED", True),
    ],
)
def test_a_refusal_is_a_remote_error(text: bytes, status: str, temporary: bool) -> None:
    with pytest.raises(RemoteError) as refusal:
        parse_response(text)
    assert (refusal.value.status, refusal.value.temporary) == (status, temporary)


@pytest.mark.parametrize("code", [b"AUTHENTICATION-REQUIRED", b"AUTHENTICATION-DATA expired"])
def test_a_required_login_raises_auth_required(code: bytes) -> None:
    with pytest.raises(AuthRequired):
        parse_response(b"FAILURE " + code)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\n",
        b"220 ready\r\n",
        b"FORWARDED INTERNET-D h\n",
        b"ATTRIBUTE OBJECT FIELD\n",
        b"FAILURE 'open",
        bytes(99),
    ],
)
def test_an_invalid_response_is_a_protocol_error(text: bytes) -> None:
    with pytest.raises(ProtocolError):
        parse_response(text)


def test_the_text_of_an_error_is_printable() -> None:
    for text in (b"FAILURE X '\x1b[2J\nevil\xe2\x80\xae'", b"\x1b[2J\x00evil"):
        with pytest.raises(URLError) as refusal:
            parse_response(text)
        assert str(refusal.value).isprintable()
        assert "evil" in str(refusal.value)


WORDS = st.sampled_from(
    [b"LINK", b"ATTRIBUTE", b"OBJECT", b"FORWARDED", b"WARNING", b"FAILURE", b"FIELD", b"L", b"SIZE"]
)


@given(st.lists(st.lists(WORDS | st.binary(max_size=6), max_size=11)))
def test_any_response_is_parsed_or_refused(tokens: list[list[bytes]]) -> None:
    try:
        response = parse_response(b"\n".join(b" ".join(map(quote, line)) for line in tokens))
    except URLError:
        return
    attributes_of(response.attributes, URL)
    for link in response.links:
        link_entry(link, URL)
