"""How `-v` shows what goes over the wire."""

from urlschemes_access.trace_event import TraceEvent
from urlschemes_cli.output.trace import trace_lines


def shown(octets: bytes, *, everything: bool = False) -> list[str]:
    return [text.plain for text in told(TraceEvent("receive", "data", "", octets), everything=everything)]


def test_text_is_shown_by_lines_and_safe_to_print() -> None:
    assert shown(b"220 \x1b[31mready\r\n") == ["data       < 220 \\x1b[31mready"]
    many = shown(b"line\r\n" * 20)
    assert len(many) == 17
    assert many[-1] == "data       < ... (120 octets in all)"
    assert len(shown(b"line\r\n" * 20, everything=True)) == 20


def test_what_is_no_text_is_shown_by_octets() -> None:
    assert shown(b"\x16\x00wais") == ["data       < 00000000  16 00 77 61 69 73                                 ..wais"]
    assert shown(bytes(100))[3:] == [
        f"data       < 00000030  {'00 ' * 8} {'00 ' * 8} {'.' * 16}",
        "data       < ... (100 octets in all)",
    ]
    assert len(shown(bytes(100), everything=True)) == 7
