"""The nntp scheme (RFC 1738 section 3.7): articles of a news group on one NNTP server.

    nntp://<host>:<port>/<newsgroup-name>/<article-number>

The syntax is in `registration.toml`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes import UNCHANGED, InternetURL, Registration, Scheme, Unchanged

if TYPE_CHECKING:
    from typing import Self

__all__ = ["NntpURL", "registration", "scheme"]

registration = Registration.of(__name__)


class NntpURL(InternetURL, registration=registration):
    """A URL that designates an article by the number that one server gave it, or a whole group of that server."""

    __slots__ = ()

    if TYPE_CHECKING:
        # The record has a default port, so that it is never None.
        @property
        def port(self) -> int:
            """The port to connect to: the one written, else 119."""

    @property
    def group(self) -> str:
        """The name of the group, as written: it holds no escapes."""
        return self._text("group") or ""

    @property
    def article(self) -> int | None:
        """The number of the article within the group; None where the URL names the group."""
        article = self._value("article")
        return article if isinstance(article, int) else None

    @classmethod
    def build(cls, *, host: str, port: int | None = None, group: str, article: int | None = None) -> Self:
        """The URL of these parts; without an article it names the group. Raises InvalidURL where none can hold them."""
        return cls._build(host=host, port=port, group=group, article=article)

    def replace(
        self,
        *,
        host: str | Unchanged = UNCHANGED,
        port: int | Unchanged | None = UNCHANGED,
        group: str | Unchanged = UNCHANGED,
        article: int | Unchanged | None = UNCHANGED,
    ) -> Self:
        """The same URL but for these parts; the text of the others does not change. None leaves a part out."""
        return self._replace(host=host, port=port, group=group, article=article)


scheme = Scheme(registration, NntpURL, access="urlschemes_nntp.access")
