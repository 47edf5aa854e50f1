"""The command `config`: every setting in force, and where it comes from."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, TypeAlias

import click

from urlschemes import Registry, URLError, default_registry
from urlschemes.errors import PluginError
from urlschemes_access import Client, Configuration, Policy
from urlschemes_access.configuration import Setting
from urlschemes_access.policy import kinds
from urlschemes_cli.error_reports import error_json, report
from urlschemes_cli.exit_codes import USAGE
from urlschemes_cli.options import json_option
from urlschemes_cli.output.console import Console
from urlschemes_cli.output.json_output import write_json
from urlschemes_cli.output.text import safe_line, write_line, write_note
from urlschemes_cli.settings import DEFAULT, Settings

COMMAND_LINE = "the command line"
_VARIABLES = ("URLSCHEMES_PLUGINS", "URLSCHEMES_DISABLE")


Row: TypeAlias = tuple[str, Any, str]
"""A setting: its key, its value without secrets, and where it comes from."""
_COLUMNS = ("key", "value", "source")


@click.command()
@click.option("--path", is_flag=True, help="Write the path of the configuration file, whether it exists or not.")
@json_option
@click.pass_obj
def config(settings: Settings, *, path: bool, as_json: bool) -> int:
    """Show every setting, and where it comes from: command line, environment variable, file, or default.

    The exit code is 2 if a setting cannot be used.
    """
    if path:
        if settings.path is None:
            write_note("there is no folder for a configuration file" if settings.use_config else "no file is used")
        else:
            write_line(safe_line(settings.path))
        return 0
    chosen, missing = settings.chosen_profile, settings.without_missing_profile()
    configuration = settings.configuration
    errors = (*([missing] if missing else []), *_errors(settings, configuration))
    rows = (*_rows(settings, configuration), ("--profile", *chosen))
    found = {
        "file": settings.path,
        "exists": settings.path is not None and os.path.exists(settings.path),  # noqa: PTH110  the path is text
        "settings": [dict(zip(_COLUMNS, row, strict=True)) for row in rows],
        "problems": [error_json(error)["error"] for error in errors],
        "profile": settings.registry.profile.name,
    }
    (write_json if as_json else _show)(found)
    for error in () if as_json else errors:
        report(error)
    return USAGE if errors else 0


def _errors(settings: Settings, configuration: Configuration) -> Iterator[URLError]:
    """Yield an error for each setting that cannot be used by the registry that reads the scheme that it is about."""
    own: dict[Registry, list[Setting]] = {each: [] for each in settings.registries}
    for each in configuration.settings:
        scheme = each.key if each.table == "gateways" else each.table.removeprefix("options.")
        own[settings.registry_for(scheme)].append(each)
    for registry, checked in own.items():
        yield from Client(registry=registry, configuration=configuration).check_configuration(checked)


def _rows(settings: Settings, configuration: Configuration) -> Iterator[Row]:
    configured = {each.name: each for each in configuration.settings}
    default = Policy.interactive()
    policy = configuration.policy(default)
    fields: tuple[tuple[str, Any, Any], ...] = (("policy", policy, default), ("limits", policy.limits, default.limits))
    for table, value, usual in fields:
        for name in kinds(type(value)):
            key, current = f"{table}.{name}", getattr(value, name)
            source = configured[key].source if key in configured else DEFAULT
            if key in configured and name.startswith("denied_") and getattr(usual, name):
                source = f"{DEFAULT}, and {source}"  # lists of what is denied add up
            yield key, sorted(current) if isinstance(current, frozenset) else current, source
    others = (each for each in configuration.settings if each.table in ("tls", "gateways"))
    for setting in (*others, *_option_settings(configuration, settings)):
        yield setting.name, setting.safe, setting.source
    yield from _registry_rows(settings)


def _option_settings(configuration: Configuration, settings: Settings) -> Iterator[Setting]:
    """Yield the options in force for installed schemes, then those for other schemes."""
    tables = set()
    for name, registry in settings.schemes.items():
        with suppress(PluginError):
            yield from configuration.options(registry.registration(name)).values()
            tables.add(f"options.{name}")
    for setting in configuration.settings:
        if setting.table.startswith("options.") and setting.table not in tables:
            yield setting


def _registry_rows(settings: Settings) -> Iterator[Row]:
    table = settings.file.table("registry")
    in_file = {key: (f"registry.{key}", value, table.source) for key, value in table.content.items()}
    if settings.plugins is not None:
        in_file["plugins"] = ("registry.plugins", list(settings.plugins), COMMAND_LINE)
    yield in_file.get("plugins") or ("registry.plugins", None, DEFAULT)
    for key, given, source in (
        ("disable", settings.disable, COMMAND_LINE),
        ("records", settings.records, "--records, or URLSCHEMES_RECORDS"),
    ):
        if given:
            yield f"registry.{key}", list(given), source
        if key in in_file:  # the lists add up
            yield in_file[key]
    for name in _VARIABLES:
        if name in os.environ:
            yield name, os.environ[name], "the environment"
    pins = table.table("pins")
    for name in sorted({*pins.content, *settings.pins}):
        pin = settings.pins.get(name)
        yield f"registry.pins.{name}", pin or pins.string(name), COMMAND_LINE if pin else table.source
    yield in_file.get("profile") or ("registry.profile", default_registry.profile.name, DEFAULT)


def _show(found: dict[str, Any]) -> None:
    console = Console()
    if found["file"] is not None:
        missing = "" if found["exists"] else "  (does not exist)"
        console.print_line(f"{safe_line(found['file'])}{missing}")
        console.print()
    for row in found["settings"]:
        row["style"] = "dim" if row["source"] == DEFAULT else ""
        row["source"] = "the file" if row["source"] == found["file"] else row["source"]
        row["value"] = "any" if row["value"] is None else json.dumps(row["value"])  # as the file has it; but for None
    console.print_rows(found["settings"], _COLUMNS)
    console.print_line(("The command reads URLs by --profile, other programs by registry.profile.", "dim"))
