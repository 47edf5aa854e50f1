"""Rules for the distributions and files of the workspace: one folder is one plugin."""

from __future__ import annotations

import ast
import importlib
import re
import runpy
import shutil
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import versions
from workspace import ROOT, Distribution, distributions, must, name_in, scheme_plugins, workspace_files

from urlschemes.registry.names import reserved_names

if TYPE_CHECKING:
    from urlschemes import Scheme

SECTION_3 = {"ftp", "http", "gopher", "mailto", "news", "nntp", "telnet", "wais", "file", "prospero"}
"""The schemes that RFC 1738 defines."""


def scheme_of(plugin: Distribution) -> Scheme:
    """Return the scheme of a plugin; one whose record is in a ledger has it in the profile of today."""
    module = plugin.package.name if plugin.record else f"{plugin.package.name}.rfc3986"
    scheme: Scheme = importlib.import_module(module).scheme
    return scheme


# Every distribution


@pytest.mark.parametrize("distribution", distributions(), ids=str)
def test_a_distribution_has_its_readme_its_licence_and_its_types(distribution: Distribution) -> None:
    readme = (distribution.folder / "README.md").read_text("utf-8")
    assert readme.startswith(f"# {distribution.name}\n")
    assert len(readme.splitlines()) > 2, "a README says what its distribution is for"
    assert (distribution.folder / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
    if distribution.has_code:
        assert (distribution.package / "py.typed").read_bytes() == b""
        assert (distribution.package / "__init__.py").is_file()
    project = distribution.project
    assert project["readme"] == "README.md"
    assert project["license-files"] == ["LICENSE"]
    table = versions.table()
    assert (project["version"], project["requires-python"]) == (table["version"], f">={table['python'][0]}")
    assert distribution.folder.name in (distribution.name.removeprefix("urlschemes-"), "core")


def test_files_repeat_the_table() -> None:
    assert versions.changes() == {}, "run `python3 dev versions`"


def test_another_table_is_written_into_every_distribution(monkeypatch: pytest.MonkeyPatch) -> None:
    old, status = versions.table(), "Development Status :: 5 - Production/Stable"
    other = {"version": "1.2.3", "python": ["3.98", "3.99"], "urls": {"Source": "https://forge.example/urlschemes"}}
    monkeypatch.setattr(versions, "table", lambda: {**old, **other, "classifiers": [status, *old["classifiers"][1:]]})
    changed = versions.changes()
    for distribution in distributions():
        project = tomllib.loads(changed[distribution.folder / "pyproject.toml"])["project"]
        assert (project["version"], project["requires-python"]) == ("1.2.3", ">=3.98")
        classifiers = project["classifiers"]
        assert re.findall(r":: (3\.\d+)", " ".join(classifiers)) == ["3.98", "3.99"]
        needed = [project.get("dependencies", []), *project.get("optional-dependencies", {}).values()]
        ours = [each for group in needed for each in group if each.startswith("urlschemes")]
        assert {each.partition(">=")[2] for each in ours} <= {"1.2", "1.2,<2"}
        if distribution.folder.name.startswith("x-"):  # what `urlschemes new` makes
            continue
        assert project["urls"] == other["urls"]
        before = distribution.project["classifiers"]
        is_own = [each not in old["classifiers"] and ":: 3" not in each for each in before]
        assert classifiers[: sum(is_own)] == [each for each, own in zip(before, is_own, strict=True) if own]
        assert classifiers[sum(is_own)] == status
        assert classifiers[sum(is_own) :] == sorted(classifiers[sum(is_own) :])


def test_the_plugins_of_this_workspace_are_found() -> None:
    assert SECTION_3 | {"https"} <= {name for plugin in scheme_plugins() for name in plugin.schemes}


def test_one_distribution_without_code_stands_for_the_ten_schemes_of_section_3() -> None:
    (ten,) = (each for each in distributions() if not each.has_code)
    assert ten.name == "urlschemes-rfc1738"
    files = {path.relative_to(ten.folder).as_posix() for path in workspace_files() if ten.folder in path.parents}
    assert files == {"LICENSE", "README.md", "pyproject.toml"}
    assert ten.requirements == {f"urlschemes-{name}" for name in SECTION_3}


# A plugin


@pytest.mark.parametrize("plugin", scheme_plugins(), ids=str)
def test_one_name_for_folder_distribution_entry_point_and_record(plugin: Distribution) -> None:
    (name,) = plugin.schemes
    assert plugin.folder.name == name
    assert plugin.name == f"urlschemes-{name}"
    assert plugin.schemes[name] == f"{plugin.package.name}:scheme"
    assert scheme_of(plugin).registration.scheme == name


@pytest.mark.parametrize("plugin", scheme_plugins(), ids=str)
def test_the_same_file_names_in_every_plugin(plugin: Distribution) -> None:
    package = plugin.package.name
    name = package.removeprefix("urlschemes_")
    wanted = {
        "README.md",
        "LICENSE",
        "pyproject.toml",
        f"src/{package}/__init__.py",
        f"src/{package}/py.typed",
        *([f"src/{package}/registration.toml"] if plugin.record else []),
        f"tests/test_{name}_syntax.py",
    }
    of_access = {f"src/{package}/access.py", f"tests/test_{name}_access.py"}
    there = {path.relative_to(plugin.folder).as_posix() for path in workspace_files() if plugin.folder in path.parents}
    scheme = scheme_of(plugin)
    if not scheme.registration.operations:  # it is for reading only
        assert there & of_access == set()
        assert wanted <= there
        return
    module = scheme.algorithm(scheme.registration.operations[0]).__module__
    if not module.startswith(f"{package}."):  # the algorithm of another plugin, which it then depends on
        assert module.endswith(".access")
        assert module.partition(".")[0].replace("_", "-") in plugin.requirements
        of_access.remove(f"src/{package}/access.py")
    assert (wanted | of_access) - there == set()


def test_nothing_outside_the_plugins_folders_lists_them() -> None:
    for name in ("pyproject.toml", "dev", ".ci/run"):
        text = (ROOT / name).read_text("utf-8")
        named = [plugin.name for plugin in scheme_plugins() if re.search(rf"\b{plugin.name}\b", text)]
        assert named == [], name
        assert re.search(r"plugins/(schemes|extensions)/\w", text) is None, name


MADE_UP = {
    "pyproject.toml": """
        [build-system]
        requires = ["hatchling>=1.25"]
        build-backend = "hatchling.build"

        [project]
        name = "urlschemes-x-made"
        version = "0.1.0"
        requires-python = ">=3.11"
        dependencies = ["urlschemes>=0.1"]

        [project.entry-points."urlschemes.schemes"]
        x-made = "urlschemes_x_made"
        """,
    "src/urlschemes_x_made/__init__.py": "",
    "src/urlschemes_x_made/registration.toml": """
        api = 1
        scheme = "x-made"
        status = "experimental"
        title = "A made-up scheme"
        reference = "none"
        contact = "nobody"
        change_controller = "nobody"
        operations = []
        encoding_considerations = "None: letters and digits alone."
        interoperability_considerations = "None."
        security_considerations = "None: nothing is accessed."

        [syntax]
        rule = "made"
        bnf = '''
        made  = "x-made:" name
        name  = 1*alphadigit
        '''

        [syntax.parts]
        name = { at = "name" }

        [[examples]]
        url = "x-made:abc"
        parts = { name = "abc" }
        says = "a name"
        """,
    "tests/test_x_made_syntax.py": """
        import urlschemes


        def test_the_name() -> None:
            assert urlschemes.parse("x-made:abc").parts["name"] == "abc"
        """,
}


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_new_plugin_is_one_new_folder(tmp_path: Path) -> None:
    copy = tmp_path / "workspace"
    for path in workspace_files():
        target = copy / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    plugin = copy / "plugins" / "schemes" / "x-made"
    for name, text in MADE_UP.items():
        (plugin / name).parent.mkdir(parents=True, exist_ok=True)
        lines = [line.removeprefix("        ") for line in text.splitlines()]
        (plugin / name).write_text("\n".join(lines).lstrip() + "\n", "utf-8")

    dev = (sys.executable, copy / "dev")
    says = "import urlschemes; print(*urlschemes.Registry()); print(urlschemes.parse('x-made:abc').parts['name'])"
    names, part = must(*dev, "python", "-c", says, cwd=tmp_path, timeout=300).splitlines()
    assert "x-made" in names.split()
    assert part == "abc"
    tested = must(*dev, "pytest", "-q", "-n0", "plugins/schemes/x-made/tests", cwd=tmp_path, timeout=300)
    assert re.search(r"^1 passed\b", tested, re.MULTILINE), tested

    shutil.rmtree(plugin)
    assert "x-made" not in must(
        *dev, "python", "-c", "import urlschemes; print(*urlschemes.Registry())", cwd=tmp_path, timeout=300
    )


# The files


def test_everything_that_is_asked_for_is_pinned() -> None:
    root = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    pinned = {pin.partition("==")[0] for pin in root["tool"]["uv"]["constraint-dependencies"]}
    wanted = [each for group in root["dependency-groups"].values() for each in group]
    for distribution in distributions():
        groups = tomllib.loads((distribution.folder / "pyproject.toml").read_text("utf-8")).get("dependency-groups", {})
        wanted += [each for group in groups.values() for each in group]
        wanted += distribution.project.get("dependencies", [])
        wanted += [each for extra in distribution.project.get("optional-dependencies", {}).values() for each in extra]
    names = {name_in(each).lower() for each in wanted}
    assert len(names) > 10
    assert {name for name in names if not name.startswith("urlschemes")} - pinned == set()


def test_the_libraries_of_bridges_are_installed_on_demand() -> None:
    bridges = [each for each in distributions() if each.folder.parent.name == "bridges"]
    extras = [(each, name) for each in bridges for name in each.project.get("optional-dependencies", ())]
    large = [
        name for each, name in extras if not all(needed.startswith("urlschemes") for needed in each.extras([name]))
    ]
    assert runpy.run_path(str(ROOT / "dev"))["ON_DEMAND"]["bridges"] == sorted(large)


def test_no_lock_file_belongs_to_the_workspace() -> None:
    assert "uv.lock" in (ROOT / ".gitignore").read_text("utf-8").splitlines()
    assert [path for path in workspace_files() if path.name == "uv.lock"] == []


def test_no_file_names_a_place_of_one_machine_or_a_package_index() -> None:
    home = str(Path.home())
    hosts = ["pypi" + ".org", "python" + "hosted.org", "/opt/" + "pypi"]
    places = [f"{ROOT}/", *([f"{home}/"] if len(home) > 1 else []), *hosts]
    found = []
    for path in workspace_files():
        text = path.read_bytes().decode("utf-8", "replace")
        found += [f"{path.relative_to(ROOT)}: {place}" for place in places if place in text]
    assert found == []


_INSTALLATION = re.compile(r"\b(?:pip|pipx|uv|uv tool) (?:install|add)\b([^\n`]*)|\buvx\b([^\n`]*)")
_OF_THIS_PROJECT = re.compile(r"urlschemes|[{$]|['\" ]\.(?:\[|['\" ]|$)")
"""A name of this project, one that a program inserts, or `.`, whose requirements are of this project."""


def test_nothing_installs_a_name_from_an_index_before_it_is_published() -> None:
    wrong = []
    for path in workspace_files():
        if path.is_relative_to(ROOT / "core/src/urlschemes/registry") or "tests" in path.relative_to(ROOT).parts:
            continue  # core/tests/registry/test_names.py tests the one function that writes such commands
        for number, line in enumerate(path.read_bytes().decode("utf-8", "replace").splitlines(), 1):
            for command in _INSTALLATION.finditer(line):
                ours = _OF_THIS_PROJECT.search(command[1] or command[2] or "") is not None
                if ours and ("--no-index" in command[0]) is reserved_names().published:
                    wrong.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()}")
    assert wrong == []


