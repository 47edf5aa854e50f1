"""The https scheme in the profile of RFC 3986: that of http, with another name and port."""

from urlschemes import Registry
from urlschemes_http.rfc3986 import HttpURI
from urlschemes_http.rfc3986 import registration as http
from urlschemes_https.rfc3986 import HttpsURI, registration

MODERN = Registry(profile="rfc3986")


def test_a_url_is_one_of_http_with_another_port():
    url = MODERN.parse("https://[::1]/~joe?q#top")
    assert type(url) is HttpsURI
    assert isinstance(url, HttpURI)
    assert (url.tls, url.port, url.target, url.fragment) == (True, 443, "/~joe?q", "top")


def test_rules_and_examples_are_those_of_http():
    for mine, theirs in (
        (registration.syntax.bnf, http.syntax.bnf),
        (registration.syntax.printed, http.syntax.printed),
    ):
        own = mine.replace("https-", "http-").replace("-https", "-http").replace('"https"', '"http"')
        assert own.replace("4.2.2", "4.2.1").split() == theirs.split()
    assert [each.says for each in registration.examples] == [each.says for each in http.examples]
