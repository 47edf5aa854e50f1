"""The parts of downloads: what is kept, what is continued, and what is never touched."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from urlschemes_access import Attributes, Range
from urlschemes_access.errors import AccessError
from urlschemes_access.resources.downloads import Download, Part

URL = "ftp://joe:hunter2@host.dom/big"
THEN = datetime(1994, 12, 1, tzinfo=UTC)
FOUND = Attributes(size=10, modified=THEN, fields={"etag": '"v1"', "server": "x"})


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "big"


def leave_part(target: Path, octets: bytes = b"0123", url: str = URL, attributes: Attributes = FOUND) -> None:
    with Part(target, url) as part:
        part.begin(attributes)
        part.write(octets)


def test_a_part_is_described_without_the_password_and_continued(target: Path) -> None:
    leave_part(target)
    described = json.loads(target.with_name("big.part.json").read_text())
    assert described == {
        "url": "ftp://joe:***@host.dom/big",
        "size": 10,
        "modified": "1994-12-01T00:00:00+00:00",
        "etag": '"v1"',
    }
    with Part(target, URL) as part:
        assert part.range == Range(4, unchanged=replace(FOUND, fields={"etag": '"v1"'}))
        part.begin(replace(FOUND, start=4, size=6))
        part.write(b"456789")
        assert part.finish() == Download(target, 10, 4)
    assert target.read_bytes() == b"0123456789"
    assert [each.name for each in target.parent.iterdir()] == ["big"]


@pytest.mark.parametrize("rest", [Attributes(size=5), Attributes(size=0), Attributes(size=6, fields={"etag": '"v2"'})])
def test_the_rest_of_another_resource_is_never_appended(target: Path, rest: Attributes) -> None:
    leave_part(target)
    with Part(target, URL) as part, pytest.raises(AccessError, match="cannot be continued: the resource has changed"):
        part.begin(replace(rest, start=4))
    assert target.with_name("big.part").read_bytes() == b"0123"
    assert not target.exists()


def test_a_part_without_an_octet_is_removed(target: Path) -> None:
    leave_part(target, b"")
    assert list(target.parent.iterdir()) == []


def spoil(target: Path, text: str) -> None:
    target.with_name("big.part.json").write_text(text)


@pytest.mark.parametrize(
    ("spoilt", "reason"),
    [
        (lambda target: leave_part(target, url="ftp://host.dom/other"), "big.part is a part of another URL"),
        (lambda target: spoil(target, "{"), "big.part.json is damaged"),
        (lambda target: spoil(target, "[]"), "big.part.json is damaged"),
        (lambda target: spoil(target, '{"modified": 5}'), "big.part.json is damaged"),
        (lambda target: spoil(target, '{"modified": "0001-01-01T00:00+23:00"}'), "big.part.json is damaged"),
        (lambda target: leave_part(target, attributes=replace(FOUND, size=3)), "the part is longer than the resource"),
    ],
)
def test_a_part_that_does_not_fit_is_not_continued(target: Path, spoilt: Callable[[Path], None], reason: str) -> None:
    leave_part(target)
    spoilt(target)
    with Part(target, URL) as part:
        assert part.range.is_whole
        part.begin(FOUND)
        part.write(b"9876543210")
        assert part.finish().begun_anew == reason
    assert target.read_bytes() == b"9876543210"


@pytest.mark.parametrize(
    ("before", "reason"),
    [
        (FOUND, "the resource has changed"),
        (Attributes(size=12), "it is unknown whether the resource has changed"),
        (
            replace(FOUND, size=12, fields={"etag": '"v2"'}),
            "the server ignored the request for the rest, or has no ranges",
        ),
    ],
)
def test_the_result_says_why_the_whole_resource_was_sent(target: Path, before: Attributes, reason: str) -> None:
    leave_part(target, attributes=before)
    with Part(target, URL) as part:
        part.begin(Attributes(size=12, fields={"etag": '"v2"'}))
        part.write(b"new")
        assert part.finish().begun_anew == reason
    assert target.read_bytes() == b"new"


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX")
@pytest.mark.parametrize("name", ["big.part", "big.part.json"])
def test_a_link_is_never_followed(target: Path, name: str) -> None:
    leave_part(target)
    other = target.with_name("other")
    target.with_name(name).rename(other)
    before = other.read_bytes()
    target.with_name(name).symlink_to(other)
    with pytest.raises(AccessError), Part(target, URL):
        pass
    assert other.read_bytes() == before


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX")
def test_files_of_others_are_not_written_to(target: Path) -> None:
    part = target.with_name("big.part")
    part.write_bytes(b"of another program")
    with pytest.raises(AccessError, match="may be the file of another program"), Part(target, URL):
        pass
    part.unlink()
    leave_part(target)
    target.with_name("second name").hardlink_to(part)
    with pytest.raises(AccessError, match="two names"), Part(target, URL):
        pass
    part.unlink()
    part.mkdir()
    with pytest.raises(AccessError, match=r"not a regular file|directory"), Part(target, URL):
        pass


@pytest.mark.skipif(os.name == "nt", reason="needs locks")
def test_two_downloads_do_not_write_the_same_part(target: Path) -> None:
    with Part(target, URL) as first, Part(target, URL) as late:
        first.begin(FOUND)
        first.write(b"0123")
        with pytest.raises(AccessError, match="another download"), Part(target, URL):
            pass
        with pytest.raises(AccessError, match="exists"):
            late.begin(FOUND)
    assert target.with_name("big.part").read_bytes() == b"0123"


@pytest.mark.parametrize(
    ("found", "start", "reason"),
    [
        (replace(FOUND, modified=datetime(2001, 1, 1, tzinfo=UTC)), 4, None),
        (replace(FOUND, modified=datetime(2002, 1, 1, tzinfo=UTC)), 0, "the resource is newer than the file"),
        (replace(FOUND, modified=datetime(2003, 1, 1, tzinfo=UTC)), 0, "the resource is newer than the file"),
        (replace(FOUND, modified=None), 0, "it is unknown when the resource was modified"),
        (replace(FOUND, size=3), 0, "the part is longer than the resource"),
    ],
)
def test_a_file_of_another_program_is_continued_only_if_it_fits(
    target: Path, found: Attributes, start: int, reason: str | None
) -> None:
    target.write_bytes(b"0123")
    os.utime(target, (datetime(2002, 1, 1, tzinfo=UTC).timestamp(),) * 2)
    with Part(target, URL) as part:
        assert part.needs_attributes
        part.compare(found)
        assert (part.needs_attributes, part.range.start) == (False, start)
        part.begin(replace(found, start=start, size=None))
        part.write(b"4")
        done = part.finish()
    assert (done.start, done.begun_anew) == (start, reason)
    assert target.read_bytes() == (b"01234" if start else b"4")


def test_permissions_of_the_target_stay(target: Path) -> None:
    target.write_bytes(b"old")
    target.chmod(0o640)
    with Part(target, URL) as part:
        part.compare(replace(FOUND, modified=None))
        part.begin(FOUND)
        part.write(b"new")
        part.finish()
    assert target.stat().st_mode & 0o777 == 0o640
