"""The filesystem by itself: listings, facts, content, pickles; each access obeys the policy."""

from __future__ import annotations

import asyncio
import io
import os
import pickle
import socket
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fsspec", reason="needs fsspec: python3 dev --group bridges pytest")

import fsspec
from fsspec.registry import known_implementations

from urlschemes import Registry
from urlschemes_access import Limits, Policy, TraceEvent
from urlschemes_fsspec import URLFileSystem, filesystem
from urlschemes_servers import ftp_server, gopher_server, http_server, nntp_server
from urlschemes_servers.gopher import binary, link, menu, text
from urlschemes_servers.nntp import Newsgroup, article
from urlschemes_testing.loopback import Loopback

LOOPBACK = Policy(networks=("127.0.0.0/8",))
REFUSED = r"127\.0\.0\.1 is not on the public Internet; policy rule 'networks'"
PRICES = b"name,price\ntea,3\ncoffee,4\n"


@pytest.fixture(scope="module")
def gopher() -> Iterator[str]:
    """The URL of a Gopher server, without the path."""
    more = {"about": text("hello\n", plus=False)}
    tree = menu(
        {
            "prices.csv": binary(PRICES, plus=False),
            "more": menu(more, plus=False),
            "away": link("1", "/", "other.dom", 70, title="Another server"),
            "web": link("h", "URL:x-unknown://other.dom/", "other.dom", 70, title="The Web"),
        }
    )
    with gopher_server(tree) as address:
        more["up"] = link("1", "/", *address, title="Up")
        yield f"gopher://{address}"


@pytest.fixture
def files() -> URLFileSystem:
    return URLFileSystem(LOOPBACK)


def names(entries: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(entry["title"], entry["type"]) for entry in entries]


# Listings


def test_a_listing_has_the_entries_that_have_urls(files: URLFileSystem, gopher: str) -> None:
    entries = files.ls(f"{gopher}/1/")
    kinds = [("prices.csv", "file"), ("more", "directory"), ("Another server", "directory"), ("The Web", "file")]
    assert names(entries) == kinds
    assert entries[0]["name"] == f"{gopher}/9/prices.csv"
    assert files.ls(f"{gopher}/1/", detail=False) == [entry["name"] for entry in entries]


def test_a_document_lists_itself(files: URLFileSystem, gopher: str) -> None:
    assert files.ls(f"{gopher}/9/prices.csv", detail=False) == [f"{gopher}/9/prices.csv"]


def test_find_stays_on_the_server_and_lists_each_menu_once(files: URLFileSystem, gopher: str) -> None:
    documents = [f"{gopher}/0/more/about", f"{gopher}/9/prices.csv"]
    assert files.find(f"{gopher}/1/") == documents
    assert files.find(f"{gopher}/1/", maxdepth=1) == documents[1:]
    assert files.find(f"{gopher}/9/prices.csv") == documents[1:]
    top_down = [url for url, _, _ in files.walk(f"{gopher}/1/")]
    assert top_down == [f"{gopher}/1/", f"{gopher}/1/more"]
    assert [url for url, _, _ in files.walk(f"{gopher}/1/", topdown=False)] == top_down[::-1]


def test_find_is_limited_over_all_listings(gopher: str) -> None:
    files = URLFileSystem(Policy(networks=("127.0.0.0/8",), limits=Limits(entries=4)))
    with pytest.raises(OSError, match="the entries of all listings are more than 4"):
        files.find(f"{gopher}/1/")


# Facts


def test_facts_come_from_the_server(files: URLFileSystem, tmp_path: Path) -> None:
    (tmp_path / "prices.csv").write_bytes(PRICES)
    with http_server(tmp_path) as address:
        info = files.info(f"http://{address}/prices.csv")
        assert (info["size"], info["type"], info["mimetype"]) == (len(PRICES), "file", "text/csv")
        modified = files.modified(f"http://{address}/prices.csv")
        assert abs(modified - datetime.now(UTC)).total_seconds() < 100


def test_the_time_of_a_change_is_asked_for_where_it_does_not_come_with_the_content(
    files: URLFileSystem, tmp_path: Path
) -> None:
    (tmp_path / "prices.csv").write_bytes(PRICES)
    os.utime(tmp_path / "prices.csv", (10**9, 10**9))
    with ftp_server(tmp_path) as address:
        assert files.modified(f"urlschemes+ftp://{address}/prices.csv") == datetime.fromtimestamp(10**9, UTC)


