"""A syntax: where its rules are defined, and its first use by several threads."""

import sys
from threading import Barrier, Thread

import pytest

from urlschemes.grammar.part import Part
from urlschemes.grammar.syntax import Syntax
from urlschemes.rfc1738 import RFC1738


def syntax(bnf: str, *parts: Part) -> Syntax:
    return Syntax(bnf, bnf.split(maxsplit=1)[0], parts, profile=RFC1738)


def test_several_threads_may_be_the_first_to_use_a_syntax() -> None:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(40):
            syn = syntax('u = "x:" p\np = *uchar', Part("p", ["p"]))
            barrier = Barrier(4)
            written: list[str] = []

            def write(syn: Syntax = syn, barrier: Barrier = barrier, to: list[str] = written) -> None:
                barrier.wait()
                _ = syn.automaton
                to.append(syn.parts["p"].written("%"))

            threads = [Thread(target=write) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert written == ["%25"] * 4
    finally:
        sys.setswitchinterval(interval)


def test_another_syntax_of_the_same_parts_changes_nothing() -> None:
    part = Part("p", ["p"])
    first, second = syntax('u = "x:" p\np = *uchar', part), syntax('u = "x:" p\np = *( digit | escape )', part)
    assert [each.parts["p"].written("a1") for each in (first, second)] == ["a1", "%611"]


def test_the_repr_names_the_rule_and_the_parts() -> None:
    bnf = 'url = "x-foo:" word\nword = 1*alpha'
    assert repr(Syntax(bnf, "url", [Part("word", "word")], profile=RFC1738)) == "<Syntax url: word>"
    assert repr(Syntax(bnf, "url", profile=RFC1738)) == "<Syntax url: no parts>"


@pytest.mark.parametrize(
    ("reference", "section"),
    [
        ("RFC 9110 section 4.2", "RFC 9110 section 1"),
        ("The album specification", "The album specification, section 1"),
        ("The album specification, section 2", "The album specification, section 1"),
    ],
)
def test_the_section_of_a_rule_is_one_of_the_reference(reference: str, section: str) -> None:
    syntax = Syntax('url = "x-foo:" word ; section 1\nword = 1*alpha', "url", section=reference, profile=RFC1738)
    assert (syntax.section_of("url"), syntax.section_of("word")) == (section, reference)
    assert syntax.section_of("alpha") == "RFC 1738 section 5"
