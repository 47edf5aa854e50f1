"""Which claims count: conflicts, pins, reserved names, and what the user switched off."""

from __future__ import annotations

import pytest

from urlschemes.errors import ConfigurationError, PluginError
from urlschemes.registry import known_names as known_names_module
from urlschemes.registry.claim_selection import Rules, installed_list, locations, select
from urlschemes.registry.claims import COMMANDS, DEMOS, HOOKS, SCHEMES, Claim
from urlschemes.registry.known_names import KnownName, reserved_names
from urlschemes.storage.config_file import ConfigTable


def claim(name: str, distribution: str, group: str = SCHEMES, **fields) -> Claim:
    return Claim(name, distribution, "1.0", f"/{distribution}", "package", group=group, **fields)


def states(*claims: Claim, **rules) -> list[str]:
    """Return the states in which the claims are selected, in their order."""
    return [each.state for each in select(claims, Rules(**rules)).claims]


def refusal(*claims: Claim, **rules) -> str:
    with pytest.raises(PluginError) as caught:
        select(claims, Rules(**rules))
    return str(caught.value)


@pytest.fixture
def reserved(monkeypatch) -> None:
    """A ledger of its own, which reserves x-mine."""
    names = {"x-mine": KnownName("x-mine", distribution="urlschemes-x-mine"), "x-open": KnownName("x-open")}
    monkeypatch.setattr("urlschemes.registry.claim_selection.known_names", lambda: names)


# Conflicts and pins


@pytest.mark.plugin_fault(11)
def test_two_claims_for_one_name_are_a_conflict_in_any_order():
    one, two = claim("x-a", "one"), claim("x-a", "two")
    for claims in ((one, two), (two, one)):
        selection = select(claims, Rules())
        assert [each.state for each in selection.claims] == ["conflict", "conflict"]
        assert selection.chosen == {}
    assert select((one, two), Rules()).claims[0].reason == "also claimed by two 1.0 in /two"


@pytest.mark.plugin_fault(11)
def test_a_pin_chooses_one_provider_by_any_spelling_of_its_name():
    one, two = claim("x-a", "first"), claim("x-a", "Second_C")
    selection = select((one, two), Rules(pins={"x-a": "second.c"}))
    assert [each.state for each in selection.claims] == ["shadowed", "active"]
    assert selection.claims[0].reason == "the name is pinned to second.c"
    assert selection.chosen == {"x-a": two}


def test_a_pin_must_name_a_distribution_that_claims_the_name():
    one, two = claim("x-a", "one"), claim("x-b", "two")
    assert refusal(one, two, pins={"x-a": "two"}) == (
        "the pin of x-a names two, which does not claim it; claimed by: one"
    )
    assert refusal(one, two, pins={"x-c": "two"}) == (
        "the pin of x-c names two, which does not claim it; installed: one, two"
    )


def test_a_pin_counts_in_each_group_in_which_the_distribution_claims_the_name():
    schemes = claim("x-a", "one"), claim("x-a", "two")
    demos = claim("x-a", "one", DEMOS), claim("x-a", "three", DEMOS)
    assert states(*schemes, *demos, pins={"x-a": "three"}) == ["conflict", "conflict", "shadowed", "active"]
    assert states(*schemes, *demos, pins={"x-a": "one"}) == ["active", "shadowed", "active", "shadowed"]


def test_any_number_of_distributions_may_implement_one_hook():
    assert states(claim("veto", "one", HOOKS), claim("veto", "two", HOOKS)) == ["active", "active"]


def test_a_conflict_of_many_lists_a_few():
    crowd = [claim("x-a", f"crowd-{number}") for number in range(300)]
    reason = select(crowd, Rules()).claims[150].reason
    listed = "crowd-0 1.0 in /crowd-0; crowd-1 1.0 in /crowd-1; crowd-2 1.0 in /crowd-2"
    assert reason == f"also claimed by {listed}; 296 more"
    assert locations(crowd[:3]) == listed


# Reserved names


@pytest.mark.plugin_fault(9)
@pytest.mark.usefixtures("reserved")
def test_a_reserved_scheme_has_one_provider():
    assert states(claim("x-mine", "evil"), claim("x-mine", "Urlschemes_X_Mine")) == ["reserved", "active"]
    assert select([claim("x-mine", "evil")], Rules()).claims[0].reason == "the name is reserved for urlschemes-x-mine"
    assert refusal(claim("x-mine", "evil"), pins={"x-mine": "evil"}) == (
        "the pin of x-mine names evil, but the name is reserved for urlschemes-x-mine; "
        "remove the pin: a reserved name has one provider"
    )


@pytest.mark.usefixtures("reserved")
def test_a_name_of_the_ledger_without_a_distribution_is_open():
    assert states(claim("x-open", "anybody")) == ["active"]


@pytest.mark.parametrize("name", sorted(reserved_names().commands))
def test_a_reserved_command_has_one_provider(name):
    owner = reserved_names().commands[name]
    assert states(claim(name, "stranger", COMMANDS), claim(name, owner, COMMANDS)) == ["reserved", "active"]


@pytest.mark.plugin_fault(9)
@pytest.mark.parametrize("name", sorted(reserved_names().built_in_commands))
def test_no_plugin_takes_a_built_in_command(name):
    assert states(claim(name, f"urlschemes-{name}", COMMANDS)) == ["reserved"]


@pytest.mark.usefixtures("reserved")
def test_the_provider_of_a_scheme_demonstrates_it_itself():
    servers = reserved_names().demonstrator
    demos = claim("x-a", "stranger", DEMOS), claim("x-a", "one", DEMOS), claim("x-a", servers, DEMOS)
    assert states(claim("x-a", "one"), *demos) == ["active", "shadowed", "active", "shadowed"]
    assert states(*demos) == ["conflict", "conflict", "conflict"]


