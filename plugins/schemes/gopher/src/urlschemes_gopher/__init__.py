"""The gopher scheme (RFC 1738 section 3.4): items of Gopher (RFC 1436) and Gopher+.

    gopher://<host>:<port>/<gtype><selector>%09<search>%09<gopher+_string>

The syntax is in `registration.toml`; `access.py` has the dialogues, `menu.py` reads menus, `plus.py` attributes and
forms, `text.py` the texts that end with a dot.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes import UNCHANGED, Encoded, InternetURL, Registration, Scheme, Unchanged

if TYPE_CHECKING:
    from typing import Self

__all__ = ["GopherURL", "registration", "scheme"]

registration = Registration.of(__name__)


class GopherURL(InternetURL, registration=registration):
    """A URL that designates a Gopher item: a menu, a text, a search, something binary, or what Gopher+ knows of it."""

    __slots__ = ()

    if TYPE_CHECKING:  # A gopher URL always has one: the scheme has a default.

        @property
        def port(self) -> int:
            """The port to connect to: the one written, else 70."""

    @property
    def gtype(self) -> str | None:
        """The type of the item: one octet, decoded. None where the path is empty."""
        return self._text("gtype")

    @property
    def effective_gtype(self) -> str:
        """The type that the URL means: `"1"`, a menu, where the path is empty (section 3.4.1)."""
        gtype = self._text("gtype")
        return "1" if gtype is None else gtype

    @property
    def selector(self) -> str:
        """What is sent to the server to get the item, decoded; `""` is the top of the server."""
        return self._text("selector") or ""

    @property
    def search(self) -> str | None:
        """The words to search for, decoded (section 3.4.2). None where there is no search field."""
        return self._text("search")

    @property
    def gopher_plus(self) -> str | None:
        """The Gopher+ string, decoded (sections 3.4.3 to 3.4.9): `+`, `+view lang`, `!`, `$`, `?`, or a filled form."""
        return self._text("gopher_plus")

    @classmethod
    def build(
        cls,
        *,
        host: str,
        port: int | None = None,
        gtype: str | Encoded | None = None,
        selector: str | Encoded | None = None,
        search: str | Encoded | None = None,
        gopher_plus: str | Encoded | None = None,
    ) -> Self:
        """The URL of these parts, each encoded where it must be; `Encoded` parts are taken as they are.

        Without the other parts, or with an empty selector alone, the path is absent. What a part needs before it is
        supplied: a selector the type `"1"`, a search the empty selector, a Gopher+ string the empty search. Raises
        InvalidURL where no URL can hold the parts.
        """
        if gopher_plus is not None and search is None:
            search = ""
        if selector is None and (gtype is not None or search is not None):
            selector = ""
        if gtype is None and (selector or search is not None):
            gtype = "1"
        if gtype is None:
            selector = None
        return cls._build(host=host, port=port, gtype=gtype, selector=selector, search=search, gopher_plus=gopher_plus)

    def replace(
        self,
        *,
        host: str | Unchanged = UNCHANGED,
        port: int | Unchanged | None = UNCHANGED,
        gtype: str | Encoded | Unchanged | None = UNCHANGED,
        selector: str | Encoded | Unchanged | None = UNCHANGED,
        search: str | Encoded | Unchanged | None = UNCHANGED,
        gopher_plus: str | Encoded | Unchanged | None = UNCHANGED,
    ) -> Self:
        """The same URL but for these parts; the text of the others does not change. None leaves a part out.

        Where the path was empty, the type that it meant is written before a new selector, search or Gopher+ string.
        """
        if isinstance(gtype, Unchanged) and self.gtype is None:
            fields = (search, gopher_plus)
            if any(part is not None and not isinstance(part, Unchanged) for part in fields) or (
                isinstance(selector, str) and selector
            ):
                gtype = self.effective_gtype
                selector = "" if isinstance(selector, Unchanged) else selector
            elif not isinstance(selector, Unchanged):
                selector = UNCHANGED  # it is empty, and stays so
        return self._replace(
            host=host, port=port, gtype=gtype, selector=selector, search=search, gopher_plus=gopher_plus
        )

    def normalized(self) -> Self:
        """As `URL.normalized`; an empty path is the menu that it means, of type `1` (section 3.4.1)."""
        url = super().normalized()
        return url if url.gtype is not None else url._replace(gtype="1", selector="")


scheme = Scheme(registration, GopherURL, access="urlschemes_gopher.access")
