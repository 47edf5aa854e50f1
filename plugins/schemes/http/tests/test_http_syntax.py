"""The syntax of http URLs (RFC 1738 section 3.3): parts, errors, constructor."""

import pytest

import urlschemes
import urlschemes_access
from urlschemes import Encoded
from urlschemes.errors import InvalidURL, UnsafeURL
from urlschemes.record.record_fields import Example
from urlschemes_http import HttpURL, registration
from urlschemes_testing.examples import check_example


@pytest.mark.parametrize("example", registration.examples, ids=lambda example: example.url)
def test_the_examples_of_the_record_are_true(example: Example) -> None:
    check_example(HttpURL, example)


def test_the_record_is_that_of_the_scheme() -> None:
    assert (registration.scheme, registration.status, registration.default_port) == ("http", "permanent", 80)
    assert registration.operations == ("access", "find attributes", "replace", "delete")
    assert registration.redirects == ("http", "https")
    assert not registration.local
    for text in (
        registration.encoding_considerations,
        registration.interoperability_considerations,
        registration.security_considerations,
    ):
        assert len(text) > 300
    assert sum(example.parts is None for example in registration.examples) >= 10


def test_the_grammar_is_that_of_section_5() -> None:
    printed = """
httpurl        = "http://" hostport [ "/" hpath [ "?" search ]]
hpath          = hsegment *[ "/" hsegment ]
hsegment       = *[ uchar | ";" | ":" | "@" | "&" | "=" ]
search         = *[ uchar | ";" | ":" | "@" | "&" | "=" ]
"""
    rules = "\n".join(line.partition("; ")[0].rstrip() for line in registration.syntax.bnf.strip().splitlines())
    assert rules == printed.strip()


# The parts


@pytest.mark.decision(29)
@pytest.mark.parametrize(
    ("text", "path", "search", "target"),
    [
        ("http://h", None, None, "/"),
        ("http://h/", "", None, "/"),
        ("http://h/?", "", "", "/?"),
        ("http://h/a", "a", None, "/a"),
        ("http://h//", "/", None, "//"),
        ("http://h/a/../b/./c;d=e", "a/../b/./c;d=e", None, "/a/../b/./c;d=e"),
        ("http://h/a%2Fb%2fc/%7E", "a%2Fb%2fc/%7E", None, "/a%2Fb%2fc/%7E"),
        ("http://h/?q=a%26b&c", "", "q=a%26b&c", "/?q=a%26b&c"),
        ("http://h/%FF?%ff", "%FF", "%ff", "/%FF?%ff"),
    ],
)
def test_path_search_and_target(text: str, path: str | None, search: str | None, target: str) -> None:
    url = HttpURL.parse(text)
    assert (url.path, url.search, url.query, url.target, url.user) == (path, search, search, target, None)
    assert str(url) == text


ROWS_ACCEPTED = {
    "W001": ("http://example.com/%0d%0aX-Injected:%201", "%0d%0aX-Injected:%201"),
    "W002": ("http://example.com/%00", "%00"),
    "W003": ("http://example.com/%2e%2e/%2e%2e/etc/passwd", "%2e%2e/%2e%2e/etc/passwd"),
    "W004": ("http://example.com/a%2Fb", "a%2Fb"),
    "W005": ("http://example.com/%2541", "%2541"),
}


@pytest.mark.parametrize("row", ROWS_ACCEPTED)
def test_the_request_target_is_as_written(row: str) -> None:
    text, path = ROWS_ACCEPTED[row]
    url = HttpURL.parse(text)
    url.check_line()
    assert url.path == path
    assert url.target == f"/{path}"


def test_a_semicolon_in_a_search_is_data() -> None:
    assert HttpURL.parse("http://example.com/?a=1;b=2").search == "a=1;b=2"


def test_a_port_may_have_leading_zeros() -> None:
    assert HttpURL.parse("http://example.com:000000080/").port == 80
    assert HttpURL.parse("http://example.com:80/").raw["port"] == "80"
    assert HttpURL.parse("http://example.com/").raw["port"] is None


# Invalid URLs

