"""Messages about hosts of the rule `host` (RFC 1738 section 3.1).

A host of another rule is described as any other part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from unicodedata import category

from urlschemes.grammar.automaton import bits
from urlschemes.grammar.derivation import expected_words, listed
from urlschemes.grammar.profile import Authority
from urlschemes.rfc1738 import RFC1738
from urlschemes.url.fault_messages import FaultMessage, choices, is_like_ipv6, missing_host_hint, quoted_text

if TYPE_CHECKING:
    from urlschemes.url.fault_place import Fault

_RULES = {
    "hostname": "a domain name",
    "hostnumber": "four groups of digits",
    "domainlabel": "labels of a host do not {} with a hyphen",
    "toplabel": "the last label of a {} begins with a letter",
}
"""The descriptions of the rules that a host derives from, in messages."""


def host_message(fault: Fault, authority: Authority) -> FaultMessage:
    """Return the message about `fault`, which is in the host of `authority`."""
    text, position, state = fault.text, fault.at, fault.state
    start, end = authority.host, authority.colon
    character = text[position : authority.end][:1]
    leaves = fault.syntax.automaton.leaves
    forms = {rule for each in bits(fault.state_before(start).expected) for rule in leaves[each].path}
    expected = listed(tuple(_RULES[rule] for rule in ("hostname", "hostnumber") if rule in forms))
    if is_like_ipv6(text[start : authority.end]):
        problem = f"{_quoted(fault, 'host', start, authority.end)}: expected {expected}"
        return _host_fault(fault, problem, "hostnumber", RFC1738.address_hint, ("a host",))
    if fault.code == "empty-host":
        problem = f"missing host at position {fault.place().position}: expected {expected}"
        return _host_fault(fault, problem, hint=missing_host_hint(fault.syntax, text, authority, expected))
    if character == ":" and state.taken("/"):
        port = " and the port" if text[position + 1 : authority.end].isdecimal() else ""
        place = fault.place(position, authority.end if port else None)
        problem = f'unexpected port at position {place.position}: expected "/"'
        return _host_fault(fault, problem, hint=f"leave out the colon{port}", expected=('"/"',))
    if character and character in RFC1738.reserved and position > start and state.taken("/"):
        hint = "write a `/` after the host" if state.taken(f"/{character}") else "leave out the text after the host"
        problem = f'{fault.place().subject()}: expected "/"'
        return _host_fault(fault, problem, fault.syntax.rule, hint, ('"/"',))
    return _domain_name(fault, start, text[start:end])


def illegal_host_hint(text: str, _: Authority, position: int) -> str | None:
    """Return the hint about a character of a host that no URL may hold."""
    if text[position].isspace():
        return "remove the white space"
    if text[position].isascii():
        return RFC1738.address_hint if text[position] == "[" else None
    if category(text[position])[0] not in "LMN":  # RFC 5892 section 2.1
        return f"leave it out: IDNA 2008 lets no domain name hold {text[position]!r}"
    return "write the name in its US-ASCII form, if it has one: labels that begin with xn--"


def _domain_name(fault: Fault, start: int, host: str) -> FaultMessage:
    """Return the message about `fault`, which is in a label of the `host` from `start` on or between two labels."""
    syntax, position, state, place = fault.syntax, fault.at, fault.state, fault.place()
    leaves = list(enumerate(syntax.automaton.leaves))
    inside = {rule: sum(1 << each for each, leaf in leaves if rule in leaf.path) for rule in _RULES}
    (dot,) = {leaf.literal for _, leaf in leaves if leaf.path[-1] == "hostname" and leaf.literal}
    held = {rule: syntax.automaton.characters(positions) for rule, positions in inside.items()}
    index = position - start
    character = host[index : index + 1]
    first, last = host.rfind(dot, 0, index) + 1, (host + dot).find(dot, index)
    rule = "domainlabel" if dot in host[index:] else "toplabel"
    in_label = state.expected & (inside["domainlabel"] | inside["toplabel"])
    is_first_of_label = not state.reached & (inside["domainlabel"] | inside["toplabel"])
    if character == "%":
        problem = f"{place.subject('host')}: a host has no escapes"
        is_meant = state.taken(chr(int(host[index + 1 : index + 3], 16)))
        return _host_fault(fault, problem, hint="write the character itself" if is_meant else RFC1738.host_hint)
    if character == "," and state.taken(dot):
        problem = f'{place.subject("host")}: expected "{dot}"'
        return _host_fault(fault, problem, "hostname", "the labels of a domain name are separated by dots")
    if character and not held["hostname"] >> ord(character) & 1:
        return _host_fault(fault, f"{place.subject('host')}: {choices(expected_words(syntax, in_label))}", rule)
    if is_first_of_label and character == dot:
        expected = choices(expected_words(syntax, in_label))
        problem = f"empty label in the host at position {place.position}: {expected}"
        return _host_fault(fault, problem, "hostname", "leave out one of the dots")
    if is_first_of_label and not character:
        place = fault.place(position - 1, position)
        problem = f"unexpected {quoted_text(place.run)} at position {place.position}: expected the end of the host"
        return _host_fault(fault, problem, "hostname", "leave out the dot at the end", ("the end of the host",))
    if all(held["hostnumber"] >> ord(each) & 1 for each in host):
        words = _RULES["hostnumber"]
        quoted = _quoted(fault, "host", start, start + len(host))
        hint = f"an address is {words}; {_RULES['toplabel'].format('domain name')}"
        problem = f"{quoted}: expected {words}, not {len(host.split(dot))}"
        return _host_fault(fault, problem, "hostnumber", hint)
    quoted = _quoted(fault, "label", start + first, start + last)
    if is_first_of_label or not state.taken(dot):
        verb = "begin" if is_first_of_label else "end"
        return _host_fault(fault, f"{quoted}: {_RULES['domainlabel'].format(verb)}", rule)
    return _host_fault(fault, f"{quoted}: {_RULES['toplabel'].format('host')}", "toplabel")


def _host_fault(
    fault: Fault, problem: str, rule: str = "host", hint: str = RFC1738.host_hint, expected: tuple[str, ...] = ()
) -> FaultMessage:
    words = expected or expected_words(fault.syntax, fault.state.expected)
    return FaultMessage(problem, part="host", rule=rule, hint=hint, expected=words)


def _quoted(fault: Fault, what: str, start: int, end: int) -> str:
    """Blame the text from `start` to `end`; return the beginning of the message: "invalid host '1.2' at position 7"."""
    place = fault.place(start, end)
    return f"invalid {what} {quoted_text(place.run)} at position {place.position}"
