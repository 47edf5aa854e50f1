"""The messages of a worker process to the runner: one JSON object a line, on what was its standard output."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from typing import Any, NamedTuple

from urlschemes_conformance.review.verdicts import Verdict

__all__ = ["Messages", "Sender"]


class Sender:
    """The sending end. From then on, what the plugin prints goes nowhere."""

    def __init__(self) -> None:
        self._channel = os.dup(1)
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.close(null)

    def record(self, scheme: str, title: str) -> None:
        """Send what the record says."""
        self._send(scheme=scheme, title=title)

    def started(self, check: str) -> None:
        """Say that a check begins."""
        self._send(started=check)

    def verdict(self, verdict: Verdict) -> None:
        """Send the verdict of the check that began last."""
        self._send(verdict=asdict(verdict))

    def bug(self, description: str) -> None:
        """Say that the review itself failed, in the check that began last."""
        self._send(bug=description)

    def _send(self, **message: Any) -> None:
        os.write(self._channel, f"{json.dumps(message)}\n".encode())


class Messages(NamedTuple):
    """The messages of one worker.

    `started` are the checks that began, in order; `record` is the scheme and the title of the record; `bug` describes a
    failure of the review itself, or is empty. `garbled` is true if a line was not written by the worker.
    """

    started: list[str]
    verdicts: dict[str, Verdict]
    record: tuple[str, str] | None
    bug: str
    garbled: bool

    @classmethod
    def read(cls, octets: bytes) -> Messages:
        """Return the messages that a worker wrote, up to the first garbled line. An incomplete last line is ignored."""
        started: list[str] = []
        verdicts: dict[str, Verdict] = {}
        record: tuple[str, str] | None = None
        bug = ""
        for line in octets.split(b"\n")[:-1]:
            try:
                match json.loads(line):
                    case {"scheme": str(scheme), "title": str(title)}:
                        record = scheme, title
                    case {"started": str(check)}:
                        started.append(check)
                    case {"verdict": dict(fields)} if fields.get("check") == started[-1]:
                        verdicts[started[-1]] = Verdict(**{**fields, "details": tuple(fields["details"])})
                    case {"bug": str(bug)}:
                        pass
                    case _:
                        return cls(started, verdicts, record, bug, garbled=True)
            except (ValueError, TypeError, LookupError, RecursionError):
                return cls(started, verdicts, record, bug, garbled=True)
        return cls(started, verdicts, record, bug, garbled=False)