@pytest.mark.usefixtures("reserved")
def test_a_reserved_scheme_is_demonstrated_by_the_reserved_demonstrator():
    servers = reserved_names().demonstrator
    assert states(claim("x-mine", "stranger", DEMOS), claim("x-mine", servers, DEMOS)) == ["shadowed", "active"]


def test_the_reserved_names_are_those_of_the_data_file():
    reserved = reserved_names()
    assert reserved.iana == known_names_module.reserved_names().commands["iana"]
    assert {*reserved.commands}.isdisjoint(reserved.built_in_commands)


# Switches


@pytest.mark.plugin_fault(33)
@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ({}, ["active", "active", "active"]),
        ({"allowed": {"the list": []}}, ["disabled", "disabled", "disabled"]),
        ({"allowed": {"the list": ["ONE_K"]}}, ["active", "active", "disabled"]),
        ({"allowed": {"the list": ["one-k", "two-k"], "other": ["two-k"]}}, ["disabled", "disabled", "active"]),
        ({"disabled": {"the list": ["X-One"]}}, ["disabled", "active", "active"]),
        ({"disabled": {"the list": ["One.K"]}}, ["disabled", "disabled", "active"]),
        ({"disabled": {"the list": ["x-one"], "other": ["two-k"]}}, ["disabled", "active", "disabled"]),
    ],
)
def test_lists_switch_off_schemes_and_distributions(rules, expected):
    claims = claim("x-one", "one-k"), claim("x-also", "one-k"), claim("x-two", "two-k")
    assert states(*claims, **rules) == expected


@pytest.mark.parametrize(
    ("variable", "value", "expected"),
    [
        ("URLSCHEMES_PLUGINS", "none", ["disabled", "disabled"]),
        ("URLSCHEMES_PLUGINS", " NONE ", ["disabled", "disabled"]),
        ("URLSCHEMES_PLUGINS", "two.k", ["disabled", "active"]),
        ("URLSCHEMES_PLUGINS", "one-k, two-k", ["active", "active"]),
        ("URLSCHEMES_PLUGINS", "", ["active", "active"]),
        ("URLSCHEMES_DISABLE", "x-one,,two-k", ["disabled", "disabled"]),
        ("URLSCHEMES_DISABLE", " x-one ", ["disabled", "active"]),
        ("URLSCHEMES_DISABLE", "", ["active", "active"]),
    ],
)
def test_variables_switch_off_schemes_and_distributions(monkeypatch, variable, value, expected):
    monkeypatch.setenv(variable, value)
    assert states(claim("x-one", "one-k"), claim("x-two", "two-k")) == expected


def test_the_reason_names_the_list_and_the_name(monkeypatch):
    one = claim("x-one", "one-k")
    for rules, reason in (
        ({"allowed": {"the list": []}}, "the list does not list one-k"),
        ({"disabled": {"the list": ["x-one"]}}, "the list names x-one"),
    ):
        assert select([one], Rules(**rules)).claims[0].reason == reason


@pytest.mark.plugin_fault(33)
def test_a_list_that_names_no_installed_plugin_is_an_error(monkeypatch):
    one = claim("x-one", "urlschemes-one")
    installed = "installed: urlschemes-one"
    assert refusal(one, allowed={"the list": ["no-h"]}) == (
        f"the list names no-h, which is not an installed plugin; {installed}"
    )
    assert refusal(one, allowed={"the list": ["one"]}) == (
        "the list names one, which is not an installed plugin; did you mean urlschemes-one?"
    )
    assert refusal(one, disabled={"the list": ["x-no"]}) == (
        f"the list names x-no, which is neither an installed plugin nor a scheme of one; {installed}"
    )
    monkeypatch.setenv("URLSCHEMES_PLUGINS", ",")
    assert refusal(one) == "URLSCHEMES_PLUGINS is ',', which names no distribution; `none` switches all off"


def test_a_claim_that_is_ignored_takes_no_part():
    ignored, active = claim("x-a", "one", state="ignored", reason="here"), claim("x-a", "two")
    assert states(ignored, active) == ["ignored", "active"]
    assert installed_list([ignored, active]) == "installed: two"
    assert "not an installed plugin" in refusal(ignored, allowed={"the list": ["one"]})


def test_a_malformed_claim_can_be_switched_off():
    malformed = claim("", "one", state="malformed", reason="no Name")
    assert states(malformed, claim("x-a", "two")) == ["malformed", "active"]
    assert states(malformed, disabled={"the list": ["one"]}) == ["disabled"]


# The configuration


def test_rules_are_read_from_a_table():
    table = ConfigTable("registry", {"plugins": ["a"], "disable": ["b"], "pins": {"x-a": "c"}}, "k.toml")
    assert Rules.from_table(table) == Rules(
        {"registry.plugins of k.toml": ("a",)}, {"registry.disable of k.toml": ("b",)}, {"x-a": "c"}
    )
    assert Rules.from_table(ConfigTable("registry", {}, "k.toml")) == Rules()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"plugin": []}, "k.toml: unknown key registry.plugin"),
        ({"plugins": "a"}, "k.toml: registry.plugins must be a list of strings"),
        ({"pins": {"X-A": "a"}}, "k.toml: registry.pins.X-A must be named after a scheme, in lower case"),
        ({"pins": {"x-a": 7}}, "k.toml: registry.pins.x-a must be a string that is not empty"),
    ],
)
def test_a_table_with_a_mistake_is_refused(content, message):
    with pytest.raises(ConfigurationError) as caught:
        Rules.from_table(ConfigTable("registry", content, "k.toml"))
    assert caught.value.message == message
