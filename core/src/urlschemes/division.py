"""How the text of a list is divided into its elements.

Two forms of a rule are lists. `element *[ "/" element ]` has at least one element, with the literal between them.
`*[ element ]` has any number, where the rule of the element begins with the literal: `";" value`, or
`";" name "=" value`, whose elements are pairs.
"""

from urlschemes.bnf import Literal, Reference, Repeat, Sequence
from urlschemes.errors import GrammarError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import TypeAlias

    from urlschemes.bnf import Node, Rule

    Element: TypeAlias = "str | tuple[str, str]"

__all__ = ["Division", "division"]


class Division:
    """`separator` stands between elements, or before each where `leading`.

    Elements are pairs where `equals`, which then stands between name and value, is not "".
    """

    __slots__ = ("equals", "leading", "separator")

    def __init__(self, separator: str, equals: str = "", *, leading: bool = False) -> None:
        self.separator = separator
        self.leading = leading
        self.equals = equals

    @property
    def octets(self) -> frozenset[int]:
        """What no element may hold as it is."""
        return frozenset((self.separator + self.equals).encode())

    def divided(self, whole: str) -> "tuple[Element, ...]":
        """The elements of the text `whole`."""
        if not self.leading:
            return tuple(whole.split(self.separator))
        elements = whole.split(self.separator)[1:]
        if not self.equals:
            return tuple(elements)
        pairs = (element.partition(self.equals) for element in elements)
        return tuple((name, value) for name, _, value in pairs)

    def joined(self, elements: "Iterable[Element]") -> str:
        """The text of the list that has these elements."""
        texts = [element if isinstance(element, str) else self.equals.join(element) for element in elements]
        text = self.separator.join(texts)
        return self.separator + text if self.leading and texts else text


def division(rules: "Mapping[str, Rule]", rule: str, element: str, part: str) -> Division:
    """How the list `part`, which derives from `rule`, is divided into what derives from `element`.

    Raises GrammarError where the rules have neither form.
    """
    node = rules[rule].node if rule in rules else None
    match node:
        case Sequence(items=(Reference() as first, Repeat(item=Sequence(items=(Literal() as between, again))))):
            if first.name == str(again) == element and _is_one_way(between.text):
                return Division(between.text)
        case Repeat(item=Reference(name=name), least=0, most=None) if name == element and name in rules:
            found = _leading(rules[name].node)
            if found is not None:
                return found
    raise GrammarError(
        f'the list part {part!r} must be a rule of the form `{element} *[ "/" {element} ]`, '
        f'or `*[ {element} ]` with `{element} = ";" name "=" value`',
        rule=rule if rule in rules else None,
    )


def _leading(node: "Node") -> Division | None:
    match node:
        case Sequence(items=(Literal(text=separator), Reference())) if _is_one_way(separator):
            return Division(separator, leading=True)
        case Sequence(items=(Literal(text=separator), Reference(), Literal(text=equals), Reference())) if _is_one_way(
            separator
        ) and _is_one_way(equals):
            return Division(separator, equals, leading=True)
    return None


def _is_one_way(literal: str) -> bool:
    """Whether the literal is written in one way only."""
    return literal.lower() == literal.upper() and "%" not in literal
