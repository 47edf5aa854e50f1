"""A column type for SQLAlchemy that holds URLs.

    class Feed(Base):
        source: Mapped[URL] = mapped_column(URLColumn(["nntp", "news"]))

Nothing but a URL of the named schemes is written, and what is read is a parsed URL.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from urlschemes import URL, InvalidURL, UnknownScheme
from urlschemes.redaction import redact_url
from urlschemes.registry.registry import default_registry
from urlschemes_bridges.extras import needs_extra

with needs_extra("sqlalchemy"):
    from sqlalchemy import ColumnElement, type_coerce
    from sqlalchemy.sql import operators
    from sqlalchemy.types import Text, TypeDecorator

    from urlschemes_bridges.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.engine import Dialect
    from sqlalchemy.sql.operators import OperatorType

    from urlschemes import Registry

__all__ = ["URLColumn"]

_OF_URLS = frozenset(
    {
        operators.eq,
        operators.ne,
        operators.lt,
        operators.le,
        operators.gt,
        operators.ge,
        operators.is_,
        operators.is_not,
    }
    | {operators.in_op, operators.not_in_op, operators.between_op, operators.not_between_op}
    | {operators.is_distinct_from, operators.is_not_distinct_from}
)
"""The operators whose right side is a URL."""


class _Comparator(TypeDecorator.Comparator[URL], Text.Comparator[URL]):
    """Compares URLs. For the other operators, such as LIKE and `+`, the column is text."""

    def operate(self, op: OperatorType, *other: Any, **options: Any) -> ColumnElement[Any]:
        if not other or op in _OF_URLS:
            return super().operate(op, *other, **options)
        texts = [str(each) if isinstance(each, URL) else each for each in other]
        made: ColumnElement[Any] = op(type_coerce(self.expr, Text), *texts, **options)
        return made

    def reverse_operate(self, op: OperatorType, other: Any, **options: Any) -> ColumnElement[Any]:
        made: ColumnElement[Any] = op(other, type_coerce(self.expr, Text), **options)
        return made


class URLColumn(TypeDecorator[URL]):
    """A text column that holds URLs of `schemes`, or of every scheme of the registry if none is named.

    A str is parsed before it is written or compared; a URL of another profile becomes one of that of the registry. What
    is not such a URL raises InvalidURL, UnknownScheme or TypeError; SQLAlchemy wraps them in StatementError, whose
    `orig` is the error. Searches in the text, such as `contains` and `like`, take any text.
    """

    impl = Text
    cache_ok = True
    comparator_factory = _Comparator

    def __init__(
        self,
        schemes: str | Iterable[str] = (),
        registry: Registry | None = None,
        fix: bool = False,
        normalize: bool = False,
        warnings: Literal["error", "ignore"] = "ignore",
    ) -> None:
        super().__init__()
        names = [schemes] if isinstance(schemes, str) else schemes
        self._reader = Reader(*names, registry=registry, fix=fix, normalize=normalize, warnings=warnings)
        # SQLAlchemy shares cached statements of types whose arguments (none keyword-only) are equal, as attributes.
        self.schemes, self.registry = self._reader.names, self._reader.registry
        self.fix, self.normalize, self.warnings = fix, normalize, warnings

    def __repr__(self) -> str:
        """Return the call that makes it, for the migrations of Alembic."""
        registry = "" if self.registry is default_registry else f", Registry(profile={self.registry.profile.name!r})"
        return f"{type(self).__name__}({list(self.schemes)!r}{registry})"

    def process_bind_param(self, value: URL | str | None, dialect: Dialect) -> str | None:  # noqa: ARG002  its interface
        """Return the text of the URL, which is checked."""
        if not isinstance(value, URL | str | None):
            raise TypeError(f"a URLColumn takes a URL or a str, not {type(value).__name__}: write str(value)")
        return None if value is None else str(self._reader.accept(value))

    def process_result_value(self, value: Any, dialect: Dialect) -> URL | None:  # noqa: ARG002  its interface
        """Return the URL that the database holds. Raises InvalidURL or UnknownScheme, with a note of the value."""
        try:
            return None if value is None else self._reader.read(value)
        except (InvalidURL, UnknownScheme) as error:
            error.add_note(f"the column holds {redact_url(value)[:200]!r}")
            raise

    @property
    def python_type(self) -> type[URL]:
        """The type of the values."""
        return URL
