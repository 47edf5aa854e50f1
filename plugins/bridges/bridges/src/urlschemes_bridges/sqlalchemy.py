"""A column type for SQLAlchemy that holds URLs.

    class Feed(Base):
        source: Mapped[URL] = mapped_column(URLColumn(["nntp", "news"]))

Nothing but a URL of the named schemes is written, and what is read is a parsed URL.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from urlschemes import URL
from urlschemes_bridges.chosen_schemes import ChosenSchemes
from urlschemes_bridges.extras import needs_extra

with needs_extra("sqlalchemy"):
    from sqlalchemy.types import Text, TypeDecorator

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.engine import Dialect

    from urlschemes import Registry

__all__ = ["URLColumn"]


class URLColumn(TypeDecorator[URL]):
    """A text column that holds URLs of `schemes`, or of every scheme of the registry if none is named.

    A str is parsed before it is written or compared; a URL of another profile becomes one of that of the registry. What
    is not such a URL raises InvalidURL or UnknownScheme; SQLAlchemy wraps them in StatementError, whose `orig` is the
    error.
    """

    impl = Text
    cache_ok = True

    def __init__(self, schemes: str | Iterable[str] = (), registry: Registry | None = None) -> None:
        super().__init__()
        self._chosen = ChosenSchemes(*([schemes] if isinstance(schemes, str) else schemes), registry=registry)
        # SQLAlchemy shares cached statements of types whose arguments (none keyword-only) are equal, as attributes.
        self.schemes, self.registry = self._chosen.names, self._chosen.registry

    def process_bind_param(self, value: URL | str | None, dialect: Dialect) -> str | None:  # noqa: ARG002  its interface
        """Return the text of the URL, which is checked."""
        return None if value is None else str(self._chosen.read(value))

    def process_result_value(self, value: Any, dialect: Dialect) -> URL | None:  # noqa: ARG002  its interface
        """Return the URL that the database holds."""
        return None if value is None else self._chosen.read(value)

    @property
    def python_type(self) -> type[URL]:
        """The type of the values."""
        return URL
