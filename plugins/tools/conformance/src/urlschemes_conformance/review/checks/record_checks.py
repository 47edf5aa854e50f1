"""Checks of the record: the texts that a registration must have."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from urlschemes_cli.settings import known_profiles, known_records
from urlschemes_conformance.review.catalogue import check
from urlschemes_conformance.review.verdicts import CannotCheck, counted, failed, passed, skipped, warned
from urlschemes_conformance.scaffold import has_template_syntax, template_leftovers

if TYPE_CHECKING:
    from collections.abc import Callable

    from urlschemes.record.registration import Registration
    from urlschemes_conformance.review.reviewed_scheme import ReviewedScheme
    from urlschemes_conformance.review.verdicts import Verdict

__all__: list[str] = []

MIN_WORDS = 5
"""Words of a text that is not empty talk."""
MIN_SECURITY_WORDS = 15
"""Words of the security considerations."""

_PLACEHOLDER = re.compile(
    r"\b(?:TO-?DO|TBD|TBA|FIXME|XXX+|(?i:lorem ipsum|placeholder|change-?me|"
    r"your (?:name|address|e-?mail|organi[sz]ation|text)|(?:write|describe|put|insert|name) here))\b"
    r"|(?i:^\W*to be (?:written|defined|done|determined|completed)|<(?:your|the|name|e-?mail|contact|text)[^<>@]*>"
    r"|@example\.(?:com|org|net)\b)|\.\.\.\s*$"
)
_PUBLICATION = re.compile(
    r"\bRFC ?[0-9]+|https?://|\b(?:ISO|IEC|ITU|ANSI|IEEE|W3C|ECMA|ETSI|OASIS|STD|Internet-Draft|draft-)\b"
)
_ADDRESS = re.compile(r"[^\s@]+@[^\s@]+|https?://|mailto:|\bIETF\b|\bIESG\b|\+?[0-9][0-9 ()/-]{6,}")
_NOBODY = frozenset({"you", "me", "author", "none", "nobody"})
_READING = frozenset({"access", "find attributes", "open session"})
"""Operations that change nothing."""


class _Risk(NamedTuple):
    """A risk that the security considerations must discuss: those that do contain one of `words`."""

    description: str
    words: str
    applies: Callable[[Registration], bool]


_RISKS = (
    _Risk("its URLs may contain a password", r"password", lambda record: "password" in record.syntax.parts),
    _Risk("it reads or writes local files", r"\bfile", lambda record: record.local),
    _Risk("it follows redirects", r"redirect|moved|forward", lambda record: bool(record.redirects)),
    _Risk(
        "it changes the resource",
        r"chang|writ|delet|replac|updat|sen[dt]|submit",
        lambda record: bool({*record.operations} - _READING),
    ),
    _Risk(
        "a part may contain control octets",
        r"control|octet|encod|line end|CR LF",
        lambda record: bool(record.operations) and any(part.travels != "line" for part in record.syntax.parts.values()),
    ),
    _Risk(
        "it connects to a host that the URL names",
        r"server|host|network|clear|encrypt|TLS|port",
        lambda record: "host" in record.syntax.parts and bool(record.operations) and not record.local,
    ),
)


@check("record", "RFC 1738 section 4; RFC 7595 section 7.4")
def record(scheme: ReviewedScheme) -> Verdict:
    """The record can be read, has every field, and is of the scheme that the entry point, or a ledger's file, names."""
    found, claim = scheme.record, scheme.target.claim
    if found.scheme != claim.name:
        named = "entry point" if claim.module else "file"
        return failed(
            f"the {named} is named {claim.name!r}, but the record is of {found.scheme!r}",
            f"give the {named} the name of the scheme",
        )
    known = known_records(scheme.installed)
    for other in sorted({file.name for file in Path(found.source).parent.glob("registration*.toml")} - known):
        return warned(f"{other} is not a record of a known profile", f"expected one of {', '.join(sorted(known))}")
    profiles = known_profiles(scheme.installed)
    for name in sorted({*claim.profiles} - profiles):
        return warned(f"{name} is not a known profile", f"expected one of {', '.join(sorted(profiles))}")
    return passed("every field is present")


@check("contact", "RFC 7595 section 7.4")
def contact(scheme: ReviewedScheme) -> Verdict:
    """The contact and the change controller are a person or a group, and the contact has an address."""
    found = scheme.record
    _require_texts(found, "contact", "change_controller")
    for name in ("contact", "change_controller"):
        text = getattr(found, name)
        if _PLACEHOLDER.search(text) or text.strip(". ").lower() in _NOBODY:
            return failed(
                f"the {name.replace('_', ' ')} {text!r} is not the name of a person or a group",
                "name the person or the group responsible for the scheme, with an address",
            )
    if not _ADDRESS.search(found.contact):
        return warned(
            f"the contact {found.contact!r} has no address",
            "add an e-mail address, a URL or a telephone number",
        )
    return passed(f"{found.contact}; change controller: {found.change_controller}")


