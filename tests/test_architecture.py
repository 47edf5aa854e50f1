"""The arrows of the architecture: who may import whom, and what the core does not know."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from source_code import Module, distribution_of, modules, modules_of, target
from workspace import ROOT, Distribution, distributions, scheme_plugins

from urlschemes.registry.claims import GROUPS, HOOKS, READERS, SCHEMES
from urlschemes.registry.claims import PROFILES as PROFILE_GROUP
from urlschemes.registry.known_names import how_to_install, known_names, reserved_names
from urlschemes_cli.commands import OF_PLUGINS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CORE = ROOT / "core" / "src" / "urlschemes"
MAX_MODULES = 12
"""Modules that a folder may hold, `__init__.py` not counted."""
MAX_CORE_MODULES, MAX_CORE_LINES = 41, 8700
"""Modules of the core, `__init__.py` not counted; lines of all its Python files."""
NOT_COUNTED = {"conversion.py", "dialect.py", "table.py", "table_builder.py"}
"""Modules of the core that no limit counts: without them its own profile works, in pure Python."""
PROFILE, MAX_PROFILE_LINES = CORE / "rfc1738", 360
"""The core's own profile, which is counted by itself: other profiles are distributions."""

# The packages of the core, each with those that it may import. `storage` is at the bottom; `url` and `scheme` may name
# types of each other for type checkers only. A profile is imported late, when one of its algorithms is first needed;
# the registry is, when a URL is first converted to another profile.
PACKAGES = {
    "version": set[str](),
    "redaction": set[str](),
    "errors": {"redaction"},
    "storage": {"errors", "redaction", "version"},
    "grammar": {"errors", "redaction", "storage"},
    "url": {"errors", "redaction", "grammar"},
    "rfc1738": {"errors", "grammar", "url"},
    "scheme": {"errors", "redaction", "storage", "grammar", "url"},
    "registry": {"errors", "redaction", "storage", "grammar", "url", "scheme"},
}
NETWORK = {"asyncio", "click", "ftplib", "h11", "http", "rich", "select", "selectors", "smtplib", "socket", "ssl"}

# The distributions that a distribution may import, by the folder that it is in ...
CORE_NAME, ACCESS, CLI = "urlschemes", "urlschemes-access", "urlschemes-cli"
KINDS = {
    "core": set[str](),
    "capabilities": {CORE_NAME},
    "schemes": {CORE_NAME, ACCESS},
    "extensions": {CORE_NAME, ACCESS},
}
# ... besides those that build on another of their kind, and the tools, each of which has its own place.
FURTHER = {
    "urlschemes-https": {"urlschemes-http"},
    "urlschemes-mirror": {ACCESS},
    "urlschemes-news": {"urlschemes-nntp"},
}
CAPABILITIES = {CORE_NAME, ACCESS, "urlschemes-lint", "urlschemes-text"}
TOOLS = {
    CLI: CAPABILITIES,
    "urlschemes-testing": {CORE_NAME, ACCESS},
    "urlschemes-servers": {CORE_NAME, ACCESS, "urlschemes-lint", "urlschemes-testing", CLI},
    "urlschemes-conformance": {CORE_NAME, ACCESS, "urlschemes-lint", "urlschemes-testing", CLI},
    "urlschemes-site": {CORE_NAME, ACCESS, "urlschemes-lint", CLI},
}
# What an entry of a group names may import the distribution that uses the group.
ENTRY_MODULES = {"urlschemes.commands": {CLI}, "urlschemes.demos": {"urlschemes-testing"}}
# What the registry imports for the schemes of a further profile may import the distribution of that profile: an extra.
PROFILES = {"rfc3986": "urlschemes-rfc3986"}
# An import in a function, of a distribution that need not be installed.
OPTIONAL = {("urlschemes_cli.commands.doctor", "urlschemes-conformance")}


def kind_of(distribution: Distribution) -> str:
    return "core" if distribution.folder.name == "core" else distribution.folder.parent.name


def allowed(module: Module) -> set[str]:
    """Return the distributions that the module may import."""
    distribution = module.distribution
    found = {distribution.name} | FURTHER.get(distribution.name, set())
    found |= TOOLS.get(distribution.name, KINDS.get(kind_of(distribution), closure(distribution.name)))
    return found | entry_libraries(module)


def entry_libraries(module: Module) -> set[str]:
    """Return the distributions that the module may import since only a command or a profile imports it."""
    entry_points = module.distribution.project.get("entry-points", {})
    profiles = {PROFILES[name] for name in module.name.split(".")[1:] if name in PROFILES}
    extras = module.distribution.project.get("optional-dependencies", {})
    assert all(any(each.startswith(name) for each in extras[name.removeprefix("urlschemes-")]) for name in profiles)
    return profiles | {
        name
        for group, names in ENTRY_MODULES.items()
        if module.name in {place.partition(":")[0] for place in entry_points.get(group, {}).values()}
        for name in names
    }


