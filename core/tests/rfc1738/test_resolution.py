"""Relative references: the examples of RFC 1808 section 5, and what each scheme's syntax makes of `?` and `;`."""

import pytest

from urlschemes import InvalidURL, Registration, Scheme
from urlschemes.errors import NotHierarchical
from urlschemes.url.value import URL

FIELDS = """
scheme = "{name}"
[syntax]
rule = "u"
hierarchy = "path"
"""
WITH_QUERY = """bnf = '''
u = "x-q://" login [ "/" path [ "?" query ] ]
path = *[ uchar | "/" | ":" | ";" | "=" ]
query = *[ uchar | "/" | ":" | ";" | "=" ]
'''
[syntax.parts]
user = "user"
password = "password"
host = "host"
port = { at = "port", number = true }
path = "path"
query = "query"
"""
WITHOUT_QUERY = """bnf = '''
u = "x-f://" hostport [ "/" path [ ";mode=" alpha ] ]
path = *[ uchar | "/" | "?" ]
'''
parts = { host = "host", port = { at = "port", number = true }, path = "path", mode = "u/alpha" }
"""
Query = Scheme(Registration.from_text(FIELDS.format(name="x-q") + WITH_QUERY)).url_type
File = Scheme(Registration.from_text(FIELDS.format(name="x-f") + WITHOUT_QUERY)).url_type
BASE = Query.parse("x-q://a/b/c/d;p?q")

# RFC 1808 sections 5.1 and 5.2, with this scheme's name for http.
EXAMPLES = {
    "g:h": "g:h",
    "g": "x-q://a/b/c/g",
    "./g": "x-q://a/b/c/g",
    "g/": "x-q://a/b/c/g/",
    "/g": "x-q://a/g",
    "//g": "x-q://g",
    "?y": "x-q://a/b/c/d;p?y",
    "g?y": "x-q://a/b/c/g?y",
    "g?y/./x": "x-q://a/b/c/g?y/./x",
    "#s": "x-q://a/b/c/d;p?q#s",
    "g#s": "x-q://a/b/c/g#s",
    "g#s/./x": "x-q://a/b/c/g#s/./x",
    "g?y#s": "x-q://a/b/c/g?y#s",
    ";x": "x-q://a/b/c/d;x",
    "g;x": "x-q://a/b/c/g;x",
    "g;x?y#s": "x-q://a/b/c/g;x?y#s",
    ".": "x-q://a/b/c/",
    "./": "x-q://a/b/c/",
    "..": "x-q://a/b/",
    "../": "x-q://a/b/",
    "../g": "x-q://a/b/g",
    "../..": "x-q://a/",
    "../../": "x-q://a/",
    "../../g": "x-q://a/g",
    "": "x-q://a/b/c/d;p?q",
    "../../../g": "x-q://a/../g",
    "../../../../g": "x-q://a/../../g",
    "/./g": "x-q://a/./g",
    "/../g": "x-q://a/../g",
    "g.": "x-q://a/b/c/g.",
    ".g": "x-q://a/b/c/.g",
    "g..": "x-q://a/b/c/g..",
    "..g": "x-q://a/b/c/..g",
    "./../g": "x-q://a/b/g",
    "./g/.": "x-q://a/b/c/g/",
    "g/./h": "x-q://a/b/c/g/h",
    "g/../h": "x-q://a/b/c/h",
    "x-q:g": "x-q:g",
    "x-q:": "x-q:",
}


@pytest.mark.rfc1738(29)
@pytest.mark.parametrize("reference", EXAMPLES)
def test_the_examples_of_rfc_1808(reference: str) -> None:
    assert BASE.resolve(reference) == EXAMPLES[reference]


@pytest.mark.rfc1738(29)
@pytest.mark.parametrize("reference", [";", "?", ";?"])
def test_a_mark_with_nothing_after_it_counts_as_absent(reference: str) -> None:
    assert BASE.resolve(reference) == str(BASE)  # RFC 1808 section 2.4


@pytest.mark.parametrize("reference", [r for r, whole in EXAMPLES.items() if whole.startswith("x-q://")])
def test_join_gives_the_url_without_the_fragment(reference: str) -> None:
    url = BASE.join(reference)
    assert str(url) == EXAMPLES[reference].partition("#")[0]
    assert type(url) is Query


def test_what_only_looks_absolute_is_no_url() -> None:
    # RFC 1808 section 5.2 calls `http:g` a loophole.
    with pytest.raises(InvalidURL):
        BASE.join("x-q:g")


def test_a_reference_to_another_scheme_gives_a_generic_url() -> None:
    url = BASE.join("x-nobody:x")
    assert (type(url), str(url)) == (URL, "x-nobody:x")


def test_a_question_mark_is_an_ordinary_character_where_the_scheme_has_no_query() -> None:
    base = File.parse("x-f://h/a/b?c")
    assert str(base.join("?y")) == "x-f://h/a/?y"
    assert str(base.join("g?y")) == "x-f://h/a/g?y"


def test_a_parameter_of_the_base_does_not_count_as_path() -> None:
    # RFC 1808 section 4: the presence of `;type=d` does not affect the interpretation of paths.
    base = File.parse("x-f://h/a/b;mode=d")
    assert str(base.join("g")) == "x-f://h/a/g"
    assert str(base.join(";mode=i")) == "x-f://h/a/b;mode=i"


def test_a_base_without_path() -> None:
    assert str(File.parse("x-f://h").join("g")) == "x-f://h/g"
    assert str(File.parse("x-f://h").join("../g")) == "x-f://h/../g"
    assert str(Query.parse("x-q://h").join("?y")) == "x-q://h/?y"


def test_a_login_is_never_carried_to_another_host() -> None:
    base = Query.parse("x-q://u:p@a.example/x")
    assert str(base.join("//b.example/y")) == "x-q://b.example/y"
    assert str(base.join("y")) == "x-q://u:p@a.example/y"


def test_a_scheme_without_hierarchy_says_so() -> None:
    with pytest.raises(NotHierarchical, match="have no hierarchy"):
        URL.parse("x-a:b").join("c")


def test_a_reference_is_text_within_the_bound() -> None:
    for reference in (None, "x" * 70_000):
        with pytest.raises(InvalidURL):
            BASE.join(reference)  # type: ignore[arg-type]
