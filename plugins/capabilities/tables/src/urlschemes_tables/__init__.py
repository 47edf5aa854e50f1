"""The syntax of a scheme for programs that do not run its pattern: as a table, or as a regular expression.

    from urlschemes_tables import dialect_of, table_of

    table_of(FtpURL.syntax).spans("ftp://host.dom/motd")
    dialect_of(FtpURL.syntax, "ecma")

A syntax is that of a type of URLs, or of a record.

    kept_table       table_of: the table is built once, and then cached
    table            Table, and the format of its octets
    table_builder    the table of a tree of rules
    dialect          dialect_of
"""

from urlschemes_tables.dialect import Dialect, dialect_of
from urlschemes_tables.kept_table import table_of
from urlschemes_tables.table import Table

__all__ = ["Dialect", "Table", "dialect_of", "table_of"]
