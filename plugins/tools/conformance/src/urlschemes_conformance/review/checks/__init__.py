"""The checks of the review, one module for each kind.

| module | checks |
| --- | --- |
| `record_checks` | the texts of the record |
| `name_checks` | the name of the scheme, and its status |
| `grammar_checks` | the BNF |
| `type_checks` | the type of the URLs, and the examples of the record |
| `law_checks` | the laws of `urlschemes_conformance.laws` |
| `import_checks` | the effects of importing the plugin |
| `access_checks` | the algorithm: demonstrated, audited, replayed, split, faulted |

In: a `ReviewedScheme`. Out: a `Verdict`. A check that needs something that an earlier check found wrong raises
CannotCheck.
"""

from __future__ import annotations

from urlschemes_conformance.review.catalogue import CHECKS, Check
from urlschemes_conformance.review.checks import (
    access_checks,
    grammar_checks,
    import_checks,
    law_checks,
    name_checks,
    record_checks,
    type_checks,
)

__all__ = ["all_checks"]

_IN_ORDER = (record_checks, name_checks, grammar_checks, type_checks, law_checks, import_checks, access_checks)
"""The modules in the order in which their checks are shown: those that run no code of the plugin come first."""


def all_checks() -> tuple[Check, ...]:
    """Return all checks, in the order in which they are shown."""
    modules = [module.__name__ for module in _IN_ORDER]
    return tuple(sorted(CHECKS.values(), key=lambda each: modules.index(each.function.__module__)))
