"""Access to news URLs in the profile of RFC 3986."""

import pytest

from urlschemes.errors import UnsafeURL, UnsupportedOperation
from urlschemes_access.errors import AuthRequired
from urlschemes_news.access import access, find_attributes, update
from urlschemes_news.rfc3986 import NewsURI
from urlschemes_testing.replay import Script, client, connect, exchange, replay, server

CAPABILITIES = (client("CAPABILITIES"), server("101 list", "VERSION 2", "READER", "OVER", "."))
READY = (connect("[::1]", 1119), server("200 ready"), *CAPABILITIES)
BYE = (client("QUIT"), server("205 bye"))
SERVER = "news://u:p%20@[::1]:1119"


def test_a_url_names_the_server_and_its_fragment_is_not_sent():
    header = server("220 0 <a/b@c> article", "Message-ID: <a/b@c>", "", "Text", ".")
    script = Script(*READY, client("ARTICLE <a/b@c>"), header, *BYE)
    url = NewsURI.parse(f"{SERVER}/a%2Fb@c#top")
    assert replay(access(url, server="other.example"), script).content.endswith(b"Text\r\n")


def test_articles_are_listed_on_the_same_server():
    overview = server("224 follows", "7\tx\ta@b\t\t<1/x@h>\t\t1\t1", "8\ty\ta@b\t\t<no at sign>\t\t1\t1", ".")
    script = Script(*READY, *exchange("GROUP misc.test", "211 2 7 8 misc.test"), client("OVER 7-8"), overview, *BYE)
    listed = replay(access(NewsURI.parse(f"{SERVER}/misc.test#top")), script)
    assert [entry.url for entry in listed.entries] == [f"{SERVER}/1%2Fx@h", f"nntp{SERVER[4:]}/misc.test/8"]


@pytest.mark.parametrize(("group", "argument"), [("", ""), ("*", ""), ("misc.*", " misc.*"), ("n%3F", " n?")])
def test_a_pattern_selects_groups(group, argument):
    script = Script(
        *READY,
        client(f"LIST NEWSGROUPS{argument}"),
        server("215 follows", "misc.x Things", "."),
        client(f"LIST ACTIVE{argument}"),
        server("215 follows", "misc.x 9 1 y", "n/é 3 1 y", "."),
        *BYE,
    )
    listed = replay(access(NewsURI.parse(f"{SERVER}/{group}#f")), script)
    assert [entry.url for entry in listed.entries] == [f"{SERVER}/misc.x", f"{SERVER}/n%2F%C3%A9"]


def test_a_server_that_requires_a_login_gets_that_of_the_url():
    login = (
        *exchange("GROUP g", "480 who?", "AUTHINFO USER u", "381 password?"),
        *exchange("AUTHINFO PASS p ", "281 welcome", "GROUP g", "211 0 1 0 g"),
    )
    script = Script(*READY, *login, *BYE)
    outcome = replay(find_attributes(NewsURI.parse(f"{SERVER}/g"), allow_cleartext=True), script)
    assert outcome.attributes.name == "g"
    refused = replay(find_attributes(NewsURI.parse(f"{SERVER}/g")), Script(*READY, *login[:2]))
    assert isinstance(refused.error, AuthRequired)


@pytest.mark.parametrize(
    "text", ["news:a%20b", "news:a%0D%0APOST", "news:*%2Cb", "news:%21*", "news:*%5Ba%5D", "news:" + "%C3%A9" * 249]
)
def test_a_name_that_is_no_argument_is_refused_before_connecting(text):
    for algorithm in (access, find_attributes, update):
        with pytest.raises((UnsafeURL, UnsupportedOperation)):
            next(algorithm(NewsURI.parse(text), server="news.example"))
    with pytest.raises(UnsafeURL):
        next(access(NewsURI.parse(text), server="news.example"))
