"""ClickURL: the type of arguments and options of click."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from urlschemes_arguments.argument import URLArgument

if TYPE_CHECKING:
    from urlschemes import URL, Registry

    ParamType = click.ParamType[URL]
else:
    ParamType = click.ParamType  # not generic before click 8.2

__all__ = ["ClickURL"]


class ClickURL(ParamType):
    """The `type=` of an argument or option of click; see `URLArgument`."""

    name = "url"

    def __init__(self, *schemes: str, registry: Registry | None = None) -> None:
        self._argument = URLArgument(*schemes, registry=registry)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> URL:
        """Return the URL; end the command with the message if `value` is not an accepted one."""
        try:
            return self._argument.parse(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)
