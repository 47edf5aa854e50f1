"""Why a text is no URL: the slow path, taken only when somebody reads the error.

The place, the part and the rule at fault, what is wrong there in words, and what to do about it.
"""

from __future__ import annotations

import re

from urlschemes import errors
from urlschemes.derivation import END, due, listed, octet_named, part_of, rule_of, shortest
from urlschemes.errors import BadEscape, Explanation, FragmentPresent, InvalidCharacter
from urlschemes.octets import octets_of
from urlschemes.refusal import AUTHORITY, LOGIN_RUN, NOT_IN_ANY_URL, STOP, refused
from urlschemes.syntax import DIGITS
from urlschemes.walk import impossible_login

TYPE_CHECKING = False
if TYPE_CHECKING:
    from urlschemes.errors import InvalidURL
    from urlschemes.syntax import Part, Syntax

__all__ = ["explained"]

_PORT = re.compile(r":[0-9]{1,4000}+")
_IPV6 = re.compile(r"(?=[^:]*:[^:]*:)[0-9A-Fa-f:.]{2,}")
_U_ESCAPE = re.compile(r"%u([0-9A-Fa-f]{4})")
_OTHER_SCHEME = re.compile(r"//[A-Za-z0-9]")
_SCHEME_NAME = re.compile(r"[A-Za-z0-9+.\-]++")

_CHARACTERS = {"'": '"\'"', " ": "a blank", "\t": "a tab", "\n": "a line feed", "\r": "a carriage return"}

LABELS = (
    "labels hold letters, digits and hyphens, begin and end with a letter or digit, and the last begins with a letter"
)
NAME = "a scheme name and a colon"
NO_IPV6 = "RFC 1738 knows no IPv6 addresses: write a domain name or an IPv4 address"


class _Fault:
    """What an explanation is made of, as it is found out."""

    __slots__ = ("expected", "hint", "message", "part", "position", "rule")

    def __init__(
        self,
        position: int,
        *,
        part: str | None,
        rule: str | None,
        message: str = "",
        expected: tuple[str, ...] = (),
        hint: str | None = None,
    ) -> None:
        self.position = position
        self.part = part
        self.rule = rule
        self.message = message
        self.expected = expected
        self.hint = hint


def explained(text: str, syntax: Syntax, scheme: str | None) -> Explanation:
    """Why `syntax`, that of `scheme`, does not match `text`."""
    kind = type(refused(text, syntax, Explanation("")))
    fault = _fault(text, kind, syntax)
    part = syntax.parts.get(fault.part or "")
    return Explanation(
        fault.message or f"{_came(text, fault.position)} where {listed(fault.expected)} is due",
        scheme=scheme,
        part=fault.part,
        position=fault.position,
        expected=fault.expected,
        rule=fault.rule,
        definition=_definition(fault.rule, part, syntax),
        section=syntax.section_of(fault.rule) if fault.rule else None,
        hint=fault.hint or (part.says if part else None),
    )


def _definition(rule: str | None, part: Part | None, syntax: Syntax) -> str | None:
    """`rule` in the notation of section 5; the bound of numbers, and what the record excludes, in words behind it."""
    if rule not in syntax.grammar.rules:
        return None
    written = str(syntax.grammar.rules[rule])
    if f"*{DIGITS}digit" in written:
        written = f"{written.replace(f'*{DIGITS}digit', '*digit')}, of which at most {DIGITS:,} are read"
    if part is not None and part.exclude and part.rule == rule:
        written += f", without {listed(tuple(f'{octet:02X}' for octet in sorted(part.exclude)), 'and')}"
    return written


def _fault(text: str, kind: type[InvalidURL], syntax: Syntax) -> _Fault:
    if issubclass(kind, InvalidCharacter | BadEscape):
        return _escape(text, syntax) if kind is BadEscape else _character(text, kind, syntax)
    if kind is errors.InvalidScheme:
        return _scheme(text)
    found = AUTHORITY.match(text)
    if found is not None:
        if kind is errors.MissingAuthority:
            return _slashes(text, syntax)
        if issubclass(kind, errors.InvalidUserinfo):
            return _login(text, kind, found)
        if kind is errors.InvalidPort:
            return _port(text, found, syntax)
        if issubclass(kind, errors.InvalidHost):
            return _host(text, found, syntax)
    return _structure(text, syntax)


