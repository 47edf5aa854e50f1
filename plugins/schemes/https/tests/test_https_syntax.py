"""The syntax of https URLs: that of http with another name and another port."""

import pickle

import pytest

import urlschemes
from urlschemes.errors import InvalidURL
from urlschemes.grammar.bnf import BNFReader
from urlschemes.record.record_fields import Example
from urlschemes_http import HttpURL
from urlschemes_http import registration as http
from urlschemes_https import HttpsURL, registration
from urlschemes_testing.examples import check_example


@pytest.mark.parametrize("example", registration.examples, ids=lambda example: example.url)
def test_the_examples_of_the_record_are_true(example: Example) -> None:
    check_example(HttpsURL, example)


def test_the_record() -> None:
    assert (registration.scheme, registration.default_port, registration.redirects) == ("https", 443, ("https",))
    assert registration.operations == http.operations
    assert len(registration.security_considerations) > 300


def test_the_grammar_is_that_of_http_with_another_literal() -> None:
    expected = BNFReader(http.syntax.bnf.replace("httpurl", "httpsurl").replace('"http://"', '"https://"')).rules()
    assert [*map(str, BNFReader(registration.syntax.bnf).rules().values())] == [*map(str, expected.values())]
    assert registration.syntax.section_of("search") == "RFC 1738 section 3.3"


def test_the_examples_of_http_are_true_of_https() -> None:
    for example in http.examples:
        text = example.url.replace("http:", "https:").replace("HTTP:", "HTTPS:")
        assert urlschemes.is_valid(text) is (example.parts is not None)


def test_parts_and_target() -> None:
    url = HttpsURL.parse("https://H.example/a%2fb?c")
    assert (url.scheme, url.host, url.port, url.path, url.search) == ("https", "h.example", 443, "a%2fb", "c")
    assert url.target == "/a%2fb?c"
    assert (HttpsURL.tls, HttpURL.tls) == (True, False)
    assert isinstance(url, HttpURL)


def test_constructor_and_replace_keep_the_type() -> None:
    url = HttpsURL(host="h.example", path="a b", search="c/d")
    assert str(url) == "https://h.example/a%20b?c%2Fd"
    changed = url.replace(port=8443)
    assert type(changed) is HttpsURL
    assert str(changed) == "https://h.example:8443/a%20b?c%2Fd"
    assert pickle.loads(pickle.dumps(changed)) == changed
    assert type(urlschemes.parse(str(url))) is HttpsURL


def test_http_and_https_urls_differ() -> None:
    with pytest.raises(InvalidURL):
        HttpURL.parse("https://h/")
    with pytest.raises(InvalidURL):
        HttpsURL.parse("http://h/")
    assert not HttpsURL.parse("https://h:80/").equivalent(HttpURL.parse("http://h/"))


def test_there_is_no_user_name() -> None:
    with pytest.raises(InvalidURL) as caught:
        HttpsURL.parse("https://joe:secret@h/")
    assert caught.value.code == "userinfo-not-allowed"


def test_the_default_port_is_443() -> None:
    assert str(HttpsURL.parse("https://h:443/").normalized()) == "https://h/"
    assert str(HttpsURL.parse("https://h:80/").normalized()) == "https://h:80/"


def test_join_keeps_the_scheme() -> None:
    assert type(HttpsURL.parse("https://h/a").join("b")) is HttpsURL
