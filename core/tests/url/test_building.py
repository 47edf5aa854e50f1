"""URLs from their parts: constructors and `replace`, by made-up schemes with every kind of part."""

from __future__ import annotations

import copy
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from urlschemes import Encoded, InvalidURL, LoginURL, Registration, Scheme, text_part
from urlschemes.rfc1738 import RFC1738

RECORD = (Path(__file__).parent.parent / "album.toml").read_text("utf-8")
FLAGS = (("a", None), ("b", ""), ("c", ";"), ("d", "e=f"))
AlbumURL: Any = Scheme(Registration.from_text(RECORD)).url_type
FULL = "x-album://joe:s%3At@Host.dom:0042/a%2Fb//c;size=7"


class DeclaredURL(LoginURL, registration=Registration.from_text(RECORD)):
    picture: str | None = text_part(default=None)


def parse(text: str) -> Any:
    return AlbumURL.parse(text)


def url_type(name: str, syntax: str) -> Any:
    """Return the type of a scheme with the head of the record of x-album, and another syntax."""
    head = RECORD.partition("[syntax]")[0].replace("x-album", name)
    return Scheme(Registration.from_text(f"{head}[syntax]\n{syntax}")).url_type


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ({"host": "h"}, "x-album://h"),
        ({"host": "h", "picture": ""}, "x-album://h/"),
        ({"host": "h", "albums": ["a b", "%", "/"], "picture": "\u00e9"}, "x-album://h/a%20b/%25/%2F/%C3%A9"),
        ({"host": "h", "albums": ["a"]}, "x-album://h/a/"),
        ({"host": "h", "size": 3}, "x-album://h/;size=3"),
        ({"host": "h", "words": "a=b/c?"}, "x-album://h/?a=b/c%3F"),
        ({"host": "h", "words": Encoded("a%3Db")}, "x-album://h/?a%3Db"),
        ({"host": "h", "port": 80, "user": "u@", "password": ":/"}, "x-album://u%40:%3A%2F@h:80"),
        ({"host": "h", "user": ""}, "x-album://@h"),
        ({"host": "1.2.3.4"}, "x-album://1.2.3.4"),
    ],
)
def test_a_constructor_encodes_its_parts(parts: dict[str, Any], text: str) -> None:
    url = AlbumURL(**parts)
    assert str(url) == text
    for name, value in parts.items():
        if not isinstance(value, Encoded):
            assert url.parts[name] == (tuple(value) if isinstance(value, list) else value)


@pytest.mark.parametrize(
    "parts", [{"port": None}, {"port": 4711}, {"albums": ()}, {"albums": []}, {"words": None}, {"user": None}]
)
def test_a_part_with_its_default_is_left_out(parts: dict[str, Any]) -> None:
    assert str(AlbumURL(host="h", **parts)) == "x-album://h"
    assert str(parse("x-album://h").replace(**parts)) == "x-album://h"


def test_an_encoded_default_is_written() -> None:
    assert str(AlbumURL(host="h", port=Encoded("04711"))) == "x-album://h:04711"


