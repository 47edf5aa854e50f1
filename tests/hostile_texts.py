"""Texts that are meant to break what reads URLs: pieces of URLs, right and wrong, mostly in their usual order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

from urlschemes import default_registry

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hypothesis.strategies import SearchStrategy

__all__ = ["hostile_texts"]

BEFORE = ("", "", "", "", "", "<", "<URL:", "URL:", " ", "\n", '"', "'", "(")
SCHEMES = ("http", "x", "urn", "x-nothing", "HTTP", "hTtPs", "h\xfc", "ht\u212ap", "1a", "a b", "")
COLONS = ("://", "://", "://", "://", ":", ":", ":/", ":///", "//", "::", ":?", ":#", ":\\\\", "\uff1a//", "")
LOGINS = ("", "", "", "", "u@", "u:p@", ":@", "@", "a@b@", "u:p:q@", "\xfc:\xe9@", "u%zz@", "u\\@", "joe:se cret@")
USUAL_LABELS = ("a", "A-b", "1", "dom", "xn--tda", "\xfc", "\xdf", "\u05d0", "\u0430", "\u4e2d")
LABELS = (
    "a_b", "a b", "-", "256", "0x7f", "127", "~", "$", "(b)", "<", '"', "*", "[", "]", "a" * 64, "%41", "%C3%BC",
    "%zz", "xn--a", "XN--TDA", "xn--ls8h", "xn--4db", "xn--bcher-kva", "%4", "%", "[::1]", "[::\xfc]",
    "[fe80::1%25eth0]", "[fe80::1%eth0]", "[v1.a]", "[]", "::1", "2001:db8::1", "%5B::1%5D", "0\xe0", "-\xfc",
    "\xad", "\xba", "\u0378", "\u0627\u0661", "\u06dd", "a\u200d", "\u0661", "\u1e9e", "\u2603", "\u3002",
    "b\u3002c", "\ufb01", "\uff11x\uff12", "\uff58n--a", "\u200d", "\ud800", "\udc80", "\U0001f600", "\U000e0001",
    "\u202e",
)  # fmt: skip
DOTS = (".", ".", ".", "", "", "..", "\uff0e")
PORTS = ("", "", "", ":80", ":", ":8x", ":0", ":99999", ":-1", ":80:80", ":\u0661", ":" + "9" * 4001)
SLASHES = ("/", "/", "?", "#", "")
USUAL_PIECES = (
    "a", "b/", "/", "..", "./", "=", "&", "-", "+", "%41", "%2F", "\xe9", "\u05d0", "\U0001f600", "12@h.dom",
)  # fmt: skip
PIECES = (
    "0", "//", "?", "#", "@", ":", ";", "*", "!", "$", ",", "(", ")", "~", "_", "[", "]", "\\", "|", "^", "`", "{",
    "}", "<", ">", '"', "'", " ", "\t", "\n", "\r\n", "-\n ", "%", "%4", "%zz", "%u00e9", "%2f", "%C3%A9", "%C3",
    "%00", "%09", "%0A", "%5C", "\x00", "\x1b", "\x7f", "\x85", "\xa0", "\xad", "e\u0301", "\u200b", "\u2028",
    "\u202e", "\u2066", "\ue000", "\ufdd0", "\ufeff", "\ufffd", "\ufffe", "\ud800", "\udcff", "\U000e0001",
    "\U0010ffff", ";type=a", ";type=z", ";typ", ";v=1", "a@b", "?subject=x", ":80", "URL:", "<URL:", "http://h/",
)  # fmt: skip
AFTER = ("", "", "", "", "", ">", " ", "\n", '"', "'", ")")


def hostile_texts() -> SearchStrategy[str]:
    """Return a strategy for texts that no program should meet, and every program does."""
    labels, pieces = _mostly(USUAL_LABELS, LABELS), _mostly(USUAL_PIECES, PIECES)
    host = st.lists(st.tuples(labels, st.sampled_from(DOTS)).map("".join), max_size=3).map("".join)
    rest = st.lists(pieces, max_size=6).map("".join)
    schemes = st.sampled_from([*SCHEMES, *sorted(default_registry)])
    before, colon, login, port, slash, after = map(st.sampled_from, (BEFORE, COLONS, LOGINS, PORTS, SLASHES, AFTER))
    return st.tuples(before, schemes, colon, login, host, port, slash, rest, after).map("".join)


def _mostly(usual: Sequence[str], odd: Sequence[str]) -> SearchStrategy[str]:
    return st.integers(0, 2).flatmap(lambda turn: st.sampled_from(usual if turn else odd))
