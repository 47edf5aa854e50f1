"""The `urlschemes` command: what it prints, where, and how it ends; on pipes and on terminals."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from urlschemes.registry.claim_selection import _BUILT_IN_COMMANDS
from urlschemes_cli.app import _HOMES, command

if sys.platform == "win32":
    pytest.skip("terminals are those of POSIX here", allow_module_level=True)
import pty
import termios

ROOT = Path(__file__).resolve().parents[2]
DISTRIBUTION = "shelf-schemes"
RECORD = r"""
api = 1
scheme = "x-shelf"
status = "experimental"
title = "Things on a shelf"
reference = "nowhere, section 1"
contact = "the tests"
change_controller = "the tests"
default_port = 7070
operations = ["access", "find attributes"]
encoding_considerations = "None at all."
interoperability_considerations = "Whoever has the shelf has the things."
security_considerations = "Do not lean on it."

[options.shout]
description = "in capitals"

[options.times]
description = "how often"
environment = "SHELF_TIMES"

[options.sure]
description = "that it is meant"
configurable = false

[syntax]
rule = "shelfurl"
bnf = '''
shelfurl = "x-shelf://" login [ "/" thing ]     ; section 1
thing    = *uchar
'''

[syntax.parts]
user = { at = "user" }
password = { at = "password" }
host = { at = "host" }
port = { at = "port", number = true }
thing = { at = "thing" }

[[examples]]
url = "x-shelf://host.dom/vase"
parts = { host = "host.dom", port = 7070, thing = "vase" }
says = "A vase."

[[examples]]
url = "x-shelf://host.dom/a b"
invalid = true
says = "A blank must be encoded."
"""
LOCAL = """
api = 1
scheme = "x-drawer"
status = "experimental"
title = "Things in a drawer"
reference = "nowhere, section 2"
contact = "the tests"
change_controller = "the tests"
local = true
encoding_considerations = "None."
interoperability_considerations = "None."
security_considerations = "None."

[syntax]
rule = "drawerurl"
bnf = '''
drawerurl = "x-drawer:" thing
thing     = *[ uchar | "/" ]
'''

[syntax.parts]
thing = { at = "thing" }
"""
HOSTILE = "caf\u00e9 \x1b[31mred \u202ebidi\r\nnext\tcolumn\x9b5m\n"
ACCESS = f"""
from datetime import UTC, datetime

from urlschemes.errors import AuthRequired, Truncated
from urlschemes_access.attributes import Attributes, Entry
from urlschemes_access.credentials import Form, Question
from urlschemes_access.resources import Session
from urlschemes_access.protocol import Ask, Authenticate, Connect, Deliver, Open, OpenFile, Reader, Send, Unterminated

HOSTILE = {HOSTILE!r}
MONDAY = datetime(1994, 12, 5, 8, 30, tzinfo=UTC)


def access(url, *, shout=False, times=1):
    thing = url.thing or ""
    text = Attributes(media_type="text/plain", name="../../etc/passwd")
    if thing == "hostile":
        yield from Open("document", text)
        for octet in HOSTILE.encode():
            yield from Deliver(bytes([octet]))
        yield from Deliver(b"\\xff")
    elif thing == "latin":
        yield from Open("document", Attributes(media_type="text/plain; charset=iso-8859-1"))
        yield from Deliver(b"caf\\xe9")
    elif thing == "binary":
        yield from Open("document", Attributes(media_type="image/x-thing"))
        yield from Deliver(b"\\x00\\x1b[2J" * 100)
    elif thing == "cut":
        yield from Open("document", text)
        yield from Deliver(b"the beg")
        raise Truncated("it ended too early", received=7, expected=10)
    elif thing == "undotted":
        yield from Open("document", text)
        yield from Deliver(b"all\\n")
        yield from Unterminated()
    elif thing == "endless":
        yield from Open("document", text)
        while True:
            yield from Deliver(b"more\\n" * 1000)
    elif thing == "menu":
        yield from Open("listing")
        yield from Deliver(Entry(name="vase", url="x-shelf://host.dom/vase", kind="vase", size=12345, modified=MONDAY))
        yield from Deliver(Entry(name="e\\x1b[2Jvil\\n\\tname", kind="thing", problem="it has no \\x1b]0;name"))
    elif thing == "cutmenu":
        yield from Open("listing")
        yield from Deliver(Entry(name="vase"))
        raise Truncated("it ended too early")
    elif thing == "session":
        yield from Open("session", session=Session)
    elif thing == "login":
        known = yield from Authenticate(url.host, url.port, user=url.user, realm="the \\x1b[31mvault")
        if known is None:
            raise AuthRequired("it wants a login")
        yield from Open("document", text)
        yield from Deliver(f"{{known.user}} has {{len(known.password)}} letters\\n".encode())
    elif thing == "form":
        questions = (Question("ask", "Name?", "nobody"), Question("ask", "Word?", hidden=True),
                     Question("choose", "Colour?", "red", ("red", "blue")))
        answers = yield from Ask(Form("A form\\nwith a note", questions))
        yield from Open("document", text)
        yield from Deliver(repr(answers).encode())
    elif thing == "options":
        yield from Open("document", text)
        yield from Deliver(f"{{shout!r}} {{times!r}}".encode())
    elif thing == "wire":
        peer = yield from Connect(url.host, url.port)
        yield from Send(peer, b"PASS opensesame\\r\\n", secret=b"opensesame")
        reader = Reader(peer)
        yield from Open("document", text)
        while octets := (yield from reader.some()):
            yield from Deliver(octets)
    else:
        yield from Open("document", text)
        yield from Deliver(b"a vase\\n")


def find_attributes(url):
    fields = {{"Colour": "blue\\x1b[0m", "\\x1b[2JSize\\n": "s"}}
    yield from Open("attributes", Attributes(media_type="text/plain", size=1234, modified=MONDAY, fields=fields))
"""
OPEN_FILE = """
from urlschemes_access.protocol import Algorithm, Deliver, Open, OpenFile, Reader


def access(url):
    reader = Reader((yield from OpenFile(url.thing)))
    yield from Open("document")
    while octets := (yield from reader.some()):
        yield from Deliver(octets)
"""
CODE = """
from urlschemes import Registration, Scheme

registration = Registration.of(__name__)
scheme = Scheme(registration, access=__name__ + ".access")
"""
DEMO = """
from contextlib import contextmanager, suppress
from pathlib import Path
from urlschemes_cli.demonstration import Demonstration

@contextmanager
def shelf(folder):
    assert isinstance(folder, Path) and list(folder.iterdir()) == []
    yield Demonstration("x-shelf://joe:secretly@127.0.0.1/vase", "A vase is seen.")

@contextmanager
def broken(folder):
    raise RuntimeError('no server today')
    yield
"""
PLUGIN_COMMAND = """
import click

@click.command()
@click.argument("what")
def dust(what):
    click.echo(f"dusted {what}")
