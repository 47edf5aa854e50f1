"""The plugins of one registry: each is loaded once, its error is remembered, and it breaks nothing else."""

from __future__ import annotations

import contextlib
import gc
import re
import sys
import threading
import weakref
from itertools import product

import pytest

from urlschemes import Registry, Scheme
from urlschemes.errors import PluginContractError, PluginError, PluginLoadError, PluginRecordError
from urlschemes.registry.claims import Claim, Diagnosis
from urlschemes.registry.plugins import load_object, load_record

SIMPLE = "from urlschemes import Registration, Scheme\nscheme = Scheme(Registration.of(__name__))\n"


def diagnoses(registry: Registry, *distributions: str, load: bool = False) -> dict[str, Diagnosis]:
    """Return the diagnoses of these distributions by their names."""
    found = {each.claim.distribution: each for each in registry.diagnose(load=load)}
    return {name: found[name] for name in distributions}


@pytest.mark.plugin_fault(3)
@pytest.mark.parametrize("kind", ["KeyboardInterrupt", "MemoryError"])
def test_an_interrupted_import_is_tried_again(plugin, monkeypatch, kind):
    code = f"import sys\nif not hasattr(sys, 'tried'):\n    sys.tried = True\n    raise {kind}\n{SIMPLE}"
    monkeypatch.syspath_prepend(plugin("x-stop", code))
    registry = Registry()
    with pytest.raises((KeyboardInterrupt, MemoryError)):
        registry.parse("x-stop:yes")
    del sys.tried  # type: ignore[attr-defined]  # the plugin sets it
    sys.tried = True  # type: ignore[attr-defined]  # as above
    assert [claim.state for claim in registry.claims() if claim.name == "x-stop"] == ["active"]
    assert registry.is_valid("x-stop:yes")
    del sys.tried  # type: ignore[attr-defined]  # as above


def test_a_broken_scheme_leaves_the_others_alone(plugin, monkeypatch):
    plugin("x-good", code=None)
    monkeypatch.syspath_prepend(plugin("x-bad", "raise SystemExit(3)"))
    registry = Registry()
    with pytest.raises(PluginError):
        registry.parse("x-bad:yes")
    assert registry.is_valid("x-good:yes")
    assert "x-bad" in registry
    assert {record.scheme for record in registry.registrations()} >= {"x-bad", "x-good"}


def test_threads_that_need_one_scheme_at_once_get_one_scheme(plugin, monkeypatch):
    monkeypatch.syspath_prepend(plugin("x-shared", f"import time\ntime.sleep(0.05)\n{SIMPLE}"))
    registry = Registry()
    found: list[Scheme] = []
    threads = [threading.Thread(target=lambda: found.append(registry["x-shared"])) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert {id(scheme) for scheme in found} == {id(registry["x-shared"])}


def test_a_remembered_error_keeps_nothing_of_its_caller_alive(plugin, monkeypatch):
    monkeypatch.syspath_prepend(plugin("x-leak", "raise RuntimeError"))
    registry = Registry()

    class Secret:
        pass

    def use() -> weakref.ref[Secret]:
        secret = Secret()
        with contextlib.suppress(PluginLoadError):
            registry["x-leak"]
        return weakref.ref(secret)

    reference = use()
    gc.collect()
    assert reference() is None


def test_only_an_active_claim_is_loaded(plugin, monkeypatch):
    monkeypatch.syspath_prepend(plugin("x-off-n", code="raise SystemExit(3)"))
    registry = Registry(disable=["x-off-n"])
    (claim,) = (claim for claim in registry.claims() if claim.name == "x-off-n")
    for given, reason in (
        (claim, "is disabled: Registry(disable=...) names x-off-n"),
        (claim._replace(state="active", reason=""), "is not one of this registry"),
    ):
        with pytest.raises(PluginError) as caught:
            registry.load(given)
        assert str(caught.value) == f"the claim of x-off-n 1.0 for x-off-n {reason}"
    assert "x_off_n" not in sys.modules


@pytest.mark.plugin_fault(34)
def test_a_required_plugin_must_take_part(install, monkeypatch):
    monkeypatch.syspath_prepend(install("one-i", "x-one-i = one_i"))
    assert "x-one-i" in Registry(require=["One.I"])
    with pytest.raises(PluginError, match=r"^the required plugin two-i is not installed; installed: .*one-i"):
        Registry(require=["one-i", "two-i"])
    with pytest.raises(PluginError) as caught:
        Registry(plugins=(), require=["one-i"])
    assert caught.value.message == (
        "the required plugin one-i is disabled: Registry(plugins=...) switches all plugins off"
    )


@pytest.fixture
def failure(plugin, monkeypatch):
    """Install a plugin, and return the error of the first URL of its scheme, and the registry."""

    def fail(name: str, *arguments, **options) -> tuple[PluginError, Registry]:
        monkeypatch.syspath_prepend(plugin(name, *arguments, version="2.5", **options))
        registry = Registry()
        with pytest.raises(PluginError) as caught:
            registry.parse(f"{name}:yes")
        with pytest.raises(type(caught.value)) as again:
            registry.parse(f"{name}:yes")
        assert str(again.value) == str(caught.value)
        assert str(caught.value).isascii()
        assert str(caught.value).isprintable()
        assert caught.value.distribution == f"{name} 2.5"
        assert caught.value.scheme == name
        (claim,) = (claim for claim in registry.claims() if claim.name == name)
        assert claim.state == "broken"
        assert caught.value.message == f"{name} 2.5, which provides {name}, {claim.reason}"
        return caught.value, registry

    return fail


# Imports that fail


@pytest.mark.plugin_fault(1, 2, 4)
@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import a_missing_module", "ModuleNotFoundError: No module named 'a_missing_module'"),
        ("raise SystemExit(7)", "SystemExit: 7"),
        ("raise SystemExit", "SystemExit"),
        ("raise AssertionError('no')", "AssertionError: no"),
        ("def deep(): deep()\ndeep()", "RecursionError: maximum recursion depth exceeded"),
        ("def :", "SyntaxError: invalid syntax"),
        ("raise ValueError('a\\x00b\\nc')", "ValueError: a\\x00b\\x0ac"),
        ("raise ValueError('\\x1b[31m ftp://u:secret@h/')", "ValueError: \\x1b[31m ftp://u:***@h/"),
    ],
)
def test_an_import_that_fails_is_a_load_error(failure, code, reason):
    error, _ = failure("x-fails", code)
    assert type(error) is PluginLoadError
    assert error.message.startswith(f"x-fails 2.5, which provides x-fails, cannot be imported: {reason}")
    assert error.hint == "URLSCHEMES_DISABLE=x-fails switches it off, `pip uninstall x-fails` removes it"


