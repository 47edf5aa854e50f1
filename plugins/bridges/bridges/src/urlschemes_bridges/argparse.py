"""ArgparseURL: the type of arguments of argparse."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from urlschemes import URLError
from urlschemes_bridges.chosen_schemes import ChosenSchemes

if TYPE_CHECKING:
    from urlschemes import URL

__all__ = ["ArgparseURL"]


class ArgparseURL(ChosenSchemes):
    """The `type=` of an argument: a URL of one of the schemes that are named, or of any if none is."""

    def __call__(self, text: str) -> URL:
        """Return the URL. Raises ArgumentTypeError."""
        try:
            return self.read(text)
        except URLError as error:
            raise argparse.ArgumentTypeError(str(error)) from error
