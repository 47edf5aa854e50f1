"""The pages of a site as HTML. The same registry gives the same pages."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import fields
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

import jinja2
from markupsafe import Markup

from urlschemes import Registry, __version__
from urlschemes.errors import require_type
from urlschemes.grammar.bnf import BNFReader
from urlschemes.registry.names import attribution, merged
from urlschemes.rfc1738 import RFC1738
from urlschemes_access import Limits, Policy
from urlschemes_cli.output.text import escaped_line
from urlschemes_cli.settings import installed_profiles
from urlschemes_site.comparison import comparison
from urlschemes_site.diagrams import svg_diagram
from urlschemes_site.linked_text import linked
from urlschemes_site.scheme_page import page_file, rule_rows, scheme_page

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from urlschemes.grammar.profile import Profile
    from urlschemes.registry.claims import Claim
    from urlschemes_site.diagrams import Diagram
    from urlschemes_site.scheme_page import SchemePage

__all__ = ["TITLE", "pages"]

RULES = "rules.html"
"""The page of the rules that all schemes of the registry's profile share."""
TITLE = "URL schemes"
"""The title of a site, unless another is given."""

_NOTATION = {
    '"ftp://"': "a literal; letters match in upper and lower case",
    "host": "another rule",
    'digits "." digits': "one after the other",
    "hostname | hostnumber": "one of them",
    "[ port ]": "optional",
    "*uchar": "any number of times, or not at all",
    "1*digit": "at least once",
    "2*5digit": "two to five times",
    "2hex": "exactly twice",
    "%x22 | %x30-39": "one octet, or one of a range, in hexadecimal",
}
"""Examples of the notation, with their meanings."""


class _Section(NamedTuple):
    """A profile: the page of its rules, and those of its schemes."""

    profile: Profile
    rules_file: str
    pages: list[SchemePage]


class _Template(NamedTuple):
    """A page to render: its template, and the values for it."""

    name: str
    values: dict[str, Any]


def pages(registry: Registry, *, title: str = TITLE) -> dict[str, str]:
    """Return the pages of the site of `registry` by their file names: HTML that needs no other file and no other host.

    Schemes that have a record of another profile too have a page for each, and a comparison. Plugins that provide a
    ledger are imported; plugins of schemes are not. What cannot be used is listed in the index.
    """
    require_type("registry", registry, Registry)
    require_type("title", title, str)
    environment = _environment()
    sections = list(_sections(registry))
    schemes = list({page.record.scheme: page for each in reversed(sections) for page in each.pages}.values())
    schemes.sort(key=lambda page: page.record.scheme)
    base = {
        "title": title,
        "newline": Markup("\n"),
        "version": __version__,
        "style": _source(environment, "style.css"),
        "script": None,
        "rules_file": RULES,
        "sections": sections,
    }
    templates = {
        "index.html": _index(registry, schemes, _source(environment, "search.js")),
        "about.html": _about(next(each.rules_file for each in sections if each.profile is RFC1738)),
    }
    compared = {name: comparison(found) for name, found in _by_scheme(sections).items() if len(found) > 1}
    for section in sections:
        templates[section.rules_file] = _rules(section)
        for page in section.pages:
            values = {"page": page, "record": page.record, "link": page.link, "rules_file": page.rules_file}
            compares = {"comparison": compared.get(page.record.scheme)}
            templates[page.file] = _Template("scheme.html", values | compares)
    return {
        file: _rendered(environment, template.name, {**base, "here": file, **template.values})
        for file, template in templates.items()
    }


def _sections(registry: Registry) -> Iterator[_Section]:
    """Return the pages of each profile, that of the registry first; the notation is explained by rules of RFC 1738."""
    for profile in sorted(installed_profiles(registry).values(), key=lambda each: each is not registry.profile):
        is_first = profile is registry.profile
        of_profile = registry.in_profile(profile)
        rules_file = RULES if is_first else page_file(profile.name, "rules")
        pages = [
            scheme_page(of_profile, each, page_file(each.scheme, "scheme" if is_first else profile.name), rules_file)
            for each in of_profile.registrations()
        ]
        if pages or is_first or profile is RFC1738:
            yield _Section(profile, rules_file, pages)


