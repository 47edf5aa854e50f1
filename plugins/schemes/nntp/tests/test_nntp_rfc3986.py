"""The nntp scheme in the profile of RFC 3986: the examples of its record and of RFC 5538, building, and access."""

import pytest

from urlschemes import InvalidURL, Registry
from urlschemes.errors import UnsafeURL
from urlschemes_access.errors import AuthRequired
from urlschemes_nntp.access import access, find_attributes, update
from urlschemes_nntp.rfc3986 import NntpURI, registration
from urlschemes_testing.examples import check_example
from urlschemes_testing.replay import Script, client, connect, credentials, replay, server

MODERN = Registry(profile="rfc3986")


@pytest.mark.parametrize("example", registration.examples, ids=lambda example: example.url)
def test_the_examples_are_true(example):
    check_example(NntpURI, example)


@pytest.mark.parametrize(
    ("text", "group", "article"),
    [
        ("nntp://news.server.example/example.group.this/12345", "example.group.this", 12345),
        ("nntp://wild.server.example/example.group.n%2Fa/12345", "example.group.n/a", 12345),
        ("nntp://news.server.example/example.group.this", "example.group.this", None),
        ("nntp://news.gmane.org/gmane.ietf.tools/742", "gmane.ietf.tools", 742),
    ],
)
def test_the_examples_of_rfc_5538_are_urls(text, group, article):
    url = MODERN.parse(text)
    assert type(url) is NntpURI
    assert (url.group, url.article) == (group, article)


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ({"host": "h", "group": "n/a"}, "nntp://h/n%2Fa"),
        ({"host": "[::1]", "port": 119, "group": "g", "article": 7}, "nntp://[::1]/g/7"),
        ({"host": "h", "group": "g", "article": 10**16 - 1}, "nntp://h/g/9999999999999999"),
        ({"user": "u", "host": "h", "port": 1, "group": "*", "fragment": "f"}, "nntp://u@h:1/%2A#f"),
    ],
)
def test_a_url_is_built_of_its_parts(parts, text):
    assert str(NntpURI(**parts)) == text


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"article": None}, "nntp://h:/g#f"),
        ({"article": 9, "fragment": None}, "nntp://h:/g/9"),
        ({"password": "p", "user": ""}, "nntp://:p@h:/g/01#f"),
    ],
)
def test_a_url_is_changed_in_its_parts(changes, text):
    assert str(NntpURI.parse("nntp://h:/g/01#f").replace(**changes)) == text


@pytest.mark.parametrize(
    "parts", [{"host": "h", "group": ""}, {"host": "", "group": "g"}, {"host": "h", "group": "g", "article": 10**16}]
)
def test_parts_that_no_url_has_are_refused(parts):
    with pytest.raises(InvalidURL):
        NntpURI(**parts)


READY = (
    connect("[::1]", 119),
    server("200 ready"),
    client("CAPABILITIES"),
    server("101 list", "VERSION 2", "READER", "OVER", "."),
)
BYE = (client("QUIT"), server("205 bye"))


def test_a_listing_names_articles_without_the_fragment():
    overview = server("224 follows", "7\tx\ta@b\t\t<1@h>\t\t1\t1", ".")
    script = Script(*READY, client("GROUP n/é"), server("211 1 7 7 n/é"), client("OVER 7-7"), overview, *BYE)
    listed = replay(access(NntpURI.parse("nntp://[::1]/n%2F%C3%A9#top")), script)
    assert [entry.url for entry in listed.entries] == ["nntp://[::1]/n%2F%C3%A9/7"]


DEMAND = (client("GROUP g"), server("480 who?"))
LOGIN = (
    client("AUTHINFO USER u"),
    server("381 password?"),
    client("AUTHINFO PASS p"),
    server("281 welcome"),
    client("GROUP g"),
    server("211 0 1 0 g"),
)


@pytest.mark.parametrize(("user", "given"), [("u:p@", None), ("u@", ("u", "p")), ("", ("u", "p"))])
def test_the_login_is_that_of_the_url_or_of_the_caller(user, given):
    asked = () if given is None else (credentials(*given),)
    script = Script(*READY, *DEMAND, *asked, *LOGIN, *BYE)
    outcome = replay(find_attributes(NntpURI.parse(f"nntp://{user}[::1]/g"), allow_cleartext=True), script)
    assert outcome.attributes.name == "g"


@pytest.mark.parametrize("given", [(None,), ("v", "p")])
def test_a_user_of_the_url_without_a_password_is_not_replaced(given):
    script = Script(*READY, *DEMAND, credentials(*given))
    refused = replay(access(NntpURI.parse("nntp://u@[::1]/g"), allow_cleartext=True), script)
    assert isinstance(refused.error, AuthRequired)
    assert "for the user 'u'" in refused.error.hint


@pytest.mark.parametrize("group", ["a%20b", "a%0D%0APOST", "a%7F", "%00", "%C3%A9" * 249])
def test_a_name_that_is_no_argument_is_refused_before_connecting(group):
    for algorithm in (access, find_attributes, update):
        with pytest.raises(UnsafeURL) as refused:
            next(algorithm(NntpURI.parse(f"nntp://h/{group}")))
        assert refused.value.part == "group"
