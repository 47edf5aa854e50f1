"""Rules as a tree, and the notation of RFC 1738 section 5: text to such a tree, and back.

Section 5 uses the conventions of RFC 822 with `|` for alternatives and brackets round optional or repeated elements:

    "literal"          a literal; its letters match without regard to case (RFC 822 section 3.4.7); <"> is the quote
    name               another rule
    a b                a, then b
    a | b              a or b
    [ a ]              a or nothing
    ( a b )            grouping
    *a  1*a  2*5a  2a  any number of a; at least one; two to five; exactly two. With brackets, `*[ a ]` is `*a`. A count
                       is at most 64.
    %x22  %x00-1F      one octet, or one of a range, in hexadecimal (RFC 5234 section 2.3), which literals cannot write
    ; words            a comment, to the end of the line; `section N` or `RFC N section N` in it is the source of the
                       rule
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import pairwise
from types import MappingProxyType
from typing import ClassVar

from urlschemes.errors import GrammarError
from urlschemes.grammar.octets import escape

__all__ = [
    "BNFReader",
    "Choice",
    "Grammar",
    "Literal",
    "Node",
    "Octets",
    "Reference",
    "Repeat",
    "Rule",
    "Sequence",
    "octets",
    "references",
]


class Node:
    """An element of the notation. `str(node)` writes it as section 5 does."""


class Literal(Node):
    """A quoted literal. Its letters match without regard to case, unless it is `sensitive` (RFC 7405)."""

    def __init__(self, text: str, *, sensitive: bool = False) -> None:
        self.text = text
        self.sensitive = sensitive

    @property
    def quoted(self) -> str:
        """The literal in quotation marks, as in the occurrences of parts."""
        return '<">' if self.text == '"' else f'"{self.text}"'

    def __str__(self) -> str:
        return f"%s{self.quoted}" if self.sensitive else self.quoted


class Octets(Node):
    """One octet of those from `low` to `high`."""

    def __init__(self, low: int, high: int) -> None:
        self.low = low
        self.high = high

    def __str__(self) -> str:
        return f"%x{self.low:02X}" if self.low == self.high else f"%x{self.low:02X}-{self.high:02X}"


class Reference(Node):
    """The name of a rule."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __str__(self) -> str:
        return self.name


class Sequence(Node):
    """A sequence of elements; without any it is the empty text."""

    def __init__(self, items: tuple[Node, ...]) -> None:
        self.items = items

    def __str__(self) -> str:
        return " ".join(f"( {item} )" if isinstance(item, Choice) else str(item) for item in self.items) or '""'


class Choice(Node):
    """Alternatives."""

    def __init__(self, items: tuple[Node, ...]) -> None:
        self.items = items

    def __str__(self) -> str:
        return " | ".join(map(str, self.items))


class Repeat(Node):
    """An element repeated from `least` to `most` times; `most` is None without a bound. `[ a ]` is 0 to 1 times."""

    def __init__(self, item: Node, least: int, most: int | None) -> None:
        self.item = item
        self.least = least
        self.most = most

    def __str__(self) -> str:
        if (self.least, self.most) == (0, 1):
            return f"[ {self.item} ]"
        if self.least == self.most:
            times = str(self.least)
        else:
            times = f"{self.least or ''}*{'' if self.most is None else self.most}"
        return (
            f"{times}{self.item}" if isinstance(self.item, Literal | Octets | Reference) else f"{times}[ {self.item} ]"
        )


class Rule:
    """A named rule.

    `line` counts from 1 within its text, and is 0 for a rule of the notation itself. `section` is the source of the
    rule, such as "3.2" or "RFC 822 section 6.1"; None if no comment names it.
    """

    def __init__(self, name: str, node: Node, line: int, section: str | None) -> None:
        self.name = name
        self.node = node
        self.line = line
        self.section = section

    def __str__(self) -> str:
        return f"{self.name} = {self.node}"


class Grammar:
    """Rules by name. Every reference is defined, and no rule refers to itself, directly or indirectly."""

    def __init__(self, rules: Mapping[str, Rule], bar: str = "|") -> None:
        self.rules = dict(rules)
        if mistakes := undefined(rules.values(), rules, bar):
            raise together(mistakes)
        done: set[str] = set()
        for start in self.rules:
            self._visit(start, (), done)

    def _visit(self, name: str, path: tuple[str, ...], done: set[str]) -> None:
        line = self.rules[name].line
        if name in path:
            problem = f"refers to itself: {' -> '.join((*path[path.index(name) :], name))}"
            hint = "write a repetition with `*`: nothing in a URL nests"
            raise GrammarError(f"rule {name!r} in line {line} {problem}", rule=name, line=line, hint=hint)
        if name in done:
            return
        for reference in references(self.rules[name].node):
            self._visit(reference.name, (*path, name), done)
        done.add(name)


