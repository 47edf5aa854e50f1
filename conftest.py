"""Settings of all tests of the workspace: the option `--event-loop`, the cache, deadlines and signals."""

from __future__ import annotations

import gc
import os
import signal
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import hypothesis
import pytest
from event_loop_runner import EventLoopRunner

import urlschemes
import urlschemes_rfc3986
from urlschemes_access.resources import synchronous

if TYPE_CHECKING:
    from collections.abc import Iterator


pytest_plugins = ["plugin_fixtures"]
pytest.register_assert_rewrite("outcomes")
# The parts of dialogues lie beside the tests that use them.
sys.path += sorted({str(file.parent) for file in Path(__file__).parent.glob("plugins/schemes/*/tests/*_dialogues.py")})


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Return 0 for a single file, which then runs in this process; for more, half as many again as there are cores.

    Tests of servers and processes often wait.
    """
    is_single_file = len(config.args) == 1 and ".py" in config.args[0]
    return 0 if is_single_file else (os.cpu_count() or 1) * 3 // 2


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option `--event-loop`."""
    parser.addoption("--event-loop", action="store_true", help="run the blocking accesses of tests on an event loop")


def pytest_configure(config: pytest.Config) -> None:
    """Leave the user's cache alone, and make the tests independent of how they were started.

    All processes of a run share a cache of its own.
    """
    if not hasattr(config, "workerinput"):  # the workers of xdist inherit it
        cache = TemporaryDirectory(prefix="urlschemes-tests-")
        config.add_cleanup(cache.cleanup)
        os.environ["URLSCHEMES_CACHE"] = cache.name
    # A busy machine fails no example, and every run tries the same ones; `slow` tests and the campaign try more.
    hypothesis.settings.register_profile("urlschemes", deadline=None, derandomize=True)
    hypothesis.settings.load_profile("urlschemes")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in a background job; child processes inherit it
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True, scope="session")
def found_plugins() -> None:
    """Let the registries of the process search before a test hides plugins from a search: a hint may ask them."""
    for registry in (urlschemes.default_registry, urlschemes_rfc3986.registry):
        len(registry)


@pytest.fixture(autouse=True, scope="module")
def frozen_garbage() -> None:
    """Keep the garbage collector away from what was imported, and from what earlier modules left.

    Otherwise each `gc.collect()` of a test takes a second.
    """
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the seconds of CPU of the run and of its child processes."""
    terminalreporter.write_line(f"{sum(os.times()[:4]):.0f} s of CPU")


@pytest.fixture(autouse=True)
def on_event_loop(request: pytest.FixtureRequest) -> Iterator[None]:
    """Run the accesses of the process on an event loop if the option `--event-loop` is given."""
    if not request.config.getoption("--event-loop"):
        yield
        return
    runner = EventLoopRunner()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(synchronous, "run", runner.run)
        yield
    runner.close()
