"""The configuration: what a file and trusted variables say, where each value comes from, and what is refused."""

from __future__ import annotations

import os
import sys
from dataclasses import FrozenInstanceError, fields, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import urlschemes_access
from urlschemes import Registry, Scheme
from urlschemes.errors import ConfigurationError, URLError
from urlschemes_access import Configuration, Limits, Policy
from urlschemes_access.attributes import Attributes
from urlschemes_access.configuration import own_file
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

[options.x-told]
server = "news.dom"
times = 3
loud = true
seeds = ["a", "b"]

[registry]
plugins = ["foo-schemes"]

[registry.pins]
x-foo = "foo-schemes"
"""


def write(path: Path, text: str | bytes = "", mode: int = 0o600) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    path.chmod(mode)
    return path


def refused(action: Any, *arguments: Any, **named: Any) -> ConfigurationError:
    with pytest.raises(ConfigurationError) as caught:
        action(*arguments, **named)
    error: ConfigurationError = caught.value
    assert len(str(error)) <= 300
    assert str(error).isprintable()
    return error


# Where it comes from


@pytest.mark.decision(32)
def test_a_registry_alone_has_none_and_reads_no_file(nothing_configured: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(nothing_configured / "urlschemes" / "config.toml", "this is wrong")
    monkeypatch.setenv("URLSCHEMES_GATEWAYS", "this is wrong")
    registry = Registry(plugins=())
    assert registry.configuration == Configuration()
    assert registry.configuration.policy() == Policy.untrusted()


def test_every_value_knows_where_it_comes_from(tmp_path: Path) -> None:
    file = write(tmp_path / "config.toml", ALL)
    loaded = Configuration.load(file)
    assert {each.name: each.value for each in loaded.settings} == {
        "policy.roots": (os.path.expanduser("~/pub"), "/srv"),  # noqa: PTH111
        "policy.ports": frozenset({70, 8000}),
        "policy.public": False,
        "policy.denied_hosts": frozenset({"evil.dom"}),
        "policy.denied_networks": ("10.0.0.0/8",),
        "limits.deadline": 120.5,
        "limits.entries": 10,
        "gateways.wais": "http://gw.dom/fetch?{url}",
        "options.x-told.server": "news.dom",
        "options.x-told.times": 3,
        "options.x-told.loud": True,
        "options.x-told.seeds": ("a", "b"),
        "registry.plugins": ("foo-schemes",),
        "registry.pins.x-foo": "foo-schemes",
    }
    assert {each.source for each in loaded.settings} == {str(file)} == {loaded.file}
    assert (loaded.plugins, loaded.pins) == (("foo-schemes",), {"x-foo": "foo-schemes"})
    assert loaded == Configuration.load(file)
    assert hash(loaded) == hash(Configuration.load(file))
    with pytest.raises(FrozenInstanceError):
        loaded.settings = ()  # type: ignore[misc]


def test_the_users_own_file_is_looked_for_where_the_system_has_such_files(
    nothing_configured: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = nothing_configured / "urlschemes" / "config.toml"
    assert Configuration.load() == Configuration(file=str(own))
    write(own, "[limits]\nhops = 1\n")
    assert Configuration.load().policy().limits.hops == 1
    for platform, variables, expected in (
        ("linux", {"XDG_CONFIG_HOME": "/x", "HOME": "/h"}, "/x/urlschemes/config.toml"),
        ("linux", {"XDG_CONFIG_HOME": "x", "HOME": "/h"}, "/h/.config/urlschemes/config.toml"),
        ("linux", {"HOME": "relative"}, None),
        ("darwin", {"HOME": "/h"}, "/h/Library/Application Support/urlschemes/config.toml"),
        ("win32", {"APPDATA": "/roaming", "HOME": "/h"}, "/roaming/urlschemes/config.toml"),
        ("win32", {"HOME": "/h"}, None),
    ):
        monkeypatch.setattr("sys.platform", platform)
        assert own_file(variables) == expected
    monkeypatch.undo()
    assert "there is no file" in refused(Configuration.load, tmp_path / "other.toml").message


def test_variables_count_only_where_they_are_trusted_and_then_before_the_file(tmp_path: Path) -> None:
    file = write(tmp_path / "c.toml", '[gateways]\nwais = "http://file.dom/{url}"\nnews = "http://file.dom/{url}"\n')
    environ = {"URLSCHEMES_GATEWAYS": " wais=http://env.dom/?{url}\nx-foo=http://env.dom/{url} ", "NNTPSERVER": "n.dom"}

    def sources(loaded: Configuration) -> dict[str, tuple[str, str]]:
        return {each.key: (each.value, each.source) for each in loaded.settings}

    assert sources(Configuration.load(file, environ=environ)) == {
        "wais": ("http://file.dom/{url}", str(file)),
        "news": ("http://file.dom/{url}", str(file)),
    }
    variable = "the environment variable URLSCHEMES_GATEWAYS"
    trusting = Configuration.load(file, trust_env=True, environ=environ)
    assert sources(trusting) == {
        "wais": ("http://env.dom/?{url}", variable),
        "news": ("http://file.dom/{url}", str(file)),
        "x-foo": ("http://env.dom/{url}", variable),
    }
    assert trusting.environment["NNTPSERVER"] == "n.dom"
    assert not Configuration.load(file, environ=environ).environment


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("wais", "has no ="),
        ("wais=http://a.dom/{url} wais=http://b.dom/{url}", "comes twice"),
        ("wais=http://a.dom/", "needs {url} once"),
        ("wais=", "must be a text"),
        ("=http://a.dom/{url}", "not named after a scheme"),
        ("WAIS=http://a.dom/{url}", "in lower case"),
        ("wais=http://a.dom/{url} http=https://a.dom/{url}", "leads to http, which has a gateway itself"),
    ],
)
def test_a_wrong_variable_is_named(text: str, words: str) -> None:
    error = refused(Configuration.load, trust_env=True, environ={"URLSCHEMES_GATEWAYS": text})
    assert error.source == "the environment variable URLSCHEMES_GATEWAYS"
    assert words in error.message


# What it may be


@pytest.mark.parametrize(
    ("text", "key", "words"),
    [
        ("policy = 1", "policy", "must be a table"),
        ("[polcy]", "polcy", "did you mean policy?"),
        ("[policy]\nport = [1]", "policy.port", "did you mean policy.ports?"),
        ("[policy]\nlimits = {}", "policy.limits", "nothing reads policy.limits"),
        ("[policy]\nroots = '/srv'", "policy.roots", "must be a list of texts"),
        ("[policy]\nroots = ['srv']", "policy.roots", "must be a list of whole paths"),
        ("[policy]\nwritable = ['srv']", "policy.writable", "must be a list of whole paths"),
        ("[policy]\npublic = 'yes'", "policy.public", "must be true or false"),
        ("[policy]\nports = ['22']", "policy.ports", "numbers from 1 to 65535"),
        ("[policy]\nports = [true]", "policy.ports", "numbers from 1 to 65535"),
        ("[policy]\nports = [70000]", "policy.ports", "numbers from 1 to 65535"),
        ("[policy]\nnetworks = ['10.0.0.0/99']", "policy.networks", "10.0.0.0/99"),
        ("[limits]\nidel = 1", "limits.idel", "did you mean limits.idle?"),
        ("[limits]\nidle = '1'", "limits.idle", "must be a number"),
        ("[limits]\nidle = true", "limits.idle", "must be a number"),
        ("[limits]\nidle = nan", "limits.idle", "must be positive and finite"),
        ("[limits]\nentries = 1.5", "limits.entries", "must be a whole number"),
        ("[limits]\nentries = 0", "limits.entries", "must be positive and finite"),
        ("[gateways]\nwais = 1", "gateways.wais", "must be a text"),
        ("[gateways]\nWais = 'http://gw.dom/{url}'", "gateways.Wais", "in lower case"),
        ("[gateways]\nwais = 'http://gw.dom/'", "gateways.wais", "needs {url} once"),
        ("[gateways]\nwais = 'http://gw.dom/{url}{url}'", "gateways.wais", "needs {url} once"),
        ("[gateways]\nwais = '/{url}'", "gateways.wais", "begins with no name of a scheme"),
        ("[gateways]\nwais = 'http://{url}/'", "gateways.wais", "would choose the host"),
        ("[gateways]\nwais = 'http://gw.dom:{url}'", "gateways.wais", "would choose the host"),
        ("[gateways]\nwais = 'http://gw.dom/{url}#a'", "gateways.wais", "it is no URL"),
        ("[gateways]\nwais = 'WAIS://gw.dom/{url}'", "gateways.wais", "leads to wais itself"),
        (
            "[gateways]\nwais = 'http://gw.dom/{url}'\nhttp = 'https://gw.dom/{url}'",
            "gateways.wais",
            "leads to http, which has a gateway itself",
        ),
        (
            "[gateways]\nwais = 'http://gw.dom/{url}'\nhttp = 'wais://gw.dom/{url}'",
            "gateways.wais",
            "leads to http, which has a gateway itself",
        ),
        ("[options]\nnews = 1", "options.news", "must be a table"),
        ("[options.News]\na = 1", "options.News", "in lower case"),
        ("[options.news]\nserver = 1994-12-01", "options.news.server", "must be a text, a number"),
        ("[options.news]\nserver = [1]", "options.news.server", "must be a text, a number"),
        ("[registry]\nplugin = ['a']", "registry.plugin", "did you mean registry.plugins?"),
        ("[registry]\nplugins = 'a'", "registry.plugins", "must be a list of texts"),
        ("[registry.pins]\nx-foo = 1", "registry.pins.x-foo", "must be a text"),
        ("[registry.pins]\n'x foo' = 'a'", "registry.pins.x foo", "not named after a scheme"),
    ],
)
def test_a_wrong_file_gives_one_error_that_says_which_key_and_what_would_be_right(
    tmp_path: Path, text: str, key: str, words: str
) -> None:
    file = write(tmp_path / "c.toml", text)
    error = refused(Configuration.load, file)
    assert (error.source, error.key) == (str(file), key)
    assert error.message.startswith(f"{file}: ")
    assert words in f"{error.message}; {error.hint}"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"[policy", "is not TOML: "),
        (b"a = " + b"9" * 5000, "is not TOML: "),
        (b"a = " + b"[" * 5000, "is not TOML: "),
        (b'a = "\xff"', "is not UTF-8"),
        (b"#" * (1024 * 1024 + 1), "is longer than 1048576 octets"),
    ],
)
def test_what_is_no_configuration_file_at_all(tmp_path: Path, content: bytes, words: str) -> None:
    error = refused(Configuration.load, write(tmp_path / "c.toml", content))
    assert words in error.message


def test_a_path_is_shown_on_one_line_whatever_it_is(tmp_path: Path) -> None:
    assert "\\x1b[2J\\x0a" in str(refused(Configuration.load, tmp_path / "a\x1b[2J\n"))
    refused(Configuration.load, "a\0b")
    refused(Configuration.load, tmp_path)


@pytest.mark.skipif(not POSIX, reason="modes and owners are those of POSIX")
def test_a_file_that_others_decide_on_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(tmp_path / "c.toml", "[limits]\nhops = 1\n")
    for mode in (0o620, 0o602, 0o666, 0o777):
        file.chmod(mode)
        error = refused(Configuration.load, file)
        assert "others may write" in error.message
        assert error.hint == "chmod go-w on that file"
    for mode in (0o600, 0o644, 0o400):
        file.chmod(mode)
        if mode != 0o400 or os.geteuid() == 0:
            assert Configuration.load(file).policy().limits.hops == 1
    file.chmod(0o644)
    monkeypatch.setattr("os.geteuid", lambda: file.stat().st_uid + 1)
    if file.stat().st_uid != 0:  # the superuser's files are trusted
        assert "belongs to somebody else" in refused(Configuration.load, file).message


@pytest.mark.skipif(not POSIX or os.geteuid() != 0, reason="only the superuser can give a file away")
def test_somebody_elses_file_is_refused(tmp_path: Path) -> None:
    file = write(tmp_path / "c.toml", "")
    os.chown(file, 12345, -1)
    assert "belongs to somebody else" in refused(Configuration.load, file).message


@pytest.mark.skipif(not POSIX, reason="a named pipe is one of POSIX")
def test_a_pipe_is_no_configuration_file_and_blocks_nobody(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe", 0o600)
    assert "it is no regular file" in refused(Configuration.load, tmp_path / "pipe").message


# What it means


def test_values_take_the_place_of_defaults_and_denials_add_up() -> None:
    made = Configuration.of(
        {"policy": {"networks": ["192.0.2.0/24"], "denied_networks": ["192.0.2.7"]}, "limits": {"hops": 1}}
    )
    base = Policy.interactive()
    policy = made.policy(base)
    assert policy == replace(
        base,
        networks=("192.0.2.0/24",),
        denied_networks=(*base.denied_networks, "192.0.2.7"),
        limits=Limits(hops=1),
    )
    assert made.policy() == Policy(networks=("192.0.2.0/24",), denied_networks=("192.0.2.7",), limits=Limits(hops=1))
    assert Configuration().policy(base) == base
    assert [each.source for each in made.settings] == ["the program"] * 3


def test_every_field_of_the_policy_and_the_limits_can_be_configured() -> None:
    for name in (each.name for each in fields(Policy) if each.name != "limits"):
        default = getattr(Policy(), name)
        given: Any = not default if isinstance(default, bool) else [8000] if name == "ports" else ["/192.0.2.1"]
        if "networks" in name:
            given = ["192.0.2.1"]
        assert getattr(Configuration.of({"policy": {name: given}}).policy(), name) != default
    for name in (each.name for each in fields(Limits)):
        assert getattr(Configuration.of({"limits": {name: 7}}).policy().limits, name) == 7


def test_nothing_secret_is_shown() -> None:
    made = Configuration.of(
        {
            "gateways": {"wais": "ftp://joe:opensesame@gw.dom/{url}"},
            "options": {
                "x-told": {"password": "opensesame", "via": "ftp://joe:opensesame@h/", "api_token": "opensesame"}
            },
        }
    )
    assert "opensesame" not in repr(made)
    assert "opensesame" not in repr(made.settings)
    assert [each.safe for each in made.settings] == ["ftp://joe:***@gw.dom/{url}", "***", "ftp://joe:***@h/", "***"]
    error = refused(Configuration.of, {"gateways": {"wais": "ftp://joe:opensesame@gw.dom/"}})
    assert "opensesame" not in str(error) + repr(error) + repr(error.args)
    environ = {"URLSCHEMES_GATEWAYS": "ftp://joe:opensesame@gw.dom/"}
    error = refused(Configuration.load, trust_env=True, environ=environ)
    assert "opensesame" not in str(error) + repr(error) + repr(error.args)


# Options of schemes


@pytest.fixture
def told(registration: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A registry with a scheme whose access tells its options."""
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
    record = (
        'operations = ["access", "find attributes"]\n'
        'options = { server = { environment = "TOLDSERVER" }, agreed = { configurable = false } }\n'
    )

    def make(configuration: Configuration | None = None) -> Registry:
        registry = Registry(configuration=configuration)
        registry.register(Scheme(registration("x-told", record), access=module.__name__))
        return registry

    return make


