"""README.md and the pages of docs/ and maintainers/ are true: examples run, links have targets, nothing is left out.

- A block `python` with `>>>` is a doctest; all blocks of a page share one namespace. `...` stands for any output. A
  block without `>>>` is executed.
- A block `console` has commands after `$ `, each followed by its output and errors. They run as in a shell.
- A line "File `name`:" before a block writes it to that file, in the empty folder in which the page is run. If the
  files are a distribution (with a `pyproject.toml`), the page finds it installed.
- `<!-- not run: reason -->` before a block leaves it out.
- `ftp_url`, `http_url`, `gopher_url` and `folder` in Python, and `$FTP_URL`, `$HTTP_URL`, `$GOPHER_URL` and `$FOLDER`
  in a shell, are a document on local servers, and a folder that contains it.
"""

from __future__ import annotations

import ast
import dataclasses
import doctest
import inspect
import re
import runpy
import sys
import tomllib
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import catalogue_page
import findings_page
import pytest
import workspace
from pages import BLOCK, Block, blocks, check_command, commands, run_doctest
from workspace import ROOT, distributions, metadata

import urlschemes.errors
import urlschemes_access.errors
import urlschemes_lint
import urlschemes_mirror
import urlschemes_text
from urlschemes_access.policy import kinds
from urlschemes_lint import NotRepairable
from urlschemes_servers import ftp_server, gopher, gopher_server, http_server
from urlschemes_servers.http import redirect

if TYPE_CHECKING:
    from collections.abc import Iterator

DOCS = ROOT / "docs"
MAINTAINERS = sorted((ROOT / "maintainers").glob("*.md"))
PAGES = [*sorted(ROOT.glob("*.md")), ROOT / "core" / "README.md", *sorted(DOCS.rglob("*.md")), *MAINTAINERS]
TUTORIAL = DOCS / "tutorial" / "your-first-scheme.md"
FETCH = DOCS / "how-to" / "fetch.md"
MIGRATE = DOCS / "how-to" / "migrate.md"
CLUSTERS = DOCS / "how-to" / "clusters.md"
NEED_MORE = {TUTORIAL, FETCH, MIGRATE, CLUSTERS}
NOTES = b"Uniform Resource Locators\n\nA locator says where a resource is and how to get it.\n"
TEXTS = {path: path.read_text("utf-8") for path in PAGES}

ERRORS = {
    name: kind
    for module in (urlschemes.errors, urlschemes_access.errors, urlschemes_lint)
    for name, kind in vars(module).items()
    if inspect.isclass(kind) and issubclass(kind, urlschemes.URLError)
}

