"""Findings have codes, and show no password."""

from __future__ import annotations

import urlschemes_lint
from urlschemes import Registry
from urlschemes.errors import INVALID_URL_CODES, UnknownScheme
from urlschemes_lint.findings import CODES


def test_no_finding_shows_a_password(registry: Registry) -> None:
    secret = "QZ~ %0D:QZ\u00e9"
    for text in (f"x-album://joe:{secret}@h/~", f"x-album://joe:{secret}@", f"x-bare://joe:{secret}@h/"):
        for found in urlschemes_lint.check(text, registry=registry):
            assert "QZ" not in f"{found!r}{found.message}{found.hint}{found.expected}"
    found = urlschemes_lint.check("x-album://joe:a%0Db@h/", registry=registry)[1]
    assert (found.code, "%0D" in found.message) == ("control-octet", False)


def test_the_codes_of_errors_are_codes_of_findings() -> None:
    errors = {name for name, code in CODES.items() if code.severity == "error"}
    assert errors == {*INVALID_URL_CODES, UnknownScheme.code}
