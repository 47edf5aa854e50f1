"""The pages: complete, with links that lead somewhere, and harmless whatever a record contains."""

from __future__ import annotations

import html
import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import pytest
from markdown_it import MarkdownIt

import urlschemes
import urlschemes_site
from urlschemes import Registration, Registry
from urlschemes.registry.hooks import hookimpl
from urlschemes.registry.names import KnownName, Ledger
from urlschemes_lint import explain
from urlschemes_site.markdown_text import preformatted

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

RAW = {"a", "code", "div", "g", "path", "pre", "rect", "svg", "text"}
"""The elements that a page has in HTML."""
MARKUP = {"br", "h1", "h2", "h3", "li", "p", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul"}


class Page(HTMLParser):
    """A page, rendered as CommonMark with tables, and parsed strictly: every element must be closed."""

    def __init__(self, markdown: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(MarkdownIt("commonmark").enable("table").render(markdown))
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.open += [tag] * (tag != "br")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        self.words.append(" " * (tag in MARKUP))

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).split())

    def all(self, name: str) -> list[str]:
        """Return the values of an attribute, in the order of the page."""
        return [attrs[name] or "" for _, attrs in self.elements if name in attrs]


def assert_harmless(markdown: str) -> Page:
    """Check that a page has only its own elements and links, and nothing that a template or an extension takes.

    HTML is used for code and diagrams: a generator rewrites the links of Markdown, those of HTML stay on the page.
    """
    assert re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u206f]", markdown) is None
    assert re.search(r"\{[{%]|--8<--|^\s*(```|~~~)", markdown, re.MULTILINE) is None
    page = Page(markdown)
    assert {tag for tag, _ in page.elements} <= RAW | MARKUP
    for href in page.all("href"):
        assert re.fullmatch(r"https://[^\"<>]*|([a-z0-9+._-]+\.md)?(#[\w+-]+)?", href), href
    assert all(href.startswith("#") for href in page.all("xlink:href"))
    assert [name for _, attrs in page.elements for name in attrs if name == "src" or name.startswith("on")] == []
    return page


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    return urlschemes_site.pages(Registry(profile="rfc3986"))


@pytest.fixture(scope="module")
def site(texts: Mapping[str, str]) -> dict[str, Page]:
    return {file: assert_harmless(text) for file, text in texts.items()}


def test_there_is_a_page_for_each_scheme_with_its_records(site: Mapping[str, Page]) -> None:
    names = [record.scheme for record in Registry(profile="rfc3986").registrations()]
    assert {"ftp", "wais"} <= {*names}
    files = {f"scheme-{name.replace('+', '_')}.md" for name in names}
    assert {*site} == {"index.md", "rules-rfc1738.md", "rules-rfc3986.md", *files}
    assert files <= {*site["index.md"].all("href")}
    for scheme in Registry():
        by = [
            document
            for document in ("RFC 3986", "RFC 1738")
            if f"By {document} Syntax" in site[f"scheme-{scheme}.md"].text
        ]
        assert by == ["RFC 3986", "RFC 1738"], scheme


def test_the_records_of_the_registry_come_first() -> None:
    pages = urlschemes_site.pages(Registry(["urlschemes-ftp", "urlschemes-data", "urlschemes-rfc3986"]))
    assert re.findall(r"^## By (.*)$", pages["scheme-ftp.md"], re.MULTILINE) == ["RFC 1738", "RFC 3986"]
    assert re.findall(r"^## By (.*)$", pages["scheme-data.md"], re.MULTILINE) == ["RFC 3986"]


def test_the_diagrams_begin_with_the_whole_url_and_follow_the_order_of_use() -> None:
    rules = 'port = digits\nodd = "x-odd:" a [ b ] hostport\nspare = "s"\nc = 1*digit\nb = c a\na = c\nhost = 1*digit\n'
    registry = Registry([])
    registry.register(record("x-odd", syntax={"bnf": rules, "rule": "odd"}, cautions=[]))
    page = urlschemes_site.pages(registry)["scheme-x-odd.md"]
    assert re.findall(r'id="rfc1738-(\w+)"', page) == ["odd", "a", "b", "c", "host", "port", "spare"]


def test_every_id_is_unique_and_every_link_leads_somewhere(site: Mapping[str, Page]) -> None:
    for file, page in site.items():
        ids = page.all("id")
        assert len({*ids}) == len(ids), file
        for href in [*page.all("href"), *page.all("xlink:href")]:
            if href.startswith("https://"):
                continue
            target, _, anchor = href.partition("#")
            assert (target or file) in site, f"{file}: {href}"
            assert not anchor or anchor in site[target or file].all("id"), f"{file}: {href}"


@pytest.mark.slow
def test_the_same_registry_gives_the_same_pages(texts: Mapping[str, str]) -> None:
    assert urlschemes_site.pages(Registry(profile="rfc3986")) == texts


