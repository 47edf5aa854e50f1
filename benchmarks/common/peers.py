"""The libraries compared: this project, the standard library, and others if they are installed."""

from __future__ import annotations

import importlib
import importlib.metadata
import urllib.parse
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import urlschemes
from urlschemes.errors import URLError
from urlschemes.registry.readers import CHOICE

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["HERE", "NATIVE", "OURS", "REFERENCE", "REGISTRIES", "Parser", "missing", "ours", "parsers", "versions"]

OURS = "urlschemes"
NATIVE = f"{OURS}, native"
HERE = NATIVE if CHOICE.provider else OURS
"""Which of the two parses in this process."""
REFERENCE = "urlsplit"
REGISTRIES = {"": urlschemes.default_registry, ", RFC 3986": urlschemes.Registry(profile="rfc3986")}
"""The registries that are measured, by what their tables say of the profile."""


@dataclass(frozen=True)
class Parser:
    """Something that reads a URL. `forget` empties its cache, so that nothing is answered from memory."""

    parse: Callable[[str], object]
    refusals: tuple[type[Exception], ...] = (ValueError,)
    forget: Callable[[], object] = field(default=lambda: None)
    in_python: bool = True
    """True if it makes Python objects, which tracemalloc sees."""


def parsers() -> dict[str, Parser]:
    """Ours and `urlsplit`, and whichever of the others can be imported."""
    found = {
        REFERENCE: Parser(urllib.parse.urlsplit, forget=cast("Any", urllib.parse.urlsplit).cache_clear),
        HERE: ours(urlschemes.default_registry),
    }
    for name, make in _OTHERS.items():
        try:
            found[name] = make(importlib.import_module(name))
        except ImportError:
            continue
    return found


def ours(registry: urlschemes.Registry) -> Parser:
    """Return ours, with the schemes and the profile of a registry."""
    return Parser(registry.parse, (URLError,))


def missing() -> list[str]:
    """The libraries that are not installed here."""
    absent = []
    for name in _OTHERS:
        try:
            importlib.import_module(name)
        except ImportError:
            absent.append(name)
    return absent


def versions() -> dict[str, str]:
    """The version of each library that is compared, as its distribution gives it."""
    found = {OURS: urlschemes.__version__}
    for name in _OTHERS:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def _yarl(module: Any) -> Parser:
    # It fails with IndexError at an empty host with a port, and at such a bracket.
    return Parser(module.URL, (ValueError, IndexError), forget=module.cache_clear)


def _pydantic_core(module: Any) -> Parser:
    return Parser(module.Url, (ValueError,), in_python=False)


def _can_ada(module: Any) -> Parser:
    return Parser(module.parse, (ValueError,), in_python=False)


def _rfc3986(module: Any) -> Parser:
    """Parse with the validator, without which nothing is checked."""
    validators = importlib.import_module("rfc3986.validators")
    validator = validators.Validator().require_presence_of("scheme").check_validity_of("scheme", "host", "port", "path")
    validator = validator.check_validity_of("query", "fragment", "userinfo")
    refused = importlib.import_module("rfc3986.exceptions").RFC3986Exception

    def parse(text: str) -> object:
        reference = module.uri_reference(text)
        validator.validate(reference)
        return reference

    return Parser(parse, (refused, ValueError))


_OTHERS: dict[str, Callable[[Any], Parser]] = {
    "can_ada": _can_ada,
    "pydantic_core": _pydantic_core,
    "yarl": _yarl,
    "rfc3986": _rfc3986,
}
