"""Access to nntp URLs in the profile of RFC 3986."""

import pytest

from urlschemes.errors import UnsafeURL
from urlschemes_access.errors import AuthRequired
from urlschemes_nntp.access import access, find_attributes, update
from urlschemes_nntp.rfc3986 import NntpURI
from urlschemes_testing.replay import Script, client, connect, credentials, exchange, replay, server

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
    *exchange("AUTHINFO USER u", "381 password?", "AUTHINFO PASS p", "281 welcome"),
    *exchange("GROUP g", "211 0 1 0 g"),
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
