"""News with INN and sn, where they are installed, compared with nntplib and a plain socket."""

from __future__ import annotations

import grp
import os
import pwd
import socket
import ssl
import subprocess
import tempfile
import urllib.parse
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pytest
import trustme
from opening import HERE, content_of, entries_of
from real_servers import HAS_IPV6, PATIENCE, account, free_port, greets, inetd, program, run_as, stop, wait

import urlschemes_access
from urlschemes import Registry
from urlschemes_access import Credentials
from urlschemes_access.errors import AuthRequired, RemoteError, TLSError
from urlschemes_news import NewsURL
from urlschemes_nntp import NntpURL

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.real_server

PASSWORD = "s3cret word"
HASHED = "$6$rfc1738news$ec7HS7w58KJWe9GSeN1seZvacDfEB2qvKNVJM3GxzmPcqwSNnFWiaTESuA/dnVMe.EYabFzlqv22lUHnPLOIH."

_run: Any = subprocess.run  # its arguments come in dictionaries, whose types no checker can match


def _give(base: Path, account: pwd.struct_passwd) -> None:
    """Give a folder and everything in it to the account."""
    for each in (base, *base.rglob("*")):
        os.chown(each, account.pw_uid, account.pw_gid)


# An independent client ------------------------------------------------------------------------------------------------


class Client:
    """A client by a plain socket, which sends lines and reads replies and multi-line blocks."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), PATIENCE)
        self._file = self._socket.makefile("rb")
        self.reply()
        self.ask("MODE READER")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        self._socket.close()

    def reply(self) -> str:
        return self._file.readline().decode("latin-1").rstrip()

    def ask(self, line: str) -> str:
        self._socket.sendall(line.encode() + b"\r\n")
        return self.reply()

    def block(self, line: str) -> tuple[str, bytes]:
        """Return a reply and the multi-line block after it (RFC 3977 section 3.1.1)."""
        reply, lines = self.ask(line), []
        while (each := self._file.readline()) != b".\r\n":
            assert each.endswith(b"\r\n")
            lines.append(each[1:] if each.startswith(b".") else each)
        return reply, b"".join(lines)

    def post(self, article: bytes) -> str:
        assert self.ask("POST").startswith("340")
        self._socket.sendall(_stuffed(article))
        return self.ask(".")


def _stuffed(article: bytes) -> bytes:
    """Return the article dot-stuffed, without the final dot."""
    return b"".join(b"." + line if line.startswith(b".") else line for line in article.splitlines(keepends=True))


def _nntplib() -> Any:
    """Return nntplib, which Python had until 3.12."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return pytest.importorskip("nntplib", reason="this Python has no nntplib")


# Articles -------------------------------------------------------------------------------------------------------------


def _article(subject: str, identifier: str, body: bytes, groups: str = "comp.test.urls") -> bytes:
    header = (
        f"From: Joe <joe@loopback.test>\r\nNewsgroups: {groups}\r\nSubject: {subject}\r\nMessage-ID: <{identifier}>"
    )
    return header.encode("utf-8") + b"\r\n\r\n" + body


DOTS = b".\r\n..\r\n...three\r\n.leading\r\n\r\nend\r\n"
ARTICLES = {
    "foo1@loopback.test": _article("Dots", "foo1@loopback.test", DOTS),
    "foo2@loopback.test": _article("Both", "foo2@loopback.test", b"Twice\r\n", "comp.test.urls,test.loopback"),
    "foo3/b%d$x{y}@loopback.test": _article("Odd", "foo3/b%d$x{y}@loopback.test", b"odd\r\n"),
    "foo4@[192.0.2.1]": _article("No URL", "foo4@[192.0.2.1]", b"literal\r\n"),
    "foo5@loopback.test": _article("=?utf-8?q?na=C3=AFve?=", "foo5@loopback.test", bytes(range(128, 256)) + b"\r\n"),
    "foo6@loopback.test": _article("naïve", "foo6@loopback.test", "naïve\r\n".encode()),
    "foo7@loopback.test": _article(
        "Large", "foo7@loopback.test", b"".join(b".%07d" % n * 9 + b"\r\n" for n in range(10_000))
    ),
}


