"""Gateways (section 4): how a URL is reached through a URL of another scheme, and what is never handed to one."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest

import urlschemes_access
from urlschemes import Registry, Scheme, UnsafeURL
from urlschemes.errors import ConfigurationError, UnknownScheme, UnsupportedOperation, URLError
from urlschemes.registry.hooks import hookimpl
from urlschemes.scheme.registration import Registration
from urlschemes.url.value import URL
from urlschemes_access import Configuration, Policy
from urlschemes_access.attributes import Attributes
from urlschemes_access.errors import PolicyDenied
from urlschemes_access.gateways import Template
from urlschemes_access.protocol import Deliver, Open

RECORD = """
api = 1
scheme = "{name}"
status = "experimental"
title = "A scheme of the tests"
reference = "nowhere"
contact = "the tests"
change_controller = "the tests"
default_port = 70
operations = ["access", "find attributes", "replace", "delete"]
encoding_considerations = "None."
interoperability_considerations = "None."
security_considerations = "None."

[syntax]
rule = "testurl"
bnf = '''
testurl = "{name}://" login [ "/" thing ]
thing   = *[ uchar | "/" | "?" | ":" | "@" ]
'''

[syntax.parts]
user = {{ at = "user" }}
password = {{ at = "password" }}
host = {{ at = "host" }}
port = {{ at = "port", number = true }}
thing = {{ at = "thing" }}
"""


@pytest.fixture
def make(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes a registry with x-far and x-near, whose operations tell their name and their URL."""
    monkeypatch.setattr("urlschemes.registry.plugins.installed_claims", lambda **_: ())

    def access(url: Any) -> Any:
        yield from Open("document", Attributes(media_type="text/plain"))
        yield from Deliver(str(url).encode())

    def attributes(url: Any) -> Any:
        yield from Open("attributes", Attributes(name=str(url)))

    module = ModuleType("algorithms_that_tell_their_url")
    vars(module).update(access=access, find_attributes=attributes, replace=attributes, delete=attributes)
    monkeypatch.setitem(sys.modules, module.__name__, module)

    def made(configuration: Configuration | None = None, **gateways: str) -> Registry:
        tables = {"gateways": {name.replace("_", "-"): template for name, template in gateways.items()}}
        registry = Registry(configuration=configuration or Configuration.of(tables, source="the test"))
        for name in ("x-far", "x-near"):
            record = Registration.from_text(RECORD.format(name=name))
            registry.register(Scheme(record, access=module.__name__))
        return registry

    return made


def read(registry: Registry, url: URL | str, **given: Any) -> str:
    with urlschemes_access.access(url, **given, registry=registry) as document:
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
def test_the_whole_url_stands_encoded_in_the_place_of_the_template(template: str, url: str, filled: str) -> None:
    assert Template.parse(template).filled(URL.parse(url)) == filled
    assert str(URL.parse(filled)) == filled


def test_nothing_of_a_url_can_leave_its_place() -> None:
    from urllib.parse import unquote

    everything = "x-far:" + "".join(f"%{octet:02X}" for octet in range(256)) + "$-_.+!*'(),;/?:@&="
    filled = Template.parse("http://gw.dom/{url}").filled(URL.parse(everything))
    place = filled.removeprefix("http://gw.dom/")
    assert set(place) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.%")
    assert unquote(place) == everything


# What goes through


def test_a_gateway_is_shown_in_the_result_in_the_trace_and_by_why(make: Any) -> None:
    registry = make(x_far="x-near://joe:opensesame@gw.dom/?{url}")
    events: list[Any] = []
    with urlschemes_access.access("x-far://h.dom/a", trace=events.append, registry=registry) as document:
        assert document.read() == b"x-near://joe:opensesame@gw.dom/?x-far%3A%2F%2Fh.dom%2Fa"
        assert str(document.gateway.asked) == "x-far://h.dom/a"
        assert document.gateway.url is document.url
        assert document.gateway.source == "gateways.x-far of the test"
        assert document.attributes.gateway is document.gateway
    assert (
        urlschemes_access.find_attributes("x-far://h.dom/a", registry=registry).gateway.asked == document.gateway.asked
    )
    told = "x-near://joe:***@gw.dom/?x-far%3A%2F%2Fh.dom%2Fa: gateways.x-far of the test"
    assert (events[0].kind, events[0].text) == ("gateway", f"x-far://h.dom/a is reached through {told}")
    assert registry.why("x-far").gateway == "x-near://joe:***@gw.dom/?{url}, from the test"
    assert "\n  gateway: x-near://joe:***@gw.dom/?{url}, from the test\n" in str(registry.why("X-Far"))
    assert registry.why("x-near").gateway is None
    assert "opensesame" not in repr(document.gateway)


def test_schemes_that_nobody_provides_are_reached_through_their_gateway(make: Any) -> None:
    registry = make(x_nobody="x-near://gw.dom/{url}")
    assert read(registry, "X-Nobody:a/b?c") == "x-near://gw.dom/X-Nobody%3Aa%2Fb%3Fc"
    assert read(registry, registry.parse_generic("x-nobody://h.dom")) == "x-near://gw.dom/x-nobody%3A%2F%2Fh.dom"
    assert registry.why("x-nobody").provider is None
    assert registry.why("x-nobody").gateway == "x-near://gw.dom/{url}, from the test"
    with pytest.raises(UnknownScheme):
        urlschemes_access.access("x-other:a", registry=registry)
    with pytest.raises(UnknownScheme):  # and reading a URL needs somebody who knows it
        registry.parse("x-nobody:a")


