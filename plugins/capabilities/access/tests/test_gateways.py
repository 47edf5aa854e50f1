"""Gateways (section 4): URLs that are reached through a URL of another scheme, and what no gateway may learn."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest

from urlschemes import Registry, Scheme, UnsafeURL
from urlschemes.errors import ConfigurationError, UnknownScheme, UnsupportedOperation, URLError
from urlschemes.record.registration import Registration
from urlschemes.registry.claims import SPECIFICATIONS
from urlschemes.registry.discovery import installed_claims
from urlschemes.registry.hooks import hookimpl
from urlschemes.url.value import URL
from urlschemes_access import Client, Configuration, Policy
from urlschemes_access.attributes import Attributes
from urlschemes_access.config_file import ConfigFile
from urlschemes_access.configuration import fill_template
from urlschemes_access.errors import PolicyDenied
from urlschemes_access.protocol import Deliver, Open

RECORD = """
scheme = "{name}"
default_port = 70
operations = ["access", "find attributes", "replace", "delete"]
[syntax]
bnf = '''
testurl = "{name}://" login [ "/" thing ]
thing   = *[ uchar | "/" | "?" | ":" | "@" ]
'''
[syntax.parts]
user = {{ at = "user" }}
password = {{ at = "password" }}
host = {{ at = "host" }}
port = {{ at = "port", number = true }}
thing = {{ at = "thing", travels = "checked" }}
"""


@pytest.fixture
def make(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that makes a client for x-far and x-near, whose operations return their URL."""
    specified = tuple(each for each in installed_claims() if each.group == SPECIFICATIONS)
    monkeypatch.setattr("urlschemes.registry.plugins.installed_claims", lambda **_: specified)

    def access(url: Any) -> Any:
        yield from Open("document", Attributes(media_type="text/plain"))
        yield from Deliver(str(url).encode())

    def attributes(url: Any) -> Any:
        yield from Open("attributes", Attributes(name=str(url)))

    module = ModuleType("algorithms_of_the_tests")
    vars(module).update(access=access, find_attributes=attributes, replace=attributes, delete=attributes)
    monkeypatch.setitem(sys.modules, module.__name__, module)

    def made(**gateways: str) -> Client:
        tables = {"gateways": {name.replace("_", "-"): template for name, template in gateways.items()}}
        registry = Registry()
        for name in ("x-far", "x-near"):
            record = Registration.from_text(RECORD.format(name=name))
            registry.register(Scheme(record, access=module.__name__))
        return Client(registry=registry, configuration=Configuration.of(ConfigFile(tables, "the test")))

    return made


def read(client: Client, url: URL | str, **arguments: Any) -> str:
    with client.access(url, **arguments) as document:
        octets: bytes = document.read()  # type: ignore[union-attr]
        return octets.decode()


# Templates


@pytest.mark.parametrize(
    ("template", "url", "filled"),
    [
        ("http://gw.dom/fetch?{url}", "x-far://h.dom/a", "http://gw.dom/fetch?x-far%3A%2F%2Fh.dom%2Fa"),
        ("http://gw.dom/{url}", "x-far://h.dom/%2Fa", "http://gw.dom/x-far%3A%2F%2Fh.dom%2F%252Fa"),
        ("http://gw.dom/?u={url}&x=1", "x-far:a+b&c=d", "http://gw.dom/?u=x-far%3Aa%2Bb%26c%3Dd&x=1"),
        ("gopher://gw.dom/0{url}.txt", "x-far:-_.", "gopher://gw.dom/0x-far%3A-_..txt"),
        ("x-flat:{url}", "x-far:a", "x-flat:x-far%3Aa"),
    ],
)
def test_the_whole_url_is_encoded_in_the_template(template: str, url: str, filled: str) -> None:
    assert fill_template(template, URL.parse(url)) == filled
    assert str(URL.parse(filled)) == filled


def test_no_octet_of_a_url_changes_the_rest_of_the_template() -> None:
    from urllib.parse import unquote

    everything = "x-far:" + "".join(f"%{octet:02X}" for octet in range(256)) + "$-_.+!*'(),;/?:@&="
    filled = fill_template("http://gw.dom/{url}", URL.parse(everything))
    place = filled.removeprefix("http://gw.dom/")
    assert set(place) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.%")
    assert unquote(place) == everything


# Allowed


