"""What holds for each outcome of a replay, for the tests of schemes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from urlschemes.errors import URLError
from urlschemes_access.errors import RemoteError
from urlschemes_access.protocol import Algorithm
from urlschemes_testing.replay import Outcome, Script, fault_everywhere, split_everywhere

__all__ = ["check_failure", "checked", "error_of"]

Failure = TypeVar("Failure", bound=URLError)


def checked(algorithm: Callable[[], Algorithm[None]], script: Script, *, ends_by_closing: bool = False) -> Outcome:
    """Return the outcome: the same however the octets are cut, and never a short success after a fault."""
    outcome = split_everywhere(algorithm, script)
    if outcome.error is None:
        fault_everywhere(algorithm, script, ends_by_closing=ends_by_closing)
    return outcome


def error_of(outcome: Outcome, kind: type[Failure]) -> Failure:
    """Return the error with which the access ended."""
    assert isinstance(outcome.error, kind), outcome
    return outcome.error


def check_failure(
    outcome: Outcome,
    kind: type[URLError],
    words: str,
    *,
    status: int | str | None = None,
    temporary: bool = False,
    secrets: tuple[str, ...] = (),
) -> None:
    """Assert that the error is of exactly this type, has these words, and can be printed on one line without secrets.

    A RemoteError has the status, and is temporary or not.
    """
    error = outcome.error
    assert type(error) is kind, error
    text = str(error)
    assert words in text
    assert text.isprintable()
    assert text.isascii()
    assert len(text) <= 320
    assert not outcome.complete
    if isinstance(error, RemoteError):
        assert (error.status, error.temporary) == (status, temporary)
        text += error.text
    assert [secret for secret in secrets if secret in text] == []
