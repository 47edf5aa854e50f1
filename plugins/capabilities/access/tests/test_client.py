"""The settings of clients."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from event_loop_helpers import run
from fake_servers import Serve
from talk_scheme import LOOPBACK, TalkURL, fetch

from urlschemes.errors import UnknownScheme, URLError
from urlschemes_access import Limits, Policy
from urlschemes_access.attributes import Attributes
from urlschemes_access.backends.tls import TLSFiles
from urlschemes_access.client import Arguments, AsyncArguments, AsyncClient, Client
from urlschemes_access.config_file import ConfigFile
from urlschemes_access.configuration import Configuration
from urlschemes_access.credentials import Credentials
from urlschemes_access.errors import PolicyDenied
from urlschemes_access.protocol import Algorithm, Authenticate, Close, Connect, Open, Pull, Receive, Send
from urlschemes_access.resources.asynchronous import AsyncDocument

JOE = Credentials("joe", "secret")


@pytest.mark.parametrize(
    ("name", "given", "says"),
    [
        ("policy", "interactive", "policy must be a Policy, such as .*, not str"),
        ("credentials", Credentials("joe", "secret"), "credentials must be a function, not Credentials"),
        ("ask", ("yes",), "ask must be a function, not tuple"),
        ("trace", [], "trace must be a function, not list"),
        ("configuration", 5, "configuration must be a Configuration or None, not int"),
        ("ssl_context", 5, "ssl_context must be a SSLContext, not int"),
        ("deadline", "5", "Limits.deadline must be a number, not '5'"),
    ],
)
def test_a_setting_of_the_wrong_type_is_refused(name: str, given: object, says: str) -> None:
    with pytest.raises(TypeError, match=says):
        Client(**cast("Any", {name: given}))


def test_an_async_client_carries_out_the_operations(serve: Serve, offer: Callable[..., AsyncClient]) -> None:
    def algorithm(url: TalkURL, *, shout: bool = False) -> Algorithm[None]:
        return fetch(url.port, greeting=b"HELLO" if shout else b"hello")

    def find_attributes(url: TalkURL) -> Algorithm[None]:
        yield from Close((yield from Connect(url.host, url.port)))
        yield from Open("attributes", Attributes(size=3))

    def send(url: TalkURL) -> Algorithm[None]:
        peer = yield from Connect(url.host, url.port)
        while pieces := (yield from Pull()):
            yield from Send(peer, pieces)
        yield from Open("attributes", Attributes(name=str((yield from Receive(peer)))))

    def remove(url: TalkURL) -> Algorithm[None]:
        yield from Send((yield from Connect(url.host, url.port)), b"DELE")
        yield from Open("attributes")

    port = serve(lambda connection: connection.sendall(b"you said " + connection.recv(100)))
    talk = offer(access=algorithm, find_attributes=find_attributes, replace=send, update=send, delete=remove)
    url = f"x-talk://127.0.0.1:{port}/"

    async def main() -> None:
        async with await talk.access(url, policy=LOOPBACK) as document:
            assert isinstance(document, AsyncDocument)
            assert (document.media_type, str(document.url)) == ("text/plain", url)
            assert await document.read() == b"you said hello"
            assert document.terminated is True
        async with await talk.access(TalkURL.parse(url), policy=LOOPBACK, options={"shout": True}) as document:
            assert [octets async for octets in cast("AsyncDocument", document)] == [b"you said HELLO"]
        assert document.closed
        assert await talk.find_attributes(url, policy=LOOPBACK) == Attributes(size=3)
        assert await talk.replace(url, b"new", policy=LOOPBACK) == Attributes(name="b'you said new'")
        assert await talk.update(url, [b"", b"more"], policy=LOOPBACK) == Attributes(name="b'you said more'")
        assert await talk.delete(url, policy=LOOPBACK) == Attributes()
        with pytest.raises(PolicyDenied, match="public Internet"):
            await talk.access(url)
        with pytest.raises(PolicyDenied):
            await talk.operate("access", url)

    run(main())


def test_an_async_client_uses_the_default_registry() -> None:
    async def main() -> None:
        for operation in (AsyncClient().access, AsyncClient().find_attributes, AsyncClient().delete):
            with pytest.raises(URLError, match="no-such"):
                await operation("x-no-such://host.example/")
        for writing in (AsyncClient().replace, AsyncClient().update):
            with pytest.raises(URLError, match="no-such"):
                await writing("x-no-such://host.example/", b"")
        with pytest.raises(URLError, match="no-such"):
            await AsyncClient().operate("access", "x-no-such://host.example/")

    run(main())


def test_the_policy_of_an_operation_overrides_the_deadline_of_the_client() -> None:
    strict = Policy(limits=Limits(deadline=5))
    client = Client(deadline=30)
    for arguments, deadline in (
        ({"policy": strict}, 5),
        ({"policy": strict, "deadline": 9}, 9),
        ({"policy": Policy()}, 30),
        ({"policy": None}, 30),
    ):
        assert client.settings.overridden(arguments).policy.limits.deadline == deadline
    assert Client(deadline=30, policy=strict).policy.limits.deadline == 30


def test_none_switches_off_a_setting_for_one_operation(offer: Callable[..., AsyncClient]) -> None:
    def login(url: TalkURL) -> Algorithm[None]:
        credentials = yield from Authenticate(url.host, url.port)
        yield from Open("attributes", Attributes(name=credentials and credentials.user))

    registry = offer(find_attributes=login).registry
    client = Client(registry=registry, policy=LOOPBACK, deadline=30, trace=print, credentials=lambda _: JOE)
    assert client.find_attributes("x-talk://127.0.0.1:7/", trace=None).name == "joe"
    assert client.find_attributes("x-talk://127.0.0.1:7/", credentials=None).name is None
    bare = client.settings.overridden(dict.fromkeys(Arguments.__annotations__.keys() - {"options", "registry"}))
    assert (bare.trace, bare.credentials, bare.policy) == (None, None, LOOPBACK)


def test_no_certificate_for_one_operation_means_the_configured_one(tmp_path: Path) -> None:
    files = {name: str(tmp_path / name) for name in ("cacert", "cert", "key")}
    configuration = Configuration.of(ConfigFile({"tls": files}))
    client = Client(configuration=configuration, cacert="other", cert="other", key="other")
    assert client.settings.overridden({"cacert": None, "cert": None}).tls == TLSFiles(**files)
    alone = TLSFiles(cacert=files["cacert"], cert="mine")  # a key belongs to its certificate
    assert Client(configuration=configuration, cert="mine").settings.tls == alone
    assert client.settings.overridden({"cacert": None, "cert": "mine"}).tls == alone


def test_an_operation_overrides_the_settings_that_its_arguments_name() -> None:
    assert Arguments.__annotations__.keys() == AsyncArguments.__annotations__.keys()
    for name in Arguments.__annotations__:
        with pytest.raises(UnknownScheme):
            Client().access("x-no-such:a", **cast("Any", {name: None}))
    with pytest.raises(TypeError, match="unknown argument 'server'"):
        Client().access("x-no-such:a", **cast("Any", {"server": None}))


def test_both_clients_take_the_same_arguments() -> None:
    there, here = inspect.signature(Client.operate).parameters, inspect.signature(AsyncClient.operate).parameters
    assert [(each.name, each.kind, each.default) for each in here.values()] == [
        (each.name, each.kind, each.default) for each in there.values()
    ]


def test_a_client_pickles_with_its_settings_and_without_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("URLSCHEMES_GATEWAYS", "x-foo=http://gw.dom/{url}")
    monkeypatch.setenv("X_SECRET", "mellon")
    policy = Policy(networks=("127.0.0.0/8",), limits=Limits(idle=2))
    settings = {"deadline": 5, "credentials": str, "options": {"news": {"server": "news.dom"}}}
    client = Client.from_configuration(ConfigFile({}), trust_env=True, policy=policy, **settings)
    client.hooks_in_use(client.registry)
    pickled = pickle.dumps(client)
    assert b"mellon" not in pickled
    monkeypatch.setenv("X_SECRET", "friend")
    twin = pickle.loads(pickled)
    assert twin.policy == replace(policy, limits=replace(policy.limits, deadline=5))
    assert twin.settings.credentials is str
    assert twin.configuration == client.configuration
    assert twin.configuration.environment["X_SECRET"] == "friend"
    assert twin.registry is client.registry
    assert pickle.loads(pickle.dumps(Client())).configuration.environment == {}
