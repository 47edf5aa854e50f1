"""URLs of one profile as URLs of the other: what both can say, and the error for what one cannot."""

import pytest

import urlschemes
from urlschemes import InvalidURL, Registry, UnknownScheme
from urlschemes.url.value import LIMIT
from urlschemes_rfc3986.generic_uri import URI

OLD, MODERN = urlschemes.default_registry, Registry(profile="rfc3986")


@pytest.mark.parametrize("text", ["http://h", "HTTP://H:80/a%7e;b?c", "https://1.2.3.4/"])
@pytest.mark.parametrize("modern", [MODERN, Registry(disable=["ftp"], profile="rfc3986")], ids=["all", "some"])
def test_what_both_profiles_can_say_is_converted_there_and_back(text, modern):
    old = urlschemes.parse(text)
    new = modern.convert(old)
    assert (str(new), new.syntax.profile.name) == (text, "rfc3986")
    assert OLD.convert(new) == old
    assert modern.convert(new) == new


@pytest.mark.parametrize(
    ("text", "code", "position", "hint"),
    [
        ("http://[::1]/", "invalid-character", 7, "RFC 1738 has no IPv6 addresses: write a domain name or an"),
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
        OLD.convert(url)
    error = caught.value
    assert (error.code, error.position, error.text) == (code, position, text)
    assert error.hint.startswith(hint)
    assert hint[:40] in str(error)


@pytest.mark.parametrize(
    ("source", "target", "problem", "hint"),
    [
        (
            MODERN,
            OLD,
            "in RFC 1738, it is part of the address",
            "leave it out, and what follows",
        ),
        (OLD, MODERN, "in RFC 3986, it divides the URL", "write %3F"),
    ],
)
def test_a_question_mark_never_divides_in_one_profile_alone(source, target, problem, hint):
    url = source.parse("mailto:a@b?subject=x")
    with pytest.raises(InvalidURL, match=f"^invalid character '\\?' at position 10: {problem}") as caught:
        target.convert(url)
    error = caught.value
    assert (error.code, error.part, error.span, error.hint) == ("invalid-part", "address", (10, 11), hint)


def test_the_advice_on_fragments_works():
    url = MODERN.parse("http://h/a#f")
    assert str(OLD.convert(url.replace(fragment=None))) == "http://h/a"


def test_a_generic_url_stays_generic():
    new = MODERN.convert(urlschemes.parse_generic("http:a"))
    assert (type(new), str(new)) == (URI, "http:a")
    assert type(OLD.convert(new)) is urlschemes.URL
    with pytest.raises(InvalidURL, match=r"^invalid character '1' in the scheme"):
        MODERN.convert(urlschemes.parse_generic("1a:b"))


def test_a_scheme_that_another_registry_does_not_have_has_no_urls_there():
    target = urlschemes.Registry(profile="rfc3986", disable=["urlschemes-x-example"])
    with pytest.raises(UnknownScheme, match="urlschemes-x-example"):
        target.convert(urlschemes.parse("x-example://h/a"))


def test_a_url_beyond_the_default_limit_is_converted():
    text = f"http://h/{'a' * LIMIT}"
    assert str(OLD.convert(MODERN.parse(text, limit=len(text)))) == text


@pytest.mark.parametrize("given", ["http://h", None])
def test_only_a_url_is_converted(given):
    with pytest.raises(TypeError, match="url must be a URL, not "):
        OLD.convert(given)


def test_a_url_of_another_profile_is_not_parsed():
    with pytest.raises(InvalidURL, match=r"not HttpURL; pass str\(url\); `registry.convert\(url\)` takes one of any"):
        MODERN.parse(urlschemes.parse("http://h/"))
