"""The pages of these tests show the schemes of plugins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True, scope="module")
def without_ledger() -> Iterator[None]:
    """Switch off the ledger of IANA's names, whose many pages are made as those of plugins are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("URLSCHEMES_DISABLE", "urlschemes-iana")
        yield
