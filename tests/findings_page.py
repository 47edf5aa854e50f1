"""docs/findings.md, which is written from the codes and from the records of the schemes in this repository.

`python3 dev python tests/findings_page.py` writes it anew.
"""

from __future__ import annotations

from workspace import ROOT

from urlschemes import Registration
from urlschemes.codes import CODES

PAGE = ROOT / "docs" / "findings.md"

_HEAD = """\
# Findings

What `check` may find, by code. This page is written by `python3 dev python tests/findings_page.py`, from the code.
[urls.md](urls.md#checks) says how to use it.
"""
_ERRORS = """
## Errors

The text is no URL. Each has the code of the [error](errors.md) that `parse` raises.
"""
_WARNINGS = """
## Warnings

It is a URL, and what stands there is unwise, or access refuses it.
"""
_CAUTIONS = """
## Warnings of single schemes

Texts that are legal in a part, and that readers take for something else. They are listed in the records of the schemes.
"""


def page() -> str:
    """What docs/findings.md must hold."""
    lines = [_HEAD]
    for head, severity in ((_ERRORS, "error"), (_WARNINGS, "warning")):
        codes = [code for code in CODES.values() if code.severity == severity]
        lines += [head, _table("code", "what it means", "section", "for example")]
        lines += [_row(f"`{code.name}`", code.meaning, code.section, code.example) for code in codes]
    lines += [_CAUTIONS, _table("scheme", "code", "what it means", "section", "in the part")]
    for path in sorted(ROOT.glob("plugins/*/src/*/registration.toml")):
        registration = Registration.from_file(path)
        for caution in registration.cautions:
            words = caution.message + (f"; {caution.hint}" if caution.hint else "")
            place = f"`{caution.part}`: `{caution.holds}`"
            lines.append(_cells(registration.scheme, f"`{caution.code}`", words, caution.section, place))
    return "\n".join(lines).replace("\n\n\n", "\n\n") + "\n"


def _table(*heads: str) -> str:
    return f"{_cells(*heads)}\n{_cells(*['---'] * len(heads))}"


def _row(code: str, meaning: str, section: str | None, example: str | None) -> str:
    if example is not None and len(example) > 40:
        example = f"{example[:24]}...{example[-5:]}"
    return _cells(code, meaning, section or ("that of the rule" if example else ""), f"`{example}`" if example else "")


def _cells(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
