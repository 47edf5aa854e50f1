"""Modules are imported when they are needed: a program that parses URLs imports no network code."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

# It runs in a new interpreter, and prints the modules that its statements imported.
CODE = """
    before = set(sys.modules)
    {statements}
    print(json.dumps(sorted(set(sys.modules) - before)))
"""
NETWORK = {"asyncio", "ftplib", "h11", "http", "select", "selectors", "smtplib", "socket", "ssl"}
HEAVY = {"click", "dataclasses", "difflib", "hashlib", "inspect", "logging", "pathlib", "pluggy", "rich"}


def imported(child: Callable[..., Any], *statements: str, **options: Any) -> set[str]:
    return set(child(CODE.format(statements="\n    ".join(statements)), **options))


def roots(modules: set[str]) -> set[str]:
    return {module.partition(".")[0] for module in modules}


def plugins(modules: set[str]) -> set[str]:
    # Where the native reader is installed, it is imported with the core.
    return {module for module in modules if re.match("urlschemes_(?!native)", module)}


@pytest.fixture
def warm(child: Callable[..., Any], tmp_path: Path) -> dict[str, str]:
    """Variables of a process that finds in a cache what is installed."""
    cache = {"URLSCHEMES_CACHE": str(tmp_path / "cache")}
    code = "from urlschemes.registry import discovery", "from urlschemes.storage import cache; cache.SETTLED_AFTER = 0"
    search = *code, "discovery.installed_claims()", "import urlschemes", "urlschemes.parse('ftp://host.dom/a')"
    assert "importlib_metadata" in roots(imported(child, *search, environ=cache))
    return cache


def test_the_core_imports_nothing_heavy(child: Callable[..., Any], warm: dict[str, str]) -> None:
    modules = imported(child, "import urlschemes", environ=warm)
    assert (NETWORK | HEAVY | {"importlib_metadata"}) & roots(modules) == set()
    assert plugins(modules) == set()


def test_clients_import_no_network_module_before_they_access(child: Callable[..., Any], warm: dict[str, str]) -> None:
    modules = imported(child, "import urlschemes_access.client", environ=warm)
    assert {"asyncio", "socket", "ssl"} & roots(modules) == set()


@pytest.mark.parametrize("other", ["from urlschemes import parse", "import urlschemes_ftp"])
def test_threads_may_begin_with_the_core_and_with_access(child: Callable[..., Any], other: str) -> None:
    code = f"""
        import threading, urlschemes_access
        failures, barrier = [], threading.Barrier(2)
        threading.excepthook = lambda args: failures.append(repr(args.exc_value))
        def run(code):
            barrier.wait()
            exec(code, {{"urlschemes_access": urlschemes_access}})
        threads = [threading.Thread(target=run, args=(code,)) for code in ("urlschemes_access.Client", {other!r})]
        for each in threads: each.start()
        for each in threads: each.join()
        print(json.dumps(failures))
        """
    assert child(code) == []


URLS = """ftp://host.dom/a https://host.dom/ http://host.dom/a?b gopher://host.dom/ mailto:joe@host.dom news:1@host.dom
nntp://host.dom/a/1 telnet://host.dom/ wais://host.dom/a?b file:///a prospero://host.dom/a"""


def test_parsing_imports_one_plugin_and_nothing_that_accesses(child: Callable[..., Any]) -> None:
    code = f"""
    import urlschemes
    by_url, seen = {{}}, set()
    for text in {URLS.split()!r}:
        assert str(urlschemes.parse(text)) == text
        by_url[text] = sorted(set(sys.modules) - seen)
        seen.update(sys.modules)
    print(json.dumps(by_url))
    """
    also = {
        "https": {"urlschemes_http", "urlschemes_http.request_url"},  # and then http imports nothing
        "mailto": {"urlschemes_mailto.url_types"},
    }
    for text, modules in child(code).items():
        scheme = text.partition(":")[0]
        own = {f"urlschemes_{scheme}"} if scheme != "http" else set()
        assert plugins(modules) == own | also.get(scheme, set())
        # Without a cache, `socket` is imported by importlib_metadata, for `email`.
        assert {"asyncio", "click", "h11", "pluggy", "rich", "ssl"} & roots(modules) == set()


def test_parsing_with_a_warm_cache_searches_for_nothing(child: Callable[..., Any], warm: dict[str, str]) -> None:
    modules = imported(child, "import urlschemes", "urlschemes.parse('ftp://host.dom/a')", environ=warm)
    assert (HEAVY | NETWORK | {"importlib_metadata"}) & roots(modules) == set()


def test_a_type_of_urls_parses_without_a_search(child: Callable[..., Any], warm: dict[str, str]) -> None:
    parse = "from urlschemes_ftp import FtpURL", "assert FtpURL.parse('ftp://host.dom/a').name == 'a'"
    modules = imported(child, *parse, environ=warm)
    assert plugins(modules) == {"urlschemes_ftp"}
    assert (NETWORK | HEAVY | {"importlib_metadata"}) & roots(modules) == set()


def test_reading_records_imports_no_plugin(child: Callable[..., Any]) -> None:
    modules = imported(child, "import urlschemes", "assert len(urlschemes.Registry().registrations()) >= 11")
    assert plugins(modules) == set()
    assert "pluggy" not in modules


def test_an_unknown_scheme_is_refused_without_importing_a_plugin(child: Callable[..., Any]) -> None:
    modules = imported(
        child,
        "import urlschemes",
        "try: urlschemes.parse('x-nobody:x')",
        "except urlschemes.UnknownScheme: pass",
        "else: raise SystemExit('known')",
    )
    assert plugins(modules) == set()


@pytest.mark.parametrize("read", ["error.code, error.position, error.span, error.part, error.message", "str(error)"])
def test_only_a_hint_that_is_read_imports_the_later_profile(child: Callable[..., Any], read: str) -> None:
    parse = "try: urlschemes.parse('http://host.dom/~joe')", f"except urlschemes.InvalidURL as error: {read}"
    modules = imported(child, "import urlschemes", *parse)
    assert ("urlschemes_rfc3986" in modules) == (read == "str(error)")
    assert "urlschemes_http.rfc3986" not in modules


def test_a_blocking_access_imports_no_event_loop(child: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "a").write_text("content")
    modules = imported(
        child,
        "import urlschemes_access",
        f"policy = urlschemes_access.Policy(roots=({str(tmp_path)!r},))",
        f"assert urlschemes_access.access('file://{tmp_path}/a', policy=policy).read() == b'content'",
    )
    assert {"urlschemes_access", "urlschemes_file"} <= plugins(modules)
    assert {"asyncio", "ssl"} & roots(modules) == set()


def test_servers_import_what_they_need_when_they_start(child: Callable[..., Any]) -> None:
    modules = imported(child, "import urlschemes_servers.demos")
    assert {"aiosmtpd", "asyncio", "http", "pyftpdlib", "ssl", "trustme"} & roots(modules) == set()
