"""Arrow arrays in, struct arrays out."""

from __future__ import annotations

import pickle
import struct
from typing import Any

import pytest

import urlschemes
from urlschemes import URL, Registration, Registry, Scheme, URLError

pytest.importorskip("pyarrow", reason="needs pyarrow: python3 dev --group columns pytest")
pytest.importorskip("urlschemes_columns", reason="needs urlschemes-columns: python3 dev --group columns pytest")

import pyarrow as pa

from urlschemes_columns import Parser, parse
from urlschemes_columns.parser import SLICE

PARTS = ("scheme", "host", "port", "port.raw", "path", "path.raw", "directories", "directories.raw", "name", "fields")
ABSENT: dict[str, Any] = dict.fromkeys((*PARTS, "code", "position"))
MISSING = ABSENT | {"code": "missing-url"}
MODERN = Registry(profile="rfc3986")
TEXTS = [
    "http://Host.dom/a%20b",
    None,
    "ftp://u@h:2121/a%2Fb/c/d",
    "prospero://h/x;a=1%3B;b=2",
    "http://a b/",
    "x-no:a",
]
ROWS = [
    ABSENT | {"scheme": "http", "host": "host.dom", "port": 80, "path": "a%20b", "path.raw": "a%20b", "name": "a b"},
    MISSING,
    ABSENT
    | {"scheme": "ftp", "host": "h", "port": 2121, "port.raw": "2121"}
    | {"directories": ["a/b", "c"], "directories.raw": "a%2Fb/c", "name": "d"},
    ABSENT
    | {"scheme": "prospero", "host": "h", "port": 1525}
    | {"fields": [{"name": "a", "value": "1;"}, {"name": "b", "value": "2"}]},
    ABSENT | {"scheme": "http", "code": "invalid-character", "position": 8},
    ABSENT | {"scheme": "x-no", "code": "unknown-scheme"},
]
FORMS = {
    "string": pa.array(TEXTS),
    "large_string": pa.array(TEXTS, pa.large_string()),
    "string_view": pa.array(TEXTS, pa.string_view()),
    "dictionary": pa.array(TEXTS).dictionary_encode(),
    "slice": pa.array(["http://before.dom/", None, *TEXTS, "http://after.dom/"]).slice(2, len(TEXTS)),
    "slice of a dictionary": pa.array([None, *TEXTS]).dictionary_encode().slice(1),
}


def test_a_registry_of_another_profile_has_its_parts() -> None:
    modern = Parser(("host", "path", "query", "fragment"), MODERN)
    texts = pa.array(["HTTP://[2001:DB8::1]/~a?b%20c#d", "http://h/a#b#c", "mailto:a@b.example"])
    for parser in (modern, pickle.loads(pickle.dumps(modern))):
        assert [tuple(row.values()) for row in parser.parse(texts).to_pylist()] == [
            ("[2001:db8::1]", "/~a", "b%20c", "d", None, None),
            (None, None, None, None, "invalid-part", 12),
            (None, None, None, None, None, None),
        ]


def test_attributes_that_are_no_parts_of_the_syntax_are_given() -> None:
    names = ("path", "path.raw", "segments", "name", "user", "authority")
    texts = ["file:///etc/a%20b", "https://h/a%2Fb/c?d", "ftp://h/a/b", "news:a.b"]
    (file, https, ftp, news) = parse(pa.array(texts), names, MODERN).to_pylist()
    assert (file["path"], file["path.raw"], file["segments"]) == ("/etc/a b", None, ["etc", "a b"])
    assert (https["path"], https["segments"], https["name"]) == ("/a%2Fb/c", ["a/b", "c"], "c")
    assert (ftp["path"], ftp["name"], news["user"]) == (None, "b", None)


@pytest.mark.parametrize("form", FORMS)
def test_every_array_of_strings_is_read(form: str) -> None:
    parsed = parse(FORMS[form], PARTS)
    parsed.validate(full=True)
    assert parsed.to_pylist() == ROWS
    text = pa.large_string() if form in {"large_string", "string_view"} else pa.string()
    assert parsed.type == Parser(PARTS).type(FORMS[form].type)
    assert {parsed.type.field(name).type for name in ("scheme", "host", "path.raw", "code")} == {text}
    assert parsed.type.field("port").type == pa.int64()


def test_chunks_stay_as_they_are() -> None:
    chunks = pa.chunked_array([TEXTS[:2], [], TEXTS[2:]], pa.string())
    parsed = parse(chunks, PARTS)
    assert [len(chunk) for chunk in parsed.chunks] == [2, 0, 4]
    assert parsed.to_pylist() == ROWS
    assert parse(pa.chunked_array([], pa.string())).type == Parser().type()


