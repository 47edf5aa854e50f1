"""A part of the URLs of a scheme: an occurrence of a rule, with the ways to decode its text and encode its values."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeAlias
from typing import Literal as OneOf

from urlschemes.errors import require_type
from urlschemes.grammar.octets import escape, octets_of, unescape

if TYPE_CHECKING:
    from decimal import Decimal

Pair: TypeAlias = "tuple[str, str | None]"
Raw: TypeAlias = "str | tuple[str, ...] | tuple[Pair, ...]"
Value: TypeAlias = "Raw | int | Decimal"
Element: TypeAlias = "str | Pair"
Kind: TypeAlias = OneOf["text", "number", "decimal", "list", "pairs"]
Number: TypeAlias = OneOf[True, False, "decimal"]
Take: TypeAlias = OneOf["all", "all but the last", "last"]
Travels: TypeAlias = OneOf["line", "binary", "as-written", "checked"]

TAKES = ("all", "all but the last", "last")
TRAVELS = ("line", "binary", "as-written", "checked")
_PERCENT_SIGN = frozenset(b"%")
DIGITS = 4000
"""The maximum number of digits of a number, without leading zeros; the limit of Python itself is a little higher."""


def number_of(digits: str) -> int:
    """Return the number that `digits` write, with any number of leading zeros."""
    return int(digits.lstrip("0") or "0")


def decimal_of(text: str) -> Decimal:
    """Return the decimal number that `text` writes; its zeros after the dot stay."""
    from decimal import Decimal  # few processes need it

    return Decimal(text)


class Encoded(str):
    """A part as it is written in a URL: constructors and `replace` check it, and do not encode it."""

    __slots__ = ()

    def __new__(cls, text: str = "") -> Self:
        """Return the part that `text` is. Raises TypeError for what is not a str."""
        require_type("an encoded part", text, str)
        return super().__new__(cls, str.__str__(text))  # of a subclass of str, its characters


class Division(NamedTuple):
    """The division of the text of a list into elements.

    Rules of two forms are lists. `first *[ "/" element ]` has at least one element, with the `separator` between
    them; `first` may be another rule. In brackets it is `optional`: an empty text has no elements, and differs from an
    absent list. `*[ ";" element ]` has any number, each after the separator (`leading`). An element `name "=" value`
    or `name [ "=" value ]` is a pair, with `equals` between name and value; a value that is absent is None.
    """

    separator: str
    equals: str = ""
    leading: bool = False
    optional: bool = False

    @property
    def octets(self) -> frozenset[int]:
        """The octets that no element may hold as they are."""
        return frozenset((self.separator + self.equals).encode())

    def divided(self, whole: str) -> tuple[Element, ...]:
        """Return the elements of the text `whole`."""
        elements = whole.split(self.separator)[1 if self.leading else 0 :] if whole or not self.optional else []
        if not self.equals:
            return tuple(elements)
        pairs = (element.partition(self.equals) for element in elements)
        return tuple((name, value if equals else None) for name, equals, value in pairs)

    def joined(self, elements: Iterable[Element]) -> str:
        """Return the text of the list that has these elements."""
        pairs = ((each,) if isinstance(each, str) else each for each in elements)
        texts = [self.equals.join(each for each in pair if each is not None) for pair in pairs]
        text = self.separator.join(texts)
        return self.separator + text if self.leading and texts else text


class Held(NamedTuple):
    """The octets that a part, or an element of it, may hold as they are and encoded, and the `rule` it derives from."""

    rule: str
    bare: frozenset[int]
    escapes: frozenset[int]


class Part:
    """A part of the URLs of a scheme: an occurrence of a rule.

    `at` are the occurrences: ends of the paths of rule names that lead to them, such as `("port",)` and `("nntpurl",
    "digits")`; the last name may be a quoted literal. A list part is divided by its `division` into elements of the
    rule `element`, each encoded by itself; `take` says which of them the part is. `number` parts are digits and become
    an int; the number "decimal" becomes a Decimal. `exclude` are octets that the part never holds. `decoded` is a rule
    that derives the octets of the part, or of each element of a list, when they are decoded, besides the rule of its
    text. Errors name the part as it is `called`, and `says` describes it, as their hint. `travels` says how the part is
    sent to a server:

    - `line`: on a protocol line, so that access refuses control octets;
    - `binary`: as counted octets, any of them;
    - `as-written`: without being decoded. A part that is text is then read and given as written (`as_written`);
    - `checked`: on protocol lines, by an algorithm that checks the control octets itself before it connects.
    """

    holds: Callable[[str], Held]
    """Returns what a part of the same syntax may hold, by its name."""

    def __init__(
        self,
        name: str,
        at: Iterable[str],
        *,
        element: str | None = None,
        take: Take = "all",
        number: Number = False,
        exclude: Iterable[int] = (),
        decoded: str | None = None,
        travels: Travels = "line",
        called: str | None = None,
        says: str | None = None,
    ) -> None:
        self.name = self.mark = name
        self.called = called or name.replace("_", " ")
        self.at = tuple(map(_path, at))
        self.element = element
        self.take = take
        self.number = number
        self.exclude = frozenset(exclude)
        self.decoded = decoded
        self.travels = travels
        self.as_written = travels == "as-written" and element is None and not number
        self.says = says
        self.division: Division | None = None

    def __repr__(self) -> str:
        return f"<Part {self.name}>"

    @property
    def kind(self) -> Kind:
        """The kind of its values: str, int, Decimal, or a tuple of texts or of pairs."""
        if self.number:
            return "decimal" if self.number == "decimal" else "number"
        if self.element is None or self.take == "last":
            return "text"
        return "pairs" if self.division is not None and self.division.equals else "list"

    @property
    def rule(self) -> str:
        """The rule that the part, or an element of it, derives from."""
        return self.holds(self.name).rule

    @property
    def bare(self) -> frozenset[int]:
        """The octets that the part may hold as they are."""
        return self.holds(self.name).bare

    @property
    def escapes(self) -> frozenset[int]:
        """The octets that the part may hold encoded."""
        return self.holds(self.name).escapes

    def decodes(self, path: tuple[str, ...]) -> bool:
        """Return True if what derives at `path`, decoded, must derive from the rule `decoded`."""
        if self.decoded is None:
            return False
        if self.element is None:
            return any(path[-len(at) :] == at for at in self.at)
        return path[-1] == self.element and any(
            path[start : start + len(at)] == at for at in self.at for start in range(len(path) - len(at))
        )

    @property
    def described(self) -> str:
        """The part in a few words: text, a number, or elements of a list, and the octets that it excludes."""
        if self.number:
            what = "a decimal number" if self.number == "decimal" else "a number"
        elif self.element is None:
            what = f"text, the encoding of {self.decoded}" if self.decoded else "text"
        elif self.take == "last":
            what = f"the last {self.element} of its list"
        else:
            what = f"a list of {self.element}" + ("" if self.take == "all" else f", {self.take}")
        without = ", ".join(f"{octet:02X}" for octet in sorted(self.exclude))
        return f"{what} without the octets {without}" if without else what

    @property
    def absent(self) -> tuple[str, ...] | None:
        """The value of the part if its occurrence is absent."""
        if self.kind not in {"list", "pairs"} or (self.division is not None and self.division.optional):
            return None
        return ()

    def raw_of(self, whole: str) -> Raw:
        """Return the part as written, given the text `whole` of its occurrence."""
        if self.division is None:
            return whole
        elements = self.division.divided(whole)
        if self.take == "all":
            return elements  # type: ignore[return-value]  # all texts, or all pairs
        return elements[-1] if self.take == "last" else elements[:-1]  # type: ignore[return-value]

    def share(self, text: str, start: int, end: int) -> tuple[int, int] | None:
        """Return where the part stands in its occurrence from `start` to `end` of `text`; None without elements.

        It is all of the occurrence, unless two parts share a list.
        """
        if self.division is None or self.take == "all":
            return start, end
        separator = self.division.separator
        cut = text.rfind(separator, start, end)
        if self.take == "last":
            return (start if cut < 0 else cut + len(separator)), end
        return None if cut < 0 or (self.division.leading and cut == start) else (start, cut)

    @property
    def decode(self) -> Callable[[str], Value]:
        """The function that returns the value of the part, given the text of its occurrence."""
        if self.number:
            return decimal_of if self.number == "decimal" else number_of
        division = self.division
        if division is None:
            return str if self.as_written else unescape
        separator, end = division.separator, -1 if self.take == "all but the last" else None
        if self.take == "last":
            return lambda whole: unescape(whole.rpartition(separator)[2])
        if division.leading or division.equals or division.optional:
            return lambda whole: _decoded(self.raw_of(whole))

        def decode(whole: str) -> tuple[str, ...]:
            elements = whole.split(separator)[:end]
            return tuple([unescape(element) for element in elements] if "%" in whole else elements)

        return decode

    def written(self, text: str) -> str:
        """Return `text` as it is written in this part or in one of its elements: encoded as needed.

        If the rule has no escapes, `text` is returned as it is, and parsing checks it; so are the percent signs of a
        part that is given as written. Raises ValueError for an octet that the part cannot hold, even encoded.
        """
        octets, (_, bare, escapes) = octets_of(text), self.holds(self.name)
        if not escapes:
            return text
        if self.as_written and "%" in text:
            bare |= _PERCENT_SIGN
        for octet in octets:
            if octet not in bare and octet not in escapes:
                raise ValueError(f"octet {octet:02X}")
        return escape(octets, bare)


def _decoded(raw: Any) -> Any:
    return unescape(raw) if isinstance(raw, str) else raw and tuple([_decoded(each) for each in raw])


def _path(spec: str) -> tuple[str, ...]:
    before, quote, literal = spec.partition('"')
    return (*(name for name in before.split("/") if name), *([quote + literal] if quote else []))
