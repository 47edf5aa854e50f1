"""Names for files, made from URLs: no server can choose one that has an effect on any system."""

from __future__ import annotations

import re
import sys
import unicodedata

from urlschemes.grammar.octets import octets_of, unescape
from urlschemes_access.attributes import name_of

__all__ = ["file_name", "last_segment", "safe_name", "shortened", "split_suffix"]

MAX_NAME = 200
"""Octets of a name. With what is added for parts and new files, it stays below the 255 of most file systems."""
MAX_SUFFIX = 16

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_RESERVED = frozenset('<>:"/\\|?*')
# Windows opens a device for these names, whatever their suffix.
_DEVICE = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(\..*)?", re.IGNORECASE)
_OWN_SUFFIXES = (".part", ".part.json")
# The text may be no URL of any profile: what is cut off here makes a name shorter, and nothing else.
_BEYOND_PATH = re.compile(r"[?;#].*")


def file_name(url: str) -> str:
    """Return a safe name for what `url` locates, after the last segment of its path; empty if it has none."""
    return safe_name(last_segment(_BEYOND_PATH.sub("", url)))


def last_segment(url: str) -> str:
    """Return the last segment of a URL that is not empty, decoded, up to the first control character."""
    rest = url.partition(":")[2]
    if rest.startswith("//"):
        rest = rest[2:].partition("/")[2]
    segment = rest.rstrip("/").rpartition("/")[2]
    return _CONTROL.split(name_of(octets_of(unescape(segment))), maxsplit=1)[0]


def safe_name(name: str) -> str:
    """Return a name for a file, like `name`, that is safe on every system; empty if nothing is left of it.

    It is not that of another folder, hidden, an option of a command, a device, or a file that a download adds.
    """
    encoding = sys.getfilesystemencoding()
    name = unicodedata.normalize("NFC", name).encode(encoding, "replace").decode(encoding, "replace")
    name = "".join(" " if each == " " else "_" if _is_unsafe(each) else each for each in name).strip(" ").rstrip(". ")
    before = None
    while name != before:
        before, name = name, _safer(name)
    return name


def _safer(name: str) -> str:
    """Return `name`, changed if it is too long or has an effect."""
    name = shortened(name)
    if name.startswith((".", "-")):
        name = f"_{name[1:]}"
    if _DEVICE.fullmatch(name):
        name = f"_{name}"
    if name.lower().endswith(_OWN_SUFFIXES):
        name = f"{name}_"
    return name


def _is_unsafe(character: str) -> bool:
    """Return True for separators, for what Windows reserves, and for controls and invisible characters."""
    return character in _RESERVED or unicodedata.category(character)[0] in "CZ"


def split_suffix(name: str) -> tuple[str, str]:
    """Return a name without its suffix, and the suffix with its dot; empty if there is none, or a long one."""
    stem, dot, suffix = name.rpartition(".")
    return (stem, dot + suffix) if stem and len(suffix.encode()) < MAX_SUFFIX else (name, "")


def shortened(name: str, end: str | None = None) -> str:
    """Return `name`, shortened before its `end` (by default the suffix) if it is too long."""
    if len(name.encode()) <= MAX_NAME:
        return name
    end = split_suffix(name)[1] if end is None else end
    stem = name.removesuffix(end).encode()[: MAX_NAME - len(end.encode())].decode("utf-8", "ignore")
    return stem.rstrip(". ") + end
