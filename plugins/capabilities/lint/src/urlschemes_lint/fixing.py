"""`fix`: the valid URL that is nearest to an invalid one.

Common mistakes have one right answer: characters that no URL may hold, such as blanks and letters outside of US-ASCII,
are encoded, and so are delimiters that are data; an IPv6 address gets its brackets; where the rules ask for it, a
fragment is split off, a query directly after the host gets its `/`, and a colon without a port is dropped; where the
profile has domain names in all languages, they are written in US-ASCII; brackets or quotation marks around the URL are
removed. Every change is listed. A scheme or a host is never guessed, and if two repairs are possible, none is made.
"""

from __future__ import annotations

from bisect import bisect_left
from contextlib import suppress
from typing import Any, NamedTuple
from unicodedata import normalize

from urlschemes import URL, InvalidURL, Registry, URLError
from urlschemes.errors import Hint
from urlschemes.grammar.octets import encoded, octets_of
from urlschemes.grammar.profile import Profile, authority_of
from urlschemes.grammar.regex_compat import compiled
from urlschemes.grammar.syntax import Syntax
from urlschemes.redaction import redact, redact_url
from urlschemes.registry.registry import registry_or_default
from urlschemes.scheme.scheme import read_as
from urlschemes.url.algorithms import algorithms_of
from urlschemes.url.fault_messages import is_like_ipv6, quoted_text
from urlschemes.url.value import LIMIT, unfit
from urlschemes_lint.advice import advice, remedies_in
from urlschemes_lint.findings import error_finding
from urlschemes_lint.part_places import part_at, places
from urlschemes_lint.repair import Repair
from urlschemes_lint.source_text import Ambiguous, Change, SourceText, wrong_run

_BRACKETS = compiled(r"[^:]*+:<(?P<inside>(?!//)[^<>]*+)>")
_ENDS_LOGIN = '\\?<>"'
"""Characters that other programs take for the end of a login: `ftp://good.example\\@evil.example/` has two readings."""
_CUTS_TEXT = compiled('[<>"]')
"""Those of them that end a URL in a text."""


class NotRepairable(URLError, ValueError):
    """`fix` found no repair, or several that mean different things.

    `span` is the text at fault, if it is known. `readings` are the texts that the given one may mean, if there are
    several: valid URLs if `fix` finds them. `shown_readings` are the same without passwords; a pickle or a copy of
    the error has only these.
    """

    code = "not-repairable"

    def __init__(
        self,
        message: str,
        *,
        span: tuple[int, int] | None = None,
        readings: tuple[str, ...] = (),
        shown_readings: tuple[str, ...] = (),
        **details: Any,
    ) -> None:
        super().__init__(message, **details)
        self.span, self.readings, self.shown_readings = span, readings, shown_readings

    def __reduce__(self) -> tuple[Any, ...]:
        made, arguments, state = super().__reduce__()
        return made, arguments, {**state, "readings": self.shown_readings}


class Fixed(NamedTuple):
    """The result of `fix`: the `url`, the `changes` that led to it, and the `fragment` that was split off, or None."""

    url: URL
    changes: tuple[Change, ...]
    fragment: str | None

    def __repr__(self) -> str:
        fragment = None if self.fragment is None else redact(self.fragment)
        return f"Fixed({self.url!r}, changes={len(self.changes)}, fragment={fragment!r})"


def fix(
    text: str, *, registry: Registry | None = None, profile: Profile | str | None = None, limit: int = LIMIT
) -> Fixed:
    """Return the nearest valid URL to `text`, with the list of changes; no scheme or host is ever guessed.

    Raises NotRepairable if there is no single right repair, UnknownScheme, PluginError, and InvalidURL for a text
    longer than `limit`.
    """
    schemes = registry_or_default(registry, profile)
    unreadable = unfit(text, limit)
    if unreadable is not None:
        raise unreadable
    source = SourceText(text, schemes.profile)
    scheme, colon, _ = source.text.partition(":")
    if not colon or not schemes.profile.is_scheme_name(scheme):
        generic: type[URL] = algorithms_of(schemes.profile).url_type
        error = _not_repairable("there is no scheme name, and `fix` never guesses one", source, generic)
        words = scheme.lower().split()
        if colon and "".join(words) in schemes:
            error.hint = "remove the white space"
        elif colon and words and words[-1] in schemes:
            error.hint = "leave out the text before the URL"
        raise error
    url_type = schemes[scheme].url_type
    try:
        found, url = _nearest(source, url_type, limit)
    except Ambiguous as ambiguous:
        raise _with_readings(ambiguous, source, url_type, limit) from None
    if url is None:
        raise _not_repairable("cannot be repaired without guessing", found, url_type)
    return _fixed(found, url)