def test_a_dictionary_is_read_as_its_texts_are(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = pa.array([*TEXTS, *TEXTS, "http://h/", "http://\u00e9/", "http://i/", "htp:x"])
    coded = texts.dictionary_encode()
    empty = pa.DictionaryArray.from_arrays(pa.array([None], pa.int8()), pa.array([], pa.string()))
    monkeypatch.setattr("urlschemes_columns.parser.SLICE", 4)
    monkeypatch.setattr("urlschemes_columns.parser.NATIVE_SLICE", 4)
    for part in (slice(None), slice(3), slice(5, 9), slice(0, 0)):
        assert parse(coded[part], PARTS).equals(parse(texts[part], PARTS))
    assert parse(pa.concat_arrays([coded] * 3)).equals(parse(pa.concat_arrays([texts] * 3)))
    assert parse(empty).field("code").to_pylist() == ["missing-url"]


def test_texts_that_are_too_long_together_are_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: object) -> None:
        raise pa.ArrowInvalid("offset overflow while concatenating arrays")

    for name, value in (("SLICE", 4), ("NATIVE_SLICE", 4), ("pa.concat_arrays", refuse)):
        monkeypatch.setattr(f"urlschemes_columns.parser.{name}", value)
    parsed = Parser().code(pa.array(["http://h/", "ftp:", None] * 2))
    assert [chunk.to_pylist() for chunk in parsed.chunks] == [
        [None, "missing-authority", "missing-url", None],
        ["missing-authority", "missing-url"],
    ]


def test_anything_with_the_pycapsule_interface_is_read() -> None:
    class Array:
        def __arrow_c_array__(self, schema: object = None) -> object:
            return FORMS["string"].__arrow_c_array__(schema)

    class Stream:
        def __arrow_c_stream__(self, schema: object = None) -> object:
            return pa.chunked_array([FORMS["string_view"]]).__arrow_c_stream__(schema)

    assert parse(Array(), PARTS).to_pylist() == ROWS
    assert parse(Stream(), PARTS).to_pylist() == ROWS


@pytest.mark.parametrize("count", [0, 1, SLICE, SLICE + 1])
def test_rows_keep_their_order_and_number(count: int) -> None:
    parsed = parse(pa.array([f"http://host.dom:{row}/" if row % 3 else None for row in range(count)], pa.string()))
    assert [row["port"] for row in parsed.to_pylist()] == [row if row % 3 else None for row in range(count)]


def test_only_a_url_has_no_code() -> None:
    assert parse(pa.nulls(3), PARTS).to_pylist() == [MISSING] * 3
    assert Parser().is_valid(pa.array([None, "x", "http://h/"])).to_pylist() == [None, False, True]
    assert Parser().code(pa.array([None, "x", "http://h/"])).to_pylist() == ["missing-url", "invalid-scheme", None]


@pytest.mark.parametrize(
    ("text", "part", "host"),
    [
        ("http://h/", None, None),
        (None, None, None),
        ("http://Host.dom/a b", "path", "host.dom"),
        ("http://h:x/", "port", "h"),
        ("htp://h.dom/", None, "h.dom"),
        ("http://u:p@h/", "user", "h"),
        ("ftp://u v:p@h/", "user", "h"),
        ("ftp://u v:p@h i/", "user", None),
        ("http://a b/", "host", None),
        ("http://h%zz/", "host", None),
        ("http://h.", "host", None),
        ("http://:80/", "host", None),
        ("http:/h/", "host", None),
        ("h.dom/a", "scheme", None),
        ("mailto:a b", "local_part", None),
        ("http://h/" + "a" * 70_000, None, "h"),
        ("https://good.dom\\@evil.dom/", "user", None),
        ("ftp://good.dom?@evil.dom/a b", "name", None),
        ("ftp://good.dom#@evil.dom/", "user", None),
    ],
)
def test_an_invalid_row_keeps_the_part_at_fault_and_a_host_without_fault(text: str, part: str, host: str) -> None:
    (row,) = parse(pa.array([text], pa.string()), ("error.part", "error.host")).to_pylist()
    assert (row["error.part"], row["error.host"]) == (part, host)


@pytest.mark.parametrize(
    ("text", "normalized", "fixed"),
    [
        ("HTTP://Host.dom/%7Ea/../b", "http://host.dom/b", "HTTP://Host.dom/%7Ea/../b"),
        ("http://Host.dom/a b", None, "http://Host.dom/a%20b"),
        ("https://good.dom\\@evil.dom/", None, None),
        ("http://h/" + "a" * 70_000, None, None),
        ("htp://h/", None, None),
        (None, None, None),
    ],
)
def test_a_row_has_its_normal_form_and_its_repaired_text(text: str, normalized: str, fixed: str) -> None:
    for parts in (("url.normalized", "url.fixed"), ("url.fixed",)):
        (row,) = parse(pa.array([text], pa.string()), ("host", *parts), MODERN).to_pylist()
        assert (row.get("url.normalized", normalized), row["url.fixed"]) == (normalized, fixed)


