"""Checks of the effects of importing the plugin: the modules it imports, the changes it makes."""

from __future__ import annotations

import sys
from contextlib import suppress
from time import process_time
from typing import TYPE_CHECKING

from urlschemes.errors import URLError
from urlschemes_conformance.review.catalogue import check
from urlschemes_conformance.review.verdicts import failed, passed, skipped, warned

if TYPE_CHECKING:
    from urlschemes.scheme.scheme import Scheme
    from urlschemes_conformance.review.reviewed_scheme import ReviewedScheme
    from urlschemes_conformance.review.verdicts import Verdict

__all__ = ["HEAVY"]

HEAVY = frozenset(
    {
        "asyncio", "click", "concurrent", "ctypes", "email", "ftplib", "h11", "http", "imaplib", "importlib.metadata",
        "importlib_metadata", "multiprocessing", "pluggy", "poplib", "requests", "rich", "select", "selectors",
        "smtplib", "socket", "socketserver", "sqlite3", "ssl", "subprocess", "tkinter", "unittest",
        "urllib.request", "urllib.response", "urlschemes_access", "xml", "xmlrpc",
    }
)  # fmt: skip
"""Modules that parsing a URL does not need."""
MAX_SECONDS = 1.0
"""CPU seconds that the import may take."""


@check("light-import", "docs/how-to/plugins.md", first=True)
def light_import(scheme: ReviewedScheme) -> Verdict:
    """Importing the plugin to parse a URL imports neither its algorithms nor anything heavy."""
    code = scheme.require_code()
    example = next((each.url for each in scheme.record.examples if each.parts is not None), "")
    with suppress(URLError):  # imports what the core needs to parse
        scheme.generated_type.parse(example)
    before = {*sys.modules}
    began = process_time()
    loaded = scheme.scheme
    with suppress(URLError):
        loaded.url_type.parse(example)
    seconds = process_time() - began
    imported = {*sys.modules} - before
    heavy = sorted(each for each in imported if _is_heavy(each))
    if heavy:
        return failed(
            f"it imports {heavy[0]}, which parsing a URL does not need",
            "import it in the module of the algorithms, or in the function that needs it",
            *(f"imports {each}" for each in heavy[1:]),
        )
    algorithms = sorted(_algorithm_modules(loaded) & imported)
    if algorithms:
        return failed(
            f"it imports {algorithms[0]}, the module of the algorithms",
            'name that module, and let the core import it: Scheme(registration, MyURL, access="my_package.access")',
        )
    if seconds > MAX_SECONDS:
        return failed(f"the import takes {seconds:.1f} s of CPU time", "compute later what takes so long")
    third_party = sorted(
        each for each in imported
        if each.partition(".")[0] not in {*sys.stdlib_module_names, code.module.partition(".")[0]}
        and not each.startswith("urlschemes")
    )  # fmt: skip
    if third_party:
        return warned(
            f"parsing a URL imports {third_party[0]}, of another distribution", "import it when an access needs it"
        )
    return passed(f"{len(imported)} modules, {seconds * 1000:.0f} ms of CPU time")


def _is_heavy(module: str) -> bool:
    return module in HEAVY or any(module.startswith(f"{name}.") for name in HEAVY)


def _algorithm_modules(scheme: Scheme) -> set[str]:
    modules = set()
    for operation in scheme.registration.operations:
        with suppress(Exception):  # the check operations reports it
            modules.add(scheme.algorithm(operation).__module__)
    return modules


@check("leaves-alone", "docs/explanation/trust.md")
def leaves_alone(scheme: ReviewedScheme) -> Verdict:
    """Importing the plugin changes nothing else in the process."""
    from urlschemes_conformance.import_probe import probe_imports  # imports subprocess, which light_import must not see

    scheme.require_code()
    scheme.require_record()
    claim = scheme.target.claim
    report = probe_imports([claim], scheme.profile.name)[claim]
    if report.changes:
        return failed(
            f"importing it changes the process: {report.changes[0]}",
            "change only objects of the plugin itself at import",
            *report.changes[1:],
        )
    if report.fault:
        return skipped(f"it cannot be loaded, see the checks contract and operations: {report.fault}")
    return passed("modules, settings and threads are unchanged")
