"""Document identifiers in both notations, and media types."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlschemes_wais.documents import media_type, parse_wpath


@pytest.mark.decision(15)
@pytest.mark.parametrize(
    ("wpath", "identifier", "size"),
    [
        (b"\x01\x07h1:8210\x07\x01\x00", b"\x01\x07h1:8210\x07\x01\x00", None),
        (b"144/1=h1:8210;3=0 144 a=b;7=\x00;", b"\x01\x07h1:8210\x03\x090 144 a=b\x07\x01\x00", 144),
        (b"1=h1;", b"\x01\x02h1", None),
        (b"0/1=h1;", b"\x01\x02h1", None),
        (b"3=" + b"x" * 200 + b";", b"\x03\x81\x48" + b"x" * 200, None),
        (b"200=;", b"\x81\x48\x00", None),
        # Anything else is an identifier.
        (b"144/", b"144/", None),
        (b"144/1=h1", b"144/1=h1", None),
        (b"144/1=h1;x", b"144/1=h1;x", None),
        (b"12345678901/1=h1;", b"12345678901/1=h1;", None),
        (b"0000000001WJ", b"0000000001WJ", None),
        (b"", b"", None),
    ],
)
def test_a_wpath_is_an_identifier_or_the_old_notation_of_one(wpath: bytes, identifier: bytes, size: int | None) -> None:
    assert parse_wpath(wpath) == (identifier, size)


@given(st.binary(max_size=100).map(lambda octets: b"\x01" + octets))
def test_an_identifier_made_by_a_server_is_unchanged(octets: bytes) -> None:
    assert parse_wpath(octets) == (octets, None)


@pytest.mark.parametrize(
    ("wtype", "kind"),
    [
        ("TEXT", "text/plain"),
        ("text", "text/plain"),
        ("HTML", "text/html"),
        ("WSRC", "application/x-wais-source"),
        ("WCAT", "text/plain"),
        ("GIF", "image/gif"),
        ("JPEG", "image/jpeg"),
        ("TIFF", "image/tiff"),
        ("PICT", "image/x-pict"),
        ("PS", "application/postscript"),
        ("DVI", "application/x-dvi"),
        ("FTP-DIR", None),
        ("", None),
    ],
)
def test_a_wais_type_has_a_media_type(wtype: str, kind: str | None) -> None:
    assert media_type(wtype) == kind
