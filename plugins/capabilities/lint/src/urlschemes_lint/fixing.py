"""`fix`: the valid URL that is nearest to an invalid one.

Common mistakes have one right answer: characters that no URL may hold, such as blanks and letters outside of US-ASCII,
are encoded, and so are delimiters that are data; an IPv6 address gets its brackets; where the rules ask for it, a
fragment is split off, a query directly after the host gets its `/`, and a colon without a port is dropped; brackets
or quotation marks around the URL are removed. Every change is listed. A scheme or a host is never guessed, and if two
repairs are possible, none is made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import normalize

from urlschemes import InvalidURL, UnknownScheme, URLError
from urlschemes.grammar.profile import Authority, authority_of
from urlschemes.grammar.regex_compat import compiled
from urlschemes.redaction import redact
from urlschemes.registry.registry import registry_or_default
from urlschemes.scheme.scheme import read_as
from urlschemes.url.fault_messages import is_like_ipv6
from urlschemes.url.value import LIMIT, unfit
from urlschemes_lint.advice import advice
from urlschemes_lint.part_places import part_at, places
from urlschemes_lint.repair import Repair
from urlschemes_lint.source_text import Ambiguous, Change, SourceText

if TYPE_CHECKING:
    from urlschemes import URL, Registry
    from urlschemes.grammar.syntax import Syntax

__all__ = ["Change", "Fixed", "NotRepairable", "fix"]

_BRACKETS = compiled(r"[^:]*+:(?P<open><)(?!//)[^<>]*+(?P<close>>)")
# Characters that other programs take for the end of a login: `ftp://good.example\@evil.example/` has two readings.
_ENDS_LOGIN = '\\?<>"'


class NotRepairable(URLError):
    """`fix` found no repair, or several that mean different things. `span` is the text at fault, if it is known."""

    code = "not-repairable"

    def __init__(self, message: str, *, span: tuple[int, int] | None = None, **details: Any) -> None:
        super().__init__(message, **details)
        self.span = span


class Fixed(NamedTuple):
    """The result of `fix`: the `url`, the `changes` that led to it, and the `fragment` that was split off, or None."""

    url: URL
    changes: tuple[Change, ...]
    fragment: str | None

    def __repr__(self) -> str:
        fragment = None if self.fragment is None else redact(self.fragment)
        return f"Fixed({self.url!r}, changes={len(self.changes)}, fragment={fragment!r})"


def fix(text: str, *, registry: Registry | None = None, limit: int = LIMIT) -> Fixed:
    """Return the nearest valid URL to `text`, with the list of changes; no scheme or host is ever guessed.

    Raises NotRepairable if there is no single right repair, UnknownScheme, PluginError, and InvalidURL for a text
    longer than `limit`.
    """
    schemes = registry_or_default(registry)
    unreadable = unfit(text, limit)
    if unreadable is not None:
        raise unreadable
    profile = schemes.profile
    source = SourceText(text, profile)
    scheme, colon, _ = source.text.partition(":")
    if not colon or not profile.is_scheme_name(scheme):
        generic: type[URL] = profile.algorithms.url_type
        raise _not_repairable("there is no scheme name, and `fix` never guesses one", source, source.text, generic)
    try:
        url_type = schemes[scheme].url_type
    except UnknownScheme as unknown:
        if "`fix`" in (unknown.hint or ""):
            unknown.hint = None
        raise
    cause = None
    try:
        source.check_line_breaks()
        try:
            return _fixed(source, read_as(url_type, source.text, limit))
        except InvalidURL as invalid:
            cause = invalid
        _check_nonstandard(source, url_type, cause)
        source, repaired = _nearest(source, url_type.syntax)
        # The automaton does not count repetitions, so the repaired text may still be invalid.
        if repaired is None or url_type.syntax.fullmatch(repaired) is None:
            text = source.unrepairable_text(url_type)
            raise _not_repairable("cannot be repaired without guessing", source, text, url_type)
        if len(repaired) > limit:
            message = f"the repaired URL has {len(repaired)} characters, more than the limit of {limit}"
            raise Ambiguous(message, source.position(limit))
        return _fixed(source, read_as(url_type, repaired, limit))
    except Ambiguous as ambiguous:
        not_repairable = NotRepairable(
            ambiguous.message,
            scheme=scheme.lower(),
            part=None if cause is None else cause.part,
            position=ambiguous.position,
            rule=None if cause is None else cause.rule,
            section=profile.algorithms.delimiting if cause is None else cause.section,
            hint=ambiguous.hint,
        )
    raise not_repairable from None


def _check_nonstandard(source: SourceText, url_type: type[URL], error: InvalidURL) -> None:
    """Raise Ambiguous if `url_type` has a method `from_nonstandard` that reads the text despite its first `error`."""
    read = getattr(url_type, "from_nonstandard", None)
    if read is None or error.position is None:
        return
    try:
        read(source.without_illegal(after=error.position))
    except InvalidURL:
        return
    position = source.position(error.position)
    raise Ambiguous(
        f"ambiguous {source.text[error.position]!a} at position {position}: a nonstandard form, or data",
        position,
        f"`{url_type.__name__}.from_nonstandard` reads such forms",
    )


def _not_repairable(why: str, source: SourceText, text: str, url_type: type[URL]) -> NotRepairable:
    """Return the error of `fix` for the first error of `text`, which was made of the source and has no repair."""
    error = source.error_in(text, url_type)
    return NotRepairable(
        f"{why}: {error.message}",
        span=error.span,
        scheme=error.scheme,
        part=error.part,
        position=error.position,
        rule=error.rule,
        section=error.section,
        hint=advice(InvalidURL(text, url_type), url_type.syntax),
    )


def _fixed(source: SourceText, url: URL) -> Fixed:
    """Return the result: the changes in the order of the text, each with the part of the URL that it is in."""
    match = url.syntax.fullmatch(str(url))
    assert match is not None
    parts = places(url.syntax, match)
    changes = []
    shift = 0
    for change in sorted(source.changes, key=lambda change: change.position):
        part = part_at(parts, change.position + shift) if change.after else None
        changes.append(change._replace(part=part))
        shift += len(change.after) - len(change.before)
    return Fixed(url, tuple(changes), source.fragment)


def _nearest(source: SourceText, syntax: Syntax) -> tuple[SourceText, str | None]:
    """Return the nearest URL without the fragment, None if there is none, and the source with the changes.

    Raises Ambiguous.
    """
    text = source.text
    index = -1 if syntax.profile.has_fragments else text.find("#")
    _add_brackets(source, syntax)
    if index < 0:
        return source, _repaired(source, syntax)
    if "host" in syntax.parts:
        source.check_fragment(has_login="user" in syntax.parts)
    elif "@" in text[index + 1 :]:
        # There is no host after which a fragment could begin: the `#` may be part of an article's name or an address.
        with_hash = source.without_brackets()
        try:
            repaired = _repaired(with_hash, syntax)
        except Ambiguous:
            repaired = None
        if repaired is not None:
            source.split_off_fragment()
            if _repaired(source, syntax) is not None:
                raise with_hash.ambiguous_hash(index, "part of the text before the `@`")
            return with_hash, repaired
    source.split_off_fragment()
    return source, _repaired(source, syntax)


def _add_brackets(source: SourceText, syntax: Syntax) -> None:
    """Write brackets around an IPv6 address that has none, if the rules ask for them. Raises Ambiguous."""
    text, authority = source.text, authority_of(source.text, syntax.profile)
    if authority is None or "host" not in syntax.parts or not is_like_ipv6(text[authority.host : authority.end]):
        return
    start, address = authority.host, text[authority.host : authority.end]
    ends = {authority.end, start + address.rindex(":")}  # the last group may be meant as the port
    readings = {end: f"[{text[start:end]}]{text[end : authority.end]}" for end in sorted(ends)}
    automaton = syntax.automaton
    right = [
        end for end, written in readings.items() if automaton.reach(text[:start] + written) == start + len(written)
    ]
    if len(right) > 1:
        raise Ambiguous(
            f"ambiguous IPv6 address at position {source.position(start)}: {' or '.join(readings.values())}",
            source.position(start),
            "write brackets around the address, and a colon between them and the port",
        )
    section = syntax.section_of(syntax.parts["host"].rule)
    for end in right:
        source.insert("bracket added", end, "]", section)
        source.insert("bracket added", start, "[", section)


def _repaired(source: SourceText, syntax: Syntax) -> str | None:
    """Return the text of the nearest URL, None if there is none, and add the changes to `source`. Raises Ambiguous."""
    authority = authority_of(source.text, syntax.profile) if "user" in syntax.parts else None
    if authority is not None and _has_two_hosts(source.text, syntax, authority):
        position = source.position(authority.start)
        raise Ambiguous(
            f"ambiguous login from position {position} on: some programs take a part of it for the host",
            position,
            "encode the reserved characters of the user name, or leave the login out",
        )
    repaired = Repair(source, syntax).repaired()
    brackets = _BRACKETS.fullmatch(source.text)
    if brackets is not None:
        bare = source.without_brackets(brackets.start("open"), brackets.start("close"))
        without = Repair(bare, syntax).repaired()
        if without is not None and repaired is not None:
            position = source.position(brackets.start("open"))
            raise Ambiguous(
                f"ambiguous angle brackets from position {position} on: left out if they delimit the URL, "
                "encoded if they are data",
                position,
            )
        if without is not None:
            source.changes = bare.changes
            repaired = without
    return repaired


def _has_two_hosts(text: str, syntax: Syntax, authority: Authority) -> bool:
    """Return True if the login contains what other programs take for its end, as written or after normalization.

    A login that is valid, and so is not repaired, is never ambiguous.
    """
    if syntax.automaton.reach(text) > authority.at:
        return False
    login = text[authority.start : authority.at]
    return not set(_ENDS_LOGIN).isdisjoint(login) or any(
        not set(_ENDS_LOGIN + "@:/#").isdisjoint(normalize("NFKC", character))
        for character in login
        if character > "\x7f"
    )
