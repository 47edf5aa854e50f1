"""A structured log of accesses: each thing that an observer is told is one JSON object on one line.

It goes to the logger `urlschemes_access.access`, at the level INFO, where the program has set up logging so that somebody
hears it; and where the variable `URLSCHEMES_ACCESSLOG` names a file, to the end of that file. With neither, nothing is
done. A log that cannot be written is reported in the log `urlschemes`, and changes nothing else.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from urlschemes.registry.hooks import hookimpl

if TYPE_CHECKING:
    import logging

    from urlschemes_access.hooks import Observation

__all__ = ["VARIABLE", "urlschemes_observe"]

VARIABLE = "URLSCHEMES_ACCESSLOG"
"""The variable that names the file: a whole path."""
_LOGGER = "urlschemes_access.access"


@hookimpl
def urlschemes_observe(observation: Observation) -> None:
    """Write one line, where somebody asked for it. Raises ConfigurationError."""
    logger = _logger()
    file = os.environ.get(VARIABLE)
    if logger is None and not file:
        return
    import json

    record = _record(observation)
    line = json.dumps(record, separators=(",", ":"))
    if logger is not None:
        logger.info("%s", line, extra={"access": record})
    if file:
        _append(file, f"{line}\n".encode("ascii"))


def _logger() -> logging.Logger | None:
    """The logger, if what it is told is heard: a program that never imported `logging` has not set it up either."""
    module = sys.modules.get("logging")
    if module is None:
        return None
    logger: logging.Logger = module.getLogger(_LOGGER)
    return logger if logger.isEnabledFor(module.INFO) and logger.hasHandlers() else None


def _record(observation: Observation) -> dict[str, Any]:
    from datetime import UTC, datetime

    error = observation.error
    return {
        "time": datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "pid": os.getpid(),
        "operation": observation.operation,
        "scheme": observation.scheme,
        "url": observation.url,
        "outcome": observation.outcome,
        "seconds": round(observation.seconds, 6),
        "error": error.code if error else None,
        "message": str(error) if error else None,
    }


def _append(file: str, line: bytes) -> None:
    """Add the line to the file in one write; a file that is made is for its owner alone. Raises ConfigurationError."""
    from urlschemes.errors import ConfigurationError
    from urlschemes.storage.user_dirs import open_regular

    wrong = ""
    try:
        if not os.path.isabs(file):  # noqa: PTH117  a text, to be shown
            wrong = "it is no whole path"
        else:
            descriptor = open_regular(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
            try:
                if os.write(descriptor, line) != len(line):
                    wrong = "a line was cut off: is the disk full?"
            finally:
                os.close(descriptor)
    except OSError as error:
        wrong = str(error.strerror)
    if wrong:
        raise ConfigurationError(f"the access log {file} cannot be written: {wrong}", source=VARIABLE, key=VARIABLE)
