"""The syntax of mailto URLs (RFC 1738 section 3.5, RFC 822 section 6): parts, errors, constructor."""

from __future__ import annotations

from typing import Any

import pytest

import urlschemes
import urlschemes_lint
from urlschemes import Encoded, InvalidURL
from urlschemes.errors import NotHierarchical, UnsafeURL
from urlschemes.record.record_fields import Example
from urlschemes_lint import NotRepairable
from urlschemes_mailto import MailtoURL, registration
from urlschemes_testing.examples import check_example


@pytest.mark.parametrize("example", registration.examples, ids=lambda example: example.url)
def test_the_examples_of_the_record_are_true(example: Example) -> None:
    check_example(MailtoURL, example)


def test_the_record_is_that_of_the_scheme() -> None:
    assert (registration.scheme, registration.status, registration.default_port) == ("mailto", "permanent", None)
    assert [caution.code for caution in registration.cautions] == ["header-fields", "slashes-before-address"]
    assert sum(example.parts is None for example in registration.examples) >= 10


@pytest.mark.decision(11)
def test_the_address_is_an_addr_spec_once_decoded() -> None:
    assert MailtoURL.parse("mailto:%6Aoe%40host.dom").address == "joe@host.dom"
    assert not urlschemes.is_valid("mailto:joe")
    url = MailtoURL.parse("mailto:joe@host.dom?subject=x")
    assert (url.local_part, url.domain) == ("joe", "host.dom?subject=x")
    (finding,) = [found for found in urlschemes_lint.check(str(url)) if found.code == "header-fields"]
    assert finding.span == (19, 20)
    assert "header-fields" not in {found.code for found in urlschemes_lint.check("mailto:joe%3F@host.dom")}


# The specials of RFC 822 section 3.3 and control octets: no atom has them, quoted words may.
SPECIALS = ["(", ")", "%3C", "%3E", "@", ",", ";", ":", "%5C", "%22", "%5B", "%5D", "%20", "%09", "%7F", "%00"]


@pytest.mark.parametrize("special", SPECIALS)
def test_no_atom_holds_a_special_a_space_or_a_control_octet(special: str) -> None:
    assert not urlschemes.is_valid(f"mailto:a{special}b@host.dom")
    assert not urlschemes.is_valid(f"mailto:a@host{special}b.dom")


@pytest.mark.parametrize("special", [special for special in SPECIALS if special not in {"%5C", "%22"}])
def test_a_quoted_word_may_hold_specials(special: str) -> None:
    assert MailtoURL.parse(f"mailto:%22a{special}b%22@host.dom").domain == "host.dom"


@pytest.mark.parametrize("octet", ["%0D", "%22", "%5C", "%00", "a"])
def test_a_backslash_quotes_any_octet_of_us_ascii(octet: str) -> None:
    assert urlschemes.is_valid(f"mailto:%22%5C{octet}%22@host.dom")
    assert urlschemes.is_valid(f"mailto:joe@%5B%5C{octet}%5D")


@pytest.mark.parametrize("octet", ["%0D", "%5B", "%5C", "%80", "%C3%A9"])
def test_a_domain_literal_holds_no_bracket_or_line_end(octet: str) -> None:
    assert urlschemes.is_valid("mailto:joe@%5Ba%5D")
    assert not urlschemes.is_valid(f"mailto:joe@%5Ba{octet}%5D")


@pytest.mark.parametrize("octet", ["%80", "%FF", "%C3%A9"])
def test_an_address_is_us_ascii(octet: str) -> None:
    for text in (f"a{octet}@host", f"%22a{octet}%22@host", f"%22%5C{octet}%22@host", f"a@b{octet}"):
        assert not urlschemes.is_valid(f"mailto:{text}")


@pytest.mark.parametrize(
    ("text", "code", "position"),
    [
        ("mailto:", "invalid-part", 7),
        ("mailto:joe", "invalid-part", 10),
        ("mailto:joe@", "invalid-part", 11),
        ("mailto:joe@host.", "invalid-part", 16),
        ("mailto:joe@@host", "invalid-part", 11),
        ("mailto:a,b@host", "invalid-part", 8),
        ("mailto:%22a%22b@host", "invalid-part", 14),
        ("mailto:joe smith@host", "invalid-character", 10),
        ("mailto:<joe@host>", "invalid-character", 7),
        ("mailto:joe@[192.0.2.7]", "invalid-character", 11),
        ("mailto:joe@host#top", "fragment-present", 15),
        ("mailto:joe%x@host", "bad-escape", 10),
    ],
)
def test_invalid_urls_are_refused(text: str, code: str, position: int) -> None:
    with pytest.raises(InvalidURL) as caught:
        MailtoURL.parse(text)
    assert caught.value.code == code
    assert caught.value.position == position
    assert caught.value.code != "missing-authority"


