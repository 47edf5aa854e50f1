"""What is installed: which distributions claim which scheme names, found out without importing any of them.

A distribution claims a name by an entry point of the group `urlschemes.schemes`, whose name is the scheme's:

    [urlschemes.schemes]
    x-foo = x_foo:scheme        a Scheme object
    x-bar = x_bar               a registration record without code: `registration.toml` in the package x_bar

Nothing that a distribution holds is executed here, and no distribution, however malformed, stops the others from being
found: what is wrong with one becomes the state and the reason of its claim. Entries of `sys.path` that depend on where
the process was started (the empty one, relative ones, the current directory) are looked at and reported, and not used.
"""

# sys.path speaks in strings.
# ruff: noqa: PTH100, PTH109, PTH117, PTH119

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from urlschemes.beside import find_in_folders, strings
from urlschemes.characters import REGISTRABLE
from urlschemes.display import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from importlib_metadata import IDistribution

__all__ = ["COMMANDS", "DEMOS", "HOOKS", "SCHEMES", "Claim", "State", "described", "discover", "distribution_key"]

SCHEMES = "urlschemes.schemes"
"""The entry-point group of schemes: the entry's name is the scheme's."""
HOOKS = "urlschemes"
"""The entry-point group of modules that implement hooks (`urlschemes.hooks`)."""
COMMANDS = "urlschemes.commands"
"""The entry-point group of commands that belong to one scheme."""
DEMOS = "urlschemes.demos"
"""The entry-point group of demonstrations (`urlschemes.demonstration`): the entry's name is the scheme's."""

_GROUPS = frozenset({SCHEMES, HOOKS, COMMANDS, DEMOS})

State: TypeAlias = Literal["active", "shadowed", "conflict", "reserved", "disabled", "malformed", "broken", "ignored"]
"""What became of a claim.

`active`: it counts. `shadowed`: it gave way to a pin, or to what the program registered. `conflict`: another
distribution claims the name too. `reserved`: the name belongs to another distribution. `disabled`: switched off by the
user. `malformed`: the distribution's metadata is wrong. `broken`: it failed when it was used. `ignored`: it was found
through the current directory.
"""

_DISTRIBUTION_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._\-]*[A-Za-z0-9])?", re.ASCII)
_VERSION = re.compile(r"[A-Za-z0-9.!+_\-]{1,100}", re.ASCII)
_END_OF_HEADERS = re.compile(r"\r?\n\r?\n")


class Claim(NamedTuple):
    """One entry point of one distribution: its wish to provide `name`.

    `origin` is the folder or archive in which the distribution was found. `module` and `attribute` say where the object
    is; without `attribute` there is only a record. `state` and `reason` say what became of the wish. `name` is empty
    where the whole distribution is malformed.
    """

    name: str
    distribution: str
    version: str
    origin: str
    module: str = ""
    attribute: str = ""
    group: str = SCHEMES
    state: State = "active"
    reason: str = ""

    @property
    def provider(self) -> str:
        """The distribution with its version, as people write it."""
        return f"{self.distribution} {self.version}".rstrip()

    def __str__(self) -> str:
        place = f"{self.module}:{self.attribute}" if self.attribute else self.module
        words = f"{self.name or '(no name)'}: {self.provider} [{self.state}] {place} in {self.origin}"
        return one_line(f"{words}: {self.reason}" if self.reason else words, 1000)


