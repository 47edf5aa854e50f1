"""The files of a new distribution."""

from __future__ import annotations

import ast
import tomllib

import pytest

from urlschemes import Registration, Scheme
from urlschemes.errors import PluginError, RegistrationError
from urlschemes.registry.names import KnownName
from urlschemes_conformance.recognizer import Recognizer
from urlschemes_conformance.scaffold import has_template_syntax, plan, template_leftovers
from urlschemes_testing.examples import check_example

RECORD = "src/urlschemes_x_foo/registration.toml"
CONSIDERATIONS = ("encoding_considerations", "interoperability_considerations", "security_considerations")


@pytest.mark.parametrize("record_only", [False, True])
@pytest.mark.parametrize("name", ["foo", "x-3d", "x-a.b+c", "x-a--b", "x-trailing.", "x-" + "long" * 15])
def test_the_files_for_any_name_are_sound(name: str, record_only: bool) -> None:
    planned = plan(name, record_only=record_only)
    record = planned.record
    assert record.scheme == planned.naming.scheme
    assert bool(record.operations) is not record_only
    recognizer, url_type = Recognizer(record.syntax), Scheme(record).url_type
    for example in record.examples:
        assert recognizer.accepts(example.url) is (example.parts is not None)
        check_example(url_type, example)
    project = tomllib.loads(planned.files["pyproject.toml"])["project"]
    entry_point = project["entry-points"]["urlschemes.schemes"][record.scheme]
    assert entry_point == planned.naming.package + ("" if record_only else ":scheme")
    for path, text in planned.files.items():
        assert text.endswith("\n") or path.endswith("py.typed")
        if path.endswith(".py"):
            ast.parse(text, path)


@pytest.mark.parametrize("record_only", [False, True])
@pytest.mark.parametrize("profiles", [["rfc3986"], ["rfc1738", "rfc3986"]])
def test_a_scheme_has_a_record_of_each_profile(profiles: list[str], record_only: bool) -> None:
    planned = plan("foo", record_only=record_only, profiles=[*reversed(profiles), "rfc3986"])
    assert [record.profile.name for record in planned.records] == profiles
    for record in planned.records:
        assert planned.files[f"src/urlschemes_x_foo/{record.profile.record}"]
        assert has_template_syntax(record)
        for example in record.examples:
            check_example(Scheme(record).url_type, example)
    assert ("src/urlschemes_x_foo/rfc3986.py" in planned.files) is not record_only
    project = tomllib.loads(planned.files["pyproject.toml"])["project"]
    needed = project["dependencies"] if profiles == ["rfc3986"] else project["optional-dependencies"]["rfc3986"]
    assert any(each.startswith("urlschemes-rfc3986>=") for each in needed)
    for path, text in planned.files.items():
        if path.endswith(".py"):
            ast.parse(text, path)


def test_a_profile_without_templates_is_refused() -> None:
    with pytest.raises(PluginError, match="the profile never is not installed"):
        plan("foo", profiles=["never"])


def test_a_name_that_is_too_long_is_refused() -> None:
    with pytest.raises(RegistrationError, match="at most 64"):
        plan("x" * 70)


def test_the_tests_of_a_new_scheme_need_the_conformance_kit_and_no_servers() -> None:
    for record_only in (False, True):
        text = plan("foo", record_only=record_only).files["pyproject.toml"]
        extra = tomllib.loads(text)["project"]["optional-dependencies"]["test"]
        assert any(each.startswith("urlschemes-conformance>=") for each in extra)
        assert "urlschemes-servers" not in " ".join(extra)


def test_a_record_alone_has_no_code() -> None:
    files = plan("foo", record_only=True).files
    sources = [text for path, text in files.items() if path.startswith("src/") and path.endswith(".py")]
    assert [ast.parse(text).body[1:] for text in sources] == [[]]


def test_the_record_of_an_experiment_says_only_what_it_must() -> None:
    record = tomllib.loads(plan("foo", record_only=True).files[RECORD])
    assert record.keys() == {"scheme", "title", "syntax", "examples"}
    record = tomllib.loads(plan("foo", author="Ann Example").files[RECORD])
    assert (record["contact"], record["change_controller"]) == ("Ann Example", "Ann Example")
    assert not record.keys() & {"api", "status", "reference", *CONSIDERATIONS}


def test_title_author_contact_port_and_year_are_in_the_files() -> None:
    title, author, contact = 'Songs "by\\ear"', "Ann Öre", "ann@host.dom \U0001f3b5"
    planned = plan("foo", registered=True, title=title, author=author, contact=contact, port=7000, year=1994)
    record = planned.record
    assert (record.title, record.change_controller, record.contact) == (title, author, contact)
    assert record.default_port == 7000
    assert "was chosen by the authors" in record.interoperability_considerations
    assert tomllib.loads(planned.files["pyproject.toml"])["project"]["authors"] == [{"name": author}]
    assert f"Copyright (c) 1994 {author}\n" in planned.files["LICENSE"]
    assert "RFC 4727" in plan("foo", registered=True).record.interoperability_considerations


@pytest.mark.parametrize("field", ["title", "author", "contact"])
@pytest.mark.parametrize("text", ["", " ", "a\nb", "a\x1b[1m"])
def test_a_text_that_is_not_one_line_is_refused(field: str, text: str) -> None:
    with pytest.raises(RegistrationError, match="expected one line of text"):
        plan("foo", **{field: text})  # type: ignore[arg-type]  # each of these takes a str


@pytest.mark.parametrize("record_only", [False, True])
def test_the_record_of_a_registered_name_has_its_status_and_reference(record_only: bool) -> None:
    known = KnownName("dict", "dictionaries", "RFC 2229", status="permanent")
    planned = plan("dict", registered=True, known=known, record_only=record_only)
    assert (planned.record.status, planned.record.reference) == ("permanent", "RFC 2229")
    record = plan("foo", registered=True, known=KnownName("foo"), record_only=record_only).record
    assert (record.status, record.reference) == ("provisional", "README.md of urlschemes-foo")


# Leftovers of the template


@pytest.mark.parametrize("record_only", [False, True])
def test_a_new_record_has_no_leftovers(record_only: bool) -> None:
    planned = plan("foo", registered=True, record_only=record_only)
    assert has_template_syntax(planned.record)
    assert template_leftovers(planned.record) == ()


@pytest.mark.parametrize("record_only", [False, True])
def test_the_texts_of_the_template_are_leftovers_once_the_syntax_is_another(record_only: bool) -> None:
    planned = plan("foo", registered=True, record_only=record_only, port=7000)
    changed = planned.files[RECORD.replace("x_", "")].replace("1*uchar", "1*alphadigit")
    record = Registration.from_text(changed)
    assert not has_template_syntax(record)
    assert template_leftovers(record) == CONSIDERATIONS
    rewritten = Registration.from_text(
        changed.replace('security_considerations = """\n', 'security_considerations = """\nNo. ')
    )
    assert template_leftovers(rewritten) == CONSIDERATIONS[:2]
    assert template_leftovers(plan("foo", record_only=record_only).record) == ()


def test_a_name_that_the_scaffold_refuses_has_no_leftovers() -> None:
    text = plan("foo", record_only=True).files[RECORD].replace("1*uchar", "1*alphadigit")
    assert template_leftovers(Registration.from_text(text.replace("x-foo", "x-"))) == ()
