"""Relative references to URLs of the installed schemes: RFC 1808, and RFC 1738 section 2.3."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import urlschemes
import urlschemes_lint
from urlschemes import default_registry
from urlschemes.errors import InvalidURL, NotHierarchical
from urlschemes.url.value import InternetURL
from urlschemes_testing.strategies import urls

# RFC 1808 sections 5.1 and 5.2; the base is http://a/b/c/d;p?q#f.
EXAMPLES = {
    "g:h": "g:h",
    "g": "http://a/b/c/g",
    "./g": "http://a/b/c/g",
    "g/": "http://a/b/c/g/",
    "/g": "http://a/g",
    "//g": "http://g",
    "?y": "http://a/b/c/d;p?y",
    "g?y": "http://a/b/c/g?y",
    "#s": "http://a/b/c/d;p?q",
    "g#s": "http://a/b/c/g",
    "g#s/./x": "http://a/b/c/g",
    "g?y#s": "http://a/b/c/g?y",
    ";x": "http://a/b/c/d;x",
    "g;x": "http://a/b/c/g;x",
    "g;x?y#s": "http://a/b/c/g;x?y",
    ".": "http://a/b/c/",
    "./": "http://a/b/c/",
    "..": "http://a/b/",
    "../": "http://a/b/",
    "../g": "http://a/b/g",
    "../..": "http://a/",
    "../../": "http://a/",
    "../../g": "http://a/g",
    "": "http://a/b/c/d;p?q",
    "../../../g": "http://a/../g",
    "../../../../g": "http://a/../../g",
    "/./g": "http://a/./g",
    "/../g": "http://a/../g",
    "g.": "http://a/b/c/g.",
    ".g": "http://a/b/c/.g",
    "g..": "http://a/b/c/g..",
    "..g": "http://a/b/c/..g",
    "./../g": "http://a/b/g",
    "./g/.": "http://a/b/c/g/",
    "g/./h": "http://a/b/c/g/h",
    "g/../h": "http://a/b/c/h",
}


@pytest.mark.parametrize("reference", EXAMPLES)
def test_an_example_of_rfc_1808(reference: str) -> None:
    url = urlschemes.parse("http://a/b/c/d;p?q")
    assert str(url.join(reference)) == EXAMPLES[reference]


def test_the_example_of_rfc_1808_that_is_not_a_url_of_rfc_1738() -> None:
    # A search contains no `/` in RFC 1738.
    url = urlschemes.parse("http://a/b/c/d;p?q")
    assert url.resolve("g?y/./x") == "http://a/b/c/g?y/./x"
    with pytest.raises(InvalidURL):
        url.join("g?y/./x")
    assert str(urlschemes_lint.fix(url.resolve("g?y/./x")).url) == "http://a/b/c/g?y%2F.%2Fx"


@pytest.mark.parametrize("reference", ["http:g", "http:"])
def test_a_reference_with_a_scheme_is_not_relative(reference: str) -> None:
    url = urlschemes.parse("http://a/b/c/d;p?q")
    assert url.resolve(reference) == reference
    with pytest.raises(InvalidURL):
        url.join(reference)


@pytest.mark.parametrize("scheme", ["ftp", "file", "https"])
@pytest.mark.parametrize("reference", [each for each in EXAMPLES if not set(each) & set(":;?") and each != "//g"])
def test_the_paths_are_joined_alike_in_the_other_hierarchical_schemes(scheme: str, reference: str) -> None:
    url = urlschemes.parse(f"{scheme}://a/b/c/d").join(reference)
    assert str(url) == EXAMPLES[reference].replace(";p?q", "").replace("http:", f"{scheme}:")
    assert type(url) is type(urlschemes.parse(f"{scheme}://a/b/c/d"))


def test_a_typecode_does_not_belong_to_the_path() -> None:
    # RFC 1808 section 4
    for base in ("ftp://h/a/b;type=d", "ftp://h/a/b"):
        assert str(urlschemes.parse(base).join("g")) == "ftp://h/a/g"
        assert str(urlschemes.parse(base).join("g;type=a")) == "ftp://h/a/g;type=a"
        assert str(urlschemes.parse(base).join("..")) == "ftp://h/"
    assert str(urlschemes.parse("ftp://h/a/b;type=d").join(";type=i")) == "ftp://h/a/b;type=i"


@pytest.mark.parametrize("scheme", ["ftp", "file"])
def test_a_question_mark_belongs_to_the_name_in_ftp_and_file(scheme: str) -> None:
    # Section 5 of RFC 1738 permits it there; RFC 1808 section 2.3 considers that an error.
    assert str(urlschemes.parse(f"{scheme}://h/a/b?c").join("?y")) == f"{scheme}://h/a/?y"


def test_an_empty_query_and_an_empty_host_count_as_absent() -> None:
    # RFC 1808 sections 2.4 and 4
    url = urlschemes.parse("http://a/b/c/d;p?q")
    assert str(url.join("?")) == "http://a/b/c/d;p?q"
    assert str(url.join(";")) == "http://a/b/c/d;p?q"
    assert str(url.join("///g")) == "http://a/g"
    assert str(urlschemes.parse("file://h/a").join("///b")) == "file://h/b"


def test_an_encoded_slash_or_dot_is_data() -> None:
    assert str(urlschemes.parse("http://h/a%2Fb/c").join("g")) == "http://h/a%2Fb/g"
    assert str(urlschemes.parse("http://h/a/b").join("%2E%2E/g")) == "http://h/a/%2E%2E/g"


@pytest.mark.parametrize("scheme", sorted(default_registry))
def test_a_reference_to_a_scheme_without_hierarchy_is_refused(scheme: str) -> None:
    syntax = default_registry.registration(scheme).syntax
    example = next(each.url for each in default_registry.registration(scheme).examples if each.parts)
    if scheme in {"ftp", "http", "https", "file"}:
        assert syntax.hierarchy is not None
        assert str(urlschemes.parse(example).join("/g")).endswith("/g")
    else:
        with pytest.raises(NotHierarchical) as refused:
            urlschemes.parse(example).join("g")
        assert refused.value.section == "RFC 1738 section 2.3"
        assert str(urlschemes.parse(example).join("http://h/a")) == "http://h/a"


references = st.text(alphabet=st.sampled_from("ab./;?#:@%2F"), max_size=12) | st.sampled_from(["//b.example/x", "//c"])


@pytest.mark.parametrize("number", [100, pytest.param(500, marks=pytest.mark.slow)])
def test_a_login_is_never_carried_to_another_host(number: int) -> None:
    @settings(max_examples=number, deadline=None)
    @given(urls("ftp"), references)
    def law(text: str, reference: str) -> None:
        base = urlschemes.parse(text, InternetURL)
        try:
            url = base.join(reference)
        except InvalidURL:
            return
        if isinstance(url, type(base)) and url.host != base.host:
            login = reference.partition("//")[2].partition("/")[0].rpartition("@")[0]
            assert (url.raw["user"] or "") == login.partition(":")[0]

    law()
