"""Another Python process, bounded in time, of which nothing is left running.

Its argument goes in as JSON, and its output comes out as octets, both in files: a pipe would end only when every
process that the plugin started has closed it.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["Ended", "run"]

MAX_OUTPUT = 1 << 20
"""Octets of the output that are read, from its end."""

_PROGRAM = """\
import importlib, json, sys
module, function, path, argument = json.load(sys.stdin.buffer)
sys.path[:] = path
getattr(importlib.import_module(module), function)(argument)
"""


class Ended(NamedTuple):
    """A process that ended: `how`, as the end of a sentence; its standard output and standard error."""

    how: str
    out: bytes
    err: bytes


def run(
    function: str,
    argument: Mapping[str, Any],
    *,
    seconds: float,
    path: Iterable[str],
    options: Sequence[str] = (),
    cwd: str | os.PathLike[str] | None = None,
    env: Mapping[str, str] | None = None,
) -> Ended:
    """Call `function`, written `module:name`, with `argument` in another interpreter, started with `options`.

    `path` is its `sys.path`. When it has ended, or after `seconds`, its whole process group is ended.
    """
    if not sys.executable or getattr(sys, "frozen", False):
        return Ended("cannot be started: this program has no Python interpreter", b"", b"")
    with TemporaryFile() as stdin, TemporaryFile() as stdout, TemporaryFile() as stderr:
        stdin.write(json.dumps([*function.split(":"), [*path], argument]).encode())
        stdin.seek(0)
        try:
            process = subprocess.Popen(  # noqa: S603  this interpreter, with the program above
                [sys.executable, "-P", *options, "-c", _PROGRAM],
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                cwd=cwd,
                env=env,
                start_new_session=True,
            )
        except OSError as error:
            return Ended(f"cannot be started: {error.strerror}", b"", b"")
        try:
            how = _description(process.wait(seconds))
        except subprocess.TimeoutExpired:
            how = f"did not end within {seconds:g} seconds"
        finally:
            _kill_group(process)
        return Ended(how, _end_of(stdout), _end_of(stderr))


def _description(exit_code: int) -> str:
    if exit_code >= 0:
        return f"ended with the exit code {exit_code}"
    try:
        name = signal.Signals(-exit_code).name
    except ValueError:
        name = f"signal {-exit_code}"
    return f"was ended by {name}"


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill the process and those that it started, as far as they still run."""
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()


def _end_of(file: IO[bytes]) -> bytes:
    file.seek(max(file.seek(0, os.SEEK_END) - MAX_OUTPUT, 0))
    return file.read(MAX_OUTPUT)  # bounded, because a detached process may still write
