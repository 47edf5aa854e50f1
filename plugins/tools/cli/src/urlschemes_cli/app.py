"""The `urlschemes` command: global options, help, and the commands that plugins add.

A command is imported when it is used. `--help` imports none.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from copy import copy
from importlib import import_module
from itertools import takewhile
from typing import Any, NoReturn

import click
from click.shell_completion import CompletionItem

from urlschemes import __version__
from urlschemes.errors import PluginContractError, URLError
from urlschemes.registry.claims import Claim, distribution_key, locations, removal_hint
from urlschemes.registry.names import how_to_install
from urlschemes_cli import exit_codes
from urlschemes_cli.commands import BUILT_IN, GROUP, MODULES, OF_PLUGINS
from urlschemes_cli.error_reports import report_failure, report_output_error, report_usage_error
from urlschemes_cli.options import profile_option
from urlschemes_cli.output.hints import conflict_hint
from urlschemes_cli.output.json_output import ASKED
from urlschemes_cli.output.text import write_log_as_notes
from urlschemes_cli.settings import Settings

_PARSING_MODULES = frozenset({"parse", "explain", "check_and_fix", "extract"})
"""The modules of commands that call no hook unless they fail, and so log nothing."""


class _Commands(click.Group):
    """The built-in commands, and those of plugins."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for commands in _sections(ctx).values() for name in commands]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        command: click.Command | None
        if module := MODULES.get(cmd_name):
            command = getattr(import_module(f"urlschemes_cli.commands.{module}"), cmd_name)
        else:
            command = _plugin_command(ctx.obj, cmd_name)
        if command is not None and not any("--profile" in option.opts for option in command.params):
            command = copy(command)  # a plugin's own stays as it is
            command.params = [*command.params, profile_option]
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            resolved = super().resolve_command(ctx, args)
        except click.UsageError as error:
            from difflib import get_close_matches  # late: only for a wrong name

            near = get_close_matches(args[0], self.list_commands(ctx), 1)
            suggested = f"{error.message} Did you mean {near[0]}?" if near else error.message
            raise click.UsageError(_why_missing(ctx.obj, args[0]) or suggested, ctx) from None
        if MODULES.get(args[0]) not in _PARSING_MODULES:
            write_log_as_notes()
        return resolved

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        names = (each for commands in _sections(ctx).values() for each in commands.items())
        found = [CompletionItem(name, help=text) for name, text in names if name.startswith(incomplete)]
        return [*found, *super(click.Group, self).shell_complete(ctx, incomplete)]  # click's own imports all commands

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for heading, commands in _sections(ctx).items():
            if commands:
                with formatter.section(heading):
                    formatter.write_dl([*commands.items()])
        usable = self.list_commands(ctx)
        if missing := [f"{name} (from {owner})" for name, owner in OF_PLUGINS.items() if name not in usable]:
            formatter.write(f"\nNot installed or switched off: {', '.join(missing)}\n")

    def format_epilog(self, _: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write(f"\n{exit_codes.HELP}\n")

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any) -> NoReturn:  # type: ignore[override]  # it never returns
        """Run the command and exit. Errors are reported without a traceback and without passwords."""
        for name in ("stdin", "stdout", "stderr"):
            if getattr(sys, name) is None:  # closed: a connection could get its descriptor; to use it is an error
                null = os.open(os.devnull, os.O_RDONLY if name == "stdout" else os.O_WRONLY)
                setattr(sys, name, os.fdopen(null, "r" if name == "stdin" else "w", closefd=False))
        for stream in (sys.stdout, sys.stderr):
            with suppress(AttributeError):  # a caller's stream, which has no such method
                stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
        extra["standalone_mode"] = False
        try:
            code = super().main(args, prog_name, **extra)
        except click.ClickException as error:
            code = report_usage_error(error)
        except click.Abort:
            code = exit_codes.INTERRUPTED
        sys.exit(code if isinstance(code, int) and not isinstance(code, bool) else 0)

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        with _reported_errors():  # of the output of --help or --version
            return super().make_context(*args, **extra)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # `--json` is an option of the commands, but an error before a command is found must be JSON too.
        ctx.meta[ASKED] = "--json" in takewhile("--".__ne__, args)
        try:
            rest, given = super().parse_args(ctx, args), ctx.params
        except click.NoSuchOption as error:
            problem = f"No such option {error.option_name!r}: options of a command stand after its name"
            raise click.UsageError(problem, ctx) from None
        for name in ("plugins", "config"):
            if given[f"no_{name}"] and given[name] is not None:
                raise click.UsageError(f"--{name} and --no-{name} cannot be combined", ctx)
        if ctx.obj is None:  # now, because click looks for a command before it calls the function of the group
            chosen = {name: value for name, value in given.items() if value is not None and not name.startswith("no_")}
            chosen |= {"plugins": []} if given["no_plugins"] else {}
            ctx.obj = Settings(use_config=not given["no_config"], **chosen)
        return rest

    def invoke(self, ctx: click.Context) -> Any:
        with _reported_errors():
            return super().invoke(ctx)