def test_the_error_names_the_rule_of_the_second_grammar() -> None:
    with pytest.raises(InvalidURL) as caught:
        MailtoURL.parse("mailto:joe")
    assert caught.value.code == "invalid-part"
    assert (caught.value.rule, caught.value.section, caught.value.part) == (
        "addr-spec",
        "RFC 822 section 6.1",
        "address",
    )


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ({"address": "joe@host.dom"}, "mailto:joe@host.dom"),
        ({"address": '"Joe Public"@host.dom'}, "mailto:%22Joe%20Public%22@host.dom"),
        ({"address": "joe%inner@relay.dom"}, "mailto:joe%25inner@relay.dom"),
        ({"local_part": "joe", "domain": "[192.0.2.7]"}, "mailto:joe@%5B192.0.2.7%5D"),
        ({"local_part": "a~b{|}", "domain": "host"}, "mailto:a%7Eb%7B%7C%7D@host"),
        ({"address": Encoded("joe%40host.dom")}, "mailto:joe%40host.dom"),
        ({"address": "joe@host", "domain": "host"}, "mailto:joe@host"),
    ],
)
def test_a_constructor_encodes_its_parts(parts: dict[str, Any], text: str) -> None:
    assert str(MailtoURL(**parts)) == text


@pytest.mark.parametrize(
    "parts",
    [
        {},
        {"address": ""},
        {"address": "joe"},
        {"address": "josé@host"},
        {"address": "Joe Public@host"},
        {"address": "joe@host", "domain": "elsewhere"},
        {"local_part": "joe"},
        {"local_part": "a@b", "domain": "host"},
        {"local_part": "joe", "domain": "host,dom"},
        {"address": 7},
    ],
)
def test_values_without_a_url_are_refused(parts: dict[str, Any]) -> None:
    with pytest.raises(InvalidURL):
        MailtoURL(**parts)


def test_replace_changes_the_given_parts() -> None:
    url = MailtoURL.parse("mailto:%6Aoe%40host%2Edom")
    assert str(url.replace(domain="else.where")) == "mailto:%6Aoe%40else.where"
    assert str(url.replace(local_part="ann")) == "mailto:ann%40host%2Edom"
    assert str(url.replace(local_part="a", domain="b")) == "mailto:a%40b"
    assert str(url.replace(address="a@b")) == "mailto:a@b"
    assert str(url.replace(address="a@b", domain="b")) == "mailto:a@b"
    assert url.replace() == url
    with pytest.raises(InvalidURL):
        url.replace(address="a@b", domain="c")


def test_equivalent_urls() -> None:
    plain = MailtoURL.parse("mailto:joe@host.dom")
    assert MailtoURL.parse("MAILTO:%6Aoe%40host%2Edom").equivalent(plain)
    assert not MailtoURL.parse("mailto:Joe@host.dom").equivalent(plain)
    assert str(MailtoURL.parse("mailto:%22a%20b%22@h").normalized()) == "mailto:%22a%20b%22@h"


def test_mailto_urls_have_no_hierarchy() -> None:
    with pytest.raises(NotHierarchical):
        MailtoURL.parse("mailto:joe@host.dom").join("ann")


def test_control_octets_are_parsed_and_never_sent() -> None:
    with pytest.raises(UnsafeURL):
        MailtoURL.parse("mailto:%22a%0Ab%22@host.dom").line("address")
    assert MailtoURL.parse("mailto:%22a%20b%22@host.dom").line("address") == b'"a b"@host.dom'


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        ('mailto:"Joe Public"@host.dom', "mailto:%22Joe%20Public%22@host.dom"),
        ("mailto:joe%inner@relay.dom", "mailto:joe%25inner@relay.dom"),
        ("<URL:mailto:joe@host.dom>", "mailto:joe@host.dom"),
    ],
)
def test_fix(text: str, fixed: str) -> None:
    assert str(urlschemes_lint.fix(text).url) == fixed


@pytest.mark.parametrize("text", ["mailto:joe", "mailto:Joe Public <joe@host>", "mailto:a@x,b@y", "mailto:josé@host"])
def test_an_address_is_never_guessed(text: str) -> None:
    with pytest.raises(NotRepairable):
        urlschemes_lint.fix(text)
