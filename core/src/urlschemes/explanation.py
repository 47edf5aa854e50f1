"""Why a text is no URL: the slow path, taken only when somebody reads the error.

How far the text derives, what could have stood there, the rule at fault and where it is written.
"""

from __future__ import annotations

import re

from urlschemes import errors
from urlschemes.automaton import bits
from urlschemes.errors import BadEscape, Explanation, FragmentPresent, InvalidCharacter
from urlschemes.expansion import Characters, Marked, marks
from urlschemes.refusal import AUTHORITY, LOGIN_RUN, NOT_IN_ANY_URL, STOP, refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from urlschemes.errors import InvalidURL
    from urlschemes.syntax import Part, Syntax

__all__ = ["explained", "impossible_login"]

_PORT = re.compile(r":[0-9]{1,4000}+")


def explained(text: str, syntax: Syntax, scheme: str | None) -> Explanation:
    """Why `syntax`, that of `scheme`, does not match `text`."""
    kind = type(refused(text, syntax, Explanation("")))
    return _explain(text, kind, syntax, scheme)


def _explain(text: str, kind: type[InvalidURL], syntax: Syntax, scheme: str | None) -> Explanation:
    if issubclass(kind, InvalidCharacter | BadEscape):
        return _character(text, kind, syntax, scheme)
    automaton = syntax.automaton
    found = AUTHORITY.match(text)
    position, expected, reached = automaton.reach(text, impossible_login(text, syntax))
    words = _words(syntax, expected)
    if automaton.tree.last & reached and position < len(text):
        words = (*words, "the end of the URL")
    part = _part(syntax, expected) or _part(syntax, reached)
    rule = syntax.parts[part].rule if part else _common_rule(syntax, expected or reached)
    hint = None
    if kind is errors.InvalidScheme:
        part, rule, words, position = "scheme", "scheme", ("a scheme name and a colon",), _scheme_fault(text)
        hint = "a URL begins with the name of its scheme: letters, digits, `+`, `-` and `.`, then a colon"
    elif kind is errors.MissingAuthority:
        part, rule, words = "host", "ip-schemepart", ('"//"',)
        hint = "write `//` and the host after the colon"
    elif found is not None and issubclass(kind, errors.InvalidUserinfo | errors.InvalidHost | errors.InvalidPort):
        part = "user" if issubclass(kind, errors.InvalidUserinfo) else "port" if kind is errors.InvalidPort else "host"
        rule = part if part in syntax.grammar.rules else rule
        if kind is errors.UserinfoNotAllowed:
            position, words = found.start("user"), ("a host",)
            hint = "this scheme has no user name and no password, and an `@` before the path can only end one"
        elif kind is errors.InvalidUserinfo:
            position = found.start("user") + LOGIN_RUN.match(found["user"]).end()  # type: ignore[union-attr]
            words = (f'"%{ord(text[position]):02X}"',)
            hint = "within a user name or password `:`, `@` and `/` must be encoded: %3A, %40, %2F"
        elif kind is errors.InvalidPort:
            position = found.start("colon") + _port_end(found["colon"])
            if text[position : position + 1].isdigit():
                words = ("at most 4,000 digits",)
            hint = "leave the colon out with the port" if found["colon"] == ":" else "a port is a decimal number"
        elif kind is errors.EmptyHost:
            position, hint = found.start("host"), "write a domain name or four groups of digits after `//`"
        else:
            position = min(position, found.end("host"))
            hint = _host_hint(found["host"], found["colon"], syntax)
    excluded = _excluded(text, position, syntax) if kind is errors.InvalidPart else None
    if excluded is not None:
        part, octet, position = excluded
        return Explanation(
            f"the {part} cannot hold the octet {octet:02X}, encoded at position {position}",
            scheme=scheme,
            part=part,
            position=position,
            expected=("another octet",),
            rule=syntax.parts[part].rule,
            section=syntax.section_of(syntax.parts[part].rule),
            hint="the registration of the scheme excludes it",
        )
    if position >= len(text) and not words:
        words = ("fewer digits",)
    came = repr(text[position]) if position < len(text) else "the end of the text"
    wanted = _listed(words)
    return Explanation(
        f"{came} at position {position} where {wanted} is due"
        if wanted
        else f"{came} at position {position} cannot be there",
        scheme=scheme,
        part=part,
        position=position,
        expected=words,
        rule=rule,
        section=syntax.section_of(rule) if rule else None,
        hint=hint,
    )


