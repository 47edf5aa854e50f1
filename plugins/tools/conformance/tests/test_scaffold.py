"""`urlschemes new`: what a new scheme is called, what is made, and what is never touched."""

from __future__ import annotations

import ast
import tomllib
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from urlschemes import Registration, Registry
from urlschemes.errors import RegistrationError
from urlschemes.registry.known_names import KnownName, Ledger, core_ledger
from urlschemes_cli.app import command
from urlschemes_conformance.recognizer import Recognizer
from urlschemes_conformance.scaffold import has_new_syntax, left_over, naming_of, plan, registered_as, remarks
from urlschemes_testing.examples import check_example

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

ODD = ["x-3d", "x-a.b+c", "x-a--b", "x-trailing.", "x-" + "long" * 15]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "nothing"))


def new(*words: str) -> Result:
    return CliRunner().invoke(command, ["new", *words])


# Names


@pytest.mark.parametrize(
    ("asked", "scheme", "distribution", "package", "url_type"),
    [
        ("foo", "x-foo", "urlschemes-x-foo", "urlschemes_x_foo", "FooURL"),
        ("X-Foo", "x-foo", "urlschemes-x-foo", "urlschemes_x_foo", "FooURL"),
        ("x-foo-bar", "x-foo-bar", "urlschemes-x-foo-bar", "urlschemes_x_foo_bar", "FooBarURL"),
        ("x-3d", "x-3d", "urlschemes-x-3d", "urlschemes_x_3d", "X3dURL"),
        ("z39.50", "x-z39.50", "urlschemes-x-z39-50", "urlschemes_x_z39_50", "Z3950URL"),
        ("a+b", "x-a+b", "urlschemes-x-a-plus-b", "urlschemes_x_a_plus_b", "APlusBURL"),
    ],
)
def test_an_experiment_has_an_x(asked: str, scheme: str, distribution: str, package: str, url_type: str) -> None:
    naming = naming_of(asked)
    assert (naming.scheme, naming.status) == (scheme, "experimental")
    assert (naming.distribution, naming.package, naming.url_type) == (distribution, package, url_type)


def test_whoever_registers_a_name_has_it_as_it_is() -> None:
    naming = naming_of("foo", registered=True)
    assert (naming.scheme, naming.status, naming.distribution) == ("foo", "provisional", "urlschemes-foo")
    with pytest.raises(RegistrationError, match="for experiments"):
        naming_of("x-foo", registered=True)


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("Foo_Bar", "foo-bar"),
        ("", "tide"),
        ("a b", "a-b"),
        ("../x", "x"),
        ("fö", "tide"),
        ("foo:bar", "foo-bar"),
        ("a\x1b[1m", "a-1m"),
    ],
)
def test_what_is_no_name_is_refused_as_such(name: str, near: str, tmp_path: Path) -> None:
    with pytest.raises(RegistrationError, match="no scheme can be called"):
        naming_of(name)
    done = new(name)
    assert done.exit_code == 2
    assert "URL" not in done.stderr
    assert "\x1b" not in done.stderr
    assert done.stderr.endswith(f"  help: for example {near}\n")
    assert naming_of(near).scheme == f"x-{near}"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["x-", "x-..", "x" * 70])
def test_some_names_are_none_of_a_distribution(name: str, tmp_path: Path) -> None:
    done = new(name)
    assert done.exit_code == 2
    assert "help: " in done.stderr or "at most 64" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_what_a_ledger_knows_is_pointed_out() -> None:
    registry = Registry(plugins=())
    (renamed, known) = remarks(naming_of("mid"), registry)
    assert renamed.startswith("it is called x-mid: ")
    assert known.startswith("mid is the name of a scheme already (messages of electronic mail, ")
    (known,) = remarks(naming_of("mid", registered=True), registry)
    assert "RFC 1738 section 4" in known
    assert "to be replaced" in known
    (_, known) = remarks(naming_of("gopher"), registry)
    assert "pip install urlschemes-gopher" in known
    (unknown,) = remarks(naming_of("made-up-here", registered=True), registry)
    assert "knows made-up-here; urlschemes-iana tells whether IANA has it: if not, have it registered" in unknown
    assert remarks(naming_of("x-made-up-here"), registry) == ()


