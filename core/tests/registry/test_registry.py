"""Schemes by name: parsing with a registry, the schemes that are installed, and pickles."""

from __future__ import annotations

import copy
import pickle
import re
import sys
from collections.abc import Mapping

import pytest

from urlschemes import URL, InternetURL, Registry, Scheme, default_registry
from urlschemes.errors import InvalidURL, PluginLoadError, UnknownScheme
from urlschemes.registry.selection import Rules

# Parsing


def test_a_record_alone_is_a_scheme(bare, registration):
    bare.register(registration("x-foo"))
    url = bare.parse("x-foo:bar%20")
    assert (url.scheme, url.parts, url.raw) == ("x-foo", {"word": "bar "}, {"word": "bar%20"})
    assert type(url) is bare["x-foo"].url_type
    assert ("x-foo" in bare, "X-FOO" in bare, "x-fo" in bare, 7 in bare) == (True, True, False, False)
    assert ([*bare], len(bare)) == (["x-foo"], 1)
    assert bare.registrations() == (bare["x-foo"].registration,)
    assert bare.registration("x-Foo") is bare["X-foo"].registration


def test_the_letters_of_a_name_may_be_capitals(bare, registration):
    bare.register(registration("x-foo"))
    assert str(bare.parse("X-Foo:bar")) == "X-Foo:bar"
    assert bare.parse("X-Foo:bar") == bare.parse("x-foo:bar")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("x-foo:", "invalid-part"),
        ("x-foo:a/b", "invalid-part"),
        ("X-FOO:a/b", "invalid-part"),
        ("x-foo:a b", "invalid-character"),
        ("x-bar:a b", "unknown-scheme"),
        ("x-bar:ab", "unknown-scheme"),
        ("x\u212a:ab", "invalid-character"),
        ("", "invalid-scheme"),
        (":", "invalid-scheme"),
        ("x_foo:a", "invalid-scheme"),
        (b"x-foo:a", "invalid-url"),
        (None, "invalid-url"),
        ("x-foo:" + "a" * 65531, "url-too-long"),
        ("x-bar:" + "a" * 65531, "url-too-long"),
    ],
)
def test_an_invalid_text_is_refused_whether_the_scheme_is_loaded_or_not(bare, registration, text, code):
    bare.register(registration("x-foo"))
    for arguments in ((text,), (text, bare["x-foo"].url_type)):
        with pytest.raises((InvalidURL, UnknownScheme)) as caught:
            bare.parse(*arguments)
        assert caught.value.code == code
    assert not bare.is_valid(text)


def test_the_limit_of_characters_can_be_changed(bare, registration):
    bare.register(registration("x-foo"))
    long = "x-foo:" + "a" * 65531
    assert str(bare.parse(long, limit=len(long))) == long
    assert bare.is_valid(long, limit=len(long))
    with pytest.raises(InvalidURL) as caught:
        bare.parse("X-FOO:a", limit=6)
    assert caught.value.code == "url-too-long"


def test_a_url_of_another_type_than_expected_is_refused(bare, registration):
    bare.register(registration("x-foo"))
    assert type(bare.parse("x-foo:a", bare["x-foo"].url_type)) is bare["x-foo"].url_type
    for text in ("x-foo:a", "X-foo:a"):
        with pytest.raises(InvalidURL, match=r"^expected InternetURL, got XFooURL$") as caught:
            bare.parse(text, InternetURL)
        assert caught.value.code == "invalid-scheme"
    with pytest.raises(InvalidURL, match=r"^expected Own, got XFooURL; `Own.parse\(text\)` gives it$"):
        bare.parse("x-foo:a", type("Own", (bare["x-foo"].url_type,), {}))
    for text in ("x-foo:|", "X-foo:|"):  # the fault of the text comes first, however it is read
        with pytest.raises(InvalidURL, match=r"^invalid character '\|' in the word at position 6"):
            bare.parse(text, InternetURL)


