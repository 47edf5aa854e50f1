"""The names of a new scheme, and what is known of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from urlschemes import Registry
from urlschemes.errors import RegistrationError
from urlschemes.registry.names import KnownName, Ledger, core_ledger
from urlschemes_conformance.scaffold import name_notes, naming_of, registered_name

if TYPE_CHECKING:
    from plugin_fixtures import Install


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
def test_an_experiment_has_a_name_with_x(
    asked: str, scheme: str, distribution: str, package: str, url_type: str
) -> None:
    naming = naming_of(asked)
    assert (naming.scheme, naming.status) == (scheme, "experimental")
    assert (naming.distribution, naming.package, naming.url_type) == (distribution, package, url_type)


def test_a_registered_scheme_keeps_its_name() -> None:
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
        ("a\x1b[1mb", "a-1mb"),
    ],
)
def test_an_invalid_name_is_refused_with_a_valid_one_as_a_hint(name: str, near: str) -> None:
    with pytest.raises(RegistrationError, match="expected letters, digits") as caught:
        naming_of(name)
    assert caught.value.hint == f"write a name such as {near}"
    assert naming_of(near).scheme == f"x-{near}"


@pytest.mark.parametrize("name", ["x-", "x-.."])
def test_a_name_after_which_no_distribution_can_be_named_is_refused(name: str) -> None:
    with pytest.raises(RegistrationError, match="no distribution can be named after") as caught:
        naming_of(name)
    assert caught.value.hint


# Notes

MID = KnownName("mid", "messages", "RFC 2392", status="permanent")
DICT = KnownName("dict", "dictionaries", "RFC 2229", status="permanent")


class WithLedger(Registry):
    """A registry with one more ledger than the core's."""

    def ledgers(self) -> tuple[Ledger, ...]:
        return core_ledger(), Ledger("a register", "somewhere", "2000", (DICT, MID))


def notes(name: str, registry: Registry, *, registered: bool = False) -> tuple[str, ...]:
    return name_notes(naming_of(name, registered=registered), registry)


def test_a_name_with_x_in_front_of_a_known_name_is_noted() -> None:
    renamed, known = notes("mid", Registry(plugins=()))
    assert renamed == "the scheme is named x-mid, because names without x- must be registered (RFC 1738 section 4)"
    assert known.startswith("mid without x- is another scheme (messages of electronic mail, ")


def test_the_name_of_a_registered_scheme_is_noted_with_its_facts() -> None:
    (known,) = notes("mid", Registry(plugins=()), registered=True)
    assert "RFC 1738 section 4" in known
    (known,) = notes("dict", WithLedger(plugins=()), registered=True)
    assert known.startswith(
        "dict is the name of a scheme (dictionaries, permanent, RFC 2229; listed in a register (2000)): replace"
    )


def test_a_name_in_no_ledger_must_be_registered_first() -> None:
    (unknown,) = notes("made-up-here", Registry(plugins=()), registered=True)
    assert "urlschemes-iana, which has IANA's registry, is not installed" in unknown
    (unknown,) = notes("made-up-here", WithLedger(plugins=()), registered=True)
    assert unknown.startswith("made-up-here is in no installed ledger: register it with IANA")
    assert notes("x-made-up-here", Registry(plugins=())) == ()


def test_a_name_reserved_for_a_distribution_is_refused() -> None:
    with pytest.raises(RegistrationError, match="the name gopher is reserved for urlschemes-gopher") as caught:
        notes("gopher", Registry(plugins=()), registered=True)
    assert "x-gopher" in str(caught.value.hint)


def test_a_name_that_an_installed_distribution_provides_is_noted(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    install("other-schemes", "x-foo = nowhere")
    monkeypatch.syspath_prepend(install("urlschemes_x_bar", "x-bar = nowhere"))
    (taken,) = notes("x-foo", Registry())
    assert taken.startswith("other-schemes 1.0 is installed and provides x-foo: if both are installed, neither is used")
    assert "--pin x-foo=urlschemes-x-foo" in taken
    (own,) = notes("x-bar", Registry())
    assert own.endswith("provides x-bar: installing the new one replaces it")


def test_the_ledger_that_defines_a_name_precedes_the_one_that_reserves_it() -> None:
    registry = WithLedger(plugins=())
    assert registered_name(naming_of("dict", registered=True), registry) == DICT
    defined = registered_name(naming_of("mid", registered=True), registry)
    assert defined is not None
    assert defined.reference == "RFC 2392"
    assert registered_name(naming_of("dict"), registry) is None
    assert registered_name(naming_of("made-up-here", registered=True), registry) is None
