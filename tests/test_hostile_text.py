"""No text of a server controls a terminal, and no password of a URL is shown: for every scheme.

Each server puts the same hostile text, with the URL's password in it, into everything that it sends: greetings,
replies, header fields, menus, names of files, errors. The tests read what the command writes to a terminal, and each
error that a program catches, with its causes.
"""

from __future__ import annotations

import copy
import os
import pickle
import re
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from workspace import environ

import urlschemes_access
from urlschemes.errors import URLError
from urlschemes_access import Credentials, Document, Listing, Policy, Session
from urlschemes_servers import WaisDocument, gopher_server, nntp_server, prospero_server, wais_server
from urlschemes_servers.gopher import menu, text
from urlschemes_servers.nntp import Newsgroup, article
from urlschemes_servers.prospero import directory, failing, file
from urlschemes_testing.rogue import (
    Act,
    after_data,
    ends_output,
    hears,
    hears_until,
    offers_data,
    refusing,
    rogue,
    says,
)

if sys.platform == "win32":
    pytest.skip("terminals are those of POSIX here", allow_module_level=True)
import pty
import termios

PASSWORD = "opensesame"
# Sequences for a terminal (with ESC, and with C1 controls as octets and as UTF-8), a backspace, a carriage return that
# would begin the line anew, a change of direction, invisible characters, a line separator, and a URL's password.
EVIL = f"\x1b]0;owned\x07\x1b[2J\x9b31m\x08\x7f\rINJECTED\u202e\u2066\u200b\u2028 {PASSWORD} ftp://joe:{PASSWORD}@h/"
H = EVIL.encode() + b"\x9b\x85\xff"
"""The hostile text, as a server sends it."""
LINE = H.replace(b"\r", b"")
"""The same without the carriage return, where that would be the end of a protocol's line."""

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")

Case: TypeAlias = "Callable[[Path], AbstractContextManager[tuple[str, str, dict[str, Any]]]]"
"""A function that starts a server and yields the operation, the URL and the options."""
CASES: dict[str, Case] = {}


def case(name: str, operation: str, url: str, *acts: Act, **options: str) -> None:
    """Add a case with a rogue server; `{server}` in the URL and in the options stands for its address."""

    @contextmanager
    def start(_: Path) -> Iterator[tuple[str, str, dict[str, Any]]]:
        with rogue(*acts) as server:
            yield (
                operation,
                url.format(server=server),
                {name: text.format(server=server) for name, text in options.items()},
            )

    CASES[name] = start


def added(function: Case) -> Case:
    """Add a case with the name of the function."""
    CASES[function.__name__.replace("_", " ")] = function
    return function


def evil(code: str) -> Act:
    """Send a reply of one line with the hostile text."""
    return says(code.encode() + b" " + LINE + b"\r\n")


def turns(*codes: str) -> tuple[Act, ...]:
    """Send such replies, each before the client's next command."""
    return tuple(act for code in codes for act in (evil(code), hears()))


# ftp

FTP = f"ftp://joe:{PASSWORD}@{{server}}/a"
WELCOME = turns("220", "331")
LOGGED_IN = (*WELCOME, says(b"230-" + LINE + b"\r\n" + LINE + b"\r\n230 " + LINE + b"\r\n"))
REFUSED = evil("550")


def data(*acts: Act) -> tuple[Act, ...]:
    return (offers_data("229 go (|||{port}|)", *acts), hears(), evil("150"), after_data())


for number, answers in enumerate(
    (
        (says(H + b"\r\n"),),
        (evil("421"),),
        (says(b"220 " + H + b"\r\n"),),
        (evil("999"),),
        (says(b"220-" + LINE + b"\r\n" + LINE),),
        (*WELCOME, evil("530")),
        (*WELCOME, evil("230 ok\r\n230")),
        (*LOGGED_IN, hears(), REFUSED),
        (*LOGGED_IN, hears(), says(b"200 ok\r\n"), hears(), REFUSED, hears(), REFUSED),
        (*LOGGED_IN, hears(), says(b"200 ok\r\n"), hears(), evil("229")),
        (*LOGGED_IN, hears(), says(b"200 ok\r\n"), hears(), *data(says(b"content\n")), evil("426"), hears()),
    )
):
    case(f"ftp {number}", "access", FTP, *answers)
