"""Distributions as an installer leaves them: real folders, put on `sys.path` here or in a child process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import pytest

from urlschemes import Registration

# The command needs the extra `cli`.
collect_ignore_glob = [] if find_spec("click") and find_spec("rich") else ["test_cli*.py"]


class Install(Protocol):
    def __call__(
        self,
        name: str,
        entry_points: str | bytes | None = None,
        files: Mapping[str, str] | None = None,
        *,
        version: str = "1.0",
        site: str = "site",
        metadata: str | bytes | None = None,
    ) -> Path: ...


class Child(Protocol):
    def __call__(
        self, code: str, *path: Path | str, environ: Mapping[str, str] | None = None, folder: Path | None = None
    ) -> Any: ...


def pytest_configure() -> None:
    """The width of the terminal of whoever runs the tests does not count."""
    for name in ("COLUMNS", "LINES"):
        os.environ.pop(name, None)


@pytest.fixture(autouse=True)
def nothing_configured(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which this test's configuration file is looked for: an empty one."""
    folder = tmp_path_factory.mktemp("configuration")
    monkeypatch.setenv("APPDATA" if sys.platform == "win32" else "XDG_CONFIG_HOME", str(folder))
    for name in ("URLSCHEMES_GATEWAYS", "NNTPSERVER"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture
def install(tmp_path: Path) -> Install:
    """Writes one distribution into the folder `site` of `tmp_path`, and returns that folder.

    `entry_points` is the text of entry_points.txt (without a group's header: entries of the group of schemes),
    `metadata` what stands in METADATA instead of a right one (b"": there is none). `files` are others, by their paths.
    """

    def write(
        name: str,
        entry_points: str | bytes | None = None,
        files: Mapping[str, str] | None = None,
        *,
        version: str = "1.0",
        site: str = "site",
        metadata: str | bytes | None = None,
    ) -> Path:
        folder = tmp_path / site
        info = f"{name.replace('-', '_')}-{version}.dist-info"
        content: dict[str, str | bytes] = {**(files or {})}
        if isinstance(entry_points, str) and not entry_points.startswith("["):
            entry_points = f"[urlschemes.schemes]\n{entry_points}\n"
        if entry_points is not None:
            content[f"{info}/entry_points.txt"] = entry_points
        if metadata != b"":
            content[f"{info}/METADATA"] = metadata or (
                f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n\nName: not-this-one\n"
            )
        (folder / info).mkdir(parents=True)
        for path, text in content.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(text if isinstance(text, bytes) else text.encode())
        return folder

    return write


RECORD = """\
api = 1
scheme = "{name}"
status = "experimental"
title = "A scheme of the tests"
reference = "nowhere"
contact = "the tests"
change_controller = "the tests"
encoding_considerations = "None."
interoperability_considerations = "None."
security_considerations = "None."

[syntax]
rule = "testurl"
bnf = '''
testurl = "{name}:" word
word    = 1*uchar
'''

[syntax.parts]
word = {{ at = "word" }}

[[examples]]
url = "{name}:yes"
parts = {{ word = "yes" }}
"""

CODE = """\
from urlschemes import Registration, Scheme, URL

registration = Registration.of(__name__)

class TestURL(URL, registration=registration):
    __slots__ = ()

    @property
    def word(self):
        return self._text("word")

scheme = Scheme(registration, TestURL, access=__name__ + ".access")
"""


class Plugin(Protocol):
    def __call__(
        self,
        name: str,
        code: str | None = CODE,
        record: Callable[[str], str] | None = str,
        *,
        distribution: str | None = None,
        version: str = "1.0",
        site: str = "site",
        access: str | None = None,
    ) -> Path: ...


@pytest.fixture
def record() -> Callable[..., str]:
    """The text of the record of a made-up scheme; `more` are further lines for the top of it."""

    def text(name: str, more: str = "") -> str:
        return more + RECORD.format(name=name)

    return text


@pytest.fixture
def registration() -> Callable[..., Registration]:
    """The record of a made-up scheme, without a file; `more` are further lines for the top of it."""

    def make(name: str, more: str = "") -> Registration:
        return Registration.from_text(more + RECORD.format(name=name), source="the tests")

    return make


@pytest.fixture
def plugin(install: Install) -> Plugin:
    """Writes the distribution of one made-up scheme into the folder `site` and returns that folder.

    The package is called as the distribution, and that as the scheme, unless a name is given.
    `code` is its `__init__.py` (None: a record without code), `access` its access.py. `record` changes the text of its
    record (None: it has none).
    """

    def write(
        name: str,
        code: str | None = CODE,
        record: Callable[[str], str] | None = str,
        *,
        distribution: str | None = None,
        version: str = "1.0",
        site: str = "site",
        access: str | None = None,
    ) -> Path:
        package = (distribution or name).replace("-", "_")
        files = {f"{package}/__init__.py": code or ""}
        if record is not None:
            files[f"{package}/registration.toml"] = record(RECORD.format(name=name))
        if access is not None:
            files[f"{package}/access.py"] = access
        entry = f"{name} = {package}" if code is None else f"{name} = {package}:scheme"
        return install(distribution or name, entry, files, version=version, site=site)

    return write


@pytest.fixture
def child(tmp_path: Path) -> Child:
    """Runs `code` in a new Python with `path` behind its `sys.path`; returns what its last line printed, as JSON.

    The process must end with the exit code 0 and without a word on standard error.
    """

    def run(code: str, *path: Path | str, environ: Mapping[str, str] | None = None, folder: Path | None = None) -> Any:
        head = f"import json, sys\nsys.path += {[str(entry) for entry in path]!r}\n"
        kept = {"URLSCHEMES_CACHE"}
        environment = {
            name: value for name, value in os.environ.items() if name in kept or not name.startswith("URLSCHEMES_")
        }
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", head + textwrap.dedent(code)],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            cwd=folder or tmp_path,
            env={**environment, **(environ or {})},
        )
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        return json.loads(done.stdout.splitlines()[-1])

    return run
