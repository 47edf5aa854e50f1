"""Sockets are opened by the core's `drive` and `sockets`, files by its `files`: the interpreter itself is asked."""

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
# Of an experiment, its own review says this.
SPECIFIED = [record for record in REGISTRY.registrations() if record.status != "experimental"]
SCHEMES = [record.scheme for record in SPECIFIED if SHOWN & {*record.operations}]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, object]]:
    folder = tmp_path_factory.mktemp("served")
    (folder / "motd").write_text("a message\n", "utf-8")
    printed = must(sys.executable, ROOT / "tests" / "audited.py", folder, cwd=folder, timeout=60)
    answer: dict[str, dict[str, object]] = json.loads(printed.splitlines()[-1])
    return answer


@pytest.mark.parametrize("scheme", SCHEMES)
def test_sockets_and_files_are_opened_by_the_driver_alone(told: dict[str, dict[str, object]], scheme: str) -> None:
    openers = told[scheme]["openers"]
    assert isinstance(openers, list)
    own = (
        {"urlschemes_access.backends.local_files"}
        if scheme == "file"
        else {"urlschemes_access.backends.sockets", "urlschemes_access.backends.blocking"}
    )
    assert {module for _, module, _ in openers} == own
    events = {event for event, _, _ in openers}
    assert events & ({"open"} if scheme == "file" else {"socket.connect", "socket.sendto"}), (
        "the hook saw no access at all"
    )
    assert told[scheme]["content"] == "a message\n"
    assert told[scheme]["entries"] == (
        1 if scheme in {"file", "ftp", "gopher", "news", "nntp", "prospero", "wais"} else 0
    )


@pytest.mark.parametrize(
    "statement",
    [
        "import socket; socket.create_connection(('127.0.0.1', 9), 1)",
        "open(sys.argv[1] + '/motd')",
        "import os; os.listdir(sys.argv[1])",
    ],
)
def test_the_hook_sees_who_does_not_ask_the_driver(tmp_path: Path, statement: str) -> None:
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
