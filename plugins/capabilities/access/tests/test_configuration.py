"""The configuration of clients: its sources, precedence, and errors for invalid values."""

from __future__ import annotations

import os
import sys
from dataclasses import FrozenInstanceError, fields, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from urlschemes import Registration, Registry, Scheme
from urlschemes.errors import ConfigurationError, URLError
from urlschemes_access import Client, Configuration, Limits, Policy
from urlschemes_access.attributes import Attributes
from urlschemes_access.config_file import ConfigFile
from urlschemes_access.protocol import Deliver, Open

POSIX = sys.platform != "win32"
ALL = """\
[policy]
roots = ["~/pub", "/srv"]
ports = [8000, 70]
public = false
denied_hosts = ["Evil.dom"]
denied_networks = ["10.0.0.0/8"]

[limits]
deadline = 120.5
entries = 10

[gateways]
wais = "http://gw.dom/fetch?{url}"

[options.x-shown]
server = "news.dom"
times = 3
loud = true
seeds = ["a", "b"]

"""


def write(path: Path, text: str | bytes = "", mode: int = 0o600) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    path.chmod(mode)
    return path


def load(path: Path, **arguments: Any) -> Configuration:
    return Configuration.of(ConfigFile.load(path), **arguments)


def configured(tables: dict[str, Any]) -> Configuration:
    return Configuration.of(ConfigFile(tables))


def refused(action: Any, *arguments: Any, **named: Any) -> ConfigurationError:
    with pytest.raises(ConfigurationError) as caught:
        action(*arguments, **named)
    error: ConfigurationError = caught.value
    assert len(str(error)) <= 300
    assert str(error).isprintable()
    return error


# Sources


@pytest.mark.decision(32)
def test_a_client_alone_reads_no_file_and_no_variable(
    configuration_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(configuration_folder / "urlschemes" / "config.toml", "this is wrong")
    monkeypatch.setenv("URLSCHEMES_GATEWAYS", "this is wrong")
    client = Client(registry=Registry(plugins=()))
    assert client.configuration == Configuration()
    assert client.policy == Policy.untrusted()


def test_a_client_made_from_configuration_reads_the_users_file(
    configuration_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(configuration_folder / "urlschemes" / "config.toml", "[limits]\nhops = 1\n")
    monkeypatch.setenv("URLSCHEMES_GATEWAYS", "wais=http://gw.dom/{url}")
    client = Client.from_configuration()
    assert client.policy == Policy(limits=Limits(hops=1))
    assert client.configuration.gateway("wais") is None
    trusting = Client.from_configuration(trust_env=True, policy=Policy())
    assert trusting.policy == Policy()
    assert trusting.describe_gateway("wais") == (
        "http://gw.dom/{url}, from the environment variable URLSCHEMES_GATEWAYS"
    )


def test_options_and_gateways_of_a_client_override_its_configuration() -> None:
    configuration = configured({"gateways": {"wais": "http://a.dom/{url}", "news": "http://a.dom/{url}"}})
    client = Client(configuration=configuration, gateways={"wais": "http://b.dom/{url}"}, options={"x-a": {"b": 1}})
    assert {each.name: each.value for each in client.configuration.settings} == {
        "gateways.wais": "http://b.dom/{url}",
        "gateways.news": "http://a.dom/{url}",
        "options.x-a.b": 1,
    }


def test_every_setting_has_its_source(tmp_path: Path) -> None:
    file = write(tmp_path / "config.toml", ALL)
    loaded = load(file)
    assert {each.name: each.value for each in loaded.settings} == {
        "policy.roots": (os.path.expanduser("~/pub"), "/srv"),  # noqa: PTH111
        "policy.ports": frozenset({70, 8000}),
        "policy.public": False,
        "policy.denied_hosts": frozenset({"evil.dom"}),
        "policy.denied_networks": ("10.0.0.0/8",),
        "limits.deadline": 120.5,
        "limits.entries": 10,
        "gateways.wais": "http://gw.dom/fetch?{url}",
        "options.x-shown.server": "news.dom",
        "options.x-shown.times": 3,
        "options.x-shown.loud": True,
        "options.x-shown.seeds": ("a", "b"),
    }
    assert {each.source for each in loaded.settings} == {str(file)}
    assert loaded == load(file)
    with pytest.raises(FrozenInstanceError):
        loaded.settings = ()  # type: ignore[misc]


def test_trusted_variables_take_precedence_over_the_file(tmp_path: Path) -> None:
    file = write(tmp_path / "c.toml", '[gateways]\nwais = "http://file.dom/{url}"\nnews = "http://file.dom/{url}"\n')
    environ = {"URLSCHEMES_GATEWAYS": " wais=http://env.dom/?{url}\nx-foo=http://env.dom/{url} ", "NNTPSERVER": "n.dom"}

    def sources(loaded: Configuration) -> dict[str, tuple[str, str]]:
        return {each.key: (each.value, each.source) for each in loaded.settings}

    assert sources(load(file, environ=environ)) == {
        "wais": ("http://file.dom/{url}", str(file)),
        "news": ("http://file.dom/{url}", str(file)),
    }
    variable = "the environment variable URLSCHEMES_GATEWAYS"
    trusting = load(file, trust_env=True, environ=environ)
    assert sources(trusting) == {
        "wais": ("http://env.dom/?{url}", variable),
        "news": ("http://file.dom/{url}", str(file)),
        "x-foo": ("http://env.dom/{url}", variable),
    }
    assert trusting.environment["NNTPSERVER"] == "n.dom"
    assert not load(file, environ=environ).environment


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("wais", "has no ="),
        ("wais=http://a.dom/{url} wais=http://b.dom/{url}", "is given twice"),
        ("wais=http://a.dom/", "must contain {url} once"),
        ("wais=", "must contain {url} once"),
        ("=http://a.dom/{url}", "not named after a scheme"),
        ("WAIS=http://a.dom/{url}", "in lower case"),
    ],
)
def test_an_invalid_variable_is_an_error_that_names_it(text: str, words: str) -> None:
    error = refused(Configuration.of, ConfigFile(), trust_env=True, environ={"URLSCHEMES_GATEWAYS": text})
    assert error.source == "the environment variable URLSCHEMES_GATEWAYS"
    assert words in error.message


