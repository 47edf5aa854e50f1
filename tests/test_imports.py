"""What is imported, and what is not: a person who reads URLs pays for reading URLs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

# Each begins in a fresh interpreter and prints what it imported that was not there before.
COUNTED = """
    import sys
    before = set(sys.modules)
    {statements}
    imported = sorted(set(sys.modules) - before)
    import json
    print(json.dumps(imported))
"""
NETWORK = {"asyncio", "ftplib", "h11", "http", "select", "selectors", "smtplib", "socket", "ssl", "urllib"}
OTHERS = {"click", "importlib_metadata", "pluggy", "rich"}


def imported(child: Callable[..., Any], *statements: str) -> set[str]:
    return set(child(COUNTED.format(statements="\n    ".join(statements))))


def roots(modules: set[str]) -> set[str]:
    return {module.partition(".")[0] for module in modules}


def test_importing_the_package_imports_nothing_else(child: Callable[..., Any]) -> None:
    assert imported(child, "import urlschemes") == {"urlschemes"}


def test_reading_records_imports_no_plugin(child: Callable[..., Any]) -> None:
    modules = imported(child, "import urlschemes", "assert len(urlschemes.Registry().registrations()) >= 11")
    assert "urlschemes.registry.registry" in modules
    assert [module for module in modules if module.startswith("urlschemes_")] == []
    assert "pluggy" not in modules


@pytest.mark.parametrize(
    "text",
    [
        "ftp://host.dom/a",
        "http://host.dom/a?b",
        "https://host.dom/",
        "gopher://host.dom/",
        "mailto:joe@host.dom",
        "news:1@host.dom",
        "nntp://host.dom/a/1",
        "telnet://host.dom/",
        "wais://host.dom/a?b",
        "file:///a",
        "prospero://host.dom/a",
    ],
)
def test_parsing_imports_one_plugin_and_nothing_that_accesses(child: Callable[..., Any], text: str) -> None:
    modules = imported(child, "import urlschemes", f"url = urlschemes.parse({text!r})", f"assert str(url) == {text!r}")
    scheme = text.partition(":")[0]
    provided = {module for module in modules if module.startswith("urlschemes_")}
    assert provided == {f"urlschemes_{scheme}"} | ({"urlschemes_http"} if scheme == "https" else set())
    assert [module for module in modules if module.endswith(".access")] == []
    assert {"urlschemes_access.backends.blocking", "urlschemes_cli"} & modules == set()
    assert {"click", "h11", "pluggy", "rich"} & roots(modules) == set()


def test_an_access_that_blocks_imports_no_event_loop(child: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "a").write_text("content")
    modules = imported(
        child,
        "import urlschemes",
        f"policy = urlschemes_access.Policy(roots=({str(tmp_path)!r},))",
        f"assert urlschemes_access.access('file://{tmp_path}/a', policy=policy).read() == b'content'",
    )
    assert "urlschemes_access.backends.blocking" in modules
    assert "asyncio" not in roots(modules)
    assert [module for module in modules if module.startswith("urlschemes_access.client")] == []


def test_a_typed_parse_needs_neither_discovery_nor_network(child: Callable[..., Any]) -> None:
    modules = imported(
        child, "from urlschemes_ftp import FtpURL", "assert FtpURL.parse('ftp://host.dom/a').name == 'a'"
    )
    assert "urlschemes_ftp" in modules
    assert (NETWORK | OTHERS) & roots(modules) == set()
    assert "urlschemes.registry.discovery" not in modules


def test_an_unknown_scheme_is_refused_without_importing_a_plugin(child: Callable[..., Any]) -> None:
    modules = imported(
        child,
        "import urlschemes",
        "try: urlschemes.parse('x-nobody:x')",
        "except urlschemes.UnknownScheme: pass",
        "else: raise SystemExit('known')",
    )
    assert [module for module in modules if module.startswith("urlschemes_")] == []