DATE = b"Fri, 20 Nov 2026 10:00:00 +0000"
SN_ARTICLES = [
    article.replace(b"comp.test.urls", b"local.test").replace(b"\r\n\r\n", b"\r\nDate: " + DATE + b"\r\n\r\n", 1)
    for subject, article in ((each.split(b"\r\n")[2], each) for each in ARTICLES.values())
    if subject in (b"Subject: Dots", b"Subject: Odd", b"Subject: =?utf-8?q?na=C3=AFve?=")
]


# Servers --------------------------------------------------------------------------------------------------------------

INN_CONF = """
mta: "/bin/true %s"
mailcmd: /bin/true
organization: "loopback"
pathhost: news.loopback.test
domain: loopback.test
ovmethod: tradindexed
hismethod: hisv6
pathnews: {programs}/..
pathbin: {programs}
pathfilter: {base}/etc/filter
pathetc: {base}/etc
pathdb: {base}/db
pathlog: {base}/log
pathrun: {base}/run
pathtmp: {base}/tmp
pathspool: {base}/spool
patharticles: {base}/spool/articles
pathoverview: {base}/spool/overview
pathincoming: {base}/spool/incoming
pathoutgoing: {base}/spool/outgoing
patharchive: {base}/spool/archive
runasuser: {user}
runasgroup: {group}
port: {port}
bindaddress: 127.0.0.1
bindaddress6: "::1"
artcutoff: 0
noreader: false
readerswhenstopped: true
enableoverview: true
wireformat: true
pgpverify: false
syntaxchecks: [ no-laxmid ]
tlscertfile: {base}/etc/cert.pem
tlskeyfile: {base}/etc/key.pem
"""
INN_READERS = """
auth all {{
  hosts: "127.0.0.1, ::1, localhost"
  auth: "{programs}/auth/passwd/ckpasswd -f {base}/etc/passwords"
  default: "<anybody>"
}}
access anybody {{
  users: "<anybody>"
  newsgroups: "*,!secret.*"
  access: RP
}}
access members {{
  users: "joe*"
  newsgroups: "*"
  access: RP
}}
"""
INN_FILES = {
    "etc/storage.conf": "method tradspool {\n newsgroups: *\n class: 0\n}\n",
    "etc/incoming.conf": 'peer upstream {\n  hostname: "192.0.2.1"\n}\n',
    "etc/newsfeeds": "ME:!*/!local::\n",
    "etc/expire.ctl": "*:A:1:30:never\n/remember/:10\n",
    "etc/control.ctl": "all:*:*:drop\n",
    "etc/distrib.pats": "E::%s\n",
    "etc/passwords": f"joe:{HASHED}\n",
    "db/active": "".join(
        f"{name} 0000000000 0000000001 {posting}\n"
        for name, posting in {
            "comp.test.urls": "y",
            "test.loopback": "y",
            "test.empty": "y",
            "test.closed": "n",
            "secret.test": "y",
            "3com.test": "y",
            "control": "n",
            "control.cancel": "n",
            "junk": "n",
        }.items()
    ),
    "db/newsgroups": "comp.test.urls\tTests of locators\ntest.loopback\tna\u00efve tests\n",
}
INN_EMPTY = (
    "etc/moderators",
    "etc/localgroups",
    "etc/subscriptions",
    "etc/inn-secrets.conf",
    "etc/nnrpd.track",
    "etc/cycbuff.conf",
    "db/active.times",
    "db/history",
)
INN_FOLDERS = ("etc/filter", "run", "log", "tmp", "spool/articles", "spool/overview", "spool/incoming/bad",
               "spool/outgoing", "spool/archive")  # fmt: skip


