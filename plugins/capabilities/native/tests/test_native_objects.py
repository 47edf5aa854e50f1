"""Native URLs behave as objects of Python do."""

from __future__ import annotations

import gc
import sys
import threading
import tracemalloc
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import urlschemes
from urlschemes import URL, InvalidURL, Registry, Scheme, default_registry
from urlschemes_tables import Table, table_of

urlschemes_native = pytest.importorskip("urlschemes_native._native", reason="needs `python3 dev --group native`")
from urlschemes_native.reader import loaded  # noqa: E402  where it is installed

FtpURL = default_registry["ftp"].url_type
TEXT = "ftp://joe:p%40ss@Host.dom:21/a/b%20c/x;type=a"


def test_a_url_is_small() -> None:
    assert sys.getsizeof(urlschemes.parse(TEXT)) <= 80


def test_a_url_cannot_be_changed() -> None:
    url = urlschemes.parse(TEXT)
    for name in ("host", "scheme", "extra", "__dict__"):
        with pytest.raises(AttributeError):
            setattr(url, name, "x")
        with pytest.raises(AttributeError):
            delattr(url, name)
    with pytest.raises(TypeError):
        weakref.ref(url)


def test_a_url_that_was_never_parsed_raises_attribute_error() -> None:
    url = object.__new__(FtpURL)
    for name in ("host", "_match", "_text"):
        with pytest.raises(AttributeError):
            getattr(url, name)
    with pytest.raises(AttributeError):
        str(url)


def test_a_subclass_may_have_slots_and_weak_references() -> None:
    class Noted(FtpURL):  # type: ignore[valid-type, misc]
        __slots__ = ("__weakref__", "note")

    url = Noted.parse(TEXT)
    url.note = [url]
    assert (url.host, url.note[0].name, weakref.ref(url)() is url) == ("host.dom", "x", True)
    gone = weakref.ref(url)
    del url
    gc.collect()
    assert gone() is None


def test_a_property_reads_urls_of_other_types() -> None:
    read_host = FtpURL.host.fget
    assert read_host(FtpURL.parse(TEXT)) == read_host(urlschemes.parse(TEXT)) == "host.dom"
    for other in (5, None, FtpURL):
        with pytest.raises((AttributeError, TypeError)):
            read_host(other)
    assert FtpURL.host.__doc__


@pytest.mark.parametrize(
    "arguments",
    [
        ("host", "text", "/", None, str),
        ("nosuchmark", "text", "/", None, str, str),
        ("host", "nosuchform", "/", None, str, str),
        (5, "text", "/", None, str, str),
    ],
)
def test_a_reader_of_a_part_is_checked_when_it_is_made(arguments: tuple[object, ...]) -> None:
    table = loaded(FtpURL.syntax)
    with pytest.raises((TypeError, ValueError)):
        urlschemes_native.part_reader(table, *arguments)  # type: ignore[arg-type]


def test_the_reader_checks_what_it_is_given() -> None:
    reader = urlschemes_native.Reader(None, print, InvalidURL, URL, 100)
    table = loaded(FtpURL.syntax)
    for arguments in [("", table, FtpURL, ()), ("x" * 65, table, FtpURL, ())]:
        with pytest.raises(ValueError, match="1 to 64"):
            reader.set(*arguments)
    for wrong in [("ftp", None, FtpURL, ()), ("ftp", table, int, ()), ("ftp", table, FtpURL, None)]:
        with pytest.raises(TypeError):
            reader.set(*wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        urlschemes_native.Reader(None, print, URL, URL, 100)  # type: ignore[arg-type]


def registry_of(kind: type[URL]) -> Registry:
    registry = Registry()
    assert kind.registration is not None
    registry.register(Scheme(kind.registration, kind), replace=True)
    return registry


def test_registries_and_types_are_collected() -> None:
    registry = Registry()
    url = registry.parse(TEXT)
    kind = registry["x-example"].url_type
    gone = weakref.ref(registry)
    del registry
    gc.collect()
    assert gone() is None
    assert url.host == "host.dom"
    assert kind

    class Kind(FtpURL):  # type: ignore[valid-type, misc]
        pass

    Kind.example = registry_of(Kind).parse(TEXT)
    type_gone = weakref.ref(Kind)
    del Kind
    gc.collect()
    assert type_gone() is None


def refuse(text: str) -> None:
    with pytest.raises(InvalidURL):
        urlschemes.parse(text)


def table_of_ftp() -> Table:
    table = table_of(FtpURL.syntax)
    assert table is not None
    return table


def part_of_ftp(name: str) -> Callable[[object], object]:
    return urlschemes_native.part_reader(loaded(FtpURL.syntax), name, "text", "", None, str, str)


def a_scheme() -> tuple[urlschemes_native.Table, type[URL], tuple[Any, ...]]:
    return loaded(FtpURL.syntax), FtpURL, (("host", "host", "lower", "", None),)


def columns(texts: list[str]) -> object:
    data = "".join(texts).encode()
    places = [sum(map(len, texts[:number])) for number in range(len(texts) + 1)]
    offsets = b"".join(place.to_bytes(4, sys.byteorder) for place in places)
    parts = (("host", "text"), ("port", "number"), ("name", "text"), ("directories", "raw"))
    return default_registry.reader.columns(offsets, data, None, 0, parts, lambda _: ("code", 3))


@pytest.mark.parametrize(
    "act",
    [
        lambda: urlschemes.parse(TEXT),
        lambda: urlschemes.parse(TEXT).parts,
        lambda: urlschemes.parse(TEXT, limit=99),
        lambda: urlschemes.parse(TEXT, type=FtpURL).raw,
        lambda: urlschemes.parse(str(urlschemes.parse(TEXT))).replace(host="x.dom"),
        lambda: refuse("ftp://h_/"),
        lambda: refuse("ftp://h/" + "\u00e9" * 100),
        lambda: object.__new__(FtpURL),
        lambda: urlschemes_native.Table(table_of_ftp().blob, table_of_ftp().marks).spans(TEXT),
        lambda: part_of_ftp("host")(urlschemes.parse(TEXT)),
        lambda: Registry.from_rules(default_registry._plugins.rules).reader.native.set("ftp", *a_scheme()),
        lambda: columns([TEXT, "ftp://h_/", "ftp://joe:8x/", "nosuchscheme:a", "ftp://h.dom/%ff"]),
    ],
)
def test_nothing_is_leaked(act: Callable[[], object]) -> None:
    def grown(times: int) -> int:
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(times):
            act()
        gc.collect()
        return tracemalloc.get_traced_memory()[0] - before

    tracemalloc.start()
    try:
        grown(300)  # fills what is cached
        assert min(grown(500) for _ in range(10)) < 500 * 8  # a leak grows each time, other memory comes and goes
    finally:
        tracemalloc.stop()


def test_threads_may_parse_while_schemes_change() -> None:
    registry = Registry()
    scheme = registry["x-example"]
    url = scheme.registration.examples[0].url
    failures: list[BaseException] = []
    stop = threading.Event()

    def parse() -> None:
        try:
            while not stop.is_set():
                for text in (TEXT, "http://h.dom/", url):
                    try:
                        dict(registry.parse(text).parts)
                    except LookupError:
                        assert text == url
        except BaseException as error:  # noqa: BLE001  shown by the test
            failures.append(error)

    threads = [threading.Thread(target=parse) for _ in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(300):
        with registry.override(scheme):
            pass
        registry.unregister("x-example")
        registry.register(scheme, replace=True)
    stop.set()
    for thread in threads:
        thread.join(20)
    assert failures == []
