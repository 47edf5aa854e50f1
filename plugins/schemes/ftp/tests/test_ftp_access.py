"""The ftp algorithms against dialogues: what comes of them, cut at every octet and faulted at every step."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from urlschemes.errors import UnsafeURL, URLError
from urlschemes_access.attributes import Attributes, Entry
from urlschemes_access.errors import (
    AccessError,
    AuthRequired,
    ConnectError,
    DeadlineExceeded,
    LimitExceeded,
    ProtocolError,
    RemoteError,
    Truncated,
)
from urlschemes_access.protocol import Authenticate, Connect, Send
from urlschemes_ftp import FtpURL
from urlschemes_ftp.access import access, find_attributes
from urlschemes_testing.replay import (
    Dialogue,
    Outcome,
    Step,
    client,
    connect,
    connect_back,
    credentials,
    fault_everywhere,
    replay,
    server,
    server_closes,
    server_resets,
    split_everywhere,
)

HOST = "host.dom"
GREETING = Dialogue(connect(HOST, 21), server("220 host.dom FTP server ready"))
LOGIN = GREETING.then(
    client("USER anonymous"),
    server("331 Send your address as password"),
    client("PASS anonymous@example.com"),
    server("230 Welcome"),
)
PASSIVE = Dialogue(LOGIN, client("EPSV"), server("229 Extended passive mode (|||40001|)"), connect_back(40001))
BYE: tuple[Step, ...] = (client("QUIT"), server("221 Goodbye"))


def said(*steps: Step | tuple[Step, ...]) -> tuple[Step, ...]:
    return tuple(step for part in steps for step in (part if isinstance(part, tuple) else (part,)))


def passive(port: int = 40001) -> tuple[Step, ...]:
    return client("EPSV"), server(f"229 Entering extended passive mode (|||{port}|)"), connect_back(port)


def cwd(*directories: str | bytes) -> tuple[Step, ...]:
    return said(
        *(
            (client(b"CWD " + (d if isinstance(d, bytes) else d.encode()) + b"\r\n"), server("250 Changed"))
            for d in directories
        )
    )


def image(name: str | bytes, size: int | None) -> tuple[Step, ...]:
    octets = name if isinstance(name, bytes) else name.encode()
    return (
        client("TYPE I"),
        server("200 Type set to I"),
        client(b"SIZE " + octets + b"\r\n"),
        server("500 What?" if size is None else f"213 {size}"),
    )


def sent(command: str | bytes, content: bytes, end: str = "226 Transfer complete") -> tuple[Step, ...]:
    octets = command if isinstance(command, bytes) else command.encode()
    return said(
        client(octets + b"\r\n"),
        server("150 Here it comes"),
        (server(content, on="data"),) if content else (),
        server_closes(on="data"),
        server(end),
    )


def plain(url: str, content: bytes, *steps: Step | tuple[Step, ...]) -> Good:
    return Good(url, LOGIN.then(*said(*steps, BYE)), content=content)


@dataclass(frozen=True)
class Good:
    url: str
    dialogue: Dialogue
    content: bytes = b""
    entries: tuple[Entry, ...] = ()
    attributes: Attributes | None = None
    find: bool = False
    sure: bool = False  # SIZE tells where the data end, so that no early end can pass


CONTENT = b"Hello\r\nworld \xff\x00\n"
N = len(CONTENT)
FEATURES = (
    client("FEAT"),
    server("211-Extensions supported:", " MDTM", " MLST size*;modify*;type*;", " SIZE", "211 End"),
)
NO_FEATURES = (client("FEAT"), server("500 Unknown command"))
ASCII = (client("TYPE A"), server("200 Type set to A"))
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

GOOD = {
    "a file": Good(
        f"ftp://{HOST}/readme.txt",
        LOGIN.then(*said(image("readme.txt", N), passive(), sent("RETR readme.txt", CONTENT), BYE)),
        content=CONTENT,
        attributes=Attributes(media_type="text/plain", name="readme.txt", size=N),
        sure=True,
    ),
    "an empty file": Good(
        f"ftp://{HOST}/empty",
        LOGIN.then(*said(image("empty", 0), passive(), sent("RETR empty", b""), BYE)),
        attributes=Attributes(name="empty", size=0),
        sure=True,
    ),
    "a server without SIZE": Good(
        f"ftp://{HOST}/readme.txt",
        LOGIN.then(*said(image("readme.txt", None), passive(), sent("RETR readme.txt", CONTENT, "250 Done"), BYE)),
        content=CONTENT,
        attributes=Attributes(media_type="text/plain", name="readme.txt"),
    ),
    "a SIZE that is no number": Good(
        f"ftp://{HOST}/a",
        LOGIN.then(
            client("TYPE I"),
            server("200 OK"),
            client("SIZE a"),
            server("213 " + "9" * 5000),
            *passive(),
            *sent("RETR a", CONTENT),
            *BYE,
        ),
        content=CONTENT,
        attributes=Attributes(name="a"),
    ),
    "125, a reply of many lines, and an early 226": Good(
        f"ftp://{HOST}/a",
        LOGIN.then(
            *image("a", N),
            *passive(),
            client("RETR a"),
            server("125-Data connection", "226 not yet", "  125 not yet either", "125 open", "226 Sent"),
            server(CONTENT, on="data"),
            server_closes(on="data"),
            *BYE,
        ),
        content=CONTENT,
        attributes=Attributes(name="a", size=N),
        sure=True,
    ),
    "type=a": Good(
        f"ftp://{HOST}/a;type=A",
        LOGIN.then(*said(ASCII, passive(), sent("RETR a", CONTENT), BYE)),
        content=CONTENT,
        attributes=Attributes(name="a"),
    ),
    "type=i, a port, a user, a password": Good(
        f"ftp://jo%65:p%3A%40ss@{HOST}:2121/a;type=i",
        Dialogue(
            connect(HOST, 2121),
            server("120 ready in a minute"),
            server("220-Welcome", "to", "220 host.dom"),
            client("USER joe"),
            server("331 Password"),
            client("PASS p:@ss"),
            server("202 Superfluous"),
            *image("a", 1),
            *passive(),
            *sent("RETR a", b"x"),
            *BYE,
        ),
        content=b"x",
        attributes=Attributes(name="a", size=1),
        sure=True,
    ),
    "a user whom no password is asked of": Good(
        f"ftp://joe:unused@{HOST}/a",
        GREETING.then(client("USER joe"), server("230 In"), *image("a", 1), *passive(), *sent("RETR a", b"x"), *BYE),
        content=b"x",
        attributes=Attributes(name="a", size=1),
        sure=True,
    ),
    "an empty user and an empty password": Good(
        f"ftp://:@{HOST}/a",
        GREETING.then(
            client("USER "),
            server("331 Password"),
            client("PASS "),
            server("230 In"),
            *image("a", 1),
            *passive(),
            *sent("RETR a", b"x"),
            *BYE,
        ),
        content=b"x",
        attributes=Attributes(name="a", size=1),
        sure=True,
    ),
    "a password from the caller": Good(
        f"ftp://myname@{HOST}/%2Fetc/motd",
        GREETING.then(
            client("USER myname"),
            server("331 Password for myname"),
            credentials("myname", "geheim"),
            client("PASS geheim"),
            server("230 In"),
            *cwd("/etc"),
            *image("motd", 1),
            *passive(),
            *sent("RETR motd", b"x"),
            *BYE,
        ),
        content=b"x",
        attributes=Attributes(name="motd", size=1),
        sure=True,
    ),
    "section 3.2.2: CWD with an empty argument": Good(
        f"ftp://{HOST}//etc/motd",
        LOGIN.then(*said(cwd("", "etc"), image("motd", 1), passive(), sent("RETR motd", b"x"), BYE)),
        content=b"x",
        attributes=Attributes(name="motd", size=1),
        sure=True,
    ),
    "components as they are: dots, an encoded slash, a leading hyphen, a space, octets": Good(
        f"ftp://{HOST}/../a%2Fb/%20/-rf/%e9%ff%FF/%C3%AF%ff",
        LOGIN.then(
            *said(
                cwd("..", "a/b", " ", "-rf", b"\xe9\xff\xff\xff\xff"),
                image(b"\xc3\xaf\xff\xff", 1),
                passive(),
                sent(b"RETR \xc3\xaf\xff\xff", b"x"),
                BYE,
            )
        ),
        content=b"x",
        attributes=Attributes(name="\u00ef\udcff", size=1),
        sure=True,
    ),
    "PASV where EPSV is unknown; the address in it is nobody's": Good(
        f"ftp://{HOST}/a",
        LOGIN.then(
            *image("a", N),
            client("EPSV"),
            server("502 Not implemented"),
            client("PASV"),
            server("227 Entering Passive Mode (10,0,0,1,156,64)."),
            connect_back(40000),
            *sent("RETR a", CONTENT),
            *BYE,
        ),
        content=CONTENT,
        attributes=Attributes(name="a", size=N),
        sure=True,
    ),
    "names only": Good(
        f"ftp://joe:p%40@{HOST}/pub/",
        GREETING.then(
            client("USER joe"),
            server("230 In"),
            *cwd("pub"),
            *NO_FEATURES,
            *ASCII,
            *passive(),
            *sent("NLST", b"a\r\nb c;\n\r\n..\r\nx/y\r\nbad\x07\r\nlast"),
            *BYE,
        ),
        entries=(
            Entry(name="a", url=f"ftp://joe:p%40@{HOST}/pub/a"),
            Entry(name="b c;", url=f"ftp://joe:p%40@{HOST}/pub/b%20c%3B"),
            Entry(name="..", problem="this names no entry, but the directory itself or the one above"),
            Entry(name="x/y", url=f"ftp://joe:p%40@{HOST}/pub/x%2Fy"),
            Entry(name="bad\x07", problem="the name holds a control character, which no command can carry"),
            Entry(name="last", url=f"ftp://joe:p%40@{HOST}/pub/last"),
        ),
        attributes=Attributes(),
    ),
    "names and facts": Good(
        f"ftp://{HOST}:2121/pub/%2e/www;type=D",
        Dialogue(connect(HOST, 2121), *tuple(LOGIN)[1:]).then(
            *cwd("pub", ".", "www"), *FEATURES, *ASCII, *passive(), *sent("MLSD", FACTS), *BYE
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
            Entry(
                name="\x1b[2Jevil",
                kind="file",
                fields={"type": "file"},
                problem="the name holds a control character, which no command can carry",
            ),
            Entry(name="line.txt", problem="the server sent this line without facts and a name"),
            Entry(name="a b", problem="the server sent this line without facts and a name"),
            Entry(name="no facts", url=f"ftp://{HOST}:2121/pub/./www/no%20facts"),
            Entry(name="", kind="file", fields={"type": "file"}, problem="the server sent no name"),
            Entry(
                name="\udce9t\udce9",
                url=f"ftp://{HOST}:2121/pub/./www/%E9t%E9",
                kind="file",
                fields={"type": "file"},
            ),
        ),
        attributes=Attributes(name="www"),
    ),
    "the default directory, empty": Good(
        f"ftp://{HOST}",
        LOGIN.then(*said(NO_FEATURES, ASCII, passive(), client("NLST"), server("550 No files found."), BYE)),
        attributes=Attributes(),
    ),
    "an empty directory": Good(
        f"ftp://{HOST}/;type=i",
        LOGIN.then(*said(NO_FEATURES, ASCII, passive(), sent("NLST", b""), BYE)),
        attributes=Attributes(),
    ),
    "MLST": Good(
        f"ftp://{HOST}/pub/a",
        LOGIN.then(
            *cwd("pub"),
            client("TYPE I"),
            server("200 OK"),
            *FEATURES,
            client("MLST a"),
            server("250-Listing a", " type=file;size=7;modify=19941201000000; /pub/a", "250 End"),
            *BYE,
        ),
        attributes=Attributes(
            name="a",
            size=7,
            modified=datetime(1994, 12, 1, tzinfo=UTC),
            fields={"type": "file", "size": "7", "modify": "19941201000000"},
        ),
        find=True,
    ),
    "MLST of a directory": Good(
        f"ftp://{HOST}/pub;type=d",
        LOGIN.then(
            *cwd("pub"),
            client("TYPE I"),
            server("200 OK"),
            *FEATURES,
            client("MLST"),
            server("250-Listing", " type=cdir;size=4096; /pub", "250 End"),
            *BYE,
        ),
        attributes=Attributes(name="pub", fields={"type": "cdir", "size": "4096"}),
        find=True,
    ),
    "SIZE and MDTM": Good(
        f"ftp://{HOST}/a",
        LOGIN.then(
            client("TYPE I"),
            server("200 OK"),
            *NO_FEATURES,
            client("MDTM a"),
            server("213 19941201000000"),
            client("SIZE a"),
            server("213 7"),
            *BYE,
        ),
        attributes=Attributes(name="a", size=7, modified=datetime(1994, 12, 1, tzinfo=UTC)),
        find=True,
    ),
    "MDTM alone": Good(
        f"ftp://{HOST}/a;type=a",
        LOGIN.then(*ASCII, *NO_FEATURES, client("MDTM a"), server("213 19941201000000"), *BYE),
        attributes=Attributes(name="a", modified=datetime(1994, 12, 1, tzinfo=UTC)),
        find=True,
    ),
    "a directory of which nothing is said": Good(
        f"ftp://{HOST}/pub/",
        LOGIN.then(*cwd("pub"), client("TYPE I"), server("200 OK"), *NO_FEATURES, *BYE),
        attributes=Attributes(fields={"type": "dir"}),
        find=True,
    ),
}


def outcome_of(url: str, dialogue: Dialogue, *, find: bool = False) -> Outcome:
    return replay((find_attributes if find else access)(FtpURL.parse(url)), dialogue)


@pytest.mark.parametrize("case", GOOD.values(), ids=GOOD)
def test_a_good_dialogue_gives_this_however_it_is_cut(case: Good) -> None:
    url = FtpURL.parse(case.url)
    outcome = split_everywhere(lambda: (find_attributes if case.find else access)(url), case.dialogue)
    assert outcome.error is None
    assert outcome.complete
    assert outcome.content == case.content
    assert outcome.entries == case.entries
    assert outcome.attributes == case.attributes


@pytest.mark.parametrize("case", GOOD.values(), ids=GOOD)
def test_every_fault_at_every_step_is_an_error_and_never_a_short_success(case: Good) -> None:
    url = FtpURL.parse(case.url)
    runs = fault_everywhere(
        lambda: (find_attributes if case.find else access)(url), case.dialogue, ends_by_closing=not case.sure
    )
    assert any(run.fault == "cancelled" for run in runs)
    failed = [run for run in runs if run.outcome.error is not None]
    assert len(failed) > len(case.dialogue)
    for run in failed:
        assert isinstance(run.outcome.error, URLError)


def test_the_urls_of_entries_lead_back_to_their_names() -> None:
    for case in GOOD.values():
        for entry in case.entries:
            if entry.url is not None:
                url = FtpURL.parse(entry.url)
                assert entry.name in (url.name, *url.directories[-1:])


# Faults ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Bad:
    dialogue: Dialogue
    error: type[URLError]
    says: str
    status: int | None = None
    temporary: bool = False
    url: str = f"ftp://{HOST}/a"
    find: bool = False


def bad(error: type[URLError], says: str, *steps: Step | tuple[Step, ...], **more: object) -> Bad:
    return Bad(Dialogue(*said(*steps)), error, says, **more)  # type: ignore[arg-type]


C = (connect(HOST, 21),)
G = tuple(GREETING)
L = tuple(LOGIN)
UP_TO_RETR = said(L, image("a", 5), passive(), client("RETR a"))
STARTED = said(UP_TO_RETR, server("150 Here it comes"))
UP_TO_LIST = said(L, NO_FEATURES, ASCII, passive(), client("NLST"))

BAD = {
    # B31: banners that say no, the connection left open
    "banner 421": bad(RemoteError, "421 Too many", C, server("421 Too many users"), status=421, temporary=True),
    "banner 400": bad(RemoteError, "400", C, server("400 Later"), status=400, temporary=True),
    "banner 502": bad(RemoteError, "502", C, server("502 No"), status=502),
    "banner 554": bad(RemoteError, "554", C, server("554 Go away"), status=554),
    # B14, B24: no FTP, or no reply code
    "banner of HTTP": bad(ProtocolError, "HTTP/1.1 400", C, server("HTTP/1.1 400 Bad Request")),
    "banner of SSH": bad(ProtocolError, "SSH-2.0", C, server("SSH-2.0-OpenSSH_9.2")),
    "banner of octets": bad(ProtocolError, "x00", C, server(bytes(range(256)) + b"\n")),
    "banner 999": bad(ProtocolError, "999", C, server("999 Ready")),
    "banner 000": bad(ProtocolError, "000", C, server("000 Ready")),
    "banner 22": bad(ProtocolError, "22 R", C, server("22 Ready")),
    "banner 2200": bad(ProtocolError, "2200", C, server("2200 Ready")),
    "banner 220:": bad(ProtocolError, "220:", C, server("220: Ready")),
    "banner of letters": bad(ProtocolError, "two", C, server("two twenty")),
    "banner of Arabic digits": bad(ProtocolError, "a reply", C, server("٢٢٠ Ready".encode() + b"\r\n")),
    "banner 331": bad(ProtocolError, "2xx was due", C, server("331 Ready")),
    "banner 150": bad(ProtocolError, "2xx was due", C, server("150 Ready")),
    "banner 120 twice": bad(ProtocolError, "2xx was due", C, server("120 soon"), server("120 soon")),
    "no banner": bad(ConnectError, "closed the connection", C, server_closes()),
    "half a banner": bad(Truncated, "within a line", C, server(b"220 hos"), server_closes()),
    "a banner, reset": bad(ConnectError, "broke off", C, server_resets()),
    # B13, B26
    "a huge line": bad(LimitExceeded, "longer than 8192", C, server(b"220 " + b"x" * 9000)),
    "a reply without end": bad(LimitExceeded, "1000 lines", C, server(b"220-\r\n" + b"220-more\r\n" * 1001)),
    "a long reply": bad(LimitExceeded, "65536 octets", C, server(b"220-\r\n" + (b"x" * 8000 + b"\r\n") * 9)),
    "a reply cut off": bad(Truncated, "closed", C, server("220-Hello", "there"), server_closes()),
    # B25: replies that nobody asked for
    "two banners": bad(ProtocolError, "silence before USER", C, server("220 ready", "220 ready")),
    "a forged login": bad(ProtocolError, "silence before PASS", G, client("USER anonymous"), server("331 P", "230 in")),
    "a 226 out of nowhere": bad(
        ProtocolError, "silence before SIZE", L, client("TYPE I"), server("200 OK", "226 Transfer complete")
    ),
    "226 instead of 150": bad(ProtocolError, "a reply 1xx", UP_TO_RETR, server("226 Transfer complete")),
    # B30, who asks
    "530 to USER": bad(AuthRequired, "530 No anonymous", G, client("USER anonymous"), server("530 No anonymous")),
    "332 to USER": bad(AuthRequired, "an account", G, client("USER anonymous"), server("332 Account?")),
    "530 to PASS": bad(AuthRequired, "530 Wrong", *L[:5], server("530 Wrong")),
    "430 to PASS": bad(AuthRequired, "430", *L[:5], server("430 Invalid user or password")),
    "331 to PASS": bad(AuthRequired, "asks again", *L[:5], server("331 Again")),
    "332 to PASS": bad(AuthRequired, "an account", *L[:5], server("332 Account?")),
    "421 to PASS": bad(RemoteError, "421", *L[:5], server("421 Bye"), status=421, temporary=True),
    "500 to USER": bad(RemoteError, "500", G, client("USER anonymous"), server("500 What?"), status=500),
    "150 to PASS": bad(ProtocolError, "a reply 2xx", *L[:5], server("150 What?")),
    "nobody knows the password": bad(
        AuthRequired,
        "a password for the user joe",
        *G,
        client("USER joe"),
        server("331 Password"),
        credentials(None),
        url=f"ftp://joe@{HOST}/a",
    ),
    "a login for somebody else": bad(
        AuthRequired,
        "a password for the user joe",
        *G,
        client("USER joe"),
        server("331 Password"),
        credentials("jane", "geheim"),
        url=f"ftp://joe@{HOST}/a",
    ),
    "a password with a line break": bad(
        UnsafeURL,
        "PASS holds a control character",
        *G,
        client("USER joe"),
        server("331 Password"),
        credentials("joe", "x\r\nDELE a"),
        url=f"ftp://joe@{HOST}/a",
    ),
    "the password repeated": bad(
        RemoteError,
        "'PASS ***': command not understood",
        *G,
        client("USER joe"),
        server("331 Password"),
        client("PASS hunter2"),
        server("500 'PASS hunter2': command not understood"),
        url=f"ftp://joe:hunter2@{HOST}/a",
        status=500,
    ),
    # Commands refused
    "550 to CWD": bad(
        RemoteError, "CWD a/b: 550", L, client("CWD a/b"), server("550 No"), url=f"ftp://{HOST}/a%2Fb/c", status=550
    ),
    "501 to an empty CWD": bad(
        RemoteError,
        "CWD with an empty argument: 501 No argument; //",
        L,
        client("CWD "),
        server("501 No argument"),
        url=f"ftp://{HOST}//a",
        status=501,
    ),
    "331 to CWD": bad(ProtocolError, "a reply 2xx", L, client("CWD b"), server("331 No"), url=f"ftp://{HOST}/b/c"),
    "504 to TYPE": bad(RemoteError, "TYPE I: 504", L, client("TYPE I"), server("504 No"), status=504),
    "421 to SIZE": bad(
        RemoteError,
        "421",
        L,
        client("TYPE I"),
        server("200 OK"),
        client("SIZE a"),
        server("421 Bye"),
        status=421,
        temporary=True,
    ),
    "200 to SIZE": bad(
        ProtocolError, "a reply 213", L, client("TYPE I"), server("200 OK"), client("SIZE a"), server("200 5")
    ),
    "550 to RETR": bad(
        RemoteError,
        "RETR a: 550 Not a plain file; if it is a directory, the same URL with ;type=d lists it",
        UP_TO_RETR,
        server("550 Not a plain file"),
        status=550,
    ),
    "450 to RETR": bad(RemoteError, "450 Busy", UP_TO_RETR, server("450 Busy"), status=450, temporary=True),
    "425 to RETR": bad(RemoteError, "425", UP_TO_RETR, server("425 No connection"), status=425, temporary=True),
    "599 to RETR": bad(RemoteError, "599", UP_TO_RETR, server("599 Odd"), status=599),
    "350 to RETR": bad(ProtocolError, "a reply 1xx", UP_TO_RETR, server("350 Go on")),
    "550 to NLST": bad(RemoteError, "NLST: 550", UP_TO_LIST, server("550 Denied"), url=f"ftp://{HOST}/", status=550),
    "226 to NLST": bad(ProtocolError, "a reply 1xx", UP_TO_LIST, server("226 Done"), url=f"ftp://{HOST}/"),
    "421 to FEAT": bad(
        RemoteError, "421", L, client("FEAT"), server("421 Bye"), url=f"ftp://{HOST}/", status=421, temporary=True
    ),
    "150 to FEAT": bad(ProtocolError, "a reply 2xx", L, client("FEAT"), server("150 What?"), url=f"ftp://{HOST}/"),
    "EPSV 421": bad(
        RemoteError, "421", L, image("a", 5), client("EPSV"), server("421 Bye"), status=421, temporary=True
    ),
    "EPSV and PASV refused": bad(
        RemoteError,
        "PASV: 502",
        L,
        image("a", 5),
        client("EPSV"),
        server("502 No"),
        client("PASV"),
        server("502 No"),
        status=502,
    ),
    # B28, B29: the data connection, and the end
    "no data connection": bad(
        ConnectError, "refused", *L, *image("a", 5), *passive()[:2], connect_back(40001, error=ConnectError("refused"))
    ),
    "silent data": bad(DeadlineExceeded, "data", STARTED),
    "data reset": bad(Truncated, "3 of 5 octets", STARTED, server(b"abc", on="data"), server_resets(on="data")),
    "data reset at once": bad(Truncated, "0 of 5 octets", STARTED, server_resets(on="data")),
    "no 226": bad(
        Truncated, "no 226 confirmed it; 5 of 5", STARTED, server(b"abcde", on="data"), server_closes(on="data")
    ),
    "closed instead of 226": bad(
        Truncated, "no 226", STARTED, server(b"abcde", on="data"), server_closes(on="data"), server_closes()
    ),
    "reset instead of 226": bad(
        Truncated, "no 226", STARTED, server(b"abcde", on="data"), server_closes(on="data"), server_resets()
    ),
    "426": bad(
        Truncated, "426 Aborted", STARTED, server(b"abcde", on="data"), server_closes(on="data"), server("426 Aborted")
    ),
    "early 451": bad(
        Truncated, "451 Disk", STARTED, server("451 Disk error"), server(b"abc", on="data"), server_closes(on="data")
    ),
    "221 for 226": bad(
        Truncated, "221 Bye", STARTED, server(b"abcde", on="data"), server_closes(on="data"), server("221 Bye")
    ),
    "less than SIZE": bad(
        Truncated, "3 of 5 octets", STARTED, server(b"abc", on="data"), server_closes(on="data"), server("226 Done")
    ),
    "more than SIZE": bad(
        Truncated, "7 of 5 octets", STARTED, server(b"abcdefg", on="data"), server_closes(on="data"), server("226 Done")
    ),
    "a listing cut": bad(
        Truncated,
        "426",
        *UP_TO_LIST,
        server("150 Names"),
        server(b"a\r\nb", on="data"),
        server_closes(on="data"),
        server("426 Aborted"),
        url=f"ftp://{HOST}/",
    ),
    "a name without end": bad(
        LimitExceeded,
        "longer than 8192",
        *UP_TO_LIST,
        server("150 Names"),
        server(b"x" * 70000, on="data"),
        url=f"ftp://{HOST}/",
    ),
    "a name too long": bad(
        LimitExceeded,
        "longer than 8192",
        *UP_TO_LIST,
        server("150 Names"),
        server(b"x" * 60_000, on="data"),
        server(b"x" * 6_000 + b"\r\n", on="data"),
        url=f"ftp://{HOST}/",
    ),
    # Attributes
    "nothing is known": bad(
        RemoteError,
        "SIZE a: 502",
        *L,
        client("TYPE I"),
        server("200 OK"),
        *NO_FEATURES,
        client("MDTM a"),
        server("502 No"),
        client("SIZE a"),
        server("502 No"),
        status=502,
        find=True,
    ),
    "no MDTM, and no SIZE of a text": bad(
        RemoteError,
        "MDTM a: 550",
        *L,
        *ASCII,
        *NO_FEATURES,
        client("MDTM a"),
        server("550 No"),
        status=550,
        url=f"ftp://{HOST}/a;type=a",
        find=True,
    ),
    "550 to MLST": bad(
        RemoteError,
        "MLST a: 550",
        L,
        client("TYPE I"),
        server("200 OK"),
        FEATURES,
        client("MLST a"),
        server("550 No"),
        status=550,
        find=True,
    ),
    "MLST without facts": bad(
        ProtocolError,
        "a line of facts",
        L,
        client("TYPE I"),
        server("200 OK"),
        FEATURES,
        client("MLST a"),
        server("250 Done"),
        find=True,
    ),
}


@pytest.mark.parametrize("case", BAD.values(), ids=BAD)
def test_a_bad_dialogue_is_this_error(case: Bad) -> None:
    outcome = outcome_of(case.url, case.dialogue, find=case.find)
    error = outcome.error
    assert type(error) is case.error
    text = str(error)
    assert case.says in text
    assert text.isprintable()
    assert text.isascii()
    assert len(text) <= 300
    assert "geheim" not in text
    assert "hunter2" not in text
    assert not outcome.complete
    if isinstance(error, RemoteError):
        assert (error.status, error.temporary) == (case.status, case.temporary)
        assert "hunter2" not in error.text


def test_truncated_counts_what_came_and_what_was_due() -> None:
    error = outcome_of(BAD["426"].url, BAD["426"].dialogue).error
    assert isinstance(error, Truncated)
    assert (error.received, error.expected) == (5, 5)


def test_the_data_connection_is_closed_before_the_wait_for_226() -> None:
    # Some servers wait for that before they say it.
    outcome = outcome_of(BAD["no 226"].url, BAD["no 226"].dialogue)
    assert outcome.unclosed == ("connection",)


def test_cut_content_is_delivered_before_the_error() -> None:
    outcome = outcome_of(BAD["less than SIZE"].url, BAD["less than SIZE"].dialogue)
    assert outcome.content == b"abc"
    assert isinstance(outcome.error, Truncated)


def test_the_last_name_of_a_cut_listing_is_not_delivered() -> None:
    outcome = outcome_of(BAD["a listing cut"].url, BAD["a listing cut"].dialogue)
    assert [entry.name for entry in outcome.entries] == ["a"]


# B27: which ports
EPSV_PORTS = {
    "229 (|||40001|)": 40001,
    "229 Entering Extended Passive Mode (|||1024|)": 1024,
    "229 (!!!65535!)": 65535,
    "229 with an address that counts for nothing (|1|10.0.0.1|40001|)": 40001,
    "229 (|||1023|)": None,
    "229 (|||0|)": None,
    "229 (|||65536|)": None,
    "229 (|||99999|)": None,
    f"229 (|||{'9' * 5000}|)": None,
    "229 (|||-5000|)": None,
    "229 (|||)": None,
    "229 (||40001|)": None,
    "229 (111400011)": None,
    "229 40001": None,
    "229": None,
    "227 (127,0,0,1,156,65)": None,
    "200 (|||40001|)": None,
}
PASV_PORTS = {
    "227 Entering Passive Mode (127,0,0,1,156,65)": 40001,
    "227 =127,0,0,1,156,65": 40001,
    "227 Entering Passive Mode. 10,0,0,1,156,65 is it": 40001,
    "227 (1,2,3,4,4,0)": 1024,
    "227 (1,2,3,4,3,255)": None,
    "227 (1,2,3,4,0,0)": None,
    "227 (1,2,3,4,256,1)": None,
    "227 (1,2,3,4,156,256)": None,
    "227 (1,2,3,4,156)": None,
    f"227 (1,2,3,4,{'9' * 5000},1)": None,
    "227 (1,2,3,4,-156,1)": None,
    "227": None,
    "229 (|||40001|)": None,
    "200 (1,2,3,4,156,65)": None,
}


@pytest.mark.parametrize(("reply", "port"), EPSV_PORTS.items())
def test_the_port_of_epsv(reply: str, port: int | None) -> None:
    begun = LOGIN.then(*image("a", 1), client("EPSV"), server(reply))
    _assert_port(begun, port)


@pytest.mark.parametrize(("reply", "port"), PASV_PORTS.items())
def test_the_port_of_pasv(reply: str, port: int | None) -> None:
    begun = LOGIN.then(*image("a", 1), client("EPSV"), server("500 What?"), client("PASV"), server(reply))
    _assert_port(begun, port)


def _assert_port(begun: Dialogue, port: int | None) -> None:
    if port is None:
        error = outcome_of(f"ftp://{HOST}/a", begun).error
        assert type(error) is ProtocolError
        assert error.where in ("EPSV", "PASV")
    else:
        url, dialogue = FtpURL.parse(f"ftp://{HOST}/a"), begun.then(connect_back(port), *sent("RETR a", b"x"), *BYE)
        outcome = split_everywhere(lambda: access(url), dialogue)
        assert outcome.error is None
        assert outcome.content == b"x"
        fault_everywhere(lambda: access(url), dialogue)


# Every reply code to every command: an error of its class, never anything else, never success.
DUE = {
    "the connection": (C, {"120", "2"}),
    "USER": (said(G, client("USER anonymous")), {"331", "2"}),
    "PASS": (L[:5], {"2"}),
    "CWD": (said(L, client("CWD d")), {"2"}),
    "TYPE": (said(L, cwd("d"), client("TYPE I")), {"2"}),
    "SIZE": (said(L, cwd("d"), image("a", 1)[:3]), {"213", "4", "5"}),
    "EPSV": (said(L, cwd("d"), image("a", 1), client("EPSV")), {"229", "5"}),
    "RETR": (said(L, cwd("d"), image("a", 1), passive(), client("RETR a")), {"1"}),
}
CODES = ["110", "120", "125", "150", "200", "202", "211", "213", "220", "221", "225", "226", "227", "229", "230", "250",
         "257", "331", "332", "350", "421", "425", "426", "430", "450", "451", "452", "500", "501", "502", "503", "504",
         "522", "530", "532", "534", "550", "551", "552", "553", "599"]  # fmt: skip


@pytest.mark.parametrize("command", DUE)
def test_every_reply_code_to_every_command(command: str) -> None:
    begun, good = DUE[command]
    refused = 0
    for code in CODES:
        if code in good or (code[0] in good and code != "421"):
            continue
        error = outcome_of(f"ftp://{HOST}/d/a", Dialogue(*begun, server(f"{code} It says so"))).error
        expected: type[URLError] = RemoteError if code[0] in "45" else ProtocolError
        if command in ("USER", "PASS") and (code[0] == "3" or code in ("430", "530", "532")):
            expected = AuthRequired
        assert type(error) is expected, code
        assert code in str(error)
        if isinstance(error, RemoteError):
            assert (error.status, error.temporary) == (int(code), code[0] == "4")
        refused += 1
    assert refused >= 10


# What must not be sent ------------------------------------------------------------------------------------------------


def test_more_than_256_segments_are_refused_before_connecting() -> None:
    algorithm = access(FtpURL.parse(f"ftp://{HOST}/" + "a/" * 256))
    with pytest.raises(UnsafeURL, match="256 segments"):
        next(algorithm)
    assert isinstance(next(access(FtpURL.parse(f"ftp://{HOST}/" + "a/" * 255))), Connect)


def test_no_control_character_reaches_a_command_even_from_an_unchecked_url() -> None:
    for url in ("ftp://host.dom/a%0D%0ADELE%20b/c", "ftp://host.dom/a%00/c", "ftp://host.dom/%7F/c"):
        outcome = outcome_of(url, LOGIN)
        assert type(outcome.error) is UnsafeURL
        assert b"DELE" not in outcome.sent["connection"]


def request_after(url: str, *answers: object) -> object:
    """The request that the algorithm makes once its earlier ones have been answered."""
    algorithm = access(FtpURL.parse(url))
    request: object = next(algorithm)
    for answer in answers:
        request = algorithm.send(answer)
    return request


def test_the_password_is_marked_as_secret() -> None:
    begun = ("peer", b"220 hi\r\n", None, b"331 Password\r\n")
    for url, line in (
        (f"ftp://joe:s3cret@{HOST}/a", b"PASS s3cret\r\n"),
        (f"ftp://{HOST}/a", b"PASS anonymous@example.com\r\n"),
    ):
        request = request_after(url, *begun)
        assert isinstance(request, Send)
        assert request.octets == line
        assert repr(request).endswith(r"octets=b'PASS ***\r\n')")


def test_the_credentials_hook_is_told_who_asks_and_for_whom() -> None:
    request = request_after(f"ftp://joe@{HOST}:2121/a", "peer", b"220 hi\r\n", None, b"331 Say \x1b your word\r\n")
    assert isinstance(request, Authenticate)
    assert (request.host, request.port, request.user) == (HOST, 2121, "joe")
    assert request.realm == r"Say \x1b your word"


def test_a_lost_farewell_spoils_nothing() -> None:
    steps = tuple(GOOD["a file"].dialogue)[:-2]
    for ending in ((client("QUIT"), server_resets()), (client("QUIT"), server_closes()), (client("QUIT"),)):
        url, dialogue = FtpURL.parse(GOOD["a file"].url), Dialogue(*steps, *ending)
        outcome = split_everywhere(lambda: access(url), dialogue)  # noqa: B023  run at once
        assert outcome.error is None
        assert outcome.content == CONTENT


def test_leaving_early_asks_for_nothing_more() -> None:
    outcome = replay(access(FtpURL.parse(GOOD["a file"].url)), GOOD["a file"].dialogue, take=1)
    assert outcome.content == CONTENT
    assert b"QUIT" not in outcome.sent["connection"]


def test_errors_are_one_family() -> None:
    assert {case.error for case in BAD.values()} <= {UnsafeURL, *AccessError.__subclasses__()}


@pytest.mark.parametrize(
    ("name", "media_type"),
    [("a.txt", "text/plain"), ("a.html", "text/html"), ("a", None), ("a.tar.gz", "application/gzip")],
)
def test_the_suffix_of_a_name_tells_the_media_type(name: str, media_type: str | None) -> None:
    dialogue = LOGIN.then(*said(image(name, N), passive(), sent(f"RETR {name}", CONTENT), BYE))
    url = FtpURL.parse(f"ftp://{HOST}/{name}")
    outcome = split_everywhere(lambda: access(url), dialogue)
    fault_everywhere(lambda: access(url), dialogue)
    assert outcome.attributes is not None
    assert (outcome.error, outcome.attributes.media_type) == (None, media_type)
