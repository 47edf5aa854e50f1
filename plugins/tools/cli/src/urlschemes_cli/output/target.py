"""The file that a resource is written to."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO

from urlschemes_access.errors import AccessError
from urlschemes_cli.output.text import safe_line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["open_target"]


@contextmanager
def open_target(target: Path) -> Iterator[BinaryIO]:
    """Open the file `target` for the `with` block, overwriting it. Raises AccessError if it cannot be written."""
    try:
        with target.open("wb") as file:
            yield file
    except OSError as error:
        raise AccessError(f"cannot write {safe_line(str(target))!r}: {error.strerror}") from error
