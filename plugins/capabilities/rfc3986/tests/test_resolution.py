"""Resolution: every example of RFC 3986 section 5.4, and what section 5.2 says of other bases."""

import pytest

from urlschemes import InvalidURL, Registry, Scheme
from urlschemes.errors import NotHierarchical

MODERN = Registry(profile="rfc3986")
BASE = "http://a/b/c/d;p?q"

# Section 5.4.1.
NORMAL = """
g:h g:h
g http://a/b/c/g
./g http://a/b/c/g
g/ http://a/b/c/g/
/g http://a/g
//g http://g
?y http://a/b/c/d;p?y
g?y http://a/b/c/g?y
#s http://a/b/c/d;p?q#s
g#s http://a/b/c/g#s
g?y#s http://a/b/c/g?y#s
;x http://a/b/c/;x
g;x http://a/b/c/g;x
g;x?y#s http://a/b/c/g;x?y#s
. http://a/b/c/
./ http://a/b/c/
.. http://a/b/
../ http://a/b/
../g http://a/b/g
../.. http://a/
../../ http://a/
../../g http://a/g
"""
# Section 5.4.2.
ABNORMAL = """
../../../g http://a/g
../../../../g http://a/g
/./g http://a/g
/../g http://a/g
g. http://a/b/c/g.
.g http://a/b/c/.g
g.. http://a/b/c/g..
..g http://a/b/c/..g
./../g http://a/b/g
./g/. http://a/b/c/g/
g/./h http://a/b/c/g/h
g/../h http://a/b/c/h
g;x=1/./y http://a/b/c/g;x=1/y
g;x=1/../y http://a/b/c/y
g?y/./x http://a/b/c/g?y/./x
g?y/../x http://a/b/c/g?y/../x
g#s/./x http://a/b/c/g#s/./x
g#s/../x http://a/b/c/g#s/../x
http:g http:g
"""
EXAMPLES = [("", BASE), *(tuple(line.split()) for line in (NORMAL + ABNORMAL).split("\n") if line)]


@pytest.mark.parametrize(("reference", "meant"), EXAMPLES)
@pytest.mark.parametrize("parse", [MODERN.parse, MODERN.parse_generic])
def test_a_reference_means_what_section_5_4_says(parse, reference, meant):
    assert parse(BASE).resolve(reference) == meant


@pytest.mark.parametrize(
    ("base", "reference", "meant"),
    [
        ("http://a", "g", "http://a/g"),
        ("http://a?q", "", "http://a?q"),
        ("http://a/b#f", "", "http://a/b"),
        ("http://a/b?q#f", "?", "http://a/b?"),
        ("http://[::1]:8080/b", "//[::2]/../g", "http://[::2]/g"),
        ("a:b/c", "d", "a:b/d"),
        ("a:b/c", "../d", "a:/d"),
        ("a:b", "d", "a:d"),
        ("a:/b", "..//c", "a:/.//c"),
        ("a:", "../b", "a:b"),
        ("a:", ".", "a:"),
        ("a:b", "C:./d", "C:d"),
    ],
)
def test_every_kind_of_base_has_references(base, reference, meant):
    assert MODERN.parse_generic(base).resolve(reference) == meant


def test_join_keeps_type_and_fragment():
    base = MODERN.parse(BASE)
    joined = base.join("../~g?y#s")
    assert (type(joined), joined.path, joined.query, joined.fragment) == (type(base), "/b/~g", "y", "s")
    assert type(base.join("g:h")) is type(MODERN.parse_generic("g:h"))


def test_a_scheme_without_a_hierarchy_has_no_dot_segments():
    parse = Scheme.of("x-dots", 'u = "x-dots:" *( pchar / "/" )', profile=MODERN.profile).url_type.parse
    assert parse("x-dots:a").join("X-Dots:./b/..") == parse("x-dots:./b/..")
    for reference in ("b", "/b", "//h/b"):
        with pytest.raises(NotHierarchical, match="x-dots URLs have no hierarchy"):
            parse("x-dots:a").join(reference)


def test_join_refuses_what_is_not_a_url():
    with pytest.raises(InvalidURL, match=r"invalid character ' ' in the path at position 14"):
        MODERN.parse(BASE).join("g h")
