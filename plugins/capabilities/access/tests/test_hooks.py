"""Hooks: what cuts across schemes, and what becomes of an access when one of them fails."""

from __future__ import annotations

import inspect
import logging
import pickle
import re
import sys
from itertools import count
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

import urlschemes_access
import urlschemes_lint
from urlschemes import Registry
from urlschemes.errors import PluginContractError, PluginError, UnknownScheme
from urlschemes.registry.claims import HOOK_NAMES
from urlschemes.registry.hooks import hookimpl
from urlschemes.registry.known_names import KnownName, Ledger, known_names
from urlschemes.registry.registry import hooks
from urlschemes_access import Configuration, Credentials, Policy
from urlschemes_access.errors import PolicyDenied, RedirectRefused, Truncated
from urlschemes_access.hooks import Observation

if TYPE_CHECKING:
    from collections.abc import Iterator

SPECS = {name for name in hooks.__all__ if name.startswith("urlschemes_")}


class Mine(Exception):
    """Its text is a secret and a trick."""

    def __str__(self) -> str:
        return "ftp://u:secret@h/\x1b[31m\n"


SCHEME = """\
from urlschemes import Registration, Scheme
scheme = Scheme(Registration.of(__name__), access=__name__ + ".access")
"""
ATTRIBUTES = """\
from urlschemes.errors import Truncated
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
    """Four installed schemes: x-text gives the URL's text, x-short breaks after it.

    x-login gives the credentials it was given, x-moved redirects to x-text.
    """
    packages = {name: f"hooked_{name.replace('-', '_')}" for name in ACCESS}
    files = {}
    for name, package in packages.items():
        files[f"{package}/__init__.py"] = SCHEME
        files[f"{package}/access.py"] = ATTRIBUTES + ACCESS[name]
        more = 'operations = ["access", "find attributes"]\nredirects = ["x-text"]\n'
        files[f"{package}/registration.toml"] = record(name, more)
    entries = "\n".join(f"{name} = {package}:scheme" for name, package in packages.items())
    monkeypatch.syspath_prepend(install("hooked", entries, files))
    yield Registry(["hooked"])
    for module in [name for name in sys.modules if name.startswith("hooked_")]:
        del sys.modules[module]


def implement(registry: Registry, who: str = "somebody", **functions) -> None:
    """Adds hooks, each named without its prefix."""
    marked = {f"urlschemes_{name}": hookimpl(function) for name, function in functions.items()}
    registry.add_hooks(SimpleNamespace(**marked), who)


def read(registry: Registry, url: str, **arguments) -> str:
    with urlschemes_access.access(url, **arguments, registry=registry) as document:
        return document.read().decode()


class Last(BaseException):
    """It is no Exception, and has no text either."""

    def __str__(self) -> str:
        raise GeneratorExit


def fails(error: BaseException):
    def hook(**_):
        raise error

    return hook


# Adding


def test_every_hook_is_documented_in_one_shape():
    assert {f"urlschemes_{name}" for name in HOOK_NAMES} == SPECS
    for name in SPECS:
        spec = getattr(hooks, name)
        text = inspect.getdoc(spec)
        labels = [f"`{parameter}`" for parameter in inspect.signature(spec).parameters]
        labels += ["Returns", "Called", "Several", "Failure"]
        assert re.findall(r"^(`\w+`|[A-Z]\w+): ", text, re.MULTILINE) == labels, name


def test_a_hook_that_does_not_exist_is_refused(registry):
    with pytest.raises(
        PluginContractError, match=r"^the hooks of somebody are wrong: .*unknown hook 'urlschemes_vetoo'"
    ):
        implement(registry, vetoo=lambda url: None)
    with pytest.raises(PluginContractError, match=r"^the hooks of somebody are wrong: .*link"):
        implement(registry, veto=lambda url, link: None)
    assert read(registry, "x-text:a") == "x-text:a"
    implement(registry, veto=lambda url: None)
    with pytest.raises(PluginContractError, match=r"the name is taken"):
        implement(registry, veto=lambda url: None)


# Vetoes


def test_a_veto_closes_the_access_and_says_why(registry):
    asked = []
    implement(registry, "first", veto=lambda url, operation: asked.append((str(url), operation)))
    implement(registry, "second", veto=lambda url: "not\n\x1b[31mtoday" if url.parts["word"] == "no" else None)
    assert read(registry, "x-text:yes") == "x-text:yes"
    assert urlschemes_access.find_attributes("x-text:yes", registry=registry).name == "x-text:yes"
    for operation in (registry.access, registry.find_attributes):
        with pytest.raises(PolicyDenied) as caught:
            operation("x-text:no")
        assert str(caught.value) == (
            "second forbids the access: not\\x0a\\x1b[31mtoday; the hook urlschemes_veto of second decides"
        )
        assert caught.value.rule == "veto"
    assert asked == [("x-text:yes", "access"), ("x-text:yes", "find attributes")] + [
        ("x-text:no", operation) for operation in ("access", "find attributes")
    ]


def test_a_veto_is_asked_about_redirects_too(registry):
    implement(registry, veto=lambda url: "no" if str(url) == "x-text:moved" else None)
    with pytest.raises((PolicyDenied, RedirectRefused), match="somebody forbids the access: no"):
        urlschemes_access.access("x-moved:a", registry=registry)


@pytest.mark.parametrize(
    "error", [Mine(), SystemExit(3), GeneratorExit(), ValueError("broken"), UnknownScheme("other")]
)
def test_a_veto_that_fails_closes_the_access(registry, error):  # C15, C16, C40
    implement(registry, veto=fails(error))
    with pytest.raises(PluginError, match=r"^the hook urlschemes_veto of somebody failed: ") as caught:
        urlschemes_access.access("x-text:a", registry=registry)
    assert caught.value.__cause__ is error
    assert caught.value.distribution == "somebody"
    assert "secret" not in str(caught.value)
    assert str(caught.value).isprintable()
    assert registry.is_valid("x-text:a")


def test_what_must_pass_through_passes_through(registry):
    implement(registry, veto=fails(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        urlschemes_access.access("x-text:a", registry=registry)


@pytest.mark.parametrize("answer", [True, b"no", 0, ["no"]])
def test_a_veto_must_answer_in_words(registry, answer):  # C17
    implement(registry, veto=lambda: answer)
    with pytest.raises(PluginContractError) as caught:
        urlschemes_access.access("x-text:a", registry=registry)
    assert (caught.value.wants, caught.value.has) == ("str or None", type(answer).__name__)


class Hostile(str):
    """A text that fails when it is read."""

    __slots__ = ()

    def __str__(self) -> str:
        raise ValueError("read")

    def __format__(self, _: str) -> str:
        raise ValueError("formatted")


def test_answers_are_copied_before_they_are_used(registry):  # C17
    implement(
        registry,
        veto=lambda url: Hostile("no") if url.parts.get("word") == "no" else None,
        gateway=lambda url: Hostile("x-text:b") if str(url) == "x-login:a" else None,
        credentials=lambda: Credentials(Hostile("u"), Hostile("p")),
        ledger=lambda: Ledger(
            *[Hostile("word")] * 2, Hostile("2024-04"), (KnownName(Hostile("x-other"), *[Hostile("word")] * 5),)
        ),
    )
    with pytest.raises(PolicyDenied, match="forbids the access: no"):
        urlschemes_access.access("x-text:no", registry=registry)
    assert read(registry, "x-login:a") == "x-text:b"
    assert read(registry, "x-login:x", credentials=registry.credentials_from_hooks) == "u:p"
    with pytest.raises(UnknownScheme, match=r"word \(2024-04\) has it as word: word, word, word; according to word"):
        registry.parse("x-other:a")
    (copied,) = registry.ledgers()[1:]
    assert {type(text) for text in (*copied[:3], *copied.names[0])} == {str}


def test_credentials_must_be_in_words(registry):  # C17
    implement(registry, credentials=lambda: Credentials("u", None))
    with pytest.raises(PluginError, match="the hook urlschemes_credentials of somebody failed"):
        urlschemes_access.access("x-login:a", credentials=registry.credentials_from_hooks, registry=registry)


def test_a_wrapper_cannot_give_what_is_no_answer(registry):  # C17
    @hookimpl(wrapper=True)
    def veto():
        yield
        return 7

    registry.add_hooks(SimpleNamespace(urlschemes_veto=veto), "somebody")
    with pytest.raises(PluginContractError, match="gave a int"):
        urlschemes_access.access("x-text:a", registry=registry)


def test_no_hook_can_be_first(registry):  # C31
    asked = []
    first = hookimpl(tryfirst=True)(lambda: asked.append("z"))
    registry.add_hooks(SimpleNamespace(urlschemes_veto=first), "z")
    implement(registry, "a", veto=lambda: asked.append("a"))
    read(registry, "x-text:a")
    assert asked == ["a", "z"]


# Gateways


def test_a_gateway_leads_through_another_url(registry):
    implement(
        registry,
        gateway=lambda url, operation: f"x-text:through-{url.parts['word']}" if url.scheme == "x-login" else None,
    )
    assert read(registry, "x-login:a") == "x-text:through-a"
    assert read(registry, "x-text:a") == "x-text:a"


def test_a_gateway_reaches_schemes_that_nobody_provides(registry):
    implement(registry, gateway=lambda url: f"x-text:{url.schemepart}" if url.scheme == "x-nobody" else None)
    assert read(registry, "x-nobody:a") == "x-text:a"
    with pytest.raises(UnknownScheme):
        urlschemes_access.access("x-else:a", registry=registry)


def test_what_a_gateway_names_goes_through_the_policy_and_the_vetoes(registry):
    implement(registry, gateway=lambda url: "x-text:b" if url.scheme == "x-login" else None)
    for denied in ("x-login", "x-text"):
        with pytest.raises(PolicyDenied):
            urlschemes_access.access("x-login:a", policy=Policy(denied_schemes=frozenset({denied})), registry=registry)
    implement(registry, "careful", veto=lambda url: "no" if str(url) == "x-text:b" else None)
    with pytest.raises(PolicyDenied, match="careful forbids"):
        urlschemes_access.access("x-login:a", registry=registry)


@pytest.mark.parametrize("other", ["x-text", "x-login"])
def test_a_gateway_leads_through_one_url_and_no_further(registry, other):
    implement(registry, gateway=lambda url: f"{other}:a" if url.scheme == "x-text" else "x-text:b")
    with pytest.raises(PluginContractError, match="which is reached through a gateway itself") as caught:
        urlschemes_access.access("x-text:a", registry=registry)
    assert caught.value.distribution == "somebody"


@pytest.mark.parametrize("answer", [7, "nobody:a", "x-text:%", "x-text:"])
def test_a_gateway_must_name_a_url(registry, answer):
    implement(registry, gateway=lambda url: answer)
    with pytest.raises(PluginContractError):
        urlschemes_access.access("x-login:a", registry=registry)


def test_a_redirect_leads_to_nothing_that_a_gateway_stands_for(registry):
    implement(registry, gateway=lambda url: "x-login:a" if url.scheme == "x-text" else None)
    with pytest.raises(RedirectRefused, match="which is reached through a gateway") as caught:
        urlschemes_access.access("x-moved:a", registry=registry)
    assert caught.value.reason == "gateway"


def test_what_came_through_a_gateway_says_so(registry):
    implement(registry, gateway=lambda url: "x-text:b" if url.scheme == "x-login" else None)
    told = []
    with urlschemes_access.access("x-login:a", trace=told.append, registry=registry) as document:
        assert (str(document.gateway.asked), str(document.gateway.url)) == ("x-login:a", "x-text:b")
        assert document.gateway.source == "the hook urlschemes_gateway of somebody"
        assert (document.url, document.attributes.gateway) == (document.gateway.url, document.gateway)
    assert urlschemes_access.find_attributes("x-login:a", registry=registry).gateway == document.gateway
    assert (told[0].kind, told[0].text) == (
        "gateway",
        "x-login:a is reached through x-text:b: the hook urlschemes_gateway of somebody",
    )
    with urlschemes_access.access("x-text:b", registry=registry) as document:
        assert document.gateway is None


def test_why_tells_who_may_name_a_gateway(registry):
    assert registry.why("x-text").gateway is None
    implement(registry, gateway=lambda url: None)
    assert registry.why("x-text").gateway == "somebody may name one, by the hook urlschemes_gateway"
    assert "  gateway: somebody may name one" in str(registry.why("x-text"))


def test_a_gateway_that_fails_fails_the_access(registry):
    implement(registry, gateway=fails(Mine()))
    with pytest.raises(PluginError, match=r"^the hook urlschemes_gateway of somebody failed: "):
        urlschemes_access.access("x-text:a", registry=registry)


# Credentials


def test_credentials_come_from_hooks_where_the_caller_asked_for_it(registry):
    asked = []
    implement(registry, "a", credentials=lambda request: asked.append((request.host, request.port)))
    implement(registry, "b", credentials=lambda: Credentials("me", "mine"))
    assert read(registry, "x-login:a") == "none"
    assert asked == []
    assert read(registry, "x-login:a", credentials=registry.credentials_from_hooks) == "me:mine"
    assert asked == [("host.example", 21)]


def test_without_hooks_nobody_knows_credentials(registry):
    assert read(registry, "x-login:a", credentials=registry.credentials_from_hooks) == "none"


def test_credentials_that_fail_fail_the_access(registry):
    implement(registry, credentials=fails(Mine()))
    with pytest.raises(PluginError, match=r"^the hook urlschemes_credentials of somebody failed: ") as caught:
        urlschemes_access.access("x-login:a", credentials=registry.credentials_from_hooks, registry=registry)
    assert "secret" not in str(caught.value)


def test_credentials_must_be_credentials(registry):  # C17
    implement(registry, credentials=lambda: ("me", "mine"))
    with pytest.raises(PluginContractError, match="gave a tuple"):
        urlschemes_access.access("x-login:a", credentials=registry.credentials_from_hooks, registry=registry)


# Observers


def test_observers_are_told_how_it_went(registry):
    seen = []
    implement(registry, observe=lambda observation: seen.extend([observation]))
    read(registry, "x-text:a")
    urlschemes_access.find_attributes("x-text:b", registry=registry)
    with pytest.raises(PolicyDenied) as caught:
        urlschemes_access.access("x-text:c", policy=Policy(denied_schemes=frozenset({"x-text"})), registry=registry)
    assert [(each.operation, each.scheme, each.url, each.outcome, each.error) for each in seen] == [
        ("access", "x-text", "x-text:a", "opened", None),
        ("access", "x-text", "x-text:a", "completed", None),
        ("find attributes", "x-text", "x-text:b", "opened", None),
        ("access", "x-text", "x-text:c", "failed", caught.value),
    ]
    assert all(isinstance(each, Observation) and each.seconds >= 0 for each in seen)


def test_observers_are_told_how_a_transfer_ended(registry):
    seen = []
    implement(registry, observe=lambda observation: seen.extend([observation]))
    urlschemes_access.access("x-text:a", registry=registry).close()
    with urlschemes_access.access("x-short:a", registry=registry) as document, pytest.raises(Truncated) as caught:
        document.read()
    assert [(each.url, each.outcome, each.error) for each in seen] == [
        ("x-text:a", "opened", None),
        ("x-text:a", "abandoned", None),
        ("x-short:a", "opened", None),
        ("x-short:a", "failed", caught.value),
    ]
    assert seen[0].seconds <= seen[1].seconds


@pytest.mark.parametrize("error", [Mine(), SystemExit(3), GeneratorExit(), Last()])
def test_an_observer_that_fails_changes_nothing(registry, caplog, error):
    seen = []
    implement(registry, "a", observe=fails(error))
    implement(registry, "b", observe=lambda observation: seen.append(observation.url))
    assert read(registry, "x-text:a") == "x-text:a"
    assert seen == ["x-text:a"] * 2
    ((name, level, message),) = caplog.record_tuples  # of two failures with the same words
    assert (name, level) == ("urlschemes", logging.WARNING)
    assert message.startswith("the hook urlschemes_observe of a failed: ")
    assert "secret" not in message


def test_what_an_observer_fails_with_is_logged_again_when_it_says_something_else_or_worked_between(registry, caplog):
    words = iter(["full", "full", "", "full", "gone", "gone"])

    def observe():
        said = next(words)
        if said:
            raise OSError(said)

    implement(registry, "a", observe=observe)
    for _ in range(3):
        assert read(registry, "x-text:a") == "x-text:a"
    assert [each.getMessage().rpartition(" ")[2] for each in caplog.records] == ["full", "full", "gone"]


# Ledgers


def ledger(*names: KnownName, title="the register of things", date="2024-04-22") -> Ledger:
    return Ledger(title, "https://host.example/register", date, names)


def test_ledgers_say_what_is_known_of_a_name(registry):
    asked = []
    things = KnownName("x-things", "all \x1bthings", "RFC 0", status="provisional")
    implement(registry, "a", ledger=lambda: None)
    implement(
        registry, "b", ledger=lambda: asked.append("b") or ledger(things, KnownName("x-other"), KnownName("x-texx"))
    )
    implement(registry, "c", ledger=lambda: ledger(KnownName("x-things", "no", distribution="things"), title="mine"))
    with pytest.raises(UnknownScheme) as caught:
        registry.parse("X-Things:a")
    assert asked == []  # nobody has read the error yet
    assert str(caught.value) == (
        "nobody provides the scheme x-things here; the register of things (2024-04-22) has it as provisional: "
        "all \\x1bthings, RFC 0; according to mine, things provides it; "
        "`parse_generic` reads it; a plugin can define it"
    )
    with pytest.raises(UnknownScheme) as caught:
        registry.parse("x-other:a")
    assert str(caught.value) == (
        "nobody provides the scheme x-other here; the register of things (2024-04-22) has it; "
        "`parse_generic` reads it; a plugin can define it"
    )
    assert (pickle.loads(pickle.dumps(caught.value)).message, caught.value.args) == (
        caught.value.message,
        (caught.value.message,),
    )
    with pytest.raises(UnknownScheme, match=r"no scheme is registered as 'x-thigns'; did you mean x-things\?"):
        registry.parse("x-thigns:a")
    with pytest.raises(UnknownScheme, match=r"no scheme is registered as 'x-tex'; did you mean x-text\?$"):
        registry.parse("x-tex:a")
    assert registry.why("x-other").rule.startswith("nobody provides the scheme x-other here; the register of things")
    assert [each.title for each in registry.ledgers()][1:] == ["the register of things", "mine"]
    known = registry.known_names()
    assert list(known) == sorted(known)
    assert known["x-things"] == KnownName("x-things", "all \\x1bthings", "RFC 0", "", "things", "provisional")
    assert asked == ["b"]


def test_a_ledger_that_is_added_later_is_asked_too(registry):
    assert "x-things" not in registry.known_names()
    implement(registry, "a", ledger=lambda: ledger(KnownName("x-things")))
    assert "x-things" in registry.known_names()


def test_what_the_core_knows_counts_before_what_ledgers_say(registry):
    (name, own) = next(iter(known_names().items()))
    implement(registry, ledger=lambda: ledger(KnownName(name, "evil", "evil", "evil", "evil", "evil")))
    assert registry.known_names()[name] == own
    with pytest.raises(UnknownScheme) as caught:
        registry.parse(f"{name}:a")
    assert "evil" not in str(caught.value)


def test_nobody_is_told_to_install_something_on_the_word_of_a_ledger(registry):
    """Also not for a name that the core's own ledger knows, and gives to nobody."""
    nobodys = next(name for name, known in known_names().items() if not known.distribution)
    names = [KnownName(name, distribution="evil") for name in ("x-text", "x-other", nobodys)]
    implement(registry, ledger=lambda: ledger(*names))
    for name in ("x-other", nobodys):
        with pytest.raises(UnknownScheme) as caught:
            registry.parse(f"{name}:a")
        assert "install" not in str(caught.value)
        assert "install" not in registry.why(name).advice.replace(
            "a distribution that provides it can be installed, or made: `urlschemes new`", ""
        )


