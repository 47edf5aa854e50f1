"""RequestedURL: the URL of another client's request."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["RequestedURL"]


class RequestedURL(NamedTuple):
    """The URL of another client's request, as the hooks get it: no profile has parsed it. `str` gives its text."""

    scheme: str
    host: str
    port: int
    text: str

    def __str__(self) -> str:
        return self.text