# Invalid values


@pytest.mark.parametrize(
    ("text", "key", "words"),
    [
        ("policy = 1", "policy", "must be a table"),
        ("[polcy]", "polcy", "did you mean policy?"),
        ("[policy]\nport = [1]", "policy.port", "did you mean policy.ports?"),
        ("[policy]\nlimits = {}", "policy.limits", "unknown key policy.limits"),
        ("[policy]\nroots = '/srv'", "policy.roots", "must be a list of strings"),
        ("[policy]\nroots = ['srv']", "policy.roots", "must be a list of absolute paths"),
        ("[policy]\nwritable = ['srv']", "policy.writable", "must be a list of absolute paths"),
        ("[policy]\npublic = 'yes'", "policy.public", "must be true or false"),
        ("[policy]\nports = ['22']", "policy.ports", "numbers from 1 to 65535"),
        ("[policy]\nports = [true]", "policy.ports", "True is not a number from 1 to 65535"),
        ("[policy]\nports = [70000]", "policy.ports", "70000 is not a number from 1 to 65535"),
        ("[policy]\nhosts = { 'a.dom' = 1 }", "policy.hosts", "must be a list of strings"),
        ("[policy]\ndenied_hosts = ['*.a.dom']", "policy.denied_hosts", "'*.a.dom' can never be a host: expected"),
        ("[policy]\nschemes = ['http:']", "policy.schemes", "'http:' is not the name of a scheme: expected"),
        ("[policy]\nnetworks = ['10.0.0.0/99']", "policy.networks", "10.0.0.0/99"),
        ("[limits]\nidel = 1", "limits.idel", "did you mean limits.idle?"),
        ("[limits]\nidle = '1'", "limits.idle", "must be a number"),
        ("[limits]\nidle = true", "limits.idle", "must be a number"),
        ("[limits]\nidle = nan", "limits.idle", "is not positive and finite"),
        ("[limits]\nentries = 1.5", "limits.entries", "must be a whole number"),
        ("[limits]\nentries = 0", "limits.entries", "is not positive and finite"),
        ("[gateways]\nwais = 1", "gateways.wais", "must be a string that is not empty"),
        ("[gateways]\nWais = 'http://gw.dom/{url}'", "gateways.Wais", "in lower case"),
        ("[gateways]\nwais = 'http://gw.dom/'", "gateways.wais", "must contain {url} once"),
        ("[gateways]\nwais = 'http://gw.dom/{url}{url}'", "gateways.wais", "must contain {url} once"),
        ("[gateways]\nwais = '/{url}'", "gateways.wais", "does not begin with the name of a scheme"),
        ("[gateways]\nwais = 'http://{url}/'", "gateways.wais", "must come after the host"),
        ("[gateways]\nwais = 'http://gw.dom:{url}'", "gateways.wais", "must come after the host"),
        ("[gateways]\nwais = 'http://gw.dom/{url}#a'", "gateways.wais", "a fragment, which is never sent"),
        ("[options]\nnews = 1", "options.news", "must be a table"),
        ("[options.News]\na = 1", "options.News", "in lower case"),
        ("[options.news]\nserver = 1994-12-01", "options.news.server", "must be a string, a number"),
        ("[options.news]\nserver = [1]", "options.news.server", "must be a string, a number"),
    ],
)
def test_an_invalid_value_is_an_error_with_its_key_and_what_was_expected(
    tmp_path: Path, text: str, key: str, words: str
) -> None:
    file = write(tmp_path / "c.toml", text)
    error = refused(load, file)
    assert (error.source, error.key) == (str(file), key)
    assert error.message.startswith(f"{file}: ")
    assert error.message.count(str(file)) == 1
    assert words in f"{error.message}; {error.hint}"


