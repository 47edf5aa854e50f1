"""The algorithms of the profile, imported when one of them is first needed; and what those of any profile are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from urlschemes.rfc1738.host_messages import host_message, illegal_host_hint
from urlschemes.rfc1738.normalization import normalized
from urlschemes.rfc1738.resolution import resolve
from urlschemes.url.value import URL

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable

    from urlschemes.grammar.profile import Authority
    from urlschemes.grammar.syntax import Syntax
    from urlschemes.url.fault_messages import FaultMessage
    from urlschemes.url.fault_place import Fault

__all__ = [
    "Algorithms",
    "delimiting",
    "host_message",
    "illegal_host_hint",
    "normalized",
    "resolve",
    "url_type",
    "warnings",
]

delimiting = "RFC 1738 Appendix"
url_type = URL


def warnings(*_: object) -> tuple[()]:
    """Return what is legal in a URL but unwise by the rules of this profile only."""
    return ()


class Algorithms(Protocol):
    """The module `algorithms` of a profile. `delimiting` is the section on URLs in texts."""

    delimiting: str

    @property
    def url_type(self) -> type[URL]:
        """The type of URLs whose scheme is unknown."""

    def resolve(self, url: URL, reference: str, /) -> str:
        """Return the text that a reference means."""

    def normalized(self, url: URL, level: str | None, /) -> str:
        """Return the text of a URL in the spelling of a level."""

    def host_message(self, fault: Fault, authority: Authority, /) -> FaultMessage:
        """Return the message about a host of one of the profile's `host_rules`."""

    def illegal_host_hint(self, text: str, authority: Authority, position: int, /) -> str | None:
        """Return the hint about a character of such a host that no URL may hold; None if there is no better one."""

    def warnings(self, syntax: Syntax, match: re.Match[str], hosts: Iterable[tuple[int, int]], /) -> Iterable[Any]:
        """Return what is legal but unwise in a URL: `start`, `end`, `code`, `message`, `section` and `hint` of each."""
