"""Ranges of local files."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from urlschemes.errors import UnsupportedOperation
from urlschemes_access import Attributes, Client, Policy, Range
from urlschemes_access.errors import RemoteError
from urlschemes_file import FileURL
from urlschemes_file.access import access
from urlschemes_testing.replay import Script, file, folder, replay, split_everywhere

URL = FileURL.parse("file:///pub/a")
THEN = datetime(1994, 12, 1, tzinfo=UTC)
A = Script(file("/pub/a", b"0123456789"))


@pytest.mark.parametrize(
    ("wanted", "start", "content"),
    [
        (Range(2, 5), 2, b"234"),
        (Range(7), 7, b"789"),
        (Range(7, 99), 7, b"789"),
        (Range(10), 10, b""),
        (Range(7, unchanged=Attributes(size=10, modified=THEN)), 7, b"789"),
        (Range(7, unchanged=Attributes(size=11, modified=THEN)), 0, b"0123456789"),
        (Range(7, unchanged=Attributes(size=10, modified=datetime(1993, 1, 1, tzinfo=UTC))), 0, b"0123456789"),
    ],
)
def test_the_part_is_delivered_or_the_whole_of_what_has_changed(wanted: Range, start: int, content: bytes) -> None:
    outcome = split_everywhere(lambda: access(URL, range=wanted), A)
    assert outcome.complete
    assert outcome.attributes is not None
    assert (outcome.content, outcome.attributes.start, outcome.attributes.size) == (content, start, len(content))


def test_a_range_beyond_the_end_and_one_of_a_directory_are_errors() -> None:
    assert isinstance(replay(access(URL, range=Range(11)), A).error, RemoteError)
    directory, script = FileURL.parse("file:///pub"), Script(folder("/pub"))
    assert isinstance(replay(access(directory, range=Range(1)), script).error, UnsupportedOperation)
    assert replay(access(directory, range=Range(1, unchanged=Attributes())), script).kind == "listing"


def test_a_range_of_a_file_of_this_machine(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(bytes(range(256)) * 1000)
    client = Client(policy=replace(Policy.untrusted(), roots=(str(tmp_path),)))
    with client.open_document(FileURL.from_path(path), range=Range(100_000, 200_000)) as found:
        assert found.read() == path.read_bytes()[100_000:200_000]
