"""The mailto scheme in the profile of RFC 3986: the examples of its record and of RFC 6068 section 6, and building."""

from itertools import product
from urllib.parse import quote

import pytest

from urlschemes import Encoded, InvalidURL, Registry
from urlschemes_mailto.rfc3986 import MailtoURI, registration
from urlschemes_testing.examples import check_example

MODERN = Registry(profile="rfc3986")


@pytest.mark.parametrize("example", registration.examples, ids=lambda example: example.url)
def test_the_examples_are_true(example):
    check_example(MailtoURI, example)


def test_the_registry_has_this_type():
    url = MODERN.parse("mailto:a@b.example?subject=x")
    assert type(url) is MailtoURI
    assert url.registration is registration
    assert registration.ports == (25, 465, 587)


SECTION_6 = """\
mailto:chris@example.com
mailto:infobot@example.com?subject=current-issue
mailto:infobot@example.com?body=send%20current-issue
mailto:infobot@example.com?body=send%20current-issue%0D%0Asend%20index
mailto:list@example.org?In-Reply-To=%3C3469A91.D10AF4C@example.com%3E
mailto:majordomo@example.com?body=subscribe%20bamboo-l
mailto:joe@example.com?cc=bob@example.com&body=hello
mailto:gorby%25kremvax@example.com
mailto:unlikely%3Faddress@example.com?blat=foop
mailto:joe@an.example?cc=bob@an.example&body=hello
mailto:Mike%26family@example.org
mailto:%22not%40me%22@example.org
mailto:%22oh%5C%5Cno%22@example.org
mailto:%22%5C%5C%5C%22it's%5C%20ugly%5C%5C%5C%22%22@example.org
mailto:user@example.org?subject=caf%C3%A9
mailto:user@example.org?subject=%3D%3Futf-8%3FQ%3Fcaf%3DC3%3DA9%3F%3D
mailto:user@example.org?subject=%3D%3Fiso-8859-1%3FQ%3Fcaf%3DE9%3F%3D
mailto:user@example.org?subject=caf%C3%A9&body=caf%C3%A9
mailto:user@%E7%B4%8D%E8%B1%86.example.org?subject=Test&body=NATTO
"""
SECTION_2 = """\
mailto:addr1@an.example,addr2@an.example
mailto:?to=addr1@an.example,addr2@an.example
mailto:addr1@an.example?to=addr2@an.example
"""


@pytest.mark.parametrize("text", [*SECTION_6.split(), *SECTION_2.split()])
def test_the_examples_of_rfc_6068_are_urls(text):
    assert MODERN.is_valid(text)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("mailto:gorby%25kremvax@example.com", "gorby%kremvax@example.com"),
        ("mailto:unlikely%3Faddress@example.com?blat=foop", "unlikely?address@example.com"),
        ("mailto:Mike%26family@example.org", "Mike&family@example.org"),
        ("mailto:%22not%40me%22@example.org", '"not@me"@example.org'),
        ("mailto:%22oh%5C%5Cno%22@example.org", r'"oh\\no"@example.org'),
        ("mailto:%22%5C%5C%5C%22it's%5C%20ugly%5C%5C%5C%22%22@example.org", r""""\\\"it's\ ugly\\\""@example.org"""),
        ("mailto:user@%E7%B4%8D%E8%B1%86.example.org", "user@納豆.example.org"),
    ],
)
def test_the_addresses_of_rfc_6068_are_decoded(text, address):
    url = MailtoURI.parse(text)
    assert url.to == (address,)
    assert MailtoURI(to=[address]).to == (address,)


def test_an_address_is_utf_8():
    """RFC 3629 section 4. The bounds of the second octet depend on the first."""
    for first, second in product(range(0x80, 0x100), (0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0)):
        for length in range(1, 5):
            octets = bytes([first, second, 0x80, 0x80][:length])
            is_text = octets.decode("utf-8", "ignore").encode() == octets
            assert MODERN.is_valid(f"mailto:{quote(octets)}@h") == is_text, octets


def test_the_wrong_example_of_rfc_6068_is_refused():
    with pytest.raises(InvalidURL, match="position 41"):
        MailtoURI.parse("mailto:joe@example.com?cc=bob@example.com?body=hello")


def test_header_fields_are_found_in_any_letter_case():
    url = MailtoURI.parse("mailto:?Subject=a&CC=b@c&cc=d@e,f@g&BODY=x%0D%0Ay&subject=b")
    assert (url.subject, url.body, url.cc) == ("a", "x\r\ny", ("b@c", "d@e,f@g"))
    assert url.values("SUBJECT") == ("a", "b")
    empty = MailtoURI.parse("mailto:")
    assert (empty.to, empty.headers, empty.subject, empty.body, empty.cc) == ((), (), None, None, ())


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ({}, "mailto:"),
        ({"to": ["a@b.example"], "headers": [("subject", "x")]}, "mailto:a@b.example?subject=x"),
        ({"to": ["a/b?c#d@e", '"x,y"@[1.2.3.4]']}, "mailto:a%2Fb%3Fc%23d@e,%22x%2Cy%22@%5B1.2.3.4%5D"),
        ({"headers": [("a&b", "c=d&e?f/g #é"), ("", "")]}, "mailto:?a%26b=c%3Dd%26e%3Ff%2Fg%20%23%C3%A9&="),
        ({"headers": [("body", "a\r\nb+c")], "fragment": ""}, "mailto:?body=a%0D%0Ab+c#"),
        ({"to": [Encoded("a%40b")]}, "mailto:a%40b"),
        ({"to": ["a@[]"]}, "mailto:a@%5B%5D"),
    ],
)
def test_a_url_is_built_of_its_parts(parts, text):
    assert str(MailtoURI(**parts)) == text


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"to": ["c@d", "e@f"]}, "mailto:c@d,e@f?x=%79#f"),
        ({"to": []}, "mailto:?x=%79#f"),
        ({"headers": []}, "mailto:%61@b#f"),
        ({"headers": [("x", "y"), ("z", "")], "fragment": None}, "mailto:%61@b?x=y&z="),
    ],
)
def test_a_url_is_changed_in_its_parts(changes, text):
    assert str(MailtoURI.parse("mailto:%61@b?x=%79#f").replace(**changes)) == text


@pytest.mark.parametrize(
    "parts",
    [
        {"to": ["a"]},
        {"to": ["a@b,c@d"]},
        {"to": ["Joe <a@b>"]},
        {"to": ["a b@c"]},
        {"to": ["a@b\nc"]},
        {"to": [Encoded("%FF@b")]},
        {"to": "a@b"},
        {"headers": ["x"]},
        {"headers": [("x", Encoded("y=z"))]},
    ],
)
def test_parts_that_no_url_has_are_refused(parts):
    with pytest.raises(InvalidURL):
        MailtoURI(**parts)


def test_a_refusal_of_several_addresses_names_the_wrong_one():
    with pytest.raises(InvalidURL, match=r"^invalid addresses 'joe'; an address is local-part@domain"):
        MailtoURI(to=["ann@host.example", "joe", "bob"])
