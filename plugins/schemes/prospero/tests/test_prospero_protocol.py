"""What is asked and answered: quoting, lines, attributes, links, access methods."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlschemes.errors import URLError
from urlschemes_access.errors import AuthRequired, ProtocolError, RemoteError
from urlschemes_prospero import ProsperoURL
from urlschemes_prospero.links import attributes_of, entry_of
from urlschemes_prospero.methods import method_of
from urlschemes_prospero.protocol import Attribute, Forwarded, Link, listing, object_info, read
from urlschemes_prospero.quoting import lines, quoted

URL = ProsperoURL.parse("prospero://host.dom//pub/name")

# --- quoting ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("token", "written"),
    [
        (b"README-1.0_b", b"README-1.0_b"),
        (b"", b"''"),
        (b"/pub/README", b"'/pub/README'"),
        (b"AFTP/pub/README", b"AFTP'/pub/README'"),
        (b"21 bytes", b"21' bytes'"),
        (b"quo'te", b"quo'''te'"),
        (b"'", b"''''"),
        (b"a\nFAILURE", b"a'\nFAILURE'"),
        (b"a\tb", b"a'\tb'"),
        (b"\xff\x00", b"'\xff\x00'"),
    ],
)
def test_a_token_is_quoted_as_real_servers_write_it(token: bytes, written: bytes) -> None:
    assert quoted(token) == written
    assert list(lines(written)) == [[token]]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        (b"LINK  L\tFILE a\n", [[b"LINK", b"L", b"FILE", b"a"]]),
        (b"A\n\n B \nC", [[b"A"], [b"B"], [b"C"]]),
        (b"A 'two\nlines' b", [[b"A", b"two\nlines", b"b"]]),
        (b"A '' ''''''", [[b"A", b"", b"''"]]),
        (b"a'b'c'd'", [[b"abcd"]]),
        (b"A\r\nB", [[b"A\r"], [b"B"]]),  # a CR is an octet like any other: a content may hold it unquoted
        (b"", []),
        (b" \n\t\n", []),
    ],
)
def test_lines_and_their_tokens(text: bytes, tokens: list[list[bytes]]) -> None:
    assert list(lines(text)) == tokens


@given(st.lists(st.lists(st.binary(), min_size=1), min_size=1))
def test_whatever_is_quoted_comes_back(tokens: list[list[bytes]]) -> None:
    text = b"\n".join(b" ".join(map(quoted, line)) for line in tokens)
    assert list(lines(text)) == tokens


@given(st.text("' \n\tab").map(str.encode) | st.binary())
def test_any_text_is_lines_or_a_protocol_error(text: bytes) -> None:
    try:
        found = list(lines(text))
    except ProtocolError:
        assert text.count(b"'") % 2
    else:
        assert all(line for line in found)


def test_a_megabyte_of_quotes_is_read_in_linear_time() -> None:
    (tokens,) = lines(b"'" + b"''" * 500_000 + b"'")
    assert tokens == [b"'" * 500_000]


# --- requests ---------------------------------------------------------------------------------------------------------

PREAMBLE = b"VERSION 5\nAUTHENTICATE '' UNAUTHENTICATED anonymous\n"


def test_the_requests() -> None:
    assert object_info(b"#ALL", b"/a b", 0) == PREAMBLE + b"GET-OBJECT-INFO #ALL ASCII '/a b' 0\n"
    assert object_info(b"CONTENTS", b"a", 3) == PREAMBLE + b"GET-OBJECT-INFO CONTENTS ASCII a 3\n"
    assert listing(b"/a", 0) == PREAMBLE + b"DIRECTORY ASCII '/a'\nLIST ATTRIBUTES COMPONENTS\n"
    assert listing(b"/a", 7) == PREAMBLE + b"DIRECTORY ASCII '/a' 7\nLIST ATTRIBUTES COMPONENTS\n"
    assert listing(b"", 0) == PREAMBLE + b"DIRECTORY ASCII ''\nLIST ATTRIBUTES COMPONENTS\n"


# --- answers ----------------------------------------------------------------------------------------------------------


def test_what_a_field_and_another_attribute_have_before_their_values() -> None:
    reply = read(
        b"ATTRIBUTE OBJECT FIELD ACCESS-METHOD AFTP INTERNET-D '' ASCII /a TEXT\n"
        b"ATTRIBUTE OBJECT INTRINSIC Size SEQUENCE 21' bytes'\n"
        b"ATTRIBUTE OBJECT FIELD owner SEQUENCE joe\n"
        b"ATTRIBUTE OBJECT APPLICATION EMPTY SEQUENCE\n"
        b"ATTRIBUTE> OBJECT FIELD INNER x\n"
    )
    assert reply.values("ACCESS-METHOD") == [(b"AFTP", b"INTERNET-D", b"", b"ASCII", b"/a", b"TEXT")]
    assert (reply.values("SIZE"), reply.values("OWNER"), reply.values("EMPTY")) == ([(b"21 bytes",)], [(b"joe",)], [()])
    assert reply.values("INNER") == []


def test_attributes_after_a_link_belong_to_it() -> None:
    reply = read(
        b"LINK L FILE a INTERNET-D h ASCII a 0\nATTRIBUTE CACHED FIELD X 1\nATTRIBUTE OBJECT FIELD Y 2\n"
        b"LINK L FILE b INTERNET-D h ASCII b 0\n"
    )
    first, second = reply.links
    assert first.attributes == [Attribute("X", (b"1",)), Attribute("Y", (b"2",))]
    assert (second.attributes, reply.attributes) == ([], [])


def test_lines_that_say_nothing_of_the_object() -> None:
    reply = read(b"VERSION 5 P53.17May94b\nAUTHENTICATED\nID REMOTE 7\nSUCCESS\nNONE-FOUND\n")
    assert not reply.links
    assert not reply.attributes


def test_warnings_are_kept_in_one_line_each() -> None:
    assert read(b"WARNING MESSAGE 'down\n tomorrow\x1b[2J'\n").warnings == ["MESSAGE down\\x0a tomorrow\\x1b[2J"]


def test_where_an_object_is_now() -> None:
    assert read(b"FORWARDED INTERNET-D h.dom(1526) ASCII '/a' 0 DEST-EXP x\nID REMOTE 4\n").forwarded == Forwarded(
        b"INTERNET-D", b"h.dom(1526)", b"ASCII", b"/a", b"0"
    )


@pytest.mark.parametrize(
    ("said", "status", "temporary"),
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
def test_refusals(said: bytes, status: str, temporary: bool) -> None:
    with pytest.raises(RemoteError) as refusal:
        read(said)
    assert (refusal.value.status, refusal.value.temporary) == (status, temporary)


@pytest.mark.parametrize("code", [b"AUTHENTICATION-REQUIRED", b"AUTHENTICATION-DATA expired"])
def test_a_login_is_not_known(code: bytes) -> None:
    with pytest.raises(AuthRequired):
        read(b"FAILURE " + code)


@pytest.mark.parametrize(
    "said",
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
def test_what_is_no_answer(said: bytes) -> None:
    with pytest.raises(ProtocolError):
        read(said)


def test_what_a_server_says_is_shown_in_one_line() -> None:
    for said in (b"FAILURE X '\x1b[2J\nevil\xe2\x80\xae'", b"\x1b[2J\x00evil"):
        with pytest.raises(URLError) as refusal:
            read(said)
        assert str(refusal.value).isprintable()
        assert "evil" in str(refusal.value)


WORDS = st.sampled_from(
    [b"LINK", b"ATTRIBUTE", b"OBJECT", b"FORWARDED", b"WARNING", b"FAILURE", b"FIELD", b"L", b"SIZE"]
)


@given(st.lists(st.lists(WORDS | st.binary(max_size=6), max_size=11)))
def test_any_answer_is_read_or_refused(tokens: list[list[bytes]]) -> None:
    try:
        reply = read(b"\n".join(b" ".join(map(quoted, line)) for line in tokens))
    except URLError:
        return
    attributes_of(reply.attributes, URL)
    for link in reply.links:
        entry_of(link, URL)


# --- access methods (section 3.11) ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "url"),
    [
        ("AFTP INTERNET-D ftp.dom ASCII /pub/README BINARY", "ftp://ftp.dom/pub/README;type=i"),
        ("AFTP INTERNET-D ftp.dom ASCII /pub/README TEXT", "ftp://ftp.dom/pub/README;type=a"),
        ("AFTP INTERNET-D ftp.dom(2121) ASCII pub/a;b?%~ TEXT", "ftp://ftp.dom:2121/pub/a%3Bb%3F%25%7E;type=a"),
        ("AFTP INTERNET-D ftp.dom ASCII /pub/README", "ftp://ftp.dom/pub/README"),
        ("AFTP INTERNET-D '' ASCII '' TEXT", "ftp://host.dom/pub/name;type=a"),
        # The whole name is the selector; the type stands in it, or behind it as a sixth element.
        ("GOPHER INTERNET-D g.dom(150) ASCII '1/Fun Stuff'", "gopher://g.dom:150/11/Fun%20Stuff"),
        ("GOPHER INTERNET-D g.dom ASCII /about 0", "gopher://g.dom/0/about"),
        ("HTTP INTERNET-D www.dom(8080) ASCII /a/b.html", "http://www.dom:8080/a/b.html"),
        ("TELNET INTERNET-D t.dom ASCII ''", "telnet://t.dom/"),
        ("PROSPERO-CONTENTS '' '' '' ''", "prospero://host.dom//pub/name"),
        ("PROSPERO-CONTENTS INTERNET-D p.dom(1526) ASCII /x", "prospero://p.dom:1526//x"),
        ("PROSPERO-CONTENTS '' '' ASCII /x", "prospero://host.dom//x"),
    ],
)
def test_an_access_method_is_a_url_of_its_scheme(method: str, url: str) -> None:
    (tokens,) = lines(method.encode())
    entry = method_of(tuple(tokens), URL)
    assert (entry.url, entry.problem) == (url, None)
    assert entry.name == method.split(maxsplit=1)[0]
    assert entry.parse().scheme == url.partition(":")[0]


@pytest.mark.parametrize(
    ("method", "problem"),
    [
        ("LOCAL '' '' '' ''", "shares the file system"),
        ("LOCAL INTERNET-D h ASCII /etc/passwd", "shares the file system"),
        ("NFS INTERNET-D h ASCII a /export", "mount"),
        ("AFS DUMMY DUMMY ASCII /grand.central.org", "Andrew"),
        ("FTP INTERNET-D h ASCII /home/joe/a TEXT", "login"),
        ("RCP INTERNET-D h ASCII /a", "login"),
        ("WAIS INTERNET-D h ASCII 42", "database"),
        ("BEAM INTERNET-D h ASCII /a", "no URL"),
        ("aftp INTERNET-D h ASCII /a", "no URL"),
        ("AFTP INTERNET-D h ASCII", "five elements"),
        ("AFTP", "five elements"),
        ("", "five elements"),
        ("AFTP INTERNET-D h(0) ASCII /a", "no port"),
        ("AFTP INTERNET-D h(99999) ASCII /a", "no port"),
        ("AFTP INTERNET-D h(-1) ASCII /a", "no host"),
        ("AFTP DECNET h ASCII /a", "no host"),
        ("AFTP INTERNET-D a/b ASCII /a", "host"),
        ("AFTP INTERNET-D 'h\n' ASCII /a", "host"),
        ("AFTP INTERNET-D joe@h ASCII /a", "@"),
        ("AFTP INTERNET-D h ASCII 'a\r\nDELE b'", "control octet"),
        ("GOPHER INTERNET-D h ASCII 'a\tb'", "control octet"),
        ("PROSPERO-CONTENTS INTERNET-D h HANDLE 7", "type 'HANDLE'"),
    ],
)
def test_an_access_method_without_a_url_says_why(method: str, problem: str) -> None:
    tokens = next(lines(method.encode()), [])
    entry = method_of(tuple(tokens), URL)
    assert entry.url is None
    assert problem in (entry.problem or "")


@given(st.lists(st.binary(max_size=8), max_size=7), st.sampled_from([b"AFTP", b"GOPHER", b"HTTP", b"TELNET", b"LOCAL"]))
def test_any_access_method_has_a_url_that_parses_or_a_problem(rest: list[bytes], name: bytes) -> None:
    entry = method_of((name, b"INTERNET-D", b"h.dom", b"ASCII", *rest), URL)
    assert (entry.url is None) == (entry.problem is not None)
    if entry.url is not None:
        entry.parse().check_line()


# --- links ------------------------------------------------------------------------------------------------------------


def link(text: str, *attributes: Attribute) -> Link:
    (tokens,) = lines(text.encode())
    return Link(tuple(tokens), list(attributes))


@pytest.mark.parametrize(
    ("text", "kind", "url"),
    [
        ("L FILE a INTERNET-D h.dom ASCII /x/a 0", "file", "prospero://h.dom//x/a"),
        ("L FILE a INTERNET-D h.dom(1525) ASCII /x/a 0", "file", "prospero://h.dom//x/a"),
        (
            "L FILE a INTERNET-D h.dom(1526) ASCII '/a b;c' 3",
            "file",
            "prospero://h.dom:1526//a%20b%3Bc;OBJECT-VERSION=3",
        ),
        ("L DIRECTORY d INTERNET-D h.dom ASCII d 0 DEST-EXP 1", "directory", "prospero://h.dom/d"),
        ("L DIRECTORY+FILE d INTERNET-D h.dom ASCII d", "directory+file", "prospero://h.dom/d"),
        ("U DIRECTORY d INTERNET-D h.dom ASCII d 0", "union", "prospero://h.dom/d"),
    ],
)
def test_a_link_to_an_object_is_a_prospero_url(text: str, kind: str, url: str) -> None:
    entry = entry_of(link(text), URL)
    assert (entry.kind, entry.url, entry.problem) == (kind, url, None)


AFTP = Attribute("ACCESS-METHOD", (b"AFTP", b"INTERNET-D", b"ftp.dom", b"ASCII", b"/pub/x", b"TEXT"))
LOCAL = Attribute("ACCESS-METHOD", (b"LOCAL", b"", b"", b"", b""))


def test_an_external_link_is_the_url_of_its_access_method() -> None:
    text = "L EXTERNAL x INTERNET-D ftp.dom ASCII /pub/x 0"
    entry = entry_of(link(text, LOCAL, AFTP), URL)
    assert (entry.url, entry.problem) == ("ftp://ftp.dom/pub/x;type=a", None)
    assert entry.fields["target"] == "INTERNET-D ftp.dom ASCII /pub/x"
    local = entry_of(link(text, LOCAL), URL)
    assert local.url is None
    assert local.problem is not None
    assert local.problem.startswith("LOCAL: it is for who shares")
    assert entry_of(link(text), URL).problem == "the link tells no access method"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("L SYMBOLIC s VIRTUAL-SYSTEM /vs ASCII /a 0", "virtual system"),
        ("NULL NULL secret NULL NULL NULL NULL NULL", "does not show"),
        ("L FILE a HOST-X h ASCII a 0", "no host of the Internet"),
        ("L FILE a INTERNET-D h(0) ASCII a 0", "no port"),
        ("L FILE a INTERNET-D h HANDLE a 0", "type 'HANDLE'"),
        ("L FILE a INTERNET-D 127.1 ASCII a 0", ""),
        ("L FILE a INTERNET-D h ASCII 'a\nFAILURE' 0", "control"),
        ("L FILE a", "tokens of a link"),
        ("L EXTERNAL a HOST-X h ASCII a 0", "cannot stand in a URL"),
    ],
)
def test_a_link_that_no_url_can_come_from_is_kept(text: str, problem: str) -> None:
    entry = entry_of(link(text), URL)
    assert entry.url is None
    assert problem in (entry.problem or "")
    assert entry.name


def test_what_is_known_of_an_object() -> None:
    known = attributes_of(
        [
            Attribute("SIZE", (b"21 bytes",)),
            Attribute("LAST-MODIFIED", (b"19941201235959Z",)),
            AFTP,
            LOCAL,
            Attribute("COMMENT", (b"two", b"words")),
        ],
        URL,
    )
    assert (known.size, known.modified) == (21, datetime(1994, 12, 1, 23, 59, 59, tzinfo=UTC))
    assert known.fields["ACCESS-METHOD"] == "ftp://ftp.dom/pub/x;type=a\nLOCAL    "
    assert known.fields["COMMENT"] == "two words"


@pytest.mark.parametrize("size", [b"many bytes", b"-1 bytes", b"9" * 30 + b" bytes", b"21"])
@pytest.mark.parametrize("time", [b"19941301000000Z", b"yesterday", b"19941201000000", b"00000000000000Z"])
def test_sizes_and_times_that_are_none(size: bytes, time: bytes) -> None:
    known = attributes_of([Attribute("SIZE", (size,)), Attribute("LAST-MODIFIED", (time,))], URL)
    assert (known.size, known.modified) == (None, None)
    assert known.fields["LAST-MODIFIED"] == time.decode()
