"""Build the documentation as a site: `python3 dev docs [DIR]` runs this, by default for the folder `.dev/docs`.

The pages of the repository keep their places, so that their links are the same: README.md is the first page. Beside
them are those of the schemes (`urlschemes site`) and of the API, from docstrings. Nothing may be wrong: a link without
a target, a page that the navigation lacks, a request to another host.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path
from typing import TypeAlias
from urllib.parse import unquote, urljoin, urlsplit

import urlschemes_site
from urlschemes import Registry

Navigation: TypeAlias = "list[dict[str, str | Navigation]]"

ROOT = Path(__file__).resolve().parent.parent
DEFAULT = ROOT / ".dev" / "docs"
PAGES = ("*.md", "core/README.md", "docs/**/*.md", "plugins/*/*/README.md", "maintainers/*.md", "benchmarks/README.md")
TABLE = "docs/reference/distributions.md"
"""The first page about distributions."""
FOR_USERS = ("README.md", "core/", "docs/", "plugins/")
"""Where the pages are that name the modules which users import."""
LINK = re.compile(r"\[([^\]]*)\]\(([^)\s#]+)[^)\s]*\)")

SETTINGS = {
    "site_name": "urlschemes",
    "docs_dir": "pages",
    "theme": {
        "name": "material",
        "font": False,
        "features": ["navigation.prune", "navigation.tabs", "navigation.top", "toc.follow"],
        "palette": [
            {
                "media": f"(prefers-color-scheme: {media})",
                "scheme": scheme,
                "toggle": {"icon": f"lucide/{icon}", "name": f"Switch to {other}"},
            }
            for media, scheme, icon, other in [("light", "default", "sun", "dark"), ("dark", "slate", "moon", "light")]
        ],
    },
    "plugins": [
        "search",
        {
            "mkdocstrings": {
                "handlers": {
                    "python": {
                        "paths": [str(path) for path in [ROOT / "core/src", *sorted(ROOT.glob("plugins/*/*/src"))]],
                        "options": {
                            "filters": ["!^_"],
                            "separate_signature": True,
                            "show_if_no_docstring": True,
                            "show_root_heading": False,
                            "show_signature_annotations": True,
                            "show_source": False,
                        },
                    }
                }
            }
        },
    ],
}


def main(arguments: list[str]) -> None:
    """Build the site in the folder that is the only argument; end with a message if something is wrong."""
    if len(arguments) > 1 or (arguments[:1] and arguments[0].startswith("-")):
        sys.exit("dev: docs takes one argument, the folder to fill.")
    folder = Path(arguments[0]).resolve() if arguments else DEFAULT
    if folder == DEFAULT:
        shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        sys.exit(f"dev: {folder} is not empty.")
    with tempfile.TemporaryDirectory() as temporary:
        stage = Path(temporary)
        schemes = with_links(urlschemes_site.pages(Registry(profile="rfc3986")))
        write_pages(stage / "pages", schemes)
        (stage / "mkdocs.yml").write_text(json.dumps({**SETTINGS, "nav": navigation(schemes)}), "utf-8")
        command = [sys.executable, "-m", "zensical", "build", "--strict"]
        if subprocess.run(command, cwd=stage, env={**os.environ, "NO_COLOR": "1"}, check=False).returncode:
            sys.exit("dev: the site could not be built; the reason is above.")
        shutil.copytree(stage / "site", folder, dirs_exist_ok=True)
    if found := faults(folder):
        sys.exit("\n".join(found))
    print(f"dev: {sum(1 for _ in folder.rglob('*.html'))} pages in {folder}; begin with index.html")


def pages() -> dict[str, Path]:
    """Return the pages of the repository by their names; those for a forge alone are left out."""
    return {path.relative_to(ROOT).as_posix(): path for pattern in PAGES for path in sorted(ROOT.glob(pattern))}


def navigation(schemes: dict[str, str]) -> Navigation:
    """Return the navigation: titles and pages, in sections. docs/index.md has the order of the pages in docs/."""
    titles = {name: title_of(path.read_text("utf-8")) for name, path in pages().items()}
    documentation: Navigation = [{"Overview": "docs/index.md"}]
    index = pages()["docs/index.md"].read_text("utf-8")
    for heading, body in re.findall(r"^\*\*([^*\n]+)\*\*\n(.*?)(?=^\*\*|\Z)", index, re.MULTILINE | re.DOTALL):
        links = {f"docs/{link}": title for title, link in LINK.findall(body)}
        documentation.append(
            {heading: [{title: name} for name, title in links.items() if name in titles and name != TABLE]}
        )

    def below(*folders: str) -> Navigation:
        return sorted(({titles[name]: name} for name in titles if name.startswith(folders)), key=str)

    first = ["CONTRIBUTING.md", "SECURITY.md"]
    others = [name for name in titles if "/" not in name and name not in [*first, "README.md"]]
    project: Navigation = [{titles[name]: name} for name in (*first, *others, "benchmarks/README.md")]
    return [
        {"urlschemes": "README.md"},
        {"Documentation": documentation},
        {"Schemes": [{title_of(text): f"schemes/{name}"} for name, text in schemes.items()]},
        {"Distributions": [{"Overview": TABLE}, *below("core/", "plugins/")]},
        {"API": [{package: f"api/{package}.md"} for package in api()]},
        {"Project": [*project, {"Maintainers": below("maintainers/")}]},
    ]


def with_links(schemes: dict[str, str]) -> dict[str, str]:
    """Return the pages of schemes with links to the distributions that provide them."""
    readmes = {title_of(path.read_text("utf-8")): name for name, path in pages().items() if name.startswith("plugins/")}

    def link(found: re.Match[str]) -> str:
        return f"{found[1]}[{found[2]}](../{readmes[found[2]]})"

    provider = re.compile(rf"(Provided by: |\| )({'|'.join(map(re.escape, readmes))})(?= \d)")
    return {name: provider.sub(link, text) for name, text in schemes.items()}


def title_of(text: str) -> str:
    """Return the first heading of a page."""
    found = re.search(r"^# (.+)$", text, re.MULTILINE)
    assert found is not None
    return found[1]


def write_pages(folder: Path, schemes: dict[str, str]) -> None:
    """Write all pages, and the files that pages link to, to their places in a folder."""
    for page in pages().values():
        links = [(page.parent / link).resolve() for _, link in LINK.findall(page.read_text("utf-8"))]
        for path in (page, *(path for path in links if path.is_file())):
            target = folder / path.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
    urlschemes_site.write(schemes, folder / "schemes")
    (folder / "api").mkdir()
    for package, modules in api().items():
        (folder / "api" / f"{package}.md").write_text(api_page(package, modules), "utf-8")


def api() -> dict[str, dict[str, list[str]]]:
    """Return the public names by package and module: packages, and those of their modules that pages for users name."""
    text = "\n".join(page.read_text("utf-8") for name, page in pages().items() if name.startswith(FOR_USERS))
    named = {*re.findall(r"\burlschemes[\w.]*\w", text)}
    found: dict[str, dict[str, list[str]]] = {}
    for source in [ROOT / "core/src", *sorted(ROOT.glob("plugins/*/*/src"))]:
        for path in sorted(source.rglob("*.py"), key=lambda path: path.with_suffix("").parts):
            module = ".".join(path.relative_to(source).with_suffix("").parts).removesuffix(".__init__")
            package = module.partition(".")[0]
            if (module == package or module in named) and (names := public_names(path)):
                found.setdefault(package, {})[module] = names
    return found


def public_names(path: Path) -> list[str]:
    """Return the names that a module lists in `__all__`, and those that it imports in the form `import X as X`."""
    names = {"__version__"}
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            names.update(each.name for each in node.names if each.name == each.asname)
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            names.update(ast.literal_eval(node.value))
    return sorted(names - {"__version__"})


def api_page(package: str, modules: dict[str, list[str]]) -> str:
    """Return the page of a package, with a section for each other module of it."""
    return f"# {package}\n" + "".join(
        f"\n## {module}\n" * (module != package)
        + f"\n::: {module}\n    options:\n      heading_level: {2 + (module != package)}\n      members: {names}\n"
        for module, names in modules.items()
    )


class Page(HTMLParser):
    """The links and the anchors of a page, and the addresses that it requests."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.anchors: set[str] = set()
        self.requests: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take what the attributes of an element say."""
        for name, value in attrs:
            if name in ("id", "name"):
                self.anchors.add(value or "")
            elif name in ("href", "xlink:href") and tag == "a":
                self.links.add(value or "")
            elif name in ("src", "href", "srcset", "data", "poster"):
                self.requests.add(value or "")


def faults(folder: Path) -> list[str]:
    """Return what is wrong with the links and requests of a built site."""
    base = "http://site/"  # urljoin knows its form
    site = {f"{base}{path.relative_to(folder).as_posix()}": path for path in folder.rglob("*") if path.is_file()}
    parsed = {address: Page(path.read_text("utf-8")) for address, path in site.items() if path.suffix == ".html"}
    found = []
    for address, page in parsed.items():
        if address == f"{base}404.html":  # its addresses begin with that of the site
            continue
        for link in page.links | page.requests:
            if (scheme := urlsplit(link).scheme) or link.startswith("//"):
                if link in page.requests and scheme != "data":
                    found.append(f"{address} requests {link}")
                continue
            target, _, anchor = urljoin(address, link).partition("#")
            target = unquote(target) + "index.html" * target.endswith("/")
            if target not in site or (anchor and target in parsed and unquote(anchor) not in parsed[target].anchors):
                found.append(f"{address} links to {link}, which is not there")
    return sorted(found)


if __name__ == "__main__":
    main(sys.argv[1:])
