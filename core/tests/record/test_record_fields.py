"""The fields of a record, and the message about each mistake in them."""

import re
from pathlib import Path

import pytest

from urlschemes import Registration, RegistrationError
from urlschemes.errors import GrammarError, PluginContractError

TEXT = (Path(__file__).parent.parent / "album.toml").read_text("utf-8")
REQUIRED = {*re.findall(r"^(\w+) = ", TEXT.partition("[syntax]")[0], re.MULTILINE)} - {"default_port", "operations"}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('title = "Albums of pictures"', "title = 5", "album.toml: title must be a TOML str"),
        ('title = "Albums of pictures"', 'title = "  "', "album.toml: title must not be empty"),
        ('scheme = "x-album"', 'scheme = "X-Album"', "album.toml: scheme must be at most 64 lower-case letters"),
        ('scheme = "x-album"', 'scheme = "x_album"', "album.toml: scheme must be at most 64 lower-case letters"),
        ('scheme = "x-album"', f'scheme = "x-{"a" * 70}"', "album.toml: scheme must be at most 64 lower-case letters"),
        ('status = "experimental"', 'status = "new"', "album.toml: status must be one of permanent, provisional"),
        ('status = "experimental"', 'status = "permanent"', "album.toml: status must be experimental for names"),
        ('scheme = "x-album"', 'scheme = "album"', "album.toml: status must be experimental for names"),
        (
            "port     = { ",
            "po__rt   = { ",
            "album.toml: syntax.parts must be named in lower-case letters, digits and `_`, not 'po__rt'",
        ),
        (", number = true }", ", number = false }", "album.toml: syntax.parts.port must be a number"),
        ("default_port = 4711", "default_port = 0", "album.toml: default_port must be a number from 1 to 65535"),
        ("default_port = 4711", "default_port = true", "album.toml: default_port must be a TOML int"),
        (
            'operations = ["access"]',
            'operations = ["Delete"]',
            "album.toml: operations must be a list of operations in lower-case words",
        ),
        ("default_port = 4711", "ports = [0]", "album.toml: ports[0] must be a number from 1 to 65535"),
        ("default_port = 4711", "ports = 80", "album.toml: ports must be a TOML array"),
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
        ("default_port = 4711", "options = {size = {type = 1}}", "album.toml has an unknown field options.size.type"),
        ("default_port = 4711", "port = 4711", "album.toml has an unknown field port"),
        ('rule = "albumurl"', 'rule = "nothing"', "album.toml: syntax: there is no rule 'nothing'"),
        ('"?" words', "/ words", "album.toml: syntax.bnf: invalid character '/' in line 18"),
        ('at = "user"', 'at = ""', "album.toml: syntax.parts.user.at must be the path of a rule"),
        ('at = "user"', 'at = "user", colour = 1', "album.toml has an unknown field syntax.parts.user.colour"),
        ('take = "last"', 'take = "first"', "album.toml: syntax.parts.picture.take must be one of all"),
        ('exclude = ["0A"]', 'exclude = ["LF"]', "album.toml: syntax.parts.words.exclude must be a list of octets"),
        ('at = "words"', 'at = "words", travels = "far"', "album.toml: syntax.parts.words.travels must be one of line"),
        ("invalid = true", "", "album.toml: examples must be tables with either `parts` or `invalid = true`"),
        ("[syntax]", "[[[", "album.toml is not TOML"),
        ("4711", "9" * 5000, "album.toml is not TOML"),
    ],
)
def test_a_message_names_the_file_the_field_and_what_it_must_be(old: str, new: str, message: str) -> None:
    assert old in TEXT
    with pytest.raises(RegistrationError) as caught:
        Registration.from_text(TEXT.replace(old, new, 1), source="album.toml")
    assert caught.value.message.startswith(message)


CAUTION = """
[[cautions]]
code = "two-sizes"
part = "picture"
holds = "x"
message = "an x is taken for a times sign"
"""
WITH_CAUTION = TEXT.replace("[[examples]]", f"{CAUTION}\n[[examples]]", 1)


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ('"two-sizes"', '"Two sizes"', "cautions.code"),
        ('part = "picture"', 'part = "painting"', "cautions.part"),
        ('holds = "x"', 'holds = ""', "cautions.holds"),
        ('holds = "x"', 'begins = ""', "cautions.begins"),
        ('holds = "x"', "", "cautions"),
        ('holds = "x"', 'holds = "x"\nbegins = "x"', "cautions"),
        ('holds = "x"', 'holds = "x"\nlevel = 3', "cautions.level"),
    ],
)
def test_the_field_of_a_mistake_is_named(old: str, new: str, field: str) -> None:
    with pytest.raises(RegistrationError) as caught:
        Registration.from_text(WITH_CAUTION.replace(old, new))
    assert caught.value.field == field


