"""URLs of chosen schemes, read from the texts of arguments."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from urlschemes import URLError
from urlschemes.errors import members
from urlschemes.registry.registry import registry_or_default

if TYPE_CHECKING:
    from urlschemes import URL, Registry

__all__ = ["ArgparseURL", "URLArgument"]


class URLArgument:
    """An argument that is a URL of one of `schemes`, or of any scheme of the registry if none is named."""

    def __init__(self, *schemes: str, registry: Registry | None = None) -> None:
        self.schemes = frozenset(map(str.lower, members("schemes", schemes, str)))
        self.registry = registry_or_default(registry)

    def parse(self, text: str) -> URL:
        """Return the URL. Raises ValueError with a message for the user."""
        try:
            url = self.registry.parse(text)
        except URLError as error:
            raise ValueError(str(error)) from error
        if self.schemes and url.scheme not in self.schemes:
            expected = ", ".join(sorted(self.schemes))
            one_of = "one of " if len(self.schemes) > 1 else ""
            raise ValueError(f"scheme {url.scheme!r} at position 0: expected {one_of}{expected}")
        return url

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, sorted(self.schemes)))})"


class ArgparseURL(URLArgument):
    """The `type=` of an argument of argparse."""

    def __call__(self, text: str) -> URL:
        """Return the URL. Raises ArgumentTypeError."""
        try:
            return self.parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from error
