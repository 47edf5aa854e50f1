"""Checks of the BNF: that it can be used, what it reserves, and how far it follows section 3.1."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.errors import InvalidURL, RegistrationError, URLError
from urlschemes.grammar.automaton import bits
from urlschemes.grammar.bnf import shared_rules
from urlschemes.grammar.octets import RESERVED, UNRESERVED, mask
from urlschemes.grammar.rule_tree import Marked, marks
from urlschemes_conformance.review.catalogue import asks
from urlschemes_conformance.review.verdicts import failed, passed, skipped, warned

if TYPE_CHECKING:
    from urlschemes.grammar.automaton import Automaton
    from urlschemes.grammar.syntax import Part, Syntax
    from urlschemes_conformance.review.subject import Subject
    from urlschemes_conformance.review.verdicts import Judgement

__all__: list[str] = []

RECOGNIZED = 400
"""Texts that the slow recognizer reads, of each kind."""
DIVIDED = 100
"""Texts that are divided in all ways there are."""
LONGEST = 60
"""Characters that such a text has at most."""

_COMMON = ("user", "password", "host", "port")


@asks("grammar", "RFC 1738 sections 4 and 5")
def grammar(subject: Subject) -> Judgement:
    """The BNF can be read, begins with the scheme's own name, and leaves open in no text what a part is."""
    from urlschemes.scheme.scheme import Scheme

    try:
        found = subject.read()
        found.syntax.fullmatch  # noqa: B018  compiles the pattern
        Scheme(found)
    except RegistrationError as error:
        if error.field not in {"syntax", "syntax.rule", ""} and type(error) is RegistrationError:
            return skipped("the record cannot be read: see the checks record and status")
        place = f" (rule {error.rule}, section {error.section})" if error.rule and error.section else ""
        return failed(f"{error.message}{place}", error.hint or "docs/registering.md describes the notation")
    except (URLError, OSError, ImportError, UnicodeDecodeError) as error:
        if isinstance(error, URLError) and error.part:
            return failed(error.message, error.hint or "rename the part")
        return skipped("the record cannot be read: see the check record")
    rules = found.syntax.grammar.rules.keys() - shared_rules().rules.keys()
    return passed(f"{len(rules)} rules, {len(found.syntax.parts)} parts, one pattern")


@asks("same-language", "RFC 1738 section 5")
def same_language(subject: Subject) -> Judgement:
    """What the type reads is what the BNF derives, by a second way of deriving; and each part is where that puts it."""
    from urlschemes_conformance.recognizer import Recognizer, captured, derivations

    syntax, kind = subject.syntax, subject.url_type
    slow = Recognizer(syntax)
    read = 0
    for texts, are_urls in ((subject.texts, True), (subject.misses, False)):
        for text in _spread(texts, RECOGNIZED):
            read += 1
            if slow.accepts(text) != are_urls:
                return failed(
                    "the pattern and the BNF differ: the core compiles this BNF wrongly",
                    "report it, with the record and this text",
                    repr(text),
                )
        for text in texts:
            if _is_read(kind, text) != are_urls:
                does = (
                    "refuses a text that the BNF derives" if are_urls else "reads a text that the BNF does not derive"
                )
                return failed(f"the type {kind.__name__} {does}", "let URL.parse decide what is a URL", repr(text))
    short = [text for text in subject.texts if len(text) <= LONGEST][:DIVIDED]
    for text in short:
        ways = derivations(syntax, text)
        if captured(syntax, text) not in ways:
            return failed(
                "the pattern divides a text as the BNF does not", "report it, with the record and this text", repr(text)
            )
        # An empty part may as well be absent.
        if len({frozenset(span for span in way if span[1] < span[2]) for way in ways}) > 1:
            return failed(
                "the BNF divides a text in more than one way, and its parts differ",
                "let no text be divided in two ways: exclude the divider from the part before it",
                repr(text),
            )
    return passed(
        f"{len(subject.texts)} URLs read, {len(subject.misses)} near misses refused; {read} derived and {len(short)} "
        "divided by a second way"
    )


def _is_read(kind: type, text: str) -> bool:
    try:
        kind.parse(text)  # type: ignore[attr-defined]  # a type of URLs
    except InvalidURL:
        return False
    return True


