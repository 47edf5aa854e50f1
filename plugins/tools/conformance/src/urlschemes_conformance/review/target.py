"""The target of a review: an installed scheme, the folder of a distribution, or the file of a record.

Targets are found without importing or executing anything of them.
"""

from __future__ import annotations

import tomllib
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from urlschemes import default_registry
from urlschemes.errors import PluginContractError, PluginError, PluginLoadError
from urlschemes.grammar.profile import RFC1738
from urlschemes.redaction import described
from urlschemes.registry.claims import SCHEMES, Claim, object_reference
from urlschemes.storage.package_data import find_in_folders, read_file
from urlschemes_cli.settings import installed_profiles
from urlschemes_testing.demonstration import GROUP as DEMOS

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from urlschemes.grammar.profile import Profile
    from urlschemes.registry.registry import Registry

__all__ = ["Target", "find_target", "targets_of_records"]


_REVIEWABLE = ("active", "broken", "conflict", "unused")
"""The states of claims that can be reviewed, in order of preference. One without a record of the profile is unused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A scheme to be reviewed, with one of its records, in a form that another process can use.

    `given` is the argument of the user, `profile` the name of the record's profile. `module` and `attribute` locate the
    scheme, as in an entry point; without `attribute` there is only a record. `record` is the file of a record that
    belongs to no package. `path` is put in front of `sys.path`. `demo` is the module and attribute of the
    demonstration, `demo_provider` the distribution that offers it.
    """

    given: str
    kind: Literal["installed", "folder", "record"]
    scheme: str
    distribution: str = ""
    version: str = ""
    origin: str = ""
    module: str = ""
    attribute: str = ""
    record: str = ""
    profile: str = default_registry.profile.name
    path: tuple[str, ...] = ()
    demo: tuple[str, str] | None = None
    demo_provider: str = ""

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Target:
        """Return the target that `as_dict` was called on."""
        demo = fields["demo"]
        return cls(**{**fields, "path": tuple(fields["path"]), "demo": None if demo is None else tuple(demo)})

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as JSON takes them."""
        return asdict(self)

    @property
    def claim(self) -> Claim:
        """The entry point of the scheme."""
        return Claim(self.scheme, self.distribution, self.version, self.origin, self.module, self.attribute)

    @property
    def package(self) -> str:
        """The top-level package of the plugin; "" for a record by itself."""
        return self.module.partition(".")[0]


def find_target(target: str | os.PathLike[str], registry: Registry, scheme: str | None = None) -> Target:
    """Return the target that the user means: the name of a scheme in `registry`, or else a path.

    For a folder with several schemes, `scheme` names one. Raises PluginError if a folder is not a distribution with a
    scheme, UnknownScheme for a name that no plugin provides.
    """
    path = Path(target)
    is_name = isinstance(target, str) and registry.profile.is_scheme_name(target)
    if is_name and (str(target).lower() in registry or not path.exists()):
        return _installed_target(str(target), registry)
    if not path.exists():
        raise PluginError(f"there is no folder or file {target}", hint="name an installed scheme or a path")
    if path.is_file():
        return _record_target(str(target), path.resolve(), registry)
    if (path / "pyproject.toml").is_file():
        return _folder_target(str(target), path.resolve(), registry, scheme)
    for profile in installed_profiles(registry).values():
        if (path / profile.record).is_file():
            return _record_target(str(target), (path / profile.record).resolve(), registry)
    raise PluginError(
        f"no scheme to review in {target}: expected a pyproject.toml or a {RFC1738.record}",
        hint=f"name an installed scheme, the folder that has the pyproject.toml, or a {RFC1738.record}",
    )


def targets_of_records(target: Target, registry: Registry, profile: str | None = None) -> tuple[Target, ...]:
    """Return the target once for each record that it has, or for that of `profile`. Raises PluginError.

    Without any record, it is returned for the first profile, so that a check can report it.
    """
    if profile is not None:
        registry.in_profile(profile)  # raises PluginError if it is not installed
    profiles = installed_profiles(registry)
    names = [target.profile] if target.record else [each.name for each in profiles.values() if _has(target, each)]
    if profile is not None and profile not in names:
        raise PluginError(
            f"{target.given} has no record of the profile {profile}",
            scheme=target.scheme or None,
            hint=f"it has one of {', '.join(names)}" if names else f"expected a {profiles[profile].record}",
        )
    wanted = names if profile is None else [profile]
    return tuple(replace(target, profile=name) for name in wanted or [target.profile])


def _has(target: Target, profile: Profile) -> bool:
    """Return True if the package of the target has a record of `profile`."""
    if target.path:
        package = Path(target.path[0], *target.module.split("."))
        return ((package if package.is_dir() else package.parent) / profile.record).is_file()
    try:
        read_file(target.module, profile.record)
    except FileNotFoundError:
        return False
    except Exception:  # noqa: BLE001  the check of the record says why it cannot be read
        return profile is default_registry.profile
    return True


def _installed_target(name: str, registry: Registry) -> Target:
    name = name.lower()
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
    claim = min(reviewable, key=lambda each: _REVIEWABLE.index(each.state))
    target = Target(
        given=name,
        kind="installed",
        scheme=name,
        distribution=claim.distribution,
        version=claim.version,
        origin=claim.origin,
        module=claim.module,
        attribute=claim.attribute,
    )
    return _with_demo(target, claims)


def _with_demo(target: Target, claims: list[Claim]) -> Target:
    """Return the target with its own demonstration, or with that of another distribution if there is exactly one."""
    states = ("active", "conflict")
    demos = [each for each in claims if each.group == DEMOS and each.name == target.scheme and each.state in states]
    own = [each for each in demos if each.distribution == target.distribution]
    if target.demo is not None or len(own or demos) != 1:
        return target
    demo = (own or demos)[0]
    return replace(target, demo=(demo.module, demo.attribute), demo_provider=demo.provider)


def _record_target(given: str, path: Path, registry: Registry) -> Target:
    profiles = [each.name for each in installed_profiles(registry).values() if each.record == path.name]
    try:
        scheme = tomllib.loads(path.read_text("utf-8")).get("scheme", "")
    except (OSError, ValueError, RecursionError):  # the check `record` reports it
        scheme = ""
    name = scheme if isinstance(scheme, str) else ""
    profile = profiles[0] if profiles else default_registry.profile.name
    return Target(given=given, kind="record", scheme=name, origin=str(path), record=str(path), profile=profile)


def _folder_target(given: str, folder: Path, registry: Registry, scheme: str | None) -> Target:
    project = _project_table(folder)
    entry_points = _table(project, "entry-points")
    schemes = {name: str(value) for name, value in _table(entry_points, SCHEMES).items()}
    name = _scheme_of_folder(given, folder, schemes, scheme)
    module, attribute = _object_reference(schemes[name], folder)
    demo = _table(entry_points, DEMOS).get(name)
    distribution, version = str(project.get("name", folder.name)), str(project.get("version", ""))
    target = Target(
        given=given,
        kind="folder",
        scheme=name,
        distribution=distribution,
        version=version,
        origin=str(folder),
        module=module,
        attribute=attribute,
        path=(_source_folder(folder, module),),
        demo=None if demo is None else _object_reference(str(demo), folder),
        demo_provider="" if demo is None else f"{distribution} {version}".rstrip(),
    )
    return _with_demo(target, [each for each in registry.claims() if each.distribution != distribution])


def _scheme_of_folder(given: str, folder: Path, schemes: Mapping[str, str], wanted: str | None) -> str:
    """Return the name of the scheme to review, of those that the distribution has. Raises PluginError."""
    if not schemes:
        raise PluginError(
            f"{folder / 'pyproject.toml'} has no entry point of a scheme",
            hint=f'add to [project.entry-points."{SCHEMES}"] a line such as: x-foo = "urlschemes_x_foo:scheme"',
        )
    first = next(iter(schemes))
    if wanted is None and len(schemes) > 1:
        raise PluginError(f"{given} has several schemes: {', '.join(schemes)}", hint=f"choose one: scheme={first!r}")
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


def _object_reference(value: str, folder: Path) -> tuple[str, str]:
    reference = object_reference(value)
    if reference is None:
        expected = "package:object, or a package with a record"
        raise PluginContractError(
            f"invalid entry point {value!r} in {folder / 'pyproject.toml'}: expected {expected}",
            wants=expected,
            has=value,
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
