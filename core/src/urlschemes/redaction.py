"""Text that is safe to print: on a terminal, in a log, in the text of an error.

Text of servers and of URLs may contain escape sequences, line breaks, bidirectional controls or a password. All of it
is passed through this module before it is shown. RFC 1738 section 6 warns of passwords in URLs. Such a text need not be
a URL, and may hold several among other text. So no rule of a scheme applies, and the patterns hide more than logins.
"""

import re

__all__ = ["HIDDEN", "described", "in_line", "one_line", "redact", "redact_url", "shown"]

HIDDEN = "***"

# C0 and C1 controls, DEL, line and paragraph separators, bidirectional controls, zero-width characters, the byte order
# mark, tag characters and lone surrogates.
_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)
_UNSAFE_IN_BLOCK = re.compile(_UNSAFE.pattern.replace("\x00-\x1f", "\x00-\x08\x0b-\x1f"))

# Not a login: an address in brackets. A port before a `?` may be a password, which RFC 1738 lets contain one.
_NO_LOGIN = r"(?:[^/?#:\s]*@)?\[[0-9A-Fa-f:.]*\](?::\d{0,5})?(?:[/?#\s]|$)"
# The password in a text like `scheme://user:password@`. It ends at the last `@` before the first `/`, because careless
# passwords contain `@`; without one, it ends at the first `@` after a `/`, unless a port stands there.
_PASSWORD = re.compile(rf"(://(?!{_NO_LOGIN})[^/:\s]*:)(?:[^/\s]*(?=@)|(?!\d{{0,5}}(?:[/?#\s]|$))\S{{0,256}}?(?=@))")

# The text before the login in what is meant as a URL, even with `URL:`, blanks, too few slashes or backslashes.
_BEFORE_LOGIN = re.compile(rf"(?i:[<\s]*+URL:)?[^:/\\]*+:?+[/\\\s]*+(?!{_NO_LOGIN})")


def _escaped(match: "re.Match[str]") -> str:
    code = ord(match[0])
    if 0xDC80 <= code <= 0xDCFF:  # an octet that was not UTF-8, kept by surrogateescape
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def redact(text: str) -> str:
    """Return `text` with `***` in place of the password of every URL in it."""
    return _PASSWORD.sub(r"\1" + HIDDEN, text)


def redact_url(text: str) -> str:
    """Return `text`, which is meant as one URL, with `***` in place of its password, which may hold blanks."""
    spans = [(found.end(1), found.end()) for found in _PASSWORD.finditer(text)]
    plain = _PASSWORD.sub(lambda found: found[1] + "*" * (found.end() - found.end(1)), text)
    start = before.end() if (before := _BEFORE_LOGIN.match(plain)) else len(text)
    at = max(start, start + plain[start:].partition("/")[0].rfind("@"))
    if (colon := plain.find(":", start, at)) >= 0:
        spans = sorted([(colon + 1, at), *(each for each in spans if each[1] <= colon or each[0] > at)])
    ends, starts = [0, *(end for _, end in spans)], [*(start for start, _ in spans), len(text)]
    return HIDDEN.join(text[end:start] for end, start in zip(ends, starts, strict=True))


def shown(text: str) -> str:
    """Return `text` for a terminal: all controls and invisible characters but line feeds and tabs are escaped."""
    return _UNSAFE_IN_BLOCK.sub(_escaped, text)


def in_line(text: str) -> str:
    """Return `text` on one line: redacted, with all controls and invisible characters escaped."""
    return _UNSAFE.sub(_escaped, redact(text))


def one_line(text: str, most: int = 300) -> str:
    """Return `text` for an error or a log: redacted, one line of printable ASCII, at most `most` characters."""
    if len(text) <= most and text.isascii() and text.isprintable() and "://" not in text:
        return text  # the common case
    text = redact(text)  # before it is cut: a password cannot be recognised without its `@`
    if len(text) > 4 * most:
        text = text[: 4 * most] + "..."
    line = _UNSAFE.sub(_escaped, text).encode("ascii", "backslashreplace").decode("ascii")
    return line if len(line) <= most else line[: most - 3] + "..."


def described(error: BaseException) -> str:
    """Return the type and the text of an exception in one safe line; of an error of the system, what it says."""
    if isinstance(error, UnicodeDecodeError):
        return f"the octet 0x{error.object[error.start]:02X} at {error.start} is not UTF-8"
    if isinstance(error, OSError) and error.strerror:  # Python's own text begins with a number
        return one_line(": ".join(map(str, filter(None, (error.strerror, error.filename)))), 200)
    kind = f"{type(error).__module__}.{type(error).__qualname__}".removeprefix("builtins.")
    try:
        text = str(error)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001  the exception may be a plugin's
        return one_line(kind, 200)
    return one_line(f"{kind}: {text}" if text else kind, 200)
