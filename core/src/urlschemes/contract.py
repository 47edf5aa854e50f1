"""What the URL type of a scheme owes to everybody else, and how a text is read with a type that a plugin made.

A type adds parts and builds URLs in its own way. What a URL prints as, what it is equal to, and what may reach a
protocol line is the same for all, and stays as the core has it.
"""

import sys

from urlschemes.url import LIMIT, URL, type_failed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from urlschemes.errors import PluginContractError

__all__ = ["check_type", "read_as"]

_KEPT = (
    "__eq__",
    "__hash__",
    "__reduce__",
    "__repr__",
    "__str__",
    "_check_line",
    "_key",
    "_value",
    "check_line",
    "line",
    "parts",
    "raw",
    "redacted",
    "schemepart",
    "scheme",
)


def check_type(kind: type[URL], name: str) -> None:
    """Raise PluginContractError for a type of the scheme `name` that changes what all URLs share."""
    for kept in _KEPT:
        if getattr(kind, kept) is not getattr(URL, kept):
            from urlschemes.errors import PluginContractError

            raise PluginContractError(
                f"the type {kind.__name__} has a {kept} of its own, and that is the same for all URLs",
                scheme=name,
                wants=f"{kept} as urlschemes.URL has it",
                has=f"{kind.__name__}.{kept}",
            )


def read_as(kind: type[URL], text: str, limit: int = LIMIT) -> URL:
    """The URL of the type `kind` that `text` is; the type may parse in its own way.

    In Python's development mode (`python -X dev`) it must print as what was read, and its parts must be there. Raises
    InvalidURL; PluginError where the type fails, PluginContractError where it gives something else.
    """
    try:
        url: object = kind.parse(text, limit=limit)
        if not issubclass(type(url), kind):
            raise _broken(kind, f"a {type(url).__name__}", f"parsing gives a {kind.__name__}")
        found: URL = url  # type: ignore[assignment]  # as issubclass said
        if sys.flags.dev_mode:
            _look_at(found, kind, text, limit)
    except (KeyboardInterrupt, MemoryError):
        raise
    except BaseException as error:
        from urlschemes.errors import URLError

        if isinstance(error, URLError):
            raise
        raise type_failed(kind, error, "it cannot parse") from error
    return found


def _look_at(url: URL, kind: type[URL], text: str, limit: int) -> None:
    """Raise PluginContractError for a URL that is not what it was read from."""
    if str(url) != text:
        raise _broken(kind, f"a URL that prints as {str(url)[:80]!r}", f"{text[:80]!r} printed back")
    if kind.parse(str(url), limit=limit) != url:
        raise _broken(kind, "another URL the second time", "one URL for one text")
    for name, value in url.parts.items():
        if value is None and url.raw[name]:
            raise _broken(kind, f"no {name}", f"the {name} that stands in the URL")


def _broken(kind: type[URL], has: str, wants: str) -> "PluginContractError":
    from urlschemes.errors import PluginContractError

    return PluginContractError(
        f"the type {kind.__name__} breaks the contract of plugins: it gave {has}",
        scheme=kind._scheme or None,
        wants=wants,
        has=has,
    )
