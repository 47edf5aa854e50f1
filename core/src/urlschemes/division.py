"""How the text of a list is divided into its elements.

Two forms of a rule are lists. `element *[ "/" element ]` has at least one element, with the literal between them.
`*[ element ]` has any number, where the rule of the element begins with the literal: `";" value`, or
`";" name "=" value`, whose elements are pairs.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeAlias

    Element: TypeAlias = "str | tuple[str, str]"

__all__ = ["Division"]


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