def repair_of(text: str, registry: Registry | None, limit: int) -> Fixed | URLError:
    """Return what `fix` returns or raises for `text`. Raises MemoryError."""
    try:
        return fix(text, registry=registry, limit=limit)
    except URLError as error:
        return error


def _with_readings(ambiguous: Ambiguous, source: SourceText, url_type: type[URL], limit: int) -> NotRepairable:
    """Return the error of `fix` for a text of several readings; one that is still invalid is given as it is."""
    readings: dict[str, None] = {}
    for text in ambiguous.readings:
        other, url = SourceText(text, source.profile, ambiguous.data), None
        with suppress(Ambiguous):
            _, url = _nearest(other, url_type, limit)
        if url is not None or text != SourceText(source.whole, source.profile).text:
            readings[text if url is None else str(url)] = None
    # A reading may end within the login: its password is recognised by an `@`.
    at = "@" if redact_url(source.whole) != source.whole else ""
    shown = tuple(dict.fromkeys(redact_url(each + at).removesuffix(at) for each in readings))
    hint = f"it may mean {' or '.join(shown)}" if shown else None
    about = {"position": ambiguous.position, "hint": hint, **_details(source.error, source)}
    return NotRepairable(ambiguous.message, readings=(*readings,), shown_readings=shown, **about)


def _not_repairable(why: str, source: SourceText, url_type: type[URL]) -> NotRepairable:
    """Return the error of `fix` for the first error of the source that has no repair."""
    error = source.error_in(url_type)
    if (error.code, error.part) == ("invalid-character", "host"):
        why = "`fix` never guesses a host"
    found = error_finding(url_type.explanation(source.text))
    hint: str | None = (
        Hint(advice(found, source.text, url_type, URLError("no repair")), *remedies_in(error.hint)) or None
    )
    if source.lost is not None:
        where = "it" if source.lost == error.position else f"the `{source.whole[source.lost]}` after it"
        hint = f"{where} is a delimiter: correct what is before it, where an escape would not help"
    about = {"position": error.position, "hint": hint, **_details(error, source)}
    return NotRepairable(f"{why}: {error.message}", span=error.span, **about)


def _details(error: InvalidURL | None, source: SourceText) -> dict[str, Any]:
    """Return what is known of an error, or of a text whose URL was not read yet."""
    if error is None:
        return {"scheme": source.text.partition(":")[0].lower(), "section": algorithms_of(source.profile).delimiting}
    return {name: getattr(error, name) for name in ("scheme", "part", "rule", "section")}


def _fixed(source: SourceText, url: URL) -> Fixed:
    """Return the result: the changes in the order of the text, each with the part of the URL that it is in."""
    match = url.syntax.fullmatch(str(url))
    assert match is not None
    parts, changes = places(url.syntax, match), list[Change]()
    for change in sorted(source.changes, key=lambda change: (change.position, bool(change.before))):
        index = bisect_left(source.positions, change.position)
        changes.append(change._replace(part=part_at(parts, index) if change.after else None))
    return Fixed(url, tuple(changes), source.fragment)


def _nearest(source: SourceText, url_type: type[URL], limit: int) -> tuple[SourceText, URL | None]:
    """Return the nearest URL of `url_type`, None if there is none, and the source with the changes.

    Raises Ambiguous if there are several.
    """
    source.check_line_breaks()
    try:
        return source, read_as(url_type, source.text, limit)
    except InvalidURL as error:
        source.error = error
    _check_nonstandard(source, url_type)
    if "host" in url_type.syntax.parts:
        source.write_name_in_ascii()
    source = _without_fragment(source, url_type.syntax)
    # The pattern alone knows that a number is too long.
    if not source.is_repaired or url_type.syntax.fullmatch(source.text) is None:
        return source, None
    if len(source.text) > limit:
        message = f"the repaired URL has {len(source.text)} characters, more than the limit of {limit}"
        raise Ambiguous(message, source.positions[limit], ())
    return source, read_as(url_type, source.text, limit)


def _check_nonstandard(source: SourceText, url_type: type[URL]) -> None:
    """Raise Ambiguous if `url_type` has a method `from_nonstandard` that reads the text despite its first error."""
    read = getattr(url_type, "from_nonstandard", None)
    index = source.error.position if read is not None and source.error else None
    if read is None or index is None or source.text[index : index + 1] in source.data:
        return
    try:
        rest = wrong_run(source.profile).sub(lambda found: encoded(octets_of(found[0])), source.text[index + 1 :])
        url = read(source.text[: index + 1] + rest)
    except (InvalidURL, UnicodeEncodeError):
        return
    character, reader = source.text[index], f"`{url_type.__name__}.from_nonstandard`"
    data = "" if character.isalnum() else f", or write {encoded(octets_of(character))} if it is data"
    advice = f"read the nonstandard form by {reader}{data}"
    raise source.ambiguous(quoted_text(character), index, advice, str(url), data=character)


