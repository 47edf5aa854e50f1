"""From the caller's URL to the dialogue of an operation (section 2).

    URL  ->  vetoes and gateways  ->  the algorithm of its scheme, with its options  ->  Dialogue

URLs that a server sends, in redirects and listings, are read under stricter rules than those of the caller: they never
load a third-party plugin.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any

from urlschemes.errors import (
    Hint,
    InvalidURL,
    PluginLoadError,
    Remedy,
    UnknownScheme,
    UnsupportedOperation,
    URLError,
    require_type,
)
from urlschemes.redaction import described, one_line
from urlschemes.registry.registry import Registry
from urlschemes.scheme.scheme import Scheme, lower_case, read_as
from urlschemes.url.algorithms import algorithms_of
from urlschemes.url.value import LIMIT, URL
from urlschemes_access.attributes import Gateway
from urlschemes_access.configuration import Configuration, Setting
from urlschemes_access.dialogue import Dialogue, Operation
from urlschemes_access.dialogue.caller_requests import in_large_pieces
from urlschemes_access.dialogue.context import KINDS
from urlschemes_access.dialogue.destinations import read_location
from urlschemes_access.errors import PolicyDenied, RedirectRefused, add_section
from urlschemes_access.gateways import GatewayFinder
from urlschemes_access.protocol.requests import Algorithm
from urlschemes_access.settings import Settings, check_option, configured_value, is_configurable, options_of
from urlschemes_access.trace_event import EventKind, Outcome, TraceEvent

if TYPE_CHECKING:
    from urlschemes_access.hooks import AccessHooks

_KINDS = {
    "access": ("document", "listing", "session"),
    "find attributes": ("attributes",),
    "update": ("attributes",),
    "replace": ("attributes",),
    "delete": ("attributes",),
    "open session": ("session",),
}
"""The kinds of resources that an operation opens; one that only its scheme has may open any."""
_WITHOUT_CONTENT = ("access", "find attributes", "delete")


@dataclass
class Preparation:
    """Prepares one operation: checks its URL and arguments, and finds its gateway and its algorithm.

    `options` are those of the scheme, `content` is what the operation sends. `hooks` are those that are in use.
    """

    name: str
    content: Any
    options: Mapping[str, Any]
    settings: Settings
    configuration: Configuration
    registry: Registry
    hooks: AccessHooks | None

    def __post_init__(self) -> None:
        require_type("options", self.options, Mapping)
        self._gateways = GatewayFinder(self.registry, self.configuration, self.hooks)
        self._began = perf_counter()

    def dialogue(self, given: URL | str) -> Dialogue:
        """Return the dialogue of the operation on `given`. Raises as `Client.operate` does."""
        if isinstance(given, URL) and given.syntax.profile is not self.registry.profile:
            return self._of_another_profile(given)
        return self._dialogue(given if isinstance(given, URL) else self._parse(given))

    def _of_another_profile(self, given: URL) -> Dialogue:
        """Return the dialogue for a URL of another profile. An error for one that the client's lacks names both."""
        is_typed = given.registration is not None
        try:  # the two profiles may read different hosts: from here on, only this one counts
            is_known = is_typed and given.scheme in self.registry
            return self._dialogue(self.registry.convert(given) if is_known else self._parse(str(given)))
        except (InvalidURL, UnknownScheme) as error:
            is_invalid = isinstance(error, InvalidURL)
            if is_invalid or is_typed:
                other, own = given.syntax.profile.name, self.registry.profile.name
                error.message = f"the URL is of the profile {other}, and the client reads {own}: {error.message}"
                error.hint = Hint(Remedy("reads it", "Registry.profile", other), error.hint if is_invalid else None)
            raise

    def _parse(self, text: str) -> URL:
        """Parse the caller's URL. One whose scheme is unknown may be reached through a gateway."""
        try:
            return self.registry.parse(text)
        except UnknownScheme:
            scheme = lower_case(text.partition(":")[0])
            if self.hooks is None and self.configuration.gateway(scheme) is None:
                raise
            return self.registry.parse_generic(text)
        except InvalidURL as error:
            if error.code == "userinfo-not-allowed":
                error.hint = Hint(error.hint, Remedy("logs in where a server asks for it", "credentials"))
            raise

    def _dialogue(self, url: URL) -> Dialogue:
        self._accessed = url
        try:
            self._check_vetoes(url)
            gateway = self._gateways.find(self.name, url, self.settings.policy)
            if gateway is not None:
                self._accessed = gateway.url
                self._check_vetoes(gateway.url)
                self._go_through(gateway)
            elif url.registration is None:
                self._check_found(url)
            return self._with_algorithm(self._accessed, gateway)
        except URLError as error:
            self._observe("failed", error)
            add_section(error, url)
            raise

    def _go_through(self, gateway: Gateway) -> None:
        asked, url = gateway.asked, gateway.url
        if self.options:
            names = ", ".join(self.options)
            raise UnsupportedOperation(
                f"{asked.scheme} is reached through a gateway, which does not take the options {names}",
                scheme=asked.scheme,
                hint="leave the options out",
            )
        self._emit("gateway", f"{asked.redacted()} is reached through {url.redacted()}: {gateway.source}")
        self.registry = self.registry.in_profile(url.syntax.profile)

    def _with_algorithm(self, url: URL, gateway: Gateway | None) -> Dialogue:
        """Return the dialogue of the algorithm that the scheme of `url` has for the operation."""
        scheme = self.registry[url.scheme]
        if not isinstance(url, scheme.url_type):  # a generic URL, or one of another registry
            url = read_as(scheme.url_type, str(url), max(LIMIT, len(str(url))))
        algorithm = _algorithm(self.registry, scheme, self.name)
        self._check_arguments(algorithm, scheme.name)
        options = {**self._configured_options(scheme, algorithm), **self.options}
        operation = Operation(
            url,
            self.settings,
            content=in_large_pieces(self.content),
            kinds=_KINDS.get(self.name, KINDS),
            gateway=gateway,
            provider=partial(self.registry.provider, scheme.name),
            redirect=self._redirect_target,
            parse=partial(parse_found, self.registry),
            observe=self._observe,
        )
        return Dialogue(algorithm(url, **options), operation)

    def _check_vetoes(self, url: URL) -> None:
        if self.hooks is not None:
            self.hooks.check_vetoes(url, self.name)

    def _observe(self, outcome: Outcome, error: URLError | None = None) -> None:
        if self.hooks is not None:
            self.hooks.observe(self.name, self._accessed, outcome, error, perf_counter() - self._began)

    def _redirect_target(self, base: URL, location: str) -> URL:
        """Return the URL that a redirect leads to. Raises as `read_location`, RedirectRefused, PolicyDenied."""
        target = read_location(base, location, lambda name: self.registry[name].url_type)
        self._check_vetoes(target)
        if self._gateways.has_gateway(self.name, target):
            raise RedirectRefused(
                f"a redirect leads to {target.scheme}, which is reached through a gateway",
                reason="gateway",
                location=location,
                hint="access the target directly",
            )
        return target

    def _configured_options(self, scheme: Scheme, algorithm: Callable[..., object]) -> dict[str, object]:
        """Return the configured options of a scheme that `algorithm` takes and the caller did not give."""
        settings = self.configuration.options(scheme.registration)
        if not settings:
            return {}
        taken = options_of(algorithm)
        configured: dict[str, object] = {}
        for name, setting in settings.items():
            if name not in taken or not is_configurable(scheme, name):
                configured_value(scheme, setting, _options_of_scheme(self.registry, scheme))  # raises, or is for others
            elif name not in self.options:
                configured[name] = configured_value(scheme, setting, taken)
                self._emit("option", f"{name} is {setting.shown}, from {setting.source}")
        return configured

    def _check_arguments(self, algorithm: Callable[..., object], scheme: str) -> None:
        """Raise TypeError for an argument that the operation does not take, UnsupportedOperation for a range."""
        if self.content is not None and (
            isinstance(self.content, str) or not isinstance(self.content, Iterable | AsyncIterable)
        ):
            kind = type(self.content).__name__
            raise TypeError(f"content must be bytes or an iterable of bytes, not {kind}")
        if self.content is not None and self.name in _WITHOUT_CONTENT:
            raise TypeError(f"the operation {self.name!r} sends no content")
        if self.options:
            known = options_of(algorithm)
            if "range" in self.options and "range" not in known:
                raise UnsupportedOperation(
                    f"{scheme} has no ranges", scheme=scheme, hint="only the whole resource can be accessed"
                )
            for name, value in self.options.items():
                check_option(name, value, known)

    def _check_found(self, url: URL) -> None:
        """Raise PolicyDenied for a generic URL, as `parse_found` returns it, that would load a third-party plugin."""
        allowed = self.settings.policy.schemes or ()
        if self.registry.would_import_third_party(url.scheme) and url.scheme not in allowed:
            raise PolicyDenied(
                f"the URL was found in a listing, and a third-party plugin provides its scheme {url.scheme}",
                scheme=url.scheme,
                rule="schemes",
                hint=f"policy rule 'schemes': add {url.scheme!r} to schemes, or parse the URL yourself",
            )

    def _emit(self, kind: EventKind, text: str) -> None:
        if self.settings.trace is not None:
            self.settings.trace(TraceEvent(kind, text=one_line(text)))


