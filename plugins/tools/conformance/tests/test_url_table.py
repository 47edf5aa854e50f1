"""Tables of URLs: a row that is wrong is an error that names its line."""

from __future__ import annotations

import pytest

from urlschemes_conformance.url_table import Row, built, changed, invalid, refused, unsafe, url_tests, valid, warned
from urlschemes_ftp import FtpURL

test_correct_rows_of_urls = url_tests(
    FtpURL,
    [
        valid("FTP://h/%61", pytest.mark.slow, name="a", scheme="ftp", raw={"name": "%61"}, normalized="ftp://h/a"),
        invalid("ftp://h/a;b", "invalid-part", 9, part="name", scheme="ftp"),
        built("ftp://h/a%3Bb", host="h", name="a;b"),
        refused("invalid-part", "typecode", host="h", typecode="x"),
        changed("ftp://h/a", "ftp://h/b", name="b"),
        changed("ftp://h/a", None, typecode="x"),
        unsafe("ftp://h/a%0A", "name"),
        warned("ftp://u:p@h/", {"password": (8, 9)}),
    ],
)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (valid("ftp://h/a", name="b"), "name: expected 'b', got 'a'"),
        (valid("ftp://h/%61", raw={"name": "a"}), "raw['name']: expected 'a', got '%61'"),
        (valid("ftp://h", normalized="ftp://h"), "normalized: expected 'ftp://h', got 'ftp://h/'"),
        (valid("ftp://h/a", path="a"), "'FtpURL' object has no attribute 'path'"),
        (valid("ftp:h"), 'expected "//"'),
        (invalid("ftp://h/a", "invalid-part", 9), "must be refused, but is FtpURL('ftp://h/a')"),
        (invalid("ftp://h/a;b", "invalid-host", 9), "code: expected 'invalid-host', got 'invalid-part'"),
        (invalid("ftp://h/a;b", "invalid-part", 8), "position: expected 8, got 9"),
        (built("ftp://h/b", host="h", name="a"), "str: expected 'ftp://h/b', got 'ftp://h/a'"),
        (built("ftp://h/a", host="h", path="a"), "path"),
        (refused("invalid-part", "name", host="h", typecode="x"), "part: expected 'name', got 'typecode'"),
        (changed("ftp://h/a", None, name="b"), "must be refused, but is FtpURL('ftp://h/b')"),
        (unsafe("ftp://h/a", "name"), "check_line() must raise UnsafeURL"),
        (warned("ftp://h/a", {"password": (8, 9)}), "findings: expected [('password', (8, 9))], got []"),
    ],
    ids=lambda each: each.name if isinstance(each, Row) else each,
)
def test_a_wrong_row_is_an_error_that_names_its_line(row: Row, message: str) -> None:
    with pytest.raises(AssertionError) as caught:
        url_tests(FtpURL, [])(row)
    assert str(caught.value).startswith(f"{row.place}: ")
    assert row.place.startswith("test_url_table.py:")
    assert message in str(caught.value)


def test_a_test_has_a_row_for_each_example_and_each_row_has_its_marks() -> None:
    (mark,) = test_correct_rows_of_urls.pytestmark  # type: ignore[attr-defined]
    rows = [each.values[0] for each in mark.args[1]]
    assert FtpURL.registration is not None
    examples = FtpURL.registration.examples
    assert [row.name for row in rows[: len(examples)]] == [each.url for each in examples]
    assert [each.id for each in mark.args[1] if each.marks] == ["FTP://h/%61"]
