"""Ranges of HTTP resources, and downloads that continue."""

from __future__ import annotations

import asyncio
import json
import os
import random
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
from http_dialogues import OPENING, URL, request
from outcomes import checked

import urlschemes_access
from urlschemes.errors import UnsupportedOperation
from urlschemes_access import AsyncClient, Attributes, Client, Download, Policy, Range
from urlschemes_access.errors import ProtocolError, RemoteError, Truncated
from urlschemes_http.access import access
from urlschemes_servers.http import HttpRequest, HttpResponse, http_server
from urlschemes_testing.replay import Outcome, Script, Step, connect, replay, server
from urlschemes_testing.rogue import Visitor, rogue

HERE = Policy.interactive()
TAG = '"v1"'
THEN = datetime(1994, 11, 15, 12, 45, 26, tzinfo=UTC)
DATE = "Tue, 15 Nov 1994 12:45:26 GMT"
BY_TAG = Attributes(size=10, modified=THEN, fields={"etag": TAG})
BY_TIME = Attributes(size=10, modified=THEN)
BY_TIME_AND_DATE = Attributes(size=10, modified=THEN, fields={"date": DATE.replace(":26", ":27")})
WHOLE = server("HTTP/1.1 200 OK", "Content-Length: 10", "ETag: " + TAG, "", b"0123456789")


def asked(wanted: str, *fields: str) -> Script:
    return Script(connect("host.dom", 80), request("GET", "/a%2fb/../%7E;c?x=%26&y", f"Range: bytes={wanted}", *fields))


def part(content_range: str, body: bytes, *fields: str) -> Step:
    return server(
        "HTTP/1.1 206 Partial", f"Content-Range: {content_range}", f"Content-Length: {len(body)}", *fields, "", body
    )


def beyond(size: int, *fields: str) -> Step:
    return server("HTTP/1.1 416 Beyond", f"Content-Range: bytes */{size}", *fields, "")


def outcome_of(wanted: Range, script: Script) -> Outcome:
    return checked(partial(access, URL, range=wanted), script)


@pytest.mark.parametrize(
    ("wanted", "script", "start", "content"),
    [
        (Range(2, 5), asked("2-4").then(part("bytes 2-4/10", b"234")), 2, b"234"),
        (Range(2, 5), asked("2-4").then(part("bytes 2-4/*", b"234")), 2, b"234"),
        (Range(7), asked("7-").then(part("Bytes 7-9/10", b"789")), 7, b"789"),
        (Range(7, 99), asked("7-98").then(part("bytes 7-9/10", b"789")), 7, b"789"),
        (
            Range(7),
            asked("7-").then(
                server("HTTP/1.1 206 P", "Content-Range: bytes 7-9/10", "Transfer-Encoding: chunked", ""),
                server(b"1\r\n7\r\n2\r\n89\r\n0\r\n\r\n"),
            ),
            7,
            b"789",
        ),
        (Range(10), asked("10-").then(beyond(10)), 10, b""),
        (Range(0), OPENING.then(WHOLE), 0, b"0123456789"),
        (Range(unchanged=Attributes()), OPENING.then(WHOLE), 0, b"0123456789"),
        (
            Range(7, unchanged=BY_TAG),
            asked("7-", f"If-Range: {TAG}").then(part("bytes 7-9/10", b"789", f"ETag: {TAG}")),
            7,
            b"789",
        ),
        *(
            (
                Range(7, unchanged=before),
                asked("7-", f"If-Range: {DATE}").then(part("bytes 7-9/10", b"789", f"Last-Modified: {DATE}")),
                7,
                b"789",
            )
            for before in (BY_TIME, BY_TIME_AND_DATE)
        ),
        (Range(7, unchanged=BY_TAG), asked("7-", f"If-Range: {TAG}").then(WHOLE), 0, b"0123456789"),
        (Range(10, unchanged=BY_TAG), asked("10-", f"If-Range: {TAG}").then(beyond(10)), 10, b""),
        (Range(10, unchanged=BY_TAG), asked("10-", f"If-Range: {TAG}").then(beyond(10, f"ETag: {TAG}")), 10, b""),
    ],
)
def test_the_part_is_delivered_or_the_whole_of_what_has_changed(
    wanted: Range, script: Script, start: int, content: bytes
) -> None:
    outcome = outcome_of(wanted, script)
    assert outcome.complete
    assert outcome.attributes is not None
    assert (outcome.content, outcome.attributes.start, outcome.attributes.size) == (content, start, len(content))


