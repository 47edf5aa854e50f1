"""The x-example scheme: a document by its name, in one edition or the newest.

    x-example://<host>:<port>/<name>;edition=<edition>

The syntax is in `registration.toml`. `access.py` has the dialogue and `demo.py` a server to hold it with: reading a URL
imports neither.
"""

from __future__ import annotations

from urlschemes import UNCHANGED, Encoded, InternetURL, Registration, Scheme, Unchanged

TYPE_CHECKING = False  # to a type checker it is True; a URL is read without `typing`
if TYPE_CHECKING:
    from typing import Self

__all__ = ["ExampleURL", "registration", "scheme"]

registration = Registration.of(__name__)


class ExampleURL(InternetURL, registration=registration):
    """A URL that designates a document."""

    __slots__ = ()

    if TYPE_CHECKING:  # The record has a default port, so that it is never None.

        @property
        def port(self) -> int:
            """The port to connect to: the one written, else 1021."""

    @property
    def name(self) -> str:
        """The name of the document, decoded."""
        return self._text("name") or ""

    @property
    def edition(self) -> int | None:
        """The edition that is meant; None is the newest."""
        edition = self._value("edition")
        return edition if isinstance(edition, int) else None

    @classmethod
    def build(
        cls,
        *,
        host: str,
        port: int | None = None,
        name: str | Encoded,
        edition: int | None = None,
    ) -> Self:
        """The URL of these parts, encoded where they must be. Raises InvalidURL."""
        return cls._build(host=host, port=port, name=name, edition=edition)

    def replace(
        self,
        *,
        host: str | Unchanged = UNCHANGED,
        port: int | Unchanged | None = UNCHANGED,
        name: str | Encoded | Unchanged = UNCHANGED,
        edition: int | Unchanged | None = UNCHANGED,
    ) -> Self:
        """The same URL but for these parts; None leaves a part out. Raises InvalidURL."""
        return self._replace(host=host, port=port, name=name, edition=edition)


scheme = Scheme(registration, ExampleURL, access="urlschemes_x_example.access")