@dataclass(frozen=True)
class Server:
    name: str
    port: int
    authority: bytes = b""

    @property
    def place(self) -> str:
        return f"127.0.0.1:{self.port}"

    def url(self, group: str, article: int | None = None) -> str:
        return str(NntpURL(host="127.0.0.1", port=self.port, group=group, article=article))

    def document(self, url: str) -> bytes:
        return content_of(url, options=self._options(url))

    def entries(
        self, url: str, options: dict[str, Any] | None = None, **arguments: Any
    ) -> list[urlschemes_access.Entry]:
        return entries_of(url, options={**self._options(url), **(options or {})}, **arguments)

    def _options(self, url: str) -> dict[str, Any]:
        return {"server": self.place} if url.startswith("news:") else {}


@contextmanager
def _inn() -> Iterator[Server]:
    innd, who = program("innd", package="inn2"), account("news")
    programs = str(Path(innd).parent)
    authority = trustme.CA()
    certificate = authority.issue_cert("127.0.0.1", "::1")
    with tempfile.TemporaryDirectory(prefix="urlschemes-inn-") as name:
        base, port = Path(name), free_port()
        for folder in INN_FOLDERS:
            (base / folder).mkdir(parents=True)
        (base / "db").mkdir()
        known = {
            "base": base,
            "programs": programs,
            "port": port,
            "user": who.pw_name,
            "group": grp.getgrgid(who.pw_gid).gr_name,
        }
        files = {
            **INN_FILES,
            **dict.fromkeys(INN_EMPTY, ""),
            "etc/inn.conf": INN_CONF.format(**known),
            "etc/readers.conf": INN_READERS.format(**known),
        }
        for path, content in files.items():
            (base / path).write_text(content, "utf-8")
        (base / "etc/cert.pem").write_bytes(b"".join(each.bytes() for each in certificate.cert_chain_pems))
        (base / "etc/key.pem").write_bytes(certificate.private_key_pem.bytes())
        for path in ("etc/key.pem", "etc/inn-secrets.conf", "etc/passwords"):
            (base / path).chmod(0o600)
        _give(base, who)
        options: dict[str, Any] = {
            "cwd": base / "db",
            "env": {**os.environ, "INNCONF": str(base / "etc/inn.conf"), "HOME": str(base)},
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.DEVNULL,
            "stderr": subprocess.DEVNULL,
            **run_as(who),
        }
        _run([f"{programs}/makedbz", "-i", "-o", "-f", base / "db/history"], check=False, timeout=PATIENCE, **options)
        command = [innd, "-f", "-P", str(port), "-4", "127.0.0.1", *(["-6", "::1"] if HAS_IPV6 else [])]
        process = subprocess.Popen(command, **options)
        try:
            wait("innd", lambda: greets(port, b"20"), process)
            yield Server("inn", port, authority.cert_pem.bytes())
        finally:
            # It takes its time over SIGTERM.
            _run([f"{programs}/ctlinnd", "-t", "5", "shutdown", "done"], check=False, timeout=PATIENCE, **options)
            stop(process)


