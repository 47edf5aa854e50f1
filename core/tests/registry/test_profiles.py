"""Profiles: how a registry finds one, and which schemes it has then."""

import pickle
import re
import sys

import pytest

from urlschemes import Registry, UnknownScheme, default_registry
from urlschemes.errors import PluginContractError, PluginError
from urlschemes.registry import registry as registry_module
from urlschemes.registry.names import how_to_install
from urlschemes.rfc1738 import RFC1738
from urlschemes.url.algorithms import algorithms_of

PROFILE = """\
from urlschemes.grammar.profile import Profile
from urlschemes.rfc1738 import RFC1738

fields = {name: getattr(RFC1738, name) for name in Profile.__annotations__}
fields |= {"name": "later", "record": "registration.later.toml", "module": "later", "document": "D"}
fields["package"] = __name__
profile = Profile(**fields)
"""
RULES = """\
scheme     = 1*lowalpha
lowalpha   = %x61-7A
unreserved = lowalpha | %x41-5A | "-"
reserved   = ":"
uchar      = lowalpha
escape     = "%" lowalpha lowalpha
"""
CODE = """\
from urlschemes import URL, Registration, Scheme, text_part
from urlschemes.url.algorithms import algorithms_of
from x_later import profile

registration = Registration.of(__package__, profile)

class LaterURL(URL, registration=registration):
    word: str = text_part()

scheme = Scheme(registration, LaterURL)
"""
FIRST = "from urlschemes import Registration, Scheme\nscheme = Scheme(Registration.of(__name__))\n"


@pytest.fixture
def site(install, record, monkeypatch):
    """A profile, a scheme with a record of it and code, one with a record alone, and one that has neither."""
    files = {
        "x_later/__init__.py": PROFILE,
        "x_later/rfc1738.bnf": RULES,
        "x_later/algorithms.py": "from urlschemes.rfc1738.algorithms import *\n",
        "x_other/__init__.py": "from x_later import profile\nwrong = 1\n",
    }
    groups = "[urlschemes.profiles]\nlater = x_later:profile\nrenamed = x_later:profile\nwrong = x_other:wrong\n"
    install("x-later", groups, files)
    for name, more in {
        "x_code": {"x_code/registration.later.toml": record("x-code"), "x_code/later.py": CODE},
        "x_record": {"x_record/registration.later.toml": record("x-record")},
        "x_first": {},
        "x_wrong": {
            "x_wrong/registration.later.toml": record("x-wrong"),
            "x_wrong/later.py": "from x_wrong import *\n",
        },
    }.items():
        scheme = name.replace("_", "-")
        base = {f"{name}/__init__.py": FIRST, f"{name}/registration.toml": record(scheme)}
        folder = install(scheme, f"{scheme} = {name}:scheme", base | more)
    monkeypatch.syspath_prepend(folder)
    return folder


def test_the_profile_decides_which_record_and_which_code_count(site):
    registry = Registry(profile="later")
    assert registry.profile.name == "later"
    assert {"x-code", "x-record"} <= {*registry}
    url = registry.parse("x-code:yes")
    assert (type(url).__name__, type(url).__module__, url.syntax.profile) == (
        "LaterURL",
        "x_code.later",
        registry.profile,
    )
    assert registry.parse("x-record:yes").parts == {"word": "yes"}
    assert not registry.is_valid("x-code:yes%41")
    assert Registry().is_valid("x-code:yes%41")
    assert Registry().parse("x-code:yes") != url


def test_a_scheme_without_a_record_of_the_profile_is_unknown(site):
    registry = Registry(profile="later")
    assert "x-first" not in registry
    with pytest.raises(UnknownScheme, match=r"x-first 1.0 is unused: it has no record of the profile later"):
        registry.parse("x-first:yes")
    assert registry.why("x-first").provider is None
    assert {each.claim.state for each in registry.diagnose() if each.claim.name == "x-first"} == {"unused"}


def test_code_for_another_profile_breaks_the_contract(site):
    registry = Registry(profile="later")
    with pytest.raises(PluginContractError, match=r"x-wrong 1.0, .* it provides a scheme of rfc1738"):
        registry.parse("x-wrong:yes")


