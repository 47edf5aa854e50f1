"""From the caller's URL to the dialogue of an operation (section 2).

    the caller's URL  ->  vetoes and gateways  ->  the algorithm of its scheme  ->  a dialogue, ready for a backend

Redirects and the URLs of listings come back here, so that what a server names is read under stricter rules than what the
caller names. Observers are told of the beginning and of the end.
"""

from __future__ import annotations

import re
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from urlschemes.errors import (
    ConfigurationError,
    InvalidURL,
    PluginContractError,
    PluginLoadError,
    UnknownScheme,
    UnsupportedOperation,
    URLError,
)
from urlschemes.redaction import described, one_line
from urlschemes.scheme.scheme import lower_case, read_as
from urlschemes.url.value import LIMIT, URL
from urlschemes_access.attributes import Gateway
from urlschemes_access.dialogue import Dialogue
from urlschemes_access.errors import PolicyDenied, RedirectRefused
from urlschemes_access.gateways import OPERATIONS, Template, check_asked
from urlschemes_access.scheme_options import check, fitting, options_of
from urlschemes_access.trace_event import TraceEvent
from urlschemes_lint.fixing import fix_as

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from urlschemes.registry.registry import Registry
    from urlschemes.scheme.scheme import Scheme
    from urlschemes_access.configuration import Configuration, Setting
    from urlschemes_access.hooks import AccessHooks
    from urlschemes_access.operation_arguments import Terms
    from urlschemes_access.policy import Policy
    from urlschemes_access.protocol.requests import Algorithm
    from urlschemes_access.resources.synchronous import Outcome
    from urlschemes_access.trace_event import Happening

__all__ = ["Operations"]

# What `fix` would encode, and what in a redirect is a trick rather than a slip: controls, blanks and backslashes.
_NEVER_FOLLOWED = re.compile(r"[\x00-\x20\x7f\\]")

# What each operation of the registry's own methods gives; that of a plugin's own operation is the plugin's to say.
_KINDS = {
    "access": ("document", "listing", "session"),
    "find attributes": ("attributes",),
    "update": ("attributes",),
    "replace": ("attributes",),
    "delete": ("attributes",),
}
_WITHOUT_CONTENT = ("access", "find attributes", "delete")
_ALL_KINDS = ("document", "listing", "session", "attributes")


class _Named(NamedTuple):
    """The text of the URL that somebody names as a gateway: `source`, which is a hook of `plugin`, or no plugin's."""

    text: str
    source: str
    plugin: str = ""

    def refused(self, why: str, hint: str | None) -> ConfigurationError | PluginContractError:
        message = f"{self.source} {why}"
        if self.plugin:
            return PluginContractError(
                message, distribution=self.plugin, wants="a URL that can be accessed directly", has=why, hint=hint
            )
        return ConfigurationError(message, source=self.source, key="gateways", hint=hint)


