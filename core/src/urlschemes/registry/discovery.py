"""Find what is installed: the claims of all distributions, without importing any of them.

A distribution claims a name by an entry point of the group `urlschemes.schemes`, whose name is the scheme's:

    [urlschemes.schemes]
    x-foo = x_foo:scheme        a Scheme object
    x-bar = x_bar               a registration record without code: `registration.toml` in the package x_bar

No distribution, however malformed, stops the others from being found: what is wrong with one becomes the state and the
reason of its claim. Entries of `sys.path` that depend on where the process was started (the empty one, relative ones,
the current directory) are searched and reported, but not used.

Searching takes longer than all else that a first URL needs, so the claims are cached, for one version of the core and
of Python, one `sys.path`, and the state of each of its entries: a folder's time changes when something is installed
into it or removed. Files that can change without that are watched themselves.
"""

from __future__ import annotations

import json
import os
import re
import sys
from importlib.machinery import PathFinder
from pathlib import Path
from time import time_ns
from typing import TYPE_CHECKING, Any

from urlschemes.grammar.octets import SCHEME_NAME_FORM
from urlschemes.redaction import described, one_line
from urlschemes.registry.claims import (
    GROUPS,
    HOOK_NAMES,
    HOOKS,
    SCHEMES,
    Claim,
    distribution_key,
    object_reference,
)
from urlschemes.storage import cache
from urlschemes.storage.package_data import find_in_folders

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from importlib_metadata import IDistribution

__all__ = ["discover", "installed_claims"]

_DISTRIBUTION_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._\-]*[A-Za-z0-9])?", re.ASCII)
_VERSION = re.compile(r"[A-Za-z0-9.!+_\-]{1,100}", re.ASCII)

MAX_NAMES = 1000
"""Names that one distribution may claim."""

SETTLED_AFTER = 2_000_000_000
"""Nanoseconds after which one more change would show in a file's time, on every file system in use."""


def installed_claims(*, current_directory: bool = False) -> tuple[Claim, ...]:
    """Return every claim, as `discover` does; from the cache if nothing has changed since it was filled."""
    search_path = _search_path()
    if not _only_standard_finders():
        return discover(current_directory=current_directory)
    key = json.dumps([sys.version, sys.prefix, current_directory, search_path, *_current_directory(search_path)])
    state = _state(search_path)
    cached = cache.load("claims", key)
    try:
        if cached["path"] == state and cached["watched"] == _state([file for file, *_ in cached["watched"]]):
            return tuple(Claim(*fields) for fields in cached["claims"])
    except (LookupError, TypeError, ValueError):
        pass
    claims = discover(current_directory=current_directory)
    watched = _state(_watched(claims))
    if all(changed < time_ns() - SETTLED_AFTER for *_, changed in [*state, *watched]):
        cache.store("claims", key, {"path": state, "watched": watched, "claims": claims})
    return claims


def discover(path: Iterable[str] | None = None, *, current_directory: bool = False) -> tuple[Claim, ...]:
    """Return every claim of the distributions in `path` (default: `sys.path`), sorted; the cache is not used.

    With `current_directory`, distributions that are found through the current directory count too.
    """
    from importlib_metadata import distributions

    claims: list[Claim] = []
    for entry in _search_path(path):
        ignored = "" if current_directory else why_ignored(entry)
        try:
            for distribution in distributions(path=[entry]):
                for claim in _claims_of(distribution, entry):
                    counts = claim.state != "active" or not ignored
                    claims.append(claim if counts else claim._replace(state="ignored", reason=ignored))
        except Exception as error:  # noqa: BLE001  any package may install a finder of its own
            claims.append(Claim("", "", "", entry, state="malformed", reason=_reason(error)))
    return tuple(sorted(_each_once(claims), key=lambda each: (each.group, each.name, each.distribution, *each)))


def why_ignored(entry: str) -> str:
    """Return why distributions in an entry of `sys.path` do not count; "" if they do."""
    if not os.path.isabs(entry):
        return f"found through the entry {entry!r} of sys.path, which depends on the current directory"
    try:
        here = os.path.realpath(Path.cwd())
    except OSError:  # it was deleted
        return ""
    if os.path.realpath(entry) != here or entry in _site_folders():
        return ""
    return "found in the current directory"


def _site_folders() -> list[str]:
    site = sys.modules.get("site")  # absent under `python -S`
    return [*site.getsitepackages(), site.getusersitepackages()] if site else []


def _search_path(path: Iterable[str] | None = None) -> list[str]:
    """Return the entries that are searched, each once."""
    entries: Iterable[object] = sys.path if path is None else path
    return list(dict.fromkeys(each for each in entries if isinstance(each, str)))


