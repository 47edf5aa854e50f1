"""The syntax of file URLs (RFC 1738 section 3.10): parts, errors, constructor, paths."""

import os
from pathlib import Path, PureWindowsPath
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import urlschemes
from urlschemes import Encoded
from urlschemes.errors import InvalidURL, UnsafeURL
from urlschemes.record.record_fields import Example
from urlschemes_file import FileURL, registration
from urlschemes_file.paths import local_path
from urlschemes_testing.examples import check_example


@pytest.mark.parametrize("example", registration.examples, ids=lambda example: example.url)
def test_the_examples_of_the_record_are_true(example: Example) -> None:
    check_example(FileURL, example)


def test_the_record_is_that_of_the_scheme() -> None:
    assert (registration.scheme, registration.status, registration.default_port) == ("file", "permanent", None)
    assert registration.operations == ("access", "find attributes", "update", "replace", "delete")
    assert registration.redirects == ()
    assert registration.local
    assert sum(example.parts is None for example in registration.examples) >= 10


def test_the_grammar_is_that_of_section_5() -> None:
    printed = """
fileurl        = "file://" [ host | "localhost" ] "/" fpath
fpath          = fsegment *[ "/" fsegment ]
fsegment       = *[ uchar | "?" | ":" | "@" | "&" | "=" ]
"""
    lines = [line.partition("; ")[0].strip() for line in registration.syntax.bnf.strip().splitlines()]
    assert "\n".join(line for line in lines if line) == printed.strip()


# The parts


@pytest.mark.parametrize(
    ("text", "host", "local"),
    [
        ("file:///x", "", True),
        ("file://localhost/x", "localhost", True),
        ("file://LOCALhost/x", "localhost", True),
        ("FILE:///x", "", True),
        ("file://localhost.dom/x", "localhost.dom", False),
        ("file://a.localhost/x", "a.localhost", False),
        ("file://127.0.0.1/x", "127.0.0.1", False),
        ("file://vms.host.edu/x", "vms.host.edu", False),
    ],
)
def test_which_hosts_are_this_machine(text: str, host: str, local: bool) -> None:
    url = FileURL.parse(text)
    assert (url.host, url.is_local, url.port) == (host, local, None)
    assert str(url) == text


@pytest.mark.parametrize("text", ["file:///x", "FILE://Localhost/x"])
def test_this_machine_has_one_spelling(text: str) -> None:
    assert str(FileURL.parse(text).normalized()) == "file:///x"


@pytest.mark.parametrize(
    ("text", "segments", "path"),
    [
        ("file:///", ("",), "/"),
        ("file:///a", ("a",), "/a"),
        ("file:///a/", ("a", ""), "/a/"),
        ("file:////a", ("", "a"), "//a"),
        ("file:///a/./../b", ("a", ".", "..", "b"), "/a/./../b"),
        ("file:///a%2Fb", ("a/b",), "/a/b"),
        ("file:///a%2525", ("a%25",), "/a%25"),
        ("file:///%E9%C3%A9", ("\udce9é",), "/\udce9é"),
    ],
)
def test_segments_and_path(text: str, segments: tuple[str, ...], path: str) -> None:
    url = FileURL.parse(text)
    assert (url.segments, url.path) == (segments, path)


def test_the_text_of_each_segment_is_kept_as_written() -> None:
    assert FileURL.parse("file:///%41/%2f").raw["segments"] == ("%41", "%2f")


@pytest.mark.parametrize(
    ("text", "code", "position"),
    [
        ("file:", "missing-authority", 5),
        ("file:/x", "missing-authority", 6),
        ("file:x", "missing-authority", 5),
        ("file://", "invalid-part", 7),
        ("file://localhost", "invalid-part", 16),
        ("file://localhost:80/x", "invalid-host", 16),
        ("file://u@localhost/x", "userinfo-not-allowed", 7),
        ("file://u:p@localhost/x", "userinfo-not-allowed", 7),
        ("file:///x;y", "invalid-part", 9),
        ("file:///C|/x", "invalid-character", 9),
        ("file:///a b", "invalid-character", 9),
        ("file:///a\\b", "invalid-character", 9),
        ("file:///a#b", "fragment-present", 9),
        ("file:///a%", "bad-escape", 9),
    ],
)
def test_invalid_urls_are_refused(text: str, code: str, position: int) -> None:
    with pytest.raises(InvalidURL) as caught:
        FileURL.parse(text)
    assert caught.value.code == code
    assert caught.value.position == position
    assert not urlschemes.is_valid(text)


# Constructor and replace


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ({}, "file:///"),
        ({"segments": ["etc", "motd"]}, "file:///etc/motd"),
        ({"host": "localhost", "segments": ["etc", ""]}, "file://localhost/etc/"),
        ({"host": "h.dom", "segments": ["a/b", "c;d", "e f", "?:@&="]}, "file://h.dom/a%2Fb/c%3Bd/e%20f/?:@&="),
        ({"segments": [Encoded("a%2fb"), "%"]}, "file:///a%2fb/%25"),
    ],
)
def test_a_constructor_encodes_its_parts(parts: dict[str, Any], text: str) -> None:
    assert str(FileURL(**parts)) == text


@pytest.mark.parametrize(
    "parts",
    [{"segments": []}, {"segments": "etc"}, {"segments": [1]}, {"host": "h:80"}, {"segments": [Encoded("a/b")]}],
)
def test_values_without_a_url_are_refused(parts: dict[str, Any]) -> None:
    with pytest.raises(InvalidURL):
        FileURL(**parts)


def test_replace_changes_the_given_parts() -> None:
    url = FileURL.parse("file:///a%2Fb/c")
    assert str(url.replace(host="localhost")) == "file://localhost/a%2Fb/c"
    assert str(url.replace(host="localhost").replace(host="")) == str(url)
    assert str(url.replace(segments=["x", ""])) == "file:///x/"


# Paths


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
