"""The verdict of RFC 1738 on a text that the command reads by another profile, where it differs."""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

from urlschemes import URL, Registry
from urlschemes.errors import InvalidURL, URLError
from urlschemes_cli.output.console import Console
from urlschemes_cli.output.text import safe_line
from urlschemes_cli.settings import current_settings


class Verdict(NamedTuple):
    """The judgement of RFC 1738: the `error`, None for a valid URL; `reads` says how it reads that otherwise."""

    error: InvalidURL | None = None
    reads: str | None = None

    def __str__(self) -> str:
        if self.error is not None:
            return f"RFC 1738: {self.error.message}"
        return f"RFC 1738: valid, {f'but {self.reads}' if self.reads else 'with --profile rfc1738'}"


def verdict_on(text: str) -> Verdict | None:
    """Return the verdict on `text`; None if it is the same, or if RFC 1738's profile has no such scheme."""
    settings = current_settings()
    with suppress(URLError):
        registry, old = settings.registry_for(text), settings.installed
        if registry is not old and text.partition(":")[0] in old:
            found, by_1738 = _read(registry, text), _read(old, text)
            if isinstance(by_1738, InvalidURL):
                return None if isinstance(found, InvalidURL) else Verdict(by_1738)
            warned = {} if isinstance(found, InvalidURL) else _cautions(found)
            reads = "; ".join(message for code, message in _cautions(by_1738).items() if code not in warned)
            return Verdict(reads=reads or None) if reads or isinstance(found, InvalidURL) else None
    return None


def print_verdict(console: Console, text: str) -> None:
    """Print the verdict on `text` on a line, if there is one."""
    if verdict := verdict_on(text):
        console.print_line((safe_line(str(verdict)), "dim"))


def _read(registry: Registry, text: str) -> URL | InvalidURL:
    try:
        return registry.parse(text)
    except InvalidURL as error:
        return error


def _cautions(url: URL) -> dict[str, str]:
    """Return the messages of the cautions of its record that apply to a URL, by their codes."""
    cautions = url.registration.cautions if url.registration else ()
    return {each.code: each.message for each in cautions if any(each.spans(str(url), *(url.span(each.part) or (0, 0))))}
