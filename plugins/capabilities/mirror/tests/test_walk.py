"""Mirrors of a made-up server: what is saved, what is left out, and what is never touched."""

from __future__ import annotations

import json
import os
import sys
import types
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from talk_scheme import RECORD, Clock

from urlschemes import Registry, Scheme
from urlschemes.errors import UnsupportedOperation, URLError
from urlschemes.record.registration import Registration
from urlschemes.url.value import LoginURL
from urlschemes_access import Client, Range, Session
from urlschemes_access.attributes import Attributes, Entry
from urlschemes_access.errors import AccessError, ConnectError, DeadlineExceeded, LimitExceeded, RemoteError, Truncated
from urlschemes_access.protocol import Algorithm, Deliver, Open, Unterminated
from urlschemes_mirror import MirrorStep, folders, mirror

TREE = Registration.from_text(RECORD.replace("*uchar", '*[ uchar | "/" ]').replace("x-talk", "x-tree"), source="test")
RECORD_NAME = ".urlschemes-mirror.json"
ROOT = "x-tree://joe:hunter2@host.dom/"
THEN = datetime(1994, 12, 1, tzinfo=UTC)


class TreeURL(LoginURL, registration=TREE):
    """A URL of it."""


class Server:
    """The content by path: octets, a list of entries, or an error; `served` are the paths that were accessed."""

    def __init__(self) -> None:
        self.tree: dict[str, Any] = {}
        self.served: list[str] = []

    def access(self, url: Any, *, range: Range | None = None) -> Algorithm[None]:  # noqa: A002
        self.served.append(url.what or "")
        found = self.tree[url.what or ""]
        start = range.start if range else 0
        if isinstance(found, Exception):
            raise found
        if found is Session:
            yield from Open("session", session=Session)
            return
        yield from Open("listing" if isinstance(found, list) else "document", Attributes(start=start))
        for piece in found if isinstance(found, list) else [found[start:]]:
            if isinstance(piece, Exception):
                raise piece
            yield from Deliver(piece)


def entry(what: str, **more: Any) -> Entry:
    more = {"name": what.rstrip("/").rpartition("/")[2], "url": f"{ROOT}{what}"} | more
    return Entry(**more)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Server:
    server = Server()
    module = types.ModuleType("tree_for_mirrors")
    vars(module).update(access=server.access)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return server


Save = Callable[..., list[MirrorStep]]


@pytest.fixture
def top(tmp_path: Path) -> Path:
    return tmp_path / "around" / "top"


@pytest.fixture
def save(server: Server, top: Path) -> Save:
    registry = Registry(plugins=())
    registry.register(Scheme(TREE, TreeURL, access="tree_for_mirrors"))
    client = Client(registry=registry)

    def call(url: str = ROOT, **arguments: Any) -> list[MirrorStep]:
        server.served.clear()
        return list(mirror(url, top, client=client, **arguments))

    return call


def actions(steps: list[MirrorStep]) -> list[tuple[str, str]]:
    return [(step.action, step.url.rpartition("dom/")[2]) for step in steps]


def files(top: Path) -> dict[str, bytes]:
    found = {path.relative_to(top).as_posix(): path.read_bytes() for path in top.rglob("*") if path.is_file()}
    found.pop(RECORD_NAME, None)
    return found


def test_a_tree_is_saved_and_each_url_is_accessed_once(server: Server, save: Save, top: Path) -> None:
    server.tree = {
        "": [entry("docs/"), entry("a.txt"), entry("a.txt"), entry("")],
        "docs/": [entry("docs/b", modified=THEN), entry("docs/up/"), entry("a.txt")],
        "docs/up/": [entry("docs/"), entry("")],
        "a.txt": b"A",
        "docs/b": b"BB",
    }
    steps = save()
    assert actions(steps) == [("saved", "a.txt"), ("saved", "docs/b")]
    assert files(top) == {"a.txt": b"A", "docs/b": b"BB"}
    assert [step.path for step in steps] == [top / "a.txt", top / "docs" / "b"]
    assert [step.octets for step in steps] == [1, 2]
    assert sorted(server.served) == ["", "a.txt", "docs/", "docs/b", "docs/up/"]
    assert (top / "docs" / "b").stat().st_mtime == THEN.timestamp()
    assert "hunter2" not in (top / RECORD_NAME).read_text() + repr(steps)


