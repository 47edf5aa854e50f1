"""URLs in the characters of all languages: both ways, what is refused, and the law that ties them together."""

import re
import sys
import unicodedata
from ast import literal_eval

import pytest
from hostile_texts import hostile_texts
from hypothesis import given, settings
from hypothesis import strategies as st
from workspace import schemes_of_plugins

import urlschemes
from urlschemes import InvalidURL, PluginError, Registry, UnknownScheme, URLError
from urlschemes.grammar.octets import encoded
from urlschemes_conformance.laws import points_at_the_error
from urlschemes_rfc3986.generic_uri import URI
from urlschemes_rfc3986.iri import from_unicode, to_unicode
from urlschemes_rfc3986.references import RelativeReference, parse_reference
from urlschemes_testing.strategies import urls

MODERN = Registry(profile="rfc3986")


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("http://b\u00fccher.example/\u00e9?\u00fc#\u65e5", "http://xn--bcher-kva.example/%C3%A9?%C3%BC#%E6%97%A5"),
        ("http://\u65e5\u672c\u8a9e.jp:80", "http://xn--wgv71a119e.jp:80"),
        ("http://a.stra\u00dfe/", "http://a.xn--strae-oqa/"),
        # RFC 3987 sections 3.1 and 3.2.1.
        ("http://r\u00e9sum\u00e9.example.org", "http://xn--rsum-bpad.example.org"),
        (
            "http://example.com/\U00010300\U00010301\U00010302",
            "http://example.com/%F0%90%8C%80%F0%90%8C%81%F0%90%8C%82",
        ),
        ("http://\u7d0d\u8c46.example.org/%E2%80%AE", "http://xn--99zt52a.example.org/%E2%80%AE"),
        ("ftp://\u00e9@\u00fc/\u00e4", "ftp://%C3%A9@xn--tda/%C3%A4"),
        ("mailto:\u00e9@h?subject=\u00e4", "mailto:%C3%A9@h?subject=%C3%A4"),
        ("http://h/?\ue000#", "http://h/?%EE%80%80#"),
        ("http://h/\U0001f600", "http://h/%F0%9F%98%80"),
        ("http://h/%c3%a9\u00e9", "http://h/%c3%a9%C3%A9"),
        ("http://b%C3%BCcher.de/", "http://b%C3%BCcher.de/"),
        ("http://[::1]/\u00e9", "http://[::1]/%C3%A9"),
    ],
)  # fmt: skip
def test_from_unicode_writes_us_ascii(text, written):
    url = from_unicode(text)
    assert (str(url), url) == (written, MODERN.parse(written))


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://XN--bcher-kva.example/%c3%A9?%C3%BC#%E6%97%A5", "http://b\u00fccher.example/\u00e9?\u00fc#\u65e5"),
        ("http://h/%2F%20%7e%25%C3%A9", "http://h/%2F%20%7e%25\u00e9"),
        # RFC 3987 section 3.2.1.
        ("http://www.example.org/D%C3%BCrst", "http://www.example.org/D\u00fcrst"),
        ("http://www.example.org/D%FCrst", None),
        ("http://xn--99zt52a.example.org/%e2%80%ae", "http://\u7d0d\u8c46.example.org/%e2%80%ae"),
        # Not UTF-8, a surrogate, one character too long, a noncharacter.
        ("http://h/%C3%A9%C3/%ED%A0%80/%C0%AF/%EF%BF%BE%FF", "http://h/\u00e9%C3/%ED%A0%80/%C0%AF/%EF%BF%BE%FF"),
        # Bidirectional, invisible, blank, private and control characters.
        ("http://h/%E2%80%AE%E2%81%A6%E2%80%8B%C2%A0?%EE%80%80%C2%85", None),
        ("http://h/%E1%85%9F%CD%8F?%EF%B8%8F#%F3%A0%84%80", None),
        ("http://xn--a/", None),
        ("http://xn--ls8h.la/", None),
        # No names of the DNS: against the rule for names with letters from right to left, or too long.
        ("http://1.xn--4db.example/", None),
        (f"http://xn--tda.{'a.' * 130}", None),
        ("x://xn--ida.%C3%B1%E2%98%83/", "x://xn--ida.\u00f1\u2603/"),
        ("http://b%C3%BCcher.de/", None),
        ("urn:%C3%A9", "urn:\u00e9"),
    ],
)  # fmt: skip
def test_to_unicode_shows_what_can_be_seen(url, shown):
    parse = MODERN.parse if url.startswith("http") else MODERN.parse_generic
    text = to_unicode(parse(url))
    assert text == (url if shown is None else shown)
    assert from_unicode(text, parse).equivalent(parse(url))


