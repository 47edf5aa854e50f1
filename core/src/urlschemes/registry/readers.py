"""Which reader reads the URLs of this process: that of a plugin, or the pattern.

A distribution provides one by an entry point of the group `urlschemes.readers`, whose value is a subclass of
`urlschemes.url.pattern_reader.PatternReader`. It is found and imported with urlschemes, since the types of URLs build
on it. The variables that switch distributions off switch readers off, too. Of several readers none is used. One that
cannot be used in this process declines: its module raises ImportError, with the reason.
"""

from __future__ import annotations

from importlib import import_module
from typing import NamedTuple

from urlschemes.redaction import described, one_line
from urlschemes.registry.claims import DISABLE, READERS, Claim, State, locations
from urlschemes.registry.discovery import installed_claims
from urlschemes.registry.selection import Rules, select
from urlschemes.url import pattern_reader
from urlschemes.url.pattern_reader import PatternReader


class Choice(NamedTuple):
    """The reader, and the distribution that provides it, with its version; for the pattern, why no other is used.

    `state` is that of the other readers that the user did not switch off.
    """

    reader: type[PatternReader]
    provider: str = ""
    reason: str = ""
    state: State = "unused"


def _choice() -> Choice:
    """Return the one reader that is installed, if it can be used; else the pattern."""
    state: State = "unused"
    try:
        claims = installed_claims()
        if all(claim.group != READERS for claim in claims):
            return Choice(PatternReader, reason="no other reader is installed")
        found = [claim for claim in select(claims, Rules()).claims if claim.group == READERS]
        active = [claim for claim in found if claim.state == "active"]
        if len(active) == 1:
            return Choice(_imported(active[0]), active[0].provider, state="active")
        if active:
            reason = f"there are several readers, of {locations(active)}: {DISABLE}=NAME switches one off"
        else:
            reason = "; ".join(f"that of {claim.provider} is {claim.state}: {claim.reason}" for claim in found)
    except ImportError as error:  # so a reader declines
        reason = one_line(str(error))
    except (Exception, SystemExit) as error:  # noqa: BLE001  no reader stops `import urlschemes`
        state, reason = "broken", described(error)
    return Choice(PatternReader, reason=reason, state=state)


def _imported(claim: Claim) -> type[PatternReader]:
    """Return the reader of a claim. Raises what importing it raises; TypeError for what is no reader."""
    found: type[PatternReader] = getattr(import_module(claim.module), claim.attribute)
    version = vars(found).get("API")  # that of a base says nothing about this class
    if version != PatternReader.API:
        raise TypeError(f"{claim.provider} has a reader with API = {version}: expected {PatternReader.API}")
    if not issubclass(found, PatternReader):
        raise TypeError(f"{claim.provider} has a reader that is no subclass of PatternReader")
    return found


CHOICE = _choice()
"""The choice for this process, made with the first import of urlschemes."""
pattern_reader.READER = CHOICE.reader
