"""config: what is in force for the commands that access, and where each value comes from."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import click

from urlschemes_cli.output.plain import as_json, error_json, line, note, write, write_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from urlschemes.errors import URLError
    from urlschemes.registry.registry import Registry
    from urlschemes_access.configuration import Configuration, Setting
    from urlschemes_access.policy import Limits, Policy
    from urlschemes_cli.app import Settings

__all__ = ["config"]

DEFAULT = "default"
LINE = "the command line"


@click.command(short_help="Show what is configured.")
@click.option("--path", is_flag=True, help="Write the path of the configuration file, whether or not it is there.")
@as_json
@click.pass_obj
def config(settings: Settings, *, path: bool, as_json: bool) -> None:
    """Show every value in force, and where it comes from: the command line, a variable, the file, or the default.

    The exit code is 2 where something cannot be used.
    """
    from urlschemes_cli.app import USAGE

    if path:
        if settings.path is None:
            note("there is no folder for a configuration file" if settings.configured else "no file is used")
        else:
            write(line(settings.path))
        return
    client, path_used = settings.client, settings.path
    faults = client.check_configuration()
    rows = list(_rows(settings, client.configuration))
    if as_json:
        write_json(
            {
                "file": path_used,
                "exists": _exists(path_used),
                "settings": [{"key": key, "value": value, "source": source} for key, value, source in rows],
                "problems": [error_json(fault)["error"] for fault in faults],
            }
        )
    else:
        _show(path_used, rows, faults)
    if faults:
        click.get_current_context().exit(USAGE)


def _exists(file: str | None) -> bool:
    return file is not None and os.path.exists(file)  # noqa: PTH110  it is text, to be shown


def _rows(settings: Settings, configuration: Configuration) -> Iterator[tuple[str, Any, str]]:
    """Each key with its value, fit to be shown, and where that comes from."""
    from urlschemes_access.policy import Policy

    found = {each.name: each for each in configuration.settings}
    base = Policy.interactive()
    policy = configuration.policy(base)
    yield from _fields("policy", policy, base, found)
    yield from _fields("limits", policy.limits, base.limits, found)
    for setting in (
        *(each for each in configuration.settings if each.table == "gateways"),
        *_options(configuration, settings.registry),
    ):
        yield _row(setting)
    table = settings.file.table("registry")
    if settings.plugins is not None:
        yield "registry.plugins", list(settings.plugins), LINE
    elif "plugins" in table.content:
        yield "registry.plugins", list(table.strings("plugins")), table.source
    else:
        yield "registry.plugins", None, DEFAULT
    if settings.disable:
        yield "registry.disable", list(settings.disable), LINE
    if "disable" in table.content:  # what is switched off adds up
        yield "registry.disable", list(table.strings("disable")), table.source
    for name in ("URLSCHEMES_PLUGINS", "URLSCHEMES_DISABLE"):
        if name in os.environ:
            yield name, os.environ[name], "the environment"
    pins = table.table("pins")
    for name in sorted({*pins.content, *settings.pins}):
        pin = settings.pins.get(name)
        yield f"registry.pins.{name}", pin or pins.string(name), LINE if pin else table.source


def _fields(
    table: str, value: Policy | Limits, base: Policy | Limits, found: dict[str, Setting]
) -> Iterator[tuple[str, Any, str]]:
    from dataclasses import fields

    for each in fields(value):
        key = f"{table}.{each.name}"
        if each.name == "limits":
            continue
        held = getattr(value, each.name)
        source = found[key].source if key in found else DEFAULT
        if key in found and each.name.startswith("denied_") and getattr(base, each.name):
            source = f"{DEFAULT}, and {source}"  # what is denied adds up
        yield key, sorted(held) if isinstance(held, frozenset) else held, source


def _options(configuration: Configuration, registry: Registry) -> Iterator[Setting]:
    """Those of schemes that are there, as they are in force, then the others."""
    names = set()
    for record in registry.registrations():
        names.add(f"options.{record.scheme}")
        yield from configuration.options(record).values()
    yield from (
        each for each in configuration.settings if each.table.startswith("options.") and each.table not in names
    )


def _row(setting: Setting) -> tuple[str, Any, str]:
    return setting.name, setting.safe, setting.source


def _show(file: str | None, rows: list[tuple[str, Any, str]], faults: tuple[URLError, ...]) -> None:
    from rich.text import Text

    from urlschemes_cli.app import report
    from urlschemes_cli.output.screen import Screen, grid

    screen = Screen()
    if file is not None:
        screen.print(Text(f"{line(file)}{'' if _exists(file) else '  (there is no such file)'}\n"), soft_wrap=True)
    table = grid("key", "value", "from")
    for key, value, source in rows:
        style = "dim" if source == DEFAULT else ""
        said = "the file" if source == file else source
        table.add_row(*(Text(line(each), style) for each in (key, _written(value), said)))
    screen.table(table)
    for fault in faults:
        report(fault)


def _written(value: Any) -> str:
    """As the file has it; where it cannot, in a word."""
    if value is None:
        return "any"
    return json.dumps(value) if value not in ((), []) else "[]"
