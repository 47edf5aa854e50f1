"""Records compiled: what was made of a registration record before, as bytecode is of a module.

To read a record and its rules, and to make the pattern, takes some twenty times as long as all else that the first URL
of a process needs. So what reading URLs needs of it (the pattern's text, the parts) is kept in a file
(`urlschemes.cache`), for exactly the text of the record, by exactly this version of the core and of Python. All that
is checked of a record was checked when it was kept. What else it says is read from its text when somebody asks.
"""

# A first URL waits for this: pathlib would cost more than all the rest.
# ruff: noqa: PTH116, PTH120

import os
import sys

from urlschemes.cache import FIELD, PART, RECORD, STEP, fingerprint, folder, load, store
from urlschemes.machine import is_sound
from urlschemes.part import Part
from urlschemes.syntax import Syntax
from urlschemes.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from urlschemes.machine import Program

__all__ = ["keep", "kept"]

# The rooms that decide what a record becomes: in a checkout they change while the version does not.
_ROOMS = (
    *("automaton", "beside", "bnf", "cached_records", "characters", "construction", "division", "expansion", "machine"),
    *("octets", "part", "pattern", "program", "records", "regular", "structure", "syntax"),
)
FORMAT = "1"

_FILES = (*(f"{room}.py" for room in _ROOMS), "rfc1738.bnf")


def kept(text: str) -> "tuple[str, int | None, Syntax] | None":
    """The scheme, the default port and the syntax of the record with the TOML `text`, if they were kept."""
    key = _key()
    found = load(_name(key, text), key) if key else None
    if found is None:
        return None
    before, *parts = found.split(RECORD)
    try:
        same, scheme, port, bnf, rule, hierarchy, section, slash, empty_host, pattern, program = before.split(FIELD)
        made = [_part(part) for part in parts]
        steps = [step.split(STEP) for step in program.split(PART)] if program else None
        if same != text or not _fit(made, steps):
            return None
        syntax = Syntax.restored(
            bnf,
            rule,
            made,
            hierarchy=hierarchy or None,
            section=section,
            slash_may_be_omitted=slash == "1",
            pattern=pattern,
            program=steps,
            host_may_be_empty=empty_host == "1",
        )
        return scheme, int(port) if port else None, syntax
    except (ValueError, LookupError):
        return None


def _fit(parts: list[Part], program: "Program | None") -> bool:
    """Whether the program can be run, and finds each of the parts: a file with a right checksum may say anything."""
    if program is None:
        return True
    groups = {step[1] for step in program if step[0] == "open" and len(step) > 1}
    return is_sound(program) and all(part.name.isidentifier() and part.mark in groups for part in parts)


def keep(scheme: str, default_port: int | None, syntax: Syntax, text: str) -> None:
    """Let what is made of the record with the TOML `text` be kept once its pattern is made."""

    def write(_: Syntax) -> None:
        key = _key() if folder() else ""
        found = _written(scheme, default_port, syntax, text) if key else None
        if found is not None:
            store(_name(key, text), key, found)

    syntax.when_compiled = write


def _written(scheme: str, default_port: int | None, syntax: Syntax, text: str) -> str | None:
    """What is kept; None where the record cannot be used, or holds what separates fields."""
    from urlschemes.program import translated

    prefix = f"{scheme}:"
    if syntax.automaton.reach(prefix)[0] < len(prefix):
        return None
    first = (
        text,
        scheme,
        "" if default_port is None else str(default_port),
        syntax.bnf,
        syntax.rule,
        syntax.hierarchy or "",
        syntax.section,
        "1" if syntax.slash_may_be_omitted else "",
        "1" if "host" in syntax.parts and syntax.host_may_be_empty else "",
        syntax.pattern,
        PART.join(map(STEP.join, translated(syntax.pattern) or ())),
    )
    records = [list(first), *(list(_fields(part)) for part in syntax.parts.values())]
    whole = RECORD.join(map(FIELD.join, records))
    return whole if [record.split(FIELD) for record in whole.split(RECORD)] == records else None


def _fields(part: Part) -> tuple[str, ...]:
    divided = part.division
    return (
        part.name,
        part.mark,
        PART.join(map(STEP.join, part.at)),
        part.element or "",
        part.take,
        "1" if part.number else "",
        bytes(sorted(part.exclude)).hex(),
        part.decoded or "",
        part.travels,
        "" if part.says is None else f"={part.says}",
        part.rule,
        bytes(sorted(part.bare)).hex(),
        bytes(sorted(part.escapes)).hex(),
        "" if divided is None else divided.separator,
        "" if divided is None else divided.equals,
        "1" if divided is not None and divided.leading else "",
    )


def _part(record: str) -> Part:
    (name, mark, at, element, take, number, exclude, decoded, travels, says, rule, bare, escapes, separator, equals,
     leading) = record.split(FIELD)  # fmt: skip
    part = Part(
        name,
        (),
        element=element or None,
        take=take,  # type: ignore[arg-type]  # as it was
        number=number == "1",
        exclude=bytes.fromhex(exclude),
        decoded=decoded or None,
        travels=travels,  # type: ignore[arg-type]  # as it was
        says=says[1:] if says else None,
    )
    part.at = tuple(tuple(path.split(STEP)) for path in at.split(PART))
    part.mark = mark
    part.rule = rule
    part.held = bare, escapes
    if separator:
        from urlschemes.division import Division

        part.division = Division(separator, equals, leading=leading == "1")
    return part


def _name(key: str, text: str) -> str:
    return f"record-{fingerprint(key + text)}"


def _key() -> str:
    """What a kept record depends on beside its text; "" where it cannot be known."""
    state = [FORMAT, __version__, sys.version]
    here = os.path.dirname(__file__)
    try:
        for name in _FILES:
            found = os.stat(f"{here}/{name}")
            state.append(f"{found.st_mtime_ns}/{found.st_size}")
    except OSError:  # the core lies in an archive
        return ""
    return " ".join(state)