@cache
def closure(name: str) -> set[str]:
    """Return the distributions that are installed with the distribution `name`."""
    needed = {each.name: each.requirements for each in distributions()}.get(name, set())
    return {name}.union(*map(closure, needed))


# Distributions


@pytest.mark.parametrize("distribution", [each for each in distributions() if each.has_code], ids=str)
def test_a_distribution_imports_distributions_below_its_own(distribution: Distribution) -> None:
    wrong = [
        f"{module}, line {each.line}: {target(each)} ({each.when})"
        for module in modules_of(distribution.name)
        for each in module.imports
        if distribution_of(each) not in {None, *allowed(module)}
        and not (each.when == "late" and (module.name, distribution_of(each)) in OPTIONAL)
    ]
    assert wrong == []


@pytest.mark.parametrize("distribution", distributions(), ids=str)
def test_a_distribution_depends_on_those_that_it_imports(distribution: Distribution) -> None:
    named = {None, distribution.name, *distribution.requirements}
    wrong = [
        f"{module}: {target(each)}"
        for module in modules_of(distribution.name)
        for each in module.imports
        if each.when != "for types"
        and distribution_of(each) not in named | entry_libraries(module)
        and not (each.when == "late" and (module.name, distribution_of(each)) in OPTIONAL)
    ]
    assert wrong == []


def test_a_distribution_with_a_command_requires_the_command_line_or_has_an_extra_for_it() -> None:
    with_commands = [each for each in distributions() if "urlschemes.commands" in each.project.get("entry-points", {})]
    assert len(with_commands) > 1
    for each in with_commands:
        extra = each.project.get("optional-dependencies", {}).get("cli")
        assert CLI in each.requirements or extra == [f"{CLI}>=0.1"], each


def test_no_distributions_need_each_other() -> None:
    needed = {each.name: each.requirements for each in distributions()}
    assert [name for name in needed if any(name in closure(other) for other in needed[name])] == []


@pytest.mark.parametrize("distribution", [each for each in distributions() if each.has_code], ids=str)
def test_a_distribution_uses_no_private_name_of_another(distribution: Distribution) -> None:
    own = private_names(distribution.name)
    others = frozenset().union(*(private_names(each.name) for each in distributions() if each is not distribution))
    wrong = []
    for module in modules_of(distribution.name):
        for each in module.imports:
            private = [part for part in [*each.module.split("."), each.name] if is_private(part)]
            if private and distribution_of(each) not in {None, distribution.name}:
                wrong.append(f"{module.path.name}:{each.line}: {target(each)}.{each.name}")
        wrong += [
            f"{module.path.name}:{node.lineno}: {ast.unparse(node)}"
            for node in ast.walk(module.tree)
            if isinstance(node, ast.Attribute) and node.attr in others - own
            if ast.unparse(node.value) not in sys.stdlib_module_names  # as in os._exit
        ]
    assert wrong == []


def is_private(name: str) -> bool:
    named_tuple = {"_asdict", "_fields", "_make", "_replace"}
    return name.startswith("_") and not name.startswith("__") and name not in named_tuple


@cache
def private_names(distribution: str) -> frozenset[str]:
    """Return the private names that the modules of a distribution define or assign, slots included."""
    found = set()
    for module in modules_of(distribution):
        for node in ast.walk(module.tree):
            match node:
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                    found.add(name)
                case ast.Attribute(attr=name, ctx=ast.Store()) | ast.Name(id=name, ctx=ast.Store()):
                    found.add(name)
                case ast.Constant(value=str() as name) if name.isidentifier():  # slots, `getattr`
                    found.add(name)
    return frozenset(filter(is_private, found))


def test_no_modules_import_each_other() -> None:
    graph = {
        name: {target(each) for each in module.imports if each.when == "at import"} & modules().keys()
        for name, module in modules().items()
    }
    done: set[str] = set()

    def visit(name: str, path: tuple[str, ...]) -> None:
        assert name not in path, " -> ".join((*path[path.index(name) :], name))
        if name not in done:
            for other in sorted(graph[name]):
                visit(other, (*path, name))
            done.add(name)

    for name in graph:
        visit(name, ())


def test_a_folder_holds_at_most_a_dozen_modules() -> None:
    counts = Counter(
        module.path.parent for module in modules().values() if module.path.name not in {"__init__.py", *NOT_COUNTED}
    )
    assert {str(path.relative_to(ROOT)): count for path, count in counts.items() if count > MAX_MODULES} == {}


# The packages of the core


