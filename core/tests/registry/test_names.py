"""Ledgers; the error for a name that no plugin provides; and who provides a name, and why."""

from __future__ import annotations

import pickle
import sys
from types import SimpleNamespace

import pytest

from urlschemes import Registry
from urlschemes.errors import PluginConflict, PluginError, UnknownScheme
from urlschemes.registry.claims import Claim
from urlschemes.registry.hooks import hookimpl
from urlschemes.registry.names import (
    KnownName,
    Ledger,
    Names,
    attribution,
    core_ledger,
    how_to_install,
    known_names,
    merged,
    reserved_names,
)

OPEN = sorted(name for name, known in known_names().items() if not known.distribution)
LOOK_IT_UP = f"to look up the names that IANA has registered, {how_to_install(reserved_names().iana)}"
DEFINE_IT = "`parse_generic` reads any scheme; Registry(records=...) reads its record"
OF_SECTION_4 = {"afs", "mid", "cid", "nfs", "tn3270", "mailserver", "z39.50"}
"""The names that section 4 reserves without defining them."""


@pytest.fixture
def known(monkeypatch) -> dict[str, KnownName]:
    """The content of the core's own ledger, empty at first."""
    names: dict[str, KnownName] = {}
    monkeypatch.setattr("urlschemes.registry.names.known_names", lambda: names)
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
    return Names(lambda: (), lambda: ()).no_provider("x-a", tuple(claims))


# Ledgers


def ledger(*names: KnownName, title: str = "the register of things", date: str = "2024-04-22") -> Ledger:
    return Ledger(title, "https://host.example/register", date, names)


@pytest.mark.rfc1738(145)
def test_the_core_ledger_holds_the_names_of_the_rfc():
    names = known_names()
    assert len(names) == 18
    assert {name for name, known in names.items() if not known.distribution} == OF_SECTION_4
    for name, known in names.items():
        assert known.name == name
        assert known.distribution in {"", f"urlschemes-{name}"}
        assert known.means
        assert known.since
        assert known.status in {"permanent", "provisional", "historical"}
        assert known.reference.startswith("RFC ")
    assert core_ledger().problem() is None
    assert core_ledger().names == tuple(names.values())


@pytest.mark.parametrize(
    ("distribution", "extra", "folder", "command"),
    [
        ("urlschemes-gopher", "", "plugins/schemes/gopher", "pip install urlschemes-gopher"),
        ("urlschemes-iana", "", "plugins/extensions/iana", "pip install urlschemes-iana"),
        ("urlschemes-iana", "cli", "plugins/extensions/iana[cli]", 'pip install "urlschemes-iana[cli]"'),
    ],
)
def test_pip_is_advised_only_once_names_are_published(monkeypatch, distribution, extra, folder, command):
    for published, hint in (
        (
            False,
            f"install urlschemes-{folder.rpartition('/')[2]} as you installed urlschemes (in a checkout: {folder})",
        ),
        (True, command),
    ):
        reserved = reserved_names()._replace(published=published)
        monkeypatch.setattr("urlschemes.registry.names.reserved_names", lambda reserved=reserved: reserved)
        assert how_to_install(distribution, extra) == hint


def test_other_ledgers_say_who_provides_a_name_as_their_word():
    first, second = ledger(KnownName("x-a")), ledger(KnownName("x-a", distribution="things"), title="mine")
    assert attribution("x-a", [first, second]) == "according to mine, things provides it"
    assert attribution("x-a", [first]) is None
    assert attribution("x-b", [second]) is None


def test_of_several_ledgers_the_first_that_fills_a_field_takes_precedence():
    first = ledger(KnownName("x-b", means="one"), KnownName("x-a"))
    second = ledger(KnownName("x-b", means="two", reference="RFC 0"), KnownName("x-c"))
    found = merged((first, second))
    assert list(found) == ["x-a", "x-b", "x-c"]
    assert found["x-b"] == KnownName("x-b", means="one", reference="RFC 0")


