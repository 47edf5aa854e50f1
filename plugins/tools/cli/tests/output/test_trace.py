"""The lines that `-v` shows of an event."""

from __future__ import annotations

from urlschemes_access import TraceEvent
from urlschemes_cli.output.trace import trace_lines


def lines(octets: bytes, *, everything: bool = False) -> list[str]:
    event = TraceEvent("receive", "data", "", octets)
    return ["".join(text for text, _ in line) for line in trace_lines(event, everything=everything)]


def test_text_is_shown_line_by_line_without_control_characters() -> None:
    assert lines(b"220 \x1b[31mready\r\n") == ["data       < 220 \\x1b[31mready"]
    many = lines(b"line\r\n" * 20)
    assert len(many) == 17
    assert many[-1] == "data       < ... (120 octets in all)"
    assert len(lines(b"line\r\n" * 20, everything=True)) == 20


def test_binary_content_is_shown_as_a_dump() -> None:
    assert lines(b"\x16\x00wais") == ["data       < 00000000  16 00 77 61 69 73                                 ..wais"]
    assert lines(bytes(100))[3:] == [
        f"data       < 00000030  {'00 ' * 8} {'00 ' * 8} {'.' * 16}",
        "data       < ... (100 octets in all)",
    ]
    assert len(lines(bytes(100), everything=True)) == 7
