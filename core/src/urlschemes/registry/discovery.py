"""Find what is installed: the claims of all distributions, without importing any of them.

A distribution claims a name by an entry point of the group `urlschemes.schemes`, whose name is the scheme's:

    [urlschemes.schemes]
    x-foo = x_foo:scheme        a Scheme object
    x-bar = x_bar               a registration record without code: `registration.toml` in the package x_bar

No distribution, however malformed, stops the others from being found: what is wrong with one becomes the state and the
reason of its claim. Entries of `sys.path` that depend on where the process was started (the empty one, relative ones,
the current directory) are searched and reported, but not used.

Searching takes longer than everything else that a first URL needs, so the claims are cached: for one version of the
core and of Python, one `sys.path`, and one state of each of its entries; and for each entry, as a script adds its own
folder to the others. The times of a folder change when something is installed into it or removed. Metadata is watched
itself in the current directory, where other files come and go, and in sources, whose builds rewrite it in place; so are
the folders of records, to which those of other profiles are added.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING

from urlschemes.grammar.octets import SCHEME_NAME_FORM, SCHEME_NAME_WORDS
from urlschemes.redaction import described, one_line
from urlschemes.registry.claims import HOOKS, RECORDS, SCHEMES, Claim, distribution_key, object_reference
from urlschemes.storage.cache import key_of, made_of, state_of
from urlschemes.storage.package_data import find_in_folders, locate

if TYPE_CHECKING:
    from importlib_metadata import IDistribution

__all__ = ["discover", "installed_claims", "state_of"]

_DISTRIBUTION_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._\-]*[A-Za-z0-9])?", re.ASCII)
_GROUP = re.compile(rf"{HOOKS}(?:\.\w+)?", re.ASCII).fullmatch
_RECORD = re.compile(r"registration(?:\.\w+)?\.toml", re.ASCII).fullmatch
LEDGER_FILE = re.compile(r".+\.toml").fullmatch
_VERSION = re.compile(r"[A-Za-z0-9.!+_\-]{1,100}", re.ASCII)

MAX_NAMES = 1000
"""Names that one distribution may claim."""


def installed_claims(*, current_directory: bool = False) -> tuple[Claim, ...]:
    """Return every claim, as `discover` does; from the cache if nothing has changed since it was filled."""
    search_path = _search_path()
    if not _only_standard_finders():
        return discover(current_directory=current_directory)
    here = _current_directory()
    dependent = [entry for entry in search_path if not os.path.isabs(entry) or os.path.realpath(entry) == here]
    paths = [*(entry for entry in search_path if entry not in dependent), *_metadata(dependent, "-info")]

    def search() -> tuple[tuple[Claim, ...], Iterable[str]]:
        found = discover(current_directory=current_directory, cached=True)
        folders = {os.path.dirname(record) for claim in found for record in claim.records}
        return found, [*_metadata(search_path, ".egg-info"), *sorted(folders)]

    key = key_of([__package__], sys.prefix, current_directory, search_path, here if dependent else "")
    claims = [Claim(*fields) for fields in made_of(paths, "claims", key, search)]
    return tuple(each._replace(records=tuple(each.records), profiles=()) for each in claims)  # JSON has no tuples


def discover(
    path: Iterable[str] | None = None, *, current_directory: bool = False, cached: bool = False
) -> tuple[Claim, ...]:
    """Return every claim of the distributions in `path` (default: `sys.path`), sorted.

    With `current_directory`, distributions that are found through the current directory count too. If `cached`, an
    entry that has not changed is not searched again.
    """
    claims: list[Claim] = []
    for entry in _search_path(path):
        ignored = why_ignored(entry)
        search = partial(_claims_in, entry)
        fresh = ignored or not cached
        found = search()[0] if fresh else made_of([entry], "entry", key_of([__package__], entry), search)
        for claim in (Claim(*fields) for fields in found):
            form = {SCHEMES: _RECORD, RECORDS: LEDGER_FILE}.get(claim.group)
            records = _records(claim.module, form) if form and claim.module else ()
            counts = claim.state != "active" or not ignored or current_directory
            state, reason = (claim.state, claim.reason) if counts else ("ignored", ignored)
            claims.append(claim._replace(records=records, profiles=(), state=state, reason=reason))
    return tuple(sorted(_each_once(claims), key=lambda each: (each.group, each.name, each.distribution, *each)))


def _claims_in(entry: str) -> tuple[list[Claim], list[str]]:
    """Return the claims in an entry of the path, without their records, and the metadata that a build may rewrite."""
    from importlib_metadata import distributions

    claims: list[Claim] = []
    try:
        for each in distributions(path=[entry]):
            claims += _claims_of(each, entry)
    except Exception as error:  # noqa: BLE001  any package may install a finder of its own
        claims.append(Claim("", "", "", entry, state="malformed", reason=_reason(error)))
    return claims, _metadata([entry], ".egg-info")


def why_ignored(entry: str) -> str:
    """Return why distributions in an entry of `sys.path` do not count; "" if they do."""
    if not os.path.isabs(entry):
        return f"found through the entry {entry!r} of sys.path, which depends on the current directory"
    site = sys.modules.get("site")  # absent under `python -S`
    is_site = site is not None and entry in {*site.getsitepackages(), site.getusersitepackages()}
    return "" if is_site or os.path.realpath(entry) != _current_directory() else "found in the current directory"


def _search_path(path: Iterable[str] | None = None) -> list[str]:
    """Return the entries that are searched, each once."""
    entries: Iterable[object] = sys.path if path is None else path
    return list(dict.fromkeys(each for each in entries if isinstance(each, str)))  # as the import system reads it


def _claims_of(distribution: IDistribution, entry: str) -> Iterator[Claim]:
    """Yield the claims of one distribution, without their records."""
    try:
        references = _references(distribution)
        if not references:
            return
        origin = os.path.abspath(str(distribution.locate_file("")))
        name, version = _identity(distribution)
    except Exception as error:  # noqa: BLE001  a malformed distribution must not hide the others
        reason = f"its metadata cannot be read: {_reason(error)}"
        yield Claim("", _folder_name(distribution), "", entry, state="malformed", reason=reason)
        return
    for (group, claimed), values in references.items():
        location = object_reference(values[0])
        wrong = _what_is_wrong(group, claimed, values)
        if wrong or location is None:
            yield Claim(one_line(claimed, 80), name, version, origin, group=group, state="malformed", reason=wrong)
        else:
            yield Claim(claimed, name, version, origin, *location, group)


def _records(package: str, form: Callable[[str], object]) -> tuple[str, ...]:
    """Return the paths of the records in a package, by the form of their names; none if its files cannot be listed."""
    try:
        spec = locate(package)
        return files_in(spec.submodule_search_locations or [os.path.dirname(spec.origin or "")], form)
    except Exception:  # noqa: BLE001  no such package, an archive, or another package's finder failed
        return ()


def files_in(folders: Iterable[str], form: Callable[[str], object]) -> tuple[str, ...]:
    """Return the paths of the files in `folders` whose names have the `form`, sorted. Raises OSError, ValueError."""
    return tuple(sorted(os.path.join(folder, name) for folder in folders for name in os.listdir(folder) if form(name)))


def _references(distribution: IDistribution) -> dict[tuple[str, str], list[str]]:
    """Return the values of the distribution's entry points in our groups, by group and name.

    Raises ValueError if there are too many, and what reading and parsing raise.
    """
    references: dict[tuple[str, str], list[str]] = {}
    if "urlschemes" not in (distribution.read_text("entry_points.txt") or ""):
        return references  # as nearly always: nothing is parsed
    for each in distribution.entry_points:
        if _GROUP(each.group):
            references.setdefault((each.group, each.name), []).append(each.value)
    if len(references) > MAX_NAMES:
        raise ValueError(f"it claims more than {MAX_NAMES} names")
    return references


def _what_is_wrong(group: str, name: str, values: list[str]) -> str:
    """Return what is wrong with the entry points that claim `name`, or ""."""
    if group == SCHEMES and SCHEME_NAME_FORM.fullmatch(name) is None:
        return f"not a scheme name: expected {SCHEME_NAME_WORDS}"
    if len(values) > 1:
        return f"the distribution claims the name {len(values)} times"
    if object_reference(values[0]) is None:
        return one_line(f"the entry point's value {values[0][:100]!r} is not package or package:object")
    return ""


def _identity(distribution: IDistribution) -> tuple[str, str]:
    """Return name and version. Raises ValueError if one of them is missing or malformed."""
    metadata = distribution.metadata
    name, version = metadata.get("Name"), metadata.get("Version")
    if not _DISTRIBUTION_NAME.fullmatch(name or ""):
        raise ValueError(f"Name is {name!r}" if name else "there is no Name")
    if not _VERSION.fullmatch(version or ""):
        raise ValueError(f"Version is {version!r}" if version else "there is no Version")
    return str(name), str(version)


def _folder_name(distribution: IDistribution) -> str:
    """Return the name of the distribution's own folder, for a distribution whose metadata does not name it."""
    folder = getattr(distribution, "_path", None)
    return one_line(getattr(folder, "name", type(distribution).__name__), 100)