@pytest.mark.parametrize("date", ["", "1994", "1994-12", "1994-12-20"])
def test_a_ledger_of_distinct_scheme_names_has_no_problem(date):
    assert ledger(KnownName("x-a"), KnownName("z39.50"), date=date).problem() is None


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        (ledger(date="yesterday"), "has the date 'yesterday'"),
        (ledger()._replace(date=None), "has a title, a source or a date that is not a str"),
        (ledger()._replace(title=7), "has a title, a source or a date that is not a str"),
        (ledger()._replace(names=None), "is not a tuple of at most 20000 names"),
        (ledger()._replace(names=[KnownName("x-a")]), "is not a tuple of at most 20000 names"),
        (ledger(*[KnownName("x-a")] * 20_001), "is not a tuple of at most 20000 names"),
        (ledger("x-a"), "holds 'x-a', which is not a KnownName of strings"),
        (
            ledger(KnownName("x-a", None)),
            (
                "holds KnownName(name='x-a', means=None, reference='', since='', distribution='', status='', "
                "no_syntax=''), which is not a KnownName of strings"
            ),
        ),
        (ledger(KnownName("X-A")), "holds 'X-A', which is not a scheme name"),
        (ledger(KnownName("")), "holds '', which is not a scheme name"),
        (ledger(KnownName("x-a", distribution="a; rm b")), "holds x-a with the distribution 'a; rm b'"),
        (ledger(KnownName("x-a"), KnownName("x-a")), "holds x-a twice"),
    ],
)
def test_the_problem_of_a_ledger_is_described(wrong, problem):
    assert wrong.problem() == problem


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
    monkeypatch.setattr(sys, "path", [str(install("anybody-e", f"{name} = anybody_e:scheme"))])
    assert Registry().provider(name) == "anybody-e 1.0"


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
        ("asf", "did you mean afs?"),
        ("newss", "did you mean news?"),
        ("x-albums", None),  # a scheme of its own, as are those over TLS
        ("sx-album", LOOK_IT_UP),
        ("git+x-album", LOOK_IT_UP),
        ("nothing-like-it", LOOK_IT_UP),
        ("x-albu" + "m" * 15, None),
        ("c", "if this is a drive letter, the text is the path of a file, not a URL"),
        (
            "host.dom",
            "if this is a host, write the name of the scheme, a colon and `//` before it, and `/` before a path",
        ),
        ("url", "leave out the prefix `URL:` of RFC 1738's appendix, which is not part of a URL"),
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


# Why


def test_why_prints_the_provider_the_rule_the_claims_and_the_choices(plugin, monkeypatch):
    site = plugin("x-why-f", code=None)
    monkeypatch.syspath_prepend(site)
    assert str(Registry(["x-why-f"]).why("X-Why-F")) == (
        "x-why-f: x-why-f 1.0\n"
        "  because no other distribution claims the name\n"
        f"  claim: x-why-f: x-why-f 1.0 [active] x_why_f in {site}\n"
        "  to choose otherwise: override(scheme), or switch it off: URLSCHEMES_DISABLE=x-why-f"
    )


def test_why_explains_conflicts_and_pins(plugin, monkeypatch):
    one = plugin("x-two-c", code=None, distribution="first-c")
    two = plugin("x-two-c", code=None, distribution="Second_C", site="other")
    monkeypatch.setattr(sys, "path", [*map(str, (one, two)), *sys.path])
    why = Registry().why("x-two-c")
    assert (why.provider, sorted(why.pins), why.switch) == (None, ["Second_C", "first-c"], None)
    assert why.rule.startswith("several distributions claim the scheme x-two-c, so none is used: ")
    assert why.advice == "choose one: Registry(pins={'x-two-c': 'Second_C'}), or uninstall the other"
    why = Registry(pins={"X-Two-C": "second.c"}).why("x-two-c")
    assert (why.provider, why.rule) == ("Second_C 1.0", "the name is pinned to it")
    assert (why.pins, why.switch) == (("first-c",), "x-two-c")
    assert why.advice == (
        "pin another: Registry(pins={'x-two-c': 'first-c'}), override(scheme), "
        "or switch it off: URLSCHEMES_DISABLE=x-two-c"
    )


