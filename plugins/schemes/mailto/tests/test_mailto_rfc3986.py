"""mailto URLs in the profile of RFC 3986: UTF-8, header fields, ports."""

from itertools import product
from urllib.parse import quote

import pytest

from urlschemes import InvalidURL, Registry
from urlschemes_mailto.rfc3986 import MailtoURI, registration

MODERN = Registry(profile="rfc3986")


def test_the_ports_are_those_of_mail():
    assert registration.ports == (25, 465, 587)


def test_an_address_is_utf_8():
    """RFC 3629 section 4. The bounds of the second octet depend on the first."""
    for first, second in product(range(0x80, 0x100), (0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0)):
        for length in range(1, 5):
            octets = bytes([first, second, 0x80, 0x80][:length])
            is_text = octets.decode("utf-8", "ignore").encode() == octets
            assert MODERN.is_valid(f"mailto:{quote(octets)}@h") == is_text, octets


def test_header_fields_are_found_in_any_letter_case():
    assert MailtoURI.parse("mailto:?Subject=a&subject=b").values("SUBJECT") == ("a", "b")


def test_a_refusal_of_several_addresses_names_the_wrong_one():
    with pytest.raises(InvalidURL, match=r"^invalid addresses 'joe'; an address is local-part@domain"):
        MailtoURI(to=["ann@host.example", "joe", "bob"])
