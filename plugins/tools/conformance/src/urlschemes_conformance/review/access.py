"""Checks of the algorithm, by the demonstration of the scheme: over real sockets, and by the dialogue that was held."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.errors import PluginError, URLError
from urlschemes.redaction import described
from urlschemes_conformance.review.catalogue import asks
from urlschemes_conformance.review.subject import Missing
from urlschemes_conformance.review.verdicts import failed, passed, skipped, warned

if TYPE_CHECKING:
    from collections.abc import Callable

    from urlschemes_access.protocol import Algorithm
    from urlschemes_conformance.review.showing import Shown
    from urlschemes_conformance.review.subject import Subject
    from urlschemes_conformance.review.verdicts import Judgement
    from urlschemes_testing.replay import Dialogue

__all__: list[str] = []

PIECES = 30
"""Lines of the other side's that are told apart where faults are put in."""
PAUSE = 0.2
"""Seconds that an algorithm may work between two requests: no deadline reaches it meanwhile."""
LARGEST = 1 << 14
"""Octets of the other side's that are cut at each of them."""


@asks("operations", "RFC 1738 section 4; RFC 7595 section 3.4")
def operations(subject: Subject) -> Judgement:
    """Each operation that the record offers has its algorithm, and each option one that takes it."""
    from urlschemes_access.scheme_options import options_of

    if not subject.has_code:
        return skipped("there is a record and no code: its URLs are parsed and built, and not accessed")
    offered, taken = subject.record.operations, set[str]()
    if not offered:
        return warned(
            "the record offers no operation", "say in the record's reference how what is named is found, or offer one"
        )
    for operation in offered:
        try:
            taken |= options_of(subject.scheme.algorithm(operation)).keys()
        except Missing:
            raise
        except PluginError as error:
            return failed(error.message, "write the function, or leave the operation out of the record")
        except URLError as error:
            return failed(error.message, 'name the module: Scheme(registration, MyURL, access="my_package.access")')
        except Exception as error:  # noqa: BLE001  it is imported here, and may raise anything
            return failed(f"the algorithm of {operation} cannot be imported: {described(error)}", "mend the module")
    unknown = sorted(subject.record.options.keys() - taken)
    if unknown:
        return failed(
            f"no operation takes the option {unknown[0]}",
            "make it a keyword-only parameter, or leave it out of the record",
        )
    try:
        shown = subject.shown.operation
    except Missing:
        return passed(", ".join(offered))
    others = [each for each in offered if each != shown]
    if others:
        return warned(
            f"{shown} is demonstrated; there is an algorithm for {', '.join(others)}, which nobody demonstrates",
            "let tests of its own show it: urlschemes_testing.replay",
        )
    return passed(", ".join(offered))


@asks("demonstration", "RFC 1738 section 4; RFC 7595 section 3.1")
def demonstration(subject: Subject) -> Judgement:
    """The scheme works: its demonstration is accessed by the core's driver, over a server on this machine."""
    if not subject.has_code:
        return skipped("there is a record and no code: its URLs are parsed and built, and not accessed")
    if not subject.record.operations:
        return skipped("the record offers no operation")
    if subject.target.demo is None:
        return failed(
            "nobody demonstrates the scheme",
            'offer a demonstration, by an entry point of the group "urlschemes.demos": '
            f'{subject.record.scheme} = "my_package.demo:demo"',
        )
    try:
        shown = subject.demonstrated
    except URLError as error:
        return failed(
            f"{type(error).__name__}: {error.message}",
            error.hint or "mend the algorithm, or the demonstration's server",
        )
    return passed(f"{shown.said}, of {subject.target.demonstrated_by}")


@asks("own-sockets", "docs/trust.md", alone=True)
def own_sockets(subject: Subject) -> Judgement:
    """The algorithm opens nothing by itself, neither socket nor file nor process: the driver does, when it is asked."""
    from urlschemes_conformance.review.watching import Watch

    shown, target = subject.shown, subject.target  # what is imported at the first access is there now
    algorithms = subject.scheme.algorithm(shown.operation).__module__
    server = target.demo[0] if target.demo else ""
    watch = Watch(
        {target.package, algorithms.partition(".")[0]}, "" if server in {target.module, algorithms} else server
    )
    subject.show(watch.armed)
    if watch.deeds:
        return failed(
            f"the plugin does it itself: {watch.deeds[0]}",
            "ask the driver: yield from Connect, OpenFile; policy, deadline and limits hold for that alone",
            *watch.deeds[1:],
        )
    return passed(f"all {watch.seen} events were the driver's")


@asks("deadline", "docs/trust.md")
def deadline(subject: Subject) -> Judgement:
    """The algorithm works only for moments between two requests, so that the driver's deadline reaches it."""
    longest = subject.pause
    if longest > PAUSE:
        return failed(
            f"it works {longest:.1f} s between two requests, and no deadline reaches it meanwhile",
            "wait with Receive(peer, within=...), and work in pieces",
        )
    return passed(f"at most {longest * 1000:.1f} ms between two requests")


@asks("replayed", "RFC 1738 section 4")
def replayed(subject: Subject) -> Judgement:
    """The dialogue that was held, told again without a socket, has the same outcome."""
    from urlschemes_testing.replay import replay

    shown = _quick(subject)
    try:
        outcome = replay(shown.make(), shown.dialogue)
    except AssertionError as error:
        return failed(
            "the algorithm does not say the same again",
            "let what it sends depend on the URL, its options and what it hears, and on nothing else",
            *str(error).splitlines(),
        )
    if outcome.error is not None:
        return failed(
            f"the second time it fails: {described(outcome.error)}",
            "keep nothing from one access to the next",
        )
    if outcome.kind != shown.kind or (shown.content is not None and outcome.content != shown.content):
        return failed("the second time something else is delivered", "keep nothing from one access to the next")
    return passed(f"{len(shown.dialogue)} steps")