def test_why_names_the_rule_by_which_one_of_several_claims_counts(plugin, install, monkeypatch):
    names = {"x-mine-d": KnownName("x-mine-d", distribution="urlschemes-x-mine-d")}
    monkeypatch.setattr("urlschemes.registry.selection.known_names", lambda: names)
    install("evil-d", "x-mine-d = evil_d:scheme\nx-other-d = evil_d")
    plugin("x-mine-d", code=None, distribution="Urlschemes_X_Mine-D")
    monkeypatch.syspath_prepend(plugin("x-other-d", code=None))
    assert Registry().why("x-mine-d").rule == "the name is reserved for it"
    assert Registry(disable=["evil-d"]).why("x-other-d").rule == "the other claims do not count"


def test_why_reads_the_record_and_breaks_nothing(plugin, monkeypatch):
    monkeypatch.syspath_prepend(plugin("x-titled", record=lambda text: text.replace("title = ", "titel = ")))
    registry = Registry()
    why = registry.why("x-titled")
    assert why.provider is None
    assert [claim.state for claim in why.claims] == ["broken"]
    assert "unknown field titel" in why.rule
    assert why.advice == (
        "did you mean title? URLSCHEMES_DISABLE=x-titled switches it off, `pip uninstall x-titled` removes it"
    )
    assert [claim.state for claim in registry.claims() if claim.name == "x-titled"] == ["active"]


def test_why_names_a_broken_plugin_once_a_line_and_does_not_tell_to_install_it(plugin, monkeypatch):
    names = {"x-gone-h": KnownName("x-gone-h", distribution="urlschemes-x-gone-h")}
    monkeypatch.setattr("urlschemes.registry.names.known_names", lambda: names)
    code, distribution = "import a_missing_module", "urlschemes-x-gone-h"
    monkeypatch.syspath_prepend(plugin("x-gone-h", code, distribution=distribution))
    registry = Registry()
    with pytest.raises(PluginError):
        registry["x-gone-h"]
    why = registry.why("x-gone-h")
    assert why.provider is None
    assert [line for line in str(why).splitlines() if line.count(f"{distribution} 1.0") > 1] == []
    assert why.rule.endswith(" is broken: cannot be imported: ModuleNotFoundError: No module named 'a_missing_module'")
    assert why.advice == f"URLSCHEMES_DISABLE=x-gone-h switches it off, `pip uninstall {distribution}` removes it"


def test_why_answers_for_any_name():
    why = Registry().why("x-nothing")
    assert (why.provider, why.rule) == (None, "no scheme is registered as 'x-nothing'")
    assert why.advice == "install a distribution that provides it, or make one with `urlschemes new`"


def test_what_the_program_registers_or_overrides_is_its_own(plugin, registration, monkeypatch):
    monkeypatch.syspath_prepend(plugin("x-own-e", code=None))
    registry = Registry(["x-own-e"])
    registry.register(registration("x-own-e"), replace=True)
    why = registry.why("x-own-e")
    assert (why.provider, why.rule) == ("this program", "register(scheme) was called")
    assert why.advice == "unregister('x-own-e')"
    assert [(each.state, each.reason) for each in why.claims] == [
        ("shadowed", "the program registered a scheme of that name itself")
    ]
    with registry.override(registration("x-own-e")):
        why = registry.why("x-own-e")
        assert (why.rule, why.advice) == ("override(scheme) is in effect", "leave its `with` block")
        installed, own = (each for each in registry.diagnose() if each.claim.name == "x-own-e")
        assert (installed.claim.state, own.claim.state) == ("shadowed", "active")
        assert (own.claim.distribution, own.claim.reason) == ("(this program)", "override(scheme) is in effect")
