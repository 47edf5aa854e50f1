"""A real name server that answers differently the second time, in a network namespace that holds nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from guarded import Guarded, clients
from rebinding import ADDRESSES

pytestmark = pytest.mark.real_server
IN_NAMESPACE = """
set -e
ip link set lo up
ip address add 203.0.113.1/32 dev lo
ip address add 2001:db8::1/128 dev lo nodad
mount --bind resolv.conf /etc/resolv.conf
mount --bind nsswitch.conf /etc/nsswitch.conf
if [ -d /run/nscd ]; then mount -t tmpfs none /run/nscd; fi
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What the clients reached in the namespace, by client and name."""
    folder = tmp_path_factory.mktemp("etc")
    (folder / "resolv.conf").write_text("nameserver 127.0.0.1\n")
    (folder / "nsswitch.conf").write_text("hosts: dns\n")

    def run(*command: str) -> subprocess.CompletedProcess[str]:
        words = [
            "unshare",
            "--map-root-user",
            "--mount",
            "--net",
            "sh",
            "-c",
            IN_NAMESPACE + 'exec "$@"',
            "sh",
            *command,
        ]
        return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=60, check=False)

    try:
        permitted = run("true")
    except OSError as error:
        pytest.skip(f"needs Linux with unshare: {error}")
    if permitted.returncode:
        pytest.skip(f"this machine permits no namespaces: {permitted.stderr.strip()}")
    done = run(sys.executable, str(Path(__file__).with_name("rebinding.py")))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", ADDRESSES)
def test_a_client_without_a_guard_is_led_to_loopback(found: Any, name: str) -> None:
    first, then = ADDRESSES[name]
    assert found["None"][name] == [[first, then], [name] * 2, [first, then]]


@clients()
@pytest.mark.parametrize("name", ADDRESSES)
def test_a_name_that_moves_to_loopback_leads_nowhere(client: Guarded, found: Any, name: str) -> None:
    first, _ = ADDRESSES[name]
    assert found[str(client)][name] == [[first, "networks"], [name] * 2, [first]]
