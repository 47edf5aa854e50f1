"""Findings about hosts that are legal (RFC 3986 section 3.2.2) but mislead the reader, or programs that get the URL."""

from __future__ import annotations

import re
import unicodedata
from ipaddress import IPv4Address, IPv6Address
from typing import TYPE_CHECKING

from urlschemes.grammar.octets import unescape
from urlschemes_rfc3986.domain_names import ACE_PREFIX, idna_refusal, named

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["form_findings", "is_invisible", "name_findings"]

_LONGEST = 63  # characters of a label (RFC 1034 section 3.1)
# Scripts that are written together: those of Japanese, Chinese and Korean, each also with Latin (the level "highly
# restrictive" of Unicode Technical Standard 39, section 5.2).
_TOGETHER = (
    frozenset({"Latin", "Han", "Hiragana", "Katakana"}),
    frozenset({"Latin", "Han", "Bopomofo"}),
    frozenset({"Latin", "Han", "Hangul"}),
)
_HAN = {"Cjk", "Ideographic"}
_OF_ANY_SCRIPT = {"Combining", "Katakana-hiragana", "Modifier"}
# Ignored where they cannot be displayed, besides format characters: fillers, vowel inherent signs, variation selectors.
_IGNORABLE = {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F, 0x3164, 0xFFA0}
_IGNORABLE_RANGES = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))

_LABEL = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9\-]*[A-Za-z0-9])?", re.ASCII)
_NUMBER = re.compile(r"0[xX](?P<hex>[0-9A-Fa-f]*)|0(?P<octal>[0-7]+)|(?P<decimal>0|[1-9][0-9]*)", re.ASCII)
_ENDS_IN_NUMBER = re.compile(r"(?:.*\.)?(?:[0-9]+|0[xX][0-9A-Fa-f]*)\.?", re.ASCII | re.DOTALL)
_BASES = {"hex": 16, "octal": 8, "decimal": 10}
_MAX_QUOTED = 40
_MAX_ADDRESS = 60


def form_findings(host: str) -> Iterator[tuple[str, str]]:
    """Return the code and the message of everything about the form of a host, as it is written, that is unwise."""
    if host.startswith("["):
        yield from _of_address(host[1:-1])
    elif _ENDS_IN_NUMBER.fullmatch(unescape(host)):
        yield from _of_number(host)
    elif "%" in host:
        decoded = ascii(unescape(host)[:_MAX_QUOTED])
        yield "escaped-host", f"the host has escapes: decoded, it is {decoded}"
    else:
        yield from _of_name(host)


def _of_address(address: str) -> Iterator[tuple[str, str]]:
    """Return the findings about an address between brackets."""
    if address[0] in "vV":
        yield "future-address", f"no program knows the addresses of version {address[1 : address.index('.')][:8]}"
        return
    parsed = IPv6Address(address)
    if parsed.ipv4_mapped is not None:
        yield "mapped-address", f"the IPv6 address stands for the IPv4 address {parsed.ipv4_mapped}"
    elif address != str(parsed) and "." not in address:  # the end of some addresses is usually written as IPv4
        yield "address-spelling", f"the address is usually written [{parsed}]"


def _of_number(host: str) -> Iterator[tuple[str, str]]:
    """Return the findings about a host that ends with a number and is not an IPv4 address."""
    address = _as_address(unescape(host).removesuffix("."))
    if address is None:
        yield "numeric-host", "the host ends with a number, but is not an IPv4 address: browsers reject it"
    else:
        yield "numeric-host", f"many programs read the host as the IPv4 address {address}"


def _as_address(text: str) -> IPv4Address | None:
    """Return the address that `text` is for the function inet_aton: up to four numbers, each of any base."""
    if len(text) > _MAX_ADDRESS:  # Python converts no very long numbers
        return None
    found = [_NUMBER.fullmatch(group) for group in text.split(".", 4)]
    values = [int(each[str(each.lastgroup)] or "0", _BASES[str(each.lastgroup)]) for each in found if each is not None]
    *groups, last = values or [-1]
    if len(values) != len(found) or len(values) > 4 or any(group > 255 for group in groups):
        return None
    if not 0 <= last < 256 ** (4 - len(groups)):
        return None
    return IPv4Address(sum(group << 24 - 8 * index for index, group in enumerate(groups)) + last)


def _of_name(host: str) -> Iterator[tuple[str, str]]:
    """Return the findings about a name that is not a DNS name."""
    for label in host.removesuffix(".").split("."):
        if not label:
            yield "unusual-name", "the host has an empty label, which no name of the DNS has"
            return
        if _LABEL.fullmatch(label) is None:
            yield "unusual-name", f"no host of the DNS has a label like {label[:_MAX_QUOTED]!r}"
            return


def name_findings(host: str) -> tuple[tuple[str, str], ...]:
    """Return the code and the message of everything in a host, as it is written, that may mislead its reader.

    Escapes and A-labels are decoded. The codes are `invalid-a-label`, `invisible-character` and `mixed-scripts`.
    Where the library `idna` is installed, it judges what A-labels encode.
    """
    findings = []
    for label in unescape(host).split("."):
        decoded = _decoded(label)
        if decoded is None:
            findings.append(("invalid-a-label", f"the label {label!a} of the host is not a valid A-label"))
            continue
        hidden = next(filter(is_invisible, decoded), None)
        if hidden is not None:
            problem = f"the label {decoded!a} of the host contains {named(hidden)}, which is invisible"
            findings.append(("invisible-character", problem))
        elif decoded != label and (reason := idna_refusal(label, decoded)) is not None:
            problem = f"the label {label!a} of the host encodes {decoded!a}, which IDNA 2008 does not allow: {reason}"
            findings.append(("invalid-a-label", problem))
        scripts = _scripts(decoded)
        if len(scripts) > 1 and not any(scripts.keys() <= each for each in _TOGETHER):
            listed = " and ".join(f"{script} ({named(character)})" for script, character in sorted(scripts.items()))
            findings.append(("mixed-scripts", f"the label {decoded!a} of the host mixes {listed}"))
    return tuple(findings)


def _decoded(label: str) -> str | None:
    """Return the label with an A-label decoded; None for one that encodes nothing."""
    if not label.lower().startswith(ACE_PREFIX):
        return label
    if len(label) > _LONGEST:
        return None
    try:
        decoded = label[len(ACE_PREFIX) :].lower().encode("ascii").decode("punycode")
    except UnicodeError:
        return None
    return None if decoded.isascii() else decoded


def is_invisible(character: str) -> bool:
    """Return True if `character` shows nothing, or a blank other than the one of US-ASCII."""
    code = ord(character)
    if code in _IGNORABLE or any(code in each for each in _IGNORABLE_RANGES):
        return True
    return not character.isascii() and unicodedata.category(character) in {"Cc", "Cf", "Zl", "Zp", "Zs"}


def _scripts(label: str) -> dict[str, str]:
    """Return the scripts of the letters of `label`, each with its first letter.

    The name of a letter begins with its script. Compatibility characters are of the script of what they stand for.
    """
    scripts: dict[str, str] = {}
    for character in unicodedata.normalize("NFKC", label):
        if unicodedata.category(character)[0] in "LM":
            word = unicodedata.name(character, "Combining").partition(" ")[0].capitalize()
            if word not in _OF_ANY_SCRIPT:
                scripts.setdefault("Han" if word in _HAN else word, character)
    return scripts
