"""The hooks of access: veto, gateway, credentials and observe, and what fails if one of them fails."""

from __future__ import annotations

import inspect
import logging
import re
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

import urlschemes_access
from urlschemes import Registry
from urlschemes.errors import PluginContractError, PluginError
from urlschemes.registry.hooks import hookimpl
from urlschemes_access import Client, Configuration, Credentials, Policy, hooks
from urlschemes_access.errors import PolicyDenied, Truncated
from urlschemes_access.hooks import Observation
from urlschemes_access.protocol import Authenticate

if TYPE_CHECKING:
    from collections.abc import Iterator

SPECIFICATIONS = {name for name in vars(hooks) if name.startswith("urlschemes_")}

SCHEME = """\
from urlschemes import Registration, Scheme
scheme = Scheme(Registration.of(__name__), access=__name__ + ".access")
"""
ATTRIBUTES = """\
from urlschemes.errors import PluginError
from urlschemes_access.errors import Truncated
from urlschemes_access.attributes import Attributes
from urlschemes_access.protocol import Authenticate, Deliver, Follow, Open

def find_attributes(url):
    yield from Open("attributes", Attributes(name=str(url)))

def text(url):
    yield from Open("document", Attributes())
    yield from Deliver(str(url).encode())

"""
ACCESS = {
    "x-text": "access = text\n",
    "x-login": """\
def access(url):
    given = yield from Authenticate("host.example", 21)
    yield from Open("document", Attributes())
    yield from Deliver(f"{given.user}:{given.password}".encode() if given else b"none")
""",
    "x-moved": """\
def access(url):
    target = yield from Follow("x-text:moved")
    yield from text(target)
""",
    "x-short": """\
def access(url):
    yield from text(url)
    raise Truncated("it broke", received=9)
""",
}


@pytest.fixture
def registry(install, record, monkeypatch) -> Iterator[Registry]:
    """Return a registry with four installed schemes.

    x-text delivers its URL, x-short breaks after that, x-login delivers the credentials, x-moved redirects to x-text.
    """
    packages = {name: f"hooked_{name.replace('-', '_')}" for name in ACCESS}
    files = {}
    for name, package in packages.items():
        files[f"{package}/__init__.py"] = SCHEME
        files[f"{package}/access.py"] = ATTRIBUTES + ACCESS[name]
        text = record(name, 'redirects = ["x-text"]\n')
        files[f"{package}/registration.toml"] = text.replace('["access"]', '["access", "find attributes"]')
    entries = "\n".join(f"{name} = {package}:scheme" for name, package in packages.items())
    monkeypatch.syspath_prepend(install("hooked", entries, files))
    yield Registry(["hooked"])
    for module in [name for name in sys.modules if name.startswith("hooked_")]:
        del sys.modules[module]


def implement(registry: Registry, provider: str = "house", **functions) -> None:
    """Add hooks, each named without its prefix."""
    marked = {f"urlschemes_{name}": hookimpl(function) for name, function in functions.items()}
    registry.add_hooks(SimpleNamespace(**marked), provider)


def read(registry: Registry, url: str, **arguments) -> str:
    with urlschemes_access.access(url, **arguments, registry=registry) as document:
        return document.read().decode()


def raiser(error: BaseException):
    def hook():
        raise error

    return hook


@pytest.mark.skipif(sys.flags.optimize == 2, reason="Python keeps no docstrings")
def test_every_specification_is_documented_in_the_same_form():
    for name in SPECIFICATIONS:
        specification = getattr(hooks, name)
        labels = [f"`{parameter}`" for parameter in inspect.signature(specification).parameters]
        labels += ["Returns", "Called", "Several", "Failure"]
        text = inspect.getdoc(specification)
        assert re.findall(r"^(`\w+`|[A-Z]\w+): ", text, re.MULTILINE) == labels, name


# Failures


@pytest.mark.parametrize("hook", ["veto", "gateway", "credentials"])
def test_a_hook_that_fails_fails_the_access(registry, hook):
    error = ValueError("ftp://u:secret@h/\x1b[31m\n")
    implement(registry, **{hook: raiser(error)})
    client = Client(registry=registry)
    with pytest.raises(PluginError) as caught:
        client.access("x-login:a", credentials=client.credentials_from_hooks)
    assert str(caught.value) == f"the hook urlschemes_{hook} of house failed: ValueError: ftp://u:***@h/\\x1b[31m\\x0a"
    assert (caught.value.__cause__, caught.value.distribution) == (error, "house")
    assert registry.is_valid("x-login:a")


@pytest.mark.parametrize(
    ("hook", "answer"), [("veto", True), ("veto", b"no"), ("gateway", 7), ("credentials", ("me", "mine"))]
)
def test_an_answer_of_the_wrong_type_fails_the_access(registry, hook, answer):
    implement(registry, **{hook: lambda: answer})
    client = Client(registry=registry)
    with pytest.raises(PluginContractError, match=f"returned an instance of {type(answer).__name__}"):
        client.access("x-login:a", credentials=client.credentials_from_hooks)


