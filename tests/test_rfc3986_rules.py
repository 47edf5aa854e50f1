"""The rules of the profile of RFC 3986, which are those that its appendix A prints, read by two independent readers."""

from __future__ import annotations

import ipaddress
import random
import re
from functools import cache
from itertools import product

import pytest

from urlschemes import Registry
from urlschemes.grammar import regex_compat
from urlschemes.grammar.automaton import Automaton
from urlschemes.grammar.bnf import Grammar, Reference
from urlschemes.grammar.pattern import compile_tree
from urlschemes.grammar.rule_tree import expand
from urlschemes.grammar.syntax import Syntax
from urlschemes.rfc1738 import RFC1738
from urlschemes_conformance.derivatives import ABNFRules
from urlschemes_conformance.proof import printed_of, prove_printed, prove_rules
from urlschemes_conformance.recognizer import NodeRules
from urlschemes_rfc3986 import profile

PRINTED = printed_of(profile)
MODERN = Registry(profile="rfc3986")
SLOW = pytest.mark.slow


@cache
def compiled(rules: Grammar, rule: str) -> re.Pattern[str]:
    tree = expand(rules, Reference(rule), (), {})
    return regex_compat.compiled(compile_tree(Automaton(tree))[0], re.ASCII)


def test_all_rules_are_decided_from_left_to_right() -> None:
    for rule in profile.grammar.rules:
        assert compiled(profile.grammar, rule) is not None


def test_the_profile_has_the_rules_and_topics_that_the_core_asks_for() -> None:
    assert {*profile.rule_names.values(), *profile.host_rules} <= profile.grammar.rules.keys()
    assert profile.sections.keys() == RFC1738.sections.keys()
    assert (profile.reserved, profile.has_fragments) == (":/?#[]@!$&'()*+,;=", True)
    assert profile.section("login") == "RFC 3986 section 3.2.1"
    names = [name for name in ("a", "Z9+.-", "1a", "+a", "", "a_", "a~") if profile.is_scheme_name(name)]
    assert names == ["a", "Z9+.-"]


@pytest.mark.parametrize("rule", ["authority", "reserved", "IPv6address", pytest.param("URI-reference", marks=SLOW)])
def test_the_core_reads_the_printed_rules_as_the_recognizer_does(rule: str) -> None:
    assert prove_rules(ABNFRules(rule, PRINTED), NodeRules(profile.grammar, rule)).difference is None


ADDED = """
server     = host [ ":" port ]
host       = IP-literal / IPv4address / 1*( unreserved / pct-encoded / sub-delims )
login      = [ userinfo "@" ] server
named-host = host
"""


@pytest.mark.parametrize("rule", ["named-host", "server", "login"])
def test_what_the_profile_adds_are_authorities_with_a_host(rule: str) -> None:
    rewritten = NodeRules(profile.grammar, rule)
    assert prove_rules(ABNFRules(rule, PRINTED, ADDED), rewritten).difference is None


# The rules of other plugins are much like those of http and file; the records of ledgers are many.
PROVED = [
    pytest.param(each.scheme, marks=() if each.scheme in {"file", "http"} else SLOW)
    for each in MODERN.registrations()
    if each.syntax.printed
]


@pytest.mark.parametrize("scheme", PROVED)
def test_the_rules_of_a_record_derive_what_its_printed_ones_derive(scheme: str) -> None:
    assert prove_printed(MODERN.registration(scheme).syntax).difference is None


