"""Another Python process, bounded in time, of which nothing is left running.

Its current directory is a folder of its own, with its results and its standard error as files: a pipe would end only
when every process that the plugin started has closed it. What it prints goes nowhere.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Ended", "run"]

MAX_ERRORS = 1 << 16
"""Octets of standard error that are read, from its end."""

_PROGRAM = """\
import importlib, pickle, sys
with open("call", "rb") as call:
    sys.path[:] = pickle.load(call)
    module, function, arguments = pickle.load(call)
getattr(importlib.import_module(module), function)(*arguments)
"""


class Ended(NamedTuple):
    """A process that ended: `how`, as the end of a sentence; the lines of its results; the end of standard error."""

    how: str
    results: list[str]
    errors: str


def run(
    function: str,
    *arguments: object,
    seconds: float,
    options: Sequence[str] = (),
) -> Ended:
    """Call `function`, written `module:name`, in another interpreter, which is started with `options`.

    Its arguments are the path of the file for its results, and `arguments`, which are pickled. When it has ended, or
    after `seconds`, its whole process group is ended.
    """
    if not sys.executable or getattr(sys, "frozen", False):
        return Ended("cannot be started: this program has no Python interpreter", [], "")
    with TemporaryDirectory(prefix="urlschemes-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        results, errors = folder / "results", folder / "errors"
        results.touch()
        path = [each for each in sys.path if os.path.isabs(each)]  # noqa: PTH117  they are strings
        call = (*function.split(":"), (str(results), *arguments))
        (folder / "call").write_bytes(pickle.dumps(path) + pickle.dumps(call))
        with errors.open("w+b") as stderr:
            try:
                process = subprocess.Popen(  # noqa: S603  this interpreter, with the program above
                    [sys.executable, "-P", *options, "-c", _PROGRAM],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=stderr,
                    cwd=folder,
                    start_new_session=True,
                )
            except OSError as error:
                return Ended(f"cannot be started: {error.strerror}", [], "")
            try:
                how = _description(process.wait(seconds))
            except subprocess.TimeoutExpired:
                how = f"did not end within {seconds:g} seconds"
            finally:
                _kill_group(process)
            stderr.seek(max(stderr.seek(0, os.SEEK_END) - MAX_ERRORS, 0))
            last = stderr.read(MAX_ERRORS).decode("utf-8", "replace")
        return Ended(how, results.read_text("utf-8").splitlines(), last)


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
