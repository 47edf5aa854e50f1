"""Draw `explain.svg`, the picture in README.md, from a real run: `python3 dev python docs/picture.py`."""

from __future__ import annotations

import io
import re
from pathlib import Path

import rich.console
from rich._export_format import CONSOLE_SVG_FORMAT
from rich.terminal_theme import NIGHT_OWLISH

from urlschemes_cli.commands.explain import print_drawing
from urlschemes_cli.output.console import Console
from urlschemes_lint.explaining import BOX_STROKES, explanation
from urlschemes_rfc3986 import registry

PICTURE = Path(__file__).parent / "explain.svg"
URLS = ("https://example.com:8443/docs/a%20b?q=x%26y#top", "http://2001:db8::1/a b")
WIDTH = 84
# Only fonts of the reader's machine: a picture must load nothing.
FORMAT = re.sub(r"@font-face \{\{.*?\}\}\s*", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)


def picture() -> str:
    """Return the picture of `urlschemes explain`, of a valid URL and of an invalid one, as SVG."""
    console = Console()
    console.rich = rich.console.Console(
        file=io.StringIO(), record=True, width=WIDTH, force_terminal=True, color_system="truecolor", highlight=False
    )
    for url in URLS:
        console.rich.print(f"$ urlschemes explain '{url}'", style="bold", markup=False)
        print_drawing(explanation(url, registry=registry, width=WIDTH, strokes=BOX_STROKES), console)
        console.print()
    svg = console.rich.export_svg(
        title="urlschemes explain", theme=NIGHT_OWLISH, code_format=FORMAT, unique_id="explain"
    )
    return "".join(f"{line.rstrip()}\n" for line in svg.splitlines())


if __name__ == "__main__":
    PICTURE.write_text(picture(), "utf-8")