def test_a_size_that_the_server_does_not_tell_is_counted(files: URLFileSystem, gopher: str) -> None:
    url = f"{gopher}/9/prices.csv"
    assert files.info(url)["size"] is None
    assert files.size(url) == len(PRICES)
    assert abs(files.modified(url) - datetime.now(UTC)).total_seconds() < 100  # it may have changed meanwhile


def test_what_exists_and_what_is_a_directory(files: URLFileSystem, gopher: str) -> None:
    document, listing, missing = (f"{gopher}/{path}" for path in ("9/prices.csv", "1/more", "9/none"))
    assert [files.exists(url) for url in (document, listing, missing)] == [True, True, False]
    assert [files.isdir(url) for url in (document, listing, missing)] == [False, True, False]
    assert [files.isfile(url) for url in (document, listing, missing)] == [True, False, False]


# Content


@pytest.mark.parametrize(("start", "end"), [(None, None), (5, None), (5, 8), (-3, None), (-6, -3), (8, 5), (0, 10**9)])
def test_part_of_a_document_is_what_a_slice_would_be(
    files: URLFileSystem, gopher: str, start: int | None, end: int | None
) -> None:
    assert files.cat_file(f"{gopher}/9/prices.csv", start, end) == PRICES[start:end]


def test_ranges_of_one_document_transfer_it_once(files: URLFileSystem, gopher: str) -> None:
    accesses = []
    files = URLFileSystem(LOOPBACK, trace=lambda event: accesses.append(event.kind))
    url, missing = f"{gopher}/9/prices.csv", f"{gopher}/9/none"
    files.cat_file(url)
    for_one = len(accesses)
    accesses.clear()
    assert files.cat_ranges([url, url, url], [0, 5, 11], [4, 10, None]) == [b"name", b"price", PRICES[11:]]
    assert len(accesses) == for_one
    octets, error = files.cat_ranges([url, missing], 0, 4)
    assert octets == b"name"
    assert isinstance(error, FileNotFoundError)
    with pytest.raises(FileNotFoundError):
        files.cat_ranges([url, missing], 0, 4, on_error="raise")


@pytest.mark.parametrize("in_memory", [10**6, 4])
def test_an_open_document_can_seek(
    files: URLFileSystem, gopher: str, monkeypatch: pytest.MonkeyPatch, in_memory: int
) -> None:
    monkeypatch.setattr(filesystem, "IN_MEMORY", in_memory)
    with files.open(f"{gopher}/9/prices.csv") as file:
        assert file.read(4) == b"name"
        file.seek(-2, 2)
        assert file.read() == b"4\n"
        file.seek(0)
        assert file.readlines() == PRICES.splitlines(keepends=True)


RANGES = [(None, None), (5, None), (5, 8), (-3, None), (-6, -3), (8, 5), (2, 10**9), (10**6, None), (None, -5)]
LONG = bytes(range(256)) * 2000