def test_repairs_need_urlschemes_lint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urlschemes_columns.part_columns.find_spec", lambda _: None)
    with pytest.raises(ModuleNotFoundError, match=r"the part 'url\.fixed' needs urlschemes-lint: .*install"):
        Parser(("url.fixed",))


def test_the_rows_are_what_parse_returns(corpus: list[str | None]) -> None:
    rows = parse(pa.array(corpus), ("scheme", "user", "host", "port", "path.raw")).to_pylist()
    for text, row in zip(corpus, rows, strict=True):
        try:
            url = urlschemes.parse(text or "")
        except URLError as error:
            fault = ("missing-url", None) if text is None else (error.code, error.position)
            expected: list[Any] = [error.scheme, None, None, None, None, *fault]
        else:
            user, host, port = (url.parts.get(name) for name in ("user", "host", "port"))
            user = user and str(user).encode("utf-8", "surrogateescape").decode("utf-8", "replace")
            port = port if port is None or int(str(port)) < 2**63 else None
            expected = [url.scheme, user, host, port, url.raw.get("path"), None, None]
        assert [*row.values()] == expected, text


def test_a_name_without_a_colon_is_no_unknown_scheme() -> None:
    codes = Parser().code(pa.array(["x-no:a", "x-no", "x-no:" + "a" * 70_000, "X-NO:b", "x-no:c"])).to_pylist()
    assert codes == ["unknown-scheme", "invalid-scheme", "url-too-long", "unknown-scheme", "unknown-scheme"]


def test_octets_that_are_not_utf_8_are_replaced() -> None:
    (row,) = parse(pa.array(["ftp://h/%FF/a%C3%A9%E9"]), ("directories", "name", "name.raw")).to_pylist()
    assert row == {"directories": ["�"], "name": "aé�", "name.raw": "a%C3%A9%E9", "code": None, "position": None}


def test_an_array_that_is_not_utf_8_is_read() -> None:
    texts = [b"\xff\xfe", b"http://h/a", b"http://h/\xff"]
    array = pa.array(texts, pa.binary()).view(pa.string())
    parsed = parse(array, ("url.fixed",))
    assert parsed.field("code").to_pylist() == ["invalid-character", None, "invalid-character"]
    assert parsed.field("url.fixed").to_pylist() == [None, "http://h/a", "http://h/%FF"]


def malformed(kind: pa.DataType, numbers: bytes) -> pa.Array:
    """Return an array of two texts with these offsets or views, which point beyond its octets."""
    return pa.Array.from_buffers(kind, 2, [None, pa.py_buffer(numbers), pa.py_buffer(b"http://h/")])


@pytest.mark.parametrize(
    "array",
    [
        malformed(pa.string_view(), struct.pack("<8i", *(40, 0, 0, 1 << 30), *(40, 0, 7, 0))),
        malformed(pa.string(), struct.pack("<3i", 0, 1 << 30, 9)),
        malformed(pa.large_string(), struct.pack("<3q", 0, 1 << 60, 9)),
    ],
    ids=lambda array: str(array.type),
)
@pytest.mark.parametrize("is_dictionary", [False, True])
def test_a_malformed_array_is_refused(array: pa.Array, *, is_dictionary: bool) -> None:
    rows = pa.DictionaryArray.from_arrays(pa.array([0]), array) if is_dictionary else array
    with pytest.raises(ValueError, match="malformed Arrow array: "):
        parse(rows)


@pytest.mark.parametrize("indices", [[0, 1], [-1, 0], [0, 0, 1]])
def test_an_index_beyond_the_dictionary_is_refused(indices: list[int]) -> None:
    rows = pa.DictionaryArray.from_arrays(pa.array(indices), pa.array(["http://h/"]), safe=False)
    with pytest.raises(ValueError, match=r"malformed Arrow array: .*out of bounds"):
        parse(rows)


def test_a_number_beyond_64_bits_is_null() -> None:
    texts = [f"http://h:{port}/" for port in (2**63 - 1, 2**63)]
    rows = parse(pa.array(texts), ("port", "port.raw")).to_pylist()
    assert [(row["port"], row["port.raw"]) for row in rows] == [(2**63 - 1, str(2**63 - 1)), (None, str(2**63))]


