"""The command itself: its global options, its errors and exit codes, and the commands that plugins add.

Nothing of a plugin is imported before a command needs it; `--help` only reads which commands are installed.
"""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from urlschemes import __version__, errors
from urlschemes.registry.claim_selection import Rules
from urlschemes.registry.registry import Registry
from urlschemes.storage.config_file import ConfigFile, user_file
from urlschemes_access import errors as access_errors
from urlschemes_access.configuration import Configuration
from urlschemes_lint.errors import NotRepairable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

    from urlschemes.errors import URLError
    from urlschemes.registry.claims import Claim
    from urlschemes_access.client import Client

__all__ = ["Settings", "command"]

INVALID, USAGE, FAILED, REFUSED, UNKNOWN, INTERRUPTED, PIPE_CLOSED = 1, 2, 3, 4, 5, 130, 141

EXIT_CODES = f"""\
Exit codes:
  0    done
  {INVALID}    the URL is invalid (check: it has findings that are errors; extract --invalid: one is)
  {USAGE}    the command line or the configuration is wrong
  {FAILED}    the access began and failed, or its output could not be written
  {REFUSED}    refused before anything was sent: unsafe, not allowed, not offered
  {UNKNOWN}    unknown scheme, or a plugin is at fault
  {INTERRUPTED}  interrupted (Ctrl-C)
  {PIPE_CLOSED}  whoever read the output stopped reading"""

_MODULES = {
    "parse": "read",
    "explain": "read",
    "check": "read",
    "fix": "read",
    "extract": "extract",
    "access": "access",
    "attributes": "access",
    "replace": "write",
    "update": "write",
    "delete": "write",
    "schemes": "schemes",
    "show": "schemes",
    "why": "inspect",
    "doctor": "inspect",
    "config": "config",
    "demo": "demo",
}
"""The modules of the commands."""

_READING = ("read", "extract")
"""The modules of commands that call no hook unless they fail."""
_JSON = "urlschemes_cli.app.json"
"""In the contexts of click: whether `--json` was typed."""


class Settings:
    """What the global options say."""

    def __init__(
        self,
        plugins: Sequence[str] | None = None,
        pins: dict[str, str] | None = None,
        *,
        disable: Sequence[str] = (),
        require: Sequence[str] = (),
        config: str | None = None,
        configured: bool = True,
    ) -> None:
        self.plugins = plugins
        self.pins = pins or {}
        self.disable = disable
        self._require = require
        self._config = config
        self.configured = configured

    @cached_property
    def file(self) -> ConfigFile:
        """The configuration file. Raises ConfigurationError."""
        return ConfigFile.load(self._config) if self.configured else ConfigFile()

    @property
    def path(self) -> str | None:
        """The path of the configuration file, whether it exists or not; None if none is used."""
        if not self.configured:
            return None
        return user_file(os.environ) if self._config is None else os.path.abspath(self._config)  # noqa: PTH100  to be shown

    @cached_property
    def registry(self) -> Registry:
        """The registry that the options and the configuration ask for. Raises ConfigurationError, PluginError."""
        configured = Rules.from_table(self.file.table("registry"))
        typed = "--no-plugins" if self.plugins == [] else "--plugins"
        allowed = configured.allowed if self.plugins is None else {typed: self.plugins}
        disabled = {**configured.disabled, "--disable": self.disable}
        rules = Rules(allowed, disabled, {**configured.pins, **self.pins})
        return Registry.from_rules(rules, require=self._require)

    @cached_property
    def client(self) -> Client:
        """The client for what a person types: the environment in which they type it is trusted, too."""
        from urlschemes_access.client import Client

        configuration = Configuration.of(self.file, trust_env=True) if self.configured else Configuration()
        return Client(registry=self.registry, configuration=configuration)

    @property
    def unconfigured_client(self) -> Client:
        """A client that no gateway, and nothing else that is configured, leads elsewhere."""
        from urlschemes_access.client import Client

        return Client(registry=self.registry)


