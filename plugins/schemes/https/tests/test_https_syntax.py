"""https URLs: those of http with another name and another port."""

import pytest

import urlschemes
from urlschemes.grammar.bnf import BNFReader
from urlschemes_conformance.url_table import built, changed, invalid, url_tests, valid
from urlschemes_http import HttpURL
from urlschemes_http import registration as http
from urlschemes_http.rfc3986 import HttpURI
from urlschemes_http.rfc3986 import registration as http_of_today
from urlschemes_https import HttpsURL, registration
from urlschemes_https.rfc3986 import HttpsURI
from urlschemes_https.rfc3986 import registration as https_of_today

# fmt: off
test_https_urls = url_tests(HttpsURL, [
    valid("https://H.example/a%2fb?c", port=443, path="a%2fb", search="c", target="/a%2fb?c", tls=True),
    valid("https://h:443/",            normalized="https://h/"),
    valid("https://h:80/",             normalized="https://h:80/"),
    invalid("http://h/",             "invalid-scheme", 0),
    invalid("https://joe:secret@h/", "userinfo-not-allowed", 8),
    built("https://h.example/a%20b?c%2Fd", host="h.example", path="a b", search="c/d"),
    changed("https://h/%20", "https://h:8443/%20", port=8443),
])

test_https_uris = url_tests(HttpsURI, [
    valid("https://[::1]/~joe?q#top", port=443, target="/~joe?q", fragment="top", tls=True),
])
# fmt: on


@pytest.mark.parametrize(("kind", "of_http"), [(HttpsURL, HttpURL), (HttpsURI, HttpURI)])
def test_an_https_url_is_an_http_url_of_another_type(kind: type[HttpsURL], of_http: type[HttpURL]) -> None:
    url = kind.parse("https://h/a")
    assert isinstance(url, of_http)
    assert {type(url), type(url.replace(port=1)), type(url.join("b"))} == {kind}
    assert not of_http.tls
    assert not kind.parse("https://h:80/").equivalent(of_http.parse("http://h/"))


def test_the_grammar_is_that_of_http_with_another_literal() -> None:
    expected = BNFReader(http.syntax.bnf.replace("httpurl", "httpsurl").replace('"http://"', '"https://"')).rules()
    assert [*map(str, BNFReader(registration.syntax.bnf).rules().values())] == [*map(str, expected.values())]
    for text, of_http in (
        (https_of_today.syntax.bnf, http_of_today.syntax.bnf),
        (https_of_today.syntax.printed, http_of_today.syntax.printed),
    ):
        own = text.replace("https-", "http-").replace("-https", "-http").replace('"https"', '"http"')
        assert own.replace("4.2.2", "4.2.1").split() == of_http.split()


def test_operations_and_examples_are_those_of_http() -> None:
    assert (registration.redirects, registration.operations) == (("https",), http.operations)
    assert [each.says for each in https_of_today.examples] == [each.says for each in http_of_today.examples]
    for example in http.examples:
        text = example.url.replace("http:", "https:").replace("HTTP:", "HTTPS:")
        assert urlschemes.is_valid(text) is (example.parts is not None)
