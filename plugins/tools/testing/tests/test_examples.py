"""`check_example` finds what an example says wrongly."""

from __future__ import annotations

from typing import Any

import pytest

from urlschemes.scheme.record_fields import Example
from urlschemes_ftp import FtpURL
from urlschemes_testing.examples import check_example

PARTS: dict[str, Any] = {"host": "h", "port": 21, "directories": (), "name": "a"}


def test_what_is_right_passes() -> None:
    check_example(FtpURL, Example("ftp://h/a", PARTS, ""))
    check_example(FtpURL, Example("ftp:h", None, "the // is missing"))


@pytest.mark.parametrize(
    ("example", "says"),
    [
        (Example("ftp:h", PARTS, ""), "ftp:h is refused: "),
        (Example("ftp://h/a", None, ""), "ftp://h/a should be refused, and is "),
        (Example("ftp://h/a", {**PARTS, "name": "b"}, ""), "name: the URL has 'a', and the record says 'b'"),
        (Example("ftp://h/a", {**PARTS, "user": "u"}, ""), "user: the URL has None, and the record says 'u'"),
        (Example("ftp://h/a", {"host": "h"}, ""), ", and the record says nothing"),
    ],
)
def test_what_is_wrong_is_told(example: Example, says: str) -> None:
    with pytest.raises(AssertionError, match=says):
        check_example(FtpURL, example)
