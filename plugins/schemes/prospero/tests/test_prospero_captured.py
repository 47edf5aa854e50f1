"""Dialogues with a real server, Prospero 5.3, captured over loopback: its responses, octet for octet.

The path of the server's tree is replaced by another of the same length, so that packets are cut at the same places.
Repetitive responses are generated. The requests built here must be those of the captured clients.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

import urlschemes_access
from urlschemes_access import Attributes, Document, Entry, Listing, Policy
from urlschemes_access.errors import RemoteError
from urlschemes_prospero import ProsperoURL
from urlschemes_prospero.access import access, find_attributes
from urlschemes_prospero.request import list_request, object_info_request
from urlschemes_prospero.response import parse_response
from urlschemes_prospero.tokens import split_lines
from urlschemes_testing.loopback import Address, Datagrams
from urlschemes_testing.replay import Script, client, connect, fault_everywhere, replay, server, split_everywhere

if TYPE_CHECKING:
    from collections.abc import Mapping

TREE = "/tree/of/things/as/long/as/it/was/on"
HERE = Policy.interactive()

# The captured responses -----------------------------------------------------------------------------------------------

RESPONSES = {
    name: text.encode()
    for name, text in re.findall(
        r"^\[(.+)\]\n((?:[^\[\n].*\n)+)", Path(__file__).with_name("captured.txt").read_text("ascii"), re.MULTILINE
    )
}

LONG_LISTING = b"".join(
    b"LINK  L FILE file-with-a-rather-long-name-%b.txt INTERNET-D LOCALHOST ASCII "
    b"'%b/big/file-with-a-rather-long-name-%b.txt' 0\n" % (number, TREE.encode(), number)
    for number in RESPONSES["order"].split()
)
LONG_FILE = b"".join(b"line %d its quoted 'here' ok\n" % number for number in range(3000))
LONG_CONTENTS = (
    b"ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA line' " + LONG_FILE[5:].replace(b"'", b"''") + b"'\n"
)
EVERY_OCTET = bytes(range(256)) * 8
BINARY_CONTENTS = (  # the quotation begins with the first octet that needs one, which is a TAB
    b"ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA "
    + EVERY_OCTET[:9]
    + b"'"
    + EVERY_OCTET[9:].replace(b"'", b"''")
    + b"'\n"
)

CAPTURED: Mapping[str, bytes] = {
    f"GET-OBJECT-INFO #ALL ASCII '{TREE}/hello.txt' 0\n": RESPONSES["information about a file"],
    f"GET-OBJECT-INFO CONTENTS ASCII '{TREE}/hello.txt' 0\n": RESPONSES["contents of a file"],
    f"GET-OBJECT-INFO CONTENTS ASCII '{TREE}/quo''te.txt' 0\n": (
        b"ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA q\n"
    ),
    f"GET-OBJECT-INFO CONTENTS ASCII '{TREE}/bin.dat' 0\n": BINARY_CONTENTS,
    f"GET-OBJECT-INFO CONTENTS ASCII '{TREE}/large' 0\n": LONG_CONTENTS,
    "GET-OBJECT-INFO #ALL ASCII AFTP/pub/README 0\n": RESPONSES["a file with another access method"],
    f"GET-OBJECT-INFO #ALL ASCII '{TREE}/sub' 0\n": RESPONSES["information about a directory"],
    f"GET-OBJECT-INFO #ALL ASCII '{TREE}/nosuch' 0\n": b"FAILURE NOT-FOUND\n",
    f"DIRECTORY ASCII '{TREE}/sub'\nLIST '' COMPONENTS\n": RESPONSES["links"],
    f"DIRECTORY ASCII '{TREE}/big'\nLIST '' COMPONENTS\n": LONG_LISTING,
    f"DIRECTORY ASCII '{TREE}/hello.txt'\nLIST '' COMPONENTS\n": b"FAILURE NOT-A-DIRECTORY\n",
    f"DIRECTORY ASCII '{TREE}/dir with space'\nLIST '' COMPONENTS\n": b"NONE-FOUND\n",
    "DIRECTORY ASCII /outside\nLIST '' COMPONENTS\n": b"FAILURE NOT-AUTHORIZED\n",
}
"""The commands of each request, and the text of the response."""


def packets(identifier: bytes, text: bytes) -> list[bytes]:
    """The captured datagrams of a response, with their headers, windows and totals."""
    if len(text) <= 1250:
        return [b"\x03" + identifier + text]
    count = -(-len(text) // 1250)
    made = []
    for number in range(1, count + 1):
        known = number > 16 or number == count  # the total is sent with the last packet, and after one window
        header = identifier + number.to_bytes(2) + (count if known else 0).to_bytes(2)
        if number % 16 == 0:
            header += bytes.fromhex("0001 0000 80")
        elif number > 16:
            header += bytes.fromhex("0001")
        made.append(bytes((len(header) + 1,)) + header + text[1250 * (number - 1) : 1250 * number])
    return made


def test_generated_responses_have_the_captured_number_of_packets() -> None:
    counts = [len(packets(b"id", text)) for text in (LONG_LISTING, LONG_CONTENTS, BINARY_CONTENTS, RESPONSES["links"])]
    assert counts == [77, 79, 2, 1]
    assert packets(b"\x52\xe7", LONG_LISTING)[76][:9] == bytes.fromhex("09 52e7 004d 004d 0001")
    assert packets(b"\x52\xe7", LONG_LISTING)[15][:12] == bytes.fromhex("0c 52e7 0010 0000 0001 0000 80")


# Requests -------------------------------------------------------------------------------------------------------------


def built_here(captured: str) -> str:
    """The commands as built here: LIST asks for attributes too, as the stock clients do."""
    return captured.replace("LIST '' ", "LIST ATTRIBUTES ")


PREAMBLE = "VERSION 5\nAUTHENTICATE '' UNAUTHENTICATED anonymous\n"


@pytest.mark.parametrize("commands", [each for each in CAPTURED if f"'{TREE}" in each])
def test_the_requests_are_those_of_the_captured_client(commands: str) -> None:
    (*words, name), *_ = ([*each] for each in split_lines(commands.replace("' 0", "'").encode()))
    made = list_request(name, 0) if words[0] == b"DIRECTORY" else object_info_request(words[1], name, 0)
    assert made.decode() == PREAMBLE + built_here(commands)


@pytest.mark.parametrize(
    ("name", "commands"),
    [
        ("/..", "DIRECTORY ASCII '/..'\nLIST ATTRIBUTES COMPONENTS\n"),
        (
            "ARCHIE/MATCH(100,100,100,0,S)/prosper",
            "DIRECTORY ASCII ARCHIE'/MATCH(100,100,100,0,S)/prosper'\nLIST ATTRIBUTES COMPONENTS\n",
        ),
    ],
)
def test_the_requests_for_links_are_those_of_the_stock_clients(name: str, commands: str) -> None:
    assert list_request(name.encode(), 0).decode() == PREAMBLE + commands


# Over real sockets ----------------------------------------------------------------------------------------------------


class CapturedServer:
    """A server that answers each request with the captured packets, and waits for the acknowledgements they want."""

    def __init__(self) -> None:
        self.requests: list[str] = []
        self.acknowledged: list[bytes] = []
        self._answers = {
            tuple(map(tuple, split_lines(built_here(each).encode()))): text for each, text in CAPTURED.items()
        }
        self._left: dict[bytes, list[bytes]] = {}

    def __enter__(self) -> Address:
        self._listener = Datagrams(self._hear)
        return self._listener.__enter__().address

    def __exit__(self, *error: object) -> None:
        self._listener.__exit__(None, None, None)  # raises the assertion errors of _hear

    def _hear(self, datagram: bytes, who: Address) -> None:
        header, text = datagram[:9], datagram[9:]
        identifier = header[1:3]
        if text:
            assert header == b"\x09" + identifier + bytes.fromhex("0001 0001 0000"), "the header of the captured client"
            self.requests.append(text.decode())
            preamble, commands = text[: len(PREAMBLE)], text[len(PREAMBLE) :]
            assert preamble == PREAMBLE.encode()
            self._left[identifier] = packets(identifier, self._answers[tuple(map(tuple, split_lines(commands)))])
        else:
            self.acknowledged.append(header[:1] + header[3:])
        left = self._left[identifier]
        while left:
            packet = left.pop(0)
            self._listener.send(packet, who)
            if packet[0] == 12:
                break


def access_captured(
    name: str, **options: Any
) -> tuple[Document | Listing | Attributes | RemoteError, bytes, list[Entry]]:
    """The result of an access, with the captured responses."""
    with CapturedServer() as (host, port):
        url = ProsperoURL(host=host, port=port, hsoname=name)
        try:
            found = urlschemes_access.access(url, policy=HERE, options=options)
        except RemoteError as refusal:
            return refusal, b"", []
        with found:
            if isinstance(found, Document):
                return found, found.read(), []
            assert isinstance(found, Listing)
            return found, b"", list(found)


def test_contents_come_with_the_attributes_of_the_file() -> None:
    found, content, _ = access_captured(f"{TREE}/hello.txt")
    assert content == b"hello from info tree\n"
    assert isinstance(found, Document)
    assert found.size == 21
    assert found.attributes.modified is not None
    assert found.attributes.modified.isoformat() == "2026-11-20T10:10:28+00:00"
    assert found.attributes.fields["COMMENT"] == "a fine file"
    methods = found.attributes.fields["ACCESS-METHOD"].splitlines()
    assert methods[0] == "ftp://127.0.0.1/pub/hello.txt;type=a"
    assert methods[1].startswith("prospero://127.0.0.1:")


def test_methods_are_urls() -> None:
    _, _, entries = access_captured("AFTP/pub/README", want="methods")
    assert [(entry.kind, entry.url and entry.url.partition("127.0.0.1")[0]) for entry in entries] == [
        ("prospero-contents", "prospero://"),
        ("local", None),
        ("aftp", "ftp://LOCALHOST/pub/README;type=i"),
    ]


@pytest.mark.parametrize(
    ("name", "content"),
    [("quo'te.txt", b"q"), ("bin.dat", EVERY_OCTET), ("large", LONG_FILE)],
    ids=("a quote in its name", "every octet", "79 packets"),
)
def test_contents_are_the_file_octet_for_octet(name: str, content: bytes) -> None:
    found, came, _ = access_captured(f"{TREE}/{name}", want="contents")
    assert isinstance(found, RemoteError | Document)
    assert came == content


def test_links_of_a_directory_are_entries() -> None:
    found, _, entries = access_captured(f"{TREE}/sub")
    assert isinstance(found, Listing)
    assert found.attributes.fields["UNIX-MODES"] == "drwxr-xr-x"
    assert [(entry.name, entry.kind, entry.url) for entry in entries] == [
        ("ext-ftp", "external", None),
        ("nested.txt", "file", f"prospero://LOCALHOST/{TREE}/sub/nested.txt"),
        ("deeper", "directory", f"prospero://LOCALHOST/{TREE}/sub/deeper"),
        ("ext gopher", "external", "gopher://gopher.example.org:70/00/About%20Gopher"),
        ("sym", "symbolic", None),
        ("remote", "directory", "prospero://prospero.isi.edu:1999//pfs/pfsdat"),
        ("rfile", "file", "prospero://localhost:1526//x/y"),
        ("union1", "union", f"prospero://LOCALHOST/{TREE}/big"),
    ]
    assert all(entry.url or entry.problem for entry in entries)


def test_a_listing_of_77_packets_is_acknowledged_like_the_stock_client() -> None:
    player = CapturedServer()
    with player as (host, port):
        url = ProsperoURL(host=host, port=port, hsoname=f"{TREE}/big")
        found = urlschemes_access.open_listing(url, policy=HERE, options={"want": "links"})
        names = [entry.name for entry in found]
    assert names == [f"file-with-a-rather-long-name-{number}.txt" for number in RESPONSES["order"].decode().split()]
    # Without number and total.
    assert player.acknowledged == [bytes.fromhex(f"09 0000 0000 {through:04x}") for through in (16, 32, 48, 64)]
    assert len(player.requests) == 1


def test_a_directory_may_be_empty() -> None:
    found, _, entries = access_captured(f"{TREE}/dir with space", want="links")
    assert isinstance(found, Listing)
    assert entries == []


@pytest.mark.parametrize(
    ("name", "want", "status"),
    [("/outside", "links", "NOT-AUTHORIZED"), (f"{TREE}/hello.txt", "links", "NOT-A-DIRECTORY")],
)
def test_a_refusal_is_a_remote_error(name: str, want: str, status: str) -> None:
    refusal, _, _ = access_captured(name, want=want)
    assert isinstance(refusal, RemoteError)
    assert refusal.status == status


def test_an_invalid_request_is_a_remote_error() -> None:
    for text, status in ((b"ERROR Unknown message: BOGUS\n", "ERROR"), (b"VERSION-NOT-SUPPORTED TRY 1-5", None)):
        with pytest.raises(RemoteError) as refusal:
            parse_response(text)
        assert refusal.value.status == (status or "VERSION-NOT-SUPPORTED")


# Replayed, cut, and with every fault ----------------------------------------------------------------------------------


def request_of(commands: str, identifier: bytes = b"UU") -> bytes:
    return b"\x09" + identifier + bytes.fromhex("0001 0001 0000") + (PREAMBLE + built_here(commands)).encode()


def beginning(text: bytes) -> bytes:
    """Return the lines that fit into 20 packets: more than the window of 16, after which the client acknowledges."""
    return text if len(text) < 20 * 1250 else text[: text.rindex(b"\n", 0, 20 * 1250) + 1]


def script(identifier: bytes, *commands: str) -> Script:
    """The captured exchanges about one object, all with one connection id, of a long response the beginning."""
    steps = []
    for command in commands:
        steps.append(client(request_of(command, identifier)))
        answer = packets(identifier, beginning(CAPTURED[command]))
        for number, packet in enumerate(answer, 1):
            steps.append(server(packet))
            if packet[0] == 12:
                steps.append(client(b"\x09" + identifier + bytes.fromhex(f"0000 0000 {number:04x}")))
    return Script(connect("host.dom", 1525, transport="udp"), *steps)


@pytest.mark.fault(51, 52)
@pytest.mark.parametrize(
    ("name", "want", "commands"),
    [
        ("hello.txt", "", ("GET-OBJECT-INFO #ALL", "GET-OBJECT-INFO CONTENTS")),
        ("bin.dat", "contents", ("GET-OBJECT-INFO CONTENTS",)),
        ("sub", "", ("GET-OBJECT-INFO #ALL", "DIRECTORY")),
        pytest.param("big", "links", ("DIRECTORY",), marks=[pytest.mark.slow, pytest.mark.timeout(600)]),
    ],
)
def test_captured_dialogues_cut_and_with_every_fault(
    name: str, want: Literal["", "contents", "links"], commands: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("urlschemes_prospero.datagrams.new_identifier", lambda: 0x5555)
    url = ProsperoURL(host="host.dom", hsoname=f"{TREE}/{name}")
    asked = [each for command in commands for each in CAPTURED if each.startswith(command) and f"/{name}'" in each]
    known = script(b"UU", *asked)
    assert split_everywhere(lambda: access(url, want=want), known).complete
    # A repetition acknowledges the received packets; once the server has the request, it is nothing else.
    header, received = b"\x09UU\0\0\0\0", [number.to_bytes(2) for number in range(1, 78)]
    again = [request[:7] + through + request[9:] for request in map(request_of, asked) for through in received]
    again += [header + through for through in received]
    runs = fault_everywhere(lambda: access(url, want=want), known, also=again)
    assert {run.fault for run in runs} >= {"reset", "timeout", "cancelled", "refused", "unresolved", "forbidden"}


def test_captured_attributes_cut_and_with_every_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urlschemes_prospero.datagrams.new_identifier", lambda: 0x5555)
    url = ProsperoURL(host="host.dom", hsoname=f"{TREE}/hello.txt")
    known = script(b"UU", f"GET-OBJECT-INFO #ALL ASCII '{TREE}/hello.txt' 0\n")
    outcome = split_everywhere(lambda: find_attributes(url), known)
    assert outcome.kind == "attributes"
    assert outcome.attributes is not None
    assert outcome.attributes.size == 21
    fault_everywhere(lambda: find_attributes(url), known)


def test_a_missing_object_is_also_requested_as_a_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urlschemes_prospero.datagrams.new_identifier", lambda: 0x5555)
    url = ProsperoURL(host="host.dom", hsoname=f"{TREE}/nosuch")
    known = script(b"UU", f"GET-OBJECT-INFO #ALL ASCII '{TREE}/nosuch' 0\n")
    request = b"\x09UU" + bytes.fromhex("0001 0001 0000") + list_request(f"{TREE}/nosuch".encode(), 0)
    for text in (b"FAILURE NOT-FOUND\n", b"FAILURE NOT-A-DIRECTORY\n"):
        outcome = replay(access(url), known.then(client(request), server(b"\x03UU" + text)))
        assert isinstance(outcome.error, RemoteError)
        assert outcome.error.status == "NOT-FOUND"
