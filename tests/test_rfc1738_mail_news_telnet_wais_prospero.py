"""RFC 1738 sections 3.5 to 3.9 and 3.11: mailto, news, nntp, telnet, wais and prospero."""

from __future__ import annotations

from typing import Any

import pytest
from rfc1738_helpers import RESERVED, UNRESERVED, refused

import urlschemes_access
import urlschemes_lint
from urlschemes import (
    InternetURL,
    default_registry,
    parse,
)
from urlschemes.errors import InvalidURL, UnsupportedOperation
from urlschemes.grammar.octets import octets_of, text_of
from urlschemes_access import Policy
from urlschemes_access.resources import Listing
from urlschemes_mailto import MailtoURL
from urlschemes_news import NewsURL
from urlschemes_nntp import NntpURL
from urlschemes_prospero import ProsperoURL
from urlschemes_servers.nntp import Newsgroup, article, nntp_server
from urlschemes_servers.prospero import directory, external, prospero_server
from urlschemes_servers.prospero import file as prospero_file
from urlschemes_servers.telnet import telnet_server
from urlschemes_telnet import TelnetURL, open_session
from urlschemes_wais import WaisURL

# Section 3.5: mailto


@pytest.mark.rfc1738(97, 98)
@pytest.mark.parametrize(
    ("text", "local_part", "domain"),
    [
        ("mailto:joe@host.dom", "joe", "host.dom"),
        ("mailto:Joe.Q.Public@host.dom", "Joe.Q.Public", "host.dom"),
        ("mailto:%22Joe%20Q%22@host.dom", '"Joe Q"', "host.dom"),
        ("mailto:joe@%5B192.0.2.7%5D", "joe", "[192.0.2.7]"),
        ("mailto:joe%40host.dom", "joe", "host.dom"),
        ("mailto:host!joe/a=b&c@h", "host!joe/a=b&c", "h"),
    ],
)
def test_a_mailto_url_is_an_encoded_addr_spec_and_nothing_else(text: str, local_part: str, domain: str) -> None:
    url = parse(text, MailtoURL)
    assert (url.address, url.local_part, url.domain) == (f"{local_part}@{domain}", local_part, domain)
    assert set(url.parts) == {"address", "local_part", "domain"}
    assert MailtoURL(address=f"{local_part}@{domain}").equivalent(url)


@pytest.mark.rfc1738(98)
@pytest.mark.parametrize("text", ["", "joe", "@h", "joe@", "a@b@c", "a,b@c", "Joe%20%3Cjoe@h%3E", ".a@b", "a..b@c"])
def test_a_mailto_url_without_an_addr_spec_is_refused(text: str) -> None:
    refused(f"mailto:{text}", "invalid-part", scheme="mailto")


@pytest.mark.rfc1738(99)
def test_an_address_contains_any_character_and_none_is_reserved() -> None:
    for character in sorted(UNRESERVED | RESERVED):
        plain, encoded = (parse(f"mailto:%22a{c}z%22@h", MailtoURL) for c in (character, f"%{ord(character):02X}"))
        assert plain.address == encoded.address == f'"a{character}z"@h'
        assert plain.equivalent(encoded)
    url = parse("mailto:joe?subject=hello@h", MailtoURL)
    assert url.local_part == "joe?subject=hello"  # RFC 1738 has no header fields
    assert [finding.code for finding in urlschemes_lint.check(str(url))] == ["header-fields"]


@pytest.mark.rfc1738(100)
def test_a_percent_sign_in_an_address_is_encoded() -> None:
    assert str(MailtoURL(address="joe%far@gateway.dom")) == "mailto:joe%25far@gateway.dom"
    assert parse("mailto:joe%25far@gateway.dom", MailtoURL).local_part == "joe%far"
    refused("mailto:joe%gar@gateway.dom", "bad-escape", position=10)


@pytest.mark.rfc1738(101)
def test_a_mailto_url_cannot_be_accessed() -> None:
    assert "access" not in default_registry.registration("mailto").operations
    with pytest.raises(UnsupportedOperation) as caught:
        urlschemes_access.access("mailto:joe@host.dom")
    assert caught.value.scheme == "mailto"


# Section 3.6: news


