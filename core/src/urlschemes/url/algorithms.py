"""The algorithms of a profile: what URLs of one generation mean, beyond the text that a syntax matches.

They are functions of a module `algorithms` in the package of the profile, which is imported when one of them is first
needed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Protocol

from urlschemes.grammar.profile import Authority, Profile
from urlschemes.grammar.syntax import Syntax
from urlschemes.storage.named_objects import named

if TYPE_CHECKING:
    from urlschemes.url.fault_messages import FaultMessage

__all__ = ["Algorithms", "algorithms_of"]


class Algorithms(Protocol):
    """The module `algorithms` of a profile.

    `url` is a `urlschemes.url.value.URL`, `fault` a `urlschemes.url.fault_place.Fault`. `delimiting` is the section on
    URLs in texts.
    """

    delimiting: str

    @property
    def url_type(self) -> type[Any]:
        """The type of URLs by the generic syntax."""

    def of_unknown(self, text: str, /) -> Any:
        """Return the URL of a scheme that is not known here, whose grammar may be wider than the generic syntax.

        Raises InvalidURL for a text that is a URL by no grammar of the profile.
        """

    def resolve(self, url: Any, reference: str, /) -> str:
        """Return the text that a reference means."""

    def normalized(self, url: Any, level: str | None, /) -> str:
        """Return the text of a URL in the spelling of a level."""

    def host_message(self, fault: Any, authority: Authority, /) -> FaultMessage:
        """Return the message about a host of one of the profile's `host_rules`."""

    def illegal_host_hint(self, text: str, authority: Authority, position: int, /) -> str | None:
        """Return the hint about a character of such a host that no URL may hold; None if there is no better one."""

    def name_in_ascii(self, text: str, start: int, end: int, /) -> Iterable[tuple[int, int, str]]:
        """Return how each piece from `start` to `end` of `text`, a domain name in any language, is written in a URL.

        It is empty if the profile has no such names. Raises InvalidURL, PluginError.
        """

    def warnings(self, syntax: Syntax, match: re.Match[str], hosts: Iterable[tuple[int, int]], /) -> Iterable[Any]:
        """Return what is legal but unwise in a URL: `start`, `end`, `code`, `message`, `section` and `hint` of each."""


def algorithms_of(profile: Profile) -> Algorithms:
    """Return the algorithms of a profile."""
    found: Algorithms = named(f"{profile.package}.algorithms")
    return found
