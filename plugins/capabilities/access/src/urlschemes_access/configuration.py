"""The configuration of a client: tables of the configuration file, and environment variables where they are trusted.

    [policy]                                    # fields of Policy
    roots = ["~/pub"]

    [limits]                                    # fields of Limits
    deadline = 120

    [tls]                                       # files with certificates
    cacert = "~/authority.pem"

    [gateways]                                  # section 4: how a scheme is reached through another
    wais = "http://gw.dom/fetch?{url}"

    [options.news]                              # options of a scheme, for callers that give none
    server = "news.dom"

`ConfigFile.registry` reads the table `[registry]`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

from urlschemes.errors import ConfigurationError, members, require_type
from urlschemes.grammar.octets import SCHEME_NAME_FORM
from urlschemes.grammar.profile import authority_of
from urlschemes.record.registration import Registration
from urlschemes.redaction import HIDDEN, redact
from urlschemes.rfc1738 import RFC1738
from urlschemes.url.value import URL
from urlschemes_access.attributes import without_fragment
from urlschemes_access.backends.tls import TLSFiles
from urlschemes_access.config_file import ConfigFile, ConfigTable
from urlschemes_access.policy import Kind, Limits, Policy, kinds

__all__ = ["GATEWAYS", "Configuration", "Setting", "check_template", "fill_template"]

GATEWAYS = "URLSCHEMES_GATEWAYS"
"""The variable that holds gateways: `scheme=template`, separated by blanks."""

_PLACEHOLDER = "{url}"
_SECRETS = ("password", "secret", "token")


def check_template(text: str) -> None:
    """Raise ValueError, with the reason, if `text` is the template of a gateway in no profile."""
    before, placeholder, after = text.partition(_PLACEHOLDER)
    if not placeholder or _PLACEHOLDER in after:
        raise ValueError(f"it must contain {_PLACEHOLDER} once")
    scheme, colon, _ = before.partition(":")
    if not colon or not SCHEME_NAME_FORM.fullmatch(scheme.lower()):
        raise ValueError("it does not begin with the name of a scheme")
    authority = authority_of(before, RFC1738, ends="/?")  # a profile may end one with fewer characters
    if authority is not None and authority.end == len(before):
        raise ValueError(f"{_PLACEHOLDER} must come after the host")
    if "#" in text:
        raise ValueError("it has a fragment, which is never sent")


def fill_template(text: str, url: URL) -> str:
    """Return the text of the URL through which `url` is reached, without its fragment, which is never sent.

    All but letters, digits and `-._` is encoded.
    """
    return text.replace(_PLACEHOLDER, quote(without_fragment(url), safe=""))


@dataclass(frozen=True, slots=True, repr=False)
class Setting:
    """One value of a configuration: `key` in `table`, and the `source` that it comes from, in words."""

    table: str
    key: str
    value: Any
    source: str

    @property
    def name(self) -> str:
        """The table and the key, as TOML writes them with dots."""
        return f"{self.table}.{self.key}"

    @property
    def safe(self) -> Any:
        """The value for others to see: secrets, and the passwords of URLs, as `***`."""
        return HIDDEN if any(word in self.key for word in _SECRETS) else _redacted(self.value)

    @property
    def shown(self) -> str:
        """Like `safe`, as text."""
        return ", ".join(map(str, self.safe)) if isinstance(self.safe, list) else str(self.safe)

    def __repr__(self) -> str:
        return f"<Setting {self.name} = {self.shown}, from {self.source}>"


@dataclass(frozen=True, slots=True, repr=False)
class Configuration:
    """The configuration of a client; without arguments, an empty one.

    `settings` are the values, one for each key. `environment` holds the variables, if they are trusted; `trust_env`
    says whether they are.
    """

    settings: tuple[Setting, ...] = ()
    environment: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), compare=False)
    trust_env: bool = False

    def __post_init__(self) -> None:
        members("settings", self.settings, Setting)

    @classmethod
    def of(
        cls, file: ConfigFile, *, trust_env: bool = False, environ: Mapping[str, str] | None = None
    ) -> Configuration:
        """Read the tables of a configuration file.

        With `trust_env` the variables of `environ` (default: those of the process) count too, before the file:
        gateways, the options for which the records of schemes name a variable, and what plugins read by the hook
        `urlschemes_gateway`. Raises ConfigurationError: its `source` is the file or the variable, `key` the key.
        """
        require_type("file", file, ConfigFile)
        found = {each.name: each for each in _settings_of(file)}
        if not trust_env:
            return cls(tuple(found.values()))
        environ = os.environ if environ is None else environ
        found |= {each.name: each for each in _gateways_of(environ)}
        return cls(tuple(found.values()), MappingProxyType(dict(environ)), trust_env=True)

    def __reduce__(self) -> tuple[Any, ...]:
        # Variables hold secrets of all kinds: a pickle has none, and those of the process that loads it count.
        return _unpickled, (self.settings, self.trust_env)

    def extended(
        self, *, options: Mapping[str, Mapping[str, Any]] | None = None, gateways: Mapping[str, str] | None = None
    ) -> Configuration:
        """Return a configuration in which these options and gateways take precedence. Raises ConfigurationError."""
        tables = {name: table for name, table in (("options", options), ("gateways", gateways)) if table}
        if not tables:
            return self
        found = {each.name: each for each in (*self.settings, *_settings_of(ConfigFile(tables)))}
        return replace(self, settings=tuple(found.values()))

    def __repr__(self) -> str:
        return f"<Configuration {', '.join(f'{each.name} = {each.shown}' for each in self.settings) or '(empty)'}>"

    def policy(self, base: Policy | None = None) -> Policy:
        """Return `base` (default: `Policy.untrusted()`) with the configured values in place of its own.

        What the configuration denies is denied in addition to what `base` denies.
        """
        base = Policy.untrusted() if base is None else base
        require_type("base", base, Policy)
        given = {each.key: each.value for each in self.settings if each.table == "policy"}
        for name, value in given.items():
            if name.startswith("denied_"):
                given[name] = tuple(dict.fromkeys((*getattr(base, name), *value)))
        limits = {each.key: each.value for each in self.settings if each.table == "limits"}
        if limits:
            given["limits"] = replace(base.limits, **limits)
        return replace(base, **given)

    def tls_files(self) -> TLSFiles:
        """Return the configured files with certificates."""
        return TLSFiles(**{each.key: each.value for each in self.settings if each.table == "tls"})

    def gateway(self, scheme: str) -> Setting | None:
        """Return the gateway of `scheme`, a name in lower case; its value is the text of a template."""
        return next((each for each in self.settings if each.table == "gateways" and each.key == scheme), None)

    def options(self, registration: Registration) -> Mapping[str, Setting]:
        """Return the options of a scheme by name: those of the file, and before them those of trusted variables."""
        require_type("registration", registration, Registration)
        table = f"options.{registration.scheme}"
        found = {each.key: each for each in self.settings if each.table == table}
        for name, option in registration.options.items():
            value = self.environment.get(option.environment or "")
            if value:
                found[name] = Setting(table, name, value, _variable(str(option.environment)))
        return found


def _unpickled(settings: tuple[Setting, ...], trust_env: bool) -> Configuration:
    environment = MappingProxyType(dict(os.environ) if trust_env else {})
    return Configuration(settings, environment, trust_env)


def _redacted(value: Any) -> Any:
    if isinstance(value, frozenset | tuple):
        return [_redacted(each) for each in (sorted(value) if isinstance(value, frozenset) else value)]
    return redact(value) if isinstance(value, str) else value


def _variable(name: str) -> str:
    return f"the environment variable {name}"


def _settings_of(file: ConfigFile) -> Iterator[Setting]:
    policy, limits, tls, gateways, options = map(file.table, ("policy", "limits", "tls", "gateways", "options"))
    for table, of in (policy, Policy), (limits, Limits):
        known = kinds(of)
        table.check_keys(known)
        for key in table.content:
            yield Setting(table.name, key, _of_kind(known[key], key, table), file.source)
    tls.check_keys(each.name for each in fields(TLSFiles))
    for key in tls.content:
        path = os.path.expanduser(tls.string(key))  # noqa: PTH111  it is kept as text
        if not os.path.isabs(path):  # noqa: PTH117  as above
            raise tls.wrong(key, "an absolute path, which may begin with ~")
        yield Setting("tls", key, path, file.source)
    if "key" in tls.content and "cert" not in tls.content:
        raise tls.wrong("key", "the private key of `cert`, which is absent")
    for key in gateways.content:
        yield _gateway(key, gateways.string(key), file.source)
    for scheme in options.content:
        _check_scheme(scheme, f"options.{scheme}", file.source)
        table = options.table(scheme)
        for key in table.content:
            yield Setting(table.name, key, _of_option(key, table), file.source)


def _of_kind(kind: Kind, key: str, table: ConfigTable) -> Any:
    """Return the value of a field of Policy or Limits."""
    value, name = table.content[key], f"{table.name}.{key}"
    try:
        if isinstance(value, dict):  # whose keys would count as members
            raise TypeError
        if kind.folders:
            value = table.folders(key)
        return kind.checked(name, value)
    except ConfigurationError:
        raise
    except TypeError:
        raise table.wrong(key, kind.expected) from None
    except ValueError as error:
        raise ConfigurationError(f"{table.source}: {error}", source=table.source, key=name) from None


def _of_option(key: str, table: ConfigTable) -> Any:
    value = table.content[key]
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return tuple(value)
    if not isinstance(value, str | bool | int | float):
        raise table.wrong(key, "a string, a number, true or false, or a list of strings")
    return value


def _gateway(scheme: str, text: str, source: str) -> Setting:
    name = f"gateways.{scheme}"
    _check_scheme(scheme, name, source)
    try:
        check_template(text)
    except ValueError as error:
        raise ConfigurationError(
            f"{source}: {name} is not a gateway: {error}",
            source=source,
            key=name,
            hint='write it like "http://gw.dom/fetch?{url}"',
        ) from None
    return Setting("gateways", scheme, text, source)


def _gateways_of(environ: Mapping[str, str]) -> Iterator[Setting]:
    source = _variable(GATEWAYS)
    seen = set()
    for pair in environ.get(GATEWAYS, "").split():
        scheme, equals, template = pair.partition("=")
        if not equals or scheme in seen:
            raise ConfigurationError(
                f"{source}: {redact(pair)!r} {'is given twice' if scheme in seen else 'has no ='}",
                source=source,
                key=f"gateways.{scheme}" if equals else "gateways",
                hint="write scheme=template, with blanks between several",
            )
        seen.add(scheme)
        yield _gateway(scheme, template, source)


def _check_scheme(scheme: str, name: str, source: str) -> None:
    if SCHEME_NAME_FORM.fullmatch(scheme) is None:
        raise ConfigurationError(
            f"{source}: {name} is not named after a scheme, in lower case", source=source, key=name
        )
