"""Names for files: none that a server makes up has an effect."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from urlschemes_mirror.names import MAX_NAME, Names, last_segment, safe_name

if TYPE_CHECKING:
    from collections.abc import Callable


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


def test_a_name_is_given_once_whatever_the_case() -> None:
    names = Names()
    assert names.reserve("index")
    urls = [
        "README.txt",
        "readme.txt",
        "INDEX",
        "%EF%BD%89ndex",
        "stra%C3%9Fe",
        "STRASSE",
        "%C3%A4",
        "a%CC%88",
        "",
        "..",
    ]
    assert [names.new(f"x-a://host.dom/{each}", number) for number, each in enumerate(urls, 1)] == [
        "README.txt",
        "readme-2.txt",
        "INDEX-2",
        "\uff49ndex-3",
        "stra\u00dfe",
        "STRASSE-2",
        "\u00e4",
        "\u00e4-2",
        "0009",
        "0010",
    ]
    long = [names.new(f"x-a://host.dom/{'a' * 300}.txt", 1) for _ in range(3)]
    assert len(set(long)) == 3
    assert max(map(len, long)) <= MAX_NAME


ALIKE = {
    "equal": lambda number: "x",
    "long": lambda number: "a" * MAX_NAME + str(number),
    "equal but for case": lambda number: f"{number:010b}".translate({ord("0"): "a", ord("1"): "A"}),
    "numbered": lambda number: f"x-{number // 2}",
}


@pytest.mark.parametrize("name", ALIKE.values(), ids=ALIKE)
def test_names_are_numbered_in_linear_time(name: Callable[[int], str]) -> None:
    class CountingNames(Names):
        tried = 0

        def reserve(self, name: str) -> bool:
            self.tried += 1
            return super().reserve(name)

    names = CountingNames()
    for number in range(1000):
        names.new(f"x-a://host.dom/{name(number)}", number)
    assert names.tried <= 3000
