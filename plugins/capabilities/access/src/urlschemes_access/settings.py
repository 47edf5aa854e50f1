"""The settings of an operation: those of its client, the arguments in their place, and the options of its scheme.

The options of a scheme are the keyword-only parameters of the algorithm's function; callers give them, a file or a
variable. The default of a parameter determines its type.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import replace
from inspect import Parameter, signature
from math import isfinite
from typing import TYPE_CHECKING, Any, TypedDict

from urlschemes.errors import ConfigurationError, require_type
from urlschemes.registry.registry import Registry
from urlschemes.scheme.scheme import Scheme
from urlschemes_access.backends.tls import TLSFiles
from urlschemes_access.credentials import Answers, Asker, Credentials, Form
from urlschemes_access.policy import Policy
from urlschemes_access.protocol.requests import Authenticate, Authenticator

if TYPE_CHECKING:
    import ssl

    from urlschemes_access.configuration import Setting
    from urlschemes_access.trace_event import Tracer


__all__ = ["Settings", "convert", "options_of"]


class SharedArguments(TypedDict, total=False):
    """Arguments of every client and of every operation, which override those of its client.

    None is the value of a client that was made without the argument.
    """

    registry: Registry | None
    """The registry that reads the URL; None: the client's, which is by default the process's."""
    policy: Policy | None
    """The policy; None: the client's. Its deadline, if it has one, overrides the client's."""
    deadline: float | None
    """The most seconds that the operation may take; it overrides the deadline of the policy."""
    trace: Tracer | None
    """Called with each TraceEvent of the operation."""
    ssl_context: ssl.SSLContext | None
    """Used instead of the system's trusted certificates, and instead of the files that follow."""
    cacert: str | os.PathLike[str] | None
    """A file in PEM form with the certificates to trust, instead of the system's."""
    cert: str | os.PathLike[str] | None
    """A file in PEM form with the client's certificate."""
    key: str | os.PathLike[str] | None
    """A file in PEM form with the private key of `cert`, unless that file holds it."""


class Arguments(SharedArguments, total=False):
    """The arguments of every operation besides the URL and the content. `credentials=None` switches credentials off."""

    credentials: Credentials | Authenticator | None
    """A function, called if a server requires a login; or, for one operation, credentials for the scheme, host and port
    of its URL."""
    ask: Asker | None
    """Called for the answers to a form if the server asks questions."""
    options: Mapping[str, Any]
    """Options of the scheme; its record describes them."""


class AsyncArguments(SharedArguments, total=False):
    """Like Arguments; `credentials` and `ask` may be coroutine functions."""

    credentials: Credentials | Callable[[Authenticate], Credentials | Awaitable[Credentials | None] | None] | None
    ask: Callable[[Form], Answers | Awaitable[Answers | None] | None] | None
    options: Mapping[str, Any]


_NAMES = Arguments.__annotations__.keys() - {"registry", "options"}
_FILES = ("cacert", "cert", "key")
_YES, _NO = frozenset({"true", "yes", "on", "1"}), frozenset({"false", "no", "off", "0"})


class Settings:
    """The settings that follow from the arguments `given` to a client or an operation.

    `policy` has the deadline that counts. `tls` is the TLS context, or the files to make it of: those `configured`
    unless others were given; None for the system's trusted certificates.

    Raises TypeError, ValueError; ConfigurationError for a key without a certificate.
    """

    def __init__(self, configured: TLSFiles | None = None, **given: Any) -> None:
        if unknown := given.keys() - _NAMES:
            raise TypeError(f"unknown argument {min(unknown)!r}: pass the options of a scheme as options={{...}}")
        self._configured = configured
        self._given = given
        self.policy = self._policy()
        self.tls = self._tls()
        self.credentials, self.ask, self.trace = map(given.get, ("credentials", "ask", "trace"))
        if not isinstance(self.credentials, Credentials):
            check_function("credentials", self.credentials)
        check_function("ask", self.ask)
        check_function("trace", self.trace)

    def overridden(self, given: Mapping[str, Any]) -> Settings:
        """Return the settings with the arguments `given` to an operation in place of their own. Raises as the class."""
        given = {name: value for name, value in given.items() if name != "policy" or value is not None}
        own = dict(self._given)
        policy = given.get("policy")
        if isinstance(policy, Policy) and policy.limits.deadline is not None:
            own.pop("deadline", None)  # which would count instead
        if "cert" in given:
            own.pop("key", None)  # which belongs to the other certificate
        if any(given.get(name) is not None for name in _FILES):
            own.pop("ssl_context", None)  # which would count instead
        return Settings(self._configured, **(own | given))

    def _policy(self) -> Policy:
        policy, deadline = self._given.get("policy"), self._given.get("deadline")
        policy = Policy.untrusted() if policy is None else policy
        if not isinstance(policy, Policy):
            raise TypeError(f"policy must be a Policy, such as Policy.interactive(), not {type(policy).__name__}")
        return policy if deadline is None else replace(policy, limits=replace(policy.limits, deadline=deadline))

    def _tls(self) -> ssl.SSLContext | TLSFiles | None:
        paths = {name: path for name in _FILES if (path := self._given.get(name)) is not None}
        files = self._configured
        if paths:
            configured = files or TLSFiles()
            fallback = TLSFiles(configured.cacert) if "cert" in paths else configured
            files = TLSFiles.of(**{name: paths.get(name, getattr(fallback, name)) for name in _FILES})
        context: ssl.SSLContext | None = self._given.get("ssl_context")
        if context is None:
            return files
        from ssl import SSLContext  # heavy; a caller who has a context has imported it

        require_type("ssl_context", context, SSLContext)
        return context


