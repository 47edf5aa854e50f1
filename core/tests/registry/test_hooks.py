"""The engine of hooks: which implementations are called, and what happens if one is wrong."""

from __future__ import annotations

import inspect
import re
import sys
import threading
from types import ModuleType, SimpleNamespace

import pytest

from urlschemes import Registry, UnknownScheme
from urlschemes.errors import PluginContractError, PluginError, PluginLoadError
from urlschemes.registry import hooks as hooks_module
from urlschemes.registry.claims import SPECIFICATIONS, Claim
from urlschemes.registry.hooks import Hooks, HookSource, hookimpl, hookspec
from urlschemes.registry.names import KnownName, Ledger


class Specifications:
    """Two hooks, as a distribution specifies them in a module."""

    @staticmethod
    @hookspec
    def urlschemes_veto(url, operation):
        """Forbid an operation."""

    @staticmethod
    @hookspec(firstresult=True)
    def urlschemes_gateway(url):
        """Name another URL."""


def source(provider: str, names: frozenset[str] | None = None, **functions) -> HookSource:
    """Return a source of hooks, each named without its prefix."""
    module = SimpleNamespace(**{f"urlschemes_{name}": hookimpl(function) for name, function in functions.items()})
    return from_module(provider, module, names)


def from_module(
    provider: str, module: object, names: frozenset[str] | None = None, hint: str | None = None
) -> HookSource:
    return HookSource(provider, lambda: module, {"veto", "gateway"}, names, hint)


def hooks(*sources: HookSource) -> Hooks:
    return Hooks(Specifications, lambda: sources)


def answers(made: Hooks, name: str, **arguments) -> list[object]:
    return [answer.value for answer in made.call(name, str, **arguments)]


def raiser(error: BaseException):
    def implementation():
        raise error

    return implementation


@pytest.fixture
def bare(monkeypatch) -> Registry:
    """A registry for which nothing is installed."""
    specified = Claim("veto", "here", "", "", "specifications", group=SPECIFICATIONS)
    monkeypatch.setattr("urlschemes.registry.plugins.installed_claims", lambda **_: (specified,))
    return Registry()


@pytest.fixture(autouse=True)
def forget_plugins():
    """Remove the modules of hooks that a test imports from `sys.modules`."""
    yield
    for module in [name for name in sys.modules if name.startswith("house")]:
        del sys.modules[module]


# Calling


def test_implementations_are_called_one_by_one_in_the_order_of_their_providers():
    made = hooks(
        source("b", veto=lambda url: f"b {url}"),
        source("c", veto=lambda: None),
        source("a", veto=lambda operation, url: f"a {operation}", gateway=lambda: None),
    )
    found = made.call("veto", str, url="u", operation="read")
    assert found == [("a", "a read", None), ("b", "b u", None)]
    assert answers(made, "gateway", url="u") == []


@pytest.mark.plugin_fault(31)
def test_trylast_and_tryfirst_change_nothing():
    last = SimpleNamespace(urlschemes_veto=hookimpl(lambda: "a", trylast=True))
    first = SimpleNamespace(urlschemes_veto=hookimpl(lambda: "b", tryfirst=True))
    made = hooks(from_module("a", last), from_module("b", first))
    assert answers(made, "veto", url="u", operation="read") == ["a", "b"]


def test_an_argument_may_have_a_default():
    made = hooks(source("a", veto=lambda url, operation="read": f"{operation} {url}"))
    assert answers(made, "veto", url="u", operation="write")[0] in {"write u", "read u"}  # that is pluggy's affair


def test_a_source_is_loaded_when_one_of_its_hooks_is_called():
    loads = []
    module = SimpleNamespace(urlschemes_veto=hookimpl(lambda: "no"))
    made = hooks(HookSource("a", lambda: loads.append(1) or module, {"veto"}, frozenset({"veto"})))
    assert answers(made, "gateway", url="u") == []
    assert loads == []
    for _ in range(2):
        assert answers(made, "veto", url="u", operation="read") == ["no"]
    assert loads == [1]


def test_sources_that_are_added_later_are_called():
    sources = [source("a", veto=lambda: "a")]
    made = Hooks(Specifications, lambda: sources)
    assert answers(made, "veto", url="u", operation="read") == ["a"]
    sources.append(source("b", veto=lambda: "b"))
    assert answers(made, "veto", url="u", operation="read") == ["a", "b"]