@pytest.mark.parametrize(
    ("start", "answer"),
    [
        (7, part("bytes 7-9/10", b"789", 'ETag: "v2"')),
        (7, part("bytes 7-10/11", b"789X", f"ETag: {TAG}")),
        (7, beyond(5)),
        (7, beyond(7)),
        (7, beyond(7, 'ETag: "v2"')),
        (10, beyond(10, 'ETag: "v2"')),
        (10, beyond(10, "Last-Modified: Thu, 01 Jan 2026 00:00:00 GMT")),
        (10, server("HTTP/1.1 416 Beyond", "")),
        (7, beyond(10)),
    ],
)
def test_a_server_that_ignores_if_range_is_asked_again_for_the_whole(start: int, answer: Step) -> None:
    outcome = replay(
        access(URL, range=Range(start, unchanged=BY_TAG)),
        Script(*asked(f"{start}-", f"If-Range: {TAG}").then(answer), *OPENING.then(WHOLE)),
    )
    assert outcome.complete
    assert outcome.content == b"0123456789"


@pytest.mark.parametrize(
    "before",
    [
        Attributes(size=10),
        Attributes(size=10, modified=THEN, fields={"etag": 'W/"v1"'}),
        Attributes(size=10, modified=THEN, fields={"date": DATE}),
    ],
    ids=["no validator", "a weak tag", "modified in the second of the response"],
)
def test_without_a_strong_validator_the_whole_is_requested(before: Attributes) -> None:
    assert replay(access(URL, range=Range(7, unchanged=before)), OPENING.then(WHOLE)).complete


@pytest.mark.parametrize(
    ("kind", "match", "answer"),
    [
        (UnsupportedOperation, "no ranges", WHOLE),
        (RemoteError, "only 5 octets", beyond(5)),
        (RemoteError, "416 Beyond", beyond(10)),
        (RemoteError, "416 Beyond", server("HTTP/1.1 416 Beyond", "")),
        (ProtocolError, "got none", server("HTTP/1.1 206 P", "Content-Length: 3", "", b"789")),
        (ProtocolError, "several", server("HTTP/1.1 206 P", "Content-Type: multipart/byteranges; boundary=x", "")),
        (ProtocolError, "bytes 6-9/10", part("bytes 6-9/10", b"6789")),
        (ProtocolError, "bytes 7-8/10", part("bytes 7-8/10", b"78")),
        (ProtocolError, "bytes 7-9/9", part("bytes 7-9/9", b"789")),
        (ProtocolError, "bytes 7-9/", part("bytes 7-9/*", b"789")),
        (ProtocolError, "Content-Length of 2", part("bytes 7-9/10", b"78")),
        (
            Truncated,
            "received 2 of 3",
            server(
                *("HTTP/1.1 206 P", "Content-Range: bytes 7-9/10", "Transfer-Encoding: chunked", ""),
                b"2\r\n78\r\n0\r\n\r\n",
            ),
        ),
        (
            ProtocolError,
            "more than the 3",
            server(
                *("HTTP/1.1 206 P", "Content-Range: bytes 7-9/10", "Transfer-Encoding: chunked", ""),
                b"4\r\n789X\r\n0\r\n\r\n",
            ),
        ),
    ],
)
def test_anything_else_is_an_error(kind: type[Exception], match: str, answer: Step) -> None:
    outcome = replay(access(URL, range=Range(7)), asked("7-").then(answer))
    assert isinstance(outcome.error, kind)
    assert match in str(outcome.error)


# Downloads, from a server on this machine

CONTENT = random.Random(1).randbytes(300_000)


def interrupted(request: HttpRequest) -> HttpResponse | None:
    """Respond to a request without a range by a part of the content: the connection ends within a chunk."""
    if "Range" in request.headers:
        return None

    def pieces() -> Iterator[bytes]:
        yield CONTENT[:100_000]
        raise ConnectionError("the server breaks down")

    fields = [("Last-Modified", DATE), ("Date", "Wed, 16 Nov 1994 00:00:00 GMT")]
    return HttpResponse(200, pieces(), fields)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    (folder / "big").write_bytes(CONTENT)
    os.utime(folder / "big", (THEN.timestamp(), THEN.timestamp()))
    return folder


