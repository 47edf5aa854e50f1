"""Errors of accesses as fsspec's users know them."""

from __future__ import annotations

import io

import pytest

from urlschemes import URL
from urlschemes.errors import UnsafeURL, UnsupportedOperation, URLError

pytest.importorskip("fsspec", reason="needs fsspec: python3 dev --group bridges pytest")

from urlschemes_access.errors import (
    AuthRequired,
    ConnectError,
    DeadlineExceeded,
    IsDirectory,
    PolicyDenied,
    RemoteError,
)
from urlschemes_fsspec.os_errors import os_errors


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (PolicyDenied("no"), PermissionError),
        (UnsafeURL("no"), PermissionError),
        (AuthRequired("no"), PermissionError),
        (IsDirectory("no", listing=URL.parse("ftp://h/a/")), IsADirectoryError),
        (RemoteError("no"), FileNotFoundError),
        (RemoteError("no", temporary=True), OSError),
        (DeadlineExceeded("no", phase="connect"), OSError),
        (UnsupportedOperation("no"), io.UnsupportedOperation),
        (ConnectError("no"), OSError),
    ],
)
def test_an_error_is_an_os_error_with_the_same_text(error: URLError, kind: type[OSError]) -> None:
    with pytest.raises(OSError, match=r"^no$") as caught, os_errors():
        raise error
    assert type(caught.value) is kind
    assert caught.value.__cause__ is error
