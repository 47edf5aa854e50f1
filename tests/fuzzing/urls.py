"""URLs and texts with changes: each keeps the laws of all functions, in both profiles."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from random import Random

import url_laws

import urlschemes_lint
from fuzzing.mutations import Corpus
from urlschemes import InvalidURL, Registry, URLError, default_registry
from urlschemes_conformance import laws
from urlschemes_conformance.agreement import Judges
from urlschemes_text import find, wrap

REGISTRIES = {registry.profile.name: registry for registry in (default_registry, Registry(profile="rfc3986"))}
LONGEST = 300
"""Characters of a text that the recognizer reads, which tries every way to read it."""


@cache
def corpus(profile: str, number: int = 20) -> Corpus:
    """Return the texts of a profile."""
    return Corpus(number, REGISTRIES[profile])


def make(random: Random) -> list[str]:
    """Return the name of a profile, and a URL with changes."""
    profile = random.choice([*REGISTRIES])
    return [profile, corpus(profile).mutated(random)]


def judge(case: list[str]) -> str:
    """Check every law with one text."""
    profile, text = case
    registry = REGISTRIES[profile]
    laws.tools_agree(text, registry)
    found = list(find(text, registry=registry))
    assert all(text[slice(*each.span)] == each.text for each in found), "find returns a wrong span"
    assert all(type(each.url).parse(str(each.url)) == each.url for each in found), "find returns an invalid URL"
    try:
        url = registry.parse(text)
    except URLError:
        with suppress(URLError):
            urlschemes_lint.fix(text, registry=registry)
            return "repaired"
        return "found" if found else "invalid"
    url_laws.prints_back(text, registry)
    laws.builds_back(url)
    laws.is_normalized_once(url)
    url_laws.is_equivalent_to_its_normal_form(url)
    for name, value in url.parts.items():
        with suppress(InvalidURL):  # the default of an absent part need not be a value that can be written
            url_laws.replaces_one_part(url, name, value)
    wrapped = [(each.url, each.grade) for each in find(wrap(url), registry=registry)]
    assert wrapped == [(url, "delimited")], "find does not return the URL that wrap wrote"
    wrapped_lines = [each.url for each in find(wrap(url, width=40), registry=registry)]
    assert wrapped_lines == [url], "find does not return the URL that wrap wrote in lines"
    return "valid"


# Pattern, table and recognizer


@cache
def judges(profile: str, scheme: str) -> Judges:
    """Return the three of a scheme."""
    return Judges(REGISTRIES[profile].registration(scheme).syntax)


def make_for_readers(random: Random) -> list[str]:
    """Return the names of a profile and of a scheme, and a URL with changes."""
    profile = random.choice([*REGISTRIES])
    texts = corpus(profile)
    scheme = random.choice(texts.schemes)
    return [profile, scheme, texts.mutated(random, scheme)[:LONGEST]]


def judge_readers(case: list[str]) -> str:
    """Compare pattern, table and recognizer."""
    profile, scheme, text = case
    three = judges(profile, scheme)
    assert (difference := three.difference(text)) is None, difference
    return "valid" if three.syntax.fullmatch(text) else "invalid"
