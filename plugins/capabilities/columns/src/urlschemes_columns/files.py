"""Files of URLs, read, parsed and counted in batches: Parquet, CSV, and text with one URL in each line."""

from __future__ import annotations

import codecs
import csv
import io
import os
import re
from collections import Counter
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

from urlschemes.errors import UnknownScheme
from urlschemes_columns.parser import check_column, check_names
from urlschemes_columns.row_reading import MAX_UNKNOWN, MISSING_URL, texts_of, utf8

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from urlschemes_columns.parser import Parser

__all__ = ["FORMATS", "Sample", "Summary", "format_of", "parse_file", "row_count"]

FORMATS = {".parquet": "parquet", ".pq": "parquet", ".csv": "csv", ".tsv": "tsv", ".txt": "lines"}
"""Formats by the ends of names."""
COMPRESSED = (".gz", ".bz2", ".zst")
"""The ends of names of texts that pyarrow decompresses."""
BATCH = 131_072
"""Rows that are in memory at a time, and the rows of a row group of the new file."""
PIECE = 1024 * 1024
"""Octets that are read at a time."""
LONGEST_ROW = 8 * PIECE
"""Octets of CSV that are read at a time. No row may be longer."""
NOT_UTF8 = "it is not UTF-8: iconv -f UTF-16 -t UTF-8 converts it, if it is UTF-16"
SAMPLES = 3
"""Texts that are kept of each code."""
NO_SCHEME = "(none)"
"""The scheme of rows that name none, or are too long to be examined."""
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
    `replaced` is the number of texts that are not UTF-8, `skipped` that of rows of CSV without the right number of
    fields, which are not among the `rows`.
    """

    rows: int = 0
    nulls: int = 0
    replaced: int = 0
    skipped: int = 0
    valid: Counter[str] = field(default_factory=Counter)
    invalid: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)
    samples: dict[str, list[Sample]] = field(default_factory=dict)

    def add(self, texts: pa.Array, parsed: pa.Array) -> None:
        """Count the rows of `parsed`, which is the result for `texts`, and has the part `scheme`."""
        table = pa.table({name: pc.struct_field(parsed, name) for name in ("scheme", "code", "position")})
        for row in table.group_by(["scheme", "code"]).aggregate([([], "count_all")]).to_pylist():
            self._count(row["scheme"], row["code"], row["count_all"])
        for code in self.codes:
            self._sample(code, texts, table)
        self.rows += len(texts)

    def _count(self, scheme: str | None, code: str | None, count: int) -> None:
        name = scheme or NO_SCHEME
        if code == MISSING_URL:
            self.nulls += count
            return
        if code is None:
            self.valid[name] += count
            return
        self.codes[code] += count
        if code != UnknownScheme.code:
            self.invalid[name] += count
        elif name in self.unknown or len(self.unknown) < MAX_UNKNOWN:
            self.unknown[name] += count

    def skip(self, _: object) -> str:
        """Count a row of CSV that is left out."""
        self.skipped += 1
        return "skip"

    def _sample(self, code: str, texts: pa.Array, table: pa.Table) -> None:
        kept = self.samples.setdefault(code, [])
        if len(kept) == SAMPLES:
            return
        for row in pc.indices_nonzero(pc.equal(table["code"], code))[:LOOKED_AT].to_pylist():
            (text,) = texts_of(texts[row : row + 1])
            if len(kept) < SAMPLES and text is not None and all(text != sample.text for sample in kept):
                kept.append(Sample(self.rows + row + 1, text, table["position"][row].as_py()))


@contextmanager
def _new_file(target: str) -> Iterator[BinaryIO]:
    """Open a file for the `with` block that becomes `target` at its end, or is deleted if the block fails.

    What is there and is not a regular file, such as a device, is written to instead.
    """
    if os.path.exists(target) and not os.path.isfile(target):  # noqa: PTH110, PTH113  the path is text, as typed
        with open(target, "wb") as file:  # noqa: PTH123  as above
            yield file
        return
    path = f"{target}.{os.urandom(4).hex()}.part"
    try:
        with open(path, "xb") as file:  # noqa: PTH123  as above
            with suppress(OSError):  # there is none, or the file system has no modes
                os.chmod(path, os.stat(target).st_mode & 0o777)  # noqa: PTH101, PTH116  as above
            yield file
        os.replace(path, target)  # noqa: PTH105  as above
    except OSError as error:
        if error.filename == path:  # which the user has not named
            error.filename, error.filename2 = target, None
        raise
    finally:
        with suppress(FileNotFoundError):
            os.unlink(path)  # noqa: PTH108  as above


def format_of(source: str) -> str:
    """Return the format that the name of a file says; `parquet` if it says none."""
    stem, end = os.path.splitext(source.lower())  # noqa: PTH122  as above
    end = os.path.splitext(stem)[1] if end in COMPRESSED else end  # noqa: PTH122  as above
    return FORMATS.get(end, "parquet")


def row_count(source: str, form: str) -> int | None:
    """Return the number of rows of a Parquet file; None for text. Raises ValueError, OSError for a file without."""
    if form != "parquet":
        return None
    try:
        return int(pq.read_metadata(source).num_rows)
    except pa.ArrowException as error:
        raise ValueError(f"{error} Text is read with --format csv, tsv or lines.") from error


def _csv_reader(
    source: str, delimiter: str, names: list[str], only: list[str] | None, on_ragged: Callable[[object], str] | None
) -> pyarrow.csv.CSVStreamingReader:
    """Return a reader of CSV, whose columns `names` are text as it is written; an empty field is a null."""
    return pyarrow.csv.open_csv(
        source,
        pyarrow.csv.ReadOptions(block_size=LONGEST_ROW, use_threads=False),  # or else errors do not tell the row
        pyarrow.csv.ParseOptions(
            delimiter=delimiter,
            newlines_in_values=True,
            ignore_empty_lines=len(names) != 1,  # in a single column, an empty line is a null
            invalid_row_handler=on_ragged,
        ),
        pyarrow.csv.ConvertOptions(
            check_utf8=False,  # such a row has a code
            column_types=dict.fromkeys(names, pa.string()),
            include_columns=only,
            null_values=[""],
            strings_can_be_null=True,
        ),
    )


def _lines(source: str, column: str) -> Iterator[pa.RecordBatch]:
    """Yield the lines of a text; an empty line is a null."""
    with pa.input_stream(source) as file:
        begun: list[bytes] = []
        piece = file.read(PIECE).removeprefix(codecs.BOM_UTF8)
        if piece.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise ValueError(NOT_UTF8)
        while piece:
            lines, newline, last = piece.rpartition(b"\n")
            if newline:
                yield _split(b"".join([*begun, lines]), column)
                begun.clear()
            begun.append(last)
            piece = file.read(PIECE)
        if any(begun):
            yield _split(b"".join(begun), column)


def _split(lines: bytes, column: str) -> pa.RecordBatch:
    lines = lines.removesuffix(b"\r").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    texts = pc.split_pattern(pa.array([lines]), "\n").values.view(pa.string())
    return pa.record_batch({column: pc.if_else(pc.equal(texts, ""), None, texts)})


def _schema(source: str, form: str, delimiter: str, column: str) -> pa.Schema:
    """Return the columns of a file; those of text are text. Raises ValueError, OSError."""
    if form == "parquet":
        return pq.read_schema(source)
    names = [column]
    if form != "lines":
        with pa.input_stream(source) as file:
            text = io.TextIOWrapper(file, "utf-8-sig", "replace", newline="")
            try:
                names = next(csv.reader(text, delimiter=delimiter), [])
            except csv.Error as error:
                raise ValueError(f"cannot be read: {error}") from error
        if not names:
            raise ValueError("its first line is empty: expected the names of the columns")
        if "\ufffd" in "".join(names):
            raise ValueError(NOT_UTF8)
    return pa.schema([(name, pa.string()) for name in names])


def _batches(
    source: str,
    form: str,
    delimiter: str,
    schema: pa.Schema,
    only: list[str] | None,
    on_ragged: Callable[[object], str] | None,
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a file, with the columns `only`, or all. Raises ValueError if they cannot be read."""
    try:
        if form == "parquet":
            with pq.ParquetFile(source, pre_buffer=False, buffer_size=PIECE) as file:  # or else all of it is in memory
                yield from file.iter_batches(BATCH, columns=only)
        elif form == "lines":
            yield from _lines(source, schema.names[0])
        else:
            with _csv_reader(source, delimiter, schema.names, only, on_ragged) as reader:
                yield from reader
    except (pa.ArrowException, OSError) as error:
        if "straddl" in str(error):
            raise ValueError(f"a row has over {LONGEST_ROW // PIECE} MiB: is a quotation mark missing?") from error
        if ragged := re.search(r"Row #(\d+): Expected (\d+) columns, got (\d+)", str(error)):
            number, expected, found = map(int, ragged.groups())  # of rows, the names of the columns are the first
            advice = f"a field with {delimiter!r} needs quotation marks; " if found > expected else ""
            fields = "1 field" if expected == 1 else f"{expected} fields"
            raise ValueError(
                f"row {number - 1}: expected {fields}, got {found}; {advice}--skip-ragged leaves such rows out"
            ) from error
        raise ValueError(f"cannot be read: {error}") from error


