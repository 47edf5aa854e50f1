"""Algorithms open no socket and no file: only the backends of urlschemes_access do, by the audit events of Python."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest
from workspace import ROOT, must

from urlschemes import default_registry as REGISTRY  # noqa: N812  it does not change here

if TYPE_CHECKING:
    from pathlib import Path

SHOWN = {"access", "open session", "send"}
# For an experiment, the review of its plugin examines this.
SPECIFIED = [record for record in REGISTRY.registrations() if record.status != "experimental"]
SCHEMES = [record.scheme for record in SPECIFIED if SHOWN & {*record.operations}]


@pytest.fixture(scope="module")
def accesses(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, object]]:
    """The content that was read with each scheme, and the modules that opened files or sockets."""
    folder = tmp_path_factory.mktemp("served")
    (folder / "motd").write_text("a message\n", "utf-8")
    printed = must(sys.executable, ROOT / "tests" / "audited.py", folder, cwd=folder, timeout=60)
    found: dict[str, dict[str, object]] = json.loads(printed.splitlines()[-1])
    return found


@pytest.mark.parametrize("scheme", SCHEMES)
def test_only_the_backends_open_sockets_and_files(accesses: dict[str, dict[str, object]], scheme: str) -> None:
    openers = accesses[scheme]["openers"]
    assert isinstance(openers, list)
    assert {module.rpartition(".")[0] for _, module, _ in openers} == {"urlschemes_access.backends"}
    events = {event for event, _, _ in openers}
    assert events & ({"open"} if scheme == "file" else {"socket.connect", "socket.sendto"}), "the hook saw no access"
    assert accesses[scheme]["content"] == "a message\n"
    lists = {"file", "ftp", "gopher", "news", "nntp", "prospero", "wais"}
    assert accesses[scheme]["entries"] == (1 if scheme in lists else 0)


@pytest.mark.parametrize(
    "statement",
    [
        "import socket; socket.create_connection(('127.0.0.1', 9), 1)",
        "open(sys.argv[1] + '/motd')",
        "import os; os.listdir(sys.argv[1])",
    ],
)
def test_the_hook_sees_a_module_that_opens_something_itself(tmp_path: Path, statement: str) -> None:
    code = f"""
import contextlib, pathlib, sys
sys.path.insert(0, {str(ROOT / "tests")!r})
import audited
watch = audited.Watch(pathlib.Path(sys.argv[1]))
namespace = {{"__name__": "urlschemes_rogue.access", "sys": sys}}
watch.armed = True
with contextlib.suppress(OSError):
    exec({statement!r}, namespace)
watch.armed = False
print(sorted({{module for _, module in watch.openers}}))
"""
    printed = must(sys.executable, "-c", code, tmp_path, cwd=tmp_path)
    assert printed.strip() == "['urlschemes_rogue.access']"
