"""The text of a URL from its parts: the constructor of a URL type, `replace`, and one spelling.

Characters that a part cannot hold are encoded. The text between parts comes from the rules, or stays as it was.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from itertools import combinations
from typing import Any, TypeVar

from urlschemes.errors import InvalidURL, invalid_url
from urlschemes.grammar.derivation import expected_words, listed
from urlschemes.grammar.octets import ESCAPE, escape, octets_of, unescape
from urlschemes.grammar.part import DIGITS, Encoded, Part, Raw
from urlschemes.grammar.syntax import Syntax
from urlschemes.url.fields import REQUIRED, URLBase, absent_value
from urlschemes.url.pattern_reader import LIMIT

AnyURL = TypeVar("AnyURL", bound=URLBase)

_TOO_LARGE = 10**DIGITS
_MOST_ZEROS = 64
"""Zeros that are tried before a number: a rule demands no more."""


def build(kind: type[AnyURL], values: Mapping[str, Any], limit: int) -> AnyURL:
    """Return the URL of the type `kind` whose parts have these values; the other parts have their defaults.

    Raises TypeError for a part that `kind` does not have or that is missing, InvalidURL if no URL has these values.
    """
    syntax = _syntax_with(kind, values)
    for name, field in kind._fields.items():
        if field.default is REQUIRED and name in syntax.parts and values.get(name) is None:
            raise TypeError(f"{kind.__name__}() is missing the part {name!r}")
    written, raw = _written_values(kind, values)
    text = _with_needed(kind, raw, (), lambda each: syntax.composer.compose(_texts_of(syntax, each)))
    return _parsed(kind, text, raw, written, limit)


def change(url: AnyURL, values: Mapping[str, Any], limit: int) -> AnyURL:
    """Return `url` with these values of parts, and with the text of the others unchanged.

    Raises TypeError for a part that the URL's type does not have, InvalidURL if no URL has these values.
    """
    kind = type(url)
    syntax = _syntax_with(kind, values)
    old = syntax.present(url._match)
    # A new part takes the place of the parts within it, and of those around it.
    raw = {name: each for name, each in old.items() if not any(syntax.overlap(name, other) for other in values)}
    written, new = _written_values(kind, values)
    raw |= new
    before, left_out = _texts_of(syntax, old), [name for name, value in values.items() if value is None]

    def edited(each: dict[str, Raw]) -> str | None:
        changed = {name for name in values if name in old or name in each}  # not one that is absent and stays so
        return _edited(syntax, url._match, before, _texts_of(syntax, each), changed | (each.keys() - raw.keys()))

    text = _with_needed(kind, raw, left_out, edited)
    # A URL that was parsed beyond the default limit can be changed beyond it.
    return _parsed(kind, text, raw, written, limit if len(str(url)) <= limit else sys.maxsize)


def _syntax_with(kind: type[URLBase], values: Mapping[str, Any]) -> Syntax:
    """Return the syntax of `kind`, which has all the parts `values`."""
    for name in values.keys() - kind.syntax.parts.keys():
        raise TypeError(f"{kind.__name__} has no part {name!r}; its parts are {', '.join(kind.syntax.parts)}")
    return kind.syntax


def _written_values(kind: type[URLBase], values: Mapping[str, Any]) -> tuple[dict[str, Raw], dict[str, Raw]]:
    """Return the parts of `values` that are not None, as they are written; and those of them that are not left out."""
    given = {
        name: tuple(value) if hasattr(value, "__next__") else value
        for name, value in values.items()
        if value is not None
    }
    written = {name: _written(kind, kind.syntax.parts[name], value) for name, value in given.items()}
    return written, {name: each for name, each in written.items() if not _is_default(kind, name, given[name])}


def _is_default(kind: type[URLBase], name: str, value: Any) -> bool:
    """Return True if `value` is the value of the part in a URL that lacks it; the part is left out then."""
    if name not in kind._fields or isinstance(value, Encoded):
        return False
    is_list = kind.syntax.parts[name].kind in {"list", "pairs"}
    return bool((tuple(value) if is_list else value) == absent_value(kind, name))


def _with_needed(
    kind: type[URLBase], raw: dict[str, Raw], left_out: Collection[str], compose: Callable[[dict[str, Raw]], str | None]
) -> str | None:
    """Return what `compose` makes of `raw`, with as few as possible of the parts that are written when needed."""
    needed = {
        name: field.when_needed
        for name, field in kind._fields.items()
        if field.when_needed is not None and name not in raw and name not in left_out
        if kind.syntax.derives(name, field.when_needed)
    }
    ways = (names for count in range(len(needed) + 1) for names in combinations(needed, count))
    texts = (compose({**raw, **{name: needed[name] for name in names}}) for names in ways)
    return next((text for text in texts if text is not None), None)


def _written(kind: type[URLBase], part: Part, value: object) -> Raw:
    """Return `value` as `part` is written. Raises InvalidURL for a value that the part cannot have."""
    if part.number:
        return _written_number(kind, part, value)
    if part.element is None or part.take == "last":
        text = _written_text(kind, part, value, "the")
        if part.as_written and not isinstance(value, Encoded):
            _check_beginning(kind, part, value, text)
        return text if isinstance(value, Encoded) else _dividing(kind.syntax, part, text)
    pairs = part.kind == "pairs"
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        wants = "a list of pairs of str" if pairs else "a list of str"
        raise _wrong_value(kind, part, f"the {part.called} must be {wants}, not {type(value).__name__}")
    if not pairs:
        return tuple(_written_text(kind, part, each, "each element of the") for each in value)
    elements = [each if isinstance(each, tuple | list) else () for each in value]
    if any(len(pair) != 2 for pair in elements):
        raise _wrong_value(kind, part, f"each element of the {part.called} must be a pair of str, a name and a value")
    return tuple(
        (
            _written_text(kind, part, name, "each name in the"),
            None if text is None else _written_text(kind, part, text, "each value in the"),
        )
        for name, text in elements
    )


def _written_number(kind: type[URLBase], part: Part, value: object) -> str:
    if isinstance(value, Encoded):
        return str(value)
    wanted, has, hint = "an int from 0 up", type(value).__name__, None
    if isinstance(value, int) and not isinstance(value, bool):
        if abs(value) >= _TOO_LARGE:  # Python would not write a number that is a little larger
            raise _wrong_value(kind, part, f"the {part.called} has more than {DIGITS} digits")
        if value >= 0 or part.number == "decimal":
            return _padded(kind.syntax, part, str(value))
        has = str(value)
    elif part.number == "decimal":
        from decimal import Decimal  # few processes need it

        wanted, hint = "a finite Decimal or an int", "write Decimal(str(value))" if isinstance(value, float) else None
        if isinstance(value, Decimal) and value.is_finite():
            if max(value.adjusted(), -int(value.as_tuple().exponent)) > LIMIT:
                raise _wrong_value(kind, part, f"the {part.called} has more than {LIMIT} digits")
            return _padded(kind.syntax, part, format(value, "f"))
        has = str(value) if isinstance(value, Decimal) else has
    raise _wrong_value(kind, part, f"the {part.called} must be {wanted}, not {has}", hint)


def _padded(syntax: Syntax, part: Part, number: str, default: str | None = None) -> str:
    """Return `number` with as few zeros before it as the rule of the part derives, `default` if it derives none."""
    ways = (number.zfill(len(number) + zeros) for zeros in range(_MOST_ZEROS))
    return next((way for way in ways if syntax.derives(part.name, way)), default or number)


def _written_text(kind: type[URLBase], part: Part, text: object, what: str) -> str:
    if not isinstance(text, str):
        raise _wrong_value(kind, part, f"{what} {part.called} must be str, not {type(text).__name__}")
    if isinstance(text, Encoded) or (part.name == "host" and part.escapes):  # its value is as written
        return str.__str__(text)
    try:
        return part.written(text)
    except UnicodeEncodeError:
        raise _wrong_value(kind, part, f"the {part.called} cannot hold a surrogate that is not an octet") from None
    except ValueError as error:
        raise _wrong_value(kind, part, f"the {part.called} cannot hold the {error}") from None


def _check_beginning(kind: type[URLBase], part: Part, value: Any, text: str) -> None:
    """Raise InvalidURL if `value`, which is written as `text`, begins with the delimiter before the part."""
    name, delimiter = part.name, kind.syntax.delimiters[part.name]
    if delimiter and value.startswith(delimiter):
        rest = value.removeprefix(delimiter)
        without = f"Encoded({part.written(rest)!a})" if rest.startswith(delimiter) else ascii(rest)
        hint = f"write {name}={without} without it, or {name}=Encoded({text!a}) if it is data"
        message = f"invalid {part.called} {value!r}: it begins with the {delimiter!r} that stands before it"
        raise _wrong_value(kind, part, message, hint, rule=part.rule, section=kind.syntax.section_of(part.rule))


def _dividing(syntax: Syntax, part: Part, text: str) -> str:
    """Return `text` with a reserved character that divides the part encoded wherever it is data: all but the last."""
    if syntax.derives(part.name, text):
        return text
    for character in syntax.profile.reserved:
        data, divider, rest = text.rpartition(character)
        encoded = data.replace(character, f"%{ord(character):02X}") + divider + rest
        if encoded != text and ord(character) in part.escapes and syntax.derives(part.name, encoded):
            return encoded
    return text


def _wrong_value(kind: type[URLBase], part: Part, message: str, hint: str | None = None, **more: Any) -> InvalidURL:
    return invalid_url("", message, part=part.name, scheme=kind._scheme or None, hint=hint, **more)


def _texts_of(syntax: Syntax, raw: Mapping[str, Raw | None]) -> dict[str, str]:
    """Return the text of each occurrence, from the parts that it holds."""
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
            # A list whose elements have a separator between them has at least one; without any it is absent.
            if elements is not None and (elements or part.division.leading or part.division.optional):
                texts[part.mark] = part.division.joined(elements)
    return texts


def _outermost(syntax: Syntax, texts: dict[str, str]) -> dict[str, str]:
    """Return `texts` without the occurrences that lie within others."""
    inner = frozenset[str]().union(*map(syntax.within, texts))
    return {mark: text for mark, text in texts.items() if mark not in inner}


def _edited(
    syntax: Syntax, match: re.Match[str], before: dict[str, str], after: dict[str, str], names: Iterable[str]
) -> str | None:
    """Return the URL `match` with the occurrences `before` written as `after`, which differ in the parts `names`.

    The text between the occurrences stays if it can. None if no URL has just these occurrences.
    """
    spans = {syntax.parts[name].mark: syntax.span(match, name) for name in names}
    nested = any(syntax.within(mark) & spans.keys() for mark in spans)
    if nested or any(span is None or mark not in after for mark, span in spans.items()):
        return _recomposed(syntax, match, _outermost(syntax, before), _outermost(syntax, after))
    text = match.string
    for mark, span in sorted(spans.items(), key=lambda item: item[1] or (0, 0), reverse=True):
        if span is not None:
            text = text[: span[0]] + after[mark] + text[span[1] :]
    return text


def _recomposed(syntax: Syntax, match: re.Match[str], before: dict[str, str], after: dict[str, str]) -> str | None:
    """Return what `_edited` does, where occurrences come or go.

    The text between two occurrences that stay is kept, unless the rules want another one there now.
    """
    options = syntax.composer.options_taken(match.string, before) or ()
    old, new = syntax.composer.compose(before, options), syntax.composer.compose(after, options)
    if old is None or new is None:
        return None
    kept = [mark for mark in before if mark in after]
    given, composed, wanted = (_between(syntax, text, kept) for text in (match.string, old, new))
    if given is None or composed is None or wanted is None:
        return None
    glue = [mine if was == becomes else becomes for mine, was, becomes in zip(given, composed, wanted, strict=True)]
    pieces = [glue[0]]
    for mark, between in zip(kept, glue[1:], strict=True):
        pieces += [after[mark], between]
    scheme = after.get("scheme", match.string.partition(":")[0])
    return f"{scheme}:" + "".join(pieces).partition(":")[2]


def _between(syntax: Syntax, text: str, kept: list[str]) -> list[str] | None:
    """Return the texts before, between and after the occurrences `kept` in the URL `text`."""
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


def _parsed(
    kind: type[AnyURL], text: str | None, raw: Mapping[str, Raw], given: Mapping[str, Raw], limit: int
) -> AnyURL:
    """Return the URL of the composed `text`, which has the parts `raw`; None means that the rules compose no text.

    An error is about the first of the parts `given` that is at fault. Those of them that are not in `raw` have their
    default: they must be absent, or as given.
    """
    syntax = kind.syntax
    if "password" in raw and "user" not in raw and "user" in syntax.parts:
        message, section = "a password needs a user name", syntax.profile.section("login")
        raise invalid_url("", message, scheme=kind._scheme or None, part="password", section=section)
    names = [*(name for name in given if name in raw), *(name for name in raw if name not in given)]
    if text is None:
        composed, missing = syntax.composer.compose(_texts_of(syntax, raw)), _missing(syntax, raw)
        raise _part_at_fault(kind, raw, names, composed) or _no_such_combination(kind, raw, missing)
    try:
        url = kind.parse(text, limit=max(limit, len(text)))
    except InvalidURL as error:
        raise _part_at_fault(kind, raw, names, text) or error from None
    present, values = syntax.present(url._match), {**given, **raw}
    for name, value in values.items():
        if present.get(name, None if name in raw else value) != value:
            raise _part_at_fault(kind, raw, names) or _invalid_part(kind, name, value)
    added = [name for name in present if name not in values and not _may_be_added(kind, name, present[name])]
    missing = [name for name in added if not any(syntax.overlap(name, other) for other in raw)]
    if missing:
        raise _no_such_combination(kind, raw, missing)
    if len(text) > limit:
        kind.parse(text, limit=limit)  # raises InvalidURL
    return url


def _may_be_added(kind: type[URLBase], name: str, value: Raw) -> bool:
    """Return True if a URL may have a part that was not given, as the rules demand: its default, or `when_needed`."""
    field = kind._fields.get(name)
    return field is None or value == absent_value(kind, name) or value == field.when_needed


def _part_at_fault(
    kind: type[URLBase], raw: Mapping[str, Raw], names: Iterable[str], url: str | None = None
) -> InvalidURL | None:
    """Return the error for the first of the parts `names` that does not derive from its rule, with the hint for `url`.

    None if it holds an escape that the part excludes: the error of parsing says more about that.
    """
    syntax = kind.syntax
    for name in names:
        part = syntax.parts[name]
        text = _texts_of(syntax, {name: raw[name]}).get(part.mark)
        if text is not None and not syntax.derives(name, text):
            held = {int(digits, 16) for digits in ESCAPE.findall(text)}
            if part.escapes and held - part.escapes:
                return None
            fault = None if url is None else kind.explanation(url)
            hint = fault.hint if text and fault is not None and fault.part == name else None
            if fault is not None and hint == "leave it out" and name not in {"host", "password"}:
                hint = f"leave out {fault.text[slice(*fault.span)]!a}"
            if hint is None and name == "host":
                hint = syntax.profile.host_hint
            first = syntax.automaton.beginning(part.mark)
            if hint is None and not (text and syntax.automaton.characters(first) >> ord(text[0]) & 1):
                hint = f"begin it with {listed(expected_words(syntax, first))}"
            return _invalid_part(kind, name, raw[name], hint)
    return None


def _invalid_part(kind: type[URLBase], name: str, value: Raw, hint: str | None = None) -> InvalidURL:
    """Return the error for a `value`, as written, that does not derive from the rule of the part `name`."""
    syntax, part = kind.syntax, kind.syntax.parts[name]
    if not isinstance(value, str):  # the first element that is wrong alone
        texts = ((each, _texts_of(syntax, {name: (each,)}).get(part.mark)) for each in value)  # type: ignore[dict-item]
        wrong: Any = (each for each, text in texts if text is not None and not syntax.derives(name, text))
        value = next(wrong, value)
    message = f"invalid {part.called}" + ("" if name == "password" else f" {value!r}")
    section = syntax.section_of(part.rule)
    return _wrong_value(kind, part, message, part.says or hint, rule=part.rule, section=section)


def _missing(syntax: Syntax, raw: Mapping[str, Raw]) -> list[str]:
    """Return the parts each of which would make a URL of the parts `raw`."""
    texts = _texts_of(syntax, raw)
    parts = [part for part in syntax.parts.values() if part.take != "all but the last" and part.mark not in texts]
    return [part.name for part in parts if syntax.composer.compose({**texts, part.mark: ""}) is not None]


def _no_such_combination(kind: type[URLBase], raw: Mapping[str, Raw], missing: list[str]) -> InvalidURL:
    """Return the error for parts of which each may be right, but which no URL has without others."""
    syntax, scheme = kind.syntax, kind._scheme or None
    given = [name for name, value in raw.items() if value != ()]
    surplus = [name for name in given if syntax.composer.compose(_texts_of(syntax, {**raw, name: None})) is not None]
    hint = None
    if missing or surplus:
        hint = f"also give {' or '.join(missing)}" if missing else f"leave out {' or '.join(surplus)}"
    message = f"no {f'{scheme} ' if scheme else ''}URL has exactly these parts: {', '.join(given) or 'none'}"
    part = (missing or surplus)[0] if len(missing or surplus) == 1 else None
    return invalid_url("", message, scheme=scheme, part=part, hint=hint)


def is_decoded(part: Part) -> bool:
    """Return True if the scheme decodes `part` before it uses it: it then means the same however it is written."""
    return not part.as_written and part.name not in {"scheme", "host", "port"}


def recomposed(url: URLBase, spell: Callable[[Part, Raw], Raw | None]) -> str:
    """Return the text of `url` with its parts as `spell` writes them, without those that are None.

    Literals are as in the rules. If `url` has text that belongs to no part and can differ, all of it stays as it is.
    """
    syntax, text = url.syntax, str(url)
    raw = syntax.present(url._match)
    after = {name: spell(syntax.parts[name], each) for name, each in raw.items()}
    if after == raw and _has_plain_literals(url):
        return text  # as composing it would return it, in a quarter of the time
    options = syntax.composer.options_taken(text, _outermost(syntax, _texts_of(syntax, raw)))
    if options is None:
        return text
    return syntax.composer.compose(_outermost(syntax, _texts_of(syntax, after)), options) or text


def _has_plain_literals(url: URLBase) -> bool:
    """Return True if the text outside of the parts is in lower case, as are all literals of the rules."""
    syntax, text = url.syntax, str(url)
    end, between = 0, ""
    for start, stop in sorted(filter(None, (syntax.place(url._match, name) for name in syntax.parts))):
        between += text[end:start]
        end = max(end, stop)
    between += text[end:]
    return between == between.lower() and not syntax.once(f"{__name__}: capitals", partial(_has_capitals, syntax))


def _has_capitals(syntax: Syntax) -> bool:
    """Return True if a literal outside of the parts is not in lower case."""
    automaton = syntax.automaton
    inside = automaton.inside(*(part.mark for part in syntax.parts.values()))
    outside = [leaf.literal or "" for index, leaf in enumerate(automaton.leaves) if not inside >> index & 1]
    return any(literal != literal.lower() for literal in outside)


def spelled(url: URLBase, part: Part, raw: Raw) -> Raw:
    """Return the decoded part `raw` with each octet written in one way, and without zeros before a number.

    An octet that the part may hold as it is is not encoded, unless the record warns of it.
    """
    if isinstance(raw, tuple):
        return tuple(each and spelled(url, part, each) for each in raw)  # type: ignore[return-value, arg-type]  # as `raw`: texts or pairs
    if part.number:
        return _shortest(url.syntax, part, raw)
    cautions = url.registration.cautions if url.registration else ()
    misread = [each.holds for each in cautions if each.part == part.name and each.holds and len(each.holds) == 1]
    bare = part.bare - frozenset(octets_of("".join(misread)))
    if not part.escapes or bare.issuperset(octets_of(raw)):
        return raw
    written = escape(octets_of(unescape(raw)), bare)
    return _dividing(url.syntax, part, written) if part.element is None else written


def _shortest(syntax: Syntax, part: Part, raw: str) -> str:
    """Return the number `raw` without zeros at its ends, as far as the rule of the part allows it."""
    whole, dot, fraction = raw.removeprefix("-").partition(".")
    short = (whole.lstrip("0") or "0") + (dot + fraction.rstrip("0")).rstrip(".")
    short = f"-{short}" if raw.startswith("-") and short != "0" else short
    return raw if short == raw else _padded(syntax, part, short, raw)