@asks("split", "RFC 1738 section 4")
def split(subject: Subject) -> Judgement:
    """Wherever the network cuts the server's words, the outcome is the same."""
    from urlschemes_testing.replay import split_everywhere

    shown = _replayed(subject)
    octets = _heard(shown.dialogue)
    if octets > LARGEST:
        return warned(
            f"the server says {octets} octets, too many to cut at each", f"demonstrate it with {LARGEST} at most"
        )
    try:
        split_everywhere(shown.make, shown.dialogue)
    except (AssertionError, Exception) as error:  # noqa: BLE001  the algorithm may raise anything
        return failed(
            "another outcome where the server's words come in other pieces",
            "read with urlschemes_access.protocol.Reader: one Receive need not be one line",
            *(str(error).splitlines() if isinstance(error, AssertionError) else [described(error)]),
        )
    return passed(f"{octets} octets cut everywhere")


@asks("faulted", "RFC 1738 section 4; docs/faults.md")
def faulted(subject: Subject) -> Judgement:
    """Whatever goes wrong at whichever step, an error of urlschemes comes out, and no part passes for the whole."""
    shown = _replayed(subject)
    if split(subject).outcome == "failed":
        raise Missing("the server's words in other pieces break it already: see the check split")
    if _heard(shown.dialogue) > LARGEST:
        return skipped(f"the server says more than {LARGEST} octets")
    dialogue = _in_pieces(shown.dialogue)
    try:
        runs = _faults(shown.make, dialogue, ends_by_closing=False)
    except AssertionError as strict:
        if not _ends_by_closing(dialogue):
            return _not_borne(strict)
        try:
            runs = _faults(shown.make, dialogue, ends_by_closing=True)
        except AssertionError as error:
            return _not_borne(error)
        return warned(
            f"{runs} faults borne; but the server closes where the content ends, so that a cut one can pass for whole",
            "where the protocol says how much comes, count it",
            str(strict),
        )
    return passed(f"{runs} faults borne")


def _not_borne(error: AssertionError) -> Judgement:
    """What `fault_everywhere` has to say: of its own error the cause tells what, and its text also where."""
    cause = error.__cause__
    where, outcome = str(error), ""
    if isinstance(cause, AssertionError):
        what, _, outcome = str(cause).partition(": ")
        where = where.partition(f": {what}")[0]
    else:
        what = f"{described(cause or error)} comes out, which is no error of urlschemes"
    return failed(
        f"a fault is not borne: {what}",
        "raise an error of urlschemes.errors, and Truncated where less came than was promised",
        *filter(None, (where, outcome)),
    )


def _faults(make: Callable[[], Algorithm[None]], dialogue: Dialogue, *, ends_by_closing: bool) -> int:
    from urlschemes_testing.replay import fault_everywhere

    return len(fault_everywhere(make, dialogue, also=_farewells(dialogue), ends_by_closing=ends_by_closing))


def _in_pieces(dialogue: Dialogue) -> Dialogue:
    """The same, with the server's words in more messages: a fault then comes between two of its lines, too."""
    from dataclasses import replace

    from urlschemes_testing.replay import Dialogue, steps

    datagrams = {step.on for step in dialogue if isinstance(step, steps.Connect) and step.transport == "udp"}
    made: list[steps.Step] = []
    pieces = 0
    for step in dialogue:
        if not isinstance(step, steps.Server) or step.on in datagrams:
            made.append(step)
            continue
        lines = step.octets.splitlines(keepends=True)
        cut = [*lines[:PIECES], b"".join(lines[PIECES:])] if pieces < PIECES else [step.octets]
        pieces += len(cut)
        cut[-1:] = [cut[-1][:-1], cut[-1][-1:]]
        made += [replace(step, octets=piece) for piece in cut if piece]
    return Dialogue(*made)


def _farewells(dialogue: Dialogue) -> list[bytes]:
    """The last that is said on each connection on which something was said before: what a client may part with."""
    from urlschemes_testing.replay import steps

    said: dict[str, list[bytes]] = {}
    for step in dialogue:
        if isinstance(step, steps.Client):
            said.setdefault(step.on, []).append(step.octets)
    return [words[-1] for words in said.values() if len(words) > 1]


def _ends_by_closing(dialogue: Dialogue) -> bool:
    """Whether the client heard the end of a connection although nothing went wrong: it may be what marks the end."""
    from urlschemes_testing.replay import steps

    return any(isinstance(step, steps.ServerCloses) for step in dialogue)


def _heard(dialogue: Dialogue) -> int:
    from urlschemes_testing.replay import steps

    return sum(len(step.octets) for step in dialogue if isinstance(step, steps.Server | steps.OnDisk))


def _quick(subject: Subject) -> Shown:
    """The demonstration, where its algorithm can be run many times. Raises Missing."""
    shown = subject.shown
    if subject.pause > PAUSE:
        raise Missing("the algorithm takes too long to be run many times: see the check deadline")
    return shown


def _replayed(subject: Subject) -> Shown:
    """The demonstration, where it can be replayed. Raises Missing."""
    shown = _quick(subject)
    if replayed(subject).outcome != "passed":
        raise Missing("the dialogue cannot be told again: see the check replayed")
    return shown
