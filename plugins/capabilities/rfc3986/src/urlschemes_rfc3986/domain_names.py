"""Labels of domain names in the characters of all languages: IDNA 2008 (RFC 5891), by the library `idna`."""

from __future__ import annotations

import re
import unicodedata
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from urlschemes.errors import PluginError, invalid_url
from urlschemes.url.fault_messages import quoted_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import ModuleType

__all__ = [
    "ACE_PREFIX",
    "Piece",
    "check_name",
    "decoded_host",
    "encoded_labels",
    "idna_refusal",
    "name_in_ascii",
    "named",
]

ACE_PREFIX = "xn--"
"""The beginning of an A-label: a label of a domain name whose other characters encode those of Unicode (RFC 5890)."""
_LONGEST = 253  # octets of a name (RFC 1034 section 3.1), without its final dot
MAX_CHARACTERS = 4 * _LONGEST
"""The characters that may be meant as a name: mapping and encoding leave out few."""
_LABELS = re.compile(r"[^.]+|\.")
_NUMBER = re.compile("[0-9]+|0[xX][0-9A-Fa-f]*")
"""The last label of what programs read as an IPv4 address."""
_RIGHT_TO_LEFT = {"R", "AL", "AN"}


class Piece(NamedTuple):
    """The characters from `start` to `end` of a text, and how they are written in US-ASCII."""

    start: int
    end: int
    written: str


def encoded_labels(text: str, start: int, end: int, *, uts46: bool) -> Iterator[Piece]:
    """Yield the labels of the host from `start` to `end` of `text`, and its dots: those outside US-ASCII as A-labels.

    The others stay as they are, as does an address in brackets. Raises InvalidURL for a label that has no A-label and,
    with `uts46`, for one that only looks like an A-label; PluginError without the library.
    """
    if text.startswith("[", start):
        yield Piece(start, end, text[start:end])
        return
    for found in _LABELS.finditer(text, start, end):
        label = written = found[0]
        if not label.isascii() or (uts46 and _has_ace_prefix(label)):
            written = _encoded_label(text, *found.span(), uts46=uts46)
        yield Piece(*found.span(), label if label.isascii() else written)  # the letter case of an A-label stays


def name_in_ascii(text: str, start: int, end: int) -> list[Piece]:
    """Return the labels of the name from `start` to `end` of `text`, mapped as browsers do, and its dots.

    There are none for a text that may be an address, or if mapping leaves out a character, which is invisible. Raises
    InvalidURL if they make no domain name, PluginError without the library.
    """
    if text.startswith("[", start) or end - start > MAX_CHARACTERS:
        return []
    labels = [*encoded_labels(text, start, end, uts46=True)]
    check_name(text, labels, uts46=True)
    name = "".join([label.written for label in labels])
    if any(map(_is_left_out, {*text[start:end]})):
        return []
    return [] if _NUMBER.fullmatch(name.removesuffix(".").rpartition(".")[2]) else labels


def _is_left_out(character: str) -> bool:
    idna = _library()
    return not character.isascii() and _may_stand(idna, character, uts46=True) and not idna.uts46_remap(character)


def _encoded_label(text: str, start: int, end: int, *, uts46: bool) -> str:
    """Return the A-label of the label from `start` to `end` of `text`; several labels if it holds mapped full stops."""
    label, idna = text[start:end], _library()
    try:
        written = _a_label(idna, label, uts46=uts46)
    except idna.IDNAError as error:
        reason = _reason(idna, error)
    else:
        # A full stop that is mapped may end the host as `.` may.
        labels = written if text.startswith(".", end) else written.removesuffix(".")
        if all(labels.split(".")):
            return written
        reason = "mapping it leaves an empty label"
    wrong = next((each for each in dict.fromkeys(label) if not _may_stand(idna, each, uts46=uts46)), None)
    if wrong is None:
        problem, hint = _invalid_label(label, start, reason), None
    else:
        start = text.index(wrong, start)
        end = start + 1
        problem = f"invalid character {quoted_text(text[start])} in the host at position {start}"
        problem, hint = f"{problem}: IDNA 2008 does not allow it", "domain names hold letters, digits and hyphens"
        if not uts46 and _may_stand(idna, text[start], uts46=True):
            mapped = idna.uts46_remap(text[start], std3_rules=True)
            written = f"write {quoted_text(mapped)} instead" if mapped else "leave it out"
            hint = f"{written}, as uts46=True does (in the shell, --uts46)"
    raise invalid_url(text, problem, part="host", span=(start, end), section="RFC 5891 section 4.2", hint=hint)


