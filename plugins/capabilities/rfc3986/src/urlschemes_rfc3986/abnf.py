"""The notation of RFC 5234, with RFC 7405: text to the same tree of rules that section 5's notation makes.

    "literal"  %i"literal"     a literal; its letters match without regard to case
    %s"literal"                a literal in just these letters (RFC 7405)
    %x41  %d65  %b1000001      one octet, in hexadecimal, decimal or binary
    %x41-5A  %x0D.0A           one octet of a range; one after the other
    name  <name>               another rule, without regard to case; `<name, words>` too
    a b   a / b   ( a b )      a, then b; a or b; grouping
    [ a ]                      a or nothing
    *a  1*a  2*5a  2a  0a      any number of a; at least one; two to five; exactly two; nothing
    name =/ a                  one more alternative of a rule that is defined before
    ; words                    a comment, as in section 5's notation

The core rules of appendix B.1 may be used. A rule that only words describe (`port = <see RFC 3986 Section 3.2.3>`) is
another rule of that name: a shared rule, a core rule, or one that the text defines elsewhere.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from urlschemes.errors import GrammarError
from urlschemes.grammar.bnf import (
    BNFReader,
    Choice,
    Grammar,
    Literal,
    Octets,
    Reference,
    Repeat,
    Rule,
    Sequence,
    octets,
    references,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from urlschemes.grammar.bnf import Node

__all__ = ["ABNFReader"]

_LEXICON = r"""(?P<space>[ \t\r]+)
      | (?P<newline>\n)
      | (?P<comment>;[^\n]*)
      | (?P<literal>(?:%[sSiI])?"[\x20\x21\x23-\x7E]*")
      | (?P<octets>%(?:[xX][0-9A-Fa-f]+(?:-[0-9A-Fa-f]+|(?:\.[0-9A-Fa-f]+)+)?
                     |[dD][0-9]+(?:-[0-9]+|(?:\.[0-9]+)+)?
                     |[bB][01]+(?:-[01]+|(?:\.[01]+)+)?))
      | (?P<words><[\x20-\x3D\x3F-\x7E]*>)
      | (?P<times>[0-9]*\*[0-9]*|[0-9]+)
      | (?P<name>[A-Za-z][A-Za-z0-9-]*)
      | (?P<mark>=/|[=/\[\]()])
    """
_BASES = {"x": 16, "d": 10, "b": 2}
_TOO_LARGE = 256
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]*")
_MAX_DIGITS = 20
"""The maximum number of digits of an octet, with zeros in front."""

_CORE = {
    "alpha": "ALPHA = %x41-5A / %x61-7A",
    "bit": 'BIT = "0" / "1"',
    "char": "CHAR = %x01-7F",
    "cr": "CR = %x0D",
    "crlf": "CRLF = CR LF",
    "ctl": "CTL = %x00-1F / %x7F",
    "digit": "DIGIT = %x30-39",
    "dquote": "DQUOTE = %x22",
    "hexdig": 'HEXDIG = DIGIT / "A" / "B" / "C" / "D" / "E" / "F"',
    "htab": "HTAB = %x09",
    "lf": "LF = %x0A",
    "lwsp": "LWSP = *( WSP / CRLF WSP )",
    "octet": "OCTET = %x00-FF",
    "sp": "SP = %x20",
    "vchar": "VCHAR = %x21-7E",
    "wsp": "WSP = SP / HTAB",
}
"""The core rules of RFC 5234 appendix B.1, by name in lower case."""


class _Words(Reference):
    """A prose value `text`: the name of a rule, perhaps with a comma and more words after it."""

    __slots__ = ("line", "text")

    def __init__(self, text: str, line: int) -> None:
        super().__init__(text.partition(",")[0].strip())
        self.text = text
        self.line = line


class ABNFReader(BNFReader):
    """A reader of ABNF. The names of rules are spelled as where they are defined, however the text refers to them."""

    name: ClassVar = "abnf"
    tokens_of: ClassVar = _LEXICON
    bar: ClassVar = "/"
    defines: ClassVar = frozenset({"=", "=/"})
    core: ClassVar = _CORE.keys()
    has_zero_times: ClassVar = True

    def __init__(self, text: str, known: Mapping[str, Rule] = MappingProxyType({})) -> None:
        super().__init__(text, known)
        self.spelled = {name.lower(): name for name in known}
        self.described: dict[str, Rule] = {}
        self.none_of: list[Node] = []
        self.unused: dict[str, Rule] = {}

    @staticmethod
    def written(rule: Rule) -> str:
        """Return the text of a rule in ABNF."""
        return f"{rule.name} = {_in_abnf(rule.node)}"

    def rules(self) -> dict[str, Rule]:
        """Return the rules by name, in their order, followed by the core rules that they use."""
        super().rules()
        for lower, rule in self.described.items():
            if lower not in self.spelled and _NAME.fullmatch(str(rule.node)) and str(rule.node).lower() != lower:
                self.spelled[lower] = rule.name
                self.found[rule.name] = rule
        ahead = [*self.found.values(), *self.unused.values()]
        for rule in ahead:
            for reference in references(rule.node):
                lower = reference.name.lower()
                if lower in _CORE and lower not in self.spelled:
                    core = _core_rule(lower)
                    self.spelled[lower] = core.name
                    self.found[core.name] = core
                    ahead.append(core)
                self._check_words(reference, rule)
                reference.name = self.spelled.get(lower, reference.name)
        if self.unused:
            Grammar({**self.known, **self.found, **self.unused}, self.bar)
        return self.found

    def _check_words(self, reference: Reference, rule: Rule) -> None:
        """Raise GrammarError for a prose value, or a rule that is one, if no rule of that name is given."""
        lower = reference.name.lower()
        if lower in self.spelled:
            return
        described = self.described.get(lower)
        rule = described or rule
        words = described.node if described else reference
        if isinstance(words, _Words):
            raise GrammarError(
                f"rule {rule.name!r} in line {words.line} is given in words only: <{words.text}>",
                rule=rule.name,
                line=words.line,
                hint=("define it a second time, in ABNF" if described else "replace the words by the name of a rule"),
            )

    def define(self, rule: Rule, mark: str) -> None:
        """Add a rule, or alternatives to it; a rule that is given in words waits for another definition."""
        lower = rule.name.lower()
        if self.none_of:  # the rules that a count of 0 leaves out must be defined, too
            self.unused[f"0 {lower}"] = Rule(rule.name, Sequence(tuple(self.none_of)), rule.line, None)
            self.none_of = []
        if isinstance(rule.node, _Words) and mark == "=":
            self.described[lower] = rule
            return
        name = self.spelled.get(lower, rule.name)
        before = self.found.get(name) or self.known.get(name)
        if mark == "=/" and before is not None:
            self.found[name] = Rule(name, _either(before.node, rule.node), before.line, before.section)
            return
        if mark == "=/":
            raise GrammarError(
                f"rule {name!r} in line {rule.line} gets more alternatives before it is defined",
                rule=name,
                line=rule.line,
                hint="write `=` where it is first defined",
            )
        super().define(Rule(name, rule.node, rule.line, rule.section), mark)
        self.spelled[lower] = name

    def repeated(self, item: Node, least: int, most: int | None) -> Node:
        """Return `item` with a count before it; brackets keep their meaning."""
        if most == 0:
            self.none_of += [] if isinstance(item, _Words) else [item]
            return Sequence(())
        if isinstance(item, Repeat) and (item.least, item.most) == (0, 1):
            return Repeat(item.item, 0, most)
        return Repeat(item, least, most)

    def terminal(self, kind: str, text: str, line: int) -> Node:
        """Return the element that is one token."""
        if kind == "name":
            return Reference(text)
        if kind == "words":
            return _Words(text[1:-1], line)
        if kind == "literal":
            how, _, literal = text[:-1].partition('"')
            return _literal(literal, sensitive=how.lower() == "%s") if literal else Sequence(())
        base = _BASES[text[1].lower()]
        numbers = re.split("[-.]", text[2:])
        values = [int(number, base) if len(number) <= _MAX_DIGITS else _TOO_LARGE for number in numbers]
        if max(values) >= _TOO_LARGE:
            raise GrammarError(
                f"invalid number {text!r} in line {line}: expected octets, at most %xFF",
                line=line,
                hint="a URL is a sequence of octets: write the octets of the encoding of the character",
            )
        if "-" in text:
            return octets(values[0], values[1], text, line)
        literal = bytes(values).decode("latin-1")
        if literal.isascii() and literal.isprintable() and '"' not in literal:
            return _literal(literal, sensitive=True)
        each = [Octets(value, value) for value in values]
        return each[0] if len(each) == 1 else Sequence(tuple(each))


def _in_abnf(node: Node) -> str:
    """Return `node` as ABNF writes it."""
    match node:
        case Choice(items=items):
            return " / ".join(map(_in_abnf, items))
        case Sequence(items=items) if items:
            return " ".join(f"( {_in_abnf(item)} )" if isinstance(item, Choice) else _in_abnf(item) for item in items)
        case Repeat(item=item, least=0, most=1):
            return f"[ {_in_abnf(item)} ]"
        case Repeat(item=item, least=least, most=most):
            times = str(least) if least == most else f"{least or ''}*{'' if most is None else most}"
            is_one = isinstance(item, Literal | Octets | Reference)
            return f"{times}{_in_abnf(item)}" if is_one else f"{times}( {_in_abnf(item)} )"
        case Literal(text='"'):
            return "%x22"
        case _:
            return str(node)


def _literal(text: str, *, sensitive: bool) -> Literal:
    return Literal(text, sensitive=sensitive and text.lower() != text.upper())


def _either(*nodes: Node) -> Choice:
    return Choice(tuple(item for node in nodes for item in (node.items if isinstance(node, Choice) else (node,))))


def _core_rule(lower: str) -> Rule:
    reader = ABNFReader(_CORE[lower])
    BNFReader.rules(reader)  # its references are resolved by the reader of the text
    (rule,) = reader.found.values()
    return Rule(rule.name, rule.node, 0, "RFC 5234 appendix B.1")
