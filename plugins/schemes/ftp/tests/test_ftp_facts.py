"""Facts and sizes as RFC 3659 writes them."""

from __future__ import annotations

import pytest

from urlschemes_ftp.facts import parse_facts, parse_size


@pytest.mark.parametrize(
    ("text", "size"), [("0", 0), ("0012", 12), ("9" * 18, 10**18 - 1), ("9" * 5000, None), ("-1", None), ("", None)]
)
def test_a_size_is_a_number_of_at_most_18_digits(text: str, size: int | None) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize(
    ("line", "facts", "name"),
    [
        (b"Size=1;Type=file; a b", {"size": "1", "type": "file"}, b"a b"),
        (b" a", {}, b"a"),
        (b"type=; a=b;c", {"type": ""}, b"a=b;c"),
        (b"size; a", {}, None),
        (b"size=1;", {}, None),
    ],
)
def test_facts_come_before_the_first_space(line: bytes, facts: dict[str, str], name: bytes | None) -> None:
    assert parse_facts(line) == (facts, name)
