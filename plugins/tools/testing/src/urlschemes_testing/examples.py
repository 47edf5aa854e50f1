"""The examples of a record, which a scheme's tests run: each is what the record says of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.errors import InvalidURL

if TYPE_CHECKING:
    from urlschemes.scheme.record_fields import Example
    from urlschemes.url.value import URL

__all__ = ["check_example"]


def check_example(url_type: type[URL], example: Example) -> None:
    """Raise AssertionError unless `example` is what it says: a URL with just these parts, or a text that is refused.

    A URL is written back as it was. `example.parts` are all its parts that are not absent.
    """
    try:
        url = url_type.parse(example.url)
    except InvalidURL as error:
        if example.parts is not None:
            raise AssertionError(f"{example.url} is refused: {error}") from error
        return
    if example.parts is None:
        raise AssertionError(f"{example.url} should be refused, and is {url.parts}")
    parts = {name: value for name, value in url.parts.items() if value is not None}
    for name in sorted({*parts, *example.parts}):
        if parts.get(name) != example.parts.get(name):
            says = repr(example.parts[name]) if name in example.parts else "nothing"
            raise AssertionError(f"{name}: the URL has {url.parts.get(name)!r}, and the record says {says}")
    if str(url) != example.url:
        raise AssertionError(f"{example.url} is written back as {url}")
