"""A column type for SQLAlchemy that holds URLs.

    class Feed(Base):
        source: Mapped[URL] = mapped_column(URLColumn(["nntp", "news"]))

Nothing but a URL of the named schemes is written, and what is read is a parsed URL.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy.types import Text, TypeDecorator

from urlschemes import URL
from urlschemes.registry.registry import registry_or_default

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.engine import Dialect

    from urlschemes import Registry

__all__ = ["URLColumn"]


class URLColumn(TypeDecorator[URL]):
    """A text column that holds URLs of `schemes`, or of every scheme of the registry if none is named.

    A str is parsed before it is written or compared; a URL of another profile becomes one of that of the registry. What
    is not such a URL raises InvalidURL, UnknownScheme or ValueError; SQLAlchemy wraps them in StatementError, whose
    `orig` is the error.
    """

    impl = Text
    cache_ok = True

    def __init__(self, schemes: str | Iterable[str] = (), *, registry: Registry | None = None) -> None:
        super().__init__()
        # SQLAlchemy shares cached statements of types whose named arguments are equal, as attributes of these names.
        self.schemes = tuple(sorted(map(str.lower, [schemes] if isinstance(schemes, str) else schemes)))
        self.registry = registry_or_default(registry)

    def process_bind_param(self, value: URL | str | None, dialect: Dialect) -> str | None:  # noqa: ARG002  its interface
        """Return the text of the URL, which is checked."""
        if value is None:
            return None
        return str(self._parse(str(self.registry.convert(value) if isinstance(value, URL) else value)))

    def process_result_value(self, value: Any, dialect: Dialect) -> URL | None:  # noqa: ARG002  its interface
        """Return the URL that the database holds."""
        return None if value is None else self._parse(value)

    @property
    def python_type(self) -> type[URL]:
        """The type of the values."""
        return URL

    def _parse(self, text: str) -> URL:
        url = self.registry.parse(text)
        if self.schemes and url.scheme not in self.schemes:
            raise ValueError(f"scheme {url.scheme!r} at position 0: expected one of {', '.join(self.schemes)}")
        return url