@pytest.mark.parametrize(
    ("parts", "code", "message"),
    [
        ({"host": "h/x"}, "invalid-host", "invalid host 'h/x'"),
        ({"host": "h@evil"}, "invalid-host", "invalid host 'h@evil'"),
        ({"host": ""}, "invalid-host", "invalid host ''"),
        ({"host": "caf\u00e9"}, "invalid-host", "invalid host 'caf\u00e9'"),
        ({"host": 5}, "invalid-host", "the host must be str, not int"),
        ({"host": "h", "port": "80 "}, "invalid-port", "the port must be an int from 0 up, not str"),
        ({"host": "h", "port": True}, "invalid-port", "the port must be an int from 0 up, not bool"),
        ({"host": "h", "port": -1}, "invalid-port", "the port must be an int from 0 up, not -1"),
        ({"host": "h", "port": 10**5000}, "invalid-port", "the port has more than 4000 digits"),
        ({"host": "h", "port": -(10**5000)}, "invalid-port", "the port has more than 4000 digits"),
        ({"host": "h", "size": Encoded("x")}, "invalid-part", "invalid size 'x'"),
        ({"host": "h", "password": "p"}, "invalid-userinfo", "a password needs a user name"),
        ({"host": "h", "user": Encoded("a@b")}, "invalid-userinfo", "invalid user 'a@b'"),
        ({"host": "h", "user": "u", "password": Encoded("a:b")}, "invalid-userinfo", "invalid password"),
        ({"host": "h", "words": "a\nb"}, "invalid-part", "the words cannot hold the octet 0A"),
        (
            {"host": "h", "words": Encoded("%0a")},
            "invalid-part",
            "invalid escape '%0a' at position 13: the words cannot hold the octet 0A (line feed)",
        ),
        ({"host": "h", "albums": "abc"}, "invalid-part", "the albums must be a list of str, not str"),
        ({"host": "h", "albums": ["a", 1]}, "invalid-part", "each element of the albums must be str, not int"),
        (
            {"host": "h", "picture": "\ud800"},
            "invalid-part",
            "the picture cannot hold a surrogate that is not an octet",
        ),
        ({"host": "h", "picture": Encoded("a/b")}, "invalid-part", "invalid picture 'a/b'"),
        (
            {"host": "h", "picture": "x" * 70_000},
            "url-too-long",
            "the URL has 70012 characters: expected at most 65536",
        ),
    ],
)
def test_a_value_that_a_part_cannot_have_is_refused(parts: dict[str, Any], code: str, message: str) -> None:
    with pytest.raises(InvalidURL) as caught:
        AlbumURL(**parts)
    assert caught.value.code == code
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("parts", "message", "hint"),
    [
        ({"host": "a_b"}, "invalid host 'a_b'", RFC1738.host_hint),
        (
            {"host": "[::1]"},
            "invalid host '[::1]'",
            "RFC 1738 has no IPv6 addresses: write a domain name or an IPv4 address",
        ),
        ({"words": Encoded("100%")}, "invalid words '100%'", "a percent sign is written %25"),
        ({"picture": Encoded("a b")}, "invalid picture 'a b'", "write %20"),
        ({"albums": [Encoded("a"), Encoded("b?")]}, "invalid albums 'b?'", None),
    ],
)
def test_a_refusal_of_a_part_has_the_hint_of_parse(parts: dict[str, Any], message: str, hint: str) -> None:
    """An element of a list is named."""
    for make in (lambda: AlbumURL(**{"host": "h", **parts}), lambda: parse("x-album://h/a").replace(**parts)):
        with pytest.raises(InvalidURL) as caught:
            make()
        assert (caught.value.message, caught.value.hint) == (message, hint)


def test_the_part_at_fault_is_blamed_though_its_text_can_be_read_as_others() -> None:
    """The text would be `x-t://host`."""
    rules = 't = "x-t://" name [ path ]\nname = 1*alpha\npath = *[ "/" *alpha ]'
    parts = "parts = { name = { at = 'name' }, path = { at = 'path' } }"
    kind = url_type("x-t", f"rule = 't'\nbnf = '''\n{rules}\n'''\n{parts}")
    with pytest.raises(InvalidURL) as caught:
        kind(name="h", path="ost")
    assert (caught.value.part, caught.value.message, caught.value.hint) == (
        "path",
        "invalid path 'ost'",
        'begin it with "/"',
    )


