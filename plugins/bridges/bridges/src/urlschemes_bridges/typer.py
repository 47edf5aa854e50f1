"""TyperURL: the parser of arguments and options of Typer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes import URLError
from urlschemes_bridges.chosen_schemes import ChosenSchemes
from urlschemes_bridges.extras import needs_extra

with needs_extra("typer"):
    import typer

if TYPE_CHECKING:
    from urlschemes import URL

__all__ = ["TyperURL"]


class TyperURL(ChosenSchemes):
    """The `parser=` of an argument or option: a URL of one of the schemes that are named, or of any if none is."""

    __name__ = "url"  # old releases of Typer need it for the help

    def __call__(self, text: str) -> URL:
        """Return the URL. Raises BadParameter."""
        try:
            return self.read(text)
        except URLError as error:
            raise typer.BadParameter(str(error)) from error