def test_a_package_that_is_missing_is_a_load_error(install, monkeypatch):
    monkeypatch.syspath_prepend(install("gone", "x-gone = x_gone"))
    with pytest.raises(PluginLoadError, match=r"cannot be imported: ModuleNotFoundError: there is no module x_gone"):
        Registry()["x-gone"]


@pytest.mark.plugin_fault(5)
@pytest.mark.parametrize(("distribution", "expected"), [("x-slow", 30), ("urlschemes-x-slow", 20)])
def test_a_slow_import_is_logged_and_a_warning_about_others_only(plugin, monkeypatch, caplog, distribution, expected):
    caplog.set_level(20, "urlschemes")
    monkeypatch.setattr("urlschemes.registry.plugins.SLOW_IMPORT", 0.01)
    code = f"import time\ntime.sleep(0.06)\n{SIMPLE}"
    monkeypatch.syspath_prepend(plugin("x-slow", code, distribution=distribution))
    registry = Registry()
    assert distribution.replace("-", "_") not in sys.modules
    registry["x-slow"]
    registry["x-slow"]
    ((logger, level, message),) = caplog.record_tuples
    assert (logger, level) == ("urlschemes", expected)
    assert re.fullmatch(distribution + r" 1\.0 took \d+\.\d s to import for x-slow", message)


# Records that cannot be used


REMOVAL = "URLSCHEMES_DISABLE=x-record switches it off, `pip uninstall x-record` removes it"


MISTAKES = [
    (("title =", "titel ="), "titel", None, " has an unknown field titel"),
    (("api = 1", 'api = "1"'), "api", None, ": api must be a TOML int"),
    (("api = 1", "api = 1 1"), "", None, " is not TOML: "),
    (("experimental", "permanent"), "status", None, ": status must be experimental"),
    (("1*uchar", "1*nothing"), "syntax.bnf", 16, ": syntax.bnf: rule 'word' in line 16 refers to 'nothing'"),
]
FOUND_LATE = [
    (
        ("1*uchar", '*[ "a" | "b" ] "a" 20[ "a" | "b" ]'),
        "syntax.bnf",
        16,
        ", line 16: syntax.bnf: rule 'word' derives a text in more than one way",
    ),
    (('"x-record:"', '"x-other:"'), "syntax.rule", None, ": syntax.rule: no URL of the rule 'testurl' begins with"),
    (("word = {", "line = {"), "syntax.parts.line", None, ": syntax.parts.line: every URL has an attribute of"),
]
"""Mistakes that are found when the pattern or the type is made, after the import."""


