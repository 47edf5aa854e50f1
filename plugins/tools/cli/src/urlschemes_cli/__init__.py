"""The `urlschemes` command. It needs the extra `cli` (click and rich); the rest of the core does not.

By room:

    app.py              the command itself: global options, errors, exit codes, the commands of plugins
    reading.py          parse, explain, check, fix
    extracting.py       extract
    operations.py       access, attributes
    writing.py          replace, update, delete
    terms.py            what every command that accesses can be told
    registry.py         schemes, show
    inspection.py       why, doctor
    config.py           config
    demo.py             demo
    delivery.py         where octets and listings go: a terminal, a file, a pipe
    dialogue.py         what goes over the wire, line by line (-v)
    prompting.py        logins and forms, asked of the person at the terminal
    picture.py          a URL with its parts named underneath; an error with its caret
    screen.py           rich consoles and tables
    plain.py            safe lines and JSON, without rich
"""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command and leave the process with its exit code."""
    from importlib.util import find_spec

    missing = [name for name in ("click", "rich") if find_spec(name) is None]
    if missing:
        sys.stderr.write(f"urlschemes: {' and '.join(missing)} missing; pip install 'urlschemes[cli]'\n")
        sys.exit(2)
    try:
        from urlschemes_cli.app import command
    except KeyboardInterrupt:
        sys.exit(130)
    command.main(prog_name="urlschemes")
