"""Checks of the algorithm, by accessing the demonstration over sockets and replaying its recorded dialogue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.errors import PluginError, URLError
from urlschemes.redaction import described
from urlschemes_conformance.audit import opened_by, recording
from urlschemes_conformance.review.catalogue import check
from urlschemes_conformance.review.reviewed_scheme import places
from urlschemes_conformance.review.verdicts import CannotCheck, failed, passed, skipped, warned

if TYPE_CHECKING:
    from urlschemes_conformance.review.reviewed_scheme import ReviewedScheme
    from urlschemes_conformance.review.verdicts import Verdict

__all__: list[str] = []

MAX_STEP = 0.2
"""Seconds that an algorithm may compute between two requests: meanwhile no deadline can end it."""
MAX_OCTETS = 1 << 14
"""Octets of the server that are split, or cut, at each octet."""


@check("operations", "RFC 1738 section 4; RFC 7595 section 3.4")
def operations(scheme: ReviewedScheme) -> Verdict:
    """Each operation of the record has an algorithm, and each option is a parameter of one."""
    from urlschemes_access.settings import options_of  # late: the check light-import comes first, and looks for it

    scheme.require_code()
    algorithm, offered, options = scheme.scheme.algorithm, scheme.record.operations, set[str]()
    if not offered:
        return warned(
            "the record offers no operation", "offer one, or describe in the reference how the resource is found"
        )
    for operation in offered:
        try:
            options |= options_of(algorithm(operation)).keys()
        except PluginError as error:
            return failed(error.message, "write the function, or remove the operation from the record")
        except URLError as error:
            return failed(error.message, 'name the module: Scheme(registration, MyURL, access="my_package.access")')
        except Exception as error:  # noqa: BLE001  the import runs code of the plugin
            return failed(f"the algorithm of {operation} cannot be imported: {described(error)}", "correct the module")
    unknown = sorted(scheme.record.options.keys() - options)
    if unknown:
        return failed(
            f"no operation takes the option {unknown[0]}",
            "make it a keyword-only parameter of an algorithm, or remove it from the record",
        )
    try:
        demonstrated = scheme.recorded_access.operation
    except CannotCheck:
        return passed(", ".join(offered))
    others = [each for each in offered if each != demonstrated]
    if others:
        return warned(
            f"the demonstration shows {demonstrated}, but not {', '.join(others)}",
            "test the other operations with urlschemes_testing.replay",
        )
    return passed(", ".join(offered))


@check("demonstration", "RFC 1738 section 4; RFC 7595 section 3.1")
def demonstration(scheme: ReviewedScheme) -> Verdict:
    """The scheme works: the demonstration is accessed over sockets, on a server on this machine."""
    access, demo = scheme.recorded_access, scheme.target.demo
    return passed(f"{access.result}; provided by {demo.provider if demo else ''}")


@check("own-sockets", "docs/explanation/trust.md")
def own_sockets(scheme: ReviewedScheme) -> Verdict:
    """The algorithm opens no socket, file or process itself, but requests them from the backend."""
    access, target = scheme.recorded_access, scheme.target  # the first access imports what it needs
    algorithms = scheme.scheme.algorithm(access.operation).__module__
    server = target.demo.module if target.demo else ""
    packages = {each.partition(".")[0] for each in (target.claim.module, algorithms)}
    opened = opened_by(packages, "" if server in {target.claim.module, algorithms} else server)
    events: list[str] = []
    scheme.access_again(lambda: recording(opened, events))
    own = [each for each in events if each]
    if own:
        return failed(
            f"the plugin itself causes {own[0]}",
            "request it (yield from Connect, OpenFile): policy, deadline and limits apply only to requests",
            *own[1:],
        )
    return passed(f"the backend caused all {len(events)} events")


@check("deadline", "docs/explanation/trust.md")
def deadline(scheme: ReviewedScheme) -> Verdict:
    """The algorithm computes only briefly between two requests, so that the deadline can end it."""
    longest = scheme.recorded_access.retimed()
    if longest > MAX_STEP:
        return failed(
            f"it computes for {longest:.1f} s between two requests, and the deadline cannot end it meanwhile",
            "wait with Receive(peer, within=...), and compute in small pieces",
        )
    return passed(f"at most {longest * 1000:.1f} ms between two requests")


@check("replayed", "RFC 1738 section 4", after=("own-sockets", "deadline"))
def replayed(scheme: ReviewedScheme) -> Verdict:
    """Replaying the recorded dialogue without sockets has the same outcome."""
    access = scheme.recorded_access
    try:
        outcome = access.replayed()
    except AssertionError as error:
        return failed(
            "the algorithm does not send the same octets in a second run",
            "let what it sends depend only on the URL, the options and the server's octets",
            *str(error).splitlines(),
        )
    advice = "keep no state from one access to the next"
    if outcome.error is not None:
        return failed(f"the second run fails: {described(outcome.error)}", advice)
    if outcome.kind != access.kind or (access.content is not None and outcome.content != access.content):
        return failed("the second run delivers something else", advice)
    return passed(f"{len(access.script)} steps")


@check("split", "RFC 1738 section 4", after=("replayed",))
def split(scheme: ReviewedScheme) -> Verdict:
    """The outcome is the same wherever the network splits the server's octets."""
    access = scheme.recorded_access
    octets = access.server_octets
    if octets > MAX_OCTETS:
        return warned(
            f"the server sends {octets} octets, too many to split at each",
            f"demonstrate with at most {MAX_OCTETS} octets",
        )
    try:
        access.split()
    except Exception as error:  # noqa: BLE001  the algorithm may raise anything
        return failed(
            "the outcome differs if the server's octets arrive in other pieces",
            "read with urlschemes_access.protocol.Reader: one Receive may return less or more than one line",
            *(str(error).splitlines() if isinstance(error, AssertionError) else [described(error)]),
        )
    return passed(f"split at each of {octets} octets")


@check("faulted", "RFC 1738 section 4; docs/how-to/testing.md", after=("split",))
def faulted(scheme: ReviewedScheme) -> Verdict:
    """Every fault of the network or the server is an error of urlschemes, and never a partial result."""
    access = scheme.recorded_access
    if access.server_octets > MAX_OCTETS:
        return skipped(f"the server sends more than {MAX_OCTETS} octets")
    error = access.unhandled_fault(ends_by_closing=False)
    if error is None:
        return passed("every fault is an error")
    if access.closed and access.unhandled_fault(ends_by_closing=True) is None:
        if access.closed <= access.secured:
            return passed("every fault is an error; TLS authenticates the end of the content")
        return warned(
            "every fault is an error, except that closing the connection early may truncate the content unnoticed",
            "if the protocol announces the length of the content, compare it",
            *str(error).splitlines(),
        )
    cause = error.__cause__
    raised = () if cause is None or isinstance(cause, AssertionError) else (described(cause), *places(cause))
    return failed(
        "a fault is not handled correctly",
        "raise an error of urlschemes_access.errors: Truncated if less arrived than was announced",
        *str(error).splitlines(),
        *raised,
    )