class Operations:
    """The operations of one client: those of its registry's schemes, as its configuration and hooks say."""

    def __init__(
        self, registry: Registry, configuration: Configuration, hooks: Callable[[], AccessHooks | None]
    ) -> None:
        self._registry = registry
        self._configuration = configuration
        self._find_hooks = hooks

    def begin(self, operation: str, given: URL | str, terms: Terms, options: Mapping[str, Any]) -> Dialogue:
        """Return the dialogue of the operation on what `given` locates. Raises as `Client.operate` does.

        `options` are the scheme's own.
        """
        hooks = self._find_hooks()
        url = given if isinstance(given, URL) else self._to_operate_on(given, hooks)
        if hooks is None:
            gateway = self._gateway(operation, url, terms.policy, None)
            return self._dialogue(operation, url, terms, options, gateway, None)
        began = perf_counter()
        accessed = url

        def watch(outcome: Outcome, error: URLError | None = None) -> None:
            hooks.observe(operation, accessed, outcome, error, perf_counter() - began)

        try:
            hooks.check_vetoes(url, operation)
            gateway = self._gateway(operation, url, terms.policy, hooks)
            if gateway is not None:
                accessed = gateway.url
                hooks.check_vetoes(accessed, operation)
            return self._dialogue(operation, url, terms, options, gateway, watch)
        except URLError as error:
            watch("failed", error)
            raise

    def _to_operate_on(self, text: str, hooks: AccessHooks | None) -> URL:
        """The URL of the text. A gateway may know a way to one whose scheme nobody provides."""
        try:
            return self._registry.parse(text)
        except UnknownScheme:
            if hooks is None and self._configuration.gateway(lower_case(text.partition(":")[0])) is None:
                raise
            return URL.parse(text)

    def _gateway(self, operation: str, url: URL, policy: Policy, hooks: AccessHooks | None) -> Gateway | None:
        """The gateway through which `url` is to be reached, if there is one, and if both may be accessed."""
        named = self._gateway_named(operation, url, hooks)
        if named is None:
            return None

        check_asked(url, policy, url.registration)
        return Gateway(url, self._through(operation, url, named, hooks), named.source)

    def _through(self, operation: str, url: URL, named: _Named, hooks: AccessHooks | None) -> URL:
        """The URL that a gateway is reached by. Raises ConfigurationError, PluginContractError."""
        try:
            through = self._registry.parse(named.text)
        except (InvalidURL, UnknownScheme) as error:
            raise named.refused(f"leads to a URL that cannot be accessed: {error.message}", error.hint) from None
        if through.scheme == url.scheme or self._gateway_named(operation, through, hooks):
            raise named.refused(
                f"leads to {through.scheme}, which is reached through a gateway itself",
                "a gateway is a URL of another scheme, which is reached directly",
            )
        return through

    def _gateway_named(self, operation: str, url: URL, hooks: AccessHooks | None) -> _Named | None:
        """What is to be accessed in the place of `url`: the configuration is asked first, then the hooks."""
        if operation not in OPERATIONS:
            return None
        setting = self._configuration.gateway(url.scheme)
        if setting is not None:
            return _Named(Template.parse(setting.value).filled(url), f"{setting.name} of {setting.source}")
        given = hooks.gateway(url, operation, trust_env=self._configuration.trust_env) if hooks else None
        return given and _Named(given[0], f"the hook urlschemes_gateway of {given[1]}", given[1])

    def _dialogue(
        self,
        operation: str,
        url: URL,
        terms: Terms,
        options: Mapping[str, Any],
        gateway: Gateway | None,
        watch: Callable[[Outcome, URLError | None], None] | None,
    ) -> Dialogue:
        if gateway is not None:
            if options:
                raise UnsupportedOperation(
                    f"{url.scheme} is reached through a gateway, which knows nothing of {', '.join(options)}",
                    scheme=url.scheme,
                    hint="leave the options out",
                )
            _tell(terms, "gateway", f"{url.redacted()} is reached through {gateway.url.redacted()}: {gateway.source}")
            url = gateway.url
        elif url.registration is None:
            self._check_found(url, terms.policy)
        scheme = self._registry[url.scheme]
        if not isinstance(url, scheme.url_type):  # read as a generic URL, or by the type of another registry
            url = read_as(scheme.url_type, str(url), max(LIMIT, len(str(url))))
        algorithm = self._algorithm(scheme, operation)
        _check_given(operation, algorithm, options, terms)
        configured = self._configured(scheme, algorithm, options, terms)
        return Dialogue(
            algorithm(url, **configured, **options),
            url=url,
            registration=scheme.registration,
            terms=terms,
            follow=lambda base, location: self.follow(base, location, operation),
            parse=self.parse_found,
            watch=watch,
            kinds=_KINDS.get(operation, _ALL_KINDS),
            gateway=gateway,
            provider=self._registry.provider(scheme.name) or "",
        )

    def _check_found(self, url: URL, policy: Policy) -> None:
        """Raise PolicyDenied for a URL as `parse_found` gives it, whose scheme a third party's plugin would provide.

        Whoever means that scheme parses the URL, or names the scheme in the policy.
        """
        if self._registry.would_import_third_party(url.scheme) and url.scheme not in (policy.schemes or ()):
            raise PolicyDenied(
                f"the URL was found, and a plugin of a third party provides its scheme {url.scheme}",
                scheme=url.scheme,
                rule="schemes",
                hint=f"policy rule 'schemes': name {url.scheme!r} in schemes, or parse the URL yourself",
            )

    def _configured(
        self,
        scheme: Scheme,
        algorithm: Callable[..., object],
        given: Mapping[str, Any],
        terms: Terms,
    ) -> dict[str, Any]:
        """The options that are configured for a scheme, as far as `algorithm` takes them and none was `given`.

        Raises ConfigurationError for one that no operation of the scheme takes, that the caller alone can say, or that
        is of the wrong type.
        """
        settings = self._configuration.options(scheme.registration)
        if not settings:
            return {}

        taken = options_of(algorithm)
        configured: dict[str, Any] = {}
        for name, setting in settings.items():
            if name not in taken or not _is_configurable(scheme, name):
                self._fitted(scheme, setting)
            elif name not in given:
                configured[name] = self._fitted(scheme, setting, taken)
                _tell(terms, "option", f"{name} is {setting.shown}, from {setting.source}")
        return configured

    def _fitted(self, scheme: Scheme, setting: Setting, known: Mapping[str, object] | None = None) -> object:
        """The value for an option, of those `known` (None: of all operations). Raises ConfigurationError."""
        if not _is_configurable(scheme, setting.key):
            raise ConfigurationError(
                f"{setting.source}: {setting.name} cannot be configured: who calls the operation says it, each time",
                source=setting.source,
                key=setting.name,
                hint="leave it out there",
            )
        if known is None:
            functions = [self._algorithm(scheme, operation) for operation in scheme.registration.operations]
            known = {name: default for each in functions for name, default in options_of(each).items()}
        if setting.key not in known:
            raise ConfigurationError(
                f"{setting.source}: no operation of {scheme.name} takes {setting.name}",
                source=setting.source,
                key=setting.name,
                hint=f"its options are: {', '.join(known) or 'none'}",
            )
        try:
            return fitting(setting.value, known[setting.key])
        except ValueError as error:
            raise ConfigurationError(
                f"{setting.source}: {setting.name} must be {error}", source=setting.source, key=setting.name
            ) from None

    def faults(self) -> Iterator[URLError]:
        """What cannot be used of the configuration, with the schemes that are there: they are imported."""
        for setting in self._configuration.settings:
            try:
                if setting.table == "gateways":
                    url = URL.parse(f"{setting.key}:a")
                    named = self._gateway_named("access", url, None)
                    assert named is not None
                    self._through("access", url, named, self._find_hooks())
                elif setting.table.startswith("options."):
                    self._fitted(self._registry[setting.table.removeprefix("options.")], setting)
            except URLError as error:
                yield error

    def _algorithm(self, scheme: Scheme, operation: str) -> Callable[..., Algorithm[None]]:
        try:
            return scheme.algorithm(operation)
        except (URLError, KeyboardInterrupt, MemoryError):
            raise
        except BaseException as error:  # as when the plugin itself is imported
            provider = self._registry.provider(scheme.name) or ""
            raise PluginLoadError(
                f"the algorithm of the scheme {scheme.name}, of {provider}, cannot be imported: {described(error)}",
                scheme=scheme.name,
                distribution=provider,
            ) from error

    def follow(self, base: URL, location: str, operation: str) -> URL:
        """The URL that a redirect leads to. Only the schemes that the record names can be reached, and so loaded.

        What real servers write is repaired, but for what can only be a trick. Raises InvalidURL, NotRepairable,
        UnknownScheme, RedirectRefused, PolicyDenied.
        """
        allowed = base.registration.redirects if base.registration else ()
        text = base.resolve(location)

        def type_of(name: str) -> type[URL]:
            if lower_case(name) not in allowed:
                raise RedirectRefused(
                    f"a redirect from {base.scheme} leads to {name}",
                    reason="scheme",
                    location=one_line(location, 120),
                )
            return self._registry[name].url_type

        if _NEVER_FOLLOWED.search(text):
            target = read_as(type_of(text.partition(":")[0]), text)
        else:
            target = fix_as(text, type_of).url
        hooks = self._find_hooks()
        if hooks:
            hooks.check_vetoes(target, operation)
        if self._gateway_named(operation, target, hooks):
            raise RedirectRefused(
                f"a redirect leads to {target.scheme}, which is reached through a gateway",
                reason="gateway",
                location=one_line(location, 120),
                hint="access what it leads to by itself",
            )
        return target

    def parse_found(self, text: str) -> URL:
        """The URL of a text that nobody typed: of a menu, of a listing. It never loads a plugin of a third party.

        The URL of a scheme that would need one is a generic URL. Raises InvalidURL, UnknownScheme, PluginError.
        """
        if self._registry.would_import_third_party(text.partition(":")[0]):
            return URL.parse(text)
        return self._registry.parse(text)


def _is_configurable(scheme: Scheme, option: str) -> bool:
    described = scheme.registration.options.get(option)
    return described is None or described.configurable


def _check_given(operation: str, algorithm: Callable[..., object], options: Mapping[str, object], terms: Terms) -> None:
    """Raise TypeError for what the caller gave and the operation cannot take."""
    if terms.content is not None and operation in _WITHOUT_CONTENT:
        raise TypeError(f"the operation {operation!r} sends no content")
    if options:
        known = options_of(algorithm)
        for name, value in options.items():
            check(name, value, known)


def _tell(terms: Terms, kind: Happening, text: str) -> None:
    if terms.trace is not None:
        terms.trace(TraceEvent(kind, text=one_line(text)))
