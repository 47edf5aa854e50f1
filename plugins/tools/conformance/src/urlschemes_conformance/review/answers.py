"""What a process that judges says: lines of JSON on what was its standard output, which the runner reads and checks.

Code of the plugin's runs in that process, and can write there too: of a line that the review did not write, or not
there, nothing is believed that comes after it.
"""

from __future__ import annotations

import os
from json import JSONEncoder, loads
from math import inf
from os import write
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from urlschemes_conformance.review.verdicts import OUTCOMES, Judgement, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Answers", "Teller"]

_encoded = JSONEncoder().encode  # kept from before a plugin could put something else in its place
_TYPES = {str: "a text", list: "a list", float: "a number"}


class Teller:
    """The side that says: to its standard output, which leads nowhere from now on."""

    def __init__(self) -> None:
        self._channel = os.dup(1)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.close(nowhere)

    def tell(self, **facts: Any) -> None:
        """Say one thing."""
        write(self._channel, f"{_encoded(facts)}\n".encode())


class Answers(NamedTuple):
    """What one process said: the checks that it `began`, their `verdicts`, and `facts` of the record.

    `fault` is what the review itself got wrong in the check that was begun last, `strange` what is wrong with the first
    line that is not the review's; "" for nothing.
    """

    began: list[str]
    verdicts: dict[str, Verdict]
    facts: dict[str, str]
    fault: str
    strange: str

    @classmethod
    def read(cls, octets: bytes, names: Sequence[str]) -> Answers:
        """What a process wrote that was to make the checks `names`. A last line that is not whole does not count."""
        began: list[str] = []
        verdicts: dict[str, Verdict] = {}
        facts: dict[str, str] = {}
        fault = strange = ""
        for line in octets.split(b"\n")[:-1]:
            try:
                found = loads(line)
                keys = {*found} if type(found) is dict else set()
                if keys == {"title", "scheme"} and not began:
                    facts = {key: _of(str, found[key]) for key in ("title", "scheme")}
                elif (
                    keys == {"began"}
                    and [found["began"]] == [*names[len(began) : len(began) + 1]]
                    and (len(verdicts) == len(began))
                ):
                    began.append(found["began"])
                elif keys == {"check", "judgement", "seconds"} and _is_due(found["check"], began, verdicts):
                    verdicts[began[-1]] = _verdict(found)
                elif keys == {"at", "fault"} and _is_due(found["at"], began, verdicts):
                    fault = _of(str, found["fault"])
                else:
                    _refuse("it is not what is due")
            except (ValueError, RecursionError) as error:
                if began:  # nothing of the plugin has run before
                    strange = str(error) if type(error) is _Strange else "it is no JSON"
                    verdicts.pop(began[-1], None)
                    break
        return cls(began, verdicts, facts, fault, strange)


class _Strange(ValueError):
    """A line that the review did not write; the text says what is wrong with it."""


def _refuse(why: str) -> NoReturn:
    raise _Strange(why)


def _is_due(check: object, began: list[str], verdicts: dict[str, Verdict]) -> bool:
    return bool(began) and check == began[-1] and check not in verdicts


def _verdict(found: dict[str, Any]) -> Verdict:
    said = _of(list, found["judgement"])
    if len(said) != len(Judgement._fields):
        _refuse("a judgement has four fields")
    outcome, reason, advice, details = said
    if outcome not in OUTCOMES:
        _refuse("there is no such outcome")
    judgement = Judgement(
        outcome, _of(str, reason), _of(str, advice), tuple(_of(str, each) for each in _of(list, details))
    )
    seconds = _of(float, found["seconds"])
    if not 0 <= seconds < inf:
        _refuse("no check takes so long")
    return Verdict.of(found["check"], judgement, seconds)


def _of(kind: type, value: Any) -> Any:
    if type(value) is not kind:
        _refuse(f"{_TYPES[kind]} is due in it")
    return value
