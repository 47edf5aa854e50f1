"""The syntax of one scheme: its BNF, its parts, and what follows from the two.

From the rules come the pattern that parses, the octets that each part may hold as they are, the text that parts
compose, and (in `urlschemes.url.fault_place`) the reason why a text does not derive. Results that take long to compute
are computed when they are first needed, and can be kept for other processes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from functools import cached_property
from typing import Any

from urlschemes.errors import GrammarError
from urlschemes.grammar.automaton import Automaton, bits
from urlschemes.grammar.bnf import Grammar, Rule, references
from urlschemes.grammar.composer import Composer
from urlschemes.grammar.part import DIGITS, Division, Held, Part, Raw
from urlschemes.grammar.pattern import compile_tree
from urlschemes.grammar.profile import Profile
from urlschemes.grammar.regex_compat import compiled as compile_portably
from urlschemes.grammar.syntax_builder import automaton_of, held_by, marks_and_divisions

__all__ = ["Syntax"]


class Syntax:
    """The syntax of the URLs of one scheme.

    `bnf` is the scheme's own text in the notation of the `profile`, `rule` the rule that its URLs derive from,
    `hierarchy` the rule whose `/` divide levels (None if there are none), `section` where the rules are defined that do
    not say it themselves. `slash_may_be_omitted` says that a host followed by nothing means the same as a host followed
    by `/`. `printed` is the text of rules that are rewritten here, as the specification prints them. `uses` are texts
    of more shared rules, by their files. `source` is the record that holds all this, and `line` where `bnf` begins in
    it; errors name both.

    `kept` holds results of an equal Syntax, by name and as plain data; `keep` is called with all of them when there is
    a new one that takes long to compute. The rules are read and checked at once, unless there are such results.
    Raises GrammarError for mistakes in them; rules that no pattern can be made of are an error when it is needed.
    """

    def __init__(
        self,
        bnf: str,
        rule: str,
        parts: Iterable[Part] = (),
        *,
        hierarchy: str | None = None,
        section: str = "",
        profile: Profile,
        printed: str = "",
        uses: Mapping[str, str] | None = None,
        slash_may_be_omitted: bool = False,
        source: str = "",
        line: int = 1,
        kept: Mapping[str, Any] | None = None,
        keep: Callable[[dict[str, Any]], object] | None = None,
    ) -> None:
        self.bnf = bnf
        self.rule = rule
        self.section = section
        self.profile = profile
        self.printed = printed
        self.uses = dict(uses or {})
        self.hierarchy = hierarchy
        self.slash_may_be_omitted = slash_may_be_omitted
        self.source = source
        self.line = line
        self._kept = dict(kept or {})
        self._keep = keep
        self.parts: Mapping[str, Part] = {part.name: copy(part) for part in parts}
        self.as_written = tuple(name for name, part in self.parts.items() if part.as_written)
        self.groups: dict[str, tuple[str, ...]] = {}
        self._made: dict[str, Any] = {}
        self._numbers = tuple(name for name, part in self.parts.items() if part.kind == "number")
        if "parts" not in self._kept:
            with self._located_errors():
                self._kept["parts"] = marks_and_divisions(self.grammar, self.parts)
        for name, (mark, division) in self._kept["parts"].items():
            part = self.parts[name]
            part.holds, part.mark, part.division = lambda n: self.held[n], mark, division and Division(*division)

    def __repr__(self) -> str:
        return f"<Syntax {self.rule}: {', '.join(self.parts) or 'no parts'}>"

    @contextmanager
    def _located_errors(self) -> Iterator[None]:
        """Let a GrammarError name the record, the field and the line."""
        try:
            yield
        except GrammarError as error:
            if error.source or not self.source:
                raise
            shared = self.shared.rules
            rule = vars(self).get("grammar", self.shared).rules.get(error.rule)
            line = error.line if rule is None or rule is shared.get(rule.name) else rule.line or None
            field = "syntax" if line is None else "syntax.bnf"
            place = "" if line is None or f"in line {line}" in error.message else f", line {line}"
            details: dict[str, Any] = {"source": self.source, "field": field, "rule": error.rule, "hint": error.hint}
            raise GrammarError(f"{self.source}{place}: {field}: {error.message}", line=line, **details) from None
        except RecursionError:
            problem, hint = "the rules are nested too deeply", "use fewer brackets and rules within others"
            raise GrammarError(f"{self.source or 'the grammar'}: {problem}", source=self.source, hint=hint) from None

    def once(self, name: str, compute: Callable[[], Any], *, stored: bool = False) -> Any:
        """Return the result of that name: what `compute` returned when it was first asked for.

        A result that is only for this process has the name of the module that made it. A `stored` one is plain data,
        which is kept for other processes, too.
        """
        results = self._kept if stored else self._made
        if name not in results:
            results.setdefault(name, compute())  # another thread may have been faster
            if stored and self._keep is not None:
                self._keep({**results})
        return results[name]

    @cached_property
    def shared(self) -> Grammar:
        """The rules of the profile, with those that the record uses."""
        grammar = self.profile.grammar
        for file, text in self.uses.items():
            try:
                grammar = self.profile.extended(text, grammar)
            except GrammarError as error:
                details: dict[str, Any] = {"rule": error.rule, "line": error.line, "hint": error.hint}
                raise GrammarError(f"{file}: {error.message}", source=file, **details) from None
        return grammar

    @cached_property
    def grammar(self) -> Grammar:
        """The rules, with the shared ones."""
        text = "\n" * (self.line - 1) + self.bnf  # so that errors count the lines of the file
        grammar = self.profile.extended(text, self.shared)
        for name in (self.rule, self.hierarchy, *(part.decoded for part in self.parts.values())):
            if name is not None and name not in grammar.rules:
                raise GrammarError(f"there is no rule {name!r}", rule=name)
        return grammar

    @cached_property
    def automaton(self) -> Automaton:
        """The automaton of the rules, with the exclusions."""
        with self._located_errors():
            return automaton_of(self.grammar, self.rule, self.parts, self.profile, self.shared)

    @cached_property
    def held(self) -> dict[str, Held]:
        """The octets that each part may hold, by its name."""
        plain = self.once("held", self._plainly_held, stored=True)
        return {name: Held(rule, frozenset(bare), frozenset(escapes)) for name, (rule, bare, escapes) in plain.items()}

    def _plainly_held(self) -> dict[str, tuple[str, list[int], list[int]]]:
        held = {name: held_by(part, self.automaton, self.grammar) for name, part in self.parts.items()}
        return {name: (rule, sorted(bare), sorted(escapes)) for name, (rule, bare, escapes) in held.items()}

    @cached_property
    def composer(self) -> Composer:
        """The composer of texts from parts."""
        return Composer(self.automaton)

    @cached_property
    def delimiters(self) -> dict[str, str]:
        """The literal that stands before each part that is given as written; "" if it is not always the same one."""
        found, automaton = {}, self.automaton
        for name in self.as_written:
            inside = automaton.inside(self.parts[name].mark)
            before = {automaton.leaves[each].literal or "" for each in bits(automaton.preceding(inside) & ~inside)}
            found[name] = before.pop() if len(before) == 1 else ""
        return found

    @cached_property
    def fullmatch(self) -> Callable[[str], re.Match[str] | None]:
        """Match a whole URL; the parts are groups of the match. A number of more than 4,000 digits does not match."""
        match = self.regex.fullmatch

        def match_with_numbers(text: str) -> re.Match[str] | None:
            found = match(text)
            return found if found is None or len(text) <= DIGITS or self.surplus_digits(found) is None else None

        return match_with_numbers if self._numbers else match

    def surplus_digits(self, match: re.Match[str]) -> tuple[int, int] | None:
        """Return where the digits stand that make the first too long number of a match too long, or None.

        Zeros at the beginning of a number are not counted.
        """
        spans = [match.span(group) for name in self._numbers for group in self.groups[name]]
        for start, end in sorted([(start, end) for start, end in spans if end - start > DIGITS]):
            digits = match.string[start:end].lstrip("0")
            if len(digits) > DIGITS:
                return end - len(digits) + DIGITS, end
        return None

    @property
    def pattern(self) -> str:
        """The regular expression of the rules; it has no limit for numbers."""
        return self.regex.pattern

    def compile(self) -> re.Pattern[str]:
        """Return the compiled pattern, made now if it is new. Raises GrammarError for rules that have none."""
        return self.regex

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """The compiled pattern. For texts of up to 4,000 characters its `fullmatch` is that of the syntax."""
        pattern = re.compile(self.once("pattern", self._compiled, stored=True), re.ASCII)
        # A part may have several groups, of which a URL has one at most.
        for part in self.parts.values():
            again = (f"{part.mark}__{count}" for count in range(2, len(pattern.groupindex) + 1))
            self.groups[part.name] = (part.mark, *(name for name in again if name in pattern.groupindex))
        return pattern

    def _compiled(self) -> str:
        with self._located_errors():
            return compile_portably(compile_tree(self.automaton)[0], re.ASCII).pattern

    def begins_with(self, prefix: str) -> bool:
        """Return True if some URL of this syntax begins with `prefix`."""
        return self.automaton.reach(prefix) == len(prefix)

    def has_scheme(self, name: str) -> bool:
        """Return True if some URL of this syntax is of the scheme `name`."""
        return bool(self.once(f"scheme {name}", lambda: self.begins_with(f"{name}:"), stored=True))

    @property
    def own_rules(self) -> dict[str, Rule]:
        """The rules that the record defines, or defines again, and those that it uses."""
        shared = self.profile.grammar.rules
        return {name: rule for name, rule in self.grammar.rules.items() if rule is not shared.get(name)}

    @cached_property
    def host_rules(self) -> tuple[str, ...]:
        """The host rules of the profile, without those of which the record defines a part again."""
        rules, own = self.grammar.rules, self.own_rules.keys()

        def reached(name: str) -> list[str]:
            found = [name]
            for each in found:
                found += {part.name for part in references(rules[each].node)}.difference(found)
            return found

        return tuple(name for name in self.profile.host_rules if own.isdisjoint(reached(name)))

    def section_of(self, rule: str) -> str:
        """Return where `rule` is defined: a section of the profile's document, or what the record refers to."""
        found = self.grammar.rules.get(rule)
        if found is None or (section := found.section) is None:
            return self.section
        if " " in section:
            return section
        if found is self.profile.grammar.rules.get(rule):
            return self.profile.section(rule)
        # A comment in a record's own text speaks of what the record refers to.
        document = self.section.partition(" section ")[0].rstrip(",")
        comma = "" if document.rpartition(" ")[2].isdigit() else ","  # "RFC 9110 section 4", "The paper, section 1"
        return f"{document}{comma} section {section}"

    def whole(self, match: re.Match[str], name: str) -> str | None:
        """Return the text of the occurrence of the part `name`, None if it is absent."""
        return next((match[group] for group in self.groups[name] if match[group] is not None), None)

    def span(self, match: re.Match[str], name: str) -> tuple[int, int] | None:
        """Return where the occurrence of the part `name` stands, None if it is absent."""
        return next((match.span(group) for group in self.groups[name] if match[group] is not None), None)

    def place(self, match: re.Match[str], name: str) -> tuple[int, int] | None:
        """Return where the part `name` stands, None if it is absent or has no elements."""
        span = self.span(match, name)
        return None if span is None else self.parts[name].share(match.string, *span)

    def raw(self, match: re.Match[str], name: str) -> Raw | None:
        """Return the part `name` as written: None if it is absent, an empty tuple if it is an absent list."""
        part = self.parts[name]
        whole = self.whole(match, name)
        return part.absent if whole is None else part.raw_of(whole)

    def present(self, match: re.Match[str]) -> dict[str, Raw]:
        """Return the parts that are not absent, as written, by name."""
        wholes = {name: self.whole(match, name) for name in self.parts}
        return {name: self.parts[name].raw_of(whole) for name, whole in wholes.items() if whole is not None}

    def within(self, mark: str) -> frozenset[str]:
        """Return the marks of the parts that lie within the part of `mark`."""
        return frozenset[str]().union(*(each.item.marks for each in self.automaton.marked if each.mark == mark))

    def overlap(self, name: str, other: str) -> bool:
        """Return True if the parts are one, or one of them lies within the other."""
        one, two = self.parts[name].mark, self.parts[other].mark
        return name == other or one in self.within(two) or two in self.within(one)

    def derives(self, name: str, text: str) -> bool:
        """Return True if the occurrence of the part `name` may be written as `text`."""
        return self.composer.derives(self.parts[name].mark, text)