def test_a_page_shows_all_of_its_record(site: Mapping[str, Page]) -> None:
    def flat(text: str) -> str:
        return " ".join(text.replace("`", "").split())

    registry = Registry(profile="rfc3986")
    for record in registry.registrations():
        page = site[f"scheme-{record.scheme.replace('+', '_')}.md"]
        for name in ("status", "title", "reference", "contact", "change_controller"):
            assert flat(getattr(record, name)) in page.text, (record.scheme, name)
        for kind in ("security", "encoding", "interoperability"):
            assert flat(getattr(record, f"{kind}_considerations")) in page.text, (record.scheme, kind)
        for number in (record.default_port, *record.ports):
            assert number is None or str(number) in page.text
        assert str(registry.provider(record.scheme)) in page.text
        words = {*page.text.split()}
        assert {*record.syntax.parts, *record.options} <= words
        assert all(operation in page.text for operation in record.operations)
        assert all(f"({caution.code})" in words for caution in record.cautions)
        assert all(flat(example.says) in page.text for example in record.examples)


@pytest.mark.parametrize("text", ["ftp://myname@host.dom/%2Fetc/motd", "ftp://host/a b"])
def test_an_example_is_shown_as_it_is_explained(site: Mapping[str, Page], text: str) -> None:
    assert explain(text) in "".join(site["scheme-ftp.md"].words)


def test_the_index_says_that_no_scheme_is_installed() -> None:
    (made,) = urlschemes_site.pages(Registry([]), title="Nothing <yet>").items()
    assert made[0] == "index.md"
    page = Page(made[1])
    assert page.text.startswith("Nothing <yet> No scheme is installed.")
    assert "ftp files and directories on hosts" in page.text, "names of schemes that are not installed"


# Hostile records

SAYS = (
    "1. <script>alert(1)</script><img src=x onerror=alert(1)>&amp;\"'><style>*{}</style> *a* _b_ [c](javascript:d) "
    '![e](f) https://evil.example/"onmouseover=alert(1) \u202egnp.exe \x1b[31m \u2066 \u200b {{ 7*7 }} {% raw %} | g |'
    ' ~~h~~ :i: --8<-- "j" \\k <k@l.m> ``n`` ' + "w" * 3000
)
BNF = """
; </code></pre><script>alert(2)</script> \u202e {{ 7*7 }}

; </pre>
odd    = "{name}:" text      ; section <b>
text   = *uchar
never  = "<img src=x onerror=alert(3)>" | "   " | %x00-1F | <"> | "{{{{ 7*7 }}}}" | "~~~"
"""


def record(name: str, says: str = SAYS, **fields: Any) -> Registration:
    considerations = [f"{kind}_considerations" for kind in ("encoding", "interoperability", "security")]
    texts = dict.fromkeys(["title", "reference", "contact", "change_controller", *considerations], says)
    table = {
        "api": 1,
        "scheme": name,
        "status": "experimental" if name.startswith("x-") else "provisional",
        **texts,
        "operations": ["access", "do things"],
        "options": {"odd": {"description": says}},
        "syntax": {"bnf": BNF.format(name=name), "rule": "odd", "parts": {"text": {"at": "text", "says": says}}},
        "cautions": [
            {"code": "odd", "part": "text", "holds": "<b>\u202e", "message": says, "hint": says, "section": says}
        ],
        "examples": [
            {"url": f"{name}:a", "parts": {"text": "a"}, "says": says},
            {"url": f"{name}:<b>\u202e\x1b\n</b>", "invalid": True, "says": says},
            {"url": f"{name}:is valid", "parts": {"text": "is valid"}},
            {"url": f"{name}:isvalid", "invalid": True},
            {"url": "javascript:alert(1)", "parts": {}},
            {"url": f"{name}:" + "a" * 5000, "parts": {}},
        ],
        **fields,
    }
    return Registration.from_text("\n".join(f"{key} = {toml(value)}" for key, value in table.items()))


def toml(value: object) -> str:
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key} = {toml(each)}' for key, each in value.items())}}}"
    return f"[{', '.join(map(toml, value))}]" if isinstance(value, list) else json.dumps(value)


def test_the_text_of_records_is_harmless() -> None:
    registry = Registry([])
    for name in ("con", "x-a.b+c", "..", "index", "-", "x-" + "z" * 62):
        registry.register(record(name))
    made = urlschemes_site.pages(registry, title=SAYS)
    assert {"scheme-con.md", "scheme-x-a.b_c.md", "scheme-...md", "scheme-index.md", "scheme--.md"} <= {*made}
    pages = {file: assert_harmless(text) for file, text in made.items()}
    words = pages["scheme-con.md"].text
    assert "\"'><style>*{}</style> *a* _b_ [c](javascript:d) ![e](f)" in words, "it is shown as text"
    assert '{{ 7*7 }} {% raw %} | g | ~~h~~ :i: --8<-- "j" \\k <k@l.m>' in words
    assert "\\u202e" in words
    assert "The record calls this a URL, but its rules refuse it." in words
    assert "The rules accept this; the code of the plugin refuses it." in words


