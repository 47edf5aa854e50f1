"""What type checkers are told of methods that take the arguments of another one; calling them changes nothing."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Concatenate, ParamSpec, TypeVar

    from urlschemes.url import URL

    C = TypeVar("C")
    P = ParamSpec("P")
    Q = ParamSpec("Q")
    R = TypeVar("R")
    S = TypeVar("S")

__all__ = ["like", "like_with_content"]


def like(
    model: Callable[Concatenate[S, str, URL | str, Any, P], object],
) -> Callable[[Callable[..., R]], Callable[Concatenate[S, URL | str, P], R]]:
    """Say that a method takes the arguments of `model`, but for the operation and the content."""
    del model
    return _unchanged


def like_with_content(
    model: Callable[Concatenate[S, str, URL | str, Any, P], object],
) -> Callable[[Callable[Concatenate[S, URL | str, C, Q], R]], Callable[Concatenate[S, URL | str, C, P], R]]:
    """As `like`, for a method that is given the content as well."""
    del model
    return _unchanged


def _unchanged(method: Any) -> Any:
    return method
