"""Messages about hosts (RFC 3986 section 3.2.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.errors import InvalidURL, PluginError
from urlschemes.grammar.derivation import expected_words
from urlschemes.url.fault_messages import HINTS, FaultMessage, choices, is_like_ipv6, missing_host_hint, quoted_text
from urlschemes_rfc3986 import profile
from urlschemes_rfc3986.domain_names import MAX_CHARACTERS

if TYPE_CHECKING:
    from urlschemes.grammar.profile import Authority
    from urlschemes.url.fault_place import Fault

__all__ = ["host_message", "illegal_host_hint"]

_IPV6_FORM = "eight groups of up to four hexadecimal digits, or `::` for groups that are zero"
_KINDS = "a name, an IPv4 address, or an IPv6 address in brackets"
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
        hint = "leave out the second port; an IPv6 address is written in brackets"
        hint = profile.address_hint if _is_address(fault, host) else hint
        return _message(fault, problem, hint, ('"["',))
    if fault.code == "empty-host":
        problem = f"missing host at position {fault.place().position}: expected {_KINDS}"
        return _message(fault, problem, missing_host_hint(fault.syntax, fault.text, authority, _KINDS), (_KINDS,))
    character = fault.text[fault.at : fault.at + 1]
    if character and fault.at == authority.end and fault.state.taken("/"):
        return _message(fault, f'{fault.place().subject()}: expected "/"', "write a `/` after the host", ('"/"',))
    expected = expected_words(fault.syntax, fault.state.expected)
    return _message(fault, f"{fault.place().subject('host')}: {choices(expected)}", profile.host_hint, expected)


def illegal_host_hint(text: str, authority: Authority, position: int) -> str | None:
    """Return the hint about a character of a host that no URL may hold."""
    host = text[authority.host : authority.colon]
    if host.startswith("["):
        return HINTS["zone"] if text[position] == "%" else "leave it out"
    if text[position].isspace():
        return "remove the white space"
    if text[position].isascii() or "%" in host or len(host) > MAX_CHARACTERS:  # a domain name has no escapes
        return profile.host_hint
    from urlschemes_rfc3986.iri import from_unicode  # late: it knows the messages
    from urlschemes_rfc3986.references import RelativeReference

    try:
        return f"write {from_unicode(f'//{host}', RelativeReference, uts46=True)[2:]}, as `urlschemes unicode` does"
    except PluginError as error:
        return f"write the name in US-ASCII, as `fix` does with the library idna: {error.hint}"
    except InvalidURL as error:
        blamed = f"//{host}"[slice(*error.span or (0, 0))]
        if len(blamed) == 1:
            return f"IDNA 2008 lets no domain name hold {quoted_text(blamed)}"
        return f"no domain name has this form: {error.message.rpartition(': ')[2]}"


def _address_message(fault: Fault, start: int, end: int) -> FaultMessage:
    """Return the message about `fault`, which is between the brackets from `start` to `end`, or after them."""
    written, position = fault.text[start:end], fault.at
    if not written.endswith("]"):
        place = fault.place(start, end)
        problem = f"unclosed bracket in {quoted_text(place.run)} at position {place.position}: expected ']'"
        is_name = written.count(":") < 2 and written[1:2] != ":"
        hint = _NO_BRACKETS if is_name else f"an IPv6 address has {_IPV6_FORM}, and a `]` after them"
        hint = "write a `]` after the address" if _is_address(fault, written[1:]) else hint
        return _message(fault, problem, hint, ('"]"',))
    if position >= end:
        expected = expected_words(fault.syntax, fault.state.expected)
        problem = f"{fault.place().subject()}: {choices(expected)}"
        is_port = fault.text[position : position + 1].isdecimal() and fault.state.taken(":")
        return _message(fault, problem, "write a colon before the port" if is_port else None, expected)
    zone = start + written.find("%")
    if start <= zone <= position:
        place = fault.place(zone, end - 1)
        problem = f"unexpected zone {quoted_text(place.run)} at position {place.position}: expected ']'"
        return _message(fault, problem, HINTS["zone"], ('"]"',))
    if written == "[]":
        problem = f"missing address at position {fault.place().position}: expected an IPv6 address"
        return _message(fault, problem, None, ("an IPv6 address",), "IPv6address")
    return _inside(fault, start + 1, end - 1)


def _is_address(fault: Fault, text: str) -> bool:
    """Return True if `text` is an IPv6 address without brackets, perhaps with a port."""
    return any(fault.syntax.derives("host", f"[{each}]") for each in (text, text.rpartition(":")[0]))


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
