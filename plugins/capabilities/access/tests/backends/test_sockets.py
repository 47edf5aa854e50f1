"""Modules that are imported late."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def test_network_modules_are_not_imported_before_they_are_used(child: Callable[..., Any]) -> None:
    code = """
        import urlschemes_access.client
        print(json.dumps(sorted({"socket", "ssl", "asyncio"} & set(sys.modules))))
        """
    assert child(code) == []
