"""ClientBase: the settings of a client, checked."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from types import NoneType
from typing import TYPE_CHECKING, Any, Self

from urlschemes.errors import require_type
from urlschemes.registry.registry import registry_or_default
from urlschemes.storage.config_file import ConfigFile
from urlschemes_access.backends.connection_pool import ConnectionPool
from urlschemes_access.backends.tls_files import TLSFiles
from urlschemes_access.configuration import Configuration
from urlschemes_access.credentials import Credentials
from urlschemes_access.policy import Limits, Policy

if TYPE_CHECKING:
    import os
    import ssl
    from collections.abc import Mapping

    from urlschemes.registry.registry import Registry
    from urlschemes_access.hooks import AccessHooks
    from urlschemes_access.protocol.requests import Authenticate
    from urlschemes_access.trace_event import Tracer

__all__ = ["ClientBase"]

_SETTINGS = frozenset({"policy", "deadline", "credentials", "ask", "trace", "ssl_context", "cacert", "cert", "key"})
"""The settings that an operation can override: the keys of `Arguments` without `options`."""
_HOOKS_OF_EVERY_OPERATION = frozenset({"veto", "gateway", "observe"})


class ClientBase:
    """The settings of a client's operations, and the connections that it keeps."""

    def __init__(
        self,
        *,
        registry: Registry | None = None,
        configuration: Configuration | None = None,
        policy: Policy | None = None,
        deadline: float | None = None,
        credentials: Any = None,
        ask: Any = None,
        trace: Tracer | None = None,
        ssl_context: ssl.SSLContext | None = None,
        cacert: str | os.PathLike[str] | None = None,
        cert: str | os.PathLike[str] | None = None,
        key: str | os.PathLike[str] | None = None,
        options: Mapping[str, Mapping[str, Any]] | None = None,
        gateways: Mapping[str, str] | None = None,
        keep_connections: bool = True,
    ) -> None:
        self.registry = registry_or_default(registry)
        require_type("configuration", configuration, Configuration, NoneType)
        self.configuration = (configuration or Configuration()).extended(options=options, gateways=gateways)
        self.policy = self.configuration.policy() if policy is None else policy
        self.deadline = deadline
        self.credentials = credentials
        self.ask = ask
        self.trace = trace
        self.ssl_context = ssl_context
        self.cacert, self.cert, self.key = cacert, cert, key
        self._tls_files = TLSFiles()
        self._hooks: AccessHooks | None = None
        self._pool = ConnectionPool() if keep_connections else None
        self.check_settings()
        self.check_function("credentials", credentials)

    @classmethod
    def from_configuration(cls, file: ConfigFile | None = None, *, trust_env: bool = False, **arguments: Any) -> Self:
        """Make a client from a configuration file, by default the user's own.

        With `trust_env`, environment variables may set gateways and options. `arguments` are those of the class. Raises
        ConfigurationError.
        """
        configuration = Configuration.of(ConfigFile.load() if file is None else file, trust_env=trust_env)
        return cls(configuration=configuration, **arguments)

    def with_settings(self, **settings: Any) -> Self:
        """Return a copy of the client with other settings.

        None is the value of a client that was made without the setting, but leaves the policy as it is. A policy
        that has a deadline overrides the client's, too. Raises TypeError, ConfigurationError.
        """
        unknown = settings.keys() - _SETTINGS
        if unknown:
            raise TypeError(f"unknown argument {min(unknown)!r}: pass the options of a scheme as options={{...}}")
        if settings.get("policy") is None:
            settings.pop("policy", None)
        if not settings:
            return self
        client = copy(self)
        if "cert" in settings:
            client.key = None  # which belongs to the other certificate
        if any(settings.get(name) is not None for name in ("cacert", "cert", "key")):
            client.ssl_context = None  # which would count instead
        vars(client).update(settings)
        client.check_settings()
        if "policy" in settings and "deadline" not in settings and client.policy.limits.deadline is not None:
            client.deadline = None  # which would count instead
        return client

    def _close_connections(self) -> None:
        if self._pool is not None:
            self._pool.close()

    @property
    def tls(self) -> ssl.SSLContext | TLSFiles | None:
        """The TLS context, or the files to make it of; None for the system's trusted certificates."""
        return self.ssl_context or self._tls_files or None

    @property
    def effective_policy(self) -> Policy:
        """The policy, with the deadline of the client."""
        if self.deadline is None:
            return self.policy
        return replace(self.policy, limits=replace(self.policy.limits, deadline=self.deadline))

    def deadline_of(self, **settings: Any) -> float | None:
        """Return the deadline of an operation with these settings; None if none is named."""
        return self.with_settings(**settings).effective_policy.limits.deadline

    def credentials_from_hooks(self, request: Authenticate) -> Credentials | None:
        """Return the credentials that an installed plugin knows; to be passed as `credentials`. Raises PluginError."""
        return self._access_hooks().credentials(request)

    def describe_gateway(self, scheme: str) -> str | None:
        """Return the gateway of a scheme and its source; None if there is none. No plugin is imported."""
        setting = self.configuration.gateway(scheme)
        if setting is not None:
            return f"{setting.shown}, from {setting.source}"
        providers = [
            source.provider
            for source in self.registry.hook_sources()
            if source.names is not None and "gateway" in source.names
        ]
        return f"{' and '.join(sorted(providers))} may name one, by the hook urlschemes_gateway" if providers else None

    def hooks_in_use(self) -> AccessHooks | None:
        """Return the hooks, if a plugin or the program implements one that is called in every operation."""
        sources = self.registry.hook_sources()
        if not any(source.names is None or source.names & _HOOKS_OF_EVERY_OPERATION for source in sources):
            return None
        return self._access_hooks()

    def check_settings(self) -> None:
        """Fill in the configured files with certificates, and check all settings.

        Raises TypeError for a setting of the wrong type, ConfigurationError for a key without a certificate.
        """
        configured = self.configuration.tls_files()
        if self.cacert is None:
            self.cacert = configured.cacert
        if self.cert is None:
            self.cert = configured.cert
            self.key = configured.key if self.key is None else self.key
        files = TLSFiles.of(cacert=self.cacert, cert=self.cert, key=self.key)
        if files != self._tls_files:  # the same object as long as it can be: connections are kept for it
            self._tls_files = files
        if not isinstance(self.policy, Policy):
            raise TypeError(f"policy must be a Policy, such as Policy.interactive(), not {type(self.policy).__name__}")
        if self.deadline is not None:
            Limits(deadline=self.deadline)
        if self.ssl_context is not None:
            from ssl import SSLContext  # heavy; a caller who has a context has imported it

            require_type("ssl_context", self.ssl_context, SSLContext)
        for name in ("credentials", "ask", "trace"):
            value = getattr(self, name)
            if name != "credentials" or not isinstance(value, Credentials):
                self.check_function(name, value)

    @staticmethod
    def check_function(name: str, value: object) -> None:
        """Raise TypeError for the value of a setting that is not a function."""
        if value is not None and not callable(value):
            hint = "; pass it to one operation" if isinstance(value, Credentials) else ""
            raise TypeError(f"{name} must be a function, not {type(value).__name__}{hint}")

    def _access_hooks(self) -> AccessHooks:
        from urlschemes_access.hooks import AccessHooks  # imports pluggy, which is heavy

        self._hooks = self._hooks or AccessHooks(self.registry)
        return self._hooks
