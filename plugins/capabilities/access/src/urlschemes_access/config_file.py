"""The configuration file: a TOML file with a table for the registry, and tables for clients (`configuration.py`).

The library reads it only if a program asks for it, as the command does. `ConfigTable` checks the values of one table,
so that all mistakes are reported in the same words.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from urlschemes.errors import ConfigurationError, Hint, Remedy
from urlschemes.grammar.octets import SCHEME_NAME_FORM
from urlschemes.registry.registry import Registry
from urlschemes.registry.selection import Rules
from urlschemes.rfc1738 import RFC1738
from urlschemes.storage import user_dirs

__all__ = ["ConfigFile", "ConfigTable", "user_file"]

MAX_OCTETS = 1024 * 1024
"""Octets that the file may have."""
_WITHOUT = Remedy("goes without the file", "Configuration()")
TABLES = ("policy", "limits", "tls", "gateways", "options", "registry")
"""The tables that the file may have."""


class ConfigFile(NamedTuple):
    """A configuration: tables by name.

    `source` says where they come from, for error messages. `path` is the file that was looked for, whether it exists or
    not; None if none was.
    """

    tables: Mapping[str, Any] = MappingProxyType({})
    source: str = "the program"
    path: str | None = None

    @classmethod
    def load(
        cls, path: str | os.PathLike[str] | None = None, *, environ: Mapping[str, str] | None = None
    ) -> ConfigFile:
        """Read the file `path`; without `path` the user's own file, if it exists.

        Raises ConfigurationError for a file that is missing though it was named, that other users can write, or that is
        not TOML.
        """
        file = user_file(os.environ if environ is None else environ) if path is None else os.path.abspath(path)  # noqa: PTH100  it is kept as text
        if file is None:
            return cls()
        try:
            text = user_dirs.read_own(file, MAX_OCTETS, writers="root").decode("utf-8")
            return cls(tomllib.loads(text), file, file)
        except OSError as error:
            if path is None and not os.path.exists(file):  # noqa: PTH110  also within a folder that is closed to this user
                return cls(path=file)
            if isinstance(error, FileNotFoundError | NotADirectoryError):
                raise ConfigurationError(f"there is no file {file}", source=file) from None
            hint = Hint(getattr(error, "hint", None), _WITHOUT)
            message = f"the file {file} cannot be used: {error.strerror}"
            raise ConfigurationError(message, source=file, hint=hint) from None
        except UnicodeDecodeError:
            raise ConfigurationError(f"the file {file} is not UTF-8", source=file, hint=Hint(_WITHOUT)) from None
        except (ValueError, RecursionError) as error:  # ValueError also for a number of too many digits
            message = f"the file {file} is not TOML: {error}"
            raise ConfigurationError(message, source=file, hint=Hint(_WITHOUT)) from None

    def rules(self) -> Rules:
        """Return the rules of the table `[registry]`. Raises ConfigurationError."""
        table = self.table("registry")
        table.check_keys(("plugins", "disable", "pins", "profile", "records"))
        lists = {
            key: {f"{table.name}.{key} of {table.source}": table.strings(key)} if key in table.content else {}
            for key in ("plugins", "disable")
        }
        pins = table.table("pins")
        for name in pins.content:
            if SCHEME_NAME_FORM.fullmatch(name) is None:
                raise pins.wrong(name, "named after a scheme, in lower case")
        profile = table.string("profile") if "profile" in table.content else RFC1738
        records = table.folders("records") if "records" in table.content else ()
        chosen = {name: pins.string(name) for name in pins.content}
        return Rules(lists["plugins"], lists["disable"], chosen, profile, records=records)

    def registry(self) -> Registry:
        """Return a registry made as `[registry]` says. Raises ConfigurationError."""
        return Registry.from_rules(self.rules())

    def table(self, name: str) -> ConfigTable:
        """Return the table of that name, which is empty if the file has none.

        Raises ConfigurationError, also for a misspelt name of any other table, which would be ignored.
        """
        ConfigTable("", dict(self.tables), self.source).check_keys(TABLES)
        return ConfigTable(name, self.tables.get(name, {}), self.source)


class ConfigTable:
    """One table of a configuration, whose values are checked as they are read; all methods raise ConfigurationError."""

    def __init__(self, name: str, content: object, source: str) -> None:
        self.name = name
        self.source = source
        if not isinstance(content, dict) or not all(isinstance(key, str) for key in content):
            raise self.wrong("", "a table")
        self.content: Mapping[str, Any] = content

    def table(self, key: str) -> ConfigTable:
        """Return the table `key` within this one; it is empty if there is none."""
        return ConfigTable(f"{self.name}.{key}", self.content.get(key, {}), self.source)

    def string(self, key: str) -> str:
        """Return the value of `key`, a string that is not empty."""
        value = self.content[key]
        if not isinstance(value, str) or not value:
            raise self.wrong(key, "a string that is not empty")
        return value

    def strings(self, key: str) -> tuple[str, ...]:
        """Return the value of `key`, a list of strings."""
        value = self.content[key]
        if not isinstance(value, list | tuple) or not all(isinstance(each, str) for each in value):
            raise self.wrong(key, "a list of strings")
        return tuple(value)

    def folders(self, key: str) -> tuple[str, ...]:
        """Return the value of `key`, a list of absolute paths, in which `~` is the user's own folder."""
        paths = tuple(map(os.path.expanduser, self.strings(key)))
        if not all(map(os.path.isabs, paths)):
            raise self.wrong(key, "a list of absolute paths, which may begin with ~")
        return paths

    def check_keys(self, known: Iterable[str]) -> None:
        """Raise ConfigurationError for a key that is not `known`."""
        names = list(known)
        for key in self.content:
            if key not in names:
                from difflib import get_close_matches  # only a mistake needs it

                near = get_close_matches(key, names, 1, 0.7)
                hint = f"did you mean {self._path(near[0])}?" if near else f"known keys: {', '.join(names)}"
                path = self._path(key)
                raise ConfigurationError(f"{self.source}: unknown key {path}", source=self.source, key=path, hint=hint)

    def wrong(self, key: str, expected: str) -> ConfigurationError:
        """Return the error for a value that is not what is `expected`."""
        path = self._path(key)
        return ConfigurationError(f"{self.source}: {path} must be {expected}", source=self.source, key=path)

    def _path(self, key: str) -> str:
        return ".".join(filter(None, (self.name, key)))


def user_file(environ: Mapping[str, str]) -> str | None:
    """Return the path of the user's own configuration file; None if there is no folder for it."""
    folder = user_dirs.folder("config", environ)
    return None if folder is None else os.path.join(folder, "config.toml")  # noqa: PTH118  as above
