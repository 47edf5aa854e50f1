"""What a column of URLs holds: rows by scheme and by code, with samples."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from urlschemes.errors import UnknownScheme
from urlschemes_columns.row_reading import MAX_UNKNOWN, MISSING_URL, texts_of

if TYPE_CHECKING:
    from urlschemes_columns.parser import Rows

__all__ = ["Sample", "Summary"]

SAMPLES = 3
"""Texts that are kept of each code."""
LOOKED_AT = 100
"""Rows of a batch in which samples of a code are looked for: most may hold the same text."""


class Sample(NamedTuple):
    """A row that is not a URL; the first row has the number 1."""

    row: int
    text: str
    position: int | None


@dataclass
class Summary:
    """The number of rows, of nulls, and of URLs and other texts by scheme and by code; and samples of each code.

    Rows that name an unknown scheme count under their code and in `unknown`, which holds the first 1,000 names.
    """

    rows: int = 0
    nulls: int = 0
    valid: Counter[str] = field(default_factory=Counter)
    invalid: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)
    samples: dict[str, list[Sample]] = field(default_factory=dict)

    def add(self, batch: Rows, column: str, into: str) -> None:
        """Count the rows of a batch, whose column `into` is the result for `column`, and has the part `scheme`."""
        parsed = batch.column(into)
        table = pa.table({name: pc.struct_field(parsed, name) for name in ("scheme", "code", "position")})
        for row in table.group_by(["scheme", "code"]).aggregate([([], "count_all")]).to_pylist():
            self._count(row["scheme"], row["code"], row["count_all"])
        for code in self.codes:
            self._sample(code, batch.column(column), table)
        self.rows += len(batch)

    def _count(self, scheme: str | None, code: str | None, count: int) -> None:
        if code == MISSING_URL:
            self.nulls += count
        elif code is not None:
            self.codes[code] += count
        if scheme is None:
            return
        if code is None:
            self.valid[scheme] += count
        elif code != UnknownScheme.code:
            self.invalid[scheme] += count
        elif scheme in self.unknown or len(self.unknown) < MAX_UNKNOWN:
            self.unknown[scheme] += count

    def _sample(self, code: str, texts: pa.Array, table: pa.Table) -> None:
        kept = self.samples.setdefault(code, [])
        if len(kept) == SAMPLES:
            return
        rows = pc.indices_nonzero(pc.equal(table["code"], code))[:LOOKED_AT]
        positions = table["position"].take(rows).to_pylist()
        for row, text, position in zip(rows.to_pylist(), texts_of(texts.take(rows)), positions, strict=True):
            if len(kept) < SAMPLES and text is not None and all(text != sample.text for sample in kept):
                kept.append(Sample(self.rows + row + 1, text, position))
