"""The variables of the first Web browsers: what they lead to, and where they count."""

from __future__ import annotations

import subprocess
import sys

import pytest

import urlschemes
import urlschemes_access
from urlschemes import Registry
from urlschemes.errors import ConfigurationError, PluginContractError, PluginError, UnsafeURL
from urlschemes_access import Configuration, Policy
from urlschemes_access.errors import PolicyDenied
from urlschemes_gateways import urlschemes_gateway as gateway
from urlschemes_servers import http_server
from urlschemes_servers.http import echo

HERE = Policy.interactive()


@pytest.fixture
def trusting() -> Registry:
    """A registry that trusts the environment."""
    return Registry(configuration=Configuration.load(trust_env=True, environ={}))


def read(registry: Registry, url: str, **terms) -> bytes:
    with urlschemes_access.access(url, policy=HERE, **terms, registry=registry) as document:
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
    asked = urlschemes.parse_generic(url)
    monkeypatch.setenv(f"WWW_{asked.scheme}_GATEWAY", address)
    assert gateway(asked, trust_env=True) == through
    assert gateway(asked, trust_env=False) is None
    assert gateway(urlschemes.parse("nntp://host.dom/a/1"), trust_env=True) is None


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
def test_a_value_that_is_no_gateway_fails_the_access_and_names_the_variable(monkeypatch, trusting, address):
    monkeypatch.setenv("WWW_wais_GATEWAY", address)
    with pytest.raises(PluginError) as caught:
        trusting.access("wais://host.dom/db")
    assert str(caught.value).startswith("the hook urlschemes_gateway of urlschemes-gateways 0.1.0 failed: ")
    assert "WWW_wais_GATEWAY" in str(caught.value)
    assert "secret" not in str(caught.value)
    assert str(caught.value).isprintable()
    assert isinstance(caught.value.__cause__, ConfigurationError)
    assert trusting.is_valid("wais://host.dom/db")


@pytest.mark.parametrize(
    "url", ["news:comp.infosystems", "file:///etc/passwd", "mailto:joe@host.dom", "x-a:/b", "x-a:///b"]
)
def test_a_url_without_a_host_never_chooses_the_gateways_host(monkeypatch, url):
    asked = urlschemes.parse_generic(url)
    monkeypatch.setenv(f"WWW_{asked.scheme}_GATEWAY", "http://gw.dom/")
    with pytest.raises(ConfigurationError, match=r"cannot lead to [a-z-]+ URLs that name no host"):
        gateway(asked, trust_env=True)


def test_a_real_gateway_is_asked_only_where_the_environment_is_trusted(monkeypatch, trusting):
    with http_server(handler=echo) as server:
        monkeypatch.setenv("WWW_wais_GATEWAY", f"http://{server}/")
        monkeypatch.setenv("WWW_x-nobody_GATEWAY", f"http://{server}")
        assert read(trusting, "wais://host.dom/db?a%20b") == b"/host.dom/db?a%20b"
        assert read(trusting, "x-nobody://host.dom/a") == b"/host.dom/a"
        asked = len(server.requests)
        with pytest.raises(PolicyDenied):  # it would go to the host itself
            urlschemes_access.access("wais://host.dom/db", policy=Policy(denied_schemes={"wais"}), registry=Registry())
        with pytest.raises(urlschemes.UnknownScheme):
            urlschemes_access.access("x-nobody://host.dom/a", policy=HERE, registry=Registry())
        assert len(server.requests) == asked


def test_the_policy_and_section_6_hold(monkeypatch, trusting):
    with http_server(handler=echo) as server:
        monkeypatch.setenv("WWW_wais_GATEWAY", f"http://{server}/")
        monkeypatch.setenv("WWW_ftp_GATEWAY", f"http://{server}/")
        with pytest.raises(PolicyDenied):
            trusting.access("wais://host.dom/db")  # this machine is not the public Internet
        with pytest.raises(UnsafeURL, match="would learn it"):
            trusting.access("ftp://me:secret@host.dom/a", policy=HERE)
        assert server.requests == []


def test_a_gateway_that_needs_a_gateway_is_refused(monkeypatch, trusting):
    monkeypatch.setenv("WWW_wais_GATEWAY", "http://127.0.0.1:1/")
    monkeypatch.setenv("WWW_http_GATEWAY", "http://127.0.0.1:1/")
    with pytest.raises(PluginContractError, match="which is reached through a gateway itself"):
        trusting.access("wais://host.dom/db", policy=HERE)


def test_the_command_trusts_whoever_types_it(monkeypatch):
    with http_server(handler=echo) as server:
        monkeypatch.setenv("WWW_wais_GATEWAY", f"http://{server}/")

        def run(*words: str) -> subprocess.CompletedProcess[str]:
            command = [sys.executable, "-m", "urlschemes_cli", *words]
            return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)

        done = run("access", "-v", "wais://host.dom/db")
        assert (done.returncode, done.stdout) == (0, "/host.dom/db")
        assert "is reached through" in done.stderr
        assert "the hook urlschemes_gateway of urlschemes-gateways" in done.stderr
        asked = len(server.requests)
        run("--no-config", "access", "--timeout=1", "wais://127.0.0.1:1/db")
        assert len(server.requests) == asked