_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.fixture
def locations(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The resources that the examples access."""
    folder = tmp_path_factory.mktemp("shared")
    (folder / "notes.txt").write_bytes(NOTES)
    (folder / "old").mkdir()
    (folder / "old" / "a b.txt").write_bytes(b"older\n")
    tree = gopher.menu(
        {"notes": gopher.text(NOTES, title="Notes on locators"), "find": gopher.search(title="Search the notes")}
    )
    with ExitStack() as stack:
        ftp = stack.enter_context(ftp_server(folder))
        http = stack.enter_context(http_server(folder, handler={"/moved": redirect("/notes.txt")}))
        gopher_address = stack.enter_context(gopher_server(tree))
        yield {
            "ftp_url": f"ftp://{ftp}/notes.txt",
            "http_url": f"http://{http}/notes.txt",
            "gopher_url": f"gopher://{gopher_address}/1",
            "folder": str(folder.resolve()),
        }


# test_guide.py follows the tutorial, in an environment of its own. The others need libraries of bridges or of columns:
# test_fetch_page.py, test_migrate_page.py and test_columns_readme.py run them.
@pytest.mark.parametrize("page", [page for page in PAGES if page not in NEED_MORE], ids=name_of)
def test_the_examples_are_true(
    page: Path, locations: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = set(sys.modules)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    namespace: dict[str, Any] = {"__name__": "__main__", **locations}
    try:
        for block in blocks(page):
            if block.mark == "not run":
                continue
            if block.mark == "file":
                write(tmp_path, block)
            elif block.language == "python":
                run_python(page, block, namespace)
            elif block.language == "console":
                run_shell(page, block, locations)
    finally:
        for name in set(sys.modules) - before:
            if name.startswith("urlschemes_x_dict"):
                del sys.modules[name]
        if "x-memo" in urlschemes.default_registry:
            urlschemes.default_registry.unregister("x-memo")


def write(folder: Path, block: Block) -> None:
    path = folder / block.argument
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(block.body, "utf-8")
    if path.name == "pyproject.toml":
        source = install(path)
        if str(source) not in sys.path:
            sys.path.insert(0, str(source))


def install(pyproject: Path) -> Path:
    """Write the metadata of a distribution beside its package, as an installer does, and return their folder."""
    project = tomllib.loads(pyproject.read_text("utf-8"))["project"]
    source = pyproject.parent / "src"
    return workspace.write(source, metadata(project["name"], project["entry-points"], version=project["version"]))


def run_python(page: Path, block: Block, namespace: dict[str, Any]) -> None:
    if ">>> " not in block.body:
        exec(compile("\n" * block.line + block.body, name_of(page), "exec"), namespace)
        return
    test = doctest.DocTestParser().get_doctest(block.body, namespace, name_of(page), name_of(page), block.line)
    run_doctest(test)
    namespace.update(test.globs)


def run_shell(page: Path, block: Block, locations: dict[str, str]) -> None:
    assert commands(block), f"{name_of(page)}: no command in the block at line {block.line}"
    variables = {name.upper(): value for name, value in locations.items()}
    for command, expected in commands(block):
        check_command(command, expected, Path.cwd(), {**variables, "COLUMNS": "100"})


# The README of the example is a template of `urlschemes new`: `expression  # value` shows the values.
def test_the_values_in_the_readme_of_the_example_are_true() -> None:
    page = ROOT / "plugins" / "schemes" / "x-example" / "README.md"
    namespace: dict[str, Any] = {}
    compared = 0
    for block in (block for block in blocks(page) if block.language == "python"):
        for statement in ast.parse(block.body).body:
            source = ast.get_source_segment(block.body, statement) or ""
            comment = block.body.splitlines()[(statement.end_lineno or 0) - 1].partition("  # ")[2]
            if isinstance(statement, ast.Expr) and comment:
                value = eval(source, namespace)
                assert (repr(value)[1:-1] if isinstance(value, tuple) else str(value)) == comment, source
                compared += 1
            elif isinstance(statement, ast.Import | ast.ImportFrom | ast.Assign):
                exec(source, namespace)
    assert compared == 3


@pytest.mark.parametrize("page", [*PAGES, *sorted(ROOT.glob("plugins/*/*/README.md"))], ids=name_of)
def test_every_example_is_run_or_says_why_not(page: Path) -> None:  # those of plugins: test_readmes.py
    for block in blocks(page):
        known = block.mark or block.language in {"python", "console", "text", "json"}
        assert known, f"{name_of(page)}, line {block.line}: a block of {block.language or 'no language'}"
    indented = re.findall(r"^ {4}\$ .*", re.sub(BLOCK, "", page.read_text("utf-8")), re.MULTILINE)
    assert indented == []


def test_a_stranger_reads_the_readme_in_a_minute() -> None:
    assert len(TEXTS[ROOT / "README.md"].splitlines()) <= 120


def test_the_picture_of_the_readme_is_that_of_a_real_run() -> None:
    assert runpy.run_path(str(DOCS / "picture.py"))["picture"]() == (DOCS / "explain.svg").read_text("utf-8")


def test_the_page_of_distributions_names_each() -> None:
    names = re.findall(r"`(?:urlschemes)?(-[\w-]+)`", TEXTS[DOCS / "reference" / "distributions.md"])
    assert sorted(f"urlschemes{name}" for name in names) == sorted(
        {each.name for each in distributions()} - {"urlschemes"}
    )


def anchors(page: Path) -> set[str]:
    titles = re.findall(r"^#+ (.+)$", re.sub(BLOCK, "", page.read_text("utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_has_a_target(page: Path) -> None:
    for link in _LINK.findall(re.sub(BLOCK, "", TEXTS[page])):
        if link.startswith("https://"):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        if anchor:
            assert anchor in anchors(target), link


def test_every_page_is_reached_from_the_index() -> None:
    linked = {
        (page.parent / link.partition("#")[0]).resolve()
        for page in (DOCS / "index.md", ROOT / "CONTRIBUTING.md")
        for link in _LINK.findall(TEXTS[page])
    }
    assert {*DOCS.rglob("*.md"), *MAINTAINERS} - {DOCS / "index.md"} <= linked
    assert "docs/index.md" in TEXTS[ROOT / "README.md"]


@pytest.mark.parametrize("page", [page for page in PAGES if DOCS in page.parents], ids=name_of)
def test_no_page_for_users_names_a_test(page: Path) -> None:
    assert re.findall(r"\btest_\w+|\btests/\w+", re.sub(BLOCK, "", TEXTS[page])) == []


def test_every_public_name_is_explained() -> None:
    pages = "\n".join(text for page, text in TEXTS.items() if DOCS in page.parents)
    code = set(re.findall(r"\w+", " ".join(re.findall(r"`[^`\n]+`", pages))))
    packages = (urlschemes, urlschemes_access, urlschemes_lint, urlschemes_mirror, urlschemes_text)
    types = {name for name, each in vars(urlschemes).items() if isinstance(each, type)}
    assert {*types, *(name for package in packages for name in package.__all__)} - code == set()


def test_every_error_is_explained_under_its_parent() -> None:
    page = TEXTS[DOCS / "reference" / "errors.md"]
    rows = dict(re.findall(r"^\| `(\w+)` \| `([\w-]+)` \|", page, re.MULTILINE))
    assert rows == {name: kind.code for name, kind in ERRORS.items() if kind is not urlschemes.InvalidURL}
    codes = page.partition("INVALID_URL_CODES")[2].partition("##")[0]
    assert re.findall(r"^\| `([\w-]+)` \|", codes, re.MULTILINE) == [*urlschemes.errors.INVALID_URL_CODES]
    tree = re.search(r"^```text\n(URLError\n.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert tree is not None
    above: list[str] = []
    for line in tree[1].splitlines():
        name = re.search(r"\w+", line)
        assert name is not None
        depth = name.start() // 4
        assert [base.__name__ for base in ERRORS[name[0]].__bases__][:1] == (above[depth - 1 : depth] or ["Exception"])
        above[depth:] = [name[0]]
    assert set(re.findall(r"\w+", tree[1])) == set(ERRORS)


def test_the_page_of_schemes_lists_the_operations_of_their_records() -> None:
    rows = re.findall(
        r"^\| ([\w, ]+) \| ([a-z, ]+) \| [^|]*\|$", TEXTS[DOCS / "reference" / "schemes.md"], re.MULTILINE
    )
    listed = {scheme: operations.split(", ") for schemes, operations in rows for scheme in schemes.split(", ")}
    del listed["scheme"]
    registry = urlschemes.default_registry
    assert listed == {scheme: list(registry.registration(scheme).operations) for scheme in listed}
    assert len(listed) == 11


@pytest.mark.parametrize(
    ("kind", "heading"), [(urlschemes_access.Policy, "The policy"), (urlschemes_access.Limits, "Limits and timeouts")]
)
def test_every_field_of_the_policy_and_the_limits_is_described(kind: Any, heading: str) -> None:
    section = re.search(rf"^## {heading}\n(.*?)^## ", TEXTS[DOCS / "how-to" / "access.md"], re.MULTILINE | re.DOTALL)
    assert section is not None
    rows = dict(re.findall(r"^\| `(\w+)` \| ([^|]*?) \|", section[1], re.MULTILINE))
    assert list(rows) == [field.name for field in dataclasses.fields(kind)]
    if kind is urlschemes_access.Limits:
        assert rows == {name: str(value) for name, value in dataclasses.asdict(kind()).items()}


def test_the_page_of_the_configuration_names_the_fields_that_are_no_lists_of_strings() -> None:
    text = TEXTS[DOCS / "reference" / "configuration.md"]
    listed = re.search(r"except `limits`, as lists of strings \((.*?)\)", text)
    assert listed is not None
    others = [name for name, kind in kinds(urlschemes_access.Policy).items() if kind.expected != "a list of strings"]
    assert sorted(re.findall(r"`(\w+)`", listed[1])) == sorted(others)


def test_the_page_of_findings_agrees_with_the_code() -> None:
    assert findings_page.PAGE.read_text("utf-8") == findings_page.page()


def test_the_catalogue_agrees_with_the_records() -> None:
    expected = catalogue_page.page()
    assert catalogue_page.PAGE.read_text("utf-8") == expected, "run: python3 dev python tests/catalogue_page.py"


@pytest.mark.parametrize("code", sorted(findings_page.SEVERITIES))
def test_the_example_of_a_code_shows_it(code: str) -> None:
    if code in {"invalid-url", "url-too-long"}:
        assert code not in findings_page.EXAMPLES
        return
    found = findings_page.finding(code)
    assert (found.code, found.severity) == (code, findings_page.SEVERITIES[code])


def test_the_table_of_strictness_is_true() -> None:
    rows = re.findall(
        r"^\| `(http://[^`]*)` \| [^|]* \| (.*) \|$", TEXTS[DOCS / "explanation" / "strictness.md"], re.MULTILINE
    )
    assert len(rows) == 6
    for text, result in rows:
        assert not urlschemes.is_valid(text)
        if result.startswith("nothing"):
            with pytest.raises(NotRepairable):
                urlschemes_lint.fix(text)
        else:
            assert str(urlschemes_lint.fix(text).url) == result.split("`")[1]