def _excluded(text: str, position: int, syntax: Syntax) -> tuple[str, int, int] | None:
    """The part, the octet and its position, where `text` stops deriving at an escape that a part excludes."""
    start = text.rfind("%", max(0, position - 2), position + 1)
    if start < 0 or not re.match("%[0-9A-Fa-f]{2}", text[start : start + 3]):
        return None
    octet = int(text[start + 1 : start + 3], 16)
    _, before, last = syntax.automaton.reach(text[:start])
    for part in syntax.parts.values():
        if (
            part.escapes
            and octet not in part.escapes
            and (_in_part(syntax, part, last) or _in_part(syntax, part, before))
        ):
            return part.name, octet, start
    return None


def impossible_login(text: str, syntax: Syntax) -> int:
    """The positions of user name and password, if `text` has none.

    Without an `@`, what stands behind the `//` is a host, however much it looks like the beginning of a login.
    """
    found = AUTHORITY.match(text)
    positions = 0
    if found is not None and found["user"] is None:
        for marked in marks(syntax.automaton.tree):
            if marked.mark in {"user", "password"}:
                positions |= _inside(marked)
    return positions


def _in_part(syntax: Syntax, part: Part, positions: int) -> bool:
    return any(marked.mark == part.mark and positions & _inside(marked) for marked in marks(syntax.automaton.tree))


def _character(text: str, kind: type[InvalidURL], syntax: Syntax, scheme: str | None) -> Explanation:
    if kind is BadEscape:
        position = STOP.match(text).end() - 1  # type: ignore[union-attr]  # it ends with the percent sign
        return Explanation(
            f"'%' at position {position} is not followed by two hexadecimal digits",
            scheme=scheme,
            part=_part_at(text, position, syntax),
            position=position,
            expected=("two hexadecimal digits",),
            rule="escape",
            section="RFC 1738 section 2.2",
            hint="a percent sign that is data is written %25",
        )
    position = NOT_IN_ANY_URL.search(text).start()  # type: ignore[union-attr]
    character, part = text[position], _part_at(text, position, syntax)
    if kind is FragmentPresent:
        message, hint = "'#' begins a fragment, which is no part of the URL", "`fix` gives URL and fragment apart"
    elif not character.isascii() or not character.isprintable():
        message = f"{character!a} at position {position} is no graphic US-ASCII character"
        hint = "encode its octets as % and two hexadecimal digits; `fix` does it, as UTF-8"
        if part == "host":
            hint = "write the name in its US-ASCII form, with labels that begin with xn--"
    elif character == "[" and part == "host":
        message = f"{character!r} at position {position} cannot stand in a host"
        hint = "RFC 1738 knows no IPv6 addresses: write a domain name or an IPv4 address"
    else:
        message = f"{character!r} at position {position} is unsafe and must be encoded always"
        hint = f"write %{ord(character):02X}, or let `fix` do it"
    no_escapes = part is not None and part in syntax.parts and not syntax.parts[part].escapes
    if no_escapes and character.isascii() and character not in "#[":
        hint = f"the {part} can hold no such character in any form"
    return Explanation(
        message,
        scheme=scheme,
        part=part,
        position=position,
        expected=("a character that a URL may hold",),
        rule="xchar",
        section="RFC 1738 section 2.2",
        hint=hint,
    )


def _scheme_fault(text: str) -> int:
    wrong = re.search(r"[^A-Za-z0-9+.\-]", text, re.ASCII)
    return wrong.start() if wrong else len(text)


def _port_end(colon: str) -> int:
    found = _PORT.match(colon)
    return found.end() if found else 1


def _host_hint(host: str, colon: str | None, syntax: Syntax) -> str:
    if "?" in host or ";" in host:
        return "a `/` must stand between the host and what follows it"
    if "port" not in syntax.parts and colon is not None:
        return "this scheme has no port"
    if host.endswith("."):
        return "leave out the dot at the end"
    if host.replace(".", "").isdigit():
        return "an address is four groups of digits; a domain name ends in a label that begins with a letter"
    if "%" in host:
        return "a host has no escapes"
    return (
        "labels hold letters, digits and hyphens, begin and end with a letter or digit, "
        "and the last begins with a letter"
    )


