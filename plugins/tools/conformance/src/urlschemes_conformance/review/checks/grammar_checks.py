"""Checks of the BNF: whether it compiles, whom it agrees with, what separates its parts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from urlschemes.errors import URLError
from urlschemes.grammar.automaton import bits
from urlschemes.grammar.bnf import references
from urlschemes.grammar.octets import mask
from urlschemes.redaction import described
from urlschemes_conformance.agreement import Judges
from urlschemes_conformance.proof import NotProven, prove_generic, prove_pattern, prove_printed, prove_recognizer
from urlschemes_conformance.review.catalogue import check
from urlschemes_conformance.review.verdicts import counted, failed, passed, skipped, warned
from urlschemes_tables import table_of

if TYPE_CHECKING:
    from urlschemes.grammar.automaton import Automaton
    from urlschemes.grammar.part import Part
    from urlschemes.grammar.rule_tree import Marked
    from urlschemes.grammar.syntax import Syntax
    from urlschemes_conformance.review.reviewed_scheme import ReviewedScheme
    from urlschemes_conformance.review.verdicts import Verdict
    from urlschemes_tables import Table

__all__: list[str] = []

_BEGINS_A_URL = re.compile(r'"[\w.+-]+(?:" ")?:')
_COMMON_PARTS = ("user", "password", "host", "port")


@check("grammar", "RFC 1738 sections 4 and 5; RFC 3986 section 3; RFC 7595 section 3.2", of_new=True)
def grammar(scheme: ReviewedScheme) -> Verdict:
    """The BNF compiles, begins with the scheme's name, divides URLs in one way, and follows the generic syntax."""
    syntax, document = scheme.syntax, scheme.profile.document
    try:
        wider = prove_generic(syntax).difference
    except NotProven as error:
        return warned(f"not proven to follow the generic syntax: {error}", f"compare the rules with {document}")
    if wider is not None:
        return failed(
            f"it is wider than the generic syntax of {document}, by which other programs read URLs",
            "leave out what the generic syntax does not have; the text derives from the record only",
            repr(wider),
        )
    if unused := _unused_rules(syntax):
        return warned(f"no URL has the rule {', '.join(unused)}", "refer to it, or leave it out")
    return passed(f"{counted(len(syntax.own_rules), 'rule')}, {counted(len(syntax.parts), 'part')}, one pattern")


def _unused_rules(syntax: Syntax) -> list[str]:
    """Return the rules of the record that no other needs, but for those of URLs of another scheme (`same_as`)."""
    rules = syntax.grammar.rules
    decoded = (part.decoded for part in syntax.parts.values())
    used = [name for name in (syntax.rule, syntax.hierarchy, *decoded) if name is not None]
    for name in used:
        used += {each.name for each in references(rules[name].node)}.difference(used)
    own = syntax.profile.notation(syntax.bnf, syntax.shared.rules).rules()
    return [name for name in own if name not in used and not _BEGINS_A_URL.match(str(rules[name].node))]


@check("same-language", "RFC 1738 section 5; RFC 3986 Appendix A")
def same_language(scheme: ReviewedScheme) -> Verdict:
    """The type accepts the texts that an independent recognizer derives from the BNF, and divides them alike."""
    syntax, proven, table = scheme.syntax, "no table", table_of(scheme.syntax)
    wrong = None
    if table is not None:
        try:
            wrong, proven = _different_for_some_text(syntax, table), ""
        except NotProven as error:
            proven = f"not proven equal for all texts: {error}"
    compared = [*scheme.some(scheme.valid_texts), *(scheme.some(scheme.near_misses) if proven else ())]
    agree = f"agree on {len(compared)} texts ({proven})" if proven else "proven equal for all texts"
    return (
        wrong
        or _differently_read(syntax, compared)
        or _differently_parsed(scheme)
        or passed(
            f"{len(scheme.valid_texts)} URLs and {len(scheme.near_misses)} near misses parsed; "
            f"pattern, recognizer and table {agree}"
        )
    )


