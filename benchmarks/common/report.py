"""The figures as tables for people, and as JSON."""

from __future__ import annotations

import json
import os
import platform
from dataclasses import asdict
from itertools import groupby, pairwise
from typing import TYPE_CHECKING

from common.peers import NATIVE, OURS, missing, versions

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from common.measurement import Figure

__all__ = ["as_json", "by_table", "conditions", "summary", "table"]


def conditions() -> str:
    """Return the conditions: versions, machine, and the libraries that are missing."""
    libraries = ", ".join(f"{name} {version}" for name, version in versions().items())
    lines = [
        f"{platform.python_implementation()} {platform.python_version()}, {platform.machine()}, {os.cpu_count()} CPUs"
    ]
    lines.append(libraries)
    if absent := missing():
        lines.append(f"not installed, and so not compared: {', '.join(absent)} (python3 dev --group benchmark ...)")
    return "\n".join(lines)


def table(figures: Sequence[Figure]) -> str:
    """One table: the figures of one subject."""
    rows = []
    for figure in figures:
        ratio = "" if figure.ratio is None else _number(figure.ratio)
        bounds = ["" if bound is None else _number(bound) for bound in (figure.target, figure.moonshot)]
        rows.append([figure.what, figure.who, f"{_number(figure.value)} {figure.unit}", ratio, *bounds, figure.note])
    for before, row in reversed(list(pairwise(rows))):
        if before[0] == row[0]:
            row[0] = ""
    head = ["", "", "figure", "ratio", "target", "moonshot", ""]
    return f"\n{figures[0].table}\n{_aligned(head, rows)}"


def summary(figures: Iterable[Figure]) -> str:
    """Our own figures for which there is a target, and whether they meet it."""
    rows = []
    for figure in figures:
        if figure.who in {OURS, NATIVE} and figure.target is not None:
            bounds = ["" if bound is None else _number(bound) for bound in (figure.target, figure.moonshot)]
            what = f"{figure.table.partition(':')[0]}: {figure.what}"
            unit = "" if figure.ratio is not None else f" {figure.unit}"
            rows.append([what, f"{_number(figure.judged)}{unit}", *bounds, "met" if figure.met else "MISSED"])
    return f"\nAgainst the targets\n{_aligned(['', 'figure', 'target', 'moonshot', ''], rows)}"


def as_json(figures: Iterable[Figure]) -> str:
    """Everything, for a program."""
    found = [{**asdict(figure), "met": figure.met} for figure in figures]
    about = {
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "machine": platform.machine(),
        "cpus": os.cpu_count(),
        "libraries": versions(),
        "missing": missing(),
    }
    return json.dumps({"conditions": about, "figures": found}, indent=1)


def _number(value: float) -> str:
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _aligned(head: list[str], rows: list[list[str]]) -> str:
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    lines = []
    for row in [head, ["-" * width for width in widths], *rows]:
        cells = [
            cell.rjust(width) if name in {"figure", "ratio", "target", "moonshot"} else cell.ljust(width)
            for name, cell, width in zip(head, row, widths, strict=True)
        ]
        lines.append("  " + "  ".join(cells).rstrip())
    return "\n".join(lines)


def by_table(figures: Iterable[Figure]) -> list[list[Figure]]:
    """The figures of each table, in the order in which they came."""
    order: dict[str, int] = {}
    listed = list(figures)
    for figure in listed:
        order.setdefault(figure.table, len(order))
    listed.sort(key=lambda figure: order[figure.table])
    return [list(group) for _, group in groupby(listed, key=lambda figure: figure.table)]
