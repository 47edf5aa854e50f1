"""ClickURL: the type of arguments and options of click."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from urlschemes import URLError
from urlschemes_bridges.chosen_schemes import ChosenSchemes
from urlschemes_bridges.extras import needs_extra

with needs_extra("click"):
    import click

if TYPE_CHECKING:
    from urlschemes import URL

    ParamType = click.ParamType[URL]
else:
    ParamType = click.ParamType  # not generic before click 8.2

__all__ = ["ClickURL"]


class ClickURL(ChosenSchemes, ParamType):
    """The `type=` of an argument or option: a URL of one of the schemes that are named, or of any if none is."""

    name = "url"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> URL:
        """Return the URL; end the command with the message if `value` is not an accepted one."""
        try:
            return self.read(value)
        except URLError as error:
            self.fail(str(error), param, ctx)