def _by_scheme(sections: Iterable[_Section]) -> dict[str, list[SchemePage]]:
    """Return the pages of each scheme, one for each profile."""
    found: dict[str, list[SchemePage]] = {}
    for section in sections:
        for page in section.pages:
            found.setdefault(page.record.scheme, []).append(page)
    return found


def _index(registry: Registry, schemes: list[SchemePage], script: str) -> _Template:
    """Return the index: the schemes, what is known of other names, and what cannot be used."""
    names = {page.record.scheme for page in schemes}
    ledgers = registry.ledgers()
    values = {
        "schemes": schemes,
        "known": [known for name, known in merged(ledgers).items() if name not in names],
        "ledgers": ledgers,
        "attribution": lambda name: attribution(name, ledgers),
        "problems": _problems(registry.claims()),
        "unreadable": sorted(set(registry) - names),
        "script": script,
    }
    return _Template("index.html", values)


def _rules(section: _Section) -> _Template:
    """Return the page of the rules that all schemes of a profile share, with the schemes that use each."""
    shared, document = section.profile.grammar.rules, section.profile.document
    users: dict[str, list[SchemePage]] = {}
    for page in section.pages:
        for name in page.shared:
            users.setdefault(name, []).append(page)
    link = "#rule-{}".format

    def section_of(name: str) -> str:
        place = shared[name].section
        return f"{document} section {place}" if place else document

    rows = list(rule_rows(shared, link, section_of))
    return _Template("rules.html", {"rules": rows, "users": users, "link": link, "profile": section.profile})


def _about(rules_file: str) -> _Template:
    """Return the page that explains the others."""
    limits = [(each.name, getattr(Policy.untrusted().limits, each.name)) for each in fields(Limits)]
    return _Template("about.html", {"limits": limits, "notation": list(_notation(rules_file))})


def _notation(rules_file: str) -> Iterator[tuple[str, str, Diagram]]:
    """Return each form of the notation, its meaning, and its diagram."""
    for number, (written, means) in enumerate(_NOTATION.items()):
        (rule,) = BNFReader(f"form{number} = {written}").rules().values()
        yield written, means, svg_diagram(rule, f"{rules_file}#rule-{{}}".format)


def _problems(claims: Iterable[Claim]) -> list[str]:
    """Return what cannot be used, with the state it is in."""
    return sorted({f"{_described(claim)}: {claim.state}" for claim in claims if claim.in_trouble})


def _described(claim: Claim) -> str:
    provider = claim.provider or "a distribution without a name"
    return f"the {claim.kind} {claim.name} of {provider}" if claim.name else provider


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("urlschemes_site"),
        autoescape=True,
        finalize=_escaped,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"linked": linked, "one_line": _one_line}
    return environment


def _escaped(value: object) -> object:
    """Escape invisible and bidirectional characters in every text that a template puts into a page."""
    return escaped_line(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _one_line(text: str) -> str:
    """Return `text` with each run of white space as one blank."""
    return " ".join(text.split())


def _source(environment: jinja2.Environment, name: str) -> str:
    assert environment.loader is not None
    return environment.loader.get_source(environment, name)[0]


def _rendered(environment: jinja2.Environment, template: str, values: dict[str, Any]) -> str:
    style, script = values["style"], values["script"]
    policy = ["default-src 'none'", "img-src data:", f"style-src {_digest(style)}"]
    policy += [f"script-src {_digest(script)}"] if script else []
    policy += ["base-uri 'none'", "form-action 'none'"]
    inline = {"style": Markup(style), "script": script and Markup(script), "security_policy": Markup("; ".join(policy))}  # noqa: S704  they are files of this package
    return environment.get_template(template).render({**values, **inline})


def _digest(text: str) -> str:
    """Return the source of a Content-Security-Policy that allows exactly this inline text."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
