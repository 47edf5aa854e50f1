"""What a person has configured: a file, and where they are trusted, variables of the environment.

    [policy]                                    # fields of Policy
    roots = ["~/pub"]

    [limits]                                    # fields of Limits
    deadline = 120

    [gateways]                                  # section 4: how a scheme is reached through another
    wais = "http://gw.dom/fetch?{url}"

    [options.news]                              # what an access of the scheme is told, where its caller says nothing
    server = "news.dom"

    [registry]                                  # arguments of Registry
    pins = { x-foo = "foo-schemes" }

A configuration is a value. A registry that is made without one has none: the library reads no file and no variable that
leads anywhere unless it is asked to.
"""

# A path is text: it is shown, and compared with what somebody wrote.
# ruff: noqa: PTH100, PTH118

from __future__ import annotations

import os
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn

from urlschemes import places
from urlschemes.characters import REGISTRABLE
from urlschemes.display import HIDDEN, redact
from urlschemes.errors import ConfigurationError
from urlschemes.policy import Limits, Policy

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from urlschemes.registration import Registration

__all__ = ["GATEWAYS", "Configuration", "Setting", "own_file"]

GATEWAYS = "URLSCHEMES_GATEWAYS"
"""The variable that holds gateways: `scheme=template`, with blanks between them."""

_MOST = 1024 * 1024
"""Octets that a file may have."""
_TABLES = ("policy", "limits", "gateways", "options", "registry")
_REGISTRY = ("plugins", "disable", "pins")
_SECRETS = ("password", "secret", "token")


@dataclass(frozen=True, slots=True, repr=False)
class Setting:
    """One value that somebody has set: `key` in the table `table`, and `source`, where it comes from, in words."""

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
        """The value for others to see: a secret, and the password of a URL, as `***`."""
        if any(word in self.key for word in _SECRETS):
            return HIDDEN
        return _redacted(self.value)

    @property
    def shown(self) -> str:
        """As `safe`, in words."""
        return ", ".join(map(str, self.safe)) if isinstance(self.safe, list) else str(self.safe)

    def __repr__(self) -> str:
        return f"<Setting {self.name} = {self.shown}, from {self.source}>"


@dataclass(frozen=True, slots=True, repr=False)
class Configuration:
    """What is configured. Without arguments: nothing.

    `settings` are the values, one for each key. `file` is the path of the file, whether or not there is one (None: none
    was looked for). `environment` holds the variables, where they are trusted; `trust_env` says whether they are.
    """

    settings: tuple[Setting, ...] = ()
    file: str | None = None
    environment: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), compare=False)
    trust_env: bool = False

    @classmethod
    def of(cls, tables: Mapping[str, Any], *, source: str = "the program") -> Configuration:
        """What `tables` say, which are those of a file. Raises ConfigurationError, whose `source` is `source`."""
        return cls(_checked(_read(tables, source)))

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str] | None = None,
        *,
        trust_env: bool = False,
        environ: Mapping[str, str] | None = None,
    ) -> Configuration:
        """What the file `path` says; without `path` the user's own file, if there is one.

        With `trust_env` the variables of `environ` (None: those of the process) count too, before the file: gateways,
        the options for which the records of schemes name a variable, and what plugins read by the hook
        `urlschemes_gateway`.

        Raises ConfigurationError for what cannot be used: its `source` is the file or the variable, `key` the key. A
        file that others may write, or that belongs to somebody else, is such a thing.
        """
        environ = os.environ if environ is None else environ
        file = own_file(environ) if path is None else os.path.abspath(path)
        text = None if file is None else _text_of(file, required=path is not None)
        found = {} if text is None else {each.name: each for each in _read(_toml(text, str(file)), str(file))}
        if trust_env:
            found |= {each.name: each for each in _gateways_of(environ)}
        trusted = MappingProxyType(dict(environ) if trust_env else {})
        return cls(_checked(found.values()), file, trusted, trust_env)

    def __repr__(self) -> str:
        return f"<Configuration {', '.join(f'{each.name} = {each.shown}' for each in self.settings) or 'of nothing'}>"

    def policy(self, base: Policy | None = None) -> Policy:
        """`base` (None: `Policy.untrusted()`) with what is configured: its values take the place of those of `base`.

        What is denied is denied beside what `base` denies.
        """
        base = base or Policy.untrusted()
        given = {each.key: each.value for each in self.settings if each.table == "policy"}
        for name, value in given.items():
            if name.startswith("denied_"):
                given[name] = tuple(dict.fromkeys((*getattr(base, name), *value)))
        limits = {each.key: each.value for each in self.settings if each.table == "limits"}
        if limits:
            given["limits"] = replace(base.limits, **limits)
        return replace(base, **given)

    def gateway(self, scheme: str) -> Setting | None:
        """The gateway for `scheme`, a name in lower case; its value is the text of a template."""
        return next((each for each in self.settings if each.table == "gateways" and each.key == scheme), None)

    def options(self, registration: Registration) -> Mapping[str, Setting]:
        """The options of a scheme, by name: those of the file, and before them those of trusted variables."""
        table = f"options.{registration.scheme}"
        found = {each.key: each for each in self.settings if each.table == table}
        for name, option in registration.options.items():
            value = self.environment.get(option.environment or "")
            if value:
                found[name] = Setting(table, name, value, _variable(str(option.environment)))
        return found

    @property
    def plugins(self) -> tuple[str, ...] | None:
        """The distributions that may take part; None: all."""
        return next((each.value for each in self.settings if each.name == "registry.plugins"), None)

    @property
    def allowed(self) -> Mapping[str, tuple[str, ...]]:
        """As `plugins`, by who says so, in words; empty where all may take part."""
        return {
            f"{each.name} of {each.source}": each.value for each in self.settings if each.name == "registry.plugins"
        }

    @property
    def disabled(self) -> Mapping[str, tuple[str, ...]]:
        """The distributions and schemes that are switched off, by who says so, in words."""
        return {
            f"{each.name} of {each.source}": each.value for each in self.settings if each.name == "registry.disable"
        }

    @property
    def pins(self) -> Mapping[str, str]:
        """The distribution chosen for a name that several claim."""
        return {each.key: each.value for each in self.settings if each.table == "registry.pins"}


