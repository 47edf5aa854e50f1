"""The options of every command that accesses a URL, for built-in commands and those of plugins.

    @click.command()
    @url_argument
    @with_access_options
    @click.pass_obj
    def session(settings: Settings, url: str, access_options: AccessOptions) -> None:
        client = settings.client_for(url)
        opened = client.operate("open session", url, **access_options.arguments(client, url, "open session"))

Options take precedence over the configuration.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import reduce, wraps
from typing import Any, NamedTuple

import click

from urlschemes import Registry
from urlschemes.errors import URLError
from urlschemes_access import Client, Configuration, Policy
from urlschemes_access.client import Arguments
from urlschemes_access.config_file import ConfigFile
from urlschemes_access.settings import convert, options_of
from urlschemes_cli.output.console import Console
from urlschemes_cli.output.text import safe_line
from urlschemes_cli.output.trace import trace_printer
from urlschemes_cli.prompts import form_prompt, given_login, login_prompt

__all__ = ["FOLDER", "AccessOptions", "with_access_options"]

FOLDER = click.Path(exists=True, file_okay=False, resolve_path=True)
FILE = click.Path(exists=True, dir_okay=False)
INPUT = click.Path(exists=True, dir_okay=False, allow_dash=True)

_MAX_SECONDS = 86_400


def _seconds(text: str) -> float:
    """Return the time that a deadline may last. A range of click would include NaN."""
    with suppress(ValueError):
        seconds = float(text)
        if 0 < seconds <= _MAX_SECONDS:
            return seconds
    raise click.BadParameter(f"expected seconds, more than 0 and at most {_MAX_SECONDS}, got {safe_line(text)!r}")


def _port(text: str) -> int:
    if not text.isdecimal() or len(text) > 5 or not 0 < int(text) < 65_536:
        raise click.BadParameter(f"expected a number from 1 to 65535, got {safe_line(text)!r}")
    return int(text)


def _limit(pair: str) -> tuple[str, float]:
    name, _, value = pair.partition("=")
    try:
        return name.replace("-", "_"), int(value) if value.isdecimal() else float(value)
    except ValueError:
        raise click.BadParameter(f"expected NAME=NUMBER, as in idle=20, got {safe_line(pair)!r}") from None


class AccessOptions(NamedTuple):
    """The values of the options: what the access may reach, how long it may take, and what it shows."""

    roots: tuple[str, ...]
    ports: tuple[int, ...]
    networks: tuple[str, ...]
    options: tuple[str, ...]
    answers: tuple[str, ...]
    limits: tuple[tuple[str, float], ...]
    deadline: float | None
    verbose: int
    cacert: str | None
    cert: str | None
    key: str | None
    user: str | None
    password_file: str | None
    bearer_file: str | None
    plugin_credentials: bool

    def arguments(self, client: Client, url: str, operation: str) -> Arguments:
        """Return the arguments for `client.operate(operation, url)`. Raises URLError, click.UsageError."""
        if self.verbose:
            logging.getLogger("urlschemes").setLevel(logging.INFO)
        if self.key and not self.cert and client.configuration.tls_files().cert is None:
            raise click.UsageError("--key is the private key of a certificate: name that with --cert FILE")
        return {
            "policy": self._policy(client),
            "deadline": self.deadline,
            "credentials": given_login(self.user, self.password_file, self.bearer_file)
            or login_prompt(client.credentials_from_hooks if self.plugin_credentials else None),
            "ask": form_prompt(self.answers),
            "trace": trace_printer(Console(stderr=True), everything=self.verbose > 1) if self.verbose else None,
            "cacert": self.cacert,
            "cert": self.cert,
            "key": self.key,
            "options": _scheme_options(client.registry, url, operation, self.options),
        }

    def _policy(self, client: Client) -> Policy:
        """Return the policy for a URL that was typed: the configured one, and what the options allow in addition."""
        policy = client.configuration.policy(Policy.interactive())
        policy = Configuration.of(ConfigFile({"limits": dict(self.limits)}, "--limit")).policy(policy)
        roots, networks = (*policy.roots, *self.roots), (*policy.networks, *self.networks)
        try:
            return replace(policy, roots=roots, ports={*policy.ports, *self.ports}, networks=networks)
        except ValueError as error:
            problem = str(error).removeprefix("Policy.networks: ")
            raise click.BadParameter(problem, param_hint="'--allow-network'") from None


def with_access_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of accesses to a command, which gets them as the keyword argument `access_options`."""

    @wraps(function)
    def with_options(*arguments: Any, **others: Any) -> Any:
        options = AccessOptions(**{name: others.pop(name) for name in AccessOptions._fields})
        return function(*arguments, access_options=options, **others)

    return reduce(lambda decorated, option: option(decorated), reversed(_OPTIONS), with_options)


_OPTIONS = (
    click.option("-v", "--verbose", count=True, help="Show the dialogue with the server; -vv: unshortened."),
    click.option(
        "--deadline",
        "--timeout",
        type=_seconds,
        metavar="SECONDS",
        help="Give up after SECONDS. Time spent at prompts is not counted.",
    ),
    click.option(
        "--limit", "limits", multiple=True, type=_limit, metavar="NAME=VALUE", help="Set a limit, such as idle=20."
    ),
    click.option(
        "--root", "roots", type=FOLDER, multiple=True, metavar="DIR", help="Allow reading local files below DIR."
    ),
    click.option("--allow-port", "ports", multiple=True, type=_port, metavar="N", help="Allow port N."),
    click.option("--allow-network", "networks", multiple=True, metavar="NET", help="Allow an address or a network."),
    click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="Set an option of the scheme."),
    click.option(
        "--answer", "answers", multiple=True, metavar="TEXT", help="Answer a question of the server, such as a form's."
    ),
    click.option("--cacert", type=FILE, metavar="FILE", help="Trust the authorities in FILE instead of the system's."),
    click.option("--cert", type=FILE, metavar="FILE", help="Show servers the client certificate in FILE."),
    click.option("--key", type=FILE, metavar="FILE", help="Private key of --cert, unless that file holds it."),
    click.option("--user", metavar="NAME[:PASSWORD]", help="Log in to the host of URL; the password is asked for."),
    click.option("--password-file", type=INPUT, metavar="FILE", help="Read the password of --user from FILE, or -."),
    click.option("--bearer-file", type=INPUT, metavar="FILE", help="Send the token in FILE, or -, over https only."),
    click.option("--plugin-credentials", is_flag=True, help="Let plugins provide user names and passwords."),
)


def _scheme_options(registry: Registry, text: str, operation: str, pairs: tuple[str, ...]) -> dict[str, Any]:
    """Return the options of the scheme, as its algorithm takes them. Raises URLError, BadParameter."""
    if not pairs:
        return {}
    scheme = registry[registry.parse(text).scheme]
    try:
        algorithm = scheme.algorithm(operation)
    except URLError:
        raise
    except Exception:  # noqa: BLE001  the plugin's module fails: `client.operate` reports that
        return {}
    known = options_of(algorithm)
    options: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        name = name.replace("-", "_")
        if name not in known:
            listed = ", ".join(known) or "none"
            raise click.BadParameter(
                f"{scheme.name} has no option {safe_line(name)!r}; its options: {listed}", param_hint="'--option'"
            )
        if not equals and not isinstance(known[name], bool):
            raise click.BadParameter(f"{name} needs a value: {name}=VALUE", param_hint="'--option'")
        try:
            options[name] = convert(value if equals else "yes", known[name])
        except ValueError as error:
            raise click.BadParameter(f"{name} must be {error}", param_hint="'--option'") from None
    return options
