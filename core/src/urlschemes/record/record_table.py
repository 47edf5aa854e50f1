"""The table of a record: what its TOML says, with what it takes from another record, for one profile."""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Iterable
from importlib.machinery import ModuleSpec
from typing import Any

from urlschemes.errors import RegistrationError
from urlschemes.grammar.octets import SCHEME_NAME_FORM, SCHEME_NAME_WORDS
from urlschemes.grammar.part import decimal_of
from urlschemes.grammar.profile import Profile
from urlschemes.redaction import described
from urlschemes.rfc1738 import RFC1738
from urlschemes.storage.package_data import read_from
from urlschemes.storage.user_dirs import check_writers, is_owned, read_own

MAX_OCTETS = 1024 * 1024
"""Octets that a file of a ledger may have."""
_LEVELS = 4
"""Levels of tables that are merged: a key of a part of a syntax in a profile is the deepest."""


def text_of_file(path: str, *, owned: bool) -> str:
    """Return the text of a file of a ledger. If it is `owned`, other users than this one and `root` must not write it.

    Raises OSError, UnicodeDecodeError.
    """
    return read_own(path, MAX_OCTETS, writers="root" if owned else "any").decode()


def full_table(text: str, source: str) -> dict[str, Any]:
    """Return the table of the TOML `text`; `same_as` names the file beside `source` that says the rest.

    If other users cannot write `source`, they must not be able to write that file. Raises RegistrationError.
    """
    table = _toml(text, source)
    other = table.pop("same_as", None)
    if other is None:
        return table
    if not isinstance(other, str) or SCHEME_NAME_FORM.fullmatch(other) is None:
        raise _wrong(source, "same_as", f"must be the name of a record in its folder: {SCHEME_NAME_WORDS}")
    path = os.path.join(os.path.dirname(source), f"{other}.toml")
    try:
        base = _toml(text_of_file(path, owned=is_owned(source)), path)
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or described(error)
        raise _wrong(source, "same_as", f"names {other!r}: {path} cannot be read: {reason}") from None
    for each, file in ((table, source), (base, path)):
        if not isinstance(each.get("syntax", {}), dict):
            raise _wrong(file, "syntax", "must be a TOML table")
    if "same_as" in base:
        raise _wrong(source, "same_as", f"names {other!r}, which is the same as {base['same_as']!r}: name that one")
    base.pop("examples", None)
    rules, others = (each.get("syntax", {}).get("bnf") for each in (table, base))
    if isinstance(rules, str) and isinstance(others, str):  # what the record says itself keeps its lines
        base["syntax"].pop("rule", None)
        table["syntax"]["bnf"] = f"{rules.rstrip()}\n{others}"
    return _merged(base, table)


def first_record(source: str, profile: Profile) -> str:
    """Return the text of the record of RFC 1738 beside the `source` of a plugin's record of another profile.

    It is empty if there is none. Raises RegistrationError.
    """
    folder, name = os.path.split(source)
    if profile is RFC1738 or name != profile.record:
        return ""
    try:
        return read_from(_package(name, [folder]), RFC1738.record)[0]
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise RegistrationError(f"{folder}: {RFC1738.record} cannot be read: {error}", source=source) from None


def used_rules(names: Iterable[str], source: str, profile: Profile) -> dict[str, str]:
    """Return the texts of the rules that the record `source` names, by their files.

    They are in the folder `_rules` beside it, else in that of the package of `profile`. Raises RegistrationError.
    """
    found: dict[str, str] = {}
    folders = [os.path.dirname(source)] if source else []  # that of an archive, too
    folders += sys.modules[profile.package].__path__
    for name in names:
        file = os.path.join("_rules", name + os.path.splitext(profile.rules_file)[1])
        path = os.path.join(os.path.dirname(source), file)
        try:
            if source and os.path.lexists(path):
                if owned := is_owned(source):
                    check_writers(os.path.dirname(path))
                text = text_of_file(path, owned=owned)
            else:
                text, path = read_from(_package(profile.package, folders), file)
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or described(error)
            if isinstance(error, FileNotFoundError):
                walks = (walk for folder in folders for walk in os.walk(os.path.join(folder, "_rules")))
                known = sorted(os.path.splitext(file)[0] for *_, files in walks for file in files)
                reason = f"no such file, only {known}"
            raise _wrong(source, "syntax.uses", f"names {name!r}: {path} cannot be read: {reason}") from None
        found[path] = text
    return found


def _package(name: str, folders: list[str]) -> ModuleSpec:
    """Return the spec of a package that has files in these folders and archives."""
    spec = ModuleSpec(name, None)
    spec.submodule_search_locations = folders
    return spec


def profiles_of(table: dict[str, Any]) -> list[str]:
    """Return the names of the profiles that a ledger's record has: that of RFC 1738, if it names no other."""
    return [str(table.get("profile", RFC1738.name)), *_overlays(table)]


def in_profile(table: dict[str, Any], profile: str, source: str) -> dict[str, Any]:
    """Return what the table says in one profile. Raises RegistrationError if it is of another one."""
    overlays = _overlays(table)
    plain = {name: value for name, value in table.items() if name != "profile" and name not in overlays}
    if profile in overlays:
        return _merged(plain, overlays[profile])
    if table.get("profile", profile) != profile:
        raise _wrong(source, "profile", f"is {table['profile']!r}, and it is read as a record of {profile}")
    return plain


def _overlays(table: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the tables that say what differs in another profile."""
    tables = {name: value for name, value in table.items() if isinstance(value, dict) and name != "options"}
    return {name: value for name, value in tables.items() if isinstance(value.get("syntax"), dict)}


def _merged(base: dict[str, Any], own: dict[str, Any], levels: int = _LEVELS) -> dict[str, Any]:
    """Return both tables as one; where they differ, `own` counts, and tables within them are merged."""
    tables = [name for name, value in own.items() if isinstance(value, dict) and isinstance(base.get(name), dict)]
    return {**base, **own, **{name: _merged(base[name], own[name], levels - 1) for name in tables if levels}}


def _toml(text: str, source: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text.removeprefix("\ufeff"), parse_float=decimal_of)
    except (ValueError, RecursionError) as error:  # also for a number of too many digits
        hint = "write a text in quotation marks, and between ''' if it has several lines or quotation marks"
        raise RegistrationError(f"{source or 'the record'} is not TOML: {error}", source=source, hint=hint) from None


def _wrong(source: str, field: str, problem: str) -> RegistrationError:
    return RegistrationError(f"{source or 'the record'}: {field} {problem}", source=source, field=field)