def test_every_lint_exception_in_what_is_shipped_says_why() -> None:
    bare = re.compile(r"#\s*noqa(:\s*[A-Z]+\d+(,\s*[A-Z]+\d+)*)?\s*$")
    found = []
    for path in workspace_files():
        if (path.suffix == ".py" and "src" in path.parts) or path.name == "dev":
            lines = path.read_text("utf-8").splitlines()
            found += [f"{path.relative_to(ROOT)}:{number}" for number, line in enumerate(lines, 1) if bare.search(line)]
    assert found == []


_POSSESSIVE_GROUP = re.compile(r"\)(?:[*+?]|\{[0-9,]+\})\+")


def possessive_groups(code: str) -> list[int]:
    """Return the lines that pass `re` a pattern with a possessively repeated group."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("re.")
        for text in ast.walk(node)
        if isinstance(text, ast.Constant)
        and isinstance(text.value, str | bytes)
        and _POSSESSIVE_GROUP.search(text.value if isinstance(text.value, str) else text.value.decode("latin-1"))
    ]


def test_possessive_groups_are_compiled_where_early_interpreters_are_known() -> None:
    # CPython before 3.11.5 matches them wrongly (gh-106052); `regex_compat.compiled` writes them another way.
    assert possessive_groups('re.compile(rb"(?:ab)*+c")\nre.compile(r"[)]*+")\ncompiled("(?:a)*+")') == [1]
    for path in workspace_files():
        if path.suffix == ".py" and "tests" not in path.parts:
            code = path.read_text("utf-8")
            assert not _POSSESSIVE_GROUP.search(code) or possessive_groups(code) == [], path
