"""File URLs of today (RFC 8089)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import urlschemes_access
from urlschemes import InvalidURL, Registry
from urlschemes_access import Listing, Policy
from urlschemes_access.errors import PolicyDenied
from urlschemes_file.rfc3986 import FileURI

if TYPE_CHECKING:
    from pathlib import Path


MODERN = Registry(profile="rfc3986")


APPENDIX_E = {
    "file:c:/path/to/file": "file:///c:/path/to/file",
    "file:///c|/path/to/file": "file:///c:/path/to/file",
    "file:/c|/path/to/file": "file:///c:/path/to/file",
    "file:c|/path/to/file": "file:///c:/path/to/file",
    "file:////host.example.com/path/to/file": "file://host.example.com/path/to/file",
    "file://///host.example.com/path/to/file": "file://host.example.com/path/to/file",
    "FILE://h/C|/a%20b#c": "file://h/C:/a%20b#c",
    "file:////%5b2001:db8::1%5D/share/a": "file://[2001:db8::1]/share/a",
}


@pytest.mark.parametrize("text", APPENDIX_E)
def test_the_nonstandard_forms_of_appendix_e_are_read_only_if_asked_for(text: str) -> None:
    with pytest.raises(InvalidURL):
        FileURI.parse(text)
    assert str(FileURI.from_nonstandard(text)) == APPENDIX_E[text]


@pytest.mark.parametrize(
    "text", ["file:/path/to/file", "file:///c:/path/to/file", "file://host.example.com/Share/path/to/file.txt"]
)
def test_a_url_is_no_nonstandard_form(text: str) -> None:
    assert FileURI.from_nonstandard(text) == FileURI.parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "file:c:a",
        "file://c:/a",
        "file:c://a",
        "file:cd:/a",
        "file:////",
        "file:////h",
        "file:////h//a",
        "file://////h/a",
        "file:////c:/a",
        "file:////u@h/a",
        "file:////%5B::1/a",
        "file://u@h/a",
        "file:///c:\\a",
        "http:c:/a",
    ],
)
def test_other_forms_are_never_read(text: str) -> None:
    with pytest.raises(InvalidURL):
        FileURI.from_nonstandard(text)


# In appendix E.2.1, programs for Windows keep the drive.
@pytest.mark.parametrize(
    ("base", "reference", "target"),
    [
        ("file:///c:/path/to/file.txt", "/some/other/thing.bmp", "file:///some/other/thing.bmp"),
        ("file:///c:/foo.txt", "../bar.txt", "file:///bar.txt"),
        ("file:///d:/bar/x", "/c:/foo.txt", "file:///c:/foo.txt"),
        ("file:///d:/bar/x", "/c:bar/baz.txt", "file:///c:bar/baz.txt"),
        ("file:///d:/bar/x", "/c:../foo.txt", "file:///c:../foo.txt"),
    ],
)
def test_references_are_resolved_by_rfc_3986_for_drives_too(base: str, reference: str, target: str) -> None:
    assert str(FileURI.parse(base).join(reference)) == target


@pytest.mark.parametrize(
    ("base", "reference", "target"),
    [
        ("file:///c:/path/to/file.txt", "/c:/some/other/thing.bmp", "file:///c:/some/other/thing.bmp"),
        ("file:///c:/a/foo.txt", "../bar.txt", "file:///c:/bar.txt"),
        ("file:/a/b", "c#d", "file:/a/c#d"),
        ("file://h/a/b", "//[::1]/x", "file://[::1]/x"),
    ],
)
def test_references_are_resolved(base: str, reference: str, target: str) -> None:
    assert FileURI.parse(base).join(reference) == FileURI.parse(target)


def test_only_the_last_level_changes_the_host() -> None:
    assert str(FileURI.parse("file://LOCALHOST/%7ea").normalized("case")) == "file://localhost/%7Ea"


def test_a_path_of_this_machine_has_a_url_and_back(tmp_path: Path) -> None:
    url = FileURI.from_path(tmp_path / "a b~;")
    assert str(url) == f"file://{tmp_path}/a%20b~;"
    assert url.to_path() == FileURI.parse(f"file:{tmp_path}/a%20b~;").to_path() == tmp_path / "a b~;"


# Access


def test_access_to_this_machine_ignores_the_fragment(tmp_path: Path) -> None:
    (tmp_path / "~a;?").write_bytes(b"Hello.")
    policy = Policy(roots=(str(tmp_path),), writable=(str(tmp_path),))
    with urlschemes_access.access(f"file:{tmp_path}/~a;%3F#end", policy=policy, registry=MODERN) as document:
        assert document.read() == b"Hello."
    urlschemes_access.replace(f"file://localhost{tmp_path}/b#end", b"new", policy=policy, registry=MODERN)
    with urlschemes_access.access(f"file://{tmp_path}/#end", policy=policy, registry=MODERN) as listing:
        assert isinstance(listing, Listing)
        assert {entry.url for entry in listing} == {f"file://{tmp_path}/~a;%3F", f"file://{tmp_path}/b"}


@pytest.mark.parametrize("host", ["[::1]", "127.0.0.1", "h.example", "localhost."])
def test_access_refuses_another_machine(host: str) -> None:
    with pytest.raises(PolicyDenied) as refused:
        urlschemes_access.access(f"file://{host}/etc/motd", policy=Policy(roots=("/",)), registry=MODERN)
    assert refused.value.rule == "local host"
