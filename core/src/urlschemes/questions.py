"""What the other side wants to know of the caller before it gives a resource, and the answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

__all__ = ["Answers", "Credentials", "Form", "Question"]


@dataclass(frozen=True, slots=True)
class Credentials:
    """A user name and a password for one host and port."""

    user: str
    password: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a form. `kind` is the protocol's word (`"Ask"`, `"Choose"`), `choices` what may be answered.

    The answer to a `hidden` one is a secret, which nobody may see while it is typed.
    """

    kind: str
    prompt: str
    default: str = ""
    choices: tuple[str, ...] = ()
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Form:
    """Questions that the other side wants answered before it gives the resource."""

    title: str
    questions: tuple[Question, ...]


Answers: TypeAlias = tuple[str, ...]
"""One answer for each question of a form, in its order."""
