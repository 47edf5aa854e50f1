"""The target of a review: an installed scheme, the folder of a distribution, the file of a record, or each of a ledger.

Targets are found without importing or executing anything of them.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from urlschemes import default_registry
from urlschemes.errors import Hint, PluginContractError, PluginError, PluginLoadError, RegistrationError, Remedy
from urlschemes.record.record_table import full_table, profiles_of
from urlschemes.redaction import described
from urlschemes.registry.claims import SCHEMES, Claim, object_reference
from urlschemes.registry.ledgers import ledger_claims
from urlschemes.registry.selection import with_record
from urlschemes.rfc1738 import RFC1738
from urlschemes.storage.package_data import find_in_folders
from urlschemes_cli.settings import installed_profiles
from urlschemes_testing.demonstration import GROUP as DEMOS

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    from urlschemes.registry.registry import Registry

__all__ = ["Target", "find_target", "targets_in_ledger", "targets_of_records"]


_REVIEWABLE = ("active", "broken", "conflict", "unused")
"""The states of claims that can be reviewed, in order of preference. One without a record of the profile is unused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A scheme to be reviewed, with one of its records.

    `given` is the argument of the user, `profile` the name of the record's profile. `claim` is the entry point of the
    scheme; for a record by itself, it is as that of a ledger. `demo` is the entry point of the demonstration. `path` is
    put in front of `sys.path`.
    """

    given: str
    kind: Literal["installed", "folder", "record"]
    claim: Claim
    demo: Claim | None = None
    path: tuple[str, ...] = ()
    profile: str = default_registry.profile.name


def find_target(target: str | os.PathLike[str], registry: Registry, scheme: str | None = None) -> Target:
    """Return the target that the user means: the name of a scheme in `registry`, or else a path.

    For a folder with several schemes, `scheme` names one. Raises PluginError if a folder is not a distribution with a
    scheme, UnknownScheme for a name that no plugin provides.
    """
    given, path = str(target), Path(target)
    is_name = isinstance(target, str) and registry.profile.is_scheme_name(target)
    if is_name and (given.lower() in registry or not path.exists()):
        return _installed_target(given.lower(), registry)
    if not path.exists():
        raise PluginError(f"there is no folder or file {target}", hint="name an installed scheme or a path")
    if path.is_file():
        return _record_target(given, path.resolve(), registry)
    if (path / "pyproject.toml").is_file():
        return _folder_target(given, path.resolve(), registry, scheme)
    for profile in installed_profiles(registry).values():
        if (path / profile.record).is_file():
            return _record_target(given, (path / profile.record).resolve(), registry)
    raise PluginError(
        f"no scheme to review in {target}: expected a pyproject.toml or a {RFC1738.record}",
        hint="name an installed scheme, the folder that has the pyproject.toml, or a record; or --records FOLDER",
    )


def targets_in_ledger(folder: str | os.PathLike[str]) -> list[Target]:
    """Return a target for each record in a folder of records. Raises PluginError for a folder that cannot be used."""
    found = ledger_claims([str(Path(folder).absolute())], ())
    return [Target(given=each.records[0], kind="record", claim=each) for each in found if each.in_ledger]


def targets_of_records(target: Target, registry: Registry, profile: str | None = None) -> tuple[Target, ...]:
    """Return the target once for each record that it has, or for that of `profile`. Raises PluginError.

    Without any record, it is returned for the first profile, so that a check can report it.
    """
    if profile is not None:
        registry.in_profile(profile)  # raises PluginError if it is not installed
    profiles, claim = installed_profiles(registry), target.claim
    records = {Path(each).name for each in claim.records}
    found = [name for name, each in profiles.items() if name in claim.profiles or each.record in records]
    names = found or [target.profile]
    if profile is not None and profile not in names:
        raise PluginError(
            f"{target.given} has no record of the profile {profile}",
            scheme=claim.name or None,
            hint=f"it has one of {', '.join(names)}" if names else f"expected a {profiles[profile].record}",
        )
    return tuple(replace(target, profile=name) for name in (names if profile is None else [profile]))


def _installed_target(name: str, registry: Registry) -> Target:
    if registry.why(name).provider == "this program":
        raise PluginError(
            f"the program itself provides {name}, and a review runs in other processes",
            scheme=name,
            hint="put the code into a distribution, and review its folder",
        )
    claims = [each for each in registry.claims() if each.name == name]
    reviewable = [each for each in claims if each.group == SCHEMES and each.state in _REVIEWABLE]
    if not reviewable:
        registry.registration(name)  # raises UnknownScheme, or says why no claim counts
    # Of several that are in conflict, the first: the check name-free names the others.
    claim = min(reviewable, key=lambda each: _REVIEWABLE.index(each.state))._replace(state="active", reason="")
    return Target(given=name, kind="installed", claim=claim, demo=_demo(claim, claims))


def _demo(scheme: Claim, claims: Iterable[Claim]) -> Claim | None:
    """Return the demonstration of the scheme's own distribution, or that of another one if there is exactly one."""
    demos = [each for each in claims if (each.group, each.name) == (DEMOS, scheme.name)]
    counting = [each for each in demos if each.state in {"active", "conflict"}]
    found = [each for each in counting if each.distribution == scheme.distribution] or counting
    return found[0] if len(found) == 1 else None