def test_a_gateway_is_shown_in_the_resource_the_trace_and_the_client(make: Any) -> None:
    client = make(x_far="x-near://joe:opensesame@gw.dom/?{url}")
    events: list[Any] = []
    with client.access("x-far://h.dom/a", trace=events.append) as document:
        assert document.read() == b"x-near://joe:opensesame@gw.dom/?x-far%3A%2F%2Fh.dom%2Fa"
        assert str(document.gateway.asked) == "x-far://h.dom/a"
        assert document.gateway.url is document.url
        assert document.gateway.source == "gateways.x-far of the test"
        assert document.attributes.gateway is document.gateway
    assert client.find_attributes("x-far://h.dom/a").gateway.asked == document.gateway.asked
    reached = "x-near://joe:***@gw.dom/?x-far%3A%2F%2Fh.dom%2Fa: gateways.x-far of the test"
    assert (events[0].kind, events[0].text) == ("gateway", f"x-far://h.dom/a is reached through {reached}")
    assert client.describe_gateway("x-far") == "x-near://joe:***@gw.dom/?{url}, from the test"
    assert client.describe_gateway("x-near") is None
    assert "opensesame" not in repr(document.gateway)


def test_schemes_that_are_not_installed_are_reached_through_their_gateway(make: Any) -> None:
    client = make(x_nobody="x-near://gw.dom/{url}")
    assert read(client, "X-Nobody:a/b?c") == "x-near://gw.dom/X-Nobody%3Aa%2Fb%3Fc"
    assert read(client, client.registry.parse_generic("x-nobody://h.dom")) == "x-near://gw.dom/x-nobody%3A%2F%2Fh.dom"
    assert client.describe_gateway("x-nobody") == "x-near://gw.dom/{url}, from the test"
    with pytest.raises(UnknownScheme):
        client.access("x-other:a")
    with pytest.raises(UnknownScheme):  # a gateway does not parse URLs
        client.registry.parse("x-nobody:a")


@pytest.mark.decision(31)
def test_operations_that_change_something_use_no_gateway(make: Any) -> None:
    client = make(x_far="x-near://gw.dom/{url}", x_nobody="x-near://gw.dom/{url}")
    for attributes in (client.replace("x-far://h.dom/a", b"content"), client.delete("x-far://h.dom/a")):
        assert (attributes.name, attributes.gateway) == ("x-far://h.dom/a", None)
    with pytest.raises(UnknownScheme):
        client.delete("x-nobody:a")


def test_a_configured_gateway_takes_precedence_over_a_hook(make: Any) -> None:
    class Hooks:
        @hookimpl
        def urlschemes_gateway(self, url: URL) -> str | None:
            return "x-near://hook.dom/" if url.scheme != "x-near" else None

    client = make(x_far="x-near://file.dom/{url}")
    client.registry.add_hooks(Hooks())
    assert read(client, "x-far://h.dom/").startswith("x-near://file.dom/")
    assert read(client, "x-else:a") == "x-near://hook.dom/"


# Denied


@pytest.mark.decision(31)
@pytest.mark.parametrize(
    ("url", "part"),
    [
        ("x-far://joe:opensesame@h.dom/", "password"),
        ("x-far://joe:@h.dom/", "password"),
        ("x-far://joe@h.dom/", "user"),
        ("x-nobody://joe:opensesame@h.dom/", "user"),
        ("x-nobody://joe@h.dom", "user"),
        ("x-far://h.dom/ftp:%2F/x?://joe:opensesame@h.dom/", "password"),
        ("x-nobody:x://joe:opensesame@h.dom/", "user"),
    ],
)
def test_no_gateway_learns_a_user_name_or_a_password(make: Any, url: str, part: str) -> None:
    client = make(x_far="x-near://gw.dom/{url}", x_nobody="x-near://gw.dom/{url}")
    with pytest.raises(UnsafeURL, match=r"the URL contains a (user|password), which its gateway would learn") as caught:
        client.access(url)
    assert caught.value.part == part
    assert "opensesame" not in str(caught.value) + repr(caught.value.args)


def test_the_policy_applies_to_both_urls(make: Any) -> None:
    client = make(x_far="x-near://gw.dom/{url}", x_nobody="x-near://gw.dom/{url}")
    for url, policy, error, part in (
        ("x-far://h.dom/", Policy(denied_schemes=frozenset({"x-far"})), PolicyDenied, "denied_schemes"),
        ("x-nobody:a", Policy(schemes=frozenset({"x-near"})), PolicyDenied, "schemes"),
        ("x-far://h.dom/", Policy(denied_hosts=frozenset({"h.dom"})), PolicyDenied, "denied_hosts"),
        ("x-far://h.dom:25/", Policy(), PolicyDenied, "ports"),
        ("x-far://127.0.0.1/", Policy(), PolicyDenied, "networks"),
        ("x-far://0177.0.0.1/", Policy.interactive(), UnsafeURL, None),
        ("x-far://h.dom/%0D%0A", Policy.interactive(), UnsafeURL, None),
        ("x-nobody://h.dom/", Policy(denied_hosts=frozenset({"h.dom"})), PolicyDenied, "denied_hosts"),
        ("x-nobody://H.dom:25/", Policy(), PolicyDenied, "ports"),
        ("x-nobody://169.254.169.254/", Policy(), PolicyDenied, "networks"),
        ("x-nobody://10.1/", Policy.interactive(), UnsafeURL, None),
        ("x-nobody://2130706433/", Policy.interactive(), UnsafeURL, None),
        ("x-nobody://h%2Edom/", Policy.interactive(), UnsafeURL, None),
        ("x-nobody://h.dom;a/", Policy.interactive(), UnsafeURL, None),
        ("x-far://h.dom/", Policy(denied_schemes=frozenset({"x-near"})), PolicyDenied, "denied_schemes"),
        ("x-far://h.dom/", Policy(denied_hosts=frozenset({"gw.dom"})), PolicyDenied, "denied_hosts"),
    ):
        with pytest.raises(error) as caught:
            client.access(url, policy=policy)
        assert caught.value.rule == part
    assert read(client, "x-far://h.dom:70/") == "x-near://gw.dom/x-far%3A%2F%2Fh.dom%3A70%2F"
    for allowed in ("x-nobody:a", "x-nobody:///a", "x-nobody://h.dom:7000/", "x-nobody://8.8.8.8"):
        assert read(client, allowed).startswith("x-near://gw.dom/x-nobody%3A")
    assert read(client, "x-far://127.0.0.1/", policy=Policy.interactive()).endswith("127.0.0.1%2F")


