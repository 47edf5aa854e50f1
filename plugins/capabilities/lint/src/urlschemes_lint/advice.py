"""Advice about the errors of an invalid URL, from its whole text: better than their hints."""

from __future__ import annotations

import re
from typing import TypeAlias
from unicodedata import normalize

from urlschemes import URL, InvalidURL, UnknownScheme, URLError
from urlschemes.errors import Hint, Remedy
from urlschemes.grammar.automaton import State
from urlschemes.grammar.profile import authority_of
from urlschemes.url.fault_messages import BARE_HOST, HINTS, is_like_ipv6, usual_hint
from urlschemes.url.fault_place import first_state, host_may_be_empty
from urlschemes_lint.findings import Finding
from urlschemes_lint.repair import is_layout
from urlschemes_lint.source_text import SourceText

Outcome: TypeAlias = tuple[object, ...] | URLError
"""What `fix` returns or raises for a text."""

_DRIVE_LETTER = "a drive letter begins the path of a file: write `file:///` before it, and `/` for each `\\`"
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_PATH = r"(?:[A-Za-z]:)?\\|~/"
_NO_URLS = (
    ("//", "this is a relative reference: resolve it against the URL that it was found in, or add the scheme"),
    ("[/.?#]", "this is a path or a relative reference: resolve it against the URL that it was found in"),
    (_PATH, "this is the path of a file, not a URL"),
    (r"[\w+.-]+@[^/:@]+:(?![0-9]+(?:/|$)|//).", "this is a file on a host as scp and git write it, not a URL"),
    (r"[\w+.-]+@", "an address alone is not a URL: write the name of the scheme and a colon before it"),
    (BARE_HOST, HINTS["bare host"]),
)
"""What texts are that are no URLs, by their beginnings."""
_BEFORE_URL = re.compile(r"[^A-Za-z][<\s]*[A-Za-z][0-9A-Za-z+.-]*:")
_ACTION = re.compile("(?:^|: )(?:write|leave|encode) ")


def advice(
    error: InvalidURL | Finding, text: str, url_type: type[URL], repair: Outcome, state: State | None = None
) -> str | None:
    """Return what to do about `error`, one of `text` as `url_type` reads it: its hint, or better advice.

    It offers `fix` if and only if that repairs the text. `state` is that of the automaton before the error, by default
    the one after the text before it.
    """
    better = None if error.span is None else _Advice(error, text, url_type, repair, state).better()
    return with_offer(Hint(better, *remedies_in(error.hint)) if better else error.hint, repair)


def remedies_in(hint: str | None) -> list[Remedy]:
    """Return the remedies of a hint."""
    return [part for part in (hint.parts if isinstance(hint, Hint) else ()) if isinstance(part, Remedy)]


def is_path(text: str) -> bool:
    """Return True if `text` is the path of a file, as Windows and shells write it, and no URL at all."""
    return re.match(_PATH, text) is not None


def advice_on_name(error: UnknownScheme, text: str, repair: Outcome) -> str | None:
    """Return what to do about the name before the colon of `text`, which is that of no scheme."""
    return with_offer(_DRIVE_LETTER if _DRIVE.match(text) else error.hint, repair)


def with_offer(hint: str | None, repair: Outcome) -> str | None:
    """Return `hint` with the offer of `fix` if that repairs the text."""
    if isinstance(repair, URLError) or (hint and "`fix`" in hint):
        return hint
    first, *others = hint.parts if isinstance(hint, Hint) else (hint,)
    if isinstance(first, str) and _ACTION.search(first):
        return Hint(f"{first}, or let `fix` do it", *others)
    return Hint(hint, "`fix` repairs it")