def _invalid_label(label: str, position: int, reason: str) -> str:
    return f"invalid label {quoted_text(label)} in the host at position {position}: {reason}"


def check_name(text: str, labels: Sequence[Piece], *, uts46: bool) -> None:
    """Raise InvalidURL if the `labels` in `text`, some of which are outside US-ASCII, make no domain name together.

    With `uts46`, A-labels are as those that they encode.
    """
    if not uts46 and all(text[label.start : label.end].isascii() for label in labels):
        return
    name = "".join([label.written for label in labels])
    if _is_too_long(name):
        start, end = labels[0].start, labels[-1].end
        size = len(name.removesuffix("."))
        problem = f"invalid host {quoted_text(text[start:end])} at position {start}: encoded, it has {size} octets"
        hint = f"no domain name has more than {_LONGEST} octets"
        raise invalid_url(text, problem, part="host", span=(start, end), section="RFC 1034 section 3.1", hint=hint)
    places = [(label, each) for label in labels for each in label.written.split(".") if each]
    shown = [each if text[label.start : label.end] == each and not uts46 else _shown(each) for label, each in places]
    index = _against_bidi_rule(shown)
    if index is not None:
        start, end, _ = places[index][0]
        reason = "no name with letters that are written from right to left may hold it (RFC 5893)"
        problem = _invalid_label(text[start:end], start, reason)
        hint = "in such a name, each label begins with a letter and ends with a letter or digit"
        raise invalid_url(text, problem, part="host", span=(start, end), section="RFC 5893 section 2", hint=hint)


def _shown(label: str) -> str:
    """Return the label that a valid A-label encodes; another as it is."""
    return _u_label(_library(), label) if _has_ace_prefix(label) else label


def _is_too_long(name: str) -> bool:
    return len(name.removesuffix(".")) > _LONGEST


def _against_bidi_rule(labels: Sequence[str]) -> int | None:
    """Return the first label that breaks the rule for names with a label from right to left (RFC 5893 section 2)."""
    if not any(unicodedata.bidirectional(each) in _RIGHT_TO_LEFT for label in labels for each in label):
        return None
    idna = _library()
    for index, label in enumerate(labels):
        try:
            idna.check_bidi(label, check_ltr=True)
        except idna.IDNAError:
            return index
    return None


def decoded_host(host: str) -> str:
    """Return `host` with its A-labels decoded; one that is not valid stays, and all if they make no name together.

    Raises PluginError without the library.
    """
    labels = host.split(".")
    if _is_too_long(host) or not any(map(_has_ace_prefix, labels)):
        return host
    idna = _library()
    for index, label in enumerate(labels):
        if _has_ace_prefix(label):
            with suppress(idna.IDNAError):
                labels[index] = _u_label(idna, label)
    return host if _against_bidi_rule([*filter(None, labels)]) is not None else ".".join(labels)


def _has_ace_prefix(label: str) -> bool:
    return label.lower().startswith(ACE_PREFIX)


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
    """Return the A-label of `label`. With `uts46` it is mapped first, perhaps to several labels, or to A-labels."""
    if not uts46:
        return str(idna.alabel(label).decode())
    labels = idna.uts46_remap(label, std3_rules=True).split(".")
    for each in labels:
        if each.isascii() and _has_ace_prefix(each):
            _check_a_label(idna, each)
    return ".".join([each if each.isascii() else idna.alabel(each).decode() for each in labels])


def _check_a_label(idna: ModuleType, label: str) -> None:
    try:
        _u_label(idna, label)
    except idna.IDNAError:
        raise idna.IDNAError("it begins with xn-- and encodes no label of IDNA 2008 (RFC 5890)") from None


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
        if str(error).startswith("Unknown directionality"):  # Python's tables are older than those of the library
            return "this version of Python does not know one of its characters"
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
