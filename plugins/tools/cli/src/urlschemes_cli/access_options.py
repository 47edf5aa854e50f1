"""On what terms a command accesses: the options that every such command has, also one that a plugin adds.

    @click.command()
    @click.argument("url")
    @accessing
    @click.pass_obj
    def session(settings: Settings, url: str, given: Given) -> None:
        client = settings.client
        found = client.operate("open session", url, **given.arguments(client, url, "open session"))

What the command line says counts before what is configured.
"""

from __future__ import annotations

from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from urlschemes_access.policy import Policy
from urlschemes_cli.output.plain import line
from urlschemes_cli.prompts import form_asker, login_asker

if TYPE_CHECKING:
    from collections.abc import Callable

    from urlschemes.registry.registry import Registry
    from urlschemes_access.client import Arguments, Client
    from urlschemes_access.trace_event import Tracer

__all__ = ["FOLDER", "Given", "accessing"]

FOLDER = click.Path(exists=True, file_okay=False, resolve_path=True)
"""What an option that allows a folder takes."""


class Given(NamedTuple):
    """What the command line allows beyond what every typed URL may reach, how long it may take, and what it shows.

    What is configured lies between: it changes what every typed URL may reach.
    """

    roots: tuple[str, ...]
    ports: tuple[int, ...]
    networks: tuple[str, ...]
    options: tuple[str, ...]
    timeout: float | None
    verbose: int
    plugin_credentials: bool

    def arguments(self, client: Client, url: str, operation: str) -> Arguments:
        """Return the arguments of `client.operate(operation, url)`. Raises URLError, click.BadParameter."""
        return {
            "policy": self._policy(client),
            "deadline": self.timeout,
            "credentials": login_asker(client.credentials_from_hooks if self.plugin_credentials else None),
            "ask": form_asker(),
            "trace": self._narrator(),
            "options": _options(client.registry, url, operation, self.options),
        }

    def _policy(self, client: Client) -> Policy:
        """What a person who typed the URL may access."""
        policy = client.configuration.policy(Policy.interactive())
        try:
            return replace(
                policy,
                roots=(*policy.roots, *self.roots),
                ports=policy.ports.union(self.ports),
                networks=(*policy.networks, *self.networks),
            )
        except ValueError as error:
            raise click.BadParameter(str(error), param_hint="'--allow-network'") from None

    def _narrator(self) -> Tracer | None:
        if not self.verbose:
            return None
        from urlschemes_cli.output.narrator import Narrator
        from urlschemes_cli.output.screen import Screen

        return Narrator(Screen(stderr=True), everything=self.verbose > 1)


def accessing(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that all accesses have; they reach it together, as the keyword argument `given`."""
    seconds = click.FloatRange(min=0, min_open=True, max=86_400)
    number = click.IntRange(1, 65535)

    @wraps(command)
    def with_terms(*arguments: Any, **others: Any) -> Any:
        given = Given(**{name: others.pop(name) for name in Given._fields})
        return command(*arguments, given=given, **others)

    decorated: Callable[..., Any] = with_terms
    for option in reversed(
        (
            click.option("-v", "--verbose", count=True, help="Show the dialogue on standard error; -vv: all of it."),
            click.option("--timeout", type=seconds, metavar="SECONDS", help="How long it may take in all."),
            click.option("--root", "roots", type=FOLDER, multiple=True, metavar="DIR", help="Allow files below DIR."),
            click.option("--allow-port", "ports", multiple=True, type=number, metavar="N", help="Allow the port N."),
            click.option(
                "--allow-network", "networks", multiple=True, metavar="NET", help="Allow an address or a network."
            ),
            click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the scheme."),
            click.option(
                "--plugin-credentials", is_flag=True, help="Ask installed plugins for user names and passwords."
            ),
        )
    ):
        decorated = option(decorated)
    return decorated


def _options(registry: Registry, text: str, operation: str, given: tuple[str, ...]) -> dict[str, Any]:
    """The scheme's own options, each as the type that its algorithm takes. Raises click.BadParameter."""
    from urlschemes.errors import URLError
    from urlschemes_access.scheme_options import fitting, options_of

    if not given:
        return {}
    scheme = registry[registry.parse(text).scheme]
    try:
        algorithm = scheme.algorithm(operation)
    except URLError:
        raise
    except Exception:  # noqa: BLE001  the plugin cannot be imported: the operation itself will say so in full
        return {}
    known = options_of(algorithm)
    options: dict[str, Any] = {}
    for pair in given:
        name, equals, value = pair.partition("=")
        name = name.replace("-", "_")
        if name not in known:
            has = ", ".join(known) or "none"
            raise click.BadParameter(
                f"{scheme.name} has no option {line(repr(name))}; it has: {has}", param_hint="'--option'"
            )
        if not equals and not isinstance(known[name], bool):
            raise click.BadParameter(f"{name} wants a value: {name}=...", param_hint="'--option'")
        try:
            options[name] = fitting(value if equals else "yes", known[name])
        except ValueError as error:
            raise click.BadParameter(f"{name} is {error}", param_hint="'--option'") from None
    return options
