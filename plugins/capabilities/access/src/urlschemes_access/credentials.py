"""Logins and forms that a server asks for, and the functions of the caller that answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import TypeAlias

from urlschemes.errors import require_type

__all__ = ["Answers", "Asker", "Credentials", "Form", "Question"]


@dataclass(frozen=True, slots=True)
class Credentials:
    """A user name and a password for one host and port; or a bearer `token` (RFC 6750), which only https sends."""

    user: str = ""
    password: str = field(default="", repr=False)
    token: str = field(default="", repr=False, kw_only=True)

    def __post_init__(self) -> None:
        for part in fields(self):
            require_type(f"the {part.name} of credentials", getattr(self, part.name), str)
        if self.token and (self.user or self.password):
            raise ValueError("credentials are a user name and a password, or a token, not both")


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a form.

    `kind` is the protocol's word, such as `"Ask"` or `"Choose"`. `choices` are the possible answers, if the server
    lists them. The answer to a `hidden` question is a secret, not to be shown while it is typed. The answer to a
    `multiline` question may have several lines.
    """

    kind: str
    prompt: str
    default: str = ""
    choices: tuple[str, ...] = ()
    hidden: bool = False
    multiline: bool = False


@dataclass(frozen=True, slots=True)
class Form:
    """Questions to be answered before the server gives the resource."""

    title: str
    questions: tuple[Question, ...]


Answers: TypeAlias = tuple[str, ...]
"""One answer for each question of a form, in its order."""

Asker: TypeAlias = Callable[[Form], Answers | None]
"""A function that answers the questions of a form, or returns None if the user does not."""