def test_a_url_is_parsed_to_itself(bare, registration):
    bare.register(registration("x-foo"))
    kind = bare["x-foo"].url_type
    url = bare.parse("x-foo:a")
    assert bare.parse(url) is bare.parse(url, kind) is bare.parse(url, type=URL) is url
    assert type(bare.parse(bare.parse_generic("x-foo:a"))) is kind
    assert bare.is_valid(url)
    with pytest.raises(InvalidURL, match=r"^expected InternetURL, got XFooURL$"):
        bare.parse(url, InternetURL)


def test_a_generic_url_needs_no_provider(bare):
    assert bare.parse_generic("nobody:knows").schemepart == "knows"
    with pytest.raises(InvalidURL):
        bare.parse_generic("no body:knows")


def test_a_type_with_a_parse_of_its_own_is_used(bare, registration):
    record = registration("x-own")

    class Own(URL, registration=record):
        __slots__ = ()

        @classmethod
        def parse(cls, text, *, limit=65536):
            return super().parse(text.replace("+", "-"), limit=limit)

    bare.register(Scheme(record, Own))
    for _ in range(2):
        assert str(bare.parse("x-own:a+b")) == "x-own:a-b"


@pytest.mark.plugin_fault(38)
def test_two_registries_share_nothing(bare, registration):
    bare.register(registration("x-foo"))
    assert "x-foo" not in Registry()


# A mapping of names to schemes


def test_a_registry_reads_as_a_mapping(bare, registration):
    bare.register(registration("x-foo"))
    bare.register(registration("x-bar"))
    assert isinstance(bare, Mapping)
    assert bare.keys() == (*bare,) == ("x-bar", "x-foo")
    assert bare.values() == (bare["x-bar"], bare["x-foo"])
    assert dict(bare) == dict(bare.items()) == {name: bare[name] for name in bare}
    assert bare.get("X-Foo") is bare["x-foo"]
    assert (bare.get("x-nobody"), bare.get("x-nobody", 7)) == (None, 7)
    assert bare != {**bare}
    assert {bare: 1}[bare] == 1


def test_a_scheme_that_cannot_be_loaded_is_left_out_and_is_no_unknown_name(plugin, monkeypatch):
    plugin("x-good-p", code=None)
    monkeypatch.syspath_prepend(plugin("x-bad-p", "raise SystemExit(3)"))
    registry = Registry(["x-good-p", "x-bad-p"])
    assert registry.keys() == ("x-bad-p", "x-good-p")
    assert [name for name, _ in registry.items()] == [scheme.name for scheme in registry.values()] == ["x-good-p"]
    with pytest.raises(PluginLoadError):
        registry.get("x-bad-p", 7)


def test_the_repr_names_the_first_schemes_and_searches_for_nothing(bare, registration):
    assert repr(Registry(["nobody-has-it"])) == "<Registry rfc1738>"
    assert [len(bare), repr(bare)] == [0, "<Registry rfc1738: no schemes>"]
    expected = {
        "x-a": "<Registry rfc1738: x-a>",
        "x-c": "<Registry rfc1738: x-a, x-c>",
        "x-b": "<Registry rfc1738: x-a, x-b, … (3)>",
        "x-d": "<Registry rfc1738: x-a, x-b, … (4)>",
    }
    for name, shown in expected.items():
        bare.register(registration(name))
        assert repr(bare) == shown


# Installed schemes


def test_making_a_registry_searches_for_nothing(monkeypatch):
    def search(**_):
        raise AssertionError("searched")

    monkeypatch.setattr("urlschemes.registry.plugins.installed_claims", search)
    registry = Registry(plugins=["anything"], pins={"x-foo": "foo"})
    with pytest.raises(AssertionError, match="searched"):
        "x-foo" in registry  # noqa: B015


def test_records_are_read_without_importing_anything(plugin, monkeypatch):
    monkeypatch.syspath_prepend(plugin("x-exit-b", code="raise SystemExit(3)"))
    plugin("x-bad-b", code=None, record=lambda _: "api = 2")
    registry = Registry()
    assert registry.registration("x-exit-b").title == "A scheme of the tests"
    assert "x-exit-b" in {record.scheme for record in registry.registrations()}
    assert "x-bad-b" not in {record.scheme for record in registry.registrations()}
    assert "x-exit-b" in registry
    assert "x_exit_b" not in sys.modules