FEATURES = says(b"211-" + LINE + b"\r\n MLST type*;size*;\r\n " + LINE + b"\r\n211 " + LINE + b"\r\n")
LISTS = (*LOGGED_IN, hears(), FEATURES, hears(), evil("200"), hears())
NAMES = b"type=file;size=1; " + LINE + b"\r\ntype=" + LINE + b"; b\r\n"
case("ftp listing", "access", FTP[:-1] + ";type=d", *LISTS, *data(says(NAMES)), evil("226"), hears())
case("ftp attributes", "find attributes", FTP, *LOGGED_IN, *(hears(), evil("213")) * 4)

# http

ASKED = hears_until(b"\r\n\r\n")
OK = b"HTTP/1.1 200 " + LINE + b"\r\n"
for number, head in enumerate(
    (
        H,
        b"HTTP/1.1 200 " + H + b"\r\n\r\n",
        OK + b"Content-Type: text/plain\r\nX: " + LINE + b"\r\nContent-Length: 2\r\n\r\nok",
        OK + b"Content-Type: " + LINE + b"\r\nContent-Length: 2\r\n\r\nok",
        OK + b"Content-Length: " + LINE + b"\r\n\r\nok",
        OK + b"Content-Encoding: " + LINE + b"\r\n\r\nok",
        OK + b"Transfer-Encoding: chunked\r\n\r\n" + LINE + b"\r\n",
        OK + LINE + b": a\r\n\r\n",
        b"HTTP/1.1 404 " + LINE + b"\r\n\r\n",
        b"HTTP/1.1 302 a\r\nLocation: " + LINE + b"\r\n\r\n",
        b"HTTP/1.1 302 a\r\nLocation: http://h.dom/" + LINE.decode("latin-1").encode("utf-8") + b"\r\n\r\n",
        b"HTTP/1.1 302 a\r\nLocation: x-" + LINE + b"://\r\n\r\n",
        b'HTTP/1.1 401 a\r\nWWW-Authenticate: Basic realm="' + LINE + b'"\r\n\r\n',
        b"HTTP/1.1 401 a\r\nWWW-Authenticate: " + LINE + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 9999\r\n\r\nshort",
    )
):
    case(f"http {number}", "access", "http://{server}/a", ASKED, says(head), ends_output())
FIELDS = (
    OK + b"Content-Type: " + LINE + b"\r\nLast-Modified: " + LINE + b"\r\nX: " + LINE + b"\r\nContent-Length: 2\r\n\r\n"
)
case("http attributes", "find attributes", "http://{server}/a", ASKED, says(FIELDS), ends_output())

# gopher

MENU = b"0" + LINE + b"\t" + LINE + b"\t" + LINE + b"\t70\r\n" + LINE + b"\r\n1a\tb\th.dom\t" + LINE + b"\r\n.\r\n"
case("gopher menu", "access", "gopher://{server}/1", hears(), says(MENU), ends_output())
case("gopher menu of rubbish", "access", "gopher://{server}/1", hears(), says(H + b"\r\n.\r\n"), ends_output())
case("gopher error", "access", "gopher://{server}/1", hears(), says(b"3" + LINE + b"\t\terror.host\t1\r\n.\r\n"))
PLUS = "gopher://{server}/0a%09%09+"
case("gopher+ error", "access", PLUS, hears(), says(b"--1\r\n1 " + LINE + b"\r\n.\r\n"), ends_output())
case("gopher+ rubbish", "access", PLUS, hears(), says(H + b"\r\n"), ends_output())
INFO = b"+-1\r\n+INFO: 0" + LINE + b"\ta\th\t70\t+\r\n+ADMIN:\r\n Admin: " + LINE + b"\r\n+" + LINE + b":\r\n " + LINE
case("gopher+ attributes", "find attributes", PLUS, hears(), says(INFO + b"\r\n.\r\n"), ends_output())