class _Commands(click.Group):
    """The commands by name, each imported when it is used, and behind them those of plugins."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*_MODULES, *sorted(self._claims(ctx))]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        home = _MODULES.get(cmd_name)
        if home is not None:
            found = getattr(import_module(f"urlschemes_cli.commands.{home}"), cmd_name)
            assert isinstance(found, click.Command)
            return found
        _settings(ctx).registry  # noqa: B018  where there can be none, that is why the command is not found
        claim = self._claims(ctx).get(cmd_name)
        return None if claim is None else _command_of(ctx, claim)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            found = super().resolve_command(ctx, args)
            if _MODULES.get(args[0]) not in _READING:
                from urlschemes_cli.output.plain import listen

                listen()
            return found
        except click.UsageError as error:
            reason = self._missing(ctx, args[0])
            if reason:
                raise click.UsageError(reason, ctx) from None
            from difflib import get_close_matches

            meant = get_close_matches(args[0], self.list_commands(ctx), 1)
            if not meant:
                raise
            raise click.UsageError(f"{error.message} Did you mean {meant[0]}?", ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        own = [(name, self.get_command(ctx, name)) for name in _MODULES]
        with formatter.section("Commands"):
            formatter.write_dl([(name, each.get_short_help_str(limit=80)) for name, each in own if each])
        others = self._claims(ctx)
        if others:
            with formatter.section("Commands of plugins"):
                formatter.write_dl([(name, f"of {claim.provider}") for name, claim in sorted(others.items())])
        from urlschemes.registry.claim_selection import COMMAND_OWNERS

        missing = [f"{name} (of {home})" for name, home in COMMAND_OWNERS.items() if name not in others]
        if missing:
            formatter.write(f"\nNot installed, or switched off: {', '.join(missing)}\n")

    def format_epilog(self, _: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write(f"\n{EXIT_CODES}\n")

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any) -> NoReturn:  # type: ignore[override]  # it never returns
        """Run the command and exit; no error passes as a traceback, and none shows a password."""
        for name in ("stdin", "stdout", "stderr"):
            if getattr(sys, name) is None:  # it was closed; its number must not become that of a connection
                nowhere = os.open(os.devnull, os.O_RDONLY if name == "stdin" else os.O_WRONLY)
                # For as long as the process lives.
                setattr(sys, name, os.fdopen(nowhere, "r" if name == "stdin" else "w", closefd=False))
        for stream in (sys.stdout, sys.stderr):
            with suppress(AttributeError):  # a stream that a caller put there
                stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
        extra["standalone_mode"] = False
        try:
            code = super().main(args, prog_name, **extra)
            sys.stdout.flush()
        except click.ClickException as error:
            context = getattr(error, "ctx", None)
            if context is not None and context.meta.get(_JSON):
                _write_failure(error, context)
            _complain(error)
            code = error.exit_code
        except click.Abort:
            code = INTERRUPTED
        except OSError as error:
            code = _cannot_write(error)
        sys.exit(code if isinstance(code, int) else 0)

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        try:
            return super().make_context(*args, **extra)
        except OSError as error:  # --help or --version; click would make any closed pipe the exit code 1
            raise click.exceptions.Exit(_cannot_write(error)) from None

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # No option of the group is called so: it is that of a command, which may never be found.
        ctx.meta[_JSON] = "--json" in (args[: args.index("--")] if "--" in args else args)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        from urlschemes.errors import URLError

        try:
            try:
                result = super().invoke(ctx)
            finally:
                sys.stdout.flush()
        except URLError as error:
            if ctx.meta[_JSON]:
                _write_failure(error, ctx)
            ctx.exit(report(error))
        except OSError as error:
            ctx.exit(_cannot_write(error))
        return result

    def _claims(self, ctx: click.Context) -> dict[str, Claim]:
        return {claim.name: claim for claim in _command_claims(ctx) if claim.state == "active"}

    def _missing(self, ctx: click.Context, name: str) -> str | None:
        """Why there is no such command, where a distribution has it: it is switched off, in conflict, not installed.

        Raises PluginError for a switch that names nobody.
        """
        from urlschemes.registry.claim_selection import COMMAND_OWNERS, locations
        from urlschemes.registry.claims import COMMANDS, distribution_key

        claims = [each for each in _settings(ctx).registry.claims() if (each.group, each.name) == (COMMANDS, name)]
        conflict = [each for each in claims if each.state == "conflict"]
        if conflict:
            advice = to_settle(name, [each.distribution for each in conflict])
            return f"The command {name} cannot be used, for several have one: {locations(conflict)}; {advice}"
        home = COMMAND_OWNERS.get(name)
        if home and not any(distribution_key(each.distribution) == home for each in claims):
            return f"The command {name} comes with {home}, which is not installed: pip install {home}"
        said = "; ".join(f"{claim.provider} ({claim.reason})" for claim in claims)
        return f"The command {name} cannot be used: {said}." if claims else None


def _settings(ctx: click.Context) -> Settings:
    """What the global options say; a command is looked for, and so is needed, before their own function is called."""
    if ctx.obj is None:
        ctx.obj = _of_options(**ctx.params)
    settings: Settings = ctx.obj
    return settings


def _of_options(
    *,
    plugins: Sequence[str] | None = None,
    no_plugins: bool = False,
    disable: Sequence[str] | None = None,
    require: Sequence[str] | None = None,
    pin: dict[str, str] | None = None,
    config: str | None = None,
    no_config: bool = False,
) -> Settings:
    if no_plugins and plugins is not None:
        raise click.UsageError("--plugins and --no-plugins exclude each other")
    if no_config and config is not None:
        raise click.UsageError("--config and --no-config exclude each other")
    return Settings(
        [] if no_plugins else plugins,
        pin,
        disable=disable or (),
        require=require or (),
        config=config,
        configured=not no_config,
    )


def _command_claims(ctx: click.Context) -> list[Claim]:
    """Every claim of a command."""
    from urlschemes.errors import URLError
    from urlschemes.registry.claims import COMMANDS

    try:
        claims = _settings(ctx).registry.claims()
    except URLError:  # --plugins names one that is not installed: whatever uses the registry says so
        return []
    return [claim for claim in claims if claim.group == COMMANDS]


def _command_of(ctx: click.Context, claim: Claim) -> click.Command:
    found = _settings(ctx).registry.load(claim)
    assert isinstance(found, click.Command)
    return found


def _complain(error: click.ClickException) -> None:
    """What click has to say; it would repeat a password that stands in a misplaced argument."""
    from urlschemes_cli.output.plain import line, note, write

    context = getattr(error, "ctx", None)
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        write(error.format_message(), stream=sys.stderr)  # the help itself, which is of our own writing
        return
    if context is not None:
        write(line(context.get_usage()), stream=sys.stderr)
    note(error.format_message())
    if context is not None:
        write(f"'{context.command_path} --help' says more", stream=sys.stderr)


def _write_failure(error: URLError | click.ClickException, context: click.Context) -> None:
    """Write JSON where a program waits for it, whatever went wrong, and before standard error has it in words."""
    from urlschemes_cli.output.plain import write_failure

    with suppress(OSError):  # nobody reads it; the error counts
        write_failure(error, context)
        sys.stdout.flush()


def _cannot_write(error: OSError) -> int:
    """The end of a command whose output goes nowhere."""
    from urlschemes_cli.output.plain import note

    _discard_output()
    if error.errno == errno.EPIPE:
        return PIPE_CLOSED
    note(f"{error.filename or 'cannot write the output'}: {error.strerror or error}")
    return FAILED


def _discard_output() -> None:
    """Let nothing be written any more, or Python would try again at its end, and complain."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def report(error: URLError) -> int:
    """Say on standard error what is wrong, and return the exit code for it."""
    from rich.text import Text

    from urlschemes_cli.output.plain import line, listen, write
    from urlschemes_cli.output.screen import Screen

    listen()  # the words of some errors are asked of ledgers
    text = Text.assemble(("urlschemes: ", "bold red"), line(str(error.message or error.code)))
    Screen(stderr=True).print(text, soft_wrap=True)
    wants = getattr(error, "wants", "")
    if wants:
        write(f"  due: {line(wants)}", stream=sys.stderr)
    hint = advice(error)
    if hint:
        write(f"  help: {line(hint)}", stream=sys.stderr)
    return exit_code(error)