def _differently_read(syntax: Syntax, texts: list[str]) -> Verdict | None:
    judges = Judges(syntax)
    for text in texts:
        difference = judges.difference(text)
        if difference is not None:
            return _incorrectly_compiled(difference, text)
    return None


def _different_for_some_text(syntax: Syntax, table: Table) -> Verdict | None:
    """Search the whole language for a text on which pattern, recognizer and table differ. Raises NotProven."""
    for one, prove in (("pattern", prove_pattern), ("recognizer", prove_recognizer)):
        difference = prove(syntax, table).difference
        if difference is not None:
            return _incorrectly_compiled(f"its {one} and its table differ", difference)
    return None


def _incorrectly_compiled(difference: str, text: str) -> Verdict:
    return failed(
        f"the core compiles this BNF incorrectly: {difference}",
        "report this bug, with the record and this text",
        repr(text),
    )


def _differently_parsed(scheme: ReviewedScheme) -> Verdict | None:
    name = scheme.url_type.__name__
    for texts, is_valid in ((scheme.valid_texts, True), (scheme.near_misses, False)):
        for text in texts:
            if scheme.parses(text) != is_valid:
                fault = "refuses a text that derives from" if is_valid else "accepts a text that does not derive from"
                return failed(
                    f"{name} {fault} the BNF", "let the code read the record with Registration.of", repr(text)
                )
    return None


@check("printed-rules", "docs/reference/registration.md")
def printed_rules(scheme: ReviewedScheme) -> Verdict:
    """If the record says how its rules are printed, both derive the same texts."""
    syntax = scheme.syntax
    if not syntax.printed:
        return passed("the record has no rules as printed")
    try:
        proof = prove_printed(syntax)
    except LookupError as error:
        return failed(
            f"the printed rules use {error.args[0]!r}, which is defined nowhere", "define the rule in `printed`"
        )
    except (URLError, IndexError) as error:
        return failed(
            f"the printed rules cannot be read: {described(error)}", "write them in the notation of the record"
        )
    except NotProven as error:
        return warned(f"not proven equal: {error}", "compare the printed rules with those of the record")
    if proof.difference is not None:
        return failed(
            "the rules of the record and the printed ones do not derive the same texts",
            "correct the rules of the record; the text derives from only one of the two",
            repr(proof.difference),
        )
    return passed(f"proven equal for all texts: {proof.pairs} states")


@check("reserved-characters", "RFC 1738 section 2.2; RFC 3986 section 2.2", of_new=True)
def reserved_characters(scheme: ReviewedScheme) -> Verdict:
    """Only characters that the profile reserves separate parts."""
    profile, escapes = scheme.profile, []
    reserved = " ".join(profile.reserved)
    for text, rule in sorted(_separators(scheme.syntax, scheme.record.scheme)):
        if "%" in text:
            escapes.append(f"{text!r} in the rule {rule}")
            continue
        unreserved = sorted(({*text} - {*profile.reserved}) & {*profile.unreserved})
        if unreserved and not all(character.isalnum() for character in unreserved):
            character = next(each for each in unreserved if not each.isalnum())
            return failed(
                f"the rule {rule} separates with {text!r}: {character!r} means the same encoded, and software may "
                "encode or decode it",
                f"separate with one of {reserved}",
            )
    if escapes:
        return warned(
            f"an escape separates parts: {escapes[0]}; software that decodes too early loses it",
            f"separate with one of {reserved}, unless the scheme is older than this rule",
        )
    return passed("no other character separates parts")


