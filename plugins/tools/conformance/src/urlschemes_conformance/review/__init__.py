"""The review of a scheme: what RFC 1738 section 4 and RFC 7595 ask of whoever registers one, as checks.

    from urlschemes_conformance.review import review

    found = review("x-foo")             # an installed scheme; or the folder of a distribution, or a record
    assert found.passed, found.failed

Nothing of the plugin is executed in the process that asks: whatever runs its code runs in processes of its own, which
are bounded in time. The URLs that the laws are tried on are made from the BNF, and are the same each time.

The rooms, from the top:

| room | what it has |
| --- | --- |
| `command` | `urlschemes review` |
| `report` | a review as lines for a person |
| `runner` | the processes that judge, and what becomes of one that dies |
| `worker` | one such process |
| `access` | checks of the algorithm: demonstrated, replayed, cut, faulted, watched |
| `code` | checks of what importing the plugin does |
| `speed` | the check that parsing takes as long as the text is |
| `laws` | checks of the laws that hold for every URL |
| `types` | checks of the type of the URLs, and of the examples |
| `syntax` | checks of the BNF |
| `name` | checks of the name and the status |
| `record` | checks of the record's words |
| `subject` | what is reviewed, as the checks see it |
| `showing` | the demonstration, accessed and written down |
| `watching` | who opens what meanwhile |
| `chance` | the same chance for each run |
| `targets` | what is reviewed, found |
| `answers` | what such a process says, and the runner reads |
| `catalogue` | what a check is, and all of them in order |
| `verdicts` | what a check says, and a review is |
"""

from __future__ import annotations

from urlschemes_conformance.review.catalogue import Check, checks
from urlschemes_conformance.review.runner import EXAMPLES, SEED, review
from urlschemes_conformance.review.verdicts import Review, ReviewError, Verdict

__all__ = ["EXAMPLES", "SEED", "Check", "Review", "ReviewError", "Verdict", "checks", "review"]