"""
ENTRY_POINTS = """\
[urlschemes.schemes]
x-shelf = shelf_schemes:scheme
x-drawer = shelf_schemes.drawer:scheme
"""
Run = Callable[..., Result]


@pytest.fixture
def site(install: Any) -> Path:
    """A folder with a distribution of two made-up schemes."""
    files = {
        "shelf_schemes/__init__.py": CODE,
        "shelf_schemes/registration.toml": RECORD,
        "shelf_schemes/access.py": ACCESS,
        "shelf_schemes/drawer/__init__.py": CODE,
        "shelf_schemes/drawer/registration.toml": LOCAL,
        "shelf_schemes/drawer/access.py": OPEN_FILE,
    }
    folder: Path = install(DISTRIBUTION, ENTRY_POINTS, files)
    return folder


@pytest.fixture
def run(site: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """Runs the command in this process, with the made-up schemes and no others."""
    monkeypatch.syspath_prepend(str(site))

    def invoke(*arguments: str, plugins: str = DISTRIBUTION, **more: Any) -> Result:
        return CliRunner().invoke(command, ["--plugins", plugins, *arguments], prog_name="urlschemes", **more)

    yield invoke
    for name in [name for name in sys.modules if name.partition(".")[0] == "shelf_schemes"]:
        del sys.modules[name]


def environment(site: Path, **more: str) -> dict[str, str]:
    own = ("URLSCHEMES_", "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "PYTHON", "TERM")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(own)}
    return {**kept, "PYTHONPATH": str(site), "PYTHONWARNINGS": "error", "URLSCHEMES_PLUGINS": DISTRIBUTION, **more}


@pytest.fixture
def shell(site: Path, tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[bytes]]:
    """Runs the command in a process of its own, whose standard input is no terminal."""

    def call(*arguments: str, stdout: Any = subprocess.PIPE, **more: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, "-m", "urlschemes_cli", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=subprocess.PIPE,
            env=environment(site, **more),
            cwd=tmp_path,
            timeout=60,
            check=False,
        )

    return call


Terminal = Callable[..., tuple[int, str]]


@pytest.fixture
def terminal(site: Path, tmp_path: Path) -> Terminal:
    """Runs the command on a terminal of its own; returns the exit code, and all that the terminal got.

    `answers` pairs what the screen must show with what is typed then.
    """

    def call(
        *arguments: str, answers: tuple[tuple[str, str], ...] = (), width: int = 80, **more: str
    ) -> tuple[int, str]:
        outside, inside = pty.openpty()
        termios.tcsetwinsize(inside, (40, width))
        process = subprocess.Popen(
            [sys.executable, "-m", "urlschemes_cli", *arguments],
            stdin=inside,
            stdout=inside,
            stderr=inside,
            env=environment(site, TERM="xterm-256color", **more),
            cwd=tmp_path,
            start_new_session=True,
        )
        os.close(inside)
        shown, seen = b"", 0
        waiting = [(wanted.encode(), typed.encode()) for wanted, typed in answers]
        try:
            while select.select([outside], [], [], 60)[0]:
                try:
                    octets = os.read(outside, 65536)
                except OSError:  # Linux: the last one inside has closed
                    break
                if not octets:
                    break
                shown += octets
                if waiting and (at := shown.find(waiting[0][0], seen)) >= 0:
                    seen = at + len(waiting[0][0])
                    os.write(outside, waiting.pop(0)[1])
            code = process.wait(30)
        finally:
            process.kill()
            process.wait()
            os.close(outside)
        assert waiting == [], shown
        return code, shown.decode()

    return call


STYLE = re.compile(r"\x1b\[[0-9;?]*[mhlKJ]")


def plain(screen: str) -> str:
    """What a person reads: without what rich itself sends to the terminal, which must be all of the control octets."""
    text = STYLE.sub("", screen).replace("\r\n", "\n")
    assert re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text) is None, repr(text)
    return text


# Reading


def test_parse_shows_each_part_and_hides_the_password(run: Run) -> None:
    result = run("parse", "x-shelf://joe:hunter2@Host.dom/a%20b")
    assert result.exit_code == 0
    rows = [re.split(r"  +", row) for row in result.stdout.splitlines()]
    assert rows[0] == ["part", "value", "as written"]
    assert rows[2:] == [
        ["scheme", "x-shelf", "x-shelf"],
        ["user", "joe", "joe"],
        ["password", "***", "***"],
        ["host", "host.dom", "Host.dom"],
        ["port", "7070", "absent"],
        ["thing", "a b", "a%20b"],
    ]
    assert result.stderr == ""


def test_parse_as_json(run: Run) -> None:
    result = run("parse", "--json", "x-shelf://joe:hunter2@host.dom/a%20b%FF")
    assert json.loads(result.stdout) == {
        "url": "x-shelf://joe:***@host.dom/a%20b%FF",
        "scheme": "x-shelf",
        "type": "XShelfURL",
        "parts": {
            "scheme": "x-shelf",
            "user": "joe",
            "password": "***",
            "host": "host.dom",
            "port": 7070,
            "thing": "a b\udcff",
        },
        "raw": {
            "scheme": "x-shelf",
            "user": "joe",
            "password": "***",
            "host": "host.dom",
            "port": None,
            "thing": "a%20b%FF",
        },
    }
    assert result.stdout.isascii()


def test_an_absent_password_and_an_empty_one_stay_apart(run: Run) -> None:
    absent, empty = (json.loads(run("parse", "--json", f"x-shelf://joe{each}@h/").stdout) for each in ("", ":"))
    assert (absent["parts"]["password"], empty["parts"]["password"]) == (None, "")


def test_a_program_that_asks_for_the_password_gets_it(run: Run) -> None:
    given = run("parse", "--json", "--passwords", "x-shelf://joe:hunter2@host.dom/")
    said = json.loads(given.stdout)
    assert said["url"] == "x-shelf://joe:hunter2@host.dom/"
    assert said["parts"]["password"] == said["raw"]["password"] == "hunter2"
    assert run("fix", "--passwords", "x-shelf://joe:hunter2@h/~").stdout == "x-shelf://joe:hunter2@h/%7E\n"


def test_explain_names_the_parts_underneath(run: Run) -> None:
    result = run("explain", "x-shelf://joe:hunter2@host.dom:81/vase")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines() == [
        "x-shelf://joe:***@host.dom:81/vase",
        "^~~~~~~   ^~~ ^~~ ^~~~~~~~ ^~ ^~~~",
        "|         |   |   |        |  +- thing 'vase'  nowhere, section 1",
        "|         |   |   |        +- port 81  RFC 1738 section 3.1",
        "|         |   |   +- host 'host.dom'  RFC 1738 section 3.1",
        "|         |   +- password ***  RFC 1738 section 3.1",
        "|         +- user 'joe'  RFC 1738 section 3.1",
        "+- scheme x-shelf  RFC 1738 section 2.1",
    ]


def test_explain_puts_a_caret_under_the_fault_and_shows_the_repair(run: Run) -> None:
    result = run("explain", "x-shelf://host.dom/~vase")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[:2] == ["x-shelf://host.dom/~vase", " " * 19 + "^"]
    assert "'~' at position 19 is unsafe" in lines[2]
    assert lines[-1] == "  repaired  x-shelf://host.dom/%7Evase"


@pytest.mark.parametrize(
    ("url", "column"), [("x-shelf://joe:hun^er@h/a", 14), ("x-shelf://joe:hunter2@h/a^", 21), ("x-shelf://h/\x1b^", 12)]
)
def test_the_caret_stands_right_where_text_is_hidden_or_escaped(run: Run, url: str, column: int) -> None:
    lines = run("explain", url).stdout.splitlines()
    assert lines[1] == " " * column + "^"
    assert "hun" not in lines[0]
    assert "\x1b" not in lines[0]


def test_check_lists_findings(run: Run) -> None:
    result = run("check", "x-shelf://joe:hunter2@host.dom:81/")
    assert result.exit_code == 0
    assert [line.split(":")[0] for line in result.stdout.splitlines() if not line.startswith(" ")] == [
        "warning at 14",
        "warning at 31",
    ]
    assert "hunter2" not in result.stdout
    wrong = run("check", "x-shelf://host.dom/a b~")
    assert wrong.exit_code == 1
    lines = wrong.stdout.splitlines()
    assert [line[:25] for line in lines if line[0] != " "] == ["error: a blank at positio", "error: '~' at position 22"]
    assert all(line == line.rstrip() for line in lines)
    assert run("check", "x-shelf://host.dom/a").stdout == "valid, and nothing unwise in it\n"


def test_check_as_json(run: Run) -> None:
    said = json.loads(run("check", "--json", "x-shelf://host.dom:81/").stdout)
    assert (said["url"], said["valid"]) == ("x-shelf://host.dom:81/", True)
    (finding,) = said["findings"]
    keys = {"code", "severity", "message", "span", "part", "expected", "rule", "section", "hint"}
    assert set(finding) == keys
    assert (finding["code"], finding["severity"], finding["span"]) == ("reserved-port", "warning", [19, 21])
    invalid = run("check", "--json", "x-shelf://host.dom/~")
    assert (invalid.exit_code, json.loads(invalid.stdout)["valid"]) == (1, False)


def test_check_of_an_unknown_scheme_lists_what_holds_for_every_url(run: Run) -> None:
    result = run("check", "--json", "x-attic:a b")
    said = json.loads(result.stdout)
    assert (result.exit_code, said["valid"]) == (1, False)
    assert [finding["code"] for finding in said["findings"]] == ["unknown-scheme", "invalid-character"]


def test_fix_shows_no_character_of_a_password(run: Run) -> None:
    result = run("fix", "x-shelf://joe:hun~ter2@host.dom/~")
    assert result.stdout == "x-shelf://joe:***@host.dom/%7E\n"
    assert "character encoded at 17: in the password" in result.stderr
    assert result.stderr.count("the password is hidden; --passwords shows it") == 1
    assert "is hidden" not in run("fix", "--passwords", "x-shelf://joe:hunter2@host.dom/~").stderr
    text = "x-shelf://h/a#x-shelf://joe:hunter2@h/"
    assert json.loads(run("fix", "--json", text).stdout)["fragment"] == "x-shelf://joe:***@h/"
    assert json.loads(run("fix", "--json", "--passwords", text).stdout)["fragment"] == "x-shelf://joe:hunter2@h/"
    assert "is hidden" not in run("fix", "x-shelf://joe@host.dom/~").stderr
    changes = json.loads(run("fix", "--json", "x-shelf://joe:hun~ter2@host.dom/~").stdout)["changes"]
    assert [(change["part"], change["before"]) for change in changes] == [("password", "***"), ("thing", "~")]
    changes = json.loads(run("fix", "--json", "--passwords", "x-shelf://joe:hun~ter2@host.dom/~").stdout)["changes"]
    assert changes[0]["before"] == "~"


def test_fix_writes_the_url_alone_and_tells_the_changes_beside_it(run: Run) -> None:
    result = run("fix", "x-shelf://host.dom/~a#top")
    assert (result.exit_code, result.stdout) == (0, "x-shelf://host.dom/%7Ea\n")
    assert result.stderr.count("urlschemes: ") == 2
    assert "character encoded at 19: ~ -> %7E" in result.stderr
    said = json.loads(run("fix", "--json", "x-shelf://host.dom/~a#top").stdout)
    assert (said["given"], said["url"], said["fragment"]) == (
        "x-shelf://host.dom/~a#top",
        "x-shelf://host.dom/%7Ea",
        "top",
    )
    assert {key for change in said["changes"] for key in change} == {
        "what",
        "position",
        "before",
        "after",
        "part",
        "section",
    }
    assert run("fix", "x-shelf://host.dom/a").stderr == "urlschemes: it is valid as it is\n"


# Extracting


LETTER = """\
See <URL:x-shelf://joe:hunter2@host.dom/
va
se>, x-shelf://host.dom/a%20b#top,
and (x-shelf://host.dom:x/) or <URL:x-else://joe:hunter2@h-
ost/>.
"""


def test_extract_writes_each_url_on_a_line_of_its_own(run: Run, tmp_path: Path) -> None:
    (tmp_path / "letter").write_text(LETTER)
    for result in (
        run("extract", str(tmp_path / "letter")),
        run("extract", input=LETTER),
        run("extract", "-", input=LETTER),
    ):
        assert result.exit_code == 0
        assert result.stdout.splitlines() == [
            "x-shelf://joe:***@host.dom/vase",
            "x-shelf://host.dom/a%20b",
            "x-else://joe:***@h-ost/",
        ]
        assert result.stderr == (
            "urlschemes: 4:32: uncertain: a hyphen stands before a line break, or `>` is the first on its line\n"
            "urlschemes: the password is hidden; --passwords shows it, in a file or a pipe\n"
        )
    assert "hidden" not in run("extract", "--passwords", input=LETTER).stderr
    assert run("extract", input="x-shelf://host.dom/a").stderr == ""


@pytest.mark.parametrize("name", ["parse", "fix", "extract"])
def test_the_help_says_that_passwords_are_hidden_in_urls_too(run: Run, name: str) -> None:
    said = " ".join(run(name, "--help").stdout.split())
    assert "Else *** stands in place of each, also within the URL that is written." in said


def test_extract_says_what_is_broken_when_asked_to(run: Run) -> None:
    result = run("extract", "--invalid", "--positions", input=LETTER)
    assert result.exit_code == 1
    assert [line.partition(" ")[0] for line in result.stdout.splitlines()] == ["1:5:", "3:6:", "4:32:"]
    assert result.stderr.startswith("urlschemes: 4:6: x-shelf://host.dom:x/: ")


def test_extract_leaves_bare_urls_out_when_asked_to(run: Run) -> None:
    result = run("extract", "--delimited", "--invalid", input=LETTER)
    assert result.stdout.splitlines() == ["x-shelf://joe:***@host.dom/vase", "x-else://joe:***@h-ost/"]
    assert result.exit_code == 0


def test_extract_as_json(run: Run) -> None:
    result = run("extract", "--json", "--invalid", input=LETTER)
    assert (result.exit_code, result.stderr) == (1, "")
    found = json.loads(result.stdout)
    assert result.stdout == json.dumps(found, indent=2) + "\n"
    assert found[1] == {
        "url": "x-shelf://host.dom/a%20b",
        "fragment": "top",
        "uncertain": False,
        "grade": "bare",
        "span": [49, 77],
        "line": 3,
        "column": 6,
    }
    assert (found[2]["text"], found[2]["error"]["code"]) == ("x-shelf://host.dom:x/", "invalid-port")
    assert [each.get("uncertain") for each in found] == [False, False, None, True]
    assert "hunter2" not in result.stdout
    assert run("extract", "--json", input="nothing").stdout == "[]\n"


def test_extract_gives_passwords_to_a_program_that_asks(run: Run, terminal: Terminal) -> None:
    result = run("extract", "--passwords", input=LETTER)
    assert result.stdout.splitlines()[::2] == ["x-shelf://joe:hunter2@host.dom/vase", "x-else://joe:hunter2@h-ost/"]
    code, screen = terminal("extract", "--passwords", "-")
    assert (code, "not for a terminal" in screen) == (2, True)


def test_extract_reads_octets_of_any_kind(run: Run) -> None:
    octets = (
        b"\xef\xbb\xbfx-shelf://host.dom/a \x1b[31m\xff\x00 x-shelf://host.dom/\xe9 <URL:x-shelf://host.dom/b#\x1b[2J>"
    )
    result = run("extract", "--invalid", input=octets)
    assert result.stdout.splitlines() == ["x-shelf://host.dom/a", "x-shelf://host.dom/b"]
    assert re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", result.stderr) is None
    assert r"x-shelf://host.dom/\xe9" in result.stderr
    assert json.loads(run("extract", "--json", input=octets).stdout)[1]["fragment"] == "\x1b[2J"


def test_extract_writes_what_it_found_before_more_comes(site: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-u", "-m", "urlschemes_cli", "extract"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment(site, PYTHONUNBUFFERED="1"),
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"x-shelf://host.dom/a \n")
        process.stdin.flush()
        assert process.stdout.readline() == b"x-shelf://host.dom/a\n"
        process.stdin.close()
        assert process.wait(30) == 0


def test_extract_from_a_file_that_is_not_there(run: Run, tmp_path: Path) -> None:
    for path in (tmp_path / "nothing", tmp_path):
        result = run("extract", str(path))
        assert result.exit_code == 2
        assert result.stderr.splitlines()[1].startswith("urlschemes: ")


# Errors


@pytest.mark.parametrize(
    ("code", "arguments"),
    [
        (0, ["parse", "x-shelf://h/"]),
        (1, ["parse", "x-shelf://h/~"]),
        (1, ["fix", "x-shelf://"]),
        (1, ["access", "x-shelf://h/~"]),
        (2, []),
        (2, ["pars", "x-shelf://h/"]),
        (2, ["parse"]),
        (2, ["access", "--timeout", "never", "x-shelf://h/"]),
        (2, ["access", "--allow-network", "elsewhere", "x-shelf://h/"]),
        (2, ["access", "-o", ".", "x-shelf://h/"]),
        (2, ["access", "-o", "no/such/folder", "x-shelf://h/"]),
        (3, ["access", "x-shelf://h/cut"]),
        (3, ["access", "x-shelf://127.0.0.1/login"]),
        (3, ["access", "x-shelf://127.0.0.1/form"]),
        (4, ["access", "x-shelf://h/%0d"]),
        (4, ["access", "x-shelf://h:81/"]),
        (4, ["access", "x-drawer:/etc/motd"]),
        (4, ["attributes", "--root", ".", "x-drawer:/etc/motd"]),
        (4, ["access", "x-shelf://h/session"]),
        (5, ["parse", "x-attic://h/"]),
        (5, ["show", "x-attic"]),
        (5, ["why", "x-attic"]),
    ],
)
def test_exit_codes(run: Run, code: int, arguments: list[str]) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.exception is None or isinstance(result.exception, SystemExit)) == (code, True)
    assert (result.stderr == "") == (code == 0 or arguments[:1] == ["why"])
    assert "Traceback" not in result.stderr


def test_the_help_lists_the_exit_codes_and_so_does_the_documentation(run: Run) -> None:
    said = run("--help").stdout
    listed = re.findall(r"^  (\d+) +(\w.*)$", said[said.index("Exit codes:") :], re.MULTILINE)
    assert [int(code) for code, _ in listed] == [0, 1, 2, 3, 4, 5, 130, 141]
    page = ROOT / "docs" / "command-line.md"
    if not page.exists():
        pytest.skip("the documentation is not beside these tests")
    text = page.read_text("utf-8")
    for code, _ in listed:
        assert f"| {code} |" in text
    for name in _HOMES:  # what plugins add, their own pages describe
        each = command.get_command(command.make_context("urlschemes", ["parse", "x"]), name)
        assert each is not None
        assert f"`{name}" in text
        for option in (option for parameter in each.params for option in parameter.opts if option.startswith("-")):
            assert option in text, (name, option)


def test_an_error_is_one_line_and_a_help(run: Run) -> None:
    result = run("parse", "x-shelf://host.dom/~")
    assert result.stdout == ""
    assert result.stderr.splitlines() == [
        "urlschemes: '~' at position 19 is unsafe and must be encoded always",
        "  help: write %7E, or let `fix` do it",
    ]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["parse", "--json", "x-shelf://joe:hunter2@h/~"], "invalid-character"),
        (["parse", "--json", "x-attic://joe:hunter2@h/"], "unknown-scheme"),
        (["fix", "--json", "x-shelf://joe:hunter2@"], "not-repairable"),
        (["access", "--json", "x-shelf://joe:hunter2@h/cut"], "truncated"),
        (["attributes", "--json", "x-shelf://joe:hunter2@h:81/"], "policy-denied"),
    ],
)
def test_an_error_as_json_has_the_same_keys_everywhere(run: Run, arguments: list[str], code: str) -> None:
    result = run(*arguments)
    said = json.loads(result.stdout)
    assert set(said["error"]) == {"code", "message", "scheme", "part", "position", "rule", "section", "hint", "origin"}
    assert said["error"]["code"] == code
    assert result.stderr.startswith("urlschemes: ")
    assert "hunter2" not in result.stdout + result.stderr


def test_a_misplaced_url_does_not_give_its_password_away(run: Run) -> None:
    for arguments in (["parse", "a", "x-shelf://joe:hunter2@h/"], ["x-shelf://joe:hunter2@h/"]):
        result = run(*arguments)
        assert result.exit_code == 2
        assert "joe:***@h" in result.stderr
        assert "hunter2" not in result.stderr


def test_what_the_policy_refuses_is_said_in_options_of_the_command(run: Run, tmp_path: Path) -> None:
    (tmp_path / "motd").write_text("of the day\n")
    assert "--allow-port" in run("access", "x-shelf://127.0.0.1:81/").stderr
    assert run("access", "--allow-port", "81", "x-shelf://127.0.0.1:81/").stdout == "a vase\n"
    assert "--root DIR" in run("access", f"x-drawer:{tmp_path}/motd").stderr
    assert run("access", "--root", str(tmp_path), f"x-drawer:{tmp_path}/motd").stdout == "of the day\n"
    assert run("access", "--root", str(tmp_path), f"x-drawer:{Path(__file__)}").exit_code == 4
    assert "--allow-network" in run("access", "x-shelf://169.254.1.1/wire").stderr


# Access


def test_a_pipe_gets_the_octets_as_they_came(shell: Any) -> None:
    done = shell("access", "x-shelf://127.0.0.1/hostile")
    assert (done.returncode, done.stdout, done.stderr) == (0, HOSTILE.encode() + b"\xff", b"")
    assert shell("access", "--raw", "x-shelf://127.0.0.1/binary").stdout == b"\x00\x1b[2J" * 100


def test_a_terminal_gets_nothing_that_it_could_obey(terminal: Terminal) -> None:
    code, screen = terminal("access", "x-shelf://127.0.0.1/hostile")
    assert (code, plain(screen)) == (0, "café \\x1b[31mred \\u202ebidi\nnext\tcolumn\\x9b5m\n\\xff\n")
    assert plain(terminal("access", "x-shelf://127.0.0.1/latin")[1]) == "café\n"


def test_a_terminal_gets_a_dump_of_what_is_no_text(terminal: Terminal) -> None:
    code, screen = terminal("access", "x-shelf://127.0.0.1/binary")
    lines = plain(screen).splitlines()
    assert code == 0
    assert lines[0] == "00000000  00 1b 5b 32 4a 00 1b 5b  32 4a 00 1b 5b 32 4a 00  ..[2J..[2J..[2J."
    assert lines[16].startswith("urlschemes: the first 256 octets of what is no text (image/x-thing)")


@pytest.mark.parametrize(
    "arguments",
    [
        ["access", "--raw", "x-shelf://127.0.0.1/hostile"],
        ["fix", "--passwords", "x-shelf://joe:hunter2@h/"],
        ["parse", "--json", "--passwords", "x-shelf://joe:hunter2@h/"],
    ],
)
def test_what_a_terminal_must_not_get_cannot_be_asked_for(terminal: Terminal, arguments: list[str]) -> None:
    code, screen = terminal(*arguments)
    assert code == 2
    assert "not for a terminal" in plain(screen) or "a terminal would obey" in plain(screen)
    assert "hunter2" not in screen


def test_a_listing_is_a_table_on_a_terminal(terminal: Terminal) -> None:
    code, screen = terminal("access", "x-shelf://127.0.0.1/menu", width=100)
    rows = [re.split(r"  +", row.rstrip()) for row in plain(screen).splitlines()]
    assert code == 0
    assert rows[0] == ["name", "kind", "size", "modified", "URL"]
    assert rows[2] == ["vase", "vase", "12,345", "1994-12-05 08:30", "x-shelf://host.dom/vase"]
    assert rows[3] == ["e\\x1b[2Jvil\\n\\tname", "thing", "it has no \\x1b]0;name"]
    assert rows[-1] == ["2 entries"]


def test_a_listing_is_lines_of_fields_elsewhere(run: Run, tmp_path: Path) -> None:
    expected = (
        "x-shelf://host.dom/vase\tvase\t12345\t1994-12-05T08:30:00+00:00\tvase\t\n"
        "\tthing\t\t\te\\x1b[2Jvil\\n\\tname\tit has no \\x1b]0;name\n"
    )
    assert run("access", "x-shelf://127.0.0.1/menu").stdout == expected
    assert run("access", "-o", str(tmp_path / "menu"), "x-shelf://127.0.0.1/menu").stdout == ""
    assert (tmp_path / "menu").read_text("utf-8") == expected


def test_a_listing_as_json(run: Run) -> None:
    said = json.loads(run("access", "--json", "x-shelf://joe:hunter2@127.0.0.1/menu").stdout)
    assert set(said) == {"url", "kind", "entries", "attributes"}
    assert (said["url"], said["kind"]) == ("x-shelf://joe:***@127.0.0.1/menu", "listing")
    vase, evil = said["entries"]
    assert vase == {
        "name": "vase",
        "url": "x-shelf://host.dom/vase",
        "kind": "vase",
        "size": 12345,
        "modified": "1994-12-05T08:30:00+00:00",
        "fields": {},
        "problem": None,
    }
    assert (evil["name"], evil["url"]) == ("e\x1b[2Jvil\n\tname", None)


def test_a_document_as_json(run: Run, tmp_path: Path) -> None:
    said = json.loads(run("access", "--json", "x-shelf://127.0.0.1/vase").stdout)
    assert (said["kind"], said["content"], said["encoding"], said["octets"]) == ("document", "a vase\n", "utf-8", 7)
    assert said["attributes"]["media_type"] == "text/plain"
    latin = json.loads(run("access", "--json", "x-shelf://127.0.0.1/latin").stdout)
    assert (latin["content"], latin["encoding"]) == ("Y2Fm6Q==", "base64")
    target = tmp_path / "vase"
    saved = json.loads(run("access", "--json", "-o", str(target), "x-shelf://127.0.0.1/vase").stdout)
    assert (saved["saved"], saved["octets"], target.read_bytes()) == (str(target), 7, b"a vase\n")
    assert "content" not in saved


def test_a_file_is_written_whole_or_not_at_all(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "kept"
    target.write_text("what was here\n")
    link = tmp_path / "link"
    link.symlink_to(target)
    assert run("access", "-o", str(target), "x-shelf://127.0.0.1/cut").exit_code == 3
    assert run("access", "-o", str(target), "x-shelf://127.0.0.1/cutmenu").exit_code == 3
    assert target.read_text() == "what was here\n"
    assert run("access", "-o", str(link), "x-shelf://127.0.0.1/vase").exit_code == 0
    assert (target.read_text(), link.is_symlink()) == ("a vase\n", True)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["kept", "link", "site"]


def test_what_is_no_file_is_written_to_and_not_replaced(run: Run, tmp_path: Path) -> None:
    queue = tmp_path / "queue"
    os.mkfifo(queue)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(queue.read_bytes()), daemon=True)
    reader.start()
    assert run("access", "-o", str(queue), "x-shelf://127.0.0.1/vase").exit_code == 0
    reader.join(30)
    assert (got, queue.is_fifo()) == ([b"a vase\n"], True)


def test_a_missing_end_mark_is_said_beside_the_content(run: Run) -> None:
    result = run("access", "x-shelf://127.0.0.1/undotted")
    assert (result.exit_code, result.stdout) == (0, "all\n")
    assert "left out the mark that ends the content" in result.stderr


def test_attributes(run: Run) -> None:
    rows = [re.split(r"  +", row, maxsplit=1) for row in run("attributes", "x-shelf://127.0.0.1/").stdout.splitlines()]
    assert rows == [
        ["media type", "text/plain"],
        ["size", "1,234 octets"],
        ["modified", "1994-12-05 08:30:00+00:00"],
        ["Colour", "blue\\x1b[0m"],
        ["\\x1b[2JSize\\n", "s"],
    ]
    said = json.loads(run("attributes", "--json", "x-shelf://127.0.0.1/").stdout)
    assert set(said) == {"url", "attributes"}
    assert set(said["attributes"]) == {"media_type", "size", "modified", "name", "fields", "gateway"}


def test_options_of_the_scheme_have_the_types_that_it_takes(run: Run) -> None:
    url = "x-shelf://127.0.0.1/options"
    assert run("access", url).stdout == "False 1"
    assert run("access", "--option", "shout", "--option", "times=3", url).stdout == "True 3"
    assert run("access", "--option", "shout=no", url).stdout == "False 1"
    for wrong, words in (
        ("volume=11", "it has: shout, times"),
        ("shout=loud", "yes or no"),
        ("times=often", "is a whole number"),
        ("times", "times wants a value: times=..."),
    ):
        result = run("access", "--option", wrong, url)
        assert (result.exit_code, result.stdout) == (2, "")
        assert words in result.stderr


@contextmanager
def answering(octets: bytes, pause: float = 0) -> Iterator[int]:
    """A server on 127.0.0.1 that reads a line, and answers with `octets`, the last of them `pause` seconds later."""

    def serve() -> None:
        with listener, suppress(OSError), listener.accept()[0] as connection:
            connection.settimeout(30)
            with connection.makefile("rb") as lines:
                lines.readline()
                connection.sendall(octets[:-1])
                left.wait(pause)
                connection.sendall(octets[-1:])

    left = threading.Event()
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(30)
    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        left.set()
        thread.join(30)


def test_the_dialogue_is_shown_without_passwords_and_without_controls(run: Run) -> None:
    with answering(b"one opensesame\r\ntwo \x1b[31m\r\n") as port:
        result = run("access", "-v", f"x-shelf://127.0.0.1:{port}/wire")
    assert result.stdout_bytes == b"one opensesame\r\ntwo \x1b[31m\r\n"
    said = result.stderr
    assert f"* connect 127.0.0.1 port {port}" in said
    assert "> PASS ***" in said
    assert "< one ***" in said
    assert "< two \\x1b[31m" in said
    assert "* open document" in said
    assert "opensesame" not in said
    assert "\x1b" not in said


def test_a_long_message_is_cut_in_the_dialogue_unless_all_is_wanted(run: Run) -> None:
    for verbose, lines in (("-v", 16), ("-vv", 40)):
        with answering(b"word\r\n" * 40) as port:
            result = run("access", verbose, f"x-shelf://127.0.0.1:{port}/wire")
        assert result.stderr.count("< word") == lines
        assert ("octets in all" in result.stderr) == (verbose == "-v")
        assert result.stdout_bytes == b"word\r\n" * 40


def test_a_transfer_that_takes_long_shows_a_bar_and_takes_it_away(terminal: Terminal, tmp_path: Path) -> None:
    with answering(b"x" * 100_000, pause=1.5) as port:
        code, screen = terminal("access", "-o", "saved", f"x-shelf://127.0.0.1:{port}/wire")
    assert (code, (tmp_path / "saved").stat().st_size) == (0, 100_000)
    assert "100.0/? kB" in STYLE.sub("", screen)
    with answering(b"x" * 100_000) as port:
        assert terminal("access", "-o", "saved", f"x-shelf://127.0.0.1:{port}/wire") == (0, "")


# Questions


def test_a_login_is_asked_for_at_the_terminal_and_the_password_is_not_shown(terminal: Terminal) -> None:
    answers = (("User (empty: none): ", "joe\n"), ("Password of joe: ", "hunter2\n"))
    code, screen = terminal("access", "x-shelf://127.0.0.1/login", answers=answers)
    assert code == 0
    assert "127.0.0.1 port 7070 (the \\x1b[31mvault) wants a login." in plain(screen)
    assert "joe has 7 letters" in screen
    assert "hunter2" not in screen
    known = (("Password of ann: ", "x\n"),)
    assert "ann has 1 letters" in terminal("access", "x-shelf://ann@127.0.0.1/login", answers=known)[1]


def test_nobody_is_a_valid_answer(terminal: Terminal) -> None:
    code, screen = terminal("access", "x-shelf://127.0.0.1/login", answers=(("User (empty: none): ", "\n"),))
    assert code == 3
    assert "it wants a login" in plain(screen)


def test_whoever_ends_a_question_ends_the_command(terminal: Terminal) -> None:
    code, screen = terminal("access", "x-shelf://ann@127.0.0.1/login", answers=(("Password of ann: ", "\x04"),))
    assert code == 130
    assert "Traceback" not in screen


def test_where_no_terminal_is_nobody_is_asked(shell: Any) -> None:
    done = shell("access", "x-shelf://127.0.0.1/login")
    assert (done.returncode, done.stdout, done.stderr) == (3, b"", b"urlschemes: it wants a login\n")
    assert shell("access", "x-shelf://127.0.0.1/form").returncode == 3


def test_a_form_is_filled_in_at_the_terminal(terminal: Terminal) -> None:
    answers = (("Name? [nobody]: ", "\n"), ("Word?: ", "hunter2\n"), ("Number [1]: ", "2\n"))
    code, screen = terminal("access", "x-shelf://127.0.0.1/form", answers=answers)
    assert code == 0
    shown = plain(screen)
    assert shown.startswith("A form\nwith a note\n")
    assert " *  1  red\n    2  blue\n" in shown
    assert shown.count("hunter2") == 1  # in the answer of the server alone
    assert "('nobody', 'hunter2', 'blue')" in shown


# Who provides what


def test_schemes(run: Run) -> None:
    rows = [re.split(r"  +", row) for row in run("schemes").stdout.splitlines()]
    assert rows[0] == ["name", "title", "port", "operations", "status", "distribution", "version"]
    assert rows[2][:3] == ["x-drawer", "Things in a drawer", "access"]
    assert rows[3] == [
        "x-shelf",
        "Things on a shelf",
        "7070",
        "access, find attributes",
        "experimental",
        "shelf-schemes",
        "1.0",
    ]
    for width, columns in ((40, 3), (60, 4), (80, 5), (100, 7), (200, 7)):
        narrow = run("schemes", env={"COLUMNS": str(width)})
        lines = narrow.stdout.splitlines()
        assert lines[0].split() == rows[0][:columns]
        assert len(lines) == 4, "no cell is broken"
        assert max(map(len, lines)) <= width
        assert narrow.stderr == ("" if columns == 7 else "urlschemes: --json has more columns\n")
    assert json.loads(run("schemes", "--json").stdout)[1] == {
        "name": "x-shelf",
        "title": "Things on a shelf",
        "distribution": "shelf-schemes",
        "version": "1.0",
        "status": "experimental",
        "port": 7070,
        "operations": ["access", "find attributes"],
        "reference": "nowhere, section 1",
    }


def test_show(run: Run) -> None:
    said = run("show", "X-Shelf").stdout
    assert said.startswith("x-shelf  Things on a shelf\n")
    for text in (
        'shelfurl = "x-shelf://" login [ "/" thing ]     ; section 1',
        "Do not lean on it.",
        "x-shelf://host.dom/a b  refused",
        "7070",
        "Options\nshout\n    in capitals\ntimes  by the variable SHELF_TIMES\n    how often\n",
        "\nsure  not configurable\n    that it is meant\n",
    ):
        assert text in said
    record = json.loads(run("show", "--json", "x-shelf").stdout)
    assert record["syntax"]["parts"]["port"]["number"] is True
    assert record["options"] == {
        "shout": {"description": "in capitals", "environment": None, "configurable": True},
        "times": {"description": "how often", "environment": "SHELF_TIMES", "configurable": True},
        "sure": {"description": "that it is meant", "environment": None, "configurable": False},
    }
    assert record["examples"][1] == {
        "url": "x-shelf://host.dom/a b",
        "parts": None,
        "says": "A blank must be encoded.",
    }
    assert {"scheme", "status", "title", "security_considerations", "default_port", "operations"} <= set(record)


def test_why(run: Run) -> None:
    assert run("why", "x-shelf").stdout.startswith("x-shelf  shelf-schemes 1.0\nbecause    no other distribution")
    said = json.loads(run("why", "--json", "x-shelf").stdout)
    assert set(said) == {"name", "provider", "rule", "claims", "gateway", "advice"}
    assert (said["provider"], said["claims"][0]["state"]) == ("shelf-schemes 1.0", "active")
    assert "nobody provides it" in run("why", "x-attic").stdout


def test_a_scheme_without_operations_is_said_to_be_for_reading(run: Run, install: Any) -> None:
    record = LOCAL.replace("x-drawer", "x-print").replace("local = true", "operations = []")
    files = {"to_read/__init__.py": "", "to_read/registration.toml": record}
    install("to-read", "x-print = to_read", files)
    words = "operations +none: its URLs are parsed and built, and not accessed\n"
    for asked in ("show", "why"):
        assert re.search(words, run(asked, "x-print", plugins="to-read").stdout)
        assert not re.search(words, run(asked, "x-shelf").stdout)
    assert re.search(r"x-print .* none +experimental", run("schemes", plugins="to-read").stdout)
    refused = run("access", "x-print:a", plugins="to-read")
    assert refused.exit_code == 4
    assert "x-print does not offer the operation 'access'\n  help: it is registered for parsing only" in refused.stderr


def test_doctor_looks_at_everything_and_its_exit_code_tells(run: Run, install: Any) -> None:
    well = run("doctor")
    assert well.exit_code == 0
    assert re.search(
        r"x-shelf +active +shelf-schemes 1\.0  shelf_schemes:scheme\n +\S+__init__\.py  sha256 [0-9a-f]{16}",
        well.stdout,
    )
    install("broken-schemes", "x-broken = broken_schemes:scheme", {"broken_schemes/__init__.py": "raise SystemExit(0)"})
    ill = run("doctor", "--load", plugins=f"{DISTRIBUTION},broken-schemes")
    assert ill.exit_code == 5
    assert re.search(
        r"^In trouble\nbroken-schemes 1\.0  broken  the scheme x-broken\n    breaks the contract", ill.stdout
    )
    assert "\n    --disable x-broken switches it off\n" in ill.stdout
    assert re.search(r"x-shelf +active .* \d+ ms", ill.stdout)
    claims = {each["name"]: each for each in json.loads(run("doctor", "--json").stdout) if each["state"] == "active"}
    assert set(claims) == {"x-shelf", "x-drawer"}
    assert {"name", "distribution", "version", "state", "reason", "file", "sha256", "seconds", "changes"} <= set(
        claims["x-shelf"]
    )
    assert len(claims["x-shelf"]["sha256"]) == 64
    listed = run("schemes", plugins=f"{DISTRIBUTION},broken-schemes")
    assert (listed.exit_code, "urlschemes doctor" in listed.stderr) == (0, True)


def test_what_breaks_the_contract_is_said_with_what_is_due_and_how_to_be_rid_of_it(run: Run, install: Any) -> None:
    install("odd-schemes", "x-odd = odd:number\nx-nobody = nobody\n", {"odd.py": "number = 7\n"})
    install("odd-hooks", "[urlschemes]\nveto = odd_hooks\n", {"odd_hooks.py": "def urlschemes_vetoes(url): pass\n"})
    said = run("--disable", "odd-hooks", "show", "x-odd", plugins=f"{DISTRIBUTION},odd-schemes,odd-hooks")
    assert said.exit_code == 5
    assert "  help: --disable x-odd switches it off, `pip uninstall odd-schemes` removes it" in said.stderr
    assert "\n  due: registration.toml" in said.stderr
    listed = run("schemes", plugins=f"{DISTRIBUTION},odd-schemes,odd-hooks")
    assert "urlschemes: 2 more cannot be used" in listed.stderr
    hooked = run("access", "x-shelf://127.0.0.1:1/", plugins=f"{DISTRIBUTION},odd-hooks")
    assert (hooked.exit_code, "the hooks of odd-hooks 1.0 are wrong" in hooked.stderr) == (5, True)
    assert "  due: a function urlschemes_veto with" in hooked.stderr
    assert "  help: --disable odd-hooks switches it off" in hooked.stderr


def test_a_conflict_is_settled_by_a_pin(run: Run, install: Any) -> None:
    files = {"other_shelf/__init__.py": CODE, "other_shelf/registration.toml": RECORD, "other_shelf/access.py": ACCESS}
    install("other-shelf", "x-shelf = other_shelf:scheme", files)
    both = f"{DISTRIBUTION},other-shelf"
    refused = run("parse", "x-shelf://h/", plugins=both)
    assert refused.exit_code == 5
    assert "--pin x-shelf=" in refused.stderr
    assert "--pin x-shelf=" in run("why", "x-shelf", plugins=both).stdout
    assert run("--pin", "x-shelf=other-shelf", "parse", "x-shelf://h/", plugins=both).exit_code == 0
    assert run("--pin", "x-shelf", "parse", "x-shelf://h/", plugins=both).exit_code == 2
    twice = run("--pin", "x-shelf=other-shelf", "--pin", f"x-shelf={DISTRIBUTION}", "schemes", plugins=both)
    assert (twice.exit_code, "x-shelf is pinned to other-shelf and to" in twice.stderr) == (2, True)


def test_what_was_typed_wrong_is_called_as_it_was_typed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "urlschemes: --plugins names nobody-here, which is" in run("schemes", plugins="nobody-here").stderr
    assert "urlschemes: --disable names nobody-here, which is" in run("--disable", "nobody-here", "schemes").stderr
    nobody = CliRunner().invoke(command, ["--no-plugins", "why", "x-shelf"])
    assert f"--no-plugins leaves {DISTRIBUTION} out" in nobody.stdout.replace("\n", " ")
    monkeypatch.setenv("URLSCHEMES_PLUGINS", ",")
    nothing = run("schemes")
    assert "URLSCHEMES_PLUGINS holds ',', which names nothing" in nothing.stderr
    assert "`none` switches all plugins off" in nothing.stderr


def test_plugins_can_be_left_out(run: Run) -> None:
    runner = CliRunner()
    assert runner.invoke(command, ["--no-plugins", "parse", "x-shelf://h/"]).exit_code == 5
    nothing = runner.invoke(command, ["--no-plugins", "schemes"])
    assert (nothing.exit_code, nothing.stdout) == (0, "")
    assert "no scheme is installed or switched on" in nothing.stderr
    assert runner.invoke(command, ["--no-plugins", "--plugins", "a", "schemes"]).exit_code == 2
    unknown = run("schemes", plugins="no-such-plugin")
    assert (unknown.exit_code, "no-such-plugin" in unknown.stderr) == (5, True)
    assert run("--help", plugins="no-such-plugin").exit_code == 0


# What plugins add


def test_commands_of_plugins_are_listed_without_importing_them(run: Run, install: Any) -> None:
    entry = "[urlschemes.commands]\nx-dust = dusting:dust\nparse = dusting:dust\nx-odd = dusting:click\n"
    install("dusting", entry, {"dusting.py": PLUGIN_COMMAND})
    both = f"{DISTRIBUTION},dusting"
    said = run("--help", plugins=both).stdout
    assert re.search(r"Commands of plugins:\n(?:  .+\n)*  x-dust +of dusting 1\.0\n  x-odd", said)
    assert "dusting" not in sys.modules
    assert run("x-dust", "the vase", plugins=both).stdout == "dusted the vase\n"
    assert run("parse", "x-shelf://h/", plugins=both).stdout.startswith("part")
    odd = run("x-odd", plugins=both)
    assert (odd.exit_code, "is a module" in odd.stderr) == (5, True)
    reserved = [each for each in json.loads(run("doctor", "--json", plugins=both).stdout) if each["name"] == "parse"]
    assert [(each["state"], each["distribution"]) for each in reserved] == [("reserved", "dusting")]
    del sys.modules["dusting"]


def test_the_names_of_commands_are_the_ones_that_no_plugin_can_take() -> None:
    assert set(_HOMES) == _BUILT_IN_COMMANDS


def test_of_two_commands_of_one_name_neither_counts_and_that_is_said(run: Run, install: Any) -> None:
    for name in ("dusting", "sweeping"):
        install(name, f"[urlschemes.commands]\nx-dust = {name}:dust\n", {f"{name}.py": PLUGIN_COMMAND})
    three = f"{DISTRIBUTION},dusting,sweeping"
    refused = run("x-dust", "the vase", plugins=three)
    assert refused.exit_code == 2
    assert "The command x-dust cannot be used, for several have one: dusting 1.0 in " in refused.stderr
    assert "; sweeping 1.0 in " in refused.stderr
    assert "; choose one: --pin x-dust=dusting, or switch the other off: --disable sweeping" in refused.stderr
    ill = run("doctor", plugins=three)
    assert ill.exit_code == 5
    assert "dusting 1.0  conflict  the command x-dust\n" in ill.stdout
    assert "--pin x-dust=dusting chooses it" in ill.stdout
    pinned = ("--pin", "x-dust=sweeping")
    assert run(*pinned, "x-dust", "the vase", plugins=three).stdout == "dusted the vase\n"
    assert "the command x-dust" not in run(*pinned, "doctor", plugins=three).stdout
    del sys.modules["sweeping"]


def test_a_demonstration_shows_url_parts_dialogue_and_content(run: Run, install: Any) -> None:
    entry = "[urlschemes.demos]\nx-shelf = shelf_demos:shelf\n"
    install("shelf-demos", entry, {"shelf_demos.py": DEMO})
    result = run("demo", plugins=f"{DISTRIBUTION},shelf-demos")
    assert (result.exit_code, result.stderr) == (0, "")
    for text in (
        "x-shelf  Things on a shelf",
        "A vase is seen.",
        "x-shelf://joe:***@127.0.0.1/vase",
        "+- thing 'vase'",
        "Over the wire",
        "* open document",
        "a document of 7 octets, text/plain:",
        "00000000  61 20 76 61 73 65 0a",
        "accessed: x-shelf",
        "installed, and nobody offers a demonstration: x-drawer",
    ):
        assert text in result.stdout
    assert "secretly" not in result.stdout
    del sys.modules["shelf_demos"]


@pytest.mark.parametrize("fault", ["RuntimeError('no server today')", "SystemExit('no server today')"])
def test_a_demonstration_that_fails_is_told_and_the_others_go_on(run: Run, install: Any, fault: str) -> None:
    entry = "[urlschemes.demos]\nx-drawer = shelf_demos:broken\nx-shelf = shelf_demos:shelf\n"
    install("shelf-demos", entry, {"shelf_demos.py": DEMO.replace("RuntimeError('no server today')", fault)})
    result = run("demo", plugins=f"{DISTRIBUTION},shelf-demos")
    assert result.exit_code == 3
    assert "no server today" in result.stderr
    assert "accessed: x-shelf\nfailed: x-drawer\n" in result.stdout
    assert run("demo", "x-shelf", plugins=f"{DISTRIBUTION},shelf-demos").exit_code == 0
    assert run("demo", "x-attic", plugins=f"{DISTRIBUTION},shelf-demos").exit_code == 5
    del sys.modules["shelf_demos"]


def test_a_demonstration_of_what_is_no_url_is_shown_with_whose_it_is(run: Run, install: Any) -> None:
    wrong = DEMO.replace("127.0.0.1/vase", "127.0.0.1/a<vase")
    assert wrong != DEMO
    install("shelf-demos", "[urlschemes.demos]\nx-shelf = shelf_demos:shelf\n", {"shelf_demos.py": wrong})
    result = run("demo", "x-shelf", plugins=f"{DISTRIBUTION},shelf-demos")
    assert result.exit_code == 3
    told, wanting, *_ = result.stderr.splitlines()
    assert told == (
        "urlschemes: the demonstration of shelf-demos 1.0 failed, which is to access x-shelf://joe:***@127.0.0.1/a<vase:"
    )
    assert "'<'" in wanting
    del sys.modules["shelf_demos"]


def test_without_servers_the_demo_says_what_to_install(run: Run) -> None:
    result = run("demo")
    assert result.exit_code == 5
    if "has demonstrations, and is disabled" not in result.stderr:  # the kit may be installed, and is not in --plugins
        assert "pip install urlschemes-testing" in result.stderr


# Where it runs


def test_without_click_and_rich_it_says_what_to_install(child: Any) -> None:
    said = child(
        """
        import contextlib, io
        sys.modules["click"] = sys.modules["rich"] = None
        from urlschemes_cli import main
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            try:
                main()
            except SystemExit as end:
                code = end.code
        print(json.dumps([code, said.getvalue()]))
        """
    )
    assert said == [2, "urlschemes: click and rich missing; pip install 'urlschemes[cli]'\n"]


def test_the_help_imports_no_plugin_and_nothing_that_is_not_needed(child: Any, site: Path) -> None:
    code = """
        import contextlib, io
        from urlschemes_cli.app import _HOMES, command
        with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
            command.main(ARGUMENTS)
        print(json.dumps(sorted(sys.modules)))
        """
    modules = set(child(code.replace("ARGUMENTS", repr(["--help"])), site))
    assert "urlschemes_cli.app" in modules
    loaded = {name for name in modules if name.startswith(("shelf_schemes", "urlschemes_"))}
    assert loaded == set()
    assert {"rich.console", "pluggy", "ssl", "urlschemes_access.backends.blocking"} & modules == set()
    modules = set(child(code.replace("ARGUMENTS", repr(["parse", "--json", "x-shelf://h/"])), site))
    assert "shelf_schemes" in modules
    assert {
        "rich.console",
        "pluggy",
        "ssl",
        "urlschemes_access.backends.blocking",
        "shelf_schemes.access",
    } & modules == set()


def test_a_reader_that_stops_ends_it_quietly(site: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "urlschemes_cli", "access", "x-shelf://127.0.0.1/endless"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(site),
    )
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.read(10) == b"more\nmore\n"
    process.stdout.close()
    assert (process.wait(30), process.stderr.read()) == (141, b"")
    process.stderr.close()


@pytest.mark.parametrize("arguments", [["--help"], ["parse", "--help"], ["parse", "x-shelf://h/"], ["schemes"]])
def test_output_that_cannot_be_written_is_an_error(shell: Any, arguments: list[str]) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    with Path("/dev/full").open("wb") as full:
        done = shell(*arguments, stdout=full)
    assert (done.returncode, done.stderr) == (3, b"urlschemes: cannot write the output: No space left on device\n")


@pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell closes the streams")
@pytest.mark.parametrize(("url", "code"), [("x-shelf://127.0.0.1/vase", 0), ("x-shelf:", 1)])
def test_streams_that_are_closed_get_nothing(site: Path, url: str, code: int) -> None:
    call = [sys.executable, "-m", "urlschemes_cli", "access", url]
    for closed in (">&-", "2>&-", ">&- 2>&-"):
        script = f'"$@" {closed}'
        done = subprocess.run(
            ["/bin/sh", "-c", script, "sh", *call], capture_output=True, env=environment(site), check=False, timeout=60
        )
        assert done.returncode == code
        assert not {b"Traceback", b"Warning"} & set(re.findall(rb"Traceback|Warning", done.stdout + done.stderr))


def test_an_interrupt_ends_it_without_a_traceback(site: Path, tmp_path: Path) -> None:
    with answering(b"slowly", pause=30) as port:
        process = subprocess.Popen(
            [sys.executable, "-m", "urlschemes_cli", "access", "-v", f"x-shelf://127.0.0.1:{port}/wire"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(site),
            cwd=tmp_path,
        )
        assert process.stderr is not None
        for line in process.stderr:
            if b"slowl" in line:
                break
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=30)
    assert process.returncode == 130
    assert b"Traceback" not in out + error


def test_colour_is_for_terminals_and_for_those_who_want_it(terminal: Terminal, shell: Any) -> None:
    url = "x-shelf://h/vase"
    assert "\x1b[36m" in terminal("explain", url)[1]
    assert "╰─ scheme x-shelf" in plain(terminal("explain", url)[1])
    assert re.search(r"\x1b\[(3|4|9|10)\d", terminal("explain", url, NO_COLOR="1")[1]) is None
    assert b"\x1b" not in shell("explain", url).stdout


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("arguments", [["schemes"], ["show", "x-shelf"], ["explain", "x-shelf://h/" + "long" * 15]])
def test_a_screen_of_any_width_holds_it(terminal: Terminal, arguments: list[str], width: int) -> None:
    code, screen = terminal(*arguments, width=width)
    assert code == 0
    long = [line for line in plain(screen).splitlines() if len(line.rstrip()) > width]
    # The BNF, URLs and file names stay in one piece: what is cut could not be copied.
    assert [line for line in long if "x-shelf" not in line and "section 1" not in line and "/" not in line] == []


def test_what_the_terminal_cannot_write_is_escaped(shell: Any, run: Run) -> None:
    done = shell("access", "--json", "x-shelf://127.0.0.1/hostile", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    done = shell("parse", "x-shelf://h/caf%C3%A9", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (done.returncode, b"caf\\xe9" in done.stdout) == (0, True)


# What is configured


def configure(folder: Path, text: str) -> Path:
    file = folder / "urlschemes" / "config.toml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    file.chmod(0o600)
    return file


def test_config_shows_every_value_and_where_it_comes_from(
    run: Run, nothing_configured: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("config", "--path").stdout == f"{nothing_configured / 'urlschemes' / 'config.toml'}\n"
    plain = run("config")
    assert "(there is no such file)" in plain.stdout
    assert re.search(r"^limits\.hops +5 +default$", plain.stdout, re.MULTILINE)
    file = configure(
        nothing_configured,
        '[policy]\nports = [7171]\ndenied_networks = ["192.0.2.0/24"]\n[limits]\nhops = 1\n'
        '[options.x-shelf]\ntimes = 2\n[gateways]\nx-far = "ftp://joe:opensesame@h/{url}"\n'
        '[registry.pins]\nx-shelf = "shelf-schemes"\n',
    )
    monkeypatch.setenv("URLSCHEMES_GATEWAYS", "x-other=x-shelf://127.0.0.1/{url}")
    said = run("--pin", f"x-drawer={DISTRIBUTION}", "config")
    assert (said.exit_code, "opensesame" in said.output) == (2, False)
    for key, value, source in (
        ("policy.ports", "[7171]", "the file"),
        (
            "policy.denied_networks",
            '["169.254.169.254/32", "fd00:ec2::254/128", "192.0.2.0/24"]',
            f"default, and {file}",
        ),
        ("limits.hops", "1", "the file"),
        ("limits.idle", "15", "default"),
        ("policy.schemes", "any", "default"),
        ("gateways.x-far", '"ftp://joe:***@h/{url}"', "the file"),
        ("gateways.x-other", '"x-shelf://127.0.0.1/{url}"', "the environment variable URLSCHEMES_GATEWAYS"),
        ("options.x-shelf.times", "2", "the file"),
        ("registry.pins.x-drawer", f'"{DISTRIBUTION}"', "the command line"),
        ("registry.pins.x-shelf", '"shelf-schemes"', "the file"),
        ("registry.plugins", f'["{DISTRIBUTION}"]', "the command line"),
    ):
        assert re.search(rf"^{re.escape(key)} +{re.escape(value)} +{re.escape(source)}$", said.stdout, re.MULTILINE), (
            key
        )
    assert "gateways.x-far of " in said.stderr  # no ftp among these schemes
    read = json.loads(run("config", "--json").stdout)
    assert set(read) == {"file", "exists", "settings", "problems"}
    assert (read["file"], read["exists"], len(read["problems"])) == (str(file), True, 1)
    assert read["problems"][0]["code"] == "configuration-error"
    assert {"key": "limits.hops", "value": 1, "source": str(file)} in read["settings"]
    assert {"key": "policy.hosts", "value": None, "source": "default"} in read["settings"]
    assert "opensesame" not in json.dumps(read)


def test_what_is_configured_holds_for_the_command_and_arguments_before_it(run: Run, nothing_configured: Path) -> None:
    url = "x-shelf://127.0.0.1/options"
    configure(nothing_configured, "[options.x-shelf]\ntimes = 2\n[policy]\nports = [25]\n")
    assert run("access", url).stdout == "False 2"
    assert run("access", "--option", "times=3", url).stdout == "False 3"
    assert run("--no-config", "access", url).stdout == "False 1"
    assert run("access", "x-shelf://127.0.0.1:25/").exit_code == 0
    assert run("access", "--allow-port", "23", "x-shelf://127.0.0.1:25/").exit_code == 0
    assert run("--no-config", "access", "x-shelf://127.0.0.1:25/").exit_code == 4
    other = nothing_configured / "other.toml"
    other.write_text("[options.x-shelf]\nshout = true\n")
    other.chmod(0o600)
    assert run("--config", str(other), "access", url).stdout == "True 1"
    assert run("--config", str(other), "config", "--path").stdout == f"{other}\n"
    assert run("--config", str(other), "--no-config", "config").exit_code == 2
    assert run("access", url).stderr == ""
    assert re.search(r"\* option times is 2, from /", run("access", "-v", url).stderr)


def test_a_refusal_says_in_the_words_of_the_command_how_it_is_lifted(run: Run, nothing_configured: Path) -> None:
    for policy, words in (
        ('denied_hosts = ["127.0.0.1"]', "the policy's `denied_hosts` says so: `urlschemes config` shows where"),
        ('hosts = ["h.dom"]', "the policy's `hosts` says so"),
        ('schemes = ["http"]', "the policy's `schemes` says so"),
        ('denied_schemes = ["x-shelf"]', "the policy's `denied_schemes` says so"),
        ("networks = []", "--allow-network NET allows"),
        ('denied_networks = ["127.0.0.0/8"]', "the policy's `denied_networks` says so"),
        ("", "--allow-port N allows"),
    ):
        configure(nothing_configured, f"[policy]\n{policy}\n")
        refused = run("access", "x-shelf://127.0.0.1/wire" if policy else "x-shelf://127.0.0.1:25/")
        assert (refused.exit_code, words in refused.stderr) == (4, True), refused.stderr


def test_a_wrong_configuration_stops_every_command_that_would_use_it(run: Run, nothing_configured: Path) -> None:
    file = configure(nothing_configured, "[policy]\nport = [25]\n")
    for words in (["access", "x-shelf://127.0.0.1/"], ["config"], ["why", "x-shelf"], ["no-such-command"]):
        wrong = run(*words)
        assert (wrong.exit_code, wrong.stdout) == (2, "")
        assert f"urlschemes: {file}: nothing reads policy.port\n  help: did you mean policy.ports?" in wrong.stderr
    assert run("--help").exit_code == 0
    assert run("config", "--path").exit_code == 0
    assert run("--no-config", "why", "x-shelf").exit_code == 0
    assert run("--no-config", "config", "--path").output == "urlschemes: no file is used\n"


def test_a_gateway_is_shown_by_the_command(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("URLSCHEMES_GATEWAYS", "x-far=x-shelf://joe:opensesame@127.0.0.1/{url}")
    source = "gateways.x-far of the environment variable URLSCHEMES_GATEWAYS"
    shown = run("access", "-v", "x-far:a")
    assert shown.stdout == "a vase\n"
    assert f"* gateway x-far:a is reached through x-shelf://joe:***@127.0.0.1/x-far%3Aa: {source}\n" in shown.stderr
    said = json.loads(run("access", "--json", "x-far:a").stdout)["attributes"]["gateway"]
    assert said == {"asked": "x-far:a", "url": "x-shelf://joe:***@127.0.0.1/x-far%3Aa", "source": source}
    assert re.search(rf"^gateway +{source}$", run("attributes", "x-far:a").stdout, re.MULTILINE)
    why = run("why", "x-far")
    assert "gateway  x-shelf://joe:***@127.0.0.1/{url}, from the environment variable URLSCHEMES_GATEWAYS" in why.stdout
    assert "opensesame" not in shown.output + json.dumps(said) + why.output


def test_a_misspelt_command_is_guessed_and_nothing_else_is(run: Run) -> None:
    assert "No such command 'acces'. Did you mean access?" in run("acces", "x").stderr
    assert "Did you mean" not in run("zzz").stderr