def undefined(rules: Iterable[Rule], names: Collection[str], bar: str) -> list[GrammarError]:
    """Return an error for each name that one of `rules` refers to, and that is not among `names`."""
    found = dict.fromkeys((rule, each.name) for rule in rules for each in references(rule.node))
    return [_undefined(rule, name, names, bar) for rule, name in found if name not in names]


def _undefined(rule: Rule, name: str, names: Collection[str], bar: str) -> GrammarError:
    from difflib import get_close_matches  # only a mistake needs it

    hint, cases = "define it, or use one of the shared rules", {each.lower(): each for each in names}
    if name.lower() in cases:
        hint = f"write {cases[name.lower()]!r}: the names of rules are case-sensitive"
    elif _RANGE.fullmatch(name):
        hint = f"write ranges of characters as in `1*{_ranges(name, bar)}`"
    elif name.endswith("+"):
        hint = f"write `1*{name[:-1]}` for one or more"
    elif meant := get_close_matches(name, names, 1, cutoff=0.8):
        hint = f"did you mean {meant[0]!r}?"
    problem = f"rule {rule.name!r} in line {rule.line} refers to {name!r}, which is not defined"
    return GrammarError(problem, rule=rule.name, line=rule.line, hint=hint)


def _ranges(name: str, bar: str) -> str:
    ranges = (f"%x{ord(first):X}-{ord(last):X}" for first, last in re.findall("(.)-(.)", name))
    return f"( {f' {bar} '.join(ranges)} )"


def together(mistakes: list[GrammarError]) -> GrammarError:
    """Return one error for all of the mistakes; rule and line are those of the first one."""
    first, hints = mistakes[0], [*dict.fromkeys(each.hint for each in mistakes)]
    if len(hints) == 1:
        told, hint = [each.message for each in mistakes], first.hint
    else:
        told, hint = [f"{each.message} ({each.hint})" if each.hint else each.message for each in mistakes], None
    return GrammarError("; ".join(told), rule=first.rule, line=first.line, hint=hint)


def references(node: Node) -> Iterator[Reference]:
    """Yield the names of rules in `node`, in order."""
    if isinstance(node, Reference):
        yield node
    elif isinstance(node, Repeat):
        yield from references(node.item)
    elif isinstance(node, Sequence | Choice):
        for item in node.items:
            yield from references(item)


_LEXICON = r"""(?P<space>[ \t\r]+)
      | (?P<newline>\n)
      | (?P<comment>;[^\n]*)
      | (?P<literal>"[\x20\x21\x23-\x7E]+"|<">)
      | (?P<octets>%[xX][0-9A-Fa-f]{2}(?:-[0-9A-Fa-f]{2})?)
      | (?P<times>[0-9]*\*[0-9]*|[0-9]+)
      | (?P<name>[A-Za-z][A-Za-z0-9+_-]*)
      | (?P<mark>[=|\[\]()])
    """
_FOREIGN: tuple[tuple[str, str, str], ...] = (
    ("[/|]", "{bar}", "write `{bar}` between alternatives"),
    (r"::?=|-+>|:(?=\s)", "=", "write `=` after the name of a rule"),
    ("#[^\n]*", "", "begin a comment with `;`"),
    ("'[^'\n]*'", '""', "write a literal in double quotation marks"),
    ("[\u2018-\u201f][^\u2018-\u201f\n]*.?", '""', 'write straight quotation marks, as in "/"'),
    ('""', '""', "write `[ a ]` for a that may be absent"),
    ('"[^"\n]*"', '""', "a literal holds only US-ASCII: write the escapes of the octets, as in {escaped}"),
    ('"[^"\n]*', '""', "end a literal in the line where it begins"),
    (r"%[dDbB][0-9.-]+", '""', "write an octet in hexadecimal, as in %x41"),
    (r"<[\w-]+>", "name", "write the name of a rule without `<` and `>`"),
    (r"[+?]|\{[^}\n]*\}", "", "write `1*a`, `[ a ]` or `2*5a` for a that is repeated"),
    (r"""(?:(?<=["'])|(?<=["'] )|(?<=\[[0-9]))(-|\.\.+)""", "", "write ranges of characters as in %x61-7A"),
    (r"(?<=[0-9])-(?=[0-9])", "", "write `2*5a` for two to five a"),
    ("-", "", "list the characters that may stand there: none can be taken from a rule"),
    (r"\\.|[.^$\\]", "", "write no regular expression, but characters as in `1*%x61-7A`"),
    (",", "", "leave out the comma"),
    ("_", "", "write a hyphen in the name of a rule"),
    (".", "", 'write a literal in quotation marks, as in "/"'),
)
"""What people write who know other notations: a pattern, the token that is meant, if any, and the hint."""
_KINDS = {'""': "literal", "name": "name"}
_RANGE = re.compile(r"(?<![A-Za-z_-])(?:[A-Za-z0-9]-[A-Za-z0-9])+(?![\w-])")
_MAX_TURNS = 64
"""The maximum count of a repetition: larger ones are not counted, but have no bound."""

