"""The names of the files in one folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from urlschemes_access.resources.file_names import MAX_NAME
from urlschemes_mirror.names import Names

if TYPE_CHECKING:
    from collections.abc import Callable


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