@pytest.mark.decision(31)
def test_what_changes_something_never_goes_through_a_gateway(make: Any) -> None:
    registry = make(x_far="x-near://gw.dom/{url}", x_nobody="x-near://gw.dom/{url}")
    for attributes in (
        urlschemes_access.replace("x-far://h.dom/a", b"content", registry=registry),
        urlschemes_access.delete("x-far://h.dom/a", registry=registry),
    ):
        assert (attributes.name, attributes.gateway) == ("x-far://h.dom/a", None)
    with pytest.raises(UnknownScheme):
        urlschemes_access.delete("x-nobody:a", registry=registry)


def test_what_is_configured_counts_before_what_a_hook_says(make: Any) -> None:
    class Hooks:
        @hookimpl
        def urlschemes_gateway(self, url: URL) -> str | None:
            return "x-near://hook.dom/" if url.scheme != "x-near" else None

    registry = make(x_far="x-near://file.dom/{url}")
    registry.add_hooks(Hooks())
    assert read(registry, "x-far://h.dom/").startswith("x-near://file.dom/")
    assert read(registry, "x-else:a") == "x-near://hook.dom/"


# What does not


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
    registry = make(x_far="x-near://gw.dom/{url}", x_nobody="x-near://gw.dom/{url}")
    with pytest.raises(UnsafeURL, match="the gateway that it is reached through would learn it") as caught:
        urlschemes_access.access(url, registry=registry)
    assert caught.value.part == part
    assert "opensesame" not in str(caught.value) + repr(caught.value.args)


def test_what_may_not_be_accessed_directly_may_not_through_a_gateway(make: Any) -> None:
    registry = make(x_far="x-near://gw.dom/{url}", x_nobody="x-near://gw.dom/{url}")
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
            urlschemes_access.access(url, policy=policy, registry=registry)
        assert caught.value.rule == part
    assert read(registry, "x-far://h.dom:70/") == "x-near://gw.dom/x-far%3A%2F%2Fh.dom%3A70%2F"
    for allowed in ("x-nobody:a", "x-nobody:///a", "x-nobody://h.dom:7000/", "x-nobody://8.8.8.8"):
        assert read(registry, allowed).startswith("x-near://gw.dom/x-nobody%3A")
    assert read(registry, "x-far://127.0.0.1/", policy=Policy.interactive()).endswith("127.0.0.1%2F")


def test_vetoes_hold_for_both_urls(make: Any) -> None:
    class Hooks:
        @hookimpl
        def urlschemes_veto(self, url: URL) -> str | None:
            return "not this one" if url.parts.get("host") in {"bad.dom", "badgw.dom"} else None

    for asked, gateway in (("bad.dom", "gw.dom"), ("h.dom", "badgw.dom")):
        registry = make(x_far=f"x-near://{gateway}/{{url}}")
        registry.add_hooks(Hooks())
        with pytest.raises(PolicyDenied, match="not this one"):
            urlschemes_access.access(f"x-far://{asked}/", registry=registry)


@pytest.mark.decision(31)
def test_no_gateway_leads_through_another(make: Any) -> None:
    class Hooks:
        @hookimpl
        def urlschemes_gateway(self, url: URL) -> str | None:
            return "x-far://hook.dom/" if url.scheme == "x-near" else None

    with pytest.raises(ConfigurationError):
        make(x_far="x-near://gw.dom/{url}", x_near="x-far://gw.dom/{url}")
    registry = make(x_far="x-near://gw.dom/{url}")
    registry.add_hooks(Hooks())
    with pytest.raises(ConfigurationError, match="leads to x-near, which is reached through a gateway itself"):
        urlschemes_access.access("x-far://h.dom/", registry=registry)


@pytest.mark.parametrize("template", ["x-absent://gw.dom/{url}", "x-near:{url}", "x-near://gw_/{url}"])
def test_a_gateway_that_cannot_be_used_is_the_configurations_fault(make: Any, template: str) -> None:
    registry = make(x_far=template)
    with pytest.raises(ConfigurationError, match=r"^gateways\.x-far of the test leads to a URL that cannot") as caught:
        urlschemes_access.access("x-far://h.dom/", registry=registry)
    assert caught.value.__cause__ is None
    assert [type(each) for each in registry.check_configuration()] == [ConfigurationError]


def test_options_of_the_scheme_are_not_lost_in_a_gateway(make: Any) -> None:
    with pytest.raises(UnsupportedOperation, match="x-far is reached through a gateway, which knows nothing of server"):
        make(x_far="x-near://gw.dom/{url}").access("x-far://h.dom/", options={"server": "h"})


def test_a_redirect_leads_to_nothing_that_a_gateway_stands_for(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from urlschemes_access.errors import RedirectRefused
    from urlschemes_access.protocol import Follow

    def access(_: Any) -> Any:
        yield from Follow("x-far://h.dom/")
        yield from Open("document")

    module = ModuleType("algorithms_that_are_redirected")
    vars(module).update(access=access)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    registry = make(x_far="x-near://gw.dom/{url}")
    record = Registration.from_text('redirects = ["x-far"]\n' + RECORD.format(name="x-moved"))
    registry.register(Scheme(record, access=module.__name__))
    with pytest.raises(RedirectRefused) as caught:
        urlschemes_access.access("x-moved://h.dom/", registry=registry)
    assert caught.value.reason == "gateway"


def test_every_refusal_is_one_of_ours(make: Any) -> None:
    registry = make(x_far="x-near://gw.dom/{url}")
    with pytest.raises(URLError):
        urlschemes_access.access(
            "x-far://h.dom/" + "%20" * 20_000, registry=registry
        )  # longer than a URL may be, once it is encoded
