"""The Appendix of RFC 1738: URLs in text."""

from __future__ import annotations

import re

import pytest
from rfc1738_helpers import TEN, valid_examples

import urlschemes_lint
from urlschemes import InvalidURL, UnknownScheme, parse
from urlschemes_text import Broken, find, wrap


def found(text: str) -> list[tuple[str, str | None]]:
    """Return the URLs in a text, with their fragments."""
    return [(str(each.url), each.fragment) for each in find(text)]


@pytest.mark.decision(22, 23)
@pytest.mark.rfc1738(176)
@pytest.mark.parametrize("prefix", ["URL:", "url:", "Url:"])
def test_the_prefix_is_not_part_of_the_url(prefix: str) -> None:
    (each,) = find(f"see {prefix}ftp://host.dom/a now")
    assert (str(each.url), each.grade) == ("ftp://host.dom/a", "bare")
    assert str(urlschemes_lint.fix(f"{prefix}ftp://host.dom/a").url) == "ftp://host.dom/a"
    with pytest.raises(UnknownScheme):
        parse(f"{prefix}ftp://host.dom/a")


@pytest.mark.decision(22)
@pytest.mark.rfc1738(177)
def test_angle_brackets_and_the_prefix_delimit_a_url() -> None:
    text = "I found it (<URL:ftp://host.dom/a.>)."
    (each,) = find(text)
    assert (str(each.url), each.grade, each.uncertain) == ("ftp://host.dom/a.", "delimited", False)
    assert text[slice(*each.span)] == "<URL:ftp://host.dom/a.>"
    assert wrap(each.url) == "<URL:ftp://host.dom/a.>"
    with pytest.raises(InvalidURL):
        parse("<URL:ftp://host.dom/a.>")
    assert isinstance(next(find("<URL:nothing>", invalid=True)), Broken)
    assert found("<URL:nothing>") == []


@pytest.mark.rfc1738(178)
def test_a_url_may_be_written_without_a_wrapper() -> None:
    assert found("<http://host.dom/a> and http://host.dom/b, and") == [
        ("http://host.dom/a", None),
        ("http://host.dom/b", None),
    ]
    assert str(parse("http://host.dom/a")) == "http://host.dom/a"


@pytest.mark.rfc1738(179)
def test_a_fragment_is_within_the_brackets() -> None:
    (each,) = find("<URL:http://ds.internic.\n      net/instructions/overview.html#WARNING>")
    assert (str(each.url), each.fragment) == ("http://ds.internic.net/instructions/overview.html", "WARNING")
    assert wrap(each.url, fragment="WARNING") == "<URL:http://ds.internic.net/instructions/overview.html#WARNING>"
    assert found("<URL:http://h/a#>") == [("http://h/a", "")]
    assert found("<URL:http://h/a>") == [("http://h/a", None)]


@pytest.mark.rfc1738(180, 181)
def test_white_space_within_a_wrapper_is_ignored() -> None:
    text = """Yes, Jim, I found it under <URL:ftp://info.cern.ch/pub/www/doc;
      type=d> but you can probably pick it up from <URL:ftp://ds.in
      ternic.net/rfc>.  Note the warning in <URL:http://ds.internic.
      net/instructions/overview.html#WARNING>."""
    assert found(text) == [
        ("ftp://info.cern.ch/pub/www/doc;type=d", None),
        ("ftp://ds.internic.net/rfc", None),
        ("http://ds.internic.net/instructions/overview.html", "WARNING"),
    ]
    assert [each.uncertain for each in find(text)] == [False, False, False]
    for blank in (" ", "\t", "\n", "\r\n", "\n\t  ", "\f"):
        assert found(f"<URL:{blank}ftp://h/a{blank}b{blank}>") == [("ftp://h/ab", None)]
    assert found("<ftp://h/a\n b>") == [("ftp://h/ab", None)]
    assert found("<ftp://h/a b>") == [("ftp://h/a", None)]  # without the prefix, the space may end the URL


@pytest.mark.rfc1738(180)
def test_a_long_url_is_broken_across_lines_and_found_again() -> None:
    url = parse("ftp://boombox.micro.umn.edu/pub/gopher/gopher_protocol/Gopher+/Gopher+.txt")
    lines = wrap(url, width=30).splitlines()
    assert len(lines) > 2
    assert all(len(line) <= 30 for line in lines)
    assert found("\n    ".join(lines)) == [(str(url), None)]


@pytest.mark.rfc1738(182)
def test_no_line_is_broken_after_a_hyphen() -> None:
    url = parse("ftp://h/a-b--c-%2D-d")
    for width in range(1, 40):
        text = wrap(url, width=width)
        assert not re.search(r"-\s", text)
        (each,) = find(text)
        assert (each.url, each.uncertain) == (url, False)


@pytest.mark.decision(21)
@pytest.mark.rfc1738(183)
def test_a_hyphen_at_a_line_break_is_uncertain() -> None:
    (each,) = find("<URL:ftp://host.dom/pub/some- \n   thing#else>")
    assert (str(each.url), each.fragment, each.uncertain) == ("ftp://host.dom/pub/some-thing", "else", True)
    assert [str(reading.url) for reading in each.readings()] == [
        "ftp://host.dom/pub/some-thing",
        "ftp://host.dom/pub/something",
    ]
    (sure,) = find("<URL:ftp://host.dom/pub/some\n   -thing>")
    assert (str(sure.url), sure.uncertain) == ("ftp://host.dom/pub/some-thing", False)


@pytest.mark.rfc1738(181)
@pytest.mark.parametrize("name", TEN)
def test_every_example_url_is_found_in_its_wrapper(name: str) -> None:
    for text in valid_examples(name):
        assert found(f"(E.g., <URL:{text}> is one.)") == [(text, None)]


@pytest.mark.rfc1738(184)
def test_the_urls_that_the_references_break_are_found_whole() -> None:
    pieces = [
        ("ftp://boombox.micro.umn.edu/pub/gopher/gopher_protocol", "/Gopher+/Gopher+.txt"),
        ("ftp://ds.internic.net/internet-drafts", "/draft-ietf-uri-irl-fun-req-02.txt"),
        ("ftp://prospero.isi.edu/pub/prospero/doc", "/prospero-protocol.PS.Z"),
    ]
    for first, second in pieces:
        (each,) = find(f"       <URL:{first}\n       {second}>\n")
        assert str(each.url) == first + second
        assert not each.uncertain
    whole = [f"ftp://ds.internic.net/rfc/rfc{number}.txt" for number in (1123, 822, 1036, 977, 1034, 959, 1737, 1625)]
    whole += ["ftp://quake.think.com/pub/wais/doc/doc-ids.txt", "ftp://uu.psi.com/wp/nir.txt"]
    assert found(" ".join(f"[{n}] <URL:{text}>," for n, text in enumerate(whole))) == [(text, None) for text in whole]