def _redacted(value: Any) -> Any:
    if isinstance(value, frozenset | tuple):
        return [_redacted(each) for each in (sorted(value) if isinstance(value, frozenset) else value)]
    return redact(value) if isinstance(value, str) else value


def own_file(environ: Mapping[str, str]) -> str | None:
    """Where the user's own file is looked for; None where there is no such place."""
    folder = places.folder("config", environ)
    return None if folder is None else os.path.join(folder, "config.toml")


def _variable(name: str) -> str:
    return f"the environment variable {name}"


# The file -------------------------------------------------------------------------------------------------------------


def _text_of(file: str, *, required: bool) -> str | None:
    """The text of the file; None where there is none and none is `required`. Raises ConfigurationError."""
    try:
        octets = places.read_own(file, _MOST, writers="root")
    except (FileNotFoundError, NotADirectoryError):
        if not required:
            return None
        raise ConfigurationError(f"there is no file {file}", source=file) from None
    except OSError as error:
        hint = getattr(error, "hint", None)
        raise ConfigurationError(f"the file {file} cannot be used: {error.strerror}", source=file, hint=hint) from None
    try:
        return octets.decode("utf-8")
    except UnicodeDecodeError:
        raise ConfigurationError(f"the file {file} is not UTF-8", source=file) from None


def _toml(text: str, file: str) -> Mapping[str, Any]:
    import tomllib

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also for a number of too many digits
        raise ConfigurationError(f"the file {file} is not TOML: {error}", source=file) from None


# What it says ---------------------------------------------------------------------------------------------------------


def _read(tables: Mapping[str, Any], source: str) -> Iterator[Setting]:
    for table, content in tables.items():
        if table not in _TABLES:
            raise _unknown(table, _TABLES, source)
        for key, value in _table(content, table, source).items():
            name = f"{table}.{key}"
            if table == "policy":
                yield Setting(table, key, _of_policy(key, value, source), source)
            elif table == "limits":
                yield Setting(table, key, _of_limits(key, value, source), source)
            elif table == "gateways":
                yield _gateway(key, value, source)
            elif table == "options":
                _check_scheme(key, name, source)
                for option, given in _table(value, name, source).items():
                    yield Setting(name, option, _of_option(given, f"{name}.{option}", source), source)
            elif key == "pins":
                for scheme, pin in _table(value, name, source).items():
                    _check_scheme(scheme, f"{name}.{scheme}", source)
                    yield Setting(name, scheme, _text(pin, f"{name}.{scheme}", source), source)
            elif key in {"plugins", "disable"}:
                yield Setting(table, key, _texts(value, name, source), source)
            else:
                raise _unknown(name, (f"registry.{each}" for each in _REGISTRY), source)


