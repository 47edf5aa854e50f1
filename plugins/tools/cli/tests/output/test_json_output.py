"""The JSON of the command: texts as they were given, without passwords, and the places in them."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

import urlschemes_lint
from urlschemes import Registry
from urlschemes.redaction import redact_url

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


@pytest.mark.parametrize("text", TEXTS, ids=ascii)
def test_the_text_is_what_was_given_and_each_place_counts_in_it(run, shelf, text) -> None:
    result = run("check", "--json", "--", text)
    assert result.stdout.isascii()
    assert re.fullmatch(r"[ -~\n]*", result.stdout)
    assert "hunt" not in result.stdout
    checked = json.loads(result.stdout)
    check_text(checked, "url", text)
    findings = urlschemes_lint.check(text, registry=shelf.in_profile(checked["profile"]))
    spans = [finding.span and [*finding.span] for finding in findings]
    assert [found["span"] for found in checked["findings"]] == spans

    parsed = json.loads(run("parse", "--json", "--", text).stdout)
    check_text(parsed, "url", text)
    start, end = parsed["error"]["span"] or (0, 0)
    assert (start, end) == (0, 0) or any(start == begin and end <= stop for begin, stop in filter(None, spans))

    fixed = json.loads(run("fix", "--json", "--", text).stdout)
    check_text(fixed, "given", text)
    for change in fixed.get("changes", ()):
        assert change["before"] == "***" or written(text[change["position"] :]).startswith(change["before"])


def test_what_is_extracted_is_shown_as_it_stands_in_the_text(run) -> None:
    octets = b"x-shelf://h/\x1b\xff~ x-shelf://joe:hunter2@h/\xff~ x-shelf://h:\xff/\x1b"
    text = octets.decode("utf-8", "surrogateescape")
    found = json.loads(run("extract", "--json", "--invalid", input=octets).stdout)
    assert [each for each in found if "error" in each]
    for each in found:
        if "error" in each:
            given = written(redact_url(text[slice(*each["span"])]))
            assert each["text"] == given
            assert each.get("text_is_lossy", False) == ("\\x" in given)


def test_each_of_many_urls_is_shown_as_it_was_given(run, tmp_path) -> None:
    octets = b"x-shelf://joe:hunter2@127.0.0.1/\x1b\xff~"
    text = octets.decode("utf-8", "surrogateescape")
    result = run("access", "--many", "-", "-o", str(tmp_path), "--json", input=octets)
    found = json.loads(result.stdout)
    check_text(found, "url", text)
    assert text[slice(*found["error"]["span"])] == "\x1b"


def test_passwords_are_written_on_request(run) -> None:
    text = "x-shelf://joe:hunter2@h/ ~"
    fixed = json.loads(run("fix", "--json", "--passwords", text).stdout)
    assert fixed["given"] == text
    assert [text[each["position"]] for each in fixed["changes"]] == [each["before"][0] for each in fixed["changes"]]