def check_function(name: str, value: object) -> None:
    """Raise TypeError for the value of an argument that is not a function."""
    if value is not None and not callable(value):
        hint = "; pass it to one operation" if isinstance(value, Credentials) else ""
        raise TypeError(f"{name} must be a function, not {type(value).__name__}{hint}")


def options_of(*algorithms: Callable[..., object]) -> Mapping[str, object]:
    """Return the options that algorithms take, with their defaults; None for an option that must be given."""
    options: dict[str, object] = {}
    for algorithm in algorithms:
        for each in signature(algorithm).parameters.values():
            if each.kind is Parameter.KEYWORD_ONLY:
                options[each.name] = None if each.default is Parameter.empty else each.default
    return options


def check_option(name: str, value: object, known: Mapping[str, object]) -> None:
    """Raise TypeError if the option `name` is not `known`, or `value` does not have the type of its default.

    A str such as "no" is true in Python, and must not allow a password in clear text.
    """
    if name not in known:
        raise TypeError(f"unknown option {name!r}: expected {_list(known)}")
    default = known[name]
    if default is None:
        return
    expected: type | tuple[type, ...] = type(default)
    if isinstance(default, float):
        expected = (int, float)
    elif isinstance(default, tuple):
        expected = (list, tuple)
    if not isinstance(value, expected) or (isinstance(value, bool) and not isinstance(default, bool)):
        raise TypeError(f"option {name} must be {type(default).__name__}, not {type(value).__name__}")


def configured_value(scheme: Scheme, setting: Setting, known: Mapping[str, object]) -> object:
    """Return the value of a configured option, converted to its type; `known` are the options of the scheme.

    Raises ConfigurationError for an unknown option, for one that no configuration may set, and for a wrong type.
    """
    if not is_configurable(scheme, setting.key):
        raise _error(setting, "cannot be configured: pass it to the operation", "remove it")
    if setting.key not in known:
        raise _error(setting, f"is not an option of any operation of {scheme.name}", f"the options are: {_list(known)}")
    try:
        return convert(setting.value, known[setting.key])
    except ValueError as error:
        raise _error(setting, f"must be {error}") from None


def is_configurable(scheme: Scheme, option: str) -> bool:
    """Return True if the configuration may set the option."""
    described = scheme.registration.options.get(option)
    return described is None or described.configurable


def convert(value: object, default: object) -> object:
    """Return `value` converted to the type of `default`: a str may stand for yes or no, or for a number.

    Raises ValueError with the expected type.
    """
    if isinstance(default, bool):
        text = str(value).lower()
        if text not in _YES | _NO:
            raise ValueError("yes or no")
        return text in _YES
    if isinstance(default, int | float):
        return _number(value, type(default))
    if isinstance(default, tuple):
        return tuple(value) if isinstance(value, list | tuple) else (value,)
    if default is None or (isinstance(value, str) and isinstance(default, str)):
        return value
    raise ValueError("a string" if isinstance(default, str) else f"passed by a program, as a {type(default).__name__}")


def _number(value: object, kind: type[float]) -> float:
    try:
        number = kind(str(value))
    except ValueError:
        raise ValueError("a whole number" if issubclass(kind, int) else "a number") from None
    if not isfinite(number):
        raise ValueError("a finite number")
    return number


def _list(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


def _error(setting: Setting, why: str, hint: str | None = None) -> ConfigurationError:
    return ConfigurationError(
        f"{setting.source}: {setting.name} {why}", source=setting.source, key=setting.name, hint=hint
    )