@added
@contextmanager
def gopher_titles(_: Path) -> Iterator[tuple[str, str, dict[str, Any]]]:
    with gopher_server(menu({"a": text(b"a", title=EVIL.replace("\r", ""))})) as server:
        yield "access", f"gopher://{server}/1", {}


# file


@added
@contextmanager
def file_names(folder: Path) -> Iterator[tuple[str, str, dict[str, Any]]]:
    Path(os.fsdecode(os.fsencode(folder) + b"/" + H.partition(b" ")[0])).write_bytes(b"a")
    yield "access", f"file://{folder}/", {}


@added
@contextmanager
def no_such_file(folder: Path) -> Iterator[tuple[str, str, dict[str, Any]]]:
    yield "access", f"file://{folder}/%1B%5B2J%C2%9B%E2%80%AE%0A{PASSWORD}", {}


CONTENT = {"gopher+ rubbish"}
"""Cases where the hostile text is the content of a document, which is shown as it is, with the URLs in it."""

# news and nntp

GREETED = turns("200")
for scheme, url, options in (
    ("nntp", "nntp://{server}/misc.test/1", {}),
    ("news", "news:1@host.dom", {"server": "{server}"}),
    ("nntp group", "nntp://{server}/misc.test", {}),
    ("news all", "news:*", {"server": "{server}"}),
):
    for number, answers in enumerate(
        (
            (says(H + b"\r\n"),),
            (evil("502"),),
            (*GREETED, evil("999")),
            (*GREETED, *turns("500") * 4),
            (*GREETED, *turns("480") * 4),
            (
                *GREETED,
                says(b"101 " + LINE + b"\r\nVERSION 2\r\nREADER\r\nOVER\r\n" + LINE + b"\r\n.\r\n"),
                *(hears(), evil("211 1 1 1"), hears(), evil("430")) * 2,
            ),
        )
    ):
        case(f"{scheme} {number}", "access", url, *answers, **options)
OVERVIEW = b"1\t" + LINE + b"\t" + LINE + b"\t" + LINE + b"\t<1@h>\t\t1\t1\r\n"
OFFERS = says(b"101 a\r\nVERSION 2\r\nREADER\r\nOVER\r\nLIST ACTIVE NEWSGROUPS\r\n.\r\n")
LISTED: tuple[Act, ...] = (*GREETED, OFFERS, hears())
LINES = says(b"224 " + LINE + b"\r\n" + OVERVIEW + LINE + b"\r\n.\r\n")
NAMED = says(b"215 " + LINE + b"\r\na.b 1 1 y\r\n" + LINE.replace(b" ", b"") + b" 1 1 y\r\n.\r\n")
TOLD = says(b"215 " + LINE + b"\r\na.b\t" + LINE + b"\r\n.\r\n")
NNTP = "nntp://{server}/misc.test"
case("nntp overview", "access", NNTP, *LISTED, *turns("211 1 1 1"), LINES, hears(), evil("205"))
case("news groups", "access", "news:*", *LISTED, NAMED, hears(), TOLD, hears(), evil("205"), server="{server}")


@added
@contextmanager
def nntp_attributes(_: Path) -> Iterator[tuple[str, str, dict[str, Any]]]:
    fields = {"X-Evil": LINE.decode("utf-8", "replace").replace("\u2028", "")}
    groups = {"misc.test": Newsgroup([article("a", "b", fields=fields)], description="\x1b[2J")}
    with nntp_server(groups) as server:
        yield "find attributes", f"nntp://{server}/misc.test/1", {}


# wais

for number, answer in enumerate((H, b"0000000100z2wais      0 " + H, b"00000004" + b"0z2wais      0" + H[:4])):
    case(f"wais {number}", "access", "wais://{server}/db", hears_until(b"z"), says(answer), ends_output())


@added
@contextmanager
def wais_headlines(_: Path) -> Iterator[tuple[str, str, dict[str, Any]]]:
    with wais_server({"db": {"a": WaisDocument({"TEXT": b"evil"}, headline=EVIL)}}) as server:
        yield "access", f"wais://{server}/db?evil", {}