def _came(text: str, position: int) -> str:
    if position >= len(text):
        return f"the URL ends at position {position}"
    return f"{_shown(text[position])} at position {position}"


def _shown(character: str) -> str:
    return _CHARACTERS.get(character) or (f"'{character}'" if "!" <= character <= "~" else ascii(character))


# What a URL is written with (section 2.2)


def _escape(text: str, syntax: Syntax) -> _Fault:
    position = STOP.match(text).end() - 1  # type: ignore[union-attr]  # it ends with the percent sign
    part = _part_at(text, position, syntax)
    hint = "a percent sign that is data is written %25"
    if part is not None and part in syntax.parts and not syntax.parts[part].escapes:
        hint = f"the {part} has no escapes"
    foreign = _U_ESCAPE.match(text, position)
    if foreign is not None:
        hint = "an escape is one octet; a character is written as the octets of its UTF-8"
        character = chr(int(foreign[1], 16))
        if not "\ud800" <= character <= "\udfff":
            hint += ": " + "".join(f"%{octet:02X}" for octet in character.encode())
    return _Fault(
        position,
        part=part,
        rule="escape",
        message=f"'%' at position {position} is not followed by two hexadecimal digits",
        expected=("two hexadecimal digits",),
        hint=hint,
    )


def _character(text: str, kind: type[InvalidURL], syntax: Syntax) -> _Fault:
    position = NOT_IN_ANY_URL.search(text).start()  # type: ignore[union-attr]
    character, part = text[position], _part_at(text, position, syntax)
    came = _came(text, position)
    if kind is FragmentPresent:
        message = f"{came} begins a fragment, which is no part of the URL"
    elif not character.isascii() or not character.isprintable():
        message = f"{came} is no graphic US-ASCII character"
    elif character == "[" and part == "host":
        message = f"{came} cannot stand in a host"
    elif part in syntax.parts and not _written(text, position, syntax):
        message = f"{came} is unsafe, and cannot stand there in any form"
    else:
        message = f"{came} is unsafe and must be encoded always"
    return _Fault(
        position,
        part=part,
        rule="xchar",
        message=message,
        expected=("a character that a URL may hold",),
        hint=_character_hint(text, position, part, syntax),
    )


def _character_hint(text: str, position: int, part: str | None, syntax: Syntax) -> str | None:
    character = text[position]
    written = _written(text, position, syntax)
    found = AUTHORITY.match(text) if "host" in syntax.parts else None
    if character == "#":
        if found is not None and found.start("user") <= position < found.end("user"):
            return "within a user name or password it is written %23"
        return "`fix` gives URL and fragment apart" + (f"; as data it is written {written}" if written else "")
    if text.startswith("\\"):
        return "this is the path of a file, and no URL"
    if not text[:position].strip(" \t\r\n<"):
        return "no URL begins with it: leave it out" + (", or let `fix` do it" if character in " \t\r\n<" else "")
    if not text[position:].strip():
        return "leave out the white space at the end, or let `fix` do it"
    if character == "\\" and found is not None and part in {"host", "scheme", None}:
        drive = len(found["host"]) == 1 and found["colon"] and syntax.host_may_be_empty
        return "a URL is divided by `/`, on every system" + (
            "; a drive letter comes after a third `/`" if drive else ""
        )
    if character == "\\" and written and part != "user":
        return f"write `/` where it divides, and {written} where it is data"
    if character == "[" and part == "host":
        return NO_IPV6
    if not character.isascii():
        return _foreign_hint(character, part, written)
    if character in "\t\r\n" and written:
        return f"leave it out where the URL was only wrapped; as data it is written {written}"
    mended = NOT_IN_ANY_URL.sub(_encoded, text.partition("#")[0])
    if written and part not in {"user", "password"} and syntax.fullmatch(mended):
        return f"write {written}, or let `fix` do it"
    if part is not None and part in syntax.parts and syntax.parts[part].says:
        return None  # what the part is says more
    if part == "host":
        return LABELS
    return f"write {written}" if written else _no_form(part)


