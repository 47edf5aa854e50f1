"""URLs of one profile as URLs of the other: what both can say, and the error for what one cannot."""

import pytest

import urlschemes
from urlschemes import InvalidURL, PluginError, Registry, UnknownScheme
from urlschemes.url.value import LIMIT
from urlschemes_rfc3986.generic_uri import URI

MODERN = Registry(profile="rfc3986")


@pytest.mark.parametrize("text", ["http://h", "HTTP://H:80/a%7e;b?c", "https://1.2.3.4/"])
@pytest.mark.parametrize("modern", ["rfc3986", MODERN.profile, MODERN, Registry(disable=["ftp"], profile="rfc3986")])
def test_what_both_profiles_can_say_is_converted_there_and_back(text, modern):
    old = urlschemes.parse(text)
    new = old.as_profile(modern)
    assert (str(new), new.syntax.profile.name) == (text, "rfc3986")
    assert new.as_profile("rfc1738") == old == new.as_profile(urlschemes.default_registry)
    assert new.as_profile("rfc3986") == new


@pytest.mark.parametrize(
    ("text", "code", "position", "hint"),
    [
        ("http://[::1]/", "invalid-character", 7, "RFC 1738 has no IPv6 addresses: name the host, or give its"),
        ("http://h/#f", "fragment-present", 9, "RFC 1738 has no fragments: convert url.replace(fragment=None)"),
        ("http://h/~a", "invalid-character", 9, "write %7E"),
        ("http://h:/", "invalid-port", 9, "leave out the colon, or write the port after it"),
        ("http://a%2db/", "invalid-host", 8, "write the character itself"),
        ("http://a_b/", "invalid-host", 8, "labels hold letters, digits and hyphens"),
        ("http://h?q", "invalid-host", 8, "write a `/` after the host"),
        ("http://h/a?b/c", "invalid-part", 12, "a reserved character that is data must be encoded"),
    ],
)  # fmt: skip
def test_what_rfc_1738_cannot_say_is_an_error_with_advice(text, code, position, hint):
    url = MODERN.parse(text)
    with pytest.raises(InvalidURL) as caught:
        url.as_profile("rfc1738")
    error = caught.value
    assert (error.code, error.position, error.text) == (code, position, text)
    assert error.hint.startswith(hint)
    assert hint[:40] in str(error)


@pytest.mark.parametrize(
    ("source", "target", "problem", "hint"),
    [
        (
            MODERN,
            urlschemes.default_registry,
            "in RFC 1738, it is part of the address",
            "leave it out, and what follows",
        ),
        (urlschemes.default_registry, MODERN, "in RFC 3986, it divides the URL", "write %3F"),
    ],
)
def test_a_question_mark_never_divides_in_one_profile_alone(source, target, problem, hint):
    url = source.parse("mailto:a@b?subject=x")
    with pytest.raises(InvalidURL, match=f"^invalid character '\\?' at position 10: {problem}") as caught:
        url.as_profile(target)
    error = caught.value
    assert (error.code, error.part, error.span, error.hint) == ("invalid-part", "address", (10, 11), hint)


def test_the_advice_on_fragments_works():
    url = MODERN.parse("http://h/a#f")
    assert str(url.replace(fragment=None).as_profile("rfc1738")) == "http://h/a"


def test_a_generic_url_stays_generic():
    new = urlschemes.parse_generic("http:a").as_profile("rfc3986")
    assert (type(new), str(new)) == (URI, "http:a")
    assert type(new.as_profile("rfc1738")) is urlschemes.URL
    with pytest.raises(InvalidURL, match=r"^invalid character '1' in the scheme"):
        urlschemes.parse_generic("1a:b").as_profile("rfc3986")


def test_a_scheme_that_another_registry_does_not_have_has_no_urls_there():
    target = urlschemes.Registry(profile="rfc3986", disable=["urlschemes-x-example"])
    with pytest.raises(UnknownScheme, match="urlschemes-x-example"):
        urlschemes.parse("x-example://h/a").as_profile(target)


def test_a_url_beyond_the_default_limit_is_converted():
    text = f"http://h/{'a' * LIMIT}"
    assert str(MODERN.parse(text, limit=len(text)).as_profile("rfc1738")) == text


def test_a_profile_that_is_not_installed_is_an_error():
    with pytest.raises(PluginError, match="the profile rfc3987 is not installed; did you mean rfc3986\\?"):
        urlschemes.parse("http://h").as_profile("rfc3987")
