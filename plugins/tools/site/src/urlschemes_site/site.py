"""The pages of a site, from a registry to their texts. The same registry gives the same texts."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import fields
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import jinja2
from markupsafe import Markup

from urlschemes import __version__
from urlschemes.grammar.bnf import parse_rules, shared_rules
from urlschemes.registry.known_names import attribution, install_command, merged
from urlschemes_access import Limits, Policy
from urlschemes_cli.output.text import escaped_line
from urlschemes_site.diagrams import drawing
from urlschemes_site.prose import running
from urlschemes_site.schemes import RULES, page_file, page_of, rule_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from urlschemes import Registry
    from urlschemes.registry.claims import Claim
    from urlschemes_site.diagrams import Drawing

__all__ = ["TITLE", "pages"]

TITLE = "URL schemes"
"""The title of a site that is given none."""


def pages(registry: Registry, *, title: str = TITLE) -> dict[str, str]:
    """The pages of the site of `registry`, by their file names: HTML that needs no other file and no other host.

    No scheme's plugin is imported, only what brings a ledger is. The index says what cannot be used.
    """
    environment = _environment()
    schemes = [page_of(registry, record) for record in registry.registrations()]
    shown = {page.record.scheme for page in schemes}
    ledgers = registry.ledgers()
    known = [each for name, each in merged(ledgers).items() if name not in shown]
    shared = shared_rules().rules
    users: dict[str, list[str]] = {}
    for page in schemes:
        for name in page.shared:
            users.setdefault(name, []).append(page.record.scheme)
    limits = [(each.name, getattr(Policy.untrusted().limits, each.name)) for each in fields(Limits)]
    base = {
        "title": title,
        "newline": Markup("\n"),
        "version": __version__,
        "style": _source(environment, "style.css"),
        "script": None,
        "page_file": page_file,
        "rules_file": RULES,
    }
    made = {
        "index.html": (
            "index.html",
            {
                "schemes": schemes,
                "known": known,
                "ledgers": ledgers,
                "installing": install_command,
                "according": lambda name: attribution(name, ledgers),
                "trouble": _trouble(registry),
                "unreadable": sorted(set(registry) - shown),
                "script": _source(environment, "search.js"),
            },
        ),
        RULES: (
            "rules.html",
            {
                "rules": list(
                    rule_rows(shared, "#rule-{}".format, lambda name: f"RFC 1738 section {shared[name].section}")
                ),
                "users": users,
                "link": "#rule-{}".format,
            },
        ),
        "about.html": ("about.html", {"limits": limits, "notation": list(_notation())}),
        **{page.file: ("scheme.html", {"page": page, "record": page.record, "link": page.link}) for page in schemes},
    }
    return {
        file: _rendered(environment, template, {**base, "here": file, **more})
        for file, (template, more) in made.items()
    }


_NOTATION = {
    '"ftp://"': "a literal; its letters match in either case",
    "host": "another rule",
    'digits "." digits': "one after the other",
    "hostname | hostnumber": "one or the other",
    "[ port ]": "it, or nothing",
    "*uchar": "any number of times, or not at all",
    "1*digit": "at least once",
    "2*5digit": "two to five times",
    "2hex": "exactly so often",
    "%x22 | %x30-39": "one octet, or one of a range, in hexadecimal",
}
"""The notation by examples."""


def _notation() -> Iterator[tuple[str, str, Drawing]]:
    """Each form of the notation as it is written, what it means, and how it is drawn."""
    for number, (written, means) in enumerate(_NOTATION.items()):
        (rule,) = parse_rules(f"form{number} = {written}").values()
        yield written, means, drawing(rule, f"{RULES}#rule-{{}}".format)


def _trouble(registry: Registry) -> list[str]:
    """What cannot be used, of which distribution, and the state that it is in."""
    claims = [claim for claim in registry.claims() if claim.in_trouble]
    return sorted({f"{_named(claim)}: {claim.state}" for claim in claims})


def _named(claim: Claim) -> str:
    provider = claim.provider or "a distribution without a name"
    return f"the {claim.kind} {claim.name} of {provider}" if claim.name else provider


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("urlschemes_site"),
        autoescape=True,
        finalize=_safe,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"running": running, "prose": _prose}
    return environment


def _safe(value: object) -> object:
    """Every text that a template puts into a page: what nobody can see, or what would turn it round, is escaped."""
    return escaped_line(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _prose(text: str) -> str:
    """Running text, whose line breaks mean nothing."""
    return " ".join(text.split())


def _source(environment: jinja2.Environment, name: str) -> str:
    assert environment.loader is not None
    return environment.loader.get_source(environment, name)[0]


def _rendered(environment: jinja2.Environment, template: str, values: dict[str, Any]) -> str:
    style, script = values["style"], values["script"]
    policy = ["default-src 'none'", "img-src data:", f"style-src {_digest(style)}"]
    policy += [f"script-src {_digest(script)}"] if script else []
    policy += ["base-uri 'none'", "form-action 'none'"]
    inline = {"style": Markup(style), "script": script and Markup(script), "security_policy": Markup("; ".join(policy))}  # noqa: S704  of our own writing
    return environment.get_template(template).render({**values, **inline})


def _digest(text: str) -> str:
    """The source of a Content-Security-Policy that is this text and no other."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
