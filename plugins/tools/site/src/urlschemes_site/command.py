"""The command `urlschemes site`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from urlschemes_cli.output.text import safe_line, write_line

if TYPE_CHECKING:
    from urlschemes_cli.settings import Settings

__all__ = ["site"]


@click.command()
@click.argument("directory", metavar="DIR")
@click.option("--title", metavar="TEXT", help="The title of the site, instead of 'URL schemes'.")
@click.pass_obj
def site(settings: Settings, directory: str, title: str | None) -> None:
    """Write a static site about the installed schemes to the folder DIR.

    DIR must be new, empty, or contain a site written by this command, whose pages are replaced. To read the site, open
    its index.html: the pages need no server and no network.
    """
    import urlschemes_site  # late: jinja2 and railroad

    pages = urlschemes_site.pages(settings.registry, title=urlschemes_site.TITLE if title is None else title)
    urlschemes_site.write(pages, directory)
    count = len({name.partition("-")[2] for name in pages if "-" in name and not name.startswith("rules-")})
    write_line(safe_line(f"{directory}: {count} {'scheme' if count == 1 else 'schemes'}; open index.html"))
