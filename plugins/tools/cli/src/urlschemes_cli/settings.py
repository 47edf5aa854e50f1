"""The settings of one run of the command: the registry and the client that the global options ask for."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING

from urlschemes import Registry, default_registry
from urlschemes.errors import PluginError
from urlschemes.grammar.profile import Profile
from urlschemes.registry.claim_selection import Rules
from urlschemes.registry.claims import PROFILES
from urlschemes.registry.known_names import reserved_names
from urlschemes.storage.config_file import ConfigFile, user_file
from urlschemes_cli.commands import RESERVED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from urlschemes_access import Client

__all__ = ["Settings", "installed_profiles", "known_records"]


def installed_profiles(registry: Registry) -> dict[str, Profile]:
    """Return the profiles by name, that of the core first; those that cannot be imported are left out."""
    first = default_registry.profile
    found = {first.name: first}
    for claim in registry.claims():
        if claim.group == PROFILES and claim.state == "active":
            with suppress(PluginError):
                profile = registry.load(claim)
                found |= {claim.name: profile} if isinstance(profile, Profile) else {}
    return found


def known_records(registry: Registry) -> set[str]:
    """Return the names of the files that hold records of profiles: of those installed, and of those of this project."""
    return {
        *(profile.record for profile in installed_profiles(registry).values()),
        *(f"registration.{name}.toml" for name in reserved_names().profiles),
    }


class Settings:
    """The global options, and the registry and client made of them; the context object of every command.

    `plugins` are the values of `--plugins`: None without the option, empty for `--no-plugins`. `profile` is the value
    of `--profile`, or of its variable.
    """

    def __init__(
        self,
        plugins: Sequence[str] | None = None,
        pins: dict[str, str] | None = None,
        *,
        disable: Sequence[str] = (),
        require: Sequence[str] = (),
        profile: str | None = None,
        config: str | None = None,
        use_config: bool = True,
    ) -> None:
        self.plugins = plugins
        self.pins = pins or {}
        self.disable = disable
        self.use_config = use_config
        self._require = require
        self.profile = profile
        self._config = config

    def use_profile(self, name: str) -> None:
        """Let registry and client be of the profile `name`."""
        self.profile = name
        self.__dict__.pop("client", None)

    def without_missing_profile(self) -> PluginError | None:
        """Use the core's profile if the one that is asked for cannot be used; return the error about it.

        Commands that help to mend an installation work in any case.
        """
        self.installed  # noqa: B018  raises what another profile does not mend
        try:
            self.registry  # noqa: B018  raises what another profile mends
        except PluginError as error:
            self.use_profile(default_registry.profile.name)
            return error
        return None

    @cached_property
    def file(self) -> ConfigFile:
        """The configuration file. Raises ConfigurationError."""
        return ConfigFile.load(self._config) if self.use_config else ConfigFile()

    @property
    def path(self) -> str | None:
        """The path of the configuration file, which need not exist; None if no file is used."""
        if not self.use_config:
            return None
        return user_file(os.environ) if self._config is None else os.path.abspath(self._config)  # noqa: PTH100  it is shown as text

    @cached_property
    def installed(self) -> Registry:
        """The registry of the core's profile, for what is the same in all. Raises ConfigurationError, PluginError."""
        configured = self._configured
        option = "--no-plugins" if self.plugins == [] else "--plugins"
        allowed = configured.allowed if self.plugins is None else {option: self.plugins}
        disabled = {**configured.disabled, "--disable": self.disable}
        rules = Rules(allowed, disabled, {**configured.pins, **self.pins}, reserved=RESERVED)
        return Registry.from_rules(rules, require=self._require)

    @property
    def registry(self) -> Registry:
        """The registry that the options and the configuration ask for. Raises ConfigurationError, PluginError."""
        return self.installed.in_profile(self.profile or self._configured.profile)

    @cached_property
    def _configured(self) -> Rules:
        return Rules.from_table(self.file.table("registry"))

    @cached_property
    def client(self) -> Client:
        """The configured client. Environment variables count too: they belong to the person who types the command."""
        from urlschemes_access import Client  # late: commands that only parse do without it
        from urlschemes_access.configuration import Configuration

        configuration = Configuration.of(self.file, trust_env=True) if self.use_config else Configuration()
        return Client(registry=self.registry, configuration=configuration, keep_connections=False)

    @property
    def unconfigured_client(self) -> Client:
        """A client without gateways, options or policy of the configuration."""
        from urlschemes_access import Client  # late: commands that only parse do without it

        return Client(registry=self.registry, keep_connections=False)
