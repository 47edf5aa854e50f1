"""check_example finds wrong examples."""

from __future__ import annotations

from typing import Any

import pytest

from urlschemes.record.record_fields import Example
from urlschemes_ftp import FtpURL
from urlschemes_testing.examples import check_example

PARTS: dict[str, Any] = {"host": "h", "port": 21, "directories": (), "name": "a"}


def test_a_correct_example_passes() -> None:
    check_example(FtpURL, Example("ftp://h/a", PARTS, ""))
    check_example(FtpURL, Example("ftp:h", None, "the // is missing"))


@pytest.mark.parametrize(
    ("example", "says"),
    [
        (Example("ftp:h", PARTS, ""), "ftp:h is refused: "),
        (Example("ftp://h/a", None, ""), "ftp://h/a should be refused, but has the parts "),
        (Example("ftp://h/a", {**PARTS, "name": "b"}, ""), 'part name: expected "b", got "a"'),
        (Example("ftp://h/a", {**PARTS, "user": "u"}, ""), 'part user: expected "u", got absent'),
        (Example("ftp://h/a", {"host": "h"}, ""), r"part directories: expected absent, got \[\]; part name"),
    ],
)
def test_a_wrong_example_is_an_assertion_error(example: Example, says: str) -> None:
    with pytest.raises(AssertionError, match=says):
        check_example(FtpURL, example)


def test_an_argument_of_another_type_is_named() -> None:
    with pytest.raises(TypeError, match="example must be an Example, not str"):
        check_example(FtpURL, "ftp://h/a")  # type: ignore[arg-type]
