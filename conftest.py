"""An option for all tests of the workspace: `--event-loop`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from looped import Looped

from urlschemes import drive

if TYPE_CHECKING:
    from collections.abc import Iterator


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.addoption("--event-loop", action="store_true", help="do on an event loop what the tests do blocking")


@pytest.fixture(autouse=True)
def on_event_loop(request: pytest.FixtureRequest) -> Iterator[None]:
    """With `--event-loop`: what the test accesses in its own process, it accesses on an event loop."""
    if not request.config.getoption("--event-loop"):
        yield
        return
    looped = Looped()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drive, "run", looped.run)
        yield
    looped.close()
