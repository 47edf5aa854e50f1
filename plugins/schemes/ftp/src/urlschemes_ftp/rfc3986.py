"""The ftp scheme of RFC 1738 section 3.2 with a fragment, in the profile of RFC 3986: `registration.rfc3986.toml`."""

from __future__ import annotations

from urlschemes import Listed, Registration, Scheme
from urlschemes_ftp import DIRECTORIES, FtpURL
from urlschemes_rfc3986 import FRAGMENT, profile

__all__ = ["FtpURI", "registration", "scheme"]

registration = Registration.of(__package__, profile)


class FtpURI(FtpURL, registration=registration):
    """A URL that designates a file or a directory, by the commands that lead to it."""

    directories: Listed[str] = DIRECTORIES  # mypy reads an inherited one as the type that the constructor takes
    fragment: str | None = FRAGMENT


scheme = Scheme(registration, FtpURI, access="urlschemes_ftp.access")
