"""Default TLS contexts, and modules that are imported late."""

from __future__ import annotations

import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from urlschemes_access.backends.sockets import default_context


def test_the_default_context_verifies_certificates(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SSLKEYLOGFILE", str(tmp_path / "keys"))
    default_context.cache_clear()
    context = default_context()
    assert context.verify_mode == ssl.CERT_REQUIRED
    assert context.check_hostname
    assert context.minimum_version >= ssl.TLSVersion.TLSv1_2
    assert not context.keylog_filename
    assert default_context() is context
    default_context.cache_clear()


def test_network_modules_are_not_imported_before_they_are_used(child: Callable[..., Any]) -> None:
    code = """
        import urlschemes_access.client
        print(json.dumps(sorted({"socket", "ssl", "asyncio"} & set(sys.modules))))
        """
    assert child(code) == []
