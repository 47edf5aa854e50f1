"""Relative references to URLs of installed schemes; core/tests/rfc1738/test_resolution.py has those of RFC 1808."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import urlschemes
import urlschemes_lint
from urlschemes.errors import InvalidURL
from urlschemes.url.value import InternetURL
from urlschemes_testing.strategies import urls


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


@pytest.mark.parametrize("scheme", ["ftp", "http", "https", "file"])
@pytest.mark.parametrize(
    ("reference", "path"),
    [
        ("g", "/b/c/g"),
        ("./g/", "/b/c/g/"),
        ("/g", "/g"),
        ("#s", "/b/c/d"),
        ("g#s/./x", "/b/c/g"),
        ("..", "/b/"),
        ("../../../g", "/../g"),
        ("g/./h/../i", "/b/c/g/i"),
        ("", "/b/c/d"),
    ],
)
def test_the_paths_are_joined_alike_in_all_hierarchical_schemes(scheme: str, reference: str, path: str) -> None:
    base = urlschemes.parse(f"{scheme}://a/b/c/d")
    url = base.join(reference)
    assert (str(url), type(url)) == (f"{scheme}://a{path}", type(base))


@pytest.mark.parametrize(
    ("reference", "text"),
    [
        ("//g", "http://g"),
        ("?y", "http://a/b/c/d;p?y"),
        ("g?y", "http://a/b/c/g?y"),
        (";x", "http://a/b/c/d;x"),
        ("g;x=1/y", "http://a/b/c/g;x=1/y"),
        ("g;x?y#s", "http://a/b/c/g;x?y"),
        ("mailto:a@b", "mailto:a@b"),
    ],
)
def test_the_parts_of_an_http_url_are_joined(reference: str, text: str) -> None:
    assert str(urlschemes.parse("http://a/b/c/d;p?q").join(reference)) == text


def test_an_absolute_reference_needs_no_hierarchy() -> None:
    assert str(urlschemes.parse("mailto:a@b").join("http://h/a")) == "http://h/a"


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
            login = reference.partition("#")[0].partition("//")[2].partition("/")[0].rpartition("@")[0]
            assert (url.raw["user"] or "") == login.partition(":")[0]

    law()
