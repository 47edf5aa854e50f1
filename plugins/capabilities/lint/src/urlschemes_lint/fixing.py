"""`fix`: the valid URL that is nearest to an invalid one.

Common mistakes have one right answer: characters that no URL may hold, such as blanks and letters outside of US-ASCII,
are encoded, and so are delimiters that are data; an IPv6 address gets its brackets; where the rules ask for it, a
fragment is split off, a query directly after the host gets its `/`, and a colon without a port is dropped; where the
profile has domain names in all languages, they are written in US-ASCII; brackets or quotation marks around the URL are
removed. Every change is listed. A scheme or a host is never guessed, and if two repairs are possible, none is made.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, NamedTuple

from urlschemes import URL, InvalidURL, Registry, URLError
from urlschemes.grammar.profile import Profile
from urlschemes.redaction import redact, redact_url
from urlschemes.registry.registry import registry_or_default
from urlschemes.url.algorithms import algorithms_of
from urlschemes.url.value import LIMIT, unfit
from urlschemes_lint.advice import advice
from urlschemes_lint.part_places import part_at, places
from urlschemes_lint.repair import nearest
from urlschemes_lint.source_text import Ambiguous, Change, SourceText


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
        found, url = nearest(source, url_type, limit)
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
            _, url = nearest(other, url_type, limit)
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
    hint = advice(InvalidURL(source.text, url_type), source.text, url_type, URLError("no repair"))
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
    parts = places(url.syntax, match)
    changes = []
    shift = 0
    for change in sorted(source.changes, key=lambda change: (change.position, bool(change.before))):
        part = part_at(parts, change.position + shift) if change.after else None
        changes.append(change._replace(part=part))
        shift += len(change.after) - len(change.before)
    return Fixed(url, tuple(changes), source.fragment)
