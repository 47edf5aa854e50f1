"""Text that is safe to show: on a terminal, in a log line, in the text of an error.

What a server or a URL says may hold escape sequences, line breaks, bidirectional controls or a password. Nothing of
that reaches a person's screen except through this room. RFC 1738 section 6 warns of passwords in URLs.
"""

import re

__all__ = ["described", "in_line", "one_line", "redact", "shown"]

HIDDEN = "***"

# C0 and C1 controls, DEL, the line and paragraph separators, every bidirectional control, zero-width characters, the
# byte order mark, tag characters and lone surrogates: what a terminal obeys, or what a reader cannot see.
_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)
_UNSAFE_IN_BLOCK = re.compile(_UNSAFE.pattern.replace("\x00-\x1f", "\x00-\x08\x0b-\x1f"))

# The password of anything that looks like `scheme://user:password@`. It ends at the last `@` before the first `/`, so
# that a raw `@` in a careless password hides too; where there is none, at the first `@` behind a `/`, unless what
# stands there is a port.
_PASSWORD = re.compile(r"(://[^/:\s]*:)(?:[^/\s]*(?=@)|(?!\d{0,5}(?:[/?#\s]|$))\S{0,256}?(?=@))")


def _escaped(match: "re.Match[str]") -> str:
    code = ord(match[0])
    if 0xDC80 <= code <= 0xDCFF:  # an octet that was not UTF-8, kept by surrogateescape
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def redact(text: str) -> str:
    """`text` with the password of every URL in it replaced by `***`."""
    return _PASSWORD.sub(r"\1" + HIDDEN, text)


def shown(text: str) -> str:
    """`text` for a terminal: line feeds and tabs stay, every other control and every invisible character is escaped."""
    return _UNSAFE_IN_BLOCK.sub(_escaped, text)


def in_line(text: str) -> str:
    """`text` on one line: redacted, every control and every invisible character escaped."""
    return _UNSAFE.sub(_escaped, redact(text))


def one_line(text: str, most: int = 300) -> str:
    """`text` for an error or a log: redacted, printable ASCII only, one line, at most `most` characters."""
    if len(text) <= most and text.isascii() and text.isprintable() and "://" not in text:
        return text  # as nearly all of it is
    text = redact(text)  # before anything is cut off: a password without its `@` would not be seen to be one
    if len(text) > 4 * most:
        text = text[: 4 * most] + "..."
    line = _UNSAFE.sub(_escaped, text).encode("ascii", "backslashreplace").decode("ascii")
    return line if len(line) <= most else line[: most - 3] + "..."


def described(error: BaseException) -> str:
    """What an exception of somebody else's says, in one safe line; its type alone where its text is not to be had."""
    kind = f"{type(error).__module__}.{type(error).__qualname__}".removeprefix("builtins.")
    try:
        text = str(error)
    except (KeyboardInterrupt, MemoryError):
        raise
    except BaseException:  # noqa: BLE001  its text is the plugin's code
        return one_line(kind, 200)
    return one_line(f"{kind}: {text}" if text else kind, 200)