def exit_code(error: URLError) -> int:
    """The exit code for `error`, as `--help` lists them."""
    kinds: list[tuple[int, tuple[type[URLError], ...]]] = [
        (INVALID, (errors.InvalidURL, NotRepairable, errors.NotHierarchical)),
        (REFUSED, (errors.UnsafeURL, access_errors.PolicyDenied, errors.UnsupportedOperation)),
        (UNKNOWN, (errors.UnknownScheme, errors.PluginError, errors.RegistrationError)),
        (USAGE, (errors.ConfigurationError,)),
    ]
    return next((code for code, classes in kinds if isinstance(error, classes)), FAILED)


# How a refusal of the policy is lifted from the command line.
_ADVICE = {
    "roots": "--root DIR lets the files below the folder DIR be read, and no others",
    "writable": "--writable DIR lets the files below the folder DIR be written and removed, and no others",
    "ports": "--allow-port N allows the port N, if you know who listens there",
    "networks": "--allow-network NET allows an address, or a network such as 192.0.2.0/24",
}
_CONFIGURED = "the policy's `{rule}` says so: `urlschemes config` shows where that comes from"


def advice(error: URLError) -> str | None:
    """What to do next, in the words of the command line."""
    from urlschemes.registry.claim_selection import DISABLE
    from urlschemes_access.policy import Policy

    if isinstance(error, access_errors.PolicyDenied) and error.hint and hasattr(Policy, error.rule or ""):
        return _ADVICE.get(error.rule or "", _CONFIGURED.format(rule=error.rule))
    if isinstance(error, access_errors.InputRequired) or (
        isinstance(error, access_errors.AuthRequired) and _nobody_asked(error)
    ):
        return "you would be asked, if standard input and standard error were a terminal"
    if isinstance(error, errors.UnsupportedOperation) and (names := _commands_of(error.scheme)):
        return f"it has a command of its own: {' or '.join(f'`urlschemes {name} URL`' for name in names)}"
    if isinstance(error, access_errors.LimitExceeded) and error.limit == "content":
        return "-o FILE saves it, however long it is"
    if isinstance(error, errors.PluginLoadError | errors.PluginContractError) and error.hint:
        return error.hint.replace(f"{DISABLE}=", "--disable ")
    if isinstance(error, errors.PluginConflict) and error.scheme and error.claimants:
        return to_settle(error.scheme, [each.partition(" ")[0] for each in error.claimants])
    return error.hint


