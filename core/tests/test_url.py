"""URLs as values, by a made-up scheme whose record has every kind of part."""

from __future__ import annotations

import copy
import pickle
import sys
from pathlib import Path
from typing import Any

import pytest

from urlschemes import Encoded, InternetURL, InvalidURL, Registration, Scheme, UnsafeURL
from urlschemes.errors import InvalidHost, InvalidPart, InvalidPort, InvalidUserinfo, PluginContractError, URLTooLong
from urlschemes.url.value import URL

AlbumURL: Any = Scheme(Registration.from_file(Path(__file__).parent / "album.toml")).url_type
FULL = "x-album://joe:s%3At@Host.dom:0042/a%2Fb//c;size=7"


def parse(text: str) -> Any:
    return AlbumURL.parse(text)


def test_parts_by_attribute_by_name_and_as_written() -> None:
    url = parse(FULL)
    assert (url.user, url.password, url.host, url.port) == ("joe", "s:t", "host.dom", 42)
    assert (url.albums, url.picture, url.words, url.size) == (("a/b", ""), "c", None, 7)
    assert url.parts == {
        "user": "joe",
        "password": "s:t",
        "host": "host.dom",
        "port": 42,
        "albums": ("a/b", ""),
        "picture": "c",
        "words": None,
        "size": 7,
    }
    assert url.raw["port"] == "0042"
    assert url.raw["albums"] == ("a%2Fb", "")
    assert url.raw["words"] is None
    assert url.scheme == "x-album"
    assert url.schemepart == FULL.partition(":")[2]


def test_absent_and_empty_stay_apart() -> None:
    # RFC 1738 section 3.1: an empty user name or password differs from none.
    cases = {"x-album://@h/": ("", None), "x-album://h/": (None, None), "x-album://foo:@h/": ("foo", "")}
    assert {text: (parse(text).user, parse(text).password) for text in cases} == cases
    assert (parse("x-album://h").picture, parse("x-album://h/").picture) == (None, "")
    assert (parse("x-album://h").albums, parse("x-album://h").raw["albums"]) == ((), ())


def test_text_is_kept_byte_for_byte() -> None:
    for text in (FULL, "X-Album://h", "x-album://h:/"[:-2] + "/%7e%7E"):
        assert str(parse(text)) == text


def test_an_octet_that_is_no_utf_8_survives() -> None:
    url = parse("x-album://h/%FF%C3%A9")
    assert url.picture == "\udcff\u00e9"
    assert AlbumURL(host="h", picture=url.picture).raw["picture"] == "%FF%C3%A9"


def test_equality_hash_and_order_go_by_the_text_with_the_scheme_in_lower_case() -> None:
    one, other = parse("x-album://h/A"), parse("X-ALBUM://h/A")
    assert one == other == URL.parse("x-album://h/A")
    assert hash(one) == hash(other)
    assert one != parse("x-album://h/a")
    assert one != "x-album://h/A"
    assert sorted([parse("x-album://h/b"), one]) == [one, parse("x-album://h/b")]
    assert one <= other
    assert one >= other
    assert not one < other
    assert not one > other
    with pytest.raises(TypeError):
        assert one < "x-album://h/A"


def test_repr_hides_the_password() -> None:
    assert repr(parse(FULL)) == "XAlbumURL('x-album://joe:***@Host.dom:0042/a%2Fb//c;size=7')"


def test_a_url_does_not_change() -> None:
    url = parse(FULL)
    for name in ("host", "scheme", "anything"):
        with pytest.raises(AttributeError):
            setattr(url, name, "x")
    assert copy.copy(url) is url
    assert copy.deepcopy([url])[0] is url
    assert not hasattr(url, "__dict__")


def test_a_type_is_not_called() -> None:
    with pytest.raises(TypeError, match="parse"):
        AlbumURL("x-album://h")


def test_a_pickle_loads_as_a_generic_url_where_the_type_is_absent() -> None:
    url = pickle.loads(pickle.dumps(parse(FULL)))
    assert type(url) is URL
    assert url == parse(FULL)
    generic = URL.parse("x-b:c")
    assert pickle.loads(pickle.dumps(generic)) == generic


