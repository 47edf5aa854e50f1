"""access and attributes: the operations of section 2 on what a URL locates."""

from __future__ import annotations

import sys
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from urlschemes.cli.plain import error_json, line, note, write_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from urlschemes.cli.app import Settings
    from urlschemes.policy import Policy
    from urlschemes.registry import Registry

__all__ = ["access", "attributes"]

F = TypeVar("F", bound="Callable[..., Any]")

_YES, _NO = frozenset({"true", "yes", "on", "1"}), frozenset({"false", "no", "off", "0"})


class _Allowed(NamedTuple):
    """What the command line allows beyond what every typed URL may reach, and how long it may take."""

    roots: tuple[str, ...]
    ports: tuple[int, ...]
    networks: tuple[str, ...]
    timeout: float | None


def _common(function: F) -> F:
    """The options that both operations have."""
    folder = click.Path(exists=True, file_okay=False, resolve_path=True)
    seconds = click.FloatRange(min=0, min_open=True, max=86_400)
    number = click.IntRange(1, 65535)
    for option in reversed(
        (
            click.option("--json", "as_json", is_flag=True, help="Write JSON."),
            click.option("-v", "--verbose", count=True, help="Show the dialogue on standard error; -vv: all of it."),
            click.option("--timeout", type=seconds, metavar="SECONDS", help="How long it may take in all."),
            click.option("--root", "roots", type=folder, multiple=True, metavar="DIR", help="Allow files below DIR."),
            click.option("--allow-port", "ports", multiple=True, type=number, metavar="N", help="Allow the port N."),
            click.option(
                "--allow-network", "networks", multiple=True, metavar="NET", help="Allow an address or a network."
            ),
            click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the scheme."),
        )
    ):
        function = option(function)
    return function


def _policy(allowed: _Allowed) -> Policy:
    """What a person who typed the URL may access."""
    from dataclasses import replace

    from urlschemes.policy import Policy

    policy = Policy.interactive()
    networks = (*policy.networks, *allowed.networks)
    try:
        return replace(policy, roots=allowed.roots, ports=frozenset(allowed.ports), networks=networks)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="'--allow-network'") from None


def _keywords(registry: Registry, allowed: _Allowed) -> dict[str, Any]:
    """The arguments of an operation that do not depend on its scheme."""
    from urlschemes.cli.prompting import form_asker, login_asker

    return {
        "policy": _policy(allowed),
        "deadline": allowed.timeout,
        "credentials": login_asker(registry),
        "ask": form_asker(),
    }


def _options(registry: Registry, text: str, operation: str, given: tuple[str, ...]) -> dict[str, Any]:
    """The scheme's own options, each as the type that its algorithm takes. Raises click.BadParameter."""
    from inspect import Parameter, signature

    from urlschemes.errors import URLError

    if not given:
        return {}
    scheme = registry[registry.parse(text).scheme]
    try:
        algorithm = scheme.algorithm(operation)
    except (URLError, KeyboardInterrupt, MemoryError):
        raise
    except BaseException:  # noqa: BLE001  the plugin cannot be imported: the operation itself will say so in full
        return {}
    parameters = signature(algorithm).parameters.values()
    known = {each.name: each.default for each in parameters if each.kind is Parameter.KEYWORD_ONLY}
    options: dict[str, Any] = {}
    for pair in given:
        name, equals, value = pair.partition("=")
        name = name.replace("-", "_")
        if name not in known:
            has = ", ".join(known) or "none"
            raise click.BadParameter(f"{scheme.name} has no option {name!r}; it has: {has}", param_hint="'--option'")
        options[name] = _value(name, value if equals else "yes", known[name])
    return options


def _value(name: str, text: str, default: object) -> object:
    if isinstance(default, bool):
        if text.lower() not in _YES | _NO:
            raise click.BadParameter(f"{name} is yes or no", param_hint="'--option'")
        return text.lower() in _YES
    if isinstance(default, int):
        with suppress(ValueError):
            return int(text)
        raise click.BadParameter(f"{name} is a number", param_hint="'--option'")
    return text


def _target(_: click.Context, __: click.Parameter, value: str | None) -> Path | None:
    """Where the content goes; None is standard output. Looked at before anything is accessed."""
    if value is None or value == "-":
        return None
    path = Path(value)
    if path.is_dir():
        raise click.BadParameter("this is a folder; a name that a server gives is never used, so name a file")
    if not path.parent.is_dir():
        raise click.BadParameter(f"there is no folder {str(path.parent)!r}")
    return path


