"""What a plugin does to a process that loads it, found out in a process of its own.

    diagnose(verify=True)  -->  verify  --claim, sys.path-->  child: snapshot, load, snapshot  --report-->  Verified

| room | subject |
| --- | --- |
| `child` | what runs in the other process: the plugin is loaded between two snapshots, and a report is written |
| `snapshot` | what a plugin could change for others, at one moment, and how two moments differ |

A plugin that ends the process, hangs, or starts threads does so there. This is no sandbox: what a plugin does to files
or to other computers, it has done; and one that knows that it is looked at can deceive.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from urlschemes import cache
from urlschemes.beside import strings
from urlschemes.display import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from urlschemes.claims import Claim

__all__ = ["SECONDS", "Verified", "verify"]

SECONDS = 10.0
"""How long loading one plugin may take before it counts as hanging."""

# The standard input is a pipe: a path can be longer than an argument may be.
_CHILD = """\
import json, sys
given = json.load(sys.stdin.buffer)
sys.path[:] = given["path"]
from urlschemes.verification.child import report
report(given)
"""


class Verified(NamedTuple):
    """What came of loading one plugin.

    `seconds` is how long its import took (None: it did not end well), `fault` what broke it ("" for nothing), `changes`
    what it changed in the process, in words.
    """

    seconds: float | None
    fault: str
    changes: tuple[str, ...]


def verify(claims: Iterable[Claim], others: Iterable[Claim], among: Iterable[Claim]) -> dict[Claim, Verified]:
    """Each of the claims loaded in a process of its own, bounded in time. `among` are all that there are.

    `others` are claims of schemes that must stay as they are: they are loaded before it, but for its own.
    """
    watched = tuple(others)
    wanted, there = list(claims), tuple(among)

    def look(claim: Claim) -> Verified:
        same = [each for each in there if each.distribution == claim.distribution]
        return _verified(claim, [each for each in watched if each.module != claim.module], same)

    with ThreadPoolExecutor(max_workers=min(4, os.cpu_count() or 1)) as pool:
        return dict(zip(wanted, pool.map(look, wanted), strict=True))


def _verified(claim: Claim, others: list[Claim], claims: list[Claim]) -> Verified:
    if not sys.executable or getattr(sys, "frozen", False):
        return Verified(None, "it cannot be verified: this program has no Python interpreter to start", ())
    given = json.dumps({"path": list(strings(sys.path)), "claim": claim, "others": others, "claims": claims})
    options = [*(f"-W{option}" for option in sys.warnoptions), *(["-Xdev"] if sys.flags.dev_mode else [])]
    process = subprocess.Popen(  # noqa: S603  this interpreter, with a program of our own
        [sys.executable, "-P", *options, "-c", _CHILD],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, cache.VARIABLE: "none"},  # what the core writes would look like the plugin's doing
        start_new_session=True,
    )
    try:
        written, _ = process.communicate(given.encode(), timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return Verified(None, f"loading it had not ended after {SECONDS:g} seconds", ())
    finally:
        _end(process)
    return _read(written) or Verified(None, _ended(process.returncode), ())


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process, if it runs, and those that the plugin started beside it."""
    if process.returncode is None:
        with suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
        process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(OSError):
                stream.close()


def _read(written: bytes) -> Verified | None:
    """The report; None where there is none, or not the one that was agreed."""
    try:
        found: Any = json.loads(written)
        seconds, fault, changes = found["seconds"], found["fault"], found["changes"]
        right = type(seconds) in {float, type(None)} and all(type(each) is str for each in (fault, *changes))
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return Verified(seconds, one_line(fault, 300), tuple(one_line(each, 200) for each in changes)) if right else None


def _ended(code: int) -> str:
    if code < 0:
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        return f"{name} ended the process in which it was loaded"
    return f"it ended the process in which it was loaded, with the exit code {code}"
