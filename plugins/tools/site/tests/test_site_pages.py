"""The pages: well-formed, complete, without requests, and harmless whatever a record contains."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

import urlschemes
import urlschemes_site
from urlschemes import InvalidURL, Registration, Registry
from urlschemes.registry.hooks import hookimpl
from urlschemes.registry.names import KnownName, Ledger

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

VOID = {"br", "img", "input", "link", "meta"}


class Page(HTMLParser):
    """A page, parsed strictly: every element must be closed."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.inline: dict[str, str] = {}
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _ in attrs}) == len(attrs), f"an attribute twice: {tag} {attrs}"
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in {"style", "script"}:
            self.inline[self.open[-1]] = self.inline.get(self.open[-1], "") + data
        else:
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).split())

    def all(self, name: str, tag: str = "") -> list[str]:
        """Return the values of an attribute, in the order of the page."""
        return [
            value or ""
            for each, attrs in self.elements
            if tag in {"", each} and name in attrs
            for value in [attrs[name]]
        ]


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    return urlschemes_site.pages(Registry())


@pytest.fixture(scope="module")
def site(texts: Mapping[str, str]) -> dict[str, Page]:
    return {file: Page(text) for file, text in texts.items()}


def test_there_is_a_page_for_each_scheme(site: Mapping[str, Page]) -> None:
    names = [record.scheme for record in Registry().registrations()]
    assert {"ftp", "wais"} <= {*names}
    others = [
        f"rfc3986-{record.scheme.replace('+', '_')}.html" for record in Registry(profile="rfc3986").registrations()
    ]
    firsts = [f"scheme-{name}.html" for name in names]
    assert set(site) == {"index.html", "rules.html", "rules-rfc3986.html", "about.html", *firsts, *others}
    assert {*firsts} <= {*site["index.html"].all("href", "a")}


def test_the_records_of_a_scheme_are_side_by_side_with_what_one_profile_alone_accepts(site: Mapping[str, Page]) -> None:
    for file in ("scheme-http.html", "rfc3986-http.html"):
        page = site[file]
        assert {"scheme-http.html", "rfc3986-http.html"} <= {*page.all("href", "a")}
        assert "Texts that only one accepts" in page.text
        assert "http://[2001:db8::1]:8080/~joe/?q=a/b#top RFC 1738" in page.text
        assert "RFC 3986accepted" in page.text
        assert "fragment (only here)" in page.text


def test_each_profile_has_a_page_of_its_shared_rules(site: Mapping[str, Page]) -> None:
    assert "rules-rfc3986.html" in site["rules.html"].all("href", "a")
    assert "rule-IPv6address" in site["rules-rfc3986.html"].all("id")
    assert "rule-hostport" in site["rules.html"].all("id")
    assert "rules-rfc3986.html#rule-server" in site["rfc3986-http.html"].all("href", "a")


@pytest.mark.parametrize("first", ["rfc1738", "rfc3986"])
def test_every_id_is_unique_and_every_link_leads_somewhere(site: Mapping[str, Page], first: str) -> None:
    if first == "rfc3986":
        site = {file: Page(text) for file, text in urlschemes_site.pages(Registry(profile=first)).items()}
        assert {"scheme-http.html", "rfc1738-http.html"} <= {*site}
    for file, page in site.items():
        ids = page.all("id")
        assert len({*ids}) == len(ids), file
        for name in ("aria-labelledby", "aria-describedby", "for"):
            assert {*page.all(name)} <= {*ids}, file
        for href in [*page.all("href", "a"), *page.all("xlink:href", "a")]:
            if href.startswith("https://"):
                continue
            target, _, anchor = href.partition("#")
            assert (target or file) in site, f"{file}: {href}"
            assert not anchor or anchor in site[target or file].all("id"), f"{file}: {href}"


