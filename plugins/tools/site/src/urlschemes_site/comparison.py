"""A scheme in several profiles, side by side: the rules, the parts, and the examples that only one of them accepts."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from urlschemes import URLError
from urlschemes_site.examples import registry_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from urlschemes import Registry
    from urlschemes_site.scheme_page import SchemePage

__all__ = ["Comparison", "DifferingExample", "comparison"]


class DifferingExample(NamedTuple):
    """A text, and the error of each profile, or None where it is a URL."""

    url: str
    errors: tuple[str | None, ...]


class Comparison(NamedTuple):
    """A scheme in several profiles: its pages, and the examples of all of them that some accept and others refuse."""

    pages: tuple[SchemePage, ...]
    examples: tuple[DifferingExample, ...]

    def only(self, part: str) -> bool:
        """Return True if only one profile has the part."""
        return sum(part in page.record.syntax.parts for page in self.pages) == 1


def comparison(pages: Sequence[SchemePage]) -> Comparison | None:
    """Return the comparison of the pages of one scheme in several profiles; None if they cannot be compared."""
    records = [page.record for page in pages]
    try:
        registries = [registry_of(record) for record in records]
    except URLError:  # each page says why
        return None
    texts = dict.fromkeys(example.url for record in records for example in record.examples)
    examples = (DifferingExample(text, tuple(_error(each, text) for each in registries)) for text in texts)
    return Comparison(
        tuple(pages),
        tuple(each for each in examples if len({error is None for error in each.errors}) > 1),
    )


def _error(registry: Registry, text: str) -> str | None:
    """Return why a text is not a URL of a registry; None if it is one."""
    try:
        registry.parse(text)
    except URLError as error:
        return str(error.message)
    return None
