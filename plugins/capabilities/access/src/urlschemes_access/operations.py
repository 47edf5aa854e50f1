"""From the caller's URL to the dialogue of an operation (section 2).

    URL  ->  vetoes and gateways  ->  the algorithm of its scheme, with its options  ->  Dialogue

URLs that a server sends, in redirects and listings, are read under stricter rules than those of the caller: they never
load a third-party plugin.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, Iterable, Mapping
from time import perf_counter
from typing import TYPE_CHECKING, Any

from urlschemes.errors import InvalidURL, PluginLoadError, UnknownScheme, UnsupportedOperation, URLError, require_type
from urlschemes.redaction import described, one_line
from urlschemes.scheme.scheme import lower_case, read_as
from urlschemes.url.value import LIMIT, URL
from urlschemes_access.client_base import ClientBase
from urlschemes_access.dialogue import Dialogue
from urlschemes_access.dialogue.redirects import read_location
from urlschemes_access.errors import PolicyDenied, RedirectRefused, add_section
from urlschemes_access.gateways import GatewayFinder
from urlschemes_access.resources.upload_content import in_large_pieces
from urlschemes_access.scheme_options import check_option, configured_value, is_configurable, options_of
from urlschemes_access.trace_event import TraceEvent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from urlschemes.registry.registry import Registry
    from urlschemes.scheme.scheme import Scheme
    from urlschemes_access.attributes import Gateway
    from urlschemes_access.backends.connection_pool import ConnectionPool
    from urlschemes_access.configuration import Setting
    from urlschemes_access.protocol.requests import Algorithm
    from urlschemes_access.trace_event import EventKind, Outcome

__all__ = ["DialogueClient", "Operation", "parse_found"]

_KINDS = {
    "access": ("document", "listing", "session"),
    "find attributes": ("attributes",),
    "update": ("attributes",),
    "replace": ("attributes",),
    "delete": ("attributes",),
}
"""The kinds of resources that an operation of section 2 opens; a scheme's own operation may open any."""
_ALL_KINDS = ("document", "listing", "session", "attributes")
_WITHOUT_CONTENT = ("access", "find attributes", "delete")


