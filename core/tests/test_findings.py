"""`check`: every finding, with its code, its span and its section."""

from pathlib import Path

import pytest

from urlschemes import Registration, Registry, UnknownScheme
from urlschemes.errors import InvalidURL
from urlschemes.findings import CODES

REGISTRY = Registry(plugins=())
REGISTRY.register(Registration.from_file(Path(__file__).parent / "album.toml"))


@pytest.mark.parametrize(
    ("text", "findings"),
    [
        ("x-album://h/a", []),
        ("x-album://h:4711/a", []),
        ("x-album://h:8080/", [("other-port", "warning", (12, 16))]),
        ("x-album://h:25/", [("reserved-port", "warning", (12, 14))]),
        ("x-album://h:0/", [("impossible-port", "warning", (12, 13))]),
        ("x-album://h:65536/", [("impossible-port", "warning", (12, 17))]),
        ("x-album://u:p@h/", [("password", "warning", (12, 13))]),
        ("x-album://h/%0d", [("control-octet", "warning", (12, 15))]),
        ("x-album://h/a%2Fb/%7F", [("encoded-delimiter", "warning", (13, 16)), ("control-octet", "warning", (18, 21))]),
        ("x-album://256.1.1.1/", [("impossible-address", "warning", (10, 19))]),
        ("x-album://1.1.1.07/", [("impossible-address", "warning", (10, 18))]),
        ("x-album://" + "a" * 64 + "/", [("long-label", "warning", (10, 74))]),
        ("x-album://" + "a." * 130 + "b/", [("long-host", "warning", (10, 271))]),
        (
            "x-album://h/~a %zz",
            [
                ("invalid-character", "error", (12, 13)),
                ("invalid-character", "error", (14, 15)),
                ("bad-escape", "error", (15, 16)),
            ],
        ),
        ("x-album://h/a#b c", [("fragment-present", "error", (13, 14))]),
        ("x-album://h/~#b", [("invalid-character", "error", (12, 13)), ("fragment-present", "error", (13, 14))]),
        ("x-album://h/%zz#b", [("fragment-present", "error", (15, 16)), ("bad-escape", "error", (12, 13))]),
        ("x-album://h:/", [("invalid-port", "error", (12, 13))]),
        ("", [("invalid-scheme", "error", (0, 0))]),
    ],
    ids=lambda value: ascii(value)[:40],
)
def test_every_finding(text: str, findings: list[tuple[str, str, tuple[int, int]]]) -> None:
    found = REGISTRY.check(text)
    assert [(each.code, each.severity, each.span) for each in found] == findings
    assert all(each.code in CODES and each.section and each.message for each in found)


def test_an_unknown_scheme_cannot_be_checked() -> None:
    with pytest.raises(UnknownScheme):
        REGISTRY.check("nobody:x")


def test_every_error_of_a_text_has_a_code_that_is_listed() -> None:
    ahead = [InvalidURL]
    while ahead:
        kind = ahead.pop()
        assert kind.code in CODES
        ahead += kind.__subclasses__()