def _written(text: str, position: int, syntax: Syntax) -> str:
    """The character at `position` encoded, if it can stand there so; else ""."""
    try:
        escaped = "".join(f"%{octet:02X}" for octet in octets_of(text[position]))
    except UnicodeEncodeError:
        return ""
    before = _before(text, position, syntax)
    reached, expected, _ = syntax.automaton.reach(before, impossible_login(text, syntax))
    return escaped if reached == len(before) and syntax.automaton.taken(expected, escaped) else ""


def _encoded(found: re.Match[str]) -> str:
    return f"%{ord(found[0]):02X}" if found[0].isascii() else "%80"  # any octet that is none of US-ASCII


def _no_form(part: str | None) -> str:
    return f"the {part or 'URL'} can hold no such character in any form"


def _foreign_hint(character: str, part: str | None, written: str) -> str:
    from unicodedata import category, normalize

    if category(character) in {"Cf", "Cc", "Zs", "Zl", "Zp"}:
        return "it cannot be seen: leave it out"
    plain = normalize("NFKC", character)
    if part in {"scheme", "port", None} and plain.isascii():
        return f"write `{plain}` of US-ASCII"
    if part == "host":
        return "write the name in its US-ASCII form, with labels that begin with xn--"
    if not written:
        return _no_form(part)
    return f"write its octets in UTF-8, {written}, or let `fix` do it"


def _part_at(text: str, position: int, syntax: Syntax) -> str | None:
    """The part that the character at `position` would belong to, as far as the text before it tells."""
    if position <= text.find(":") or ":" not in text:
        return "scheme"
    found = AUTHORITY.match(text) if "host" in syntax.parts else None
    if found is not None:
        if found.start("user") <= position < found.end("user"):
            return "password" if ":" in text[found.start("user") : position] else "user"
        if found.start("host") <= position < found.end("host"):
            return "host"
        if found.start("colon") <= position < found.end("colon"):
            return "port" if "port" in syntax.parts else "host"
    before = _before(text, position, syntax)
    reached, expected, last = syntax.automaton.reach(before)
    if reached != len(before):
        return None
    escaped = syntax.automaton.taken(expected, "%00") or syntax.automaton.taken(expected, "%41")
    inside = part_of(syntax, escaped, last) or part_of(syntax, last)
    if inside is None:
        # A part begins here, if only one does.
        begins = {part_of(syntax, marked.first) for marked in syntax.automaton.marked if marked.first & expected}
        inside = begins.pop() if len(begins) == 1 else None
    return _share(text, position, syntax.parts[inside], syntax) if inside else None


def _before(text: str, position: int, syntax: Syntax) -> str:
    """What stands before `position`, with a host in place of an authority that is none: so the rest can be told."""
    before = text[:position]
    found = AUTHORITY.match(text) if "host" in syntax.parts else None
    if found is None or found["slashes"] is None or position < found.end():
        return before
    authority = f"{before[: found.end()]}/"
    if syntax.automaton.reach(authority, impossible_login(text, syntax))[0] == len(authority):
        return before
    return f"{before[: found.end('slashes')]}h{before[found.end() :]}"


def _share(text: str, position: int, part: Part, syntax: Syntax) -> str:
    """Of a list that two parts share, the one that `position` lies in."""
    sharing = [each for each in syntax.parts.values() if each.mark == part.mark and each is not part]
    span = part.share(text, position, len(text))
    return part.name if (span is not None and span[0] <= position) or not sharing else sharing[0].name


# The scheme's name (section 2.1)


def _scheme(text: str) -> _Fault:
    name = _SCHEME_NAME.match(text)
    position = name.end() if name else 0
    hint = "a URL begins with the name of its scheme: letters, digits, `+`, `-` and `.`, then a colon"
    if text.startswith("//"):
        hint = "this is a relative reference: `join` it with the URL that it was found in, or write its scheme in front"
    elif text.startswith(("/", ".", "?")):
        hint = "this is a path or a relative reference: `join` it with the URL that it was found in"
    elif name is not None and text[position:].startswith(("//", ";//")):
        instead = " in place of `;`" if text[position] == ";" else ""
        hint = f"write `:` after `{name[0][:40]}`{instead}"
    elif name is not None and "." in name[0]:
        hint = "a host alone is no URL: write the name of the scheme, a colon and `//` in front of it"
    fault = _Fault(position, part="scheme", rule="scheme", expected=('":"',) if position else (NAME,), hint=hint)
    if ":" in text[position:] and text[position] not in "/;?:":
        fault.message = f"{_came(text, position)} cannot stand in the name of a scheme"
    return fault