class Operation:
    """One operation of a client. `options` are those of the scheme, `content` is what the operation sends.

    `pool` holds the connections that the client keeps, if it keeps any.
    """

    def __init__(
        self,
        client: ClientBase,
        name: str,
        *,
        options: Mapping[str, Any],
        content: Any = None,
        pool: ConnectionPool | None = None,
    ) -> None:
        require_type("options", options, Mapping)
        self._client = client
        self._name = name
        self._options = options
        self._content = content
        self._pool = pool
        self._registry = client.registry
        self._hooks = client.hooks_in_use()
        self._gateways = GatewayFinder(client.registry, client.configuration, self._hooks)

    def begin(self, given: URL | str) -> Dialogue:
        """Return the dialogue of the operation on `given`. Raises as `Client.operate` does."""
        if isinstance(given, URL) and given.syntax.profile is not self._registry.profile:
            return self._begin_converted(given)
        return self._begin_own(given if isinstance(given, URL) else self._parse(given))

    def _begin_converted(self, given: URL) -> Dialogue:
        """Begin with a URL of another profile. The error for one that the client's profile lacks names both."""
        is_typed = given.registration is not None
        try:  # the two profiles may read different hosts: from here on, only this one counts
            is_known = is_typed and given.scheme in self._registry
            return self._begin_own(self._registry.convert(given) if is_known else self._parse(str(given)))
        except (InvalidURL, UnknownScheme) as error:
            is_invalid = isinstance(error, InvalidURL)
            if is_invalid or is_typed:
                other, own = given.syntax.profile.name, self._registry.profile.name
                hint = f"; for {own}: {error.hint}" if is_invalid and error.hint else ""
                error.message = f"the URL is of the profile {other}, and the client reads {own}: {error.message}"
                error.hint = f'pass registry=Registry(profile="{other}"){hint}'
            raise

    def _begin_own(self, url: URL) -> Dialogue:
        try:
            return self._begin(url)
        except URLError as error:
            add_section(error, url)
            raise

    def _begin(self, url: URL) -> Dialogue:
        if self._hooks is None:
            gateway = self._gateways.find(self._name, url, self._client.policy)
            return self._dialogue(url, gateway)
        hooks = self._hooks
        began = perf_counter()
        accessed = url

        def observe(outcome: Outcome, error: URLError | None = None) -> None:
            hooks.observe(self._name, accessed, outcome, error, perf_counter() - began)

        try:
            hooks.check_vetoes(url, self._name)
            gateway = self._gateways.find(self._name, url, self._client.policy)
            if gateway is not None:
                accessed = gateway.url
                hooks.check_vetoes(accessed, self._name)
            return self._dialogue(url, gateway, observe)
        except URLError as error:
            observe("failed", error)
            raise

    def _parse(self, text: str) -> URL:
        """Parse the caller's URL. One whose scheme is unknown may be reached through a gateway."""
        try:
            return self._registry.parse(text)
        except UnknownScheme:
            scheme = lower_case(text.partition(":")[0])
            if self._hooks is None and self._client.configuration.gateway(scheme) is None:
                raise
            return self._registry.parse_generic(text)

    def _dialogue(
        self,
        url: URL,
        gateway: Gateway | None,
        observe: Callable[[Outcome, URLError | None], None] | None = None,
    ) -> Dialogue:
        if gateway is not None:
            self._check_no_options(url)
            reached = f"{url.redacted()} is reached through {gateway.url.redacted()}: {gateway.source}"
            self._emit("gateway", reached)
            url = gateway.url
            self._registry = self._registry.in_profile(url.syntax.profile)
        elif url.registration is None:
            self._check_found(url)
        client = self._client
        scheme = self._registry[url.scheme]
        if not isinstance(url, scheme.url_type):  # a generic URL, or one of another registry
            url = read_as(scheme.url_type, str(url), max(LIMIT, len(str(url))))
        algorithm = _algorithm(self._registry, scheme, self._name)
        self._check_arguments(algorithm, scheme.name)
        return Dialogue(
            algorithm(url, **self._configured_options(scheme, algorithm), **self._options),
            url=url,
            registration=scheme.registration,
            policy=client.effective_policy,
            credentials=client.credentials,
            ask=client.ask,
            trace=client.trace,
            ssl_context=client.tls,
            content=in_large_pieces(self._content),
            redirect=self._redirect_target,
            parse=lambda text: parse_found(self._registry, text),
            observe=observe,
            kinds=_KINDS.get(self._name, _ALL_KINDS),
            gateway=gateway,
            provider=self._registry.provider(scheme.name) or "",
            pool=self._pool,
        )

    def _redirect_target(self, base: URL, location: str) -> URL:
        """Return the URL that a redirect leads to. Raises as `read_location`, RedirectRefused, PolicyDenied."""
        target = read_location(base, location, lambda name: self._registry[name].url_type)
        if self._hooks is not None:
            self._hooks.check_vetoes(target, self._name)
        if self._gateways.has_gateway(self._name, target):
            raise RedirectRefused(
                f"a redirect leads to {target.scheme}, which is reached through a gateway",
                reason="gateway",
                location=location,
                hint="access the target directly",
            )
        return target

    def _configured_options(self, scheme: Scheme, algorithm: Callable[..., object]) -> dict[str, object]:
        """Return the configured options of a scheme that `algorithm` takes and the caller did not give."""
        settings = self._client.configuration.options(scheme.registration)
        if not settings:
            return {}
        taken = options_of(algorithm)
        configured: dict[str, object] = {}
        for name, setting in settings.items():
            if name not in taken or not is_configurable(scheme, name):
                configured_value(
                    scheme, setting, _options_of_scheme(self._registry, scheme)
                )  # raises, or is for others
            elif name not in self._options:
                configured[name] = configured_value(scheme, setting, taken)
                self._emit("option", f"{name} is {setting.shown}, from {setting.source}")
        return configured

    def _check_arguments(self, algorithm: Callable[..., object], scheme: str) -> None:
        """Raise TypeError for an argument that the operation does not take, UnsupportedOperation for a range."""
        if self._content is not None and (
            isinstance(self._content, str) or not isinstance(self._content, Iterable | AsyncIterable)
        ):
            kind = type(self._content).__name__
            raise TypeError(f"content must be bytes or an iterable of bytes, not {kind}")
        if self._content is not None and self._name in _WITHOUT_CONTENT:
            raise TypeError(f"the operation {self._name!r} sends no content")
        if self._options:
            known = options_of(algorithm)
            if "range" in self._options and "range" not in known:
                raise UnsupportedOperation(
                    f"{scheme} has no ranges", scheme=scheme, hint="only the whole resource can be accessed"
                )
            for name, value in self._options.items():
                check_option(name, value, known)

    def _check_no_options(self, url: URL) -> None:
        if self._options:
            names = ", ".join(self._options)
            raise UnsupportedOperation(
                f"{url.scheme} is reached through a gateway, which does not take the options {names}",
                scheme=url.scheme,
                hint="leave the options out",
            )

    def _check_found(self, url: URL) -> None:
        """Raise PolicyDenied for a generic URL, as `parse_found` returns it, that would load a third-party plugin."""
        allowed = self._client.policy.schemes or ()
        if self._registry.would_import_third_party(url.scheme) and url.scheme not in allowed:
            raise PolicyDenied(
                f"the URL was found in a listing, and a third-party plugin provides its scheme {url.scheme}",
                scheme=url.scheme,
                rule="schemes",
                hint=f"policy rule 'schemes': add {url.scheme!r} to schemes, or parse the URL yourself",
            )

    def _emit(self, kind: EventKind, text: str) -> None:
        if self._client.trace is not None:
            self._client.trace(TraceEvent(kind, text=one_line(text)))


