"""Ranges of files on FTP servers, and downloads that continue."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from ftp_dialogues import LOGIN, QUIT, TYPE_A, download, epsv, type_and_size

from urlschemes.errors import UnsupportedOperation
from urlschemes_access import Attributes, Client, Download, Policy, Range
from urlschemes_access.errors import RemoteError, Truncated
from urlschemes_ftp import FtpURL
from urlschemes_ftp.access import access
from urlschemes_servers.ftp import ftp_server
from urlschemes_testing.replay import Script, Step, client_closes, exchange, replay, server, split_everywhere

URL = FtpURL.parse("ftp://host.dom/a")
THEN = datetime(1994, 12, 1, tzinfo=UTC)
BEFORE = Attributes(size=10, modified=THEN)
SAME = exchange("MDTM a", "213 19941201000000")
REST = exchange("REST 7", "350 Restarting at 7")
SIZE = type_and_size("a", 10)
NO_SIZE = type_and_size("a", None)


@pytest.mark.parametrize(
    ("wanted", "script", "start", "content"),
    [
        (Range(7), LOGIN.then(*SIZE, *epsv(), *REST, *download("RETR", "a", b"789"), *QUIT), 7, b"789"),
        (Range(7, 10), LOGIN.then(*SIZE, *epsv(), *REST, *download("RETR", "a", b"789"), *QUIT), 7, b"789"),
        (Range(7, 99), LOGIN.then(*SIZE, *epsv(), *REST, *download("RETR", "a", b"789"), *QUIT), 7, b"789"),
        (Range(10), LOGIN.then(*SIZE, *QUIT), 10, b""),
        (
            Range(7, unchanged=BEFORE),
            LOGIN.then(*SIZE, *SAME, *epsv(), *REST, *download("RETR", "a", b"789"), *QUIT),
            7,
            b"789",
        ),
        (
            Range(unchanged=Attributes()),
            LOGIN.then(*SIZE, *SAME, *epsv(), *download("RETR", "a", b"0123456789"), *QUIT),
            0,
            b"0123456789",
        ),
        (
            Range(7, unchanged=BEFORE),
            LOGIN.then(
                *SIZE, *exchange("MDTM a", "213 19951201000000"), *epsv(), *download("RETR", "a", b"0123456789"), *QUIT
            ),
            0,
            b"0123456789",
        ),
        (
            Range(7, unchanged=BEFORE),
            LOGIN.then(*SIZE, *exchange("MDTM a", "500 What?"), *epsv(), *download("RETR", "a", b"0123456789"), *QUIT),
            0,
            b"0123456789",
        ),
        (
            Range(7, unchanged=BEFORE),
            LOGIN.then(
                *SIZE, *SAME, *epsv(), *exchange("REST 7", "502 No REST"), *download("RETR", "a", b"0123456789"), *QUIT
            ),
            0,
            b"0123456789",
        ),
    ],
)
def test_the_part_is_delivered_or_the_whole_of_what_has_changed(
    wanted: Range, script: Script, start: int, content: bytes
) -> None:
    outcome = split_everywhere(lambda: access(URL, range=wanted), script)
    assert outcome.complete
    assert outcome.attributes is not None
    assert (outcome.content, outcome.attributes.start, outcome.attributes.size) == (content, start, len(content))


def test_a_range_that_ends_early_is_ended_by_closing_the_data_connection() -> None:
    script = LOGIN.then(
        *SIZE,
        *epsv(),
        *exchange("REST 2", "350 Restarting at 2", "RETR a", "150 Here it comes"),
        server(b"234", on="data"),
        client_closes(on="data"),
        *QUIT,
    )
    outcome = split_everywhere(lambda: access(URL, range=Range(2, 5)), script)
    assert outcome.complete
    assert outcome.content == b"234"


@pytest.mark.parametrize(
    ("wanted", "dialogue", "content"),
    [
        (Range(7), [*SIZE, *epsv()], b"78"),
        (Range(7, unchanged=BEFORE), [*NO_SIZE, *SAME, *epsv()], b"78"),
        (Range(7, unchanged=BEFORE), [*NO_SIZE, *SAME, *epsv()], b"0123456789"),
    ],
    ids=["cut off", "cut off, of a known size", "not a part"],
)
def test_a_part_of_another_size_is_an_error(wanted: Range, dialogue: Sequence[Step], content: bytes) -> None:
    script = LOGIN.then(*dialogue, *REST, *download("RETR", "a", content))
    assert isinstance(replay(access(URL, range=wanted), script).error, Truncated)


@pytest.mark.parametrize(
    ("kind", "text", "wanted", "script"),
    [
        (RemoteError, "only 10 octets", Range(11), LOGIN.then(*SIZE)),
        (
            UnsupportedOperation,
            "the server has no ranges: 502 No REST",
            Range(7),
            LOGIN.then(*SIZE, *epsv(), *exchange("REST 7", "502 No REST")),
        ),
    ],
)
def test_a_range_that_cannot_be_had_is_an_error(
    kind: type[Exception], text: str, wanted: Range, script: Script
) -> None:
    error = replay(access(URL, range=wanted), script).error
    assert isinstance(error, kind)
    assert text in str(error)


@pytest.mark.parametrize("path", ["a;type=a", "a;type=d", ""])
def test_texts_and_directories_have_no_ranges(path: str) -> None:
    error = replay(access(FtpURL.parse(f"ftp://host.dom/{path}"), range=Range(1)), Script()).error
    assert isinstance(error, UnsupportedOperation)


def test_the_whole_of_a_text_is_delivered_if_a_part_may_have_changed() -> None:
    script = LOGIN.then(*TYPE_A, *epsv(), *download("RETR", "a", b"0123456789"), *QUIT)
    outcome = replay(access(FtpURL.parse("ftp://host.dom/a;type=a"), range=Range(7, unchanged=BEFORE)), script)
    assert (outcome.content, outcome.complete) == (b"0123456789", True)


def test_a_download_from_a_server_continues(tmp_path: Path) -> None:
    content = bytes(range(256)) * 1000
    root = tmp_path / "root"
    root.mkdir()
    (root / "big").write_bytes(content)
    os.utime(root / "big", (1, 1))
    saved = tmp_path / "saved"
    saved.write_bytes(content[:1000])
    with ftp_server(root) as address, Client(policy=Policy.interactive()) as client:
        url = f"ftp://{address}/big"
        for _ in range(2):  # after a range that ended early, the connection is not used again
            with client.open_document(url, range=Range(300, 500)) as found:
                assert found.read() == content[300:500]
        assert client.download(url, saved, resume=True) == Download(saved, len(content), 1000)
    assert saved.read_bytes() == content
