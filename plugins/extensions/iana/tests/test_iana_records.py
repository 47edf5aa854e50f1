"""The records of the ledger: what they say of their examples is true, and URLs are built from their parts."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import urlschemes_iana
from urlschemes import InvalidURL, Registry, UnknownScheme
from urlschemes_iana.snapshot import shipped_snapshot
from urlschemes_lint import check, explain
from urlschemes_rfc3986 import profile
from urlschemes_testing.examples import check_example

RECORDS = Path(urlschemes_iana.__file__).parent / "records"
IN_PROFILES = [Registry(records=RECORDS), Registry(records=RECORDS, profile=profile)]
NAMES = sorted(path.stem for path in RECORDS.glob("[!_]*.toml"))


@pytest.mark.parametrize("name", NAMES)
def test_the_examples_of_a_record_are_correct(name: str) -> None:
    registries = [each for each in IN_PROFILES if name in each]
    for registry in registries:
        url_type = registry[name].url_type
        for example in registry.registration(name).examples:
            check_example(url_type, example)
            if example.parts is not None:
                url = url_type.parse(example.url)
                assert url_type(**url.parts).equivalent(url)
                assert pickle.loads(pickle.dumps(url)) == url
                assert registry.parse_generic("x:a").join(url).scheme == name
            has_errors = any(each.severity == "error" for each in check(example.url, registry=registry))
            assert has_errors is (example.parts is None), example.url
            assert explain(example.url, registry=registry)
    assert registries


@pytest.mark.parametrize(
    ("one", "other", "equivalent"),
    [
        ("sip:bob@biloxi.com", "sip:bob@biloxi.com:5060", False),  # RFC 3261 section 19.1.4
        ("sips:bob@biloxi.com", "sips:bob@biloxi.com:5061", False),
        ("sip:%61lice@atlanta.com;transport=TCP", "sip:alice@AtlanTa.CoM;transport=TCP", True),
        ("sip:a%3Bb@atlanta.com", "sip:a;b@atlanta.com", False),
    ],
)
def test_urls_are_equivalent_as_their_schemes_say(one: str, other: str, *, equivalent: bool) -> None:
    parse = IN_PROFILES[1].parse
    assert parse(one).equivalent(parse(other)) is equivalent


def test_a_part_that_is_absent_can_be_left_out() -> None:
    url = IN_PROFILES[1].parse("dns:e.org?type=A")
    assert str(url.replace(dnsclass=None)) == "dns:e.org?type=A"
    assert str(url.replace(dnsclass=None, dnstype="MX")) == "dns:e.org?type=MX"
    assert str(url.replace(dnstype=None)) == "dns:e.org"


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("ws://h/x#y", "leave out the fragment, which ws URLs do not have, or write %23 if it is data"),
        ("geo:1,2#y", "leave out the fragment, which geo URLs do not have"),
        ("sip:a@b.c#y", "leave out the fragment, which sip URLs do not have"),
        ("data:image/svg+xml;utf8,x", "each parameter is name=value: write `;charset=utf-8`, not `;utf8`"),
    ],
)
def test_an_error_has_the_hint_of_its_scheme(text: str, hint: str) -> None:
    with pytest.raises(InvalidURL) as caught:
        IN_PROFILES[1].parse(text)
    assert caught.value.hint == hint


@pytest.mark.parametrize("text", ["data:,x", "ws://h/"])
def test_a_scheme_of_another_profile_has_a_hint_that_names_it(text: str) -> None:
    with pytest.raises(UnknownScheme, match=r'; Registry\(profile="rfc3986"\) reads its URLs$'):
        IN_PROFILES[0].parse(text)
    assert str(IN_PROFILES[1].parse(text)) == text


def test_the_hint_about_a_value_names_the_character_to_leave_out() -> None:
    with pytest.raises(InvalidURL, match=r"^invalid number '\+44 20'; leave out ' '$"):
        IN_PROFILES[1].parse("tel:+1-201").replace(number="+44 20")


def test_a_permanent_name_has_a_record_a_distribution_or_the_reason_why_it_has_none() -> None:
    known = IN_PROFILES[0].known_names().values()
    reasons = {each.name for each in known if each.no_syntax}
    assert not reasons & {*NAMES}
    permanent = {each.name for each in shipped_snapshot().ledger.names if each.status == "permanent"}
    assert permanent == {*NAMES} | reasons | {
        each.name for each in known if each.status == "permanent" and each.distribution
    }
