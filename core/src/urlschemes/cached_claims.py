"""What is installed, as an earlier process found it, where nothing has changed since.

To look at every distribution takes a hundred times as long as to ask whether something has changed. What was found is
kept in a file (`urlschemes.cache`), for one version of the core and of Python, one `sys.path`, and the state of each
of its entries: a folder's time changes when something is installed into it or removed. Files that may change without
that are asked for their own. The claims are kept as they were found; which of them count is decided each time.

Nothing is kept while a change could go unseen: where something is so young that one more change would not give it
another time. Nothing is looked up where a finder in `sys.meta_path` knows of distributions elsewhere.
"""

# A first URL waits for this: pathlib would cost more than all the rest.
# ruff: noqa: PTH109, PTH116, PTH117

import os
import sys

from urlschemes.beside import entries_of, is_plain
from urlschemes.cache import FIELD, PART, RECORD, fingerprint, load, store
from urlschemes.claims import STATE, Claim
from urlschemes.version import __version__

__all__ = ["installed_claims"]

FORMAT = "1"

RECENT = 2_000_000_000
"""Nanoseconds for which what was changed counts as young: the coarsest clock of a file system that is in use."""

_AS_FOUND = frozenset({"active", "malformed", "ignored"})
"""The states that a claim has before anybody decides which claims count."""


def installed_claims(*, current_directory: bool = False, edited: bool = True) -> tuple[Claim, ...]:
    """Every claim in the folders and archives of `sys.path`, as `discover` finds them; found anew if need be.

    Without `edited` the files of a distribution that were edited where they lie are not looked at, which takes most of
    the time where there are a thousand: enough for a list of names, of which none is used before it is looked up.
    """
    key, before = _looked_at(current_directory=current_directory)
    name = f"claims-{fingerprint(key)}"
    kept = load(name, key) if key else None
    claims = None if kept is None else _unchanged(kept, str(before), edited=edited)
    if claims is not None:
        return claims
    from urlschemes.discovery import Search

    found = Search(current_directory=current_directory)
    if key and found.watched is not None:
        watched = list(dict.fromkeys(found.watched))
        now = _state(watched)
        if _are_settled(before) and _are_settled(now):
            columns = map(_written, zip(*found.claims, strict=True)) if found.claims else ()
            records = [[str(before)], _shortened(watched), [str(now)], *columns]
            whole = RECORD.join(map(FIELD.join, records))
            if _unchanged(whole, str(before)) == found.claims:  # no name holds what separates names
                store(name, key, whole)
    return found.claims


def _unchanged(kept: str, before: str, *, edited: bool = True) -> tuple[Claim, ...] | None:
    """The claims that were kept, where each entry has the state that it had, and (with `edited`) each file."""
    state, _, rest = kept.partition(RECORD)
    if state != before:
        return None
    try:
        paths, now, *columns = rest.split(RECORD)
        if edited:
            root, *watched = paths.split(FIELD)
            if str(_state([root + path for path in watched])) != now:
                return None
        fields = _read(columns)
        claims = Claim.all_of(fields)
        states = set(fields[STATE]) if fields else set()
    except (ValueError, LookupError):
        return None
    return claims if states <= _AS_FOUND else None


def _written(column: tuple[str, ...]) -> tuple[str, ...]:
    """One field of all claims; of a field that is the same in all of them, such as their folder, it is written once."""
    return column if len(set(column)) > 1 or len(column) == 1 else (PART, column[0])


def _read(columns: list[str]) -> list[list[str]]:
    """The fields that were written so."""
    fields = [column.split(FIELD) for column in columns]
    count = max(map(len, fields), default=0)
    return [[column[1]] * count if column[0] == PART else column for column in fields]


def _shortened(paths: list[str]) -> list[str]:
    """What all of the paths begin with, and the rest of each."""
    root = os.path.commonprefix(paths)  # noqa: RUF071  any beginning will do
    return [root, *(path[len(root) :] for path in paths)]


def _state(paths: list[str]) -> list[int]:
    """What tells that one of the files or folders is another now, or has changed: four numbers for each."""
    state: list[int] = []
    for path in paths:
        try:
            found = os.stat(path)
        except (OSError, ValueError):
            state += (0, 0, 0, 0)
        else:
            state += (found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
    return state


def _are_settled(state: list[int]) -> bool:
    """Whether all of it is so old that one more change would give it another time."""
    from time import time_ns

    return max((*state[2::4], *state[3::4]), default=0) < time_ns() - RECENT


def _looked_at(*, current_directory: bool) -> tuple[str, list[int]]:
    """What is looked at, by whom, and the state that it has; "" for what where nothing may be kept of it."""
    entries = entries_of()
    state = _state([entry or os.curdir for entry in entries])
    try:
        here = os.getcwd()
        place = os.stat(here).st_ino
    except OSError:  # it was deleted
        return "", state
    if not is_plain():
        return "", state
    key = [FORMAT, __version__, sys.version, sys.prefix, "1" if current_directory else "", *entries]
    for entry, number in zip(entries, state[::4], strict=True):
        if number == place or not os.path.isabs(entry):  # what is found there counts here, or does not
            key += (entry, here)
    return FIELD.join(key), state