@pytest.mark.plugin_fault(6)
@pytest.mark.parametrize(
    ("code", "mistake"), [*product([None, "raise SystemExit('imported')"], MISTAKES), *product([None], FOUND_LATE)]
)
def test_a_mistake_in_a_record_is_an_error_of_its_file(plugin, monkeypatch, code, mistake):
    change, field, line, message = mistake
    site = plugin("x-record", code, lambda text: text.replace(*change))
    monkeypatch.syspath_prepend(site)
    with pytest.raises(PluginRecordError) as caught:
        Registry()["x-record"]
    error, file = caught.value, str(site / "x_record" / "registration.toml")
    assert (error.source, error.field, error.line) == (file, field, line)
    assert error.message.startswith(f"{file}{message}")
    assert (error.distribution, error.scheme) == ("x-record 1.0", "x-record")
    assert error.hint.endswith(REMOVAL)
    assert "x_record" not in sys.modules


@pytest.mark.plugin_fault(6)
@pytest.mark.parametrize(
    ("change", "has", "reason"),
    [
        (("api = 1", "api = 2"), "api = 2", "has api = 2: expected 1"),
        (('scheme = "x-record"', 'scheme = "x-else"'), "x-else", "is the record of 'x-else'"),
    ],
)
@pytest.mark.parametrize("code", [None, "raise SystemExit('imported')"], ids=["record alone", "with code"])
def test_a_record_for_something_else_is_a_broken_contract(plugin, monkeypatch, change, has, reason, code):
    monkeypatch.syspath_prepend(plugin("x-record", code, lambda text: text.replace(*change)))
    registry = Registry()
    with pytest.raises(PluginContractError) as caught:
        registry["x-record"]
    assert caught.value.message.startswith("x-record 1.0, which provides x-record, breaks the plugin contract: ")
    assert reason in caught.value.message
    assert has in caught.value.has
    assert caught.value.wants
    assert caught.value.hint.endswith(REMOVAL)
    assert "x_record" not in sys.modules


@pytest.mark.parametrize("code", [None, "raise SystemExit('imported')"], ids=["record alone", "with code"])
def test_a_missing_record_is_a_broken_contract(failure, code):
    error, _ = failure("x-none", code, None)
    assert type(error) is PluginContractError
    assert error.message.endswith(
        "its record cannot be read: FileNotFoundError: the package x_none has no file registration.toml"
    )
    assert (error.wants, error.has) == ("registration.toml, in UTF-8, in x_none", "none")
    assert "x_none" not in sys.modules


def test_a_record_that_is_not_utf_8_is_a_broken_contract(plugin, monkeypatch):
    site = plugin("x-latin", "raise SystemExit('imported')")
    (site / "x_latin" / "registration.toml").write_bytes(b"caf\xe9")
    monkeypatch.syspath_prepend(site)
    with pytest.raises(PluginContractError, match="its record cannot be read: the octet 0xE9 at 3 is not UTF-8"):
        Registry()["x-latin"]


def test_an_edited_record_counts_for_the_next_registry(plugin, monkeypatch):
    site = plugin("x-edited", code=None)
    monkeypatch.syspath_prepend(site)
    assert Registry().registration("x-edited").title == "A scheme of the tests"
    file = site / "x_edited" / "registration.toml"
    file.write_text(file.read_text().replace("A scheme of the tests", "Another title"))
    assert Registry().registration("x-edited").title == "Another title"


# Objects of the wrong kind


