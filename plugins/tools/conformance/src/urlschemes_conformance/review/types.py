"""Checks of the type of the URLs: that it is there, agrees with the record, and reads the examples."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.errors import PluginError
from urlschemes_conformance.review.catalogue import asks
from urlschemes_conformance.review.subject import as_text
from urlschemes_conformance.review.verdicts import failed, passed, skipped

if TYPE_CHECKING:
    from urlschemes_conformance.review.subject import Subject
    from urlschemes_conformance.review.verdicts import Judgement

__all__: list[str] = []

FIELDS = ("scheme", "status", "title", "reference", "default_port", "ports", "operations", "redirects", "local")
"""Fields of the record that code could give otherwise."""


@asks("contract", "docs/registering.md")
def contract(subject: Subject) -> Judgement:
    """The object that the entry point names is a Scheme of that name, for that record."""
    from urlschemes.registry.loading import load_scheme

    if not subject.has_code:
        return skipped("there is a record and no code")
    subject.plain_type  # noqa: B018  raises Missing where the record is at fault
    try:
        scheme = load_scheme(subject.target.claim)
    except PluginError as error:
        wants = getattr(error, "wants", "")
        return failed(error.message, f"it must be {wants}" if wants else "let the import of the package end well")
    for name in FIELDS:
        said, given = getattr(subject.record, name), getattr(scheme.registration, name)
        if said != given:
            return failed(
                f"the file of the record says {name} = {said!r}, and the code {given!r}",
                "let the code read the record with Registration.of(__name__)",
            )
    if scheme.registration.syntax.bnf != subject.record.syntax.bnf:
        return failed(
            "the BNF of the code is not that of the record's file",
            "let the code read the record with Registration.of(__name__)",
        )
    return passed(f"{subject.target.module}:{subject.target.attribute} with the type {scheme.url_type.__name__}")


@asks("parts", "RFC 1738 section 4; docs/registering.md")
def parts(subject: Subject) -> Judgement:
    """Each part of the record is an attribute of the type, and is what the core reads there: str, int, or tuple."""
    kind, plain = subject.url_type, subject.plain_type
    for name in plain.syntax.parts:
        if not hasattr(kind, name):
            return failed(f"the type {kind.__name__} has no attribute {name}", f"give it a property {name}")
    for url in subject.urls:
        text = as_text(url)
        own = plain.parse(text)
        if url.raw != own.raw:
            return failed("raw is not what stands in the URL", "leave raw to the core", repr(text))
        for name, is_there in own.raw.items():
            value, expected = getattr(url, name), getattr(own, name)
            if not _is_plain(value):
                return failed(
                    f"{name} is a {type(value).__qualname__}",
                    "give str, int, tuple or None: whoever compares, hashes or sends it relies on that",
                    repr(text),
                )
            if is_there is not None and value != expected:
                return failed(
                    f"{name} is {value!r}, and what stands there is {expected!r}",
                    "let the property give self._text(name), or what the core has under that name",
                    repr(text),
                )
    return passed(f"{', '.join(plain.syntax.parts) or 'no part'}: the same on {len(subject.urls)} URLs")


def _is_plain(value: object) -> bool:
    if type(value) is tuple:
        return all(map(_is_plain, value))
    return value is None or type(value) in {str, int}


@asks("examples-parse", "RFC 1738 section 4")
def examples_parse(subject: Subject) -> Judgement:
    """The examples of the record are what it says of them: URLs with these parts, written back as they are, or none."""
    from urlschemes_testing.examples import check_example

    for example in subject.record.examples:
        try:
            check_example(subject.url_type, example)
        except AssertionError as error:
            return failed(str(error), "mend the example, or what reads it", repr(example.url))
    return passed(f"{len(subject.record.examples)} examples") if subject.record.examples else skipped("there is none")
