"""Profiles: what the URLs of one generation share, whatever their scheme.

A profile is a package with an object `profile`, a file of shared rules, and a module with the functions of
`urlschemes.url.algorithms`. `urlschemes.rfc1738` is part of the core; each other is a distribution, found by an entry
point of the group `urlschemes.profiles`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple, NoReturn

from urlschemes.grammar.automaton import Automaton, bits
from urlschemes.grammar.bnf import BNFReader, Choice, Grammar, Literal, Node, Octets, Reference
from urlschemes.grammar.octets import ESCAPE, encoded
from urlschemes.grammar.pattern import compile_tree
from urlschemes.grammar.rule_tree import expand, octets_held
from urlschemes.storage.named_objects import named
from urlschemes.storage.package_data import read_from

__all__ = ["Authority", "Profile", "authority_of"]


class Profile:
    """The shared rules, characters and words of one generation of URLs. It is immutable.

    `package` is where the object itself, its rules and its module `algorithms` are; `notation` reads `rules_file` and
    the rules of records. The rules `scheme`, `unreserved` and `reserved` have these names; `rule_names` are the names
    of others by their role, `host_rules` those of the hosts that `algorithms` describe; `host_hint` says how to write
    one, `address_hint` an IPv6 address. Hints name the profile `successor` where it accepts a text. `document` defines
    the profile, and `sections` are those of topics that no rule has. `authority_ends` holds the characters that end an
    authority, `escapes_in_host` says that a host may have escapes, and `levels` are those of normalization, if there
    are several.
    """

    name: str
    record: str
    """The name of the file with the record of a scheme, in the package of its plugin."""
    module: str
    """The name of the module with the code of a scheme for this profile, within that package; "" for the package."""
    package: str
    rules_file: str
    notation: type[BNFReader]
    document: str
    sections: Mapping[str, str]
    rule_names: Mapping[str, str]
    host_rules: tuple[str, ...]
    host_hint: str
    address_hint: str
    authority_ends: str
    escapes_in_host: bool
    levels: tuple[str, ...]
    successor: str = ""

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)

    def __setattr__(self, name: str, *_: object) -> NoReturn:
        raise AttributeError(f"{self!r} is immutable")

    __delattr__ = __setattr__

    def __repr__(self) -> str:
        return f"<Profile {self.name}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return named, (self.package, "profile")

    @cached_property
    def grammar(self) -> Grammar:
        """The rules that every scheme may use."""
        text, _ = read_from(sys.modules[self.package].__spec__, self.rules_file)  # type: ignore[arg-type]
        return Grammar(self.notation(text).rules(), self.notation.bar)

    def extended(self, text: str, grammar: Grammar | None = None) -> Grammar:
        """Return the rules of `grammar`, or else the shared ones, with those of `text`.

        `text` may define some again, for all that refer to them. Raises GrammarError.
        """
        rules = (grammar or self.grammar).rules
        return Grammar({**rules, **self.notation(text, rules).rules()}, self.notation.bar)

    @cached_property
    def character_sets(self) -> dict[str, str]:
        """The shared rules that are sets of characters, with the characters that they hold beside escapes."""
        held = {name: self._held(Reference(name)) for name in self.grammar.rules}
        return {name: characters for name, characters in held.items() if characters is not None}

    def _held(self, node: Node) -> str | None:
        """Return the single characters that `node` derives beside escapes; None if it derives anything else."""
        match node:
            case Literal(text=text) if len(text) == 1:
                return text if node.sensitive else "".join(dict.fromkeys(text + text.swapcase()))
            case Octets(low=low, high=high):
                return "".join(map(chr, range(low, high + 1)))
            case Reference(name=name):
                return "" if name == self.rule_names["escape"] else self._held(self.grammar.rules[name].node)
            case Choice(items=items):
                held = [each for each in map(self._held, items) if each is not None]
                return "".join(held) if len(held) == len(items) else None
            case _:
                return None

    @cached_property
    def unreserved(self) -> str:
        """The characters that mean the same as their escapes."""
        return self.character_sets["unreserved"]

    @cached_property
    def reserved(self) -> str:
        """The characters that may delimit."""
        return self.character_sets["reserved"]

    @cached_property
    def characters(self) -> str:
        """The characters of URLs other than escapes."""
        return self.unreserved + self.reserved

    @cached_property
    def illegal(self) -> re.Pattern[str]:
        """A character that no URL may hold."""
        return re.compile(f"[^{re.escape(self.characters)}%]")

    @cached_property
    def has_fragments(self) -> bool:
        """True if a fragment is part of a URL."""
        return "#" in self.reserved

    @cached_property
    def scheme_name(self) -> re.Pattern[str]:
        """The name of a scheme."""
        return re.compile(compile_tree(Automaton(expand(self.grammar, Reference("scheme"), (), {})))[0], re.ASCII)

    @cached_property
    def scheme_characters(self) -> str:
        """The characters that names of schemes hold."""
        held, _ = octets_held(expand(self.grammar, Reference("scheme"), (), {}))
        return "".join(map(chr, bits(held)))

    @property
    def login_delimiters(self) -> str:
        """The characters that divide an authority, which a user name and a password hold encoded."""
        return f":@{self.authority_ends}"

    def section(self, topic: str) -> str:
        """Return where the document defines a topic or a rule, as in "RFC 1738 section 2.1"."""
        return f"{self.document} section {self.sections.get(topic) or self.grammar.rules[topic].section}"

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