@contextmanager
def _reported_errors() -> Iterator[None]:
    """Report errors of the `with` block and of the output, and exit; click would exit with 1 for a closed pipe."""
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except URLError as error:
        raise click.exceptions.Exit(report_failure(error)) from None
    except OSError as error:
        raise click.exceptions.Exit(report_output_error(error)) from None


def _sections(ctx: click.Context) -> dict[str, dict[str, str]]:
    """Return the commands that can be used, with their short help, by section of the help; nothing is imported."""
    of_plugins = sorted(_plugin_claims(ctx.obj or Settings()).items())
    return {**BUILT_IN, "Commands of plugins": {name: f"from {claim.provider}" for name, claim in of_plugins}}


def _plugin_claims(settings: Settings) -> dict[str, Claim]:
    """Return the claims of the commands of plugins that can be used, by name; nothing is raised."""
    with suppress(URLError):  # any command that needs the plugins will raise it
        claims = settings.installed.claims()
        return {claim.name: claim for claim in claims if claim.group == GROUP and claim.state == "active"}
    return {}


def _plugin_command(settings: Settings, name: str) -> click.Command | None:
    """Return the command of that name; None if there is none. Raises PluginError, ConfigurationError."""
    installed = settings.installed  # raises the error because of which there are no commands
    claim = _plugin_claims(settings).get(name)
    if claim is None:
        return None
    command = installed.load(claim)
    if isinstance(command, click.Command):
        return command
    kind = type(command).__qualname__
    problem = f"{claim.provider} breaks the plugin contract: its command {name} is an object of type {kind}"
    hint = removal_hint(claim)
    raise PluginContractError(problem, wants="a click.Command", has=kind, distribution=claim.provider, hint=hint)


def _why_missing(settings: Settings, name: str) -> str | None:
    """Return why a command of a plugin cannot be used: in conflict, switched off, not installed. Raises PluginError."""
    claims = [each for each in settings.installed.claims() if (each.group, each.name) == (GROUP, name)]
    conflict = [each for each in claims if each.state == "conflict"]
    if conflict:
        hint = conflict_hint(name, [each.distribution for each in conflict])
        return f"Several distributions have a command {name}, so none is used: {locations(conflict)}; {hint}"
    owner = OF_PLUGINS.get(name)
    if owner and not any(distribution_key(each.distribution) == owner for each in claims):
        return f"The command {name} is not installed: {how_to_install(owner)}"
    reasons = "; ".join(f"{claim.provider} ({claim.reason})" for claim in claims)
    return f"The command {name} cannot be used: {reasons}." if claims else None


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _pins(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    pins: dict[str, str] = {}
    for value in values:
        name, equals, distribution = value.partition("=")
        if not name or not equals or not distribution:
            raise click.BadParameter(f"expected NAME=DISTRIBUTION, got {value!r}")
        if pins.get(name, distribution) != distribution:
            raise click.BadParameter(f"{name} is pinned to {pins[name]} and to {distribution}")
        pins[name] = distribution
    return pins


@click.command(
    cls=_Commands,
    params=[profile_option],
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option("--plugins", metavar="A,B", type=_names, help="Use only these distributions.")
@click.option("--no-plugins", is_flag=True, help="Use no plugins.")
@click.option("--disable", metavar="A,B", type=_names, help="Do not use these distributions or schemes.")
@click.option("--require", metavar="A,B", type=_names, help="Fail if one of these distributions is missing.")
@click.option(
    "--pin",
    "pins",
    metavar="NAME=DIST",
    multiple=True,
    callback=_pins,
    help="Choose the distribution that provides a scheme, command or demonstration.",
)
@click.option(
    "--records",
    metavar="FOLDER",
    multiple=True,
    envvar="URLSCHEMES_RECORDS",
    type=click.Path(exists=True, file_okay=False, resolve_path=True),
    help="Read records of schemes, files NAME.toml, in this folder too.",
)
@click.option("--config", metavar="FILE", type=click.Path(), help="Use this configuration file instead of your own.")
@click.option("--no-config", is_flag=True, help="Ignore the configuration file and the environment variables for it.")
@click.version_option(__version__, "-V", "--version", prog_name="urlschemes")
def command(**_: object) -> None:
    """Parse, check and repair URLs of RFC 3986, or of another profile such as RFC 1738, and access what they locate.

    `urlschemes COMMAND --help` describes a command. Most commands write JSON with --json.
    """
