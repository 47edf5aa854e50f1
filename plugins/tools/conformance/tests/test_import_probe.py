"""Each plugin loaded in a process of its own: what it changes there is told, and the doctor survives it all."""

from __future__ import annotations

import locale
import os
import sys

import pytest
from faulty import GOOD, HEAD

CHANGES = {  # C25, C26: what a plugin does when it is imported, and what is told of it
    "x-function": (
        "import urlschemes.redaction as d\nd.one_line = lambda *_: ''",
        "urlschemes.redaction.one_line is now ",
    ),
    "x-method": (
        "from urlschemes import URL\nURL.check_line = lambda _: None",
        "urlschemes.url.value.URL.check_line is now x_method.<lambda>",
    ),
    "x-gone": (
        "from urlschemes import Policy\ndel Policy.check_host",
        "urlschemes_access.policy.Policy.check_host is gone",
    ),
    "x-added": (
        "from urlschemes import InternetURL, URL\nURL.host = InternetURL.host",
        "urlschemes.url.value.URL.host is new: a builtins.property",
    ),
    "x-standard": ("import socket\nsocket.create_connection = print", "socket.create_connection is now a builtins.b"),
    "x-json": ("import json\njson.dumps = None", "json.dumps is now None"),
    "x-write": ("import os\nos.write = os._exit = os.getpid = None", "os.write is now None"),
    "x-looks": (
        "import threading, locale\nthreading.enumerate = locale.setlocale = print",
        "threading.enumerate is now ",
    ),
    "x-code": (
        "from urlschemes import Policy\nPolicy.check_host.__code__ = (lambda *_: None).__code__",
        "urlschemes_access.policy.Policy.check_host.__code__ is now a builtins.code",
    ),
    "x-defaults": (
        "from urlschemes_conformance.subprocesses import run\nrun.__kwdefaults__['cwd'] = '/'",
        "urlschemes_conformance.subprocesses.run.__kwdefaults__ is now ",
    ),
    "x-builtin": (
        "import builtins\nbuiltins.open = print",
        "builtins.open is now a builtins.builtin_function_or_method",
    ),
    "x-module": (
        "import sys, types\nsys.modules['json'] = types.ModuleType('json')",
        "the place of json in sys.modules",
    ),
    "x-registers": (
        (
            "from urlschemes import default_registry as registry\nregistry.register(registry.registration('x-other'), replace=True)"
        ),
        "the schemes of urlschemes.registry.default_registry: x-other added",
    ),
    "x-timeout": ("import socket\nsocket.setdefaulttimeout(3)", "the default timeout of sockets: None became 3.0"),
    "x-signal": (
        "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)",
        "the handler of SIGTERM: a signal.Handlers became a signal.Handlers",
    ),
    "x-warnings": ("import warnings\nwarnings.simplefilter('ignore')", "the filters of warnings: added ('ignore', "),
    "x-logging": (
        "import logging\nlogging.basicConfig()",
        "the handlers of the root logger: added a logging.StreamHand",
    ),
    "x-level": ("import logging\nlogging.getLogger().setLevel(1)", "the level of the root logger: 30 became 1"),
    "x-path": ("import sys\nsys.path.insert(0, '/nowhere')", "sys.path: added '/nowhere'"),
    "x-finder": (
        "import sys\nclass F:\n    @staticmethod\n    def find_spec(*_): return None\nsys.meta_path.append(F)",
        "sys.meta_path: added x_finder.F",
    ),
    "x-hook": ("import sys\nsys.excepthook = print", "sys.excepthook: "),
    "x-thread-hook": ("import threading\nthreading.excepthook = print", "threading.excepthook: "),
    "x-environ": ("import os\nos.environ['HTTP_PROXY'] = 'http://joe:secret@h/'", "the environment: HTTP_PROXY added"),
    "x-folder": ("import os\nos.chdir('/')", "the working directory: "),
    "x-umask": ("import os\nos.umask(0)", "the mask of file modes: "),
    "x-recursion": ("import sys\nsys.setrecursionlimit(5000)", "the recursion limit: 1000 became 5000"),
    "x-thread": (
        "import threading, time\nthreading.Thread(target=time.sleep, args=(60,), name='worker').start()",
        "the threads: the thread 'worker' added",
    ),
    "x-atexit": ("import atexit\natexit.register(print)", "the functions to be called at exit: "),
    "x-connects": (
        "import socket\nwith socket.socket() as s:\n    s.connect_ex(('127.0.0.1', 1))",
        "connected a socket to ('127.0.0.1', 1)",
    ),
    "x-runs": ("import subprocess, sys\nsubprocess.run([sys.executable, '-c', ''])", "ran the program "),
    "x-writes": ("import pathlib\npathlib.Path(__file__).with_name('made').write_text('a')", "opened the file "),
    "x-hostile": (
        "import sys\nclass H:\n    def __eq__(*_): 1 / 0\n    __repr__ = __hash__ = __eq__\nsys.displayhook = H()",
        "sys.displayhook: a builtins.builtin_function_or_method became a x_hostile.H",
    ),
}
WINDOWS = sys.platform == "win32"


