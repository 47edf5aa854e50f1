"""The syntax of one scheme: its BNF, its parts, and what follows from the two.

From the one text come the pattern that parses, the octets that each part may hold as they are, the text that parts
compose, and (in `urlschemes.explanation`) the reason why a text does not derive.
"""

import re
from functools import reduce
from itertools import combinations
from operator import or_

from urlschemes.automaton import Automaton, bits
from urlschemes.beside import read_beside
from urlschemes.bnf import Grammar, read
from urlschemes.characters import ESCAPE, HEX, XCHAR, mask
from urlschemes.division import division
from urlschemes.errors import GrammarError
from urlschemes.expansion import Characters, Element, Marked, Repeated, Series, Variants, expand, held, marks
from urlschemes.octets import escape, octets_of, unescape
from urlschemes.pattern import compile_tree
from urlschemes.regular import compiled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from typing import Literal as OneOf
    from typing import TypeAlias

    from urlschemes.division import Division
    from urlschemes.errors import InvalidURL

    Telling: TypeAlias = "tuple[Callable[[str], re.Match[str] | None], tuple[type[InvalidURL], ...]]"
    Raw: TypeAlias = "str | tuple[str, ...] | tuple[tuple[str, str], ...]"
    Value: TypeAlias = "Raw | int"
    Take: TypeAlias = OneOf["all", "all but the last", "last"]
    Travels: TypeAlias = OneOf["line", "binary", "as-written", "form"]

__all__ = ["Part", "Syntax", "shared_rules"]

_XCHARS = mask(XCHAR + "%")

_PERCENT = 1 << ord("%")
_HEX = mask(HEX)

TAKES = ("all", "all but the last", "last")
TRAVELS = ("line", "binary", "as-written", "form")
DIGITS = 4000
"""Digits that a number may have; Python's own bound is little more."""

FREE_OPTIONS = 8
"""How many options without a part are looked at, in a URL that is changed."""

_shared: Grammar | None = None


def shared_rules() -> Grammar:
    """The rules of section 5 that every scheme may use."""
    global _shared  # noqa: PLW0603  read once in a process
    if _shared is None:
        text, _ = read_beside("urlschemes", "rfc1738.bnf")
        _shared = Grammar(read(text))
    return _shared


class Part:
    """A part of a scheme's URLs: an occurrence of a rule.

    `at` says which occurrences: suffixes of the path of rule names that leads to them, such as `("port",)` and
    `("nntpurl", "digits")`; a quoted literal may stand last. A list part is divided by its `division` into elements of
    the rule `element`, each encoded by itself; `take` says which of them the part is. `number` parts are digits and
    become an int. `exclude` are octets that the part never holds; `decoded` is a rule that its octets derive from once
    they are decoded, beside the rule that its text derives from. `says` is what the part is, in words for whoever got
    it wrong. `travels` says how it reaches the other side:

    - `line`: on a protocol line, so that access refuses control octets;
    - `binary`: as counted octets, any of them;
    - `as-written`: without being decoded;
    - `form`: like `line`, or the one form of section 3.4.9.
    """

    __slots__ = (
        "at",
        "bare",
        "decoded",
        "division",
        "element",
        "escapes",
        "exclude",
        "mark",
        "name",
        "number",
        "rule",
        "says",
        "take",
        "travels",
    )
    bare: frozenset[int]
    escapes: frozenset[int]
    mark: str
    rule: str

    def __init__(
        self,
        name: str,
        at: "Iterable[str]",
        *,
        element: str | None = None,
        take: "Take" = "all",
        number: bool = False,
        exclude: "Iterable[int]" = (),
        decoded: str | None = None,
        travels: "Travels" = "line",
        says: str | None = None,
    ) -> None:
        self.name = name
        self.at = tuple(map(_path, at))
        self.element = element
        self.take = take
        self.number = number
        self.exclude = frozenset(exclude)
        self.decoded = decoded
        self.travels = travels
        self.says = says
        self.division: Division | None = None

    def __repr__(self) -> str:
        return f"<Part {self.name}>"

    @property
    def absent(self) -> tuple[str, ...] | None:
        """What the part is where its occurrence is absent."""
        return () if self.element is not None and self.take != "last" else None

    def raw_of(self, whole: str) -> "Raw":
        """The part as written, from the text `whole` of its occurrence."""
        if self.division is None:
            return whole
        elements = self.division.divided(whole)
        if self.take == "all":
            return elements  # type: ignore[return-value]  # all texts, or all pairs
        return elements[-1] if self.take == "last" else elements[:-1]  # type: ignore[return-value]

    def share(self, text: str, start: int, end: int) -> tuple[int, int] | None:
        """Where the part stands in the occurrence of it from `start` to `end` of `text`; None without elements.

        Of a list that two parts share, it is what this one takes.
        """
        if self.division is None or self.take == "all":
            return start, end
        separator = self.division.separator
        cut = text.rfind(separator, start, end)
        if self.take == "last":
            return (start if cut < 0 else cut + len(separator)), end
        return None if cut < 0 or (self.division.leading and cut == start) else (start, cut)

    def value_of(self, raw: "Raw") -> "Value":
        """The decoded value of the part that is written `raw`."""
        if isinstance(raw, tuple):
            return tuple(map(_decoded, raw))  # type: ignore[return-value]  # texts give texts, and pairs pairs
        return int(raw) if self.number else unescape(raw)

    def written(self, text: str) -> str:
        """`text` as this part, or one element of it, is written: what it may not hold as it is, is encoded.

        Where the rule has no escapes, `text` is returned as it is: whether it derives is for parsing to say. Raises
        ValueError for an octet that the part cannot hold in any way.
        """
        octets = octets_of(text)
        if not self.escapes:
            return text
        for octet in octets:
            if octet not in self.bare and octet not in self.escapes:
                raise ValueError(f"octet {octet:02X}")
        return escape(octets, self.bare)


