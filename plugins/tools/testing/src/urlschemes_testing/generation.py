"""Valid and nearly valid URLs of any scheme and profile, generated from the BNF of its record.

A `Write` writes a text by random choices. The first of several choices is the simplest, so that Hypothesis can shrink a
text: see `urlschemes_testing.strategies`.
"""

from __future__ import annotations

from itertools import product
from random import Random
from typing import TYPE_CHECKING, TypeAlias

from urlschemes import Registration, Scheme
from urlschemes.grammar.automaton import bits
from urlschemes.grammar.rule_tree import (
    Characters,
    Element,
    Escape,
    Marked,
    Repeated,
    Series,
    Variants,
)
from urlschemes.grammar.syntax import Syntax
from urlschemes.registry.registry import registry_or_default

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from urlschemes import Registry

__all__ = [
    "Source",
    "Write",
    "near_miss_writer",
    "random_near_misses",
    "random_urls",
    "syntax_of",
    "url_writer",
]

Source: TypeAlias = "str | Registration | Scheme | Syntax"
"""The source of a grammar: the name of a scheme, its record, the scheme, or a syntax."""

Write: TypeAlias = "Callable[[Random], str]"
"""A function that writes a text by random choices."""

TURNS = 4
"""The most turns of a repetition of more than single characters."""

PIECES = 8
"""The most pieces of a run: stretches of letters, words, punctuation, escapes."""

RUN = 40
"""The most characters of a stretch."""

WORDS = ("host", "dom", "pub", "readme.txt", "index.html", "a-b", "joe", "10", "2121", "caf%C3%A9", "a%20b", "100%25")
"""Words that people write in URLs."""

BAD = ' ~#%<>"{}|\\^[]`\t\r\n\0\x7f\xe9\u0130\u2028\uff0f\U0001f600\udc80'
"""Characters that are illegal in URLs of some profile, or (`%`) by themselves."""

TOKENS = ("/", "//", ":", "@", "?", ";", "=", "&", ".", "%41", "%0", "%zz", "%2F", "-", "a", "1")
"""Texts that matter in the rules of URLs."""


def syntax_of(source: Source, registry: Registry | None = None) -> Syntax:
    """Return the syntax of `source`. A name is looked up in `registry` (default: the process's), without any import.

    Raises the errors of `registry.registration`.
    """
    if isinstance(source, Syntax):
        return source
    if isinstance(source, Scheme):
        return source.registration.syntax
    if isinstance(source, Registration):
        return source.syntax
    return registry_or_default(registry).registration(source).syntax


def random_urls(source: Source, count: int, seed: int = 0, *, registry: Registry | None = None) -> list[str]:
    """Return `count` URLs by the BNF of `source`. `seed` chooses them. Raises the errors of `syntax_of`."""
    return _generated(url_writer(syntax_of(source, registry)), count, seed)


def random_near_misses(source: Source, count: int, seed: int = 0, *, registry: Registry | None = None) -> list[str]:
    """Return `count` texts that are not URLs of `source`, but one or two edits away from one. `seed` chooses them.

    Raises the errors of `syntax_of`.
    """
    return _generated(near_miss_writer(syntax_of(source, registry)), count, seed)


def _generated(write: Write, count: int, seed: int) -> list[str]:
    random = Random(seed)  # noqa: S311  for tests
    return [write(random) for _ in range(count)]


def url_writer(syntax: Syntax) -> Write:
    """Return a function that writes URLs. They reach every alternative and every option of the grammar."""
    return _of(syntax.automaton.tree, syntax.profile.reserved)


def near_miss_writer(syntax: Syntax) -> Write:
    """Return a function that writes texts that are not URLs, but one or two edits away from one."""
    url = url_writer(syntax)
    illegal = [each for each in BAD if syntax.profile.illegal.fullmatch(each)]
    others = [*TOKENS, *(each for each in BAD if each not in illegal)]
    misfit = _one_of(illegal)
    put = _either([misfit, _one_of(others), lambda random: chr(random.randint(0, 0x17F))])

    def write(random: Random) -> str:
        text = once = _edited(url(random), put(random), random)
        if syntax.fullmatch(once) is not None or random.randint(0, 1):
            text = _edited(once, put(random), random)
        if syntax.fullmatch(text) is None:
            return text
        # Both edits gave a URL. An illegal character in place of the second edit does not.
        at = random.randint(0, len(once))
        return once[:at] + misfit(random) + once[at:]

    return write


def _edited(text: str, put: str, random: Random) -> str:
    """Return `text` with `put` inserted or replacing a character, or with one removed, doubled or exchanged.

    Half of the edits are at the beginning or the end, where careless readers take too much.
    """
    anywhere = random.randint(0, len(text))
    at = random.choice((0, len(text), anywhere, anywhere))
    edits = (
        text[:at] + put + text[at:],
        text[:at] + put + text[at + 1 :],
        text[:at] + text[at + 1 :],
        text[: at + 1] + text[at:],
        text[:at] + text[at + 1 : at + 2] + text[at : at + 1] + text[at + 2 :],
    )
    return random.choice(edits)