def test_what_a_plugin_changes_for_others_is_told(plugin, child):  # C25, C26
    for name, (code, _) in CHANGES.items():
        plugin(name, f"{code}\n{GOOD}")
    plugin("x-other", code=None, site="other")
    told, untouched = child(
        HEAD
        + f"""
import locale, logging, os, signal, socket, threading, warnings
def mine():
    return [socket.getdefaulttimeout(), os.getcwd(), len(warnings.filters), len(sys.path), sys.getrecursionlimit(),
            len(threading.enumerate()), str(signal.getsignal(signal.SIGTERM)), "HTTP_PROXY" in os.environ,
            logging.getLogger().handlers, sys.excepthook is sys.__excepthook__]
before = mine()
names = {[*CHANGES]!r}
found = {{d.claim.name: d for d in urlschemes.Registry(["x-good", *names]).diagnose(verify=True)}}
assert found["x-good"].changes == (), found["x-good"]
assert not found["x-good"].in_trouble
assert not any(name.replace("-", "_") in sys.modules for name in names)
controls(*names)
print(json.dumps([[[*found[n].claim[7:], found[n].changes, found[n].in_trouble] for n in names], before == mine()]))
""",
        plugin("x-good", GOOD),
        plugin("x-last", site="other"),
    )
    assert untouched
    for (name, (_, expected)), (state, reason, changes, trouble) in zip(CHANGES.items(), told, strict=True):
        assert trouble, name
        assert state == "active", (name, changes, reason)
        assert any(expected in change for change in changes), (name, changes)
        assert not any("secret" in change for change in changes)


@pytest.mark.skipif(
    locale.setlocale(locale.LC_ALL) == "C", reason="the locale is C already: setting it changes nothing"
)
def test_a_locale_that_is_set_is_told(plugin, child):  # C26
    (change,) = child(
        HEAD
        + """
(found,) = [d for d in urlschemes.Registry(["x-locale"]).diagnose(verify=True) if d.claim.name == "x-locale"]
controls("x-locale")
print(json.dumps(found.changes))
""",
        plugin("x-good", GOOD),
        plugin("x-locale", f"import locale\nlocale.setlocale(locale.LC_ALL, 'C')\n{GOOD}"),
    )
    assert change.startswith("the locale: ")
    assert change.endswith(" became 'C'")


ENDS = {  # C02, C05, C26: how a plugin ends or holds up the process that loads it
    "x-exit": ("import os\nos._exit(7)", "the process to load it in ended with the exit code 7"),
    "x-zero": ("import os\nos._exit(0)", "the process to load it in ended with the exit code 0"),
    "x-kill": (
        "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)",
        "the process to load it in was ended by SIGKILL",
    ),
    "x-hangs": (
        "import threading\nthreading.Event().wait()",
        "the process to load it in had not ended after 2 seconds",
    ),
    "x-deaf": (
        "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: time.sleep(1)",
        "the process to load it in had not ended after 2 seconds",
    ),
    "x-forks": ("import os\nif os.fork() == 0: os._exit(0)\nos.wait()", ""),
    "x-prints": ('print(\'{"seconds": 1.0, "fault": "", "changes": []}\')\nimport os\nos.write(2, b\'!\')', ""),
    "x-reads": ("assert input == input\nimport sys\nassert sys.stdin.read() == ''", ""),
    "x-interrupts": ("raise KeyboardInterrupt", "KeyboardInterrupt"),
    "x-memory": ("raise MemoryError", "MemoryError"),
    "x-floods": (
        "import os\nfor n in range(3, 20):\n    try: os.write(n, bytes(1 << 21))\n    except OSError: pass",
        "ended",
    ),
    "x-detached": ("import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(5)\n    os._exit(0)", ""),
}


