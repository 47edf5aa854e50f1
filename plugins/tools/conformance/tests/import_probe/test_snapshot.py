"""The probe of imports: it reports what a plugin changes in its process, and survives whatever it does there."""

from __future__ import annotations

import locale
import os
import socket
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from faulty import GOOD

from urlschemes import Registry
from urlschemes_conformance import import_probe

if TYPE_CHECKING:
    from plugin_fixtures import Install, Plugin


@pytest.fixture(autouse=True)
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the plugins be installed for this process, in which a warning is an error."""
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.setattr(sys, "warnoptions", ["error"])


def probe(*names: str) -> dict[str, import_probe.ImportReport]:
    """Return the report for each of the schemes or distributions."""
    claims = [claim for claim in Registry(names).claims() if claim.state == "active"]
    reports = import_probe.probe_imports(claims)
    return {key: report for claim, report in reports.items() for key in (claim.name, claim.distribution)}


def state() -> tuple[Any, ...]:
    return socket.getdefaulttimeout(), Path.cwd(), sys.path[:], sys.getrecursionlimit(), dict(os.environ)


CHANGES = {
    "function": (
        "import urlschemes.redaction as d\nd.one_line = lambda *_: ''",
        "urlschemes.redaction.one_line is now x_changes.",
    ),
    "method": (
        "from urlschemes import URL\nURL.check_line = lambda _: None",
        "urlschemes.url.value.URL.check_line is now x_changes.",
    ),
    "gone": (
        "from urlschemes_access import Policy\ndel Policy.check_host",
        "urlschemes_access.policy.Policy.check_host is missing",
    ),
    "added": (
        "from urlschemes import InternetURL, URL\nURL.host = InternetURL.host",
        "urlschemes.url.value.URL.host is new: a builtins.property",
    ),
    "standard": ("import socket\nsocket.create_connection = print", "socket.create_connection is now a builtins.b"),
    "constant": (
        "import urlschemes_access.policy as p\np.Limits = None",
        "urlschemes_access.policy.Limits is now None",
    ),
    "builtin": ("import builtins\nbuiltins.open = print", "builtins.open is now a builtins.builtin_function_or_method"),
    "module": (
        "import sys, types\nsys.modules['json'] = types.ModuleType('json')",
        "sys.modules['json'] is another module",
    ),
    "registers": (
        "from urlschemes import default_registry as r\nr.register(r.registration('x-other'), replace=True)",
        "urlschemes.default_registry: x-other added",
    ),
    "timeout": (
        "import socket\nsocket.setdefaulttimeout(3)",
        "the default timeout of sockets changed from None to 3.0",
    ),
    "signal": (
        "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)",
        "the handler of SIGTERM changed from a signal.Handlers to a signal.Handlers",
    ),
    "warnings": ("import warnings\nwarnings.simplefilter('ignore')", "the warning filters: added ('ignore', "),
    "logging": ("import logging\nlogging.basicConfig()", "the handlers of the root logger: added a logging.StreamHand"),
    "level": ("import logging\nlogging.getLogger().setLevel(1)", "the level of the root logger changed from 30 to 1"),
    "path": ("import sys\nsys.path.insert(0, '/nowhere')", "sys.path: added '/nowhere'"),
    "finder": (
        "import sys\nclass F:\n    @staticmethod\n    def find_spec(*_): return None\nsys.meta_path.append(F)",
        "sys.meta_path: added x_changes.",
    ),
    "order": ("import sys\nsys.path_hooks.reverse()", "sys.path_hooks: reordered"),
    "hook": ("import sys\nsys.excepthook = print", "sys.excepthook changed from "),
    "thread-hook": ("import threading\nthreading.excepthook = print", "threading.excepthook changed from "),
    "environ": ("import os\nos.environ['HTTP_PROXY'] = 'http://joe:secret@h/'", "the environment: HTTP_PROXY added"),
    "folder": ("import os\nos.chdir('/')", "the working directory changed from "),
    "umask": ("import os\nos.umask(0)", "the umask changed from "),
    "recursion": ("import sys\nsys.setrecursionlimit(5000)", "the recursion limit changed from 1000 to 5000"),
    "thread": (
        "import threading, time\nthreading.Thread(target=time.sleep, args=(60,), name='worker').start()",
        "the threads: the thread 'worker' added",
    ),
    "atexit": ("import atexit\natexit.register(print)", "the number of atexit functions changed from "),
    "connects": (
        "import socket\nwith socket.socket() as s:\n    s.connect_ex(('127.0.0.1', 1))",
        "connected a socket to ('127.0.0.1', 1)",
    ),
    "runs": ("import subprocess, sys\nsubprocess.run([sys.executable, '-c', ''])", "ran the program "),
    "writes": ("import pathlib\npathlib.Path(__file__).with_name('made').write_text('a')", "opened the file "),
}
"""Statements at import, by what they change, and the change that the probe reports."""
if locale.setlocale(locale.LC_ALL) != "C":
    CHANGES["locale"] = ("import locale\nlocale.setlocale(locale.LC_ALL, 'C')", "the locale changed from ")

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="the plugins use POSIX")


@pytest.mark.plugin_fault(25, 26)
def test_a_change_is_reported_and_happens_only_in_the_child_process(plugin: Plugin) -> None:
    plugin("x-changes", "\n".join([*(statements for statements, _ in CHANGES.values()), GOOD]))
    plugin("x-other", code=None)
    plugin("x-good", GOOD)
    before = state()
    reports = probe("x-good", "x-changes")
    assert state() == before
    assert reports["x-good"][1:] == ("", ())
    _, fault, changes = reports["x-changes"]
    assert fault == ""
    for change, (_, expected) in CHANGES.items():
        assert any(expected in each for each in changes), (change, changes)
    assert not any("secret" in change for change in changes)


ENDS = {
    "x-exit": (  # what it forked goes on, and must not report
        "import os\nif os.fork():\n    os.wait()\n    os._exit(7)",
        "the process that imports it ended with the exit code 7",
    ),
    "x-kill": (
        "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)",
        "the process that imports it was ended by SIGKILL",
    ),
    "x-forks-prints-reads": (
        """import os, sys
