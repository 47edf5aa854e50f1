"""The repair of a text by the rules of its scheme: only what has one possible meaning."""

from __future__ import annotations

import pytest

import urlschemes_lint
from urlschemes import Registry
from urlschemes_lint import NotRepairable


@pytest.mark.parametrize(
    "text",
    [
        "x-album:h",  # a host is never guessed
        "x-album:///a",
        "x-album://a_b/",
        "x-album://a_b/~",
        "x-album://caf\u00e9/",
        "x-album://[::1]/",
        "x-album://1.2.3/",
        "x-album://h:8x/",
        "x-album://u:/x@h/",  # is `u` the host, or the user?
        "<x-album://h dom/a>",  # a blank is data, or a mistake
        "x-album://h/;size=x",
        "x-album://h/?a%0Ab",  # the part excludes the octet
        "x-album://h/\ud800",
        "x-album://h:" + "1" * 4001,
        "x-album:\\\\h\\a",
    ],
    ids=lambda text: ascii(text)[:40],
)
def test_a_text_without_a_safe_repair_is_not_repaired(registry: Registry, text: str) -> None:
    with pytest.raises(NotRepairable, match=r"^(cannot be repaired without guessing|`fix` never guesses a host): "):
        urlschemes_lint.fix(text, registry=registry)


@pytest.mark.parametrize(
    ("text", "position", "repairs"),
    [
        ("x-album://h/a\\b", 13, "write `/` if it is a delimiter, or %5C if it is data"),
        ("x-album://h/a\r\nb", 13, "leave it out if it divides the URL, or write %0D%0A if it is a control octet"),
        ("<URL:x-album://h/a-\n b>", 18, "leave it out if it only divides a word, or write the URL on one line"),
        (
            "x-album://h/a;siz=3",
            13,
            "leave out the parameters if they begin here, or write %3B if the `;` is part of the picture",
        ),
        (
            "x-album://h/a;size",
            13,
            "leave out the parameters if they begin here, or write %3B if the `;` is part of the picture",
        ),
        ("x-pairs:a;b;c=d", 11, "write `=` before it, or %3B if the `;` is part of the whole"),
        (
            "x-album://u#1@h/",
            11,
            "leave out the fragment if it begins here, or write %23 if the `#` is part of a login",
        ),
        (
            "x-album://u#1/2@h/",
            11,
            "leave out the fragment if it begins here, or write %23 if the `#` is part of a login",
        ),
        (
            "x-open:a#b@c",
            8,
            "leave out the fragment if it begins here, or write %23 if the `#` is part of the text before the `@`",
        ),
        ("x-tabs:a\tb", 8, "leave it out, or write %09 if the whole ends here"),
        ("x-album://h/a\tb", 13, "leave it out, or write %09 if it is a control octet"),
        ("x-album://h/a\u200bb", 13, "leave it out, or write %E2%80%8B if it is data"),
        ("x-album://h/a\u00a0b", 13, "leave it out, or write %C2%A0 if it is data"),
        ("x-pairs:<a>", 8, "leave them out if they delimit the URL, or encode them if they are data"),
    ],
    ids=lambda value: ascii(value)[:40],
)
def test_an_ambiguous_text_is_not_repaired_and_both_repairs_are_named(
    registry: Registry, text: str, position: int, repairs: str
) -> None:
    with pytest.raises(NotRepairable, match=r"^ambiguous ") as caught:
        urlschemes_lint.fix(text, registry=registry)
    assert caught.value.message.endswith(f": {repairs}")
    assert f" position {position}" in caught.value.message
    assert caught.value.position == position


def test_the_error_is_about_what_cannot_be_repaired(registry: Registry) -> None:
    with pytest.raises(NotRepairable, match="'_' in the host at position 16") as caught:
        urlschemes_lint.fix("<URL:x-album://a_b/~ ~>", registry=registry)
    assert (caught.value.part, caught.value.position) == ("host", 16)


def test_a_final_dot_is_dropped_from_a_domain_name_only(registry: Registry) -> None:
    assert str(urlschemes_lint.fix("x-album://1.2.3.4./", registry=registry).url) == "x-album://1.2.3.4/"
    with pytest.raises(NotRepairable):
        urlschemes_lint.fix("x-dots://1.2.3./", registry=registry)


def test_a_slash_is_inserted_before_a_question_mark_only_if_that_becomes_a_delimiter(registry: Registry) -> None:
    """The section is that of the rule. In `x-names://h/?q` the `?` would be a character of the name."""
    assert [each.section for each in urlschemes_lint.fix("x-album://h?q", registry=registry).changes] == [
        "The album specification, section 2.1"
    ]
    for text in ("x-names://h?q", "x-names://h.?q"):
        with pytest.raises(NotRepairable):
            urlschemes_lint.fix(text, registry=registry)


@pytest.mark.parametrize("end", ["\\", "?~", "<", ">", '"', "\uff0f", "\uff03", "\u2100", "\uff20"])
def test_a_login_that_other_programs_read_as_a_host_is_never_repaired(registry: Registry, end: str) -> None:
    with pytest.raises(NotRepairable):
        urlschemes_lint.fix(f"x-album://good.example{end}@evil.example/a", registry=registry)