def test_where_no_ledger_is_installed_an_unknown_name_says_who_knows_more(registry):
    with pytest.raises(UnknownScheme) as caught:
        registry.parse("nobody-has-it:a")
    assert caught.value.hint == "urlschemes-iana knows the names that IANA has registered"
    with pytest.raises(UnknownScheme, match=r"did you mean x-text\?$"):
        registry.parse("x-txet:a")
    with pytest.raises(UnknownScheme) as caught:
        registry.parse("x-nobody-has-it:a")  # an experiment, which is registered nowhere
    assert caught.value.hint is None
    implement(registry, ledger=lambda: ledger(KnownName("x-things")))
    with pytest.raises(UnknownScheme) as caught:
        registry.parse("nobody-has-it:a")
    assert caught.value.hint is None


def endless():
    while True:
        yield KnownName("x-a")


class Endless(tuple):
    __slots__ = ()

    def __iter__(self):
        return (KnownName(f"x-{number}") for number in count())


@pytest.mark.parametrize(
    ("hook", "says"),
    [
        (fails(Mine()), "test_hooks.Mine"),
        (fails(SystemExit(3)), "SystemExit: 3"),
        (fails(GeneratorExit()), "GeneratorExit"),
        (fails(PluginError("of \x1btheirs")), r"failed: of \\x1btheirs"),
        (lambda: "a text", "gave a str"),
        (lambda: [ledger()], "gave a list"),
        (lambda: ledger()._replace(names=endless()), "without a tuple of names"),
        (lambda: ledger()._replace(names=Endless()), "of more than 20000 names"),
        (lambda: ledger(date="yesterday"), "a date that is none"),
        (lambda: ledger(date=None), "TypeError"),
        (lambda: ledger("x-a"), "of what are no names"),
        (lambda: ledger(KnownName("X-A")), "the name 'X-A', or a distribution for it, that can be none"),
        (lambda: ledger(KnownName("")), "that can be none"),
        (lambda: ledger(KnownName("x-a", distribution="a; rm b")), "that can be none"),
        (lambda: ledger(KnownName("x-a"), KnownName("x-a")), "holds x-a twice"),
        (lambda: ledger(KnownName("x-a", None)), "TypeError"),
    ],
)
def test_a_ledger_that_fails_knows_nothing_and_is_logged_once(registry, caplog, hook, says):  # C15, C16, C17, C40
    implement(registry, "bad", ledger=hook)
    implement(registry, "good", ledger=lambda: ledger(KnownName("x-good")))
    for _ in range(2):
        with pytest.raises(UnknownScheme) as caught:
            registry.parse("x-else:a")
        assert caught.value.message == "no scheme is registered as 'x-else'"
    assert "x-good" in registry.known_names()
    (record,) = caplog.records
    assert record.getMessage().startswith("the hook urlschemes_ledger of bad ")
    assert re.search(says, record.getMessage())
    assert "secret" not in caplog.text
    assert record.getMessage().isprintable()


