"""`dev docs`: the navigation has every page, and the faults of a built site are found."""

from __future__ import annotations

from pathlib import Path

import pytest
from documentation import Navigation, api, api_page, faults, navigation, pages
from workspace import ROOT, distributions


def names_in(found: Navigation) -> list[str]:
    return [
        name
        for entry in found
        for value in entry.values()
        for name in ([value] if isinstance(value, str) else names_in(value))
    ]


def test_the_navigation_has_every_page_once() -> None:
    schemes = {"index.md": "# URL schemes\n", "scheme-ftp.md": "<!-- x -->\n\n# ftp\n"}
    expected = [*pages(), *(f"schemes/{name}" for name in schemes), *(f"api/{package}.md" for package in api())]
    assert sorted(names_in(navigation(schemes))) == sorted(expected)
    on_disk = {*ROOT.glob("docs/**/*.md"), *(each.folder / "README.md" for each in distributions())}
    assert on_disk <= {*pages().values()}


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("urlschemes", "URL"),  # by `import URL as URL`
        ("urlschemes_access", "Policy"),
        ("urlschemes_access.protocol.texts", "Text"),
        ("urlschemes_columns", "Parser"),
        ("urlschemes_columns.polars", "URLSeries"),
        ("urlschemes_guard.httpx", "Client"),
        ("urlschemes_gopher", "GopherURL"),
        ("urlschemes_testing.strategies", "near_misses"),
    ],
)
def test_the_page_of_a_package_has_its_public_names(module: str, name: str) -> None:
    package = module.partition(".")[0]
    names = api()[package][module]
    assert name in names
    assert f"::: {module}\n" in (page := api_page(package, api()[package]))
    assert f"members: {names}\n" in page


def test_a_module_that_no_page_names_is_not_on_the_pages_of_the_api() -> None:
    assert "urlschemes_guard.transports" not in api()["urlschemes_guard"]


def test_a_site_with_broken_links_or_requests_is_faulty(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "index.html").write_text('<h1 id="top">a</h1><a href="../">b</a><img src="data:,">')
    (tmp_path / "index.html").write_text(
        '<link href="style.css"><a href="a/#top">a</a><a href="https://e.com/">e</a><a href="#here" id="here">h</a>'
    )
    (tmp_path / "style.css").write_text("")
    assert faults(tmp_path) == []
    (tmp_path / "index.html").write_text(
        '<a href="a/#bottom">a</a><a href="c/">c</a><img src="d.png"><script src="https://e.com/e.js"></script>'
        '<link href="//e.com/e.css">'
    )
    assert faults(tmp_path) == [
        "http://site/index.html links to a/#bottom, which is not there",
        "http://site/index.html links to c/, which is not there",
        "http://site/index.html links to d.png, which is not there",
        "http://site/index.html requests //e.com/e.css",
        "http://site/index.html requests https://e.com/e.js",
    ]
