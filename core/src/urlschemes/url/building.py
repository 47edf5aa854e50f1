"""Parts made into the text of a URL: what `build` and `replace` do.

What a part may not hold as it is, is encoded; what stands between parts comes from the rules, or stays as it was.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.grammar.octets import ESCAPE
from urlschemes.grammar.part import DIGITS, Encoded
from urlschemes.url.fault_kind import fault_of

if TYPE_CHECKING:
    import re
    from collections.abc import Collection, Iterable, Mapping

    from urlschemes.errors import InvalidURL
    from urlschemes.grammar.part import Part, Raw
    from urlschemes.grammar.syntax import Syntax

__all__ = [
    "blamed",
    "by_mark",
    "cannot_be",
    "edited",
    "lacking",
    "outermost",
    "written",
]


_BITS = (10**DIGITS).bit_length()


def written(part: Part, value: object, scheme: str | None) -> Raw:
    """`value` as `part` is written. Raises InvalidURL for a value that the part cannot have."""

    def fault(why: str, what: str = "the") -> InvalidURL:
        return fault_of(part.name, "", f"{what} {part.name} {why}", scheme=scheme)

    is_list = part.element is not None and part.take != "last"

    def one(text: object) -> str:
        if not isinstance(text, str):
            raise fault(f"is text (str), not {type(text).__name__}", "an element of the" if is_list else "the")
        if isinstance(text, Encoded):
            return str(text)
        try:
            return part.written(text)
        except UnicodeEncodeError:
            raise fault("holds a surrogate that stands for no octet") from None
        except ValueError as error:
            raise fault(f"cannot hold {error}") from None

    if part.number:
        if isinstance(value, Encoded):
            return str(value)
        if not isinstance(value, int) or isinstance(value, bool):
            raise fault(f"is a number from 0 up (int), not {type(value).__name__} {ascii(value)[:20]}")
        if value.bit_length() > _BITS:  # Python would not write it either
            raise fault(f"has more than {DIGITS} digits")
        if value < 0:
            raise fault("is a number from 0 up")
        return str(value)
    if not is_list:
        return one(value)
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        kind = "pairs of texts" if part.division is not None and part.division.equals else "texts"
        raise fault(f"must be a list of {kind}, not {type(value).__name__}")
    if part.division is not None and part.division.equals:
        pairs = [each if isinstance(each, tuple | list) else () for each in value]
        if any(len(pair) != 2 for pair in pairs):
            raise fault("must be a list of pairs of texts, a name and a value")
        return tuple((one(name), one(text)) for name, text in pairs)
    return tuple(map(one, value))


def by_mark(syntax: Syntax, raw: Mapping[str, Raw | None]) -> dict[str, str]:
    """The text of each occurrence, from the parts that it holds."""
    texts: dict[str, str] = {}
    for part in syntax.parts.values():
        value = raw.get(part.name)
        if part.division is None:
            if isinstance(value, str):
                texts[part.mark] = value
        elif part.mark not in texts:
            sharing = {other.take: raw.get(other.name) for other in syntax.parts.values() if other.mark == part.mark}
            elements = sharing.get("all")
            front, last = sharing.get("all but the last") or (), sharing.get("last")
            if front or last is not None:
                elements = (*front, str(last or ""))
            # A list with what divides it between its elements has at least one: where it has none, it is absent.
            if elements is not None and (elements or part.division.leading):
                texts[part.mark] = part.division.joined(elements)
    return texts


def edited(
    syntax: Syntax,
    match: re.Match[str],
    before: dict[str, str],
    after: dict[str, str],
    names: Collection[str],
) -> str | None:
    """The URL `match` with the occurrences `before` written as `after`; what stands between them stays where it can.

    They differ in the parts `names`. None where no URL has just these occurrences.
    """
    spans = {syntax.parts[name].mark: syntax.span(match, name) for name in names}
    nested = any(syntax.within(mark) & spans.keys() for mark in spans)
    if nested or any(span is None or mark not in after for mark, span in spans.items()):
        return _rebuilt(syntax, match, outermost(syntax, before), outermost(syntax, after))
    text = match.string
    for mark, span in sorted(spans.items(), key=lambda item: item[1] or (0, 0), reverse=True):
        if span is not None:
            text = text[: span[0]] + after[mark] + text[span[1] :]
    return text


def outermost(syntax: Syntax, texts: dict[str, str]) -> dict[str, str]:
    """`texts` without the occurrences that lie within others."""
    inner = frozenset[str]().union(*map(syntax.within, texts))
    return {mark: text for mark, text in texts.items() if mark not in inner}


def _rebuilt(syntax: Syntax, match: re.Match[str], before: dict[str, str], after: dict[str, str]) -> str | None:
    """As `edited`, where occurrences come or go: what stands between the others is kept unless the rules change it."""
    taken = syntax.taken(match, before)
    old, new = syntax.compose(before, taken), syntax.compose(after, taken)
    if old is None or new is None:
        return None
    kept = [mark for mark in before if mark in after]
    mine, plain, wanted = (_between(syntax, text, kept) for text in (match.string, old, new))
    if mine is None or plain is None or wanted is None:
        return None
    glue = [m if p == w else w for m, p, w in zip(mine, plain, wanted, strict=True)]
    pieces = [glue[0]]
    for mark, between in zip(kept, glue[1:], strict=True):
        pieces += [after[mark], between]
    scheme, colon, _ = match.string.partition(":")
    return scheme + colon + "".join(pieces).partition(":")[2]


def _between(syntax: Syntax, text: str, kept: list[str]) -> list[str] | None:
    """What stands in `text` before, between and behind the occurrences `kept`."""
    match = syntax.fullmatch(text)
    if match is None:
        return None
    pieces, at = [], 0
    names = {part.mark: part.name for part in syntax.parts.values()}
    for mark in kept:
        span = syntax.span(match, names[mark])
        if span is None:
            return None
        pieces.append(text[at : span[0]])
        at = span[1]
    return [*pieces, text[at:]]


def blamed(
    syntax: Syntax, raw: Mapping[str, Raw | None], names: Iterable[str], scheme: str | None
) -> InvalidURL | None:
    """The error for the first of the parts `names` that does not derive from its rule.

    Not where it holds an escape that the part excludes: of that, parsing says more.
    """
    for name in names:
        part, value = syntax.parts[name], raw.get(name)
        text = by_mark(syntax, {name: value}).get(part.mark)
        if text is not None and not syntax.derives(name, text):
            held = {int(digits, 16) for digits in ESCAPE.findall(text)}
            return None if part.escapes and held - part.escapes else cannot_be(name, value, scheme, syntax)
    return None


def cannot_be(name: str, value: object, scheme: str | None, syntax: Syntax) -> InvalidURL:
    """The error for a `value`, as written, that does not derive from the rule of the part `name`."""
    shown = "what was given" if name == "password" else ascii(value)
    part = syntax.parts[name]
    return fault_of(
        name,
        "",
        f"{shown} cannot be the {name}",
        scheme=scheme,
        rule=part.rule,
        section=syntax.section_of(part.rule),
        hint=part.says,
    )


def lacking(syntax: Syntax, raw: Mapping[str, Raw | None]) -> str | None:
    """The part without which no URL has just the parts `raw`, if it is one alone; in words."""
    texts = by_mark(syntax, raw)
    for name, part in syntax.parts.items():
        if (
            part.take != "all but the last"
            and part.mark not in texts
            and syntax.compose({**texts, part.mark: ""}) is not None
        ):
            return f"give the {name} too"
    return None