def _spread(texts: tuple[str, ...], count: int) -> tuple[str, ...]:
    """About `count` of the texts, of all lengths."""
    return texts[:: max(len(texts) // count, 1)]


@asks("reserved-characters", "RFC 1738 section 2.2")
def reserved_characters(subject: Subject) -> Judgement:
    """What stands between parts is one of the characters that can be reserved: ; / ? : @ & =."""
    syntax = subject.syntax
    escapes = []
    for text, rule in sorted(_dividers(syntax, subject.record.scheme)):
        wrong = sorted({*text} - {*RESERVED} & {*UNRESERVED} if "%" not in text else ())
        if wrong and not all(character.isalnum() for character in wrong):
            character = next(each for each in wrong if not each.isalnum())
            return failed(
                f"the rule {rule} divides with {text!r}: {character!r} means the same encoded or not, so it divides "
                "nothing reliably",
                f"divide with one of {' '.join(RESERVED)}",
            )
        if "%" in text:
            escapes.append(f"{text!r} in the rule {rule}")
    if escapes:
        return warned(
            f"an escape divides parts: {escapes[0]}; software that decodes too early loses it",
            f"divide with one of {' '.join(RESERVED)}, unless the scheme is older than this rule",
        )
    return passed("nothing else divides parts")


def _dividers(syntax: Syntax, scheme: str) -> set[tuple[str, str]]:
    """The literals that stand between parts, each with its rule; of the scheme's own rules alone."""
    automaton, shared = syntax.automaton, shared_rules().rules
    within = 0
    for marked in automaton.marked:
        if not any(True for _ in marks(marked.item)):
            within |= marked.inside
    prefix, name = _prefix(automaton), f"{scheme}:"
    found = set()
    for position, leaf in enumerate(automaton.leaves):
        if leaf.literal is None or (within | prefix) >> position & 1 or leaf.path[-1] in shared:
            continue
        literal = leaf.literal
        if literal.lower().startswith(name):  # which stands in one literal with what follows it, mostly
            literal = literal[len(name) :]
        found.add((literal, leaf.path[-1]))
    for part in syntax.parts.values():
        if part.division is not None:
            found.add((part.division.separator, part.rule))
    return found


def _prefix(automaton: Automaton) -> int:
    """The positions of the scheme's name and the colon, which every URL begins with."""
    positions, reached = automaton.tree.first, 0
    while positions:
        reached |= positions
        if automaton.characters(positions) == mask(":"):
            break
        positions = automaton.following(positions) & ~reached
    return reached


@asks("conventions", "RFC 1738 sections 3.1 and 4; RFC 7595 section 3.2")
def conventions(subject: Subject) -> Judgement:
    """Where there is a host, it stands as in all schemes: //user:password@host:port/, by the shared rules."""
    syntax, name = subject.syntax, subject.record.scheme
    automaton = syntax.automaton
    slashes = all(automaton.characters(automaton.reach(f"{name}:{each}")[1]) == mask("/") for each in ("", "/"))
    host = syntax.parts.get("host")
    if host is None:
        if slashes:
            return failed(
                "its URLs begin with //, and no part is called host",
                "name the host that stands there, or leave the // out: it says that a host follows",
            )
        return skipped("no host stands in its URLs")
    if not slashes:
        return failed("a host stands in its URLs, and they do not begin with //", f'begin the rule with "{name}://"')
    for common in _COMMON:
        part = syntax.parts.get(common)
        if part is not None and not _is_shared(part):
            return failed(
                f"the part {common} is not the shared rule {common}",
                "use login or hostport, which have these parts for all schemes",
            )
    if subject.record.default_port is not None and "port" not in syntax.parts:
        return failed("there is a default port, and no URL can name another", "use hostport, and make port a part")
    for marked in _of(automaton, syntax, "host"), _of(automaton, syntax, "port"):
        after = automaton.characters(automaton.following(_last(marked)) & ~_inside(marked))
        allowed = mask("/") | (mask(":") if marked and marked[0].mark == syntax.parts["host"].mark else 0)
        if after & ~allowed:
            what = "".join(chr(code) for code in bits(after & ~allowed))
            return failed(
                f"behind the {marked[0].mark} may stand {what[:10]!r}", "let a / follow host and port, or nothing"
            )
    return passed(f"//{'user:password@' if 'user' in syntax.parts else ''}host:port/ by the shared rules")


def _is_shared(part: Part) -> bool:
    """Whether the part is the shared rule of its name, or a literal that is named beside it."""
    return part.at[0][-1] == part.name and all(at[-1] == part.name or at[-1].startswith('"') for at in part.at)


def _of(automaton: Automaton, syntax: Syntax, name: str) -> list[Marked]:
    part = syntax.parts.get(name)
    return [marked for marked in automaton.marked if part is not None and marked.mark == part.mark]


def _last(marked: list[Marked]) -> int:
    return _union([each.last for each in marked])


def _inside(marked: list[Marked]) -> int:
    return _union([each.inside for each in marked])


def _union(sets: list[int]) -> int:
    whole = 0
    for one in sets:
        whole |= one
    return whole
