"""SQL functions for DuckDB: `url_parse(text)`, `url_is_valid(text)` and `url_code(text)`."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import duckdb
import pyarrow as pa

from urlschemes_columns.parser import Parser
from urlschemes_columns.part_columns import PARTS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from urlschemes import Registry

__all__ = ["register"]


def register(
    connection: duckdb.DuckDBPyConnection, parts: Iterable[str] = PARTS, registry: Registry | None = None
) -> None:
    """Add the functions to a connection.

    `url_parse` returns a STRUCT with a field for each of `parts`, `code` and `position`, as `urlschemes_columns.parse`;
    `url_is_valid` a BOOLEAN; `url_code` the code of the error, and NULL for a URL. A NULL has the code `missing-url`;
    `url_is_valid` of it is NULL.

    Functions that this connection registered before are replaced. Raises ValueError if the database has one from
    another connection; cursors and connections to one database share them. Raises ValueError within a transaction,
    TypeError for what is not a connection.
    """
    if not hasattr(connection, "create_function"):
        raise TypeError(f"expected a connection, got {type(connection).__name__}: duckdb.connect(...) makes one")
    if _is_in_transaction(connection):
        # The catalog would be rolled back, and the functions not: DuckDB then calls what it has deleted.
        raise ValueError("url_parse cannot be registered within a transaction: call commit() or rollback() first")
    parser, bare = Parser(parts, registry), Parser((), registry)
    functions = (
        ("url_is_valid", bare.is_valid, "BOOLEAN"),  # first: DuckDB 1 refuses a name only for the same result
        ("url_code", bare.code, "VARCHAR"),
        ("url_parse", parser.parse, _sql_type(parser.type())),
    )
    for name, function, result in functions:
        with suppress(duckdb.InvalidInputException):  # there is none
            connection.remove_function(name)
        try:
            connection.create_function(  # type: ignore[call-overload]  # it also takes the names of its enumerations
                name, function, ["VARCHAR"], result, type="arrow", null_handling="special"
            )
        except duckdb.CatalogException:
            raise ValueError(
                f"the database already has a function {name!r}, which this connection did not register: "
                "call it as it is, or remove it with the connection that did"
            ) from None


def _is_in_transaction(connection: duckdb.DuckDBPyConnection) -> bool:
    """Return True if two queries are of one transaction, or if it was aborted and takes none."""
    try:
        first, second = (connection.sql("SELECT txid_current()").fetchall() for _ in range(2))
    except duckdb.TransactionException:
        return True
    return first == second


def _sql_type(kind: pa.DataType) -> str:
    """Return the name of the type of SQL that is `kind`."""
    if pa.types.is_struct(kind):
        fields = (f'"{field.name}" {_sql_type(field.type)}' for field in kind)
        return f"STRUCT({', '.join(fields)})"
    if pa.types.is_list(kind):
        return f"{_sql_type(kind.value_type)}[]"
    return {pa.int64(): "BIGINT", pa.int32(): "INTEGER"}.get(kind, "VARCHAR")
