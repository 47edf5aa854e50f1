"""`parse` for Ray datasets, in Arrow batches (`Dataset.map_batches`)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from urlschemes_columns.parser import COLUMN, INTO, Parser, add_parts
from urlschemes_columns.part_columns import PARTS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ray.data import Dataset

    from urlschemes import Registry

__all__ = ["parse"]


def parse(
    dataset: Dataset,
    column: str = COLUMN,
    *,
    into: str = INTO,
    parts: Iterable[str] = PARTS,
    registry: Registry | None = None,
) -> Dataset:
    """Return `dataset` with one more column `into`, a struct as `urlschemes_columns.parse` returns, for `column`.

    Workers need this distribution and the plugins of the schemes. Raises ValueError if there is already a column named
    `into`, or none named `column`, where the dataset knows its columns.
    """
    read = partial(add_parts, column=column, into=into, parser=Parser(parts, registry))
    return dataset.map_batches(read, batch_format="pyarrow", zero_copy_batch=True)
