"""Column types for SQLAlchemy that hold URLs.

    class Feed(Base):
        source: Mapped[URL] = mapped_column(URLColumn(["nntp", "news"]))

Nothing but a URL of the named schemes is written, and what is read is a parsed URL.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeVar

from urlschemes import URL, InvalidURL, UnknownScheme
from urlschemes.redaction import redact_url
from urlschemes.registry.registry import default_registry
from urlschemes_bridges.extras import needs_extra

with needs_extra("sqlalchemy"):
    from sqlalchemy import ColumnElement, event, type_coerce
    from sqlalchemy.orm import Mapper
    from sqlalchemy.sql import operators
    from sqlalchemy.types import String, Text, TypeDecorator

    from urlschemes_bridges.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.engine import Dialect
    from sqlalchemy.sql.operators import OperatorType

    from urlschemes import Registry

__all__ = ["URLColumn", "URLOrTextColumn"]

T = TypeVar("T", bound=URL | str)

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


class _Column(TypeDecorator[T]):
    """A column of URLs."""

    impl: Any = Text
    comparator_factory = _Comparator

    def __init__(
        self,
        schemes: str | Iterable[str] = (),
        registry: Registry | None = None,
        length: int | None = None,
        fix: bool = False,
        normalize: bool = False,
        warnings: Literal["error", "ignore"] = "ignore",
    ) -> None:
        super().__init__()
        if length is not None:
            if type(length) is not int or length < 1:
                raise ValueError(f"length must be a positive int or None, not {length!r}")
            self.impl = String(length)
        names = [schemes] if isinstance(schemes, str) else schemes
        self._reader = Reader(*names, registry=registry, fix=fix, normalize=normalize, warnings=warnings)
        # SQLAlchemy shares cached statements of types whose arguments (none keyword-only) are equal, as attributes.
        self.schemes, self.registry = self._reader.names, self._reader.registry
        self.length, self.fix, self.normalize, self.warnings = length, fix, normalize, warnings

    def __repr__(self) -> str:
        """Return the call that makes it, for the migrations of Alembic."""
        registry = "" if self.registry is default_registry else f", Registry(profile={self.registry.profile.name!r})"
        options = {name: getattr(self, name) for name in ("length", "fix", "normalize", "warnings")}
        given = "".join(f", {name}={value!r}" for name, value in options.items() if value and value != "ignore")
        return f"{type(self).__name__}({list(self.schemes)!r}{registry}{given})"

    def process_bind_param(self, value: URL | str | None, dialect: Dialect) -> str | None:  # noqa: ARG002  its interface
        """Return the text of the URL, which is checked."""
        if not isinstance(value, URL | str | None):
            raise TypeError(f"a URLColumn takes a URL or a str, not {type(value).__name__}: write str(value)")
        return None if value is None else str(self.accept(value))

    def accept(self, value: URL | str) -> URL | str:
        """Return what is written for `value`. Raises InvalidURL, UnknownScheme."""
        return self._reader.accept(value)

    @property
    def python_type(self) -> type[URL]:
        """The type of the values."""
        return URL

    def assigned(self, _: object, value: object, *__: object) -> object:
        """Return what an attribute holds to which `value` is assigned: a URL for a str, or an expression of SQL."""
        return self.accept(value) if isinstance(value, URL | str) else value


class URLColumn(_Column[URL]):
    """A text column that holds URLs of `schemes`, or of every scheme of the registry if none is named.

    With a `length`, it is a VARCHAR. With `fix`, text is repaired as by `urlschemes_lint.fix`; with `normalize`, URLs
    are written in their normal form; with `warnings="error"`, a URL that `urlschemes_lint.check` warns of is refused.

    A str is parsed before it is written or compared, and when it is assigned to the attribute of a mapped class; a URL
    of another profile becomes one of that of the registry. What is not such a URL raises InvalidURL, UnknownScheme or
    TypeError; where a statement runs, SQLAlchemy wraps them in StatementError, whose `orig` is the error. Searches in
    the text, such as `contains` and `like`, take any text.
    """

    cache_ok = True

    def process_result_value(self, value: Any, dialect: Dialect) -> URL | None:  # noqa: ARG002  its interface
        """Return the URL that the database holds. Raises InvalidURL or UnknownScheme, with a note of the value."""
        try:
            return None if value is None else self._reader.read(value)
        except (InvalidURL, UnknownScheme) as error:
            error.add_note(f"{self!r} holds {redact_url(str(value))[:200]!r}; URLOrTextColumn reads it as text")
            raise


class URLOrTextColumn(_Column[URL | str]):
    """A URLColumn that also holds any other text, as a str. With `warnings`, a URL that has one stays as it is written.

    A URL that is not of the schemes raises the errors of URLColumn: assign its text.
    """

    cache_ok = True

    def accept(self, value: URL | str) -> URL | str:
        """Return the URL, or else the value as it will be read. Raises InvalidURL, UnknownScheme for a URL."""
        try:
            return self._reader.accept(value)
        except (InvalidURL, UnknownScheme):
            return self._read(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> URL | str | None:  # noqa: ARG002  its interface
        """Return the URL or the text that the database holds."""
        return None if value is None else self._read(value)

    def _read(self, value: object) -> URL | str:
        try:
            return self._reader.read(value)
        except (InvalidURL, UnknownScheme):
            if isinstance(value, URL):
                raise
            return str(value)


@event.listens_for(Mapper, "mapper_configured")
def _parse_what_is_assigned(mapper: Mapper[Any], class_: type) -> None:
    for attribute in mapper.column_attrs:
        column = attribute.columns[0].type
        if isinstance(column, _Column):
            event.listen(getattr(class_, attribute.key), "set", column.assigned, retval=True)
