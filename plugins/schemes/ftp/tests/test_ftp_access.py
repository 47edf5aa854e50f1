"""Reading by FTP: complete dialogues, cut at every octet and broken at every step."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest
from ftp_dialogues import (
    FEATURES,
    GREETING,
    HOST,
    LOGIN,
    NO_FEATURES,
    QUIT,
    TYPE_A,
    TYPE_I,
    cwd,
    download,
    epsv,
    retrieve,
    steps,
    type_and_size,
)

from urlschemes.errors import UnsafeURL, URLError
from urlschemes.grammar.octets import octets_of
from urlschemes_access.attributes import Attributes, Entry, Precision, name_of
from urlschemes_access.protocol import Authenticate, Connect, Peer, Send
from urlschemes_ftp import FtpURL
from urlschemes_ftp.access import access, find_attributes
from urlschemes_testing.replay import (
    Script,
    Step,
    client,
    connect,
    connect_back,
    credentials,
    exchange,
    fault_everywhere,
    replay,
    server,
    server_closes,
    server_resets,
    split_everywhere,
)

CONTENT = b"Hello\r\nworld \xff\x00\n"
SIZE = len(CONTENT)
FACTS = (
    b"type=cdir;modify=19941201000000; .\r\n"
    b"type=pdir;modify=19941201000000; ..\r\n"
    b"Type=file;Size=1024;Modify=19941202030405.678; a b;c.txt\r\n"
    b"type=dir;modify=19941301000000; sub/dir\r\n"
    b"type=OS.unix=slink:/etc;size=99999999999999999999; link\r\n"
    b"type=file; \x1b[2Jevil\r\n"
    b"line.txt\r\n"
    b"a b\r\n"
    b" no facts\r\n"
    b"type=file; \r\n"
    b"type=file; \xe9t\xe9\r\n"
)
NO_FORM = "the line does not have the form of facts and a name"
NO_COMMAND = "the name contains a control character, which no command can carry"


@dataclass(frozen=True)
class Case:
    url: str
    script: Script
    content: bytes = b""
    entries: tuple[Entry, ...] = ()
    attributes: Attributes | None = None
    find: bool = False
    size_known: bool = False  # SIZE tells where the data end, so that no early end can pass


def anonymous(path: str, *parts: Step | tuple[Step, ...], **more: Any) -> Case:
    """Return the case of an anonymous login."""
    return Case(f"ftp://{HOST}{path}", LOGIN.then(*steps(*parts, QUIT)), **more)


def one_octet(url: str, script: Script, *parts: Step | tuple[Step, ...]) -> Case:
    """Return the case of a file `a` whose content is `x`."""
    whole = script.then(*steps(*parts, retrieve("a", b"x"), QUIT))
    return Case(url, whole, content=b"x", attributes=Attributes(name="a", size=1), size_known=True)


DOCUMENTS = {
    "a file": anonymous(
        "/readme.txt",
        retrieve("readme.txt", CONTENT),
        content=CONTENT,
        attributes=Attributes(media_type="text/plain", name="readme.txt", size=SIZE),
        size_known=True,
    ),
    "an empty file": anonymous(
        "/empty", retrieve("empty", b""), attributes=Attributes(name="empty", size=0), size_known=True
    ),
    "a server without SIZE": anonymous(
        "/readme.txt",
        *(type_and_size("readme.txt", None), epsv(), download("RETR", "readme.txt", CONTENT, "250 Done")),
        content=CONTENT,
        attributes=Attributes(media_type="text/plain", name="readme.txt"),
    ),
    "a SIZE that is not a number": anonymous(
        "/a",
        *(TYPE_I, exchange("SIZE a", "213 " + "9" * 19), epsv(), download("RETR", "a", CONTENT)),
        content=CONTENT,
        attributes=Attributes(name="a"),
    ),
    "125, a reply of several lines, and an early 226": anonymous(
        "/a",
        *(type_and_size("a", SIZE), epsv(), client("RETR a")),
        server("125-Data connection", "226 not yet", "  125 not yet either", "125 open", "226 Sent"),
        *(server(CONTENT, on="data"), server_closes(on="data")),
        content=CONTENT,
        attributes=Attributes(name="a", size=SIZE),
        size_known=True,
    ),
    "type=a": anonymous(
        "/a;type=A", *(TYPE_A, epsv(), download("RETR", "a", CONTENT)), content=CONTENT, attributes=Attributes(name="a")
    ),
    "type=i, a port, a user, a password": one_octet(
        f"ftp://jo%65:p%3A%40ss%FF@{HOST}:2121/a;type=i",
        Script(connect(HOST, 2121), server("120 ready in a minute"), server("220-Welcome", "to", "220 host.dom")),
        exchange("USER joe", "331 Password", b"PASS p:@ss\xff\xff\r\n", "202 Superfluous"),
    ),
    "a user who needs no password": one_octet(f"ftp://joe:unused@{HOST}/a", GREETING, exchange("USER joe", "230 In")),
    "an empty user and an empty password": one_octet(
        f"ftp://:@{HOST}/a", GREETING, exchange("USER ", "331 Password", "PASS ", "230 In")
    ),
    "a password from the caller": one_octet(
        f"ftp://myname@{HOST}/%2Fetc/a",
        GREETING,
        exchange("USER myname", "331 Password for myname"),
        *(credentials("myname", "geheim"), exchange("PASS geheim", "230 In"), cwd("/etc")),
    ),
    "section 3.2.2: CWD with an empty argument": one_octet(f"ftp://{HOST}//etc/a", LOGIN, cwd("", "etc")),
    "dots, an encoded slash, a leading hyphen, a space, octets: sent as they are": anonymous(
        "/../a%2Fb/%20/-rf/%e9%ff%FF/%C3%AF%ff",
        cwd("..", "a/b", " ", "-rf", b"\xe9\xff\xff\xff\xff"),
        retrieve(b"\xc3\xaf\xff\xff", b"x"),
        content=b"x",
        attributes=Attributes(name="\u00ef\udcff", size=1),
        size_known=True,
    ),
    "PASV if EPSV is unknown; the address in its reply is ignored": anonymous(
        "/a",
        type_and_size("a", SIZE),
        exchange("EPSV", "502 Not implemented", "PASV", "227 Entering Passive Mode (10,0,0,1,156,64)."),
        *(connect_back(40000), download("RETR", "a", CONTENT)),
        content=CONTENT,
        attributes=Attributes(name="a", size=SIZE),
        size_known=True,
    ),
}
NO_LIST = steps(epsv(40000), exchange("LIST", "502 Not implemented"))
NAMES_ONLY = {
    "command": "NLST",
    "fallback": "only names: the server has no MLSD, and no LIST that can be read",
}
NO_LONG_FORM = "the line has neither the form of Unix nor that of Windows"
MAY = datetime(2019, 5, 6, tzinfo=UTC)
UNIX = (
    b"total 8\r\n"
    b"drwxr-xr-x    3 0        0            4096 May 06  2019 .\r\n"
    b"drwxr-xr-x    3 0        0            4096 May 06  2019 ..\r\n"
    b"drwxr-xr-x    2 0        0            4096 May 06  2019 dir\r\n"
    b"-rw-r--r--    1 0        0              24 May 06  2019   two blanks.txt\r\n"
    b"lrwxrwxrwx    1 0        0               3 May 06  2019 to it -> dir\r\n"
    b"crw-rw-rw-    1 0        0          1,   3 May 06  2019 null\r\n"
    b"-rw-r--r--    1 0        0               1 May 06  2019 R\xfcben\r\n"
    b"-rw-r--r-- and no more\r\n"
)
WINDOWS = b"05-06-19  12:00AM       <DIR>          dir\r\n05-06-2019  00:00                  953  a b\r\n"


def listed(
    name: str, time: str = "May 06  2019", *, kind: str = "file", size: int | None = None, **facts: str
) -> Entry:
    """Return the entry of a file or directory of /pub/ of which LIST says this."""
    url = f"ftp://{HOST}/pub/{name.replace(' ', '%20')}" + "/" * (kind == "directory")
    precision: Precision = "minute" if ":" in time else "day"
    fields = {"modify": time, **facts}
    return Entry(name=name, url=url, kind=kind, size=size, modified=MAY, precision=precision, fields=fields)


LISTINGS = {
    "names": Case(
        f"ftp://joe:p%40@{HOST}/pub/",
        GREETING.then(
            *steps(exchange("USER joe", "230 In"), cwd("pub"), NO_FEATURES, TYPE_A, NO_LIST, epsv()),
            *download("NLST", "", b"a\r\nb c;\n\r\n..\r\nx/y\r\nbad\x07\r\nlast"),
            *QUIT,
        ),
        entries=(
            Entry(name="a", url=f"ftp://joe:p%40@{HOST}/pub/a"),
            Entry(name="b c;", url=f"ftp://joe:p%40@{HOST}/pub/b%20c%3B"),
            Entry(name="..", problem="the name means the directory itself or its parent"),
            Entry(name="x/y", url=f"ftp://joe:p%40@{HOST}/pub/x%2Fy"),
            Entry(name="bad\x07", problem=NO_COMMAND),
            Entry(name="last", url=f"ftp://joe:p%40@{HOST}/pub/last"),
        ),
        attributes=Attributes(fields=NAMES_ONLY),
    ),
    "a LIST of another form": anonymous(
        "/",
        *(NO_FEATURES, TYPE_A, epsv(), download("LIST", "", b"PUB.DIR;1  3-JAN-2020\r\nA.TXT;2 4-JAN-2020\r\n")),
        *(epsv(40002), download("NLST", "", b"A.TXT;2\r\n")),
        entries=(Entry(name="A.TXT;2", url=f"ftp://{HOST}/A.TXT%3B2"),),
        attributes=Attributes(fields=NAMES_ONLY),
    ),
    "a LIST of Unix": anonymous(
        "/pub/",
        *(cwd("pub"), NO_FEATURES, TYPE_A, epsv(), download("LIST", "", UNIX)),
        entries=(
            listed("dir", kind="directory", type="dir", mode="drwxr-xr-x"),
            listed("  two blanks.txt", size=24, type="file", mode="-rw-r--r--"),
            listed("to it", kind="link", type="link", mode="lrwxrwxrwx", target="dir"),
            listed("null", kind="device", type="device", mode="crw-rw-rw-"),
            Entry(
                name="R\u00fcben",
                url=f"ftp://{HOST}/pub/R%FCben",
                kind="file",
                size=1,
                modified=MAY,
                precision="day",
                fields={"type": "file", "modify": "May 06  2019", "mode": "-rw-r--r--"},
            ),
            Entry(name="-rw-r--r-- and no more", problem=NO_LONG_FORM),
        ),
        attributes=Attributes(fields={"command": "LIST"}),
    ),
    "a LIST of Windows": anonymous(
        "/pub/",
        *(cwd("pub"), NO_FEATURES, TYPE_A, epsv(), download("LIST", "", WINDOWS)),
        entries=(
            listed("dir", "05-06-19  12:00AM", kind="directory", type="dir"),
            listed(" a b", "05-06-2019  00:00", size=953, type="file"),
        ),
        attributes=Attributes(fields={"command": "LIST"}),
    ),
    "names and facts": Case(
        f"ftp://{HOST}:2121/pub/%2e/www;type=D",
        Script(connect(HOST, 2121), *tuple(LOGIN)[1:]).then(
            *steps(cwd("pub", ".", "www"), FEATURES, TYPE_A, epsv(), download("MLSD", "", FACTS), QUIT)
        ),
        entries=(
            Entry(
                name="a b;c.txt",
                url=f"ftp://{HOST}:2121/pub/./www/a%20b%3Bc.txt",
                kind="file",
                size=1024,
                modified=datetime(1994, 12, 2, 3, 4, 5, 678000, tzinfo=UTC),
                fields={"type": "file", "size": "1024", "modify": "19941202030405.678"},
            ),
            Entry(
                name="sub/dir",
                url=f"ftp://{HOST}:2121/pub/./www/sub%2Fdir/",
                kind="directory",
                fields={"type": "dir", "modify": "19941301000000"},
            ),
            Entry(
                name="link",
                url=f"ftp://{HOST}:2121/pub/./www/link",
                kind="os.unix=slink:/etc",
                fields={"type": "OS.unix=slink:/etc", "size": "99999999999999999999"},
            ),
            Entry(name="\x1b[2Jevil", kind="file", fields={"type": "file"}, problem=NO_COMMAND),
            Entry(name="line.txt", problem=NO_FORM),
            Entry(name="a b", problem=NO_FORM),
            Entry(name="no facts", url=f"ftp://{HOST}:2121/pub/./www/no%20facts"),
            Entry(name="", kind="file", fields={"type": "file"}, problem="the name is empty"),
            Entry(
                name="\u00e9t\u00e9", url=f"ftp://{HOST}:2121/pub/./www/%E9t%E9", kind="file", fields={"type": "file"}
            ),
        ),
        attributes=Attributes(name="www", fields={"command": "MLSD"}),
    ),
    "the default directory, of which the server says 550 No files": anonymous(
        "",
        *(NO_FEATURES, TYPE_A, epsv(), exchange("LIST", "550 No files found.")),
        attributes=Attributes(fields={"command": "LIST"}),
    ),
    "an empty directory": anonymous(
        "/;type=i",
        *(NO_FEATURES, TYPE_A, epsv(), download("LIST", "", b"total 0\r\n")),
        attributes=Attributes(fields={"command": "LIST"}),
    ),
}
THEN = datetime(1994, 12, 1, tzinfo=UTC)
ATTRIBUTES = {
    "MLST": anonymous(
        "/pub/a",
        *(cwd("pub"), TYPE_I, FEATURES, client("MLST a")),
        server("250-Listing a", " type=file;size=7;modify=19941201000000; /pub/a", "250 End"),
        attributes=Attributes(
            name="a", size=7, modified=THEN, fields={"type": "file", "size": "7", "modify": "19941201000000"}
        ),
        find=True,
    ),
    "MLST of a directory": anonymous(
        "/pub;type=d",
        *(cwd("pub"), TYPE_I, FEATURES, client("MLST")),
        server("250-Listing", " type=cdir;size=4096; /pub", "250 End"),
        attributes=Attributes(name="pub", fields={"type": "cdir", "size": "4096"}),
        find=True,
    ),
    "SIZE and MDTM": anonymous(
        "/a",
        *(TYPE_I, NO_FEATURES, exchange("MDTM a", "213 19941201000000", "SIZE a", "213 7")),
        attributes=Attributes(name="a", size=7, modified=THEN),
        find=True,
    ),
    "MDTM alone": anonymous(
        "/a;type=a",
        *(TYPE_A, NO_FEATURES, exchange("MDTM a", "213 19941201000000")),
        attributes=Attributes(name="a", modified=THEN),
        find=True,
    ),
    "LIST, without SIZE and MDTM": anonymous(
        "/pub/null%20",
        *(cwd("pub"), TYPE_I, NO_FEATURES, exchange("MDTM null ", "500 What?", "SIZE null ", "500 What?")),
        *(TYPE_A, epsv(), download("LIST", "", UNIX.replace(b"  two blanks.txt", b"null "))),
        attributes=Attributes(
            name="null ",
            size=24,
            modified=MAY,
            precision="day",
            fields={"type": "file", "modify": "May 06  2019", "mode": "-rw-r--r--"},
        ),
        find=True,
    ),
    "a directory, by CWD alone": anonymous(
        "/pub/", cwd("pub"), TYPE_I, NO_FEATURES, attributes=Attributes(fields={"type": "dir"}), find=True
    ),
}
CASES = {**DOCUMENTS, **LISTINGS, **ATTRIBUTES}
every_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)
every_third_case = pytest.mark.parametrize(
    "case",
    [
        case if number % 3 == 0 else pytest.param(case, marks=pytest.mark.slow)
        for number, case in enumerate(CASES.values())
    ],
    ids=CASES,
)


@pytest.mark.fault(52)
@pytest.mark.decision(25, 26, 28)
@pytest.mark.rfc1738(51, 57, 59, 65, 66)
@every_case
def test_a_good_dialogue_gives_this_however_it_is_cut(case: Case) -> None:
    url = FtpURL.parse(case.url)
    outcome = split_everywhere(lambda: (find_attributes if case.find else access)(url), case.script)
    assert outcome.error is None
    assert outcome.complete
    assert outcome.content == case.content
    assert outcome.entries == case.entries
    assert outcome.attributes == case.attributes


@pytest.mark.fault(51)
@every_third_case
def test_every_fault_at_every_step_is_an_error_and_never_a_short_success(case: Case) -> None:
    url = FtpURL.parse(case.url)
    algorithm = find_attributes if case.find else access
    runs = fault_everywhere(lambda: algorithm(url), case.script, ends_by_closing=not case.size_known)
    failed = [run for run in runs if isinstance(run.outcome.error, URLError)]
    assert len(failed) > len(case.script)


def test_the_url_of_an_entry_leads_to_its_name() -> None:
    for case in LISTINGS.values():
        for entry in case.entries:
            if entry.url is not None:
                url = FtpURL.parse(entry.url)
                assert entry.name in [name_of(octets_of(name or "")) for name in (url.name, *url.directories[-1:])]


@pytest.mark.rfc1738(63)
@pytest.mark.parametrize(
    ("name", "media_type"),
    [("a.txt", "text/plain"), ("a.html", "text/html"), ("a", None), ("a.tar.gz", "application/gzip")],
)
def test_the_suffix_of_a_name_tells_the_media_type(name: str, media_type: str | None) -> None:
    outcome = replay(access(FtpURL.parse(f"ftp://{HOST}/{name}")), LOGIN.then(*retrieve(name, CONTENT), *QUIT))
    assert outcome.attributes is not None
    assert (outcome.error, outcome.attributes.media_type) == (None, media_type)


def test_a_path_may_have_256_segments() -> None:
    algorithm = access(FtpURL.parse(f"ftp://{HOST}/" + "a/" * 256))
    with pytest.raises(UnsafeURL, match="257 segments: expected at most 256"):
        next(algorithm)
    assert isinstance(next(access(FtpURL.parse(f"ftp://{HOST}/" + "a/" * 255))), Connect)


@pytest.mark.parametrize("path", ["a%0D%0ADELE%20b/c", "a%00/c", "%7F/c"])
def test_no_command_is_sent_with_a_control_character(path: str) -> None:
    outcome = replay(access(FtpURL.parse(f"ftp://{HOST}/{path}")), LOGIN)
    assert type(outcome.error) is UnsafeURL
    assert b"DELE" not in outcome.sent["connection"]


def request_after(url: str, *responses: object) -> object:
    """Return the request that the algorithm makes after `responses` to its earlier ones."""
    algorithm = access(FtpURL.parse(url))
    request: object = next(algorithm)
    for response in responses:
        request = algorithm.send(response)
    return request


@pytest.mark.parametrize(
    ("url", "line"),
    [
        (f"ftp://joe:s3cret@{HOST}/a", b"PASS s3cret\r\n"),
        (f"ftp://{HOST}/a", b"PASS anonymous@example.com\r\n"),
    ],
)
def test_the_password_is_marked_as_secret(url: str, line: bytes) -> None:
    request = request_after(url, Peer("control"), b"220 hi\r\n", None, b"331 Password\r\n")
    assert isinstance(request, Send)
    assert request.octets == line
    assert repr(request).endswith(r"octets=b'PASS ***\r\n')")


@pytest.mark.rfc1738(52)
def test_credentials_are_asked_for_host_port_and_user() -> None:
    request = request_after(
        f"ftp://joe@{HOST}:2121/a", Peer("control"), b"220 hi\r\n", None, b"331 Say \x1b your word\r\n"
    )
    assert isinstance(request, Authenticate)
    assert (request.host, request.port, request.user) == (HOST, 2121, "joe")
    assert request.realm == r"Say \x1b your word"


@pytest.mark.parametrize("ending", [(server_resets(),), (server_closes(),), ()], ids=["reset", "close", "silence"])
def test_a_lost_reply_to_quit_is_no_error(ending: tuple[Step, ...]) -> None:
    script = LOGIN.then(*retrieve("a", CONTENT), client("QUIT"), *ending)
    outcome = split_everywhere(lambda: access(FtpURL.parse(f"ftp://{HOST}/a")), script)
    assert (outcome.error, outcome.content) == (None, CONTENT)


def test_a_caller_who_stops_reading_sends_no_further_command() -> None:
    case = DOCUMENTS["a file"]
    outcome = replay(access(FtpURL.parse(case.url)), case.script, take=1)
    assert outcome.content == CONTENT
    assert b"QUIT" not in outcome.sent["connection"]
