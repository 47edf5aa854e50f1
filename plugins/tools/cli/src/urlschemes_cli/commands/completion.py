"""The command `completion`: the script with which a shell completes what is typed."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from urlschemes_cli.output.text import write_line


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Write the script with which SHELL completes commands, options, names of schemes, and files.

    Write `eval "$(urlschemes completion bash)"` into ~/.bashrc, or the same with zsh into ~/.zshrc. For fish, save the
    script as ~/.config/fish/completions/urlschemes.fish.
    """
    script = get_completion_class(shell)
    assert script is not None
    write_line(script(context.find_root().command, {}, "urlschemes", "_URLSCHEMES_COMPLETE").source())