def read(registry: Registry, **given: Any) -> Any:
    with urlschemes_access.access("x-told:a", **given, registry=registry) as document:
        return document.read().decode()  # type: ignore[union-attr]


@pytest.mark.decision(32)
def test_options_come_from_the_caller_then_a_trusted_variable_then_the_file_then_the_default(told: Any) -> None:
    said = {"x-told": {"server": "file.dom", "times": 2}}
    assert read(told()) == "('none', 1, False, ())"
    made = Configuration.of({"options": said})
    assert read(told(made)) == "('file.dom', 2, False, ())"
    trusting = replace(made, environment={"TOLDSERVER": "env.dom"})
    assert read(told(trusting)) == "('env.dom', 2, False, ())"
    assert read(told(replace(made, environment={"TOLDSERVER": ""}))) == "('file.dom', 2, False, ())"
    assert read(told(trusting), server="mine.dom") == "('mine.dom', 2, False, ())"
    events: list[Any] = []
    read(told(trusting), server="mine.dom", trace=events.append)
    read(told(trusting), trace=events.append)
    assert [each.text for each in events if each.kind == "option"] == [
        "times is 2, from the program",
        "server is env.dom, from the environment variable TOLDSERVER",
        "times is 2, from the program",
    ]


def test_an_operation_is_given_only_the_options_that_it_takes_each_as_its_type(told: Any) -> None:
    given = {"times": "3", "loud": "yes", "seeds": "a", "deep": True, "rate": 2, "free": 7}
    registry = told(Configuration.of({"options": {"x-told": given}}))
    assert read(registry) == "('none', 3, True, ('a',))"
    assert urlschemes_access.find_attributes("x-told:a", registry=registry).name == "(True, 2.0, 7)"
    assert registry.check_configuration() == ()


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("sever", "a", "no operation of x-told takes options.x-told.sever"),
        ("times", "often", "must be a whole number"),
        ("times", 1.5, "must be a whole number"),
        ("times", True, "must be a whole number"),
        ("loud", "perhaps", "must be yes or no"),
        ("server", 7, "must be a text"),
        ("rate", "inf", "must be a finite number"),
        ("rate", "nan", "must be a finite number"),
    ],
)
def test_an_option_that_nothing_takes_or_that_is_of_another_type_is_an_error(
    told: Any, name: str, value: Any, words: str
) -> None:
    registry = told(Configuration.of({"options": {"x-told": {name: value}}}))
    operation = registry.find_attributes if name == "rate" else registry.access
    error = refused(operation, "x-told:a")
    assert (error.source, error.key) == ("the program", f"options.x-told.{name}")
    assert words in error.message
    assert [str(each) for each in registry.check_configuration()] == [str(error)]


