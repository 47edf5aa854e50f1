"""`explain`: a URL with its parts named underneath, an error with its caret."""

from pathlib import Path
from textwrap import dedent

import pytest

import urlschemes_lint
from urlschemes import LoginURL, PluginError, Registration, Registry, Scheme
from urlschemes.errors import PluginContractError
from urlschemes_lint.drawing import draw, plain_text

REGISTRY = Registry(plugins=())
REGISTRY.register(Registration.from_file(Path(__file__).parent / "album.toml"))


def drawn(text: str) -> str:
    return dedent(text).strip("\n")


def test_a_url_with_its_parts_underneath() -> None:
    assert urlschemes_lint.explain("x-album://joe:secret@h.example:80/a%20b/c;size=3", registry=REGISTRY) == drawn(
        """
        x-album://joe:***@h.example:80/a%20b/c;size=3
        ^~~~~~~   ^~~ ^~~ ^~~~~~~~~ ^~ ^~~~~ ^      ^
        |         |   |   |         |  |     |      +- size 3  RFC 1738 section 5
        |         |   |   |         |  |     +- picture 'c'  The album specification, section 2
        |         |   |   |         |  +- albums 'a b'  The album specification, section 2
        |         |   |   |         +- port 80  RFC 1738 section 3.1
        |         |   |   +- host 'h.example'  RFC 1738 section 3.1
        |         |   +- password ***  RFC 1738 section 3.1
        |         +- user 'joe'  RFC 1738 section 3.1
        +- scheme x-album  RFC 1738 section 2.1
        """
    )


def test_a_type_without_a_part_of_its_record_is_its_plugins_fault() -> None:
    record = Registration.from_text(Path(REGISTRY.registration("x-album").source).read_text("utf-8"))

    class AlbumURL(LoginURL, registration=record):  # its author changed the record first
        __slots__ = ()

    registry = Registry(plugins=())
    registry.register(Scheme(record, AlbumURL))
    with pytest.raises(PluginError, match=r"a part cannot be read: .*no attribute 'albums'"):
        urlschemes_lint.explain("x-album://h.example/a/b", registry=registry)


class _Unshown:
    def __repr__(self) -> str:
        raise LookupError("no words")


@pytest.mark.parametrize(
    ("albums", "error", "says"),
    [
        (
            (1, 2),
            PluginContractError,
            r"^the type OwnURL failed: albums is \(1, 2\), not a tuple of texts; give another",
        ),
        ((("a", "b"),), PluginContractError, r"albums is \(\('a', 'b'\),\), not a tuple of texts"),
        ((_Unshown(),), PluginError, "^the type OwnURL failed: the albums cannot be shown: LookupError: no words"),
        (_Unshown(), PluginError, "^the type OwnURL failed: the albums cannot be shown: LookupError: no words"),
    ],
)
def test_a_value_that_cannot_be_shown_is_its_types_fault(albums: object, error: type[PluginError], says: str) -> None:
    class OwnURL(REGISTRY["x-album"].url_type):  # type: ignore[misc]  # made of the record
        __slots__ = ()

    OwnURL.albums = property(lambda _: albums)
    registry = Registry(plugins=())
    registry.register(Scheme(REGISTRY.registration("x-album"), OwnURL))
    with pytest.raises(error, match=says):
        urlschemes_lint.explain("x-album://h.example/a/b", registry=registry)
    assert "picture 'b'" in urlschemes_lint.explain(
        "x-album://h.example/b", registry=registry
    )  # the list has no elements, and is not drawn


def test_an_error_with_its_caret() -> None:
    assert urlschemes_lint.explain("x-album://h/~joe", registry=REGISTRY) == drawn(
        """
        x-album://h/~joe
                    ^
        '~' at position 12 is unsafe and must be encoded always
          rule      xchar = unreserved | reserved | escape
          section   RFC 1738 section 2.2
          part      picture
          help      write %7E, or let `fix` do it
          repaired  x-album://h/%7Ejoe
        """
    )


def test_a_list_is_drawn_by_its_elements_and_a_fragment_beside() -> None:
    assert "albums 'a' / 'b/c' / ''  The" in urlschemes_lint.explain("x-album://h/a/b%2Fc//d", registry=REGISTRY)
    assert urlschemes_lint.explain("x-album://h/a#top", registry=REGISTRY).splitlines()[-2:] == [
        "  repaired  x-album://h/a",
        "  fragment  top",
    ]


@pytest.mark.parametrize("width", [20, 40, 60, 80])
def test_a_url_too_wide_for_the_drawing_has_a_table(width: int) -> None:
    url = REGISTRY.parse("x-album://joe:secret@h.example/" + "word%20" * 20)
    first, blank, *lines = plain_text(draw(url, width=width)).splitlines()
    assert (first, blank) == ("x-album://joe:***@h.example/" + "word%20" * 20, "")
    assert [line.split()[0] for line in lines if line.startswith("  ") and line[2] != " "] == [
        "scheme",
        "user",
        "password",
        "host",
        "picture",
    ]
    assert width < 80 or max(map(len, lines)) <= width


def test_what_is_drawn_of_a_long_text_is_bounded() -> None:
    assert len(urlschemes_lint.explain("x-album://h/" + "a/" * 30_000, registry=REGISTRY)) < 5000
    assert len(urlschemes_lint.explain("x-album://h/" + "~/" * 30_000, registry=REGISTRY)) < 5000
    assert len(urlschemes_lint.explain("x-album://" + "a." * 30_000, registry=REGISTRY)) < 5000


def test_the_caret_stands_under_the_character_in_a_long_text_too() -> None:
    lines = urlschemes_lint.explain("x-album://h/" + "a" * 500 + "~" + "b" * 500, registry=REGISTRY).splitlines()
    assert lines[0][lines[1].index("^")] == "~"
    assert len(lines[0]) < 120


def test_nothing_unsafe_is_drawn() -> None:
    text = urlschemes_lint.explain("x-album://joe:secret@h/\x1b[2J\u202e\n", registry=REGISTRY)
    assert text.replace("\n", "").isprintable()
    assert "secret" not in text


def test_a_password_with_the_fault_within_is_not_drawn() -> None:
    lines = urlschemes_lint.explain("x-album://joe:sec^ret@h/", registry=REGISTRY).splitlines()
    assert lines[:2] == ["x-album://joe:***@h/", " " * 14 + "^"]


@pytest.mark.parametrize(
    "text",
    [
        "x-album://u@x:hunter2@h/",
        "x-album://u:hunter2 a@h/",
        "x-album://u:a\thunter2@h/",
        "x-album:u:hunter2@h/",
        "x-album:/u:hunter2@h/",
        "x-album:\\\\u:hunter2@h/",
        "//u:hunter2@h/",
    ],
)
def test_no_password_is_drawn_of_what_is_no_url(text: str) -> None:
    explained = urlschemes_lint.explain(text, registry=REGISTRY)
    assert "hunter2" not in explained
    assert "***@h/" in explained
