"""Registration records, read from texts, files and modules."""

import copy
import importlib
import shutil
import sys
from pathlib import Path

import pytest

from urlschemes import Registration, RegistrationError, Registry, Scheme
from urlschemes.storage.package_data import find_in_folders, read_from

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


SECOND = """scheme = "x-album"
ports = [4712]
[syntax]
uses = ["two"]
bnf = 'url = "x-album:" two'
"""


@pytest.mark.parametrize("is_zipped", [False, True])
def test_a_second_record_says_what_differs_from_the_first(tmp_path: Path, is_zipped: bool) -> None:
    pytest.importorskip("urlschemes_rfc3986")
    profile = Registry(profile="rfc3986").profile
    package = tmp_path / "site" / "album_of_two"
    package.mkdir(parents=True)
    (package / "registration.toml").write_text(TEXT, "utf-8")
    (package / profile.record).write_text(SECOND, "utf-8")
    (package / "_rules").mkdir()
    (package / "_rules" / "two.abnf").write_text('two = "2"\n', "utf-8")
    site = shutil.make_archive(str(tmp_path / "site"), "zip", package.parent) if is_zipped else str(package.parent)
    text, source = read_from(find_in_folders("album_of_two", [site]), profile.record)
    second, first = Registration.from_text(text, source=source, profile=profile), Registration.from_text(TEXT)
    differs = {name for name in first.__slots__ if getattr(first, name) != getattr(second, name)}
    assert differs == {"ports", "syntax", "examples", "source"}
    assert (second.default_port, second.ports, second.examples) == (4711, (4712,), ())
    assert second.syntax.fullmatch("x-album:2")
    alone = SECOND.replace('uses = ["two"]', "").replace(" two", " path-rootless")
    assert Registration.from_text(alone, profile=profile, first='title = "A"').title == "A"
    with pytest.raises(RegistrationError, match=r"^registration\.toml: default_port must be a TOML integer$"):
        Registration.from_text(alone, profile=profile, first=TEXT.replace("= 4711", "= '4711'"))


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


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Registration.from_text(None), "text must be a str, not NoneType"),
        (lambda: Registration.from_text("", profile="rfc1738"), "profile must be a Profile, not str"),
        (lambda: Registration(scheme="x"), r"Registration\(\) takes each of scheme, .*; from_text reads a record"),
        (lambda: Scheme("x"), "registration must be a Registration, not str"),
    ],
)
def test_an_argument_of_another_type_is_named(call, message) -> None:
    with pytest.raises(TypeError, match=f"^{message}$"):
        call()


def test_a_record_of_no_package_cannot_be_read() -> None:
    with pytest.raises(RegistrationError, match="the record of no_such cannot be read: there is no module no_such"):
        Registration.of("no_such")


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
