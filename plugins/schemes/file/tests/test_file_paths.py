"""Paths of this machine and their file URLs."""

import os
from pathlib import Path, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlschemes.errors import UnsafeURL
from urlschemes_file import FileURL
from urlschemes_file.paths import local_path


@pytest.mark.skipif(os.name == "nt", reason="paths of POSIX")
@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("file:///", b"/"),
        ("file:///etc/motd", b"/etc/motd"),
        ("file://localhost/etc/", b"/etc"),
        ("file:///a//b/./c", b"/a/b/c"),
        ("file:///a/%2e%2e/b", b"/a/../b"),
        ("file:///a%0Ab%25%5C", b"/a\nb%\\"),
        ("file:///%FF%C3%A9", b"/\xff\xc3\xa9"),
    ],
)
def test_a_local_url_has_a_path(text: str, path: bytes) -> None:
    found = FileURL.parse(text).to_path()
    assert isinstance(found, Path)
    assert os.fsencode(found) == path


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("file://h.dom/a", "host"),
        ("file://127.0.0.1/a", "host"),
        ("file:////evil.example/share/x", "segments"),
        ("file:////", "segments"),
        ("file:///%2f%2fevil.example/share", "segments"),
        ("file:///a%2Fb", "segments"),
        ("file:///a%00.txt", "segments"),
    ],
)
def test_urls_without_a_path_on_this_machine_are_refused(text: str, part: str) -> None:
    with pytest.raises(UnsafeURL) as caught:
        FileURL.parse(text).to_path()
    assert (caught.value.part, caught.value.scheme) == (part, "file")


@pytest.mark.parametrize(
    ("segments", "path"),
    [
        (("C:", ""), "C:\\"),
        (("c:", "Windows", "notes.txt"), "c:\\Windows\\notes.txt"),
        (("C:", "context.txt", "console"), "C:\\context.txt\\console"),
    ],
)
def test_paths_of_windows(segments: tuple[str, ...], path: str) -> None:
    assert local_path(segments, windows=True) == path


@pytest.mark.parametrize(
    "segments",
    [
        ("",),
        ("etc", "motd"),
        ("C:",),  # the current directory of that drive
        ("C:x", "y"),
        ("", "server", "share"),
        ("C:", "\\\\server"),
        ("C:", "a\\..\\b"),
        ("C:", "a:stream"),
        ("C:", "NUL"),
        ("C:", "con.txt"),
        ("C:", "COM1 .x"),
        ("C:", "lpt\u00b2"),
        ("C:", "aux. ."),
        ("C:", "a/b"),
        ("C:", "a\0b"),
        ("?", "C:", "x"),
    ],
)
def test_names_that_are_no_files_on_windows_are_refused(segments: tuple[str, ...]) -> None:
    with pytest.raises(UnsafeURL):
        local_path(segments, windows=True)


@pytest.mark.skipif(os.name == "nt", reason="paths of POSIX")
def test_a_path_has_a_url(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert str(FileURL.from_path("/")) == "file:///"
    assert str(FileURL.from_path("/etc/motd")) == "file:///etc/motd"
    assert str(FileURL.from_path(Path("/a b/c;d#e~%"))) == "file:///a%20b/c%3Bd%23e%7E%25"
    monkeypatch.chdir(tmp_path)
    assert FileURL.from_path("x/../y").to_path() == tmp_path / "x" / ".." / "y"
    with pytest.raises(UnsafeURL):
        FileURL.from_path("//server/share")


@pytest.mark.skipif(os.name == "nt", reason="paths of POSIX")
def test_a_pure_path_of_another_system_has_a_url_if_it_is_absolute() -> None:
    assert str(FileURL.from_path(PureWindowsPath("C:\\Users\\a b.txt"))) == "file:///C:/Users/a%20b.txt"
    for path in ("a.txt", "C:a.txt", "\\a.txt"):
        with pytest.raises(UnsafeURL, match="relative path of another system: make it absolute"):
            FileURL.from_path(PureWindowsPath(path))


@pytest.mark.skipif(os.name == "nt", reason="paths of POSIX")
@given(
    names=st.lists(
        st.binary(min_size=1, max_size=8).filter(lambda name: b"/" not in name and b"\0" not in name and name != b"."),
        max_size=5,
    )
)
def test_a_path_survives_as_a_url(names: list[bytes]) -> None:
    path = Path(os.fsdecode(b"/" + b"/".join(names)))
    assert FileURL.parse(str(FileURL.from_path(path))).to_path() == path
