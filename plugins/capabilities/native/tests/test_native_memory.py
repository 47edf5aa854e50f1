"""The compiler's sanitizers find nothing: no access out of bounds, no undefined behaviour, no memory that leaks."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import sysconfig
from functools import cache
from pathlib import Path

import pytest
from workspace import environ

pytest.importorskip("urlschemes_native._native", reason="needs `python3 dev --group native`")

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
TESTS = Path(__file__).parent
SOURCE = TESTS.parent / "src" / "urlschemes_native"
SANITIZERS = "-fsanitize=address,undefined"


@cache
def compiler() -> str:
    """Return the C compiler, or skip the test if there is none that has the sanitizers."""
    found = shutil.which("gcc")
    if found is None or not Path(library(found, "libasan.so")).is_absolute():
        pytest.skip("needs gcc with its sanitizers")
    return found


def library(gcc: str, name: str) -> str:
    """Return the path of a library of gcc, or its name if there is none."""
    asked = subprocess.run([gcc, f"-print-file-name={name}"], capture_output=True, text=True, check=True)
    return asked.stdout.strip()


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the module with the sanitizers; return the folder to import it from."""
    folder = tmp_path_factory.mktemp("sanitized")
    package = folder / "urlschemes_native"
    shutil.copytree(SOURCE, package, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    subprocess.run(
        [
            *(compiler(), "-std=c11", "-g", "-O1", "-Wall", "-Wextra", "-Werror", SANITIZERS, "-fno-sanitize-recover"),
            *("-fno-omit-frame-pointer", "-fPIC", "-shared", "-DPy_LIMITED_API=0x030b0000"),
            *(f"-I{sysconfig.get_paths()['include']}", *map(str, sorted(SOURCE.glob("*.c")))),
            *("-o", str(package / "_native.abi3.so")),
        ],
        check=True,
        timeout=120,
    )
    return folder


def fuzz(build: Path, rounds: int, seed: int, options: str) -> subprocess.CompletedProcess[str]:
    script = [sys.executable, str(TESTS / "fuzz_native.py")]
    # Python is slow with sanitizers: the tables are made before, and only those of plugins.
    kept = {"URLSCHEMES_CACHE": str(build / "cache"), "URLSCHEMES_DISABLE": "urlschemes-data,urlschemes-iana"}
    subprocess.run([*script, "1", "1"], env=environ() | kept, capture_output=True, timeout=300, check=True)
    variables = {
        **kept,
        "LD_PRELOAD": " ".join(library(compiler(), name) for name in ("libasan.so", "libubsan.so")),
        "PYTHONMALLOC": "malloc",
        "PYTHONPATH": str(build),
        "ASAN_OPTIONS": f"abort_on_error=1:allocator_may_return_null=1:{options}",
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "LSAN_OPTIONS": "exitcode=0",
    }
    command = [*script, str(rounds), str(seed)]
    return subprocess.run(command, env=environ() | variables, capture_output=True, text=True, timeout=500, check=False)


def test_spoilt_tables_texts_and_buffers_stay_within_bounds(build: Path) -> None:
    done = fuzz(build, 6000, 1, "detect_leaks=0")
    assert done.returncode == 0, done.stderr[-5000:]
    assert all(int(count) > 100 for count in re.findall(r"\d+", done.stdout)), done.stdout


def test_nothing_that_was_allocated_here_leaks(build: Path) -> None:
    done = fuzz(build, 300, 2, "detect_leaks=1:fast_unwind_on_malloc=0:malloc_context_size=15")
    assert done.returncode == 0, done.stderr[-5000:]
    leaks = [leak for leak in done.stderr.split("\n\n") if "urlschemes_native" in leak]
    assert leaks == []
