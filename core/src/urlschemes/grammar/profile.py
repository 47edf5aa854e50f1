"""Profiles: what the URLs of one generation share, whatever their scheme.

A profile is a package with an object `profile`, a file of shared rules, and a module `algorithms`. That of RFC 1738 is
part of the core; each other is a distribution, found by an entry point of the group `urlschemes.profiles`.
"""

from __future__ import annotations

import re
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from urlschemes.grammar.bnf import Choice, Grammar, Literal, Octets, Reference, Sequence, parse_rules
from urlschemes.grammar.octets import ALPHADIGIT, ESCAPE, encoded
from urlschemes.storage.package_data import read_from

if TYPE_CHECKING:
    from collections.abc import Mapping

    from urlschemes.grammar.bnf import Node

__all__ = ["RFC1738", "Authority", "Profile", "authority_of", "restored"]


class Profile:
    """The shared rules, characters, words and algorithms of one generation of URLs. It is immutable.

    `package` is where the object itself, its rules and its module `algorithms` are; `rules_file` is in the `notation`,
    which records of the profile use unless they say otherwise. `document` defines the profile, and `sections` are those
    of its topics. `unreserved` characters mean the same as their escapes, `reserved` ones may delimit;
    `scheme_characters` are those of scheme names, and `scheme_name` is their pattern. `authority_ends` holds the
    characters that end an authority. `rule_names` are the names of rules by their role, `host_rules` are those of the
    hosts that `algorithms` describe, and `host_hint` says how to write one. `has_fragments` says that a fragment is
    part of a URL, `escapes_in_host` that a host may have escapes. `levels` are the levels of normalization, if there is
    more than one.

    `algorithms` has `url_type`, the type of URLs whose scheme is unknown; `delimiting`, the section on URLs in texts;
    hints about hosts; and functions: `resolve(url, reference)` and `normalized(url, level)` return the text of a URL,
    `host_message(fault, authority)` the message about a host, `warnings(syntax, match, hosts)` what is legal but unwise
    in a URL, each with `start`, `end`, `code`, `message`, `section` and `hint`; and
    `fragment_message(place, part, written)` the message about a `#`, where it is not a character of URLs.
    """

    name: str
    record: str
    """The name of the file with the record of a scheme, in the package of its plugin."""
    module: str
    """The name of the module with the code of a scheme for this profile, within that package; "" for the package."""
    package: str
    rules_file: str
    notation: str
    document: str
    unreserved: str
    reserved: str
    scheme_characters: str
    scheme_name: re.Pattern[str]
    sections: Mapping[str, str]
    rule_names: Mapping[str, str]
    host_rules: tuple[str, ...]
    host_hint: str
    authority_ends: str
    has_fragments: bool
    escapes_in_host: bool
    levels: tuple[str, ...]
    characters: str
    """The characters of URLs other than escapes."""
    illegal: re.Pattern[str]
    """A character that no URL may hold."""

    def __init__(self, **fields: Any) -> None:
        characters = fields["unreserved"] + fields["reserved"]
        illegal = re.compile(f"[^{re.escape(characters)}%]")
        self.__dict__.update(fields, characters=characters, illegal=illegal)

    def __setattr__(self, name: str, *_: object) -> NoReturn:
        raise AttributeError(f"{self!r} is immutable")

    __delattr__ = __setattr__

    def __repr__(self) -> str:
        return f"<Profile {self.name}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return restored, (self.package,)

    @cached_property
    def grammar(self) -> Grammar:
        """The rules that every scheme may use."""
        text, _ = read_from(import_module(self.package).__spec__, self.rules_file)  # type: ignore[arg-type]
        return Grammar(parse_rules(text, self.notation))

    @cached_property
    def character_sets(self) -> frozenset[str]:
        """The shared rules that are sets of characters."""
        return frozenset(name for name, rule in self.grammar.rules.items() if self._is_set(rule.node))

    def _is_set(self, node: Node) -> bool:
        """Return True if `node` derives single characters and escapes, and nothing else."""
        match node:
            case Literal(text=text):
                return len(text) == 1
            case Reference(name=name):
                return self._is_set(self.grammar.rules[name].node)
            case Choice(items=items):
                return all(map(self._is_set, items))
            case Sequence(items=(Literal(text="%"), _, _)):
                return True
            case _:
                return isinstance(node, Octets)

    @property
    def algorithms(self) -> Any:
        """The module of the algorithms."""
        return import_module(f"{self.package}.algorithms")  # which knows more than this package

    def section(self, topic: str) -> str:
        """Return where the document defines a topic, as in "RFC 1738 section 2.1"."""
        return f"{self.document} section {self.sections[topic]}"

    def is_scheme_name(self, text: str) -> bool:
        """Return True if `text` derives from the rule `scheme`, in any letter case."""
        return self.scheme_name.fullmatch(text) is not None

    def normal(self, raw: str) -> str:
        """Return `raw` with the escapes of unreserved characters decoded and the other escapes in upper case.

        Neither changes the meaning.
        """
        if "%" not in raw:
            return raw

        def plain(found: re.Match[str]) -> str:
            octet = int(found[1], 16)
            return chr(octet) if chr(octet) in self.unreserved else encoded(bytes([octet]))

        return ESCAPE.sub(plain, raw)


class Authority(NamedTuple):
    """The place of an authority by its delimiters: it begins after `//`, and ends before a character that ends it.

    `at` is the index of the last `@` in it, -1 without one. `host` and `colon` are where the host begins and ends.
    """

    start: int
    at: int
    host: int
    colon: int
    end: int


def authority_of(text: str, profile: Profile, ends: str = "") -> Authority | None:
    """Return the place of the authority in `text`, which need not be a URL; None if no `//` follows the first colon.

    `ends` are the characters that end it, by default those of the profile: programs of other profiles have others.
    """
    start = text.find(":") + 3
    if start < 3 or not text.startswith("//", start - 2):
        return None
    found = (text.find(character, start) for character in ends or profile.authority_ends)
    end = min((each for each in found if each >= 0), default=len(text))
    at = text.rfind("@", start, end)
    host = start if at < 0 else at + 1
    # The colons in brackets are those of an address.
    bracket = text.find("]", host, end) if "[" in profile.reserved and text.startswith("[", host) else -1
    colon = text.find(":", max(host, bracket), end)
    return Authority(start, at, host, end if colon < 0 else colon, end)


def restored(package: str) -> Profile:
    """Return the profile of a package."""
    found: Profile = import_module(package).profile
    return found


RFC1738 = Profile(
    name="rfc1738",
    record="registration.toml",
    module="",
    package="urlschemes.rfc1738",
    rules_file="rfc1738.bnf",
    notation="rfc1738",
    document="RFC 1738",
    unreserved=ALPHADIGIT + "$-_.+!*'(),",
    reserved=";/?:@&=",
    scheme_characters=ALPHADIGIT + "+-.",
    scheme_name=re.compile(r"[A-Za-z0-9+.\-]++"),
    sections={
        "scheme": "2.1",
        "characters": "2.2",
        "hierarchy": "2.3",
        "login": "3.1",
        "operations": "2",
        "security": "6",
    },
    rule_names={
        "authority": "ip-schemepart",
        "character": "xchar",
        "escape": "escape",
        "number": "digits",
        "server": "hostport",
    },
    host_rules=("host",),
    host_hint="labels hold letters, digits and hyphens, begin and end with a letter or digit, and the last begins with "
    "a letter",
    authority_ends="/",
    has_fragments=False,
    escapes_in_host=False,
    levels=(),
)
"""The profile of RFC 1738, which is used where no other is named."""
