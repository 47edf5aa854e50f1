"""The JSON of the command: texts as they were given, without passwords, and the places in them."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

import urlschemes_lint
from urlschemes import InvalidURL, Registry
from urlschemes.redaction import redact_url
from urlschemes_cli.output.json_output import GivenText

TEXTS = [
    "x-shelf://h/\x1b/~",
    "x-shelf://h/\x00\t\n\u202e\u2028\ufeff\U000e0041\U0001f600~ ~",
    r"x-shelf://h/\x1b \u202e ~",
    "x-shelf://h/\x7f\x9b~",
    "x-shelf://joe:hunter2@h/a ~b",
    "x-shelf://joe:hunt er2@h/a ~b",
    "x-shelf://joe:@h/ ~",
    "x-shelf:/joe:hunter2@h/ ~",
    "x-shelf://jo e:hunter2@h:~/x-shelf://ann:hunter2@h/ ~",
    "x-shelf://h/a?x-shelf://joe:hunter2@h/ ~",
    "x-shelf://joe:hunter2@h:81/~",
    "x-shelf://h/\udcff\udcfe~ \udc80",
    "x-shelf://jo\udcffe:hunt\udcffer2@h/\udcff ~",
    "x-shelf://h/\ud800~\ud83d\udc00~",
    "x-shelf://***:***@h/ ~",
    "x-shelf://joe:hunter2@",
    "//joe:hunter2@h",
    "x-attic://joe:hunter2@h/\x1b ~",
    "",
]
"""Invalid texts with control characters, passwords, and octets that are not UTF-8."""
LOSSY = re.compile("[\ud800-\udfff]")


def written(text: str) -> str:
    """Return `text` with its lone surrogates as JSON has them."""
    return LOSSY.sub(
        lambda found: f"\\x{ord(found[0]) - 0xDC00:02x}" if found[0] > "\udc7f" else ascii(found[0])[1:-1], text
    )


@pytest.fixture
def shelf(site) -> Registry:
    """The registry that the command has."""
    return Registry(["shelf-schemes"])


def check_text(found: dict[str, Any], key: str, text: str) -> None:
    assert found[key] == written(redact_url(text))
    assert found.get("text_is_lossy", False) == (LOSSY.search(redact_url(text)) is not None)


def check_span(shown: str, span: list[int] | None, text: str, meant: tuple[int, int] | None) -> None:
    """Check that the span of what is shown is what is meant in the text, or that it is in a password."""
    if meant is None or span is None:
        assert span == meant
        return
    assert 0 <= span[0] <= span[1] <= len(shown)
    if shown[slice(*span)] == "***":
        return  # it is within a password
    for given, there in (
        (text[: meant[0]], shown[: span[0]]),
        (text[slice(*meant)], shown[slice(*span)]),
        (text[meant[1] :], shown[span[1] :]),
    ):
        assert "***" in there or there == written(given)


@pytest.mark.parametrize("text", TEXTS, ids=ascii)
def test_the_text_is_what_was_given_and_each_place_is_in_it(run, shelf, text) -> None:
    result = run("check", "--json", "--", text)
    assert result.stdout.isascii()
    assert re.fullmatch(r"[ -~\n]*", result.stdout)
    assert "hunt" not in result.stdout
    checked = json.loads(result.stdout)
    check_text(checked, "url", text)
    findings = urlschemes_lint.check(text, registry=shelf)
    for found, finding in zip(checked["findings"], findings, strict=True):
        check_span(checked["url"], found["span"], text, finding.span)

    parsed = json.loads(run("parse", "--json", "--", text).stdout)
    check_text(parsed, "url", text)
    try:
        shelf.parse(text)
    except InvalidURL as error:
        check_span(parsed["url"], parsed["error"]["span"], text, error.span)
        assert parsed["error"]["position"] is not None
    except LookupError:
        assert parsed["error"]["span"] is None

    fixed = json.loads(run("fix", "--json", "--", text).stdout)
    check_text(fixed, "given", text)
    for change in fixed.get("changes", ()):
        place = slice(change["position"], change["position"] + len(change["before"]))
        assert fixed["given"][place] == change["before"]


def test_what_is_extracted_is_shown_as_it_stands_in_the_text(run) -> None:
    octets = b"x-shelf://h/\x1b\xff~ x-shelf://joe:hunter2@h/\xff~ x-shelf://h:\xff/\x1b"
    text = octets.decode("utf-8", "surrogateescape")
    found = json.loads(run("extract", "--json", "--invalid", input=octets).stdout)
    assert [each for each in found if "error" in each]
    for each in found:
        if "error" in each:
            start, end = each["error"]["span"]
            given = written(redact_url(text[slice(*each["span"])]))
            assert each["text"] == given
            assert each["text"][start:end] in given
            assert each.get("text_is_lossy", False) == ("\\x" in given)


def test_each_of_many_urls_is_shown_as_it_was_given(run, tmp_path) -> None:
    octets = b"x-shelf://joe:hunter2@127.0.0.1/\x1b\xff~"
    text = octets.decode("utf-8", "surrogateescape")
    result = run("access", "--many", "-", "-o", str(tmp_path), "--json", input=octets)
    found = json.loads(result.stdout)
    check_text(found, "url", text)
    assert found["url"][slice(*found["error"]["span"])] == "\x1b"


def test_passwords_are_written_on_request(run) -> None:
    text = "x-shelf://joe:hunter2@h/ ~"
    fixed = json.loads(run("fix", "--json", "--passwords", text).stdout)
    assert fixed["given"] == text
    assert [text[each["position"]] for each in fixed["changes"]] == [each["before"][0] for each in fixed["changes"]]


@pytest.mark.parametrize(
    ("text", "span", "shown"),
    [
        ("ftp://joe:secret@h/ b", (19, 20), " "),
        ("ftp://joe:secret@h/ b", (10, 16), "***"),
        ("ftp://joe:secret@h/ b", (12, 13), "***"),
        ("ftp://joe:secret@h/ b", (8, 12), "e:***"),
        ("ftp://joe:secret@h/ b", (14, 18), "***@h"),
        ("ftp://joe:secret@h/ b", (16, 17), "@"),
        ("ftp://joe:@h/ b", (10, 11), "@"),
        ("ftp://joe:@h/ b", (9, 10), ":"),
        ("ftp://joe:@h/ b", (10, 10), ""),
        ("ftp://\udcff:secret@h/\udcff b", (17, 19), "\\xff "),
        ("ftp://\udcff:sec\udcffret@h/\udcff b", (21, 21), ""),
    ],
)
def test_a_place_moves_with_what_is_written(text: str, span: tuple[int, int], shown: str) -> None:
    given = GivenText(text)
    start, end = given.span(span) or ()
    assert written(given.redacted)[start:end] == shown
