"""The accessor `url` of Dask Series: `series.url.parse()`, `.is_valid()`, `.code()` and `.host`, as of pandas Series.

Importing this module registers it. Each partition is read by itself, in whichever process or machine has it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dask.dataframe.extensions import register_series_accessor

from urlschemes_columns.pandas import URLAccessor
from urlschemes_columns.part_columns import PARTS, PartAttributes

if TYPE_CHECKING:
    from collections.abc import Iterable

    import dask.dataframe as dd
    import pandas as pd

    from urlschemes import Registry

__all__ = ["DaskURLAccessor"]


@register_series_accessor("url")
class DaskURLAccessor(PartAttributes):
    """The URLs of a Dask Series of texts."""

    def __init__(self, series: dd.Series) -> None:
        self._series = series

    def parse(self, parts: Iterable[str] = PARTS) -> dd.DataFrame:
        """Return a column for each of `parts`, and the columns `code` and `position`, as `urlschemes_columns.parse`."""
        return self._mapped("parse", parts if isinstance(parts, str) else tuple(parts))

    def is_valid(self) -> dd.Series:
        """Return True for each row that is a URL, False for one that is not, and a null for a null."""
        return self._mapped("is_valid")

    def code(self) -> dd.Series:
        """Return the code of the error of each row: a null for a URL, and only for a URL."""
        return self._mapped("code")

    def _mapped(self, method: str, *arguments: Any) -> Any:
        meta = _call(self._series._meta, self._registry, method, *arguments)  # noqa: SLF001  raises our errors
        return self._series.map_partitions(_call, self._registry, method, *arguments, meta=meta)


def _call(series: pd.Series, registry: Registry | None, method: str, *arguments: Any) -> pd.Series | pd.DataFrame:
    """Return the result of a method of the accessor of pandas; workers import it by its name."""
    return getattr(URLAccessor(series)(registry), method)(*arguments)
