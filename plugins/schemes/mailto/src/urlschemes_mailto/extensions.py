"""What a relay can do beyond SMTP: the answer to EHLO (RFC 5321 section 4.1.1.1)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from urlschemes.grammar.octets import text_of
from urlschemes.redaction import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from urlschemes_access.protocol.replies import Reply

__all__ = ["Extensions"]

_NUMBER = re.compile("[0-9]{1,20}")


@dataclass(frozen=True, slots=True)
class Extensions:
    """The extensions by name, in capitals, each with its parameters; `greeting` is what the relay calls itself."""

    greeting: str = ""
    offered: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, reply: Reply) -> Extensions:
        """Those that the answer to EHLO names. What is no name is passed over."""
        name, *others = (text_of(line).split() or [""] for line in reply.lines)
        offered = {words[0].upper(): tuple(map(str.upper, words[1:])) for words in others}
        return cls(one_line(name[0], 80), offered)

    def __contains__(self, name: str) -> bool:
        return name in self.offered

    @property
    def mechanisms(self) -> tuple[str, ...]:
        """The ways to log in."""
        return self.offered.get("AUTH", ())

    @property
    def size(self) -> int | None:
        """Octets of the largest message that it takes (RFC 1870); None where it does not say."""
        given = self.offered.get("SIZE") or ("",)
        return int(given[0]) or None if _NUMBER.fullmatch(given[0]) else None
