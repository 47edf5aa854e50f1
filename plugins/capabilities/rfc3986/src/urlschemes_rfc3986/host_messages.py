"""Messages about hosts (RFC 3986 section 3.2.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.grammar.derivation import expected_words
from urlschemes.url.fault_messages import FaultMessage, choices, quoted_text
from urlschemes_rfc3986 import profile

if TYPE_CHECKING:
    from urlschemes.url.fault_place import Authority, Fault

__all__ = ["host_message"]

_ADDRESS = "an IPv6 address has eight groups of up to four hexadecimal digits, or `::` for groups that are zero"
_KINDS = "a name, an IPv4 address, or an IPv6 address in brackets"


def host_message(fault: Fault, authority: Authority) -> FaultMessage:
    """Return the message about `fault`, which is in the host of `authority`."""
    text, position = fault.text, fault.position
    host = text[authority.host : authority.end]
    character = text[position : position + 1]
    if fault.code == "empty-host":
        problem = f"missing host at position {fault.place().position}: expected {_KINDS}"
        return _message(fault, problem, f"write {_KINDS} after `//`", (_KINDS,))
    if host.startswith("["):
        end = authority.host + (host.find("]") + 1 or len(host))
        return _address_message(fault, authority.host, end)
    if host.count(":") > 1 and not host.rpartition(":")[0].strip("0123456789ABCDEFabcdef:."):
        place = fault.place(authority.host, authority.end)
        problem = f"invalid host {quoted_text(place.run)} at position {place.position}: expected {_KINDS}"
        return _message(fault, problem, "write brackets around an IPv6 address", ('"["',))
    expected = expected_words(fault.syntax, fault.state.expected)
    hint = profile.host_hint if character else None
    return _message(fault, f"{fault.place().subject('host')}: {choices(expected)}", hint, expected)


def _address_message(fault: Fault, start: int, end: int) -> FaultMessage:
    """Return the message about `fault`, which is in the brackets from `start` to `end`."""
    text, position, rule = fault.text, fault.position, "IP-literal"
    address = text[start:end]
    expected = expected_words(fault.syntax, fault.state.expected)
    if "%" in address:
        zone = start + address.index("%")
        place = fault.place(zone, max(end - 1, zone + 1))
        problem = f"unexpected zone {quoted_text(place.run)} at position {place.position}: expected ']'"
        return _message(fault, problem, "leave out the zone: it means something on this machine alone", ('"]"',), rule)
    if not address.endswith("]") and position == end:
        problem = f"unclosed bracket of the host at position {fault.place(start, start + 1).position}: expected ']'"
        return _message(fault, problem, "write a `]` behind the address", ('"]"',), rule)
    problem = f"{fault.place().subject('host')}: {choices(expected)}"
    return _message(fault, problem, _ADDRESS, expected, "IPv6address")


def _message(
    fault: Fault, problem: str, hint: str | None, expected: tuple[str, ...], rule: str | None = None
) -> FaultMessage:
    return FaultMessage(problem, "host", rule or fault.syntax.parts["host"].rule, expected, hint)