def parse_found(registry: Registry, text: str) -> URL:
    """Parse a URL found in a listing; if its scheme needs a third-party plugin, the result is a generic URL.

    Raises InvalidURL, UnknownScheme, PluginError.
    """
    if registry.would_import_third_party(text.partition(":")[0]):
        return registry.parse_generic(text)
    return registry.parse(text)


def _configuration_errors(client: ClientBase, settings: Iterable[Setting]) -> Iterator[URLError]:
    """Yield an error for each of the settings that cannot be used; the schemes they name are imported."""
    gateways = GatewayFinder(client.registry, client.configuration, client.hooks_in_use())
    for setting in settings:
        try:
            if setting.table == "gateways":
                gateways.check(setting.key)
            elif setting.table.startswith("options."):
                scheme = client.registry[setting.table.removeprefix("options.")]
                configured_value(scheme, setting, _options_of_scheme(client.registry, scheme))
        except URLError as error:
            yield error


class DialogueClient(ClientBase):
    """A client that begins the dialogues of its operations; a backend runs them."""

    def begin(
        self,
        operation: str,
        url: URL | str,
        content: Any = None,
        /,
        *,
        options: Mapping[str, Any] | None = None,
        **arguments: Any,
    ) -> Dialogue:
        """Return the dialogue of an operation; nothing is resolved or opened yet. Arguments are those of `operate`.

        `resources.synchronous.run(dialogue, backend)` opens its resource with a backend of your own, an object with the
        methods of `backends.backend.Backend`; `await resources.asynchronous.run(dialogue, backend)` with one that
        suspends. Errors are those of `operate`.
        """
        return self._begin(None, operation, url, content, options=options, **arguments)

    def _begin(
        self,
        pool: ConnectionPool | None,
        operation: str,
        url: URL | str,
        content: Any = None,
        *,
        options: Mapping[str, Any] | None = None,
        **arguments: Any,
    ) -> Dialogue:
        """Like `begin`, for the backend whose connections `pool` holds."""
        client = self.with_settings(**arguments)
        return Operation(client, operation, options=options or {}, content=content, pool=pool).begin(url)

    def check_configuration(self, settings: Iterable[Setting] | None = None) -> tuple[URLError, ...]:
        """Return an error for each setting that cannot be used with the installed schemes, which are imported.

        `settings` are by default all settings of the configuration.
        """
        return tuple(_configuration_errors(self, self.configuration.settings if settings is None else settings))


def _options_of_scheme(registry: Registry, scheme: Scheme) -> Mapping[str, object]:
    operations = scheme.registration.operations
    return options_of(*(_algorithm(registry, scheme, operation) for operation in operations))


def _algorithm(registry: Registry, scheme: Scheme, operation: str) -> Callable[..., Algorithm[None]]:
    """Return the algorithm of an operation. Raises UnsupportedOperation, PluginLoadError, PluginContractError."""
    try:
        return scheme.algorithm(operation)
    except (URLError, MemoryError):
        raise
    except (Exception, SystemExit) as error:  # a module may do anything while it is imported
        provider = registry.provider(scheme.name) or ""
        raise PluginLoadError(
            f"the algorithms of scheme {scheme.name}, from {provider}, cannot be imported: {described(error)}",
            scheme=scheme.name,
            distribution=provider,
        ) from error
