"""Hypothesis strategies for valid and nearly valid URLs of any scheme and profile, made from the BNF of its record."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, TypeAlias

from hypothesis import strategies as st

from urlschemes import Registration, Scheme
from urlschemes.grammar.automaton import bits
from urlschemes.grammar.rule_tree import (
    Characters,
    Element,
    Marked,
    Repeated,
    Series,
    Variants,
    escaped_octets,
    with_whole_escapes,
)
from urlschemes.grammar.syntax import Syntax
from urlschemes.registry.registry import registry_or_default

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hypothesis.strategies import DrawFn, SearchStrategy

    from urlschemes import Registry

__all__ = ["Source", "near_misses", "syntax_of", "urls"]

Source: TypeAlias = "str | Registration | Scheme | Syntax"
"""The source of a grammar: the name of a scheme, its record, the scheme, or a syntax."""

TURNS = 4
"""The most turns of a repetition of more than single characters."""

PIECES = 8
"""The most pieces of a run: stretches of letters, words, punctuation, escapes."""

RUN = 40
"""The most characters of a stretch."""

WORDS = ("host", "dom", "pub", "readme.txt", "index.html", "a-b", "joe", "10", "2121", "caf%C3%A9", "a%20b", "100%25")
"""Words that people write in URLs."""

BAD = ' ~#%<>"{}|\\^[]`\t\r\n\0\x7f\xe9\u0130\u2028\uff0f\U0001f600\udc80'
"""Characters that URLs of some profile may not contain, or (`%`) not alone."""

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


def urls(source: Source, *, registry: Registry | None = None) -> SearchStrategy[str]:
    """Return a strategy for texts that are URLs by the BNF of `source`.

    They reach every alternative and every option of the grammar. Examples shrink towards few options and repetitions.
    Raises the errors of `syntax_of`.
    """
    return _texts(syntax_of(source, registry))


def near_misses(source: Source, *, registry: Registry | None = None) -> SearchStrategy[str]:
    """Return a strategy for texts that are not URLs of `source`, but one or two edits away from one.

    Raises the errors of `syntax_of`.
    """
    syntax = syntax_of(source, registry)
    bad = "".join(each for each in BAD if each == "%" or syntax.profile.illegal.fullmatch(each))
    delimiters = [each for each in BAD if each not in bad]
    return _missed(syntax, _texts(syntax), bad, [*TOKENS, *delimiters])


def _texts(syntax: Syntax) -> SearchStrategy[str]:
    return _of(syntax.automaton.tree, syntax.profile.reserved)


def _of(item: Element, reserved: str) -> SearchStrategy[str]:
    if isinstance(item, Characters):
        return _one_of(_characters(item.mask))
    if isinstance(item, Marked):
        return _of(item.item, reserved)
    if isinstance(item, Series):
        return (
            _one_of(_spellings(item))
            if escaped_octets(item)
            else _series(list(with_whole_escapes(item.items)), reserved)
        )
    if isinstance(item, Variants):
        return st.one_of(*(_of(each, reserved) for each in item.items))
    assert isinstance(item, Repeated)
    if item.most == 1:
        return _mostly(_of(item.item, reserved), st.just("")) if item.least == 0 else _of(item.item, reserved)
    if isinstance(item.item, Marked) or not _is_set(item.item):
        most = TURNS if item.most is None else min(item.most, TURNS)
        return st.lists(_of(item.item, reserved), min_size=item.least, max_size=most).map("".join)
    return _run(item, reserved)


def _one_of(texts: list[str]) -> SearchStrategy[str]:
    """Return a strategy for one of many texts. Its repr does not list them."""
    return st.integers(0, len(texts) - 1).map(lambda index: texts[index])


def _mostly(usual: SearchStrategy[str], other: SearchStrategy[str]) -> SearchStrategy[str]:
    """Return a strategy for `usual` three times out of four; an example shrinks to `other`."""
    return st.integers(0, 3).flatmap(lambda turn: usual if turn else other)


def _series(items: list[Element], reserved: str) -> SearchStrategy[str]:
    """Return a strategy for a sequence; literals mostly have the letter case of the BNF."""
    pieces: list[SearchStrategy[str]] = []
    at = 0
    while at < len(items):
        literal = _literal(items, at)
        if len(literal) > 1:
            cases = st.tuples(*(_of(each, reserved) for each in items[at : at + len(literal)])).map("".join)
            pieces.append(_mostly(st.just(literal), cases))
        else:
            pieces.append(_of(items[at], reserved))
        at += max(len(literal), 1)
    return st.tuples(*pieces).map("".join)


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
    return isinstance(item, Characters) or bool(escaped_octets(item))


def _run(item: Repeated, reserved: str) -> SearchStrategy[str]:
    """Return a strategy for a run of characters and escapes.

    Reserved characters, other punctuation and escapes are as likely as letters: rules depend on them.
    """
    choices = item.item.items if isinstance(item.item, Variants) else [item.item]
    bare = _characters(sum({each.mask for each in choices if isinstance(each, Characters)}))
    escapes = [text for each in choices if not isinstance(each, Characters) for text in _spellings(each)]
    letters = [character for character in bare if character.isalnum()]
    delimiters = [character for character in bare if character in reserved]
    others = [character for character in bare if character not in letters and character not in reserved]
    most = RUN if item.most is None else min(item.most, RUN)
    words = [word for word in WORDS if len(word) <= most and _made_of(word, frozenset(bare), frozenset(escapes))]
    singles = [_one_of(each) for each in (letters, delimiters, others, escapes) if each]
    if item.most is not None:
        several = st.lists(st.one_of(*singles), min_size=item.least, max_size=most).map("".join)
        return st.one_of(several, st.sampled_from(words)) if words else several
    kinds = [st.text("".join(letters), min_size=1, max_size=most), *singles[1:]] if letters else [*singles]
    if words:
        kinds.append(st.sampled_from(words))
    if "/" in delimiters:  # the rules written out no longer show levels
        kinds.append(st.just("/"))
    several = st.lists(st.one_of(*kinds), min_size=item.least, max_size=PIECES).map("".join)
    return _mostly(several, st.one_of(*singles))


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


@st.composite
def _missed(draw: DrawFn, syntax: Syntax, texts: SearchStrategy[str], bad: str, tokens: list[str]) -> str:
    text = once = _edited(draw, draw(texts), bad, tokens)
    if syntax.fullmatch(once) is not None or draw(st.booleans()):
        text = _edited(draw, once, bad, tokens)
    if syntax.fullmatch(text) is None:
        return text
    # Both edits gave a URL. A character that no URL may contain, in place of the second edit, does not.
    at = draw(st.integers(0, len(once)))
    missed = once[:at] + draw(st.sampled_from(bad)) + once[at:]
    return missed if syntax.fullmatch(missed) is None else once[:at] + " " + once[at:]


def _edited(draw: DrawFn, text: str, bad: str, tokens: list[str]) -> str:
    """Return `text` with something inserted, replaced, removed, doubled or exchanged."""
    at = draw(st.integers(0, len(text)))
    put = draw(st.one_of(st.sampled_from(bad), st.sampled_from(tokens), st.characters(max_codepoint=0x17F)))
    edits: Iterable[str] = (
        text[:at] + put + text[at:],
        text[:at] + put + text[at + 1 :],
        text[:at] + text[at + 1 :],
        text[: at + 1] + text[at:],
        text[:at] + text[at + 1 : at + 2] + text[at : at + 1] + text[at + 2 :],
    )
    return draw(st.sampled_from(list(edits)))
