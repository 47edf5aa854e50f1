"""The native reader and the pattern give the same answers, and the same errors."""

from __future__ import annotations

import copy
import inspect
import pickle
from collections.abc import Callable
from functools import cache, partial
from types import SimpleNamespace

import pytest
from workspace import schemes_of_plugins

import urlschemes
from urlschemes import URL, Encoded, InternetURL, Registration, Registry, URLError, default_registry
from urlschemes.errors import InvalidURL
from urlschemes.url.pattern_reader import PatternReader
from urlschemes_tables import table_of
from urlschemes_testing.generation import random_near_misses, random_urls

urlschemes_native = pytest.importorskip("urlschemes_native._native", reason="needs `python3 dev --group native`")
from urlschemes_native.reader import loaded  # noqa: E402  where it is installed

REGISTRIES = {"rfc1738": default_registry, "rfc3986": Registry(profile="rfc3986")}
SCHEMES = pytest.mark.parametrize(
    ("profile", "scheme"),
    [(profile, scheme) for profile, registry in REGISTRIES.items() for scheme in schemes_of_plugins(registry)],
)
NUMBERS = pytest.mark.parametrize("number", [40, pytest.param(200, marks=pytest.mark.slow)])
in_python = partial(PatternReader.parse, default_registry.reader)
"""`parse` as it is without the native reader."""


LOGINS = ("@", "u:p@", "u:@", "a@b@", "a%4@", "%40@", "é@", "u:p:@", "u/p@", "~", "a?b@", "a#b@", "1:2:3", "[::1]@")


def parsers(profile: str) -> tuple[Callable[[str], URL], Callable[[str], URL]]:
    """Return `parse` of the registry of a profile, and the same without the native reader."""
    return REGISTRIES[profile].parse, partial(PatternReader.parse, REGISTRIES[profile].reader)


@cache
def texts(profile: str, scheme: str, number: int) -> list[str]:
    registry = REGISTRIES[profile]
    valid = random_urls(scheme, number, registry=registry)
    capital = (scheme.upper() + text[len(scheme) :] for text in valid)
    return [*valid, *random_near_misses(scheme, number, registry=registry), *capital]


def described(url: URL) -> dict[str, object]:
    """Return everything that can be seen of a URL."""
    return {
        "type": type(url),
        "text": str(url),
        "repr": repr(url),
        "hash": hash(url),
        "scheme": url.scheme,
        "schemepart": url.schemepart,
        "parts": url.parts,
        "raw": url.raw,
        "spans": {name: url.span(name) for name in url.syntax.parts},
        "redacted": url.redacted(),
        "normalized": str(url.normalized()),
        "pickle": pickle.dumps(url),
    }


def outcome(parse: object, text: object) -> object:
    try:
        return described(parse(text))  # type: ignore[operator]
    except URLError as error:
        names = ("code", "scheme", "part", "position", "rule", "section", "hint", "message", "span")
        return type(error), str(error), {name: getattr(error, name, None) for name in names}


def test_the_default_registry_parses_natively() -> None:
    assert urlschemes.parse == default_registry.reader.parse
    assert type(urlschemes.parse("http://host.dom/")).__mro__[-2].__module__ == "urlschemes_native"
    assert [*inspect.signature(urlschemes.parse).parameters] == [*inspect.signature(in_python).parameters]


@NUMBERS
@SCHEMES
def test_a_text_has_the_same_answer_as_by_the_pattern(profile: str, scheme: str, number: int) -> None:
    native, pure = parsers(profile)
    assert native != pure
    for text in texts(profile, scheme, number):
        assert outcome(native, text) == outcome(pure, text), text


@NUMBERS
@SCHEMES
def test_a_fault_is_that_of_the_automaton(profile: str, scheme: str, number: int) -> None:
    parse, kind = REGISTRIES[profile].parse, REGISTRIES[profile][scheme].url_type
    given = [text for text in texts(profile, scheme, number) if text.lower().startswith(f"{scheme}:")]
    logins = [text.replace("//", f"//{login}", 1) for text in given[::4] for login in LOGINS]
    for text in [*given, *logins] * 2:
        try:
            parse(text)
        except InvalidURL as error:
            fault = InvalidURL(text, SimpleNamespace(explanation=partial(PatternReader.explanation, kind)))
            computed = {name: getattr(error, name) for name in ("code", "position", *InvalidURL.COMPUTED)}
            assert computed == {name: getattr(fault, name) for name in computed}, text


