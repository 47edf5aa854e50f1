"""`dev docs`: the navigation has every page, and the faults of a built site are found."""

from __future__ import annotations

from pathlib import Path

import pytest
from documentation import API, Navigation, api_page, faults, navigation, pages
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
    expected = [*pages(), *(f"schemes/{name}" for name in schemes), *(f"api/urlschemes{name}.md" for name in API)]
    assert sorted(names_in(navigation(schemes))) == sorted(expected)
    on_disk = {*ROOT.glob("docs/**/*.md"), *(each.folder / "README.md" for each in distributions())}
    assert on_disk <= {*pages().values()}


@pytest.mark.parametrize("name", API)
def test_the_page_of_a_package_has_its_public_names(name: str) -> None:
    page = api_page(f"urlschemes{name}")
    assert f"::: urlschemes{name}\n" in page
    assert {"": "'URL'", "_access": "'Policy'", "_lint": "'fix'"}.get(name, "members") in page


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
