"""What a finding is, and the warnings: what is legal in a URL and unwise.

Every finding has a stable code, of `urlschemes_lint.finding_codes` or of the record's cautions. Errors break the syntax; warnings
are what RFC 1738 section 6 warns of, and what access refuses.
"""

from typing import TYPE_CHECKING, NamedTuple

from urlschemes.grammar.octets import unescape
from urlschemes.grammar.regex_compat import compiled
from urlschemes.url.alignment import delimiters, hosts, part_at, places
from urlschemes_lint.finding_codes import CODES

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator
    from typing import Literal

    from urlschemes.errors import InvalidURL
    from urlschemes.url.value import URL

__all__ = ["Finding", "finding", "of_error", "warnings"]

# Adjacent escapes of control octets, and one escape of a reserved character.
_CONTROLS = compiled("(?:%(?:[01][0-9A-Fa-f]|7[Ff]))++")
_RESERVED = compiled("%(?:2[Ff6]|3[AaBbDdFf]|40)")
_HOST_LIKE = compiled(r"(?:[A-Za-z0-9-]++\.)++[A-Za-z0-9-]++(?=[@:/?#\\]|\Z)")


class Finding(NamedTuple):
    """One finding.

    `code` names it, `severity` is "error" or "warning", `span` says where it stands in the text, `part` in which part.
    Of an error, `expected` lists what could have stood there and `rule` is the rule at fault; of a warning they are ()
    and None. `section` says where the rule is written, `hint` what to do.
    """

    code: str
    severity: "Literal['error', 'warning']"
    message: str
    span: "tuple[int, int] | None" = None
    part: "str | None" = None
    section: "str | None" = None
    hint: "str | None" = None
    expected: "tuple[str, ...]" = ()
    rule: "str | None" = None

    def __repr__(self) -> str:
        return f"Finding({self.code!r}, {self.message!r}, span={self.span})"


def finding(
    code: str,
    message: str,
    *,
    span: "tuple[int, int] | None" = None,
    part: "str | None" = None,
    section: "str | None" = None,
    hint: "str | None" = None,
    expected: "tuple[str, ...]" = (),
    rule: "str | None" = None,
) -> Finding:
    """The finding of this code; what its code says needs not be said again."""
    known = CODES.get(code)
    severity: Literal["error", "warning"] = known.severity if known else "warning"
    section = section or (known.section if known else None)
    return Finding(code, severity, message, span, part, section, hint, expected, rule)


def of_error(
    error: "InvalidURL", message: str, length: int, position: "int | None", end: "int | None" = None
) -> Finding:
    """The finding that says what `error` says, of a text of this length, from `position` to `end`.

    Without `end` it is about one character, or about the end of the text.
    """
    return finding(
        error.code,
        message,
        span=None if position is None else (position, min(position + 1 if end is None else end, length)),
        part=error.part,
        section=error.section,
        hint=error.hint,
        expected=error.expected,
        rule=error.rule,
    )


def warnings(
    kind: "type[URL]", match: "re.Match[str]", places_in: "range | list[int]", without: "frozenset[str]" = frozenset()
) -> "Iterator[Finding]":
    """What is legal but unwise in the URL of type `kind` that matched.

    `places_in` says for each index of it where that stands in the text that is checked. Of the parts `without` nothing
    is said.
    """
    return _Warnings(kind, match, places_in, without).all()