def package_of(module: str) -> str:
    """Return the package of the core that the module is in, or its own name; "" for the core itself."""
    return module.removeprefix("urlschemes").removeprefix(".").partition(".")[0]


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_of_the_core_imports_packages_below_its_own(package: str) -> None:
    wrong = [
        f"{module}, line {each.line}: {target(each)}"
        for module in modules_of(CORE_NAME)
        for each in module.imports
        if package_of(module.name) == package
        and each.when != "for types"
        and distribution_of(each) == CORE_NAME
        and package_of(target(each)) not in {package, *PACKAGES[package]}
    ]
    assert wrong == []


def test_the_core_is_small() -> None:
    profile = [*PROFILE.rglob("*.py")]
    assert sum(len(file.read_text("utf-8").splitlines()) for file in profile) <= MAX_PROFILE_LINES
    files = [file for file in CORE.rglob("*.py") if file.name not in NOT_COUNTED and file not in profile]
    assert sum(file.name != "__init__.py" for file in files) <= MAX_CORE_MODULES
    assert sum(len(file.read_text("utf-8").splitlines()) for file in files) <= MAX_CORE_LINES


def test_every_package_of_the_core_lists_its_modules() -> None:
    for package in CORE.glob("*/__init__.py"):
        listed = re.findall(r"^    (\w+\.py) ", package.read_text("utf-8"), re.MULTILINE)
        assert sorted(listed) == sorted(file.name for file in package.parent.glob("*.py") if file != package), package


def test_the_core_has_the_packages_that_are_ordered_here() -> None:
    assert {package_of(module.name) for module in modules_of(CORE_NAME)} == {"", *PACKAGES}


def test_the_core_imports_nothing_of_networks_terminals_or_plugins() -> None:
    found = []
    for module in modules_of(CORE_NAME):
        for each in module.imports:
            root = each.module.partition(".")[0]
            if root in NETWORK or root.startswith("urlschemes_") or target(each) == "urllib.request":
                found.append(f"{module}: {each.module}")
    assert found == []


def test_the_core_depends_on_two_distributions() -> None:
    used = {each.module.partition(".")[0] for module in modules_of(CORE_NAME) for each in module.imports}
    assert used - sys.stdlib_module_names == {"urlschemes", "importlib_metadata", "pluggy"}


# The core knows no scheme

# Names of schemes that are also words, or names of things that the core must name, where they stand alone in a string:
# each with the reason. Everything else that is a scheme's name is refused.
WORDS = {
    "file": "a directory's counterpart",
}
# The shared rules of section 5, the one ledger of names that RFC 1738 settles, and the reserved names of profiles.
DATA = {"ledger.toml", "reserved.toml", "rfc1738.bnf"}
SECTION_4 = {"afs", "mid", "cid", "nfs", "tn3270", "mailserver", "z39.50"}
SECTION_3 = {"ftp", "http", "gopher", "mailto", "news", "nntp", "telnet", "wais", "file", "prospero"}
NAMES = SECTION_3 | SECTION_4 | {"https"} | {name for plugin in scheme_plugins() for name in plugin.schemes}


def record_of(plugin: Distribution) -> dict[str, Any]:
    return tomllib.loads((plugin.package / "registration.toml").read_text("utf-8"))


def literals(kind: type) -> Iterator[tuple[Path, int, Any]]:
    """Yield the literals of the core's code with their places; docstrings are not code."""
    for module in modules_of(CORE_NAME):
        prose = {
            node.value
            for node in ast.walk(module.tree)
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        }
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Constant) and type(node.value) is kind and node not in prose:
                yield module.path, node.lineno, node.value


def test_the_scan_finds_literals() -> None:
    assert sum(1 for _ in literals(str)) > 500
    assert sum(1 for _ in literals(int)) > 100


def test_no_scheme_is_named_in_the_core() -> None:
    found = []
    for path, line, text in literals(str):
        lowered = text.lower()
        for name in NAMES:
            word = rf"(?<![\w.+]){re.escape(name)}(?![\w.+-])"
            alone = lowered == name and name not in WORDS
            begins = re.search(rf"(?<![\w.+-]){re.escape(name)}:(?!\w*\s)", lowered) is not None
            within = name not in {"file", "news"} and re.search(word, lowered) is not None
            if alone or begins or within:
                found.append(f"{path.name}:{line}: {name} in {text[:60]!r}")
    assert found == []


def test_no_plugin_is_named_in_the_core() -> None:
    names = {each.name for each in distributions() if each.name != CORE_NAME}
    found = [
        f"{path.name}:{line}: {text}" for path, line, text in literals(str) if names & {*re.split(r"[^\w-]", text)}
    ]
    assert found == []


