"""A part in words."""

from __future__ import annotations

import pytest

from urlschemes.grammar.part import Part


@pytest.mark.parametrize(
    ("part", "said"),
    [
        (Part("word", ["word"]), "text"),
        (Part("port", ["port"], number=True), "a number"),
        (Part("address", ["encoded"], decoded="addr-spec"), "text, the encoding of addr-spec"),
        (Part("path", ["path"], element="segment"), "a list of segment"),
        (Part("folder", ["path"], element="segment", take="all but the last"), "a list of segment, all but the last"),
        (Part("name", ["path"], element="segment", take="last"), "the last segment of its list"),
        (Part("word", ["word"], exclude=[10, 9]), "text without the octets 09, 0A"),
    ],
)
def test_a_part_is_described_in_a_few_words(part: Part, said: str) -> None:
    assert part.described == said
