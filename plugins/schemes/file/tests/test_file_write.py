"""Replacing, updating and deleting files of this machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import urlschemes_access
from urlschemes.errors import UnsafeURL, UnsupportedOperation, URLError
from urlschemes_access import Attributes, Policy
from urlschemes_access.errors import PolicyDenied
from urlschemes_access.protocol import Algorithm
from urlschemes_file import FileURL, access
from urlschemes_testing.replay import Script, fault_everywhere, file, removed, replay, split_everywhere, upload, written
from urlschemes_testing.replay.steps import EPOCH

WRITTEN = Attributes(media_type="text/plain", size=10, modified=EPOCH, name="a b.txt", fields={"kind": "file"})

GOOD: dict[str, tuple[Callable[[FileURL], Algorithm[None]], Script, Attributes]] = {
    "replace": (
        access.replace,
        Script(upload(b"one\r\n"), upload(b"two\x00\xff"), written("/pub/a b.txt", b"one\r\ntwo\x00\xff")),
        WRITTEN,
    ),
    "replace by nothing": (access.replace, Script(written("/pub/a b.txt")), replace(WRITTEN, size=0)),
    "update": (
        access.update,
        Script(
            file("/pub/a b.txt", b"old\n"),
            upload(b"more\n"),
            upload(b"!"),
            written("/pub/a b.txt", b"more\n!", to="append"),
        ),
        WRITTEN,
    ),
    "delete": (
        access.delete,
        Script(file("/pub/a b.txt", b"old\n"), removed("/pub/a b.txt")),
        Attributes(name="a b.txt"),
    ),
}


@pytest.mark.fault(51, 52)
@pytest.mark.parametrize("name", GOOD)
def test_a_good_dialogue_gives_this_and_a_fault_leaves_nothing(name: str) -> None:  # B51, B52
    algorithm, script, attributes = GOOD[name]
    url = FileURL.parse("file:///pub/a%20b.txt")
    outcome = split_everywhere(lambda: algorithm(url), script)
    assert outcome.complete
    assert (outcome.kind, outcome.attributes, outcome.unclosed) == ("attributes", attributes, ())
    runs = fault_everywhere(lambda: algorithm(url), script)
    assert {run.fault for run in runs} >= {"unreadable", "forbidden", "cancelled"}
    for run in runs:
        assert not run.outcome.files or run.outcome.kind or run.fault == "cancelled"


OPERATIONS = [access.replace, access.update, access.delete]


@pytest.mark.parametrize("algorithm", OPERATIONS)
@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("file://evil.example/share/x", PolicyDenied),
        ("file://127.0.0.1/etc/passwd", PolicyDenied),
        ("file:////evil.example/share/x", UnsafeURL),
        ("file:///a%2Fb", UnsafeURL),
        ("file:///a%00.txt", UnsafeURL),
        ("file:///a/", UnsupportedOperation),
        ("file:///", UnsupportedOperation),
        ("file:///a/.", UnsupportedOperation),
        ("file:///a/%2E%2E", UnsupportedOperation),
    ],
)
def test_urls_refused_without_the_file_system(
    algorithm: Callable[[FileURL], Algorithm[None]], text: str, error: type[URLError]
) -> None:
    outcome = replay(algorithm(FileURL.parse(text)), Script())
    assert isinstance(outcome.error, error), outcome


# On this machine


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "in" / "sub").mkdir(parents=True)
    (tmp_path / "in" / "a").write_bytes(b"old")
    (tmp_path / "secret").write_bytes(b"secret")
    return tmp_path / "in"


@pytest.fixture
def policy(root: Path) -> Policy:
    return replace(Policy.untrusted(), writable=(str(root),))


def url(path: Path) -> str:
    return str(FileURL.from_path(path))


def operate(operation: str, text: str, policy: Policy, content: Any = b"new") -> Any:
    return urlschemes_access.operate(operation, text, None if operation == "delete" else content, policy=policy)


def test_replace_update_delete(root: Path, policy: Policy) -> None:
    content = bytes(range(256)) * 5000
    pieces = (content[at : at + 7001] for at in range(0, len(content), 7001))
    assert urlschemes_access.replace(url(root / "sub" / "b c"), pieces, policy=policy).size == len(content)
    assert (root / "sub" / "b c").read_bytes() == content
    found = urlschemes_access.update(url(root / "a"), b" and new", policy=policy)
    assert (found.size, found.name) == (11, "a")
    assert (root / "a").read_bytes() == b"old and new"
    urlschemes_access.replace(url(root / "a"), b"", policy=policy)
    assert (root / "a").read_bytes() == b""
    assert urlschemes_access.delete(url(root / "a"), policy=policy).name == "a"
    assert sorted(each.name for each in root.iterdir()) == ["sub"]
