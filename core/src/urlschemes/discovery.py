"""What is installed: which distributions claim which scheme names, found out without importing any of them.

A distribution claims a name by an entry point of the group `urlschemes.schemes`, whose name is the scheme's:

    [urlschemes.schemes]
    x-foo = x_foo:scheme        a Scheme object
    x-bar = x_bar               a registration record without code: `registration.toml` in the package x_bar

Nothing that a distribution holds is executed here, and no distribution, however malformed, stops the others from being
found: what is wrong with one becomes the state and the reason of its claim. Entries of `sys.path` that depend on where
the process was started (the empty one, relative ones, the current directory) are looked at and reported, and not used.
"""

# sys.path speaks in strings, and a first URL may have to wait for this.
# ruff: noqa: PTH100, PTH109, PTH112, PTH117, PTH119, PTH208

from __future__ import annotations

import os
import re
import sys

from urlschemes import places
from urlschemes.beside import entries_of, find_in_folders, is_plain
from urlschemes.characters import REGISTRABLE
from urlschemes.claims import GROUPS, HOOK_NAMES, HOOKS, SCHEMES, Claim, distribution_key, object_reference
from urlschemes.display import described, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from importlib_metadata import IDistribution

__all__ = ["Search", "discover", "why_ignored"]

_DISTRIBUTION_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._\-]*[A-Za-z0-9])?", re.ASCII)
_VERSION = re.compile(r"[A-Za-z0-9.!+_\-]{1,100}", re.ASCII)
_MOST = 1024 * 1024
"""Octets that a file of a distribution's metadata may have."""
_MOST_ENTRIES = 1000
"""Names that a distribution may claim."""
_END_OF_HEADERS = re.compile(r"\r?\n\r?\n")


class Search:
    """What one look at the entries of `sys.path` found.

    `claims` are sorted: nothing depends on the order in which a folder lists what it holds. `watched` are the files
    that may say something else later although nothing is added to an entry of `sys.path` and nothing taken away; it is
    None where there is no telling which they are.
    """

    __slots__ = ("claims", "watched")

    def __init__(self, path: Iterable[str] | None = None, *, current_directory: bool = False) -> None:
        claims: list[Claim] = []
        self.watched: list[str] | None = [] if is_plain() else None
        for entry in entries_of(path):
            ignored = "" if current_directory else why_ignored(entry)
            try:
                for distribution in self._distributions(entry):
                    found = list(_claims_of(distribution, entry))
                    for claim in found:
                        counts = claim.state != "active" or not ignored
                        claims.append(claim if counts else claim._replace(state="ignored", reason=ignored))
                    if self.watched is not None and isinstance(distribution, _Folder):
                        self.watched += distribution.watched(found)
            except MemoryError:
                raise
            except Exception as error:  # noqa: BLE001  anybody may install a finder into sys.meta_path
                claims.append(Claim("", "", "", entry, state="malformed", reason=_said(error)))
                self.watched = None
        self.claims = tuple(
            sorted(_each_once(claims), key=lambda claim: (claim.group, claim.name, claim.distribution, *claim))
        )

    def _distributions(self, entry: str) -> Iterable[IDistribution | _Folder]:
        folders = _folders(entry) if is_plain() else None
        if folders is not None:
            return folders
        if os.path.isdir(entry):
            self.watched = None
        from importlib_metadata import distributions

        return distributions(path=[entry])


def discover(path: Iterable[str] | None = None, *, current_directory: bool = False) -> tuple[Claim, ...]:
    """Every claim in the folders and archives of `path` (`sys.path`), sorted by name and distribution.

    With `current_directory`, what is found through the current directory counts like everything else. What was kept of
    an earlier look (`urlschemes.cached_claims`) plays no part.
    """
    return Search(path, current_directory=current_directory).claims


class _Folder:
    """The metadata of one distribution in a plain folder: as `importlib_metadata` reads it, and without an import."""

    __slots__ = ("_path", "_root")

    def __init__(self, root: str, name: str) -> None:
        self._root = root
        self._path = f"{root}{os.sep}{name}"

    def read_text(self, name: str) -> str | None:
        """The text of one of its files, None where there is no such file. Raises OSError, UnicodeDecodeError."""
        return _plain_text(f"{self._path}{os.sep}{name}")

    def locate_file(self, _: str) -> str:
        return self._root

    def watched(self, claims: list[Claim]) -> list[str]:
        """The files that may change in place: installers write new ones, a build of sources writes over old ones."""
        names = ["entry_points.txt"] if claims else []
        if self._path.lower().endswith(".egg-info") or any(claim.state == "malformed" for claim in claims):
            names = ["entry_points.txt", "METADATA", "PKG-INFO"]
        return [f"{self._path}{os.sep}{name}" for name in names]


def _folders(entry: str) -> list[_Folder] | None:
    """The distributions in a plain folder; None for what is none: an archive, an egg."""
    if entry.lower().endswith(".egg"):
        return None
    root = entry or os.curdir
    try:
        names = os.listdir(root)
    except NotADirectoryError:
        return None
    except OSError:
        return []
    return [_Folder(root, name) for name in sorted(names) if name.lower().endswith((".dist-info", ".egg-info"))]


