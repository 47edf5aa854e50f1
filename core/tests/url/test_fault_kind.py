"""The error class of a text that is not a URL: one match finds it."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from urlschemes import InvalidURL, Registration, Registry
from urlschemes.errors import Explanation
from urlschemes.grammar.part import Part
from urlschemes.grammar.syntax import Syntax
from urlschemes.url.fault_kind import refused

WHY = Explanation("")
FLAGS = (False, True)


def syntax_of(*, login: bool = False, port: bool = False, empty: bool = False) -> Syntax:
    """`x-foo://` with a host, and beside it what is asked for."""
    authority = ('[ user [ ":" password ] "@" ] ' if login else "") + ('host [ ":" port ]' if port else "host")
    parts = [Part("host", ["host"]), Part("path", ["path"])]
    if login:
        parts += [Part("user", ["user"]), Part("password", ["password"])]
    if port:
        parts.append(Part("port", ["port"], number=True))
    begin = f"[ {authority} ]" if empty else authority
    return Syntax(f'fooscheme = "x-foo://" {begin} "/" path\npath = *[ uchar ]\n', "fooscheme", parts)


def kind_of(text: str, syntax: Syntax) -> str:
    assert syntax.fullmatch(text) is None
    return type(refused(text, syntax, WHY)).__name__


@pytest.mark.parametrize(("login", "port", "empty"), [*product(FLAGS, FLAGS, FLAGS)])
def test_what_holds_for_every_form(login: bool, port: bool, empty: bool) -> None:
    syntax = syntax_of(login=login, port=port, empty=empty)
    user = "u@" if login else ""
    kinds = {
        "": "InvalidScheme",
        "x-foo": "InvalidScheme",
        "x_foo://h/": "InvalidScheme",
        "x-foo:": "MissingAuthority",
        "x-foo:/h/": "MissingAuthority",
        "x-foo://h.-a/": "InvalidHost",
        f"x-foo://{user}h.1/": "InvalidHost",
        f"x-foo://{user}h.": "InvalidHost",
        f"x-foo://{user}1.2.3.4": "InvalidPart",
        f"x-foo://{user}h/:": "InvalidPart",
        f"x-foo://{user}h/@": "InvalidPart",
        "x-foo://u@u@h/": "InvalidUserinfo" if login else "UserinfoNotAllowed",
        "x-foo://a:b:c@h/": "InvalidUserinfo" if login else "UserinfoNotAllowed",
        "x-foo://h:@h/": "InvalidUserinfo" if login else "UserinfoNotAllowed",
        f"x-foo://{user}h:/": "InvalidPort" if port else "InvalidHost",
        f"x-foo://{user}h:8x/": "InvalidPort" if port else "InvalidHost",
        f"x-foo://{user}h:{'8' * 4001}/": "InvalidPort" if port else "InvalidHost",
        f"x-foo://{user}h:80": "InvalidPart" if port else "InvalidHost",
        "x-foo://": "InvalidPart" if empty else "EmptyHost",
        "x-foo://:80/": "InvalidPart" if empty else "EmptyHost",
    }
    if login:
        del kinds["x-foo://h:@h/"]  # an empty password
        kinds["x-foo://a:b@h"] = "InvalidPart"
        for text in ("x-foo://u@/", "x-foo://u:p@", "x-foo://@:80/"):
            kinds[text] = "InvalidHost" if empty else "EmptyHost"
    assert {text: kind_of(text, syntax) for text in kinds} == kinds


@pytest.mark.parametrize("front", ["", "x-foo", "x-foo:", "x-foo://", "x-foo://u:p@", "x-foo://h:8", "x-foo://h./"])
@pytest.mark.parametrize("login", FLAGS)
def test_the_repertoire_comes_before_the_structure(front: str, login: bool) -> None:
    """Section 2.2 before section 3.1; and of the repertoire, a character before an escape, whichever is first."""
    syntax = syntax_of(login=login, port=True)
    kinds = {
        "a b": "InvalidCharacter",
        "\u00e9#": "InvalidCharacter",
        "#\u00e9": "FragmentPresent",
        "#%zz": "FragmentPresent",
        "%zz#": "FragmentPresent",
        "%zz ": "InvalidCharacter",
        "%\u0661\u0661": "InvalidCharacter",
        "%4": "BadEscape",
        "%25%2G": "BadEscape",
    }
    assert {text: kind_of(front + text, syntax) for text in kinds} == kinds


def test_without_a_host_there_is_no_structure_in_common() -> None:
    syntax = Syntax('fooscheme = "x-foo:" path\npath = 1*[ uchar ]\n', "fooscheme", [Part("path", ["path"])])
    assert kind_of("x-foo:", syntax) == "InvalidPart"
    assert kind_of("x-foo://u@h:/", syntax) == "InvalidPart"
    assert kind_of("foo", syntax) == "InvalidScheme"
    assert kind_of("x_foo:a", syntax) == "InvalidScheme"


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
    assert type(by_registry.value) is type(by_type.value)
    assert str(by_registry.value) == str(by_type.value)
