"""Options and arguments that several commands have."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial, wraps
from typing import Any

import click

from urlschemes import URLError, default_registry
from urlschemes.redaction import redact_url
from urlschemes_cli.error_reports import report_failure
from urlschemes_cli.output.json_output import ABOUT, ASKED, About
from urlschemes_cli.output.progress import count_bar
from urlschemes_cli.output.text import safe_line, write_note
from urlschemes_cli.settings import Settings, current_settings, installed_profiles

__all__ = ["complete_profile", "for_each_url", "json_option", "passwords_option", "scheme_argument", "url_argument"]


_NOTED = f"{__name__}.noted"
"""The key in click's context for: a note says that a password is hidden."""


def _check_passwords(_: click.Context, __: click.Parameter, value: bool) -> bool:
    if value and sys.stdout.isatty():
        raise click.UsageError("--passwords writes to files and pipes, not to a terminal")
    return value


def remember(context: click.Context, _: click.Parameter, url: str | None) -> str | None:
    """Let JSON of the command say which profile reads `url`, and that of an error have `url` too."""
    if url is not None:
        context.meta[ABOUT] = About(url, "url")
    return url


def _check_scheme_name(context: click.Context, _: click.Parameter, value: str) -> str:
    is_name: Callable[[str], bool] = default_registry.profile.is_scheme_name  # the widest form
    if is_name(value):
        context.meta[ABOUT] = About(value, None)
        return value
    start = value.partition(":")[0]
    hint = f"; did you mean {start}?" if start != value and is_name(start) else ""
    raise click.BadParameter(f"{safe_line(value)!r} is not a scheme name{hint}")


def complete_profile(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """Return the names of installed profiles that begin with what was typed."""
    with suppress(URLError):
        return [name for name in installed_profiles(Settings().installed) if name.startswith(incomplete)]
    return []


def _complete_scheme(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    with suppress(URLError):
        return [name for name in Settings().schemes if name.startswith(incomplete.lower())]
    return []


def _use_profile(context: click.Context, _: click.Parameter, value: str | None) -> None:
    if value == "":
        raise click.BadParameter("expected the name of a profile, such as rfc1738")
    settings = context.find_object(Settings)
    if settings is None:  # the option stands before the command: settings are made of these parameters
        context.params["profile"] = value
    elif value is not None:
        settings.profile = value


profile_option = click.Option(
    ["--profile"],
    metavar="NAME",
    expose_value=False,
    is_eager=True,
    callback=_use_profile,
    shell_complete=complete_profile,
    help="Read URLs by this profile, such as rfc1738. [default: rfc3986]",
)
"""The option `--profile` of `urlschemes`, and of every command that has none of its own."""

json_option = click.option("--json", "as_json", is_flag=True, help="Write JSON.")
"""Adds `--json` to a command, which gets it as the keyword argument `as_json`."""

passwords_option = click.option(
    "--passwords",
    is_flag=True,
    callback=_check_passwords,
    help="Include passwords when writing to a file or pipe. Otherwise each password is ***, also within URLs.",
)
"""Adds `--passwords` to a command, which gets it as the keyword argument `passwords`."""

url_argument = click.argument("url", callback=remember)
"""Adds the argument URL to a command; JSON of the command says by which profile it is read."""

scheme_argument = click.argument("name", callback=_check_scheme_name, shell_complete=_complete_scheme)
"""Adds the argument NAME, the name of a scheme, to a command."""


def for_each_url(key: str = "url", *, heading: str = "{}\n") -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Add the argument URL... to a command, which gets its settings and each URL, as `each_url` says."""

    def decorate(read: Callable[..., int]) -> Callable[..., int]:
        @click.argument("urls", nargs=-1, required=True, metavar="URL...")
        @click.pass_obj
        @wraps(read)
        def command(settings: Settings, /, urls: Sequence[str], **options: Any) -> int:
            return each_url(urls, partial(read, settings, **options), key, heading=heading)

        return command

    return decorate


def each_url(urls: Sequence[str], read: Callable[[str], int], key: str = "url", *, heading: str = "{}\n") -> int:
    """Call `read` with each URL, and return the greatest exit code: it returns one, or raises URLError.

    `-` stands for the lines of standard input. An error of one URL does not end the command. If there may be several,
    JSON is a line for each, with the URL under `key`, and other output has a heading.
    """
    context, code, is_many = click.get_current_context(), 0, len(urls) > 1 or "-" in urls
    # On a terminal, the results themselves show how many are done.
    with count_bar(None, shown=is_many and sys.stderr.isatty() and not sys.stdout.isatty()) as advance:
        for line, text in _texts(urls):
            context.meta[ABOUT] = About(text, key, is_many, line)
            current_settings().registry  # noqa: B018  what is wrong with it ends the command
            if is_many and not context.meta.get(ASKED):
                sys.stdout.write(heading.format(safe_line(redact_url(text))))
            try:
                code = max(code, read(text))
            except URLError as error:
                code = max(code, report_failure(error))
            advance(1)
    return code


def _texts(urls: Sequence[str]) -> Iterator[tuple[int, str]]:
    for url in urls:
        if url != "-":
            yield 0, url
            continue
        with click.open_file("-", encoding="utf-8-sig", errors="surrogateescape") as source:
            yield from ((number, line.rstrip("\r\n")) for number, line in listed_lines(source))


def listed_lines(source: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield the lines of a list that are not blank, with their numbers. Raises UsageError if it cannot be read."""
    try:
        yield from (each for each in enumerate(source, 1) if each[1].strip())
    except OSError as error:
        raise click.UsageError(f"cannot read the list: {error.strerror}") from error


def note_hidden_password() -> None:
    """Write on standard error, once, that a password was replaced by ***."""
    meta = click.get_current_context().meta
    if not meta.get(_NOTED):
        meta[_NOTED] = True
        write_note("the password is hidden; --passwords writes it into a file or a pipe")
