"""A process of its own for what may end it, or never end: another interpreter, bounded in time, and nothing left of it.

The order goes in as JSON and the answer comes out as octets, both by files: a pipe ends only with the last process
that has it, and what a plugin started may have it for long.
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

MOST = 1 << 20
"""Octets of what it writes that are read, from the end."""

_START = """\
import importlib, json, sys
module, function, path, order = json.load(sys.stdin.buffer)
sys.path[:] = path
getattr(importlib.import_module(module), function)(order)
"""


class Ended(NamedTuple):
    """A process that ended: `how`, as what is said of it, and what it wrote to its standard output and error."""

    how: str
    out: bytes
    err: bytes


def run(
    function: str,
    order: Mapping[str, Any],
    *,
    seconds: float,
    path: Iterable[str],
    options: Sequence[str] = (),
    cwd: str | os.PathLike[str] | None = None,
    env: Mapping[str, str] | None = None,
) -> Ended:
    """Call `function`, written `module:name`, with `order` in another interpreter, started with the `options`.

    `path` is its `sys.path`. When it has ended, or `seconds` have passed, whatever it started beside it is ended too:
    all of its process group, where there are such.
    """
    if not sys.executable or getattr(sys, "frozen", False):
        return Ended("cannot be started: this program has no Python interpreter", b"", b"")
    with TemporaryFile() as given, TemporaryFile() as out, TemporaryFile() as err:
        given.write(json.dumps([*function.split(":"), [*path], order]).encode())
        given.seek(0)
        try:
            process = subprocess.Popen(  # noqa: S603  this interpreter, with a program of our own
                [sys.executable, "-P", *options, "-c", _START],
                stdin=given,
                stdout=out,
                stderr=err,
                cwd=cwd,
                env=env,
                start_new_session=True,
            )
        except OSError as error:
            return Ended(f"cannot be started: {error.strerror}", b"", b"")
        try:
            how = _said_of(process.wait(seconds))
        except subprocess.TimeoutExpired:
            how = f"had not ended after {seconds:g} seconds"
        finally:
            _end_all(process)
        return Ended(how, _last_of(out), _last_of(err))


def _said_of(code: int) -> str:
    if code >= 0:
        return f"ended with the exit code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    return f"was ended by {name}"


def _end_all(process: subprocess.Popen[bytes]) -> None:
    """End the process, if it runs, and those of its group that do."""
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()


def _last_of(file: IO[bytes]) -> bytes:
    file.seek(max(file.seek(0, os.SEEK_END) - MOST, 0))
    return file.read(MOST)  # somebody may still be writing