@pytest.mark.parametrize("on_loop", [False, True])
def test_a_broken_download_continues_where_it_ended(tmp_path: Path, root: Path, on_loop: bool) -> None:
    def download(url: str) -> Download:
        if on_loop:
            return asyncio.run(AsyncClient(policy=HERE).download(url, tmp_path / "saved", resume=True))
        return Client(policy=HERE).download(url, tmp_path / "saved", resume=True)

    with http_server(root, handler=interrupted) as address:
        with pytest.raises(Truncated):
            download(f"http://{address}/big")
        assert (tmp_path / "saved.part").read_bytes() == CONTENT[:100_000]
        assert json.loads((tmp_path / "saved.part.json").read_text())["modified"] == THEN.isoformat()
        assert not (tmp_path / "saved").exists()
        done = download(f"http://{address}/big")
        assert done == Download(tmp_path / "saved", len(CONTENT), 100_000)
        assert [each.headers["Range"] for each in address.requests] == [None, "bytes=100000-"]
        assert download(f"http://{address}/big").start == len(CONTENT)  # complete: nothing is left to do
    assert (tmp_path / "saved").read_bytes() == CONTENT
    assert sorted(each.name for each in tmp_path.iterdir()) == ["root", "saved"]


@pytest.mark.parametrize("tag", [b"", b'ETag: "v2"\r\n'], ids=["no tag", "another tag"])
def test_a_part_of_what_became_shorter_is_never_complete(tmp_path: Path, tag: bytes) -> None:
    def answers(visitor: Visitor) -> None:
        request = visitor.hear_until(b"\r\n\r\n")
        if len(address.visits) == 1:
            visitor.say(b'HTTP/1.1 200 OK\r\nETag: "v1"\r\nContent-Length: 80000\r\n\r\n' + b"1" * 40_000)
        elif b"Range: bytes=40000-" in request:
            visitor.say(b"HTTP/1.1 416 Beyond\r\nContent-Range: bytes */40000\r\n" + tag + b"\r\n")
        else:
            visitor.say(b'HTTP/1.1 200 OK\r\nETag: "v2"\r\nContent-Length: 40000\r\n\r\n' + b"2" * 40_000)

    saved = tmp_path / "saved"
    with rogue(answers) as address:
        with pytest.raises(Truncated, match="40000 of 80000"):
            urlschemes_access.download(f"http://{address}/big", saved, resume=True, policy=HERE)
        done = urlschemes_access.download(f"http://{address}/big", saved, resume=True, policy=HERE)
    assert done == Download(saved, 40_000, 0, "the resource has changed")
    assert saved.read_bytes() == b"2" * 40_000


def test_a_download_of_what_has_changed_begins_anew(tmp_path: Path, root: Path) -> None:
    with http_server(root, handler=interrupted) as address:
        with pytest.raises(Truncated):
            urlschemes_access.download(f"http://{address}/big", tmp_path / "saved", resume=True, policy=HERE)
        (root / "big").write_bytes(b"new")
        done = urlschemes_access.download(f"http://{address}/big", tmp_path / "saved", resume=True, policy=HERE)
    assert done == Download(tmp_path / "saved", 3, 0, "the resource has changed")
    assert (tmp_path / "saved").read_bytes() == b"new"


def test_a_file_of_another_program_is_continued_if_it_is_newer_than_the_resource(tmp_path: Path, root: Path) -> None:
    saved = tmp_path / "saved"
    with http_server(root) as address:
        client = Client(policy=HERE)
        saved.write_bytes(CONTENT[:1000])
        assert client.download(f"http://{address}/big", saved, resume=True).start == 1000
        assert saved.read_bytes() == CONTENT
        saved.write_bytes(b"old")
        os.utime(saved, (1, 1))
        done = client.download(f"http://{address}/big", saved, resume=True)
        assert (done.start, done.begun_anew) == (0, "the resource is newer than the file")
        assert saved.read_bytes() == CONTENT


def test_a_download_without_resume_leaves_no_part(tmp_path: Path, root: Path) -> None:
    with http_server(root, handler=interrupted) as address, pytest.raises(Truncated):
        Client(policy=HERE).download(f"http://{address}/big", tmp_path / "saved")
    assert [each.name for each in tmp_path.iterdir()] == ["root"]


def test_a_range_of_a_file_on_a_server(root: Path) -> None:
    with (
        http_server(root) as address,
        Client(policy=HERE).open_document(f"http://{address}/big", range=Range(5, 9)) as found,
    ):
        assert (found.read(), found.attributes.start) == (CONTENT[5:9], 5)
