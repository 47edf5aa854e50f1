"""URLs as values, by a made-up scheme whose record has every kind of part."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from urlschemes import Encoded, InternetURL, InvalidURL, Registration, Registry, Scheme, UnsafeURL, default_registry
from urlschemes.errors import PluginContractError
from urlschemes.url.value import URL

AlbumURL: Any = Scheme(Registration.from_file(Path(__file__).parent.parent / "album.toml")).url_type
FULL = "x-album://joe:s%3At@Host.dom:0042/a%2Fb//c;size=7"


def parse(text: str) -> Any:
    return AlbumURL.parse(text)


def test_parts_are_attributes_and_items_of_two_mappings() -> None:
    url = parse(FULL)
    parts = {
        "user": "joe",
        "password": "s:t",
        "host": "host.dom",
        "port": 42,
        "albums": ("a/b", ""),
        "picture": "c",
        "words": None,
        "size": 7,
    }
    assert url.parts == parts
    assert {name: getattr(url, name) for name in parts} == parts
    assert (url.raw["port"], url.raw["albums"], url.raw["words"]) == ("0042", ("a%2Fb", ""), None)
    assert (url.scheme, url.schemepart) == ("x-album", FULL.partition(":")[2])


@pytest.mark.parametrize(
    ("text", "name", "span"),
    [(FULL, "user", (10, 13)), (FULL, "albums", (34, 40)), (FULL, "picture", (41, 42)), (FULL, "words", None)],
)
def test_the_span_of_a_part_is_its_place_in_the_text(text: str, name: str, span: tuple[int, int] | None) -> None:
    assert parse(text).span(name) == span


def test_absent_and_empty_parts_differ() -> None:
    # RFC 1738 section 3.1: an empty user name or password differs from none.
    cases = {"x-album://@h/": ("", None), "x-album://h/": (None, None), "x-album://foo:@h/": ("foo", "")}
    assert {text: (parse(text).user, parse(text).password) for text in cases} == cases
    assert (parse("x-album://h").picture, parse("x-album://h/").picture) == (None, "")
    assert (parse("x-album://h").albums, parse("x-album://h").raw["albums"]) == ((), ())


@pytest.mark.parametrize("text", [FULL, "X-Album://h", "x-album://h/%7e%7E"])
def test_a_url_prints_as_it_was_parsed(text: str) -> None:
    assert str(parse(text)) == text


def test_an_octet_that_is_not_utf_8_is_kept() -> None:
    url = parse("x-album://h/%FF%C3%A9")
    assert url.picture == "\udcff\u00e9"
    assert AlbumURL(host="h", picture=url.picture).raw["picture"] == "%FF%C3%A9"


def test_equality_hash_and_order_are_those_of_the_text_with_the_scheme_in_lower_case() -> None:
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


def test_a_url_is_immutable() -> None:
    url = parse(FULL)
    for name in ("host", "scheme", "anything"):
        with pytest.raises(AttributeError):
            setattr(url, name, "x")
    assert copy.copy(url) is url
    assert copy.deepcopy([url])[0] is url
    assert not hasattr(url, "__dict__")


def test_a_pickle_is_loaded_as_a_generic_url_if_its_type_is_not_installed() -> None:
    url = pickle.loads(pickle.dumps(parse(FULL)))
    assert type(url) is URL
    assert url == parse(FULL)
    generic = URL.parse("x-b:c")
    assert pickle.loads(pickle.dumps(generic)) == generic


def test_parts_are_matched_by_patterns() -> None:
    match parse(FULL):
        case InternetURL(host=host, port=port):
            assert (host, port) == ("host.dom", 42)
        case _:
            pytest.fail("it is an InternetURL")


@pytest.mark.parametrize("password", ["12?secret", "?secret", "a;b&c=d", "%3Asecret", "secret"])
def test_repr_and_redacted_hide_the_password(password: str) -> None:
    url = parse(f"x-album://u:{password}@h/a")
    assert repr(url) == "XAlbumURL('x-album://u:***@h/a')"
    assert url.redacted() == "x-album://u:***@h/a"
    assert parse("x-album://u@h/").redacted() == "x-album://u@h/"
    parts = {name: name for name in ("user", "password", "host")}
    without_slashes = Scheme.of("x-in", 'u = "x-in:" user ":" password "@" host', **parts).url_type
    assert without_slashes.parse(f"x-in:u:{password}@h").redacted() == "x-in:u:***@h"
    behind = Scheme.of("x-in", 'u = "x-in:" host "!" password', host="host", password="password").url_type
    assert behind.parse(f"x-in:h.dom!{password}").redacted() == "x-in:h.dom!***"


def test_equivalent_urls_are_equal_when_normalized() -> None:
    url = parse("X-Album://A.Example:04711/%7e%41%2f%3d")
    assert str(url.normalized()) == "x-album://a.example/%7EA%2F%3D"
    assert url.equivalent(parse("x-album://a.example/%7EA%2F%3D"))
    assert not url.equivalent(parse("x-album://a.example/%7EA/%3D"))
    assert not url.equivalent("x-album://a.example/%7EA%2F%3D")
    port = "x-album://h:4711/"
    assert URL.parse(port) == parse(port)
    assert URL.parse(port).equivalent(parse(port))
    assert str(parse("x-album://007@h:0080/007").normalized()) == "x-album://007@h:80/007"
    assert url.normalized().normalized() == url.normalized()


@pytest.mark.parametrize("octet", ["00", "0d", "0A", "1F", "7f"])
def test_a_control_octet_never_reaches_a_protocol_line(octet: str) -> None:
    with pytest.raises(UnsafeURL, match=f"the picture holds the control octet {octet.upper()}") as caught:
        parse(f"x-album://h/x/a%{octet}b").check_line()
    assert (caught.value.part, caught.value.position) == ("picture", 12)
    with pytest.raises(UnsafeURL):
        parse(f"x-album://u:p%{octet}q@h").line("password")


def test_the_line_of_a_part_is_its_octets() -> None:
    url = parse("x-album://h/a%20%C3%A9")
    url.check_line()
    assert (url.line("picture"), url.line("words")) == (b"a \xc3\xa9", b"")
    for read in (url.line, url.span):
        with pytest.raises(ValueError, match="XAlbumURL has no part 'foo'; its parts are user, "):
            read("foo")
    with pytest.raises(PluginContractError, match="the part albums is a list, which has no single line"):
        url.line("albums")


@pytest.mark.parametrize("text", [None, 3, b"x-album://h", ["x"]])
def test_only_str_is_parsed(text: Any) -> None:
    with pytest.raises(InvalidURL, match=rf"^a URL must be str, not {type(text).__name__}"):
        AlbumURL.parse(text)


def test_a_type_that_is_given_a_url_says_how_to_parse_it() -> None:
    with pytest.raises(InvalidURL, match=r"a URL must be str, not XAlbumURL; pass str\(url\)"):
        URL.parse(AlbumURL.parse("x-album://h"))  # type: ignore[arg-type]


def test_a_url_is_formatted_as_its_text_and_is_no_container() -> None:
    url = AlbumURL.parse("x-album://h/a")
    assert f"{url:>20}" == "       x-album://h/a"
    with pytest.raises(TypeError, match=r"AlbumURL is not a container: look into its text, str\(url\)"):
        assert "album" in url


def test_the_text_of_another_scheme_is_refused_by_a_type() -> None:
    with pytest.raises(InvalidURL, match=r"^invalid scheme 'X-Other' at position 0: expected x-album"):
        AlbumURL.parse("X-Other:a")


class Text(str):
    """A text whose methods say something else, as `str()` of a member of `class E(str, Enum)` does."""

    __slots__ = ()

    def _other(self, *_: object) -> Any:
        return ("x-none", ":", "E.A")

    def __str__(self) -> str:
        return "E.A"

    partition = encode = __contains__ = startswith = _other  # type: ignore[assignment]


def test_a_text_is_its_characters_whatever_its_own_str_says() -> None:
    registry = Registry(plugins=())
    registry.register(AlbumURL.registration)
    for url in (
        AlbumURL.parse(Text("x-album://h/a")),
        registry.parse(Text("x-album://h/a")),
        registry.parse_generic(Text("x-album://h/a")),
    ):
        assert (str(url), type(str(url))) == ("x-album://h/a", str)
    assert str(registry.parse(Text("x-album://h/a"))) == str(
        registry.parse(Text("x-album://h/a"))
    )  # its type is loaded now
    assert str(AlbumURL(host=Text("a.example"), picture=Text("b c"))) == "x-album://a.example/b%20c"
    assert str(parse("x-album://h/") / Text("b c")) == "x-album://h/b%20c"
    assert str(parse("x-album://h/a").join(Text("b"))) == "x-album://h/b"
    assert (Encoded(Text("b%20c")), AlbumURL(host="a", picture=Encoded(Text("b"))).picture) == ("b%20c", "b")
    with pytest.raises(InvalidURL) as caught:
        parse(Text("b c"))
    assert caught.value.text == "b c"


@pytest.mark.parametrize("limit", [None, "1"])
def test_a_limit_is_a_number(limit: Any) -> None:
    for read in (AlbumURL.parse, default_registry.parse, default_registry.parse_generic):
        for text in ("x-album://h/a", "X-none:a"):
            with pytest.raises(TypeError, match="limit must be an int or a float, not"):
                read(text, limit=limit)


@pytest.mark.decision(24)
def test_the_limit_of_the_length_can_be_set() -> None:
    long = "x-album://h/" + "a" * 70_000
    with pytest.raises(InvalidURL, match=r"^the URL has 70012 characters: expected at most 65536") as caught:
        parse(long)
    assert caught.value.code == "url-too-long"
    assert caught.value.position == 65536
    url = AlbumURL.parse(long, limit=100_000)
    assert len(url.picture) == 70_000
    assert pickle.loads(pickle.dumps(url)) == url
    assert url.replace(port=1).port == 1
    assert url.join("#x") == url
    assert len(str(url / "b")) == 70_014


@pytest.mark.parametrize(
    "make",
    [
        lambda url, text: AlbumURL(host="h", picture=text),
        lambda url, text: url.replace(words=text),
        lambda url, text: url / text,
        lambda url, text: url.join(text),
        lambda url, text: url.resolve(f"//{text}"),
    ],
)
def test_what_is_longer_than_the_limit_is_refused_however_it_is_made(make: Callable[[URL, str], object]) -> None:
    with pytest.raises(InvalidURL, match=r"; `parse` and `join` take a greater `limit=\.\.\.`$") as caught:
        make(parse("x-album://h/a"), "b" * 70_000)
    assert caught.value.code == "url-too-long"


def test_a_longer_reference_is_read_up_to_the_limit_that_is_given() -> None:
    assert len(str(parse("x-album://h/a").join("b" * 70_000, limit=80_000))) == 70_012


def test_the_generic_url_has_two_parts() -> None:
    url = URL.parse("Foo:opaque%20part")
    assert (url.scheme, url.schemepart) == ("foo", "opaque%20part")
    assert url.raw == {"scheme": "Foo", "schemepart": "opaque%20part"}
    assert str(url.replace(schemepart="x")) == "Foo:x"
    assert str(URL(scheme="foo", schemepart="x")) == "foo:x"