def _record_target(given: str, path: Path, registry: Registry) -> Target:
    try:
        table = full_table(path.read_text("utf-8"), str(path))
    except (OSError, UnicodeDecodeError, RegistrationError):  # the check `record` reports it
        table = {}
    named = [name for name, each in installed_profiles(registry).items() if each.record == path.name]
    profiles = tuple(named or profiles_of(table))
    claim = Claim(str(table.get("scheme", "")), "", "", str(path), records=(str(path),), profiles=profiles)
    return Target(given=given, kind="record", claim=claim)


def _folder_target(given: str, folder: Path, registry: Registry, scheme: str | None) -> Target:
    project = _project_table(folder)
    schemes, demos = (_table(_table(project, "entry-points"), group) for group in (SCHEMES, DEMOS))
    name = _scheme_of_folder(given, folder, schemes, scheme)
    distribution, version = str(project.get("name", folder.name)), str(project.get("version", ""))
    unnamed = Claim(name, distribution, version, str(folder))
    module, attribute = _object_reference(schemes[name], folder)
    source = _source_folder(folder, module)
    package = Path(source, *module.split("."))
    records = sorted(map(str, (package if package.is_dir() else package.parent).glob("registration*.toml")))
    claim = unnamed._replace(module=module, attribute=attribute, records=tuple(records))
    claim = with_record(claim, {each.name: each for each in reversed(registry.claims()) if each.in_ledger})
    claims = [each for each in registry.claims() if each.distribution != distribution]
    if name in demos:
        module, attribute = _object_reference(demos[name], folder)
        claims.append(unnamed._replace(module=module, attribute=attribute, group=DEMOS))
    return Target(given=given, kind="folder", claim=claim, demo=_demo(claim, claims), path=(source,))


def _scheme_of_folder(given: str, folder: Path, schemes: Mapping[str, object], wanted: str | None) -> str:
    """Return the name of the scheme to review, of those that the distribution has. Raises PluginError."""
    if not schemes:
        raise PluginError(
            f"{folder / 'pyproject.toml'} has no entry point of a scheme",
            hint=f'add to [project.entry-points."{SCHEMES}"] a line such as: x-foo = "urlschemes_x_foo:scheme"',
        )
    first = next(iter(schemes))
    if wanted is None and len(schemes) > 1:
        hint = Hint(Remedy("chooses the first", "scheme", first))
        raise PluginError(f"{given} has several schemes: {', '.join(schemes)}", hint=hint)
    if wanted is not None and wanted not in schemes:
        raise PluginError(f"{given} has no scheme {wanted!r}: expected one of {', '.join(schemes)}")
    return wanted or first


def _project_table(folder: Path) -> Mapping[str, Any]:
    try:
        return _table(tomllib.loads((folder / "pyproject.toml").read_text("utf-8")), "project")
    except (OSError, ValueError, RecursionError) as error:
        raise PluginError(f"{folder / 'pyproject.toml'} cannot be read: {described(error)}") from None


def _table(values: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    table = values.get(name, {})
    return table if isinstance(table, dict) else {}


def _object_reference(value: object, folder: Path) -> tuple[str, str]:
    reference = object_reference(str(value))
    if reference is None:
        expected = "package:object, or a package with a record"
        raise PluginContractError(
            f"invalid entry point {value!r} in {folder / 'pyproject.toml'}: expected {expected}",
            wants=expected,
            has=str(value),
        )
    return reference


def _source_folder(folder: Path, module: str) -> str:
    """Return the folder that holds the package: `src`, or the distribution's own."""
    package = module.partition(".")[0]
    for source in (folder / "src", folder):
        if find_in_folders(package, [str(source)]) is not None:
            return str(source)
    raise PluginLoadError(
        f"no package {package} in {folder / 'src'} or {folder}",
        hint="the entry point names the package; its folder must be in `src` or beside the pyproject.toml",
    )
