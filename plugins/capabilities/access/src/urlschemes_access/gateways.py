"""Gateways: URLs that are reached through a URL of another scheme (section 4).

A gateway is a template such as `http://gw.dom/fetch?{url}`; the whole URL replaces `{url}`, percent-encoded. Gateways
are used only for reading, and no gateway leads through another. Their URLs are of today: they are read by RFC 3986
where that profile is installed.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from urlschemes.errors import ConfigurationError, InvalidURL, PluginContractError, PluginError, UnknownScheme, UnsafeURL
from urlschemes.grammar.part import number_of
from urlschemes.grammar.profile import authority_of
from urlschemes.record.registration import Registration
from urlschemes.redaction import one_line, redact
from urlschemes.registry.registry import Registry
from urlschemes.rfc1738 import RFC1738
from urlschemes.url.value import URL
from urlschemes_access.attributes import Gateway
from urlschemes_access.configuration import Configuration, fill_template
from urlschemes_access.dialogue.destinations import Destinations
from urlschemes_access.policy import Policy
from urlschemes_access.protocol.hosts import read_host, server_syntax

if TYPE_CHECKING:
    from urlschemes_access.hooks import AccessHooks

PROFILE = "rfc3986"
"""The profile of gateways' URLs."""
OPERATIONS = frozenset({"access", "find attributes"})
"""The operations that may use a gateway. All others go to the host that the URL names."""


class _NamedGateway(NamedTuple):
    """The URL that a configuration or a plugin names as gateway; `source` describes it, `plugin` provides it."""

    text: str
    source: str
    plugin: str = ""

    def error(self, why: str, hint: str | None) -> ConfigurationError | PluginContractError:
        """Return the error for a gateway that cannot be used."""
        message = f"{self.source} {why}"
        if self.plugin:
            return PluginContractError(
                message, distribution=self.plugin, wants="a URL that can be accessed directly", has=why, hint=hint
            )
        return ConfigurationError(message, source=self.source, key="gateways", hint=hint)


class GatewayFinder(NamedTuple):
    """Finds gateways: those of a configuration, then those that plugins name."""

    registry: Registry
    configuration: Configuration
    hooks: AccessHooks | None

    def find(self, operation: str, url: URL, policy: Policy) -> Gateway | None:
        """Return the gateway of `url`, None if it is reached directly.

        Raises UnsafeURL or PolicyDenied if `url` may not be accessed through a gateway, ConfigurationError or
        PluginContractError for a gateway that cannot be used.
        """
        named = self._named(operation, url)
        if named is None:
            return None
        check_gatewayed_url(url, policy, url.registration)
        return Gateway(url, self._parse(operation, url, named), named.source)

    def has_gateway(self, operation: str, url: URL) -> bool:
        """Return True if a gateway is named for `url`."""
        return self._named(operation, url) is not None

    def check(self, scheme: str) -> None:
        """Raise ConfigurationError if the configured gateway of `scheme` cannot be used."""
        url = self.registry.parse_generic(f"{scheme}:a")
        named = self._named("access", url)
        if named is not None:
            self._parse("access", url, named)

    def _named(self, operation: str, url: URL) -> _NamedGateway | None:
        if operation not in OPERATIONS:
            return None
        setting = self.configuration.gateway(url.scheme)
        if setting is not None:
            return _NamedGateway(fill_template(setting.value, url), f"{setting.name} of {setting.source}")
        if self.hooks is None:
            return None
        answer = self.hooks.gateway(url, operation, trust_env=self.configuration.trust_env)
        return answer and _NamedGateway(answer[0], f"the hook urlschemes_gateway of {answer[1]}", answer[1])

    def _parse(self, operation: str, url: URL, named: _NamedGateway) -> URL:
        """Return the URL of the gateway. Raises ConfigurationError, PluginContractError."""
        try:
            gateway_url = self._registry_for(named.text).parse(named.text)
        except (InvalidURL, UnknownScheme) as error:
            raise named.error(f"leads to a URL that cannot be accessed: {error.message}", error.hint) from None
        if gateway_url.scheme == url.scheme or self.has_gateway(operation, gateway_url):
            raise named.error(
                f"leads to {gateway_url.scheme}, which is reached through a gateway itself",
                "name a URL of another scheme, which is reached directly",
            )
        return gateway_url

    def _registry_for(self, text: str) -> Registry:
        """Return the registry that reads the URL of a gateway: the first that has its scheme."""
        name, own = text.partition(":")[0], self.registry
        registries = [own, own.in_profile(RFC1738)]
        with suppress(PluginError):
            registries.insert(0, own.in_profile(PROFILE))
        return next((each for each in registries if name in each), own)


def check_gatewayed_url(url: URL, policy: Policy, registration: Registration | None) -> None:
    """Check a URL before it is sent to a gateway. `registration` is the record of its scheme, None if it is unknown.

    Raises UnsafeURL for a user name or a password, and for a URL that could not be accessed directly; PolicyDenied.
    """
    policy.check_scheme(url.scheme)
    url.check_line(include_checked=True)  # no algorithm of its scheme checks it
    part = _secret_part(url, registration)
    if part is not None:
        raise UnsafeURL(
            f"the URL contains a {part}, which its gateway would learn",
            scheme=url.scheme,
            part=part,
            section=url.syntax.profile.section("security"),
            hint=f"remove the {part} from the URL, or access the URL without a gateway",
        )
    if registration is None:
        _check_authority(url, policy)
        return
    Destinations(policy, registration).check_url(url)
    host = url.raw.get("host")
    if isinstance(host, str) and not registration.local:
        _check_literal(host, policy)


def _secret_part(url: URL, registration: Registration | None) -> str | None:
    for part in ("password", "user"):
        if url.raw.get(part) is not None:
            return part
    authority, rest = _authority(url), url.schemepart
    if registration is None and "@" in authority:
        return "user"
    if rest.startswith("//"):  # the syntax has found no login there
        rest = rest[2 + len(authority) :]
    return "password" if redact(rest) != rest else None


def _check_literal(host: str, policy: Policy) -> None:
    """Check the address that a host is, if it is one; a name is resolved by the gateway."""
    name, address = read_host(host)
    if address is not None:
        policy.check_address(name)


def _authority(url: URL) -> str:
    """Return the text of the authority that follows the first `//` of a URL, which may be within another URL."""
    text = ":" + "".join(str(url).partition("//")[1:])
    place = authority_of(text, url.syntax.profile)
    return "" if place is None else text[place.start : place.end]


def _check_authority(url: URL, policy: Policy) -> None:
    """Check the host and port of a URL whose scheme is unknown, by its profile's rule for a server."""
    authority = _authority(url)
    if not authority or not url.schemepart.startswith("//"):
        return
    syntax = server_syntax(url.syntax.profile)
    match = syntax.fullmatch(authority)
    if match is None:
        raise UnsafeURL(
            f"invalid host {one_line(repr(authority), 80)}: programs may read it differently",
            scheme=url.scheme,
            part="host",
            section=syntax.section_of(syntax.parts["host"].rule),
            hint="write a domain name or an IP address, and perhaps a port",
        )
    policy.check_host(match["host"])
    _check_literal(match["host"], policy)
    if match["port"] is not None:
        policy.check_port(number_of(match["port"]))