def _one_of(texts: Sequence[str]) -> Write:
    return lambda random: random.choice(texts)


def _either(ways: Sequence[Write]) -> Write:
    return lambda random: random.choice(ways)(random)


def _mostly(usual: Write, other: Write) -> Write:
    """Write `usual` three times out of four; the simplest is `other`."""
    return lambda random: (usual if random.randint(0, 3) else other)(random)


def _joined(writes: Sequence[Write]) -> Write:
    return lambda random: "".join([write(random) for write in writes])


def _several(write: Write, least: int, most: int) -> Write:
    """Write from `least` to `most` texts, mostly few: a rule often tells one from several."""

    def several(random: Random) -> str:
        count = random.randint(least, random.randint(least, most))
        return "".join([write(random) for _ in range(count)])

    return several


def _of(item: Element, reserved: str) -> Write:
    if isinstance(item, Characters):
        return _one_of(_characters(item.mask))
    if isinstance(item, Marked):
        return _of(item.item, reserved)
    if isinstance(item, Escape):
        return _one_of(_spellings(item))
    if isinstance(item, Series):
        return _series(item.items, reserved)
    if isinstance(item, Variants):
        return _either([_of(each, reserved) for each in item.items])
    assert isinstance(item, Repeated)
    if item.most == 1:
        once = _of(item.item, reserved)
        return once if item.least else _mostly(once, _nothing)
    if isinstance(item.item, Marked) or not _is_set(item.item):
        return _several(_of(item.item, reserved), item.least, min(item.most or TURNS, TURNS))
    return _run(item, reserved)


def _nothing(_: Random) -> str:
    return ""


def _series(items: list[Element], reserved: str) -> Write:
    """Write a sequence; literals mostly have the letter case of the BNF."""
    pieces: list[Write] = []
    at = 0
    while at < len(items):
        literal = _literal(items, at)
        if len(literal) > 1:
            cases = _joined([_of(each, reserved) for each in items[at : at + len(literal)]])
            pieces.append(_mostly(_one_of([literal]), cases))
        else:
            pieces.append(_of(items[at], reserved))
        at += max(len(literal), 1)
    return _joined(pieces)


def _literal(items: list[Element], at: int) -> str:
    """Return the literal that begins at index `at`; "" if there is none."""
    first = items[at]
    if not isinstance(first, Characters) or first.literal is None or first.offset:
        return ""
    rest = items[at : at + len(first.literal)]
    whole = len(rest) == len(first.literal) and all(
        isinstance(item, Characters) and (item.literal, item.offset) == (first.literal, offset)
        for offset, item in enumerate(rest)
    )
    return first.literal if whole else ""


def _is_set(item: Element) -> bool:
    """Return True if `item` is one character or one escape."""
    if isinstance(item, Variants):
        return all(map(_is_set, item.items))
    return isinstance(item, Characters | Escape)


def _run(item: Repeated, reserved: str) -> Write:
    """Write a run of characters and escapes.

    Reserved characters, other punctuation and escapes are as likely as letters: rules depend on them.
    """
    choices = item.item.items if isinstance(item.item, Variants) else [item.item]
    bare = _characters(sum({each.mask for each in choices if isinstance(each, Characters)}))
    escapes = [text for each in choices if not isinstance(each, Characters) for text in _spellings(each)]
    letters = [character for character in bare if character.isalnum()]
    delimiters = [character for character in bare if character in reserved]
    others = [character for character in bare if character not in letters and character not in reserved]
    most = min(item.most or RUN, RUN)
    words = [word for word in WORDS if len(word) <= most and _made_of(word, frozenset(bare), frozenset(escapes))]
    single = _either([_one_of(each) for each in (letters, delimiters, others, escapes) if each])
    if item.most is not None:
        several = _several(single, item.least, most)
        return _either([several, _one_of(words)]) if words else several
    kinds = [_one_of(each) for each in (delimiters, others, escapes, words) if each]
    if letters:
        kinds.insert(0, _several(_one_of(letters), 1, most))
    if "/" in delimiters:  # the rules written out no longer show levels
        kinds.append(_one_of("/"))
    return _mostly(_several(_either(kinds), item.least, PIECES), single)


def _characters(mask: int) -> list[str]:
    """Return the characters of a set: lower-case letters first, because examples shrink to them."""
    return sorted(
        map(chr, bits(mask)), key=lambda character: (not character.islower(), not character.isalnum(), character)
    )


def _spellings(item: Element) -> list[str]:
    """Return the spellings of `item`, which is one escape or within one."""
    if isinstance(item, Characters):
        return _characters(item.mask)
    if isinstance(item, Variants):
        return [text for each in item.items for text in _spellings(each)]
    assert isinstance(item, Series)
    return ["".join(each) for each in product(*map(_spellings, item.items))]


def _made_of(word: str, bare: frozenset[str], escapes: frozenset[str]) -> bool:
    while word:
        if word[:3] in escapes:
            word = word[3:]
        elif word[0] in bare:
            word = word[1:]
        else:
            return False
    return True