def _each_once(claims: Iterable[Claim]) -> list[Claim]:
    """Return the claims without duplicates.

    A duplicate has the same name and version in the same place, or is one of two sets of metadata of which at most one
    has the code (an editable installation beside the egg-info of its sources).
    """
    kept: dict[Claim, list[Claim]] = {}
    for claim in sorted(claims, key=lambda claim: claim.state == "ignored"):
        key = claim._replace(distribution=distribution_key(claim.distribution), origin="", state="active", reason="")
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
    """Return True if distributions are found only in the entries of `sys.path`."""
    others = (each for each in sys.meta_path if hasattr(each, "find_distributions") and each is not PathFinder)
    return all(type(each).__module__ == "importlib_metadata" for each in others)


def _current_directory() -> str:
    """Return the current directory; "" if it was deleted."""
    try:
        return os.path.realpath(os.getcwd())
    except OSError:
        return ""


def _metadata(entries: Iterable[str], suffix: str) -> list[str]:
    """Return the metadata folders in the entries, each with its entry_points.txt; an entry that is a file is listed."""
    paths = []
    for entry in entries:
        try:
            names = [name for name in sorted(os.listdir(entry or os.curdir)) if name.endswith(suffix)]
        except (OSError, ValueError):  # an archive, or nothing; ValueError for a NUL
            paths.append(entry)
        else:
            folders = [os.path.join(entry, name) for name in names]
            paths += [path for folder in folders for path in (folder, os.path.join(folder, "entry_points.txt"))]
    return paths
