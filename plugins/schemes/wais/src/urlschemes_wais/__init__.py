"""The wais scheme (RFC 1738 section 3.9): databases of Wide Area Information Servers, searches, and documents.

    wais://<host>:<port>/<database>
    wais://<host>:<port>/<database>?<search>
    wais://<host>:<port>/<database>/<wtype>/<wpath>

The syntax is in `registration.toml`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes import UNCHANGED, Encoded, InternetURL, Registration, Scheme, Unchanged

if TYPE_CHECKING:
    from typing import Literal, Self

    from urlschemes.errors import InvalidPart

__all__ = ["WaisURL", "registration", "scheme"]

registration = Registration.of(__name__)


class WaisURL(InternetURL, registration=registration):
    """A URL that designates a WAIS database, a search in it, or a document of it; `form` says which."""

    __slots__ = ()

    if TYPE_CHECKING:
        # The record has a default port, so that it is never None.
        @property
        def port(self) -> int:
            """The port to connect to: the one written, else 210."""

    @property
    def form(self) -> Literal["database", "search", "document"]:
        """Which of the three forms the URL has."""
        if self._text("search") is not None:
            return "search"
        return "database" if self._text("wtype") is None else "document"

    @property
    def database(self) -> str:
        """The name of the database, decoded. It may be `""`."""
        return self._text("database") or ""

    @property
    def search(self) -> str | None:
        """The words to search for, decoded. None where the URL is no search."""
        return self._text("search")

    @property
    def wtype(self) -> str | None:
        """The type that the server gave the document, decoded. None where the URL is no document."""
        return self._text("wtype")

    @property
    def wpath(self) -> str | None:
        """The document identifier, decoded: octets that only their server understands. None without a document."""
        return self._text("wpath")

    @classmethod
    def build(
        cls,
        *,
        host: str,
        port: int | None = None,
        database: str | Encoded,
        search: str | Encoded | None = None,
        wtype: str | Encoded | None = None,
        wpath: str | Encoded | None = None,
    ) -> Self:
        """The URL of these parts, each encoded where it must be; `Encoded` parts are taken as they are.

        A database alone, a search in it, or a document with both its type and its identifier. Raises InvalidURL where
        no URL can hold the parts.
        """
        _check(search, wtype, wpath)
        return cls._build(host=host, port=port, database=database, search=search, wtype=wtype, wpath=wpath)

    def replace(
        self,
        *,
        host: str | Unchanged = UNCHANGED,
        port: int | Unchanged | None = UNCHANGED,
        database: str | Encoded | Unchanged = UNCHANGED,
        search: str | Encoded | Unchanged | None = UNCHANGED,
        wtype: str | Encoded | Unchanged | None = UNCHANGED,
        wpath: str | Encoded | Unchanged | None = UNCHANGED,
    ) -> Self:
        """The same URL but for these parts; the text of the others does not change. None leaves a part out.

        From one form to another: what the new one has not is given as None.
        """
        _check(
            self.search if isinstance(search, Unchanged) else search,
            self.wtype if isinstance(wtype, Unchanged) else wtype,
            self.wpath if isinstance(wpath, Unchanged) else wpath,
        )
        return self._replace(host=host, port=port, database=database, search=search, wtype=wtype, wpath=wpath)


def _check(search: object, wtype: object, wpath: object) -> None:
    """Raise InvalidPart for parts that no one of the three forms has."""
    if search is not None and (wtype is not None or wpath is not None):
        raise _wrong(
            "a wais URL is a search or a document, and not both",
            "search",
            "give either search, or wtype and wpath; in replace, None for what is to go",
        )
    if wtype is None and wpath is not None:
        raise _wrong("the document has no type", "wtype", 'give the wtype that the server named it, such as "TEXT"')
    if wpath is None and wtype is not None:
        raise _wrong("the document has a type and no identifier", "wpath", "give the wpath that the server named")


def _wrong(message: str, part: str, hint: str) -> InvalidPart:
    from urlschemes.errors import Explanation, InvalidPart

    return InvalidPart(
        "", Explanation(message, scheme="wais", part=part, rule="waisurl", section="RFC 1738 section 3.9", hint=hint)
    )


scheme = Scheme(registration, WaisURL, access="urlschemes_wais.access")
