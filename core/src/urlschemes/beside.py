"""Files beside packages, read without importing the packages.

Asking `importlib` for a package within a package, or for its resources, imports the outer one. Here the place is
asked of the finders of `sys.meta_path`, level by level, and nothing is executed, whatever an `__init__` would do.
"""

# The finders speak in strings, and a first URL must not wait for pathlib or typing to be imported.
# ruff: noqa: PTH109, PTH118, PTH120, PTH123

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from importlib.machinery import ModuleSpec
    from typing import Any

__all__ = ["entries_of", "find_in_folders", "is_plain", "locate", "read_beside", "read_of", "read_own", "strings"]


def read_beside(module: str, name: str) -> tuple[str, str]:
    """The UTF-8 text of the file `name` beside the package (or module) `module`, and the file's path.

    No package is executed: its place is asked of the finders of `sys.meta_path`, level by level, so that zipped,
    editable, nested and namespace packages work whatever their `__init__` does. Raises ModuleNotFoundError where there
    is no such package, FileNotFoundError where it has no such file, UnicodeDecodeError.
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
            return _read(path, folder, spec.loader).decode("utf-8"), path
        except OSError:
            continue
    raise FileNotFoundError(f"the package {spec.name} has no file {name}")


def read_own(name: str) -> str:
    """The text of a file of the core itself, wherever it was imported from and whatever became of `sys.path` since."""
    return read_of(sys.modules["urlschemes"].__spec__, name)[0]  # type: ignore[arg-type]  # it was imported


def _read(path: str, folder: str, loader: object) -> bytes:
    for reader in (loader, _finder_of(folder)):  # a namespace has no loader of its own; an archive's finder reads too
        get_data = getattr(reader, "get_data", None)
        if get_data is not None:
            octets: bytes = get_data(path)
            return octets
    with open(path, "rb") as file:
        return file.read()


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