@pytest.mark.parametrize(
    ("scheme", "old", "new", "text"),
    [
        pytest.param("mailto", "1*( unreserved", "1*( ALPHA", "MAILTO:A@0", marks=SLOW),
        ("news", "enc-dot 1*enc-atext", '"." 1*enc-atext', "NEWS:!%2E0@0"),
    ],
)
def test_the_proof_finds_a_mistake_in_a_record(scheme: str, old: str, new: str, text: str) -> None:
    syntax = MODERN.registration(scheme).syntax
    assert old in syntax.bnf
    wrong = Syntax(
        syntax.bnf.replace(old, new), syntax.rule, syntax.parts.values(), printed=syntax.printed, profile=profile
    )
    assert prove_printed(wrong).difference == text


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ("host = IPv4address / reg-name", "//[::]"),
        ("host = IP-literal / 1*reg-name-char\nreg-name-char = unreserved / pct-encoded / sub-delims", "//"),
        ("port = 1*DIGIT", "//:"),
        ('path-noscheme = segment-nz-nc *( "/" segment-nz )', "0/"),
        ("fragment = *pchar", "#/"),
    ],
)
def test_the_proof_finds_the_shortest_text_that_a_wrong_rule_changes(changed: str, text: str) -> None:
    found = prove_rules(ABNFRules("URI-reference", PRINTED), ABNFRules("URI-reference", PRINTED, changed)).difference
    assert found is not None
    assert (len(found), found[: len(text) - 1]) == (len(text), text[:-1])


TOKENS = ("/", ":", "?", "#", "@", "[", "]", "a", "1", ".", "%41", "%4", "-", "::", "!", "~", "|", " ")
BEGINNINGS = ("", "a:", "a://", "a://[::1", "a://1.2.3", "a:b", "a://b@c", "a:/b", "a?b", "//a")


@pytest.mark.parametrize("length", [2, pytest.param(4, marks=SLOW)])
def test_the_pattern_accepts_what_the_recognizer_accepts(length: int) -> None:
    rules = ABNFRules("URI-reference", PRINTED)
    matches = compiled(profile.grammar, "URI-reference").fullmatch
    accepted = 0
    for beginning, tokens in product(BEGINNINGS, product(TOKENS, repeat=length)):
        text = beginning + "".join(tokens)
        assert (matches(text) is not None) == rules.accepts(text), text
        accepted += matches(text) is not None
    assert accepted > 300


EXAMPLES = """\
ftp://ftp.is.co.za/rfc/rfc1808.txt http://www.ietf.org/rfc/rfc2396.txt ldap://[2001:db8::7]/c=GB?objectClass?one
mailto:John.Doe@example.com news:comp.infosystems.www.servers.unix tel:+1-816-555-1212 telnet://192.0.2.16:80/
urn:oasis:names:specification:docbook:dtd:xml:4.1.2 foo://example.com:8042/over/there?name=ferret#nose
urn:example:animal:ferret:nose"""


@pytest.mark.parametrize("text", EXAMPLES.split())
def test_the_examples_of_sections_1_and_3_are_urls(text: str) -> None:
    assert compiled(profile.grammar, "URI").fullmatch(text)
    assert not compiled(profile.grammar, "relative-ref").fullmatch(text)


def is_address(text: str) -> bool:
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return True


def addresses(count: int) -> list[str]:
    """Return texts of IPv6 addresses, written in all ways that there are, and as many mutated ones."""
    chance = random.Random(count)
    found: list[str] = []
    while len(found) < count:
        groups = [f"{chance.getrandbits(4 * chance.randint(1, 4)):{chance.choice('xX')}}" for _ in range(8)]
        if chance.random() < 0.4:
            groups[6:] = [".".join(str(chance.getrandbits(8)) for _ in range(4))]
        if chance.random() < 0.7:
            start = chance.randint(0, len(groups))
            end = chance.randint(start, len(groups))
            text = ":".join(groups[:start]) + "::" + ":".join(groups[end:])
        else:
            text = ":".join(groups)
        found.append(text)
        for _ in range(chance.randint(1, 3)):
            at = chance.randint(0, len(text))
            put = chance.choice(["", ":", "::", ".", "0", "1", "25", "256", "F", "g", "1:", ":2"])
            text = text[:at] + put + text[at + chance.randint(0, 2) :]
        found.append(text)
    return found


@pytest.mark.parametrize("count", [4_000, pytest.param(100_000, marks=SLOW)])
def test_the_rule_of_ipv6_addresses_agrees_with_ipaddress(count: int) -> None:
    matches = compiled(profile.grammar, "IPv6address").fullmatch
    texts = addresses(count)
    valid = list(filter(is_address, texts))
    assert [text for text in texts if matches(text)] == valid
    assert count / 5 < len(valid) < count * 4 / 5
