"""What URLs are written with: the sets of characters of RFC 1738 sections 2.1 and 2.2, and the escape.

They are `rfc1738.bnf`'s rules of that name once more, for the code that looks at single characters; a test holds the
two together.
"""

import re

__all__ = [
    "ALPHADIGIT",
    "ESCAPE",
    "HEX",
    "REGISTRABLE",
    "RESERVED",
    "SCHEME",
    "SCHEME_NAME",
    "UNRESERVED",
    "XCHAR",
    "mask",
]

ALPHADIGIT = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
HEX = "0123456789ABCDEFabcdef"
RESERVED = ";/?:@&="
"""The characters that a scheme may reserve for a meaning of their own."""
UNRESERVED = ALPHADIGIT + "$-_.+!*'(),"
"""The characters whose escape means the same as they do, in every scheme."""
XCHAR = UNRESERVED + RESERVED
"""What may stand in a URL as it is; beside that, escapes."""
SCHEME = ALPHADIGIT + "+-."
"""What the name of a scheme consists of, in both letter cases."""

SCHEME_NAME = re.compile(r"[A-Za-z0-9+.\-]++")
REGISTRABLE = re.compile(r"[a-z0-9+.\-]{1,64}")
"""A scheme's name as a record and an entry point give it: in lower case, and of a bounded length."""
ESCAPE = re.compile("%([0-9A-Fa-f]{2})")


def mask(characters: str) -> int:
    """The set of `characters` as a number: bit N is the character with code N."""
    return sum(1 << code for code in set(characters.encode()))