def test_what_a_register_says_of_a_name_is_in_the_record() -> None:
    known = KnownName("dict", "dictionaries", "RFC 2229", status="permanent")

    class Registers(Registry):
        def ledgers(self) -> tuple[Ledger, ...]:
            mid = KnownName("mid", "messages", "RFC 2392", status="permanent")
            return core_ledger(), Ledger("a register", "somewhere", "2000", (known, mid))

    registers = Registers(plugins=())
    naming = naming_of("dict", registered=True)
    assert registered_as(naming, registers) == known
    for record_only in (False, True):
        made = plan("dict", registered=True, known=known, record_only=record_only)
        assert (made.naming.status, made.record.status, made.record.reference) == ("permanent", "permanent", "RFC 2229")
    (renamed_not,) = remarks(naming, registers)
    assert renamed_not.startswith("dict is the name of a scheme already (dictionaries, permanent, RFC 2229)")
    (unknown,) = remarks(naming_of("made-up-here", registered=True), registers)
    assert "knows made-up-here: have it registered with IANA" in unknown
    # What defines a name counts before what reserves it.
    defined = registered_as(naming_of("mid", registered=True), registers)
    assert defined is not None
    assert defined.reference == "RFC 2392"
    assert registered_as(naming_of("dict"), registers) is None
    assert registered_as(naming_of("made-up-here", registered=True), registers) is None
    nameless = plan("foo", registered=True, known=KnownName("foo")).record
    assert (nameless.status, nameless.reference) == ("provisional", "README.md of urlschemes-foo")


def test_what_is_made_under_a_name_that_is_registered_says_that_it_is_another_scheme() -> None:
    done = new("mid", "--registered", "--directory", "here")
    assert done.exit_code == 0, done.stderr
    assert "of the permanent scheme mid:" in done.stdout
    assert "it is not mid before its syntax, its protocol and its port are those of the registration" in done.stdout
    assert "the check `reference` of the review fails" in done.stdout
    for words in (["foo"], ["made-up-here", "--registered"]):
        assert "It works as it is. To see that:\n" in new(*words).stdout


def test_a_name_that_belongs_to_one_distribution_is_refused(tmp_path: Path) -> None:
    done = new("gopher", "--registered")
    assert done.exit_code == 2
    assert "the name gopher belongs to urlschemes-gopher" in done.stderr
    assert "x-gopher" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_somebody_provides_is_pointed_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for distribution, name in (("other-schemes", "x-foo"), ("urlschemes_x_bar", "x-bar")):
        info = tmp_path / "site" / f"{distribution.replace('-', '_')}-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[urlschemes.schemes]\n{name} = nowhere\n")
    monkeypatch.syspath_prepend(tmp_path / "site")
    (taken,) = remarks(naming_of("x-foo"), Registry())
    assert taken.startswith("other-schemes 1.0 is installed here and provides x-foo")
    assert "--pin x-foo=urlschemes-x-foo" in taken
    (own,) = remarks(naming_of("x-bar"), Registry())
    assert own.endswith("provides x-bar: to install the new one replaces it")


# Files


@pytest.mark.parametrize("record_only", [False, True])
@pytest.mark.parametrize("name", ["foo", *ODD])
def test_what_is_made_of_any_name_is_sound(name: str, *, record_only: bool) -> None:
    planned = plan(name, record_only=record_only)
    record = planned.record
    assert record.scheme == planned.naming.scheme
    slow = Recognizer(record.syntax)
    for example in record.examples:
        assert slow.accepts(example.url) is (example.parts is not None)
    project = tomllib.loads(planned.files["pyproject.toml"])
    entry = project["project"]["entry-points"]["urlschemes.schemes"][record.scheme]
    assert entry == planned.naming.package + ("" if record_only else ":scheme")
    for place, text in planned.files.items():
        if place.endswith(".py"):
            ast.parse(text, place)
        assert text.endswith("\n") or place.endswith("py.typed")
    assert bool(record.operations) is not record_only


def test_a_record_alone_has_no_code() -> None:
    files = plan("foo", record_only=True).files
    code = [
        ast.parse(text).body[1:] for place, text in files.items() if place.startswith("src/") and place[-3:] == ".py"
    ]
    assert code == [[]]
    registry = Registry(plugins=())
    record = plan("foo", record_only=True).record
    registry.register(record)
    for example in record.examples:
        check_example(registry["x-foo"].url_type, example)