if os.fork() == 0: os._exit(0)
os.wait()
print('[1.0, "", []]')
os.write(2, b'!')
assert sys.stdin.read() == ''""",
        "",
    ),
    "x-interrupts": ("raise KeyboardInterrupt", "KeyboardInterrupt"),
}
"""Statements that end the process, by the scheme of the plugin, and the fault that the probe reports."""
HANGS = {
    "x-hangs": ("import threading\nthreading.Event().wait()", "did not end within 3 seconds"),
    "x-deaf": (
        "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: time.sleep(1)",
        "did not end within 3 seconds",
    ),
}
"""Statements that hold it up."""


@pytest.mark.plugin_fault(2, 5)
@POSIX
@pytest.mark.parametrize(("plugins", "seconds"), [(ENDS, 60), (HANGS, 3)], ids=["ends", "hangs"])
def test_a_plugin_that_ends_or_holds_up_its_process_is_reported(
    plugin: Plugin, plugins: dict[str, tuple[str, str]], seconds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, (code, _) in plugins.items():
        plugin(name, f"{code}\n{GOOD}")
    monkeypatch.setattr(import_probe, "MAX_SECONDS", seconds)
    reports = probe(*plugins)
    for name, (_, expected) in plugins.items():
        assert expected in reports[name].fault, name
        assert bool(reports[name].fault) == bool(expected), name


def test_algorithms_and_hooks_are_imported_too(plugin: Plugin, install: Install) -> None:
    plugin("x-late", access="import socket\nsocket.setdefaulttimeout(1)\nraise SystemExit(3)")
    plugin("x-lacks", access="")
    hooks = "from urlschemes.registry.hooks import hookimpl\n@hookimpl\ndef urlschemes_vetoo(url): pass\n"
    install("misspelt", "[urlschemes]\nveto = misspelt\n", {"misspelt.py": hooks})
    reports = probe("x-late", "x-lacks", "misspelt")
    assert "SystemExit: 3" in reports["x-late"].fault
    assert "has no function 'access'" in reports["x-lacks"].fault
    assert reports["x-late"].changes == ("the default timeout of sockets changed from None to 1.0",)
    assert "urlschemes_vetoo" in reports["misspelt"].fault


def test_a_program_without_an_interpreter_cannot_probe(plugin: Plugin, monkeypatch: pytest.MonkeyPatch) -> None:
    plugin("x-good", GOOD)
    monkeypatch.setattr(sys, "executable", None)
    fault = "the process that imports it cannot be started: this program has no Python interpreter"
    assert probe("x-good")["x-good"] == (None, fault, ())


@pytest.mark.skipif(not Path("/proc").exists(), reason="there is no /proc")
@pytest.mark.parametrize("end", ["time.sleep(60)", ""], ids=["hangs", "ends"])
def test_processes_that_a_plugin_started_are_ended_with_it(
    plugin: Plugin, tmp_path: Path, end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = (
        "import os, subprocess, sys, time\n"
        "process = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        f"with open({str(tmp_path / 'pid')!r}, 'w') as file: file.write(str(process.pid))\n{end}\n{GOOD}"
    )
    plugin("x-starts", code)
    monkeypatch.setattr(import_probe, "MAX_SECONDS", 6 if end else 60)
    report = probe("x-starts")["x-starts"]
    status = Path("/proc", (tmp_path / "pid").read_text(), "stat")
    ends = time.monotonic() + 60
    while status.exists() and status.read_text().rpartition(")")[2].split()[0] != "Z":
        assert time.monotonic() < ends
        time.sleep(0.05)
    assert bool(report.fault) == bool(end)
