"""The prospero algorithms against written dialogues: what is asked, and what comes of each answer."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial
from typing import TypeVar

import pytest

from urlschemes.errors import UnsafeURL, UnsupportedOperation, URLError
from urlschemes.url.value import URL
from urlschemes_access.errors import (
    AuthRequired,
    DeadlineExceeded,
    ProtocolError,
    RedirectRefused,
    RemoteError,
    Truncated,
)
from urlschemes_access.protocol import Algorithm
from urlschemes_prospero import ProsperoURL, ardp
from urlschemes_prospero.access import access, find_attributes
from urlschemes_testing.replay import (
    Dialogue,
    Outcome,
    Step,
    client,
    connect,
    fault_everywhere,
    follow,
    server,
    silence,
    split_everywhere,
)

HOST = "host.dom"
ALL, CONTENTS = "GET-OBJECT-INFO #ALL ASCII {} {}\n", "GET-OBJECT-INFO CONTENTS ASCII {} {}\n"
LIST = "DIRECTORY ASCII {}\nLIST ATTRIBUTES COMPONENTS\n"
HELD = b"ATTRIBUTE OBJECT INTRINSIC ACCESS-METHOD SEQUENCE PROSPERO-CONTENTS '' '' '' ''\n"
SIZE = b"ATTRIBUTE OBJECT INTRINSIC SIZE SEQUENCE 5' bytes'\n"
DATA = b"ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA hello\n"


@pytest.fixture(autouse=True)
def _counted_identifiers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ardp, "new_identifier", lambda: 0x5555)


def asks(commands: str, name: str = "a", version: int = 0) -> Step:
    text = "VERSION 5\nAUTHENTICATE '' UNAUTHENTICATED anonymous\n" + commands.format(name, version)
    return client(bytes.fromhex("09 5555 0001 0001 0000") + text.encode())


def says(*text: bytes) -> Step:
    return server(b"\x03\x55\x55" + b"".join(text))


def talk(*steps: Step, host: str = HOST, port: int = 1525) -> Dialogue:
    return Dialogue(connect(host, port, transport="udp"), *steps)


def path(rest: str) -> ProsperoURL:
    return ProsperoURL.parse(f"prospero://{HOST}/{rest}")


def got(algorithm: Callable[[], Algorithm[None]], dialogue: Dialogue) -> Outcome:
    """What comes of it, the same in whatever order the packets come, and honest under every fault."""
    outcome = split_everywhere(algorithm, dialogue)
    if outcome.error is None:
        fault_everywhere(algorithm, dialogue)
    return outcome


Failure = TypeVar("Failure", bound=URLError)


def failed(outcome: Outcome, error: type[Failure]) -> Failure:
    """The error that the access must have ended with."""
    assert isinstance(outcome.error, error), outcome
    return outcome.error


# --- which of the three an access gives -------------------------------------------------------------------------------


def test_what_prospero_itself_gives_is_a_document() -> None:
    outcome = got(partial(access, path("a")), talk(asks(ALL), says(HELD, SIZE), asks(CONTENTS), says(DATA)))
    assert (outcome.kind, outcome.content, outcome.complete) == ("document", b"hello", True)
    assert outcome.attributes is not None
    assert outcome.attributes.size == 5
    assert outcome.attributes.fields["ACCESS-METHOD"] == "prospero://host.dom/a"
    assert outcome.unclosed == ()


def test_what_others_give_is_a_listing_of_urls() -> None:
    said = b"ATTRIBUTE OBJECT FIELD ACCESS-METHOD AFTP INTERNET-D ftp.dom ASCII /pub/a TEXT\n"
    outcome = got(partial(access, path("a")), talk(asks(ALL), says(said)))
    assert outcome.kind == "listing"
    assert [entry.url for entry in outcome.entries] == ["ftp://ftp.dom/pub/a;type=a"]


@pytest.mark.parametrize("said", [b"NONE-FOUND\n", SIZE, b"FAILURE NOT-FOUND\n"])
def test_what_tells_no_way_is_looked_at_as_a_directory(said: bytes) -> None:
    links = b"LINK L FILE b INTERNET-D other.dom ASCII /b 0\n"
    outcome = got(partial(access, path("a")), talk(asks(ALL), says(said), asks(LIST), says(links)))
    assert outcome.kind == "listing"
    assert [entry.url for entry in outcome.entries] == ["prospero://other.dom//b"]


def test_the_caller_may_say_which_of_the_three() -> None:
    said = says(HELD, b"ATTRIBUTE OBJECT FIELD ACCESS-METHOD TELNET INTERNET-D t.dom ASCII ''\n")
    methods = got(partial(access, path("a"), want="methods"), talk(asks(ALL), said))
    assert [entry.url for entry in methods.entries] == ["prospero://host.dom/a", "telnet://t.dom/"]
    assert got(partial(access, path("a"), want="contents"), talk(asks(CONTENTS), says(SIZE, DATA))).content == b"hello"
    assert got(partial(access, path("a"), want="links"), talk(asks(LIST), says(b"NONE-FOUND\n"))).entries == ()
    assert got(partial(access, path("a"), want="methods"), talk(asks(ALL), says(b"NONE-FOUND\n"))).entries == ()


def test_a_file_without_a_way_to_have_it_is_no_directory() -> None:
    refused = says(b"FAILURE NOT-A-DIRECTORY\n")
    error = failed(got(partial(access, path("a")), talk(asks(ALL), says(SIZE), asks(LIST), refused)), RemoteError)
    assert error.status == "NOT-A-DIRECTORY"


@pytest.mark.parametrize("refusal", [b"NOT-FOUND", b"NOT-A-DIRECTORY"])
def test_a_name_that_is_nothing(refusal: bytes) -> None:
    dialogue = talk(asks(ALL), says(b"FAILURE NOT-FOUND\n"), asks(LIST), says(b"FAILURE " + refusal))
    assert failed(got(partial(access, path("a")), dialogue), RemoteError).status == "NOT-FOUND"


def test_another_refusal_of_the_directory_comes_out() -> None:
    dialogue = talk(asks(ALL), says(b"FAILURE NOT-FOUND\n"), asks(LIST), says(b"FAILURE NOT-AUTHORIZED\n"))
    assert failed(got(partial(access, path("a")), dialogue), RemoteError).status == "NOT-AUTHORIZED"


@pytest.mark.parametrize(
    ("said", "error"),
    [
        (b"FAILURE NOT-AUTHORIZED\n", RemoteError),
        (b"FAILURE AUTHENTICATION-REQUIRED\n", AuthRequired),
        (b"220 ready\r\n", ProtocolError),
        (b"", ProtocolError),
    ],
)
def test_a_refusal_is_the_end(said: bytes, error: type[URLError]) -> None:
    failed(got(partial(access, path("a")), talk(asks(ALL), says(said))), error)
    failed(got(partial(find_attributes, path("a")), talk(asks(ALL), says(said))), error)


# --- contents ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "content"),
    [
        (b"DATA ''\n", b""),
        (b"DATA\n", b""),
        (b"DATA 'it''s\n'\n", b"it's\n"),
        (b"TAGGED mime 'a text'\n", b"a text"),
    ],
)
def test_contents(said: bytes, content: bytes) -> None:
    answer = says(b"ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE ", said)
    outcome = got(partial(access, path("a")), talk(asks(ALL), says(HELD), asks(CONTENTS), answer))
    assert (outcome.kind, outcome.content, outcome.complete) == ("document", content, True)


@pytest.mark.parametrize("said", [b"NONE-FOUND\n", SIZE, DATA.replace(b"DATA", b"FORMULA")])
def test_contents_that_do_not_come(said: bytes) -> None:
    dialogue = talk(asks(ALL), says(HELD), asks(CONTENTS), says(said))
    assert failed(got(partial(access, path("a")), dialogue), ProtocolError).where == "contents"


def test_contents_shorter_than_announced_are_not_the_whole() -> None:
    short = says(DATA.replace(b"hello", b"hel"))
    error = failed(got(partial(access, path("a")), talk(asks(ALL), says(HELD, SIZE), asks(CONTENTS), short)), Truncated)
    assert (error.received, error.expected, error.partial) == (3, 5, b"hel")


def test_a_file_that_has_grown_meanwhile_is_whole() -> None:
    longer = says(DATA.replace(b"hello", b"hello\\world"))
    outcome = got(partial(access, path("a")), talk(asks(ALL), says(HELD, SIZE), asks(CONTENTS), longer))
    assert outcome.attributes is not None
    assert (outcome.content, outcome.attributes.size) == (b"hello\\world", 11)


def test_warnings_are_told() -> None:
    warned = b"WARNING OUT-OF-DATE 'use version 6'\n"
    outcome = got(partial(access, path("a")), talk(asks(ALL), says(HELD), asks(CONTENTS), says(warned, DATA)))
    assert outcome.attributes is not None
    assert outcome.attributes.fields["WARNING"] == "OUT-OF-DATE use version 6"
    links = got(partial(access, path("a"), want="links"), talk(asks(LIST), says(warned, b"NONE-FOUND\n")))
    assert links.attributes is not None
    assert links.attributes.fields["WARNING"] == "OUT-OF-DATE use version 6"


# --- names and fields (section 3.11) ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rest", "name"),
    [
        ("", "''"),
        ("/pros/name", "'/pros/name'"),
        ("a%3Bb%20c", "a';b c'"),
        ("it's", "it'''s'"),
        ("ARCHIE/MATCH(9,0,0,0,=)/rfc", "ARCHIE'/MATCH(9,0,0,0,=)/rfc'"),
    ],
)
def test_the_name_is_sent_decoded_and_quoted(rest: str, name: str) -> None:
    outcome = got(partial(access, path(rest), want="links"), talk(asks(LIST, name), says(b"NONE-FOUND\n")))
    assert outcome.kind == "listing"


def test_octets_that_are_no_ascii_are_sent_as_they_are() -> None:
    request = bytes.fromhex("09 5555 0001 0001 0000") + (
        b"VERSION 5\nAUTHENTICATE '' UNAUTHENTICATED anonymous\n"
        b"DIRECTORY ASCII '\xff\xc3\xa9'\nLIST ATTRIBUTES COMPONENTS\n"
    )
    outcome = got(partial(access, path("%FF%C3%A9"), want="links"), talk(client(request), says(b"NONE-FOUND\n")))
    assert outcome.kind == "listing"


def test_a_version_identifies_the_object() -> None:
    for field in ("OBJECT-VERSION=3", "object-version=3;OBJECT-VERSION=3", "x=y;OBJECT-VERSION=3"):
        dialogue = talk(asks(ALL, version=3), says(HELD), asks(CONTENTS, version=3), says(DATA))
        assert got(partial(access, path(f"a;{field}")), dialogue).content == b"hello"
    listed = talk(asks("DIRECTORY ASCII {} {}\nLIST ATTRIBUTES COMPONENTS\n", version=3), says(b"NONE-FOUND\n"))
    assert got(partial(access, path("a;OBJECT-VERSION=3"), want="links"), listed).kind == "listing"


@pytest.mark.parametrize("fields", ["OBJECT-VERSION=x", "OBJECT-VERSION=", "OBJECT-VERSION=1;OBJECT-VERSION=2"])
def test_a_version_is_one_number(fields: str) -> None:
    error = failed(got(partial(access, path(f"a;{fields}")), Dialogue()), UnsafeURL)
    assert error.part == "fields"


@pytest.mark.parametrize("rest", ["a%0Ab", "a%0D%0AAUTHENTICATE", "a%00", "a%7F", "a;b%0A=c", "a;b=%1Bc"])
def test_a_control_octet_is_refused_before_anything_is_connected(rest: str) -> None:
    failed(got(partial(access, path(rest)), Dialogue()), UnsafeURL)
    failed(got(partial(find_attributes, path(rest)), Dialogue()), UnsafeURL)


def test_a_name_too_long_for_a_request_is_refused_before_anything_is_connected() -> None:
    assert failed(got(partial(access, path("a" * 20_000)), Dialogue()), UnsafeURL).part == "hsoname"


def test_a_field_that_is_an_attribute_must_have_its_value() -> None:
    said = says(HELD, b"ATTRIBUTE OBJECT APPLICATION Owner SEQUENCE joe\n")
    for fields in ("OWNER=joe", "owner=joe;unknown=1", "unknown=1"):
        dialogue = talk(asks(ALL), said, asks(CONTENTS), says(DATA))
        assert got(partial(access, path(f"a;{fields}")), dialogue).complete
    error = failed(got(partial(access, path("a;OWNER=jane")), talk(asks(ALL), said)), RemoteError)
    assert (error.text, "OWNER" in str(error)) == ("joe", True)
    failed(got(partial(find_attributes, path("a;OWNER=jane")), talk(asks(ALL), said)), RemoteError)


def test_a_version_that_the_server_does_not_heed_is_noticed() -> None:
    said = says(HELD, b"ATTRIBUTE OBJECT FIELD VERSION-NUMBER 0\n")
    failed(got(partial(access, path("a;OBJECT-VERSION=3")), talk(asks(ALL, version=3), said)), RemoteError)


@pytest.mark.parametrize("options", [{"want": "everything"}, {"retry": 0}, {"retry": -1}, {"retry": float("nan")}])
def test_options_that_mean_nothing(options: dict[str, object]) -> None:
    failed(got(partial(access, path("a"), **options), Dialogue()), UnsupportedOperation)  # type: ignore[arg-type]


# --- attributes -------------------------------------------------------------------------------------------------------


def test_attributes() -> None:
    outcome = got(partial(find_attributes, path("a")), talk(asks(ALL), says(HELD, SIZE)))
    assert outcome.kind == "attributes"
    assert outcome.attributes is not None
    assert outcome.attributes.size == 5
    assert outcome.attributes.fields == {"ACCESS-METHOD": "prospero://host.dom/a", "SIZE": "5 bytes"}


# --- moved (row B47) --------------------------------------------------------------------------------------------------


def forwarded(place: str) -> Step:
    return says(b"FORWARDED ", place.encode(), b"\nID REMOTE 7\n")


def url_of(text: str) -> URL:
    return ProsperoURL.parse(text)


def test_an_object_is_asked_for_where_it_is_now() -> None:
    new = "prospero://new.dom:1526//b%20c;x=y;OBJECT-VERSION=2"
    dialogue = Dialogue(
        connect(HOST, 1525, transport="udp"),
        asks(ALL, version=1),
        forwarded("INTERNET-D new.dom(1526) ASCII '/b c' 2"),
        follow(new, url_of(new)),
        connect("new.dom", 1526, transport="udp"),
        asks(ALL, "'/b c'", 2),
        says(HELD),
        asks(CONTENTS, "'/b c'", 2),
        says(DATA),
    )
    outcome = got(partial(access, path("a;x=y;OBJECT-VERSION=1")), dialogue)
    assert outcome.content == b"hello"
    assert outcome.attributes is not None
    assert outcome.attributes.fields["ACCESS-METHOD"] == new
    assert outcome.unclosed == ()


def test_a_server_may_send_the_request_itself_elsewhere() -> None:
    pointer = server(bytes.fromhex("13 5555 0000 0000 0000 0000 00 04 c0000209 05f6"))
    dialogue = Dialogue(
        connect(HOST, 1525, transport="udp"),
        asks(ALL),
        pointer,
        follow("prospero://192.0.2.9:1526/a;x=y", url_of("prospero://192.0.2.9:1526/a;x=y")),
        connect("192.0.2.9", 1526, transport="udp"),
        asks(ALL),
        says(SIZE),
    )
    outcome = got(partial(find_attributes, path("a;x=y")), dialogue)
    assert outcome.attributes is not None
    assert outcome.attributes.size == 5


def test_what_the_policy_does_not_follow_is_not_followed() -> None:
    refusal = RedirectRefused("the policy does not", reason="policy", location="prospero://new.dom/b")
    dialogue = talk(asks(ALL), forwarded("INTERNET-D new.dom ASCII b 0"), follow("prospero://new.dom/b", refusal))
    assert failed(got(partial(access, path("a")), dialogue), RedirectRefused).reason == "policy"


def test_another_kind_of_resource_is_not_followed() -> None:
    other = URL.parse("http://new.dom/b")
    dialogue = talk(asks(ALL), forwarded("INTERNET-D new.dom ASCII b 0"), follow("prospero://new.dom/b", other))
    failed(got(partial(access, path("a")), dialogue), RedirectRefused)


@pytest.mark.parametrize(
    "place",
    [
        "DECNET new ASCII b 0",
        "INTERNET-D new.dom(0) ASCII b 0",
        "INTERNET-D 127.1 ASCII b 0",
        "INTERNET-D new.dom HANDLE b 0",
        "INTERNET-D new.dom ASCII b latest",
        "INTERNET-D new.dom ASCII b -1",
        "INTERNET-D new.dom ASCII 'b\nFAILURE' 0",
        "INTERNET-D 'new.dom/' ASCII b 0",
    ],
)
def test_a_place_that_is_none_is_not_followed(place: str) -> None:
    error = failed(got(partial(access, path("a")), talk(asks(ALL), forwarded(place))), RedirectRefused)
    assert error.reason == "invalid"
    assert str(error).isprintable()


# --- repetition, in a whole access ------------------------------------------------------------------------------------


def test_the_second_request_is_repeated_by_itself() -> None:
    dialogue = talk(
        *(asks(ALL), silence()) * 2, asks(ALL), says(HELD), asks(CONTENTS), silence(), asks(CONTENTS), says(DATA)
    )
    assert got(partial(access, path("a")), dialogue).content == b"hello"


def test_nothing_at_all_comes() -> None:
    dialogue = talk(*itertools.chain(*[(asks(ALL), silence())] * 4))
    assert failed(got(partial(access, path("a")), dialogue), DeadlineExceeded).phase == "response"