def _separators(syntax: Syntax, scheme: str) -> set[tuple[str, str]]:
    """Return the literals between parts, each with its rule; those of shared rules are left out."""
    automaton, own = syntax.automaton, syntax.own_rules
    within_parts = 0
    for marked in automaton.marked:
        if not marked.item.marks:
            within_parts |= marked.inside
    prefix, name = _prefix_positions(automaton), f"{scheme}:"
    separators = set()
    for position, leaf in enumerate(automaton.leaves):
        if leaf.literal is None or (within_parts | prefix) >> position & 1 or leaf.path[-1] not in own:
            continue
        literal = leaf.literal
        if literal.lower().startswith(name):  # most rules write "x-foo://" as one literal
            literal = literal[len(name) :]
        separators.add((literal, leaf.path[-1]))
    for part in syntax.parts.values():
        if part.division is not None:
            separators.add((part.division.separator, part.rule))
    return separators


def _prefix_positions(automaton: Automaton) -> int:
    """Return the positions of the scheme's name and the colon, with which every URL begins."""
    positions, reached = automaton.tree.first, 0
    while positions:
        reached |= positions
        if automaton.characters(positions) == mask(":"):
            break
        positions = automaton.following(positions) & ~reached
    return reached


@check("conventions", "RFC 1738 sections 3.1 and 4; RFC 3986 section 3.2; RFC 7595 section 3.2", of_new=True)
def conventions(scheme: ReviewedScheme) -> Verdict:
    """A host is written as in all schemes, //user:password@host:port/, by the shared rules."""
    syntax, name = scheme.syntax, scheme.record.scheme
    automaton = syntax.automaton
    slashes = all(automaton.start.walk(f"{name}:{each}")[1].characters == mask("/") for each in ("", "/"))
    if "host" not in syntax.parts:
        if slashes:
            return failed(
                "its URLs begin with //, but no part is named host",
                "name the part host, or remove the //: it announces a host",
            )
        return skipped("its URLs have no host")
    for text in scheme.valid_texts:
        match = syntax.fullmatch(text)
        if match and syntax.span(match, "host") and not text[len(name) :].startswith("://"):
            advice = f'begin the rule with "{name}://", at least where there is a host'
            return failed("its URLs have a host, but do not begin with //", advice, repr(text))
    server = scheme.profile.rule_names["server"]
    for common in _COMMON_PARTS:
        part = syntax.parts.get(common)
        if part is not None and not _is_shared_rule(part, syntax):
            return failed(
                f"the part {common} is not the shared rule {common}",
                f"use the rule login or {server}, which has these parts for all schemes",
            )
    if scheme.record.default_port is not None and "port" not in syntax.parts:
        return failed("there is a default port, but URLs cannot name another", f"use {server}, and make port a part")
    for part_name in ("host", "port"):
        wrong = _wrong_followers(automaton, syntax, part_name)
        if wrong:
            ends = " or ".join(scheme.profile.authority_ends)
            return failed(
                f"{wrong[:10]!r} may follow the {part_name}", f"let a {ends} follow host and port, or nothing"
            )
    return passed(f"//{'user:password@' if 'user' in syntax.parts else ''}host:port/ by the shared rules")


def _is_shared_rule(part: Part, syntax: Syntax) -> bool:
    """Return True if the part is the shared rule of its name, or a literal beside it."""
    rules = syntax.host_rules if part.name == "host" else {part.name} - syntax.own_rules.keys()
    return part.at[0][-1] in rules and all(at[-1] in rules or at[-1].startswith('"') for at in part.at)


def _wrong_followers(automaton: Automaton, syntax: Syntax, name: str) -> str:
    """Return the characters that may follow the part `name` in a URL, but should not."""
    part = syntax.parts.get(name)
    occurrences: list[Marked] = [each for each in automaton.marked if part is not None and each.mark == part.mark]
    last = inside = 0
    for each in occurrences:
        last |= each.last
        inside |= each.inside
    followers = automaton.characters(automaton.following(last) & ~inside)
    allowed = mask(syntax.profile.authority_ends) | (mask(":") if name == "host" else 0)
    return "".join(chr(code) for code in bits(followers & ~allowed))