ROWS_REFUSED: dict[str, tuple[str, str]] = {
    "P001": (" http://example.com/", "invalid-character"),
    "P002": ("\x00http://example.com/", "invalid-character"),
    "P004": ("\xa0http://example.com/", "invalid-character"),
    "P006": ("http://example.com/ ", "invalid-character"),
    "P007": ("http://exam\nple.com/", "invalid-character"),
    "P008": ("http://example.com/\r\nX: y", "invalid-character"),
    "P009": ("ht\ttp://example.com/", "invalid-character"),
    "P011": ("http://example.com\r\n.evil.org/", "invalid-character"),
    "P012": ("http://example.com/?q=\r\nSET x 1\r\n", "invalid-character"),
    "P014": ("http://example.com/\x85x", "invalid-character"),
    "P016": ("http://example.com/\u202egpj.exe", "invalid-character"),
    "P017": ("http://example.com/\ud800", "invalid-character"),
    "P018": ("http://example.com/a b", "invalid-character"),
    "P019": ("http://example.com/a|b", "invalid-character"),
    "P020": ("http://example.com/a\\b", "invalid-character"),
    "P021": ("http://example.com/{x}", "invalid-character"),
    "P022": ("http://example.com/%", "bad-escape"),
    "P023": ("http://example.com/%1", "bad-escape"),
    "P024": ("http://example.com/%zz", "bad-escape"),
    "P025": ("http://example.com/%u0041", "bad-escape"),
    "P026": ("http://example.com/%\uff11\uff12", "bad-escape"),
    "S014": ("http:example.com/", "missing-authority"),
    "S015": ("http:/example.com/", "missing-authority"),
    "S016": ("http:///example.com/", "empty-host"),
    "S017": ("http:////example.com/", "empty-host"),
    "S018": ("http:\\\\example.com/", "invalid-character"),
    "S026": ("http:", "missing-authority"),
    "S027": ("http://", "empty-host"),
    "H001": ("http://good.example@evil.example/", "userinfo-not-allowed"),
    "H002": ("http://good.example\\@evil.example/", "invalid-character"),
    "H003": ("http://good.example#@evil.example/", "fragment-present"),
    "H004": ("http://good.example?@evil.example/", "userinfo-not-allowed"),
    "H010": ("http://exam%70le.com/", "invalid-host"),
    "H011": ("http://example.com%2F10.0.0.1/", "invalid-host"),
    "H012": ("http://example.com%00.evil.org/", "invalid-host"),
    "H013": ("http://example.com%0d%0a.evil.org/", "invalid-host"),
    "H014": ("http://ex\u2100mple.com/", "invalid-character"),
    "H016": ("http://example\uff0ecom/", "invalid-character"),
    "H017": ("http://\u0435xample.com/", "invalid-character"),
    "H018": ("http://xn--/", "invalid-host"),
    "H019": ("http://[::1]/", "invalid-character"),
    "H020": ("http://[127.0.0.1]/", "invalid-character"),
    "H021": ("http://[evil.example]/", "invalid-character"),
    "H022": ("http://prefix.[::1]/", "invalid-character"),
    "H023": ("http://[::1].evil.example/", "invalid-character"),
    "H024": ("http://[::1%25eth0]/", "invalid-character"),
    "H025": ("http://[v1.x|y]/", "invalid-character"),
    "H026": ("http://[::1/", "invalid-character"),
    "H027": ("http://2130706433/", "invalid-host"),
    "H028": ("http://0x7f000001/", "invalid-host"),
    "H029": ("http://0x7f.1/", "invalid-host"),
    "H030": ("http://127.1/", "invalid-host"),
    "H033": ("http://1.2.3.4.5/", "invalid-host"),
    "H034": ("http://\u0661\u0662\u0667.0.0.1/", "invalid-character"),
    "H035": ("http://\u2460\u2461\u2466.0.0.1/", "invalid-character"),
    "H036": ("http://example.com./", "invalid-host"),
    "H037": ("http://.example.com/", "invalid-host"),
    "H038": ("http://a..b.example/", "invalid-host"),
    "H039": ("http://-oProxyCommand=x/", "invalid-host"),
    "H040": ("http://a_b.example/", "invalid-host"),
    "H043": ("http://example.com:/", "invalid-port"),
    "H046": ("http://example.com:" + "9" * 5000 + "/", "invalid-port"),
    "H047": ("http://example.com:-80/", "invalid-port"),
    "H048": ("http://example.com:+80/", "invalid-port"),
    "H049": ("http://example.com:8_0/", "invalid-port"),
    "H050": ("http://example.com:\uff18\uff10/", "invalid-character"),
    "H051": ("http://example.com: 80/", "invalid-character"),
    "H052": ("http://example.com:80:443/", "invalid-port"),
    "H053": ("http://example.com:80@evil.example/", "userinfo-not-allowed"),
    "W006": ("http://example.com/a#frag", "fragment-present"),
    "W008": ("http://example.com/" + "a" * 70_000, "url-too-long"),
    "W010": ("http://example.com/\xe9", "invalid-character"),
    "decision 6, a slash in a search": ("http://h/a?b/c", "invalid-part"),
    "decision 6, a question mark in a search": ("http://h/a?b?c", "invalid-part"),
    "decision 6, a search without a slash": ("http://h?q", "invalid-host"),
    "decision 7, an empty user": ("http://@h/", "userinfo-not-allowed"),
    "decision 7, a user and a password": ("http://u:p@h/", "userinfo-not-allowed"),
    "decision 19, a tilde": ("http://h/~joe", "invalid-character"),
}


