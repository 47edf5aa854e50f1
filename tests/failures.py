"""check_failure: what holds for each error of an access, for the tests of schemes."""

from __future__ import annotations

from urlschemes.errors import URLError
from urlschemes_access.errors import RemoteError
from urlschemes_testing.replay import Outcome

__all__ = ["check_failure"]


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
