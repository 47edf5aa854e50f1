"""check_example: checks one example of a registration record."""

from __future__ import annotations

import json

from urlschemes.errors import InvalidURL, require_type
from urlschemes.record.record_fields import Example
from urlschemes.url.value import URL

__all__ = ["check_example"]


def check_example(url_type: type[URL], example: Example) -> None:
    """Raise AssertionError unless `example` is a URL with exactly its parts, or is refused if it has none.

    `example.parts` are all parts of the URL that are not None. The str of the URL must be the text of the example.
    """
    require_type("url_type", url_type, type(URL))
    require_type("example", example, Example)
    try:
        url = url_type.parse(example.url)
    except InvalidURL as error:
        if example.parts is not None:
            raise AssertionError(f"{example.url} is refused: {error}") from error
        return
    parts = {name: value for name in url.parts if (value := getattr(url, name)) is not None}
    if example.parts is None:
        raise AssertionError(f"{example.url} should be refused, but has the parts {_toml(parts)}")
    expected = example.parts
    wrong = [name for name in sorted({*parts, *expected}) if parts.get(name) != expected.get(name)]
    if wrong:
        told = (f"part {name}: expected {_toml(expected.get(name))}, got {_toml(parts.get(name))}" for name in wrong)
        raise AssertionError("; ".join(told))
    if str(url) != example.url:
        raise AssertionError(f"str() of the URL {example.url} is {url}")


def _toml(value: object) -> str:
    """Return the value of a part, or all of them, as a record writes it."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{name} = {_toml(each)}' for name, each in value.items())} }}"
    if isinstance(value, tuple):  # a pair without a value has one element
        return f"[{', '.join(_toml(each) for each in value if each is not None)}]"
    return (
        "absent" if value is None else json.dumps(value, ensure_ascii=False) if isinstance(value, str) else str(value)
    )