def test_nothing_of_a_ledger_is_read_for_a_scheme_that_is_there_or_a_url_that_is_none(registry):
    asked = []
    implement(registry, ledger=lambda: asked.append(1))
    assert registry.is_valid("x-text:a")
    assert not registry.is_valid("x-nobody:a")
    assert [each.code for each in urlschemes_lint.check("x-text:%", registry=registry)] == ["bad-escape"]
    assert asked == []


# Installed hooks

PLAIN = """
from urlschemes_access.attributes import Attributes
from urlschemes_access.protocol import Deliver, Open

def access(url):
    yield from Open("document", Attributes())
    yield from Deliver(url.word.encode())
"""

TRY = """
import urlschemes
from urlschemes import default_registry as registry
from urlschemes.errors import URLError
said = []
def attempt():
    try:
        with urlschemes_access.access("x-plain:yes") as document:
            said.append(document.read().decode())
    except URLError as error:
        said.append(type(error).__name__ + ": " + str(error))
"""


def test_without_hooks_pluggy_is_not_imported(plugin, child):
    site = plugin("x-plain", access=PLAIN)
    code = (
        TRY
        + "attempt()\nprint(json.dumps([said, 'pluggy' in sys.modules, 'urlschemes.registry.hooks' in sys.modules]))"
    )
    assert child(code, site, environ={"URLSCHEMES_PLUGINS": "x-plain"}) == [["yes"], False, False]