# Meaning


def test_settings_replace_defaults_and_denials_are_added() -> None:
    made = configured(
        {"policy": {"networks": ["192.0.2.0/24"], "denied_networks": ["192.0.2.7"]}, "limits": {"hops": 1}}
    )
    base = Policy.interactive()
    policy = made.policy(base)
    assert policy == replace(
        base, networks=("192.0.2.0/24",), denied_networks=(*base.denied_networks, "192.0.2.7"), limits=Limits(hops=1)
    )
    assert made.policy() == Policy(networks=("192.0.2.0/24",), denied_networks=("192.0.2.7",), limits=Limits(hops=1))
    assert Configuration().policy(base) == base
    assert [each.source for each in made.settings] == ["the program"] * 3


def test_every_field_of_policy_and_limits_can_be_configured() -> None:
    for name in (each.name for each in fields(Policy) if each.name != "limits"):
        default = getattr(Policy(), name)
        given: Any = (
            not default
            if isinstance(default, bool) or name == "user_information"
            else [8000]
            if "ports" in name
            else ["/srv"]
            if name in {"roots", "writable"}
            else ["x-foo"]
            if "schemes" in name
            else ["192.0.2.1"]
        )
        assert getattr(configured({"policy": {name: given}}).policy(), name) != default
    for name in (each.name for each in fields(Limits)):
        assert getattr(configured({"limits": {name: 7}}).policy().limits, name) == 7


def test_secrets_are_hidden() -> None:
    made = configured(
        {
            "gateways": {"wais": "ftp://joe:opensesame@gw.dom/{url}"},
            "options": {
                "x-shown": {"password": "opensesame", "via": "ftp://joe:opensesame@h/", "api_token": "opensesame"}
            },
        }
    )
    assert "opensesame" not in repr(made)
    assert "opensesame" not in repr(made.settings)
    assert [each.safe for each in made.settings] == ["ftp://joe:***@gw.dom/{url}", "***", "ftp://joe:***@h/", "***"]
    error = refused(configured, {"gateways": {"wais": "ftp://joe:opensesame@gw.dom/"}})
    as_the_hint_says = configured({"gateways": {"wais": str(error.hint).split('"')[1]}})
    assert not Client(configuration=as_the_hint_says).check_configuration()
    assert "opensesame" not in str(error) + repr(error) + repr(error.args)
    environ = {"URLSCHEMES_GATEWAYS": "ftp://joe:opensesame@gw.dom/"}
    error = refused(Configuration.of, ConfigFile(), trust_env=True, environ=environ)
    assert "opensesame" not in str(error) + repr(error) + repr(error.args)


# Options of schemes


