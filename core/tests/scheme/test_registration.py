"""Registration records: their fields, and the mistakes in them."""

import copy
import importlib
import pickle
import sys
from pathlib import Path

import pytest

from urlschemes import URL, Registration, RegistrationError, Scheme
from urlschemes.errors import GrammarError, PluginContractError, UnsupportedOperation

TEXT = (Path(__file__).parent.parent / "album.toml").read_text("utf-8")


def test_the_fields_are_attributes() -> None:
    record = Registration.from_text(TEXT, source="album.toml")
    assert (record.scheme, record.status, record.default_port, record.operations) == (
        "x-album",
        "experimental",
        4711,
        ("access",),
    )
    assert (record.local, record.redirects, record.source) == (False, (), "album.toml")
    assert list(record.syntax.parts) == ["user", "password", "host", "port", "albums", "picture", "words", "size"]
    assert [example.url for example in record.examples] == ["x-album://h/a/b?c;size=3", "x-album:h"]


def test_the_examples_of_a_record_are_true() -> None:
    record = Registration.from_text(TEXT)
    url_type = Scheme(record).url_type
    for example in record.examples:
        if example.parts is None:
            assert record.syntax.fullmatch(example.url) is None
        else:
            parts = url_type.parse(example.url).parts
            present = {name: value for name, value in parts.items() if value is not None}
            assert present == dict(example.parts)


@pytest.mark.parametrize("name", ["x-album", "internet", "login"])  # the core has types of such names
def test_a_url_of_a_type_made_from_a_record_is_pickled_as_a_generic_url(name: str) -> None:
    text = TEXT.replace("x-album", name)
    if name != "x-album":
        text = text.replace('status = "experimental"', 'status = "provisional"')
    record = Registration.from_text(text)
    url = Scheme(record).url_type.parse(record.examples[0].url)
    assert type(url).__module__ == "urlschemes.scheme.scheme"
    loaded = pickle.loads(pickle.dumps(url))
    assert type(loaded) is URL
    assert loaded == url


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('title = "Albums of pictures"', "", "album.toml has no title"),
        ('title = "Albums of pictures"', "title = 5", "album.toml: title must be a TOML str"),
        ('title = "Albums of pictures"', 'title = "  "', "album.toml: title must not be empty"),
        ('scheme = "x-album"', 'scheme = "X-Album"', "album.toml: scheme must be at most 64 lower-case letters"),
        ('scheme = "x-album"', 'scheme = "x_album"', "album.toml: scheme must be at most 64 lower-case letters"),
        ('scheme = "x-album"', f'scheme = "x-{"a" * 70}"', "album.toml: scheme must be at most 64 lower-case letters"),
        ('status = "experimental"', 'status = "new"', "album.toml: status must be one of permanent, provisional"),
        ('status = "experimental"', 'status = "permanent"', "album.toml: status must be experimental for names"),
        ('scheme = "x-album"', 'scheme = "album"', "album.toml: status must be experimental for names"),
        ("port     = { ", "po__rt   = { ", "album.toml: syntax.parts must be tables with names like `selector`, not"),
        (", number = true }", " }", "album.toml: syntax.parts.port must be a number"),
        ("default_port = 4711", "default_port = 0", "album.toml: default_port must be a number from 1 to 65535"),
        ("default_port = 4711", "default_port = true", "album.toml: default_port must be a TOML int"),
        (
            'operations = ["access"]',
            'operations = ["Delete"]',
            "album.toml: operations must be a list of operations in lower-case words",
        ),
        ("default_port = 4711", "ports = [0]", "album.toml: ports[0] must be a number from 1 to 65535"),
        ("default_port = 4711", "ports = 80", "album.toml: ports must be a TOML list"),
        ("default_port = 4711", "options = {Size = {}}", "album.toml: options.Size must be a table, under the name of"),
        (
            "default_port = 4711",
            'options = {size = {environment = "size"}}',
            "album.toml: options.size.environment must be the name of an environment variable, in capitals",
        ),
        (
            "default_port = 4711",
            'options = {size = {configurable = "no"}}',
            "album.toml: options.size.configurable must be a TOML bool",
        ),
        (
            "default_port = 4711",
            'options = {size = {configurable = false, environment = "SIZE"}}',
            "album.toml: options.size.environment must be left out if configurable is false",
        ),
        (
            "default_port = 4711",
            "options = {size = {type = 1}}",
            "album.toml has an unknown field options.size.type",
        ),
        ("default_port = 4711", "port = 4711", "album.toml has an unknown field port"),
        ('rule = "albumurl"', "", "album.toml has no syntax.rule"),
        ('rule = "albumurl"', 'rule = "nothing"', "album.toml: syntax: there is no rule 'nothing'"),
        ('"?" words', "/ words", "album.toml: syntax.bnf: invalid character '/' in line 1"),
        ('at = "user"', 'at = ""', "album.toml: syntax.parts.user.at must be the path of a rule"),
        (
            'at = "user"',
            'at = "user", colour = 1',
            "album.toml has an unknown field syntax.parts.user.colour",
        ),
        ('take = "last"', 'take = "first"', "album.toml: syntax.parts.picture.take must be one of all"),
        ('exclude = ["0A"]', 'exclude = ["LF"]', "album.toml: syntax.parts.words.exclude must be a list of octets"),
        ('at = "words"', 'at = "words", travels = "far"', "album.toml: syntax.parts.words.travels must be one of line"),
        ("invalid = true", "", "album.toml: examples must be tables with either `parts` or `invalid = true`"),
        (
            "words    = *[",
            "host = *[",
            "album.toml: syntax.bnf: rule 'host' in line 4 is already one of the shared rules",
        ),
        ("[syntax]", "[[[", "album.toml is not TOML"),
        ("4711", "9" * 5000, "album.toml is not TOML"),
    ],
)
def test_a_message_names_the_file_the_field_and_what_it_must_be(old: str, new: str, message: str) -> None:
    assert old in TEXT
    with pytest.raises(RegistrationError) as caught:
        Registration.from_text(TEXT.replace(old, new, 1), source="album.toml")
    assert caught.value.message.startswith(message)


