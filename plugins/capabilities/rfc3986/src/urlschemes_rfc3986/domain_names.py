"""Labels of domain names in the characters of all languages: IDNA 2008 (RFC 5891), by the library `idna`."""

from __future__ import annotations

import unicodedata
from contextlib import suppress
from typing import TYPE_CHECKING

from urlschemes.errors import PluginError, invalid_url
from urlschemes.url.fault_messages import quoted_text

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["ACE_PREFIX", "check_length", "decoded_host", "encoded_label", "idna_refusal", "named"]

ACE_PREFIX = "xn--"
"""The beginning of an A-label: a label of a domain name whose other characters encode those of Unicode (RFC 5890)."""


def encoded_label(text: str, start: int, end: int, *, uts46: bool) -> str:
    """Return the A-label of the label from `start` to `end` of `text`; a label in US-ASCII stays as it is.

    Raises InvalidURL for a label that has none, PluginError without the library.
    """
    label = text[start:end]
    if label.isascii():
        return label
    idna = _library()
    try:
        written = _a_label(idna, label, uts46=uts46)
    except idna.IDNAError as error:
        problem = f"invalid label {quoted_text(label)} in the host at position {start}: {_reason(idna, error)}"
    else:
        # A full stop that is mapped may end the host as `.` may.
        labels = written if text.startswith(".", end) else written.removesuffix(".")
        if all(labels.split(".")):
            return written
        problem = (
            f"invalid label {quoted_text(label)} in the host at position {start}: mapping it leaves an empty label"
        )
    hint = None
    index = next((index for index, each in enumerate(label) if not _may_stand(idna, each, uts46=uts46)), None)
    if index is not None:
        start, end = start + index, start + index + 1
        problem = (
            f"invalid character {quoted_text(text[start])} in the host at position {start}: IDNA 2008 does not allow it"
        )
        hint = "domain names hold letters, digits and hyphens"
        if not uts46 and _may_stand(idna, text[start], uts46=True):
            hint = "write it in lower case and in normal form, as uts46=True does (in the shell, --uts46)"
    raise invalid_url(text, problem, part="host", span=(start, end), section="RFC 5891 section 4.2", hint=hint)


def check_length(text: str, start: int, end: int, name: str) -> None:
    """Raise InvalidURL if `name`, which the host from `start` to `end` of `text` is written as, is none of the DNS."""
    if not _library().valid_string_length(name, trailing_dot=name.endswith(".")):
        size = len(name.removesuffix("."))
        problem = f"invalid host {quoted_text(text[start:end])} at position {start}: encoded, it has {size} octets"
        hint = "no domain name has more than 253 octets"
        raise invalid_url(text, problem, part="host", span=(start, end), section="RFC 1034 section 3.1", hint=hint)


def decoded_host(host: str) -> str:
    """Return `host` with its A-labels decoded; one that is not valid stays. Raises PluginError without the library."""
    labels = host.split(".")
    for index, label in enumerate(labels):
        if label.lower().startswith(ACE_PREFIX):
            idna = _library()
            with suppress(idna.IDNAError):
                labels[index] = _u_label(idna, label)
    return ".".join(labels)


def idna_refusal(label: str, decoded: str) -> str | None:
    """Return why IDNA 2008 refuses `label`, which encodes `decoded`; None if it does not, or without the library."""
    try:
        idna = _library()
    except PluginError:
        return None
    try:
        _u_label(idna, label)
    except idna.IDNAError as error:
        index = next((index for index, each in enumerate(decoded) if not _may_stand(idna, each, uts46=False)), None)
        if index is None:
            return _reason(idna, error)
        reason = named(decoded[index])
        if unicodedata.category(decoded[index]) == "So":
            reason += " (a symbol: such names exist in the DNS, but not all programs look them up)"
        return reason
    return None


def named(character: str) -> str:
    """Return the code point and the name of a character, as messages give them."""
    return f"U+{ord(character):04X} {unicodedata.name(character, 'without a name')}"


def _u_label(idna: ModuleType, label: str) -> str:
    decoded = str(idna.ulabel(label))
    if _a_label(idna, decoded) != label.lower():
        raise idna.IDNAError("it has another A-label")
    return decoded


def _a_label(idna: ModuleType, label: str, *, uts46: bool = False) -> str:
    mapped = idna.uts46_remap(label, std3_rules=True) if uts46 else label
    return ".".join([each if each.isascii() else idna.alabel(each).decode() for each in mapped.split(".")])


def _may_stand(idna: ModuleType, character: str, *, uts46: bool) -> bool:
    """Return True if a label may hold `character`, perhaps next to certain others only."""
    try:
        _a_label(idna, f"\xe0{character}", uts46=uts46)
    except idna.InvalidCodepoint:
        return False
    except idna.IDNAError:
        return True
    return True


def _reason(idna: ModuleType, error: Exception) -> str:
    if isinstance(error, idna.IDNABidiError):
        return "letters that are written from right to left are mixed with others (RFC 5893)"
    if isinstance(error, idna.InvalidCodepointContext):
        return "one of its characters is allowed only next to certain others (RFC 5892 appendix A)"
    return str(error)


def _library() -> ModuleType:
    try:
        import idna  # an extra, which names in US-ASCII do not need
    except ImportError:
        message = "domain names in characters other than US-ASCII need the library idna, which is not installed"
        raise PluginError(message, hint="pip install idna") from None
    return idna