def test_a_page_has_landmarks_and_its_headings_in_order(site: Mapping[str, Page]) -> None:
    for file, page in site.items():
        tags = [tag for tag, _ in page.elements]
        assert [tags.count(each) for each in ("main", "h1", "title")] == [1, 1, 1], file
        assert {"header", "nav", "footer"} <= {*tags}
        assert ("html", {"lang": "en"}) in page.elements
        assert "width=device-width, initial-scale=1" in page.all("content", "meta")
        levels = [int(tag[1]) for tag in tags if re.fullmatch("h[1-6]", tag)]
        assert all(after <= before + 1 for before, after in pairwise(levels)), file
        assert len(page.all("aria-label", "nav")) == tags.count("nav"), file
        for tag, attributes in page.elements:
            assert tag != "svg" or attributes["aria-label"], "a diagram has a name"


def assert_makes_no_request(page: Page) -> None:
    """Check that nothing in the page makes a request, and that its policy would allow none."""
    assert {"img", "iframe", "object", "embed", "form", "base", "audio", "video"} & {
        tag for tag, _ in page.elements
    } == set()
    assert page.all("src") == page.all("style") == page.all("action") == page.all("srcset") == []
    assert [name for _, attrs in page.elements for name in attrs if name.startswith("on")] == []
    (icon,) = page.all("href", "link")
    assert icon.startswith("data:")
    assert "url(" not in page.inline["style"]
    assert "@import" not in page.inline["style"]
    assert re.search(r"fetch|XMLHttp|import\s*\(|innerHTML|eval|document\.write", page.inline.get("script", "")) is None
    policy = next(
        attrs["content"] for _, attrs in page.elements if attrs.get("http-equiv") == "Content-Security-Policy"
    )
    hashes = {kind: b64encode(sha256(text.encode()).digest()).decode() for kind, text in page.inline.items()}
    wanted = [
        "default-src 'none'",
        "img-src data:",
        *(f"{kind}-src 'sha256-{digest}'" for kind, digest in hashes.items()),
    ]
    assert policy == "; ".join([*wanted, "base-uri 'none'", "form-action 'none'"])


def test_no_page_makes_a_request(site: Mapping[str, Page]) -> None:
    for page in site.values():
        assert_makes_no_request(page)
        for href in page.all("href", "a"):
            assert re.match(r"https://|[a-z0-9+._-]+\.html|#", href), href


@pytest.mark.slow
def test_the_same_registry_gives_the_same_pages(texts: Mapping[str, str]) -> None:
    assert urlschemes_site.pages(Registry()) == texts


def test_a_page_shows_all_of_its_record(site: Mapping[str, Page]) -> None:
    def flat(text: str) -> str:
        return " ".join(text.replace("`", "").split())

    for record in Registry().registrations():
        page = site[f"scheme-{record.scheme}.html"]
        for name in ("status", "title", "reference", "contact", "change_controller"):
            assert flat(getattr(record, name)) in page.text, (record.scheme, name)
        for kind in ("security", "encoding", "interoperability"):
            assert flat(getattr(record, f"{kind}_considerations")) in page.text, (record.scheme, kind)
        for number in (record.default_port, *record.ports):
            assert number is None or str(number) in page.text
        assert str(Registry().provider(record.scheme)) in page.text
        assert {"record", "syntax", "parts", "examples", "operations", "risks"} <= {*page.all("id")}
        assert {f"part-{name}" for name in record.syntax.parts} <= {*page.all("id")}
        assert {f"option-{name}" for name in record.options} <= {*page.all("id")}
        for operation in record.operations:
            assert operation in page.text
        for caution in record.cautions:
            assert caution.code in page.text
        for example in record.examples:
            assert flat(example.says) in page.text
            assert example.url in "".join(page.words), "the segments, joined"


def test_a_valid_example_is_shown_with_its_parts(site: Mapping[str, Page]) -> None:
    words = site["scheme-ftp.html"].text
    assert (
        "ftp://myname@host.dom/%2Fetc/motd 1scheme ftp 2user “myname” 3host “host.dom” 4directories “/etc” 5name “motd”"
        in words
    )


