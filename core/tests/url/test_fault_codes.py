"""The code of the first fault of a text, for each form of authority."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from urlschemes import InvalidURL, Registration, Registry
from urlschemes.grammar.part import Part
from urlschemes.grammar.syntax import Syntax
from urlschemes.rfc1738 import RFC1738
from urlschemes.url.fault_place import Fault

FLAGS = (False, True)


def syntax_of(*, login: bool = False, port: bool = False, empty: bool = False) -> Syntax:
    """`x-foo://` with a host, and with the parts that are asked for."""
    authority = ('[ user [ ":" password ] "@" ] ' if login else "") + ('host [ ":" port ]' if port else "host")
    parts = [Part("host", ["host"]), Part("path", ["path"])]
    if login:
        parts += [Part("user", ["user"]), Part("password", ["password"])]
    if port:
        parts.append(Part("port", ["port"], number=True))
    begin = f"[ {authority} ]" if empty else authority
    return Syntax(f'fooscheme = "x-foo://" {begin} "/" path\npath = *[ uchar ]\n', "fooscheme", parts, profile=RFC1738)


def code_of(text: str, syntax: Syntax) -> str:
    assert syntax.fullmatch(text) is None
    return Fault(text, syntax, None).code


@pytest.mark.parametrize(("login", "port", "empty"), [*product(FLAGS, FLAGS, FLAGS)])
def test_what_holds_for_every_form(login: bool, port: bool, empty: bool) -> None:
    syntax = syntax_of(login=login, port=port, empty=empty)
    user = "u@" if login else ""
    codes = {
        "": "invalid-scheme",
        "x-foo": "invalid-scheme",
        "x_foo://h/": "invalid-scheme",
        "x-foo:": "missing-authority",
        "x-foo:/h/": "missing-authority",
        "x-foo://h.-a/": "invalid-host",
        f"x-foo://{user}h.1/": "invalid-host",
        f"x-foo://{user}h.": "invalid-host",
        f"x-foo://{user}1.2.3.4": "invalid-part",
        f"x-foo://{user}h/:": "invalid-part",
        f"x-foo://{user}h/@": "invalid-part",
        "x-foo://u@u@h/": "invalid-userinfo" if login else "userinfo-not-allowed",
        "x-foo://a:b:c@h/": "invalid-userinfo" if login else "userinfo-not-allowed",
        "x-foo://h:@h/": "invalid-userinfo" if login else "userinfo-not-allowed",
        f"x-foo://{user}h:/": "invalid-port" if port else "invalid-host",
        f"x-foo://{user}h:8x/": "invalid-port" if port else "invalid-host",
        f"x-foo://{user}h:{'8' * 4001}/": "invalid-port" if port else "invalid-host",
        f"x-foo://{user}h:80": "invalid-part" if port else "invalid-host",
        "x-foo://": "invalid-part" if empty else "empty-host",
        "x-foo://:80/": "invalid-host" if empty and not port else "empty-host",
    }
    if login:
        del codes["x-foo://h:@h/"]  # an empty password
        codes["x-foo://a:b@h"] = "invalid-part"
        for text in ("x-foo://u@/", "x-foo://u:p@", "x-foo://@:80/"):
            codes[text] = "empty-host"
    assert {text: code_of(text, syntax) for text in codes} == codes


@pytest.mark.parametrize(("name", "rule"), [("foourl", "foourl"), ("genericurl", "host")])
def test_a_login_is_blamed_on_a_rule_of_the_scheme_if_it_has_one(name: str, rule: str) -> None:
    syntax = Syntax(f'{name} = "x-foo://" host "/"', name, [Part("host", ["host"])], profile=RFC1738)
    assert Fault("x-foo://u@h/", syntax, None).rule == rule


@pytest.mark.parametrize("front", ["", "x-foo", "x-foo:", "x-foo://", "x-foo://u:p@", "x-foo://h:8", "x-foo://h/"])
def test_the_first_fault_counts_a_character_as_an_escape(front: str) -> None:
    syntax = syntax_of(login=True, port=True)
    codes = {
        "\u00e9#": "invalid-character",
        "#\u00e9": "fragment-present",
        "#%zz": "fragment-present",
        "%zz#": "bad-escape",
        "%\u0661\u0661": "bad-escape",
        "%4": "bad-escape",
    }
    assert {text: code_of(front + text, syntax) for text in codes} == codes


def test_without_a_host_there_is_no_structure_in_common() -> None:
    syntax = Syntax(
        'fooscheme = "x-foo:" path\npath = 1*[ uchar ]\n', "fooscheme", [Part("path", ["path"])], profile=RFC1738
    )
    assert code_of("x-foo:", syntax) == "invalid-part"
    assert code_of("x-foo://u@h:/", syntax) == "invalid-part"
    assert code_of("foo", syntax) == "invalid-scheme"
    assert code_of("x_foo:a", syntax) == "invalid-scheme"


@pytest.mark.parametrize(
    "rest", ["", ":", "://", "://u@h:x/", "://u@u@h/", "://u@/", "://h./", ":/h", "://h/a b", "://h/%4", "://h/a#b"]
)
def test_a_registry_refuses_as_the_type_does(rest: str) -> None:
    registry = Registry()
    registry.register(Registration.from_file(Path(__file__).parent.parent / "album.toml"))
    with pytest.raises(InvalidURL) as by_registry:
        registry.parse("x-album" + rest)
    with pytest.raises(InvalidURL) as by_type:
        registry["x-album"].url_type.parse("x-album" + rest)
    assert by_registry.value.code == by_type.value.code
    assert str(by_registry.value) == str(by_type.value)
