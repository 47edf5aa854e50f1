"""Data URLs: the plugin and the record of the ledger that it takes."""

from __future__ import annotations

import pickle

import pytest
from click.testing import CliRunner

from urlschemes import InvalidURL, Registry, UnsafeURL, __version__
from urlschemes.registry.registry import default_registry
from urlschemes_cli.app import command
from urlschemes_conformance.url_table import url_tests
from urlschemes_data.rfc3986 import DataURL, scheme

WITH_LEDGER = {"URLSCHEMES_DISABLE": "urlschemes-data"}


test_data_urls = url_tests(scheme.url_type, [])


def test_the_url_of_octets_holds_them() -> None:
    url = DataURL.for_octets(b"\0\xff?", "image/svg+xml", [("a", "b;c")])
    assert str(url) == "data:image/svg+xml;a=b%3Bc;base64,AP8/"
    assert (url.media_type, url.octets) == ('image/svg+xml;a="b;c"', b"\0\xff?")
    for wrong in ("text", "text/plain;charset=utf-8"):
        with pytest.raises(
            (InvalidURL, UnsafeURL), match=r"subtype ''; begin it with|'plain;charset=utf-8' is not a token"
        ):
            DataURL.for_octets(b"", wrong)
    with pytest.raises(InvalidURL, match="expected at most 65536"):
        DataURL.for_octets(bytes(60_000), "image/png")
    assert DataURL.for_octets(bytes(60_000), "image/png", limit=100_000).octets == bytes(60_000)


@pytest.mark.parametrize("value", ["\r\nX-Evil: 1", "\0\x7f\x1b", '"\n"', "\t"])
def test_the_media_type_has_no_control_octets(value: str) -> None:
    with pytest.raises(UnsafeURL, match="not printable US-ASCII at position 15"):
        DataURL.for_octets(b"x", "text/plain", [("a", value)])
    url = DataURL(type="text", subtype="plain", parameters=[("a", value)], data="x")
    with pytest.raises(UnsafeURL, match="not printable US-ASCII at position 15"):
        assert url.media_type


def run(*words: str, **variables: str) -> tuple[int, str]:
    done = CliRunner().invoke(command, ["--no-config", *words], env=variables)
    return done.exit_code, done.output


def test_the_plugin_wins_over_the_ledger() -> None:
    code, output = run("why", "data")
    assert (code, output.splitlines()[0]) == (0, f"data  urlschemes-data {__version__}")
    assert f"urlschemes-data {__version__} claims the name" in output
    assert run("access", "data:,hello") == (0, "hello")


def test_without_the_plugin_the_ledger_provides_the_name_for_parsing() -> None:
    assert run("why", "data", **WITH_LEDGER)[1].startswith(f"data  urlschemes-iana {__version__}\n")
    assert run("parse", "data:,hello", **WITH_LEDGER)[0] == 0
    code, output = run("access", "data:,hello", **WITH_LEDGER)
    assert (code, "it is registered for parsing only" in output) == (4, True)


@pytest.mark.parametrize("disable", [(), ("urlschemes-data",)], ids=["plugin", "ledger"])
def test_a_url_of_either_survives_a_pickle(disable: tuple[str, ...]) -> None:
    url = Registry(profile="rfc3986", disable=disable).parse("data:text/plain;base64,YQ==")
    loaded = pickle.loads(pickle.dumps(url))
    assert (type(url).__name__, loaded, loaded.parts) == ("DataURL", url, url.parts)
    assert type(loaded) is default_registry.in_profile("rfc3986")["data"].url_type