def test_installed_hooks_take_part_and_are_imported_when_needed(plugin, install, child):
    hook = "from urlschemes.registry.hooks import hookimpl\n@hookimpl\ndef urlschemes_veto(url): return 'never'\n"
    install("no-saying", "[urlschemes]\nveto = no_saying\n", {"no_saying.py": hook})
    site = plugin("x-plain", access=PLAIN)
    code = (
        TRY
        + """
urlschemes.parse("x-plain:yes")
before = "no_saying" in sys.modules
attempt()
print(json.dumps([before, said, [c.state for c in registry.claims() if c.distribution == "no-saying"]]))
"""
    )
    before, (said,), states = child(code, site)
    assert (before, states) == (False, ["active"])
    assert said.startswith("PolicyDenied: no-saying 1.0 forbids the access: never; the hook urlschemes_veto of ")
    before, said, states = child(code, site, environ={"URLSCHEMES_PLUGINS": "x-plain"})
    assert (before, said, states) == (False, ["yes"], ["disabled"])


def test_hooks_that_cannot_be_loaded_close_accesses_and_nothing_else(plugin, install, child):
    install("bad-hooks", "[urlschemes]\nveto = bad_hooks\n", {"bad_hooks.py": "raise SystemExit(3)"})
    site = plugin("x-plain", access=PLAIN)
    said, valid, states = child(
        TRY
        + """
attempt()
attempt()
valid = urlschemes.is_valid("x-plain:yes"), urlschemes.is_valid("x-nobody:yes")
print(json.dumps([said, valid, [c.state for c in registry.claims() if c.distribution == "bad-hooks"]]))
""",
        site,
    )
    assert said[0].startswith(
        "PluginLoadError: bad-hooks 1.0, which provides veto, cannot be imported: SystemExit: 3; URLSCHEMES_DISABLE="
    )
    assert said[1] == said[0]
    assert (valid, states) == ([True, False], ["broken"])


