"""docs/reference/findings.md, written from the codes of findings and the cautions in the records of this repository.

`python3 dev python tests/findings_page.py` writes it.
"""

from __future__ import annotations

from workspace import ROOT

from urlschemes import Registration
from urlschemes_lint.findings import CODES, Code

PAGE = ROOT / "docs" / "reference" / "findings.md"

EXAMPLES = {
    "invalid-character": "http://host.dom/~joe",
    "fragment-present": "http://host.dom/a#top",
    "bad-escape": "http://host.dom/100%",
    "invalid-scheme": "host.dom/a",
    "unknown-scheme": "x-nobody://host.dom/",
    "missing-authority": "http:/host.dom/",
    "invalid-userinfo": "ftp://joe@home@host.dom/",
    "userinfo-not-allowed": "http://joe@host.dom/",
    "invalid-host": "http://my_host.dom/",
    "empty-host": "http:///a",
    "invalid-port": "http://host.dom:/",
    "invalid-part": "ftp://host.dom/a;type=x",
    "other-port": "http://host.dom:8080/",
    "reserved-port": "http://host.dom:25/",
    "impossible-port": "http://host.dom:70000/",
    "password": "ftp://joe:secret@host.dom/",
    "misleading-user": "ftp://ftp.good.dom@host.dom/",
    "control-octet": "ftp://host.dom/a%0Ab",
    "encoded-delimiter": "ftp://host.dom/a%2Fb",
    "impossible-address": "http://256.1.1.1/",
    "long-label": f"http://{'a' * 64}.dom/",
    "long-host": f"http://{'a.' * 130}dom/",
}
"""For each code of a short text, a text with this finding and no other."""

_HEAD = """\
# Findings

The findings of [`check`](urls.md#checks) by code. `python3 dev python tests/findings_page.py` writes this page.
"""
_ERRORS = """
## Errors

The text is not a URL. The codes are those of the [errors](errors.md) that `parse` raises.
"""
_WARNINGS = """
## Warnings

The text is a URL, but something in it is unwise, or access refuses it.
"""
_CAUTIONS = """
## Warnings of single schemes

Legal texts that are often misunderstood, from the records of the schemes.
"""


def page() -> str:
    """Return the content of docs/reference/findings.md."""
    lines = [_HEAD]
    for head, severity in ((_ERRORS, "error"), (_WARNINGS, "warning")):
        codes = [code for code in CODES.values() if code.severity == severity]
        lines += [head, _table("code", "meaning", "section", "example")]
        lines += [_row(code) for code in codes]
    lines += [_CAUTIONS, _table("scheme", "code", "meaning", "section", "part")]
    for path in sorted(ROOT.glob("plugins/schemes/*/src/*/registration.toml")):
        registration = Registration.from_file(path)
        places: dict[tuple[str, ...], list[str]] = {}
        for caution in registration.cautions:
            words = caution.message + (f"; {caution.hint}" if caution.hint else "")
            text = f"`{caution.holds}`" if caution.holds else f"`{caution.begins}` at the beginning"
            cells = (registration.scheme, f"`{caution.code}`", words, caution.section)
            places.setdefault(cells, []).append(f"`{caution.part}`: {text}")
        lines += [_cells(*cells, ", or ".join(texts)) for cells, texts in places.items()]
    return "\n".join(lines).replace("\n\n\n", "\n\n") + "\n"


def _table(*heads: str) -> str:
    return f"{_cells(*heads)}\n{_cells(*['---'] * len(heads))}"


def _row(code: Code) -> str:
    example = EXAMPLES.get(code.name, "")
    if len(example) > 40:
        example = f"{example[:24]}...{example[-5:]}"
    section = code.section or ("of the rule" if example else "")
    return _cells(f"`{code.name}`", code.meaning, section, f"`{example}`" if example else "")


def _cells(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
