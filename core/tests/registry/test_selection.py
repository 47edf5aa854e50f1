"""Which claims count: conflicts, pins, reserved names, and what the user switched off."""

from __future__ import annotations

import pytest

from urlschemes.errors import PluginError
from urlschemes.registry.claims import GROUPS, HOOKS, SCHEMES, SPECIFICATIONS, Claim, installed_list, locations
from urlschemes.registry.names import KnownName
from urlschemes.registry.selection import Rules, select

TALES = "urlschemes.tales"  # a group that no distribution of this project uses


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
    monkeypatch.setattr("urlschemes.registry.selection.known_names", lambda: names)


# Hooks


def test_a_claim_for_a_hook_that_no_distribution_specifies_is_malformed():
    hooks = [claim(name, "house", HOOKS) for name in ("ledger", "veto", "vetoes")]
    assert [each.state for each in select(hooks, Rules()).claims] == ["active", "malformed", "malformed"]
    selection = select([*hooks, claim("veto", "access", SPECIFICATIONS)], Rules())
    assert [(each.name, each.state) for each in selection.claims] == [
        ("ledger", "active"),
        ("veto", "active"),
        ("vetoes", "malformed"),
    ]
    assert selection.claims[2].reason == "there is no hook 'vetoes'; the hooks are: ledger, veto"
    assert selection.hooks == {("ledger", "urlschemes.registry.hooks"), ("veto", "package")}


def test_a_hook_is_not_specified_by_a_claim_that_does_not_count():
    specified = claim("veto", "access", SPECIFICATIONS, state="ignored")
    assert states(claim("veto", "house", HOOKS), specified) == ["malformed"]
    assert states(claim("vetoes", "house", HOOKS), disabled={"a list": ["house"]}) == ["disabled"]


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
        "x-a is pinned to two, which does not claim the name; claimed by: one (scheme)"
    )
    assert refusal(one, two, pins={"x-c": "two"}) == (
        "x-c is pinned to two, which does not claim the name; installed: one, two"
    )


def test_a_pin_counts_in_each_group_in_which_the_distribution_claims_the_name():
    schemes = claim("x-a", "one"), claim("x-a", "two")
    tales = claim("x-a", "one", TALES), claim("x-a", "three", TALES), claim("tales", "teller", GROUPS)
    assert states(*schemes, *tales, pins={"x-a": "three"}) == ["conflict", "conflict", "shadowed", "active"]
    assert states(*schemes, *tales, pins={"x-a": "one"}) == ["active", "shadowed", "active", "shadowed"]


def test_any_number_of_distributions_may_implement_one_hook():
    assert states(claim("ledger", "one", HOOKS), claim("ledger", "two", HOOKS)) == ["active", "active"]


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
        "x-mine is pinned to evil, but the name is reserved for urlschemes-x-mine; "
        "remove the pin: a reserved name has one provider"
    )


@pytest.mark.usefixtures("reserved")
def test_a_name_of_the_ledger_without_a_distribution_is_open():
    assert states(claim("x-open", "anybody")) == ["active"]


@pytest.mark.plugin_fault(9)
def test_a_program_reserves_names_in_the_groups_that_it_uses():
    tales = claim("x-a", "stranger", TALES), claim("x-a", "Our.Tales", TALES), claim("x-b", "stranger", TALES)
    reserved = {TALES: {"x-a": "our-tales"}}
    assert states(*tales, reserved=reserved) == ["reserved", "active", "active"]
    message = refusal(*tales, reserved=reserved, pins={"x-a": "stranger"})
    assert "the name is reserved for our-tales" in message


def test_no_program_reserves_names_in_the_groups_of_the_core():
    assert states(claim("x-a", "one"), reserved={SCHEMES: {"x-a": "two"}}) == ["active"]


# Groups


def test_a_claim_is_unused_unless_a_distribution_uses_its_group():
    tale, user = claim("x-a", "one", TALES), claim("tales", "teller", GROUPS)
    (unused,) = select([tale], Rules()).claims
    assert (unused.state, unused.reason) == ("unused", "no installed distribution uses the group urlschemes.tales")
    assert states(tale, user) == ["active"]
    assert states(tale, user._replace(state="ignored")) == ["unused"]
    # Who uses a group is no plugin: nothing switches it off.
    assert states(tale, user, allowed={"the list": ["one"]}) == ["active"]
    assert "installed: one" in refusal(tale, user, allowed={"the list": ["teller"]})


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
        ({"allowed": {"the list": []}}, "the list switches all plugins off"),
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