def parse_found(registry: Registry, text: str) -> URL:
    """Parse a URL found in a listing; if its scheme needs a third-party plugin, the result is a generic URL.

    Raises InvalidURL, UnknownScheme, PluginError.
    """
    if registry.would_import_third_party(text.partition(":")[0]):
        url: URL = algorithms_of(registry.profile).of_unknown(text)
        return url
    return registry.parse(text)


def configuration_errors(
    settings: Iterable[Setting], configuration: Configuration, registry: Registry, hooks: AccessHooks | None
) -> Iterator[URLError]:
    """Yield an error for each of the settings that cannot be used; the schemes they name are imported."""
    gateways = GatewayFinder(registry, configuration, hooks)
    for setting in settings:
        try:
            if setting.table == "gateways":
                gateways.check(setting.key)
            elif setting.table.startswith("options."):
                scheme = registry[setting.table.removeprefix("options.")]
                configured_value(scheme, setting, _options_of_scheme(registry, scheme))
        except URLError as error:
            yield error


def _options_of_scheme(registry: Registry, scheme: Scheme) -> Mapping[str, object]:
    operations = scheme.registration.operations
    return options_of(*(_algorithm(registry, scheme, operation) for operation in operations))


def _algorithm(registry: Registry, scheme: Scheme, operation: str) -> Callable[..., Algorithm[None]]:
    """Return the algorithm of an operation. Raises UnsupportedOperation, PluginLoadError, PluginContractError."""
    try:
        return scheme.algorithm(operation)
    except UnsupportedOperation as error:
        if scheme.access and scheme.registration.operations:
            error.hint = _offer(scheme, scheme.access.rpartition(".")[0])
        raise
    except (URLError, MemoryError):
        raise
    except (Exception, SystemExit) as error:  # a module may do anything while it is imported
        provider = registry.provider(scheme.name) or ""
        raise PluginLoadError(
            f"the algorithms of scheme {scheme.name}, from {provider}, cannot be imported: {described(error)}",
            scheme=scheme.name,
            distribution=provider,
        ) from error


def _offer(scheme: Scheme, package: str) -> str:
    """Return the operations in words, with the function of the plugin's package for each that only this scheme has."""
    public = getattr(sys.modules.get(package), "__all__", ())
    names = ((each, each.replace(" ", "_")) for each in scheme.registration.operations)
    return "it offers " + ", ".join(
        f"{operation}: {package}.{function}" if function in public else operation for operation, function in names
    )