@added
@contextmanager
def wais_diagnostics(_: Path) -> Iterator[tuple[str, str, dict[str, Any]]]:
    with wais_server({}) as server:
        yield "access", f"wais://{server}/%1B%5B2J%C2%9B{PASSWORD}?evil", {}


# prospero


def prospero(name: str, operation: str, tree: Any, path: str = "", **more: Any) -> None:
    @contextmanager
    def start(_: Path) -> Iterator[tuple[str, str, dict[str, Any]]]:
        with prospero_server(tree, **more) as server:
            yield operation, f"prospero://{server}/{path}", {}

    CASES[name] = start


prospero("prospero names", "access", directory({EVIL.partition(" ")[0]: file(b"a"), "b": file(b"b")}), warning=EVIL)
prospero("prospero failure", "access", directory({"a": failing("NOT-AUTHORIZED", EVIL)}), "a")
prospero("prospero unknown failure", "access", directory({"a": failing(EVIL)}), "a")
ATTRIBUTES = {"EVIL": EVIL, EVIL: "evil", "ACCESS-METHOD": EVIL, "SIZE": EVIL}
prospero("prospero attributes", "find attributes", directory({"a": file(b"a", attributes=ATTRIBUTES)}), "a")
METHODS = [("FTP", "INTERNET-D", "h.dom", "ASCII", EVIL, "BINARY"), ("X", "INTERNET-D", EVIL, "ASCII", "/a", "BINARY")]
prospero("prospero methods", "access", directory({"a": file(None, methods=METHODS)}), "a")

# mailto

MAIL = {"relay": "{server}"}
SENT = turns("220")
for number, answers in enumerate(
    (
        (says(H + b"\r\n"),),
        (evil("554"),),
        (*SENT, says(b"250-" + LINE + b"\r\n250 " + LINE + b"\r\n"), hears(), evil("451"), hears()),
        (
            *(*SENT, says(b"250 h\r\n"), hears(), *turns("250", "250"), evil("354"), hears_until(b"\r\n.\r\n")),
            *(*turns("250"), evil("221")),
        ),
    )
):
    case(f"mailto {number}", "send", "mailto:joe@host.dom", *answers, **MAIL)

# telnet

case(
    "telnet",
    "open session",
    f"telnet://joe:{PASSWORD}@{{server}}/",
    says(EVIL.replace(PASSWORD, "x").encode() + b"\x9b\x85\r\n"),
    ends_output(),
)


# The checks


def secret_of(url: str) -> str:
    """Return what must not be shown: the password of `url` in any place, or that of the URL in the hostile text."""
    return PASSWORD if PASSWORD in url.partition("@")[0] and "@" in url else f"joe:{PASSWORD}@"


def check_text(text: str, secret: str) -> None:
    """Check the text of an error or an event: one line without control characters."""
    assert secret not in text
    assert not _CONTROLS.search(text)
    assert "\n" not in text


def check_error(error: BaseException, secret: str) -> None:
    seen: set[int] = set()
    chain: BaseException | None = error
    while chain is not None and id(chain) not in seen:
        seen.add(id(chain))
        check_text(str(chain), secret)
        check_text(repr(chain), secret)
        for value in (*chain.args, *vars(chain).values()):
            if isinstance(value, str):
                check_text(value, secret)
        for others in (pickle.loads(pickle.dumps(chain)), copy.copy(chain)) if isinstance(chain, URLError) else ():
            check_text(str(others), secret)
        chain = chain.__cause__ or (None if chain.__suppress_context__ else chain.__context__)


POLICY = Policy.interactive()


def consume(resource: Any) -> str:
    """Read all of a resource; return what its attributes or entries print as."""
    if isinstance(resource, Document):
        resource.read()
        return repr(resource.attributes)
    if isinstance(resource, Listing):
        return repr(list(resource))
    if isinstance(resource, Session):
        with resource:
            return repr(resource)
    return repr(resource)