def test_faults_of_hosts_in_brackets_and_without_them_differ() -> None:
    registry = REGISTRIES["rfc3986"]
    registry.parse("http://h/")
    known_fault = loaded(registry["http"].url_type.syntax).fault
    places = {
        "http://1:x": ("invalid-port", 9),
        "http://1:2:3": ("invalid-host", 10),
        "http://1:2:g": ("invalid-port", 10),
        "http://[::1": ("invalid-host", 11),
        "http://[12345::]/": ("invalid-host", 12),
        "http://[1:2:3:4:5:6:7::8]/": ("invalid-host", 23),
        "http://h?a#b#c": ("invalid-part", 12),
        "http://?q": ("empty-host", 7),
        "http://u@h?q": ("userinfo-not-allowed", 7),
        "http://h?u@h": None,
    }
    for text, place in [*places.items()] * 2:
        if place is not None:
            with pytest.raises(InvalidURL) as caught:
                registry.parse(text)
            assert (caught.value.code, caught.value.position) == place, text
        assert known_fault(text) in {None, place}, text
    assert known_fault("http://1:2:3:4/") == ("invalid-host", 10)
    assert known_fault("http://[12345:6]/") == ("invalid-host", 12)


def test_the_fault_of_a_text_is_known_after_one_like_it(monkeypatch: pytest.MonkeyPatch) -> None:
    kind = default_registry["ftp"].url_type
    table = table_of(kind.syntax)
    assert table is not None
    native = urlschemes_native.Table(table.blob, table.marks)
    monkeypatch.setattr("urlschemes_native.reader.loaded", lambda _: native)
    known_fault = native.fault
    for text in ("ftp://host.dom:8080x/", "ftp://joe:pw:@h.dom/", "ftp:/h", "ftp://ho_/", "ftp://h/%4", "ftp://\u00e9"):
        assert known_fault(text) is None
        with pytest.raises(InvalidURL) as caught:
            kind.parse(text)
        answer = caught.value.code, caught.value.position
        assert known_fault(text) == known_fault(text.upper()) == answer
    assert known_fault("ftp://host.dom:90808 /") is None
    assert known_fault("ftp://host.dom:90808x/") == ("invalid-port", 20)
    for text in (None, "", "ftp", "http://ho_st/", "ftp://h/", "ftp://h\udc80"):
        assert known_fault(text) is None


@SCHEMES
def test_native_urls_compare_as_others(profile: str, scheme: str) -> None:
    parse, parse_in_python = parsers(profile)
    found = [text for text in texts(profile, scheme, 40) if REGISTRIES[profile].is_valid(text)]
    for text, other in zip(found, [*found[1:], found[0]], strict=True):
        native, pure = parse(text), parse_in_python(text)
        for one in (parse(other), parse_in_python(other)):
            assert [native == one, native < one, native <= one, native > one, native >= one] == [
                pure == one,
                pure < one,
                pure <= one,
                pure > one,
                pure >= one,
            ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        ":",
        "http",
        "http:",
        "x" * 70 + ":",
        "nosuchscheme:abc",
        "http://h.dom/\udc80",
        "http://h.dom/\u00e9",
        "\u00e9ttp://h.dom/",
        "ht\u212ap://h.dom/",
        "http://h.dom/\0",
        "http://h.dom:" + "1" * 4000 + "/",
        "http://h.dom:" + "1" * 4001 + "/",
        "http://h.dom:" + "0" * 4001 + "80/",
        "http://h.dom:" + "0" * 4001 + "1" * 4001,
        "http://h.dom:" + "1" * 4001 + "~",
        "http://h.dom/" + "1" * 4001,
        "http://h.dom/" + "a" * 65521,
        "http://h.dom/" + "a" * 65522,
        "http://h.dom/" + "a" * 65523,
        "http://h.dom/" + "a" * 65524,
        "http://h.dom/" + "\u00e9" * 40000,
        Encoded("http://h.dom/a"),
        Encoded("http://h.dom/a b"),
        None,
        b"http://h.dom/",
    ],
    ids=lambda text: repr(text)[:20] + str(len(text or "")),
)
def test_texts_at_the_limits_have_the_same_answer(text: object) -> None:
    assert outcome(urlschemes.parse, text) == outcome(in_python, text)


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ((), {}),
        (("http://h.dom/", URL, 13, 1), {}),
        (("http://h.dom/", URL, 12), {}),
        (("http://h.dom/", URL, 13), {}),
        (("http://h.dom/",), {"limit": 12}),
        (("http://h.dom/",), {"limit": -1}),
        (("http://h.dom/",), {"limit": 10**30}),
        (("http://h.dom/",), {"limit": 13.5}),
        (("http://h.dom/",), {"limit": "13"}),
        (("http://h.dom/",), {"limit": True}),
        (("http://h.dom/", InternetURL), {}),
        (("http://h.dom/",), {"type": InternetURL, "limit": 13}),
        (("http://h.dom/", default_registry["ftp"].url_type), {}),
        (("http://h_/", default_registry["ftp"].url_type), {}),
        (("http://h.dom/", URL), {"type": URL}),
        (("http://h.dom/",), {"kind": URL}),
        (("http://h.dom/", int), {}),
        (("http://h.dom/", "URL"), {}),
        (("http://h.dom/", None), {}),
        ((), {"text": "http://h.dom/"}),
    ],
)
def test_arguments_mean_the_same(arguments: tuple[object, ...], options: dict[str, object]) -> None:
    def called(parse: object) -> object:
        try:
            return described(parse(*arguments, **options))  # type: ignore[operator]
        except (URLError, TypeError) as error:
            return type(error), str(error)

    assert called(urlschemes.parse) == called(in_python)


