"""Fixtures for all tests: distributions as an installer leaves them, in folders on `sys.path`, here or in a child."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import importlib_metadata  # noqa: F401  discovery imports it late, which some tests would prevent
import pytest

from urlschemes import Registration


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
        self,
        code: str,
        *path: Path | str,
        arguments: Sequence[str | Path] = (),
        environ: Mapping[str, str] | None = None,
        folder: Path | None = None,
    ) -> Any: ...


def pytest_configure() -> None:
    """Ignore the width of the terminal in which the tests run."""
    for name in ("COLUMNS", "LINES"):
        os.environ.pop(name, None)


CONFIGURATION = "APPDATA" if sys.platform == "win32" else "XDG_CONFIG_HOME"
"""The variable that names the folder of configurations."""


@pytest.fixture(autouse=True)
def nothing_configured(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Let there be no configuration file, and no variable that configures an access."""
    monkeypatch.setenv(CONFIGURATION, str(tmp_path_factory.getbasetemp() / "no-such-folder"))
    for name in ("URLSCHEMES_GATEWAYS", "NNTPSERVER"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def configuration_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory, nothing_configured: None
) -> Path:
    """The folder of the configuration file, empty at first."""
    folder = tmp_path_factory.mktemp("configuration")
    monkeypatch.setenv(CONFIGURATION, str(folder))
    return folder


@pytest.fixture
def install(tmp_path: Path) -> Iterator[Install]:
    """Write one distribution into the folder `site` of `tmp_path`, and return that folder.

    After the test, modules of `tmp_path` are forgotten.

    `entry_points` is the text of entry_points.txt; without a header, its entries are schemes. `metadata` is the content
    of METADATA instead of a correct one; b"" for no such file. `files` are other files, by their paths.
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

    before = {*sys.modules}
    yield write
    for name in sys.modules.keys() - before:
        if str(tmp_path) in repr(getattr(sys.modules[name], "__spec__", None)):
            del sys.modules[name]


RECORD = """\
api = 1
scheme = "{name}"
status = "experimental"
title = "A scheme of the tests"
reference = "nowhere"
operations = ["access"]
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
from urlschemes import URL, Registration, Scheme, text_part

registration = Registration.of(__name__)

class TestURL(URL, registration=registration):
    word: str = text_part()

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
    """Return the text of the record of a made-up scheme, with the lines `more` at its top."""

    def text(name: str, more: str = "") -> str:
        return more + RECORD.format(name=name)

    return text


@pytest.fixture
def registration() -> Callable[..., Registration]:
    """Return the record of a made-up scheme, without a file, with the lines `more` at its top."""

    def make(name: str, more: str = "") -> Registration:
        return Registration.from_text(more + RECORD.format(name=name), source="the tests")

    return make


@pytest.fixture
def plugin(install: Install) -> Plugin:
    """Write the distribution of one made-up scheme into the folder `site`, and return that folder.

    Distribution and package have the name of the scheme, unless another is given. `code` is its `__init__.py` (None: a
    record without code), `access` its access.py. `record` changes the text of its record (None: it has none).
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
    """Run `code` in a new Python, with `path` at the end of its `sys.path`; return the JSON that its last line printed.

    The process must end with the exit code 0 and write nothing to standard error.
    """

    def run(
        code: str,
        *path: Path | str,
        arguments: Sequence[str | Path] = (),
        environ: Mapping[str, str] | None = None,
        folder: Path | None = None,
    ) -> Any:
        head = f"import json, sys\nsys.path += {[str(entry) for entry in path]!r}\n"
        cache = "URLSCHEMES_CACHE"
        inherited = {
            name: value for name, value in os.environ.items() if name == cache or not name.startswith("URLSCHEMES_")
        }
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", head + textwrap.dedent(code), *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            cwd=folder or tmp_path,
            env={**inherited, **(environ or {})},
        )
        # On a busy machine, an import may take long enough to be reported.
        errors = [line for line in done.stderr.splitlines() if " s to import for " not in line]
        assert (done.returncode, errors) == (0, []), done.stderr
        return json.loads(done.stdout.splitlines()[-1])

    return run