def to_settle(name: str, distributions: Sequence[str]) -> str:
    """What to do where those distributions claim the name."""
    first, *others = dict.fromkeys(distributions)
    rid = f"switch the other off: --disable {others[0]}" if len(others) == 1 else "uninstall the others"
    return f"choose one: --pin {name}={first}, or {rid}"


def _nobody_asked(error: URLError) -> bool:
    """Whether a login failed for want of credentials, with nobody at a terminal who could have given some."""
    return "credentials" in (error.hint or "") and not (sys.stdin.isatty() and sys.stderr.isatty())


def _commands_of(scheme: str | None) -> list[str]:
    """The commands that come with whoever provides a scheme."""
    from urlschemes.errors import URLError
    from urlschemes.registry.claims import COMMANDS

    settings = click.get_current_context().find_object(Settings)
    if settings is None or scheme is None:
        return []
    try:
        provider = settings.registry.why(scheme).provider
        claims = settings.registry.claims()
    except URLError:
        return []
    return [each.name for each in claims if each.group == COMMANDS and each.provider == provider]


def _names(_: click.Context, __: click.Parameter, value: str | None) -> list[str] | None:
    return None if value is None else [name.strip() for name in value.split(",") if name.strip()]


def _pairs(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for value in values:
        name, equals, distribution = value.partition("=")
        if not name or not equals or not distribution:
            raise click.BadParameter("it is written NAME=DISTRIBUTION")
        if pairs.get(name, distribution) != distribution:
            raise click.BadParameter(f"{name} is pinned to {pairs[name]} and to {distribution}")
        pairs[name] = distribution
    return pairs


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option("--plugins", metavar="A,B", callback=_names, help="Use only these distributions.")
@click.option("--no-plugins", is_flag=True, help="Use no plugin at all.")
@click.option("--disable", metavar="A,B", callback=_names, help="Do not use these distributions or schemes.")
@click.option(
    "--require", metavar="A,B", callback=_names, help="Do nothing where one of these distributions is missing."
)
@click.option("--pin", metavar="NAME=DIST", multiple=True, callback=_pairs, help="Choose who provides a scheme.")
@click.option("--config", metavar="FILE", help="Use this configuration file instead of your own.")
@click.option("--no-config", is_flag=True, help="Use no configuration: no file, and nothing from the environment.")
@click.version_option(__version__, "-V", "--version", prog_name="urlschemes")
@click.pass_context
def command(ctx: click.Context, /, **_: object) -> None:
    """The URL schemes of RFC 1738: read URLs, explain them, repair them, access what they locate.

    Every command has a --help of its own, and --json where a program may want to read it.
    """
    _settings(ctx)
