"""What is reviewed: an installed scheme, the folder of a distribution, or a record by itself. Nothing is executed."""

from __future__ import annotations

import tomllib
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from urlschemes.errors import PluginContractError, PluginError, PluginLoadError
from urlschemes.redaction import described
from urlschemes.registry.claims import DEMOS, SCHEMES, Claim, object_reference
from urlschemes.scheme.registration import FILE
from urlschemes.storage.package_data import find_in_folders

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from urlschemes.registry.registry import Registry

__all__ = ["Target", "found"]


_REVIEWED = ("active", "broken", "conflict")
"""The states of claims that can be reviewed by the name of the scheme, the first before the others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What is reviewed, so that another process can find it.

    `given` is what was asked for. `module` and `attribute` say where the scheme is, as in an entry point; without
    `attribute` there is only a record. `record` is the file of a record that belongs to no package. `path` is put in
    front of `sys.path`. `demo` is the demonstration, as module and attribute, and `demonstrated_by` who has it.
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
    path: tuple[str, ...] = ()
    demo: tuple[str, str] | None = None
    demonstrated_by: str = ""

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Target:
        """What `as_dict` was made of."""
        demo = fields["demo"]
        return cls(**{**fields, "path": tuple(fields["path"]), "demo": None if demo is None else tuple(demo)})

    def as_dict(self) -> dict[str, Any]:
        """The fields, for JSON."""
        return asdict(self)

    @property
    def claim(self) -> Claim:
        """The entry point of the scheme."""
        return Claim(self.scheme, self.distribution, self.version, self.origin, self.module, self.attribute)

    @property
    def package(self) -> str:
        """The package that holds the plugin's code; "" for a record by itself."""
        return self.module.partition(".")[0]


def found(target: str | os.PathLike[str], registry: Registry, scheme: str | None = None) -> Target:
    """What `target` is: the name of a scheme in `registry`, or else a path.

    A folder that holds several schemes needs the name of one: `scheme`. Raises PluginError for a folder that is no
    distribution with a scheme, and UnknownScheme for a name that nobody provides.
    """
    path = Path(target)
    if isinstance(target, str) and (target.lower() in registry or not path.exists()):
        return _installed(target, registry)
    if path.is_file():
        return _record(str(target), path.resolve())
    if (path / "pyproject.toml").is_file():
        return _folder(str(target), path.resolve(), registry, scheme)
    if (path / FILE).is_file():
        return _record(str(target), (path / FILE).resolve())
    raise PluginError(
        f"{target} is no distribution with a scheme: it has neither a pyproject.toml nor a {FILE}",
        hint=f"name the folder that has the pyproject.toml, a {FILE}, or an installed scheme",
    )


def _installed(name: str, registry: Registry) -> Target:
    name = name.lower()
    if registry.why(name).provider == "this program":
        raise PluginError(
            f"the program itself provides {name}: a review runs in processes of its own, which do not know it",
            scheme=name,
            hint="give its code a pyproject.toml, and name that folder",
        )
    there = [each for each in registry.claims() if each.name == name]
    # Of several in conflict the first: the checks say what is wrong with it, and that there are others.
    claims = [each for each in there if each.group == SCHEMES and each.state in _REVIEWED]
    if not claims:
        registry.registration(name)  # raises what is to be said of a name that nobody provides
    claim = min(claims, key=lambda each: _REVIEWED.index(each.state))
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
    return _with_demo(target, there)


def _with_demo(target: Target, claims: list[Claim]) -> Target:
    """The target with its own demonstration, or the one that somebody else has of it, if there is just one."""
    demos = [each for each in claims if each.group == DEMOS and each.name == target.scheme and each.state == "active"]
    own = [each for each in demos if each.distribution == target.distribution]
    if target.demo is not None or len(own or demos) != 1:
        return target
    one = (own or demos)[0]
    return replace(target, demo=(one.module, one.attribute), demonstrated_by=one.provider)


def _record(given: str, path: Path) -> Target:
    try:
        scheme = tomllib.loads(path.read_text("utf-8")).get("scheme", "")
    except (OSError, ValueError, RecursionError):  # the check `record` says what is wrong with it
        scheme = ""
    name = scheme if isinstance(scheme, str) else ""
    return Target(given=given, kind="record", scheme=name, origin=str(path), record=str(path))


def _folder(given: str, folder: Path, registry: Registry, scheme: str | None) -> Target:
    project = _project(folder)
    points = _table(project, "entry-points")
    schemes = {name: str(value) for name, value in _table(points, SCHEMES).items()}
    if not schemes:
        raise PluginError(
            f"{folder / 'pyproject.toml'} names no scheme",
            hint=f'[project.entry-points."{SCHEMES}"] needs a line such as: x-foo = "urlschemes_x_foo:scheme"',
        )
    name = scheme if scheme is not None else next(iter(schemes))
    if name not in schemes or (scheme is None and len(schemes) > 1):
        raise PluginError(
            f"{given} has {'no scheme ' + name if name not in schemes else 'several schemes'}: {', '.join(schemes)}",
            hint=f"review one of them: --scheme {next(iter(schemes))}",
        )
    module, attribute = _reference(schemes[name], folder)
    path = _sources(folder, module)
    demo = _table(points, DEMOS).get(name)
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
        path=path,
        demo=None if demo is None else _reference(str(demo), folder),
        demonstrated_by="" if demo is None else f"{distribution} {version}".rstrip(),
    )
    return _with_demo(target, [each for each in registry.claims() if each.distribution != distribution])


def _project(folder: Path) -> Mapping[str, Any]:
    try:
        return _table(tomllib.loads((folder / "pyproject.toml").read_text("utf-8")), "project")
    except (OSError, ValueError, RecursionError) as error:
        raise PluginError(f"{folder / 'pyproject.toml'} cannot be read: {described(error)}") from None


def _table(values: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    table = values.get(name, {})
    return table if isinstance(table, dict) else {}


def _reference(value: str, folder: Path) -> tuple[str, str]:
    place = object_reference(value)
    if place is None:
        raise PluginContractError(
            f"the entry point {value!r} in {folder / 'pyproject.toml'} names neither a package nor package:object",
            wants="package:object, or a package with a record",
            has=value,
        )
    return place


def _sources(folder: Path, module: str) -> tuple[str, ...]:
    """The folder that the package lies in: `src`, or the distribution's own."""
    for place in (folder / "src", folder):
        if find_in_folders(module.partition(".")[0], [str(place)]) is not None:
            return (str(place),)
    raise PluginLoadError(
        f"there is no package {module.partition('.')[0]} in {folder / 'src'} or {folder}",
        hint="the entry point names the package, whose folder lies in `src` or beside the pyproject.toml",
    )
