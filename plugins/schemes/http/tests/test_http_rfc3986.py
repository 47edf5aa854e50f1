"""Errors of the parts of http URLs in the profile of RFC 3986."""

import pytest

from urlschemes import InvalidURL
from urlschemes_http.rfc3986 import HttpURI


@pytest.mark.parametrize(
    ("parts", "part", "hint"),
    [
        ({"host": "a b"}, "host", "remove the white space"),
        ({"host": "e.com", "path": "a"}, "path", 'begin it with "/"'),
        ({"host": "::1"}, "host", "write brackets around an IPv6 address"),
        ({"host": "h:80"}, "host", "write a name, an IPv4 address, or an IPv6 address in brackets"),
        ({"host": "u@h", "path": "/"}, "host", "write a name, an IPv4 address, or an IPv6 address in brackets"),
        ({"host": "h", "path": "/100%"}, "path", "a percent sign is written %25"),
    ],
)
def test_the_part_at_fault_is_blamed_with_a_hint(parts, part, hint):
    for build in (lambda: HttpURI(**parts), lambda: HttpURI.parse("http://e.com/b?c").replace(**parts)):
        with pytest.raises(InvalidURL) as caught:
            build()
        assert (caught.value.part, caught.value.hint) == (part, hint)