# Errors


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (["http://h/"], r"expected an Arrow array of strings, got list; pyarrow\.array\(\.\.\.\) makes one"),
        (pa.array([1]), "expected an Arrow array of strings, got one of int64"),
        (pa.array([1]).dictionary_encode(), "got one of dictionary<values=int64"),
        (pa.table({"url": ["http://h/"]}), r"got one of struct<url: string>"),
    ],
)
def test_what_is_no_array_of_strings_is_refused(array: object, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        parse(array)


@pytest.mark.parametrize(
    ("parts", "kind", "message"),
    [
        (
            ("hots",),
            ValueError,
            r"unknown part 'hots' in the profile rfc1738: expected one of address, .*; '\.raw' after a name gives",
        ),
        (("scheme.raw",), ValueError, "unknown part 'scheme.raw'"),
        (("error.part.raw",), ValueError, "unknown part 'error.part.raw'"),
        (("host", "host"), ValueError, "the part 'host' is asked for twice"),
        ("host", TypeError, r"parts is a collection of names, not one string: write parts=\('host',\)"),
        ((1,), TypeError, "the name of a part must be a str, not int"),
    ],
)
def test_an_unknown_part_is_refused(parts: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        parse(pa.array(["http://h/"]), parts)


# Registries


def test_what_is_no_registry_is_refused() -> None:
    no_registry: Any = "http"
    with pytest.raises(TypeError, match=r"registry must be a Registry, such as .*, not str"):
        Parser(registry=no_registry)


RECORD = """
api = 1
scheme = "{name}"
status = "experimental"
title = "Made up"
reference = "none"
contact = "nobody"
change_controller = "nobody"
operations = []
encoding_considerations = "None."
interoperability_considerations = "None."
security_considerations = "None."
[syntax]
rule = "url"
bnf = '''
url  = "{name}:" path
path = digits
'''
[syntax.parts]
path = {{ at = "path"{number} }}
"""


def made_up(name: str, number: str = "") -> Registration:
    return Registration.from_text(RECORD.format(name=name, number=number))


def test_a_plugin_that_fails_gives_its_rows_a_code() -> None:
    class FaultyURL(URL, registration=made_up("x-faulty")):
        @property
        def path(self) -> str:
            raise RuntimeError("spoilt")

    registry = Registry()
    registry.register(Scheme(made_up("x-faulty"), FaultyURL))
    rows = parse(pa.array(["x-faulty:1", "http://h/a"]), ("scheme", "path"), registry).to_pylist()
    assert rows == [
        {"scheme": "x-faulty", "path": None, "code": "plugin-error", "position": None},
        {"scheme": "http", "path": "a", "code": None, "position": None},
    ]


def test_a_part_of_two_kinds_is_given_as_it_is_written() -> None:
    registry = Registry()
    registry.register(made_up("x-number", ", number = true"))
    rows = parse(pa.array(["x-number:01", "http://h/a%20b"]), ("path",), registry).to_pylist()
    assert [row["path"] for row in rows] == ["01", "a%20b"]


def test_a_decimal_is_text_and_the_value_of_a_flag_is_null() -> None:
    rules = (
        'u = "x-kinds:" size flags\nsize = digits [ "." digits ]\nflags = *[ ";" flag ]\nflag = name [ "=" value ]\n'
    )
    parts: Any = {"size": {"at": "size", "number": "decimal"}, "flags": {"at": "flags", "element": "flag"}}
    registry = Registry()
    with pytest.raises(ValueError, match="unknown part 'size'"):
        parse(pa.array(["http://h/"]), ("size",), registry)
    registry.register(Scheme.of("x-kinds", f"{rules}name = 1*alpha\nvalue = *uchar", **parts))
    rows = parse(pa.array(["x-kinds:0.0000000;a;b=%FF"]), ("size", "flags"), registry).to_pylist()
    assert (rows[0]["size"], rows[0]["flags"]) == (
        "0.0000000",
        [{"name": "a", "value": None}, {"name": "b", "value": "\N{REPLACEMENT CHARACTER}"}],
    )


def test_a_parser_of_a_changed_registry_cannot_be_pickled() -> None:
    registry = Registry()
    registry.register(made_up("x-number"))
    with pytest.raises(TypeError, match="this registry cannot be pickled: the program added schemes"):
        pickle.dumps(Parser(registry=registry))


def test_a_registry_without_schemes_knows_the_parts_of_the_common_syntax() -> None:
    (row,) = parse(pa.array(["http://h/"]), ("host", "port", "user"), Registry(plugins=[])).to_pylist()
    assert row["code"] == "unknown-scheme"


def test_a_parser_is_pickled_with_its_registry() -> None:
    parser = Parser(("scheme", "path"), Registry(disable=["ftp"]))
    again = pickle.loads(pickle.dumps(parser))
    array = pa.array(["http://h/a", "ftp://h/a"])
    assert again.parse(array) == parser.parse(array)
    assert again.code(array).to_pylist() == [None, "unknown-scheme"]
    assert pickle.loads(pickle.dumps(Parser())).registry is urlschemes.default_registry