def test_the_same_listing_by_other_urls_is_entered_once(server: Server, save: Save, top: Path) -> None:
    server.tree = {what: [entry("1"), entry("1/"), entry("a")] for what in ("", "1", "1/")} | {"a": b"A"}
    assert actions(save()) == [("saved", "a")]
    assert [path.name for path in top.iterdir() if path.is_dir()] == []


def test_a_document_without_its_end_mark_is_marked(server: Server, save: Save) -> None:
    server.tree = {"": [entry("a")]}

    def unmarked(url: Any) -> Algorithm[None]:
        if not url.what:
            yield from Server.access(server, url)
            return
        yield from Open("document")
        yield from Deliver(b"all")
        yield from Unterminated()

    sys.modules["tree_for_mirrors"].access = unmarked  # type: ignore[attr-defined]
    assert [(step.action, step.terminated) for step in save()] == [("saved", False)]


@pytest.mark.parametrize(("found", "kind"), [(b"A", "document"), (Session, "session")])
def test_a_mirror_begins_at_a_listing(server: Server, save: Save, top: Path, found: object, kind: str) -> None:
    server.tree = {"a.txt": found}
    with pytest.raises(UnsupportedOperation, match=f"x-tree delivers a {kind} here, and a mirror needs a listing"):
        save(f"{ROOT}a.txt")
    assert not top.exists()


HOSTILE = [
    *("..", "%2E%2E%2Fx", "%2Ftmp%2Fx", "..%5Cx", ".", "con", "NUL.txt", "A%3Ab", "-rf", "%E2%80%AE", "%20"),
    *(".urlschemes-mirror.json", "index", "INDEX", "a.part", "a", "A", "a.part.json", "%80%FF", "x" * 400, "%C2%85"),
]


@pytest.mark.parametrize("slash", ["", "/"], ids=["documents", "folders"])
def test_no_name_of_a_server_leads_out_of_the_folder(server: Server, save: Save, top: Path, slash: str) -> None:
    server.tree = {"": [entry(f"d/{name}{slash}", name="a title") for name in HOSTILE]}
    for each in HOSTILE:
        what = TreeURL.parse(f"{ROOT}d/{each}{slash}").what
        assert what is not None
        server.tree[what] = [entry(f"{each}{slash}z")] if slash else each.encode()
        server.tree[TreeURL.parse(f"{ROOT}{each}{slash}z").what] = each.encode()
    steps = save()
    assert [step.action for step in steps] == ["saved"] * len(HOSTILE)
    saved = files(top)
    saved.pop("index")
    assert sorted(saved.values()) == sorted(each.encode() for each in HOSTILE)
    assert [path.name for path in top.parent.iterdir()] == ["top"]
    names = [name.partition("/")[0] for name in saved]
    assert len({name.casefold() for name in names}) == len(HOSTILE)
    assert all(name.isprintable() and len(name.encode()) < 240 for name in names)
    assert not any(name.startswith((".", "-")) or name.casefold() == "index" for name in names)


@pytest.mark.parametrize("descriptors", [True, False])
def test_links_in_the_folder_are_not_followed(
    server: Server, save: Save, top: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, descriptors: bool
) -> None:
    if not descriptors:  # as on Windows and macOS
        monkeypatch.setattr(folders, "_can_use_descriptors", lambda: False)
    server.tree = {"": [entry("d/"), entry("a"), entry("b")], "d/": [entry("d/c")], "a": b"A", "b": b"B", "d/c": b"C"}
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_bytes(b"kept")
    save()
    for path in (top / "d" / "c", top / "a"):
        path.unlink()
    (top / "d").rmdir()
    (top / "d").symlink_to(outside)
    (top / "a").symlink_to(outside / "kept")
    (top / "b").unlink()
    (top / "b.part").symlink_to(outside / "new")
    steps = {step.url.rpartition("/")[2]: step for step in save()}
    assert steps["a"].action == "saved"
    assert not (top / "a").is_symlink()
    assert steps["b"].action == steps[""].action == "failed"
    assert f"'{top}/b.part' is a link" in str(steps["b"].error)
    assert f"cannot write '{top}/d': it exists, and is not a folder" in str(steps[""].error)
    assert {path.name: path.read_bytes() for path in outside.iterdir()} == {"kept": b"kept"}


