"""The settings of one run of the command: the registries and clients that the global options ask for.

The command reads by one profile. A scheme that has no record of it, but one of another profile, is read by that.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property

import urlschemes_access  # what it offers is imported when it is used: commands that only parse do without it
from urlschemes import Registry, default_registry
from urlschemes.errors import PluginError
from urlschemes.grammar.profile import Profile
from urlschemes.registry.claims import PROFILES, SCHEMES
from urlschemes.registry.names import reserved_names
from urlschemes.registry.selection import Rules
from urlschemes_access.config_file import ConfigFile, user_file
from urlschemes_cli.commands import RESERVED

__all__ = ["DEFAULT", "Settings", "current_settings", "installed_profiles", "known_profiles", "known_records"]

DEFAULT = "default"
"""The source of a setting that has its default value."""
_PROFILE = "rfc3986"
"""The profile that the command reads by, unless another is chosen."""
_CORE = default_registry.profile.name
_NAME = re.compile(r"[\s<\"']*(?:URL:\s*)*([a-z0-9+.\-]*)", re.IGNORECASE)
"""The name of a scheme at the beginning of a text, after what `fix` removes."""


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


def known_profiles(registry: Registry) -> set[str]:
    """Return the names of the profiles that are installed, and of those of this project."""
    return {*installed_profiles(registry), *reserved_names().profiles}


def known_records(registry: Registry) -> set[str]:
    """Return the names of the files that hold records of profiles: of those installed, and of those of this project."""
    return {
        *(profile.record for profile in installed_profiles(registry).values()),
        *(f"registration.{name}.toml" for name in reserved_names().profiles),
    }


def _has(registry: Registry, name: str) -> bool:
    """Return True if a registry has a scheme, or would have it if only one distribution claimed the name."""
    conflict = (SCHEMES, name, "conflict")
    return name in registry or any((each.group, each.name, each.state) == conflict for each in registry.claims())


@dataclass(eq=False)
class Settings:
    """The global options, and the registries and clients made of them; the context object of every command.

    `plugins` are the values of `--plugins`: None without the option, empty for `--no-plugins`. `profile` is the value
    of `--profile`, or of its variable. `records` are folders that are ledgers, besides those of the configuration.
    """

    plugins: Sequence[str] | None = None
    pins: dict[str, str] = field(default_factory=dict)
    disable: Sequence[str] = ()
    require: Sequence[str] = ()
    profile: str | None = None
    records: Sequence[str] = ()
    config: str | None = None
    use_config: bool = True

    def __post_init__(self) -> None:
        self.profile = self.profile or os.environ.get("URLSCHEMES_PROFILE") or None

    @cached_property
    def file(self) -> ConfigFile:
        """The configuration file. Raises ConfigurationError."""
        return ConfigFile.load(self.config) if self.use_config else ConfigFile()

    @property
    def path(self) -> str | None:
        """The path of the configuration file, which need not exist; None if no file is used."""
        if not self.use_config:
            return None
        return user_file(os.environ) if self.config is None else os.path.abspath(self.config)  # noqa: PTH100  it is shown as text

    @cached_property
    def configuration(self) -> urlschemes_access.Configuration:
        """The configuration of clients. Variables count: they belong to the person who types the command."""
        configuration = urlschemes_access.Configuration
        return configuration.of(self.file, trust_env=True) if self.use_config else configuration()

    @property
    def chosen_profile(self) -> tuple[str, str]:
        """The profile that the command reads by, and where that is set. Raises ConfigurationError."""
        if self.profile is not None:
            return self.profile, "--profile, or URLSCHEMES_PROFILE"
        table = self.file.table("registry")
        return (table.string("profile"), table.source) if "profile" in table.content else (_PROFILE, DEFAULT)

    def without_missing_profile(self) -> PluginError | None:
        """Use the core's profile if the chosen one cannot be used; return the error about it.

        Commands that help to mend an installation work in any case.
        """
        try:
            _ = self.registry
        except PluginError as error:
            self.installed.claims()  # raises what another profile does not mend
            self.profile = _CORE
            return error
        return None

    @cached_property
    def installed(self) -> Registry:
        """The registry of the core's profile, for what is the same in all. Raises ConfigurationError, PluginError."""
        configured = self.file.rules()
        option = "--no-plugins" if self.plugins == [] else "--plugins"
        allowed = configured.allowed if self.plugins is None else {option: self.plugins}
        disabled = {**configured.disabled, "--disable": self.disable}
        pins, records = {**configured.pins, **self.pins}, (*self.records, *configured.records)
        rules = Rules(allowed, disabled, pins, reserved=RESERVED, records=records)
        return Registry.from_rules(rules, require=self.require)

    @cached_property
    def registry(self) -> Registry:
        """The registry of the chosen profile. Raises ConfigurationError, PluginError if it cannot be used."""
        name, source = self.chosen_profile
        self.installed.claims()  # raises what another profile does not mend
        try:
            return self.installed.in_profile(name)
        except PluginError as error:
            if source == DEFAULT:
                error.hint = f"--profile {_CORE} reads URLs without it"
            else:
                error.message += f" ({source})"
            raise

    @cached_property
    def registries(self) -> tuple[Registry, ...]:
        """The registries of all profiles, the chosen one first. A scheme is read by the first that has it."""
        profiles = installed_profiles(self.installed).values()
        others = (self.installed.in_profile(each) for each in profiles if each is not self.registry.profile)
        return (self.registry, *others)

    @property
    def schemes(self) -> Mapping[str, Registry]:
        """The registry that reads each scheme, by the scheme's name, sorted."""
        readers = {name: registry for registry in reversed(self.registries) for name in registry}
        return dict(sorted(readers.items()))

    def registry_for(self, text: str) -> Registry:
        """Return the registry that reads `text`, a URL or the name of a scheme; what follows the name has no influence.

        It is that of the chosen profile if this has the scheme or no other has it. Raises ConfigurationError,
        PluginError.
        """
        name = _NAME.match(text)[1].lower()  # type: ignore[index]  # it matches the empty text too
        if _has(self.registry, name):
            return self.registry
        return next((each for each in self.registries if _has(each, name)), self.registry)

    def client_for(self, text: str) -> urlschemes_access.Client:
        """Return a configured client of the registry that reads `text`. Raises ConfigurationError, PluginError."""
        registry, configuration = self.registry_for(text), self.configuration
        return urlschemes_access.Client(registry=registry, configuration=configuration, keep_connections=False)


def current_settings() -> Settings:
    """Return the settings of the command that runs."""
    import click  # late: the review asks for profiles without a command

    return click.get_current_context().ensure_object(Settings)