def test_a_misspelt_field_is_named() -> None:
    text = TEXT.replace('title = "Albums', 'titel = "Albums')
    with pytest.raises(RegistrationError) as caught:
        Registration.from_text(text)
    assert (caught.value.field, caught.value.hint) == (
        "title",
        "rename the unknown field titel, if that is meant",
    )


def test_a_record_for_another_api_breaks_the_contract() -> None:
    with pytest.raises(PluginContractError) as caught:
        Registration.from_text(TEXT.replace("api = 1", "api = 2"), source="album.toml")
    assert (caught.value.wants, caught.value.has) == ("api = 1", "api = 2")


def test_a_grammar_error_names_the_file() -> None:
    with pytest.raises(GrammarError) as caught:
        Registration.from_text(TEXT.replace('*[ uchar | ":"', '*[ nochar | ":"'), source="album.toml")
    assert (caught.value.source, caught.value.field, caught.value.rule) == ("album.toml", "syntax", "asegment")


@pytest.mark.parametrize("content", [None, b"\xff", b"\x00"])
def test_a_file_that_cannot_be_read_is_a_registration_error(content: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "registration.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(RegistrationError):
        Registration.from_file(path)


def test_a_package_reads_its_own_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "album_of_the_tests"
    package.mkdir()
    (package / "registration.toml").write_text(TEXT, "utf-8")
    (package / "__init__.py").write_text(
        "from urlschemes import Registration\nrecord = Registration.of(__name__)\n", "utf-8"
    )
    monkeypatch.syspath_prepend(tmp_path)
    module = __import__("album_of_the_tests")
    try:
        assert module.record.scheme == "x-album"
        assert module.record.source == str(package / "registration.toml")
    finally:
        del sys.modules["album_of_the_tests"]


def test_a_scheme_without_code_parses_and_offers_no_operation() -> None:
    scheme = Scheme(Registration.from_text(TEXT))
    assert scheme.name == "x-album"
    assert scheme.url_type.parse("x-album://h").parts["host"] == "h"
    with pytest.raises(UnsupportedOperation, match="it is registered for parsing only"):
        scheme.algorithm("access")


def test_the_type_belongs_to_the_registration() -> None:
    one, other = Registration.from_text(TEXT, source="one"), Registration.from_text(TEXT, source="other")
    with pytest.raises(PluginContractError, match="is not made for the registration"):
        Scheme(one, Scheme(other).url_type)


def test_a_part_cannot_have_the_name_of_an_attribute_of_every_url() -> None:
    text = TEXT.replace("words    = {", "raw = {").replace('words = "c"', 'raw = "c"')
    with pytest.raises(PluginContractError, match=r"XAlbumURL\.raw is an attribute of every URL"):
        Scheme(Registration.from_text(text))


@pytest.mark.parametrize("name", ["class", "mro", "self", "cls"])
def test_a_part_may_have_any_other_name(name: str) -> None:
    url_type = Scheme(Registration.from_text(TEXT.replace("picture", name))).url_type
    url = url_type.parse("x-album://h/a/b")
    assert (getattr(url, name), url.parts[name]) == ("b", "b")
    assert str(url.replace(**{name: "c"})) == "x-album://h/a/c"


def test_the_rule_must_begin_with_the_name_of_the_scheme() -> None:
    with pytest.raises(RegistrationError, match="no URL of the rule 'albumurl' begins with 'x-album:'"):
        Scheme(Registration.from_text(TEXT.replace('albumurl = "x-album://"', 'albumurl = "x-other://"')))


def test_an_operation_needs_a_function(monkeypatch: pytest.MonkeyPatch) -> None:
    scheme = Scheme(Registration.from_text(TEXT), access="textwrap")
    with pytest.raises(PluginContractError, match="textwrap has no function 'access'"):
        scheme.algorithm("access")
    with pytest.raises(UnsupportedOperation, match="it offers access"):
        scheme.algorithm("update")
    import textwrap

    monkeypatch.setattr(textwrap, "access", textwrap.dedent, raising=False)
    assert scheme.algorithm("access") is textwrap.dedent


CAUTION = """
[[cautions]]
code = "two-sizes"
part = "picture"
holds = "x"
message = "an x is taken for a times sign"
"""


def test_a_caution_is_read() -> None:
    (caution,) = Registration.from_text(TEXT.replace("[[examples]]", CAUTION + "\n[[examples]]", 1)).cautions
    assert (caution.code, caution.part, caution.holds, caution.begins) == ("two-sizes", "picture", "x", None)
    assert caution.section == Registration.from_text(TEXT).reference.partition(";")[0]
    assert caution.hint is None


@pytest.mark.parametrize(
    ("key", "spans"),
    [
        ('holds = "//"', [(4, 6), (7, 9)]),
        ('holds = "%2f"', [(9, 12), (12, 15)]),
        ('holds = "a.b"', []),
        ('begins = "//"', [(4, 6)]),
        ('begins = "/a"', []),
    ],
)
def test_a_caution_finds_its_text_in_a_part(key: str, spans: list[tuple[int, int]]) -> None:
    caution = CAUTION.replace('holds = "x"', key)
    (caution_read,) = Registration.from_text(TEXT.replace("[[examples]]", caution + "\n[[examples]]", 1)).cautions
    assert list(caution_read.spans("a://" + "//a//%2F%2faAb//", 4, 18)) == spans


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ('"two-sizes"', '"Two sizes"', "cautions.code"),
        ('"picture"', '"painting"', "cautions.part"),
        ('holds = "x"', 'holds = ""', "cautions.holds"),
        ('holds = "x"', 'begins = ""', "cautions.begins"),
        ('holds = "x"', "", "cautions"),
        ('holds = "x"', 'holds = "x"\nbegins = "x"', "cautions"),
        ('holds = "x"', 'holds = "x"\nlevel = 3', "cautions.level"),
    ],
)
def test_a_mistake_in_a_caution_names_its_field(old: str, new: str, field: str) -> None:
    caution = CAUTION.replace(old, new)
    with pytest.raises(RegistrationError) as caught:
        Registration.from_text(TEXT.replace("[[examples]]", caution + "\n[[examples]]", 1))
    assert caught.value.field == field