def test_a_missing_or_unknown_part_is_a_type_error() -> None:
    url = parse("x-album://h/")
    with pytest.raises(TypeError, match="an encoded part must be a str, not NoneType"):
        Encoded(None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^DeclaredURL\(\) is missing the part 'host'"):
        DeclaredURL(picture="a")  # type: ignore[call-arg]
    for build in (lambda: AlbumURL(host="h", foo=1), lambda: url.replace(foo=1), lambda: url.__replace__(foo=1)):
        with pytest.raises(TypeError, match="XAlbumURL has no part 'foo'; its parts are user, password, host"):
            build()
    with pytest.raises(TypeError, match=r"takes its parts as keywords; use XAlbumURL.parse\(text\) for a text"):
        AlbumURL("x-album://h")


@pytest.mark.parametrize(
    ("text", "parts", "result"),
    [
        (FULL, {"picture": "d e"}, "x-album://joe:s%3At@Host.dom:0042/a%2Fb//d%20e;size=7"),
        (FULL, {"albums": []}, "x-album://joe:s%3At@Host.dom:0042/c;size=7"),
        ("x-album://h/b/c", {"albums": iter("a")}, "x-album://h/a/c"),
        (FULL, {"port": None}, "x-album://joe:s%3At@Host.dom/a%2Fb//c;size=7"),
        (FULL, {"password": None}, "x-album://joe@Host.dom:0042/a%2Fb//c;size=7"),
        (FULL, {"user": "u", "password": None}, "x-album://u@Host.dom:0042/a%2Fb//c;size=7"),
        (FULL, {"size": None, "words": "q"}, "x-album://joe:s%3At@Host.dom:0042/a%2Fb//c?q"),
        ("X-ALBUM://h", {"host": "k"}, "X-ALBUM://k"),
        ("X-ALBUM://h", {"port": 1}, "X-ALBUM://h:1"),
        ("x-album://h", {"picture": "a"}, "x-album://h/a"),
        ("x-album://h", {"albums": ["a"]}, "x-album://h/a/"),
        ("X-Album://h/;SIZE=3", {"port": 1}, "X-Album://h:1/;SIZE=3"),
        ("x-album://h/", {"port": 71}, "x-album://h:71/"),
    ],
)
def test_replace_changes_the_given_parts_and_nothing_else(text: str, parts: dict[str, Any], result: str) -> None:
    assert str(parse(text).replace(**parts)) == result


@pytest.mark.skipif(sys.version_info < (3, 13), reason="copy.replace came with Python 3.13")
def test_copy_replace() -> None:
    assert str(copy.replace(parse("x-album://h/a"), picture="b")) == "x-album://h/b"  # type: ignore[attr-defined,unused-ignore]


OPTION = """
rule = "u"
bnf = '''
u = "x-t://" hostport [ "/" [ word ] ]
word = 1*alpha
'''
parts = { host = { at = "host" }, port = { at = "port", number = true }, word = { at = "word" } }
"""


@pytest.mark.parametrize(
    ("text", "parts", "result"),
    [
        ("x-t://h/", {"port": 71}, "x-t://h:71/"),
        ("X-T://h", {"port": 71}, "X-T://h:71"),
        ("x-t://h:71/", {"port": None}, "x-t://h/"),
        ("x-t://h/", {"word": "a"}, "x-t://h/a"),
    ],
)
def test_replace_keeps_an_option_that_no_part_implies(text: str, parts: dict[str, Any], result: str) -> None:
    assert str(url_type("x-t", OPTION).parse(text).replace(**parts)) == result


@pytest.mark.parametrize(
    ("text", "parts", "message"),
    [
        ("x-album://h/a", {"password": "x"}, "a password needs a user name"),
        ("x-album://u:p@h/a", {"user": None}, "a password needs a user name"),
        ("x-album://h", {"size": Encoded("x")}, "invalid size 'x'"),
        ("x-album://h", {"host": None}, "no x-album URL has exactly these parts: none"),
    ],
)
def test_replace_refuses_parts_without_a_url(text: str, parts: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidURL) as caught:
        parse(text).replace(**parts)
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("text", "parts", "part"),
    [
        ("x-album://h", {"picture": Encoded("%")}, "picture"),
        ("x-album://h/a/b?c", {"albums": [Encoded("a?b")]}, "albums"),
        ("x-album://h/a?c;size=1", {"words": Encoded("a;b")}, "words"),
        ("x-album://h/a", {"host": "h h"}, "host"),
    ],
)
def test_an_error_is_about_the_part_that_was_given(text: str, parts: dict[str, Any], part: str) -> None:
    with pytest.raises(InvalidURL) as caught:
        parse(text).replace(**parts)
    assert caught.value.part == part
    assert caught.value.rule is not None


JUKE = """
jukeurl = "x-juke://" hostport "/" path [ "?" songs ]
path    = segment *[ "/" segment ]
segment = 1*[ uchar | "=" ]
songs   = digits *[ "&" digits ]

[syntax.parts]
host    = { at = "host" }
port    = { at = "port", number = true }
shelves = { at = "path", element = "segment", take = "all but the last" }
album   = { at = "path", element = "segment", take = "last" }
tracks  = { at = "songs", element = "digits" }
"""


def juke(**changes: str) -> Any:
    """Return a type with an optional list, and a list that two parts share; `changes` replace lines of its record."""
    lines = [changes.get(line.partition(" ")[0], line) for line in JUKE.splitlines()]
    grammar, _, parts = "\n".join(lines).partition("[syntax.parts]")
    return url_type("x-juke", f"rule = 'jukeurl'\nbnf = '''{grammar}'''\n[syntax.parts]{parts}")