@pytest.mark.parametrize("copies", [1, 2])
def test_one_module_or_two_equal_ones_of_two_sources_are_called_for_each(copies):
    function = hookimpl(lambda: "no")
    modules = [SimpleNamespace(urlschemes_veto=function) for _ in range(copies)]
    made = hooks(from_module("a", modules[0]), from_module("b", modules[-1]))
    assert answers(made, "veto", url="u", operation="read") == ["no", "no"]


def test_threads_that_call_a_hook_first_at_once_call_it_once_each():
    made = hooks(source("a", veto=lambda: "a"), source("b", veto=lambda: "b"))
    found: list[list[object]] = []
    threads = [
        threading.Thread(target=lambda: found.append(answers(made, "veto", url="u", operation="read")))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [["a", "b"]] * 8


@pytest.mark.plugin_fault(15)
@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (RuntimeError("ftp://u:secret@h/\x1b[31m\n"), r"RuntimeError: ftp://u:***@h/\x1b[31m\x0a"),
        (RuntimeError(), "RuntimeError"),
        (PluginError("of \x1btheirs"), r"of \x1btheirs"),
    ],
)
def test_a_failing_implementation_is_an_error_that_names_it(error, reason):
    with pytest.raises(PluginError) as caught:
        answers(hooks(source("house", veto=raiser(error))), "veto", url="u", operation="read")
    assert str(caught.value) == f"the hook urlschemes_veto of house failed: {reason}"
    assert caught.value.distribution == "house"
    assert caught.value.__cause__ is error


@pytest.mark.parametrize("error", [KeyboardInterrupt(), MemoryError()])
def test_an_interrupt_and_a_lack_of_memory_pass_through(error):
    with pytest.raises(type(error)):
        answers(hooks(source("house", veto=raiser(error))), "veto", url="u", operation="read")


@pytest.mark.plugin_fault(17)
def test_an_implementation_that_returns_another_type_is_a_broken_contract():
    with pytest.raises(PluginContractError) as caught:
        answers(hooks(source("house", veto=lambda: 7)), "veto", url="u", operation="read")
    assert str(caught.value) == "the hook urlschemes_veto of house returned an instance of int"
    assert (caught.value.wants, caught.value.has) == ("str or None", "an instance of int")


# Wrong modules


def wrapper():
    yield


def unspecified(colour):
    return colour


@pytest.mark.parametrize(
    ("functions", "names", "reason"),
    [
        ({"vetoo": hookimpl(lambda url: None)}, None, "there is no hook urlschemes_vetoo"),
        ({"veto": hookimpl(unspecified)}, None, "unspecified(colour) does not take the arguments of the hook"),
        ({"veto": hookimpl(wrapper, wrapper=True)}, None, "urlschemes_veto is a wrapper"),
        ({"veto": hookimpl(wrapper, hookwrapper=True)}, None, "urlschemes_veto is a wrapper"),
        ({"veto": lambda url: None}, {"veto"}, "it does not implement urlschemes_veto"),
        ({}, {"veto"}, "it does not implement urlschemes_veto"),
        (
            {"veto": hookimpl(lambda: None), "gateway": hookimpl(lambda: None)},
            {"veto"},
            "urlschemes_gateway would never be called",
        ),
    ],
)
def test_a_wrong_module_is_a_broken_contract_each_time(functions, names, reason):
    module = SimpleNamespace(**{f"urlschemes_{name}": function for name, function in functions.items()})
    made = hooks(from_module("house 1.0", module, names and frozenset(names), "remove it"))
    for _ in range(2):
        with pytest.raises(PluginContractError) as caught:
            answers(made, "veto", url="u", operation="read")
        assert caught.value.message.startswith(f"the hooks of house 1.0 are wrong: {reason}")
        assert (caught.value.distribution, caught.value.hint) == ("house 1.0", "remove it")


def test_a_module_whose_attributes_cannot_be_read_is_a_broken_contract():
    def fail():
        raise ImportError("no lazy")

    module = ModuleType("house")
    module.__dir__ = fail  # type: ignore[method-assign]  # modules may define it (PEP 562)
    with pytest.raises(PluginContractError, match=r"^the hooks of house are wrong: ImportError: no lazy$"):
        answers(hooks(from_module("house", module)), "veto", url="u", operation="read")


