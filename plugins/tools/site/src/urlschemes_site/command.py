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
@click.option("--title", metavar="TEXT", help="The title of the index, instead of 'URL schemes'.")
@click.pass_obj
def site(settings: Settings, directory: str, title: str | None) -> None:
    """Write Markdown pages about the installed schemes to the folder DIR: an index, and a page for each scheme.

    DIR must be new, empty, or contain only pages of this command, which are replaced. A generator such as MkDocs or
    Zensical makes a site of them.
    """
    import urlschemes_site  # late: railroad

    pages = urlschemes_site.pages(settings.registry, title=urlschemes_site.TITLE if title is None else title)
    urlschemes_site.write(pages, directory)
    count = sum(name.startswith("scheme-") for name in pages)
    write_line(safe_line(f"{directory}: {count} {'scheme' if count == 1 else 'schemes'}; begin with index.md"))
