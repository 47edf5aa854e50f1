"""The columns that can be asked for: the parts of all schemes of a registry, and what Python computes of each text."""

from __future__ import annotations

import copy
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import pyarrow as pa

from urlschemes import URL
from urlschemes.registry.names import how_to_install
from urlschemes.registry.registry import registry_or_default

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Self

    from urlschemes import Registry

    URLType: TypeAlias = type[URL]
    Kind: TypeAlias = Literal["scheme", "text", "number", "list", "pairs", "raw", "computed"]

__all__ = [
    "ERROR_HOST",
    "ERROR_PART",
    "FIXED",
    "NORMALIZED",
    "PARTS",
    "PartAttributes",
    "PartColumn",
    "part_columns",
    "struct_type",
]

PARTS = ("scheme", "host", "port")
"""The parts that are given if none are asked for."""
RAW = ".raw"
"""The end of the name of a column of a part as it is written."""
ERROR_PART, ERROR_HOST = "error.part", "error.host"
"""The columns about rows that are not URLs: the part at fault, and the host if that is not at fault."""
NORMALIZED, FIXED = "url.normalized", "url.fixed"
"""The columns of whole URLs: the normal form, and the URL with repairs, as `fix` of urlschemes-lint makes it."""

# The name of the scheme, and the parts of the Common Internet Scheme Syntax, which are of the same kind in all schemes.
_ALWAYS_KNOWN: Mapping[str, Kind] = {
    "scheme": "scheme",
    "user": "text",
    "password": "text",
    "host": "text",
    "port": "number",
    **dict.fromkeys((ERROR_PART, ERROR_HOST, NORMALIZED, FIXED), "computed"),
}


class PartColumn(NamedTuple):
    """A column of the result: its name, the part that it holds, and how."""

    name: str
    part: str
    kind: Kind

    def type(self, text: pa.DataType) -> pa.DataType:
        """Return the type of the column, in which texts have the type `text`."""
        if self.kind == "number":
            return pa.int64()
        if self.kind == "list":
            return pa.list_(text)
        if self.kind == "pairs":
            return pa.list_(pa.struct([("name", text), ("value", text)]))
        return text

    def is_own_attribute(self, kind: URLType) -> bool:
        """Return True if a type has this attribute beside the parts of its syntax, as that of file has a path."""
        names = (*_ALWAYS_KNOWN, *kind.syntax.parts, *dir(URL))
        return self.name not in names and isinstance(getattr(kind, self.name, None), property)


def part_columns(parts: Iterable[str], registry: Registry) -> tuple[PartColumn, ...]:
    """Return the columns for `parts`.

    Raises TypeError, ValueError for a part that no scheme of `registry` has, ModuleNotFoundError.
    """
    if isinstance(parts, str):
        raise TypeError(f"parts is a collection of names, not one string: write parts=({parts!r},)")
    kinds = _ALWAYS_KNOWN
    columns: list[PartColumn] = []
    for name in parts:
        if not isinstance(name, str):
            raise TypeError(f"the name of a part must be a str, not {type(name).__name__}")
        part = name.removesuffix(RAW)
        if part not in kinds:
            kinds = _kinds(registry)  # this reads the records of all schemes
        kind = kinds.get(part)
        if kind is None or (name != part and kind in {"scheme", "computed"}):
            raise ValueError(
                f"unknown part {name!r} in the profile {registry.profile.name}: expected one of "
                f"{', '.join(sorted(_kinds(registry)))}; {RAW!r} after a name gives the part as it is written"
            )
        if any(name == column.name for column in columns):
            raise ValueError(f"the part {name!r} is asked for twice")
        if name == FIXED and find_spec("urlschemes_lint") is None:
            raise ModuleNotFoundError(f"the part {name!r} needs urlschemes-lint: {how_to_install('urlschemes-lint')}")
        columns.append(PartColumn(name, part, "raw" if name != part else kind))
    return tuple(columns)


def struct_type(columns: Iterable[PartColumn], text: pa.DataType) -> pa.StructType:
    """Return the type of the result: the columns, then `code` and `position` of what is invalid."""
    fields = [(column.name, column.type(text)) for column in columns]
    return pa.struct([*fields, ("code", text), ("position", pa.int32())])


class PartAttributes:
    """Gives a class with a method `parse` attributes such as `series.url.host`, and `series.url(registry).query`."""

    parse: Any
    _registry: Registry | None = None

    def __call__(self, registry: Registry | None) -> Self:
        """Return the same URLs, read with `registry`."""
        other = copy.copy(self)
        other._registry = registry_or_default(registry)  # noqa: SLF001  of the same class
        return other

    def __getattr__(self, name: str) -> Any:
        """Return a part of each URL. Raises AttributeError."""
        if name.startswith("_"):  # copies and notebooks ask for such names
            raise AttributeError(name)
        try:
            part_columns((name,), registry_or_default(self._registry))
        except ValueError as error:
            raise AttributeError(f"{error}; url(registry) reads by another profile") from None
        return self._field(self.parse((name,)), name)

    def _field(self, parsed: Any, name: str) -> Any:
        return parsed[name]


def _kinds(registry: Registry) -> dict[str, Kind]:
    """Return what kind of column each part is; `raw` if two schemes differ."""
    kinds = dict(_ALWAYS_KNOWN)
    for record in registry.registrations():
        for name, part in record.syntax.parts.items():
            kind: Kind = "raw" if part.kind == "decimal" else part.kind
            if name not in _ALWAYS_KNOWN.keys() | {"code", "position"}:  # the columns of errors have these two names
                kinds[name] = kind if kinds.get(name, kind) == kind else "raw"
    return kinds
