"""Messages about hosts (RFC 3986 section 3.2.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.grammar.derivation import expected_words
from urlschemes.url.fault_messages import HINTS, FaultMessage, choices, is_like_ipv6, quoted_text
from urlschemes_rfc3986 import profile

if TYPE_CHECKING:
    from urlschemes.grammar.profile import Authority
    from urlschemes.url.fault_place import Fault

__all__ = ["BRACKETS_HINT", "host_message"]

_IPV6_FORM = "eight groups of up to four hexadecimal digits, or `::` for groups that are zero"
_KINDS = "a name, an IPv4 address, or an IPv6 address in brackets"
BRACKETS_HINT = "write brackets around an IPv6 address"
_NO_BRACKETS = "leave out the brackets: they are for IPv6 addresses only"


def host_message(fault: Fault, authority: Authority) -> FaultMessage:
    """Return the message about `fault`, which is in the host of `authority`."""
    host = fault.text[authority.host : authority.end]
    if host.startswith("["):
        end = authority.host + (host.find("]") + 1 or len(host))
        return _address_message(fault, authority.host, end)
    if is_like_ipv6(host):
        place = fault.place(authority.host, authority.end)
        problem = f"invalid host {quoted_text(place.run)} at position {place.position}: expected {_KINDS}"
        is_address = "::" in host or host.count(":") >= 7
        hint = BRACKETS_HINT if is_address else "leave out the second port; an IPv6 address is written in brackets"
        return _message(fault, problem, hint, ('"["',))
    if fault.code == "empty-host":
        problem = f"missing host at position {fault.place().position}: expected {_KINDS}"
        return _message(fault, problem, f"write {_KINDS} after `//`", (_KINDS,))
    character = fault.text[fault.at : fault.at + 1]
    if character and fault.at == authority.end and fault.state.taken("/"):
        return _message(fault, f'{fault.place().subject()}: expected "/"', "write a `/` after the host", ('"/"',))
    expected = expected_words(fault.syntax, fault.state.expected)
    return _message(fault, f"{fault.place().subject('host')}: {choices(expected)}", profile.host_hint, expected)


def _address_message(fault: Fault, start: int, end: int) -> FaultMessage:
    """Return the message about `fault`, which is between the brackets from `start` to `end`, or after them."""
    written, position = fault.text[start:end], fault.at
    if not written.endswith("]"):
        place = fault.place(start, end)
        problem = f"unclosed bracket in {quoted_text(place.run)} at position {place.position}: expected ']'"
        hint = "write a `]` after the address" if is_like_ipv6(written[1:]) else _NO_BRACKETS
        return _message(fault, problem, hint, ('"]"',))
    if position >= end:
        expected = expected_words(fault.syntax, fault.state.expected)
        problem = f"{fault.place().subject()}: {choices(expected)}"
        is_digit = fault.text[position : position + 1].isdecimal()
        return _message(fault, problem, "write a colon before the port" if is_digit else None, expected)
    zone = start + written.find("%")
    if start <= zone <= position:
        place = fault.place(zone, end - 1)
        problem = f"unexpected zone {quoted_text(place.run)} at position {place.position}: expected ']'"
        return _message(fault, problem, HINTS["zone"], ('"]"',))
    if written == "[]":
        problem = f"missing address at position {fault.place().position}: expected an IPv6 address"
        return _message(fault, problem, None, ("an IPv6 address",), "IPv6address")
    return _inside(fault, start + 1, end - 1)


def _inside(fault: Fault, start: int, end: int) -> FaultMessage:
    """Return the message about `fault`, which is in an address between brackets, from `start` to `end`."""
    address, hint = fault.text[start:end], None
    is_future = address[0] in "vV"
    expected = "a version, a dot, and an address" if is_future else _IPV6_FORM
    if ":" not in address and not is_future:
        hint = _NO_BRACKETS
    elif "." in address and not is_future:
        hint = "an IPv4 address at the end is four numbers from 0 to 255, without leading zeros"
    place = fault.place()
    problem = place.subject("host")
    if fault.at >= end or "." in address or is_future:  # the fault is rarely that character
        place = fault.place(start, end)
        problem = f"invalid address {quoted_text(place.run)} at position {place.position}"
    rule = "IPvFuture" if is_future else "IPv6address"
    return _message(fault, f"{problem}: expected {expected}", hint, (expected,), rule)


def _message(
    fault: Fault, problem: str, hint: str | None, expected: tuple[str, ...], rule: str | None = None
) -> FaultMessage:
    return FaultMessage(problem, "host", rule or fault.syntax.parts["host"].rule, expected, hint)
