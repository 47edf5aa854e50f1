"""Warnings: what is legal in a URL, but unwise, or refused by every access."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cache

from urlschemes import URL
from urlschemes.grammar.octets import encoded, unescape
from urlschemes.grammar.part import number_of
from urlschemes.grammar.regex_compat import compiled
from urlschemes.url.algorithms import algorithms_of
from urlschemes_lint.findings import CODES, Finding
from urlschemes_lint.part_places import delimiters, hosts, part_at, places

# Adjacent escapes of control octets.
_CONTROL_ESCAPES = compiled("(?:%(?:[01][0-9A-Fa-f]|7[Ff]))++")
# Adjacent escapes of octets outside US-ASCII.
_OTHER_ESCAPES = compiled("(?:%[89A-Fa-f][0-9A-Fa-f])++")
# What may end a host for some program or person that reads a user name as one.
_ENDS_HOST = compiled(r"[@:/?#\\]")
_LABEL = compiled("[^.]++")
_IPV4 = compiled(r"[0-9]++(?:\.[0-9]++){3}")
# Hosts that are this machine, where a server that is being developed has any port.
_THIS_MACHINE = compiled(r"(?:.*\.)?localhost\.?|127(?:\.[0-9]+){3}|0\.0\.0\.0|\[::1\]", re.IGNORECASE)
# A field with a value, whose name is that of a secret.
_SECRET = compiled(
    r"(?<![^&;?])(?:X-(?:Amz-|Goog-)?)?(?:(?:(?:access|api|auth|bearer|id|oauth|refresh|security|session)[\-_.]?)?token"
    r"|api[\-_.]?key|(?:(?:app|client)[\-_.]?)?secret(?:[\-_.]?key)?|private[\-_.]?key|passw(?:or)?d|passphrase|pwd"
    r"|sig(?:nature)?|jwt)=(?![&;#]|$)",
    re.IGNORECASE,
)

_MAX_QUOTED = 30
"""Characters of the URL that a message quotes."""


@cache
def _escape_of(characters: str) -> re.Pattern[str]:
    """Return the pattern of the escape of one of the characters."""
    return compiled("|".join(encoded(each.encode()) for each in characters), re.IGNORECASE)


class Warnings:
    """The warnings about a URL of the type `url_type` that matched its pattern.

    `positions` gives for each index of the URL its position in the text that is checked. The parts `skipped` get no
    warnings.
    """

    def __init__(
        self, url_type: type[URL], match: re.Match[str], positions: Sequence[int], skipped: Collection[str] = ()
    ) -> None:
        self.match, self.text = match, match.string
        self.syntax, self.registration = url_type.syntax, url_type.registration
        self.texts = {"path", "query", "search"} if hasattr(url_type, "query_fields") else set()
        """The parts that programs decode to text, where other schemes have octets."""
        self.positions, self.skipped = positions, skipped
        self.places = places(self.syntax, match)
        self.hosts = hosts(self.syntax, self.text)
        self._delimits = cache(self._delimits_if_bare)

    def __iter__(self) -> Iterator[Finding]:
        for start, end, name in self.places:
            if name not in self.skipped:
                yield from self._of_part(start, end, name)
        for start, end, section in self.hosts:
            part = part_at(self.places, start)
            if part is not None and part not in self.skipped:
                yield from self._of_host(start, end, part, section)
        yield from self._of_profile()
        yield from self._of_escapes()

    def _finding(
        self, code: str, message: str, span: tuple[int, int], part: str, hint: str | None = None, section: str = ""
    ) -> Finding:
        start, end = span
        last = self.positions[end - 1] + 1 if end > start else self.positions[start]
        usual = CODES[code].section(self.syntax.profile) if code in CODES else None
        section = section or usual or self.syntax.section_of(self.syntax.parts[part].rule)
        return Finding(code, "warning", message, (self.positions[start], last), part, section, hint)

    def _of_part(self, start: int, end: int, part: str) -> Iterator[Finding]:
        if part == "password":
            message = "the URL contains a password, visible to everyone who sees the URL"
            yield self._finding(part, message, (start, end), part, "leave the password out: programs ask for it")
        elif part in {"user", "userinfo"}:
            yield from self._of_user(start, end, part)
        elif part == "port":
            yield from self._of_port(start, end)
        elif part in {"query", "search"}:
            for field in _SECRET.finditer(self.text, start, end):
                message = f"the field {field[0][:-1]!r} looks like a secret, visible to everyone who sees the URL"
                hint = "leave the field out where others see the URL, and replace the secret if they saw it"
                yield self._finding("secret-field", message, (field.start(), field.end() - 1), part, hint)
        for escapes in _OTHER_ESCAPES.finditer(self.text, start, end) if part in self.texts else ():
            is_text = all(not "\udc80" <= each <= "\udcff" for each in unescape(escapes[0]))
            if not is_text and self._is_given(*escapes.span()):
                subject = f"{escapes[0][:_MAX_QUOTED]} in the {part}"
                message = f"{subject} is not UTF-8: decoded, it is text that JSON cannot hold"
                yield self._finding("not-utf-8", message, escapes.span(), part, "encode text in UTF-8")
        yield from self._of_cautions(start, end, part)

    def _of_user(self, start: int, end: int, part: str) -> Iterator[Finding]:
        user, colon, _ = self.text[start:end].partition(":")
        if part == "userinfo" and colon:  # user information of no certain form, which usually is that of a login
            message = "the URL may contain a password, visible to everyone who sees the URL"
            at = start + len(user) + 1
            yield self._finding("password", message, (at, end), part, "leave out the text from the colon to the `@`")
        like_host = _ENDS_HOST.split(unescape(self.text[start:end]), maxsplit=1)[0]
        if "." in like_host and "host" in self.syntax.parts and self.syntax.derives("host", like_host):
            message = "the user name looks like a host; the host is what follows the `@`"
            hint = "check the host between the `@` and the next `/`"
            yield self._finding("misleading-user", message, (start, end), part, hint)

    def _of_port(self, start: int, end: int) -> Iterator[Finding]:
        default = self.registration.default_port if self.registration else None
        port = number_of(self.text[start:end])
        if not 0 < port < 65536:
            message = f"port {self.text[start : min(end, start + 20)]} does not exist"
            yield self._finding("impossible-port", message, (start, end), "port", "ports are 1 to 65535")
        elif self.registration is not None and default is not None and port != default:
            host = next((first for first, last, _ in self.hosts if last == start - 1), start)
            if port >= 1024 and _THIS_MACHINE.fullmatch(self.text, host, start - 1):
                return
            is_known = "belongs to another protocol" if port < 1024 else "is not the default port"
            message = f"port {port} {is_known}; {self.registration.scheme} uses {default}"
            code, hint = "reserved-port" if port < 1024 else "other-port", f"leave the port out if {default} is meant"
            yield self._finding(code, message, (start, end), "port", hint)
        elif default is None and port < 1024:
            message = f"port {port} is below 1024, where most ports belong to other protocols"
            yield self._finding("reserved-port", message, (start, end), "port")

    def _of_host(self, start: int, end: int, part: str, section: str) -> Iterator[Finding]:
        """Return the warnings about a name that is too long for the DNS, or about the groups of an IPv4 address."""
        text, is_address = self.text[start:end], _IPV4.fullmatch(self.text, start, end) is not None
        if text.startswith("["):
            return
        length = len(unescape(text.removesuffix(".")))
        if length > 253 and not is_address:
            message = f"the host has {length} characters: no domain name has more than 253"
            yield self._finding("long-host", message, (start, end), part)
        for found in _LABEL.finditer(self.text, start, end):
            label, length = found[0], len(unescape(found[0]))
            if not is_address and length > 63:
                message = f"the label has {length} characters: no label has more than 63"
                yield self._finding("long-label", message, found.span(), part)
            elif is_address and (length > 3 or int(label) > 255 or (length > 1 and label[0] == "0")):
                message = f"{label[:20]!r} is not a usual group of an IPv4 address"
                hint = "write numbers from 0 to 255 without leading zeros"
                yield self._finding("impossible-address", message, found.span(), part, hint, section)

    def _of_profile(self) -> Iterator[Finding]:
        """Return the warnings of the profile. A delimiter counts to the part before it.

        There are no warnings about text that a repair wrote.
        """
        names = [(start, end) for start, end, _ in self.hosts if not _IPV4.fullmatch(self.text, start, end)]
        for each in algorithms_of(self.syntax.profile).warnings(self.syntax, self.match, names):
            start, end, part = each.start, each.end, part_at(self.places, each.start)
            if part is None and not self.skipped:
                part = part_at(self.places, start - 1)
            if part is not None and part not in self.skipped and self._is_given(start, end):
                yield self._finding(each.code, each.message, (start, end), part, each.hint, each.section)

    def _is_given(self, start: int, end: int) -> bool:
        """Return True if the text that is checked has these characters side by side."""
        return self.positions[end - 1] - self.positions[start] == end - 1 - start

    def _of_cautions(self, start: int, end: int, part: str) -> Iterator[Finding]:
        """Return the warnings of the record: texts that are legal in the part, but often misunderstood."""
        for caution in self.registration.cautions if self.registration else ():
            for span in caution.spans(self.text, start, end) if caution.part == part else ():
                yield self._finding(caution.code, caution.message, span, part, caution.hint, caution.section)

    def _of_escapes(self) -> Iterator[Finding]:
        """Return the warnings about escapes, but not about those in no part or that a repair wrote."""
        for code, pattern in (
            ("control-octet", _CONTROL_ESCAPES),
            ("encoded-delimiter", _escape_of(self.syntax.profile.reserved)),
        ):
            for escapes in pattern.finditer(self.text):
                part = part_at(self.places, escapes.start())
                if part is None or not self._is_given(*escapes.span()):
                    continue
                if code == "control-octet" or self._delimits(escapes[0], part):
                    subject = "this" if part == "password" else escapes[0][:_MAX_QUOTED]
                    yield self._finding(code, f"{subject} is {CODES[code].meaning}", escapes.span(), part)

    def _delimits_if_bare(self, escape: str, part: str) -> bool:
        """Return True if the character that `escape` stands for would delimit the part if it were not encoded.

        If the part derives with the bare character too, both mean the same, and `normalized` decodes the escape; but
        not if the part is sent as written, or is a list.
        """
        known, character = self.syntax.parts[part], chr(int(escape[1:], 16))
        if character not in delimiters(self.syntax, part):
            return False
        if known.element is not None or known.travels == "as-written" or ord(character) not in known.bare:
            return True
        raw = self.syntax.whole(self.match, part) or ""
        return not self.syntax.derives(part, raw.replace(escape, character))