def test_an_optional_list_without_elements_is_absent() -> None:
    kind = juke()
    assert str(kind(host="h", album="a", tracks=())) == "x-juke://h/a"
    assert kind(host="h", album="a", tracks=[]).tracks == ()
    full = kind(host="h", shelves=["b"], album="a", tracks=["1", "2"])
    assert str(full) == "x-juke://h/b/a?1&2"
    assert str(full.replace(tracks=())) == "x-juke://h/b/a"
    assert str(full.replace(tracks=(), shelves=())) == "x-juke://h/a"
    assert full.replace(tracks=()).parts == {**full.parts, "tracks": ()}


def test_a_list_that_two_parts_share_has_an_element_even_if_it_is_empty() -> None:
    kind = juke(path='path = [ segment *[ "/" segment ] ]', segment='segment = *[ uchar | "=" ]')
    url = kind.parse("x-juke://h/")
    assert (url.shelves, url.album, url.raw["shelves"], url.raw["album"]) == ((), "", (), "")
    assert str(kind(**url.parts)) == "x-juke://h/"


def test_an_error_names_the_part_that_is_missing_or_superfluous() -> None:
    mandatory = 'jukeurl = "x-juke://" hostport "/" path "?" songs'
    with pytest.raises(InvalidURL, match=r"^no x-juke URL has exactly these parts: host, album; also give tracks$"):
        juke(jukeurl=mandatory)(host="h", album="a", tracks=())
    with pytest.raises(InvalidURL, match=r"^no x-juke URL has exactly these parts: host; also give album$"):
        juke()(host="h")
    either = 'jukeurl = "x-juke://" hostport "/" ( path | "?" songs )'
    with pytest.raises(InvalidURL, match=r"these parts: host, album, tracks; leave out album or tracks$"):
        juke(jukeurl=either)(host="h", album="a", tracks=["1"])


def test_a_list_without_elements_is_not_a_list_with_one_empty_element() -> None:
    kind = juke(
        jukeurl='jukeurl = "x-juke://" hostport "/" path "?" songs',
        songs='songs = song *[ "&" song ]\nsong = *digit',
        tracks='tracks = { at = "songs", element = "song" }',
    )
    with pytest.raises(InvalidURL, match=r"^invalid tracks \(\)") as caught:
        kind(host="h", album="a", tracks=())
    assert caught.value.code == "invalid-part"


DIARY = """
rule = "diaryurl"
bnf = '''
diaryurl = "x-diary://" hostport [ "/" page [ "?" words ]]
page = *[ uchar | "/" ]
words = *[ uchar | "?" ]
'''
parts.host = { at = "host" }
parts.port = { at = "port", number = true }
parts.page = { at = "page", travels = "as-written" }
parts.words = { at = "words", travels = "as-written" }
"""


@pytest.mark.parametrize(
    ("parts", "ways", "texts"),
    [
        ({"page": "/a"}, ("page='a'", "page=Encoded('/a')"), ("/a", "//a")),
        ({"page": "/"}, ("page=''", "page=Encoded('/')"), ("/", "//")),
        ({"page": "//a b"}, ("page=Encoded('/a%20b')", "page=Encoded('//a%20b')"), ("//a%20b", "///a%20b")),
        ({"page": "/\u00fc b"}, ("page='\\xfc b'", "page=Encoded('/%C3%BC%20b')"), ("/%C3%BC%20b", "//%C3%BC%20b")),
        ({"page": "a", "words": "?b"}, ("words='b'", "words=Encoded('?b')"), ("/a?b", "/a??b")),
    ],
)
def test_the_delimiter_before_a_part_is_not_its_beginning(
    parts: dict[str, Any], ways: tuple[str, str], texts: tuple[str, str]
) -> None:
    kind = url_type("x-diary", DIARY)
    url = kind(host="h", page="x", words="y")
    for build in (lambda: kind(host="h", **parts), lambda: url.replace(**parts)):
        with pytest.raises(InvalidURL, match=r"it begins with the '[/?]' that stands before it") as caught:
            build()
        assert caught.value.hint == f"write {ways[0]} without it, or {ways[1]} if it is data"
        assert caught.value.part == [*parts][-1]
    for way, text in zip(ways, texts, strict=True):
        said = eval(f"dict({way})", {"Encoded": Encoded, "dict": dict})  # what the hint says to write
        assert str(kind(host="h", **{**parts, **said})) == f"x-diary://h{text}"


