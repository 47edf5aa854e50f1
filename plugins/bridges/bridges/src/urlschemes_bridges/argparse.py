"""ArgparseURL: the type of arguments of argparse."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from urlschemes import URLError
from urlschemes_bridges.chosen_schemes import ChosenSchemes

if TYPE_CHECKING:
    from urlschemes import URL, Registry

__all__ = ["ArgparseURL"]


class ArgparseURL(ChosenSchemes):
    """The `type=` of an argument: a URL of one of `schemes`, or of any scheme of the registry if none is named."""

    def __init__(self, *schemes: str, registry: Registry | None = None) -> None:
        super().__init__(schemes, registry)

    def __call__(self, text: str) -> URL:
        """Return the URL. Raises ArgumentTypeError."""
        try:
            return self.read(text)
        except URLError as error:
            raise argparse.ArgumentTypeError(str(error)) from error
