"""The options of a scheme: which there are, what a text means for one, and what Python code may give."""

from __future__ import annotations

from typing import Any

import pytest

from urlschemes_access.scheme_options import check, fitting, options_of


def algorithm(
    url: str, *, tls: bool = False, most: int = 40, retry: float = 4.0, server: str = "", message: Any
) -> None:
    """Stands for an algorithm: only its signature counts."""


KNOWN = options_of(algorithm)


def test_options_are_the_keyword_only_parameters() -> None:
    assert KNOWN == {"tls": False, "most": 40, "retry": 4.0, "server": "", "message": None}


@pytest.mark.parametrize(
    ("name", "value"),
    [("tls", True), ("most", 1), ("retry", 0.5), ("retry", 1), ("server", "host"), ("message", b"any"), ("message", 1)],
)
def test_what_fits_is_taken(name: str, value: object) -> None:
    check(name, value, KNOWN)  # which raises otherwise
    assert fitting(value, KNOWN[name]) == value


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("tls", "no", "the option tls takes bool, not str"),
        ("tls", 0, "the option tls takes bool, not int"),
        ("tls", None, "the option tls takes bool, not NoneType"),
        ("most", "1", "the option most takes int, not str"),
        ("most", True, "the option most takes int, not bool"),
        ("retry", True, "the option retry takes float, not bool"),
        ("server", ("host", 119), "the option server takes str, not tuple"),
        ("severs", "host", "there is no option 'severs'; the options are: tls, most, retry, server, message"),
    ],
)
def test_what_does_not_fit_is_refused_and_never_read_as_true(name: str, value: object, says: str) -> None:
    with pytest.raises(TypeError) as refused:
        check(name, value, KNOWN)
    assert str(refused.value) == says


def test_a_text_of_the_command_line_is_read_by_the_default() -> None:
    assert [fitting("no", True), fitting("on", False), fitting("7", 1), fitting("0.5", 1.0)] == [False, True, 7, 0.5]
    for text, default in (("perhaps", True), ("x", 1), ("inf", 1.0)):
        with pytest.raises(ValueError, match=r"yes or no|number"):
            fitting(text, default)