def test_what_reads_the_url_is_chosen():
    assert from_unicode("x-y:\u00e9", URI.parse) == URI.parse("x-y:%C3%A9")
    old = from_unicode("http://\u00fc.de/\u00e9", urlschemes.parse)
    assert old == urlschemes.parse("http://xn--tda.de/%C3%A9")
    assert to_unicode(old) == "http://\u00fc.de/\u00e9"
    with pytest.raises(UnknownScheme):
        from_unicode("x-y:\u00e9")


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("../gr\u00f6\u00dfe?\u00e4", "../gr%C3%B6%C3%9Fe?%C3%A4"),
        ("//b\u00fccher.example:80/\u00e9", "//xn--bcher-kva.example:80/%C3%A9"),
        ("/\u00e9//\u00fc:/", "/%C3%A9//%C3%BC:/"),
        ("?//\u00fc", "?//%C3%BC"),
    ],
)
def test_relative_references_are_written_and_shown_too(text, written):
    reference = from_unicode(text, RelativeReference)
    assert reference == RelativeReference(written)
    assert to_unicode(reference) == text


@pytest.mark.parametrize(
    ("text", "code", "span", "message"),
    [
        ("http://B\u00fccher.de/", "invalid-host", (7, 8), "invalid character 'B' in the host at position 7: IDNA"),
        ("http://a.\u2603/", "invalid-host", (9, 10), r"invalid character '\\u2603' in the host at position 9: IDNA"),
        ("http://\u00fc%41/", "invalid-host", (8, 9), "invalid character '%' in the host at position 8: IDNA 2008"),
        ("http://\u00fc.%zz/", "bad-escape", (9, 10), "invalid escape at position 9"),
        ("http://\u00fc.a%", "bad-escape", (10, 11), "invalid escape at position 10"),
        ("http://\u00fc.a b/", "invalid-character", (10, 11), "invalid character ' ' in the host at position 10"),
        ("http://[\u00e9]/", "invalid-character", (8, 9), r"invalid character '\\xe9' in the host at position 8"),
        ("http://\u00fc\u3002/", "invalid-host", (8, 9), r"invalid character '\\u3002' in the host at position 8"),
        ("http://a.-\u00fc/", "invalid-host", (9, 11), r"invalid label '-\\xfc' in the host at position 9: Label must"),
        ("http://\u05d0a/", "invalid-host", (7, 9), "at position 7: letters that are written from right to left are"),
        ("http://1.\u05d0.example/", "invalid-host", (7, 8), "label '1' in the host at position 7: no name with"),
        ("http://\u05d0.0\u00e0/", "invalid-host", (9, 11), r"label '0\\xe0' in the host at position 9: no name"),
        ("http://-.\u05d0/", "invalid-host", (7, 8), "label '-' in the host at position 7: no name with"),
        pytest.param(
            "http://\U00011f04/", "invalid-host", (7, 8), "this version of Python does not know one of its characters",
            marks=pytest.mark.skipif(bool(unicodedata.bidirectional("\U00011f04")), reason="this Python knows Kawi"),
        ),
        ("http://a\u200d/", "invalid-host", (7, 9), "position 7: one of its characters is allowed only"),
        ("http://" + "\u00fc" * 64, "invalid-host", (7, 71), "Label too long"),
        ("http://\u00fc." + "a." * 124, "invalid-host", (7, 257), "position 7: encoded, it has 255 octets"),
        ("http://h/\x85", "invalid-character", (9, 10), r"invalid character U\+0085 at position 9: not allowed"),
        ("http://h/\ufdd0", "invalid-character", (9, 10), r"invalid character U\+FDD0 at position 9"),
        ("http://h/\ud800", "invalid-character", (9, 10), r"invalid character U\+D800 at position 9"),
        ("http://h/\ue000?", "invalid-character", (9, 10), r"invalid character U\+E000 at position 9"),
        ("http://h/#?\ue000", "invalid-character", (11, 12), r"invalid character U\+E000 at position 11"),
        ("http://h/\u00e9\u202e", "invalid-character", (10, 11), r"invalid character U\+202E at position 10"),
        ("http://\u00fc.de/\u00e9|x", "invalid-character", (13, 14), r"invalid character '\|' in the path at pos"),
        ("http://\u00fc.de:8x/", "invalid-port", (13, 14), "invalid character in the port at position 13"),
        ("http://h:\u00e9/", "invalid-port", (9, 10), "invalid port at position 9"),
        ("h\u00e9:", "invalid-scheme", (1, 2), r"invalid character '\\xe9' in the scheme at position 1"),
        ("news:a@\u00e9", "invalid-part", (7, 8), r"invalid character '\\xe9' at position 7: the message id cannot"),
        ("http://\u00e9@h/", "userinfo-not-allowed", (7, 8), "unexpected user name at position 7"),
        ("http://\u00fc.de/\u00e9?\u00e9#\u00e9#", "invalid-part", (17, 18), "in the fragment at position 17"),
    ],
)  # fmt: skip
def test_what_cannot_be_written_is_refused_at_its_place(text, code, span, message):
    with pytest.raises(InvalidURL, match=message) as caught:
        from_unicode(text)
    error = caught.value
    assert (error.code, error.text, error.span, error.position) == (code, text, span, span[0])
    assert error.section.startswith("RFC ")
    assert str(error).isascii()


