"""Gateways from environment variables: which URL is accessed, and when the variables count."""

from __future__ import annotations

import subprocess
import sys

import pytest

import urlschemes
from urlschemes.errors import ConfigurationError, PluginContractError, PluginError, UnsafeURL
from urlschemes_access import Client, Policy
from urlschemes_access.config_file import ConfigFile
from urlschemes_access.errors import PolicyDenied
from urlschemes_gateways import urlschemes_gateway as gateway
from urlschemes_servers import http_server
from urlschemes_servers.http import echo

HERE = Policy.interactive()


@pytest.fixture
def trusting() -> Client:
    """A client that trusts the environment."""
    return Client.from_configuration(ConfigFile(), trust_env=True, policy=HERE)


def read(client: Client, url: str) -> bytes:
    with client.access(url) as document:
        return document.read()


@pytest.mark.parametrize(
    ("address", "url", "through"),
    [
        ("http://gw.dom:8001", "wais://host.dom:210/db?words", "http://gw.dom:8001/host.dom:210/db?words"),
        ("http://gw.dom:8001/", "wais://host.dom/db", "http://gw.dom:8001/host.dom/db"),
        ("HTTP://gw.dom/", "wais://host.dom/db", "HTTP://gw.dom/host.dom/db"),
        ("gopher://gw.dom/", "wais://HOST.dom/a%2Fb/c?d%26e", "gopher://gw.dom/HOST.dom/a%2Fb/c?d%26e"),
        ("http://gw.dom", "prospero://host.dom//pros/name", "http://gw.dom/host.dom//pros/name"),
        ("http://gw.dom", "x-nobody://host.dom", "http://gw.dom/host.dom"),
    ],
)
def test_the_host_becomes_the_first_segment_of_the_path(monkeypatch, address, url, through):
    parsed = urlschemes.parse_generic(url)
    monkeypatch.setenv(f"WWW_{parsed.scheme}_GATEWAY", address)
    assert gateway(parsed, trust_env=True) == through
    assert gateway(parsed, trust_env=False) is None
    assert gateway(urlschemes.parse("nntp://host.dom/a/1"), trust_env=True) is None


@pytest.mark.parametrize(
    ("address", "url", "through"),
    [
        ("http://gw.dom", "x-nobody://[::1]:210/~db?q#f", "http://gw.dom/%5B::1%5D:210/~db?q#f"),
        ("http://[::1]:8001/", "x-nobody://h.dom?q", "http://[::1]:8001/h.dom?q"),
    ],
)
def test_a_url_of_today_has_a_gateway_too(monkeypatch, address, url, through):
    modern = urlschemes.Registry(profile="rfc3986")
    monkeypatch.setenv("WWW_x-nobody_GATEWAY", address)
    assert gateway(modern.parse_generic(url), trust_env=True) == through
    assert str(modern.parse(through)) == through


@pytest.mark.parametrize(
    "address",
    [
        "gw.dom",
        "http://",
        "http:gw.dom",
        "http://gw.dom/path",
        "http://gw.dom/?",
        "http://gw.dom/#a",
        "http://me:secret@gw.dom/",
        "http://gw.dom:port/",
        "http://gw.dom /",
        "http://gw.dom/\n",
        "//gw.dom/",
        "\x1b[31m",
    ],
)
def test_an_invalid_value_fails_the_access_and_is_named(monkeypatch, trusting, address):
    monkeypatch.setenv("WWW_wais_GATEWAY", address)
    with pytest.raises(PluginError) as caught:
        trusting.access("wais://host.dom/db")
    assert str(caught.value).startswith(
        f"the hook urlschemes_gateway of urlschemes-gateways {urlschemes.__version__} failed: "
    )
    assert "WWW_wais_GATEWAY" in str(caught.value)
    assert "secret" not in str(caught.value)
    assert str(caught.value).isprintable()
    assert isinstance(caught.value.__cause__, ConfigurationError)
    assert urlschemes.is_valid("wais://host.dom/db")


@pytest.mark.parametrize(
    "url", ["news:comp.infosystems", "file:///etc/passwd", "mailto:joe@host.dom", "x-a:/b", "x-a:///b"]
)
def test_a_url_without_a_host_is_refused(monkeypatch, url):
    parsed = urlschemes.parse_generic(url)
    monkeypatch.setenv(f"WWW_{parsed.scheme}_GATEWAY", "http://gw.dom/")
    with pytest.raises(ConfigurationError, match=r"cannot be used for [a-z-]+ URLs that name no host"):
        gateway(parsed, trust_env=True)


def test_a_gateway_is_used_only_if_the_environment_is_trusted(monkeypatch, trusting):
    with http_server(handler=echo) as server:
        monkeypatch.setenv("WWW_wais_GATEWAY", f"http://{server}/")
        monkeypatch.setenv("WWW_x-nobody_GATEWAY", f"http://{server}")
        assert read(trusting, "wais://host.dom/db?a%20b") == b"/host.dom/db?a%20b"
        assert read(trusting, "x-nobody://host.dom/a") == b"/host.dom/a"
        requests = len(server.requests)
        with pytest.raises(PolicyDenied):  # the host itself would be accessed
            Client().access("wais://host.dom/db", policy=Policy(denied_schemes={"wais"}))
        with pytest.raises(urlschemes.UnknownScheme):
            Client(policy=HERE).access("x-nobody://host.dom/a")
        assert len(server.requests) == requests


def test_the_policy_holds_and_passwords_are_refused(monkeypatch, trusting):
    with http_server(handler=echo) as server:
        monkeypatch.setenv("WWW_wais_GATEWAY", f"http://{server}/")
        monkeypatch.setenv("WWW_ftp_GATEWAY", f"http://{server}/")
        with pytest.raises(PolicyDenied):
            trusting.access("wais://host.dom/db", policy=Policy())  # this machine is not the public Internet
        with pytest.raises(UnsafeURL):
            trusting.access("ftp://me:secret@host.dom/a")
        assert server.requests == []


def test_a_gateway_that_needs_a_gateway_is_refused(monkeypatch, trusting):
    monkeypatch.setenv("WWW_wais_GATEWAY", "http://127.0.0.1:1/")
    monkeypatch.setenv("WWW_http_GATEWAY", "http://127.0.0.1:1/")
    with pytest.raises(PluginContractError):
        trusting.access("wais://host.dom/db")


def test_the_command_trusts_the_environment(monkeypatch):
    with http_server(handler=echo) as server:
        monkeypatch.setenv("WWW_wais_GATEWAY", f"http://{server}/")

        def run(*words: str) -> subprocess.CompletedProcess[str]:
            command = [sys.executable, "-m", "urlschemes_cli", *words]
            return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)

        done = run("access", "-v", "wais://host.dom/db")
        assert (done.returncode, done.stdout) == (0, "/host.dom/db")
        assert "the hook urlschemes_gateway of urlschemes-gateways" in done.stderr
        requests = len(server.requests)
        run("--no-config", "access", "--timeout=1", "wais://127.0.0.1:1/db")
        assert len(server.requests) == requests
