"""docs/reference/catalogue.md, written from the records of urlschemes-iana.

`python3 dev python tests/catalogue_page.py` writes it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from workspace import ROOT

from urlschemes import Registry
from urlschemes.grammar.bnf import references
from urlschemes.rfc1738 import RFC1738
from urlschemes_rfc3986 import profile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from urlschemes import Registration
    from urlschemes.grammar.syntax import Syntax

PAGE = ROOT / "docs" / "reference" / "catalogue.md"
LEDGER = ROOT / "plugins" / "extensions" / "iana" / "src" / "urlschemes_iana" / "records"

_REWRITTEN = re.compile(r"^; Rewritten: .*\n(?:;.*\n)*([\w-]+) *=", re.MULTILINE)
_DEFINED = re.compile(r"^ *([\w-]+) *=", re.MULTILINE)
_DIFFERENCE = re.compile(r"(A misprint|As printed)\b")
_OF_DOCUMENT = re.compile(r"\b(?:[Ss]ections?|[Aa]ppendix|RFC) \w")

_HEAD = """\
# The catalogue

The schemes in the [ledger](registration.md#ledgers) of [urlschemes-iana](../../plugins/extensions/iana/README.md).
`urlschemes show NAME` prints a record.

The column "examples" counts the URLs of the record, and in brackets those taken from the document. The rules are
*as printed* in the document, *proved* to derive the same texts, or *rewritten*. The comments of the record say why.
"""
_DIFFERENCES = """
## Where documents err

Texts that a document prints against its own rules, and the shortest texts that rules as printed and those of the record
decide differently, which the search of the proofs has found.

"""
_NAMES = """
## Names without a syntax

"""


def page() -> str:
    """Return the content of docs/reference/catalogue.md."""
    lines = [_HEAD, _row("scheme", "document", "port", "examples", "rules"), _row(*["---"] * 5)]
    lines += [_row(*_cells(record)) for record in records()]
    lines += [_DIFFERENCES + _row("scheme", "text", "difference"), _row(*["---"] * 3)]
    lines += [
        _row(record.scheme, f"`{each.url}`", each.says)
        for record in records()
        for each in record.examples
        if _DIFFERENCE.match(each.says)
    ]
    known = Registry(records=LEDGER, plugins=()).known_names().values()
    lines += [_NAMES + _row("name", "document", "reason"), _row(*["---"] * 3)]
    lines += [_row(each.name, each.reference, each.no_syntax) for each in known if each.no_syntax]
    return "\n".join(lines) + "\n"


def records() -> Iterator[Registration]:
    """Yield the record of each scheme, of RFC 3986 if it has two profiles."""
    registries = [Registry(records=LEDGER, plugins=(), profile=each) for each in (profile, RFC1738)]
    for name in sorted({*registries[0], *registries[1]}):
        yield next(each for each in registries if name in each).registration(name)


def _cells(record: Registration) -> Iterator[str]:
    yield record.scheme
    yield record.reference
    yield str(record.default_port or "")
    own = sum(each.parts is not None and bool(_OF_DOCUMENT.search(each.says)) for each in record.examples)
    yield f"{len(record.examples)} ({own})"
    rewritten = ", ".join(f"`{name}`" for name in _rewritten(record.syntax))
    proved = "proved" if record.syntax.printed else "as printed"
    yield f"rewritten: {rewritten}; the others {proved}" if rewritten else proved


def _rewritten(syntax: Syntax) -> list[str]:
    """Return the rewritten rules that URLs derive from otherwise than through printed rules: no proof is about them."""
    printed, rules = {*_DEFINED.findall(syntax.printed)}, syntax.grammar.rules
    reached: dict[str, None] = {}
    following = [syntax.rule]
    while following:
        name = following.pop()
        if name in rules and name not in reached and name not in printed:
            reached[name] = None
            following += [each.name for each in references(rules[name].node)]
    return [name for name in _REWRITTEN.findall(syntax.bnf) if name in reached]


def _row(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
