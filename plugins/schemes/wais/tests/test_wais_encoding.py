"""Compressed integers, elements, APDUs: there and back, and what no octets can do to a reader."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlschemes.errors import UnsafeURL, URLError
from urlschemes_access.errors import ProtocolError, RemoteError
from urlschemes_wais import queries
from urlschemes_wais.answers import Diagnostic, Header, SearchAnswer, Text, init_answer, search_answer
from urlschemes_wais.documents import identifier_of
from urlschemes_wais.encoding import Cursor, compressed, element, number, number_of
from urlschemes_wais.messages import apdu, message
from urlschemes_wais.queries import Part


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
    assert compressed(value).hex() == octets
    assert Cursor(bytes.fromhex(octets), "a test").compressed() == value
    assert Cursor(b"\x80\x80" + bytes.fromhex(octets), "a test").compressed() == value  # padded


def test_numbers_are_unsigned_and_minimal() -> None:
    assert number(120, 144).hex() == "780190"
    assert number(118, 0).hex() == "760100"
    assert number(118, 0x80000000).hex() == "760480000000"
    assert number_of(b"\xff\xff\xff\xff", "a test") == 2**32 - 1
    assert number_of(b"", "a test") == 0
    assert number_of(bytes(7) + b"\x21", "a test") == 33  # as the specification prints it in its appendix B.4


@given(st.integers(0, 2**63))
def test_integers_come_back(value: int) -> None:
    assert Cursor(compressed(value), "a test").compressed() == value
    ((tag, octets),) = Cursor(number(7, value), "a test").elements()
    assert (tag, number_of(octets, "a test")) == (7, value)


@given(st.lists(st.tuples(st.integers(0, 2**20), st.binary(max_size=300))))
def test_elements_come_back(elements: list[tuple[int, bytes]]) -> None:
    octets = b"".join(element(tag, value) for tag, value in elements)
    assert list(Cursor(octets, "a test").elements()) == elements


@given(st.binary(max_size=400))
def test_a_header_of_an_apdu_and_what_follows_come_back(octets: bytes) -> None:
    cursor = Cursor(apdu(b"\x17" + octets, b"rest"), "a test")
    assert cursor.take(cursor.integer(2)) == b"\x17" + octets
    assert cursor.take(cursor.left) == b"rest"


# --- what goes beyond its end -----------------------------------------------------------------------------------------


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
def test_an_element_beyond_its_end_is_an_error(octets: str) -> None:  # B44
    with pytest.raises(ProtocolError):
        list(Cursor(bytes.fromhex(octets), "a test").elements())


def found(*records: bytes, status: int = 0) -> bytes:
    """The body of an answer to a search that holds `records`."""
    header = bytes([0x17, status]) + bytes(9) + number(27, 0)
    return apdu(header, element(99, b"".join(records)))


def diagnostic(code: bytes, words: bytes, end: bytes = b"\x1d") -> bytes:
    said = code + words + b"\x00"
    return b"\x1c" + len(said).to_bytes(2, "big") + said + end


@pytest.mark.parametrize(
    "body",
    [
        b"\x00",
        b"\x00\x00",
        b"\x00\x05\x17",
        b"\xff\xff\x17\x00",
        apdu(b"\x17\x00", b""),  # the fixed fields are cut
        apdu(b"\x15\x01", b""),  # an answer to Init
        apdu(b"\x17" + bytes(10) + b"\x1b\x05\x00", b""),
        apdu(b"\x17" + bytes(10), element(98, b"")),
        apdu(b"\x17" + bytes(10), element(99, b"") + b"\x00"),
        apdu(b"\x17" + bytes(10), b"\x63\x82\x00"),
        found(b"\x81\x16\x05abc"),
        found(element(150, b"\x74\x05abc")),
        found(element(150, element(132, b"\x85"))),
        found(element(150, element(118, bytes(9)))),  # a number of nine octets
        found(element(153, element(116, b"id"))),  # a text without a text
        found(b"\x1c\x00"),
        found(b"\x1c\xff\xffS1"),
        found(b"\x1c\x00\x01S"),
    ],
)
def test_an_answer_that_is_none_is_an_error(body: bytes) -> None:
    with pytest.raises(ProtocolError) as caught:
        search_answer(body)
    assert caught.value.where


def test_what_is_unknown_is_passed_over() -> None:
    header = element(150, element(116, b"id") + element(199, b"?") + element(123, b"News"))
    known = Header(identifier=b"id", headline=b"News")
    assert search_answer(found(element(155, b"codes"), element(200, b"?"), header)).headers == (known,)


def test_an_answer_may_have_no_records() -> None:
    assert search_answer(apdu(b"\x17" + bytes(10), b"")) == SearchAnswer()
    assert search_answer(found()) == SearchAnswer()


def test_the_mark_behind_a_diagnostic_may_be_missing() -> None:
    text = element(153, element(116, b"id") + element(127, b"octets"))
    for end in (b"\x1d", b""):
        answer = search_answer(found(element(115, b"words"), diagnostic(b"S2", b"Busy", end), text))
        assert answer == SearchAnswer((), (Text(b"id", b"octets"),), (Diagnostic("S2", "Busy"),), b"words")


@pytest.mark.parametrize(("code", "temporary"), [("S1", False), ("S2", True), ("SV", True), ("T2", False)])
def test_what_may_be_tried_again_is_temporary(code: str, temporary: bool) -> None:
    error = Diagnostic(code, "No\x1b[2J.\nReally").error()
    assert isinstance(error, RemoteError)
    assert (error.status, error.temporary) == (code, temporary)
    assert str(error) == f"the server refused: No\\x1b[2J.\\x0aReally ({code})"


def read(body: bytes) -> list[str]:
    """What readers of answers say that is wrong with a body."""
    problems = []
    for reader in (search_answer, init_answer):
        try:
            reader(body)
        except URLError as error:
            problems.append(str(error))
    return problems


@given(st.binary(max_size=600))
def test_random_octets_give_typed_errors_alone(octets: bytes) -> None:
    for body in (octets, found(octets), found(element(150, octets)), found(element(153, octets))):
        assert all(problem.isascii() and problem.isprintable() for problem in read(body))


@given(st.data())
def test_an_answer_with_a_few_octets_changed_gives_typed_errors_alone(data: st.DataObject) -> None:
    record = element(150, element(116, b"id") + number(118, 5) + element(132, element(133, b"TEXT")))
    octets = bytearray(found(record, diagnostic(b"S1", b"no")))
    for place in data.draw(st.lists(st.integers(0, len(octets) - 1), min_size=1, max_size=4)):
        octets[place] = data.draw(st.integers(0, 255))
    assert all(problem.isascii() and problem.isprintable() for problem in read(bytes(octets)))


def test_reading_takes_linear_time() -> None:
    record = element(150, element(116, b"id") + element(123, b"x"))

    def steps(count: int) -> int:
        """How many functions are called to read so many records."""
        body = found(record * count)
        calls = 0

        def counting(*_: object) -> None:
            nonlocal calls
            calls += 1

        sys.setprofile(counting)
        try:
            search_answer(body)
        finally:
            sys.setprofile(None)
        return calls

    assert steps(10_000) < 11 * steps(1000)


# --- requests ---------------------------------------------------------------------------------------------------------


def test_a_request_that_no_message_holds_is_refused() -> None:
    with pytest.raises(UnsafeURL):
        queries.search(b"x" * 65_536, b"")
    with pytest.raises(UnsafeURL):
        queries.retrieval(b"db", b"x" * 100_000, b"TEXT", Part(0, 1))
    with pytest.raises(UnsafeURL):
        message(bytes(100_001))


@given(st.binary(max_size=300), st.binary(max_size=50), st.integers(0, 10**9))
def test_any_identifier_and_type_stand_in_a_retrieval_as_they_are(document: bytes, wtype: bytes, start: int) -> None:
    octets = queries.retrieval(b"db", document, wtype, Part(start, start + 5))
    assert int(octets[:10]) == len(octets) - 25
    body = Cursor(octets[25:], "a test")
    body.take(body.integer(2))
    ((tag, query),) = body.elements()
    terms = [value for tag, value in Cursor(query, "a test").elements() if tag == 45]
    assert (tag, terms) == (21, [document, wtype, b"%d" % start, b"%d" % (start + 5)])


# --- identifiers ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wpath", "identifier", "size"),
    [
        (b"\x01\x07h1:8210\x07\x01\x00", b"\x01\x07h1:8210\x07\x01\x00", None),
        (b"144/1=h1:8210;3=0 144 a=b;7=\x00;", b"\x01\x07h1:8210\x03\x090 144 a=b\x07\x01\x00", 144),
        (b"1=h1;", b"\x01\x02h1", None),
        (b"0/1=h1;", b"\x01\x02h1", None),
        (b"3=" + b"x" * 200 + b";", b"\x03\x81\x48" + b"x" * 200, None),
        (b"200=;", b"\x81\x48\x00", None),
        # What is not quite that notation is an identifier like any other.
        (b"144/", b"144/", None),
        (b"144/1=h1", b"144/1=h1", None),
        (b"144/1=h1;x", b"144/1=h1;x", None),
        (b"12345678901/1=h1;", b"12345678901/1=h1;", None),
        (b"0000000001WJ", b"0000000001WJ", None),
        (b"", b"", None),
    ],
)
def test_the_identifier_of_a_wpath(wpath: bytes, identifier: bytes, size: int | None) -> None:
    assert identifier_of(wpath) == (identifier, size)


@given(st.binary(max_size=100).map(lambda octets: b"\x01" + octets))
def test_identifiers_as_servers_make_them_stay_as_they_are(octets: bytes) -> None:
    assert identifier_of(octets) == (octets, None)