def _claims_of(distribution: IDistribution, entry: str) -> Iterator[Claim]:
    """Yield the claims of one distribution."""
    try:
        origin = os.path.abspath(str(distribution.locate_file("")))
        if "urlschemes" not in (distribution.read_text("entry_points.txt") or ""):
            return
        values: dict[tuple[str, str], list[str]] = {}
        for each in distribution.entry_points:
            if each.group in GROUPS:
                values.setdefault((each.group, each.name), []).append(each.value)
        if not values:
            return
        if len(values) > MAX_NAMES:
            raise ValueError(f"it claims more than {MAX_NAMES} names")
        name, version = _identity(distribution)
    except Exception as error:  # noqa: BLE001  a malformed distribution must not hide the others
        reason = f"its metadata cannot be read: {_reason(error)}"
        yield Claim("", _folder_name(distribution), "", entry, state="malformed", reason=reason)
        return
    for (group, claimed), references in values.items():
        location = object_reference(references[0])
        wrong = ""
        if location is None:
            wrong = one_line(f"the entry point's value {references[0][:100]!r} is not package or package:object")
        if len(references) > 1:
            wrong = f"the distribution claims the name {len(references)} times"
        if group == SCHEMES and SCHEME_NAME_FORM.fullmatch(claimed) is None:
            wrong = "not a scheme name: a to z, 0 to 9, + . and -, at most 64 (RFC 1738 section 2.1)"
        elif group == HOOKS and claimed not in HOOK_NAMES:
            wrong = one_line(f"there is no hook {claimed[:100]!r}; the hooks are: {', '.join(HOOK_NAMES)}")
        if wrong:
            yield Claim(one_line(claimed, 80), name, version, origin, group=group, state="malformed", reason=wrong)
        elif location is not None:
            yield Claim(claimed, name, version, origin, *location, group)


def _identity(distribution: IDistribution) -> tuple[str, str]:
    """Return name and version. Raises ValueError if one of them is missing or malformed."""
    name, version = distribution.metadata["Name"], distribution.metadata["Version"]
    if not _DISTRIBUTION_NAME.fullmatch(name or ""):
        raise ValueError(f"Name is {name!r}" if name else "there is no Name")
    if not _VERSION.fullmatch(version or ""):
        raise ValueError(f"Version is {version!r}" if version else "there is no Version")
    return name, version


def _folder_name(distribution: IDistribution) -> str:
    """Return the name of the distribution's own folder, for a distribution whose metadata does not name it."""
    folder = getattr(distribution, "_path", None)
    return one_line(getattr(folder, "name", type(distribution).__name__), 100)


def _each_once(claims: Iterable[Claim]) -> list[Claim]:
    """Return the claims without duplicates.

    A duplicate has the same name and version in the same place, or is one of two sets of metadata of which at most one
    has the code (an editable installation beside the egg-info of its sources).
    """
    kept: dict[tuple[str, ...], list[Claim]] = {}
    for claim in sorted(claims, key=lambda claim: claim.state == "ignored"):
        key = (
            claim.group,
            claim.name,
            distribution_key(claim.distribution),
            claim.version,
            claim.module,
            claim.attribute,
        )
        others = kept.setdefault(key, [])
        if not any(_same_place(claim, other) for other in others):
            others.append(claim)
    return [claim for others in kept.values() for claim in others]


def _same_place(claim: Claim, other: Claim) -> bool:
    if os.path.realpath(claim.origin) == os.path.realpath(other.origin):
        return True
    return claim.state == other.state == "active" and not (_holds_code(claim) and _holds_code(other))


def _holds_code(claim: Claim) -> bool:
    return find_in_folders(claim.module.partition(".")[0], [claim.origin]) is not None


def _reason(error: Exception) -> str:
    return one_line(str(error), 200) if type(error) is ValueError else described(error)


def _only_standard_finders() -> bool:
    """Return True if distributions are found in the entries of `sys.path` and nowhere else."""
    return not any(
        hasattr(finder, "find_distributions")
        and finder is not PathFinder
        and type(finder).__module__ != "importlib_metadata"
        for finder in sys.meta_path
    )


def _current_directory(search_path: Iterable[str]) -> list[str]:
    """Return what the meaning of the search path depends on beside its text: the current directory, if it matters."""
    try:
        here = os.getcwd()  # noqa: PTH109  text, for the key
    except OSError:  # it was deleted
        return [""]
    return [here] if any(not os.path.isabs(entry) or entry == here for entry in search_path) else []


def _watched(claims: Iterable[Claim]) -> list[str]:
    """Return the metadata of our plugins that may change in place: a build of sources rewrites its egg-info."""
    origins = {claim.origin for claim in claims}
    return sorted(str(file) for origin in origins for file in Path(origin).glob("*.egg-info/entry_points.txt"))


def _state(paths: Iterable[str]) -> list[list[Any]]:
    """Return for each path what tells that it changed: inode, size, time of modification, time of change."""
    state: list[list[Any]] = []
    for path in paths:
        try:
            found = os.stat(path or os.curdir)  # noqa: PTH116  a path may be empty
        except (OSError, ValueError):
            state.append([path, 0, 0, 0, 0])
        else:
            state.append([path, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns])
    return state
