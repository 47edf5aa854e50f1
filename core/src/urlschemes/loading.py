"""From a claim to a scheme: its record, read without importing anything, and its object, imported.

Whatever a plugin does wrong here becomes an error that names its distribution.
"""

from __future__ import annotations

import sys

from urlschemes.beside import read_beside
from urlschemes.claims import COMMANDS, DEMOS, HOOKS, SCHEMES, Claim, hook_of
from urlschemes.registration import API, FILE, Registration
from urlschemes.scheme import Scheme

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from urlschemes.errors import PluginContractError, PluginLoadError

__all__ = ["implementation", "imported", "provided", "record", "used"]

# The line of a record that says for which core it was written, as nearly all write it; of any other, and whatever else
# it says, is for Registration to judge.
_PLAIN_API = f"\napi = {API}\n"


def record(claim: Claim, *, kept: bool = False) -> Registration:
    """The claim's record, read from its file without importing anything; with `kept`, from what was made of it before.

    Raises PluginLoadError where there is no such package, PluginContractError for what is wrong with the record.
    """
    text, source = _record_text(claim)
    try:
        found = (Registration.installed if kept else Registration.from_text)(text, source=source)
    except Exception as error:
        raise _blamed(claim, error, "a right record") from error
    if found.scheme != claim.name:
        message = f"{source} is the record of {found.scheme!r}"
        raise _contract(claim, message, wants=f"scheme = {claim.name!r}", has=found.scheme)
    return found


def _record_text(claim: Claim) -> tuple[str, str]:
    try:
        return read_beside(claim.module, FILE)
    except (OSError, UnicodeDecodeError) as error:
        from urlschemes.display import described

        wants = f"{FILE}, in UTF-8, in {claim.module}"
        raise _contract(claim, f"its record cannot be read: {described(error)}", wants=wants, has="none") from error
    except MemoryError:
        raise
    except Exception as error:  # no such package, or a finder of anybody's making
        raise _not_loaded(claim, error) from error


def provided(claim: Claim) -> Scheme:
    """The scheme that the claim names, imported if it has code. Raises PluginLoadError, PluginContractError."""
    if claim.attribute:
        if _PLAIN_API not in "\n" + _record_text(claim)[0]:
            record(claim)  # nothing of a plugin is executed that says it is written for another core
        scheme = _checked(claim, imported(claim))
    else:
        scheme = _without_code(claim)
    from urlschemes.contract import check_type

    try:
        check_type(scheme.url_type, scheme.name)
        scheme.url_type.syntax.fullmatch  # noqa: B018  compiles the pattern, now that its faults are the plugin's
    except Exception as error:
        raise _blamed(claim, error, "a grammar that can be used") from error
    return scheme


def _without_code(claim: Claim) -> Scheme:
    registration = record(claim, kept=True)
    try:
        return Scheme(registration)
    except Exception as error:
        raise _blamed(claim, error, "a grammar that can be used") from error


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
        __import__(claim.module)
        found: object = sys.modules[claim.module]
    except (KeyboardInterrupt, MemoryError):
        raise
    except BaseException as error:
        blamed = _blamed(claim, error, "a right record")  # its record was read again, by its own code
        raise (_not_loaded(claim, error) if blamed is error else blamed) from error
    for name in claim.attribute.split(".") if claim.attribute else ():
        try:
            found = getattr(found, name)
        except (KeyboardInterrupt, MemoryError):
            raise
        except BaseException as error:
            from urlschemes.display import described

            wants = f"{claim.module}:{claim.attribute}"
            raise _contract(claim, f"{wants} is not there", wants=wants, has=described(error)) from error
    return found


def used(claim: Claim, claims: Iterable[Claim]) -> object:
    """The object that a claim names, with all that using it would import, and checked as far as that can be.

    Of a scheme that is its record, and a function for each of its operations. Raises PluginLoadError,
    PluginContractError.
    """
    if claim.group == SCHEMES:
        record(claim)
        scheme = provided(claim)
        _check_algorithms(claim, scheme)
        return scheme
    if claim.group == HOOKS:
        return implementation(claim, claims)
    found = imported(claim)
    if claim.group == COMMANDS:
        from click import Command

        if not isinstance(found, Command):
            raise _kind(claim, found, "a click.Command")
    elif claim.group == DEMOS and not callable(found):
        raise _kind(claim, found, "a function that gives a context manager")
    return found


def _kind(claim: Claim, found: object, wants: str) -> PluginContractError:
    has = type(found).__qualname__
    return _contract(claim, f"what it names is a {has}, and not {wants}", wants=wants, has=has)


def _check_algorithms(claim: Claim, scheme: Scheme) -> None:
    from urlschemes.errors import PluginContractError, URLError

    for operation in scheme.registration.operations if scheme._access else ():
        try:
            scheme.algorithm(operation)
        except PluginContractError as error:
            raise _contract(claim, error.message, wants=error.wants, has=error.has) from error
        except (URLError, KeyboardInterrupt, MemoryError):
            raise
        except BaseException as error:
            raise _not_loaded(claim, error, "its algorithm") from error


def implementation(claim: Claim, claims: Iterable[Claim]) -> object:
    """What implements the hook that the claim names, imported and held against its specification.

    It must implement just the hooks that its distribution names it for, by one of all `claims`. Raises PluginLoadError,
    PluginContractError.
    """
    from urlschemes.errors import PluginContractError
    from urlschemes.hooks import check

    found = imported(claim)
    same = [each for each in claims if each.group == claim.group and each.distribution == claim.distribution]
    place = (claim.module, claim.attribute)
    try:
        check(found, claim.provider, {hook_of(each.name) for each in same if (each.module, each.attribute) == place})
    except PluginContractError as error:
        error.hint = _riddance(claim)
        raise
    return found


def _blamed(claim: Claim, error: BaseException, wants: str) -> BaseException:
    """What is wrong with a record, a grammar or a type, as a fault of the distribution; any other error as it is."""
    from urlschemes.errors import PluginContractError, RegistrationError

    if isinstance(error, PluginContractError):
        return _contract(claim, error.message, wants=error.wants, has=error.has, hint=error.hint)
    if isinstance(error, RegistrationError):
        wants = f"api = {API}" if error.field == "api" else wants
        has = f"no {error.field}" if error.field else ""
        return _contract(claim, error.message, wants=wants, has=has, hint=error.hint)
    return error


def _not_loaded(claim: Claim, error: BaseException, what: str = "") -> PluginLoadError:
    from urlschemes.display import described
    from urlschemes.errors import PluginLoadError

    return PluginLoadError(
        f"{claim.provider}, which provides {claim.name}, cannot be imported: {what and f'{what}: '}{described(error)}",
        scheme=_scheme_of(claim),
        distribution=claim.provider,
        hint=_riddance(claim),
    )


def _contract(claim: Claim, message: str, *, wants: str, has: str, hint: str | None = None) -> PluginContractError:
    from urlschemes.errors import PluginContractError

    return PluginContractError(
        f"{claim.provider}, which provides {claim.name}, breaks the contract of plugins: {message}",
        scheme=_scheme_of(claim),
        distribution=claim.provider,
        wants=wants,
        has=has,
        hint="; ".join(filter(None, (hint, _riddance(claim)))),
    )


def _riddance(claim: Claim) -> str:
    from urlschemes.choice import DISABLE, switch

    return f"{DISABLE}={switch(claim)} switches it off, `pip uninstall {claim.distribution}` removes it"


def _scheme_of(claim: Claim) -> str | None:
    return claim.name if claim.group == SCHEMES else None