@pytest.fixture
def make_client(record: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that makes a client for a scheme whose access delivers its options."""
    monkeypatch.setattr("urlschemes.registry.plugins.installed_claims", lambda **_: ())

    def access(
        _url: Any,
        *,
        server: str = "none",
        times: int = 1,
        loud: bool = False,
        seeds: tuple[str, ...] = (),
        agreed: bool = False,
    ) -> Any:
        yield from Open("document", Attributes(name="agreed" if agreed else "not agreed"))
        yield from Deliver(repr((server, times, loud, seeds)).encode())

    def find_attributes(_url: Any, *, deep: bool = False, rate: float = 0.5, free: object = None) -> Any:
        yield from Open("attributes", Attributes(name=repr((deep, rate, free))))

    module = ModuleType("algorithms_that_tell")
    vars(module).update(access=access, find_attributes=find_attributes)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    lines = (
        'operations = ["access", "find attributes"]\n'
        'options = { server = { environment = "SHOWNSERVER" }, agreed = { configurable = false } }\n'
    )

    def make(configuration: Configuration | None = None) -> Client:
        registry = Registry()
        text = record("x-shown").replace('operations = ["access"]\n', lines)
        registry.register(Scheme(Registration.from_text(text), access=module.__name__))
        return Client(registry=registry, configuration=configuration)

    return make


def read(client: Client, **arguments: Any) -> Any:
    with client.access("x-shown:a", **arguments) as document:
        return document.read().decode()  # type: ignore[union-attr]


@pytest.mark.decision(32)
def test_options_come_from_the_caller_then_a_trusted_variable_then_the_file_then_the_default(make_client: Any) -> None:
    options = {"x-shown": {"server": "file.dom", "times": 2}}
    assert read(make_client()) == "('none', 1, False, ())"
    made = configured({"options": options})
    assert read(make_client(made)) == "('file.dom', 2, False, ())"
    trusting = replace(made, environment={"SHOWNSERVER": "env.dom"})
    assert read(make_client(trusting)) == "('env.dom', 2, False, ())"
    assert read(make_client(replace(made, environment={"SHOWNSERVER": ""}))) == "('file.dom', 2, False, ())"
    assert read(make_client(trusting), options={"server": "mine.dom"}) == "('mine.dom', 2, False, ())"
    events: list[Any] = []
    read(make_client(trusting), options={"server": "mine.dom"}, trace=events.append)
    read(make_client(trusting), trace=events.append)
    assert [each.text for each in events if each.kind == "option"] == [
        "times is 2, from the program",
        "server is env.dom, from the environment variable SHOWNSERVER",
        "times is 2, from the program",
    ]


def test_an_operation_gets_the_options_that_it_takes_converted_to_their_types(make_client: Any) -> None:
    given = {"times": "3", "loud": "yes", "seeds": "a", "deep": True, "rate": 2, "free": 7}
    client = make_client(configured({"options": {"x-shown": given}}))
    assert read(client) == "('none', 3, True, ('a',))"
    assert client.find_attributes("x-shown:a").name == "(True, 2.0, 7)"
    assert client.check_configuration() == ()


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("sever", "a", "options.x-shown.sever is not an option of any operation of x-shown"),
        ("times", "often", "must be a whole number"),
        ("times", 1.5, "must be a whole number"),
        ("times", True, "must be a whole number"),
        ("loud", "perhaps", "must be yes or no"),
        ("server", 7, "must be a string"),
        ("rate", "inf", "must be a finite number"),
        ("rate", "nan", "must be a finite number"),
    ],
)
def test_an_unknown_option_or_one_of_the_wrong_type_is_an_error(
    make_client: Any, name: str, value: Any, words: str
) -> None:
    client = make_client(configured({"options": {"x-shown": {name: value}}}))
    operation = client.find_attributes if name == "rate" else client.access
    error = refused(operation, "x-shown:a")
    assert (error.source, error.key) == ("the program", f"options.x-shown.{name}")
    assert words in error.message
    assert [str(each) for each in client.check_configuration()] == [str(error)]


def test_an_option_that_is_not_configurable_comes_only_from_the_caller(make_client: Any) -> None:
    """A file cannot give the consent of a user."""
    with make_client().access("x-shown:a", options={"agreed": True}) as document:
        assert document.attributes.name == "agreed"
    client = make_client(configured({"options": {"x-shown": {"agreed": True}}}))
    for error in (
        refused(client.access, "x-shown:a"),
        refused(client.access, "x-shown:a", options={"agreed": True}),
        refused(client.find_attributes, "x-shown:a"),
        *client.check_configuration(),
    ):
        assert (error.source, error.key) == ("the program", "options.x-shown.agreed")
        assert "cannot be configured: pass it to the operation" in error.message


# The client


def test_a_client_takes_its_policy_from_its_configuration(make_client: Any) -> None:
    client = make_client(configured({"policy": {"denied_schemes": ["x-shown"]}}))
    with pytest.raises(URLError, match="scheme 'x-shown' is denied"):
        client.access("x-shown:a")
    assert read(client, policy=Policy()) == "('none', 1, False, ())"


def test_a_client_reports_all_errors_of_its_configuration(make_client: Any) -> None:
    client = make_client(
        configured(
            {
                "options": {"x-shown": {"sever": "a"}, "x-nobody": {"a": 1}},
                "gateways": {"wais": "x-absent://gw.dom/{url}", "news": "x-shown:!%7B{url}"},
            }
        )
    )
    faults = sorted(each.message for each in client.check_configuration())
    assert len(faults) == 3
    assert faults[2].startswith("the program: options.x-shown.sever is not an option of any operation of x-shown")
    assert faults[1] == "no scheme is registered as 'x-nobody'"
    assert faults[0].startswith("gateways.wais of the program leads to a URL that cannot be accessed: no scheme")
