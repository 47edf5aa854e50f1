"""The error for a name that no plugin provides says what is known of the name, and what to do."""

from __future__ import annotations

import pickle
from types import SimpleNamespace

import pytest

from urlschemes import Registry
from urlschemes.errors import PluginConflict, UnknownScheme
from urlschemes.registry.claims import Claim
from urlschemes.registry.hooks import hookimpl
from urlschemes.registry.known_names import KnownName, Ledger, how_to_install, known_names, reserved_names
from urlschemes.registry.unknown_scheme import no_provider

OPEN = sorted(name for name, known in known_names().items() if not known.distribution)
LOOK_IT_UP = f"to look up the names that IANA has registered, {how_to_install(reserved_names().iana)}"
DEFINE_IT = "`parse_generic` reads it; a plugin can define it"


@pytest.fixture
def bare(monkeypatch) -> Registry:
    """A registry for which nothing is installed."""
    monkeypatch.setattr("urlschemes.registry.plugins.installed_claims", lambda **_: ())
    return Registry()


@pytest.fixture
def known(monkeypatch) -> dict[str, KnownName]:
    """The content of the core's own ledger, empty at first."""
    names: dict[str, KnownName] = {}
    for module in ("unknown_scheme", "known_names"):
        monkeypatch.setattr(f"urlschemes.registry.{module}.known_names", lambda: names)
    return names


def add_ledger(registry: Registry, *names: KnownName, title: str = "the register of things") -> list[str]:
    """Add a hook that provides a ledger; return the list to which each call adds the title."""
    calls: list[str] = []

    @hookimpl
    def urlschemes_ledger() -> Ledger:
        calls.append(title)
        return Ledger(title, "https://host.example/register", "2024-04-22", names)

    registry.add_hooks(SimpleNamespace(urlschemes_ledger=urlschemes_ledger), title)
    return calls


def message(registry: Registry, name: str) -> str:
    with pytest.raises(UnknownScheme) as caught:
        registry[name]
    return str(caught.value)


def of_claims(*states: str) -> UnknownScheme | PluginConflict:
    """Return the error for a name for which there are claims in these states."""
    claims = [
        Claim("x-a", f"dist-{number}", "1.0", "/site", state=state, reason="because")
        for number, state in enumerate(states)
    ]
    return no_provider("x-a", tuple(claims), lambda: (), lambda: ())


# Installed, and not used


def test_a_conflict_names_the_distributions_and_how_to_choose():
    error = of_claims("conflict", "conflict", "disabled")
    assert isinstance(error, PluginConflict)
    assert error.claimants == ("dist-0 1.0", "dist-1 1.0")
    assert str(error) == (
        "several distributions claim the scheme x-a, so none is used: dist-0 1.0 in /site; dist-1 1.0 in /site; "
        "choose one: Registry(pins={'x-a': 'dist-0'}), or uninstall the other"
    )


@pytest.mark.plugin_fault(35)
def test_a_disabled_scheme_is_not_called_missing():
    assert str(of_claims("reserved", "disabled")) == ("the scheme x-a is installed but disabled: dist-1 1.0 (because)")


@pytest.mark.parametrize("state", ["reserved", "malformed", "broken", "ignored"])
def test_a_claim_that_does_not_count_is_named_with_its_reason(state):
    assert str(of_claims(state)) == f"no plugin provides the scheme x-a: dist-0 1.0 is {state}: because"


def test_a_reserved_scheme_comes_with_the_way_to_install_it(known):
    known["x-a"] = KnownName("x-a", distribution="urlschemes-x-a")
    assert str(of_claims("reserved")) == (
        "no plugin provides the scheme x-a: dist-0 1.0 is reserved: because; " + how_to_install("urlschemes-x-a")
    )


# Known to the core's own ledger


def test_a_first_party_scheme_comes_with_the_way_to_install_it(bare, known):
    known["x-known"] = KnownName("x-known", "things", "RFC 0", "", "urlschemes-x-known")
    assert message(bare, "x-known") == (
        "the scheme x-known (things, RFC 0) is not installed; " + how_to_install("urlschemes-x-known")
    )


