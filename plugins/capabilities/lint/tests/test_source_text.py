"""The URL within the text given to `fix`: its scheme, and positions in the text as given."""

from __future__ import annotations

import pytest

import urlschemes_lint
from urlschemes import Registry, UnknownScheme
from urlschemes.rfc1738 import RFC1738
from urlschemes_lint import NotRepairable


@pytest.mark.parametrize(
    ("text", "position", "hint"),
    [
        ("<URL:x-album://1.2.3./a>", 21, "leave out the dot at the end"),
        ("<x-album:\n//-a.b/>", 12, RFC1738.host_hint),
        (" URL:x-album://h/;size=x~", 23, "write the size in decimal digits"),
        ("x-album//h/~", 7, "write `://` instead of `//`"),
    ],
)
def test_the_error_counts_positions_in_the_text_as_given(
    registry: Registry, text: str, position: int, hint: str
) -> None:
    with pytest.raises(NotRepairable) as caught:
        urlschemes_lint.fix(text, registry=registry)
    assert (caught.value.position, caught.value.hint) == (position, hint)


@pytest.mark.parametrize("text", ["", "//h/x", "h/x", "example.com", "x_album://h", "\u212aiss:x"], ids=ascii)
def test_a_scheme_is_never_guessed(registry: Registry, text: str) -> None:
    with pytest.raises(NotRepairable, match=r"^there is no scheme name, and `fix` never guesses one: "):
        urlschemes_lint.fix(text, registry=registry)


@pytest.mark.parametrize("text", ["http://h/~", "URL:nobody:x"])
def test_an_unknown_scheme_is_an_error(registry: Registry, text: str) -> None:
    with pytest.raises(UnknownScheme):
        urlschemes_lint.fix(text, registry=registry)


def test_the_error_of_fix_does_not_recommend_fix(registry: Registry) -> None:
    with pytest.raises(UnknownScheme) as caught:
        urlschemes_lint.fix("URL:h", registry=registry)
    assert "`fix`" not in str(caught.value)