def test_an_empty_part_comes_before_the_part_that_begins_at_the_same_place(site: Mapping[str, Page]) -> None:
    page = site["scheme-prospero.html"]
    assert "prospero://host.dom/;=value;name=;= 1scheme prospero 2host “host.dom” 3hsoname “” 4fields" in page.text
    assert "3 4" in page.all("data-numbers")


def test_an_invalid_example_is_shown_with_its_error(site: Mapping[str, Page]) -> None:
    text = "ftp://host/a b"
    with pytest.raises(InvalidURL) as caught:
        urlschemes.parse(text)
    error = caught.value
    assert (
        f"{text} {error.message} Part{error.part} Rule{error.definition} "
        f"Section{error.section} Help{error.hint} Repairedftp://host/a%20b"
    ) in site["scheme-ftp.html"].text


def test_the_permissions_of_the_policies_are_shown(site: Mapping[str, Page]) -> None:
    assert "delete delete the resource urlschemes delete" in site["scheme-ftp.html"].text
    assert "A URL from elsewhere on the public Internet" in site["scheme-ftp.html"].text
    assert "The policy allows port 21 of the scheme, and ports from 1024" in site["scheme-ftp.html"].text
    assert (
        "A URL that you typed access, find attributes: no files, unless roots names their folder"
        in site["scheme-file.html"].text
    )
    assert "A server may redirect an access to http and https" in site["scheme-http.html"].text
    assert "a list of fsegment, all but the last, at fpath" in site["scheme-ftp.html"].text


def test_the_index_says_that_no_scheme_is_installed() -> None:
    made = urlschemes_site.pages(Registry([]), title="Nothing <yet>")
    assert set(made) == {"index.html", "rules.html", "about.html"}
    page = Page(made["index.html"])
    assert "0 schemes are installed" in page.text
    assert "Nothing <yet>" in page.text
    assert "ftp: files and directories on hosts" in page.text, "names of schemes that are not installed"