def test_every_implementation_is_called_whatever_others_do_wrong():
    made = hooks(
        source("a", vetoo=lambda: None),
        source("b", veto=lambda: "b"),
        source("c", veto=raiser(ValueError("no"))),
        source("d", veto=lambda: 7),
        source("e", veto=lambda: "e"),
    )
    for _ in range(2):
        found = made.answers("veto", str, url="u", operation="read")
        assert [(each.provider, each.value) for each in found if each.error is None] == [("b", "b"), ("e", "e")]
        wrong = [(each.provider, str(each.error).partition(": ")[2]) for each in found if each.error is not None]
        assert [provider for provider, _ in wrong] == ["a", "c", "d"]
        assert wrong[0][1].startswith("there is no hook urlschemes_vetoo")


def test_the_first_result_ends_the_calls_if_the_specification_wants_one():
    calls = []
    made = hooks(
        source("a", gateway=lambda: calls.append("a")),
        source("b", gateway=lambda: calls.append("b") or "b"),
        source("c", gateway=lambda: calls.append("c") or "c"),
    )
    assert answers(made, "gateway", url="u") == ["b"]
    assert calls == ["a", "b"]
    made = hooks(source("a", gateway=raiser(ValueError("no"))), source("b", gateway=lambda: "b"))
    with pytest.raises(PluginError, match="the hook urlschemes_gateway of a failed"):
        answers(made, "gateway", url="u")


# Adding and installing


def test_a_program_adds_hooks_under_distinct_names(bare):
    module = SimpleNamespace(urlschemes_veto=hookimpl(lambda: None))
    bare.add_hooks(module)
    with pytest.raises(ValueError, match=r"^the name 'this program' is taken: choose another for these hooks$"):
        bare.add_hooks(module)
    bare.add_hooks(module, "another")
    with pytest.raises(PluginContractError, match="the hooks of none are wrong: no function has the mark `hookimpl`"):
        bare.add_hooks(None, "none")
    assert [each.provider for each in bare.hook_sources()] == ["this program", "another"]
    with pytest.raises(PluginContractError, match="there is no hook urlschemes_vetoo"):
        bare.add_hooks(SimpleNamespace(urlschemes_vetoo=hookimpl(lambda: None)), "wrong")
    assert len(bare.hook_sources()) == 2


LEDGER = """
from urlschemes.registry.hooks import hookimpl
from urlschemes.registry.names import KnownName, Ledger

@hookimpl
def urlschemes_ledger():
    return Ledger("the register of things", "nowhere", "2024", (KnownName("x-things"),))
"""


def test_an_installed_module_is_imported_when_its_hook_is_called(install, monkeypatch):
    monkeypatch.syspath_prepend(install("house", "[urlschemes]\nledger = house_m\n", {"house_m.py": LEDGER}))
    registry = Registry()
    assert "house 1.0" in [each.provider for each in registry.hook_sources()]
    assert "house_m" not in sys.modules
    assert "x-things" in registry.known_names()
    assert "house_m" in sys.modules


def test_one_module_for_several_entries_is_one_source(install, monkeypatch):
    announced = "[urlschemes.hooks]\ngreet = house_hooks\npart = house_hooks\n"
    implemented = "[urlschemes]\nledger = house_n\ngreet = house_n\npart = house_o\n"
    monkeypatch.syspath_prepend(install("house", announced + implemented))
    sources = [each for each in Registry().hook_sources() if each.provider == "house 1.0"]
    assert sorted(sorted(each.names or ()) for each in sources) == [["greet", "ledger"], ["part"]]


