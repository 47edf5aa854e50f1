"""Ledgers: folders of records, one file for each name, and what they say of names without a record.

A ledger is a folder that the program names, or the package that an entry point of the group `urlschemes.records` names:

    [urlschemes.records]
    iana = urlschemes_iana.records

The file `NAME.toml` is the record of the scheme NAME; `_names.toml` holds a table for each other name. Nothing is
imported. A file that cannot be read breaks its own name, when that is used.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Iterator
from functools import lru_cache

from urlschemes.errors import PluginError, RegistrationError
from urlschemes.grammar.octets import SCHEME_NAME_FORM, SCHEME_NAME_WORDS
from urlschemes.record.record_table import full_table, profiles_of, text_of_file
from urlschemes.redaction import described
from urlschemes.registry.claims import RECORDS, SCHEMES, Claim
from urlschemes.registry.discovery import LEDGER_FILE, files_in
from urlschemes.registry.names import KnownName, Ledger
from urlschemes.storage.cache import key_of, made_of
from urlschemes.storage.user_dirs import UnsafeFileError, check_writers

NAMES = "_names.toml"
"""The file of a ledger for names that have no record."""
_loaded = lru_cache(maxsize=16)(tomllib.loads)


def ledger_claims(folders: Iterable[str], installed: Iterable[Claim]) -> Iterator[Claim]:
    """Yield a claim for each record in the `folders` that the program names, and in the installed ledgers.

    Raises PluginError for a folder that cannot be read, or that other users can write.
    """
    for folder in folders:
        try:
            check_writers(folder)
            files = files_in([folder], LEDGER_FILE)
        except UnsafeFileError as error:
            raise PluginError(f"the ledger {folder} cannot be used: {error.strerror}", hint=error.hint) from None
        except (OSError, ValueError) as error:  # ValueError for a NUL
            hint = "a ledger is a folder of records, each in a file NAME.toml"
            raise PluginError(f"the ledger {folder} cannot be read: {described(error)}", hint=hint) from None
        yield (ledger := Claim(folder, "", "", folder, group=RECORDS, records=files))
        for claim in _claims_of(ledger):
            try:
                check_writers(claim.records[0])
            except OSError as error:
                hint = f": {error.hint}" if isinstance(error, UnsafeFileError) and error.hint else ""
                reason = f"{claim.records[0]} cannot be used: {error.strerror}{hint}"
                yield claim._replace(state="malformed", reason=reason)
            else:
                yield claim
    for ledger in installed:
        if ledger.group == RECORDS and ledger.state == "active":
            yield from _claims_of(ledger)


def _claims_of(ledger: Claim) -> Iterator[Claim]:
    files = [file for file in ledger.records if not os.path.basename(file).startswith("_")]
    key = key_of([__package__, "urlschemes.record"], ledger.origin, ledger.module)
    profiles = made_of(files, "ledger", key, lambda: ([*map(_profiles_of, files)], ()))
    for file, names in zip(files, profiles, strict=True):
        name = os.path.basename(file).removesuffix(".toml")
        claim = ledger._replace(name=name, module="", group=SCHEMES, records=(file,), profiles=tuple(names))
        wrong = "" if SCHEME_NAME_FORM.fullmatch(name) else f"not a scheme name: expected {SCHEME_NAME_WORDS}"
        yield claim._replace(state="malformed", reason=wrong) if wrong else claim


def _profiles_of(file: str) -> list[str]:
    """Return the profiles of a record; none for one that cannot be read."""
    try:
        return profiles_of(full_table(text_of_file(file, owned=False), file))
    except (OSError, UnicodeDecodeError, RegistrationError):  # loading the scheme says so
        return []


def named_in(ledger: Claim) -> Ledger | None:
    """Return what a ledger says of names without a record; None if it has no such file.

    Raises PluginError for a file that is wrong.
    """
    file = next((each for each in ledger.records if os.path.basename(each) == NAMES), None)
    if file is None:
        return None
    try:
        table = _loaded(text_of_file(file, owned=not ledger.distribution))
        names = tuple(KnownName(name, **facts) for name, facts in table.items())
    except (OSError, ValueError, TypeError, RecursionError) as error:
        raise PluginError(f"{file} cannot be read: {described(error)}", distribution=ledger.provider) from None
    found = Ledger(f"the ledger of {ledger.provider}", file, "", names)
    if problem := found.problem():
        raise PluginError(f"{file} {problem}", distribution=ledger.provider)
    return found
