"""Forms of Gopher+ (RFC 1738 sections 3.4.5 and 3.4.9; the Gopher+ document, section 2.8)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from urlschemes.errors import UnsafeURL, UnsupportedOperation
from urlschemes.grammar.octets import octets_of, text_of
from urlschemes_access.credentials import Form, Question
from urlschemes_access.errors import InputRequired

if TYPE_CHECKING:
    from urlschemes_access.credentials import Answers
    from urlschemes_gopher.attributes import Item

__all__ = ["FILLED_FORM", "encode_answer", "encode_answers", "parse_form"]

FILLED_FORM = re.compile(rb"\+\t1\r\n\+-1\r\n(?>(?:(?!\.\r\n)[^\x00-\x1f\x7f]*+\r\n)*)\.\r\n")
"""The filled form of section 3.4.9, with control characters only where that section has them."""

_UNSENDABLE = re.compile(r"[\x00-\x1f\x7f\ud800-\udc7f\udd00-\udfff]")  # control characters, and surrogates of no octet
_ANSWERED_BY_TEXT = frozenset({"Ask", "AskF", "AskL", "AskP"})


def parse_form(item: Item) -> Form | None:
    """Return the form of the `+ASK` block; None if there is no such block.

    Its title is the item's name, followed by the notes of the form. Raises UnsupportedOperation if the form asks for a
    local file, or has a question of an unknown kind.
    """
    if "+ASK" not in item.blocks:
        return None
    notes = [text_of(item.descriptor.partition(b"\t")[0][1:])]
    questions = []
    for line in item.blocks["+ASK"]:
        kind, _, text = line.partition(":")
        if kind in {"Note", "Notes"}:
            notes.append(text.strip(" ").partition("\t")[0])
        elif question := _parse_question(kind, text.strip(" ")):
            questions.append(question)
        elif line.strip():
            raise UnsupportedOperation(
                f"the form has a question of unknown kind {kind!r}", section="Gopher+, section 2.8"
            )
    return Form("\n".join(notes), tuple(questions))


def _parse_question(kind: str, text: str) -> Question | None:
    """Return a question of this kind; None if the kind is unknown."""
    prompt, *choices = text.split("\t")
    if kind == "ChooseF":
        raise UnsupportedOperation(
            "the form asks for a local file: files are never sent", section="Gopher+, section 2.8"
        )
    if kind == "Select" and not choices:
        return _parse_checkbox(prompt)
    if kind in {"Choose", "Select"}:
        return Question(kind, prompt, choices[0] if choices else "", tuple(choices))
    if kind in _ANSWERED_BY_TEXT:
        return Question(kind, prompt, "\t".join(choices), hidden=kind == "AskP", multiline=kind == "AskL")
    return None


def _parse_checkbox(text: str) -> Question:
    """Return the question of a `Select` line, whose prompt may end in `:0` or `:1`, the default."""
    prompt, colon, default = text.rpartition(":")
    if not colon or default not in {"0", "1"}:
        prompt, default = text, "0"
    return Question("Select", prompt, default, ("0", "1"))


def encode_answers(form: Form, answers: Answers) -> tuple[bytes, bytes | None]:
    """Return the answers as a block of data (RFC 1738 section 3.4.9), and the part of it that must not be shown.

    Raises InputRequired if the answers do not fit the questions, UnsafeURL for control characters.
    """
    if len(answers) != len(form.questions):
        raise InputRequired(f"expected {len(form.questions)} answers to the form, got {len(answers)}")
    lines: list[bytes] = []
    secret: list[int] = []
    for question, answer in zip(form.questions, answers, strict=True):
        if question.kind == "AskP":
            secret.append(len(lines))
        lines += encode_answer(question, answer)
    # A dot at the start of a line is doubled, so that no answer can end the block.
    block = [b"+-1", *(b"." + line if line.startswith(b".") else line for line in lines), b".", b""]
    hidden = b"\r\n".join(block[1 + secret[0] : 2 + secret[-1]]) if secret else None
    return b"\r\n".join(block), hidden or None


def encode_answer(question: Question, answer: str) -> list[bytes]:
    """Return the lines of one answer. That to an AskL is the number of its lines, and the lines."""
    if question.choices and answer not in question.choices:
        choices = ", ".join(repr(choice) for choice in question.choices)
        raise InputRequired(f"invalid answer to {question.prompt!r}: expected one of {choices}")
    parts = [answer]
    if question.multiline:
        parts = answer.replace("\r\n", "\n").removesuffix("\n").split("\n") if answer else []
    if any(_UNSENDABLE.search(part) for part in parts):
        raise UnsafeURL(f"the answer to {question.prompt!r} contains a control character")
    count = [b"%d" % len(parts)] if question.multiline else []
    return count + [octets_of(part) for part in parts]