@pytest.mark.parametrize(
    ("code", "error", "reason"),
    [
        ("raise SystemExit(3)", PluginLoadError, "house 1.0, which provides ledger, cannot be imported: SystemExit: 3"),
        ("", PluginContractError, "the hooks of house 1.0 are wrong: it does not implement urlschemes_ledger"),
        (LEDGER.replace("ledger()", "legder()"), PluginContractError, "there is no hook urlschemes_legder"),
        (
            LEDGER.replace("ledger()", "ledger(url)"),
            PluginContractError,
            "urlschemes_ledger(url) does not take the arguments",
        ),
    ],
)
def test_installed_hooks_that_are_wrong_break_no_url(install, plugin, monkeypatch, caplog, code, error, reason):
    plugin("x-plain", code=None)
    monkeypatch.syspath_prepend(install("house", "[urlschemes]\nledger = house_p\n", {"house_p.py": code}))
    registry = Registry(["x-plain", "house"])
    assert registry.is_valid("x-plain:yes")
    assert not registry.is_valid("x-nobody:yes")
    for _ in range(2):
        assert "x-things" not in registry.known_names()
    (record,) = caplog.records
    assert reason in record.getMessage()
    assert "URLSCHEMES_DISABLE=house switches it off" in record.getMessage()
    (claim,) = (each.claim for each in registry.diagnose(load=True) if each.claim.distribution == "house")
    if "arguments" not in reason:  # the arguments are examined when the hook is called
        assert claim.state == "broken"
        assert claim.reason in record.getMessage()
        (claim,) = (claim for claim in registry.claims() if claim.distribution == "house")
        with pytest.raises(error):
            Registry(["house"]).load(claim._replace(state="active", reason=""))


# Ledgers


def add_ledger(registry: Registry, name: str, function) -> None:
    registry.add_hooks(SimpleNamespace(urlschemes_ledger=hookimpl(function)), name)


def ledger(*names: str) -> Ledger:
    return Ledger("the register of things", "nowhere", "2024", tuple(map(KnownName, names)))


def test_ledgers_are_asked_once_in_the_life_of_a_registry(bare):
    calls = []
    add_ledger(bare, "a", lambda: calls.append("a"))
    add_ledger(bare, "b", lambda: calls.append("b") or ledger("x-b"))
    for _ in range(2):
        assert [each.title for each in bare.ledgers()][1:] == ["the register of things"]
    assert "x-b" in bare.known_names()
    assert calls == ["a", "b"]


def test_a_ledger_that_is_added_later_counts(bare):
    assert "x-a" not in bare.known_names()
    add_ledger(bare, "a", lambda: ledger("x-a"))
    assert "x-a" in bare.known_names()


def test_no_ledger_is_asked_to_parse_or_refuse_a_url(bare, registration):
    calls = []
    bare.register(registration("x-text"))
    add_ledger(bare, "a", lambda: calls.append("a"))
    assert bare.is_valid("x-text:a")
    assert not bare.is_valid("x-nobody:a")
    with pytest.raises(UnknownScheme):
        bare.parse("x-nobody:a")
    assert calls == []


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (raiser(RuntimeError("ftp://u:secret@h/\x1b[31m\n")), "RuntimeError"),
        (lambda: "a text", "returned an instance of str"),
        (lambda: ledger("x-a", "x-a"), "its ledger holds x-a twice"),
        (lambda: ledger("x-a")._replace(names=None), "its ledger is not a tuple of at most 20000 names"),
    ],
)
def test_a_ledger_that_fails_is_logged_once_and_left_out(bare, caplog, function, reason):
    add_ledger(bare, "bad", function)
    add_ledger(bare, "good", lambda: ledger("x-good"))
    for _ in range(2):
        assert bare.why("x-else").rule == "no scheme is registered as 'x-else'"
    assert "x-good" in bare.known_names()
    (record,) = caplog.records
    assert reason in record.getMessage()
    assert "secret" not in caplog.text
    assert record.getMessage().isprintable()


def test_a_ledger_may_ask_the_registry_for_known_names(bare):
    def function():
        return ledger("x-a") if "x-a" not in bare.known_names() else ledger()

    add_ledger(bare, "a", function)
    assert "ftp" in bare.known_names()


# Documentation


@pytest.mark.skipif(sys.flags.optimize == 2, reason="Python keeps no docstrings")
def test_the_specification_has_the_sections_that_every_hook_has():
    specification = hooks_module.urlschemes_ledger
    labels = [f"`{parameter}`" for parameter in inspect.signature(specification).parameters]
    labels += ["Returns", "Called", "Several", "Failure"]
    text = inspect.getdoc(specification) or ""
    assert re.findall(r"^(`\w+`|[A-Z]\w+): ", text, re.MULTILINE) == labels
