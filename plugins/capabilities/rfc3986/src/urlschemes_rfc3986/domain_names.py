"""Labels of domain names in the characters of all languages: IDNA 2008 (RFC 5891), by the library `idna`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.errors import PluginError, invalid_url
from urlschemes.url.fault_messages import quoted_text
from urlschemes_rfc3986.host_findings import ACE_PREFIX

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["decoded_host", "encoded_label"]


def encoded_label(text: str, start: int, end: int, *, uts46: bool) -> str:
    """Return the A-label of the label from `start` to `end` of `text`; a label in US-ASCII stays as it is.

    Raises InvalidURL for a label that has none, PluginError without the library.
    """
    label = text[start:end]
    if label.isascii():
        return label
    idna = _library()
    try:
        return _a_label(idna, label, uts46=uts46)
    except idna.IDNAError as error:
        problem = f"invalid label {quoted_text(label)} in the host at position {start}: {_reason(idna, error)}"
    hint = None
    index = next((index for index, each in enumerate(label) if not _may_stand(idna, each, uts46=uts46)), None)
    if index is not None:
        start, end = start + index, start + index + 1
        problem = (
            f"invalid character {quoted_text(text[start])} in the host at position {start}: IDNA 2008 does not allow it"
        )
        hint = "domain names hold letters, digits and hyphens"
        if not uts46 and _may_stand(idna, text[start], uts46=True):
            hint = "write it in lower case and in normal form, as from_unicode(text, uts46=True) does"
    raise invalid_url(text, problem, part="host", span=(start, end), section="RFC 5891 section 4.2", hint=hint)


def decoded_host(host: str) -> str:
    """Return `host` with its A-labels decoded; one that is not valid stays. Raises PluginError without the library."""
    return ".".join(_u_label(label) if label.lower().startswith(ACE_PREFIX) else label for label in host.split("."))


def _u_label(label: str) -> str:
    idna = _library()
    try:
        decoded = str(idna.ulabel(label))
        return decoded if _a_label(idna, decoded) == label.lower() else label
    except idna.IDNAError:
        return label


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
        return "a character of it is allowed next to certain others only (RFC 5892 appendix A)"
    return str(error)


def _library() -> ModuleType:
    try:
        import idna  # an extra, which names in US-ASCII do not need
    except ImportError:
        message = "domain names in other characters than US-ASCII need the library idna, which is not installed"
        raise PluginError(message, hint="pip install 'urlschemes-rfc3986[idna]'") from None
    return idna
