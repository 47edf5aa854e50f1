"""What plugins learn of guarded clients, and forbid: vetoes, observers, the access log and the block list."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from guarded import Guarded, clients
from local_web import Network, Start, respond

from urlschemes import Registry
from urlschemes.registry.hooks import hookimpl
from urlschemes_access import Limits, Policy
from urlschemes_access.guard import RequestedURL

HERE = Policy(networks=("127.0.0.1",))


@clients()
def test_each_refusal_is_one_line_of_the_access_log(
    client: Guarded, network: Network, serve: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "access.log"
    monkeypatch.setenv("URLSCHEMES_ACCESSLOG", str(log))
    network.names = {"inner.test": [["10.0.0.1"]]}
    server = serve({"/": respond(302, Location="http://127.0.0.2/")})
    client.fetch(HERE, f"http://127.0.0.1:{server.port}/ok", registry=Registry())
    for url in ("http://inner.test/a", "http://127.0.0.1:22/", f"http://127.0.0.1:{server.port}/"):
        with pytest.raises(client.module.RequestRefused):
            client.fetch(HERE, url, registry=Registry())
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [(each["operation"], each["outcome"]) for each in lines[:1]] == [("request", "opened")]
    assert [
        (each["url"], each["rule"], each["host"], each["address"]) for each in lines if each["outcome"] == "failed"
    ] == [
        ("http://inner.test/a", "networks", "inner.test", "10.0.0.1"),
        ("http://127.0.0.1:22/", "ports", "127.0.0.1", None),
        ("http://127.0.0.2/", "redirect", "127.0.0.2", "127.0.0.2"),
    ]


@clients()
def test_the_block_list_works(client: Guarded, serve: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text(".bad.test\n127.0.0.0/8\n")
    monkeypatch.setenv("URLSCHEMES_BLOCKLIST", str(blocked))
    server = serve()
    for url in ("http://a.bad.test./", f"http://127.0.0.1:{server.port}/"):
        with pytest.raises(client.module.RequestRefused, match="is blocked by line") as refusal:
            client.fetch(HERE, url, registry=Registry())
        assert refusal.value.rule == "veto"
    assert server.heard == []


@clients()
def test_a_veto_sees_redirects_too(client: Guarded, serve: Start) -> None:
    class Rules:
        seen: list[tuple[str, int, str]] = []  # noqa: RUF012

        @hookimpl
        def urlschemes_veto(self, url: RequestedURL) -> str | None:
            self.seen.append((url.host, url.port, str(url)))
            return "not there" if "secret" in str(url) else None

    registry, rules = Registry(), Rules()
    registry.add_hooks(rules, "the rules")
    server = serve({"/": respond(302, Location="/secret")})
    with pytest.raises(client.module.RequestRefused, match=r"access denied by .*: not there"):
        client.fetch(HERE, f"http://127.0.0.1:{server.port}/", registry=registry)
    base = f"http://127.0.0.1:{server.port}/"
    assert rules.seen == [("127.0.0.1", server.port, base), ("127.0.0.1", server.port, f"{base}secret")]
    assert len(server.heard) == 1


@clients(complete=True)
def test_a_limit_that_is_exceeded_is_observed(client: Guarded, serve: Start) -> None:
    class Observer:
        outcomes: list[Any] = []  # noqa: RUF012

        @hookimpl
        def urlschemes_observe(self, observation: Any) -> None:
            self.outcomes.append((observation.outcome, observation.error and observation.error.code))

    registry, observer = Registry(), Observer()
    observer.outcomes.clear()
    registry.add_hooks(observer, "the observer")
    server = serve({"*": respond(200, b"x" * 100_000)})
    policy = Policy(networks=("127.0.0.1",), limits=Limits(content=1000))
    with pytest.raises(client.module.RequestRefused):
        client.fetch(policy, f"http://127.0.0.1:{server.port}/", registry=registry)
    assert observer.outcomes == [("opened", None), ("failed", "limit-exceeded")]