@pytest.mark.parametrize("name", CASES)
def test_no_error_and_no_event_holds_control_characters_or_a_password(name: str, tmp_path: Path) -> None:
    events: list[Any] = []
    login = Credentials("joe", PASSWORD)
    with CASES[name](tmp_path) as (operation, url, options):
        secret = secret_of(url)
        if operation == "send":
            message = b"From: ann@host.dom\r\nTo: joe@host.dom\r\n\r\nb\r\n"
            options |= {"message": message, "confirm": True}
        try:
            resource = urlschemes_access.operate(
                operation,
                url,
                policy=replace(POLICY, roots=(str(tmp_path),)),
                credentials=lambda _: login,
                trace=events.append,
                options=options,
            )
            try:
                printed = consume(resource)
            finally:
                getattr(resource, "close", int)()
        except URLError as error:
            check_error(error, secret)
        else:
            assert f"joe:{PASSWORD}@" not in printed
            assert not _CONTROLS.search(printed)
    for event in events:
        check_text(event.text, secret)
        assert secret != PASSWORD or PASSWORD.encode() not in event.octets


def on_a_terminal(*words: str, folder: Path) -> str:
    """Return all that the command writes to a terminal of its own."""
    outside, inside = pty.openpty()
    termios.tcsetwinsize(inside, (40, 200))
    code = "import sys; from urlschemes_cli import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, *words],
        stdin=inside,
        stdout=inside,
        stderr=inside,
        env={**environ(), "TERM": "xterm-256color", "XDG_CONFIG_HOME": str(folder / "none")},
        cwd=folder,
        start_new_session=True,
    )
    os.close(inside)
    output = b""
    ends = time.monotonic() + 90
    answered = False
    try:
        while time.monotonic() < ends:
            if not select.select([outside], [], [], 0.1)[0]:
                if process.poll() is not None:
                    break
                continue
            try:
                piece = os.read(outside, 65536)
            except OSError:
                break
            if not piece:
                break
            output += piece
            if not answered and re.search(rb"(?:User|\(empty: none\)|Password)[^\n]*: ?$", output):
                os.write(outside, b"\x04")  # the end of the input: there is no foreground process to interrupt
                answered = True
        else:
            pytest.fail(f"the command did not end: {output!r}")
    finally:
        process.kill()
        process.wait()
        os.close(outside)
    return output.decode("utf-8", "surrogateescape")


ON_A_TERMINAL = {"ftp listing", "http 2", "mailto 1", "telnet"}
"""The cases that are shown on a terminal in the default run."""


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=() if each in ON_A_TERMINAL else pytest.mark.slow) for each in CASES]
)
def test_no_text_of_a_server_controls_a_terminal(name: str, tmp_path: Path) -> None:
    with CASES[name](tmp_path) as (operation, url, options):
        words = {
            "access": ["access"],
            "find attributes": ["attributes"],
            "open session": ["session"],
            "send": ["send"],
        }[operation]
        if operation == "send":
            words += ["--relay", options.pop("relay"), "--from", "ann@host.dom", "--body", "b", "--yes"]
        words += ["-v", "--timeout", "20", "--root", str(tmp_path)]
        for option, value in options.items():
            words += ["--option", f"{option}={value}"]
        screen = on_a_terminal(*words, url, folder=tmp_path)
    screen = _COLOUR.sub("", screen).replace("\r\n", "\n")
    if name == "telnet":  # the printer of a network virtual terminal moves within its line (RFC 854)
        screen = screen.replace("\b", "").replace("\r", "")
    assert screen
    assert "Traceback" not in screen
    assert not any("\udc80" <= each <= "\udcff" for each in screen), screen
    assert not _CONTROLS.search(screen), (screen, _CONTROLS.search(screen))
    assert not any(line.startswith("INJECTED") for line in screen.splitlines())
    if name == "ftp listing":
        url = ""  # the names of entries are shown with every word that the server sent
    if name not in CONTENT:
        assert secret_of(url) not in screen, screen


def test_no_password_is_shown_if_the_connection_is_refused(tmp_path: Path) -> None:
    with refusing() as server:
        screen = on_a_terminal("access", "-vv", f"ftp://joe:{PASSWORD}@{server}/a", folder=tmp_path)
    assert "Connection refused" in screen
    assert PASSWORD not in screen