MISSPELT = "from urlschemes.registry.hooks import hookimpl\n@hookimpl\ndef urlschemes_vetoo(url): return 'never'\n"
LEDGER = """
from urlschemes.registry.hooks import hookimpl
from urlschemes.registry.known_names import Ledger
from urlschemes.registry.known_names import KnownName
@hookimpl
def urlschemes_ledger(): return Ledger("the register of things", "nobody", "2024", (KnownName("x-things"),))
"""


def test_a_misspelt_hook_of_an_installed_distribution_is_found_and_named(plugin, install, child):
    install("bad-spelling", "[urlschemes]\nveto = bad_spelling\n", {"bad_spelling.py": MISSPELT})
    install("good-ledger", "[urlschemes]\nledger = good_ledger\n", {"good_ledger.py": LEDGER})
    site = plugin("x-plain", access=PLAIN)
    code = (
        TRY
        + """
attempt()
valid, known = urlschemes.is_valid("x-plain:yes"), "x-things" in registry.known_names()
found = [[each.claim.distribution, each.claim.state, each.claim.reason]
         for each in urlschemes.Registry().diagnose(load=True)
         if each.claim.distribution in {"bad-spelling", "good-ledger"}]
print(json.dumps([said, valid, known, found]))
"""
    )
    (said,), valid, known, found = child(code, site)
    wrong = "the hooks of bad-spelling 1.0 are wrong: unknown hook "
    assert said.startswith(f"PluginContractError: {wrong}'urlschemes_vetoo'")
    assert (valid, known) == (True, True)
    (bad, good) = sorted(found)
    assert bad[:2] == ["bad-spelling", "broken"]
    assert wrong in bad[2]
    assert good[:2] == ["good-ledger", "active"]


