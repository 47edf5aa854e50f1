"""The meaning of patterns: the machine matches as `re` does."""

from __future__ import annotations

import re
from random import Random

import pytest

from urlschemes.grammar.regex_compat import compiled
from urlschemes_conformance.proof import NotProven
from urlschemes_conformance.proof.pattern_machine import HERE, Machine


def groups_of(machine: Machine, text: str) -> dict[str, tuple[int, int]] | None:
    """Return the spans of the groups when the machine matches the whole text."""
    threads, previous = machine.begin(), None
    for index, character in enumerate(text):
        threads, _ = machine.advance(threads, previous, ord(character))
        threads = tuple(
            thread._replace(tags=tuple(index if tag == HERE else tag for tag in thread.tags)) for thread in threads
        )
        previous = ord(character)
    _, tags = machine.advance(threads, previous, None)
    if tags is None:
        return None
    found = {}
    for name, number in machine.groups.items():
        start, end = (len(text) if tag == HERE else tag for tag in tags[2 * number : 2 * number + 2])
        if start is not None and end is not None:
            found[name] = start, end
    return found


def groups_by_re(pattern: re.Pattern[str], text: str) -> dict[str, tuple[int, int]] | None:
    match = pattern.fullmatch(text)
    return None if match is None else {name: match.span(name) for name in pattern.groupindex if match[name] is not None}


@pytest.mark.parametrize(
    ("pattern", "texts"),
    [
        (r"(?>a*b|a)a", ["aa", "aaba", "aba", "ba", "aaa"]),
        (r"(?P<x>a*+)(?P<y>[ab])", ["ab", "aa", "b"]),
        (r"(?:a|ab)(?:c|bcd)", ["abcd", "ac", "abc"]),
        (r"(?>a|ab)c", ["ac", "abc"]),
        (r"[ab]*+(?<!b)c", ["abac", "abc", "c"]),
        (r"(?:a(?=\Z)|(?P<x>a)b(?=[cd]|\Z))[a-d]?", ["a", "ab", "abc", "aba", "ad"]),
        (r"(?i:kB)\-", ["kb-", "KB-", "kb"]),
        (r"(?:(?P<x>(?!))|a)|b(?!)|bc", ["a", "b", "bc"]),
        # A look behind decides in an atomic group whose alternative is tried only if the repetition ends otherwise.
        (r"(?>(?:a)*+(?<!a)|[ab])", ["a", "b", "", "aa"]),
    ],
)
def test_it_matches_as_re_does(pattern: str, texts: list[str]) -> None:
    machine, by_re = Machine(pattern), compiled(pattern, re.ASCII)
    for text in texts:
        assert groups_of(machine, text) == groups_by_re(by_re, text), text


@pytest.mark.parametrize(("seed", "count"), [(1738, 150), pytest.param(1994, 5_000, marks=pytest.mark.slow)])
def test_it_matches_random_patterns_as_re_does(seed: int, count: int) -> None:
    random = Random(seed)
    tried = matched = 0
    while tried < count:
        pattern = random_pattern(random, random.randrange(1, 6), [*"zyxwv"])
        try:
            machine = Machine(pattern)
        except NotProven:
            continue  # a repetition of something that may be empty
        by_re = compiled(pattern, re.ASCII)
        tried += 1
        for _ in range(20):
            text = "".join(random.choice("aabbcA") for _ in range(random.randrange(9)))
            expected = groups_by_re(by_re, text)
            assert groups_of(machine, text) == expected, (pattern, text)
            matched += expected is not None
    assert matched > count // 2


def random_pattern(random: Random, depth: int, names: list[str]) -> str:
    kind = random.random()

    def inner() -> str:
        return random_pattern(random, depth - 1, names)

    if depth == 0 or kind < 0.25:
        return random.choice(("a", "b", "[ab]", "[a-c]", "c", "(?i:a)"))
    if kind < 0.45:
        return "".join(inner() for _ in range(random.randrange(1, 4)))
    if kind < 0.6:
        return f"(?{random.choice(':>')}{'|'.join(inner() for _ in range(random.randrange(2, 4)))})"
    if kind < 0.7:
        return inner() + random.choice((r"(?=\Z)", "(?=a)", r"(?=[bc]|\Z)", "(?<!a)", "(?<![ab])"))
    if kind < 0.78 and names:
        return f"(?P<{names.pop()}>{inner()})"
    repeated = random_pattern(random, depth - 1, [])  # a group in it would have the span of its last turn
    return f"(?:{repeated}){random.choice(('*', '+', '?', '*+', '++', '?+', '{1,2}+', '{0,3}+', '{1,3}', '*+'))}"


@pytest.mark.parametrize(
    "pattern",
    [
        ".",
        "[^a]",
        "a*?",
        "(?:a*)*",
        "(?=ab)",
        "(?<=a)",
        r"\d",
        r"(?P=x)",
        "\u00e9",
        "a)",
        "(a)",
        "[a",
        "a$",
        "a**",
        "[b-a]",
        "[a-\u00e9]",
        r"[\s]",
        "(?i)a",
        "(?x:a)",
        "(?i:[a-c])",
        "(?i:(?-i:a))",
        "(?P<x>a)(?(x)b|c)",
        "(?!a)",
        r"(?<!\Z)",
        "(?<!ab)",
        r"a\b",
    ],
)
def test_other_constructs_are_not_guessed(pattern: str) -> None:
    with pytest.raises(NotProven):
        Machine(pattern)
