"""README.md and docs/ say what is true: their examples are run, their links lead somewhere, and nothing is left out.

How a page is read:

- A block ```` ```python ```` with `>>>` is a doctest; all of a page share one namespace, in the order of the page.
  `...` in what is expected stands for anything. A block without `>>>` is executed.
- A block ```` ```console ```` holds commands after `$ `, each followed by what it prints, errors included. They run
  in a shell.
- `<!-- file: name -->` before a block writes it to that file, in an empty folder in which the page is run. Where the
  files are a distribution (they have a `pyproject.toml`), it is then installed, as far as that page can see.
- `<!-- not run: reason -->` before a block leaves it out.
- `ftp_url`, `http_url`, `gopher_url` and `folder` in Python, and the variables `$FTP_URL`, `$HTTP_URL`, `$GOPHER_URL`
  and `$FOLDER` in a shell, are a document on small servers of this machine, and a folder that holds it.
"""

from __future__ import annotations

import ast
import dataclasses
import doctest
import inspect
import os
import re
import subprocess
import sys
import tomllib
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import findings_page
import pytest
import workspace
from pages import BLOCK, Block, blocks, commands, prints, without_blanks
from workspace import ROOT, metadata

import urlschemes.errors
import urlschemes_access.errors
import urlschemes_lint
from urlschemes_lint import NotRepairable
from urlschemes_lint.findings import CODES
from urlschemes_servers import ftp_server, gopher_server, http_server
from urlschemes_servers.gopher import menu, search, text
from urlschemes_servers.http import redirect

if TYPE_CHECKING:
    from collections.abc import Iterator

DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "core" / "README.md", *sorted(DOCS.rglob("*.md"))]
GUIDE = DOCS / "tutorial" / "your-first-scheme.md"
NOTES = b"Uniform Resource Locators\n\nA locator says where a resource is and how to get it.\n"
WORDS = {path: path.read_text("utf-8") for path in PAGES}

ERRORS = {
    name: kind
    for module in (urlschemes.errors, urlschemes_access.errors, urlschemes_lint)
    for name, kind in vars(module).items()
    if inspect.isclass(kind) and issubclass(kind, urlschemes.URLError)
}

_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """What the examples access."""
    folder = tmp_path_factory.mktemp("shared")
    (folder / "notes.txt").write_bytes(NOTES)
    (folder / "old").mkdir()
    (folder / "old" / "a b.txt").write_bytes(b"older\n")
    tree = menu({"notes": text(NOTES, title="Notes on locators"), "find": search(title="Search the notes")})
    with ExitStack() as stack:
        ftp = stack.enter_context(ftp_server(folder))
        http = stack.enter_context(http_server(folder, handler={"/moved": redirect("/notes.txt")}))
        gopher = stack.enter_context(gopher_server(tree))
        yield {
            "ftp_url": f"ftp://{ftp}/notes.txt",
            "http_url": f"http://{http}/notes.txt",
            "gopher_url": f"gopher://{gopher}/1",
            "folder": str(folder.resolve()),
        }


# The guide for authors is followed by test_guide.py, in an environment of its own.
@pytest.mark.parametrize("page", [page for page in PAGES if page != GUIDE], ids=name_of)
def test_the_examples_are_true(
    page: Path, places: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = set(sys.modules)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    namespace: dict[str, Any] = {"__name__": "__main__", **places}
    try:
        for block in blocks(page):
            if block.mark == "not run":
                continue
            if block.mark == "file":
                write(tmp_path, block)
            elif block.language == "python":
                run_python(page, block, namespace)
            elif block.language == "console":
                run_shell(page, block, places)
    finally:
        for name in set(sys.modules) - before:
            if name.startswith(("urlschemes_x_dict", "urlschemes_x_finger")):
                del sys.modules[name]


def write(folder: Path, block: Block) -> None:
    path = folder / block.argument
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(block.body, "utf-8")
    if path.name == "pyproject.toml":
        source = install(path)
        if str(source) not in sys.path:
            sys.path.insert(0, str(source))


def install(pyproject: Path) -> Path:
    """What an installer leaves of a distribution: its metadata beside its package."""
    project = tomllib.loads(pyproject.read_text("utf-8"))["project"]
    source = pyproject.parent / "src"
    return workspace.write(source, metadata(project["name"], project["entry-points"], version=project["version"]))


def run_python(page: Path, block: Block, namespace: dict[str, Any]) -> None:
    if ">>> " not in block.body:
        exec(compile("\n" * block.line + block.body, name_of(page), "exec"), namespace)
        return
    test = doctest.DocTestParser().get_doctest(block.body, namespace, name_of(page), name_of(page), block.line)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False)
    said: list[str] = []
    runner.run(test, out=said.append, clear_globs=False)
    namespace.update(test.globs)
    assert runner.failures == 0, "".join(said)


