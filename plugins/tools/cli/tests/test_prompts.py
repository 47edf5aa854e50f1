"""Prompts for logins and forms."""

from __future__ import annotations

import pytest

LOGIN = "x-shelf://127.0.0.1/login"


def test_a_login_is_asked_for_without_showing_the_password(terminal) -> None:
    answers = (("User (empty: none): ", "joe\n"), ("Password of joe: ", "hunter2\n"))
    screen = terminal("access", LOGIN, answers=answers)
    assert screen.code == 0
    assert "127.0.0.1 port 7070 (the \\x1b[31mvault) asks for a login." in screen.text
    assert "joe has 7 letters" in screen.text
    assert "hunter2" not in screen.written


def test_the_user_of_the_url_is_not_asked_for(terminal) -> None:
    screen = terminal("access", "x-shelf://ann@127.0.0.1/login", answers=(("Password of ann: ", "x\n"),))
    assert "ann has 1 letters" in screen.text


def test_no_user_means_no_login(terminal) -> None:
    screen = terminal("access", LOGIN, answers=(("User (empty: none): ", "\n"),))
    assert screen.code == 3
    assert "it wants a login" in screen.text


def test_the_end_of_the_input_ends_the_command(terminal) -> None:
    screen = terminal("access", "x-shelf://ann@127.0.0.1/login", answers=(("Password of ann: ", "\x04"),))
    assert screen.code == 130
    assert "Traceback" not in screen.written


def test_without_a_terminal_there_is_no_prompt(shell) -> None:
    done = shell("access", LOGIN)
    assert (done.returncode, done.stdout, done.stderr) == (3, b"", b"urlschemes: it wants a login\n")
    done = shell("access", "x-shelf://127.0.0.1/form")
    assert done.returncode == 3
    assert b"  help: --answer TEXT for each question, in their order, answers the form\n" in done.stderr


def test_a_form_is_filled_in(terminal) -> None:
    answers = (
        *(
            ("Name? [nobody]: ", "\n"),
            ("Password: ", "x\n"),
            ("Answer [Ann]: ", "\n"),
            ("Word?: ", "hunter2\n"),
            ("Choice [1]: ", "2\n"),
        ),
        *(("Choice: ", "brown\n"), ("Choice: ", "dark\n"), ("Choice [1]: ", "0\n")),
        *(("Remarks? (an empty line ends the answer)\r\n> ", "one\n"), ("> ", " two\n"), ("> ", "\n")),
    )
    screen = terminal("access", "x-shelf://127.0.0.1/form", answers=answers)
    assert screen.code == 0
    assert screen.text.startswith("A form\nwith a note\n")
    assert " *  1  red\n    2  blue\n" in screen.text
    assert "    0\n *  1\n" in screen.text
    assert "'brown' is no choice: expected 1 (Light), 2 (Dark)" in screen.text
    assert screen.text.count("hunter2") == 1, "only in the document that the scheme makes of the answers"
    assert "('nobody', 'x', 'Ann', 'hunter2', 'blue', 'Dark', '0', 'one\\n two')" in screen.text


ANSWERS = ("nobody", "x", "Ann", "hunter2", "2", "dark", "0", "one")


@pytest.mark.parametrize(
    ("answers", "code", "shown"),
    [
        (ANSWERS, 0, "('nobody', 'x', 'Ann', 'hunter2', 'blue', 'Dark', '0', 'one')"),
        (ANSWERS[:3], 2, "'--answer': the questions are Name?, Password, Answer, Word?, Colour?"),
        ((*ANSWERS[:4], "brown", *ANSWERS[5:]), 2, "'--answer': 'brown' is no choice: expected 1 (red), 2 (blue)"),
    ],
)
def test_answers_may_be_options(run, answers: tuple[str, ...], code: int, shown: str) -> None:
    words = [word for answer in answers for word in ("--answer", answer)]
    done = run("access", "x-shelf://127.0.0.1/form", *words)
    assert (done.exit_code, shown in done.output) == (code, True)
