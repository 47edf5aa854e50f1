"""The expressions of `dialect_of`, run by the engines they are for: each takes the texts that the pattern takes.

ECMAScript is node, Rust's crate is polars, RE2 is DuckDB, which `python3 dev --group bridges pytest` installs.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from functools import cache
from random import Random

import pytest
from fuzzing.mutations import Corpus
from workspace import schemes_of_plugins

from urlschemes import Registry, default_registry
from urlschemes.grammar.syntax import Syntax
from urlschemes_tables import dialect_of

REGISTRIES = {"rfc1738": default_registry, "rfc3986": Registry(profile="rfc3986")}
SCHEMES = [(profile, scheme) for profile, registry in REGISTRIES.items() for scheme in schemes_of_plugins(registry)]
# Reads {"source", "flags", "texts"}, prints the indexes of the texts that match.
SCRIPT = """
const {source, flags, texts} = JSON.parse(require("fs").readFileSync(0, "utf8"));
const regexps = flags.map((each) => new RegExp(source, each));
const matching = (regexp) => texts.flatMap((text, index) => regexp.test(text) ? [index] : []);
console.log(JSON.stringify(regexps.map(matching)));
"""
HOSTILE = (
    "a.",
    "-",
    "[::1]",
    "1.",
    "1",
    ":",
    "a@",
    "a:b@",
    "%41",
    "%22%5c",
    "/",
    ";a=b",
    "a/",
    "?",
    "&b=c",
    "%09",
    "\u00e9",
)


def syntax_of(profile: str, scheme: str) -> Syntax:
    return REGISTRIES[profile].registration(scheme).syntax


@cache
def texts(profile: str, number: int) -> tuple[str, ...]:
    """Texts of all schemes, mutated; and numbers of some lengths."""
    corpus = Corpus(12, REGISTRIES[profile])
    runs = [
        f"{scheme}://{host}:{'1' * count}{rest}"
        for scheme in REGISTRIES[profile]
        for host in ("h", "1.2.3.4", "[::1]")
        for count in (1, 1001, 4000)
        for rest in ("", "/", "/a")
    ]
    mutated = (corpus.mutated(Random(index)) for index in range(number))
    return (*runs, *(text for text in mutated if text.isascii() or text.isprintable()))


def in_node(source: str, flags: list[str], given: list[str]) -> list[list[int]]:
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs node")
    message = json.dumps({"source": source, "flags": flags, "texts": given})
    done = subprocess.run([node, "-e", SCRIPT], input=message, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    matching: list[list[int]] = json.loads(done.stdout)
    return matching


def in_polars(expression: str, given: list[str]) -> list[int]:
    polars = pytest.importorskip("polars", reason="needs polars: python3 dev --group bridges pytest")
    matching: list[int] = polars.Series(given).str.contains(expression).arg_true().to_list()
    return matching


def in_duckdb(expression: str, given: list[str]) -> list[int]:
    duckdb = pytest.importorskip("duckdb", reason="needs DuckDB: python3 dev --group bridges pytest")
    literal = "'" + expression.replace("'", "''") + "'"  # an expression that is not a literal is compiled for each row
    rows = "SELECT unnest($1) AS text, generate_subscripts($1, 1) - 1 AS index"
    query = f"SELECT index FROM ({rows}) WHERE regexp_matches(text, {literal}) ORDER BY index"
    matching: list[int] = [index for (index,) in duckdb.execute(query, [given]).fetchall()]
    return matching


CASES = [
    *(pytest.param(*case, 1_500, marks=[] if case[0] == "rfc1738" else pytest.mark.slow) for case in SCHEMES),
    *(pytest.param(*case, 200_000, marks=pytest.mark.slow) for case in SCHEMES),
]


@pytest.mark.parametrize(("profile", "scheme", "number"), CASES)
def test_ecmascript_takes_the_texts_that_the_pattern_takes(profile: str, scheme: str, number: int) -> None:
    given = list(texts(profile, number))
    syntax = syntax_of(profile, scheme)
    expected = [index for index, text in enumerate(given) if syntax.fullmatch(text)]
    assert expected
    assert in_node(dialect_of(syntax, "ecma"), ["", "u", "v"], given) == [expected] * 3


@pytest.mark.slow
@pytest.mark.parametrize(("profile", "scheme"), SCHEMES)
def test_ecmascript_reads_hostile_texts_in_linear_time(profile: str, scheme: str) -> None:
    syntax = syntax_of(profile, scheme)
    begin = f"{scheme}:" + ("//" if syntax.begins_with(f"{scheme}://") else "")
    given = [
        begin + front + turn * (60_000 // len(turn)) + end
        for front in ("", "h/", "a@h")
        for turn in HOSTILE
        for end in ("", "#")
    ]
    in_node(dialect_of(syntax, "ecma"), [""], given)  # what is quadratic takes minutes, and is ended


@pytest.mark.parametrize(("profile", "scheme", "number"), CASES)
@pytest.mark.parametrize(("dialect", "matching"), [("rust", in_polars), ("re2", in_duckdb)])
def test_an_engine_takes_the_texts_that_the_pattern_takes(
    dialect: str, matching: Callable[[str, list[str]], list[int]], profile: str, scheme: str, number: int
) -> None:
    given = list(texts(profile, number))
    syntax = syntax_of(profile, scheme)
    expected = [index for index, text in enumerate(given) if syntax.fullmatch(text)]
    assert expected
    assert matching(dialect_of(syntax, dialect), given) == expected  # type: ignore[arg-type]  # one of its names