def test_every_colour_of_text_has_enough_contrast(site: Mapping[str, Page]) -> None:
    """A ratio of 4.5 to 1, as WCAG 1.4.3 requires, on light and dark backgrounds."""

    def luminance(colour: str) -> float:
        parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        red, green, blue = (each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    themes = re.findall(r":root \{(.*?)\}", site["index.html"].inline["style"], re.DOTALL)
    assert len(themes) == 2
    for theme in themes:
        colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", theme))
        grounds = {name: luminance(colours.pop(name)) for name in ("paper", "raised", "bad-ground")}
        colours.pop("line")
        assert len(colours) == 15
        for name, colour in colours.items():
            for ground in ("paper", "raised", *(["bad-ground"] if name in {"bad", "ink"} else [])):
                low, high = sorted((luminance(colour), grounds[ground]))
                assert (high + 0.05) / (low + 0.05) >= 4.5, (name, ground)


# Hostile records


SAYS = (
    "<script>alert(1)</script><img src=x onerror=alert(1)>&amp;\"'><style>*{}</style> javascript:alert(1) "
    'https://evil.example/"onmouseover=alert(1) \u202egnp.exe \x1b[31m \u2066 \u200b {{ 7*7 }} {% raw %} ' + "w" * 3000
)
BNF = """
; </code></pre><script>alert(2)</script> \u202e
odd    = "{name}:" text      ; section <b>
text   = *uchar
never  = "<img src=x onerror=alert(3)>" | "   " | %x00-1F | <"> | "{{{{ 7*7 }}}}"
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


HOSTILE = ["con", "x-a.b+c", "..", "index", "-", "x-" + "z" * 62]


def test_the_text_of_records_is_harmless() -> None:
    registry = Registry([])
    for name in HOSTILE:
        registry.register(record(name))
    made = urlschemes_site.pages(registry, title=SAYS)
    assert {"scheme-con.html", "scheme-x-a.b_c.html", "scheme-...html", "scheme-index.html", "scheme--.html"} <= set(
        made
    )
    for file, text in made.items():
        assert file.count("/") == 0
        assert re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u206f]", text) is None, file
        page = Page(text)
        assert_makes_no_request(page)
        assert all(re.match(r"https://|[a-z0-9+._-]+\.html|#", href) for href in page.all("href", "a")), file
        assert not any('"' in href or "<" in href for href in page.all("href", "a"))
        assert page.text.count("49") == 0, "a template in a record is not executed"
    words = Page(made["scheme-con.html"]).text
    assert "<script>alert(1)</script>" in words, "it is shown as text"
    assert "\\u202e" in words
    assert "The record calls this a URL, but its rules refuse it." in words
    assert "The rules accept this; the code of the plugin refuses it." in words


def test_examples_that_cannot_be_parsed_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    registry = Registry([])
    good = record("x-good", says="good")
    registry.register(good)
    broken = record(
        "x-bad", says="bad", syntax={"bnf": 'odd = "x-other:" *uchar\n', "rule": "odd", "parts": {}}, cautions=[]
    )
    monkeypatch.setattr(Registry, "registrations", lambda _: (broken, good))  # what a record alone may still be
    made = urlschemes_site.pages(registry)
    assert (
        "The examples cannot be parsed: syntax.rule: no URL of the rule 'odd' begins with 'x-bad:'"
        in Page(made["scheme-x-bad.html"]).text
    )
    assert "The examples cannot be parsed" not in made["scheme-x-good.html"]


def test_the_text_of_ledgers_is_listed_and_harmless() -> None:
    class Odd:
        @hookimpl
        def urlschemes_ledger(self) -> Ledger:
            names = (
                KnownName("x-known", "<b>\u202e", "RFC 7595 javascript:x", "", "some-thing", "provisional"),
                KnownName("x-other", "other", "https://host.example/a_(b)", "<i>"),
                KnownName("x-template", "", "IANA template prov/x-template."),
                KnownName("x-wrong", "", "IANA template ../x, IANA template prov/../x"),
            )
            return Ledger("<script>alert(1)</script>", "https://register.example/list.", "2026-01-31", names)

    registry = Registry([])
    registry.add_hooks(Odd())
    page = Page(urlschemes_site.pages(registry)["index.html"])
    assert_makes_no_request(page)
    assert (
        "x-known: <b>\\u202e RFC 7595 javascript:x provisional "
        "according to <script>alert(1)</script>, some-thing provides it"
    ) in page.text
    assert "according to the names that RFC 1738 settles, urlschemes-ftp provides it" in page.text
    templates = [href for href in page.all("href", "a") if "iana.org" in href]
    assert templates == ["https://www.iana.org/assignments/uri-schemes/prov/x-template"]
    assert "<script>alert(1)</script> (https://register.example/list., as of 2026-01-31)" in page.text
    assert "https://register.example/list" in page.all("href", "a")
    assert [href for href in page.all("href", "a") if "javascript" in href] == []


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
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    words = Page((tmp_path / "site" / "index.html").read_text("utf-8")).text
    assert (
        "but unusable: x-none, whose record cannot be read; the hook ledger of odd-hooks 1.0: broken; "
        "the scheme ftp of odd-one 1.0: reserved; the scheme x-two of odd-one 1.0: conflict; "
        "the scheme x-two of odd-two 1.0: conflict. urlschemes doctor says why."
    ) in words
    ftp = Page((tmp_path / "site" / "scheme-ftp.html").read_text("utf-8")).text
    assert f"Provided byurlschemes-ftp {urlschemes.__version__}" in ftp
    assert "Other claimsodd-one 1.0: reserved" in ftp
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
