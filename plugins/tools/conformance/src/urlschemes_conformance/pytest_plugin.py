"""A plugin of pytest: each check of the review of a scheme is a test of its own.

    [tool.pytest.ini_options]
    urlschemes_review = "x-foo x-bar"       # names of installed schemes; or folders, relative to this file

adds `review[x-foo]::record` and its sisters to a session that collects a folder. Of a scheme all the checks that are
wanted are made at the first of them.

It is loaded by every pytest of its environment, so it imports nothing before it is asked for something.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from urlschemes_conformance.review import Review, Verdict

__all__: list[str] = []


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the configuration file."""
    parser.addini("urlschemes_review", "URL schemes to be reviewed: names, or folders", type="args", default=[])
    parser.addini("urlschemes_review_examples", "how many URLs the laws are tried on", default="")


@pytest.hookimpl(tryfirst=True)  # so that -k and -m choose among the checks too
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Add a test for each check of each scheme."""
    names = config.getini("urlschemes_review")
    if not names or not _collects_a_folder(config):
        return
    examples = _examples(config)
    for name in names:
        label = f"review[{name}]"
        collector = _Reviewed.from_parent(session, name=label, nodeid=label, target=name, examples=examples)
        items.extend(collector.collect())


def _examples(config: pytest.Config) -> int:
    """How many URLs are wanted; 0 where nobody says."""
    said = config.getini("urlschemes_review_examples").strip()
    if said and not (said.isascii() and said.isdecimal() and int(said)):
        raise pytest.UsageError(f"urlschemes_review_examples is {said!r}, and not a number of URLs from 1 on")
    return int(said or 0)


def _collects_a_folder(config: pytest.Config) -> bool:
    """Whether more is wanted than single files, or tests: then the review is none of it."""
    return any((config.invocation_params.dir / str(each).partition("::")[0]).is_dir() for each in config.args)


class _Reviewed(pytest.Collector):
    """One scheme, reviewed once, when the first of its checks is wanted."""

    def __init__(self, *, target: str, examples: int, **more: Any) -> None:
        super().__init__(**more)
        self._target = target
        self._examples = examples
        self._review: Review | None = None

    def collect(self) -> Iterable[_Item]:
        from urlschemes_conformance.review import checks

        return [_Item.from_parent(self, name=each.name, nodeid=f"{self.nodeid}::{each.name}") for each in checks()]

    def verdict(self, check: str) -> Verdict:
        """What became of the check. Raises what `review` does."""
        from urlschemes_conformance.review import EXAMPLES, review

        if self._review is None:
            wanted = [item.name for item in self.session.items if isinstance(item, _Item) and item.parent is self]
            self._review = review(self._place(), checks={*wanted, check}, examples=self._examples or EXAMPLES)
        return next(each for each in self._review.verdicts if each.check == check)

    def _place(self) -> str | os.PathLike[str]:
        """The name; or the folder, which is relative to the configuration file."""
        folder = self.config.rootpath / self._target
        return folder if "/" in self._target and folder.exists() else self._target


class _Failed(Exception):
    """A check failed, or could not be made."""


class _Item(pytest.Item):
    """One check of one scheme."""

    def runtest(self) -> None:
        from urlschemes.errors import URLError
        from urlschemes_conformance.review.report import said_of

        collector = self.parent
        assert isinstance(collector, _Reviewed)
        try:
            verdict = collector.verdict(self.name)
        except URLError as error:
            hint = [f"help     {error.hint}"] if error.hint else []
            raise _Failed("\n".join([f"it cannot be reviewed: {error}", *hint])) from None
        if verdict.outcome == "skipped":
            pytest.skip(verdict.reason)
        said = "\n".join([verdict.reason, *said_of(verdict)])
        if verdict.outcome == "failed":
            raise _Failed(said)
        if verdict.outcome == "warned":
            self.add_report_section("call", "review", said)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The reason and what to do, without a traceback: the fault is not in the test."""
        if isinstance(excinfo.value, _Failed):
            return f"{self.nodeid}: {excinfo.value}"
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        return Path(str(self.nodeid)), None, self.nodeid