@pytest.mark.rfc1738(103)
@pytest.mark.parametrize(
    ("text", "form", "group"),
    [
        ("news:comp.infosystems.www.misc", "group", "comp.infosystems.www.misc"),
        ("news:a", "group", "a"),
        ("news:Comp.lang.c++", "group", "Comp.lang.c++"),
        ("news:a-b_c", "group", "a-b_c"),
        ("news:*", "groups", "*"),
    ],
)
def test_a_news_url_is_one_group_or_all_groups(text: str, form: str, group: str) -> None:
    url = parse(text, NewsURL)
    assert (url.form, url.group, url.message_id) == (form, group, None)
    assert str(NewsURL(group=group)) == text


@pytest.mark.rfc1738(102, 105)
@pytest.mark.parametrize(
    ("text", "message_id"),
    [
        ("news:123.ABC@host.dom", "123.ABC@host.dom"),
        ("news:a/b?c:d;e&f=g@host.dom", "a/b?c:d;e&f=g@host.dom"),
        ("news:a%40b@host.dom", "a@b@host.dom"),
        ("news://h/1@x", "//h/1@x"),
        ("news:1@192.0.2.7", "1@192.0.2.7"),
    ],
)
def test_an_at_sign_distinguishes_an_article_from_a_group(text: str, message_id: str) -> None:
    url = parse(text, NewsURL)
    assert (url.form, url.group, url.message_id) == ("article", None, message_id)
    assert NewsURL(message_id=message_id).equivalent(url)


@pytest.mark.rfc1738(104)
@pytest.mark.parametrize("rest", ["", "1a", ".a", "a%62", "a/b", "**", "a@", "@h", "a@b@c", "a@h.1", "*@h_"])
def test_an_invalid_news_url_is_refused(rest: str) -> None:
    refused(f"news:{rest}", "invalid-part", scheme="news")


@pytest.mark.rfc1738(104)
def test_a_message_id_is_written_without_angle_brackets() -> None:
    refused("news:<1@h>", "invalid-character", position=5)
    with pytest.raises(InvalidURL, match="without `<>`") as caught:
        NewsURL(message_id="<1@h>")
    assert caught.value.code == "invalid-part"
    assert str(urlschemes_lint.fix("news:<1@h>").url) == "news:1@h"


@pytest.mark.rfc1738(106)
def test_an_article_contains_any_character_and_only_the_at_sign_is_reserved() -> None:
    for character in sorted(UNRESERVED | RESERVED - {"@"}):
        plain, encoded = (parse(f"news:1{c}z@h", NewsURL) for c in (character, f"%{ord(character):02X}"))
        assert plain.message_id == encoded.message_id == f"1{character}z@h"
        assert plain.equivalent(encoded)
    refused("news:1@2@h", "invalid-part", scheme="news")


@pytest.mark.rfc1738(108)
def test_a_news_url_names_no_server() -> None:
    assert not issubclass(NewsURL, InternetURL)
    assert set(parse("news:a").parts) == {"group", "message_id"}


@pytest.mark.rfc1738(102, 108)
def test_a_news_url_is_accessed_on_the_server_that_the_caller_names() -> None:
    letter = article("One", "First.\n", message_id="1@host.dom")
    with nntp_server({"misc.test": Newsgroup([letter]), "misc.empty": Newsgroup()}) as server:
        arguments: dict[str, Any] = {"policy": Policy.interactive(), "options": {"server": str(server)}}
        for text, names in (("news:*", ["misc.test", "misc.empty"]), ("news:misc.test", ["One"])):
            with urlschemes_access.access(text, **arguments) as listing:
                assert isinstance(listing, urlschemes_access.Listing)
                assert [entry.name for entry in listing] == names
        with urlschemes_access.access("news:1@host.dom", **arguments) as document:
            assert isinstance(document, urlschemes_access.Document)
            assert document.read() == letter
    with pytest.raises(UnsupportedOperation, match="names no server"):
        urlschemes_access.access("news:misc.test")


# Section 3.7: nntp


@pytest.mark.rfc1738(110)
@pytest.mark.parametrize(
    ("text", "group", "article"),
    [
        ("nntp://h/comp.lang.c/42", "comp.lang.c", 42),
        ("nntp://h:1119/a/007", "a", 7),
        ("nntp://h/a", "a", None),
    ],
)
def test_an_nntp_url_is_a_group_and_an_articles_number(text: str, group: str, article: int | None) -> None:
    url = parse(text, NntpURL)
    assert (url.host, url.group, url.article) == ("h", group, article)