def test_other_mistakes_are_those_of_parse():
    for text in (None, "http://h/ ", "http://\u00fc/" + "x" * 70_000):
        with pytest.raises(InvalidURL):
            from_unicode(text)
    with pytest.raises(InvalidURL, match="invalid scheme 'ftp' at position 0: expected http"):
        from_unicode("ftp://\u00fc/", type(MODERN.parse("http://h")).parse)


LAX = {
    "parse": MODERN.parse,
    "parse in RFC 1738": urlschemes.parse,
    "parse_generic": MODERN.parse_generic,
    "parse_reference": parse_reference,
    "RelativeReference": RelativeReference,
    "parse, of one type": lambda text: MODERN.parse(text, URI),
}


def error_of(read, text, **options):
    """Return the InvalidURL that reading `text` raises; None without one."""
    try:
        read(text, **options)
    except InvalidURL as error:
        return error
    except URLError:
        pass
    return None


@pytest.mark.parametrize("uts46", [False, True])
@pytest.mark.parametrize("name", LAX)
@pytest.mark.parametrize("number", [15, pytest.param(500, marks=pytest.mark.slow)])
def test_an_error_points_at_its_place_in_the_text_that_was_given(name, uts46, number):
    @given(hostile_texts())
    @settings(max_examples=number, deadline=None)
    def law(text):
        error = error_of(from_unicode, text, parse=LAX[name], uts46=uts46)
        if error is not None:
            points_at_the_error(text, error)

    law()


@pytest.mark.parametrize("name", LAX)
@pytest.mark.parametrize("number", [15, pytest.param(500, marks=pytest.mark.slow)])
def test_an_error_is_where_it_is_in_a_text_with_letters_of_us_ascii_instead(name, number):
    @given(hostile_texts())
    @settings(max_examples=number, deadline=None)
    def law(text):
        error = error_of(from_unicode, text, parse=LAX[name])
        if error is None or (error.section or "").startswith(("RFC 3987", "RFC 5891", "RFC 5893", "RFC 1034")):
            return  # no such error is in the other text
        if text[error.position : error.position + 1].isascii() and "[" not in text and text.partition(":")[0].isascii():
            other = error_of(LAX[name], re.sub("[^\x00-\x7f]", "z", text))
            assert (error.code, error.position) == (other.code, other.position)

    law()


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("x://\u00f1.\u2603:80/", "x://%C3%B1.%E2%98%83:80/"),
        ("urn://\u00f1/", "urn://%C3%B1/"),
        ("http://\u00f1/", "http://xn--ida/"),
    ],
)
def test_only_schemes_with_domain_names_have_a_labels(text, written):
    assert str(from_unicode(text, MODERN.parse_generic)) == written


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("http://B\u00dcCHER.de/", "http://xn--bcher-kva.de/"),
        ("http://\u65e5\u672c\u3002jp/", "http://xn--wgv71a.jp/"),
        ("http://\uff21\u00fc.A/", "http://xn--a-eha.A/"),
        ("http://\u00ada\u3002/", "http://a./"),
        ("http://xn--bcher-kva\u3002com/", "http://xn--bcher-kva.com/"),
        ("http://XN--TDA.\uff41/", "http://XN--TDA.a/"),
    ],
)
def test_what_people_type_is_mapped_as_browsers_do(text, written):
    assert str(from_unicode(text, uts46=True)) == written
    with pytest.raises(InvalidURL, match="uts46=True"):
        from_unicode(text)


@pytest.mark.parametrize("character", ["\xdc", "\u3002", "\uff0e", "\xad", "\u338f", "\u0130"], ids=ascii)
def test_a_hint_says_what_a_character_is_mapped_to(character):
    text = f"http://\xe4{character}a/"
    with pytest.raises(InvalidURL) as caught:
        from_unicode(text)
    hint = re.fullmatch(r"(?:write (.+) instead|leave it out), as uts46=True does .*", caught.value.hint)
    written = text.replace(character, literal_eval(hint[1]) if hint[1] else "")
    assert from_unicode(written) == from_unicode(text, uts46=True)