# Trust in the environment


def test_a_gateway_is_told_whether_the_environment_is_trusted(registry):
    told = []

    def gateway(trust_env):
        told.append(trust_env)

    def trusting(trust_env):
        return Registry(["hooked"], configuration=Configuration.load(trust_env=trust_env, environ={}))

    for each in (registry, trusting(trust_env=False), trusting(trust_env=True)):
        implement(each, gateway=gateway)
        read(each, "x-text:a")
    assert told == [False, False, True]


# Each kind by itself

OBSERVED = "\nfrom urlschemes.registry.hooks import hookimpl\n@hookimpl\ndef urlschemes_observe(observation): pass\n"
BREAKS = {  # what stands in the module that an entry names, and what is said of it
    "raise RuntimeError('x')": "house 1.0, which provides {}, cannot be imported: RuntimeError: x",
    "": "the hooks of house 1.0 are wrong: nothing in it implements urlschemes_{}",
    MISSPELT: "the hooks of house 1.0 are wrong: unknown hook 'urlschemes_vetoo'",
}


@pytest.mark.parametrize("code", BREAKS)
@pytest.mark.parametrize("kind", HOOK_NAMES)
def test_what_is_broken_fails_what_its_hook_decides_about(plugin, install, child, kind, code):
    install("house", f"[urlschemes]\n{kind} = house\n", {"house.py": code})
    site = plugin("x-plain", access=PLAIN)
    said, logged, credentials, known, valid = child(
        TRY
        + """
import logging
logged = []
logging.getLogger("urlschemes").addHandler(logged_to := logging.Handler())
logged_to.emit = lambda record: logged.append(record.getMessage())
attempt()
attempt()
from urlschemes_access.protocol import Authenticate
try:
    credentials = str(registry.credentials_from_hooks(Authenticate("h.dom", 21)))
except URLError as error:
    credentials = str(error)
known = [len(registry.known_names()) >= 18 for _ in range(2)]
print(json.dumps([said, logged, credentials, known, urlschemes.is_valid("x-plain:yes")]))
""",
        site,
        environ={"URLSCHEMES_PLUGINS": "x-plain,house"},
    )
    wrong = BREAKS[code].format(kind)
    closes = kind in {"veto", "gateway"}
    assert (known, valid) == ([True, True], True)
    assert [wrong in each for each in said] == [closes, closes]
    assert closes or said == ["yes", "yes"]
    assert (wrong in credentials) == (kind == "credentials")
    assert [wrong in each for each in logged] == ([True] if kind in {"ledger", "observe"} else [])


