"""The review of a scheme: checks of what RFC 1738 section 4 and RFC 7595 require for a registration.

    from urlschemes_conformance.review import review

    result = review("x-foo")    # an installed scheme, the folder of a distribution, or the file of a record
    assert result.passed, result.failed

`review_records` reviews all records in a folder, in one worker process.

In: a scheme. Out: a `Review` with one `Verdict` for each check. The plugin's code runs in worker processes, which are
bounded in time; the process that calls `review` never imports it. The URLs to test with are generated from the BNF, and
are the same in each run.

| module | content |
| --- | --- |
| `command` | the command `urlschemes review` |
| `report` | a review as text |
| `runner` | starts the worker processes and collects their verdicts |
| `worker` | one worker process: makes checks and writes the verdicts |
| `checks/` | the checks, one module for each kind, and the list of all |
| `catalogue` | the class `Check`, and the mark of a check |
| `verdicts` | the classes `Verdict` and `Review` |
| `target` | finds the scheme to review, without importing it |
| `reviewed_scheme` | the scheme as the checks see it: record, type, generated URLs, recorded access |
| `recorded_access` | accesses the demonstration of the scheme and records the dialogue |
| `fixed_randomness` | makes each run of an algorithm draw the same random numbers |

It does not know pytest (see `urlschemes_conformance.pytest_plugin`) and no scheme by name.
"""

from __future__ import annotations

from urlschemes_conformance.review.catalogue import Check
from urlschemes_conformance.review.checks import all_checks
from urlschemes_conformance.review.runner import EXAMPLES, SEED, review, review_records
from urlschemes_conformance.review.verdicts import Review, ReviewError, Verdict

__all__ = [
    "EXAMPLES",
    "SEED",
    "Check",
    "Review",
    "ReviewError",
    "Verdict",
    "all_checks",
    "review",
    "review_records",
]
