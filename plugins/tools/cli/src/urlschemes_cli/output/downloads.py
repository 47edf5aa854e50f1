"""Downloads that can be interrupted and continued: `access --continue -o FILE`."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from urlschemes_access.resources.downloads import Part
from urlschemes_access.resources.synchronous import document_of
from urlschemes_cli.output.documents import saved_json
from urlschemes_cli.output.text import safe_line, write_note

if TYPE_CHECKING:
    from pathlib import Path

    from urlschemes_access import Client
    from urlschemes_access.client import Arguments
    from urlschemes_cli.output.progress import ProgressBar

__all__ = ["download"]


def download(
    client: Client, url: str, target: Path, arguments: Arguments, progress: ProgressBar | None
) -> dict[str, Any]:
    """Save the document at `url` as `target`, from where an earlier download ended; return the result as JSON.

    If it is interrupted, a note says what was kept.
    """
    complete = False
    with Part(target, url, timeout=arguments.get("deadline")) as part:
        try:
            if part.needs_attributes:
                others: Any = {name: value for name, value in arguments.items() if name != "options"}
                part.compare(client.find_attributes(url, **others))
            with client.access(url, range=part.range, **arguments) as resource:
                document = document_of(resource)
                with progress.transfer(document.size) if progress else nullcontext():
                    done = document.save_part(part)
            complete = True
        finally:
            if not complete and part.size:
                write_note(
                    f"{part.size:,} octets are kept in {safe_line(str(part.path))}: the same command continues there"
                )
    if done.begun_anew:
        write_note(f"begun anew: {done.begun_anew}")
    elif done.start == done.size:
        write_note(f"{safe_line(str(target))} is complete already")
    elif done.start:
        write_note(f"continued at octet {done.start:,}, {done.size:,} octets in all")
    return saved_json(document, target, done.size - done.start) | {"begun_anew": done.begun_anew}