def _valid(column: pa.Array) -> tuple[pa.Array, int]:
    """Return a column that is valid UTF-8, if it is of strings, and how many of its texts were changed."""
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return column, 0
    try:
        column.validate(full=True)
    except pa.ArrowInvalid:
        texts = texts_of(column)
        valid = [text and utf8(text) for text in texts]
        return pa.array(valid, column.type), sum(text != each for text, each in zip(texts, valid, strict=True))
    return column, 0


def parse_file(
    source: str,
    target: str | None,
    column: str,
    into: str,
    parser: Parser,
    on_rows: Callable[[int], object],
    form: str = "parquet",
    *,
    delimiter: str | None = None,
    skips_ragged: bool = False,
) -> Summary:
    """Parse a column of the file `source`, and return the summary.

    The Parquet file `target`, if there is one, gets all columns and one more. It appears when it is complete, and may
    be `source`. Its texts are valid UTF-8. `form` is a format, and `delimiter` the character between the fields of a
    row of CSV, by default a comma, and a tab in TSV. `on_rows` gets the number of rows of each batch that is done.
    Raises ValueError or TypeError for a file or a column that cannot be parsed, OSError.
    """
    delimiter = delimiter or ("\t" if form == "tsv" else ",")
    summary, schema = Summary(), _schema(source, form, delimiter, column)
    check_column(schema.names, column)
    complete = schema.append(pa.field(into, parser.parse(schema.empty_table()[column]).type))
    with ExitStack() as stack:
        writer = None
        if target is not None:
            check_names(schema.names, column, into)
            writer = stack.enter_context(pq.ParquetWriter(stack.enter_context(_new_file(target)), complete))
        on_ragged = summary.skip if skips_ragged else None
        for batch in _batches(source, form, delimiter, schema, None if writer else [column], on_ragged):
            texts = batch.column(column)
            parsed = parser.parse(texts)
            summary.add(texts, parsed)
            columns, changed = zip(*map(_valid, batch.columns), strict=True)
            summary.replaced += sum(changed)
            if writer is not None:
                writer.write_batch(pa.record_batch([*columns, parsed], schema=complete))
            on_rows(len(batch))
    return summary