@pytest.mark.parametrize("text", ["x-diary://h", "x-diary://h//a", "x-diary://h/%2fa%20??b", "x-diary://h/?%3fb"])
def test_the_parts_that_are_sent_as_written_are_given_as_written(text: str) -> None:
    url = url_type("x-diary", DIARY).parse(text)
    assert str(type(url)(**url.parts)) == text
    for name in ("page", "words"):
        assert url.parts[name] == url.raw[name]
        assert type(url.parts[name]) is (type(None) if url.raw[name] is None else Encoded)


KINDS = """
bnf = '''
kindsurl = "x-kinds:" [ "@" host ] "/" size [ "," year ] flags [ "?" names ]
size     = [ "-" ] digits [ "." digits ]
year     = 4digit
flags    = *[ ";" flag ]
flag     = name [ "=" value ]
name     = 1*alpha
value    = *[ uchar | "=" ]
names    = [ name *[ comma name ] ]
comma    = ","
'''
[syntax.parts]
host = "host"
size = { at = "size", number = "decimal" }
year = { at = "year", number = true }
flags = { at = "flags", element = "flag" }
names = { at = "names", element = "name" }
"""


@pytest.mark.parametrize(
    ("text", "parts", "normal"),
    [
        ("/1", {"size": Decimal(1)}, "/1"),
        ("/-0.0", {"size": Decimal("-0.0")}, "/0"),
        ("/-007.250", {"size": Decimal("-7.250")}, "/-7.25"),
        ("/0.0000000", {"size": Decimal("0E-7")}, "/0"),
        ("@H.dom/1,0042", {"host": "h.dom", "size": Decimal(1), "year": 42}, "@h.dom/1,0042"),
        ("/1;a;b=;c=%3b;d=e=f", {"size": Decimal(1), "flags": FLAGS}, "/1;a;b=;c=%3B;d=e%3Df"),
        ("/1?", {"size": Decimal(1), "names": ()}, "/1?"),
        ("/1?a,b", {"size": Decimal(1), "names": ("a", "b")}, "/1?a,b"),
        (f"/1.{'1' * 5000}", {"size": Decimal(f"1.{'1' * 5000}")}, f"/1.{'1' * 5000}"),
    ],
)
def test_each_kind_of_value_is_read_and_written(text: str, parts: dict[str, Any], normal: str) -> None:
    kind = url_type("x-kinds", KINDS)
    url = kind.parse(f"x-kinds:{text}")
    absent = {"host": None, "year": None, "flags": (), "names": None}
    assert str(url.parts) == str({name: parts.get(name, absent.get(name)) for name in url.parts})
    assert str(url.normalized()) == f"x-kinds:{normal}"
    assert kind(**url.parts).equivalent(url)
    for name, value in url.parts.items():
        assert url.replace(**{name: value}).equivalent(url)


@pytest.mark.parametrize(
    ("size", "message"),
    [
        (1.5, "the size must be a finite Decimal or an int, not float; write Decimal(str(value))"),
        ("1", "the size must be a finite Decimal or an int, not str"),
        (True, "the size must be a finite Decimal or an int, not bool"),
        (Decimal("NaN"), "the size must be a finite Decimal or an int, not NaN"),
        (Decimal("1E+70000"), "the size has more than 65536 digits"),
        (Decimal("1E-70000"), "the size has more than 65536 digits"),
        (None, "no x-kinds URL has exactly these parts: none; also give size"),
    ],
)
def test_a_decimal_is_given_without_doubt(size: object, message: str) -> None:
    kind = url_type("x-kinds", KINDS)
    assert [str(kind(size=each)) for each in (-2, Decimal("1E-7"))] == ["x-kinds:/-2", "x-kinds:/0.0000001"]
    with pytest.raises(InvalidURL) as caught:
        kind(size=size)
    assert str(caught.value) == message


NOTE = """
rule = "noteurl"
bnf = '''
noteurl = "x-note:" name "@" host
name    = 1*[ uchar | "/" ]
'''
parts = { note = { at = "noteurl" } }
"""


def test_a_separator_that_is_data_is_encoded() -> None:
    syntax = NOTE.replace('"x-note:" name', '"x-note:" note\nnote = name').replace('at = "noteurl"', 'at = "note"')
    kind = url_type("x-note", syntax)
    assert str(kind(note="a@b@host")) == "x-note:a%40b@host"
    assert kind(note="a@b@host").note == "a@b@host"
    assert str(kind(note="a/b@host")) == "x-note:a/b@host"
    with pytest.raises(InvalidURL, match=r"^invalid note 'a@b@h_h'") as caught:
        kind(note="a@b@h_h")
    assert caught.value.code == "invalid-part"
