"""What is kept on disk for other processes: that it is used, that it changes nothing, and when it does not count."""

from __future__ import annotations

import ast
import os
import sys
import threading
import time
from pathlib import Path

import importlib_metadata  # noqa: F401  it puts its finder into sys.meta_path, before a test changes that
import pytest
from urlschemes.storage.cached_claims import installed_claims
from urlschemes.storage.cached_records import keep, kept

import urlschemes
from urlschemes.registry.discovery import discover
from urlschemes.registry.registry import Registry, discovery
from urlschemes.scheme.registration import Registration
from urlschemes.storage import cache as stored
from urlschemes.storage import cached_claims, cached_records

posix = pytest.mark.skipif(sys.platform == "win32", reason="files have owners and modes elsewhere")


@pytest.fixture
def cache(tmp_path, monkeypatch) -> Path:
    """An empty folder of this user's for what is kept."""
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("URLSCHEMES_CACHE", str(folder))
    monkeypatch.setattr(cached_claims, "RECENT", 0)  # what these tests write is young
    return folder


@pytest.fixture
def site(install, monkeypatch) -> Path:
    """A folder with one plugin, in front of everything else."""
    folder = install("urlschemes-x-first", "x-first = x_first:scheme", {"x_first.py": "raise SystemExit"})
    monkeypatch.setattr(sys, "path", [str(folder)])
    return folder


@pytest.fixture
def searches(monkeypatch) -> list[int]:
    """One item for each time that the distributions are looked at."""
    found: list[int] = []

    class Search(discovery.Search):
        def __init__(self, *args, **more):
            found.append(1)
            super().__init__(*args, **more)

    monkeypatch.setattr(discovery, "Search", Search)
    return found


def names() -> list[str]:
    return [claim.name for claim in installed_claims()]


def only_file(cache: Path) -> Path:
    (file,) = cache.iterdir()
    return file


# Discovery


def test_the_second_process_looks_at_nothing_and_finds_the_same(cache, site, searches):
    first = installed_claims()
    again = installed_claims()
    assert len(searches) == 1
    assert again == first == discover()
    assert [type(claim) for claim in first] == [type(claim) for claim in again]


def test_names_that_nobody_claims_are_answered_too(cache, site, searches):
    assert "x-nobody" not in names()
    assert "x-nobody" not in names()
    assert len(searches) == 1


def test_what_is_installed_removed_or_edited_later_is_seen(cache, site, searches, install):
    assert names() == ["x-first"]
    install("urlschemes-x-second", "x-second = x_second:scheme")
    assert names() == ["x-first", "x-second"]
    info = site / "urlschemes_x_second-1.0.dist-info"
    (info / "entry_points.txt").write_text("[urlschemes.schemes]\nx-third = x_third:scheme\n")  # in place
    assert names() == ["x-first", "x-third"]
    (info / "entry_points.txt").unlink()
    assert names() == ["x-first"]


def test_a_list_of_names_does_not_look_at_each_distribution(cache, site, searches, install, monkeypatch):
    assert names() == ["x-first"]
    info = site / "urlschemes_x_first-1.0.dist-info"
    (info / "entry_points.txt").write_text("[urlschemes.schemes]\nx-other = x_first:scheme\n")  # in place
    registry = Registry()
    assert list(registry) == ["x-first"]
    assert len(searches) == 1
    assert "x-first" not in registry  # whoever asks for one name is told what is there now
    assert list(registry) == ["x-other"]
    assert len(searches) == 2


def test_sources_that_are_built_again_are_seen(cache, site, searches, tmp_path):
    info = tmp_path / "site" / "made.egg-info"
    info.mkdir()
    (info / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: made\nVersion: 1\n\n")
    (info / "entry_points.txt").write_text("[console_scripts]\na = b:c\n")
    assert names() == ["x-first"]
    (info / "entry_points.txt").write_text("[urlschemes.schemes]\nx-made = made:scheme\n")
    assert names() == ["x-first", "x-made"]


def test_metadata_that_is_put_right_is_seen(cache, site, install):
    install("urlschemes-x-bad", "x-bad = x_bad:scheme", metadata="Metadata-Version: 2.1\nVersion: 1\n\n")
    assert [claim.state for claim in installed_claims()] == ["malformed", "active"]
    (site / "urlschemes_x_bad-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: a\nVersion: 1\n\n")
    assert [claim.state for claim in installed_claims()] == ["active", "active"]


def test_what_is_young_is_not_kept(cache, site, monkeypatch):
    monkeypatch.setattr(cached_claims, "RECENT", 10**18)
    assert names() == ["x-first"]
    assert list(cache.iterdir()) == []


def test_a_finder_of_distributions_keeps_everything_from_being_kept(cache, site, monkeypatch):
    class Finder:
        def find_distributions(self, context):
            return ()

    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder()])
    assert names() == ["x-first"]
    assert list(cache.iterdir()) == []


