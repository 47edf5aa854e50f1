"""The site in a browser: no requests to other hosts, no horizontal scrolling, a working search.

Chromium is driven by chromedriver with the WebDriver protocol: JSON over HTTP.
"""

from __future__ import annotations

import http.server
import json
import os
import shutil
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

import urlschemes_site
from urlschemes import Registry

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")

pytestmark = [
    pytest.mark.real_server,
    pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="no chromium with its chromedriver on this machine"),
]

ENTER = "\ue007"
PHONE, DESKTOP = (360, 740), (1280, 900)
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)


class Browser:
    """A session of WebDriver."""

    def __init__(self, driver: str, session: str) -> None:
        self.address = f"{driver}/session/{session}"

    def ask(self, method: str, path: str, **body: Any) -> Any:
        return asked(f"{self.address}{path}", method, body if method == "POST" else None)

    def open(self, address: str) -> None:
        self.ask("POST", "/url", url=address)

    def run(self, script: str, *arguments: Any) -> Any:
        return self.ask("POST", "/execute/sync", script=script, args=list(arguments))

    def type(self, text: str) -> None:
        """Clear the search box, and type into it."""
        (box,) = self.ask("POST", "/element", using="css selector", value="#words").values()
        self.ask("POST", f"/element/{box}/clear")
        self.ask("POST", f"/element/{box}/value", text=text)

    def log(self, kind: str) -> list[dict[str, Any]]:
        entries: list[dict[str, Any]] = self.ask("POST", "/se/log", type=kind)
        return entries

    def requests(self) -> list[str]:
        """Return the addresses that pages requested since the last call, without those of the browser itself."""
        messages = [json.loads(entry["message"])["message"] for entry in self.log("performance")]
        sent = [each["params"] for each in messages if each["method"] == "Network.requestWillBeSent"]
        return [each["request"]["url"] for each in sent if not each["request"]["url"].startswith("chrome:")]

    def shown(self) -> list[str]:
        """Return the names that the index shows."""
        found = "[...document.querySelectorAll('li[data-name]')].filter(e => e.offsetParent)"
        names: list[str] = self.run(f"return {found}.map(e => e.dataset.name)")
        return names


def asked(address: str, method: str, body: dict[str, Any] | None = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address, data, {"Content-Type": "application/json"}, method=method)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=60) as answer:
        return json.load(answer)["value"]


