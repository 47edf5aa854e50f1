"""The options of a scheme: which there are, what a text means for one, and what Python code may give."""

from __future__ import annotations

from typing import Any

import pytest

from urlschemes_access.settings import check_option, convert, options_of


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
def test_a_value_of_the_type_of_the_default_is_accepted(name: str, value: object) -> None:
    check_option(name, value, KNOWN)  # which raises otherwise
    assert convert(value, KNOWN[name]) == value


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("tls", "no", "option tls must be bool, not str"),
        ("tls", 0, "option tls must be bool, not int"),
        ("tls", None, "option tls must be bool, not NoneType"),
        ("most", "1", "option most must be int, not str"),
        ("most", True, "option most must be int, not bool"),
        ("retry", True, "option retry must be float, not bool"),
        ("server", ("host", 119), "option server must be str, not tuple"),
        ("severs", "host", "unknown option 'severs': expected tls, most, retry, server, message"),
    ],
)
def test_a_value_of_another_type_is_a_type_error(name: str, value: object, says: str) -> None:
    with pytest.raises(TypeError) as refused:
        check_option(name, value, KNOWN)
    assert str(refused.value) == says


def test_a_str_is_converted_to_the_type_of_the_default() -> None:
    assert [convert("no", True), convert("on", False), convert("7", 1), convert("0.5", 1.0)] == [False, True, 7, 0.5]
    for text, default in (("perhaps", True), ("x", 1), ("inf", 1.0)):
        with pytest.raises(ValueError, match=r"yes or no|number"):
            convert(text, default)