def test_no_identifier_of_the_core_is_named_after_a_scheme() -> None:
    found = []
    for module in modules_of(CORE_NAME):
        for node in ast.walk(module.tree):
            name = getattr(node, "name", None) or getattr(node, "attr", None) or getattr(node, "id", None)
            if isinstance(name, str):
                words = {word.lower() for word in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+", name)}
                found += [f"{module}: {name}" for scheme in NAMES - {"file", "news", "mid", "cid"} if scheme in words]
    assert found == []


def test_no_port_of_a_scheme_is_in_the_core() -> None:
    ports = {record_of(plugin).get("default_port") for plugin in scheme_plugins()}
    ports |= {21, 23, 25, 70, 80, 119, 210, 443, 1525}
    found = []
    for path, number, value in literals(int):
        line = path.read_text("utf-8").splitlines()[number - 1]
        if value in ports and (value > 100 or "port" in line.lower()):  # small numbers count other things too
            found.append(f"{path.name}:{number}: {line.strip()}")
    assert found == []


def test_no_rule_of_a_scheme_is_in_the_core() -> None:
    def defined(text: str) -> set[str]:
        return set(re.findall(r"^\s*([A-Za-z][\w-]*)\s*=", text, re.MULTILINE))

    shared = defined((CORE / "rfc1738" / "rfc1738.bnf").read_text("utf-8"))
    own: set[str] = set()
    for plugin in scheme_plugins():
        own |= defined(record_of(plugin)["syntax"]["bnf"]) - shared
    assert len(own) > 10
    # Rules whose name is a plain word are found by the others of their scheme.
    plain = {"path", "search", "selector", "segment", "group", "article"}
    found = [f"{path.name}:{line}: {text}" for path, line, text in literals(str) if text in own - plain]
    assert found == []


def test_the_core_has_no_data_but_shared_rules_and_reserved_names() -> None:
    others = {path.name for path in CORE.rglob("*") if path.is_file() and path.suffix not in {".py", ".pyc"}}
    assert others == DATA | {"py.typed"}


def test_the_ledger_holds_names_and_words_and_nothing_that_works() -> None:
    ledger = tomllib.loads((CORE / "registry" / "ledger.toml").read_text("utf-8"))
    assert set(ledger) == SECTION_3 | SECTION_4 | {"https"}
    for name, entry in ledger.items():
        assert set(entry) <= {"means", "status", "reference", "since", "distribution"}, name
        assert entry.get("distribution") == (None if name in SECTION_4 else f"urlschemes-{name}")


def test_the_reserved_names_are_those_of_this_workspace() -> None:
    reserved = tomllib.loads((CORE / "registry" / "reserved.toml").read_text("utf-8"))
    assert reserved["profiles"] == PROFILES
    assert reserved["iana"] in {each.name for each in distributions()}
    entries = [(each.name, each.project.get("entry-points", {})) for each in distributions()]
    commands = {command: name for name, groups in entries for command in groups.get("urlschemes.commands", {})}
    assert commands == OF_PLUGINS


def test_each_group_of_entry_points_is_the_cores_or_one_that_a_distribution_uses() -> None:
    groups = [each.project.get("entry-points", {}) for each in distributions()]
    modules_by_group = {f"{HOOKS}.{name}": module for each in groups for name, module in each.get(GROUPS, {}).items()}
    users = {group: {module.partition(".")[0].replace("_", "-")} for group, module in modules_by_group.items()}
    assert users == ENTRY_MODULES
    own = {name for each in groups for name in each if name.partition(".")[0] == HOOKS}
    assert own - users.keys() == {SCHEMES, HOOKS, PROFILE_GROUP, READERS, GROUPS}


def test_a_hint_names_the_folder_of_the_distribution(monkeypatch: pytest.MonkeyPatch) -> None:
    reserved = reserved_names()._replace(published=False)
    monkeypatch.setattr("urlschemes.registry.known_names.reserved_names", lambda: reserved)
    named = {*OF_PLUGINS.values(), *reserved.profiles.values(), *reserved.kinds}
    named |= {reserved.iana} | {known.distribution for known in known_names().values() if known.distribution}
    for module in modules().values():
        named |= {*re.findall(r"how_to_install\(['\"]([\w-]+)['\"]\)", module.path.read_text("utf-8"))}
    for name in named:
        (folder,) = re.findall(r"\(in a checkout: (\S+)\)", how_to_install(name))
        assert tomllib.loads((ROOT / folder / "pyproject.toml").read_text("utf-8"))["project"]["name"] == name


def test_the_page_names_paths_that_exist_and_every_package_of_the_core() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    paths = re.findall(r"`((?:core|plugins)/[^`]*)`", page)
    assert [path for path in paths if not (ROOT / path.replace("NAME", "ftp")).exists()] == []
    packages = {path.parent.name for path in CORE.glob("*/__init__.py")}
    assert packages == set(re.findall(r"^\| `urlschemes\.(\w+)` \|", page, re.MULTILINE))