def test_every_field_that_is_missing_misspelt_or_of_a_wrong_kind_is_named_at_once() -> None:
    with pytest.raises(RegistrationError) as caught:
        Registration.from_text('titel = "A"\nprofil = "rfc1738"\nports = 80\ndefault_port = "80"\n[syntax]\nbnf = 1')
    assert caught.value.message == (
        "the record has the unknown fields titel, profil; has no scheme; default_port must be a TOML integer; "
        "ports must be a TOML array; syntax.bnf must be a TOML string"
    )
    assert (caught.value.field, caught.value.hint) == ("titel", "did you mean title? did you mean profile?")


@pytest.mark.parametrize("field", sorted(REQUIRED - {"scheme"}))
def test_a_field_that_only_an_experiment_may_leave_out_is_named(field: str) -> None:
    text = re.sub(rf"^{field} += .*\n", "", TEXT, count=1, flags=re.MULTILINE)
    assert not getattr(Registration.from_text(text), field, None) or field == "status"
    others = re.sub("x-album", "album", text).replace('"experimental"', '"provisional"')
    with pytest.raises(RegistrationError) as caught:
        Registration.from_text(others)
    assert (caught.value.field, caught.value.hint) == (field, None)


@pytest.mark.parametrize(
    ("old", "new", "hint"),
    [
        ("port     = { ", "po__rt   = { ", "write `po_rt`"),
        (
            "[[examples]]\nurl",
            '[syntax.parts.words2]\nelements = 1\nat = "words"\n[[examples]]\nurl',
            "did you mean element?",
        ),
        ('at = "user"', 'at = "user", numbr = true', "did you mean number?"),
        ('at = "user"', 'at = "user", type = 1', "the fields are at, take, number, travels, exclude, element, "),
        ('rule = "albumurl"', 'title = "A"', "title is a field of the record: write it above `[syntax]`"),
        ("port     = { ", "ports    = 1\nport     = { ", "write other fields above `[syntax]`"),
        ("\nbnf = ", "\nabnf = ", "did you mean bnf?"),
        ("\nparts = ", "\npart = ", "did you mean parts?"),
        ("default_port = 4711", "[ports]", "write `[[ports]]`"),
        (
            "[syntax]",
            "[[[",
            "write a text in quotation marks, and between ''' if it has several lines or quotation marks",
        ),
    ],
)
def test_a_hint_says_what_to_write(old: str, new: str, hint: str) -> None:
    assert old in TEXT
    with pytest.raises(RegistrationError) as caught:
        Registration.from_text(TEXT.replace(old, new, 1))
    assert str(caught.value.hint).startswith(hint)


def test_a_byte_order_mark_is_no_part_of_a_record() -> None:
    assert Registration.from_text(f"\ufeff{TEXT}").scheme == "x-album"


@pytest.mark.parametrize(
    ("name", "bnf", "message"),
    [
        ("x-a", "", "the record: syntax.bnf must not be empty"),
        ("x-a", "; a comment", "the record: syntax.bnf must not be empty"),
        (
            "x-a",
            "# a comment",
            r".*invalid '# a comment' in line 3: not part of the notation; begin a comment with `;`",
        ),
        ("a", 'u = "a:"', ".*has no api, .*; an experiment needs none of these: its name begins with `x-`, as in x-a"),
    ],
)
def test_what_a_beginner_lacks_is_said(name: str, bnf: str, message: str) -> None:
    with pytest.raises(RegistrationError) as caught:
        Registration.from_text(f"scheme = '{name}'\n[syntax]\nbnf = '''{bnf}'''")
    assert re.fullmatch(message, str(caught.value))


def test_a_record_for_another_api_breaks_the_contract() -> None:
    with pytest.raises(PluginContractError) as caught:
        Registration.from_text(TEXT.replace("api = 1", "api = 2"), source="album.toml")
    assert (caught.value.wants, caught.value.has) == ("api = 1", "api = 2")


def test_a_grammar_error_names_the_file() -> None:
    with pytest.raises(GrammarError) as caught:
        Registration.from_text(TEXT.replace('*[ uchar | ":"', '*[ nochar | ":"'), source="album.toml")
    error, line = caught.value, TEXT.partition("asegment = ")[0].count("\n") + 1
    assert (error.source, error.field, error.line, error.rule) == ("album.toml", "syntax.bnf", line, "asegment")


def test_a_caution_is_read() -> None:
    (caution,) = Registration.from_text(WITH_CAUTION).cautions
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
    (caution,) = Registration.from_text(WITH_CAUTION.replace('holds = "x"', key)).cautions
    assert list(caution.spans("a://" + "//a//%2F%2faAb//", 4, 18)) == spans