# The Common Internet Scheme Syntax (section 3.1)


def _slashes(text: str, syntax: Syntax) -> _Fault:
    position = text.index(":") + 1
    one = text[position : position + 1] == "/"
    hint = f"write {'a second `/`' if one else '`//`'} and then the host"
    if syntax.host_may_be_empty:
        hint += ", or no host and then the `/` that begins the path"
    expected = 'a second "/"' if one else '"//"'
    return _Fault(position + one, part="host", rule="ip-schemepart", expected=(expected,), hint=hint)


def _login(text: str, kind: type[InvalidURL], found: re.Match[str]) -> _Fault:
    start = found.start("user")
    if kind is errors.UserinfoNotAllowed:
        return _Fault(
            start,
            part="user",
            rule="hostport",
            message=f"the scheme has no user name and no password, and one begins at position {start}",
            expected=("a host",),
            hint="leave out what stands before the `@`; an `@` before the path can only end a user name or password",
        )
    position = start + LOGIN_RUN.match(found["user"]).end()  # type: ignore[union-attr]
    part, named = ("password", "password") if ":" in text[start:position] else ("user", "user name")
    return _Fault(
        position,
        part=part,
        rule=part,
        message=f"{_came(text, position)} cannot stand in a {named} as it is",
        expected=(f'"%{ord(text[position]):02X}"',),
        hint="within a user name or password `:`, `@` and `/` must be encoded: %3A, %40, %2F",
    )


def _port(text: str, found: re.Match[str], syntax: Syntax) -> _Fault:
    colon: str = found["colon"]
    digits = _PORT.match(colon)
    position = found.start("colon") + (digits.end() if digits else 1)
    came = text[position : position + 1]
    fault = _Fault(position, part="port", rule="port", hint="a port is a decimal number")
    fault.expected = ("a digit", '"/"', END) if digits else ("a digit",)
    if came.isdigit():
        fault.expected = (f"at most {DIGITS:,} digits",)
        fault.message = _more_digits(position)
    elif "user" in syntax.parts and "@" in text[position:]:
        fault.message = f"what stands at position {position} is no port"
        fault.hint = "if a user name and a password are meant, encode `/` within them: %2F"
    elif _IPV6.fullmatch(found["host"] + colon):
        fault.rule, fault.hint = "hostnumber", NO_IPV6
    elif colon == ":" and _OTHER_SCHEME.match(text, position):
        fault.hint = "there are two schemes: leave out the first, or the colon if a host of that name is meant"
    elif colon == ":":
        fault.hint = "leave out the colon, or write the port after it"
    elif came == ":":
        fault.hint = "a host has one port"
    elif not digits:
        fault.hint = "a port is a decimal number; the path begins with `/`"
    return fault


