"""Files that hold what was worked out before, in this user's folder for such files: when they do not count.

`URLSCHEMES_CACHE` names another folder than that of `urlschemes.places`, or is `none`. A file counts where folder and
file belong to this user, nobody else can write to them, neither is a link, and its checksum is right. Everything else
is as if there were no file, and that nothing can be written is no error.

What a file holds is text: fields with separators between them. To read it costs no import, and can neither execute
anything nor crash the interpreter, which `marshal` and `pickle` cannot promise of a file that somebody has spoilt.
"""

# What is read here comes before the first URL of a process: pathlib would cost more than all the rest.
# ruff: noqa: PTH102, PTH103, PTH108, PTH116, PTH117, PTH118, PTH120

import os
from stat import S_ISDIR

from urlschemes import places

__all__ = ["FIELD", "PART", "RECORD", "STEP", "fingerprint", "folder", "load", "store"]

VARIABLE = "URLSCHEMES_CACHE"
"""The variable that names the folder, or is `none`."""

RECORD, FIELD, PART, STEP = "\x1e", "\x1f", "\x1d", "\x1c"
"""What stands between records, the fields of one, the parts of a field, and the steps of a part."""

MOST = 8 * 1024 * 1024
"""Octets that a file may have: more than ten thousand plugins need."""

FILES = 512
"""Files of ours that the folder may have; then the older half of them goes."""

KINDS = frozenset({"claims", "record"})
"""What the names of files begin with, before a hyphen and a fingerprint."""

_MAGIC = b"urlschemes cache 1 "
# The largest prime below 2**30, which is a digit of CPython's integers: the octets as one number, modulo it, are a
# checksum at the speed of memory, without a module to import.
_PRIME = (1 << 30) - 35


def folder() -> str | None:
    """The folder, whether it is there or not; None where there is to be none."""
    named = os.environ.get(VARIABLE, "")
    if named:
        return named if named.strip().lower() != "none" and os.path.isabs(named) else None
    return places.folder("cache", os.environ)


def fingerprint(text: str) -> str:
    """A short name for `text`, the same in every process. Two texts may have one: a file says whose it is."""
    octets = text.encode("utf-8", "surrogatepass")
    return f"{_checksum(octets)}{int.from_bytes(octets, 'big') % _PRIME:08x}"


def _checksum(octets: bytes) -> str:
    return f"{int.from_bytes(octets, 'little') % _PRIME:08x}{len(octets):x}"


def load(name: str, key: str) -> str | None:
    """The text that was stored under `name` for `key`; None where there is none, and at any doubt."""
    where = folder()
    if where is None:
        return None
    try:
        if not _is_own(where):
            return None
        octets = places.read_own(os.path.join(where, name), MOST, links=False)
        head, _, body = octets.partition(b"\n")
        if head != _MAGIC + _checksum(body).encode():
            return None
        found, _, text = body.decode("utf-8", "surrogatepass").partition(RECORD)
    except (OSError, ValueError):
        return None
    return text if found == key else None


def store(name: str, key: str, text: str) -> None:
    """Keep `text` under `name`, for whoever asks with the same `key`: whole, or not at all."""
    where = folder()
    if where is None or RECORD in key:
        return
    try:
        if not _is_ready(where):
            return
        body = f"{key}{RECORD}{text}".encode("utf-8", "surrogatepass")
        if len(body) > MOST:
            return
        _make_room(where)
        places.write_own(os.path.join(where, name), _MAGIC + _checksum(body).encode() + b"\n" + body)
    except (OSError, ValueError):  # a full disk, a home that is not there, a name that is none
        return


def _is_ready(where: str) -> bool:
    """Whether the folder is there, or could be made; not in a folder that belongs to somebody else."""
    try:
        return _is_own(where)
    except FileNotFoundError:
        pass
    base = os.path.dirname(where)
    above = base
    while not os.path.lexists(above) and os.path.dirname(above) != above:
        above = os.path.dirname(above)
    if not (places.belongs(os.lstat(above)) and places.belongs(os.stat(above))):
        return False
    os.makedirs(base, exist_ok=True)
    os.mkdir(where, 0o700)
    return _is_own(where)


def _is_own(where: str) -> bool:
    """Whether it is a folder of this user's, and nobody else can write to it or replace it. Raises OSError."""
    status = os.lstat(where)
    return (
        S_ISDIR(status.st_mode)
        and places.is_own(status)
        and places.keeps_what_is_in_it(os.stat(os.path.dirname(where)))
    )


def _make_room(where: str) -> None:
    """Take away the older half of our files where there are too many; the folder may hold others'."""
    with os.scandir(where) as entries:
        files = [entry.path for entry in entries if _is_ours(entry.name) and entry.is_file(follow_symlinks=False)]
    if len(files) >= FILES:
        for path in sorted(files, key=lambda path: os.lstat(path).st_mtime_ns)[: FILES // 2]:
            os.unlink(path)


def _is_ours(name: str) -> bool:
    """Whether it is the name of a file that `store` writes, or of one that it did not finish."""
    kind, _, rest = name.removeprefix(".").partition("-")
    return kind in KINDS and rest != "" and not rest.strip("0123456789abcdef.")