def test_an_option_that_is_not_configurable_comes_from_the_caller_alone(told: Any) -> None:
    """Consent that a file gave would be nobody's; refused where the caller says it too, or needs none."""
    with told().access("x-told:a", agreed=True) as document:
        assert document.attributes.name == "agreed"
    registry = told(Configuration.of({"options": {"x-told": {"agreed": True}}}))
    for error in (
        refused(registry.access, "x-told:a"),
        refused(registry.access, "x-told:a", agreed=True),
        refused(registry.find_attributes, "x-told:a"),
        *registry.check_configuration(),
    ):
        assert (error.source, error.key) == ("the program", "options.x-told.agreed")
        assert "cannot be configured: who calls the operation says it" in error.message


# The registry


def test_a_registry_takes_from_its_configuration_what_its_arguments_leave_open(told: Any) -> None:
    refusing = told(Configuration.of({"policy": {"denied_schemes": ["x-told"]}}))
    with pytest.raises(URLError, match="scheme 'x-told' is denied"):
        refusing.access("x-told:a")
    assert read(refusing, policy=Policy()) == "('none', 1, False, ())"
    made = Configuration.of({"registry": {"plugins": ["foo-schemes"], "pins": {"x-foo": "foo-schemes"}}})
    with pytest.raises(URLError, match="foo-schemes, which is not installed"):
        len(Registry(configuration=made))
    pinned = Configuration.of({"registry": {"pins": {"x-foo": "foo-schemes"}}})
    with pytest.raises(URLError, match=r"^the pin of x-foo names foo-schemes, which does not claim it"):
        len(Registry(plugins=(), configuration=pinned))
    assert len(Registry(plugins=(), configuration=Configuration.of({"registry": {"plugins": ["foo-schemes"]}}))) == 0


def test_the_faults_of_a_configuration_are_told_together(told: Any) -> None:
    registry = told(
        Configuration.of(
            {
                "options": {"x-told": {"sever": "a"}, "x-nobody": {"a": 1}},
                "gateways": {"wais": "x-absent://gw.dom/{url}", "news": "x-told:!%7B{url}"},
            }
        )
    )
    faults = [each.message for each in registry.check_configuration()]
    assert len(faults) == 3
    assert faults[0].startswith("the program: no operation of x-told takes options.x-told.sever")
    assert faults[1] == "no scheme is registered as 'x-nobody'"
    assert faults[2].startswith("gateways.wais of the program leads to a URL that cannot be accessed: no scheme")