def test_pattern_matching() -> None:
    match parse(FULL):
        case InternetURL(host=host, port=port):
            assert (host, port) == ("host.dom", 42)
        case _:
            pytest.fail("it is an InternetURL")


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
def test_build(parts: dict[str, Any], text: str) -> None:
    url = AlbumURL(**parts)
    assert str(url) == text
    for name, value in parts.items():
        if not isinstance(value, Encoded):
            assert url.parts[name] == (tuple(value) if isinstance(value, list) else value)


@pytest.mark.parametrize(
    ("parts", "error", "says"),
    [
        ({}, InvalidURL, "no x-album URL has just these parts: nothing"),
        ({"host": "h/x"}, InvalidHost, "'h/x' cannot be the host"),
        ({"host": "h@evil"}, InvalidHost, "'h@evil' cannot be the host"),
        ({"host": ""}, InvalidHost, "'' cannot be the host"),
        ({"host": "caf\u00e9"}, InvalidHost, "'caf\\xe9' cannot be the host"),
        ({"host": 5}, InvalidHost, "the host is text (str), not int"),
        ({"host": "h", "port": "80 "}, InvalidPort, "the port is a number from 0 up (int), not str '80 '"),
        ({"host": "h", "port": True}, InvalidPort, "the port is a number from 0 up (int), not bool True"),
        ({"host": "h", "port": -1}, InvalidPort, "the port is a number from 0 up"),
        ({"host": "h", "size": Encoded("x")}, InvalidPart, "'x' cannot be the size"),
        ({"host": "h", "password": "p"}, InvalidUserinfo, "a password needs a user name"),
        ({"host": "h", "user": Encoded("a@b")}, InvalidUserinfo, "'a@b' cannot be the user"),
        (
            {"host": "h", "user": "u", "password": Encoded("a:b")},
            InvalidUserinfo,
            "what was given cannot be the password",
        ),
        ({"host": "h", "words": "a\nb"}, InvalidPart, "the words cannot hold octet 0A"),
        (
            {"host": "h", "words": Encoded("%0a")},
            InvalidPart,
            "the words cannot hold the octet 0A (a line feed), encoded at position 13",
        ),
        ({"host": "h", "albums": "abc"}, InvalidPart, "the albums must be a list of texts, not str"),
        ({"host": "h", "picture": "\ud800"}, InvalidPart, "the picture holds a surrogate that stands for no octet"),
        ({"host": "h", "picture": Encoded("a/b")}, InvalidPart, "'a/b' cannot be the picture"),
        ({"host": "h", "picture": "x" * 70_000}, URLTooLong, "70012 characters are more than the bound of 65536"),
    ],
)
def test_build_refuses_what_a_part_cannot_be(parts: dict[str, Any], error: type[InvalidURL], says: str) -> None:
    with pytest.raises(error) as caught:
        AlbumURL(**parts)
    assert caught.value.message == says


