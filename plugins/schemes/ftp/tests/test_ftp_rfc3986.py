"""Ftp URLs in the profile of RFC 3986."""

from __future__ import annotations

import pytest

from urlschemes_ftp.rfc3986 import FtpURI


@pytest.mark.parametrize(
    ("level", "text"),
    [
        ("percent-encoding", "ftp://[::a]:21/a/../~b;TYPE=A#f"),
        ("dot-segments", "ftp://[::a]:21/~b;TYPE=A#f"),
        (None, "ftp://[::a]/~b;type=a#f"),
    ],
)
def test_the_type_code_is_normalized_with_what_the_scheme_means(level: str | None, text: str) -> None:
    assert str(FtpURI.parse("FTP://[::A]:21/a/../%7eb;TYPE=A#f").normalized(level)) == text
