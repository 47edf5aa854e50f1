"""The command where standard streams are closed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.skipif(sys.platform == "win32", reason="a shell of POSIX")
@pytest.mark.parametrize("closed", ["<&-", "<&- >&-", "<&- >&- 2>&-"])
def test_streams_that_are_closed_are_not_missed(tmp_path: Path, closed: str) -> None:
    target = tmp_path / "copy"
    (tmp_path / "a").write_bytes(b"content")
    command = f"{sys.executable} -m urlschemes_cli access --root {tmp_path} -o {target} file://{tmp_path}/a {closed}"
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert target.read_bytes() == b"content"
