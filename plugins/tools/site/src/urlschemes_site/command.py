"""The command `urlschemes site`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from urlschemes_cli.output.text import safe_line, write_line

if TYPE_CHECKING:
    from urlschemes_cli.settings import Settings

__all__ = ["site"]


@click.command(short_help="Make a static site of the schemes that are installed.")
@click.argument("directory", metavar="DIR")
@click.option("--title", metavar="TEXT", help="The title of the site, in place of 'URL schemes'.")
@click.pass_obj
def site(settings: Settings, directory: str, title: str | None) -> None:
    """Make a static site of the schemes that are installed, in the folder DIR.

    DIR is new, empty, or holds a site that this command made: its pages are replaced then, and nothing else. To look at
    it, open its index.html: the pages need no server and no network.
    """
    import urlschemes_site as made

    pages = made.pages(settings.registry, title=made.TITLE if title is None else title)
    made.write(pages, directory)
    count = sum(name.startswith("scheme-") for name in pages)
    write_line(safe_line(f"{directory}: {count} {'scheme' if count == 1 else 'schemes'}; open index.html"))