def _part_at(text: str, position: int, syntax: Syntax) -> str | None:
    """The part that the character at `position` would belong to, as far as the text before it tells."""
    if position <= text.find(":") or ":" not in text:
        return "scheme"
    if "host" in syntax.parts:
        found = AUTHORITY.match(text)
        if found is not None:
            for name in ("user", "host"):
                if found.start(name) <= position < found.end(name):
                    return name
            if found.start("colon") <= position < found.end("colon"):
                return "port"
    reached, expected, last = syntax.automaton.reach(text[:position])
    if reached != position:
        return None
    inside = _part(syntax, last)
    if inside is not None:
        return inside
    # A part begins here, if only one does.
    begins = {marked.mark for marked in marks(syntax.automaton.tree) if marked.first & expected}
    return _owner(syntax, begins.pop()) if len(begins) == 1 else None


def _part(syntax: Syntax, positions: int) -> str | None:
    """The part that all of `positions` lie in, or None."""
    for marked in marks(syntax.automaton.tree):
        inside = _inside(marked)
        if positions and not positions & ~inside:
            return _owner(syntax, marked.mark)
    return None


def _owner(syntax: Syntax, mark: str) -> str:
    return next(part.name for part in reversed(tuple(syntax.parts.values())) if part.mark == mark)


def _inside(marked: Marked) -> int:
    positions = 0
    ahead = [marked.item]
    while ahead:
        item = ahead.pop()
        if isinstance(item, Characters):
            positions |= 1 << item.position
        else:
            ahead += item.items if hasattr(item, "items") else [item.item]  # type: ignore[attr-defined]
    return positions


def _common_rule(syntax: Syntax, positions: int) -> str | None:
    """The innermost rule that all of `positions` derive from."""
    paths = [syntax.automaton.leaves[position].path for position in bits(positions)]
    if not paths:
        return None
    common = paths[0]
    for path in paths[1:]:
        common = common[
            : next(
                (n for n, (a, b) in enumerate(zip(common, path, strict=False)) if a != b), min(len(common), len(path))
            )
        ]
    return common[-1] if common else None


FEW = 8
"""A set of no more characters is listed in words."""

_SETS = {"uchar", "xchar", "unreserved", "alphadigit", "alpha", "safe", "extra", "reserved", "hex", "digit", "lowalpha"}
_CLASSES = (
    (sum(1 << ord(c) for c in "0123456789"), "a digit"),
    (sum(1 << ord(c) for c in "0123456789ABCDEFabcdef"), "a hexadecimal digit"),
    (sum(1 << ord(c) for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"), "a letter"),
    (sum(1 << ord(c) for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"), "a letter or digit"),
    (
        sum(1 << ord(c) for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-"),
        "a letter, digit or hyphen",
    ),
)


def _words(syntax: Syntax, positions: int) -> tuple[str, ...]:
    """What may stand at any of `positions`, in words."""
    found: dict[str, None] = {}
    for position in bits(positions):
        leaf = syntax.automaton.leaves[position]
        if leaf.literal is not None:
            word = f'"{leaf.literal}"'
        else:
            word = next((name for mask, name in _CLASSES if mask == leaf.mask), "")
            if not word:
                codes = list(bits(leaf.mask))
                if len(codes) <= FEW:
                    found.update((f'"{chr(code)}"', None) for code in codes)
                    continue
                word = f"a character of {_rule_of(syntax, leaf)}"
        found[word] = None
    for wide, narrow in (
        ("a letter, digit or hyphen", ("a letter or digit", "a letter", "a digit")),
        ("a letter or digit", ("a letter", "a digit")),
    ):
        if wide in found:
            found = {word: None for word in found if word not in narrow}
    return tuple(found)


def _rule_of(syntax: Syntax, leaf: Characters) -> str:
    """The innermost rule of the scheme's own that `leaf` derives from; the shared sets of characters say little."""
    own = [rule for rule in leaf.path if rule not in _SETS and rule in syntax.grammar.rules]
    return (own or leaf.path)[-1]


def _listed(words: tuple[str, ...]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}" if words else ""