def test_an_archive_that_changes_is_seen(cache, tmp_path, monkeypatch):
    import zipfile

    archive = tmp_path / "plugins.zip"
    monkeypatch.syspath_prepend(archive)
    for name in ("x-one", "x-other"):
        with zipfile.ZipFile(archive, "w") as file:
            file.writestr("zipped-1.0.dist-info/METADATA", "Name: zipped\nVersion: 1.0\n")
            file.writestr("zipped-1.0.dist-info/entry_points.txt", f"[urlschemes.schemes]\n{name} = zipped:scheme\n")
        assert set(names()) & {"x-one", "x-other"} == {name}
        assert set(names()) & {"x-one", "x-other"} == {name}


def test_the_current_directory_counts_as_it_does_without(cache, site, monkeypatch, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    for here, state in ((site, "ignored"), (tmp_path / "elsewhere", "active"), (site, "ignored")):
        monkeypatch.chdir(here)
        assert [claim.state for claim in installed_claims()] == [state]
        assert installed_claims() == discover()
    monkeypatch.setattr(sys, "path", [""])
    for here, found in ((site, ["x-first"]), (tmp_path / "elsewhere", []), (site, ["x-first"])):
        monkeypatch.chdir(here)
        assert names() == names() == found
    assert [claim.state for claim in installed_claims(current_directory=True)] == ["active"]
    assert [claim.state for claim in installed_claims()] == ["ignored"]


def test_the_order_in_which_a_folder_lists_does_not_count(site, install, monkeypatch):
    for number in range(9):
        install(f"urlschemes-x-n{number}", f"x-n{number} = n{number}:scheme")
    found = discover()
    listed = os.listdir
    monkeypatch.setattr(os, "listdir", lambda path: sorted(listed(path), reverse=True))
    assert discover() == found
    assert [claim.name for claim in found] == sorted(claim.name for claim in found)


# What does not count


@pytest.mark.parametrize(
    "spoil",
    [
        lambda octets: b"",
        lambda octets: octets[:-1],
        lambda octets: octets[: len(octets) // 2],
        lambda octets: octets + b"\0",
        lambda octets: octets.replace(b"x-first", b"x-other"),
        lambda octets: octets.replace(b"active", b"broken"),
        lambda octets: b"\x80\x04K\x01." + octets,
        lambda octets: os.urandom(len(octets)),
        lambda octets: b"\x1e" * 100_000,
    ],
)
def test_a_file_that_was_spoilt_is_as_none(cache, site, spoil):
    assert names() == ["x-first"]
    file = only_file(cache)
    right = file.read_bytes()
    file.write_bytes(spoil(right))
    assert names() == ["x-first"]
    assert only_file(cache).read_bytes() == right  # and it is put right


@pytest.mark.parametrize(
    "text",
    ["", "\x1e", "\x1e\x1e", "{state}", "{state}\x1e\x1e[]", "{state}\x1e\x1e[]\x1ea\x1eb", "{state}\x1enone\x1e[9]"],
)
def test_text_with_a_right_checksum_that_makes_no_sense_is_as_none(cache, site, searches, text):
    key, state = cached_claims._looked_at(current_directory=False)
    name = f"claims-{stored.fingerprint(key)}"
    stored.store(name, key, text.format(state=state))
    found = names()
    assert found in (["x-first"], [])
    assert (found == []) == (text == "{state}\x1e\x1e[]")  # which says that nothing is installed


def test_another_version_of_python_or_of_the_core_starts_anew(cache, site, searches, monkeypatch):
    assert names() == ["x-first"]
    monkeypatch.setattr(cached_claims, "__version__", "9")
    assert names() == ["x-first"]
    assert len(searches) == 2


@posix
@pytest.mark.parametrize("mode", [0o720, 0o702, 0o777])
def test_a_folder_that_others_can_write_to_does_not_count(cache, site, searches, mode):
    assert names() == ["x-first"]
    cache.chmod(mode)
    assert names() == ["x-first"]
    assert len(searches) == 2


@posix
@pytest.mark.parametrize("mode", [0o620, 0o602])
def test_a_file_that_others_can_write_to_does_not_count(cache, site, searches, mode):
    assert names() == ["x-first"]
    only_file(cache).chmod(mode)
    assert names() == ["x-first"]
    assert len(searches) == 2


@posix
def test_a_link_does_not_count(cache, site, searches, tmp_path, monkeypatch):
    assert names() == ["x-first"]
    file = only_file(cache)
    file.rename(tmp_path / "elsewhere")
    file.symlink_to(tmp_path / "elsewhere")
    assert names() == ["x-first"]
    assert not file.is_symlink()  # it was replaced by a file
    (tmp_path / "link").symlink_to(cache)
    monkeypatch.setenv("URLSCHEMES_CACHE", str(tmp_path / "link"))
    assert names() == ["x-first"]
    assert len(searches) == 3


@posix
def test_a_pipe_stops_nobody(cache, site):
    assert names() == ["x-first"]
    file = only_file(cache)
    file.unlink()
    os.mkfifo(file)
    assert names() == ["x-first"]


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="only root can give a file away")
def test_what_belongs_to_somebody_else_does_not_count(cache, site, searches, tmp_path, monkeypatch):
    assert names() == ["x-first"]
    os.chown(only_file(cache), 12345, 12345)
    assert names() == ["x-first"]
    os.chown(cache, 12345, 12345)
    assert names() == ["x-first"]
    assert len(searches) == 3
    # Nor does root make a folder in a home that is not root's.
    (tmp_path / "home").mkdir()
    os.chown(tmp_path / "home", 12345, 12345)
    monkeypatch.setenv("URLSCHEMES_CACHE", str(tmp_path / "home" / ".cache" / "urlschemes"))
    assert names() == ["x-first"]
    assert list((tmp_path / "home").iterdir()) == []


@pytest.mark.parametrize("value", ["none", "NONE", "relative/folder"])
def test_it_can_be_switched_off(cache, site, searches, monkeypatch, tmp_path, value):
    monkeypatch.setenv("URLSCHEMES_CACHE", value)
    monkeypatch.chdir(tmp_path)
    assert names() == names() == ["x-first"]
    assert len(searches) == 2
    assert list(cache.iterdir()) == []
    assert not (tmp_path / "relative").exists()


@pytest.mark.skipif(sys.platform in {"win32", "darwin"}, reason="another place there")
def test_where_it_lies(monkeypatch, tmp_path):
    monkeypatch.delenv("URLSCHEMES_CACHE", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert stored.folder() == str(tmp_path / "xdg" / "urlschemes")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert stored.folder() == str(tmp_path / ".cache" / "urlschemes")
    stored.store("name", "key", "text")
    assert stored.load("name", "key") == "text"
    assert stored.load("name", "other key") is None
    assert (tmp_path / ".cache" / "urlschemes").stat().st_mode & 0o777 == 0o700


def test_what_cannot_be_written_is_no_error(cache, site, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("URLSCHEMES_CACHE", str(tmp_path / "file" / "below"))
    assert names() == ["x-first"]
    monkeypatch.setenv("URLSCHEMES_CACHE", str(cache))

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert names() == ["x-first"]
    assert list(cache.iterdir()) == []  # nothing half-written is left


def test_a_text_that_is_too_long_is_not_kept(cache):
    stored.store("name", "key", "x" * (stored.MOST + 1))
    assert list(cache.iterdir()) == []


def test_the_older_files_make_room(cache, monkeypatch):
    monkeypatch.setattr(stored, "FILES", 4)
    others = ["photo.jpg", "claims-of-mine.txt", "record", "claims-0a.txt", ".claims-x"]
    for name in others:
        (cache / name).write_text("somebody else's")
        os.utime(cache / name, (0, 0))
    for number in range(9):
        stored.store(f"record-{number}", "key", "text")
        os.utime(cache / f"record-{number}", (number, number))
    assert stored.load("record-8", "key") == "text"
    assert {path.name for path in cache.iterdir()} >= {*others}
    assert len(list(cache.iterdir())) <= len(others) + 4


@posix
def test_a_folder_that_somebody_could_replace_is_not_believed(cache, monkeypatch):
    inner = cache / "inner"
    inner.mkdir(mode=0o700)
    monkeypatch.setenv("URLSCHEMES_CACHE", str(inner))
    for mode, found in ((0o777, None), (0o1777, "text"), (0o700, "text")):
        cache.chmod(mode)
        stored.store("record-1", "key", "text")
        assert stored.load("record-1", "key") == found


def test_many_who_write_at_once_leave_one_right_file(cache):
    texts = [str(number) * 50_000 for number in range(8)]
    threads = [threading.Thread(target=stored.store, args=("name", "key", text)) for text in texts * 4]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        assert stored.load("name", "key") in {None, *texts}
        time.sleep(0)
    assert stored.load("name", "key") in texts
    assert only_file(cache).name == "name"


def test_two_processes_at_once_find_the_same(plugin, child, cache):
    site = plugin("x-good")
    code = """
import subprocess, urlschemes
again = f"import sys; sys.path += {sys.path!r}; import urlschemes; print(urlschemes.parse('x-good:yes'))"
others = [subprocess.Popen([sys.executable, "-c", again], stdout=subprocess.PIPE) for _ in range(4)]
said = [other.communicate()[0].decode().strip() for other in others]
print(json.dumps([*said, str(urlschemes.parse("x-good:yes"))]))
"""
    assert child(code, site) == ["x-good:yes"] * 5


# Records


def again_of(text: str) -> Registration | None:
    """The record with that text, as another process has it."""
    found = kept(text)
    return None if found is None else Registration.restored(*found, text, "here")


def test_a_record_is_kept_and_says_the_same(cache, registration, record):
    text = "default_port = 7\n"
    made = registration("x-kept", text)
    whole = record("x-kept", text)
    assert again_of(whole) is None
    keep(made.scheme, made.default_port, made.syntax, whole)
    made.syntax.fullmatch("x-kept:a")
    again = again_of(whole)
    assert again is not None
    assert again.is_restored
    assert not again.syntax.is_compiled
    assert (again.scheme, again.default_port, again.source) == ("x-kept", 7, "here")
    assert (again.title, again.operations, again.examples[0].url) == (made.title, made.operations, made.examples[0].url)
    assert again.syntax.parts["word"].bare == made.syntax.parts["word"].bare
    with pytest.raises(AttributeError):
        again.nothing  # noqa: B018
    assert again_of(whole + "\n") is None  # any other text is another record


def test_what_a_program_of_the_first_url_cannot_be_asked(cache, registration, record):
    made = registration("x-kept")
    whole = record("x-kept")
    keep(made.scheme, made.default_port, made.syntax, whole)
    made.syntax.fullmatch("x-kept:a")
    again = again_of(whole)
    assert again is not None
    found = again.syntax.fullmatch("x-kept:yes")
    assert found["word"] == "yes"
    assert found.span("word") == (7, 10)
    with pytest.raises(IndexError):
        found["nothing"]
    assert type(again.syntax.fullmatch("x-kept:no")) is not type(found)
    long = "x-kept:" + "a" * 2000
    fresh = again_of(whole)
    assert fresh is not None
    assert fresh.syntax.fullmatch(long)["word"] == "a" * 2000


def test_a_kept_pattern_that_is_none_is_made_again(cache, registration, record, monkeypatch):
    made = registration("x-kept")
    whole = record("x-kept")
    keep(made.scheme, made.default_port, made.syntax, whole)
    made.syntax.fullmatch("x-kept:a")
    file = only_file(cache)
    monkeypatch.setattr(stored, "load", lambda *_: None)
    key = file.read_bytes().partition(b"\n")[2].decode().partition("\x1e")[0]
    body = file.read_bytes().partition(b"\n")[2].decode().partition("\x1e")[2]
    stored.store(file.name, key, body.replace(made.syntax.pattern, "((("))
    again = again_of(whole)
    assert again is not None
    assert again.syntax.fullmatch("x-kept:a")["word"] == "a"  # by the program
    assert again.syntax.fullmatch("x-kept:b")["word"] == "b"  # by the pattern of its rules
    assert again.syntax.fullmatch("x-other:b") is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("many\x1c", "some\x1c"),
        ("\x1dend", "\x1ddone\x1c0"),
        ("open\x1cword", "open"),
        ("open\x1cword", "open\x1cother"),
        ("\x1eword\x1fword", "\x1eword\x1fother"),
        ("\x1eword\x1f", "\x1e\x1f"),
    ],
)
def test_a_kept_record_that_makes_no_sense_is_as_none(cache, registration, record, old, new):
    made = registration("x-kept")
    whole = record("x-kept")
    keep(made.scheme, made.default_port, made.syntax, whole)
    made.syntax.fullmatch("x-kept:a")
    file = only_file(cache)
    key, _, body = file.read_bytes().partition(b"\n")[2].decode().partition("\x1e")
    assert old in body
    assert again_of(whole) is not None
    stored.store(file.name, key, body.replace(old, new))
    assert again_of(whole) is None


def rooms_below(*rooms: str, but: frozenset[str]) -> set[str]:
    """The rooms of the core that those import when they are imported or called, and so on; `but` are left out."""
    found, todo = set(), set(rooms)
    while todo:
        room = todo.pop()
        found.add(room)
        names = ast.walk(Unannotated().visit(ast.parse(Path(urlschemes.__path__[0], f"{room}.py").read_text("utf-8"))))
        modules = {node.module for node in names if isinstance(node, ast.ImportFrom)}
        below = {module.partition(".")[2] for module in modules if module.startswith("urlschemes.")}
        todo |= below - found - but
    return found


class Unannotated(ast.NodeTransformer):
    """Takes away what only type checkers import."""

    def visit_If(self, node: ast.If) -> ast.AST | None:
        return None if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING" else node


def test_a_kept_record_depends_on_every_room_that_decides_what_it_says():
    # What is stored says nothing of how it is stored, and nothing of the words of errors; the version counts by itself.
    below = rooms_below("cached_records", "records", but=frozenset({"cache", "errors", "version"}))
    assert "structure" in below  # it says whether the host may be empty
    assert sorted(below) == sorted(cached_records._ROOMS)


def test_a_room_that_changes_makes_a_kept_record_count_no_more(cache, registration, record, monkeypatch, tmp_path):
    made, whole = registration("x-kept"), record("x-kept")
    for file in cached_records._FILES:
        (tmp_path / file).write_text("")
    monkeypatch.setattr(cached_records, "__file__", str(tmp_path / "cached_records.py"))
    keep(made.scheme, made.default_port, made.syntax, whole)
    made.syntax.fullmatch("x-kept:a")
    assert again_of(whole) is not None
    for file in cached_records._FILES:
        state = (tmp_path / file).stat()
        os.utime(tmp_path / file, ns=(state.st_atime_ns, state.st_mtime_ns + 1_000_000_000))
        assert again_of(whole) is None, file
        os.utime(tmp_path / file, ns=(state.st_atime_ns, state.st_mtime_ns))
        assert again_of(whole) is not None


def test_a_first_url_imports_neither_re_nor_what_finds_distributions(plugin, child, cache):
    site = plugin("x-quick", distribution="urlschemes-x-quick")
    code = """
import urlschemes
import settled_long_ago
before = set(sys.modules)
url = urlschemes.parse("x-quick:yes")
heavy = {"re", "typing", "tomllib", "importlib_metadata"} & (set(sys.modules) - before)
print(json.dumps([str(url), url.word, sorted(heavy)]))
"""
    (site / "settled_long_ago.py").write_text("import urlschemes.storage.cached_claims as room\nroom.RECENT = 0\n")
    first, second = child(code, site), child(code, site)
    assert first[:2] == second[:2] == ["x-quick:yes", "yes"]
    assert second[2] == []