def _without_fragment(source: SourceText, syntax: Syntax) -> SourceText:
    """Return the source with the repaired text, without the fragment where it is no part. Raises Ambiguous."""
    _add_brackets(source, syntax)
    before, hash_, rest = source.text.partition("#")
    if not hash_ or syntax.profile.has_fragments:
        return _repaired(source, syntax)
    authority, with_hash = authority_of(source.text, syntax.profile), source.without_brackets()
    advice = "leave out the fragment if it begins here, or write %23 if the `#` is part of"
    place, texts = len(before), (before, f"{before}%23{rest}")
    if "host" in syntax.parts:
        login = rest if "user" in syntax.parts else rest.partition("/")[0]
        if authority is not None and place < authority.end and "@" in login:
            raise source.ambiguous("'#'", place, f"{advice} a login", *texts)
    elif "@" in rest and authority is None:
        # There is no host after which a fragment could begin: the `#` may be part of an article's name or an address.
        with suppress(Ambiguous):
            with_hash = _repaired(with_hash, syntax)
    ambiguous = source.ambiguous("'#'", place, f"{advice} the text before the `@`", *texts)
    source.split_off_fragment()
    source = _repaired(source, syntax)
    if source.is_repaired and with_hash.is_repaired:
        raise ambiguous
    return with_hash if with_hash.is_repaired else source


def _add_brackets(source: SourceText, syntax: Syntax) -> None:
    """Write brackets around an IPv6 address that has none, if the rules ask for them. Raises Ambiguous."""
    text, authority = source.text, authority_of(source.text, syntax.profile)
    if authority is None or "host" not in syntax.parts:
        return
    start, address = authority.host, text[authority.host : authority.end]
    if not is_like_ipv6(address) or ":::" in address:  # one colon too many
        return
    groups = address.rpartition(":")[0]  # the last group may be meant as the port
    readings = {each: f"[{each}]{address.removeprefix(each)}" for each in (groups, address)}
    right = [each for each, written in readings.items() if syntax.begins_with(text[:start] + written)]
    if len(right) > 1:
        texts = (text[:start] + written + text[authority.end :] for written in readings.values())
        raise source.ambiguous("IPv6 address", start, f"write {' or '.join(readings.values())}", *texts)
    section = syntax.section_of(syntax.parts["host"].rule)
    for each in right:
        end = start + len(each)
        source.write("bracket added", end, end, "]", section)
        source.write("bracket added", start, start, "[", section)


def _repaired(source: SourceText, syntax: Syntax) -> SourceText:
    """Return the source with the repaired text, without brackets if that helps. Raises Ambiguous."""
    _check_login(source, syntax)
    brackets = _BRACKETS.fullmatch(source.text)
    if brackets is None:
        return Repair(source, syntax).repaired()
    start, end = brackets.span("inside")
    bare = source.without_brackets(start - 1, end)
    source, bare = Repair(source, syntax).repaired(), Repair(bare, syntax).repaired()
    if source.is_repaired and bare.is_repaired:
        advice = "leave them out if they delimit the URL, or encode them if they are data"
        raise source.ambiguous("angle brackets", start - 1, advice, bare.text, source.text)
    return bare if bare.is_repaired else source


def _check_login(source: SourceText, syntax: Syntax) -> None:
    """Raise Ambiguous if the login contains what other programs take for its end, as written or after normalization.

    A login that is valid, and so is not repaired, is never ambiguous.
    """
    text = source.text
    authority = authority_of(text, syntax.profile) if "user" in syntax.parts else None
    if authority is None or syntax.automaton.reach(text) > authority.at:
        return
    login, ends = text[authority.start : authority.at], {*_ENDS_LOGIN, *"@:/#"}
    hidden = (each for each in login if each > "\x7f" and not ends.isdisjoint(normalize("NFKC", each)))
    if login in source.data or ({*_ENDS_LOGIN}.isdisjoint(login) and not any(hidden)):
        return
    meant, *cut = _CUTS_TEXT.split(normalize("NFKC", login).replace("\\", "/").replace("?", "/?", 1), maxsplit=1)
    other = text[: authority.start] + meant + ("" if cut else text[authority.at :])
    advice = "some programs take a part of it for the host"
    raise source.ambiguous("login", authority.start, advice, other, data=login)
