"""What the profile says beside its rules."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from urlschemes import InvalidURL, Registry, Scheme, default_registry
from urlschemes.errors import PluginError
from urlschemes.grammar.automaton import bits
from urlschemes_lint import check, explain, fix
from urlschemes_rfc3986 import is_valid, parse, parse_generic, profile, registry
from urlschemes_rfc3986.generic_uri import URI
from urlschemes_text import Found, find

TODAY = "http://host.dom/~joe?a=/b#c"


def test_one_line_imports_what_reads_urls_of_today() -> None:
    assert type(parse(TODAY)).__name__ == "HttpURI"
    assert (is_valid(TODAY), parse_generic("x-nobody:~#a").fragment) == (True, "a")
    assert registry is default_registry.in_profile("rfc3986")


def test_its_import_searches_for_nothing() -> None:
    words = "import sys; from urlschemes_rfc3986 import parse, registry; import pickle; pickle.dumps(registry)"
    seen = f"{words}; sys.exit('urlschemes_http' in sys.modules or registry._plugins.selected is not None)"
    subprocess.run([sys.executable, "-c", seen], check=True, timeout=60)


def found(text: str, **arguments: Any) -> list[Found]:
    return list(find(f"<{text}>", **arguments))


@pytest.mark.parametrize("function", [check, explain, fix, found])
def test_a_function_takes_a_profile_where_it_takes_a_registry(function: Callable[..., object]) -> None:
    assert function(TODAY, profile="rfc3986") == function(TODAY, profile=profile) == function(TODAY, registry=registry)
    assert function(TODAY, profile="rfc1738") == function(TODAY) != function(TODAY, profile=profile)
    with pytest.raises(TypeError, match="registry and profile cannot be combined"):
        function(TODAY, registry=Registry(), profile="rfc3986")
    with pytest.raises(PluginError, match="the profile never is not installed"):
        function(TODAY, profile="never")


def test_a_host_may_be_left_out_only_if_a_url_needs_none() -> None:
    rules = 'u = "x-h:" [ "//" host "/" ] name\nname = *pchar'
    either, empty = (
        Scheme.of("x-h", text, profile=profile, host="host", name="name").url_type
        for text in (rules, rules.replace("[", "").replace("]", ""))
    )
    assert str(either(name="a")) == "x-h:a"
    assert str(empty(name="a", host="")) == "x-h:///a"
    with pytest.raises(InvalidURL, match="these parts: name; also give host"):
        empty(name="a")


def test_an_authority_ends_before_what_may_follow_it() -> None:
    automaton = URI.syntax.automaton
    port = automaton.inside(URI.syntax.parts["port"].mark)
    behind = automaton.characters(automaton.following(port) & ~port)
    assert {chr(code) for code in bits(behind)} == {*profile.authority_ends}