@pytest.mark.skipif(WINDOWS, reason="what these plugins do is POSIX")
def test_the_doctor_survives_whatever_a_plugin_does(plugin, child):  # C02, C03, C04, C05, C25, C27
    for name, (code, _) in ENDS.items():
        plugin(name, f"{code}\n{GOOD}")
    said = child(
        HEAD
        + f"""
from urlschemes import verification
verification.SECONDS = 2
names = {[*ENDS]!r}
found = {{d.claim.name: d for d in urlschemes.Registry(names).diagnose(verify=True)}}
controls(*names)
print(json.dumps([[found[n].claim.state, found[n].claim.reason, found[n].in_trouble] for n in names]))
""",
        plugin("x-good"),
    )
    for (name, (_, told)), (state, reason, trouble) in zip(ENDS.items(), said, strict=True):
        if told:
            assert (state, trouble) == ("broken", True), name
            assert told in reason, name
        else:
            assert (state, reason) == ("active", ""), name


def test_the_algorithms_and_hooks_are_verified_too(plugin, install, child):  # C01, C25
    plugin("x-late", access="raise SystemExit(3)")
    plugin("x-lacks", access="")
    plugin("x-patches", access="import socket\nsocket.setdefaulttimeout(1)\ndef access(url): yield")
    hooks = "from urlschemes.registry.hooks import hookimpl\n@hookimpl\ndef urlschemes_vetoo(url): pass\n"
    site = install("misspelt", "[urlschemes]\nveto = misspelt\n", {"misspelt.py": hooks})
    said = child(
        HEAD
        + """
names = ("x-late", "x-lacks", "x-patches", "misspelt")
found = {d.claim.distribution: d for d in urlschemes.Registry(names).diagnose(verify=True)}
controls()
print(json.dumps([[found[name].claim.state, found[name].claim.reason, found[name].changes] for name in names]))
""",
        site,
        plugin("x-good"),
    )
    assert [each[0] for each in said] == ["broken", "broken", "active", "broken"]
    assert "SystemExit: 3" in said[0][1]
    assert "has no function 'access'" in said[1][1]
    assert said[2][2] == ["the default timeout of sockets: None became 1.0"]
    assert "unknown hook 'urlschemes_vetoo'" in said[3][1]


def test_a_program_that_has_no_interpreter_verifies_nothing(plugin, child):
    assert child(
        HEAD
        + """
sys.executable = None
(found,) = [d for d in urlschemes.Registry(["x-good"]).diagnose(verify=True) if d.claim.name == "x-good"]
controls()
print(json.dumps([found.claim.state, found.claim.reason, found.seconds]))
""",
        plugin("x-good", GOOD),
    ) == ["broken", "the process to load it in cannot be started: this program has no Python interpreter", None]


def test_what_is_not_verified_has_no_changes(plugin, child):
    assert child(
        HEAD + "print(json.dumps([d.changes for d in registry.diagnose(load=True) if d.claim.name == 'x-good']))",
        plugin("x-good", GOOD),
    ) == [None]


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="there are no groups of processes")
@pytest.mark.parametrize(
    ("end", "state"), [("time.sleep(60)", "broken"), ("", "active")], ids=["it hangs", "it ends well"]
)
def test_what_a_plugin_started_ends_with_it(plugin, child, tmp_path, end, state):
    code = (
        "import os, subprocess, sys, time\n"
        "p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        f"with open({str(tmp_path / 'number')!r}, 'w') as file: file.write(str(p.pid))\n{end}\n{GOOD}"
    )
    plugin("x-starts", code)
    assert child(
        HEAD
        + f"""
import os, time
from urlschemes import verification
verification.SECONDS = 2
diagnoses = urlschemes.Registry(["x-starts"]).diagnose(verify=True)
with open({str(tmp_path / "number")!r}) as file:
    number = int(file.read())
for _ in range(100):
    try:
        with open(f"/proc/{{number}}/stat") as file:
            if file.read().rpartition(")")[2].split()[0] == "Z":
                break
        time.sleep(0.05)
    except OSError:
        break
else:
    raise AssertionError("it still runs")
print(json.dumps([each.claim.state for each in diagnoses if each.claim.name == "x-starts"]))
""",
        plugin("x-good", GOOD),
    ) == [state]
