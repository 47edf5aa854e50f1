"""For all tests of the workspace: the option `--event-loop`, no clock, and where they keep what they worked out."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import hypothesis
import pytest
from event_loop_runner import EventLoopRunner

from urlschemes_access.backends import blocking

if TYPE_CHECKING:
    from collections.abc import Iterator


pytest_plugins = ["plugin_fixtures"]


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Run a single file in this process, and everything else on all cores."""
    return 0 if len(config.args) == 1 and ".py" in config.args[0] else None


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.addoption("--event-loop", action="store_true", help="do on an event loop what the tests do blocking")


def pytest_configure() -> None:
    """Nothing that was kept for whoever runs the tests counts, and nothing is kept for them.

    `URLSCHEMES_TEST_CACHE` is a folder for what the tests keep: with it, a second run begins with a warm cache. A busy
    machine fails no test of generated examples: none has a deadline for one of them.
    """
    hypothesis.settings.register_profile("urlschemes", deadline=None)
    hypothesis.settings.load_profile("urlschemes")
    os.environ["URLSCHEMES_CACHE"] = os.environ.get("URLSCHEMES_TEST_CACHE", "none")


@pytest.fixture(autouse=True)
def on_event_loop(request: pytest.FixtureRequest) -> Iterator[None]:
    """With `--event-loop`: what the test accesses in its own process, it accesses on an event loop."""
    if not request.config.getoption("--event-loop"):
        yield
        return
    runner = EventLoopRunner()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocking, "run", runner.run)
        yield
    runner.close()
