"""A plugin of pytest: each check of the review of a scheme is a test of its own.

    [tool.pytest.ini_options]
    urlschemes_review = "x-foo x-bar"       # names of installed schemes, or folders relative to this file

adds `review[x-foo]::record` and the other checks to every session that collects a folder. All selected checks of a
scheme are made when the first of them runs.

Every pytest of the environment loads this module, so that it imports the review only if a scheme is configured.
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
    """Declare the options of the configuration file."""
    parser.addini("urlschemes_review", "URL schemes to review: names or folders", type="args", default=[])
    parser.addini("urlschemes_review_examples", "number of URLs with which the laws are tested", default="")


@pytest.hookimpl(tryfirst=True)  # so that -k and -m select checks too
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Add a test for each check of each scheme."""
    targets = config.getini("urlschemes_review")
    if not targets or not _collects_a_folder(config):
        return
    examples = _examples(config)
    for target in targets:
        label = f"review[{target}]"
        collector = _SchemeReview.from_parent(session, name=label, nodeid=label, target=target, examples=examples)
        items.extend(collector.collect())


def _examples(config: pytest.Config) -> int:
    """Return the configured number of URLs; 0 if there is none."""
    text = config.getini("urlschemes_review_examples").strip()
    if text and not (text.isascii() and text.isdecimal() and int(text)):
        raise pytest.UsageError(f"invalid urlschemes_review_examples {text!r}: expected a number from 1 on")
    return int(text or 0)


def _collects_a_folder(config: pytest.Config) -> bool:
    """Return True if pytest was given more than single files or tests."""
    return any((config.invocation_params.dir / str(each).partition("::")[0]).is_dir() for each in config.args)


class _SchemeReview(pytest.Collector):
    """The review of one scheme, made when the first of its checks runs."""

    def __init__(self, *, target: str, examples: int, **more: Any) -> None:
        super().__init__(**more)
        self._target = target
        self._examples = examples
        self._review: Review | None = None

    def collect(self) -> Iterable[_CheckItem]:
        from urlschemes_conformance.review import all_checks

        return [
            _CheckItem.from_parent(self, name=each.name, nodeid=f"{self.nodeid}::{each.name}") for each in all_checks()
        ]

    def verdicts(self, check: str) -> list[Verdict]:
        """Return the verdicts of a check, one for each record of the scheme. Raises what `review` raises."""
        from urlschemes_conformance.review import EXAMPLES, review

        if self._review is None:
            selected = [
                item.name for item in self.session.items if isinstance(item, _CheckItem) and item.parent is self
            ]
            self._review = review(self._resolved(), checks={*selected, check}, examples=self._examples or EXAMPLES)
        return [each for each in self._review.verdicts if each.check == check]

    def _resolved(self) -> str | os.PathLike[str]:
        """Return the name of the scheme, or the folder, which is relative to the configuration file."""
        folder = self.config.rootpath / self._target
        return folder if "/" in self._target and folder.exists() else self._target


class _CheckFailed(Exception):
    """A check failed, or could not be made."""


class _CheckItem(pytest.Item):
    """One check of one scheme."""

    def runtest(self) -> None:
        from urlschemes.errors import URLError
        from urlschemes_conformance.review.report import evidence

        collector = self.parent
        assert isinstance(collector, _SchemeReview)
        try:
            verdicts = collector.verdicts(self.name)
        except URLError as error:
            hint = [f"help     {error.hint}"] if error.hint else []
            raise _CheckFailed("\n".join([f"it cannot be reviewed: {error}", *hint])) from None
        if all(each.outcome == "skipped" for each in verdicts):
            pytest.skip(verdicts[0].reason)
        texts: dict[str, list[str]] = {"failed": [], "warned": []}
        for each in verdicts:
            profile = f"profile {each.profile}: " if len(verdicts) > 1 else ""
            texts.get(each.outcome, []).append("\n".join([profile + each.reason, *evidence(each)]))
        if texts["failed"]:
            raise _CheckFailed("\n".join(texts["failed"]))
        if texts["warned"]:
            self.add_report_section("call", "review", "\n".join(texts["warned"]))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the reason and the help, without a traceback: it would show this module."""
        if isinstance(excinfo.value, _CheckFailed):
            return f"{self.nodeid}: {excinfo.value}"
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        return Path(str(self.nodeid)), None, self.nodeid
