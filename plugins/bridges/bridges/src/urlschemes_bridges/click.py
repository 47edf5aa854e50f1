"""ClickURL: the type of arguments and options of click."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from urlschemes import URLError
from urlschemes_bridges.chosen_schemes import ChosenSchemes
from urlschemes_bridges.extras import needs_extra

with needs_extra("click"):
    import click

if TYPE_CHECKING:
    from urlschemes import URL, Registry

    ParamType = click.ParamType[URL]
else:
    ParamType = click.ParamType  # not generic before click 8.2

__all__ = ["ClickURL"]


class ClickURL(ParamType):
    """The `type=` of an argument or option: a URL of one of `schemes`, or of any scheme of the registry."""

    name = "url"

    def __init__(self, *schemes: str, registry: Registry | None = None) -> None:
        self._chosen = ChosenSchemes(schemes, registry)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> URL:
        """Return the URL; end the command with the message if `value` is not an accepted one."""
        try:
            return self._chosen.read(value)
        except URLError as error:
            self.fail(str(error), param, ctx)
