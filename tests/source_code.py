"""The modules of the workspace's distributions, and what they import, read from their source code."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

from workspace import Distribution, distributions

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    When = Literal["at import", "late", "for types"]


class Import(NamedTuple):
    """An import of `module`, and of `name` in it ("" if the module itself is imported).

    `when` says whether it happens when the importing module is imported, later in a function, or only for types.
    """

    module: str
    name: str
    when: When
    line: int


@dataclass(frozen=True)
class Module:
    """A module of a distribution."""

    name: str
    path: Path
    distribution: Distribution

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax tree of the source code."""
        return ast.parse(self.path.read_text("utf-8"))

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """All nodes of the tree."""
        return tuple(ast.walk(self.tree))

    @cached_property
    def imports(self) -> tuple[Import, ...]:
        """Every import in the source code."""
        return tuple(_imports(self.tree, "at import"))

    def __str__(self) -> str:
        return self.name


@cache
def modules() -> dict[str, Module]:
    """Return every module of the workspace's distributions, by name."""
    found = {}
    for distribution in distributions():
        for path in sorted(distribution.folder.glob("src/**/*.py")):
            parts = path.relative_to(distribution.folder / "src").with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            found[name] = Module(name, path, distribution)
    return found


def modules_of(distribution: str) -> list[Module]:
    """Return the modules of one distribution."""
    return [module for module in modules().values() if module.distribution.name == distribution]


def target(each: Import) -> str:
    """Return the module that the import names: `from a import b` names `a.b` if that is a module of the workspace."""
    whole = f"{each.module}.{each.name}"
    return whole if whole in modules() else each.module


def distribution_of(each: Import) -> str | None:
    """Return the distribution of the workspace that the import leads to, if there is one."""
    module = modules().get(target(each)) or modules().get(each.module.partition(".")[0])
    return module.distribution.name if module else None


def _imports(node: ast.AST, when: When) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from (Import(alias.name, "", when, child.lineno) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            assert child.level == 0, "imports are absolute"
            yield from (Import(child.module or "", alias.name, when, child.lineno) for alias in child.names)
        elif isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            for statement in child.body:
                yield from _imports(ast.Module([statement], []), "for types")
            for statement in child.orelse:
                yield from _imports(ast.Module([statement], []), when)
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _imports(child, "late" if when == "at import" else when)
        elif not isinstance(child, ast.expr):
            yield from _imports(child, when)
