"""From a claim to a scheme: its record, read without importing anything, and its object, imported.

Whatever a plugin does wrong here becomes an error that names its distribution.
"""

from __future__ import annotations

import re
from importlib import import_module

from urlschemes.beside import read_beside
from urlschemes.choice import DISABLE, switch
from urlschemes.discovery import SCHEMES, Claim, described
from urlschemes.errors import PluginContractError, PluginLoadError, RegistrationError
from urlschemes.registration import API, FILE, Registration
from urlschemes.scheme import Scheme

__all__ = ["imported", "provided", "record"]

# The line of a record that says for which core it was written; whatever else it says is for Registration to judge.
_PLAIN_API = re.compile(rf"^api[ \t]*=[ \t]*{API}[ \t]*(?:#.*)?$", re.MULTILINE)


def record(claim: Claim) -> Registration:
    """The claim's record, read from its file without importing anything.

    Raises PluginLoadError where there is no such package, PluginContractError for what is wrong with the record.
    """
    text, source = _record_text(claim)
    try:
        found = Registration.from_text(text, source=source)
    except PluginContractError as error:
        raise _contract(claim, error.message, wants=error.wants, has=error.has) from error
    except RegistrationError as error:
        wants = f"api = {API}" if error.field == "api" else "a right record"
        raise _contract(claim, error.message, wants=wants, has=f"no {error.field}" if error.field else "") from error
    if found.scheme != claim.name:
        raise _contract(
            claim, f"{source} is the record of {found.scheme!r}", wants=f"scheme = {claim.name!r}", has=found.scheme
        )
    return found


def _record_text(claim: Claim) -> tuple[str, str]:
    try:
        return read_beside(claim.module, FILE)
    except (FileNotFoundError, UnicodeDecodeError) as error:
        raise _contract(claim, described(error), wants=f"{FILE}, in UTF-8, in {claim.module}", has="none") from error
    except Exception as error:  # no such package, or a finder of anybody's making
        raise _not_loaded(claim, error) from error


def provided(claim: Claim) -> Scheme:
    """The scheme that the claim names, imported if it has code. Raises PluginLoadError, PluginContractError."""
    if claim.attribute:
        if not _PLAIN_API.search(_record_text(claim)[0]):
            record(claim)  # nothing of a plugin is executed that says it is written for another core
        scheme = _checked(claim, imported(claim))
    else:
        scheme = _without_code(claim)
    try:
        scheme.url_type.syntax.fullmatch  # noqa: B018  compiles the pattern, now that its faults are the plugin's
    except RegistrationError as error:
        raise _contract(claim, error.message, wants="a grammar that can be used", has=error.field) from error
    return scheme


def _without_code(claim: Claim) -> Scheme:
    registration = record(claim)
    try:
        return Scheme(registration)
    except PluginContractError as error:
        raise _contract(claim, error.message, wants=error.wants, has=error.has) from error


def _checked(claim: Claim, found: object) -> Scheme:
    kind = type(found)  # unlike isinstance, this asks nothing of the object
    if not issubclass(kind, Scheme):
        has = (
            f"the class {getattr(found, '__qualname__', '')}"
            if issubclass(kind, type)
            else f"an object of {kind.__qualname__}"
        )
        raise _contract(claim, f"{claim.module}:{claim.attribute} is {has}", wants="a urlschemes.Scheme", has=has)
    scheme: Scheme = found  # type: ignore[assignment]  # as issubclass said
    if scheme.name != claim.name:
        has = f"the scheme {scheme.name}"
        raise _contract(claim, f"its scheme is called {scheme.name}", wants=f"the scheme {claim.name}", has=has)
    return scheme


def imported(claim: Claim) -> object:
    """The object that the claim names. Whatever goes wrong within the plugin becomes a PluginError, SystemExit too."""
    try:
        found: object = import_module(claim.module)
    except (KeyboardInterrupt, MemoryError):
        raise
    except (PluginContractError, RegistrationError) as error:  # its record was read again, by its own code
        raise _contract(
            claim, error.message, wants=getattr(error, "wants", ""), has=getattr(error, "has", "")
        ) from error
    except BaseException as error:
        raise _not_loaded(claim, error) from error
    for name in claim.attribute.split(".") if claim.attribute else ():
        try:
            found = getattr(found, name)
        except (KeyboardInterrupt, MemoryError):
            raise
        except BaseException as error:
            wants = f"{claim.module}:{claim.attribute}"
            raise _contract(claim, f"{wants} is not there", wants=wants, has=described(error)) from error
    return found


def _not_loaded(claim: Claim, error: BaseException) -> PluginLoadError:
    return PluginLoadError(
        f"{claim.provider}, which provides {claim.name}, cannot be imported: {described(error)}",
        scheme=_scheme_of(claim),
        distribution=claim.provider,
        hint=f"{DISABLE}={switch(claim)} switches it off, `pip uninstall {claim.distribution}` removes it",
    )


def _contract(claim: Claim, message: str, *, wants: str, has: str) -> PluginContractError:
    return PluginContractError(
        f"{claim.provider}, which provides {claim.name}, breaks the contract of plugins: {message}",
        scheme=_scheme_of(claim),
        distribution=claim.provider,
        wants=wants,
        has=has,
    )


def _scheme_of(claim: Claim) -> str | None:
    return claim.name if claim.group == SCHEMES else None