_SECTION = re.compile(r"\b(RFC [0-9]+ )?section ([0-9A-Za-z.]*[0-9A-Za-z])")


class BNFReader:
    """A reader of one text, which takes tokens from left to right, with one method for each level of the notation.

    `known` are the rules that the text may use, or define again. Readers of other notations are subclasses.
    """

    name: ClassVar = "rfc1738"
    """The name of the notation."""
    tokens_of: ClassVar = _LEXICON
    """The tokens, as a verbose pattern; groups are their kinds."""
    bar: ClassVar = "|"
    """The mark between alternatives."""
    defines: ClassVar = frozenset({"="})
    """The marks between the name of a rule and its definition."""
    core: ClassVar[Collection[str]] = ()
    """The rules that every text may use."""
    has_zero_times: ClassVar = False
    """True if an element may be repeated 0 times."""

    def __init__(self, text: str, known: Mapping[str, Rule] = MappingProxyType({})) -> None:
        self.known = known
        self.found: dict[str, Rule] = {}
        self.tokens: list[tuple[str, str, int]] = []
        self.sections: dict[int, str] = {}
        self.mistakes: list[GrammarError] = []
        line, position = 1, 0
        token = re.compile(self.tokens_of, re.VERBOSE)  # late: with a cache, few processes read rules
        while position < len(text):
            found = token.match(text, position)
            if found is None:
                position = self.foreign(text, position, line)
                continue
            position = found.end()
            kind = str(found.lastgroup)
            if kind == "newline":
                line += 1
            elif kind == "comment":
                if section := _SECTION.search(found[0]):
                    self.sections[line] = section[0] if section[1] else section[2]
            elif kind != "space":
                self.tokens.append((kind, found[0], line))
        self.tokens.append(("end", "", line))
        self.at = 0

    def foreign(self, text: str, position: int, line: int) -> int:
        """Note what is not part of the notation, take the token that is meant, and return where it ends."""
        ways = ((re.compile(each[0]).match(text, position), *each[1:]) for each in _FOREIGN)
        what, meant, hint = next((found[0], *way) for found, *way in ways if found)
        problem = f"invalid {'character ' * (len(what) == 1)}{what[:20]!r} in line {line}: not part of the notation"
        filled = {"bar": self.bar, "escaped": escape(what.encode("utf-8", "replace"), frozenset(range(0x21, 0x7F)))}
        self.mistakes.append(GrammarError(problem, line=line, hint=hint.format(**filled)))
        if meant:
            self.tokens.append((_KINDS.get(meant, "mark"), meant.format(**filled), line))
        return position + len(what)

    @staticmethod
    def written(rule: Rule) -> str:
        """Return the text of a rule in this notation."""
        return str(rule)

    def take(self) -> tuple[str, str, int]:
        """Return the next token: its kind, its text, its line."""
        token = self.tokens[self.at]
        self.at = min(self.at + 1, len(self.tokens) - 1)
        return token

    def expect(self, *marks: str) -> str:
        """Return the text of the next token. Raises GrammarError unless it is one of `marks`."""
        _, text, line = self.take()
        if text not in marks:
            raise _unexpected(text, line, repr(marks[0]))
        return text

    def rules(self) -> dict[str, Rule]:
        """Return the rules by name, in their order. Raises GrammarError for the first mistakes of all lines at once."""
        while self.tokens[self.at][0] != "end":
            try:
                self.rule()
            except GrammarError as mistake:
                self.mistakes.append(mistake)
                while not self.starts_rule() and self.tokens[self.at][0] != "end":
                    self.at += 1
        if self.mistakes:
            defined = (text for (_, text, _), (_, after, _) in pairwise(self.tokens) if after in self.defines)
            names = {*self.known, *self.core, *defined}
            lower = {each.lower() for each in names}
            used = {each.name for rule in self.found.values() for each in references(rule.node)}
            names |= {each for each in used if each.lower() in lower}  # letter case may count, or not
            mistakes = [*self.mistakes, *undefined(self.found.values(), names, self.bar)]
            by_line = {each.line or 0: each for each in reversed(mistakes)}  # of a line, the first may cause others
            raise together([by_line[line] for line in sorted(by_line)])
        return self.found

    def rule(self) -> None:
        """Add the next rule. Raises GrammarError."""
        kind, name, line = self.take()
        if kind != "name":
            raise _unexpected(name, line, "the name of a rule")
        mark = self.expect("=", *self.defines)
        node = self.choice()
        last = self.tokens[self.at - 1][2]
        section = next((self.sections[n] for n in range(line, last + 1) if n in self.sections), None)
        self.define(Rule(name, node, line, section), mark)

    def starts_rule(self) -> bool:
        """Return True if the next token is the name of a rule before its definition."""
        return self.tokens[self.at][0] == "name" and self.tokens[self.at + 1][1] in self.defines

    def define(self, rule: Rule, mark: str) -> None:  # noqa: ARG002  other notations have more marks
        """Add a rule; `mark` is the mark after its name. Raises GrammarError if it is defined already."""
        name, line = rule.name, rule.line
        if name in self.found:
            lines = f"in line {self.found[name].line} and in line {line}"
            raise GrammarError(f"rule {name!r} is defined twice: {lines}", rule=name, line=line)
        self.found[name] = rule

    def choice(self) -> Node:
        """Return the next alternatives, or the only one."""
        items = [self.sequence()]
        while self.tokens[self.at][:2] == ("mark", self.bar):
            self.at += 1
            items.append(self.sequence())
        return items[0] if len(items) == 1 else Choice(tuple(items))

    def sequence(self) -> Node:
        """Return the next elements up to a mark, or the only one."""
        items: list[Node] = []
        while self.starts_element():
            items.append(self.element(*items))
        if not items:
            _, text, line = self.tokens[self.at]
            raise _unexpected(text, line, "an element")
        return items[0] if len(items) == 1 else Sequence(tuple(items))

    def starts_element(self) -> bool:
        """Return True if the next token begins an element."""
        kind, text, _ = self.tokens[self.at]
        if kind == "name":
            return not self.starts_rule()
        return kind != "end" if kind != "mark" else text in "[("

    def element(self, *before: Node) -> Node:
        """Return the next element, which stands after those `before` it."""
        kind, text, line = self.take()
        if kind == "times":
            least, most = self.times(text, line)
            if not self.starts_element():
                problem = f"invalid repetition {text!r} in line {line}: expected an element after it"
                rules = (Rule("", self.repeated(each, least, most), 0, None) for each in before[-1:])
                meant = [_RANGE.sub(lambda found: _ranges(found[0], self.bar), self.written(rule)) for rule in rules]
                hint = f"write it before the element: `{meant[0].removeprefix(' = ')}`" if meant else None
                raise GrammarError(problem, line=line, hint=hint)
            return self.repeated(self.element(), least, most)
        if kind != "mark":
            return self.terminal(kind, text, line)
        inner = self.choice()
        if text == "(":
            self.expect(")")
            return inner
        self.expect("]")
        return Repeat(inner, 0, 1)

    def times(self, text: str, line: int) -> tuple[int, int | None]:
        """Return the minimum and the maximum of the repetition `text`."""
        least, star, most = text.partition("*")
        counts = [each.lstrip("0") for each in (least, most)]
        too_many = [len(each) > 2 or int(each or 0) > _MAX_TURNS for each in counts]
        if any(too_many):
            problem = f"invalid repetition {text[:20]!r} in line {line}: expected at most {_MAX_TURNS} times"
            hint = "divide the minimum, as in `64digit 16digit`"
            if not too_many[0]:
                hint = f"leave out the maximum: write `{least}*`"
            raise GrammarError(problem, line=line, hint=hint)
        low, high = int(least or 0), int(most) if most else None if star else int(least)
        if high is not None and (high < low or (high == 0 and not self.has_zero_times)):
            problem = "the maximum is 0" if high == 0 else "the maximum is less than the minimum"
            raise GrammarError(f"invalid repetition {text!r} in line {line}: {problem}", line=line)
        return low, high

    def repeated(self, item: Node, least: int, most: int | None) -> Node:
        """Return `item` with a count before it."""
        if isinstance(item, Repeat) and (item.least, item.most) == (0, 1):
            item = item.item  # section 5 uses brackets around optional or repeated elements
        return Repeat(item, least, most)

    def terminal(self, kind: str, text: str, line: int) -> Node:
        """Return the element that is one token."""
        if kind == "literal":
            return Literal('"' if text == '<">' else text[1:-1])
        if kind == "name":
            return Reference(text)
        first, _, last = text[2:].partition("-")
        return octets(int(first, 16), int(last or first, 16), text, line)


def octets(low: int, high: int, text: str, line: int) -> Octets:
    """Return the octets from `low` to `high`, which `text` names. Raises GrammarError if it ends before it begins."""
    if high < low:
        raise GrammarError(f"invalid range {text!r} in line {line}: it ends before it begins", line=line)
    return Octets(low, high)


def _unexpected(text: str, line: int, expected: str) -> GrammarError:
    found = repr(text) if text else "end of the text"
    return GrammarError(f"unexpected {found} in line {line}: expected {expected}", line=line)
