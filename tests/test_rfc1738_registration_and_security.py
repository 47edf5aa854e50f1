"""RFC 1738 sections 4 and 6: registration of new schemes, and security considerations."""

from __future__ import annotations

import sys

import pytest
from rfc1738_helpers import TEN, THING

import urlschemes_access
import urlschemes_lint
from urlschemes import (
    InvalidURL,
    Registration,
    RegistrationError,
    Registry,
    UnknownScheme,
    UnsafeURL,
    default_registry,
    parse,
    parse_generic,
)
from urlschemes.errors import UnsupportedOperation
from urlschemes_access import Policy
from urlschemes_access.errors import PolicyDenied

# Section 4: registration


@pytest.mark.rfc1738(143, 144)
def test_names_that_begin_with_x_are_for_experiments() -> None:
    assert Registration.from_text(THING).status == "experimental"
    for status in ("permanent", "provisional", "historical"):
        with pytest.raises(RegistrationError, match=r"`x-`.*section 4"):
            Registration.from_text(THING.replace('"experimental"', f'"{status}"'))
    with pytest.raises(RegistrationError, match=r"`x-`.*section 4"):
        Registration.from_text(THING.replace("x-thing", "thing"))
    for name in TEN:
        assert default_registry.registration(name).status in {"permanent", "historical"}
    with pytest.raises(UnknownScheme):
        parse("x-nobody:a")
    assert parse_generic("x-nobody:a").scheme == "x-nobody"


@pytest.mark.rfc1738(146, 148)
@pytest.mark.parametrize(
    "field",
    ["bnf", "rule", "encoding_considerations", "interoperability_considerations", "security_considerations", "title"],
)
def test_a_registration_without_a_syntax_or_a_text_is_refused(field: str) -> None:
    assert f"\n{field} = " in THING
    with pytest.raises(RegistrationError, match=field):
        Registration.from_text(THING.replace(f"\n{field} = ", f"\nx_{field} = "))


@pytest.mark.rfc1738(146)
def test_urls_of_a_registration_without_an_algorithm_can_be_parsed_but_not_accessed() -> None:
    registry = Registry(plugins=())
    registry.register(Registration.from_text(THING))
    assert registry.is_valid("x-thing://h/a")
    with pytest.raises(UnsupportedOperation, match="access"):
        urlschemes_access.access("x-thing://h/a", registry=registry)


@pytest.mark.rfc1738(149)
def test_a_new_scheme_has_the_rules_of_section_3_1_unless_it_defines_one_again() -> None:
    registry = Registry(plugins=())
    registry.register(Registration.from_text(THING))
    with pytest.raises(InvalidURL) as caught:
        registry.parse("x-thing://a_b/c")
    assert caught.value.code == "invalid-host"
    assert caught.value.section == "RFC 1738 section 3.1"
    own = Registration.from_text(THING.replace("thing    =", 'host = "a_b"\nthing ='))
    registry.register(own, replace=True)
    assert registry.parse("x-thing://a_b/c").parts["host"] == "a_b"


@pytest.mark.rfc1738(151)
@pytest.mark.parametrize("name", ["afs", "mid", "cid", "nfs", "tn3270", "mailserver", "z39.50"])
def test_the_seven_names_that_section_4_reserves(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])  # nothing is installed
    with pytest.raises(UnknownScheme) as caught:
        Registry().parse(f"{name}:a")
    assert str(caught.value).startswith(f"the name {name} is reserved by RFC 1738 section 4 for ")
    assert "since then: " in str(caught.value)
    assert parse_generic(f"{name}:a").scheme == name


# Section 6


@pytest.mark.rfc1738(173)
def test_another_port_is_reported_and_the_port_of_another_protocol_refused() -> None:
    def codes(text: str) -> list[str]:
        return [finding.code for finding in urlschemes_lint.check(text)]

    assert codes("gopher://h/0a") == codes("gopher://h:70/0a") == []
    assert codes("gopher://h:7070/0a") == ["other-port"]
    assert codes("gopher://h:25/0a") == ["reserved-port"]
    with pytest.raises(PolicyDenied, match="port 25"):
        urlschemes_access.access("gopher://h:25/0HELO", policy=Policy.interactive())


@pytest.mark.rfc1738(174)
@pytest.mark.parametrize(
    "text",
    [
        "ftp://h/a%0D%0ADELE%20b",
        "ftp://u%0A@h/",
        "gopher://h/%0Da",
        "gopher://h/0%00",
        "gopher://h/0a%09%09+%0D%0AQUIT",
    ],
)
def test_encoded_delimiters_of_a_protocol_are_reported_and_never_sent(text: str) -> None:
    assert "control-octet" in [finding.code for finding in urlschemes_lint.check(text)]
    with pytest.raises(UnsafeURL) as caught:
        urlschemes_access.access(text, policy=Policy.interactive())
    assert caught.value.section == "RFC 1738 section 6"


@pytest.mark.rfc1738(174)
def test_a_line_end_in_a_telnet_login_is_reported() -> None:
    (finding,) = urlschemes_lint.check("telnet://guest%0D%0A@h/")
    assert (finding.code, finding.part, finding.section) == ("control-octet", "user", "RFC 1738 section 6")


@pytest.mark.rfc1738(175)
@pytest.mark.parametrize("name", ["ftp", "telnet"])
def test_a_password_in_a_url_is_reported_and_hidden(name: str) -> None:
    text = f"{name}://joe:secret@h/"
    assert [(finding.code, finding.part) for finding in urlschemes_lint.check(text)] == [("password", "password")]
    assert "secret" not in repr(parse(text))
    assert "secret" not in str(urlschemes_lint.explain(text))
    with pytest.raises(InvalidURL) as caught:
        parse(f"{text}#a")
    assert "secret" not in str(caught.value)
