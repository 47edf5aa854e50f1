"""The options of a scheme: what an operation can be told beside its URL, by the caller, by a file, by a variable.

They are the keyword-only parameters of the algorithm's function; the default of one says of which type it is.
"""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["check", "fitting", "options_of"]

_YES, _NO = frozenset({"true", "yes", "on", "1"}), frozenset({"false", "no", "off", "0"})


def options_of(algorithm: Callable[..., object]) -> Mapping[str, object]:
    """The options that an algorithm takes, each with its default; None for one that has to be given."""
    from inspect import Parameter, signature

    parameters = signature(algorithm).parameters.values()
    taken = (each for each in parameters if each.kind is Parameter.KEYWORD_ONLY)
    return {each.name: None if each.default is Parameter.empty else each.default for each in taken}


def check(name: str, value: object, known: Mapping[str, object]) -> None:
    """Raise TypeError where the option `name` is not `known`, or `value` is of another type than its default.

    A text such as "no" counts as true in Python, and must never be what lets a password go in the clear.
    """
    if name not in known:
        raise TypeError(f"there is no option {name!r}; the options are: {', '.join(known) or 'none'}")
    default = known[name]
    kinds = (
        (int, float) if isinstance(default, float) else (list, tuple) if isinstance(default, tuple) else type(default)
    )
    if default is None:
        return
    if not isinstance(value, kinds) or (isinstance(value, bool) and not isinstance(default, bool)):
        raise TypeError(f"the option {name} takes {type(default).__name__}, not {type(value).__name__}")


def fitting(given: object, default: object) -> object:
    """What `given` means for an option with this default: a text is read as yes or no, or as a number.

    Raises ValueError, whose text says what the option is instead, for what does not fit.
    """
    if isinstance(default, bool):
        text = str(given).lower()
        if text not in _YES | _NO:
            raise ValueError("yes or no")
        return text in _YES
    if isinstance(default, int | float):
        return _number(given, type(default))
    if isinstance(default, tuple):
        return tuple(given) if isinstance(given, list | tuple) else (given,)
    if default is None or isinstance(given, str):
        return given
    raise ValueError("a text")


def _number(given: object, kind: type[float]) -> float:
    try:
        number = kind(str(given))
    except ValueError:
        raise ValueError("a whole number" if issubclass(kind, int) else "a number") from None
    if not isfinite(number):
        raise ValueError("a finite number")
    return number