def test_what_is_said_of_it_is_in_the_record() -> None:
    title, author, contact = 'Songs "by\\ear"', "Ann Öre", "ann@host.dom \U0001f3b5"
    planned = plan("foo", title=title, author=author, contact=contact, port=7000, year=1994)
    record = planned.record
    assert (record.title, record.change_controller, record.contact) == (title, author, contact)
    assert record.default_port == 7000
    assert "one that its authors chose" in record.interoperability_considerations
    assert tomllib.loads(planned.files["pyproject.toml"])["project"]["authors"] == [{"name": author}]
    assert f"Copyright (c) 1994 {author}\n" in planned.files["LICENSE"]
    assert "RFC 4727" in plan("foo").record.interoperability_considerations


@pytest.mark.parametrize("option", ["--title", "--author", "--contact"])
@pytest.mark.parametrize("text", ["", " ", "a\nb", "a\x1b[1m"])
def test_what_is_said_of_it_is_one_line(option: str, text: str, tmp_path: Path) -> None:
    done = new("foo", option, text)
    assert done.exit_code == 2
    assert "must be one line of text" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_what_was_said_of_another_syntax_is_left_over() -> None:
    planned = plan("foo", port=7000)
    text = planned.files["src/urlschemes_x_foo/registration.toml"]
    assert left_over(planned.record) == ()
    changed = Registration.from_text(text.replace("1*uchar", "1*alphadigit"))
    every = ("encoding_considerations", "interoperability_considerations", "security_considerations")
    assert left_over(changed) == every
    said = Registration.from_text(text.replace("1*uchar", "1*alphadigit").replace("are sent in the clear", "are sent"))
    assert left_over(said) == every[:2]
    alone = plan("foo", record_only=True).files["src/urlschemes_x_foo/registration.toml"]
    assert left_over(Registration.from_text(alone.replace("1*uchar", "1*alphadigit"))) == every
    assert left_over(Registration.from_text(alone.replace("x-foo", "x-"))) == ()


@pytest.mark.parametrize("record_only", [False, True])
def test_a_readme_that_shows_the_urls_of_another_syntax_is_left_over(*, record_only: bool) -> None:
    planned = plan("foo", record_only=record_only)
    text, readme = planned.files["src/urlschemes_x_foo/registration.toml"], planned.files["README.md"]
    assert has_new_syntax(planned.record)
    assert left_over(planned.record, readme) == ()
    changed = Registration.from_text(text.replace("1*uchar", "1*alphadigit"))
    assert not has_new_syntax(changed)
    assert left_over(changed, readme)[-1:] == ("README.md",)
    assert "README.md" not in left_over(changed, readme.replace(";edition=<edition>", "!<edition>"))


# The command


def test_it_says_what_it_made_and_what_to_do_next(tmp_path: Path) -> None:
    done = new("foo")
    assert done.exit_code == 0, done.stderr
    assert "it is called x-foo" in done.stderr
    made = {
        path.relative_to(tmp_path / "x-foo").as_posix() for path in (tmp_path / "x-foo").rglob("*") if path.is_file()
    }
    assert made == set(plan("foo").files)
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert made <= set(lines)
    for step in ("cd x-foo", "python -m pip install -e '.[test]'", "python -m pytest", "urlschemes review x-foo"):
        assert step in lines
    assert "urlschemes demo x-foo" in lines
    assert "urlschemes demo x-foo" not in new("foo", "--record-only", "--directory", "elsewhere").stdout


def test_it_never_overwrites(tmp_path: Path) -> None:
    (tmp_path / "x-foo").mkdir()
    (tmp_path / "x-foo" / "README.md").write_text("mine")
    (tmp_path / "file").write_text("mine")
    for words in (["foo"], ["foo", "--directory", "file"]):
        done = new(*words)
        assert done.exit_code == 2
        assert done.stdout == ""
    assert [path.name for path in (tmp_path / "x-foo").iterdir()] == ["README.md"]
    assert (tmp_path / "x-foo" / "README.md").read_text() == "mine"
    (tmp_path / "empty").mkdir()
    assert new("foo", "--directory", "empty").exit_code == 0
    assert (tmp_path / "empty" / "pyproject.toml").exists()


def test_what_is_printed_cannot_be_obeyed() -> None:
    done = new("foo", "--directory", "a\x1b[2Jb")
    assert done.exit_code == 0
    assert "\x1b" not in done.stdout + done.stderr
