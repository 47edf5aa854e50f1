"""TyperURL: the parser of arguments and options of Typer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from urlschemes_arguments.argument import URLArgument

if TYPE_CHECKING:
    from urlschemes import URL

__all__ = ["TyperURL"]


class TyperURL(URLArgument):
    """The `parser=` of an argument or option of Typer."""

    __name__ = "url"  # Typer shows it in the help

    def __call__(self, text: str) -> URL:
        """Return the URL. Raises BadParameter."""
        try:
            return self.parse(str(text))
        except ValueError as error:
            raise typer.BadParameter(str(error)) from error