@pytest.mark.skipif(sys.platform != "linux", reason="needs paths that begin at an open folder")
def test_a_folder_swapped_for_a_link_while_it_is_filled_is_not_left(
    server: Server, save: Save, top: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    server.tree = {"": [entry("d/")], "d/": [entry("d/a"), entry("d/b")], "d/a": b"A", "d/b": b"B"}
    steps = mirror(ROOT, top, client=Client(registry=_registry()))
    assert next(steps).action == "saved"
    (top / "d").rename(top / "e")
    (top / "d").symlink_to(outside)
    assert [step.action for step in steps] == ["saved"]
    assert list(outside.iterdir()) == []
    assert sorted(path.name for path in (top / "e").iterdir()) == ["a", "b"]


def _registry() -> Registry:
    registry = Registry(plugins=())
    registry.register(Scheme(TREE, TreeURL, access="tree_for_mirrors"))
    return registry


@pytest.mark.parametrize(
    ("facts", "action"),
    [
        ({"size": 1, "modified": THEN}, "unchanged"),
        ({"size": 1}, "saved"),
        ({"size": 2, "modified": THEN}, "saved"),
        ({"size": 1, "modified": THEN.replace(year=1995)}, "saved"),
    ],
)
def test_a_file_is_unchanged_if_the_listing_says_so(
    server: Server, save: Save, facts: dict[str, Any], action: str
) -> None:
    server.tree = {"": [entry("a", size=1, modified=THEN)], "a": b"A"}
    save()
    server.tree[""] = [entry("a", **facts)]
    assert actions(save()) == [(action, "a")]
    assert actions(save()) == [("unchanged", "a")]
    assert server.served == [""]


def test_a_file_without_facts_in_the_listing_is_got_again_only_if_asked(server: Server, save: Save, top: Path) -> None:
    server.tree = {"": [entry("a"), entry("b", size=1)], "a": b"A", "b": b"B"}
    save()
    server.tree["a"] = b"new"
    assert actions(save()) == [("unchanged", "a"), ("unchanged", "b")]
    assert actions(save(refresh=True)) == [("saved", "a"), ("unchanged", "b")]
    assert files(top)["a"] == b"new"
    (top / "b").write_bytes(b"changed here")
    assert actions(save()) == [("unchanged", "a"), ("saved", "b")]


def test_names_stay_when_the_listing_is_in_another_order(server: Server, save: Save, top: Path) -> None:
    server.tree = {"": [entry("a"), entry("A")], "a": b"a", "A": b"A"}
    save()
    server.tree[""].reverse()
    assert {action for action, _ in actions(save())} == {"unchanged"}
    assert files(top) == {"a": b"a", "A-2": b"A"}


def test_what_was_interrupted_is_continued(server: Server, save: Save, top: Path) -> None:
    server.tree = {"": [entry("a"), entry("b")], "a": b"A", "b": b"B" * 100}
    with pytest.raises(LimitExceeded, match="longer than 50 octets"):
        save(octets=50)
    assert files(top) == {"a": b"A"}
    with_part = save(octets=101)
    assert actions(with_part) == [("unchanged", "a"), ("saved", "b")]
    assert files(top) == {"a": b"A", "b": b"B" * 100}


def test_a_part_is_continued_by_a_range(server: Server, save: Save, top: Path) -> None:
    content = bytes(range(100))
    server.tree = {"": [entry("b")], "b": [content[:60], content[60:]]}

    def cut(url: Any, *, range: Range | None = None) -> Algorithm[None]:  # noqa: A002
        if not url.what:
            yield from Server.access(server, url)
            return
        start = range.start if range else 0
        yield from Open("document", Attributes(size=100 - start, start=start, modified=THEN))
        yield from Deliver(content[start : start + 60])
        if start + 60 < 100:
            raise Truncated("it ended too early", received=60, expected=100)

    sys.modules["tree_for_mirrors"].access = cut  # type: ignore[attr-defined]
    assert actions(save()) == [("failed", "b")]
    (step,) = save()
    assert (step.action, step.octets) == ("saved", 40)
    assert files(top) == {"b": content}


def test_other_servers_are_left_out_unless_allowed(server: Server, save: Save) -> None:
    others = [
        entry("a", url="x-tree://other.dom/a"),
        entry("b", url="x-tree://host.dom:8/b"),
        entry("c", url="file:///etc/passwd"),
        entry("d", url="http://host.dom/"),
        entry("e", url="x-tree://HOST.DOM/e"),
    ]
    server.tree = {"": others, "a": b"A", "b": b"B", "e": b"E"}
    steps = save()
    assert [step.action for step in steps] == ["refused"] * 4 + ["saved"]
    assert str(steps[1].error) == "it leads to another server; span_hosts=True allows other servers of the scheme"
    assert server.served == ["", "e"]
    steps = save(span_hosts=True)
    assert [step.action for step in steps] == ["refused", "refused", "saved", "refused", "unchanged"]
    assert server.served == ["", "a"]
    assert "port 8" in str(steps[3].error)  # the policy holds for other servers, too


def test_what_is_no_document_is_left_out_and_what_fails_is_reported(server: Server, save: Save, top: Path) -> None:
    server.tree = {
        "": [
            entry("find", kind="search"),
            entry("shell"),
            Entry(name="gone", problem="no URL can name it"),
            Entry(name="bad", url="x-tree://host.dom/ "),
            entry("latest", kind="link"),
            entry("lost"),
            entry("cut/"),
            entry("a"),
            Entry(name="a line of text", kind="info"),
        ],
        "shell": Session,
        "latest": RemoteError("not a file"),
        "lost": RemoteError("not found"),
        "cut/": [entry("cut/c"), Truncated("it ended too early")],
        "a": b"A",
        "cut/c": b"C",
    }
    steps = save()
    assert actions(steps) == [
        ("refused", "find"),
        ("refused", "gone"),
        ("refused", " "),
        ("refused", "shell"),
        ("refused", "latest"),
        ("failed", "lost"),
        ("failed", "cut/"),
        ("saved", "a"),
        ("saved", "cut/c"),
    ]
    assert all((step.error is None) == (step.action == "saved") for step in steps)
    lines = (top / "index").read_text().splitlines()
    assert lines[-2:] == ["a\ta\tx-tree://joe:***@host.dom/a", "a line of text"]


def test_the_limits_hold(server: Server, save: Save, top: Path) -> None:
    server.tree = {"": [entry("d/"), entry("a")], "a": b"A", "d/": [entry("d/e/")], "d/e/": [entry("d/e/f")]}
    steps = save(depth=1)
    assert actions(steps) == [("saved", "a"), ("refused", "d/e/")]
    assert isinstance(steps[-1].error, LimitExceeded)
    many = [entry(f"a{number}") for number in range(10)]
    server.tree = {"": many} | {f"a{number}": b"A" for number in range(10)}
    with pytest.raises(LimitExceeded, match="more than 3 entries"):
        save(entries=3)
    assert sorted(files(top)) == ["a", "a0", "a1", "a2"]
    with pytest.raises(ValueError, match="depth must be 0 to 100"):
        save(depth=101)


@pytest.mark.parametrize(
    "error", [RemoteError("550 no such directory"), ConnectError("refused"), b"a document", [Truncated("an end")]]
)
def test_a_start_that_fails_leaves_the_folder_free(server: Server, save: Save, top: Path, error: object) -> None:
    server.tree = {"": error, "a/": [entry("a/b")], "a/b": b"B"}
    with pytest.raises(URLError):
        save()
    assert actions(save(f"{ROOT}a/")) == [("saved", "a/b")]
    assert files(top) == {"b": b"B"}
    with pytest.raises(AccessError, match="is a mirror of x-tree"):
        save()


def test_control_characters_of_a_server_are_escaped_in_the_url_of_a_step(server: Server, save: Save) -> None:
    names = ["gone\x1b]0;x\x07\x9b5m\u202e", "\x1b[2J"]
    server.tree = {"": [Entry(name=names[0], problem="no URL"), Entry(name="b", url=f"{ROOT}{names[1]}")]}
    steps = save()
    assert [step.action for step in steps] == ["refused", "refused"]
    assert steps[0].url == r"gone\x1b]0;x\x07\x9b5m\u202e"
    assert steps[1].url == r"x-tree://joe:***@host.dom/\x1b[2J"


def test_a_server_that_is_gone_is_not_tried_for_every_entry(server: Server, save: Save) -> None:
    server.tree = {"": [entry(f"a{number}") for number in range(10)]}
    server.tree |= {f"a{number}": ConnectError("refused") for number in range(10)}
    with pytest.raises(ConnectError):
        save()
    assert len(server.served) == 4


def test_the_deadline_is_of_the_whole_mirror_without_pauses(
    server: Server, save: Save, top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    monkeypatch.setattr("urlschemes_mirror.walk.monotonic", clock)
    server.tree = {"": [entry("a"), entry("b")], "a": b"A", "b": b"B"}
    steps = mirror(ROOT, top, client=Client(registry=_registry()), deadline=1000)
    next(steps)
    clock.now += 1001
    assert [step.action for step in steps] == ["saved"]

    class Slow(Server):
        def access(self, url: Any) -> Algorithm[None]:  # type: ignore[override]
            clock.now += 400
            yield from super().access(url)

    slow = Slow()
    slow.tree = {"": [entry(f"x{number}") for number in range(10)]} | {f"x{number}": b"x" for number in range(10)}
    sys.modules["tree_for_mirrors"].access = slow.access  # type: ignore[attr-defined]
    with pytest.raises(DeadlineExceeded):
        save(deadline=1000)
    assert slow.served == ["", "x0", "x1"]


def test_a_folder_with_other_files_is_refused(server: Server, save: Save, top: Path) -> None:
    server.tree = {"": [entry("a")], "a": b"A", "b/": []}
    top.mkdir(parents=True)
    (top / "a").write_bytes(b"mine")
    with pytest.raises(AccessError, match="neither empty nor a mirror"):
        save()
    assert server.served == []
    assert files(top) == {"a": b"mine"}
    (top / "a").unlink()
    save()
    with pytest.raises(AccessError, match="is a mirror of x-tree"):
        save(f"{ROOT}b/")


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"url": "a", "files": []}', '{"url": "a", "files": {"b": {"path": 1}}}', "[" * 100_000]
)
def test_a_damaged_record_is_refused(server: Server, save: Save, top: Path, text: str) -> None:
    top.mkdir(parents=True)
    (top / RECORD_NAME).write_text(text)
    with pytest.raises(AccessError, match="it is damaged"):
        save()


def test_a_record_cannot_name_files_elsewhere(server: Server, save: Save, top: Path) -> None:
    server.tree = {"": [entry("a")], "a": b"A"}
    save()
    record = json.loads((top / RECORD_NAME).read_text())
    for path in ("../a", "..", "/a", "d/../../a", ".bashrc"):
        record["files"][ROOT.replace("hunter2", "***") + "a"]["path"] = path
        (top / RECORD_NAME).write_text(json.dumps(record))
        (top / "a").unlink()
        save()
        assert files(top) == {"a": b"A"}
        assert [each.name for each in top.parent.iterdir()] == ["top"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
def test_the_record_is_written_though_others_of_the_group_may_write_files(
    server: Server, save: Save, top: Path
) -> None:
    server.tree = {"": [entry("a")], "a": b"A"}
    before = os.umask(0)
    try:
        save()
        assert actions(save()) == [("unchanged", "a")]
    finally:
        os.umask(before)