def test_a_third_party_is_a_provider_of_a_name_that_is_not_reserved(plugin, registration, monkeypatch):
    monkeypatch.syspath_prepend(plugin("x-third-o", code=None))
    registry = Registry()
    assert registry.would_import_third_party("X-Third-O")
    assert not registry.would_import_third_party("x-missing-o")
    registry["x-third-o"]
    assert not registry.would_import_third_party("x-third-o")  # it has been imported


@pytest.mark.parametrize("name", ["plugins", "require", "disable"])
@pytest.mark.parametrize("value", ["one-h", b"one-h", 5, [5]], ids=repr)
def test_names_of_plugins_are_collections(name, value):
    with pytest.raises(TypeError, match=f"^{name} must be a collection of str, not {re.escape(repr(value))}$"):
        Registry(**{name: value})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda registry: registry[None], "the name of a scheme must be a str, not NoneType"),
        (lambda registry: registry.why(b"x"), "the name of a scheme must be a str, not bytes"),
        (lambda registry: registry.register(URL.parse("x-a:b")), "scheme must be a Scheme or a Registration, not URL"),
        (lambda registry: registry.load("ftp"), "claim must be a Claim, not str"),
        (lambda registry: registry.in_profile(5), "profile must be a Profile or a str, not int"),
        (lambda registry: registry.add_hooks(Registry), "Registry is a class: add an object of it, Registry()"),
        (lambda registry: registry.add_hooks(registry, name=5), "name must be a str, not int"),
        (lambda _: Registry(pins=5), "pins must be a Mapping or None, not int"),
        (lambda _: Registry(pins={"x-a": 5}), "pins must be a collection of str, not dict_values([5])"),
    ],
)
def test_an_argument_of_another_type_is_named(bare, call, message):
    with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
        call(bare)


def test_distributions_in_the_current_directory_count_if_the_program_says_so(install, monkeypatch):
    site = install("here-j", "x-here-j = here_j")
    monkeypatch.syspath_prepend(site)
    monkeypatch.chdir(site)
    with pytest.raises(UnknownScheme) as caught:
        Registry()["x-here-j"]
    assert str(caught.value) == (
        "no plugin provides the scheme x-here-j: here-j 1.0 is ignored: found in the current directory"
    )
    assert "x-here-j" in Registry(current_directory=True)


# Pickles


def test_a_registry_pickles_by_its_arguments(install, monkeypatch) -> None:
    site = install("foo-l", "x-both-l = foo_l\n[urlschemes.tales]\nx-tale = foo_l")
    install("bar-l", "x-both-l = bar_l\nx-bar-l = bar_l")
    install("baz-l", "x-baz-l = baz_l")
    monkeypatch.syspath_prepend(site)
    registry = Registry(["foo-l", "bar-l"], disable=["x-bar-l"], pins={"x-both-l": "foo-l"})
    for twin in (pickle.loads(pickle.dumps(registry)), copy.deepcopy(registry)):
        assert twin is not registry
        assert [*twin] == [*registry] == ["x-both-l"]
        assert twin.provider("x-both-l") == "foo-l 1.0"
    assert pickle.loads(pickle.dumps(default_registry)) is default_registry
    program = Registry.from_rules(Rules({"the list": ["foo-l"]}, reserved={"urlschemes.tales": {"x-tale": "bar-l"}}))
    states = [claim.state for claim in program.claims() if claim.group == "urlschemes.tales"]
    assert states == ["reserved"]
    twin = pickle.loads(pickle.dumps(program))
    assert [claim.state for claim in twin.claims() if claim.group == "urlschemes.tales"] == states


def test_a_registry_that_the_program_changed_is_not_pickled(bare: Registry, registration) -> None:
    bare.register(registration("x-own"))
    with pytest.raises(TypeError, match="cannot be pickled: the program added schemes or hooks"):
        pickle.dumps(bare)
