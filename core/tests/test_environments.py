"""The core works in unusual processes: from an archive, without `site`, without a home or a current directory."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import urlschemes

CORE = Path(urlschemes.__path__[0])
CACHED = sys.pycache_prefix or ""
"""Where the bytecode is cached: to compile the core again takes longer than these tests."""
CODE = """
import json, sys
sys.path[:0] = json.loads(sys.argv[1])
import urlschemes
registry = urlschemes.Registry(["x-plain"])
url = registry.parse("x-plain:yes")
try:
    registry.parse("x-nothing:yes")
except urlschemes.UnknownScheme as error:
    unknown = str(error)
generic = urlschemes.parse_generic("a:b").schemepart
print(json.dumps([urlschemes.__file__, type(url).__name__, url.parts, unknown, generic]))
"""


def run(path: list[str | Path], *options: str, folder: Path, **environ: str) -> str:
    """Parse URLs in a new Python, with `path` in front of its `sys.path`; return the file of the core."""
    packages = {str(Path(str(find_spec(name).origin)).parent.parent) for name in ("importlib_metadata", "pluggy")}
    entries = [str(entry) for entry in path] + sorted(packages)
    system = {name: value for name, value in os.environ.items() if name in {"PATH", "SYSTEMROOT", "LD_LIBRARY_PATH"}}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-X", f"pycache_prefix={CACHED}", *options, "-c", CODE, json.dumps(entries)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=folder,
        env=system | environ,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    file, *found = json.loads(done.stdout)
    assert found == ["XPlainURL", {"word": "yes"}, "no scheme is registered as 'x-nothing'", "b"]
    return str(file)


@pytest.fixture
def site(plugin) -> Path:
    return plugin("x-plain", code=None)


@pytest.mark.parametrize("options", [["-S", "-OO"], ["-I", "-X", "utf8=0"], ["-O", "-X", "dev"]], ids=" ".join)
def test_the_options_of_python_make_no_difference(site, tmp_path, options):
    run([CORE.parent, site], *options, folder=tmp_path, URLSCHEMES_CACHE="none")


def test_the_core_and_a_plugin_work_from_archives(site, tmp_path):
    sources = tmp_path / "sources"
    shutil.copytree(CORE, sources / "urlschemes", ignore=shutil.ignore_patterns("__pycache__"))
    core = shutil.make_archive(str(tmp_path / "core"), "zip", sources)
    plugin = shutil.make_archive(str(tmp_path / "plugin"), "zip", site)
    cache = str(tmp_path / "cache")
    for _ in range(2):
        assert run([core, plugin], folder=tmp_path, URLSCHEMES_CACHE=cache).startswith(core)


def test_a_process_without_a_home_caches_nothing(site, tmp_path):
    run([CORE.parent, site], folder=tmp_path, HOME="relative")
    assert not (tmp_path / "relative").exists()