@contextmanager
def _sn() -> Iterator[Server]:
    snntpd, who = program("snntpd.bin", "snntpd", package="sn"), account()
    with tempfile.TemporaryDirectory(prefix="urlschemes-sn-") as name:
        _give(Path(name), who)
        listener = socket.create_server(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        place = {"LOCALIP": "127.0.0.1", "LOCALPORT": str(port), "REMOTEIP": "127.0.0.1", "REMOTEPORT": "1"}
        options: dict[str, Any] = {
            "env": {
                "PATH": f"{Path(snntpd).parent}:{os.environ['PATH']}",
                "SNROOT": name,
                "PROTO": "TCP",
                **{f"TCP{key}": value for key, value in place.items()},
                "TCPLOCALHOST": "localhost",
                "TCPREMOTEHOST": "localhost",
            },
            "cwd": name,
            **run_as(who),
        }
        for tool, *arguments in (("snprimedb",), ("snnewgroup", "local.test")):
            _run([program(tool), *arguments], check=True, stdout=subprocess.DEVNULL, timeout=PATIENCE, **options)
        for article in SN_ARTICLES:
            # One article, as it travels.
            sent = b"".join(
                b"." + line if line.startswith(b".") else line for line in article.splitlines(keepends=True)
            )
            store = [program("snstore"), "-v"]
            _run(store, check=True, input=sent + b".\r\n", stdout=subprocess.DEVNULL, timeout=PATIENCE, **options)
        with inetd([snntpd], listener, **options):
            yield Server("sn", port)


@pytest.fixture(scope="module")
def inn() -> Iterator[Server]:
    with _inn() as server:
        with Client(server.port) as client:
            for article in ARTICLES.values():
                assert client.post(article).startswith("240")
        yield server


@pytest.fixture(scope="module")
def sn() -> Iterator[Server]:
    with _sn() as server:
        yield server


# INN ------------------------------------------------------------------------------------------------------------------


def test_articles_are_those_that_a_bare_socket_gets(inn: Server) -> None:
    with Client(inn.port) as client:
        assert client.ask("GROUP comp.test.urls").startswith("211 7 1 7")
        for number, (identifier, posted) in enumerate(ARTICLES.items(), 1):
            reply, expected = client.block(f"ARTICLE {number}")
            assert reply.startswith(f"220 {number} <{identifier}>")
            assert expected.endswith(posted.partition(b"\r\n\r\n")[2])
            assert inn.document(inn.url("comp.test.urls", number)) == expected
            if "[" not in identifier:
                assert inn.document(str(NewsURL(message_id=identifier))) == expected


def test_the_articles_of_a_group_are_those_of_the_overview(inn: Server) -> None:
    with Client(inn.port) as client:
        client.ask("GROUP comp.test.urls")
        _, overview = client.block("OVER 1-")
    lines = [line.decode("utf-8", "surrogateescape").split("\t") for line in overview.split(b"\r\n")[:-1]]
    by_number, by_identifier = inn.entries(inn.url("comp.test.urls")), inn.entries("news:comp.test.urls")
    names = ("number", "subject", "from", "date", "message-id", "references", "bytes", "lines")
    for found in (by_number, by_identifier):
        rows = [dict(zip(names, line, strict=False)) for line in lines]
        assert [each.fields for each in found] == [{k: v for k, v in each.items() if v} for each in rows]
        assert [each.name for each in found] == ["Dots", "Both", "Odd", "No URL", "naïve", "naïve", "Large"]
    assert [each.url for each in by_number] == [inn.url("comp.test.urls", number) for number in range(1, 8)]
    assert by_identifier[2].url == "news:foo3/b%25d$x%7By%7D@loopback.test"
    assert by_identifier[3].url == inn.url("comp.test.urls", 4)
    for one, other in zip(by_number, by_identifier, strict=True):
        assert inn.document(one.url or "") == inn.document(other.url or "")
    assert [each.name for each in inn.entries(inn.url("comp.test.urls"), options={"newest": 2})] == ["naïve", "Large"]


def test_listings_are_those_of_nntplib(inn: Server) -> None:
    nntplib = _nntplib()
    with nntplib.NNTP("127.0.0.1", inn.port) as client:
        client.group("comp.test.urls")
        overview = client.over((1, None))[1]
        groups = client.list()[1]
        descriptions = client.descriptions("*")[1]
        lines = client.article("<foo1@loopback.test>")[1].lines
    found = inn.entries(inn.url("comp.test.urls"))
    assert [(int(each.fields["number"]), each.fields["subject"]) for each in found] == [
        (number, fields["subject"]) for number, fields in overview
    ]
    assert [each.size for each in found] == [int(fields[":bytes"]) for _, fields in overview]
    assert inn.document("news:foo1@loopback.test") == b"".join(line + b"\r\n" for line in lines)
    listed = inn.entries("news:*")
    assert [tuple(each.fields[name] for name in ("group", "high", "low", "status")) for each in listed] == [
        tuple(each) for each in groups
    ]
    assert {each.name: each.fields["description"] for each in listed if "description" in each.fields} == descriptions


def test_all_groups(inn: Server) -> None:
    found = {each.name: each for each in inn.entries("news:*")}
    assert "secret.test" not in found
    assert found["test.loopback"].fields["description"] == "naïve tests"
    assert found["test.closed"].fields["status"] == "n"
    assert found["comp.test.urls"].url == "news:comp.test.urls"
    assert (found["3com.test"].url, found["3com.test"].problem) == (None, "no URL can name this group")
    assert inn.entries("news:test.empty") == []
    assert [each.name for each in inn.entries(found["test.loopback"].url or "")] == ["Both"]


def test_attributes(inn: Server) -> None:
    found = urlschemes_access.find_attributes(inn.url("comp.test.urls"), policy=HERE)
    assert found.fields == {"count": "7", "low": "1", "high": "7"}
    one = urlschemes_access.find_attributes(inn.url("comp.test.urls", 5), policy=HERE)
    other = urlschemes_access.find_attributes("news:foo5@loopback.test", policy=HERE, options={"server": inn.place})
    for found in (one, other):
        assert (found.name, found.fields["message-id"]) == ("naïve", "<foo5@loopback.test>")
        assert found.modified is not None
        assert found.modified.tzinfo is not None


@pytest.mark.parametrize(
    ("url", "status"),
    [("nntp:no.such/1", 411), ("nntp:comp.test.urls/99", 423), ("news:9@loopback.test", 430), ("news:no.such", 411)],
)
def test_what_is_not_there(inn: Server, url: str, status: int) -> None:
    with pytest.raises(RemoteError) as refused:
        inn.document(url.replace("nntp:", f"nntp://{inn.place}/"))
    assert refused.value.status == status


def test_posting(inn: Server) -> None:
    body = b".\n..\n\n.x\nna\xc3\xafve\n.\n"
    content = b"From: Joe <joe@loopback.test>\nNewsgroups: test.loopback\nSubject: Posted\n\n" + body
    before = int(urlschemes_access.find_attributes(inn.url("test.loopback"), policy=HERE).fields["high"])
    first = urlschemes_access.update(inn.url("test.loopback"), content, policy=HERE)
    again = urlschemes_access.update(
        "news:test.loopback", (content[:50], content[50:]), options={"server": inn.place}, policy=HERE
    )
    for number, each in enumerate((first, again), before + 1):
        identifier = each.fields["message-id"]
        with Client(inn.port) as client:
            _, expected = client.block(f"ARTICLE {identifier}")
        assert expected.partition(b"\r\n\r\n")[2] == body.replace(b"\n", b"\r\n")
        assert inn.document(str(NewsURL(message_id=identifier[1:-1]))) == expected
        assert inn.document(inn.url("test.loopback", number)) == expected


@pytest.mark.parametrize(
    ("group", "field"), [("test.closed", b""), ("test.loopback", b"Message-ID: <foo1@loopback.test>\n")]
)
def test_posting_refused(inn: Server, group: str, field: bytes) -> None:
    content = field + b"From: joe@loopback.test\nNewsgroups: %s\nSubject: Posted\n\nHello\n" % group.encode()
    with pytest.raises(RemoteError) as refused:
        urlschemes_access.update(inn.url(group), content, policy=HERE)
    assert refused.value.status == 441


def test_a_login_in_clear_text_and_over_tls(inn: Server) -> None:
    url = inn.url("secret.test")

    def known(_: object) -> Credentials:
        return Credentials("joe", PASSWORD)

    with pytest.raises(AuthRequired, match="not encrypted"):
        inn.entries(url, credentials=known)
    assert inn.entries(url, credentials=known, options={"allow_cleartext": True}) == []
    with pytest.raises(AuthRequired) as refused:
        inn.entries(url, credentials=lambda _: Credentials("joe", "hunter2"), options={"allow_cleartext": True})
    assert "hunter2" not in str(refused.value)
    with pytest.raises(TLSError):
        inn.entries(url, credentials=known, options={"starttls": "required"})
    events: list[object] = []
    trusted = ssl.create_default_context(cadata=inn.authority.decode("ascii"))
    for starttls in ("required", "if offered"):
        arguments: dict[str, Any] = {"ssl_context": trusted, "trace": events.append, "credentials": known}
        assert inn.entries(url, {"starttls": starttls}, **arguments) == []
    assert "AUTHINFO PASS ***" in repr(events)
    assert PASSWORD not in repr(events)


# sn: a server that knows neither CAPABILITIES nor OVER ----------------------------------------------------------------


@pytest.mark.parametrize(
    "host", ["127.0.0.1", pytest.param("[::1]", marks=pytest.mark.skipif(not HAS_IPV6, reason="no IPv6"))]
)
def test_the_urls_of_today(inn: Server, host: str) -> None:
    base = f"news://{host}:{inn.port}"
    arguments: dict[str, Any] = {"policy": HERE, "registry": Registry(profile="rfc3986")}

    def urls(url: str) -> set[str]:
        with urlschemes_access.open_listing(url, **arguments) as listing:
            return {str(entry.url) for entry in listing}

    assert urls(f"{base}/test.*#top") == {f"{base}/test.{name}" for name in ("loopback", "empty", "closed")}
    assert urls(f"{base}/test.%3Fmpty") == {f"{base}/test.empty"}
    assert urls(f"{base}/") == urls(f"{base}/*") >= {f"{base}/3com.test"}
    listed = urls(f"{base}/comp.test.urls#top")
    assert listed >= {f"{base}/{urllib.parse.quote(each, safe='@$')}" for each in ARTICLES}
    bodies = {article.partition(b"\r\n\r\n")[2] for article in ARTICLES.values()}
    for url in (f"{base}/foo4@%5B192.0.2.1%5D", f"nntp://{host}:{inn.port}/comp.test.urls/1#top"):
        with urlschemes_access.open_document(url, **arguments) as document:
            assert document.read().partition(b"\r\n\r\n")[2] in bodies
    login = f"nntp://joe:{urllib.parse.quote(PASSWORD)}@{host}:{inn.port}/secret.test"
    attributes = urlschemes_access.find_attributes(login, options={"allow_cleartext": True}, **arguments)
    assert attributes.name == "secret.test"


def test_an_old_server_gives_what_a_bare_socket_gets(sn: Server) -> None:
    with Client(sn.port) as client:
        assert client.ask("CAPABILITIES").startswith("500")
        _, count, low, high, *_ = client.ask("GROUP local.test").split()
        assert int(count) == len(SN_ARTICLES)
        numbers = range(int(low), int(high) + 1)
        expected = [client.block(f"ARTICLE {number}")[1] for number in numbers]
    assert [sn.document(sn.url("local.test", number)) for number in numbers] == expected
    for each, article in zip(expected, SN_ARTICLES, strict=True):
        assert each.endswith(article.partition(b"\r\n\r\n")[2])
    by_number, by_identifier = sn.entries(sn.url("local.test")), sn.entries("news:local.test")
    assert [each.name for each in by_number] == ["Dots", "Odd", "naïve"]
    assert [sn.document(each.url or "") for each in by_number] == expected
    assert [sn.document(each.url or "") for each in by_identifier] == expected
    assert "local.test" in [each.name for each in sn.entries("news:*")]
    with pytest.raises(RemoteError) as refused:
        sn.document("news:9@loopback.test")
    assert refused.value.status == 430