def _raw(_: click.Context, __: click.Parameter, value: bool) -> bool:
    if value and sys.stdout.isatty():
        raise click.UsageError("--raw is for files and pipes: a terminal would obey what a server sent")
    return value


@click.command(short_help="Get the document or listing that a URL locates.")
@click.argument("url")
@click.option("-o", "--output", "target", callback=_target, metavar="FILE", help="Save the content as FILE.")
@click.option("--raw", is_flag=True, expose_value=False, callback=_raw, help="Refuse to write to a terminal.")
@_common
@click.pass_obj
def access(
    settings: Settings,
    url: str,
    target: Path | None,
    roots: tuple[str, ...],
    ports: tuple[int, ...],
    networks: tuple[str, ...],
    options: tuple[str, ...],
    timeout: float | None,
    verbose: int,
    *,
    as_json: bool,
) -> None:
    """Access what URL locates: write a document, list a folder or a menu.

    A file or a pipe gets the octets as they came, a terminal text that it cannot obey. Listings are tables on a
    terminal, elsewhere lines of URL, kind, size, time, name and problem with tabs between them. Private networks are
    allowed, since you typed the URL; local files only below a --root.
    """
    from urlschemes.cli.delivery import Progress, deliver, deliver_listing, document_json, listing_json
    from urlschemes.errors import UnsupportedOperation, URLError
    from urlschemes.resource import Document, Listing

    registry = settings.registry
    progress = Progress() if not verbose and _watched(target) else None
    try:
        keywords = _keywords(registry, _Allowed(roots, ports, networks, timeout))
        own = _options(registry, url, "access", options)
        with registry.access(url, trace=progress or _narrator(verbose), **keywords, **own) as resource:
            if not isinstance(resource, Document | Listing):
                raise UnsupportedOperation(
                    f"{line(url)} opens an interactive session, and this command shows documents and listings",
                    scheme=resource.url.scheme,
                    hint="`urlschemes --help` lists the commands that plugins have for it",
                )
            with progress.shown(resource.attributes.size) if progress else nullcontext():
                if isinstance(resource, Document):
                    said = document_json(resource, target) if as_json else deliver(resource, target)
                else:
                    said = listing_json(resource, target) if as_json else deliver_listing(resource, target)
            if as_json:
                write_json(said)
    except URLError as error:
        if as_json:
            write_json({"url": line(url), **error_json(error)})
        raise


@click.command(short_help="Find what is known of a resource.")
@click.argument("url")
@_common
@click.pass_obj
def attributes(
    settings: Settings,
    url: str,
    roots: tuple[str, ...],
    ports: tuple[int, ...],
    networks: tuple[str, ...],
    options: tuple[str, ...],
    timeout: float | None,
    verbose: int,
    *,
    as_json: bool,
) -> None:
    """Find what is known of the resource at URL, without its content."""
    from urlschemes.cli.delivery import attributes_json
    from urlschemes.errors import URLError

    registry = settings.registry
    try:
        keywords = _keywords(registry, _Allowed(roots, ports, networks, timeout))
        own = _options(registry, url, "find attributes", options)
        found = registry.find_attributes(url, trace=_narrator(verbose), **keywords, **own)
    except URLError as error:
        if as_json:
            write_json({"url": line(url), **error_json(error)})
        raise
    if as_json:
        write_json({"url": line(url), "attributes": attributes_json(found)})
        return
    from urlschemes.cli.screen import Screen, facts

    rows = [
        ("media type", found.media_type),
        ("size", None if found.size is None else f"{found.size:,} octets"),
        ("modified", found.modified and found.modified.isoformat(" ", "seconds")),
        ("name", found.name),
        *(found.fields.items()),
    ]
    if all(value is None for _, value in rows):
        note("it exists, and nothing more is known of it")
    Screen().table(facts(rows))


def _watched(target: Path | None) -> bool:
    """Whether somebody watches while a file is written. Behind a pipe, another program may draw on the terminal."""
    import os
    import stat

    if not sys.stderr.isatty():
        return False
    try:
        return target is not None or stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode)
    except (OSError, ValueError):  # a standard output that is no file at all
        return False


def _narrator(verbose: int) -> Any:
    if not verbose:
        return None
    from urlschemes.cli.dialogue import Narrator
    from urlschemes.cli.screen import Screen

    return Narrator(Screen(stderr=True), everything=verbose > 1)