def why_ignored(entry: str) -> str:
    """Why what is found in an entry of `sys.path` does not count; "" where it does."""
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


def _claims_of(distribution: IDistribution | _Folder, entry: str) -> Iterator[Claim]:
    origin = _origin(distribution, entry)
    try:
        text = _text_of(distribution, "entry_points.txt")
        if text is None or "urlschemes" not in text:
            return
        entries = _entries(text)
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001  whatever is wrong with it, it is wrong with this distribution alone
        reason = f"its entry_points.txt cannot be read: {_said(error)}"
        yield Claim("", _guessed_name(distribution), "", origin, state="malformed", reason=reason)
        return
    if not entries:
        return
    try:
        name, version = _identity(distribution)
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001  as above
        for group, wish in entries:
            reason = f"its metadata cannot be read: {_said(error)}"
            guess = _guessed_name(distribution)
            yield Claim(one_line(wish, 80), guess, "", origin, group=group, state="malformed", reason=reason)
        return
    for (group, wish), values in entries.items():
        place = object_reference(values[0])
        wrong = ""
        if place is None:
            wrong = one_line(f"the entry point's value {values[0][:100]!r} names neither a package nor package:object")
        if len(values) > 1:
            place, wrong = None, f"the distribution claims the name {len(values)} times"
        if group == SCHEMES and REGISTRABLE.fullmatch(wish) is None:
            # The claim is refused rather than changed into a name that it did not make.
            wrong = "the name is no scheme name: a to z, 0 to 9, + . and -, at most 64 (RFC 1738 section 2.1)"
        elif group == HOOKS and wish not in HOOK_NAMES:
            wrong = one_line(f"no hook is called {wish[:100]!r}; there are: {', '.join(HOOK_NAMES)}")
        yield Claim(
            one_line(wish, 80) if wrong else wish,
            name,
            version,
            origin,
            *(place or ("", "")),
            group,
            "malformed" if wrong else "active",
            wrong,
        )


def _text_of(distribution: IDistribution | _Folder, name: str) -> str | None:
    """The text of one of the distribution's files, None where there is no such file.

    Raises OSError where it cannot be read, is no regular file, or too long; UnicodeDecodeError; whatever a distribution
    of another finder's making does.
    """
    where: Any = getattr(distribution, "_path", None)
    if isinstance(distribution, _Folder) or not hasattr(where, "joinpath"):
        return distribution.read_text(name)
    # What importlib_metadata found, which itself would read whatever is there, and pass over what it cannot read.
    if isinstance(where, os.PathLike):
        return _plain_text(f"{os.fspath(where)}{os.sep}{name}")
    try:
        with where.joinpath(name).open("rb") as file:  # in an archive
            octets: bytes = file.read(_MOST + 1)
    except (FileNotFoundError, IsADirectoryError, KeyError, NotADirectoryError):
        return None
    if len(octets) > _MOST:
        raise places.UnsafeFileError(f"it is longer than {_MOST} octets")
    return octets.decode("utf-8")


def _plain_text(path: str) -> str | None:
    """The text of a regular file, None where there is no file. Raises OSError, UnicodeDecodeError."""
    try:
        return places.read_own(path, _MOST, writers="any").decode("utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return None


def _entries(text: str) -> dict[tuple[str, str], list[str]]:
    """The values of each name in each of our groups. Raises ValueError where there are too many."""
    found: dict[tuple[str, str], list[str]] = {}
    group, count = "", 0
    for line in map(str.strip, text.splitlines()):
        if not line or line.startswith(("#", ";")):
            continue
        if line.startswith("[") and line.endswith("]"):
            group = line[1:-1].strip()
        elif group in GROUPS:
            name, _, value = line.partition("=")
            found.setdefault((group, name.strip()), []).append(value.strip())
            count += 1
            if count > _MOST_ENTRIES:
                raise ValueError(f"it claims more than {_MOST_ENTRIES} names")
    return found


def _identity(distribution: IDistribution | _Folder) -> tuple[str, str]:
    """Name and version out of the metadata's headers: what follows them (a README) is not even looked at."""
    text = _text_of(distribution, "METADATA") or _text_of(distribution, "PKG-INFO")
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


def _origin(distribution: IDistribution | _Folder, entry: str) -> str:
    try:
        return os.path.abspath(str(distribution.locate_file("")))
    except Exception:  # noqa: BLE001  a distribution of another finder's making need not know of folders
        return entry


def _guessed_name(distribution: IDistribution | _Folder) -> str:
    """What the distribution's folder is called, where its metadata does not say."""
    folder = os.path.basename(str(getattr(distribution, "_path", "")).rstrip("/\\")) or type(distribution).__name__
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


def _said(error: Exception) -> str:
    return one_line(str(error), 200) if type(error) in {ValueError, places.UnsafeFileError} else described(error)