@check("reference", "RFC 7595 sections 4 and 7.4")
def reference(scheme: ReviewedScheme) -> Verdict:
    """The reference is the document that defines the scheme; for a permanent scheme, a publication."""
    found = scheme.record
    _require_texts(found, "reference")
    if _PLACEHOLDER.search(found.reference):
        return failed(
            f"the reference is a placeholder: {found.reference!r}",
            "name the document that defines the scheme, and its section",
        )
    if found.status != "experimental" and has_template_syntax(found):
        listed = [
            each for each in scheme.installed.ledgers() if any(known.name == found.scheme for known in each.names)
        ]
        if listed:
            return failed(
                f"{found.scheme} is in {listed[-1].dated}, but the syntax is still the template of `urlschemes new`",
                "write the syntax, parts and examples of its definition; or choose another name",
            )
    if found.status == "permanent" and not _PUBLICATION.search(found.reference):
        return failed(
            f"the status is permanent, but the reference {found.reference!r} is not a publication",
            "name an RFC, another standard, or a URL; or register the scheme as provisional",
        )
    return passed(found.reference)


@check("considerations", "RFC 7595 sections 3.6 and 3.9")
def considerations(scheme: ReviewedScheme) -> Verdict:
    """The encoding and interoperability considerations are written, and are about this scheme."""
    contents = {
        "encoding": "which octets the parts may contain, in which character set, and which are encoded",
        "interoperability": "where servers and clients differ, and which versions of the protocol there are",
    }
    _require_texts(scheme.record, *(f"{kind}_considerations" for kind in contents))
    for kind, content in contents.items():
        text = getattr(scheme.record, f"{kind}_considerations")
        if text and (fault := _fault_of_text(text, MIN_WORDS)):
            return failed(f"the {kind} considerations {fault}", f"describe {content}")
        if (leftover := _leftover(scheme.record, kind)) is not None:
            return leftover
    return passed("they are written")


@check("security", "RFC 1738 section 6; RFC 3986 section 7; RFC 7595 section 3.7")
def security(scheme: ReviewedScheme) -> Verdict:
    """The security considerations discuss every risk that the syntax and the operations bring."""
    found = scheme.record
    _require_texts(found, "security_considerations")
    text = found.security_considerations
    if fault := _fault_of_text(text, MIN_SECURITY_WORDS):
        return failed(
            f"the security considerations {fault}",
            "describe what a URL, a server and an eavesdropper can do to whom, and the protection against it",
        )
    risks = [risk for risk in _RISKS if risk.applies(found)]
    missing = [risk.description for risk in risks if not re.search(risk.words, text, re.IGNORECASE)]
    if missing:
        return failed(
            f"{missing[0]}, but the security considerations do not discuss it",
            "describe the consequences",
            *(f"not discussed: {description}" for description in missing[1:]),
        )
    if (leftover := _leftover(found, "security")) is not None:
        return leftover
    return passed(f"they discuss: {'; '.join(risk.description for risk in risks)}" if risks else "they are written")


def _require_texts(found: Registration, *names: str) -> None:
    """Raise CannotCheck if the record of an experiment has none of them."""
    if not any(getattr(found, name) for name in names):
        raise CannotCheck(skipped(f"the record of this experiment has no {names[0].replace('_', ' ')}"))


def _leftover(found: Registration, kind: str) -> Verdict | None:
    """Return the verdict for considerations that are still those of the template, although the syntax is another."""
    if f"{kind}_considerations" not in template_leftovers(found):
        return None
    return warned(
        f"the {kind} considerations are still those of the template of `urlschemes new`, but the syntax is another",
        "write what is true for this syntax",
    )


def _fault_of_text(text: str, min_words: int) -> str:
    """Return why a text says nothing, as the end of a sentence; "" if it says something."""
    placeholder = _PLACEHOLDER.search(text)
    if placeholder:
        return f"contain a placeholder: {placeholder[0]!r}"
    count = len(text.split())
    return f"have only {counted(count, 'word')} of at least {min_words}" if count < min_words else ""


@check("examples", "RFC 7595 section 3.3")
def examples(scheme: ReviewedScheme) -> Verdict:
    """The record has examples: at least one URL with its parts, and one text that is not a URL."""
    found = scheme.record
    valid = [each for each in found.examples if each.parts is not None]
    if not valid:
        return failed("no example is a URL", "add [[examples]] with url and parts to the record")
    if len(valid) == len(found.examples):
        return failed("no example is an invalid text", "add [[examples]] with url and invalid = true to the record")
    unused = [name for name in found.syntax.parts if not any(name in (each.parts or ()) for each in valid)]
    if unused:
        return warned(
            f"no example has the part {unused[0]}",
            "add an example that has it",
            *(f"no example has the part {each}" for each in unused[1:]),
        )
    return passed(f"{counted(len(valid), 'URL')} and {counted(len(found.examples) - len(valid), 'invalid text')}")