def test_a_record_is_immutable(registration) -> None:
    record = registration("x-fixed", "default_port = 7\n")
    for name in ("default_port", "title", "new"):
        with pytest.raises(AttributeError):
            setattr(record, name, 99)
    with pytest.raises(AttributeError):
        del record.default_port
    with pytest.raises(TypeError):
        record.options["new"] = None
    assert record.default_port == 7
    assert copy.deepcopy(record) is copy.copy(record) is record


def test_the_record_of_a_module_is_not_looked_for_in_the_current_directory(tmp_path, monkeypatch, record) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "here").mkdir()
    (tmp_path / "site" / "x_single.py").write_text(
        "from urlschemes import Registration\nregistration = Registration.of(__name__)\n"
    )
    (tmp_path / "here" / "registration.toml").write_text(record("x-wrong"))
    monkeypatch.syspath_prepend(tmp_path / "site")
    monkeypatch.chdir(tmp_path / "here")
    with pytest.raises(RegistrationError, match=r"^the record of x_single cannot be read: "):
        importlib.import_module("x_single")
    (tmp_path / "site" / "registration.toml").write_text(record("x-single"))
    assert importlib.import_module("x_single").registration.scheme == "x-single"


@pytest.mark.parametrize(
    ("name", "called"), [("x-a", "XAURL"), ("x-z39.50r", "XZ3950RURL"), ("x-a+b", "XABURL"), ("x-", "XURL")]
)
def test_a_type_made_from_a_record_has_an_identifier_as_its_name(registration, name: str, called: str) -> None:
    kind = Scheme(registration(name)).url_type
    assert kind.__name__ == called
    assert kind.__name__.isidentifier()
