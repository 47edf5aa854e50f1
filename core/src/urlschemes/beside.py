"""Files beside packages, read without importing the packages.

Asking `importlib` for a package within a package, or for its resources, imports the outer one. Here the place is
asked of the finders of `sys.meta_path`, level by level, and nothing is executed, whatever an `__init__` would do.
"""

# The finders speak in strings, and a first URL must not wait for pathlib or typing to be imported.
# ruff: noqa: PTH109, PTH118, PTH120

from __future__ import annotations

import os
import sys

from urlschemes import places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from importlib.machinery import ModuleSpec
    from typing import Any

__all__ = [
    "MOST",
    "entries_of",
    "find_in_folders",
    "is_plain",
    "locate",
    "read_beside",
    "read_of",
    "read_own",
    "read_with",
    "strings",
]

MOST = 4 * 1024 * 1024
"""Octets that a file beside a package may have."""


def read_beside(module: str, name: str) -> tuple[str, str]:
    """The UTF-8 text of the file `name` beside the package (or module) `module`, and the file's path.

    No package is executed: its place is asked of the finders of `sys.meta_path`, level by level, so that zipped,
    editable, nested and namespace packages work whatever their `__init__` does. Raises ModuleNotFoundError where there
    is no such package, FileNotFoundError where it has no such file, OSError where that cannot be read: it is no regular
    file, or has more than `MOST` octets; UnicodeDecodeError.
    """
    return read_of(locate(module), name)


def read_of(spec: ModuleSpec, name: str) -> tuple[str, str]:
    """As `read_beside`, beside the module that `spec` finds."""
    folders = spec.submodule_search_locations
    if folders is None:
        folders = [os.path.dirname(spec.origin)] if spec.origin and spec.has_location else []
    for folder in folders:
        path = os.path.join(folder, name)
        try:
            return read_with(path, (spec.loader, _finder_of(folder))).decode("utf-8"), path
        except (FileNotFoundError, NotADirectoryError):
            continue
        except places.UnsafeFileError as error:
            raise OSError(f"{path}: {error}") from None
    raise FileNotFoundError(f"the package {spec.name} has no file {name}")


def read_own(name: str) -> str:
    """The text of a file of the core itself, wherever it was imported from and whatever became of `sys.path` since."""
    return read_of(sys.modules["urlschemes"].__spec__, name)[0]  # type: ignore[arg-type]  # it was imported


def read_with(path: str, readers: Iterable[object], most: int = MOST) -> bytes:
    """The octets of the file `path`, as the first of the loaders and finders `readers` has it that reads files.

    A namespace has no loader of its own; an archive's finder reads too. Raises OSError: FileNotFoundError where there
    is no such file; UnsafeFileError where it is no regular one, or has more than `most` octets.
    """
    for reader in readers:
        home = type(reader).__module__
        if home == "zipimport":
            return _read_member(reader.archive, path, most)  # type: ignore[attr-defined]  # as each of these has
        if home == "_frozen_importlib_external":
            break  # what reads plain files, whatever they are, and however long
        get_data = getattr(reader, "get_data", None)
        if get_data is not None:
            return _at_most(most, _got(get_data, path))
    return places.read_own(path, most, writers="any")


def _got(get_data: Callable[[str], bytes], path: str) -> bytes:
    try:
        return get_data(path)
    except OSError:  # which is how loaders say that there is none
        raise FileNotFoundError(path) from None


def _read_member(archive: str, path: str, most: int) -> bytes:
    from zipfile import BadZipFile, ZipFile
    from zlib import error as not_deflated

    try:
        with ZipFile(archive) as members, members.open(os.path.relpath(path, archive).replace(os.sep, "/")) as member:
            return _at_most(most, member.read(most + 1))
    except KeyError:
        raise FileNotFoundError(path) from None
    except (BadZipFile, EOFError, NotImplementedError, RuntimeError, not_deflated) as error:
        raise OSError(f"{archive} cannot be read: {error}") from error


def _at_most(most: int, octets: bytes) -> bytes:
    if len(octets) > most:
        raise places.UnsafeFileError(f"it is longer than {most} octets")
    return octets


def locate(module: str) -> ModuleSpec:
    """Where the module would be imported from, without importing it or its parents. Raises ModuleNotFoundError."""
    parent, _, _ = module.rpartition(".")
    folders = list(locate(parent).submodule_search_locations or ()) if parent else None
    spec = _find(module, folders)
    if spec is None:
        raise ModuleNotFoundError(f"there is no module {module}", name=module)
    return spec


def _find(name: str, folders: list[str] | None) -> ModuleSpec | None:
    for finder in sys.meta_path:
        if _is_standard(finder):
            # Its own find_spec wants the parent of a nested namespace to be imported.
            spec = find_in_folders(name, sys.path if folders is None else folders)
        else:
            find_spec = getattr(finder, "find_spec", None)
            spec = find_spec(name, folders) if find_spec else None
        if spec is not None:
            return spec
    return None


def find_in_folders(name: str, folders: Iterable[object]) -> ModuleSpec | None:
    """Where the module would be imported from, if only `folders` (or archives) were searched."""
    portions: list[str] = []
    for folder in strings(folders):
        finder = _finder_of(folder)
        spec: ModuleSpec | None = finder.find_spec(name) if finder is not None else None
        if spec is None:
            continue
        if spec.loader is not None:
            return spec
        portions += spec.submodule_search_locations or ()
    if not portions:
        return None
    from importlib.machinery import ModuleSpec

    namespace = ModuleSpec(name, None, is_package=True)
    namespace.submodule_search_locations = portions
    return namespace


def _finder_of(folder: str) -> Any:
    """Who finds modules in `folder` (or in an archive), by `sys.path_hooks`; None where nobody does."""
    folder = folder or os.getcwd()
    if folder in sys.path_importer_cache:
        return sys.path_importer_cache[folder]
    for hook in sys.path_hooks:
        try:
            return hook(folder)
        except ImportError:
            continue
    return None


def strings(entries: Iterable[object]) -> Iterator[str]:
    """Those of `entries` that are strings: as the import system, which passes over others in `sys.path`."""
    return (entry for entry in entries if isinstance(entry, str))


def entries_of(path: Iterable[str] | None = None) -> list[str]:
    """The entries of `path` (`sys.path`) that are searched, each once."""
    return list(dict.fromkeys(strings(sys.path if path is None else path)))


def is_plain() -> bool:
    """Whether distributions are found in the entries of `sys.path` and nowhere else: no finder knows of others."""
    return not any(
        hasattr(finder, "find_distributions") and not _is_standard(finder) and not _is_backport(finder)
        for finder in sys.meta_path
    )


def _is_standard(finder: object) -> bool:
    """Whether it is `importlib.machinery.PathFinder`, which is asked for by name: its module would cost an import."""
    return (
        isinstance(finder, type)
        and finder.__module__ == "_frozen_importlib_external"
        and finder.__qualname__ == "PathFinder"
    )


def _is_backport(finder: object) -> bool:
    """Whether it is what `importlib_metadata` does as the standard finder does."""
    return type(finder) is getattr(sys.modules.get("importlib_metadata"), "MetadataPathFinder", None)