class _Warnings:
    def __init__(
        self, kind: "type[URL]", match: "re.Match[str]", places_in: "range | list[int]", without: frozenset[str]
    ) -> None:
        self.match = match
        self.syntax = kind.syntax
        self.registration = kind.registration
        self.text = match.string
        self.at = places_in
        self.without = without
        self.places = places(self.syntax, match)
        self.known: dict[tuple[str, str], bool] = {}

    def all(self) -> "Iterator[Finding]":
        for start, end, name in self.places:
            if name in self.without:
                continue
            if name == "password":
                yield self.finding(
                    "password", "a password in a URL is no secret", start, end, name, "leave it out: the program asks"
                )
            elif name == "user":
                yield from self.user(start, end)
            elif name == "port":
                yield from self.port(start, end)
            elif name == "host":
                yield from self.host(start, end, name)
            yield from self.cautions(start, end, name)
        for start, end in hosts(self.syntax, self.text):
            part = part_at(self.places, start)
            if part is not None and part not in self.without:
                yield from self.host(start, end, part)
        for found in _CONTROLS.finditer(self.text):
            yield from self.escape("control-octet", *found.span())
        for found in _RESERVED.finditer(self.text):
            part = part_at(self.places, found.start())
            if part is not None and self.divides(found[0], part):
                yield from self.escape("encoded-delimiter", *found.span())

    def finding(
        self,
        code: str,
        message: str,
        start: int,
        end: int,
        part: str,
        hint: str | None = None,
        section: str | None = None,
    ) -> Finding:
        span = (self.at[start], self.at[end - 1] + 1 if end > start else self.at[start])
        return finding(code, message, span=span, part=part, hint=hint, section=section)

    def divides(self, escape: str, name: str) -> bool:
        """Whether `escape` stands for a delimiter of the part: the character means something else where it is bare.

        Where the part derives with the bare character too, that means the same, and `normalized` undoes the escape. Not
        so where the part travels as it is written, or is a list.
        """
        key = escape, name
        if key not in self.known:
            part, character = self.syntax.parts[name], chr(int(escape[1:], 16))
            divides = character in delimiters(self.syntax, name)
            if divides and part.element is None and part.travels != "as-written" and ord(character) in part.bare:
                raw = self.syntax.whole(self.match, name) or ""
                divides = not self.syntax.derives(name, raw.replace(escape, character))
            self.known[key] = divides
        return self.known[key]

    def escape(self, code: str, start: int, end: int) -> "Iterator[Finding]":
        """Escapes that stand in a part, and in the text as given."""
        part = part_at(self.places, start)
        if part is None or self.at[end - 1] - self.at[start] != end - 1 - start:
            return
        written = "what is written here" if part == "password" else self.text[start : min(end, start + 30)]
        meaning = {
            "control-octet": "an encoded control octet, which access refuses where it would reach a protocol line",
            "encoded-delimiter": "an encoded delimiter: data to this URL, and easily taken for structure",
        }
        yield self.finding(code, f"{written} is {meaning[code]}", start, end, part)

    def user(self, start: int, end: int) -> "Iterator[Finding]":
        name = unescape(self.text[start:end])
        if _HOST_LIKE.match(name):
            yield self.finding(
                "misleading-user",
                "the user name looks like a host, and the host stands behind the `@`",
                start,
                end,
                "user",
                "look at what stands between the `@` and the next `/`: that is what is accessed",
            )

    def port(self, start: int, end: int) -> "Iterator[Finding]":
        default = self.registration.default_port if self.registration else None
        scheme = self.registration.scheme if self.registration else "the scheme"
        port = int(self.text[start:end])
        if not 0 < port < 65536:
            said = f"there is no port {self.text[start : min(end, start + 20)]}"
            yield self.finding("impossible-port", said, start, end, "port", "ports are 1 to 65535")
        elif port != default and (default is not None or port < 1024):
            said = f"port {port} is not {default}, the port of {scheme}" if default else f"port {port}"
            hint = f"leave it out, if {default} is meant" if default else None
            if port < 1024:
                said += f"{', and' if default else ' is'} below 1024, where other protocols live"
            code = "reserved-port" if port < 1024 else "other-port"
            yield self.finding(code, said, start, end, "port", hint)

    def host(self, start: int, end: int, name: str) -> "Iterator[Finding]":
        host = self.text[start:end]
        address = host.replace(".", "").isdigit()
        if not address and len(host) > 253:
            yield self.finding("long-host", "no name has more than 253 characters", start, end, name)
        for label in host.split("."):
            after = start + len(label)
            if address and (len(label) > 3 or int(label) > 255 or (len(label) > 1 and label[0] == "0")):
                said = f"{label[:20]} is no group of an address as everybody reads it"
                hint = "write 0 to 255, without zeros before"
                yield self.finding("impossible-address", said, start, after, name, hint)
            elif not address and len(label) > 63:
                yield self.finding("long-label", "no label has more than 63 characters", start, after, name)
            start = after + 1

    def cautions(self, start: int, end: int, name: str) -> "Iterator[Finding]":
        """What the record warns of: texts that are legal in the part, and that readers take for something else."""
        for caution in self.registration.cautions if self.registration else ():
            if caution.part == name:
                for span in caution.spans(self.text, start, end):
                    yield self.finding(caution.code, caution.message, *span, name, caution.hint, caution.section)