def test_a_refusal_has_the_text_and_the_type() -> None:
    with pytest.raises(InvalidURL) as caught:
        urlschemes.parse("http://host.dom:8x/")
    assert caught.value.text == "http://host.dom:8x/"
    assert caught.value.position == 17
    assert pickle.loads(pickle.dumps(caught.value)).position == 17
    assert caught.value.__context__ is None


@SCHEMES
def test_a_pickled_url_of_one_is_a_url_of_the_other(profile: str, scheme: str) -> None:
    parse, parse_in_python = parsers(profile)
    text = next(text for text in texts(profile, scheme, 40) if REGISTRIES[profile].is_valid(text))
    native, pure = parse(text), parse_in_python(text)
    for url in (native, pure):
        for copied in (pickle.loads(pickle.dumps(url)), copy.copy(url), copy.deepcopy(url)):
            assert described(copied) == described(native) == described(pure)


def test_the_examples_of_ledgers_are_read_alike() -> None:
    parse, parse_in_python = parsers("rfc3986")
    for record in REGISTRIES["rfc3986"].registrations():
        for example in record.examples:
            native, pure = (outcome(each, example.url) for each in (parse, parse_in_python))
            assert native == pure
            assert isinstance(native, dict) == (example.parts is not None), example.url


def test_parse_can_be_pickled_as_it_is() -> None:
    assert pickle.loads(pickle.dumps(urlschemes.parse)) == urlschemes.parse
    registry = Registry(disable=["ftp"])
    parse = pickle.loads(pickle.dumps(registry.parse))
    assert str(parse("http://h.dom/")) == "http://h.dom/"
    with pytest.raises(LookupError):
        parse("ftp://h.dom/")


RECORD = """
api = 1
scheme = "x-long"
status = "experimental"
title = "A scheme with many parts"
reference = "none"
contact = "nobody"
change_controller = "nobody"
operations = []
encoding_considerations = "None."
interoperability_considerations = "None."
security_considerations = "None."

[syntax]
rule = "long"
bnf = '''
long = "x-long:" {rule}
{rules}
'''

[syntax.parts]
{parts}

[[examples]]
url = "x-long:{example}"
parts = {{ p1 = "a" }}
says = "parts"
"""


def registration(count: int) -> Registration:
    """Return a record of `count` parts with `/` between them."""
    names = [f"p{number}" for number in range(1, count + 1)]
    return Registration.from_text(
        RECORD.format(
            rule=' "/" '.join(names),
            rules="\n".join(f"{name} = *uchar" for name in names),
            parts="\n".join(f'{name} = {{ at = "{name}" }}' for name in names),
            example="/".join("a" * count),
        )
    )


@pytest.mark.parametrize("count", [1, 8, 9, 20])
def test_a_scheme_with_many_parts_is_read_all_the_same(count: int) -> None:
    registry = Registry(plugins=())
    registry.register(registration(count))
    url = registry.parse("x-long:" + "/".join(map(str, range(count))))
    assert url.parts == {f"p{number + 1}": str(number) for number in range(count)}
    assert registry.reader.unknown(*one("x-long:a"), 0) == (set() if count <= 8 else {"x-long"})


def one(text: str) -> tuple[memoryview, bytes, None]:
    return memoryview(bytes(4) + len(text).to_bytes(4, "little")), text.encode(), None


def test_a_scheme_can_be_changed_and_removed() -> None:
    registry = Registry(plugins=())
    registry.register(registration(2))
    first = registry.parse("x-long:a/b")
    registry.register(registration(3), replace=True)
    second = registry.parse("x-long:a/b/c")
    with pytest.raises(InvalidURL):
        registry.parse("x-long:a/b")
    with registry.override(registration(1)):
        assert registry.parse("x-long:a").parts == {"p1": "a"}
    assert (first.parts, second.parts) == ({"p1": "a", "p2": "b"}, {"p1": "a", "p2": "b", "p3": "c"})
    registry.unregister("x-long")
    with pytest.raises(LookupError):
        registry.parse("x-long:a/b/c")


def test_a_type_with_a_parse_of_its_own_is_asked() -> None:
    record = registration(1)

    class Own(URL, registration=record):
        @classmethod
        def parse(cls, text: str, *, limit: int = 65536) -> Own:
            return super().parse(text.replace("X", "y"), limit=limit)

    registry = Registry(plugins=())
    registry.register(urlschemes.Scheme(record, Own))
    assert str(registry.parse("x-long:X")) == "x-long:y"


def test_a_registry_with_a_parse_of_its_own_keeps_it() -> None:
    class Own(Registry):
        def parse(self, text: str, *_: object, **__: object) -> URL:  # type: ignore[override]
            return super().parse(text.strip())

    assert str(Own().parse(" http://h.dom/ ")) == "http://h.dom/"
