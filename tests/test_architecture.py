"""The arrows of the architecture: who may import whom, and what the core does not know."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections import Counter
from functools import cache
from graphlib import TopologicalSorter
from typing import TYPE_CHECKING, Any

import pytest
from source_code import Module, distribution_of, modules, modules_of, target
from workspace import ROOT, Distribution, distributions, scheme_plugins

from urlschemes.registry.claims import GROUPS, HOOKS, READERS, RECORDS, SCHEMES, SPECIFICATIONS
from urlschemes.registry.claims import PROFILES as PROFILE_GROUP
from urlschemes.registry.names import how_to_install, known_names, reserved_names
from urlschemes_cli.commands import OF_PLUGINS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CORE = ROOT / "core" / "src" / "urlschemes"
MAX_MODULES = 12
"""Modules that a folder may hold, `__init__.py` not counted."""
MAX_CORE_MODULES, MAX_CORE_LINES = 45, 9486
"""Modules of the core, `__init__.py` not counted; lines of all its Python files."""

NETWORK = {"asyncio", "click", "ftplib", "h11", "http", "rich", "select", "selectors", "smtplib", "socket", "ssl"}

CORE_NAME, CLI = "urlschemes", "urlschemes-cli"
# What an entry of a group names may import the distribution that uses the group.
ENTRY_MODULES = {"urlschemes.commands": {CLI}, "urlschemes.demos": {"urlschemes-testing"}}
# An import of a distribution that need not be installed: in a function, or in a module for the modules of extras.
OPTIONAL = {
    ("urlschemes_cli.commands.doctor", "urlschemes-conformance"),
    ("urlschemes_bridges.reader", "urlschemes-lint"),
    ("urlschemes_columns.row_reading", "urlschemes-lint"),
}


PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")


def maps() -> list[dict[str, set[str]]]:
    """Return the maps of the page in their order: what is imported, with those that import it."""
    blocks = [each for each in re.findall(r"^```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL) if "◄──" in each]
    lines = [re.findall(r"^(\S+) +◄── ((?:.|\n +)*)$", each, re.MULTILINE) for each in blocks]
    return [{name: {*re.split(r",\s+", importing)} for name, importing in each} for each in lines]


def entry_libraries(module: Module) -> set[str]:
    """Return the distributions that the module may import since it is for a command, or is named after an extra."""
    entry_points = module.distribution.project.get("entry-points", {})
    return module.distribution.extras(module.name.split(".")[1:]) | {
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


def short(distribution: str) -> str:
    """Return the name of a distribution in the map."""
    return "core" if distribution == CORE_NAME else distribution.removeprefix("urlschemes-")


def test_the_maps_show_every_arrow_between_distributions() -> None:
    required: dict[str, set[str]] = {}
    others: dict[str, set[str]] = {}
    for module in modules().values():
        own = module.distribution
        for name in {distribution_of(each) for each in module.imports} - {None, own.name}:
            assert name is not None
            arrows = required if name in own.requirements else others
            arrows.setdefault(short(name), set()).add(short(own.name))
    by_requirement, by_extra, _ = maps()
    missing = {short(each.name) for each in distributions()} - required.pop("core") - {"core"}
    assert by_requirement.pop("core") == {f"all but {' and '.join(sorted(missing))}"}
    assert (by_requirement, by_extra) == (required, others)


@pytest.mark.parametrize("distribution", distributions(), ids=str)
def test_a_distribution_depends_on_those_that_it_imports(distribution: Distribution) -> None:
    named = {None, distribution.name, *distribution.requirements}
    wrong = [
        f"{module}: {target(each)}"
        for module in modules_of(distribution.name)
        for each in module.imports
        if each.when != "for types"
        and distribution_of(each) not in named | entry_libraries(module)
        and (module.name, distribution_of(each)) not in OPTIONAL
    ]
    assert wrong == []


def test_a_distribution_with_a_command_requires_the_command_line_or_has_an_extra_for_it() -> None:
    with_commands = [each for each in distributions() if "urlschemes.commands" in each.project.get("entry-points", {})]
    assert len(with_commands) > 1
    for each in with_commands:
        assert CLI in each.requirements or each.extras(["cli"]) == {CLI}, each


def test_no_distributions_need_each_other() -> None:
    needed = {each.name: each.requirements for each in distributions()}
    assert [name for name in needed if any(name in closure(other) for other in needed[name])] == []


@pytest.mark.parametrize("distribution", [each for each in distributions() if each.has_code], ids=str)
def test_a_distribution_uses_no_private_name_of_another(distribution: Distribution) -> None:
    others = frozenset().union(*(private_names(each.name) for each in distributions() if each is not distribution))
    foreign = others - private_names(distribution.name)
    wrong = []
    for module in modules_of(distribution.name):
        for each in module.imports:
            private = [part for part in [*each.module.split("."), each.name] if is_private(part)]
            if private and distribution_of(each) not in {None, distribution.name}:
                wrong.append(f"{module.path.name}:{each.line}: {target(each)}.{each.name}")
        wrong += [
            f"{module.path.name}:{node.lineno}: {ast.unparse(node)}"
            for node in module.nodes
            if isinstance(node, ast.Attribute) and node.attr in foreign
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
        for node in module.nodes:
            match node:
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                    found.add(name)
                case ast.Attribute(attr=name, ctx=ast.Store()) | ast.Name(id=name, ctx=ast.Store()):
                    found.add(name)
                case ast.Constant(value=str() as name) if name.isidentifier():  # slots, `getattr`
                    found.add(name)
    return frozenset(filter(is_private, found))


def test_no_modules_import_each_other() -> None:
    """For types and in functions, too."""
    graph = {name: {*map(target, module.imports)} for name, module in modules().items()}
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the modules


# Modules that import one whose name is not in their code, besides `storage` and `registry` of the core, each with why.
BY_NAME = {
    "urlschemes_guard.decoding": "the libraries of codings that are installed, as the guarded clients do",
    "urlschemes_access": "what it offers, when it is used: the command reads a configuration file and opens nothing",
    "urlschemes_cli.app": "its commands, each when it is run: to import all takes longer than most of them",
    "urlschemes_conformance.import_probe.child": "all of a plugin, in a process of its own, to see what changes",
}


def test_a_module_imports_no_module_by_a_computed_name() -> None:
    found = {
        module.name
        for module in modules().values()
        for node in module.nodes
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).rpartition(".")[2] in {"import_module", "__import__"}
        and not isinstance(node.args[0], ast.Constant)
    }
    own = {name for name in found if package_of(name) in {"storage", "registry"}}
    assert own, "the scan finds none"
    assert found - own == BY_NAME.keys()


def test_a_folder_holds_at_most_a_dozen_modules() -> None:
    counts = Counter(module.path.parent for module in modules().values() if module.path.name != "__init__.py")
    assert {str(path.relative_to(ROOT)): count for path, count in counts.items() if count > MAX_MODULES} == {}


# The packages of the core


def package_of(module: str) -> str:
    """Return the package of the core that the module is in, or its own name; "" for the core itself."""
    package, dot, _ = module.removeprefix("urlschemes").removeprefix(".").partition(".")
    return "rfc1738.algorithms" if package == "rfc1738" and dot else package


def test_the_map_shows_every_arrow_between_packages_of_the_core() -> None:
    arrows: dict[str, set[str]] = {}
    for module in modules_of(CORE_NAME):
        own = package_of(module.name)
        for package in {package_of(target(each)) for each in module.imports if distribution_of(each) == CORE_NAME}:
            if own not in {package, ""}:
                arrows.setdefault(package, set()).add(own)
    _, _, drawn = maps()
    assert drawn == arrows
    in_order = [*drawn, "registry"]
    assert [
        (package, other)
        for package, importing in drawn.items()
        for other in importing & {*in_order}
        if in_order.index(other) <= in_order.index(package)
    ] == []


def test_the_core_is_small() -> None:
    files = [*CORE.rglob("*.py")]
    assert sum(file.name != "__init__.py" for file in files) <= MAX_CORE_MODULES
    assert sum(len(file.read_text("utf-8").splitlines()) for file in files) <= MAX_CORE_LINES


def test_every_package_of_the_core_lists_its_modules() -> None:
    for package in CORE.glob("*/__init__.py"):
        listed = re.findall(r"^    (\w+\.py) ", package.read_text("utf-8"), re.MULTILINE)
        assert sorted(listed) == sorted(file.name for file in package.parent.glob("*.py") if file != package), package


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
    "data": "what is not a delimiter",
}
# The shared rules of section 5, the one ledger of names that RFC 1738 settles, and the reserved names of profiles.
DATA = {"ledger.toml", "reserved.toml", "rfc1738.bnf"}
SECTION_4 = {"afs", "mid", "cid", "nfs", "tn3270", "mailserver", "z39.50"}
SECTION_3 = {"ftp", "http", "gopher", "mailto", "news", "nntp", "telnet", "wais", "file", "prospero"}
NAMES = SECTION_3 | SECTION_4 | {"https"} | {name for plugin in scheme_plugins() for name in plugin.schemes}


def literals(kind: type) -> Iterator[tuple[Path, int, Any]]:
    """Yield the literals of the core's code with their places; docstrings are not code."""
    for module in modules_of(CORE_NAME):
        prose = {
            node.value for node in module.nodes if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        }
        for node in module.nodes:
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
            within = name not in {"data", "file", "news"} and re.search(word, lowered) is not None
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
    found, names = [], NAMES - {"data", "file", "news", "mid", "cid"}
    for module in modules_of(CORE_NAME):
        for node in module.nodes:
            name = getattr(node, "name", None) or getattr(node, "attr", None) or getattr(node, "id", None)
            if isinstance(name, str):
                words = {word.lower() for word in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+", name)}
                found += [f"{module}: {name}" for scheme in names if scheme in words]
    assert found == []


def test_no_port_of_a_scheme_is_in_the_core() -> None:
    ports = {plugin.record.get("default_port") for plugin in scheme_plugins()}
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
        own |= defined(plugin.record["syntax"]["bnf"] if plugin.record else "") - shared
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
    assert reserved["profiles"] == {"rfc3986": "urlschemes-rfc3986"}
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
    assert own - users.keys() == {SCHEMES, HOOKS, SPECIFICATIONS, PROFILE_GROUP, READERS, RECORDS, GROUPS}


def test_a_hint_names_the_folder_of_the_distribution(monkeypatch: pytest.MonkeyPatch) -> None:
    reserved = reserved_names()._replace(published=False)
    monkeypatch.setattr("urlschemes.registry.names.reserved_names", lambda: reserved)
    named = {*OF_PLUGINS.values(), *reserved.profiles.values(), *reserved.kinds}
    named |= {reserved.iana} | {known.distribution for known in known_names().values() if known.distribution}
    for module in modules().values():
        named |= {*re.findall(r"how_to_install\(['\"]([\w-]+)['\"]\)", module.path.read_text("utf-8"))}
    for name in named:
        (folder,) = re.findall(r"\(in a checkout: (\S+)\)", how_to_install(name))
        assert tomllib.loads((ROOT / folder / "pyproject.toml").read_text("utf-8"))["project"]["name"] == name


def test_the_page_names_every_module_that_asks_for_the_system() -> None:
    (row,) = re.findall(r"^\| what differs between systems.*", PAGE, re.MULTILINE)
    asking = {
        module.path.relative_to(ROOT).as_posix()
        for module in modules().values()
        for node in module.nodes
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        if f"{node.value.id}.{node.attr}" in {"os.name", "sys.platform", "platform.system"}
    }
    assert asking == {*re.findall(r"`((?:core|plugins)/[^`]*)`", row)}


def test_the_page_names_paths_that_exist_and_every_package_of_the_core() -> None:
    paths = re.findall(r"`((?:core|plugins)/[^`]*)`", PAGE)
    assert [path for path in paths if not (ROOT / path.replace("NAME", "ftp")).exists()] == []
    packages = {path.parent.name for path in CORE.glob("*/__init__.py")}
    assert packages == set(re.findall(r"^\| `urlschemes\.(\w+)` \|", PAGE, re.MULTILINE))