def _decoded(element: "str | tuple[str, str]") -> "str | tuple[str, str]":
    return unescape(element) if isinstance(element, str) else (unescape(element[0]), unescape(element[1]))


def _path(spec: str) -> tuple[str, ...]:
    before, quote, literal = spec.partition('"')
    return (*(name for name in before.split("/") if name), *([quote + literal] if quote else []))


class Syntax:
    """The syntax of the URLs of one scheme.

    `bnf` is the scheme's own text, `rule` the rule that its URLs derive from, `hierarchy` the rule whose `/` divide
    levels (None where the scheme is not hierarchical, section 2.3), `section` where its own rules are defined, where
    they do not say it. `slash_may_be_omitted` says that a host means the same with a `/` and nothing behind it, and
    without. Raises GrammarError for a text that no pattern can be made of; `Syntax` itself is read at once,
    the pattern at its first use.
    """

    __slots__ = (
        "_automaton",
        "_host_may_be_empty",
        "_marks",
        "_match",
        "_within",
        "bnf",
        "grammar",
        "groups",
        "hierarchy",
        "parts",
        "repeated",
        "rule",
        "section",
        "slash_may_be_omitted",
        "telling",
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
        self.bnf = bnf
        self.rule = rule
        self.section = section
        self.hierarchy = hierarchy
        self.slash_may_be_omitted = slash_may_be_omitted
        self.parts: Mapping[str, Part] = {part.name: part for part in parts}
        self.grammar = shared_rules().extended(bnf)
        second = [part.decoded for part in self.parts.values() if part.decoded]
        for name in (rule, *([hierarchy] if hierarchy else []), *second):
            if name not in self.grammar.rules:
                raise GrammarError(f"there is no rule {name!r}", rule=name)
        self._automaton: Automaton | None = None
        self.groups: dict[str, tuple[str, ...]] = {}
        self._marks: dict[int, frozenset[str]] = {}
        self._within: dict[str, frozenset[str]] = {}
        self.repeated: frozenset[str] = frozenset()
        self._host_may_be_empty: bool | None = None
        self._match: Callable[[str], re.Match[str] | None] | None = None
        self.telling: Telling | None = None
        self._complete_parts()

    @property
    def automaton(self) -> Automaton:
        """The automaton of the rules, with the exclusions."""
        if self._automaton is None:
            built = self._build()
            if self._automaton is None:  # of several threads, the first one's counts
                self._automaton = built
        return self._automaton

    @property
    def fullmatch(self) -> "Callable[[str], re.Match[str] | None]":
        """Matches a whole URL; the parts are its groups."""
        if self._match is None:
            pattern = compiled(compile_tree(self.automaton), re.ASCII)
            for part in self.parts.values():
                again = (f"{part.mark}__{count}" for count in range(2, len(pattern.groupindex) + 1))
                self.groups[part.name] = (part.mark, *(name for name in again if name in pattern.groupindex))
            # Of any other part, one look tells whether it is there.
            self.repeated = frozenset(name for name, groups in self.groups.items() if len(groups) > 1)
            self._match = pattern.fullmatch
        return self._match

    @property
    def host_may_be_empty(self) -> bool:
        """Whether a URL may have nothing between its `//` and the next `/`."""
        if self._host_may_be_empty is None:
            match = self.fullmatch(self.compose({}) or "")
            self._host_may_be_empty = match is not None and self.whole(match, "host") in {None, ""}
        return self._host_may_be_empty

    def section_of(self, rule: str) -> str:
        """Where `rule` is defined: a section of RFC 1738, or what the record refers to."""
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
        within = self._within.get(mark)
        if within is None:
            outer = [marked for marked in self.automaton.marked if marked.mark == mark]
            within = self._within[mark] = frozenset(inner.mark for each in outer for inner in marks(each.item))
        return within

    def overlap(self, name: str, other: str) -> bool:
        """Whether the parts are one, or one of them lies within the other."""
        one, two = self.parts[name].mark, self.parts[other].mark
        return name == other or one in self.within(two) or two in self.within(one)

    def derives(self, name: str, text: str) -> bool:
        """Whether `text` is what the occurrence of the part `name` may be written as."""
        for marked in self.automaton.marked:
            if marked.mark == self.parts[name].mark and self.automaton.derives(marked, text):
                return True
        return False

    def compose(self, raw: "Mapping[str, str]", taken: "Collection[Element]" = ()) -> str | None:
        """The text in which the occurrence of each mark of `raw` is written so.

        An option is written where a part of it is given, or where it is among `taken`. None where no URL has just these
        parts.
        """
        return self._composed(self.automaton.tree, raw, frozenset(map(id, taken)))

    def taken(self, match: "re.Match[str]", raw: "Mapping[str, str]") -> "tuple[Element, ...]":
        """The options of a URL that none of its parts tells of, such as a `/` with nothing behind it."""
        text = match.string.lower()
        options = [item for item in _options(self.automaton.tree) if not self._given(item, raw)][:FREE_OPTIONS]
        for count in range(len(options) + 1):
            for chosen in combinations(options, count):
                if (self.compose(raw, chosen) or "").lower() == text:
                    return chosen
        return ()

    def _composed(self, item: Element, raw: "Mapping[str, str]", taken: frozenset[int]) -> str | None:
        if isinstance(item, Marked):
            written = raw.get(item.mark)
            if written is not None:
                return written
            if self._given(item.item, raw):  # parts within the part
                return self._composed(item.item, raw, taken)
            return "" if item.nullable else None
        if isinstance(item, Characters):
            if item.literal is not None:
                return item.literal[item.offset]
            codes = list(bits(item.mask))
            return chr(codes[0]) if len(codes) == 1 else None
        if isinstance(item, Series):
            pieces = []
            for inner in item.items:
                piece = self._composed(inner, raw, taken)
                if piece is None:
                    return None
                pieces.append(piece)
            return "".join(pieces)
        if isinstance(item, Repeated):
            if item.least == 0 and id(item) not in taken and not self._given(item, raw):
                return ""
            return self._composed(item.item, raw, taken)
        assert isinstance(item, Variants)
        wanted = self._given(item, raw)
        for inner in item.items:
            if self._given(inner, raw) == wanted and (text := self._composed(inner, raw, taken)) is not None:
                return text
        return None

    def _given(self, item: Element, raw: "Mapping[str, str]") -> frozenset[str]:
        """The marks within `item` that `raw` has."""
        within = self._marks.get(id(item))
        if within is None:
            within = self._marks[id(item)] = frozenset(marked.mark for marked in marks(item))
        return within & raw.keys()

    def _complete_parts(self) -> None:
        by_place: dict[tuple[tuple[str, ...], ...], str] = {}
        shared: dict[str, list[str]] = {}
        for part in self.parts.values():
            mark = by_place.setdefault(part.at, part.name)
            shared.setdefault(mark, []).append(part.name)
            part.mark = mark
            if part.element is not None:
                part.division = division(self.grammar.rules, part.at[0][-1], part.element, part.name)
        for mark, names in shared.items():
            takes = sorted(self.parts[name].take for name in names)
            if len(names) > 1 and (
                takes != ["all but the last", "last"] or len({self.parts[n].element for n in names}) > 1
            ):
                raise GrammarError(
                    f"the parts {' and '.join(names)} are one occurrence: two can share only a list, "
                    "as its last element and all but the last",
                    rule=self.parts[mark].at[0][-1],
                )
            for name in names:
                self.parts[name].mark = "__".join(names) if len(names) > 1 else mark

    def _build(self) -> Automaton:
        exclude: dict[str, frozenset[int]] = {}
        for part in self.parts.values():
            exclude[part.mark] = exclude.get(part.mark, frozenset()) | part.exclude
        automaton = Automaton(self._expanded(exclude))
        # An octet whose escape spells a literal that may follow the part cannot be held by the part.
        more = dict(exclude)
        for marked in automaton.marked:
            more[marked.mark] = more.get(marked.mark, frozenset()) | _spells_what_follows(automaton, marked)
        if more != exclude:
            automaton = Automaton(self._expanded(more))
        for leaf in automaton.leaves:
            for code in bits(leaf.mask & ~_XCHARS):
                raise GrammarError(
                    f"rule {leaf.path[-1]!r} takes {chr(code)!a}, which no URL may hold",
                    rule=leaf.path[-1],
                    hint="section 2.2 says what a URL is written with; any other octet is encoded",
                )
            if leaf.mask & _PERCENT and not _begins_escape(automaton, leaf):
                raise GrammarError(
                    f"rule {leaf.path[-1]!r} takes a percent sign that begins no escape",
                    rule=leaf.path[-1],
                    hint='write an escape as the rule `escape`, or as "%" and two hexadecimal digits',
                )
        for part in self.parts.values():
            found = [marked for marked in automaton.marked if marked.mark == part.mark]
            if not found:
                raise GrammarError(
                    f"no occurrence of {'/'.join(part.at[0])!r} for the part {part.name!r}", rule=self.rule
                )
            written = [held(marked.item) for marked in found]
            separator = part.division.octets if part.division else frozenset[int]()
            # Another thread may be using the part already: it must never see less than the whole.
            named = [marked.rule for marked in found if marked.rule in self.grammar.rules]
            part.rule = part.element or (named[0] if named else found[0].rule)  # a literal is no rule
            part.bare = frozenset(octet for bare, _ in written for octet in bits(bare)) - separator
            part.escapes = frozenset[int]().union(*(escapes for _, escapes in written))
            self._check_values(part, found)
        return automaton

    def _check_values(self, part: Part, found: "list[Marked]") -> None:
        """Raise GrammarError where a text that derives would have no value."""
        if part.name == "host" and part.escapes:
            raise GrammarError(
                "the host holds escapes, which no name and no address has",
                rule=part.rule,
                hint="use the rule `host`",
            )
        if part.number and (
            part.element is not None
            or part.escapes
            or part.bare - frozenset(b"0123456789")
            or any(marked.nullable or _longest(marked.item) > DIGITS for marked in found)
        ):
            raise GrammarError(
                f"the part {part.name!r} is a number, and must be digits: at least one, at most {DIGITS}",
                rule=part.rule,
                hint="use the rule `digits`",
            )

    def _expanded(self, exclude: "Mapping[str, frozenset[int]]") -> Element:
        def mark_of(path: tuple[str, ...]) -> str | None:
            for part in self.parts.values():
                for at in part.at:
                    if path[-len(at) :] == at:
                        return part.mark
            return None

        decoded = {part.mark: part.decoded for part in self.parts.values()}
        return expand(self.grammar, self.rule, mark_of, lambda mark: exclude.get(mark, frozenset()), decoded.get)


def _begins_escape(automaton: Automaton, leaf: Characters) -> bool:
    """Whether two hexadecimal digits follow wherever `leaf` is passed, and it takes nothing but the percent sign."""
    positions = 1 << leaf.position
    for allowed in (_PERCENT, _HEX):
        if automaton.characters(positions) & ~allowed or positions & automaton.tree.last:
            return False
        positions = reduce(or_, [automaton.follow[position] for position in bits(positions)])
    return not automaton.characters(positions) & ~_HEX


def _longest(item: Element) -> float:
    """The number of characters of the longest text that `item` derives."""
    if isinstance(item, Characters):
        return 1
    if isinstance(item, Series):
        return sum(map(_longest, item.items))
    if isinstance(item, Variants):
        return max(map(_longest, item.items))
    if isinstance(item, Repeated):
        return float("inf") if item.most is None else item.most * _longest(item.item)
    assert isinstance(item, Marked)
    return _longest(item.item)


def _spells_what_follows(automaton: Automaton, marked: Marked) -> frozenset[int]:
    """The octets whose escape is a literal that may stand where `marked` may also go on."""
    leaves, follow = automaton.leaves, automaton.follow
    inside = marked.inside
    before = [p for p in range(len(leaves)) if follow[p] & marked.first] if marked.nullable else []
    found: set[int] = set()
    for position in [*bits(marked.last), *before]:
        goes_on = follow[position] & inside
        for other in bits(follow[position] & ~inside):
            literal = leaves[other].literal
            if literal is not None and ESCAPE.fullmatch(literal) and automaton.characters(goes_on) >> ord("%") & 1:
                found.add(int(literal[1:], 16))
    return frozenset(found)


def _options(item: Element) -> "Iterator[Repeated]":
    """Every option within `item`, outermost first."""
    if isinstance(item, Repeated):
        if item.most == 1:
            yield item
        yield from _options(item.item)
    elif isinstance(item, Marked):
        yield from _options(item.item)
    elif isinstance(item, Series | Variants):
        for inner in item.items:
            yield from _options(inner)
