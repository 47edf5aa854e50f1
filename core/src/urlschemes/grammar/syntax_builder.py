"""The checks of the rules and parts of a syntax, and its automaton with the exclusions.

Every mistake in the rules of a scheme is found here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from urlschemes.errors import GrammarError
from urlschemes.grammar.automaton import Automaton, bits, union
from urlschemes.grammar.bnf import Grammar, Literal, Node, Reference, Repeat, Rule, Sequence, together
from urlschemes.grammar.octets import ESCAPE, mask
from urlschemes.grammar.part import Division, Held, Part
from urlschemes.grammar.profile import Profile
from urlschemes.grammar.rule_tree import expand, octets_held

_PERCENT, _HASH = 1 << ord("%"), 1 << ord("#")

_NUMBERS = {"number": re.compile("0"), "decimal": re.compile(r"-?0(?:\.0)?")}
"""The texts of numbers, with each run of digits written as one zero."""
_LONGEST = len("-0.0")


def marks_and_divisions(grammar: Grammar, parts: Mapping[str, Part]) -> dict[str, tuple[str, Division | None]]:
    """Return the mark and the division of each part. Raises GrammarError if the rules have none."""
    found: dict[str, tuple[str, Division | None]] = {}
    by_place: dict[tuple[tuple[str, ...], ...], str] = {}
    shared: dict[str, list[str]] = {}
    for part in parts.values():
        shared.setdefault(by_place.setdefault(part.at, part.name), []).append(part.name)
    for mark, names in shared.items():
        takes = sorted(parts[name].take for name in names)
        if len(names) > 1 and (takes != ["all but the last", "last"] or len({parts[n].element for n in names}) > 1):
            raise GrammarError(
                f"the parts {' and '.join(names)} have the same occurrence: two parts can only share a list, "
                "as its last element and all but the last",
                rule=parts[mark].at[0][-1],
            )
        # A part that is a share of a list has a mark of another name, so that the whole is not mistaken for it.
        own = mark if takes == ["all"] else "__".join([*names, "list"])
        for name in names:
            rule, element = parts[name].at[0][-1], parts[name].element
            divided = None if element is None else division(grammar, rule, element, name)
            # What is only a share of a list has its last element, be it empty.
            found[name] = own, divided and divided._replace(optional=divided.optional and parts[name].take == "all")
    return found


def division(grammar: Grammar, rule: str, element: str, part: str) -> Division:
    """Return the division of the list `part`, which derives from `rule`, into elements of the rule `element`.

    Raises GrammarError if the rules have neither form, or divide a list in two ways.
    """
    rules = grammar.rules
    node, inner = (rules[name].node if name in rules else None for name in (rule, element))
    is_optional = isinstance(node, Repeat) and (node.least, node.most) == (0, 1)
    separator, name, leading, is_one, elements = "", "", False, True, list[Node]()
    match node.item if isinstance(node, Repeat) and is_optional else node:
        case Sequence(
            items=(Reference() as first, Repeat(item=Sequence(items=(between, Reference(name=name) as again))))
        ):
            separator, elements = _literal(rules, between), [first, again]
        case Repeat(item=Sequence(items=(between, Reference(name=name) as again)), least=0, most=None):
            separator, leading, elements = _literal(rules, between), True, [again]
        case Repeat(item=Reference(name=name), least=0, most=None) if isinstance(inner, Sequence):
            between, *elements = inner.items
            separator, leading, inner = _literal(rules, between), True, Sequence(tuple(elements))
            is_one = len(elements) == 1 and isinstance(elements[0], Reference)
        case _:
            pass
    if inner is None:
        raise GrammarError(f"there is no rule {element!r}, of which the list part {part!r} has elements", rule=rule)
    equals, names = _equals(rules, inner)
    is_pair = equals != "" and (leading or element in map(str, elements[:1]))
    if not separator or name != element or (equals and not is_pair) or not (is_one or is_pair):
        raise GrammarError(
            f'the list part {part!r} must be a rule of the form `{element} *( "/" {element} )`, '
            f'or `*( ";" {element} )`; with `{element} = name [ "=" value ]`, its elements are pairs',
            rule=rule if rule in rules else None,
            hint="write the list as a rule of its own",
        )
    for text, nodes in ((separator, elements), (equals, names)):
        for each in nodes:
            if octets_held(expand(grammar, each, (), {}, rule))[0] & mask(text):
                problem = f"the list part {part!r} is ambiguous: {each} may hold {text!r}, which ends it"
                raise GrammarError(problem, rule=rule, hint=f"let {each} hold {text!r} only encoded")
    return Division(separator, equals, leading=leading, optional=is_optional)


def _equals(rules: Mapping[str, Rule], node: Node | None) -> tuple[str, list[Node]]:
    """Return what stands between the name and the value of a pair, and the name; nothing for a node that is no pair."""
    match node:
        case Sequence(items=(Reference() as name, Repeat(item=Sequence(items=items), least=0, most=1))):
            items = name, *items
        case Sequence(items=(Reference() as name, *_) as items):
            pass
        case _:
            return "", []
    is_pair = len(items) == len("n=v") and isinstance(items[-1], Reference) and (equals := _literal(rules, items[1]))
    return (equals, [name]) if is_pair else ("", [])


def _literal(rules: Mapping[str, Rule], node: Node) -> str:
    """Return the literal that `node` is, perhaps by the name of a rule, if it can be written in one way only."""
    if isinstance(node, Reference) and node.name in rules:
        node = rules[node.name].node
    text = node.text if isinstance(node, Literal) else ""
    return text if text.lower() == text.upper() and "%" not in text else ""


def automaton_of(
    grammar: Grammar, rule: str, parts: Mapping[str, Part], profile: Profile, shared: Grammar
) -> Automaton:
    """Return the automaton of the rules with the exclusions; `shared` are those that the record does not define.

    Raises GrammarError for rules that are not those of URLs.
    """
    exclude: dict[str, frozenset[int]] = {}
    for part in parts.values():
        exclude[part.mark] = exclude.get(part.mark, frozenset()) | part.exclude
    automaton = Automaton(expand(grammar, Reference(rule), parts.values(), exclude))
    found = *_illegal(grammar, profile, shared, automaton), *_mistakes(grammar, rule, parts, profile, automaton)
    if mistakes := {each.message: each for each in found}:
        raise together([*mistakes.values()])
    return automaton


def _illegal(grammar: Grammar, profile: Profile, shared: Grammar, automaton: Automaton) -> Iterator[GrammarError]:
    """Yield an error for each rule of the record that derives what no URL holds."""
    legal, escapes = mask(profile.characters + "%"), union(escape.first for escape in automaton.escapes)
    outside = union(1 << n for n, leaf in enumerate(automaton.leaves) if "fragment" not in leaf.path)
    rules, used = grammar.rules, shared.rules.keys() - profile.grammar.rules.keys()
    for leaf, after in zip(automaton.leaves, automaton.follow, strict=True):
        if illegal := leaf.mask & ~legal:
            more = f" and {illegal.bit_count() - 1} more" if illegal & illegal - 1 else ""
            problem = f"{chr(next(bits(illegal)))!a}{more}, which no URL may hold"
            hint = f"use the characters of {profile.section('characters')}, and encode all others"
        elif leaf.mask & _PERCENT and not leaf.inside & escapes:
            problem = "a percent sign that begins no escape"
            hint = f'write an escape as the rule `{profile.rule_names["escape"]}`, or as "%" and two hexadecimal digits'
        # RFC 3966, which records use, has a `#` in telephone numbers.
        elif leaf.mask & _HASH and used.isdisjoint(leaf.path) and (leaf.mask != _HASH or after & outside):
            problem, hint = "'#', which begins the fragment", 'write %23, or end the URL with `[ "#" fragment ]`'
        else:
            continue
        own = (name for name in reversed(leaf.path) if name in rules and rules[name].line)
        rule = next((name for name in own if rules[name] is not shared.rules.get(name)), leaf.path[-1])
        yield GrammarError(f"rule {rule!r} has {problem}", rule=rule, hint=hint)


def _mistakes(
    grammar: Grammar, rule: str, parts: Mapping[str, Part], profile: Profile, automaton: Automaton
) -> Iterator[GrammarError]:
    """Yield an error for each part without occurrence or value."""
    for part in parts.values():
        if any(marked.mark == part.mark for marked in automaton.marked):
            held = held_by(part, automaton, grammar)
            yield from _mistakes_of_values(part, automaton, held, profile)
            yield from _escapes_that_end(part, automaton, held)
        else:
            names = dict.fromkeys(name for leaf in automaton.leaves for name in leaf.path if name in grammar.rules)
            hint = f"a URL has these rules: {', '.join(each for each in names if each not in profile.character_sets)}"
            problem = f"no occurrence of {'/'.join(part.at[0])!r} for the part {part.name!r}"
            yield GrammarError(problem, rule=rule, hint=hint)


def held_by(part: Part, automaton: Automaton, grammar: Grammar) -> Held:
    """Return the octets that a part may hold, and the rule that it derives from."""
    found = [marked for marked in automaton.marked if marked.mark == part.mark]
    written = [octets_held(marked.item) for marked in found]
    separator = part.division.octets if part.division else frozenset[int]()
    return Held(
        part.element or next((marked.rule for marked in found if marked.rule in grammar.rules), found[0].rule),
        frozenset(octet for bare, _ in written for octet in bits(bare)) - separator,
        frozenset[int]().union(*(escapes for _, escapes in written)),
    )


def _mistakes_of_values(part: Part, automaton: Automaton, held: Held, profile: Profile) -> Iterator[GrammarError]:
    """Yield an error if a text of the part would have no value, or a value no text."""
    if part.name == "host" and held.escapes and not profile.escapes_in_host:
        hint = f"use the rule `{profile.host_rules[0]}`"
        yield GrammarError("the host must not have escapes", rule=held.rule, hint=hint)
    if part.number and part.element is not None:
        hint = "leave out `number`, and let a property of the type convert the elements"
        yield GrammarError(f"the part {part.name!r} is a list, and cannot be a number", rule=held.rule, hint=hint)
    elif part.number and not _is_number(part, part.kind, automaton):
        digits = f"1*{profile.rule_names['digit']}"
        wanted, hint = {
            "number": ("one or more digits", f"write it as `{digits}`"),
            "decimal": ("decimal numbers", f'write it as `[ "-" ] {digits} [ "." {digits} ]`, or less'),
        }[part.kind]
        literals = (automaton.leaves[position].literal or "" for position in bits(automaton.inside(part.mark)))
        if word := next((each for each in literals if re.search("[^0-9.-]", each)), ""):
            hint = f'the rule also has "{word}": give the number its own rule'
        elif _is_number(part, "decimal", automaton):
            hint = 'write `number = "decimal"` for numbers with a sign or a fraction'
        problem = f"the part {part.name!r} is {part.described}, and its rule must derive {wanted}"
        yield GrammarError(problem, rule=held.rule, hint=hint)


def _is_number(part: Part, kind: str, automaton: Automaton) -> bool:
    """Return True if all texts of the part are numbers of that kind."""
    marked = [each for each in automaton.marked if each.mark == part.mark]
    inside, last = automaton.inside(part.mark), union(each.last for each in marked)
    reached = dict.fromkeys((position, "") for position in bits(automaton.beginning(part.mark)))
    ahead = [*reached]
    for position, before in ahead:
        for code in bits(automaton.leaves[position].mask):
            text = re.sub("[0-9]+", "0", before + chr(code))
            if len(text) > _LONGEST or (last >> position & 1 and _NUMBERS[kind].fullmatch(text) is None):
                return False
            new = [(each, text) for each in bits(automaton.follow[position] & inside)]
            ahead += [each for each in new if each not in reached]
            reached.update(dict.fromkeys(new))
    return not any(each.nullable for each in marked)


def _escapes_that_end(part: Part, automaton: Automaton, held: Held) -> Iterator[GrammarError]:
    """Yield an error for each escape that the part may hold, and that may also follow it as a literal."""
    found = set[str]()
    for marked in (each for each in automaton.marked if each.mark == part.mark):
        before = automaton.preceding(marked.first) if marked.nullable else 0
        for position in bits(marked.last | before):
            goes_on = automaton.characters(automaton.follow[position] & marked.inside) & _PERCENT
            after = (automaton.leaves[each] for each in bits(automaton.follow[position] & ~marked.inside))
            found |= {leaf.literal for leaf in after if goes_on and leaf.literal and ESCAPE.fullmatch(leaf.literal)}
    for escape in sorted(found):
        if int(escape[1:], 16) in held.escapes:
            problem = f'the part {part.name!r} may hold the escape "{escape}", and the same escape may follow it'
            hint = f'write `exclude = ["{escape[1:]}"]` in the table of the part'
            yield GrammarError(problem, rule=held.rule, hint=hint)