def distribution_key(name: str) -> str:
    """The form in which two spellings of one distribution's name are equal (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def discover(path: Iterable[str] | None = None, *, current_directory: bool = False) -> tuple[Claim, ...]:
    """Every claim in the folders and archives of `path` (`sys.path`), sorted by name and distribution.

    With `current_directory`, what is found through the current directory counts like everything else.
    """
    from importlib_metadata import distributions

    claims: list[Claim] = []
    for entry in dict.fromkeys(strings(sys.path if path is None else path)):
        ignored = "" if current_directory else _why_ignored(entry)
        try:
            for distribution in distributions(path=[entry]):
                for claim in _claims_of(distribution, entry):
                    counts = claim.state != "active" or not ignored
                    claims.append(claim if counts else claim._replace(state="ignored", reason=ignored))
        except Exception as error:  # noqa: BLE001  anybody may install a finder into sys.meta_path
            claims.append(Claim("", "", "", entry, state="malformed", reason=_said(error)))
    return tuple(sorted(_each_once(claims), key=lambda each: (each.group, each.name, each.distribution, each.origin)))


def _why_ignored(entry: str) -> str:
    if not os.path.isabs(entry):
        return f"found through the entry {entry!r} of sys.path, which depends on the current directory"
    try:
        here = os.getcwd()
    except OSError:  # it was deleted
        return ""
    if os.path.realpath(entry) != os.path.realpath(here) or entry in _site_folders():
        return ""
    return "found in the current directory"


def _site_folders() -> list[str]:
    site = sys.modules.get("site")  # absent under `python -S`
    return [*site.getsitepackages(), site.getusersitepackages()] if site else []


def _claims_of(distribution: IDistribution, entry: str) -> Iterator[Claim]:
    origin = _origin(distribution, entry)
    try:
        text = distribution.read_text("entry_points.txt")
        if text is None or "urlschemes" not in text:
            return
        entries = list(_entries(text))
    except Exception as error:  # noqa: BLE001  whatever is wrong with it, it is wrong with this distribution alone
        reason = f"its entry_points.txt cannot be read: {_said(error)}"
        yield Claim("", _guessed_name(distribution), "", origin, state="malformed", reason=reason)
        return
    if not entries:
        return
    try:
        name, version = _identity(distribution)
    except Exception as error:  # noqa: BLE001  as above
        for group, wish, _ in entries:
            reason = f"its metadata cannot be read: {_said(error)}"
            guess = _guessed_name(distribution)
            yield Claim(one_line(wish, 80), guess, "", origin, group=group, state="malformed", reason=reason)
        return
    for group, wish, value in entries:
        module, attribute, wrong = _object_reference(value)
        if group == SCHEMES and REGISTRABLE.fullmatch(wish) is None:
            # The claim is refused rather than changed into a name that it did not make.
            wrong = "the name is no scheme name: a to z, 0 to 9, + . and -, at most 64 (RFC 1738 section 2.1)"
        yield Claim(
            one_line(wish, 80) if wrong else wish,
            name,
            version,
            origin,
            module,
            attribute,
            group,
            "malformed" if wrong else "active",
            wrong,
        )


def _entries(text: str) -> Iterator[tuple[str, str, str]]:
    group = ""
    for line in map(str.strip, text.splitlines()):
        if not line or line.startswith(("#", ";")):
            continue
        if line.startswith("[") and line.endswith("]"):
            group = line[1:-1].strip()
        elif group in _GROUPS:
            name, _, value = line.partition("=")
            yield group, name.strip(), value.strip()


def _object_reference(value: str) -> tuple[str, str, str]:
    """Module, attribute, and what is wrong with them ('' if nothing is)."""
    module, colon, attribute = (part.strip() for part in value.partition("[")[0].partition(":"))
    names = [*module.split("."), *(attribute.split(".") if colon else ())]
    if all(name.isidentifier() for name in names):
        return module, attribute, ""
    return "", "", one_line(f"the entry point's value {value[:100]!r} names neither a package nor package:object")


def _identity(distribution: IDistribution) -> tuple[str, str]:
    """Name and version out of the metadata's headers: what follows them (a README) is not even looked at."""
    text = distribution.read_text("METADATA") or distribution.read_text("PKG-INFO") or distribution.read_text("")
    if not text:
        raise ValueError("there is no METADATA")
    headers: dict[str, str] = {}
    for line in _END_OF_HEADERS.split(text, maxsplit=1)[0].splitlines():
        field, _, value = line.partition(":")
        headers.setdefault(field.lower(), value.strip())
    name, version = headers.get("name", ""), headers.get("version", "")
    if not _DISTRIBUTION_NAME.fullmatch(name):
        raise ValueError(f"Name is {name!r}" if name else "there is no Name")
    if not _VERSION.fullmatch(version):
        raise ValueError(f"Version is {version!r}" if version else "there is no Version")
    return name, version


def _origin(distribution: IDistribution, entry: str) -> str:
    try:
        return os.path.abspath(str(distribution.locate_file("")))
    except Exception:  # noqa: BLE001  a distribution of another finder's making need not know of folders
        return entry


def _guessed_name(distribution: IDistribution) -> str:
    """What the distribution's folder is called, where its metadata does not say."""
    folder = os.path.basename(str(getattr(distribution, "_path", ""))) or type(distribution).__name__
    return one_line(folder, 100)


def _each_once(claims: Iterable[Claim]) -> list[Claim]:
    """One distribution that is seen twice counts once.

    That is the same name and version in the same place, or metadata in two places of which at most one has the code (an
    editable installation beside the egg-info of its sources).
    """
    kept: dict[tuple[str, ...], list[Claim]] = {}
    for claim in sorted(claims, key=lambda claim: claim.state == "ignored"):
        distribution = distribution_key(claim.distribution)
        wish = (claim.group, claim.name, distribution, claim.version, claim.module, claim.attribute)
        others = kept.setdefault(wish, [])
        if not any(_same_place(claim, other) for other in others):
            others.append(claim)
    return [claim for others in kept.values() for claim in others]


def _same_place(claim: Claim, other: Claim) -> bool:
    if os.path.realpath(claim.origin) == os.path.realpath(other.origin):
        return True
    return claim.state == other.state == "active" and not (_holds_code(claim) and _holds_code(other))


def _holds_code(claim: Claim) -> bool:
    return find_in_folders(claim.module.partition(".")[0], [claim.origin]) is not None


def described(error: BaseException) -> str:
    """What an exception of somebody else's says, in one safe line; its type alone where its text is not to be had."""
    kind = f"{type(error).__module__}.{type(error).__qualname__}".removeprefix("builtins.")
    try:
        text = str(error)
    except (Exception, SystemExit):  # noqa: BLE001  its text is the plugin's code
        return one_line(kind, 200)
    return one_line(f"{kind}: {text}" if text else kind, 200)


def _said(error: Exception) -> str:
    return one_line(str(error), 200) if type(error) is ValueError else described(error)
