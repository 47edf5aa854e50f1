"""The file scheme of today (RFC 8089), in the profile of RFC 3986.

    file://<host>/<path>#<fragment>
    file:/<path>#<fragment>

The syntax is in `registration.rfc3986.toml`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from urlschemes import Encoded, InvalidURL, Listed, Registration, Scheme
from urlschemes_file import SEGMENTS, FileURL
from urlschemes_rfc3986 import FRAGMENT, profile

if TYPE_CHECKING:
    from typing import Self

__all__ = ["FileURI", "registration", "scheme"]

registration = Registration.of(__package__, profile)

# RFC 8089 appendix F, whose texts are URLs of no profile: a drive without the slash before it, or with a bar; the name
# of a network path in the path.
_DRIVE = re.compile(r"file:(?:(//[^/]*)?/)?([a-z])[:|](/(?!/).*)", re.IGNORECASE | re.DOTALL)
_NETWORK_PATH = re.compile(r"file:/{4,5}(?:%5B([^/]+)%5D|([^/]+))(/.*)", re.IGNORECASE | re.DOTALL)


class FileURI(FileURL, registration=registration):
    """A URL that designates a file or a directory by its name on a host, but no way to get there.

    The host is empty both in `file:///etc/motd` and in `file:/etc/motd`; `raw["host"]` tells them apart. `from_path`
    and `normalized` write the first, which all programs know, the constructor without a host the second.
    """

    segments: Listed[str] = SEGMENTS  # mypy reads an inherited one as the type that the constructor takes
    fragment: str | None = FRAGMENT

    _no_host = Encoded("")  # written; "" leaves it out

    @classmethod
    def from_nonstandard(cls, text: str) -> Self:
        """Return the URL that `text` means: a file URL, or a form of RFC 8089 appendices E.2 and E.3 that is none.

            file:c:/a  file:c|/a  file:/c|/a  file:///c|/a     file:///c:/a
            file:////host/share/a  file://///host/share/a      file://host/share/a

        Raises InvalidURL for other texts: user information (E.1) and backslashes (E.4) are never read.
        """
        if drive := _DRIVE.fullmatch(text):
            text = f"file:{drive[1] or '//'}/{drive[2]}:{drive[3]}"
        elif network := _NETWORK_PATH.fullmatch(text):
            text = f"file://{f'[{network[1]}]' if network[1] else network[2]}{network[3]}"
        return cls.parse(text)

    def normalized(self, level: str | None = None) -> Self:
        """Return the URL as `FileURL.normalized` does; dot segments stay if the path would begin with `//`."""
        if level in {None, "scheme"} and self.raw["host"] is None:
            return self.replace(host=self._no_host).normalized(level)
        try:
            return super().normalized(level)
        except InvalidURL:
            return super().normalized("percent-encoding")


scheme = Scheme(registration, FileURI, access="urlschemes_file.access")