@pytest.fixture(params=["http", "ftp", "file"])
def long(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a long document that can be read in parts."""
    (tmp_path / "long").write_bytes(LONG)
    os.utime(tmp_path / "long", (10**9, 10**9))  # a change in the same second would not be noticed
    if request.param == "file":
        yield f"file://{tmp_path}/long"
        return
    with {"http": http_server, "ftp": ftp_server}[request.param](tmp_path) as address:
        yield f"{request.param}://{address}/long"


@pytest.fixture
def traced(tmp_path: Path) -> tuple[URLFileSystem, list[int]]:
    """A filesystem, and the numbers of octets that it received."""
    received: list[int] = []

    def trace(event: TraceEvent) -> None:
        if event.kind == "receive":
            received.append(len(event.octets or b""))

    return URLFileSystem(Policy(networks=("127.0.0.0/8",), roots=(str(tmp_path),)), trace=trace), received


@pytest.mark.parametrize(("start", "end"), RANGES)
def test_only_the_part_that_is_wanted_is_transferred(
    traced: tuple[URLFileSystem, list[int]], long: str, start: int | None, end: int | None
) -> None:
    files, received = traced
    part = LONG[start:end]
    assert files.cat_file(long, start, end) == part
    assert sum(received) < len(part) + 5000
    del received[:]
    assert files.cat_ranges([long, long], [start, 7], [end, 9]) == [part, LONG[7:9]]
    assert sum(received) < len(part) + 9000


def test_an_open_document_transfers_what_is_read(
    traced: tuple[URLFileSystem, list[int]], long: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filesystem, "IN_MEMORY", 100_000)
    files, received = traced
    with files.open(long, block_size=10_000) as file:
        file.seek(-8, 2)
        assert file.read() == LONG[-8:]
        file.seek(256_000)
        assert file.read(4) == LONG[:4]
    assert 0 < sum(received) < 50_000
    with files.open(long) as file:
        assert file.read() == LONG


def test_a_document_that_changes_while_it_is_read_is_an_error(
    traced: tuple[URLFileSystem, list[int]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filesystem, "IN_MEMORY", 1000)
    path = tmp_path / "long"
    path.write_bytes(LONG)
    os.utime(path, (10**9, 10**9))
    with http_server(tmp_path) as address, traced[0].open(f"http://{address}/long", block_size=1000) as file:
        assert file.read(4) == LONG[:4]
        path.write_bytes(b"x" * len(LONG))
        os.utime(path, (10**9 + 10, 10**9 + 10))
        file.seek(300_000)
        with pytest.raises(OSError, match="/long was changed while it was read"):
            file.read(4)


def test_a_server_without_ranges_sends_the_document_once(
    traced: tuple[URLFileSystem, list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filesystem, "IN_MEMORY", 1000)
    requests: list[str] = []

    def serve(connection: socket.socket) -> None:
        request = connection.recv(10_000)
        requests.append(request.split()[0].decode())
        head = b'HTTP/1.0 200 OK\r\nETag: "1"\r\nContent-Length: %d\r\n\r\n' % len(LONG)
        connection.sendall(head + (b"" if request.startswith(b"HEAD") else LONG))

    files = traced[0]
    with Loopback(serve) as server:
        url = f"http://{server.address}/long"
        with files.open(url, block_size=1000) as file:
            for position in (300_000, 0, 500_000):
                file.seek(position)
                assert file.read(4) == LONG[position : position + 4]
        assert requests == ["HEAD", "GET", "GET"]
        assert files.cat_file(url, 5, 9) == LONG[5:9]


@pytest.mark.parametrize("method", ["open", "cat_file"])
def test_an_open_document_holds_no_more_than_the_limit(tmp_path: Path, method: str) -> None:
    (tmp_path / "long").write_bytes(bytes(300_000))
    files = URLFileSystem({"networks": ["127.0.0.0/8"], "limits": {"content": 200_000}})
    with http_server(tmp_path) as address, pytest.raises(OSError, match="the document is longer than 200000"):
        getattr(files, method)(f"http://{address}/long")


def test_a_document_is_copied_to_a_local_file(files: URLFileSystem, gopher: str, tmp_path: Path) -> None:
    files.get(f"{gopher}/9/prices.csv", str(tmp_path / "copy.csv"))
    assert (tmp_path / "copy.csv").read_bytes() == PRICES


def test_a_listing_is_not_a_file_and_nothing_is_written(files: URLFileSystem, gopher: str) -> None:
    with pytest.raises(IsADirectoryError, match="/1/more is not a document"):
        files.open(f"{gopher}/1/more")
    with pytest.raises(io.UnsupportedOperation, match="mode 'wb': URLs are opened for reading only"):
        files.open(f"{gopher}/9/new", "wb")


# Paths


def test_every_name_in_fsspec_leads_here(tmp_path: Path) -> None:
    (tmp_path / "a b.txt").write_bytes(b"text")
    policy = {"networks": ["127.0.0.0/8"], "roots": [str(tmp_path)]}
    with ftp_server(tmp_path) as address:
        for url in (f"urlschemes+ftp://{address}/a%20b.txt", f"urlschemes+file://{tmp_path}/a%20b.txt"):
            with fsspec.open(url, policy=policy) as file:
                assert file.read() == b"text", url
    for name in ("urlschemes", "gopher", "news", "nntp", "prospero", "wais", "urlschemes+gopher", "urlschemes+https"):
        assert fsspec.get_filesystem_class(name) is URLFileSystem


@pytest.mark.parametrize("name", ["ftp", "http", "https", "file"])
def test_the_filesystems_of_fsspec_stay(name: str) -> None:
    assert known_implementations[name]["class"].startswith("fsspec.")


def test_its_protocols_are_the_names_that_lead_to_it() -> None:
    ours = [each.name for each in entry_points(group="fsspec.specs") if each.value.startswith("urlschemes_fsspec:")]
    assert sorted(ours) == sorted(URLFileSystem.protocol)


def test_news_is_read_from_the_server_that_the_options_name() -> None:
    group = Newsgroup([article("One", "first\n", message_id="1@host.dom")])
    with nntp_server({"misc.test": group}) as address:
        settings: dict[str, Any] = {"policy": LOOPBACK, "options": {"news": {"server": str(address)}}}
        files = fsspec.filesystem("news", **settings)
        assert files.ls("news:*", detail=False) == ["news:misc.test"]
        assert files.isdir("news:misc.test")
        assert files.find("news:*") == ["news:1@host.dom"]
        with fsspec.open("news://1@host.dom", **settings) as file:  # fsspec knows a URL by its //
            assert file.read().endswith(b"first\r\n")
    assert files.unstrip_protocol("news:1@host.dom") == "news://1@host.dom"
    assert files.unstrip_protocol("ftp://host.dom/a") == "urlschemes+ftp://host.dom/a"
    assert files.unstrip_protocol("wais://host.dom/db") == "wais://host.dom/db"


def test_a_url_has_no_wildcards(files: URLFileSystem) -> None:
    for url in ("wais://host.dom/db?tea", "gopher://host.dom/0/*.csv"):
        assert files.glob(url) == [url]


# Policies


def test_a_url_of_another_profile_is_read(tmp_path: Path) -> None:
    (tmp_path / "prices.csv").write_bytes(PRICES)
    files = URLFileSystem(LOOPBACK, registry=Registry(profile="rfc3986"))
    with http_server(tmp_path) as address:
        url = f"http://{address}/~/../prices.csv#top"
        for each in (files, pickle.loads(pickle.dumps(files))):
            assert each.cat_file(url) == PRICES
            assert each.find(url) == [url]


def test_a_path_that_fsspec_divides_is_explained() -> None:
    with pytest.raises(ValueError, match=r"fsspec divides a path at `::`: write an IPv6 address without it"):
        fsspec.open("urlschemes+http://[::1]:8791/a.txt", policy=LOOPBACK, registry=Registry(profile="rfc3986"))


def test_by_default_no_private_address_is_accessed(gopher: str) -> None:
    for method in ("open", "cat_file", "ls", "info", "find", "exists"):
        with pytest.raises(PermissionError, match=REFUSED):
            getattr(URLFileSystem(), method)(f"{gopher}/1/")


def test_each_instance_has_its_own_policy(gopher: str) -> None:
    fsspec.filesystem("gopher", policy=LOOPBACK).info(f"{gopher}/1/")
    with pytest.raises(PermissionError):
        fsspec.filesystem("gopher").info(f"{gopher}/1/")


def test_a_policy_comes_from_the_configuration_of_fsspec(gopher: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(fsspec.config.conf, "urlschemes", {"policy": LOOPBACK.to_dict()})
    with fsspec.open(f"{gopher}/9/prices.csv") as file:
        assert file.read() == PRICES


def test_a_filesystem_pickles_with_its_policy(files: URLFileSystem, gopher: str) -> None:
    assert pickle.loads(pickle.dumps(files)).cat_file(f"{gopher}/9/prices.csv") == PRICES
    with pytest.raises(PermissionError):
        pickle.loads(pickle.dumps(URLFileSystem())).cat_file(f"{gopher}/9/prices.csv")


def test_a_deadline_is_kept_and_explained() -> None:
    def keep_silent(connection: socket.socket) -> None:
        while connection.recv(1000):
            pass

    with Loopback(keep_silent) as silent, pytest.raises(OSError, match="the deadline passed"):
        URLFileSystem(LOOPBACK, deadline=0.2).cat_file(f"gopher://{silent.address}/0/a")


# On an event loop


def test_an_asynchronous_filesystem_is_awaited(gopher: str) -> None:
    async def prices() -> bytes:
        files = URLFileSystem(LOOPBACK, asynchronous=True)
        assert await files._exists(f"{gopher}/1/")
        content: bytes = await files._cat_file(f"{gopher}/9/prices.csv")
        return content

    assert asyncio.run(prices()) == PRICES
