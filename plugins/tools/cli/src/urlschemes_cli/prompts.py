"""Logins and forms, asked of the person at the terminal. Where there is none, nobody is asked."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from urlschemes_access.credentials import Credentials
from urlschemes_cli.output.plain import line, write

if TYPE_CHECKING:
    from collections.abc import Callable

    from urlschemes_access.credentials import Answers, Authenticator, Form, Question
    from urlschemes_access.protocol import Authenticate

__all__ = ["form_asker", "login_asker"]


def _somebody_there() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def login_asker(first: Authenticator | None) -> Authenticator:
    """Who gives a login: `first`, where there is that and it knows one, else the person at the terminal."""

    def ask(request: Authenticate) -> Credentials | None:
        known = first(request) if first else None
        if known is not None or not _somebody_there():
            return known
        place = f"{request.host} port {request.port}" + (f" ({line(request.realm)})" if request.realm else "")
        write(f"{line(place)} wants a login.", stream=sys.stderr)
        user = request.user
        if user is None:
            user = click.prompt("User (empty: none)", default="", show_default=False, err=True)
            if not user:
                return None
        name = f"Password of {line(user)}"
        password = click.prompt(name, default="", show_default=False, hide_input=True, err=True)
        return Credentials(user, password)

    return ask


def form_asker() -> Callable[[Form], Answers] | None:
    """Who answers a form: the person at the terminal, or nobody."""
    return _fill_in if _somebody_there() else None


def _fill_in(form: Form) -> Answers:
    for row in form.title.split("\n"):
        write(line(row), stream=sys.stderr)
    return tuple(map(_answer, form.questions))


def _answer(question: Question) -> str:
    prompt = line(question.prompt)
    if not question.choices:
        hidden = question.hidden
        shown = bool(question.default) and not hidden
        return str(click.prompt(prompt, default=question.default, show_default=shown, hide_input=hidden, err=True))
    write(prompt, stream=sys.stderr)
    for number, choice in enumerate(question.choices, 1):
        mark = "*" if choice == question.default else " "
        write(f" {mark}{number:>3}  {line(choice)}", stream=sys.stderr)
    default = question.choices.index(question.default) + 1 if question.default in question.choices else None
    number = click.prompt("Number", type=click.IntRange(1, len(question.choices)), default=default, err=True)
    return question.choices[number - 1]
