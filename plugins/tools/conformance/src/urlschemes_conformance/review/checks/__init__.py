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
CannotCheck. `urlschemes_conformance.review.catalogue` lists them all.
"""
