"""The prospero algorithms against written dialogues: each request, and the result of each response."""

from __future__ import annotations

import itertools
from functools import partial
from typing import Any

import pytest
from outcomes import checked, error_of

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
from urlschemes_prospero import ProsperoURL
from urlschemes_prospero.access import access, find_attributes
from urlschemes_testing.replay import Outcome, Script, Step, client, connect, follow, server, silence

HOST = "host.dom"
ALL, CONTENTS = "GET-OBJECT-INFO #ALL ASCII {} {}\n", "GET-OBJECT-INFO CONTENTS ASCII {} {}\n"
LIST = "DIRECTORY ASCII {}\nLIST ATTRIBUTES COMPONENTS\n"
HELD = b"ATTRIBUTE OBJECT INTRINSIC ACCESS-METHOD SEQUENCE PROSPERO-CONTENTS '' '' '' ''\n"
SIZE = b"ATTRIBUTE OBJECT INTRINSIC SIZE SEQUENCE 5' bytes'\n"
DATA = b"ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA hello\n"


@pytest.fixture(autouse=True)
def _known_identifier(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urlschemes_prospero.datagrams.new_identifier", lambda: 0x5555)


def request(commands: str, name: str = "a", version: int = 0) -> Step:
    text = "VERSION 5\nAUTHENTICATE '' UNAUTHENTICATED anonymous\n" + commands.format(name, version)
    return client(bytes.fromhex("09 5555 0001 0001 0000") + text.encode())


def response(*text: bytes) -> Step:
    return server(b"\x03\x55\x55" + b"".join(text))


def talk(*steps: Step, host: str = HOST, port: int = 1525) -> Script:
    return Script(connect(host, port, transport="udp"), *steps)


def path(rest: str) -> ProsperoURL:
    return ProsperoURL.parse(f"prospero://{HOST}/{rest}")


def accessed(*steps: Step, want: Any = "") -> Outcome:
    return checked(partial(access, path("a"), want=want), talk(*steps))


# contents, methods or links -------------------------------------------------------------------------------------------


@pytest.mark.rfc1738(130)
def test_an_object_that_prospero_sends_is_a_document() -> None:
    outcome = accessed(request(ALL), response(HELD, SIZE), request(CONTENTS), response(DATA))
    assert (outcome.kind, outcome.content, outcome.complete) == ("document", b"hello", True)
    assert outcome.attributes is not None
    assert outcome.attributes.size == 5
    assert outcome.attributes.fields["ACCESS-METHOD"] == "prospero://host.dom/a"
    assert outcome.unclosed == ()


@pytest.mark.rfc1738(136)
def test_other_access_methods_are_a_listing_of_urls() -> None:
    lines = b"ATTRIBUTE OBJECT FIELD ACCESS-METHOD AFTP INTERNET-D ftp.dom ASCII /pub/a TEXT\n"
    outcome = accessed(request(ALL), response(lines))
    assert outcome.kind == "listing"
    assert [entry.url for entry in outcome.entries] == ["ftp://ftp.dom/pub/a;type=a"]


@pytest.mark.parametrize("lines", [b"NONE-FOUND\n", SIZE, b"FAILURE NOT-FOUND\n"])
def test_an_object_without_access_methods_is_listed_as_a_directory(lines: bytes) -> None:
    links = b"LINK L FILE b INTERNET-D other.dom ASCII /b 0\n"
    outcome = accessed(request(ALL), response(lines), request(LIST), response(links))
    assert outcome.kind == "listing"
    assert [entry.url for entry in outcome.entries] == ["prospero://other.dom//b"]


def test_want_selects_contents_methods_or_links() -> None:
    lines = response(HELD, b"ATTRIBUTE OBJECT FIELD ACCESS-METHOD TELNET INTERNET-D t.dom ASCII ''\n")
    methods = accessed(request(ALL), lines, want="methods")
    assert [entry.url for entry in methods.entries] == ["prospero://host.dom/a", "telnet://t.dom/"]
    assert accessed(request(CONTENTS), response(SIZE, DATA), want="contents").content == b"hello"
    assert accessed(request(LIST), response(b"NONE-FOUND\n"), want="links").entries == ()
    assert accessed(request(ALL), response(b"NONE-FOUND\n"), want="methods").entries == ()


def test_a_file_without_access_methods_is_not_a_directory() -> None:
    refused = response(b"FAILURE NOT-A-DIRECTORY\n")
    error = error_of(accessed(request(ALL), response(SIZE), request(LIST), refused), RemoteError)
    assert error.status == "NOT-A-DIRECTORY"


@pytest.mark.parametrize("refusal", [b"NOT-FOUND", b"NOT-A-DIRECTORY"])
def test_a_missing_object_is_not_found(refusal: bytes) -> None:
    script = talk(request(ALL), response(b"FAILURE NOT-FOUND\n"), request(LIST), response(b"FAILURE " + refusal))
    assert error_of(checked(partial(access, path("a")), script), RemoteError).status == "NOT-FOUND"


def test_another_refusal_of_the_directory_is_raised() -> None:
    script = talk(request(ALL), response(b"FAILURE NOT-FOUND\n"), request(LIST), response(b"FAILURE NOT-AUTHORIZED\n"))
    assert error_of(checked(partial(access, path("a")), script), RemoteError).status == "NOT-AUTHORIZED"


@pytest.mark.parametrize(
    ("lines", "error"),
    [
        (b"FAILURE NOT-AUTHORIZED\n", RemoteError),
        (b"FAILURE AUTHENTICATION-REQUIRED\n", AuthRequired),
        (b"220 ready\r\n", ProtocolError),
        (b"", ProtocolError),
    ],
)
def test_a_refusal_or_an_invalid_response_is_an_error(lines: bytes, error: type[URLError]) -> None:
    error_of(accessed(request(ALL), response(lines)), error)
    error_of(checked(partial(find_attributes, path("a")), talk(request(ALL), response(lines))), error)


# contents -------------------------------------------------------------------------------------------------------------


@pytest.mark.fault(51)
@pytest.mark.parametrize(
    ("lines", "content"),
    [
        (b"DATA ''\n", b""),
        (b"DATA\n", b""),
        (b"DATA 'it''s\n'\n", b"it's\n"),
        (b"TAGGED mime 'a text'\n", b"a text"),
    ],
)
def test_contents_are_data_or_tagged_text(lines: bytes, content: bytes) -> None:
    answer = response(b"ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE ", lines)
    outcome = accessed(request(ALL), response(HELD), request(CONTENTS), answer)
    assert (outcome.kind, outcome.content, outcome.complete) == ("document", content, True)


@pytest.mark.parametrize("lines", [b"NONE-FOUND\n", SIZE, DATA.replace(b"DATA", b"FORMULA")])
def test_missing_contents_are_an_error(lines: bytes) -> None:
    script = talk(request(ALL), response(HELD), request(CONTENTS), response(lines))
    assert error_of(checked(partial(access, path("a")), script), ProtocolError).where == "contents"


def test_contents_shorter_than_the_size_are_truncated() -> None:
    short = response(DATA.replace(b"hello", b"hel"))
    error = error_of(accessed(request(ALL), response(HELD, SIZE), request(CONTENTS), short), Truncated)
    assert (error.received, error.expected, error.partial) == (3, 5, b"hel")


def test_contents_longer_than_the_size_are_complete() -> None:
    longer = response(DATA.replace(b"hello", b"hello\\world"))
    outcome = accessed(request(ALL), response(HELD, SIZE), request(CONTENTS), longer)
    assert outcome.attributes is not None
    assert (outcome.content, outcome.attributes.size) == (b"hello\\world", 11)


def test_warnings_are_in_the_fields() -> None:
    warned = b"WARNING OUT-OF-DATE 'use version 6'\n"
    outcome = accessed(request(ALL), response(HELD), request(CONTENTS), response(warned, DATA))
    assert outcome.attributes is not None
    assert outcome.attributes.fields["WARNING"] == "OUT-OF-DATE use version 6"
    links = accessed(request(LIST), response(warned, b"NONE-FOUND\n"), want="links")
    assert links.attributes is not None
    assert links.attributes.fields["WARNING"] == "OUT-OF-DATE use version 6"


# names and fields (section 3.11) --------------------------------------------------------------------------------------


@pytest.mark.rfc1738(134)
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
    outcome = checked(partial(access, path(rest), want="links"), talk(request(LIST, name), response(b"NONE-FOUND\n")))
    assert outcome.kind == "listing"


def test_octets_outside_us_ascii_are_sent_unchanged() -> None:
    octets = bytes.fromhex("09 5555 0001 0001 0000") + (
        b"VERSION 5\nAUTHENTICATE '' UNAUTHENTICATED anonymous\n"
        b"DIRECTORY ASCII '\xff\xc3\xa9'\nLIST ATTRIBUTES COMPONENTS\n"
    )
    outcome = checked(partial(access, path("%FF%C3%A9"), want="links"), talk(client(octets), response(b"NONE-FOUND\n")))
    assert outcome.kind == "listing"


@pytest.mark.rfc1738(141)
def test_a_version_identifies_the_object() -> None:
    for field in ("OBJECT-VERSION=3", "object-version=3;OBJECT-VERSION=3", "x=y;OBJECT-VERSION=3"):
        script = talk(request(ALL, version=3), response(HELD), request(CONTENTS, version=3), response(DATA))
        assert checked(partial(access, path(f"a;{field}")), script).content == b"hello"
    listed = talk(request("DIRECTORY ASCII {} {}\nLIST ATTRIBUTES COMPONENTS\n", version=3), response(b"NONE-FOUND\n"))
    assert checked(partial(access, path("a;OBJECT-VERSION=3"), want="links"), listed).kind == "listing"


@pytest.mark.parametrize("fields", ["OBJECT-VERSION=x", "OBJECT-VERSION=", "OBJECT-VERSION=1;OBJECT-VERSION=2"])
def test_a_version_is_one_number(fields: str) -> None:
    error = error_of(checked(partial(access, path(f"a;{fields}")), Script()), UnsafeURL)
    assert error.part == "fields"


@pytest.mark.parametrize("rest", ["a%0Ab", "a%0D%0AAUTHENTICATE", "a%00", "a%7F", "a;b%0A=c", "a;b=%1Bc"])
def test_a_control_octet_is_refused_before_connecting(rest: str) -> None:
    error_of(checked(partial(access, path(rest)), Script()), UnsafeURL)
    error_of(checked(partial(find_attributes, path(rest)), Script()), UnsafeURL)


def test_a_name_too_long_for_a_request_is_refused_before_connecting() -> None:
    assert error_of(checked(partial(access, path("a" * 20_000)), Script()), UnsafeURL).part == "hsoname"


@pytest.mark.decision(17)
@pytest.mark.rfc1738(141)
def test_a_field_must_have_the_value_of_the_attribute() -> None:
    lines = response(HELD, b"ATTRIBUTE OBJECT APPLICATION Owner SEQUENCE joe\n")
    for fields in ("OWNER=joe", "owner=joe;unknown=1", "unknown=1"):
        script = talk(request(ALL), lines, request(CONTENTS), response(DATA))
        assert checked(partial(access, path(f"a;{fields}")), script).complete
    error = error_of(checked(partial(access, path("a;OWNER=jane")), talk(request(ALL), lines)), RemoteError)
    assert (error.text, "OWNER" in str(error)) == ("joe", True)
    error_of(checked(partial(find_attributes, path("a;owner=jane")), talk(request(ALL), lines)), RemoteError)


def test_a_version_that_the_server_ignores_is_an_error() -> None:
    lines = response(HELD, b"ATTRIBUTE OBJECT FIELD VERSION-NUMBER 0\n")
    error_of(checked(partial(access, path("a;OBJECT-VERSION=3")), talk(request(ALL, version=3), lines)), RemoteError)


@pytest.mark.parametrize("options", [{"want": "everything"}, {"retry": 0}, {"retry": -1}, {"retry": float("nan")}])
def test_invalid_options_are_refused(options: dict[str, object]) -> None:
    error_of(checked(partial(access, path("a"), **options), Script()), UnsupportedOperation)  # type: ignore[arg-type]


# attributes -----------------------------------------------------------------------------------------------------------


def test_find_attributes_returns_all_attributes() -> None:
    outcome = checked(partial(find_attributes, path("a")), talk(request(ALL), response(HELD, SIZE)))
    assert outcome.kind == "attributes"
    assert outcome.attributes is not None
    assert outcome.attributes.size == 5
    assert outcome.attributes.fields == {"ACCESS-METHOD": "prospero://host.dom/a", "SIZE": "5 bytes"}


# moved objects --------------------------------------------------------------------------------------------------------


def forwarded(place: str) -> Step:
    return response(b"FORWARDED ", place.encode(), b"\nID REMOTE 7\n")


def url_of(text: str) -> URL:
    return ProsperoURL.parse(text)


@pytest.mark.fault(47)
def test_a_moved_object_is_requested_at_its_new_location() -> None:
    new = "prospero://new.dom:1526//b%20c;x=y;OBJECT-VERSION=2"
    script = Script(
        connect(HOST, 1525, transport="udp"),
        request(ALL, version=1),
        forwarded("INTERNET-D new.dom(1526) ASCII '/b c' 2"),
        follow(new, url_of(new)),
        connect("new.dom", 1526, transport="udp"),
        request(ALL, "'/b c'", 2),
        response(HELD),
        request(CONTENTS, "'/b c'", 2),
        response(DATA),
    )
    outcome = checked(partial(access, path("a;x=y;OBJECT-VERSION=1")), script)
    assert outcome.content == b"hello"
    assert outcome.attributes is not None
    assert outcome.attributes.fields["ACCESS-METHOD"] == new
    assert outcome.unclosed == ()


def test_a_server_may_redirect_the_request() -> None:
    pointer = server(bytes.fromhex("13 5555 0000 0000 0000 0000 00 04 c0000209 05f6"))
    script = Script(
        connect(HOST, 1525, transport="udp"),
        request(ALL),
        pointer,
        follow("prospero://192.0.2.9:1526/a;x=y", url_of("prospero://192.0.2.9:1526/a;x=y")),
        connect("192.0.2.9", 1526, transport="udp"),
        request(ALL),
        response(SIZE),
    )
    outcome = checked(partial(find_attributes, path("a;x=y")), script)
    assert outcome.attributes is not None
    assert outcome.attributes.size == 5


def test_a_location_that_the_policy_refuses_is_not_followed() -> None:
    refusal = RedirectRefused("the policy does not", reason="policy", location="prospero://new.dom/b")
    script = talk(request(ALL), forwarded("INTERNET-D new.dom ASCII b 0"), follow("prospero://new.dom/b", refusal))
    assert error_of(checked(partial(access, path("a")), script), RedirectRefused).reason == "policy"


def test_a_url_of_another_scheme_is_not_followed() -> None:
    other = URL.parse("http://new.dom/b")
    script = talk(request(ALL), forwarded("INTERNET-D new.dom ASCII b 0"), follow("prospero://new.dom/b", other))
    error_of(checked(partial(access, path("a")), script), RedirectRefused)


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
def test_an_invalid_location_is_not_followed(place: str) -> None:
    error = error_of(accessed(request(ALL), forwarded(place)), RedirectRefused)
    assert error.reason == "invalid"
    assert str(error).isprintable()


# repetition -----------------------------------------------------------------------------------------------------------


def test_each_request_is_repeated_separately() -> None:
    script = talk(
        *(request(ALL), silence()) * 2,
        request(ALL),
        response(HELD),
        request(CONTENTS),
        silence(),
        request(CONTENTS),
        response(DATA),
    )
    assert checked(partial(access, path("a")), script).content == b"hello"


def test_an_unanswered_request_is_repeated_three_times() -> None:
    script = talk(*itertools.chain(*[(request(ALL), silence())] * 4))
    assert error_of(checked(partial(access, path("a")), script), DeadlineExceeded).phase == "response"