def _of_policy(key: str, value: Any, source: str) -> Any:
    known = [each.name for each in fields(Policy) if each.name != "limits"]
    name = f"policy.{key}"
    if key not in known:
        raise _unknown(name, (f"policy.{each}" for each in known), source)
    default = getattr(Policy(), key)
    if isinstance(default, bool):
        if not isinstance(value, bool):
            _refuse(name, "true or false", source)
    elif key == "ports":
        if not isinstance(value, list) or not all(type(each) is int and 0 < each < 65536 for each in value):
            _refuse(name, "a list of numbers from 1 to 65535", source)
    else:
        value = _texts(value, name, source)
    if key in {"roots", "writable"}:
        value = tuple(map(os.path.expanduser, value))
        if not all(map(os.path.isabs, value)):
            _refuse(name, "a list of whole paths, which may begin with ~", source)
    try:
        return getattr(Policy(**{key: value}), key)
    except ValueError as error:
        raise ConfigurationError(f"{source}: {name} cannot be used: {error}", source=source, key=name) from None


def _of_limits(key: str, value: Any, source: str) -> Any:
    known = {each.name: each.type for each in fields(Limits)}
    name = f"limits.{key}"
    if key not in known:
        raise _unknown(name, (f"limits.{each}" for each in known), source)
    if type(value) is not int and (type(value) is not float or known[key] == "int"):
        _refuse(name, "a whole number" if known[key] == "int" else "a number", source)
    given: dict[str, Any] = {key: value}
    try:
        Limits(**given)
    except ValueError:
        _refuse(name, "positive and finite", source)
    return value


def _of_option(value: Any, name: str, source: str) -> Any:
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return tuple(value)
    if not isinstance(value, str | bool | int | float):
        _refuse(name, "a text, a number, true or false, or a list of texts", source)
    return value


def _gateway(scheme: str, value: Any, source: str) -> Setting:
    from urlschemes.gateways import Template

    name = f"gateways.{scheme}"
    _check_scheme(scheme, name, source)
    text = _text(value, name, source)
    try:
        template = Template.parse(text)
    except ValueError as error:
        raise ConfigurationError(
            f"{source}: {name} is no gateway: {error}",
            source=source,
            key=name,
            hint='it is written like "x-foo://gw.dom/fetch?{url}"',
        ) from None
    if template.scheme == scheme:
        raise ConfigurationError(
            f"{source}: {name} leads to {scheme} itself, and so nowhere", source=source, key=name, hint=_ANOTHER
        )
    return Setting("gateways", scheme, text, source)


def _gateways_of(environ: Mapping[str, str]) -> Iterator[Setting]:
    source = _variable(GATEWAYS)
    seen = set()
    for pair in environ.get(GATEWAYS, "").split():
        scheme, equals, template = pair.partition("=")
        if not equals or scheme in seen:
            raise ConfigurationError(
                f"{source}: {redact(pair)!r} {'comes twice' if scheme in seen else 'has no ='}",
                source=source,
                key=f"gateways.{scheme}" if equals else "gateways",
                hint="it is written scheme=template, with blanks between them",
            )
        seen.add(scheme)
        yield _gateway(scheme, template, source)


_ANOTHER = "a gateway is a URL of another scheme, which has no gateway itself"


def _checked(settings: Iterable[Setting]) -> tuple[Setting, ...]:
    """The settings together. Raises ConfigurationError where gateways lead through gateways."""
    from urlschemes.scheme import folded

    found = tuple(settings)
    gateways = {each.key: each for each in found if each.table == "gateways"}
    for each in gateways.values():
        led_to = folded(each.value.partition(":")[0])
        if led_to in gateways:
            other = gateways[led_to]
            where = "" if other.source == each.source else f" in {other.source}"
            raise ConfigurationError(
                f"{each.source}: {each.name} leads to {led_to}, which has a gateway itself{where}",
                source=each.source,
                key=each.name,
                hint=_ANOTHER,
            )
    return found


def _check_scheme(scheme: str, name: str, source: str) -> None:
    if REGISTRABLE.fullmatch(scheme) is None:
        raise ConfigurationError(
            f"{source}: {name} is not named after a scheme, in lower case", source=source, key=name
        )


def _table(value: Any, name: str, source: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        _refuse(name, "a table", source)
    table: Mapping[str, Any] = value
    return table


def _text(value: Any, name: str, source: str) -> str:
    if not isinstance(value, str) or not value:
        _refuse(name, "a text", source)
    return str(value)


def _texts(value: Any, name: str, source: str) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(each, str) for each in value):
        _refuse(name, "a list of texts", source)
    return tuple(value)


def _refuse(name: str, wanted: str, source: str) -> NoReturn:
    raise ConfigurationError(f"{source}: {name} must be {wanted}", source=source, key=name)


def _unknown(name: str, known: Iterable[str], source: str) -> ConfigurationError:
    from difflib import get_close_matches

    names = list(known)
    near = get_close_matches(name, names, 1, 0.7)
    return ConfigurationError(
        f"{source}: nothing reads {name}",
        source=source,
        key=name,
        hint=f"did you mean {near[0]}?" if near else f"there are: {', '.join(each.split('.')[-1] for each in names)}",
    )
