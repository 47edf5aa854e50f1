"""From a claim to what it provides: a record, read without importing anything; a scheme, a hook or a command, imported.

Whatever a plugin does wrong here becomes an error that names its distribution.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from urlschemes.errors import PluginContractError, PluginLoadError, RegistrationError, URLError
from urlschemes.grammar.profile import RFC1738
from urlschemes.redaction import described
from urlschemes.registry.claim_selection import DISABLE, switch
from urlschemes.registry.claims import COMMANDS, DEMOS, SCHEMES, Claim
from urlschemes.scheme.registration import API, Registration
from urlschemes.scheme.scheme import Scheme, check_type
from urlschemes.storage.package_data import locate, read_file

if TYPE_CHECKING:
    from types import ModuleType

    from urlschemes.grammar.profile import Profile

__all__ = ["code_for", "load_object", "load_record", "load_scheme", "removal_hint"]


def load_record(claim: Claim, profile: Profile = RFC1738) -> Registration:
    """Return the record of `profile` that the claim refers to, read from its file; nothing is imported.

    Raises PluginLoadError if there is no such package, PluginContractError if the record cannot be used.
    """
    try:
        text, source = read_file(claim.module, profile.record)
    except (OSError, UnicodeDecodeError) as error:
        expected = f"{profile.record}, in UTF-8, in {claim.module}"
        raise _contract(claim, f"its record cannot be read: {described(error)}", wants=expected, has="none") from error
    except Exception as error:  # no such package, or another package's finder failed
        raise _not_loaded(claim, error) from error
    try:
        record = Registration.from_text(text, source=source, profile=profile)
    except URLError as error:
        raise _blamed(claim, error, "a valid record") from error
    if record.scheme != claim.name:
        message = f"{source} is the record of {record.scheme!r}"
        raise _contract(claim, message, wants=f"scheme = {claim.name!r}", has=record.scheme)
    return record


def load_scheme(claim: Claim, profile: Profile = RFC1738) -> Scheme:
    """Return the scheme that the claim names, imported if it has code for `profile`.

    Raises PluginLoadError, PluginContractError.
    """
    record = load_record(claim, profile)  # no code is executed that was written for another version of the core
    claim = code_for(claim, profile)
    scheme = _imported_scheme(claim, profile) if claim.attribute else None
    try:
        scheme = scheme or Scheme(record)
        check_type(scheme.url_type, scheme.name)
        scheme.url_type.syntax.fullmatch  # noqa: B018  compile the pattern now, so that its faults are the plugin's
    except URLError as error:
        raise _blamed(claim, error, "a usable grammar") from error
    except Exception as error:
        message = f"its URL type cannot be used: {described(error)}"
        raise _contract(claim, message, wants="a subclass of urlschemes.URL", has=described(error)) from error
    return scheme


def code_for(claim: Claim, profile: Profile) -> Claim:
    """Return the claim with the module that has the code for `profile`; without an attribute if there is none."""
    module = ".".join(filter(None, (claim.module, profile.module)))
    try:
        locate(module)
    except ModuleNotFoundError:
        return claim._replace(attribute="")
    return claim._replace(module=module)


def load_object(claim: Claim, profile: Profile = RFC1738) -> object:
    """Return what the claim names, with everything that using it would import, checked as far as possible.

    A scheme is that of `profile`, and must have a function for each of its operations. Raises PluginLoadError,
    PluginContractError.
    """
    if claim.group == SCHEMES:
        scheme = load_scheme(claim, profile)
        for operation in scheme.registration.operations if scheme.access else ():
            _check_algorithm(claim, scheme, operation)
        return scheme
    found = import_claimed(claim)
    if claim.group in {COMMANDS, DEMOS} and not callable(found):
        has = f"an instance of {type(found).__qualname__}"
        raise _contract(claim, f"it names {has}, which cannot be called", wants="a callable", has=has)
    return found


def import_claimed(claim: Claim) -> object:
    """Import and return the object that the claim names. Raises PluginLoadError, PluginContractError."""
    found: object = _imported_module(claim)
    for name in claim.attribute.split(".") if claim.attribute else ():
        try:
            found = getattr(found, name)
        except (Exception, SystemExit) as error:
            expected = f"{claim.module}:{claim.attribute}"
            raise _contract(claim, f"there is no {expected}", wants=expected, has=described(error)) from error
    return found


def _imported_module(claim: Claim) -> ModuleType:
    try:
        return import_module(claim.module)
    except MemoryError:
        raise
    except (Exception, SystemExit) as error:
        blamed = _blamed(claim, error, "a valid record") if isinstance(error, URLError) else error
        raise (_not_loaded(claim, error) if blamed is error else blamed) from error


def _imported_scheme(claim: Claim, profile: Profile) -> Scheme:
    found = import_claimed(claim)
    if not isinstance(found, Scheme):
        kind = type(found).__qualname__
        has = f"the class {found.__qualname__}" if isinstance(found, type) else f"an instance of {kind}"
        raise _contract(claim, f"{claim.module}:{claim.attribute} is {has}", wants="a urlschemes.Scheme", has=has)
    if found.name != claim.name:
        has = f"the scheme {found.name}"
        raise _contract(claim, f"it provides {has}", wants=f"the scheme {claim.name}", has=has)
    if found.registration.profile is not profile:
        has = f"a scheme of {found.registration.profile.name}"
        raise _contract(claim, f"it provides {has}", wants=f"a scheme of {profile.name}", has=has)
    return found


def _check_algorithm(claim: Claim, scheme: Scheme, operation: str) -> None:
    try:
        scheme.algorithm(operation)
    except PluginContractError as error:
        raise _contract(claim, error.message, wants=error.wants, has=error.has) from error
    except MemoryError:
        raise
    except (Exception, SystemExit) as error:
        raise _not_loaded(claim, error, "its algorithm") from error


def _blamed(claim: Claim, error: URLError, expected: str) -> URLError:
    """Return an error about a record, a grammar or a type as one that blames the distribution; others unchanged."""
    if isinstance(error, PluginContractError):
        return _contract(claim, error.message, wants=error.wants, has=error.has, hint=error.hint)
    if isinstance(error, RegistrationError):
        expected = f"api = {API}" if error.field == "api" else expected
        has = f"no {error.field}" if error.field else ""
        return _contract(claim, error.message, wants=expected, has=has, hint=error.hint)
    return error


def _not_loaded(claim: Claim, error: BaseException, what: str = "") -> PluginLoadError:
    reason = f"{what}: {described(error)}" if what else described(error)
    return PluginLoadError(
        f"{claim.provider}, which provides {claim.name}, cannot be imported: {reason}",
        scheme=_scheme_of(claim),
        distribution=claim.provider,
        hint=removal_hint(claim),
    )


def _contract(claim: Claim, message: str, *, wants: str, has: str, hint: str | None = None) -> PluginContractError:
    return PluginContractError(
        f"{claim.provider}, which provides {claim.name}, breaks the plugin contract: {message}",
        scheme=_scheme_of(claim),
        distribution=claim.provider,
        wants=wants,
        has=has,
        hint="; ".join(filter(None, (hint, removal_hint(claim)))),
    )


def removal_hint(claim: Claim) -> str:
    """Return how to do without the claim."""
    return f"{DISABLE}={switch(claim)} switches it off, `pip uninstall {claim.distribution}` removes it"


def _scheme_of(claim: Claim) -> str | None:
    return claim.name if claim.group == SCHEMES else None