class _Advice:
    """The advice about an error, which begins at `position` of `text`."""

    def __init__(
        self, error: InvalidURL | Finding, text: str, url_type: type[URL], repair: Outcome, state: State | None
    ) -> None:
        self.error, self.text = error, text
        self.position = position = error.span[0] if error.span else 0
        self.url_type, self.syntax, self.profile = url_type, url_type.syntax, url_type.syntax.profile
        self.repair, self.is_repaired = repair, not isinstance(repair, URLError)
        self.state = state
        self.character = text[position : position + 1]
        self.written = next((word.strip('"') for word in error.expected if word.startswith('"%')), "")
        """The character as it is written encoded; "" if that cannot stand there."""

    def better(self) -> str | None:
        """Return better advice than the hint of the error, or None."""
        code, part = self.error.code, self.error.part
        if part == "scheme" and code in {"invalid-scheme", "fragment-present"}:
            name = self.profile.scheme_name.match(self.text)
            return self._of_beginning() if self.position == (name.end() if name else 0) else None
        if code == "invalid-port":
            return self._of_port()
        if code in {"invalid-host", "empty-host"}:
            return self._of_host()
        if code == "invalid-character":
            return self._of_character()
        if code == "fragment-present" and self.is_repaired:
            return f"`fix` splits URL and fragment{f'; as data it is written {self.written}' if self.written else ''}"
        if part == "fragment" and self.character == "#":
            return "a URL has one fragment: write %23 if the `#` is data in it"
        if code == "invalid-part" or (code == "bad-escape" and self._goes_on("%25")):
            return self._of_repair()
        return None

    def _of_repair(self) -> str | None:
        """Return what `fix` says about the place, if it does not repair it; unless that is in a login."""
        repair, part = self.repair, self.error.part
        if not isinstance(repair, URLError) or repair.position is None or part in {"user", "password"}:
            return None
        is_alike = self.character == "\\" and self.text.startswith("\\", repair.position)  # one reading for all
        if repair.position != self.position and not (is_alike and part == repair.part):
            return None
        return repair.message.partition(": ")[2] if getattr(repair, "readings", ()) else repair.hint

    def _of_caution(self) -> str | None:
        """Return the hint of a caution of the record about the encoded character."""
        record, about = self.url_type.registration, (self.error.part, self.written)
        cautions = record.cautions if record and self.written else ()
        return next((each.hint for each in cautions if (each.part, each.holds) == about), None)

    def _goes_on(self, written: str) -> bool:
        """Return True if `written` can stand at the position."""
        if self.state is None:
            self.state = first_state(self.syntax, self.text).walk(self.text[: self.position])[1]
        return bool(self.state.taken(written))

    def _of_character(self) -> str | None:
        character, part, written, hint = self.character, self.error.part, self.written, self.error.hint or ""
        if part in {"user", "password"} - self.syntax.parts.keys():
            return None
        plain = normalize("NFKC", character)
        is_meant = part in {"scheme", "host", "port", None} and character != plain and plain.isascii()
        if is_meant and len(plain) == 1 and self._goes_on(plain):
            return f"write `{plain}` of US-ASCII"
        found = self._from_surroundings() or self._of_caution()
        if found is None and (written or not is_layout(character)):
            found = self._of_repair()
        if found is not None:
            return found
        if character.isspace() and any(
            not each.after and 0 <= self.position - each.position < len(each.before)
            for each in getattr(self.repair, "changes", ())
        ):
            return "leave out the white space"
        if is_layout(character) and not character.isspace() and (self.position or self.text[1:2].isalpha()):
            return "it is invisible: leave it out"
        if part == "host" and not character.isascii():
            return hint
        if hint.startswith("encode it"):
            return f"encode {'it' if character.isascii() else 'its octets in UTF-8'}"
        if not written or part in {"host", "user"} or (character.isascii() and not self.is_repaired):
            return None
        if "\udc80" <= character <= "\udcff":
            meant = "that octet is" if len(written) == len("%00") else "those octets are"
            return f"the text is not UTF-8 there: write {written} if {meant} meant"
        return f"write {'' if character.isascii() else 'its octets in UTF-8, '}{written}"

    def _from_surroundings(self) -> str | None:
        """Return the advice about a character that follows from the text around it."""
        text, position, part, character = self.text, self.position, self.error.part, self.character
        if not text[:position].strip(" \t\r\n<"):
            return self._of_beginning()
        if not text[position:].strip():
            return "leave out the white space at the end"
        if character == "\\" and part in {"host", None} and self._goes_on("/"):
            return "write `/` instead: it divides URLs on every system"
        if character.isspace() and part in {"host", "port"}:
            with_colon = f"{text[:position]}:{text[position + 1 :]}"
            port = ", or write `:` before a port" if self.syntax.fullmatch(with_colon) else ""
            return f"remove the white space{port}"
        within = f"{text[:position]}{text[position + 1 : -1]}"
        if character == "<" and text.endswith(">") and self.is_repaired and self.syntax.fullmatch(within):
            return "leave out `<` and `>`"
        return None

    def _of_beginning(self) -> str | None:
        """Return the advice about a text that begins like no URL."""
        text = self.text
        if text[:1] == "[" and "[" in self.profile.reserved and is_like_ipv6(text[1:].partition("]")[0]):
            return HINTS["bare host"]
        wrapper = SourceText(text, self.profile).wrapper
        if wrapper is not None:
            mark = '"' if "`" in wrapper else "`"
            return f"leave out {mark}{wrapper[0]}{mark} and {mark}{wrapper[1]}{mark} around the URL"
        either = (advice for pattern, advice in _NO_URLS if re.match(pattern, text))
        wrong = "no URL begins with it: leave it out" if text[:1] != ":" and _BEFORE_URL.match(text) else None
        return next(either, wrong)

    def _of_port(self) -> str | None:
        text, position, syntax = self.text, self.position, self.syntax
        authority = authority_of(text, self.profile)
        if authority is None or authority.colon == authority.end:
            return None
        if "@" in text[position:]:
            has_login = not syntax.parts.keys().isdisjoint({"user", "userinfo"})
            without = "if a user name and a password end at the `@`, leave them out: the scheme has none"
            return without if text.startswith(("?", "#"), authority.end) and not has_login else None
        address, zone, _ = text[authority.host : authority.end].partition("%")
        if is_like_ipv6(address) and usual_hint(syntax, "host"):
            and_zone = ", and leave out the zone" if zone and "[" in self.profile.reserved else ""
            return f"{self.profile.address_hint}{and_zone}"
        if authority.colon + 1 == authority.end and text[position : position + 2] == "//" != text[position:]:
            return "there are two schemes: leave out the first, or the colon if it ends a host"
        path = f"{text[: authority.colon]}/{text[authority.colon + 1 :]}"
        if text[authority.colon + 1 :][:1].isalpha() and syntax.automaton.reach(path) > authority.colon + 1:
            return "write `/` instead of the `:` if the path begins after it; the port is a decimal number"
        return "a host has one port" if self.character == ":" else None

    def _of_host(self) -> str | None:
        """Return the advice about a host that only a colon follows, which may be a drive letter."""
        authority = authority_of(self.text, self.profile) if self.character == ":" else None
        if authority is None or self.error.span != (authority.colon, authority.colon + 1):
            return None
        if "port" in self.syntax.parts or not host_may_be_empty(self.syntax, self.text):
            return None
        host = self.text[authority.host : authority.colon][:40]
        return f"leave out the colon; if `{host}:` begins the path, write a third `/` before it"
