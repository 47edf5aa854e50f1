"""What is legal in a host and yet misleads its reader: scripts that look alike, and characters that cannot be seen."""

from __future__ import annotations

import unicodedata

from urlschemes.grammar.octets import unescape
from urlschemes_rfc3986.domain_names import ACE_PREFIX, idna_refusal, named

__all__ = ["is_invisible", "name_findings"]

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
# Ignored where they cannot be displayed, beside format characters: fillers, vowel inherent signs, variation selectors.
_IGNORABLE = {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F, 0x3164, 0xFFA0}
_IGNORABLE_RANGES = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))


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
            problem = f"the label {decoded!a} of the host holds {named(hidden)}, which cannot be seen"
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