def test_vetoes_apply_to_both_urls(make: Any) -> None:
    class Hooks:
        @hookimpl
        def urlschemes_veto(self, url: URL) -> str | None:
            return "not this one" if url.parts.get("host") in {"bad.dom", "badgw.dom"} else None

    for asked, gateway in (("bad.dom", "gw.dom"), ("h.dom", "badgw.dom")):
        client = make(x_far=f"x-near://{gateway}/{{url}}")
        client.registry.add_hooks(Hooks())
        with pytest.raises(PolicyDenied, match="not this one"):
            client.access(f"x-far://{asked}/")


@pytest.mark.decision(31)
def test_no_gateway_leads_through_another(make: Any) -> None:
    class Hooks:
        @hookimpl
        def urlschemes_gateway(self, url: URL) -> str | None:
            return "x-far://hook.dom/" if url.scheme == "x-near" else None

    for gateways, leads_to in (
        ({"x_far": "x-near://gw.dom/{url}", "x_near": "x-flat:{url}"}, "x-near"),
        ({"x_far": "x-near://gw.dom/{url}", "x_near": "x-far://gw.dom/{url}"}, "x-near"),
        ({"x_far": "X-FAR://gw.dom/{url}"}, "x-far"),
    ):
        client = make(**gateways)
        assert "through a gateway itself" in client.check_configuration()[0].message
        with pytest.raises(ConfigurationError, match=f"leads to {leads_to}, which is reached through a gateway itself"):
            client.access("x-far://h.dom/")
    client = make(x_far="x-near://gw.dom/{url}")
    client.registry.add_hooks(Hooks())
    with pytest.raises(ConfigurationError, match="leads to x-near, which is reached through a gateway itself"):
        client.access("x-far://h.dom/")


@pytest.mark.parametrize("template", ["x-absent://gw.dom/{url}", "x-near:{url}", "x-near://gw_/{url}"])
def test_an_unusable_gateway_is_a_configuration_error(make: Any, template: str) -> None:
    client = make(x_far=template)
    with pytest.raises(ConfigurationError, match=r"^gateways\.x-far of the test leads to a URL that cannot") as caught:
        client.access("x-far://h.dom/")
    assert caught.value.__cause__ is None
    assert [type(each) for each in client.check_configuration()] == [ConfigurationError]


def test_options_of_the_scheme_cannot_be_used_with_a_gateway(make: Any) -> None:
    with pytest.raises(
        UnsupportedOperation, match="x-far is reached through a gateway, which does not take the options server"
    ):
        make(x_far="x-near://gw.dom/{url}").access("x-far://h.dom/", options={"server": "h"})


def test_a_redirect_does_not_lead_to_a_scheme_with_a_gateway(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from urlschemes_access.errors import RedirectRefused
    from urlschemes_access.protocol import Follow

    def access(_: Any) -> Any:
        yield from Follow("x-far://h.dom/")
        yield from Open("document")

    module = ModuleType("redirecting_algorithms")
    vars(module).update(access=access)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    client = make(x_far="x-near://gw.dom/{url}")
    record = Registration.from_text('redirects = ["x-far"]\n' + RECORD.format(name="x-moved"))
    client.registry.register(Scheme(record, access=module.__name__))
    with pytest.raises(RedirectRefused) as caught:
        client.access("x-moved://h.dom/")
    assert caught.value.reason == "gateway"


def test_a_url_too_long_for_its_gateway_is_refused(make: Any) -> None:
    client = make(x_far="x-near://gw.dom/{url}")
    with pytest.raises(URLError):
        client.access("x-far://h.dom/" + "%20" * 20_000)  # longer than a URL may be, once it is encoded