@pytest.mark.parametrize(
    ("text", "parts", "result"),
    [
        (FULL, {"picture": "d e"}, "x-album://joe:s%3At@Host.dom:0042/a%2Fb//d%20e;size=7"),
        (FULL, {"albums": []}, "x-album://joe:s%3At@Host.dom:0042/c;size=7"),
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
def test_replace_changes_one_part_and_nothing_else(text: str, parts: dict[str, Any], result: str) -> None:
    assert str(parse(text).replace(**parts)) == result


def test_replace_keeps_an_option_that_no_part_tells_of() -> None:
    bnf = 'u = "x-t://" hostport [ "/" [ word ] ]\nword = 1*alpha'
    record = (Path(__file__).parent / "album.toml").read_text("utf-8")
    head, tail = (
        record[: record.index("[syntax]")],
        "host = { at = 'host' }\nport = { at = 'port', number = true }\nword = { at = 'word' }",
    )
    text = f'{head}[syntax]\nrule = \'u\'\nbnf = """\n{bnf}\n"""\n[syntax.parts]\n{tail}'.replace("x-album", "x-t")
    kind: Any = Scheme(Registration.from_text(text)).url_type
    assert str(kind.parse("x-t://h/").replace(port=71)) == "x-t://h:71/"
    assert str(kind.parse("X-T://h").replace(port=71)) == "X-T://h:71"
    assert str(kind.parse("x-t://h:71/").replace(port=None)) == "x-t://h/"
    assert str(kind.parse("x-t://h/").replace(word="a")) == "x-t://h/a"


@pytest.mark.parametrize(
    ("text", "parts", "says"),
    [
        ("x-album://h/a", {"password": "x"}, "a password needs a user name"),
        ("x-album://u:p@h/a", {"user": None}, "a password needs a user name"),
        ("x-album://h", {"size": Encoded("x")}, "'x' cannot be the size"),
        ("x-album://h", {"host": None}, "no x-album URL has just these parts: nothing"),
    ],
)
def test_replace_refuses_what_build_refuses(text: str, parts: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidURL) as caught:
        parse(text).replace(**parts)
    assert caught.value.message == says


@pytest.mark.skipif(sys.version_info < (3, 13), reason="copy.replace came with Python 3.13")
def test_copy_replace() -> None:
    assert str(copy.replace(parse("x-album://h/a"), picture="b")) == "x-album://h/b"  # type: ignore[attr-defined,unused-ignore]


def test_normalized_and_equivalent() -> None:
    url = parse("X-Album://A.Example:04711/%7e%41%2f%3d")
    assert str(url.normalized()) == "x-album://a.example/%7EA%2F%3D"
    assert url.equivalent(parse("x-album://a.example/%7EA%2F%3D"))
    assert not url.equivalent(parse("x-album://a.example/%7EA/%3D"))
    assert str(parse("x-album://h:0080").normalized()) == "x-album://h:80"
    assert url.normalized().normalized() == url.normalized()


def test_a_control_octet_never_travels_on_a_line() -> None:
    parse("x-album://h/a%20b").check_line()
    assert parse("x-album://h/a%20b").line("picture") == b"a b"
    assert parse("x-album://h").line("picture") == b""
    for octet in ("00", "0d", "0A", "1F", "7f"):
        with pytest.raises(UnsafeURL) as caught:
            parse(f"x-album://h/x/a%{octet}b").check_line()
        assert caught.value.part == "picture"
    with pytest.raises(UnsafeURL, match="the password holds the control octet 0D"):
        parse("x-album://u:p%0dq@h").check_line()


@pytest.mark.parametrize("text", [None, 3, b"x-album://h", ["x"]])
def test_a_url_is_text(text: Any) -> None:
    with pytest.raises(InvalidURL, match="a URL is text"):
        AlbumURL.parse(text)


def test_the_bound_can_be_set() -> None:
    long = "x-album://h/" + "a" * 70_000
    with pytest.raises(URLTooLong) as caught:
        parse(long)
    assert caught.value.position == 65536
    assert len(AlbumURL.parse(long, limit=100_000).picture) == 70_000


def test_the_generic_url() -> None:
    url = URL.parse("Foo:opaque%20part")
    assert (url.scheme, url.schemepart) == ("foo", "opaque%20part")
    assert url.raw == {"scheme": "Foo", "schemepart": "opaque%20part"}


def test_repr_hides_every_password_that_a_url_can_hold() -> None:
    for password in ("12?secret", "?secret", "a;b&c=d", "%3Asecret", "secret"):
        url = AlbumURL.parse(f"x-album://u:{password}@h/a")
        assert "secret" not in repr(url)
        assert url.redacted() == "x-album://u:***@h/a"
    assert AlbumURL.parse("x-album://u@h/").redacted() == "x-album://u@h/"


def test_a_number_that_python_cannot_write_is_refused_as_any_other() -> None:
    for port in (10**5000, -(10**5000)):
        with pytest.raises(InvalidPort, match="the port has more than 4000 digits"):
            AlbumURL(host="h", port=port)
    assert AlbumURL(host="h", port=10**3999).port == 10**3999


def test_an_unknown_part_is_a_wrong_argument() -> None:
    url = AlbumURL.parse("x-album://h/")
    for wrong in (
        lambda: AlbumURL(host="h", foo=1),
        lambda: url.replace(foo=1),
        lambda: url.__replace__(foo=1),
    ):
        with pytest.raises(TypeError, match="has no part 'foo'; it has user, password, host"):
            wrong()
    with pytest.raises(PluginContractError, match="has no part 'foo'"):
        url.line("foo")


def test_only_urls_are_equivalent() -> None:
    assert not AlbumURL.parse("x-album://h/").equivalent("x-album://h/")


def test_a_long_url_that_was_wanted_stays_one() -> None:
    url = AlbumURL.parse("x-album://h/" + "a" * 70_000, limit=100_000)
    assert pickle.loads(pickle.dumps(url)) == url
    assert url.replace(port=1).port == 1
    assert url.join("#x") == url
    with pytest.raises(URLTooLong):
        AlbumURL.parse("x-album://h/a").replace(words="b" * 70_000)


@pytest.mark.parametrize(
    ("text", "parts", "blamed"),
    [
        ("x-album://h", {"picture": Encoded("%")}, "picture"),
        ("x-album://h/a/b?c", {"albums": [Encoded("a?b")]}, "albums"),
        ("x-album://h/a?c;size=1", {"words": Encoded("a;b")}, "words"),
        ("x-album://h/a", {"host": "h h"}, "host"),
    ],
)
def test_the_part_that_was_given_is_to_blame(text: str, parts: dict[str, Any], blamed: str) -> None:
    with pytest.raises(InvalidURL) as caught:
        AlbumURL.parse(text).replace(**parts)
    assert caught.value.part == blamed
    assert caught.value.rule is not None


def test_what_is_missing_is_said() -> None:
    with pytest.raises(InvalidURL, match="no x-album URL has just these parts: picture; give the host too"):
        AlbumURL(picture="a")


LISTS = """
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
    """A type with an optional list, and with a list that two parts share; the lines of its record `changes`."""
    lines = [changes.get(line.partition(" ")[0], line) for line in LISTS.splitlines()]
    grammar, _, parts = "\n".join(lines).partition("[syntax.parts]")
    record = (Path(__file__).parent / "album.toml").read_text("utf-8").partition("[syntax]")[0]
    syntax = f"[syntax]\nrule = 'jukeurl'\nbnf = '''{grammar}'''\n[syntax.parts]{parts}"
    return Scheme(Registration.from_text(record.replace("x-album", "x-juke") + syntax)).url_type


def test_an_optional_list_without_elements_is_absent() -> None:
    kind = juke()
    assert str(kind(host="h", album="a", tracks=())) == "x-juke://h/a"
    assert kind(host="h", album="a", tracks=[]).tracks == ()
    full = kind(host="h", shelves=["b"], album="a", tracks=["1", "2"])
    assert str(full) == "x-juke://h/b/a?1&2"
    assert str(full.replace(tracks=())) == "x-juke://h/b/a"
    assert str(full.replace(tracks=(), shelves=())) == "x-juke://h/a"
    assert full.replace(tracks=()).parts == {**full.parts, "tracks": ()}


def test_a_list_that_must_be_there_is_not_absent() -> None:
    needed = 'jukeurl = "x-juke://" hostport "/" path "?" songs'
    with pytest.raises(InvalidURL, match="has just these parts: host, album; give the tracks too"):
        juke(jukeurl=needed)(host="h", album="a", tracks=())
    with pytest.raises(InvalidURL, match="has just these parts: host; give the album too"):
        juke()(host="h")
    # No elements are not the one empty element that would stand there.
    songs = 'songs = song *[ "&" song ]\nsong = *digit'
    kind = juke(jukeurl=needed, songs=songs, tracks='tracks = { at = "songs", element = "song" }')
    with pytest.raises(InvalidPart, match=r"^\(\) cannot be the tracks"):
        kind(host="h", album="a", tracks=())


def test_an_element_that_is_no_text_is_called_one() -> None:
    with pytest.raises(InvalidPart, match=r"^an element of the tracks is text \(str\), not int"):
        juke()(host="h", album="a", tracks=[1])
    with pytest.raises(InvalidPart, match=r"^the album is text \(str\), not int"):
        juke()(host="h", album=1)


@pytest.mark.parametrize("changes", [{}, {"shelves": ""}])
def test_the_text_of_what_takes_the_last_is_that_element(changes: dict[str, str]) -> None:
    kind = juke(**changes)
    url = kind.parse("x-juke://h/jazz/60%2F70/Blue%20Train")
    assert url._text("album") == url.album == "Blue Train"
    assert kind.parse("x-juke://h/jazz/Blue")._text("album") == "Blue"
    assert url.line("album") == b"Blue Train"
    assert parse("x-album://h")._text("picture") is None


def test_a_list_is_neither_one_text_nor_one_line() -> None:
    url = juke().parse("x-juke://h/jazz/a")
    with pytest.raises(PluginContractError, match="the shelves is a list, and no text"):
        url._text("shelves")
    with pytest.raises(PluginContractError, match=r"no one line; call url\.check_line\(\), and send each element"):
        url.line("shelves")
