"""Checks of the record's words: what a registration must say."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from urlschemes.errors import GrammarError, PluginContractError, RegistrationError
from urlschemes.redaction import described
from urlschemes.registry.registry import Registry
from urlschemes_conformance.review.catalogue import asks
from urlschemes_conformance.review.verdicts import failed, passed, skipped, warned
from urlschemes_conformance.scaffold import has_new_syntax, left_over

if TYPE_CHECKING:
    from urlschemes.scheme.registration import Registration
    from urlschemes_conformance.review.subject import Subject
    from urlschemes_conformance.review.verdicts import Judgement

__all__: list[str] = []

WORDS = 5
"""Words that a text needs to say something."""
SECURITY_WORDS = 15
"""Words that an analysis of what can go wrong needs."""

_PLACEHOLDER = re.compile(
    r"\b(?:TO-?DO|TBD|TBA|FIXME|XXX+|(?i:lorem ipsum|placeholder|change-?me|"
    r"your (?:name|address|e-?mail|organi[sz]ation|text)|(?:write|describe|put|insert|name) here))\b"
    r"|(?i:^\W*to be (?:written|defined|done|determined|completed)|<(?:your|the|name|e-?mail|contact|text)[^<>@]*>"
    r"|@example\.(?:com|org|net)\b)|\.\.\.\s*$"
)
_PUBLISHED = re.compile(
    r"\bRFC ?[0-9]+|https?://|\b(?:ISO|IEC|ITU|ANSI|IEEE|W3C|ECMA|ETSI|OASIS|STD|Internet-Draft|draft-)\b"
)
_REACHABLE = re.compile(r"[^\s@]+@[^\s@]+|https?://|mailto:|\bIETF\b|\bIESG\b|\+?[0-9][0-9 ()/-]{6,}")

# What a syntax, or a record, makes risky, and the word that whoever analysed it has used.
_RISKS = (
    ("its URLs can hold a password", r"password"),
    ("it reads or writes this machine's files", r"\bfile"),
    ("it follows redirects", r"redirect|moved|forward"),
    ("it changes what it locates", r"chang|writ|delet|replac|updat|sen[dt]|submit"),
    ("a part may hold control octets", r"control|octet|encod|line end|CR LF"),
    ("it talks to a host that the URL names", r"server|host|network|clear|encrypt|TLS|port"),
)
_READING = frozenset({"access", "find attributes"})


@asks("record", "RFC 1738 section 4; RFC 7595 section 7.4")
def record(subject: Subject) -> Judgement:
    """The record can be read, is of the scheme that the entry point names, and has every field.

    What is wrong with the status or the BNF is for the checks of that name.
    """
    try:
        found = subject.read()
    except GrammarError:
        return skipped("the BNF cannot be read: see the check grammar")
    except (RegistrationError, PluginContractError) as error:
        if isinstance(error, RegistrationError) and error.field == "status":
            return skipped("the status is wrong: see the check status")
        return failed(error.message, error.hint or "docs/registering.md lists the fields of a record")
    except (OSError, ImportError, UnicodeDecodeError) as error:
        return failed(
            f"there is no record: {described(error)}", "put a registration.toml into the package, and into its wheel"
        )
    if subject.target.module and found.scheme != subject.target.scheme:
        return failed(
            f"the entry point is named {subject.target.scheme}, and the record is of {found.scheme}",
            "name the entry point as the scheme",
        )
    return passed("every field is there")


@asks("contact", "RFC 7595 section 7.4")
def contact(subject: Subject) -> Judgement:
    """Contact and change controller name somebody, and the contact says where."""
    found = subject.record
    for name in ("contact", "change_controller"):
        text = getattr(found, name)
        if _is_nobody(text):
            return failed(
                f"the {name} is {text!r}, which is nobody",
                "name the person or the group who answers for the scheme, with an address",
            )
    if not _REACHABLE.search(found.contact):
        return warned(
            f"the contact, {found.contact!r}, says who and not where",
            "add an address or a URL where they can be reached",
        )
    return passed(f"{found.contact}; changes are for {found.change_controller} to make")


def _is_nobody(text: str) -> bool:
    return _PLACEHOLDER.search(text) is not None or text.strip(". ").lower() in {
        "you",
        "me",
        "author",
        "none",
        "nobody",
    }


@asks("reference", "RFC 7595 sections 4 and 7.4")
def reference(subject: Subject) -> Judgement:
    """The reference says where the scheme is defined; of a permanent scheme, a publication."""
    found = subject.record
    if _PLACEHOLDER.search(found.reference):
        return failed(
            f"the reference is a placeholder: {found.reference!r}",
            "name the document that defines the scheme, and its section",
        )
    if found.status != "experimental" and has_new_syntax(found):
        having = [each for each in Registry().ledgers() if any(known.name == found.scheme for known in each.names)]
        if having:
            return failed(
                f"{having[-1].title} has {found.scheme}, and the syntax is still the one that `urlschemes new` wrote",
                "write the syntax that its definition has, the parts and the examples; or choose another name",
            )
    if found.status == "permanent" and not _PUBLISHED.search(found.reference):
        return failed(
            f"the status is permanent, and {found.reference!r} names no publication",
            "name an RFC, another standard, or a URL; or register it as provisional",
        )
    if (text := _readme(found)) and "README.md" in left_over(found, text):
        return warned(
            "README.md still shows the URLs of the syntax that `urlschemes new` wrote, which is another",
            "describe there the URLs and the protocol of this one",
        )
    return passed(found.reference)


def _readme(found: Registration) -> str:
    """The README.md of the folder in which the record is worked on; "" where there is none."""
    for folder in Path(found.source).parents:
        if (folder / "pyproject.toml").is_file():
            with suppress(OSError, UnicodeDecodeError):
                return (folder / "README.md").read_text("utf-8")
            break
    return ""


@asks("considerations", "RFC 7595 sections 3.6 and 3.9")
def considerations(subject: Subject) -> Judgement:
    """The considerations of encoding and interoperability say something, in words of their own."""
    for kind in ("encoding", "interoperability"):
        text = getattr(subject.record, f"{kind}_considerations")
        fault = _empty(text, WORDS)
        if fault:
            asked = (
                "which octets the parts hold, in what character set, and what is encoded"
                if kind == "encoding"
                else "where servers and clients differ, and which versions of the protocol there are"
            )
            return failed(f"the {kind} considerations {fault}", f"say {asked}")
        if (left := _left_over(subject.record, kind)) is not None:
            return left
    return passed("both say something")


@asks("security", "RFC 1738 section 6; RFC 7595 section 3.7")
def security(subject: Subject) -> Judgement:
    """The security considerations are an analysis, and speak of what the syntax and the operations make risky."""
    found = subject.record
    text = found.security_considerations
    fault = _empty(text, SECURITY_WORDS)
    if fault:
        return failed(
            f"the security considerations {fault}",
            "say what a URL, a server, and whoever listens can do to whom, and what is done about it",
        )
    risky = _risks(found)
    silent = [what for what, words in _RISKS if what in risky and not re.search(words, text, re.IGNORECASE)]
    if silent:
        return failed(
            f"{silent[0]}, and the security considerations do not speak of it",
            "say what can come of that",
            *(f"not spoken of: {what}" for what in silent[1:]),
        )
    if (left := _left_over(found, "security")) is not None:
        return left
    return passed(f"they speak of what is risky: {'; '.join(risky)}" if risky else "they say something")


def _left_over(found: Registration, kind: str) -> Judgement | None:
    """The verdict where the considerations are those that `urlschemes new` writes, of another syntax."""
    if f"{kind}_considerations" not in left_over(found):
        return None
    return warned(
        f"the {kind} considerations are still those that `urlschemes new` wrote, of another syntax",
        "say what is true of this one",
    )


def _empty(text: str, words: int) -> str:
    """How `text` fails to say something, as the rest of a sentence; "" where it does not."""
    found = _PLACEHOLDER.search(text)
    if found:
        return f"have a placeholder: {found[0]!r}"
    count = len(text.split())
    return f"say nothing in {count} words" if count < words else ""


def _risks(found: Registration) -> list[str]:
    """What the syntax and the operations make risky, in the words of `_RISKS`."""
    parts = found.syntax.parts.values()
    password, files, redirects, changes, octets, host = (what for what, _ in _RISKS)
    there = {
        password: any(part.name == "password" for part in parts),
        files: found.local,
        redirects: bool(found.redirects),
        changes: bool({*found.operations} - _READING - {"open session"}),
        octets: any(part.travels != "line" for part in parts),
        host: any(part.name == "host" for part in parts) and bool(found.operations) and not found.local,
    }
    return [what for what, is_there in there.items() if is_there]


@asks("examples", "RFC 7595 section 3.3")
def examples(subject: Subject) -> Judgement:
    """The record has examples: at least one URL with its parts, and one text that is no URL."""
    found = subject.record
    valid = [each for each in found.examples if each.parts is not None]
    if not valid:
        return failed("there is no example of a URL", "add [[examples]] with url and parts to the record")
    if len(valid) == len(found.examples):
        return failed(
            "there is no example of what is no URL", "add [[examples]] with url and invalid = true to the record"
        )
    unseen = [name for name in found.syntax.parts if not any(name in (each.parts or ()) for each in valid)]
    if unseen:
        return warned(
            f"no example has the part {unseen[0]}", "add one that has it", *(f"not seen: {each}" for each in unseen[1:])
        )
    return passed(f"{len(valid)} URLs and {len(found.examples) - len(valid)} texts that are none")
