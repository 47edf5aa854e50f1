"""Prompts for logins and forms. If standard input or standard error is not a terminal, there are none."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial

import click

from urlschemes_access.credentials import Answers, Credentials, Form, Question
from urlschemes_access.protocol import Authenticate, Authenticator
from urlschemes_cli.output.text import safe_line, write_line

MAX_SECRET = 64 * 1024
"""Octets that a password or token in a file may have."""
_prompt: Callable[..., str] = partial(click.prompt, default="", show_default=False, err=True)


def can_prompt() -> bool:
    """Return True if standard input and standard error are a terminal."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def given_login(user: str | None, password_file: str | None, bearer_file: str | None) -> Credentials | None:
    """Return the login that the options give; a password that is missing is asked for. Raises click.UsageError."""
    if bearer_file is not None:
        if user is not None:
            raise click.UsageError("--bearer-file and --user cannot be used together")
        return Credentials(token=_secret_in(bearer_file, "--bearer-file", "Token"))
    if user is None:
        if password_file is not None:
            raise click.UsageError("--password-file needs --user NAME")
        return None
    name, colon, password = user.partition(":")
    if not name:
        raise click.UsageError("--user needs a name: --user NAME")
    if colon and password_file is not None:
        raise click.UsageError("--user has a password already: give --password-file, or the password")
    if password_file is not None:
        password = _secret_in(password_file, "--password-file", f"Password of {safe_line(name)}")
    elif not colon:
        if not can_prompt():
            raise click.UsageError("--user has no password, and there is no terminal to ask: add --password-file FILE")
        password = _prompt(f"Password of {safe_line(name)}", hide_input=True)
    return Credentials(name, password)


def _secret_in(file: str, option: str, label: str) -> str:
    """Return the first line of `file`; `-` is standard input."""
    if file == "-" and can_prompt():
        return _prompt(label, hide_input=True)
    with click.open_file(file, "rb") as opened:
        octets: bytes = opened.readline(MAX_SECRET + 1)
    secret = octets.rstrip(b"\r\n").decode("utf-8", "surrogateescape")
    if not secret or len(octets) > MAX_SECRET:
        raise click.UsageError(f"{option}: the first line is {'too long' if secret else 'empty'}")
    return secret


def login_prompt(first: Authenticator | None) -> Authenticator:
    """Return a function that asks for a login at the terminal, if `first` does not know one."""

    def ask(request: Authenticate) -> Credentials | None:
        known = first(request) if first else None
        if known is not None or not can_prompt():
            return known
        realm = f" ({safe_line(request.realm)})" if request.realm else ""
        write_line(f"{safe_line(request.host)} port {request.port}{realm} asks for a login.", stream=sys.stderr)
        user = request.user
        if user is None:
            user = _prompt("User (empty: none)")
            if not user:
                return None
        return Credentials(user, _prompt(f"Password of {safe_line(user)}", hide_input=True))

    return ask


def form_prompt(answers: Sequence[str]) -> Callable[[Form], Answers] | None:
    """Return a function that gives the `answers` to a form, or asks at the terminal if there are none.

    Returns None without answers and without a terminal.
    """
    return partial(_given, answers) if answers else _fill_in if can_prompt() else None


def _given(answers: Sequence[str], form: Form) -> Answers:
    """Return the answers of `--answer`. Raises click.BadParameter if they do not fit the questions."""
    if len(answers) != len(form.questions):
        prompts = ", ".join(_prompt_of(each) for each in form.questions)
        raise click.BadParameter(f"the questions are {prompts}: got {len(answers)} answers", param_hint="'--answer'")
    return tuple(
        _chosen(question, answer) if question.choices else answer
        for question, answer in zip(form.questions, answers, strict=True)
    )


def _fill_in(form: Form) -> Answers:
    for row in form.title.split("\n"):
        write_line(safe_line(row), stream=sys.stderr)
    return tuple(map(_answer, form.questions))


def _prompt_of(question: Question) -> str:
    """Return the prompt of a question without the colon at its end, which click adds."""
    return safe_line(question.prompt).rstrip(": ") or "Answer"


def _answer(question: Question) -> str:
    prompt, hidden = _prompt_of(question), question.hidden
    if question.multiline and not question.choices:
        write_line(f"{prompt} (an empty line ends the answer)", stream=sys.stderr)
        return "\n".join(iter(partial(_prompt, ">", prompt_suffix=" "), ""))
    if not question.choices:
        show_default = bool(question.default) and not hidden
        return _prompt(prompt, default=question.default, show_default=show_default, hide_input=hidden)
    write_line(prompt, stream=sys.stderr)
    numbers = _numbers(question)
    for number, choice in numbers.items():
        mark = "*" if choice == question.default else " "
        text = "" if number == choice else f"  {safe_line(choice)}"
        write_line(f" {mark}{safe_line(number):>3}{text}", stream=sys.stderr)
    default = next((number for number, choice in numbers.items() if choice == question.default), None)
    return _prompt("Choice", value_proc=partial(_chosen, question), default=default, show_default=True)


def _numbers(question: Question) -> dict[str, str]:
    """Return the choices by number; by themselves if some look like these numbers."""
    choices = question.choices
    numbers = {str(number): choice for number, choice in enumerate(choices, 1)}
    return numbers if numbers.keys().isdisjoint(choices) else dict(zip(choices, choices, strict=True))


def _chosen(question: Question, text: str) -> str:
    """Return the choice that `text` names, by its own text or by its number. Raises click.BadParameter."""
    if text in question.choices:
        return text
    text = text.strip()
    by_text = {choice.casefold(): choice for choice in reversed(question.choices)}
    choice = _numbers(question).get(text, by_text.get(text.casefold()))
    if choice is None:
        choices = [each if each == number else f"{number} ({each})" for number, each in _numbers(question).items()]
        message = f"{safe_line(text)!r} is no choice: expected {safe_line(', '.join(choices))}"
        raise click.BadParameter(message, param_hint="'--answer'")
    return choice