@pytest.mark.parametrize(
    "text", ["http://a\uff0fb/", "http://a\uff1f/", "http://a\uff05/", "http://a\uff20b/", "http://\u2603/"]
)
def test_no_character_is_mapped_to_a_delimiter(text):
    with pytest.raises(InvalidURL, match=r"at position [78]: IDNA 2008 does not allow it"):
        from_unicode(text, uts46=True)


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("http://\uff58n--a.com/", (7, 12)),
        ("http://xn--bc\u3002her-kva/", (7, 21)),
        ("http://b.xn--a.\u00df/", (9, 14)),
        ("http://xn--a/", (7, 12)),
    ],
)
def test_what_looks_like_an_a_label_after_mapping_is_one(text, span):
    with pytest.raises(InvalidURL, match=r"^invalid label .*: it begins with xn-- and encodes no label") as caught:
        from_unicode(text, uts46=True)
    assert (caught.value.code, caught.value.span) == ("invalid-host", span)


def test_a_labels_count_for_the_rule_about_names_from_right_to_left_after_mapping():
    assert str(from_unicode("http://1.xn--4db/")) == "http://1.xn--4db/"
    with pytest.raises(InvalidURL, match="invalid label '1' in the host at position 7: no name with letters"):
        from_unicode("http://1.xn--4db/", uts46=True)


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("http://\u00ad.com/", (7, 8)),
        ("http://b.\u00ad", (9, 10)),
        ("http://\u00ad\u3002/", (7, 9)),
        ("http://a\u3002.com", (7, 9)),
        ("http://\u3002a/", (7, 9)),
    ],
)
def test_no_label_is_mapped_to_an_empty_one(text, span):
    with pytest.raises(InvalidURL, match="mapping it leaves an empty label") as caught:
        from_unicode(text, uts46=True)
    assert (caught.value.code, caught.value.span) == ("invalid-host", span)


def test_only_domain_names_outside_us_ascii_need_the_library(monkeypatch):
    monkeypatch.setitem(sys.modules, "idna", None)
    assert to_unicode(from_unicode("http://h/\u00e9")) == "http://h/\u00e9"
    assert to_unicode(from_unicode("http://xn--tda/", lambda text: MODERN.parse(text).replace(host="a")))
    for function, argument in ((from_unicode, "http://\u00fc/"), (to_unicode, MODERN.parse("http://xn--tda/"))):
        with pytest.raises(PluginError, match=r"need the library idna, .* pip install idna"):
            function(argument)


# Letters, marks, blanks, controls, private, unassigned and forbidden characters, a surrogate, the last of a plane.
CHARACTERS = (
    "a/%~\x7f\x85\xa0\xad\xe9\u0301\u05d0\u200b\u200d\u202e\u2066\u2603\u3000\u65e5\ud800\ue000\ufdd0\ufeff\ufffd\ufffe"
)
CHARACTERS += "\U00010000\U0001f600\U0001fffe\U000e0001\U000e0100\U000effff\U000f0000\U0010ffff"
ESCAPES = st.text(CHARACTERS, max_size=5).map(lambda text: encoded(text.encode("utf-8", "surrogatepass")))
OCTETS = st.lists(st.sampled_from([0x41, 0x80, 0xA9, 0xC3, 0xE2, 0xF0, 0xFF]), max_size=3).map(
    lambda each: encoded(bytes(each))
)
LABELS = st.text("ab1-\u00e9\u00df\u0436\u05d0\u200d\u65e5\U0001f600", max_size=5).map(
    lambda text: "xn--" + text.encode("punycode").decode()
)
DATA = st.lists(st.one_of(ESCAPES, OCTETS, st.text("aB~;=", max_size=2)), max_size=3).map("".join)
HOSTS = st.lists(st.one_of(LABELS, DATA, st.sampled_from("a1")), max_size=3).map(".".join)


def check_there_and_back(url):
    text = to_unicode(url)
    again = from_unicode(text, type(url).parse)
    assert again.normalized("case") == url.normalized("case")
    assert again.equivalent(url)
    assert to_unicode(again) == text


@pytest.mark.parametrize("number", [50, pytest.param(500, marks=pytest.mark.slow)])
def test_from_unicode_takes_to_unicode_back(number):
    @given(st.tuples(st.sampled_from(["x", "http"]), DATA, HOSTS, DATA, DATA, DATA))
    @settings(max_examples=number, deadline=None)
    def check(parts):
        check_there_and_back(URI.parse("{}://{}@{}/{}?{}#{}".format(*parts)))

    check()


@pytest.mark.slow
@pytest.mark.parametrize("scheme", schemes_of_plugins(MODERN))
def test_from_unicode_takes_to_unicode_back_for_every_scheme(scheme):
    @given(urls(scheme, registry=MODERN))
    @settings(max_examples=300, deadline=None)
    def check(text):
        check_there_and_back(MODERN.parse(text))

    check()


def test_only_a_url_or_a_reference_is_shown() -> None:
    with pytest.raises(TypeError, match="url must be a URL or a RelativeReference, not NoneType"):
        to_unicode(None)
