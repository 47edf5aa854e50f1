"""Files inside packages, read without importing the packages.

`importlib.resources` and `importlib.util.find_spec("a.b")` import `a`. Here the finders of `sys.meta_path` look for
each level in turn, so that no `__init__` is executed. Zipped, editable, nested and namespace packages work.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from typing import Any


def read_file(package: str, name: str) -> tuple[str, str]:
    """Return the UTF-8 text of the file `name` in `package`, and the file's path; nothing is imported.

    Raises ModuleNotFoundError if there is no such package, OSError if the file is missing (FileNotFoundError) or
    cannot be read, UnicodeDecodeError.
    """
    return read_from(locate(package), name)


def read_from(spec: ModuleSpec, name: str) -> tuple[str, str]:
    """Return what `read_file` returns, for the package (or the folder of the module) that `spec` describes."""
    folders = spec.submodule_search_locations
    if folders is None:
        folders = [os.path.dirname(spec.origin)] if spec.origin and spec.has_location else []
    for folder in folders:
        path = os.path.join(folder, name)
        get_data = getattr(spec.loader or _finder_of(folder), "get_data", SourceFileLoader(spec.name, path).get_data)
        try:
            octets: bytes = get_data(path)
        except FileNotFoundError:
            continue
        except OSError:
            if os.path.exists(path):
                raise
            continue  # archives raise a plain OSError for a file that they lack
        return octets.decode("utf-8"), path
    raise FileNotFoundError(f"the package {spec.name} has no file {name}")


def locate(module: str) -> ModuleSpec:
    """Return the spec by which `module` would be imported, without importing it or its parents.

    Raises ModuleNotFoundError.
    """
    parent = module.rpartition(".")[0]
    folders = list(locate(parent).submodule_search_locations or ()) if parent else None
    for finder in sys.meta_path:
        if finder is PathFinder:
            # Its own find_spec needs the parent of a nested namespace package to be imported.
            spec = find_in_folders(module, sys.path if folders is None else folders)
        else:
            find_spec = getattr(finder, "find_spec", None)
            spec = find_spec(module, folders) if find_spec else None
        if spec is not None:
            return spec
    raise ModuleNotFoundError(f"there is no module {module}", name=module)


def find_in_folders(module: str, folders: Iterable[object]) -> ModuleSpec | None:
    """Return the spec of `module` if only these folders and archives were searched; None if it is in none of them."""
    portions: list[str] = []
    for folder in folders:
        finder = _finder_of(folder) if isinstance(folder, str) else None
        spec: ModuleSpec | None = finder.find_spec(module) if finder is not None else None
        if spec is None:
            continue
        if spec.loader is not None:
            return spec
        portions += spec.submodule_search_locations or ()
    if not portions:
        return None
    namespace = ModuleSpec(module, None, is_package=True)
    namespace.submodule_search_locations = portions
    return namespace


def _finder_of(folder: str) -> Any:
    """Return the finder of modules in a folder or archive, as `sys.path_hooks` makes it."""
    if not folder:
        try:
            folder = os.getcwd()
        except OSError:  # it was deleted
            return None
    if folder not in sys.path_importer_cache:
        for hook in sys.path_hooks:
            try:
                return hook(folder)
            except ImportError:
                continue
        return None
    return sys.path_importer_cache[folder]
