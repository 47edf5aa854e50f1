"""Names of schemes that are known without being installed: what RFC 1738 itself says of names, and what hooks add.

The core's own list is `ledger.toml`, a data file and no more: eleven names that belong to one distribution each, and
the seven of section 4, which the RFC reserves without defining them.
"""

from __future__ import annotations

from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from urlschemes.beside import read_beside

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["KnownName", "known_names"]


class KnownName(NamedTuple):
    """What is known of a scheme's name.

    `since` says what became of it, `distribution` what to install for it ("" if nothing). In the core's own ledger
    `distribution` is also the only one that may provide the name.
    """

    name: str
    means: str = ""
    reference: str = ""
    since: str = ""
    distribution: str = ""


@cache
def known_names() -> Mapping[str, KnownName]:
    """The core's own ledger, by name."""
    import tomllib

    text, _ = read_beside("urlschemes", "ledger.toml")
    return MappingProxyType({name: KnownName(name, **facts) for name, facts in tomllib.loads(text).items()})
