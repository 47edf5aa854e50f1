"""The places of parts and hosts in a URL, and the characters that delimit a part."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import groupby

from urlschemes.grammar.automaton import State, bits, union
from urlschemes.grammar.bnf import Choice, Literal, Node, Reference, Repeat, Sequence
from urlschemes.grammar.octets import mask
from urlschemes.grammar.syntax import Syntax
from urlschemes.url.fault_place import first_state


def host_positions(syntax: Syntax) -> int:
    """Return the positions of the automaton in hosts, also in hosts within a part, as in an article of news."""
    return union(iter((*_host_rules(syntax).values(), syntax.automaton.inside("host"))))


@lru_cache(maxsize=32)
def _host_rules(syntax: Syntax) -> dict[str, int]:
    """Return the profile's rules of hosts, each with the positions of the automaton that derive from it."""
    leaves = list(enumerate(syntax.automaton.leaves))
    found = {rule: sum(1 << each for each, leaf in leaves if rule in leaf.path) for rule in syntax.host_rules}
    return {rule: positions for rule, positions in found.items() if positions}


def hosts(syntax: Syntax, text: str) -> list[tuple[int, int, str]]:
    """Return the place of each host in the URL `text`, also of one within a part, and the section of its rule."""
    inside = _host_rules(syntax)
    rule_at = cache(lambda positions: next((rule for rule in inside if not positions & ~inside[rule]), ""))
    rules = map(rule_at, derivation(text, first_state(syntax, text)) if inside else ())
    runs = ([*run] for is_host, run in groupby(enumerate(rules), lambda place: place[1] != "") if is_host)
    return [(run[0][0], run[-1][0] + 1, syntax.section_of(run[0][1])) for run in runs]


def derivation(text: str, state: State) -> list[int]:
    """Return for each character of `text` the positions that it stands at in a derivation of the whole text.

    `state` is the first state, and `text` can be derived.
    """
    automaton, sets, here = state.automaton, list[int](), 0
    before = cache(lambda reached, ahead: sum(1 << each for each in bits(reached) if automaton.follow[each] & ahead))
    for character in text:
        state = state.step(character) or state
        sets.append(state.reached)
    for index, reached in reversed([*enumerate(sets)]):
        sets[index] = here = before(reached, here) if here else reached & automaton.tree.last
    return sets


def delimiters(syntax: Syntax, name: str) -> frozenset[str]:
    """Return the reserved characters that have a meaning of their own in the part `name` unless they are encoded.

    They are literals of the rule of the part, or come after the part. In a user name, a password and a host they are
    those of an authority. A part that is decoded before it is read, as in mailto, has none.
    """
    part, automaton = syntax.parts[name], syntax.automaton
    decoded = [each.mark for each in syntax.parts.values() if each.decoded]
    if not part.escapes or part.decoded or any(part.mark in syntax.within(mark) for mark in decoded):
        return frozenset()
    if name in {"user", "password", "host"}:
        return frozenset(syntax.profile.login_delimiters)
    last = union(marked.last for marked in automaton.marked if marked.mark == part.mark)
    behind = bits(automaton.following(last) & ~automaton.inside(part.mark))
    reserved = mask(syntax.profile.reserved)
    after = union(automaton.leaves[each].mask for each in behind if not automaton.leaves[each].mask & ~reserved)
    return frozenset(_literals(syntax, part.at[0][-1])).union(map(chr, bits(after)))


def _literals(syntax: Syntax, rule: str) -> set[str]:
    """Return the reserved characters that `rule` has as literals, not in sets of characters."""
    found: set[str] = set()
    ahead: list[Node] = [syntax.grammar.rules[rule].node] if rule in syntax.grammar.rules else []
    for node in ahead:  # grows
        match node:
            case Reference(name=name):
                ahead.append(syntax.grammar.rules[name].node)
            case Sequence(items=items) | Choice(items=items):
                found |= {each.text[:1] for each in items if isinstance(each, Literal) and isinstance(node, Sequence)}
                ahead += items
            case Repeat(item=Literal(text=text), most=1):
                found.add(text[:1])
            case Repeat(item=item):
                ahead.append(item)
            case _:  # a set of characters
                pass
    return found & frozenset(syntax.profile.reserved)


def places(syntax: Syntax, match: re.Match[str]) -> list[tuple[int, int, str]]:
    """Return the place and the name of each part of a URL that is not absent; outer parts come first."""
    spans = ((syntax.place(match, name), name) for name in syntax.parts)
    found = [(*span, name) for span, name in spans if span is not None]
    return sorted(found, key=lambda place: place[0] - place[1])


def part_at(places: list[tuple[int, int, str]], index: int) -> str | None:
    """Return the innermost part of the character at `index`; None outside of all parts."""
    return next((name for start, end, name in reversed(places) if start <= index < end), None)
