"""Advice about an invalid URL, from its whole text: better than the hint of its error."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unicodedata import normalize

from urlschemes.grammar.octets import encoded
from urlschemes.grammar.profile import authority_of
from urlschemes.url.fault_messages import HINTS, escapes, is_like_ipv6, usual_hint
from urlschemes.url.fault_place import first_state, host_may_be_empty
from urlschemes.url.value import LIMIT
from urlschemes_lint.misplaced import U_ESCAPE, is_layout, lost_by_encoding
from urlschemes_lint.part_places import delimiters
from urlschemes_lint.repair import nearest
from urlschemes_lint.source_text import Ambiguous, SourceText, is_quoted

if TYPE_CHECKING:
    from urlschemes import URL, InvalidURL
    from urlschemes.grammar.profile import Profile
    from urlschemes.grammar.syntax import Syntax

__all__ = ["advice"]

_PAIRS = frozenset({"()", "[]", "{}", '""', "''", "``", "\u201c\u201d", "\u2018\u2019", "\xab\xbb"})


def advice(error: InvalidURL, url_type: type[URL]) -> str | None:
    """Return what to do about `error`, which `url_type` raised: its hint, or better advice."""
    text, position, syntax = error.text, error.position, url_type.syntax
    if position is None:
        return error.hint
    if error.code == "fragment-present":
        data = f"; as data it is written {_written(error)}" if _written(error) else ""
        return error.hint if error.part in {"user", "password"} else f"`fix` splits URL and fragment{data}"
    if error.code == "invalid-character":
        return _for_character(error, url_type, text, position)
    if error.code == "bad-escape":
        return _for_escape(text, position, error.part, syntax) or error.hint
    if error.code == "invalid-scheme":
        return _for_scheme(text, position, syntax.profile) or error.hint
    if error.code == "invalid-port":
        return _for_port(text, position, syntax) or error.hint
    if error.code in {"invalid-host", "empty-host"}:
        return _for_host(error, syntax) or error.hint
    if error.code == "invalid-part" and error.part != "fragment":
        return _for_delimiter(syntax, text, position) or error.hint
    if error.part == "fragment" and text[position : position + 1] == "#":
        return "a URL has one fragment: write %23 if the `#` is data in it, or let `fix` do it"
    return error.hint


def _for_delimiter(syntax: Syntax, text: str, position: int) -> str | None:
    """Return the advice about an error that no encoding repairs, because a delimiter would become data."""
    lost = lost_by_encoding(syntax, text)
    if lost is None:
        return None
    where = "it" if lost == position else f"the `{text[lost]}` after it"
    return f"{where} is a delimiter: correct what is before it, where an escape would not help"


def _is_fixable(text: str, url_type: type[URL]) -> bool:
    """Return True if `fix` repairs `text`."""
    try:
        return nearest(SourceText(text, url_type.syntax.profile), url_type, LIMIT)[1] is not None
    except Ambiguous:
        return False


def _written(error: InvalidURL) -> str:
    """Return the character of the error as it is written encoded; "" if that cannot stand there."""
    return next((word.strip('"') for word in error.expected if word.startswith('"%')), "")


def _for_character(error: InvalidURL, url_type: type[URL], text: str, position: int) -> str | None:
    character, part, written, syntax = text[position], error.part, _written(error), url_type.syntax
    delimiter = _for_delimiter(syntax, text, position)
    if delimiter is not None:
        return delimiter
    around = _from_surroundings(text, position, part, written, url_type)
    if around is not None:
        return around
    by_fix = ", or let `fix` do it" if _is_fixable(text, url_type) else ""
    if not character.isascii() or (is_layout(character) and not character.isspace()):
        return _for_foreign(text, position, part, written, by_fix, syntax) or error.hint
    if part == "password" and written:
        return "encode it" + by_fix
    if character in "\t\r\n" and written:
        return f"leave it out if the URL was only wrapped; as data it is written {written}"
    if by_fix and written and part != "user":
        return f"write {written}{by_fix}"
    return error.hint


def _from_surroundings(text: str, position: int, part: str | None, written: str, url_type: type[URL]) -> str | None:
    """Return the advice about a character that follows from the text around it."""
    character, syntax = text[position], url_type.syntax
    if text.startswith("\\"):
        return "this is the path of a file, not a URL"
    if not text[:position].strip(" \t\r\n<"):
        return _for_beginning(text)
    if not text[position:].strip():
        return "leave out the white space at the end, or let `fix` do it"
    if character == "\\" and "host" in syntax.parts and part in {"host", "scheme", None}:
        hint = "write `/` instead: it divides URLs on every system"
        may_be_path = authority_of(text, syntax.profile) is not None and host_may_be_empty(syntax, text)
        return f"{hint}; if the path begins here, write a third `/` before it" if may_be_path else hint
    is_between = part in syntax.parts and part != "user" and "/" in delimiters(syntax, str(part))
    if character == "\\" and written and is_between:
        return f"write `/`, as browsers read it, or {written} if it is data"
    if character.isspace() and part in {"host", "port"}:
        port = ", or write `:` before a port" if text[position + 1 : position + 2].isdigit() else ""
        return f"no {part} holds white space: leave it out{port}"
    if character == "[" and part == "host" and usual_hint(syntax, part):
        return _address_hint(syntax)
    within = f"{text[:position]}{text[position + 1 : -1]}"
    if character == "<" and text.endswith(">") and syntax.fullmatch(within) and _is_fixable(text, url_type):
        return "leave out `<` and `>`, or let `fix` do it"
    return None


def _address_hint(syntax: Syntax) -> str:
    """Return what to do about an IPv6 address that is not written as the profile asks."""
    return str(syntax.profile.algorithms.address_hint)


def _for_foreign(text: str, position: int, part: str | None, written: str, by_fix: str, syntax: Syntax) -> str | None:
    """Return the advice about a control character, or one outside US-ASCII."""
    character = text[position]
    plain = normalize("NFKC", character)
    may_be_meant = part in {"scheme", "host", "port", None} and plain.isascii()
    if may_be_meant and first_state(syntax, text).walk(text[:position])[1].taken(plain):
        return f"write `{plain}` of US-ASCII"
    if is_layout(character):
        data = f", or write {written} if it is data" if written and part != "password" else ""
        return f"it is invisible: leave it out{data}"
    if part == "host" and usual_hint(syntax, part):
        return str(syntax.profile.algorithms.foreign_host_hint)
    if part == "password":
        return "encode its octets in UTF-8"
    return f"write its octets in UTF-8, {written or escapes(character)}{by_fix}" if written else None


def _for_escape(text: str, position: int, part: str | None, syntax: Syntax) -> str | None:
    """Return the advice about a zone, or about a `%uXXXX`, which other software takes for an escape."""
    authority = authority_of(text, syntax.profile)
    if authority is not None and part == "host" and text.startswith("[", authority.host):
        return HINTS["zone"]
    if part == "host" and syntax.profile.escapes_in_host:
        return usual_hint(syntax, part)
    found = U_ESCAPE.match(text, position)
    if found is None:
        return None
    hint, character = (
        "an escape is one octet; a character is written as the octets of its UTF-8",
        chr(int(found[1], 16)),
    )
    if "\ud800" <= character <= "\udfff" or part == "password":
        return hint
    return f"{hint}: {encoded(character.encode())}"


def _for_scheme(text: str, position: int, profile: Profile) -> str | None:
    """Return the advice about a text without a scheme."""
    name = profile.scheme_name.match(text)
    if text.startswith("//"):
        return "this is a relative reference: `join` it with the URL that it was found in, or add the scheme"
    if text.startswith(("/", ".", "?", "#")):
        return "this is a path or a relative reference: `join` it with the URL that it was found in"
    if name is None and text[:1] not in {"", ":"}:
        return _for_beginning(text)
    if name is not None and text[position : position + 1] == "@":
        return "an address alone is not a URL: write the name of the scheme and a colon before it"
    if name is not None and "." in name[0] and not text[position:].startswith(("//", ";//")):
        return "a host alone is not a URL: write the name of the scheme, a colon and `//` before it"
    return None


def _for_beginning(text: str) -> str:
    """Return the advice about a character that no URL begins with."""
    by_fix = ", or let `fix` do it" if text[0] in " \t\r\n<" or is_quoted(text) else ""
    pair = text[0] + text.rstrip()[-1:]
    if pair in _PAIRS:
        return f"leave out `{pair[0]}` and `{pair[1]}` around the URL{by_fix}"
    return f"no URL begins with it: leave it out{by_fix}"


def _for_port(text: str, position: int, syntax: Syntax) -> str | None:
    """Return the advice about a port."""
    authority = authority_of(text, syntax.profile)
    if authority is None or authority.colon == authority.end:
        return None
    if "@" in text[position:]:
        is_login = text.startswith(("?", "#"), authority.end) and syntax.parts.keys().isdisjoint({"user", "userinfo"})
        return "if a user name and a password end at the `@`, leave them out: the scheme has none" if is_login else None
    if is_like_ipv6(text[authority.host : authority.end].partition("%")[0]) and usual_hint(syntax, "host"):
        return _address_hint(syntax)
    if authority.colon + 1 == authority.end and text[position : position + 2] == "//" != text[position:]:
        return "there are two schemes: leave out the first, or the colon if it ends a host"
    if text[position : position + 1] == ":" and ord(":") not in syntax.parts["port"].bare:
        return "a host has one port"
    return None


def _for_host(error: InvalidURL, syntax: Syntax) -> str | None:
    """Return the advice about a host that only a colon follows, which may be a drive letter."""
    text, authority = error.text, authority_of(error.text, syntax.profile)
    if authority is None or error.span != (authority.colon, authority.colon + 1) or "port" in syntax.parts:
        return None
    if not host_may_be_empty(syntax, text):
        return None
    host = text[authority.host : authority.colon][:40]
    return f"leave out the colon; if `{host}:` begins the path, write a third `/` before it"
