"""`why`, `claims` and `diagnose`: who provides a name and why, and the state of every claim."""

from __future__ import annotations

import hashlib
import shutil
import sys
from pathlib import Path

import pytest

from urlschemes import Registry
from urlschemes.errors import PluginError
from urlschemes.registry.claims import HOOKS, Claim
from urlschemes.registry.inspection import Diagnosis
from urlschemes.registry.known_names import KnownName

CODE = "from urlschemes import Registration, Scheme\nscheme = Scheme(Registration.of(__name__))\n"


@pytest.fixture(autouse=True)
def forget_plugins():
    """Remove the plugins that a test imports from `sys.modules`."""
    yield
    for module in [name for name in sys.modules if name.startswith("x_")]:
        del sys.modules[module]


def diagnoses(registry: Registry, *distributions: str, load: bool = False) -> dict[str, Diagnosis]:
    """Return the diagnoses of these distributions by their names."""
    found = {each.claim.distribution: each for each in registry.diagnose(load=load)}
    return {name: found[name] for name in distributions}


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
    monkeypatch.setattr("urlschemes.registry.claim_selection.known_names", lambda: names)
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
    assert "has no title" in why.rule
    assert why.advice == (
        "the field titel is unknown: did you mean title?; "
        "URLSCHEMES_DISABLE=x-titled switches it off, `pip uninstall x-titled` removes it"
    )
    assert [claim.state for claim in registry.claims() if claim.name == "x-titled"] == ["active"]


def test_why_names_a_broken_plugin_once_a_line_and_does_not_tell_to_install_it(plugin, monkeypatch):
    names = {"x-gone-h": KnownName("x-gone-h", distribution="urlschemes-x-gone-h")}
    monkeypatch.setattr("urlschemes.registry.known_names.known_names", lambda: names)
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


# Diagnoses


def test_a_diagnosis_names_the_file_its_hash_and_the_time_of_the_import(plugin, monkeypatch):
    site = plugin("x-code", CODE)
    plugin("x-plain", code=None)
    monkeypatch.syspath_prepend(site)
    registry = Registry()
    for load in (False, True):
        found = diagnoses(registry, "x-code", "x-plain", load=load)
        for name, file in (("x-code", "x_code/__init__.py"), ("x-plain", "x_plain/registration.toml")):
            assert found[name].claim.state == "active"
            assert found[name].file == str(site / file)
            assert found[name].sha256 == hashlib.sha256((site / file).read_bytes()).hexdigest()
            assert (found[name].seconds is not None) == load
            assert not found[name].claim.in_trouble
        assert ("x_code" in sys.modules) == load


def test_what_needs_a_distribution_that_is_not_installed_is_not_imported(install, monkeypatch):
    monkeypatch.syspath_prepend(install("x-teller", "[urlschemes.tales]\nx-tell = nowhere\n"))
    registry = Registry(["x-teller"])

    def states():
        return {each.claim.state for each in registry.diagnose(load=True) if each.claim.distribution == "x-teller"}

    assert states() == {"unused"}
    install("x-reader", "[urlschemes.groups]\ntales = nowhere\n")
    assert states() == {"broken"}


def test_a_diagnosis_finds_files_in_an_archive(plugin, tmp_path, monkeypatch):
    site = plugin("x-packed", CODE)
    plugin("x-simple", code=None)
    archive = shutil.make_archive(str(tmp_path / "packed"), "zip", site)
    monkeypatch.syspath_prepend(archive)
    registry = Registry()
    assert registry.is_valid("x-packed:yes")
    assert registry.is_valid("x-simple:yes")
    found = diagnoses(registry, "x-packed", "x-simple")
    for name, file in (("x-packed", "x_packed/__init__.py"), ("x-simple", "x_simple/registration.toml")):
        assert found[name].file == str(Path(archive) / file)
        assert found[name].sha256 == hashlib.sha256((site / file).read_bytes()).hexdigest()


@pytest.mark.parametrize(
    ("code", "record", "states", "reason"),
    [
        ("raise SystemExit(3)", str, ("active", "broken"), "SystemExit: 3"),
        (CODE, None, ("broken", "broken"), "has no file registration.toml"),
        (CODE, lambda text: text.replace("api = 1", "api = 2"), ("broken", "broken"), "has api = 2: expected 1"),
    ],
)
def test_a_faulty_plugin_is_diagnosed_as_broken(plugin, monkeypatch, code, record, states, reason):
    monkeypatch.syspath_prepend(plugin("x-faulty", code, record))
    registry = Registry()
    found = [diagnoses(registry, "x-faulty", load=load)["x-faulty"] for load in (False, True)]
    assert tuple(each.claim.state for each in found) == states
    assert reason in found[1].claim.reason
    assert found[1].seconds is None
    assert found[1].claim.in_trouble


def test_a_diagnosis_changes_nothing(plugin, install, monkeypatch):
    broken = "raise SystemExit(3)\n"
    install("hooks-m", "[urlschemes]\nobserve = x_hooks_m\n", {"x_hooks_m.py": broken})
    monkeypatch.syspath_prepend(plugin("x-plain", code=None))
    registry = Registry()
    before = registry.claims()
    for load in (False, True):
        state = diagnoses(registry, "hooks-m", load=load)["hooks-m"].claim.state
        assert state == ("broken" if load else "active")
        assert registry.claims() == before
        assert registry.is_valid("x-plain:yes")


def test_a_diagnosis_searches_again_and_the_registry_does_not(plugin, monkeypatch):
    monkeypatch.syspath_prepend(plugin("x-first", code=None))
    registry = Registry()
    assert "x-first" in registry
    plugin("x-second", code=None)
    assert diagnoses(registry, "x-first", "x-second")["x-second"].claim.state == "active"
    assert "x-second" not in registry
    assert "x-second" in Registry()


def test_a_claim_without_a_file_is_diagnosed_too(install, monkeypatch):
    site = install("lost", "[urlschemes]\nveto = x_lost\n")
    monkeypatch.syspath_prepend(site)
    claim = Claim("veto", "lost", "1.0", str(site), "x_lost", group=HOOKS)
    assert diagnoses(Registry(), "lost")["lost"] == Diagnosis(claim)
