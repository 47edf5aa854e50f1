"""When the native reader is used: where it is installed, unless it is switched off or does not fit."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from workspace import environ, write

import urlschemes

pytest.importorskip("urlschemes_native._native", reason="needs `python3 dev --group native`")

ASK = (
    "import pickle, sys, urlschemes\n"
    "url = urlschemes.parse('ftp://joe@h.dom/a')\n"
    "print(type(urlschemes.default_registry.reader).__name__, url.host, pickle.dumps(url).hex())\n"
    "print(repr(pickle.loads(bytes.fromhex(sys.argv[1]))))\n"
)


def answer(**variables: str) -> list[str]:
    given = pickle.dumps(urlschemes.parse("ftp://joe@h.dom/b")).hex()
    command = [sys.executable, "-c", ASK, given]
    done = subprocess.run(command, env=environ() | variables, capture_output=True, text=True, timeout=60, check=True)
    used, host, pickled, loaded = done.stdout.split()
    assert (host, loaded) == ("h.dom", "FtpURL('ftp://joe@h.dom/b')")
    assert str(pickle.loads(bytes.fromhex(pickled))) == "ftp://joe@h.dom/a"
    return [used]


def test_it_is_used_where_it_is_installed() -> None:
    assert answer() == ["NativeReader"]


def test_a_variable_switches_it_off() -> None:
    assert answer(URLSCHEMES_NATIVE="none") == ["PatternReader"]


def test_what_switches_distributions_off_switches_it_off() -> None:
    assert answer(URLSCHEMES_DISABLE="urlschemes-native") == ["PatternReader"]


def test_another_module_of_its_name_is_not_used(tmp_path: Path) -> None:
    write(tmp_path, {"urlschemes_native.py": ""})
    assert answer(PYTHONPATH=str(tmp_path)) == ["PatternReader"]
