"""Reading files and directories of this machine, and refusing what only looks like one."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from outcomes import checked

import urlschemes_access
from urlschemes.errors import UnsafeURL, URLError
from urlschemes_access import Attributes, Policy
from urlschemes_access.errors import PolicyDenied, RemoteError, Truncated
from urlschemes_file import FileURL
from urlschemes_file.access import access, find_attributes
from urlschemes_testing.replay import Script, file, folder, replay

posix = pytest.mark.skipif(os.name == "nt", reason="needs POSIX")

CONTENT = bytes(range(256)) * 1000
THEN = datetime(1994, 12, 1, tzinfo=UTC)


def parse(text: str) -> FileURL:
    return FileURL.parse(text)


@pytest.mark.fault(51, 52)
def test_a_file_is_delivered_unchanged() -> None:
    script = Script(file("/pub/a.txt", b"one\r\n.\r\ntwo\x00"))
    outcome = checked(partial(access, parse("file:///pub/a.txt")), script)
    assert outcome.content == b"one\r\n.\r\ntwo\x00"
    assert outcome.complete
    assert outcome.unclosed == ()
    assert outcome.attributes == Attributes(
        media_type="text/plain", size=12, modified=THEN, name="a.txt", fields={"kind": "file"}
    )


def test_a_directory_is_a_listing_of_urls() -> None:
    script = Script(
        folder("/pub"),
        file("/pub/a b.txt", b"12345"),
        folder("/pub/sub"),
        file("/pub/pipe", kind="other"),
        file("/pub/sub/deep"),
    )
    for text in ("file:///pub", "file:///pub/", "file://localhost/pub/"):
        outcome = checked(partial(access, parse(text)), script)
        assert outcome.kind == "listing"
        found = {entry.name: entry for entry in outcome.entries}
        assert found.keys() == {"a b.txt", "sub", "pipe"}
        assert (found["a b.txt"].url, found["a b.txt"].size) == ("file:///pub/a%20b.txt", 5)
        assert (found["sub"].url, found["sub"].kind, found["sub"].size) == ("file:///pub/sub/", "directory", None)
        assert found["pipe"].problem == "neither a regular file nor a directory"
        assert found["sub"].modified == THEN


def test_attributes() -> None:
    script = Script(file("/a.tar.gz", b"123"), folder("/d"))
    for text, expected in (
        ("file:///a.tar.gz", Attributes(media_type="application/gzip", size=3, modified=THEN, name="a.tar.gz")),
        ("file:///d", Attributes(modified=THEN, name="d")),
    ):
        outcome = checked(partial(find_attributes, parse(text)), script)
        assert outcome.attributes is not None
        assert replace(outcome.attributes, fields={}) == expected


@pytest.mark.parametrize(
    ("name", "media_type"),
    [
        ("a.html", "text/html"),
        ("a.PNG", "image/png"),
        ("a.txt.gz", "application/gzip"),
        ("a.tar.bz2", "application/x-bzip2"),
        ("a.tar.xz", "application/x-xz"),
        ("a.txt.Z", None),
        ("a", None),
        ("data:image%2Fpng,x", None),
    ],
)
def test_the_suffix_of_a_name_tells_the_media_type(name: str, media_type: str | None) -> None:
    url = FileURL(segments=[name.replace("%2F", "-")])
    outcome = checked(partial(find_attributes, url), Script(file(url.path, b"")))
    assert outcome.attributes is not None
    assert outcome.attributes.media_type == media_type


def test_a_file_that_became_shorter_is_truncated() -> None:
    outcome = checked(partial(access, parse("file:///a")), Script(file("/a", b"123", size=5)))
    assert outcome.content == b"123"
    assert isinstance(outcome.error, Truncated)
    assert (outcome.error.received, outcome.error.expected) == (3, 5)


def test_a_file_with_a_final_slash_is_an_error() -> None:
    outcome = checked(partial(access, parse("file:///a/")), Script(file("/a", b"123")))
    assert isinstance(outcome.error, RemoteError)
    assert checked(partial(access, parse("file:///a/")), Script(folder("/a"))).complete


@pytest.mark.fault(49)
@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("file://evil.example/share/x", PolicyDenied),
        ("file://127.0.0.1/etc/passwd", PolicyDenied),
        ("file://localhost.localdomain/x", PolicyDenied),
        ("file:////evil.example/share/x", UnsafeURL),
        ("file:///%2f%2fevil.example/share", UnsafeURL),
        ("file:///a%2Fb", UnsafeURL),
        ("file:///a%00.txt", UnsafeURL),
    ],
)
def test_urls_refused_without_the_file_system(text: str, error: type[URLError]) -> None:
    for operation in (access, find_attributes):
        outcome = replay(operation(parse(text)), Script())
        assert isinstance(outcome.error, error), outcome


# On this machine


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "in" / "sub").mkdir(parents=True)
    (tmp_path / "in" / "octets.bin").write_bytes(CONTENT)
    (tmp_path / "in" / "empty").write_bytes(b"")
    (tmp_path / "in" / "sub" / "notes.txt").write_bytes(b"Hello.\n")
    (tmp_path / "secret.txt").write_bytes(b"secret\n")
    return tmp_path / "in"


@pytest.fixture
def policy(root: Path) -> Policy:
    return replace(Policy.untrusted(), roots=(str(root),))


def read(path: Path | str, policy: Policy) -> bytes:
    url = path if isinstance(path, str) else str(FileURL.from_path(path))
    with urlschemes_access.open_document(url, policy=policy) as found:
        octets = found.read()
        assert found.terminated
        return octets


def test_the_urls_of_a_listing_can_be_accessed(root: Path, policy: Policy) -> None:
    with urlschemes_access.open_listing(str(FileURL.from_path(root)), policy=policy) as listing:
        found = {entry.name: entry for entry in listing}
    assert list(found) == ["empty", "octets.bin", "sub"]
    assert found["octets.bin"].size == len(CONTENT)
    with urlschemes_access.open_listing(found["sub"].parse(), policy=policy) as inner:
        (entry,) = inner
    assert read(str(entry.url), policy) == b"Hello.\n"
    assert str(found["sub"].parse().join("notes.txt")) == entry.url


@posix
def test_a_name_may_contain_any_octets(root: Path, policy: Policy) -> None:
    names = [b"new\nline", b"esc\x1b[2J", b"tab\t", b"caf\xe9", b"-rf", b"a;b#c?d%e~f", b"\\", b" "]
    for name in names:
        Path(os.fsdecode(os.fsencode(root / "sub") + b"/" + name)).write_bytes(name)
    with urlschemes_access.open_listing(str(FileURL.from_path(root / "sub")), policy=policy) as listing:
        found = {entry.name: str(entry.url) for entry in listing}
    for name in names:
        assert read(found[os.fsdecode(name)], policy) == name


@pytest.fixture
def no_lookups(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    asked: list[Any] = []

    def refuse(*arguments: Any, **_: Any) -> Any:
        asked.append(arguments)
        raise OSError("name resolution is disabled")

    for name in ("getaddrinfo", "gethostbyname", "gethostbyaddr", "getfqdn", "create_connection"):
        monkeypatch.setattr(socket, name, refuse)
    yield asked
    assert asked == []


@pytest.mark.rfc1738(129)
@pytest.mark.parametrize(
    "text",
    [
        "file://evil.example/share/x",
        "file://127.0.0.1/etc/passwd",
        "file:////evil.example/share/x",
        "file:///%2f%2fevil.example/share",
        "file:///a%00.txt",
    ],
)
def test_no_name_is_looked_up(
    text: str, root: Path, policy: Policy, no_lookups: list[Any]
) -> None:  # T013 to T017, T023
    assert read(str(FileURL.from_path(root / "empty").replace(host="localhost")), policy) == b""
    for operation in (urlschemes_access.access, urlschemes_access.find_attributes):
        with pytest.raises((PolicyDenied, UnsafeURL)):
            operation(text, policy=policy)
    assert no_lookups == []