def free_port() -> int:
    with socket.socket() as each:
        each.bind(("127.0.0.1", 0))
        port: int = each.getsockname()[1]
        return port


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    port = free_port()
    environment = {**os.environ, "HOME": str(tmp_path_factory.mktemp("home"))}
    process = subprocess.Popen(
        [str(DRIVER), f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment
    )
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(100):
            try:
                asked(f"{address}/status", "GET")
                break
            except urllib.error.URLError:
                time.sleep(0.1)
        yield address
    finally:
        process.terminate()
        process.wait(10)


@contextmanager
def browsing(driver: str, profile: Path, size: tuple[int, int], *extra: str) -> Iterator[Browser]:
    width, height = size
    options: dict[str, Any] = {
        "binary": CHROMIUM,
        "args": [*FLAGS, f"--user-data-dir={profile}", f"--window-size={width},{height}", *extra],
    }
    if size == PHONE:
        options["mobileEmulation"] = {
            "deviceMetrics": {"width": width, "height": height, "pixelRatio": 2, "touch": True}
        }
    wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
    made = asked(f"{driver}/session", "POST", {"capabilities": {"alwaysMatch": wanted}})
    browser = Browser(driver, made["sessionId"])
    try:
        yield browser
    finally:
        browser.ask("DELETE", "")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    urlschemes_site.write(urlschemes_site.pages(Registry()), folder)
    return folder


class _Quiet(http.server.SimpleHTTPRequestHandler):
    asked_for: list[str]

    def log_message(self, *_: Any) -> None:
        self.asked_for.append(self.path)


@pytest.fixture
def served(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """The site on a server of this machine: its address, and the paths that are requested."""
    paths: list[str] = []
    handler = type("Handler", (_Quiet,), {"asked_for": paths})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/", paths
        server.shutdown()
        thread.join(10)


def test_a_page_requests_only_itself(driver: str, served: tuple[str, list[str]], folder: Path, tmp_path: Path) -> None:
    address, paths = served
    with browsing(driver, tmp_path, DESKTOP) as browser:
        for file in sorted(each.name for each in folder.glob("*.html")):
            browser.requests()
            browser.open(address + file)
            assert [each for each in browser.requests() if not each.startswith("data:")] == [address + file]
            assert paths == [f"/{file}"]
            assert browser.log("browser") == [], "the page does not violate its own policy"
            paths.clear()


def test_no_page_scrolls_horizontally_on_a_phone(driver: str, folder: Path, tmp_path: Path) -> None:
    with browsing(driver, tmp_path, PHONE) as browser:
        for file in sorted(folder.glob("*.html")):
            browser.open(file.as_uri())
            width, viewport = browser.run("return [document.documentElement.scrollWidth, innerWidth]")
            assert (width, viewport) == (360, 360), file.name


def test_links_are_large_enough_to_tap(driver: str, folder: Path, tmp_path: Path) -> None:
    """24 pixels, the minimum of WCAG 2.2, for links that are not within a sentence."""
    script = """
        return [...document.querySelectorAll('header a, nav a, input, select, .schemes a.name, .names a')]
            .map(e => [e.textContent, e.getBoundingClientRect().height]).filter(([_, height]) => height < 24)
    """
    with browsing(driver, tmp_path, PHONE) as browser:
        for name in ("index.html", "scheme-ftp.html", "rules.html"):
            browser.open((folder / name).as_uri())
            assert browser.run(script) == [], name


def test_the_search_finds(driver: str, folder: Path, tmp_path: Path) -> None:
    with browsing(driver, tmp_path, DESKTOP) as browser:
        index = (folder / "index.html").as_uri()
        browser.open(index)
        every = browser.shown()
        assert {"ftp", "wais", "afs"} <= {*every}
        browser.type("HOST-specific names")
        assert browser.shown() == ["file"]
        assert browser.run("return result.textContent") == f"1 of {len(every)}; Enter opens file"
        browser.type("<script>")
        assert browser.shown() == []
        assert browser.run("return result.textContent") == "Nothing matches."
        browser.type("afs://cell/a")
        assert browser.shown() == ["afs"]
        assert browser.run("return result.textContent") == "The scheme afs is known, but not installed."
        browser.type(f"afs://cell/a{ENTER}")
        assert browser.ask("GET", "/url") == index
        browser.type("x-nobody://host/")
        assert browser.run("return result.textContent") == "No scheme is known as x-nobody."
        browser.type("WAIS://host.dom/a?b c")
        assert browser.shown() == ["wais"]
        browser.type(f"WAIS://host.dom/a?b c{ENTER}")
        assert browser.ask("GET", "/url") == (folder / "scheme-wais.html").as_uri()
        assert browser.run("return document.querySelector('h1').textContent") == "wais:"


def test_the_filters_select_schemes(driver: str, folder: Path, tmp_path: Path) -> None:
    choose = (
        "const e = document.getElementById(arguments[0]); e.value = arguments[1]; e.dispatchEvent(new Event('input'))"
    )
    with browsing(driver, tmp_path, DESKTOP) as browser:
        browser.open((folder / "index.html").as_uri())
        browser.run(choose, "operation", "update")
        names = browser.shown()
        assert {"file", "ftp", "nntp"} <= {*names}
        assert not {"wais", "http", "afs"} & {*names}
        browser.run(choose, "operation", "")
        browser.run(choose, "status", "historical")
        assert {"prospero", "wais", "mailserver"} <= {*browser.shown()}
        assert "ftp" not in browser.shown()


def test_without_scripts_the_index_is_a_plain_list(driver: str, folder: Path, tmp_path: Path) -> None:
    with browsing(driver, tmp_path, DESKTOP, "--blink-settings=scriptEnabled=false") as browser:
        browser.open((folder / "index.html").as_uri())
        assert {"ftp", "wais", "afs"} <= {*browser.shown()}
        assert browser.run("return document.getElementById('finder').offsetParent") is None