def test_an_interrupt_passes_through(registry):
    implement(registry, veto=raiser(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        read(registry, "x-text:a")


# Vetoes


def test_a_veto_forbids_an_operation_with_its_reason(registry):
    calls = []
    implement(registry, "first", veto=lambda url, operation: calls.append((str(url), operation)))
    implement(registry, "second", veto=lambda url: "not\n\x1b[31mtoday" if url.parts["word"] == "no" else None)
    assert read(registry, "x-text:yes") == "x-text:yes"
    assert urlschemes_access.find_attributes("x-text:yes", registry=registry).name == "x-text:yes"
    for operation in (urlschemes_access.access, urlschemes_access.find_attributes):
        with pytest.raises(PolicyDenied) as caught:
            operation("x-text:no", registry=registry)
        assert str(caught.value) == ("access denied by 'second' (hook urlschemes_veto): not\\x0a\\x1b[31mtoday")
        assert caught.value.rule == "veto"
    assert calls == [
        (url, operation) for url in ("x-text:yes", "x-text:no") for operation in ("access", "find attributes")
    ]


def test_a_veto_applies_to_redirects(registry):
    implement(registry, veto=lambda url: "no" if str(url) == "x-text:moved" else None)
    with pytest.raises(PolicyDenied, match=r"access denied by 'house' .*: no"):
        read(registry, "x-moved:a")


# Gateways


def test_a_gateway_leads_through_another_url(registry):
    implement(
        registry,
        gateway=lambda url, operation: f"x-text:through-{url.parts['word']}" if url.scheme == "x-login" else None,
    )
    assert read(registry, "x-login:a") == "x-text:through-a"
    assert read(registry, "x-text:a") == "x-text:a"


@pytest.mark.parametrize("other", ["x-text", "x-login"])
def test_a_gateway_does_not_lead_through_another_gateway(registry, other):
    implement(registry, gateway=lambda url: f"{other}:a" if url.scheme == "x-text" else "x-text:b")
    with pytest.raises(PluginContractError, match="which is reached through a gateway itself") as caught:
        read(registry, "x-text:a")
    assert caught.value.distribution == "house"


@pytest.mark.parametrize("answer", ["nobody:a", "x-text:%", "x-text:"])
def test_a_gateway_must_name_a_url(registry, answer):
    implement(registry, gateway=lambda url: answer)
    with pytest.raises(PluginContractError, match="leads to a URL that cannot be accessed"):
        read(registry, "x-login:a")


def test_a_client_describes_who_may_name_a_gateway(registry):
    client = Client(registry=registry)
    assert client.describe_gateway("x-text") is None
    implement(registry, gateway=lambda url: None)
    assert client.describe_gateway("x-text") is None  # a program's hooks announce no names


def test_a_gateway_is_told_if_the_environment_is_trusted(registry):
    calls = []
    implement(registry, gateway=lambda trust_env: calls.extend([trust_env]))
    for trust_env in (False, True):
        client = Client(registry=registry, configuration=Configuration(trust_env=trust_env))
        client.access("x-text:a").close()
    assert calls == [False, True]


# Credentials


def test_credentials_come_from_hooks_only_if_the_caller_wants_it(registry):
    calls = []
    client = Client(registry=registry)
    implement(registry, "a", credentials=lambda request: calls.extend([request]))
    assert read(registry, "x-login:a", credentials=client.credentials_from_hooks) == "none"
    implement(registry, "b", credentials=lambda: Credentials("me", "mine"))
    assert read(registry, "x-login:a") == "none"
    assert len(calls) == 1
    assert read(registry, "x-login:a", credentials=client.credentials_from_hooks) == "me:mine"
    assert [(each.host, each.port, each.scheme, each.protected) for each in calls] == [
        ("host.example", 21, "x-login", False)
    ] * 2


# Observers


def test_observers_are_called_with_the_outcome_of_an_operation(registry):
    seen = []
    implement(registry, observe=lambda observation: seen.extend([observation]))
    read(registry, "x-text:a")
    urlschemes_access.find_attributes("x-text:b", registry=registry)
    with pytest.raises(PolicyDenied) as denied:
        read(registry, "x-text:c", policy=Policy(denied_schemes=frozenset({"x-text"})))
    urlschemes_access.access("x-text:d", registry=registry).close()
    with urlschemes_access.access("x-short:e", registry=registry) as document, pytest.raises(Truncated) as short:
        document.read()
    assert [(each.operation, each.scheme, each.url, each.outcome, each.error) for each in seen] == [
        ("access", "x-text", "x-text:a", "opened", None),
        ("access", "x-text", "x-text:a", "completed", None),
        ("find attributes", "x-text", "x-text:b", "opened", None),
        ("access", "x-text", "x-text:c", "failed", denied.value),
        ("access", "x-text", "x-text:d", "opened", None),
        ("access", "x-text", "x-text:d", "abandoned", None),
        ("access", "x-short", "x-short:e", "opened", None),
        ("access", "x-short", "x-short:e", "failed", short.value),
    ]
    assert all(isinstance(each, Observation) and each.seconds >= 0 for each in seen)
    assert seen[0].seconds <= seen[1].seconds


def test_an_observer_that_fails_is_logged_and_changes_nothing(registry, caplog):
    messages = iter(["full", "full", "", "full", "gone", "gone"])

    def observe():
        if message := next(messages):
            raise OSError(message)

    seen = []
    implement(registry, "a", observe=observe)
    implement(registry, "b", observe=lambda observation: seen.append(observation.outcome))
    client = Client(registry=registry)
    for _ in range(3):
        with client.access("x-text:a") as document:
            assert document.read() == b"x-text:a"
    assert seen == ["opened", "completed"] * 3
    prefix = "the hook urlschemes_observe of a failed: OSError: "
    # Once for the same message, and again after a success.
    assert caplog.record_tuples == [
        ("urlschemes", logging.WARNING, f"{prefix}{message}") for message in ("full", "full", "gone")
    ]


# Installed hooks

PLAIN = """
from urlschemes_access.attributes import Attributes
from urlschemes_access.protocol import Deliver, Open

def access(url):
    yield from Open("document", Attributes())
    yield from Deliver(url.word.encode())
"""
VETO = "from urlschemes.registry.hooks import hookimpl\n@hookimpl\ndef urlschemes_veto(url): return 'never'\n"
TRY = """
import urlschemes_access
from urlschemes import default_registry as registry
from urlschemes.errors import URLError
def attempt():
    try:
        with urlschemes_access.access("x-plain:yes") as document:
            return document.read().decode()
    except URLError as error:
        return type(error).__name__ + ": " + str(error)
"""


def test_without_hooks_pluggy_is_not_imported(plugin, child):
    code = TRY + "print(json.dumps([attempt(), 'pluggy' in sys.modules, 'urlschemes_access.hooks' in sys.modules]))"
    site = plugin("x-plain", access=PLAIN)
    assert child(code, site, environ={"URLSCHEMES_PLUGINS": "x-plain"}) == ["yes", False, False]


def test_hooks_that_are_not_called_in_every_operation_are_not_imported(plugin, install, child):
    install("house", "[urlschemes]\nledger = house\ncredentials = house\n", {"house.py": "1 / 0"})
    code = TRY + "print(json.dumps([attempt(), 'house' in sys.modules]))"
    site = plugin("x-plain", access=PLAIN)
    assert child(code, site, environ={"URLSCHEMES_PLUGINS": "x-plain,house"}) == ["yes", False]


def test_an_installed_hook_is_imported_when_it_is_called(plugin, install, child):
    install("house", "[urlschemes]\nveto = house\n", {"house.py": VETO})
    site = plugin("x-plain", access=PLAIN)
    code = (
        TRY
        + """
registry.parse("x-plain:yes")
print(json.dumps(["house" in sys.modules, attempt()]))
"""
    )
    imported, outcome = child(code, site)
    assert not imported
    assert outcome.startswith("PolicyDenied: access denied by 'house 1.0' (hook urlschemes_veto): never")
    assert child(code, site, environ={"URLSCHEMES_PLUGINS": "x-plain"}) == [False, "yes"]


@pytest.mark.parametrize(
    ("code", "wrong"),
    [
        ("raise RuntimeError('x')", "house 1.0, which provides {}, cannot be imported: RuntimeError: x"),
        ("", "the hooks of house 1.0 are wrong: it does not implement urlschemes_{}"),
        (VETO.replace("veto", "vetoo"), "the hooks of house 1.0 are wrong: there is no hook urlschemes_vetoo"),
    ],
)
@pytest.mark.parametrize("hook", [*sorted(name.removeprefix("urlschemes_") for name in SPECIFICATIONS), "ledger"])
def test_a_broken_hook_fails_what_it_decides(plugin, install, monkeypatch, caplog, hook, code, wrong):
    plugin("x-plain", access=PLAIN)
    monkeypatch.syspath_prepend(install("house", f"[urlschemes]\n{hook} = house\n", {"house.py": code}))
    for module in ("house", "x_plain", "x_plain.access"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    registry = Registry(["x-plain", "house"])
    client = Client(registry=registry)
    wrong = wrong.format(hook)
    for _ in range(2):
        if hook in {"veto", "gateway"}:
            with pytest.raises(PluginError, match=re.escape(wrong)):
                client.access("x-plain:yes")
        else:
            with client.access("x-plain:yes") as document:
                assert document.read() == b"yes"
        if hook == "credentials":
            with pytest.raises(PluginError, match=re.escape(wrong)):
                client.credentials_from_hooks(Authenticate("h.dom", 21))
        else:
            assert client.credentials_from_hooks(Authenticate("h.dom", 21)) is None
    assert registry.is_valid("x-plain:yes")
    assert [wrong in each.getMessage() for each in caplog.records] == [True] * (hook == "observe")
    for module in ("house", "x_plain", "x_plain.access"):
        sys.modules.pop(module, None)
