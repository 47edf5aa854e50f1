"""On what terms a command accesses: the options that every such command has, also one that a plugin adds.

@click.command()
@click.argument("url")
@accessing
@click.pass_obj
def session(settings: Settings, url: str, given: Given) -> None:
found = settings.registry.operate("open session", url, **given.keywords(settings.registry, url, "open session"))
"""

from __future__ import annotations

from contextlib import suppress
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from urlschemes.cli.plain import line

if TYPE_CHECKING:
    from collections.abc import Callable

    from urlschemes.policy import Policy
    from urlschemes.registry import Registry
    from urlschemes.terms import Tracer

__all__ = ["Given", "accessing"]

_YES, _NO = frozenset({"true", "yes", "on", "1"}), frozenset({"false", "no", "off", "0"})


class Given(NamedTuple):
    """What the command line allows beyond what every typed URL may reach, how long it may take, and what it shows."""

    roots: tuple[str, ...]
    ports: tuple[int, ...]
    networks: tuple[str, ...]
    options: tuple[str, ...]
    timeout: float | None
    verbose: int

    def keywords(self, registry: Registry, url: str, operation: str) -> dict[str, Any]:
        """The keyword arguments of `registry.operate(operation, url)`. Raises URLError, click.BadParameter."""
        from urlschemes.cli.prompting import form_asker, login_asker

        return {
            "policy": self._policy(),
            "deadline": self.timeout,
            "credentials": login_asker(registry),
            "ask": form_asker(),
            "trace": self._narrator(),
            **_options(registry, url, operation, self.options),
        }

    def _policy(self) -> Policy:
        """What a person who typed the URL may access."""
        from dataclasses import replace

        from urlschemes.policy import Policy

        policy = Policy.interactive()
        networks = (*policy.networks, *self.networks)
        try:
            return replace(policy, roots=self.roots, ports=frozenset(self.ports), networks=networks)
        except ValueError as error:
            raise click.BadParameter(str(error), param_hint="'--allow-network'") from None

    def _narrator(self) -> Tracer | None:
        if not self.verbose:
            return None
        from urlschemes.cli.dialogue import Narrator
        from urlschemes.cli.screen import Screen

        return Narrator(Screen(stderr=True), everything=self.verbose > 1)


def accessing(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that all accesses have; they reach it together, as the keyword argument `given`."""
    folder = click.Path(exists=True, file_okay=False, resolve_path=True)
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
            click.option("--root", "roots", type=folder, multiple=True, metavar="DIR", help="Allow files below DIR."),
            click.option("--allow-port", "ports", multiple=True, type=number, metavar="N", help="Allow the port N."),
            click.option(
                "--allow-network", "networks", multiple=True, metavar="NET", help="Allow an address or a network."
            ),
            click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the scheme."),
        )
    ):
        decorated = option(decorated)
    return decorated


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
            raise click.BadParameter(
                f"{scheme.name} has no option {line(repr(name))}; it has: {has}", param_hint="'--option'"
            )
        options[name] = _value(name, value if equals else "yes", known[name])
    return options


def _value(name: str, text: str, default: object) -> object:
    if isinstance(default, bool):
        if text.lower() not in _YES | _NO:
            raise click.BadParameter(f"{name} is yes or no", param_hint="'--option'")
        return text.lower() in _YES
    if isinstance(default, int | float):
        with suppress(ValueError):
            return type(default)(text)
        raise click.BadParameter(f"{name} is a number", param_hint="'--option'")
    return text