@pytest.mark.parametrize("row", ROWS_REFUSED)
def test_invalid_urls_are_refused(row: str) -> None:
    text, code = ROWS_REFUSED[row]
    assert not urlschemes.is_valid(text)
    with pytest.raises(InvalidURL) as caught:
        HttpURL.parse(text)
    assert caught.value.code == code
    shown = str(caught.value)
    assert shown.isascii()
    assert shown.isprintable()
    assert len(shown) <= 300


ROWS_ONLY_ACCESS_REFUSES = {
    "H031": "http://0177.0.0.1/",
    "H032": "http://256.1.1.1/",
    "H041": "http://" + "a" * 80 + ".example/",
    "H042": "http://" + ".".join("a" * 200) + "/",
    "H044": "http://example.com:0/",
    "H045": "http://example.com:65536/",
}


@pytest.mark.parametrize("row", ROWS_ONLY_ACCESS_REFUSES)
def test_unsafe_hosts_and_ports_are_parsed_and_never_resolved(row: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def resolved(*_: object, **__: object) -> None:
        raise AssertionError("the host was looked up")

    monkeypatch.setattr("socket.getaddrinfo", resolved)
    monkeypatch.setattr("socket.socket", resolved)
    url = HttpURL.parse(ROWS_ONLY_ACCESS_REFUSES[row])
    for operation in (urlschemes_access.access, urlschemes_access.find_attributes):
        with pytest.raises(UnsafeURL):
            operation(url)


# Constructor and replace


def test_a_constructor_encodes_its_parts() -> None:
    url = HttpURL(host="h.example", port=8080, path="a/ü ~?#", search="q=a/b?&c=d e")
    assert str(url) == "http://h.example:8080/a/%C3%BC%20%7E%3F%23?q=a%2Fb%3F&c=d%20e"
    assert (url.path, url.search) == ("a/%C3%BC%20%7E%3F%23", "q=a%2Fb%3F&c=d%20e")


def test_a_path_and_a_search_keep_their_escapes() -> None:
    assert str(HttpURL(host="h", path="a%2fb c%20d", search="q=a%26b&c")) == "http://h/a%2fb%20c%20d?q=a%26b&c"


@pytest.mark.parametrize("parts", [{"path": "100%"}, {"path": "a%2"}, {"search": "%zz"}, {"path": "%25%"}])
def test_a_percent_sign_that_begins_no_escape_is_refused(parts: dict[str, str]) -> None:
    for build in (lambda: HttpURL(host="h", **parts), lambda: HttpURL.parse("http://h/a?b").replace(**parts)):  # type: ignore[arg-type]
        with pytest.raises(InvalidURL) as caught:
            build()
        assert (caught.value.part, caught.value.hint) == (next(iter(parts)), "a percent sign is written %25")


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ({}, "http://h"),
        ({"path": ""}, "http://h/"),
        ({"path": "", "search": ""}, "http://h/?"),
        ({"search": "q"}, "http://h/?q"),
        ({"port": 80, "path": Encoded("/")}, "http://h//"),
    ],
)
def test_absent_and_empty_parts_differ(parts: dict[str, object], text: str) -> None:
    assert str(HttpURL(host="h", **parts)) == text  # type: ignore[arg-type]


@pytest.mark.parametrize("host", ["a.example/@b", "a@b", "a:80", "", "a b", "[::1]", "ü.example", "a.example#"])
def test_a_host_cannot_contain_a_delimiter(host: str) -> None:
    with pytest.raises(InvalidURL):
        HttpURL(host=host, path="")


@pytest.mark.parametrize("port", ["80 ", "80", True, -1, 80.0, b"80", "８０"])
def test_a_port_must_be_an_int(port: object) -> None:
    with pytest.raises(InvalidURL) as caught:
        HttpURL(host="a.example", port=port, path="")  # type: ignore[arg-type]
    assert caught.value.code == "invalid-port"


def test_replace_changes_the_given_parts() -> None:
    url = HttpURL.parse("HTTP://H.example:080/a%2fb/%7E?x=%26")
    assert str(url.replace(search="y z")) == "HTTP://H.example:080/a%2fb/%7E?y%20z"
    assert str(url.replace(search=None)) == "HTTP://H.example:080/a%2fb/%7E"
    assert str(url.replace(port=None)) == "HTTP://H.example/a%2fb/%7E?x=%26"
    assert str(url.replace(host="other.example")) == "HTTP://other.example:080/a%2fb/%7E?x=%26"
    assert str(url.replace(path="%2F")) == "HTTP://H.example:080/%2F?x=%26"
    assert str(HttpURL.parse("http://h").replace(path="a")) == "http://h/a"


# The URL as a value


def test_equivalent_urls() -> None:
    url = HttpURL.parse("http://H.example:80/%7ea%2f")
    assert url.equivalent(HttpURL.parse("http://h.example/%7Ea%2F"))
    assert not url.equivalent(HttpURL.parse("http://h.example/%7Ea/"))
