"""Advice about an invalid URL, from its whole text: better than the hint of its error."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from unicodedata import normalize

from urlschemes import URLError
from urlschemes.grammar.profile import authority_of
from urlschemes.url.fault_messages import is_like_ipv6, usual_hint
from urlschemes.url.fault_place import first_state, host_may_be_empty
from urlschemes_lint.misplaced import is_layout

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from urlschemes import URL, InvalidURL
    from urlschemes.grammar.profile import Profile
    from urlschemes.grammar.syntax import Syntax

    Repair: TypeAlias = Callable[[], tuple[object, ...] | URLError]

__all__ = ["advice"]

_PAIRS = frozenset({"()", "[]", "{}", '""', "''", "``", "\u201c\u201d", "\u2018\u2019", "\xab\xbb"})

_HOST_ALONE = "a host alone is not a URL: write the name of the scheme, a colon and `//` before it"
_FROM_DIGIT = re.compile(r"[0-9][0-9A-Za-z-]*(?:\.[0-9A-Za-z-]+)+(?:[:/?#]|$)")
_BEFORE_URL = re.compile(r"[^A-Za-z][<\s]*[A-Za-z][0-9A-Za-z+.-]*:")
_ON_A_HOST = re.compile(r"@[^/:@]+:(?![0-9]+(?:/|$)|//).")


def advice(error: InvalidURL, url_type: type[URL], repair: Repair) -> str | None:
    """Return what to do about `error`, which `url_type` raised: its hint, or better advice.

    `repair` returns what `fix` returns or raises for the text.
    """
    text, position, syntax = error.text, error.position, url_type.syntax
    if position is None:
        return error.hint
    if error.part == "scheme" and error.code in {"invalid-scheme", "fragment-present"}:
        return _for_scheme(text, position, syntax.profile, repair) or error.hint
    if error.code == "invalid-port":
        return _for_port(text, position, syntax) or error.hint
    if error.code in {"invalid-host", "empty-host"}:
        return _for_host(error, syntax) or error.hint
    if error.code == "invalid-character":
        return _for_character(error, url_type, text, position, repair) or error.hint
    if error.code == "fragment-present" and _by_fix(repair):
        data = f"; as data it is written {_written(error)}" if _written(error) else ""
        return f"`fix` splits URL and fragment{data}"
    if error.part == "fragment" and text[position : position + 1] == "#":
        return f"a URL has one fragment: write %23 if the `#` is data in it{_by_fix(repair)}"
    if error.code == "invalid-part" or (error.code == "bad-escape" and _goes_on(syntax, text, position, "%25")):
        return _of_repair(error, repair) or error.hint
    return error.hint


def _of_repair(error: InvalidURL, repair: Repair) -> str | None:
    """Return what `fix` says about the place of the error, if it does not repair it; unless that is in a login."""
    refused = repair()
    if not isinstance(refused, URLError) or refused.position != error.position or error.part in {"user", "password"}:
        return None
    return refused.message.partition(": ")[2] if getattr(refused, "readings", ()) else refused.hint


def _by_fix(repair: Repair) -> str:
    return "" if isinstance(repair(), URLError) else ", or let `fix` do it"


def _for_caution(error: InvalidURL, url_type: type[URL]) -> str | None:
    """Return the hint of a caution of the record about the encoded character."""
    written, record = _written(error), url_type.registration
    cautions = record.cautions if record and written else ()
    return next((each.hint for each in cautions if each.part == error.part and each.holds == written), None)


def _goes_on(syntax: Syntax, text: str, position: int, written: str) -> bool:
    """Return True if `written` can stand at `position` of `text`."""
    return bool(first_state(syntax, text).walk(text[:position])[1].taken(written))


def _written(error: InvalidURL) -> str:
    """Return the character of the error as it is written encoded; "" if that cannot stand there."""
    return next((word.strip('"') for word in error.expected if word.startswith('"%')), "")


def _for_character(error: InvalidURL, url_type: type[URL], text: str, position: int, repair: Repair) -> str | None:
    character, part, written, syntax = text[position], error.part, _written(error), url_type.syntax
    if part in {"user", "password"} - syntax.parts.keys():
        return error.hint
    plain = normalize("NFKC", character)
    is_meant = part in {"scheme", "host", "port", None} and character != plain and plain.isascii()
    if is_meant and len(plain) == 1 and _goes_on(syntax, text, position, plain):
        return f"write `{plain}` of US-ASCII"
    around = _from_surroundings(text, position, part, syntax, repair) or _for_caution(error, url_type)
    if around is not None:
        return around
    refused = _of_repair(error, repair) if written or not is_layout(character) else None
    if refused is not None:
        return refused
    if is_layout(character) and not character.isspace():
        return "it is invisible: leave it out"
    if part == "host" and not character.isascii() and error.hint:
        return f"{error.hint}{_by_fix(repair)}"
    if part == "password" and written and error.hint == "encode it":
        return f"encode {'it' if character.isascii() else 'its octets in UTF-8'}{_by_fix(repair)}"
    if not written or part in {"host", "user"} or (character.isascii() and not _by_fix(repair)):
        return None
    octets = "" if character.isascii() else "its octets in UTF-8, "
    return f"write {octets}{written}{_by_fix(repair)}"


def _from_surroundings(text: str, position: int, part: str | None, syntax: Syntax, repair: Repair) -> str | None:
    """Return the advice about a character that follows from the text around it."""
    character = text[position]
    if not text[:position].strip(" \t\r\n<"):
        return _for_beginning(text, syntax.profile, repair)
    if not text[position:].strip():
        return f"leave out the white space at the end{_by_fix(repair)}"
    if character == "\\" and part in {"host", None} and _goes_on(syntax, text, position, "/"):
        return "write `/` instead: it divides URLs on every system"
    if character.isspace() and part in {"host", "port"}:
        with_colon = f"{text[:position]}:{text[position + 1 :]}"
        port = ", or write `:` before a port" if syntax.fullmatch(with_colon) else ""
        return f"no {part} holds white space: leave it out{port}"
    within = f"{text[:position]}{text[position + 1 : -1]}"
    if character == "<" and text.endswith(">") and syntax.fullmatch(within) and _by_fix(repair):
        return "leave out `<` and `>`, or let `fix` do it"
    return None


def _for_scheme(text: str, position: int, profile: Profile, repair: Repair) -> str | None:
    """Return the advice about a text without a scheme."""
    name = profile.scheme_name.match(text)
    if text.startswith("//"):
        return "this is a relative reference: `join` it with the URL that it was found in, or add the scheme"
    if text.startswith(("/", ".", "?", "#")):
        return "this is a path or a relative reference: `join` it with the URL that it was found in"
    if name is None and text[:1] not in {"", ":"}:
        return _for_beginning(text, profile, repair)
    if name is not None and _ON_A_HOST.match(text, position):
        return "this is a file on a host as scp and git write it, not a URL"
    if name is not None and text[position : position + 1] == "@":
        return "an address alone is not a URL: write the name of the scheme and a colon before it"
    if name is not None and "." in name[0] and not text[position:].startswith(("//", ";//")):
        return _HOST_ALONE
    return None


def _for_beginning(text: str, profile: Profile, repair: Repair) -> str | None:
    """Return the advice about a character that no URL begins with."""
    if text.startswith(("\\", "~/")):
        return "this is the path of a file, not a URL"
    is_address = text[0] == "[" and "[" in profile.reserved and is_like_ipv6(text[1:].partition("]")[0])
    if is_address or _FROM_DIGIT.match(text):
        return _HOST_ALONE
    if not _BEFORE_URL.match(text):
        return None
    pair = text[0] + text.rstrip()[-1:]
    around = f"leave out `{pair[0]}` and `{pair[-1]}` around the URL"
    return (around if pair in _PAIRS else "no URL begins with it: leave it out") + _by_fix(repair)


def _for_port(text: str, position: int, syntax: Syntax) -> str | None:
    """Return the advice about a port."""
    authority = authority_of(text, syntax.profile)
    if authority is None or authority.colon == authority.end:
        return None
    if "@" in text[position:]:
        is_login = text.startswith(("?", "#"), authority.end) and syntax.parts.keys().isdisjoint({"user", "userinfo"})
        return "if a user name and a password end at the `@`, leave them out: the scheme has none" if is_login else None
    address, zone, _ = text[authority.host : authority.end].partition("%")
    if is_like_ipv6(address) and usual_hint(syntax, "host"):
        and_zone = ", and leave out the zone" if zone and "[" in syntax.profile.reserved else ""
        return f"{syntax.profile.address_hint}{and_zone}"
    if authority.colon + 1 == authority.end and text[position : position + 2] == "//" != text[position:]:
        return "there are two schemes: leave out the first, or the colon if it ends a host"
    if text[position : position + 1] == ":" and ord(":") not in syntax.parts["port"].bare:
        return "a host has one port"
    return None


def _for_host(error: InvalidURL, syntax: Syntax) -> str | None:
    """Return the advice about a host that only a colon follows, which may be a drive letter."""
    text, authority = error.text, authority_of(error.text, syntax.profile)
    if authority is None or error.span != (authority.colon, authority.colon + 1) or authority.colon == authority.end:
        return None
    if "port" in syntax.parts or not host_may_be_empty(syntax, text):
        return None
    host = text[authority.host : authority.colon][:40]
    return f"leave out the colon; if `{host}:` begins the path, write a third `/` before it"
