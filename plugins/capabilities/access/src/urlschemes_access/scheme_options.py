"""The options of a scheme: settings of an operation besides its URL, from the caller, a file or a variable.

They are the keyword-only parameters of the algorithm's function. The default of a parameter determines its type.
"""

from __future__ import annotations

from inspect import Parameter, signature
from math import isfinite
from typing import TYPE_CHECKING

from urlschemes.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from urlschemes.scheme.scheme import Scheme
    from urlschemes_access.configuration import Setting

__all__ = ["check_option", "configured_value", "convert", "is_configurable", "options_of"]

_YES, _NO = frozenset({"true", "yes", "on", "1"}), frozenset({"false", "no", "off", "0"})


def options_of(*algorithms: Callable[..., object]) -> Mapping[str, object]:
    """Return the options that algorithms take, with their defaults; None for an option that must be given."""
    options: dict[str, object] = {}
    for algorithm in algorithms:
        for each in signature(algorithm).parameters.values():
            if each.kind is Parameter.KEYWORD_ONLY:
                options[each.name] = None if each.default is Parameter.empty else each.default
    return options


def check_option(name: str, value: object, known: Mapping[str, object]) -> None:
    """Raise TypeError if the option `name` is not `known`, or `value` does not have the type of its default.

    A str such as "no" is true in Python, and must not allow a password in clear text.
    """
    if name not in known:
        raise TypeError(f"unknown option {name!r}: expected {_list(known)}")
    default = known[name]
    if default is None:
        return
    expected: type | tuple[type, ...] = type(default)
    if isinstance(default, float):
        expected = (int, float)
    elif isinstance(default, tuple):
        expected = (list, tuple)
    if not isinstance(value, expected) or (isinstance(value, bool) and not isinstance(default, bool)):
        raise TypeError(f"option {name} must be {type(default).__name__}, not {type(value).__name__}")


def configured_value(scheme: Scheme, setting: Setting, known: Mapping[str, object]) -> object:
    """Return the value of a configured option, converted to its type; `known` are the options of the scheme.

    Raises ConfigurationError for an unknown option, for one that only callers may give, and for a wrong type.
    """
    if not is_configurable(scheme, setting.key):
        raise _error(setting, "cannot be configured: pass it to the operation", "remove it")
    if setting.key not in known:
        raise _error(setting, f"is not an option of any operation of {scheme.name}", f"the options are: {_list(known)}")
    try:
        return convert(setting.value, known[setting.key])
    except ValueError as error:
        raise _error(setting, f"must be {error}") from None


def is_configurable(scheme: Scheme, option: str) -> bool:
    """Return False if the record of the scheme says that only callers may give an option."""
    described = scheme.registration.options.get(option)
    return described is None or described.configurable


def convert(value: object, default: object) -> object:
    """Return `value` converted to the type of `default`: a str may stand for yes or no, or for a number.

    Raises ValueError with the expected type.
    """
    if isinstance(default, bool):
        text = str(value).lower()
        if text not in _YES | _NO:
            raise ValueError("yes or no")
        return text in _YES
    if isinstance(default, int | float):
        return _number(value, type(default))
    if isinstance(default, tuple):
        return tuple(value) if isinstance(value, list | tuple) else (value,)
    if default is None or (isinstance(value, str) and isinstance(default, str)):
        return value
    raise ValueError("a string" if isinstance(default, str) else f"a {type(default).__name__}, in Python")


def _number(value: object, kind: type[float]) -> float:
    try:
        number = kind(str(value))
    except ValueError:
        raise ValueError("a whole number" if issubclass(kind, int) else "a number") from None
    if not isfinite(number):
        raise ValueError("a finite number")
    return number


def _list(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


def _error(setting: Setting, why: str, hint: str | None = None) -> ConfigurationError:
    return ConfigurationError(
        f"{setting.source}: {setting.name} {why}", source=setting.source, key=setting.name, hint=hint
    )
