"""The probe of imports: it reports what a plugin changes in its process, and survives whatever it does there."""

from __future__ import annotations

import locale
import sys
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest
from faulty import GOOD

if TYPE_CHECKING:
    from plugin_fixtures import Child, Install, Plugin

PROBE = """
import urlschemes
from urlschemes_conformance import import_probe

def probe(*names):
    "Return the report for each of the schemes or distributions."
    claims = [claim for claim in urlschemes.Registry(names).claims() if claim.state == "active"]
    reports = import_probe.probe_imports(claims)
    return {key: report for claim, report in reports.items() for key in (claim.name, claim.distribution)}
"""

CHANGES = {
    "function": (
        "import urlschemes.redaction as d\nd.one_line = lambda *_: ''",
        "urlschemes.redaction.one_line is now x_changes_",
    ),
    "method": (
        "from urlschemes import URL\nURL.check_line = lambda _: None",
        "urlschemes.url.value.URL.check_line is now x_changes_",
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
        "sys.meta_path: added x_changes_",
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
NUMBER_OF_PLUGINS = 3
"""Plugins that make these changes, several each: the probe starts a process for each plugin."""

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="the plugins use POSIX")


@pytest.mark.plugin_fault(25, 26)
def test_a_change_is_reported_and_happens_only_in_the_child_process(plugin: Plugin, child: Child) -> None:
    groups = {f"x-changes-{number}": [*CHANGES][number::NUMBER_OF_PLUGINS] for number in range(NUMBER_OF_PLUGINS)}
    for name, group in groups.items():
        plugin(name, "\n".join([*(CHANGES[change][0] for change in group), GOOD]))
    plugin("x-other", code=None)
    code = """
    import os, socket
    def state():
        return socket.getdefaulttimeout(), os.getcwd(), sys.path[:], sys.getrecursionlimit(), dict(os.environ)
    before = state()
    reports = probe("x-good", *json.loads(sys.argv[1]))
    assert state() == before
    print(json.dumps({name: [report.fault, report.changes] for name, report in reports.items()}))
    """
    arguments = [str([*groups]).replace("'", '"')]
    reports = child(PROBE + dedent(code), plugin("x-good", GOOD), arguments=arguments)
    assert reports["x-good"] == ["", []]
    for name, group in groups.items():
        fault, changes = reports[name]
        assert fault == "", name
        for change in group:
            assert any(CHANGES[change][1] in each for each in changes), (change, changes)
        assert not any("secret" in change for change in changes)


@pytest.mark.skipif(locale.setlocale(locale.LC_ALL) == "C", reason="the locale is C already")
def test_a_changed_locale_is_reported(plugin: Plugin, child: Child) -> None:
    site = plugin("x-locale", f"import locale\nlocale.setlocale(locale.LC_ALL, 'C')\n{GOOD}")
    (change,) = child(PROBE + "print(json.dumps(probe('x-locale')['x-locale'].changes))", site)
    assert change.startswith("the locale changed from ")
    assert change.endswith(" to 'C'")


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
    "x-exits": ("raise SystemExit(3)", "SystemExit: 3"),
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
    plugin: Plugin, child: Child, plugins: dict[str, tuple[str, str]], seconds: int
) -> None:
    sites = {plugin(name, f"{code}\n{GOOD}") for name, (code, _) in plugins.items()}
    code = """
    import_probe.MAX_SECONDS = int(sys.argv[1])
    reports = probe(*sys.argv[2:])
    print(json.dumps({name: report.fault for name, report in reports.items()}))
    """
    faults = child(PROBE + dedent(code), *sites, arguments=[str(seconds), *plugins])
    for name, (_, expected) in plugins.items():
        assert expected in faults[name], name
        assert bool(faults[name]) == bool(expected), name


def test_algorithms_and_hooks_are_imported_too(plugin: Plugin, install: Install, child: Child) -> None:
    plugin("x-late", access="raise SystemExit(3)")
    plugin("x-lacks", access="")
    plugin("x-patches", access="import socket\nsocket.setdefaulttimeout(1)\ndef access(url): yield")
    hooks = "from urlschemes.registry.hooks import hookimpl\n@hookimpl\ndef urlschemes_vetoo(url): pass\n"
    site = install("misspelt", "[urlschemes]\nveto = misspelt\n", {"misspelt.py": hooks})
    code = """
    reports = probe("x-late", "x-lacks", "x-patches", "misspelt")
    print(json.dumps({name: [report.fault, report.changes] for name, report in reports.items()}))
    """
    reports = child(PROBE + dedent(code), site)
    assert "SystemExit: 3" in reports["x-late"][0]
    assert "has no function 'access'" in reports["x-lacks"][0]
    assert reports["x-patches"] == ["", ["the default timeout of sockets changed from None to 1.0"]]
    assert "urlschemes_vetoo" in reports["misspelt"][0]


def test_a_program_without_an_interpreter_cannot_probe(plugin: Plugin, child: Child) -> None:
    code = "sys.executable = None\nprint(json.dumps(probe('x-good')['x-good']))"
    report = child(PROBE + code, plugin("x-good", GOOD))
    fault = "the process that imports it cannot be started: this program has no Python interpreter"
    assert report == [None, fault, []]


@pytest.mark.skipif(not Path("/proc").exists(), reason="there is no /proc")
@pytest.mark.parametrize("end", ["time.sleep(60)", ""], ids=["hangs", "ends"])
def test_processes_that_a_plugin_started_are_ended_with_it(
    plugin: Plugin, child: Child, tmp_path: Path, end: str
) -> None:
    code = (
        "import os, subprocess, sys, time\n"
        "process = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        f"with open({str(tmp_path / 'pid')!r}, 'w') as file: file.write(str(process.pid))\n{end}\n{GOOD}"
    )
    program = """
    import time
    from pathlib import Path
    import_probe.MAX_SECONDS = int(sys.argv[2])
    report = probe("x-starts")["x-starts"]
    status = Path("/proc", Path(sys.argv[1]).read_text(), "stat")
    ends = time.monotonic() + 60
    while status.exists() and status.read_text().rpartition(")")[2].split()[0] != "Z" and time.monotonic() < ends:
        time.sleep(0.05)
    print(json.dumps([report.fault, time.monotonic() < ends]))
    """
    arguments = [tmp_path / "pid", "6" if end else "60"]
    fault, ended = child(PROBE + dedent(program), plugin("x-starts", code), arguments=arguments)
    assert ended
    assert bool(fault) == bool(end)