def run_shell(page: Path, block: Block, places: dict[str, str]) -> None:
    if os.name == "nt":
        pytest.skip("the examples are for a POSIX shell")
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("URLSCHEMES_", "PYTHON"))},
        **{name.upper(): value for name, value in places.items()},
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]),
        "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry.endswith("src")),
        "COLUMNS": "100",
    }
    assert commands(block), f"{name_of(page)}: no command in the block at line {block.line}"
    for command, expected in commands(block):
        done = subprocess.run(
            command,
            shell=True,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=30,
            check=False,
        )
        got = without_blanks(done.stdout)
        assert prints(expected, got), f"{name_of(page)}: {command}\nprints\n{got}\nand not\n{expected}"


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


def test_the_examples_of_every_readme_are_run_by_a_test_of_its_distribution() -> None:
    for page in ROOT.glob("plugins/*/*/README.md"):
        if re.search(r"^(>>>|\$) ", page.read_text("utf-8"), re.MULTILINE):
            assert list(page.parent.glob("tests/**/test_*_readme.py")), name_of(page)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_example_is_run_or_says_why_not(page: Path) -> None:
    for block in blocks(page):
        known = block.mark or block.language in {"python", "console", "text", "json"}
        assert known, f"{name_of(page)}, line {block.line}: a block of {block.language or 'no language'}"
    indented = re.findall(r"^ {4}\$ .*", re.sub(BLOCK, "", WORDS[page]), re.MULTILINE)
    assert indented == []


def anchors(page: Path) -> set[str]:
    words = page.read_text("utf-8")
    titles = re.findall(r"^#+ (.+)$", re.sub(r"^```.*?^```$", "", words, flags=re.MULTILINE | re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    for link in _LINK.findall(re.sub(BLOCK, "", WORDS[page])):
        if link.startswith("https://"):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        if anchor:
            assert anchor in anchors(target), link


def test_every_page_is_reached_from_the_index() -> None:
    linked = {(DOCS / link.partition("#")[0]).resolve() for link in _LINK.findall(WORDS[DOCS / "index.md"])}
    assert set(DOCS.rglob("*.md")) - {DOCS / "index.md"} <= linked
    assert "docs/index.md" in WORDS[ROOT / "README.md"]


def test_every_public_name_is_explained() -> None:
    words = "\n".join(text for page, text in WORDS.items() if DOCS in page.parents)
    code = set(re.findall(r"\w+", " ".join(re.findall(r"`[^`\n]+`", words))))
    assert set(urlschemes.__all__) - code == set()


def test_every_error_is_explained_under_its_parent() -> None:
    page = WORDS[DOCS / "reference" / "errors.md"]
    rows = dict(re.findall(r"^\| `(\w+)` \| `([\w-]+)` \|", page, re.MULTILINE))
    assert rows == {name: kind.code for name, kind in ERRORS.items()}
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
        r"^\| ([\w, ]+) \| ([a-z, ]+) \| [^|]*\|$", WORDS[DOCS / "reference" / "schemes.md"], re.MULTILINE
    )
    listed = {scheme: operations.split(", ") for schemes, operations in rows for scheme in schemes.split(", ")}
    del listed["scheme"]
    registry = urlschemes.default_registry
    assert listed == {scheme: list(registry.registration(scheme).operations) for scheme in listed}
    assert len(listed) == 11


@pytest.mark.parametrize(
    ("kind", "heading"), [(urlschemes_access.Policy, "The policy"), (urlschemes_access.Limits, "Limits")]
)
def test_every_field_of_the_policy_and_the_limits_is_described(kind: Any, heading: str) -> None:
    section = re.search(rf"^## {heading}\n(.*?)^## ", WORDS[DOCS / "how-to" / "access.md"], re.MULTILINE | re.DOTALL)
    assert section is not None
    rows = dict(re.findall(r"^\| `(\w+)` \| ([^|]*?) \|", section[1], re.MULTILINE))
    assert list(rows) == [field.name for field in dataclasses.fields(kind)]
    if kind is urlschemes_access.Limits:
        assert rows == {name: str(value) for name, value in dataclasses.asdict(kind()).items()}


def test_the_page_of_findings_is_what_the_code_says() -> None:
    assert findings_page.PAGE.read_text("utf-8") == findings_page.page()


@pytest.mark.parametrize("code", sorted(CODES))
def test_the_example_of_a_code_shows_it(code: str) -> None:
    if code in {"invalid-url", "url-too-long"}:
        assert code not in findings_page.EXAMPLES
        return
    (found,) = urlschemes_lint.check(findings_page.EXAMPLES[code])
    assert (found.code, found.severity) == (code, CODES[code].severity)
    assert found.section == CODES[code].section or CODES[code].section is None


def test_what_strictness_means_is_true() -> None:
    rows = re.findall(
        r"^\| `(http://[^`]*)` \| [^|]* \| (.*) \|$", WORDS[DOCS / "explanation" / "strictness.md"], re.MULTILINE
    )
    assert len(rows) == 6
    for given, becomes in rows:
        assert not urlschemes.is_valid(given)
        if becomes.startswith("nothing"):
            with pytest.raises(NotRepairable):
                urlschemes_lint.fix(given)
        else:
            assert str(urlschemes_lint.fix(given).url) == becomes.split("`")[1]
