"""A structured log of accesses: one JSON object on one line for each observation.

Lines go to the logger `urlschemes_access.access`, at the level INFO, if the program has enabled it; and to the file
that the variable `URLSCHEMES_ACCESSLOG` names. Without either, nothing is done. A log that cannot be written is
reported in the log `urlschemes`; no access fails because of it.
"""

from __future__ import annotations

import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from urlschemes.errors import ConfigurationError
from urlschemes.registry.hooks import hookimpl
from urlschemes.storage.user_dirs import open_regular

if TYPE_CHECKING:
    import logging

    from urlschemes_access.hooks import Observation

__all__ = ["VARIABLE", "urlschemes_observe"]

VARIABLE = "URLSCHEMES_ACCESSLOG"
"""The variable that names the file, by an absolute path."""
_LOGGER = "urlschemes_access.access"


@hookimpl
def urlschemes_observe(observation: Observation) -> None:
    """Log an observation, if the program or the user asked for it. Raises ConfigurationError."""
    logger = _enabled_logger()
    file = os.environ.get(VARIABLE)
    if logger is None and not file:
        return
    record = _record(observation)
    line = json.dumps(record, separators=(",", ":"))
    if logger is not None:
        logger.info("%s", line, extra={"access": record})
    if file:
        _append(file, f"{line}\n".encode("ascii"))


def _enabled_logger() -> logging.Logger | None:
    """Return the logger if it has handlers for INFO. A program that did not import `logging` has not enabled it."""
    module = sys.modules.get("logging")
    if module is None:
        return None
    logger: logging.Logger = module.getLogger(_LOGGER)
    return logger if logger.isEnabledFor(module.INFO) and logger.hasHandlers() else None


def _record(observation: Observation) -> dict[str, Any]:
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
        "rule": observation.rule,
        "host": observation.host,
        "address": observation.address,
    }


def _append(file: str, line: bytes) -> None:
    """Append the line in one write. A new file is readable only by its owner. Raises ConfigurationError."""
    if not Path(file).is_absolute():
        raise _unwritable(file, "the path is not absolute")
    try:
        descriptor = open_regular(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        try:
            written = os.write(descriptor, line)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise _unwritable(file, str(error.strerror)) from None
    if written != len(line):
        raise _unwritable(file, "a line was cut off; the disk may be full")


def _unwritable(file: str, reason: str) -> ConfigurationError:
    return ConfigurationError(f"cannot write the access log {file}: {reason}", source=VARIABLE, key=VARIABLE)
