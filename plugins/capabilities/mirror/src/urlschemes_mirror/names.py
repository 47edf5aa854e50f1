"""The names of the files and folders in one folder, made from URLs."""

from __future__ import annotations

import unicodedata
from collections import Counter

from urlschemes_access.resources.file_names import last_segment, safe_name, shortened, split_suffix

__all__ = ["Names"]

_ALIKE = 60
"""Names that share so many characters are numbered together, so that numbering n of them takes a time linear in n."""


class Names:
    """The names in one folder: each is given once, whether or not a file system tells upper and lower case apart."""

    def __init__(self) -> None:
        self._given: set[str] = set()
        self._counts: Counter[str] = Counter()

    def reserve(self, name: str) -> bool:
        """Take `name`; return False if it is given."""
        key = _without_case(name)
        if key in self._given:
            return False
        self._given.add(key)
        return True

    def new(self, url: str, number: int) -> str:
        """Return a name for the entry `number` of a listing, which has this URL."""
        name = safe_name(last_segment(url)) or f"{number:04}"
        stem, suffix = split_suffix(name)
        alike = _without_case(name)[:_ALIKE]
        while not self.reserve(name):
            self._counts[alike] += 1
            end = f"-{self._counts[alike] + 1}{suffix}"
            name = shortened(f"{stem}{end}", end)
        return name


def _without_case(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()
