"""The x-example scheme: a document by its name, in one edition or the newest.

    x-example://<host>:<port>/<name>;edition=<edition>

The syntax is in `registration.toml`, the algorithm in `access.py`; `demo.py` has a server for it.
"""

from __future__ import annotations

from urlschemes import InternetURL, Registration, Scheme, number_part, text_part

__all__ = ["ExampleURL", "registration", "scheme"]

registration = Registration.of(__name__)


class ExampleURL(InternetURL, registration=registration):
    """A URL that designates a document."""

    port: int = number_part(
        default=None,
        doc="The port to connect to: the one in the URL, or 1021.",
    )
    name: str = text_part(doc="The name of the document, decoded.")
    edition: int | None = number_part(
        default=None,
        doc="The edition of the document; None for the newest.",
    )


scheme = Scheme(registration, ExampleURL, access="urlschemes_x_example.access")