@pytest.mark.rfc1738(110)
@pytest.mark.parametrize("rest", ["h/", "h/1a", "h/a/", "h/a/b", "h/a/1/2", "h/*", "h/a@h", "h/%61", "h/a/-1"])
def test_an_invalid_nntp_url_is_refused(rest: str) -> None:
    refused(f"nntp://{rest}", "invalid-part", scheme="nntp")


@pytest.mark.rfc1738(109)
def test_an_nntp_url_requests_the_article_with_that_number() -> None:
    letters = [article(str(number), "Text.\n") for number in (7, 8)]
    sent: list[bytes] = []
    with (
        nntp_server({"misc.test": Newsgroup(letters, first=7)}) as server,
        urlschemes_access.access(
            f"nntp://{server}/misc.test/8",
            policy=Policy.interactive(),
            trace=lambda event: sent.append(event.octets) if event.kind == "send" else None,
        ) as document,
    ):
        assert isinstance(document, urlschemes_access.Document)
        assert document.read() == letters[1]
    assert sent == [b"CAPABILITIES\r\n", b"GROUP misc.test\r\n", b"ARTICLE 8\r\n", b"QUIT\r\n"]


# Section 3.8: telnet


@pytest.mark.rfc1738(113, 114, 115, 117)
@pytest.mark.parametrize(
    ("login", "user", "password"),
    [("", None, None), ("u@", "u", None), ("u:p@", "u", "p"), ("@", "", None), (":@", "", "")],
)
@pytest.mark.parametrize("slash", ["", "/"])
def test_a_telnet_url_is_a_login_with_an_optional_slash(
    login: str, user: str | None, password: str | None, slash: str
) -> None:
    url = parse(f"telnet://{login}h:2323{slash}", TelnetURL)
    assert (url.user, url.password, url.host, url.port) == (user, password, "h", 2323)
    assert url.equivalent(parse(f"telnet://{login}h:2323"))


@pytest.mark.rfc1738(115)
@pytest.mark.parametrize("end", ["//", "/a", "/?", "/;a"])
def test_nothing_follows_the_last_slash_of_a_telnet_url(end: str) -> None:
    refused(f"telnet://h{end}", "invalid-part", scheme="telnet", expected=("the end of the URL",))


@pytest.mark.rfc1738(113, 118)
@pytest.mark.parametrize("login", ["", "guest@", "guest:welcome@"])
def test_a_telnet_url_opens_a_session_and_its_login_is_advice(login: str) -> None:
    sent: list[bytes] = []
    with (
        telnet_server({"guest": "welcome"}, negotiates=False) as server,
        open_session(
            f"telnet://{login}{server}/",
            policy=Policy.interactive(),
            trace=lambda event: sent.append(event.octets) if event.kind == "send" else None,
        ) as session,
    ):
        assert session.read() == b"Welcome.\r\nlogin: "
        assert session.advice == (login.rstrip("@").partition(":")[0] or None, "welcome" if ":" in login else None)
        assert sent == []  # the login is sent only on request
        if ":" in login:
            session.login()
            assert sent == [b"guest\r\n", b"***\r\n"]
            assert session.read() == b"Welcome, guest.\r\n> "
    assert [visit.user for visit in server.visits] == ["guest" if ":" in login else None]


# Section 3.9: wais


@pytest.mark.rfc1738(120, 122, 123)
@pytest.mark.parametrize(
    ("path", "form", "parts"),
    [
        ("db", "database", ("db", None, None, None)),
        ("", "database", ("", None, None, None)),
        ("db?two%20words", "search", ("db", "two words", None, None)),
        ("db?", "search", ("db", "", None, None)),
        ("db/TEXT/42", "document", ("db", None, "TEXT", "42")),
        ("//", "document", ("", None, "", "")),
    ],
)
def test_the_three_forms_of_a_wais_url(path: str, form: str, parts: tuple[str | None, ...]) -> None:
    url = parse(f"wais://h/{path}", WaisURL)
    assert (url.form, (url.database, url.search, url.wtype, url.wpath)) == (form, parts)
    database, search, wtype, wpath = parts
    assert WaisURL(host="h", database=database or "", search=search, wtype=wtype, wpath=wpath) == url


