"""The `urlschemes` command.

    app                 the command: global options, help, the commands of plugins
    settings            the registries and clients that the global options ask for, and which of them reads a text
    options             options and arguments that several commands have: --profile, --json, URL, URL..., NAME
    passages            the passages of text files that are meant as URLs
    text_files          findings about them, for `check --text`
    access_options      options of every command that accesses a URL: --deadline, --root, -v ...
    prompts             logins and forms, asked at the terminal
    error_reports       errors, and the verdict of RFC 1738, as messages and as JSON
    exit_codes          the exit codes, and their meanings
    commands/           the commands, each in the module of its name, or beside one that shares its code
    output/             safe text, JSON, tables, documents, listings, progress

A plugin's command is a `click.Command` in the entry-point group `urlschemes.commands`; its context object is a
`Settings`.
"""

from __future__ import annotations

import gc
import sys

__all__ = ["main"]


def main() -> None:
    """Run the command and exit with its exit code."""
    try:
        from urlschemes_cli.app import command  # late: Ctrl-C while it is imported must not print a traceback
    except KeyboardInterrupt:
        sys.exit(130)
    try:
        command.main(prog_name="urlschemes")
    finally:
        gc.freeze()  # or the interpreter searches all modules for garbage: a tenth of a short run