@pytest.mark.parametrize("name", OPEN)
def test_a_name_that_the_rfc_reserves_says_what_became_of_it(bare, name):
    known = known_names()[name]
    assert message(bare, name) == (
        f"the name {name} is reserved by RFC 1738 section 4 for {known.means}, and no installed plugin provides it; "
        f"since then: {known.since}; {DEFINE_IT}"
    )
    assert bare.parse_generic(f"{name}:x").scheme == name


@pytest.mark.parametrize("name", OPEN)
def test_a_name_that_the_rfc_reserves_is_open_to_any_plugin(name, install, monkeypatch):
    monkeypatch.syspath_prepend(install("anybody-e", f"{name} = anybody_e:scheme"))
    (claim,) = (claim for claim in Registry().claims() if claim.name == name)
    assert claim.state == "active"


# Known to ledgers of plugins


def test_other_ledgers_say_what_they_know_when_the_message_is_read(bare):
    calls = add_ledger(bare, KnownName("x-things", "all things", "RFC 0", status="provisional"), KnownName("x-other"))
    add_ledger(bare, KnownName("x-things", "no", distribution="things"), title="this register")
    with pytest.raises(UnknownScheme) as caught:
        bare.parse("X-Things:a")
    assert calls == []
    assert str(caught.value) == (
        "no installed plugin provides the scheme x-things; "
        "the register of things (2024-04-22) lists it as provisional: all things, RFC 0; "
        f"according to this register, things provides it; {DEFINE_IT}"
    )
    assert message(bare, "x-other") == (
        "no installed plugin provides the scheme x-other; the register of things (2024-04-22) lists it; " + DEFINE_IT
    )
    assert calls == ["the register of things"]


def test_the_core_ledger_takes_precedence_over_other_ledgers(bare):
    name = OPEN[0]
    add_ledger(bare, KnownName(name, "evil", "evil", "evil", "evil", "evil"))
    assert "evil" not in message(bare, name)
    assert bare.known_names()[name].means == known_names()[name].means


def test_no_advice_to_install_relies_on_a_ledger_of_a_plugin(bare):
    add_ledger(bare, *(KnownName(name, distribution="evil") for name in ("x-other", OPEN[0])))
    for name in ("x-other", OPEN[0]):
        with pytest.raises(UnknownScheme) as caught:
            bare[name]
        assert caught.value.hint == bare.why(name).advice == DEFINE_IT


# Known to nobody


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("x-ablum", "did you mean x-album?"),
        ("X-Albm", "did you mean x-album?"),
        ("mailservre", "did you mean mailserver?"),
        ("prospreo", "did you mean prospero?"),
        ("x-albums", None),  # a scheme of its own, as are those over TLS
        ("sx-album", LOOK_IT_UP),
        ("nothing-like-it", LOOK_IT_UP),
        ("x-albu" + "m" * 15, None),
        ("c", "if this is a drive letter, the text is the path of a file, not a URL"),
        ("host.dom", "if this is a host, write the name of the scheme, a colon and `//` in front of it"),
        (
            "url",
            "leave out the prefix `URL:` of the RFC's Appendix, which is not part of a URL, or let `fix` remove it",
        ),
    ],
)
def test_an_unknown_name_comes_with_one_hint(bare, registration, name, hint):
    bare.register(registration("x-album"))
    with pytest.raises(UnknownScheme) as caught:
        bare.parse(f"{name}:a")
    assert caught.value.message == f"no scheme is registered as '{name.lower()}'"
    assert caught.value.hint == hint


def test_a_misspelt_name_of_another_ledger_is_suggested(bare):
    add_ledger(bare, KnownName("x-things"))
    assert message(bare, "x-thigns") == "no scheme is registered as 'x-thigns'; did you mean x-things?"
    assert message(bare, "nothing-like-it") == "no scheme is registered as 'nothing-like-it'"


def test_the_message_is_safe_to_print_and_survives_pickling(bare):
    with pytest.raises(UnknownScheme) as caught:
        bare["x-\x1b[31m"]
    carried = pickle.loads(pickle.dumps(caught.value))
    assert str(carried) == str(caught.value) == r"no scheme is registered as 'x-\x1b[31m'"
    for error in (carried, caught.value):
        assert (error.code, error.scheme, isinstance(error, LookupError)) == ("unknown-scheme", "x-\x1b[31m", True)
