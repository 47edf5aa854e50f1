"""Names for files: none that a server makes up has an effect."""

from __future__ import annotations

import pytest

from urlschemes_access.resources.file_names import MAX_NAME, last_segment, safe_name


@pytest.mark.parametrize(
    ("segment", "name"),
    [
        ("notes.txt", "notes.txt"),
        ("f%20%C3%A4.txt", "f \u00e4.txt"),
        ("caf%E9", "caf\u00e9"),
        (".", ""),
        ("..", ""),
        ("%2E%2E", ""),
        ("%2e%2e%2f%2e%2e%2fetc%2fpasswd", "_._.._etc_passwd"),
        ("..%5C..%5Cx", "_._.._x"),
        ("%2Fetc%2Fpasswd", "_etc_passwd"),
        ("C%3A%5Cx", "C__x"),
        ("a%3Astream", "a_stream"),
        ("%00", ""),
        ("a%00.txt", "a"),
        ("about%09%09+", "about"),
        ("a%0D%0Ab", "a"),
        ("%1B%5B31m", ""),
        ("%C2%9B31m", "_31m"),
        ("%E2%80%AEgpj.exe", "_gpj.exe"),
        ("%E2%80%8B", "_"),
        ("%F3%A0%81%81", "_"),
        ("%EF%BF%BE", "_"),
        (".bashrc", "_bashrc"),
        (".git", "_git"),
        (".urlschemes-mirror.json", "_urlschemes-mirror.json"),
        ("-rf", "_rf"),
        ("%20a%20", "a"),
        ("a.%20.", "a"),
        ("con", "_con"),
        ("NUL.txt", "_NUL.txt"),
        ("aux%20.tar.gz", "_aux .tar.gz"),
        ("COM1", "_COM1"),
        ("lpt%C2%B2", "_lpt\u00b2"),
        ("CONIN$", "_CONIN$"),
        ("console", "console"),
        ("a.part", "a.part_"),
        ("a.PART.json", "a.PART.json_"),
        ("a%2A%3F%22%3C%3E%7C", "a______"),
    ],
)
def test_a_name_from_a_url_is_safe_on_every_system(segment: str, name: str) -> None:
    assert safe_name(last_segment(f"x-a://host.dom/folder/{segment}")) == name


@pytest.mark.parametrize(
    "name", ["a" * 300, "\u00e4" * 300 + ".txt", "a" * 195 + ".part" + "x" * 90, "a." + "b" * 300, "x" * 199 + ". y"]
)
def test_a_long_name_is_shortened(name: str) -> None:
    short = safe_name(name)
    assert len(short.encode()) <= MAX_NAME
    assert not short.endswith((".part", ".", " "))
    assert safe_name(short) == short


@pytest.mark.parametrize(
    ("url", "segment"),
    [
        ("x-a://host.dom", ""),
        ("x-a://host.dom/", ""),
        ("x-a://host.dom/a/b/", "b"),
        ("x-a://host.dom/a//", "a"),
        ("x-a:a@b", "a@b"),
    ],
)
def test_a_name_is_made_from_the_last_segment_that_is_not_empty(url: str, segment: str) -> None:
    assert last_segment(url) == segment
