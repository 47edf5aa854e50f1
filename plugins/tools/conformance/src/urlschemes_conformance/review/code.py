"""Checks of what importing the plugin does: how much it brings with it, and what it changes."""

from __future__ import annotations

import sys
from contextlib import suppress
from time import process_time
from typing import TYPE_CHECKING

from urlschemes.errors import PluginError, URLError
from urlschemes_conformance.review.catalogue import asks
from urlschemes_conformance.review.subject import Missing
from urlschemes_conformance.review.verdicts import failed, passed, skipped, warned

if TYPE_CHECKING:
    from urlschemes.scheme.scheme import Scheme
    from urlschemes_conformance.review.subject import Subject
    from urlschemes_conformance.review.verdicts import Judgement

__all__ = ["HEAVY"]

HEAVY = frozenset(
    {
        "asyncio", "click", "concurrent", "ctypes", "email", "ftplib", "h11", "http", "imaplib", "importlib.metadata",
        "importlib_metadata", "multiprocessing", "pluggy", "poplib", "requests", "rich", "select", "selectors",
        "smtplib", "socket", "socketserver", "sqlite3", "ssl", "subprocess", "tkinter", "unittest", "urllib.request",
        "urllib.response", "xml", "xmlrpc",
    }
)  # fmt: skip
"""Modules that reading a URL needs nothing of."""
SLOW = 1.0
"""CPU seconds after which an import is slow for everybody who reads one URL."""


@asks("light-import", "docs/plugins.md", alone=True)
def light_import(subject: Subject) -> Judgement:
    """Importing the plugin to read a URL imports no algorithm, and nothing that talks to others."""
    from urlschemes.registry.loading import load_scheme

    if not subject.has_code:
        return skipped("there is a record and no code")
    example = next((each.url for each in subject.record.examples if each.parts is not None), "")
    with suppress(URLError):  # what the core itself imports to read a URL
        subject.plain_type.parse(example)
    before = {*sys.modules}
    begun = process_time()
    try:
        scheme = load_scheme(subject.target.claim)
    except PluginError:
        raise Missing("the scheme cannot be loaded: see the check contract") from None
    with suppress(URLError):
        scheme.url_type.parse(example)
    taken = process_time() - begun
    new = {*sys.modules} - before
    heavy = sorted(each for each in new if _is_among(each, HEAVY))
    if heavy:
        return failed(
            f"it imports {heavy[0]}, which reading a URL needs nothing of",
            "import it in the module of the algorithms, or within the function that needs it",
            *(f"imports {each}" for each in heavy[1:]),
        )
    algorithms = sorted(_modules_of_algorithms(scheme) & new)
    if algorithms:
        return failed(
            f"it imports {algorithms[0]}, which has the algorithms",
            'name that module: Scheme(registration, MyURL, access="my_package.access"); the core imports it when it is '
            "needed",
        )
    if taken > SLOW:
        return failed(f"its import takes {taken:.1f} s of CPU time", "put off what takes so long until it is needed")
    others = sorted(
        each for each in new
        if each.partition(".")[0] not in {*sys.stdlib_module_names, subject.target.package}
        and not each.startswith("urlschemes")
    )  # fmt: skip
    if others:
        return warned(
            f"it imports {others[0]}, of another distribution, to read a URL", "put it off until an access needs it"
        )
    return passed(f"{len(new)} modules, {taken * 1000:.0f} ms of CPU time")


def _is_among(module: str, names: frozenset[str]) -> bool:
    return module in names or any(module.startswith(f"{name}.") for name in names)


def _modules_of_algorithms(scheme: Scheme) -> set[str]:
    found = set()
    for operation in scheme.registration.operations:
        with suppress(Exception):  # the check operations says what is wrong
            found.add(scheme.algorithm(operation).__module__)
    return found


@asks("leaves-alone", "docs/trust.md", alone=True)
def leaves_alone(subject: Subject) -> Judgement:
    """Importing the plugin changes nothing that others in the process rely on."""
    from urlschemes_conformance.import_probe.probe import verify

    if not subject.has_code:
        return skipped("there is a record and no code")
    claim = subject.target.claim
    found = verify([claim])[claim]
    if found.changes:
        return failed(
            f"importing it changes the process: {found.changes[0]}",
            "change nothing that is not the plugin's own while it is imported",
            *found.changes[1:],
        )
    if found.fault:
        raise Missing(f"it cannot be loaded, see the checks contract and operations: {found.fault}")
    return passed("modules, settings and threads are as they were")