@pytest.mark.rfc1738(120)
@pytest.mark.parametrize("rest", ["h", "h/db/", "h/db/TEXT", "h/db/TEXT/a/b", "h/db/TEXT/1?q", "h/db?a?b", "h/a:b"])
def test_an_invalid_wais_url_is_refused(rest: str) -> None:
    refused(f"wais://{rest}", "invalid-part", scheme="wais")


@pytest.mark.rfc1738(124, 125)
def test_a_wais_document_id_is_any_octets_encoded() -> None:
    octets = bytes(range(256))
    url = WaisURL(host="h", database="db", wtype="TEXT", wpath=text_of(octets))
    assert octets_of(parse(str(url), WaisURL).wpath or "") == octets
    assert isinstance(url.raw["wpath"], str)
    assert str(url.replace(wpath="3=a/b;")) == "wais://h/db/TEXT/3%3Da%2Fb%3B"


# Section 3.11: prospero


@pytest.mark.rfc1738(131, 140)
@pytest.mark.parametrize(
    ("path", "hsoname", "fields"),
    [
        ("", "", ()),
        ("name", "name", ()),
        ("/pros/name", "/pros/name", ()),
        ("a//b/", "a//b/", ()),
        ("a;OBJECT-VERSION=2", "a", (("OBJECT-VERSION", "2"),)),
        ("a;b=c;d=;=e;b=c", "a", (("b", "c"), ("d", ""), ("", "e"), ("b", "c"))),
        ("a?b:c@d&e=f", "a?b:c@d&e=f", ()),
        ("a%3Bb;c%3Dd=e%2Ff", "a;b", (("c=d", "e/f"),)),
    ],
)
def test_a_prospero_url_is_a_name_and_fields(path: str, hsoname: str, fields: tuple[tuple[str, str], ...]) -> None:
    url = parse(f"prospero://h/{path}", ProsperoURL)
    assert (url.hsoname, url.fields) == (hsoname, fields)
    assert ProsperoURL(host="h", hsoname=hsoname, fields=fields) == url


@pytest.mark.rfc1738(134, 138)
def test_an_hsoname_is_one_text() -> None:
    url = parse("prospero://h/a/../b%2Fc", ProsperoURL)
    assert url.hsoname == "a/../b/c"
    assert str(url.normalized()) == "prospero://h/a/../b/c"
    octets = bytes(range(256))
    assert octets_of(ProsperoURL(host="h", hsoname=text_of(octets)).hsoname) == octets


@pytest.mark.rfc1738(135, 140)
@pytest.mark.parametrize("path", ["a;b", "a;", "a;b;c=d", "a;b=c=d", "a;b=c/d", "a;b/c=d"])
def test_a_semicolon_in_a_prospero_url_begins_a_field(path: str) -> None:
    refused(f"prospero://h/{path}", "invalid-part", scheme="prospero")
    assert str(ProsperoURL(host="h", hsoname="a;b")) == "prospero://h/a%3Bb"


@pytest.mark.rfc1738(131)
def test_a_prospero_url_requires_its_slash() -> None:
    refused("prospero://h", "invalid-part", scheme="prospero", position=12, expected=('"/"',))
    refused("prospero://h;a=b", "invalid-host", scheme="prospero")


@pytest.mark.rfc1738(136, 137)
def test_a_prospero_server_returns_access_methods_as_urls() -> None:
    by_ftp = ("AFTP", "INTERNET-D", "h.dom", "ASCII", "/a b", "TEXT")
    by_gopher = ("GOPHER", "INTERNET-D", "h.dom(7)", "ASCII", "0/a")
    links = {"external": external(by_gopher)}
    tree = directory({"object": prospero_file(None, methods=[by_ftp, by_gopher]), "links": directory(links)})
    with prospero_server(tree) as server:
        for name, urls in (
            ("object", ["ftp://h.dom/a%20b;type=a", "gopher://h.dom:7/00/a"]),
            ("links", ["gopher://h.dom:7/00/a"]),
        ):
            with urlschemes_access.access(f"prospero://{server}//{name}", policy=Policy.interactive()) as listing:
                assert isinstance(listing, Listing)
                assert [entry.url for entry in listing] == urls