def test_a_profile_is_an_object_or_the_name_of_an_installed_one(site):
    registry = Registry(profile="later")
    assert Registry(profile=registry.profile).profile is registry.profile
    assert Registry(profile="rfc1738").profile is RFC1738 is Registry().profile
    with pytest.raises(PluginError, match="the profile never is not installed; installed profiles: rfc1738, later,"):
        Registry(profile="never")
    for wrong in ("Later", "latter"):
        with pytest.raises(PluginError, match=f"the profile {wrong} is not installed; did you mean later"):
            Registry(profile=wrong)
    with pytest.raises(PluginError, match="the profile  is not installed; installed profiles: "):
        Registry(profile="")
    for wrong in (None, 3986, b"rfc3986", ["later"]):
        with pytest.raises(TypeError, match="profile must be a Profile or "):
            Registry(profile=wrong)
    with pytest.raises(PluginError, match=r"the profile later is disabled: Registry\(disable=...\) names x-later; ins"):
        Registry(profile="later", disable=["x-later"])
    for name in ("wrong", "renamed"):
        with pytest.raises(PluginContractError, match=f"^x-later 1.0, which provides {name}, .*: it provides "):
            Registry(profile=name)


def test_a_well_known_profile_that_is_missing_is_named_with_its_distribution(site, monkeypatch):
    monkeypatch.setattr(sys, "path", [str(site)])
    with pytest.raises(
        PluginError, match=f"the profile rfc3986 is not installed; {re.escape(how_to_install('urlschemes-rfc3986'))}"
    ):
        Registry(profile="rfc3986")


def test_a_registry_and_a_profile_are_pickled_by_reference(site):
    registry = Registry(profile="later")
    assert pickle.loads(pickle.dumps(registry.profile)) is registry.profile
    assert pickle.loads(pickle.dumps(registry)).profile is registry.profile


@pytest.mark.parametrize("is_known", [True, False])
def test_a_type_made_from_a_record_is_restored_by_name_else_as_a_generic_one(site, monkeypatch, is_known):
    url = Registry(profile="later").parse("x-record:yes")
    pickled, generic = pickle.dumps(url), algorithms_of(url.syntax.profile).url_type
    monkeypatch.setattr(registry_module, "default_registry", Registry(disable=() if is_known else ["x-record"]))
    restored = pickle.loads(pickled)
    assert (type(restored) is generic, str(restored)) == (not is_known, "x-record:yes")


def test_a_registry_in_another_profile_has_the_same_plugins(site):
    later = Registry(disable=["x-record"]).in_profile("later")
    assert later.profile.name == "later"
    assert "x-code" in later
    assert "x-record" not in later
    assert later.in_profile(RFC1738).profile is RFC1738
    assert later.in_profile(later.profile) is later is later.in_profile("later")
    assert later.in_profile("rfc1738") is later.in_profile(RFC1738)
    assert Registry(disable=["x-later"]).in_profile(later.profile).profile is later.profile
    with pytest.raises(PluginError, match="the profile later is disabled"):
        Registry(disable=["x-later"]).in_profile("later")


def test_a_list_of_the_plugins_that_may_take_part_does_not_concern_the_profile(site, monkeypatch):
    assert {*Registry(["x-code"], profile="later")} == {*Registry(["x-code"]).in_profile("later")} == {"x-code"}
    monkeypatch.setenv("URLSCHEMES_PLUGINS", "none")
    assert repr(Registry(profile="later").keys()) == "()"


def test_the_default_registry_in_a_profile_is_pickled_by_name(site):
    registry = default_registry.in_profile(Registry(profile="later").profile)
    assert pickle.loads(pickle.dumps(registry)) is registry
    assert pickle.loads(pickle.dumps(registry.parse)) == registry.parse


def test_a_program_registers_schemes_of_the_profile_only(site, registration):
    registry = Registry(profile="later")
    with pytest.raises(PluginContractError, match="the scheme x-own is of the profile rfc1738, the registry of later"):
        registry.register(registration("x-own"))


def test_a_scheme_with_a_later_record_alone_is_unknown_by_default_and_not_broken(site, install, record):
    install("x-only", "x-only = x_only", {"x_only/__init__.py": "", "x_only/registration.later.toml": record("x-only")})
    assert Registry(profile="later").parse("x-only:yes").parts == {"word": "yes"}
    for _ in range(2):  # from discovery, and from its cache
        registry = Registry(require=["x-only"])
        assert "x-only" not in registry
        with pytest.raises(UnknownScheme, match=r"no record of the profile rfc1738, only registration.later.toml; Reg"):
            registry.parse("x-only:yes")
        assert [each.claim.state for each in registry.diagnose(load=True) if each.claim.name == "x-only"] == ["unused"]
    assert {each.name for each in Registry(disable=["x-only"]).claims() if each.state == "disabled"} == {"x-only"}
