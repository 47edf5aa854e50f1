"""`urlschemes access --many`: the resources of many URLs, saved in a folder."""

from __future__ import annotations

import asyncio
import itertools
import re
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TextIO

import click

from urlschemes import URL, Registry
from urlschemes.errors import UnsupportedOperation
from urlschemes.redaction import redact_url
from urlschemes_access import AsyncClient, AsyncDocument, AsyncListing, Result
from urlschemes_access.client import Arguments
from urlschemes_cli.access_options import AccessOptions
from urlschemes_cli.error_reports import error_json
from urlschemes_cli.exit_codes import FAILED
from urlschemes_cli.options import listed_lines
from urlschemes_cli.output.documents import UNMARKED, password_in, write_entries
from urlschemes_cli.output.hints import message_of
from urlschemes_cli.output.json_output import write_json_line
from urlschemes_cli.output.progress import count_bar
from urlschemes_cli.output.text import safe_line, write_line, write_note
from urlschemes_cli.settings import Settings

MAX_NAME = 120
"""Characters of a file's name that come from a URL."""

_UNSAFE = re.compile(r"[^A-Za-z0-9.-]+")
_SUFFIX = re.compile(r"(?:\.[A-Za-z][A-Za-z0-9]*)*\Z")
"""The last part of a name, such as `.html` or `.tar.gz`."""


def access_many(
    settings: Settings, source: TextIO, folder: Path, access_options: AccessOptions, *, as_json: bool
) -> int:
    """Save what the URLs on the lines of `source` locate in `folder`, and write a line for each; return the exit code.

    It is FAILED if any access failed. Raises URLError, click.UsageError.
    """
    if access_options.options:
        raise click.UsageError("--many takes no --option: options of schemes can be set in the configuration")
    if any((access_options.user, access_options.password_file, access_options.bearer_file)):
        raise click.UsageError("--many takes no login: --user and --bearer-file are for one host")
    folder.mkdir(parents=True, exist_ok=True)
    urls = {number: line.strip() for number, line in listed_lines(source)}
    arguments = access_options.arguments(settings.client_for(""), "", "access")
    failed = asyncio.run(_access_many(settings, urls, folder, arguments, as_json=as_json))
    if failed:
        write_note(f"{failed} of {len(urls)} accesses failed")
    return FAILED if failed else 0


def file_names(urls: Mapping[int, str]) -> dict[int, str]:
    """Return the name of the file for each numbered URL: its host, path and query.

    Letters, digits, dots and hyphens stay; anything else becomes an underscore. No name that a server sends is part of
    it. A name that is taken gets the number of the URL, before the suffix of its path.
    """
    names: dict[int, str] = {}
    taken = set[str]()
    for number, url in urls.items():
        _, _, rest = url.partition(":")
        authority, slash, path = rest.lstrip("/").partition("/")
        text = authority.rpartition("@")[2] + slash + path.partition("#")[0]
        name = _UNSAFE.sub("_", text)[:MAX_NAME].strip("._") or str(number)
        suffix = _SUFFIX.search(path[-MAX_NAME:])[0]  # type: ignore[index]  # it matches the empty text too
        stem = name.removesuffix(suffix)
        while name.lower() in taken:
            stem = f"{stem}-{number}"
            name = stem + suffix * name.endswith(suffix)
        taken.add(name.lower())
        names[number] = name
    return names


async def _access_many(
    settings: Settings, urls: Mapping[int, str], folder: Path, arguments: Arguments, *, as_json: bool
) -> int:
    """Return the number of accesses that failed."""
    failed, names = 0, file_names(urls)
    numbers: dict[Registry, list[int]] = {}
    for number, url in urls.items():
        numbers.setdefault(settings.registry_for(url), []).append(number)

    async def access(registry: Registry, numbers: list[int]) -> None:
        """Access the URLs of these numbers, which the registry reads."""
        nonlocal failed
        save = partial(_save, [folder / names[each] for each in numbers])
        async with AsyncClient(registry=registry, configuration=settings.configuration) as client:
            async for result in client.access_many([urls[each] for each in numbers], use=save, **arguments):
                failed += result.error is not None
                _report(result, numbers[result.index], registry.profile.name, as_json=as_json)
                advance(1)

    # On a terminal, the lines themselves show the progress.
    with count_bar(len(urls), shown=sys.stderr.isatty() and not sys.stdout.isatty()) as advance:
        await asyncio.gather(*itertools.starmap(access, numbers.items()))
    return failed


async def _save(targets: Sequence[Path], result: Result) -> dict[str, Any]:
    """Save a document or a listing, and return what is reported of it."""
    resource, target = result.document, targets[result.index]
    if isinstance(resource, AsyncDocument):
        octets = await resource.save(target)
        return {"kind": "document", "saved": str(target), "octets": octets, "terminated": resource.terminated}
    if isinstance(resource, AsyncListing):
        write_entries([entry async for entry in resource], password_in(resource.url), target)
        return {"kind": "listing", "saved": str(target)}
    raise UnsupportedOperation("it opens an interactive session, not a document or a listing")


def _report(result: Result, number: int, profile: str, *, as_json: bool) -> None:
    url = result.url.redacted() if isinstance(result.url, URL) else redact_url(str(result.url))
    if as_json:
        outcome = result.value if result.error is None else error_json(result.error)
        write_json_line({"number": number, "ok": result.error is None, "url": url, **outcome, "profile": profile})
    elif result.error is not None:
        write_line(f"{number}\terror\t{safe_line(url)}\t\t{safe_line(message_of(result.error))}")
    else:
        note = UNMARKED if result.value.get("terminated") is False else ""
        write_line(f"{number}\tok\t{safe_line(url)}\t{safe_line(result.value['saved'])}\t{note}".rstrip("\t"))