@pytest.mark.plugin_fault(14)
@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("", "there is no x_odd:scheme"),
        ("scheme = 7", "x_odd:scheme is an instance of int"),
        ("from urlschemes import Scheme as scheme", "x_odd:scheme is the class Scheme"),
        ("def __getattr__(name): raise SystemExit(8)", "there is no x_odd:scheme"),
        (
            (
                "from urlschemes import Registration, Scheme\n"
                "from pathlib import Path\ntext = Path(__file__).with_name('registration.toml').read_text()\n"
                "scheme = Scheme(Registration.from_text(text.replace('x-odd', 'x-else')))"
            ),
            "it provides the scheme x-else",
        ),
        (
            "from urlschemes import Registration, Scheme, URL\nscheme = Scheme(Registration.of(__name__), URL)",
            "the type URL is not made for the registration of 'x-odd'",
        ),
        (
            (
                "from urlschemes import Registration, Scheme, URL\nregistration = Registration.of(__name__)\n"
                "class OddURL(URL, registration=registration):\n    __str__ = None\n"
                "scheme = Scheme(registration, OddURL)"
            ),
            "the type OddURL overrides __str__, which is the same for all URLs",
        ),
        (
            (
                "from urlschemes import Registration, Scheme, URL\nregistration = Registration.of(__name__)\n"
                "class OddURL(URL, registration=registration): pass\nOddURL.syntax = None\n"
                "scheme = Scheme(registration, OddURL)"
            ),
            "its URL type cannot be used: AttributeError: 'NoneType' object has no attribute 'compile'",
        ),
    ],
)
def test_an_object_of_the_wrong_kind_is_a_broken_contract(failure, code, reason):
    error, _ = failure("x-odd", code)
    assert type(error) is PluginContractError
    assert error.message == f"x-odd 2.5, which provides x-odd, breaks the plugin contract: {reason}"


@pytest.mark.parametrize(
    ("access", "kind", "reason"),
    [
        ("raise SystemExit(3)", PluginLoadError, "its algorithm: SystemExit: 3"),
        ("raise MemoryError", MemoryError, None),
        ("", PluginContractError, "x_late.access has no function 'access'"),
    ],
)
def test_an_algorithm_is_examined_when_a_scheme_is_loaded_as_a_whole(plugin, monkeypatch, access, kind, reason):
    monkeypatch.syspath_prepend(plugin("x-late", access=access))
    registry = Registry()
    assert registry.is_valid("x-late:yes")
    (claim,) = (claim for claim in registry.claims() if claim.name == "x-late")
    with pytest.raises(kind, match=reason):
        load_object(claim)


def test_a_plugin_that_parses_its_own_urls_while_it_is_imported_is_not_broken_by_that(plugin, monkeypatch):
    code = f"""
import x_eager_registry
from urlschemes.errors import URLError
try:
    x_eager_registry.registry.parse("x-eager:a")
except URLError:
    pass
{SIMPLE}
"""
    site = plugin("x-eager", code)
    monkeypatch.syspath_prepend(site)
    registry = Registry()
    module = type(sys)("x_eager_registry")
    module.registry = registry  # type: ignore[attr-defined]  # what the plugin uses
    monkeypatch.setitem(sys.modules, "x_eager_registry", module)
    assert registry.is_valid("x-eager:a")
    assert [claim.state for claim in registry.claims() if claim.name == "x-eager"] == ["active"]


def test_a_claim_for_another_scheme_than_the_record_is_refused(plugin, monkeypatch):
    monkeypatch.syspath_prepend(plugin("x-one", code=None))
    with pytest.raises(PluginContractError, match=r"is the record of 'x-one'"):
        load_record(Claim("x-two", "two", "1.0", "/site", "x_one"))


# Diagnoses


def test_what_needs_a_distribution_that_is_not_installed_is_not_imported(install, monkeypatch):
    monkeypatch.syspath_prepend(install("x-teller", "[urlschemes.tales]\nx-tell = nowhere\n"))
    registry = Registry(["x-teller"])

    def states():
        return {each.claim.state for each in registry.diagnose(load=True) if each.claim.distribution == "x-teller"}

    assert states() == {"unused"}
    install("x-reader", "[urlschemes.groups]\ntales = nowhere\n")
    assert states() == {"broken"}


@pytest.mark.parametrize(
    ("code", "record", "states", "reason"),
    [
        ("raise SystemExit(3)", str, ("active", "broken"), "SystemExit: 3"),
        (SIMPLE, None, ("broken", "broken"), "has no file registration.toml"),
        (SIMPLE, lambda text: text.replace("api = 1", "api = 2"), ("broken", "broken"), "has api = 2: expected 1"),
    ],
)
def test_a_faulty_plugin_is_diagnosed_as_broken(plugin, monkeypatch, code, record, states, reason):
    monkeypatch.syspath_prepend(plugin("x-faulty", code, record))
    registry = Registry()
    found = [diagnoses(registry, "x-faulty", load=load)["x-faulty"] for load in (False, True)]
    assert tuple(each.claim.state for each in found) == states
    assert reason in found[1].claim.reason
    assert [each.seconds for each in found] == [None, None]
    assert found[1].claim.in_trouble


def test_a_diagnosis_changes_nothing(plugin, install, monkeypatch):
    broken = "raise SystemExit(3)\n"
    install("hooks-m", "[urlschemes]\nledger = x_hooks_m\n", {"x_hooks_m.py": broken})
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
