"""The parts of a URL type, declared as fields."""

from __future__ import annotations

import inspect
import pickle
import pydoc
from pathlib import Path
from typing import ClassVar

import pytest

from urlschemes import InternetURL, LoginURL, Registration, list_part, number_part, pairs_part, parse_generic, text_part
from urlschemes.errors import InvalidURL, PluginContractError

RECORD = (Path(__file__).parent.parent / "album.toml").read_text("utf-8")
ALBUM = Registration.from_text(RECORD)
LABEL = Registration.from_text(
    RECORD.partition("[syntax]")[0].replace("x-album", "x-label")
    + """
[syntax]
bnf = '''
labelurl = "x-label://" ( "a/" host "/" word | "b/" host "/" word [ ":" kind word2 ] ) fields
word     = *uchar
word2    = *uchar
kind     = alpha
fields   = *[ field ]
field    = ";" name "=" value
name     = *uchar
value    = *uchar
'''
parts = { host = "host", word = "word", kind = "kind", more = "word2", fields = { at = "fields", element = "field" } }
"""
)


class AlbumURL(LoginURL, registration=ALBUM):
    """A URL of an album."""

    limit: ClassVar[int] = 3

    port: int = number_part(default=None, doc="The port to connect to.")
    albums: tuple[str, ...] = list_part(default=())
    picture: str | None = text_part(default=None)
    words: str | None = text_part(default=None, lower=True)
    size: int | None = number_part(default=None)

    @property
    def path(self) -> tuple[str, ...]:
        """The albums and the picture."""
        return (*self.albums, self.picture or "")


class LabelURL(InternetURL, registration=LABEL):
    """A URL with a part in two alternatives, a part that is written when needed, and pairs."""

    word: str = text_part(default="")
    kind: str | None = text_part(default=None, when_needed="k")
    more: str | None = text_part(default=None)
    fields: tuple[tuple[str, str], ...] = pairs_part(default=())


class SmallAlbumURL(AlbumURL):
    """A subclass with the same record."""

    size: int | None = number_part(default=1, doc="The size; 1 if absent.")


def help_of(kind: type) -> str:
    """Return the text that `help` shows."""
    return pydoc.plain(pydoc.render_doc(kind))


def test_a_field_reads_its_part() -> None:
    url = AlbumURL.parse("x-album://u:%70@H.dom/a%2Fb//c%20d?W%41;size=07")
    for _ in range(2):  # the first read of a part makes its property
        assert (url.user, url.password, url.host, url.port) == ("u", "p", "h.dom", 4711)
        assert (url.albums, url.picture, url.words, url.size) == (("a/b", ""), "c d", "w%41", 7)
    assert url.path == ("a/b", "", "c d")


def test_a_field_has_its_default_where_the_part_is_absent() -> None:
    for _ in range(2):
        url = AlbumURL.parse("x-album://h")
        assert (url.user, url.port, url.albums, url.picture, url.size) == (None, 4711, (), None, None)
        assert SmallAlbumURL.parse("x-album://h").size == 1


@pytest.mark.parametrize("text", ["x-label://a/h/%41", "x-label://b/h/%41"])
def test_a_part_in_alternatives_is_read_from_each(text: str) -> None:
    for _ in range(2):
        url = LabelURL.parse(text)
        assert (url.host, url.word, url.kind, url.fields) == ("h", "A", None, ())


def test_pairs_are_names_with_values() -> None:
    url = LabelURL.parse("x-label://a/h/;a=%3B;b=")
    for _ in range(2):
        assert url.fields == (("a", ";"), ("b", ""))
    assert str(url.replace(fields=[("=", "x")])) == "x-label://a/h/;%3D=x"
    for wrong, message in (
        ([("a",)], "each element of the fields must be a pair of str, a name and a value"),
        (3, "the fields must be a list of pairs of str, not int"),
        ([(1, "a")], "each name in the fields must be str, not int"),
        ([("a", 1)], "each value in the fields must be str, not int"),
    ):
        with pytest.raises(InvalidURL) as caught:
            url.replace(fields=wrong)
        assert caught.value.message == message


def test_a_part_is_written_when_another_part_needs_it() -> None:
    assert str(LabelURL.parse("x-label://b/h/w:xy").replace(kind=None, more=None)) == "x-label://a/h/w"
    assert str(LabelURL.parse("x-label://b/h/w").replace(more="m")) == "x-label://b/h/w:km"
    assert str(LabelURL(host="h", word="w", more="m")) == "x-label://b/h/w:km"
    assert str(LabelURL(host="h", word="w", more="m", kind="x")) == "x-label://b/h/w:xm"


def test_a_type_without_fields_has_an_attribute_for_each_part() -> None:
    class PlainURL(InternetURL, registration=LABEL):
        pass

    url = PlainURL.parse("x-label://a/h/w;a=b")
    assert url.parts == {"host": "h", "word": "w", "kind": None, "more": None, "fields": (("a", "b"),)}
    assert help_of(PlainURL).count("The part fields: a list of field.") == 1


def test_help_shows_the_fields_and_the_signature() -> None:
    assert str(inspect.signature(AlbumURL)) == (
        "(*, host: 'str', port: 'int' = 4711, user: 'str | None' = None, password: 'str | None' = None, "
        "albums: 'tuple[str, ...]' = (), picture: 'str | None' = None, words: 'str | None' = None, "
        "size: 'int | None' = None)"
    )
    assert "The port to connect to." in help_of(AlbumURL)


def test_urls_of_a_type_with_fields_are_immutable_values() -> None:
    url = AlbumURL.parse("x-album://h/a")
    assert pickle.loads(pickle.dumps(url)) == url
    assert type(pickle.loads(pickle.dumps(url))) is AlbumURL
    assert type(pickle.loads(pickle.dumps(SmallAlbumURL.parse("x-album://h")))) is SmallAlbumURL
    assert url == parse_generic("x-album://h/a")
    assert not hasattr(url, "__dict__")
    for name, value in (("picture", "b"), ("other", 1)):
        with pytest.raises(AttributeError, match=name):
            setattr(url, name, value)
    match url:
        case AlbumURL(host=host, picture=picture):
            assert (host, picture) == ("h", "a")


def test_an_attribute_of_a_class_takes_the_place_of_a_field() -> None:
    class LoudURL(AlbumURL):
        @property
        def words(self) -> str:
            return str(self.raw["words"]).upper()

    assert LoudURL.parse("x-album://h/?a").words == "A"
    assert LoudURL.parse("x-album://h/?a").parts["words"] == "A"


def test_a_field_that_contradicts_the_record_is_refused() -> None:
    with pytest.raises(PluginContractError, match=r"AURL\.colour is not a part of the record") as caught:

        class AURL(InternetURL, registration=ALBUM):
            colour: str = text_part(default="")

    assert caught.value.wants == "one of user, password, host, port, albums, picture, words, size"
    with pytest.raises(
        PluginContractError, match=r"BURL\.size is declared by text_part, but the record makes it a number"
    ):

        class BURL(InternetURL, registration=ALBUM):
            size: str = text_part(default="")

    with pytest.raises(PluginContractError, match=r"CURL\.size is annotated and has no value"):

        class CURL(InternetURL, registration=ALBUM):
            size: int

    record = Registration.from_text(
        RECORD.partition("[syntax]")[0] + '[syntax]\nrule = "u"\nbnf = \'u = "x-album:" *uchar\'\n'
    )
    with pytest.raises(PluginContractError, match=r"DURL\.host is not a part of the record"):

        class DURL(InternetURL, registration=record):
            pass