def _host(text: str, found: re.Match[str], syntax: Syntax) -> _Fault:
    host, start, colon = found["host"], found.start("host"), found["colon"]
    reached, expected, _ = syntax.automaton.reach(text, impossible_login(text, syntax))
    position = min(reached, found.end("host"))
    fault = _Fault(position, part="host", rule="host", expected=due(syntax, expected), hint=LABELS)
    came = host[position - start : position - start + 1]
    labels = host.split(".")
    before = host[: position - start].count(".")
    numeric = host.replace(".", "").isdigit()
    if not host:
        fault.message = f"no host stands at position {start}"
        fault.hint = "write a domain name or four groups of digits after `//`"
    elif colon is not None and "port" not in syntax.parts and position == found.end("host"):
        fault.rule, fault.message = "host", f"{_came(text, position)} begins a port, and the scheme has none"
        fault.expected = ('"/"',)
        fault.hint = "leave out the colon and the port"
        if len(host) == 1 and syntax.host_may_be_empty:
            fault.hint = f"if the path begins with `{host}:`, write a third `/` before it"
    elif colon is not None and _IPV6.fullmatch(host + colon):
        fault.rule, fault.hint = "hostnumber", NO_IPV6
        fault.message = f"what begins at position {start} is neither a domain name nor four groups of digits"
    elif came in {"?", ";", "&", "="} and position > start:
        fault.rule = syntax.rule
        fault.expected = ('"/"',)
        fault.hint = "leave out what stands behind the host"
        if syntax.automaton.taken(expected, f"/{came}"):
            fault.hint = "a `/` must stand between the host and what follows it"
    elif came == "%":
        fault.message, fault.hint = f"{_came(text, position)} cannot stand in a host", "a host has no escapes"
    elif came == ",":
        fault.message = f"{_came(text, position)} cannot stand in a domain name"
        fault.rule, fault.hint = "hostname", "the labels of a domain name are divided by dots"
    elif came and came not in ".-" and not came.isalnum():
        fault.rule = "toplabel" if before == len(labels) - 1 else "domainlabel"
        fault.message = f"{_came(text, position)} cannot stand in a domain name"
    elif numeric and len(labels) == 4 and "" not in labels:
        long = next(found for found in re.finditer("[0-9]++", host) if len(found[0]) > DIGITS)
        fault.position = start + long.start() + DIGITS
        fault.rule, fault.message, fault.hint = (
            "digits",
            _more_digits(fault.position),
            "a group is a number from 0 to 255",
        )
        fault.expected = (f"at most {DIGITS:,} digits",)
    elif numeric and "" not in labels:
        fault.rule = "hostnumber"
        fault.message = f"four groups of digits are an address, and {host[:40]} has {len(labels)}"
        fault.hint = "an address is four groups of digits; a domain name ends in a label that begins with a letter"
    elif came == "." and host[position - start - 1 : position - start] in {"", "."}:
        fault.rule, fault.message = "hostname", f"a label of the domain name is empty at position {position}"
        fault.hint = "leave out the dot that is too many"
    elif labels[-1] == "" and not came:
        fault.rule, fault.message = "hostname", f"the domain name ends with a dot at position {position - 1}"
        fault.hint = "leave out the dot at the end"
    elif "-" in {labels[before][:1], labels[before][-1:]}:
        fault.rule = "toplabel" if before == len(labels) - 1 else "domainlabel"
        place = "begins" if labels[before][:1] == "-" else "ends"
        fault.message = f"the label {labels[before][:40]!a} {place} with a hyphen"
    elif labels[-1][:1].isdigit():
        fault.rule = "toplabel"
        fault.message = f"the last label of the domain name, {labels[-1][:40]!a}, begins with a digit"
    return fault


# What a scheme's own rules say


def _structure(text: str, syntax: Syntax) -> _Fault:
    automaton = syntax.automaton
    without = impossible_login(text, syntax)
    position, expected, reached = automaton.reach(text, without)
    start = text.rfind("%", max(0, position - 2), position)
    if start >= 0:
        return _octet(text, start, without, syntax)
    literal = automaton.begun(expected)
    options: list[str] = []
    if literal is not None and position > literal.offset:
        options = [f'"{literal.literal}"']
        at = position - literal.offset
        _, expected_there, reached_there = automaton.reach(text[:at], without)
        encoded = automaton.taken(expected_there, f"%{ord(text[at]):02X}")
        if literal.offset > 1 or not encoded:
            return _literal(text, at, literal.path, options, encoded, syntax)
        position, expected, reached = at, expected_there, reached_there
    if position < len(text):
        encoded = automaton.taken(expected, f"%{ord(text[position]):02X}")
        part = part_of(syntax, encoded) if text[position] != "%" else None
        if part is not None:
            return _reserved(
                text, position, encoded, _share(text, position, syntax.parts[part], syntax), options, syntax
            )
    ended = bool(automaton.tree.last & reached)
    if position == len(text):
        if ended:
            return _too_many(text, syntax)
        expected = shortest(automaton, expected)
    words = due(syntax, expected)
    if ended and position < len(text):
        words = (*words, END)
    part = part_of(syntax, expected, reached)
    if part is not None and part != part_of(syntax, reached):  # it begins here
        rule: str | None = syntax.parts[part].decoded or syntax.parts[part].rule
    elif part is not None:
        rule = rule_of(syntax, expected)
    else:
        part = part_of(syntax, reached)
        rule = rule_of(syntax, reached if (part and position < len(text)) or not expected else expected)
    fault = _Fault(position, part=part, rule=rule, expected=words)
    if words == (END,):
        fault.message = f"{_came(text, position)}, where nothing can follow"
        if not (part and syntax.parts[part].says):
            fault.hint = f"leave out what stands behind the {part}" if part else "leave out what begins there"
    elif position == len(text) and not (part and syntax.parts[part].says):
        fault.hint = f"write {listed(words)}, and behind it what the rule says"
    elif part is not None and syntax.parts[part].number and not syntax.parts[part].says:
        fault.hint = f"the {part} is a decimal number"
    elif part is not None and not syntax.parts[part].escapes and text[position : position + 1] == "%":
        fault.hint = f"the {part} has no escapes"
    return fault


