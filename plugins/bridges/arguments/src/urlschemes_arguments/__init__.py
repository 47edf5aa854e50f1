"""URLs as arguments of command lines, for argparse, click and Typer.

    parser.add_argument("source", type=ArgparseURL("ftp", "gopher"))

    @click.argument("source", type=ClickURL("ftp", "gopher"))           # from urlschemes_arguments.click

    def main(source: Annotated[URL, typer.Argument(parser=TyperURL("ftp", "gopher"))]): ...   # ... .typer

Each takes the names of the schemes that are accepted (none: every installed scheme) and a registry, and gives a parsed
URL. For anything else, the user sees the message of `parse`: the fault, its position, and what to do.

argument.py     the URL in a text, and ArgparseURL
click.py        ClickURL; imports click
typer.py        TyperURL; imports typer
"""

from urlschemes_arguments.argument import ArgparseURL

__all__ = ["ArgparseURL"]
