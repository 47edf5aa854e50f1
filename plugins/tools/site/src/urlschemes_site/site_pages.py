"""All pages of a registry as Markdown. The same registry gives the same pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes import Registry
from urlschemes.errors import require_type
from urlschemes.registry.names import attribution, merged
from urlschemes_cli.settings import installed_profiles
from urlschemes_site.markdown_text import code, linked, plain, table
from urlschemes_site.scheme_page import page_file, rules, rules_file, scheme_page

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from urlschemes import Registration
    from urlschemes.grammar.profile import Profile
    from urlschemes.registry.claims import Claim

__all__ = ["TITLE", "pages"]

TITLE = "URL schemes"
"""The title of the index, unless another is given."""


def pages(registry: Registry, *, title: str = TITLE) -> dict[str, str]:
    """Return the pages about the schemes of `registry` by their file names: Markdown, with diagrams in SVG.

    The page of a scheme has its records of all profiles, that of the registry first. Plugins that provide a ledger are
    imported; plugins of schemes are not. What cannot be used is listed in the index.
    """
    require_type("registry", registry, Registry)
    require_type("title", title, str)
    profiles = sorted(installed_profiles(registry).values(), key=lambda each: each is not registry.profile)
    schemes: dict[str, list[tuple[Registry, Registration]]] = {}
    for profile in profiles:
        of_profile = registry.in_profile(profile)
        for record in of_profile.registrations():
            schemes.setdefault(record.scheme, []).append((of_profile, record))
    schemes = dict(sorted(schemes.items()))
    read = {record.profile for records in schemes.values() for _, record in records}
    return {
        "index.md": _joined(_index(registry, title, schemes)),
        **{rules_file(profile): _joined(_rules(profile)) for profile in profiles if profile in read},
        **{page_file(scheme): scheme_page(records) for scheme, records in schemes.items()},
    }


def _joined(blocks: Iterable[str]) -> str:
    return "\n\n".join(blocks) + "\n"


def _index(registry: Registry, title: str, schemes: dict[str, list[tuple[Registry, Registration]]]) -> Iterator[str]:
    """Yield the schemes, what is known of other names, and what cannot be used."""
    ledgers = registry.ledgers()  # first: a ledger that cannot be imported is a problem
    yield f"# {plain(title)}"
    rows = []
    for scheme, ((of_profile, record), *_) in schemes.items():
        provider = of_profile.why(scheme).provider or ""
        link = f"[{code(scheme)}]({page_file(scheme)})"
        rows.append((link, plain(record.title), record.status, ", ".join(record.operations), plain(provider)))
    if rows:
        yield table(("scheme", "title", "status", "operations", "provided by"), rows)
    else:
        yield "No scheme is installed."
    problems = [f"{code(name)}, whose record cannot be read" for name in sorted(set(registry) - schemes.keys())]
    problems += sorted({plain(f"{_described(each)}: {each.state}") for each in registry.claims() if each.in_trouble})
    if problems:
        yield f"Installed, but unusable: {'; '.join(problems)}. {code('urlschemes doctor')} says why."
    known = [each for name, each in merged(ledgers).items() if name not in schemes]
    if known:
        yield "## Known, but not installed"
        sources = (f"{each.title} ({each.source}{each.date and f', as of {each.date}'})" for each in ledgers)
        yield f"From {'; '.join(map(linked, sources))}."
        about = ("; ".join(filter(None, (each.reference, each.since))) for each in known)
        advice = (attribution(each.name, ledgers) or "" if each.distribution else "" for each in known)
        cells = zip(known, about, advice, strict=True)
        yield table(
            ("scheme", "meaning", "status", "reference", "provided by"),
            ((code(each.name), plain(each.means), each.status, linked(text), plain(by)) for each, text, by in cells),
        )


def _described(claim: Claim) -> str:
    provider = claim.provider or "a distribution without a name"
    return f"the {claim.kind} {claim.name} of {provider}" if claim.name else provider


def _rules(profile: Profile) -> Iterator[str]:
    """Yield the rules that all schemes of a profile share."""
    shared, document = profile.grammar.rules, profile.document

    def section_of(name: str) -> str:
        place = shared[name].section
        return f"{document} section {place}" if place else document

    yield f"# Rules of {document}"
    yield (
        "Railroad diagrams of the rules that every scheme can use. In a diagram, the track from left to right passes "
        "the characters (round boxes) and the rules (boxes with corners) of which a text consists."
    )
    yield from rules(shared, profile, section_of)
