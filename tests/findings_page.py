"""docs/reference/findings.md, written from the codes of findings and the cautions in the records of this repository.

`python3 dev python tests/findings_page.py` writes it.
"""

from __future__ import annotations

from workspace import ROOT

from urlschemes import Registration, Registry
from urlschemes_lint import Finding, check
from urlschemes_lint.findings import CODES
from urlschemes_rfc3986 import uri_warnings

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
    "secret-field": "http://host.dom/?token=a1b2",
    "misleading-user": "ftp://ftp.good.dom@host.dom/",
    "second-scheme": "http://http//host.dom/",
    "control-octet": "ftp://host.dom/a%0Ab",
    "encoded-delimiter": "ftp://host.dom/a%2Fb",
    "not-utf-8": "http://host.dom/?q=%FF",
    "impossible-address": "http://256.1.1.1/",
    "long-label": f"http://{'a' * 64}.dom/",
    "long-host": f"http://{'a.' * 130}dom/",
    "unusual-name": "http://my_host.dom/",
    "escaped-host": "http://my%2Dhost.dom/",
    "numeric-host": "http://0x7f.1/",
    "address-spelling": "http://[2001:DB8::0:1]/",
    "mapped-address": "http://[::ffff:10.0.0.1]/",
    "future-address": "http://[v7.a]/",
    "invalid-a-label": "http://xn--99999999999.dom/",
    "invisible-character": "http://xn--ab-j1t.dom/",
    "mixed-scripts": "http://xn--pypal-4ve.dom/",
    "empty-port": "http://host.dom:/",
    "needless-escape": "http://host.dom/%7Ejoe",
    "dot-segment": "http://host.dom/a/../b",
}
"""For each code of a short text, a text with this finding and no other."""

SEVERITIES = {**{name: code.severity for name, code in CODES.items()}, **dict.fromkeys(uri_warnings.CODES, "warning")}
"""The severity of each code, those of `check` and those of the profile rfc3986."""
MEANINGS = {name: code.meaning for codes in (CODES, uri_warnings.CODES) for name, code in codes.items()}

_HEAD = """\
# Findings

The findings of [`check`](urls.md#checks), by code.
"""
_ERRORS = """
## Errors

The text is not a URL. The codes are those of the [errors](errors.md) that `parse` raises. The examples are errors by
RFC 1738; by RFC 3986, characters such as `~` and `_` need no encoding, and a URL may have a fragment.
"""
_WARNINGS = """
## Warnings

The text is a URL, but something in it is unwise, or access refuses it. From `unusual-name` on, the profile is rfc3986.
"""
_CAUTIONS = """
## Warnings of single schemes

Legal texts that are often misunderstood, from the records of the schemes.
"""


def page() -> str:
    """Return the content of docs/reference/findings.md."""
    lines = [_HEAD]
    for head, severity in ((_ERRORS, "error"), (_WARNINGS, "warning")):
        codes = [code for code in SEVERITIES if SEVERITIES[code] == severity]
        has_sections = severity == "warning"  # an error has that of the rule, which profiles number in different ways
        lines += [head, _table("code", "meaning", *["section"] * has_sections, "example")]
        lines += [_row(code, has_section=has_sections) for code in codes]
    lines += [_CAUTIONS, _table("scheme", "code", "meaning", "part")]
    for path in sorted(ROOT.glob("plugins/schemes/*/src/*/registration.toml")):
        registration = Registration.from_file(path)
        places: dict[tuple[str, ...], list[str]] = {}
        for caution in registration.cautions:
            text = f"`{caution.holds}`" if caution.holds else f"`{caution.begins}` at the beginning"
            cells = (registration.scheme, f"`{caution.code}`", caution.message)
            places.setdefault(cells, []).append(f"`{caution.part}`: {text}")
        lines += [_cells(*cells, ", or ".join(texts)) for cells, texts in places.items()]
    return "\n".join(lines).replace("\n\n\n", "\n\n") + "\n"


def _table(*heads: str) -> str:
    return f"{_cells(*heads)}\n{_cells(*['---'] * len(heads))}"


def finding(code: str) -> Finding:
    """Return the finding of the example of a code."""
    (found,) = check(EXAMPLES[code], registry=Registry(profile="rfc3986") if code in uri_warnings.CODES else None)
    return found


def _row(code: str, *, has_section: bool) -> str:
    example = EXAMPLES.get(code, "")
    if len(example) > 30:
        example = f"{example[:12]}...{example[-5:]}"
    section = [str(finding(code).section).replace(" section ", ", ")] if has_section else []
    return _cells(f"`{code}`", MEANINGS[code], *section, f"`{example}`" if example else "")


def _cells(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