@pytest.mark.parametrize("entries", ["veto = house\n", "veto = house\nobserve = house\n"])
def test_a_hook_that_no_entry_names_would_never_be_called_and_is_refused(plugin, install, child, entries):
    install("house", f"[urlschemes]\n{entries}", {"house.py": MISSPELT.replace("vetoo", "veto") + OBSERVED})
    code = TRY + "attempt()\nprint(json.dumps(said))"
    (said,) = child(code, plugin("x-plain", access=PLAIN), environ={"URLSCHEMES_PLUGINS": "x-plain,house"})
    if "observe" in entries:
        assert said.startswith("PolicyDenied: house 1.0 forbids the access: never")
    else:
        assert "the hooks of house 1.0 are wrong: urlschemes_observe would never be called" in said


def test_an_entry_that_names_no_hook_is_malformed_and_changes_nothing(plugin, install, child):
    install("house", "[urlschemes]\nany = house\n", {"house.py": "raise SystemExit(3)"})
    code = (
        TRY
        + """
attempt()
print(json.dumps([said, [[c.state, c.reason] for c in registry.claims() if c.distribution == "house"]]))
"""
    )
    site = plugin("x-plain", access=PLAIN)
    said, ((state, reason),) = child(code, site, environ={"URLSCHEMES_PLUGINS": "x-plain,house"})
    assert (said, state) == (["yes"], "malformed")
    assert reason == "no hook is called 'any'; there are: credentials, gateway, ledger, observe, veto"
    assert child(code, site, environ={"URLSCHEMES_DISABLE": "house"}) == [
        ["yes"],
        [["disabled", "URLSCHEMES_DISABLE names house"]],
    ]


def test_a_ledger_alone_imports_nothing_when_something_is_accessed(plugin, install, child):
    install("arts", "[urlschemes]\nledger = arts\ncredentials = arts\n", {"arts.py": "raise SystemExit(3)"})
    code = TRY + "attempt()\nprint(json.dumps([said, 'pluggy' in sys.modules, 'arts' in sys.modules]))"
    site = plugin("x-plain", access=PLAIN)
    assert child(code, site, environ={"URLSCHEMES_PLUGINS": "x-plain,arts"}) == [["yes"], False, False]


def test_a_login_says_what_it_is_for(registry):
    asked = []
    implement(registry, credentials=lambda request: asked.append((request.scheme, request.protected)))
    read(registry, "x-login:a", credentials=registry.credentials_from_hooks)
    assert asked == [("x-login", False)]
