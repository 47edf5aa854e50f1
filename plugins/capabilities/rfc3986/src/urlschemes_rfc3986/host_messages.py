"""Messages about hosts (RFC 3986 section 3.2.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.grammar.derivation import expected_words
from urlschemes.url.fault_messages import FaultMessage, choices, is_like_ipv6, quoted_text
from urlschemes_rfc3986 import profile

if TYPE_CHECKING:
    from urlschemes.url.fault_place import Authority, Fault

__all__ = ["BRACKETS_HINT", "host_message"]

_GROUPS = "eight groups of up to four hexadecimal digits, or `::` for groups that are zero"
_KINDS = "a name, an IPv4 address, or an IPv6 address in brackets"
BRACKETS_HINT = "write brackets around an IPv6 address"


def host_message(fault: Fault, authority: Authority) -> FaultMessage:
    """Return the message about `fault`, which is in the host of `authority`."""
    host = fault.text[authority.host : authority.end]
    if host.startswith("["):
        end = authority.host + (host.find("]") + 1 or len(host))
        return _address_message(fault, authority.host, end)
    if is_like_ipv6(host):
        place = fault.place(authority.host, authority.end)
        problem = f"invalid host {quoted_text(place.run)} at position {place.position}: expected {_KINDS}"
        return _message(fault, problem, BRACKETS_HINT, ('"["',))
    if fault.code == "empty-host":
        problem = f"missing host at position {fault.place().position}: expected {_KINDS}"
        return _message(fault, problem, f"write {_KINDS} after `//`", (_KINDS,))
    expected = expected_words(fault.syntax, fault.state.expected)
    return _message(fault, f"{fault.place().subject('host')}: {choices(expected)}", profile.host_hint, expected)


def _address_message(fault: Fault, start: int, end: int) -> FaultMessage:
    """Return the message about `fault`, which is in the brackets from `start` to `end`."""
    address, position = fault.text[start:end], fault.position
    if "%" in address:
        zone = start + address.index("%")
        place = fault.place(zone, end - address.endswith("]"))
        problem = f"unexpected zone {quoted_text(place.run)} at position {place.position}: expected ']'"
        return _message(fault, problem, "leave out the zone: it means something on this machine alone", ('"]"',))
    if not address.endswith("]"):
        problem = f"unclosed bracket of the host at position {fault.place(start, start + 1).position}: expected ']'"
        return _message(fault, problem, "write a `]` behind the address", ('"]"',))
    if position >= end - 1:
        place = fault.place(start + 1, end - 1)
        problem = f"invalid IPv6 address {quoted_text(place.run)} at position {place.position}: expected {_GROUPS}"
        return _message(fault, problem, None, (_GROUPS,), "IPv6address")
    problem = f"{fault.place().subject('host')}: expected {_GROUPS}"
    return _message(fault, problem, None, (_GROUPS,), "IPv6address")


def _message(
    fault: Fault, problem: str, hint: str | None, expected: tuple[str, ...], rule: str | None = None
) -> FaultMessage:
    return FaultMessage(problem, "host", rule or fault.syntax.parts["host"].rule, expected, hint)