def _reserved(text: str, position: int, encoded: int, part: str, options: list[str], syntax: Syntax) -> _Fault:
    """A character that can stand in the part only if it is encoded."""
    escape = f"%{ord(text[position]):02X}"
    hint = f"within the {part} it is reserved: write {escape}"
    if options:
        hint = f"write {escape} where it belongs to the {part}; else it begins {listed(tuple(options))}"
    return _Fault(
        position,
        part=part,
        rule=rule_of(syntax, encoded),
        message=f"{_came(text, position)} cannot stand in the {part} as it is",
        expected=(*options, f'"{escape}"'),
        hint=hint,
    )


def _too_many(text: str, syntax: Syntax) -> _Fault:
    """What derives as far as the automaton knows, which does not count."""
    number = next((found for found in re.finditer("[0-9]++", text) if len(found[0]) > DIGITS), None)
    position = number.start() + DIGITS if number else len(text)
    _, _, reached = syntax.automaton.reach(text[: position + 1])
    return _Fault(
        position,
        part=part_of(syntax, reached),
        rule=rule_of(syntax, reached),
        message=_more_digits(position) if number else f"more at position {position} than the rule allows",
        expected=(f"at most {DIGITS:,} digits",) if number else ("less",),
        hint=f"a number has at most {DIGITS:,} digits" if number else None,
    )


def _more_digits(position: int) -> str:
    """What is wrong with a number whose digit at `position` is one too many."""
    return f"a number of more than {DIGITS:,} digits: the one at position {position} is too many"


def _literal(text: str, at: int, path: tuple[str, ...], options: list[str], encoded: int, syntax: Syntax) -> _Fault:
    """A literal that was begun at `at` and does not go on."""
    part = part_of(syntax, encoded)
    hint = None
    if part is not None:
        hint = f"write %{ord(text[at]):02X} where {text[at]!a} belongs to the {part}"
    came = text[at : at + 12]
    return _Fault(
        at,
        part=None,
        rule=next((name for name in reversed(path) if name in syntax.grammar.rules), None),
        message=f"{came!a} at position {at} where {listed(tuple(options))} is due",
        expected=tuple(options),
        hint=hint,
    )


def _octet(text: str, start: int, without: int, syntax: Syntax) -> _Fault:
    """An escape at `start`, of an octet that cannot stand there."""
    octet = int(text[start + 1 : start + 3], 16)
    _, expected, reached = syntax.automaton.reach(text[:start], without)
    percent = syntax.automaton.taken(expected, "%")
    lacking = [
        marked
        for marked in syntax.automaton.marked
        if marked.inside & percent
        and all(octet not in p.escapes for p in syntax.parts.values() if p.mark == marked.mark)
    ]
    name = part_of(syntax, lacking[-1].inside if lacking else reached) or part_of(syntax, percent)
    if name is not None:
        name = _share(text, start, syntax.parts[name], syntax)
    part = syntax.parts.get(name or "")
    excluded = part is not None and octet in part.exclude
    there = " there" if part is not None and octet in part.escapes else ""
    return _Fault(
        start,
        part=name,
        rule=part.rule if part and excluded else rule_of(syntax, reached),
        message=f"the {name or 'URL'} cannot hold the octet {octet:02X}{octet_named(octet)}{there}, "
        f"encoded at position {start}",
        expected=("another octet",),
        hint="the registration of the scheme excludes it: leave it out" if excluded else None,
    )
