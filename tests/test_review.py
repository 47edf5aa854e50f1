"""The installed schemes pass their review."""

from __future__ import annotations

import pytest

from urlschemes import default_registry
from urlschemes_conformance.review import review

# A plugin whose demonstration could not be accessed would skip these.
ACCESS_CHECKS = ("demonstration", "replayed", "split", "faulted")
QUICK_CHECKS = ("record", "security", "examples", "status", "grammar", "contract", *ACCESS_CHECKS)


@pytest.mark.parametrize("scheme", ["ftp", "prospero"])
def test_an_installed_scheme_passes_the_checks_that_generate_no_urls(scheme: str) -> None:
    result = review(scheme, profile="rfc1738", checks=QUICK_CHECKS)
    assert result.failed == ()
    assert {each.outcome for each in result.verdicts if each.check in ACCESS_CHECKS} == {"passed"}


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("scheme", sorted(default_registry))
def test_an_installed_scheme_passes_its_review(scheme: str) -> None:
    result = review(scheme, examples=50)
    assert result.failed == ()
    assert result.scheme == scheme