def test_no_line_of_code_begins_a_fence() -> None:
    text = "a~~\n~~~\n  ```\n\nb"
    assert "".join(assert_harmless(preformatted(text)).words).strip() == text


def test_examples_that_cannot_be_parsed_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    registry = Registry([])
    good = record("x-good", says="good")
    registry.register(good)
    broken = record(
        "x-bad", says="bad", syntax={"bnf": 'odd = "x-other:" *uchar\n', "rule": "odd", "parts": {}}, cautions=[]
    )
    monkeypatch.setattr(Registry, "registrations", lambda _: (broken, good))  # what a record alone may still be
    made = urlschemes_site.pages(registry)
    expected = "The examples cannot be parsed: syntax.rule: no URL of the rule 'odd' begins with 'x-bad:'"
    assert expected in html.unescape(made["scheme-x-bad.md"])
    assert "The examples cannot be parsed" not in made["scheme-x-good.md"]


def test_the_text_of_ledgers_is_listed_and_harmless() -> None:
    class Odd:
        @hookimpl
        def urlschemes_ledger(self) -> Ledger:
            names = (
                KnownName("x-known", "<b>\u202e|", "RFC 7595 javascript:x", "", "some-thing", "provisional"),
                KnownName("x-other", "other", "https://host.example/a_(b)", "<i>"),
                KnownName("x-template", "", "IANA template prov/x-template."),
                KnownName("x-wrong", "", "IANA template ../x, IANA template prov/../x"),
            )
            return Ledger("<script>alert(1)</script>", "https://register.example/list.", "2026-01-31", names)

    registry = Registry([])
    registry.add_hooks(Odd())
    page = assert_harmless(urlschemes_site.pages(registry)["index.md"])
    attributed = "according to <script>alert(1)</script>, some-thing provides it"
    assert f"x-known <b>\\u202e| provisional RFC 7595 javascript:x {attributed}" in page.text
    assert "<script>alert(1)</script> (https://register.example/list., as of 2026-01-31)" in page.text
    templates = [href for href in page.all("href") if "iana.org" in href]
    assert templates == ["https://www.iana.org/assignments/uri-schemes/prov/x-template"]
    assert {"https://register.example/list", "https://host.example/a_"} <= {*page.all("href")}


def test_distributions_that_cannot_be_used_are_listed_and_the_others_are_shown(tmp_path: Path) -> None:
    """Hooks that end the process, a name with two claims, a reserved name, a missing record."""
    (tmp_path / "odd_hooks.py").write_text("raise SystemExit(3)\n")
    for name, entries in {
        "odd-hooks": "[urlschemes]\nledger = odd_hooks\n",
        "odd-one": "[urlschemes.schemes]\nx-two = odd_one\nftp = odd_one\n",
        "odd-two": "[urlschemes.schemes]\nx-two = odd_two\nx-none = odd_two\n",
    }.items():
        info = tmp_path / f"{name.replace('-', '_')}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(entries)
    path = os.pathsep.join([str(tmp_path), *(entry for entry in sys.path if entry.endswith("src"))])
    done = subprocess.run(
        [sys.executable, "-m", "urlschemes_cli", "--no-config", "site", str(tmp_path / "site")],
        env={
            **os.environ,
            "PYTHONPATH": path,
            "URLSCHEMES_PLUGINS": "odd-hooks,odd-one,odd-two,urlschemes-ftp,urlschemes-site",
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (
        "but unusable: x-none, whose record cannot be read; the hook ledger of odd-hooks 1.0: broken; "
        "the scheme ftp of odd-one 1.0: reserved; the scheme x-two of odd-one 1.0: conflict; "
        "the scheme x-two of odd-two 1.0: conflict. urlschemes doctor says why."
    ) in Page((tmp_path / "site" / "index.md").read_text("utf-8")).text
    ftp = Page((tmp_path / "site" / "scheme-ftp.md").read_text("utf-8")).text
    assert f"Provided by: urlschemes-ftp {urlschemes.__version__} Other claims: odd-one 1.0: reserved" in ftp
    for page in (tmp_path / "site").iterdir():
        assert str(tmp_path) not in page.read_text("utf-8"), "no path of the machine"


def test_no_plugin_is_imported_for_its_page() -> None:
    code = (
        "import sys, urlschemes, urlschemes_site\n"
        "urlschemes_site.pages(urlschemes.Registry(['urlschemes-ftp', 'urlschemes-wais']))\n"
        "print(sorted({'urlschemes_ftp', 'urlschemes_wais'} & {*sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "[]\n"
