"""The syntax of one scheme: its BNF, its parts, and what follows from the two.

From the one text come the pattern that parses, the octets that each part may hold as they are, the text that parts
compose, and (in `urlschemes.explanation`) the reason why a text does not derive. What reads URLs is here; what the rest
needs of the rules is made when it is asked for (`urlschemes.construction`, `urlschemes.structure`).
"""

from urlschemes.part import Part

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Collection, Iterable, Mapping
    from typing import Self, TypeAlias

    from urlschemes.automaton import Automaton
    from urlschemes.bnf import Grammar
    from urlschemes.errors import InvalidURL
    from urlschemes.expansion import Element
    from urlschemes.machine import Program
    from urlschemes.part import Raw
    from urlschemes.structure import Structure

    Telling: TypeAlias = "tuple[Callable[[str], re.Match[str] | None], tuple[type[InvalidURL], ...]]"

__all__ = ["Part", "Syntax"]

SHORT = 1000
"""Characters up to which a text is quickly read without a pattern."""


class Syntax:
    """The syntax of the URLs of one scheme.

    `bnf` is the scheme's own text, `rule` the rule that its URLs derive from, `hierarchy` the rule whose `/` divide
    levels (None where the scheme is not hierarchical, section 2.3), `section` where its own rules are defined, where
    they do not say it. `slash_may_be_omitted` says that a host means the same with a `/` and nothing behind it, and
    without. The rules are read and checked at once, the pattern is made at its first use. Raises GrammarError for a
    text that no pattern can be made of.
    """

    __slots__ = (
        "_automaton",
        "_grammar",
        "_host_may_be_empty",
        "_match",
        "_pattern",
        "_program",
        "_structure",
        "bnf",
        "groups",
        "hierarchy",
        "parts",
        "repeated",
        "rule",
        "section",
        "slash_may_be_omitted",
        "telling",
        "when_compiled",
    )

    def __init__(
        self,
        bnf: str,
        rule: str,
        parts: "Iterable[Part]" = (),
        *,
        hierarchy: str | None = None,
        section: str = "",
        slash_may_be_omitted: bool = False,
    ) -> None:
        from urlschemes.construction import complete_parts

        self._hold(bnf, rule, parts, hierarchy, section, slash_may_be_omitted=slash_may_be_omitted)
        complete_parts(self.grammar, self.parts)

    @classmethod
    def restored(
        cls,
        bnf: str,
        rule: str,
        parts: "Iterable[Part]",
        *,
        hierarchy: str | None = None,
        section: str = "",
        slash_may_be_omitted: bool = False,
        pattern: str | None = None,
        program: "Program | None" = None,
        host_may_be_empty: bool | None = None,
    ) -> "Self":
        """A syntax whose rules are known to be right and whose parts are complete: nothing is read before it is needed.

        `pattern` and `program` are what was made of its rules before, and say the same.
        """
        syntax = cls.__new__(cls)
        syntax._hold(bnf, rule, parts, hierarchy, section, slash_may_be_omitted=slash_may_be_omitted)
        syntax._pattern = pattern
        syntax._host_may_be_empty = host_may_be_empty
        if program:
            syntax._program = program
            syntax._name_groups({words[1] for words in program if words[0] == "open"})
        return syntax

    def _hold(
        self,
        bnf: str,
        rule: str,
        parts: "Iterable[Part]",
        hierarchy: str | None,
        section: str,
        *,
        slash_may_be_omitted: bool,
    ) -> None:
        self.bnf = bnf
        self.rule = rule
        self.section = section
        self.hierarchy = hierarchy
        self.slash_may_be_omitted = slash_may_be_omitted
        self.parts: Mapping[str, Part] = {part.name: part for part in parts}
        self.groups: dict[str, tuple[str, ...]] = {}
        self.repeated: frozenset[str] = frozenset()
        self.telling: Telling | None = None
        self.when_compiled: Callable[[Syntax], object] | None = None
        self._pattern: str | None = None
        self._program: Program | None = None
        self._host_may_be_empty: bool | None = None
        self._match: Callable[[str], re.Match[str] | None] | None = None
        self._grammar: Grammar | None = None
        self._automaton: Automaton | None = None
        self._structure: Structure | None = None

    @property
    def grammar(self) -> "Grammar":
        """The rules, with the shared ones."""
        if self._grammar is None:
            from urlschemes.construction import grammar_of

            self._grammar = grammar_of(self.bnf, self.rule, self.hierarchy, self.parts)
        return self._grammar

    @property
    def automaton(self) -> "Automaton":
        """The automaton of the rules, with the exclusions."""
        if self._automaton is None:
            from urlschemes.construction import automaton_of

            built = automaton_of(self.grammar, self.rule, self.parts)
            if self._automaton is None:  # of several threads, the first one's counts
                self._automaton = built
        return self._automaton

    def know_octets(self) -> None:
        """Let each part know which octets it may hold."""
        if self._pattern is None:
            self.automaton  # noqa: B018  it is known then

    @property
    def structure(self) -> "Structure":
        """What the rules say of whole URLs."""
        if self._structure is None:
            from urlschemes.structure import Structure

            self._structure = Structure(self.automaton)
        return self._structure

    @property
    def fullmatch(self) -> "Callable[[str], re.Match[str] | None]":
        """Matches a whole URL; the parts are its groups."""
        if self._match is None:
            if self._program is not None:
                return self._run_once
            self._compile()
        return self._match  # type: ignore[return-value]  # it is compiled

    @property
    def is_compiled(self) -> bool:
        """Whether `fullmatch` is the pattern's, and stays what it is."""
        return self._match is not None

    @property
    def pattern(self) -> str:
        """The regular expression of `fullmatch`."""
        if self._match is None:
            self._compile()
        return self._pattern or ""

    def _run_once(self, text: str) -> "re.Match[str] | None":
        """What the program says of the first text, and the pattern of any other: one is not worth an import of `re`."""
        program, self._program = self._program, None
        if program is None or len(text) > SHORT:
            return self.fullmatch(text)
        from urlschemes.machine import run

        return run(program, text)  # type: ignore[return-value]  # as much of a match as is read from one

    def _compile(self) -> None:
        import re

        pattern = None
        if self._pattern is not None:
            try:
                pattern = re.compile(self._pattern, re.ASCII)
            except (re.error, RecursionError, OverflowError):  # whoever kept it, it is none
                pattern = None
        if pattern is None or any(part.mark not in pattern.groupindex for part in self.parts.values()):
            from urlschemes.pattern import compile_tree
            from urlschemes.regular import compiled

            pattern = compiled(compile_tree(self.automaton), re.ASCII)
        self._name_groups(pattern.groupindex)
        self._pattern = pattern.pattern
        self._match = pattern.fullmatch
        if self.when_compiled is not None:
            self.when_compiled(self)

    def _name_groups(self, names: "Collection[str]") -> None:
        """Take note of the groups of a pattern: a part may have several, of which a URL has one at most."""
        for part in self.parts.values():
            again = (f"{part.mark}__{count}" for count in range(2, len(names) + 1))
            self.groups[part.name] = (part.mark, *(name for name in again if name in names))
        # Of any other part, one look tells whether it is there.
        self.repeated = frozenset(name for name, groups in self.groups.items() if len(groups) > 1)

    @property
    def host_may_be_empty(self) -> bool:
        """Whether a URL may have nothing between its `//` and the next `/`."""
        if self._host_may_be_empty is None:
            match = self.fullmatch(self.compose({}) or "")
            self._host_may_be_empty = match is not None and self.whole(match, "host") in {None, ""}
        return self._host_may_be_empty

    def section_of(self, rule: str) -> str:
        """Where `rule` is defined: a section of RFC 1738, or what the record refers to."""
        from urlschemes.bnf import shared_rules

        section = self.grammar.rules[rule].section if rule in self.grammar.rules else None
        if section is None:
            return self.section
        if rule in shared_rules().rules:
            return f"RFC 1738 section {section}"
        if " " in section:
            return section
        # A comment in a record's own text speaks of what the record refers to.
        return f"{self.section.partition(' section ')[0].rstrip(',')} section {section}"

    def whole(self, match: "re.Match[str]", name: str) -> str | None:
        """The text of the occurrence of the part `name`, None where it is absent."""
        for group in self.groups[name]:
            text: str | None = match[group]
            if text is not None:
                return text
        return None

    def span(self, match: "re.Match[str]", name: str) -> tuple[int, int] | None:
        """Where the occurrence of the part `name` stands, None where it is absent."""
        return next((match.span(group) for group in self.groups[name] if match[group] is not None), None)

    def place(self, match: "re.Match[str]", name: str) -> tuple[int, int] | None:
        """Where the part `name` stands, None where it is absent or has no elements."""
        span = self.span(match, name)
        return None if span is None else self.parts[name].share(match.string, *span)

    def raw(self, match: "re.Match[str]", name: str) -> "Raw | None":
        """The part `name` as written: None where it is absent, no elements where a list is."""
        part = self.parts[name]
        whole = self.whole(match, name)
        if whole is None:
            return part.absent
        return part.raw_of(whole)

    def within(self, mark: str) -> frozenset[str]:
        """The marks of the parts that lie within the part of `mark`."""
        return self.structure.within(mark)

    def overlap(self, name: str, other: str) -> bool:
        """Whether the parts are one, or one of them lies within the other."""
        one, two = self.parts[name].mark, self.parts[other].mark
        return name == other or one in self.within(two) or two in self.within(one)

    def derives(self, name: str, text: str) -> bool:
        """Whether `text` is what the occurrence of the part `name` may be written as."""
        return self.structure.derives(self.parts[name].mark, text)

    def compose(self, raw: "Mapping[str, str]", taken: "Collection[Element]" = ()) -> str | None:
        """The text in which the occurrence of each mark of `raw` is written so, with the options `taken`.

        None where no URL has just these parts.
        """
        return self.structure.compose(raw, taken)

    def taken(self, match: "re.Match[str]", raw: "Mapping[str, str]") -> "tuple[Element, ...]":
        """The options of a URL that none of its parts tells of, such as a `/` with nothing behind it."""
        return self.structure.taken(match.string, raw)
