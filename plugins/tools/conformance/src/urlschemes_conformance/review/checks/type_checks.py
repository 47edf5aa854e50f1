"""Checks of the type of the URLs: that it can be loaded, fits the record, and parses the examples."""

from __future__ import annotations

from decimal import Decimal
from inspect import getattr_static
from keyword import iskeyword
from types import FunctionType
from typing import TYPE_CHECKING

from urlschemes.url.value import URL
from urlschemes_conformance.review.catalogue import check
from urlschemes_conformance.review.verdicts import counted, failed, passed, skipped, warned
from urlschemes_testing.examples import check_example

if TYPE_CHECKING:
    from urlschemes_conformance.review.reviewed_scheme import ReviewedScheme
    from urlschemes_conformance.review.verdicts import Verdict

__all__: list[str] = []

_FIELDS = ("scheme", "status", "title", "reference", "default_port", "ports", "operations", "redirects", "local")
"""Fields of the record that the code could contradict."""
_OPEN = frozenset({"__new__", "__replace__", "explanation", "normalized", "replace"})
"""Methods that a type may override, each with a check of its own."""


@check("contract", "docs/reference/registration.md")
def contract(scheme: ReviewedScheme) -> Verdict:
    """The entry point names a Scheme of that name, made from the record of the package."""
    code, loaded = scheme.require_code(), scheme.scheme
    advice = "let the code read the record with Registration.of"
    for name in _FIELDS:
        in_file, in_code = getattr(scheme.record, name), getattr(loaded.registration, name)
        if in_file != in_code:
            return failed(f"{name} is {in_file!r} in the record, but {in_code!r} in the code", advice)
    if loaded.registration.syntax.bnf != scheme.record.syntax.bnf:
        return failed("the BNF of the code is not that of the record", advice)
    return passed(f"{code.module}:{code.attribute} with the type {loaded.url_type.__name__}")


@check("sealed", "docs/reference/urls.md")
def sealed(scheme: ReviewedScheme) -> Verdict:
    """The type overrides no method of URL except `normalized`, `explanation`, `replace` and the constructor."""
    url_type = scheme.url_type
    methods = {
        name: value
        for name, value in vars(URL).items()
        if isinstance(value, FunctionType | classmethod) and name not in _OPEN
    }
    overridden = [name for name, value in methods.items() if getattr_static(url_type, name) is not value]
    if overridden:
        return failed(
            f"{url_type.__name__} overrides {overridden[0]}, on which access, registry and tools rely",
            "give a method of your own another name",
            *(f"overrides {name}" for name in overridden[1:]),
        )
    return passed(f"{counted(len(methods), 'method')} of URL as the core has them")


@check("parts", "RFC 1738 section 4; docs/reference/registration.md")
def parts(scheme: ReviewedScheme) -> Verdict:
    """Each part of the record is an attribute of the type, with the value that the URL has there."""
    url_type = scheme.url_type
    for name in scheme.syntax.parts:
        if not hasattr(url_type, name):
            return failed(f"{url_type.__name__} has no attribute {name}", f"declare the field {name}")
    for url in scheme.urls:
        generated = scheme.generated_type.parse(str(url))
        for name in scheme.syntax.parts:
            value, expected = getattr(url, name), getattr(generated, name)
            if not _is_plain(value):
                return failed(
                    f"{name} is of the type {type(value).__qualname__}",
                    "return str, int, Decimal, tuple or None, as callers expect",
                    repr(str(url)),
                )
            if url.raw[name] not in {None, ()} and value != expected:  # the type says what an absent part is
                return failed(
                    f"{name} is {value!r}, but the URL has {expected!r} there",
                    "declare the part as a field, and give a derived value another name",
                    repr(str(url)),
                )
    if words := [name for name in scheme.syntax.parts if iskeyword(name)]:
        return warned(f"{words[0]} is a word of Python: no program can write url.{words[0]}", "give it another name")
    return passed(f"{', '.join(scheme.syntax.parts) or 'no part'}: correct in {counted(len(scheme.urls), 'URL')}")


def _is_plain(value: object) -> bool:
    if type(value) is tuple:
        return all(map(_is_plain, value))
    return value is None or type(value) in {str, int, Decimal}


@check("examples-parse", "RFC 1738 section 4")
def examples_parse(scheme: ReviewedScheme) -> Verdict:
    """The examples of the record are URLs with the parts given there, or invalid if it says so."""
    if not scheme.record.examples:
        return skipped("the record has no examples")
    wrong: list[str] = []
    for example in scheme.record.examples:
        try:
            check_example(scheme.url_type, example)
        except AssertionError as error:
            wrong.append(f"{example.url}: {error}")
    if wrong:
        advice = "correct the example" + (" or the type" if scheme.target.claim.module else ", or the rules and parts")
        return failed(wrong[0], advice, *wrong[1:])
    return passed(counted(len(scheme.record.examples), "example"))
