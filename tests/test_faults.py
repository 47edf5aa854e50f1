"""Faults of servers, for every scheme of the network: each fault at each stage of a dialogue.

The access raises the expected error by its deadline, takes little memory, leaves no socket and no
thread open, and has sent nothing that it would not send to a good server. Faults of one protocol are tested with its
plugin.
"""

from __future__ import annotations

import functools
import gc
import os
import signal
import socket
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

import urlschemes_access
import urlschemes_telnet
from urlschemes.errors import URLError
from urlschemes_access import Document, Limits, Listing, Policy
from urlschemes_access.errors import (
    AccessError,
    ConnectError,
    DeadlineExceeded,
    Indeterminate,
    LimitExceeded,
    PolicyDenied,
    ProtocolError,
    RemoteError,
    ResolveError,
    TLSError,
    Truncated,
)
from urlschemes_servers import Certificates, make_certificates
from urlschemes_testing.loopback import Address, Datagrams
from urlschemes_testing.rogue import (
    Act,
    RogueAddress,
    Visitor,
    after_data,
    deaf,
    drips,
    ends_output,
    floods,
    hears,
    hears_exactly,
    hears_until,
    loops,
    offers_data,
    refusing,
    resets,
    rogue,
    says,
    starts_tls,
    stays_silent,
    waits,
)
from urlschemes_wais.connection import build_apdu, build_message
from urlschemes_wais.data_elements import encode_element, encode_number
from urlschemes_wais.request import DocumentPart, init_request, retrieval_request, search_request

CAP = 1024 * 1024
LIFETIME = 40
HERE = Policy(networks=("127.0.0.0/8",), limits=Limits(deadline=90, idle=60, first_octet=60, content=CAP, entries=500))
IMPATIENT = replace(HERE, limits=replace(HERE.limits, idle=0.2, first_octet=0.2, connect=0.4, resolve=0.4))
UNHURRIED = replace(HERE, limits=replace(HERE.limits, deadline=3))
BRIEF = replace(HERE, limits=replace(HERE.limits, deadline=0.3))


@functools.cache
def certificates() -> Certificates:
    return make_certificates()


# --- Dialogues and their stages --------------------------------------------------------------------------------------

Due = type[URLError] | tuple[type[URLError], ...] | int
"""The expected outcome of a fault: an error, or the number of octets read."""
ROWS: dict[str, Due] = {
    "silence": DeadlineExceeded,
    "reset": Truncated,
    "half closed": Truncated,
    "endless": LimitExceeded,
    "drip": DeadlineExceeded,
    "line": LimitExceeded,
}
AT_ONCE: dict[str, Due] = {"reset": ConnectError, "half closed": (ConnectError, Truncated)}


@dataclass(frozen=True)
class Stage:
    """A stage of a good dialogue: the acts of a server that lead to it, and octets that it may repeat for ever.

    `begins` is the beginning of a line at this stage. `endless` is an act that never ends, where repeated octets are
    not enough. `due` overrides `ROWS` for this stage; None excludes a fault. `beside` turns acts on a data connection
    into those of the server.
    """

    acts: tuple[Act, ...]
    goes_on: bytes
    begins: bytes = b"2"
    endless: Act | None = None
    due: Mapping[str, Due | None] = field(default_factory=dict)
    beside: Callable[..., tuple[Act, ...]] | None = None

    def fails(self, *acts: Act) -> tuple[Act, ...]:
        """Return the acts of a server that reaches this stage and then does `acts`."""
        return self.beside(*self.acts, *acts) if self.beside else (*self.acts, *acts)


@dataclass(frozen=True)
class Talk:
    """A dialogue with a good server: the access, the octets that the client sends, and the stages.

    `{place}` in the octets stands for host and port. At the first stage, nothing has been received.
    """

    use: Callable[..., Any]
    says: bytes
    stages: dict[str, Stage]

    def due(self, row: str, stage: str) -> Due | None:
        """Return the expected outcome of a fault at a stage; None if the fault is impossible there."""
        usual = {**ROWS, **(AT_ONCE if stage == next(iter(self.stages)) else {})}
        return {**usual, **self.stages[stage].due}[row]


def accessing(url: str, **options: str | bool) -> Callable[..., Any]:
    """Return a function that accesses the URL and reads all; `{}` in it or in an option is replaced by the address."""

    def use(place: object, policy: Policy = HERE) -> bytes | int:
        given: dict[str, Any] = {
            name: value.format(place) if isinstance(value, str) else value for name, value in options.items()
        }
        context = certificates().client()
        with urlschemes_access.access(url.format(place), policy=policy, ssl_context=context, options=given) as found:
            if isinstance(found, Document):
                octets = found.read()
                return octets if found.terminated else len(octets)
            assert isinstance(found, Listing)
            return len(list(found))

    return use


def sending(place: object, policy: Policy = HERE) -> Any:
    return urlschemes_access.operate(
        "send",
        "mailto:joe@host.dom",
        options={"message": MAIL, "relay": str(place), "confirm": True},
        policy=policy,
        ssl_context=certificates().client(),
    )


def listening(place: object, policy: Policy = HERE) -> int:
    with urlschemes_telnet.open_session(f"telnet://joe:secret@{place}/", policy=policy) as session:
        count = 0
        while octets := session.read():
            count += len(octets)
        return count


def logging_in(place: object, policy: Policy = HERE) -> bytes:
    with urlschemes_telnet.open_session(f"telnet://joe:secret@{place}/", policy=policy) as session:
        return session.login(within=0.3)


NO_LINES: dict[str, None] = {"line": None}

# ftp


def data_connection(*acts: Act) -> tuple[Act, ...]:
    """Return the acts of an FTP transfer with `acts` on its data connection and without a final reply."""
    return (*FTP, offers_data("229 here (|||{port}|)", *acts), hears(), says("150 coming"), after_data(), waits(0.1))


FTP = (says("220 ready"), hears(), says("230 in"), hears(), says("200 image"), hears(), says("500 no size"), hears())
FTP_TALK = Talk(
    accessing("ftp://{}/a"),
    b"USER anonymous\r\nTYPE I\r\nSIZE a\r\nEPSV\r\nRETR a\r\nQUIT\r\n",
    {
        "banner": Stage((), b"220-more\r\n"),
        "reply": Stage(FTP[:2], b"230-more\r\n"),
        "size": Stage(FTP[:6], b"213-more\r\n"),
        "data": Stage((says(b"hel"),), b"x" * 8192, due=NO_LINES, beside=data_connection),
    },
)

# gopher

GOPHER_TALK = Talk(
    accessing("gopher://{}/0a"),
    b"a\r\n",
    {  # a text without its final dot is delivered, and marked
        "answer": Stage((hears(),), b"more\r\n", due={"half closed": 0}),
        "text": Stage((hears(), says("one", b"tw")), b"more\r\n", due={"half closed": len(b"one\r\ntw")}),
    },
)

# http, https


def web(*before: Act) -> dict[str, Stage]:
    asked = (*before, hears_until(b"\r\n\r\n"))
    ok = b"HTTP/1.1 200 OK\r\n"
    length, chunk = ok + b"Content-Length: 999999999\r\n\r\nhel", ok + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhel"
    chunks = b"lo\r\n1000\r\n" + b"x" * 4096 + b"\r\n5\r\nhel"
    return {
        "answer": Stage(asked, b"HTTP/1.1 100 Continue\r\n\r\n", begins=b"HTTP/1.1 200 "),
        "header": Stage((*asked, says(ok)), b"A: b\r\n"),
        "body": Stage((*asked, says(length)), b"x" * 8192, due=NO_LINES),
        "chunk": Stage((*asked, says(chunk)), chunks, due=NO_LINES),
    }


WEB_SAYS = b"GET /a HTTP/1.1\r\nHost: {place}\r\nUser-Agent: urlschemes/"
HTTP_TALK = Talk(accessing("http://{}/a"), WEB_SAYS, web())
HTTPS_TALK = Talk(accessing("https://{}/a"), WEB_SAYS, web(lambda visitor: visitor.start_tls(certificates().server)))

# nntp, news

READY = (says("200 ready"), hears(), says("101 list", "VERSION 2", "READER", "OVER", "."), hears())
NEWS_STAGES = {
    "banner": Stage((), b"2"),
    "capabilities": Stage((*READY[:2], says("101 list")), b"X\r\n"),
}
ARTICLE = says("220 1 <1@host.dom>", "Subject: x", "")
GROUP = (*READY, says("211 3 1 3 a.b"), hears())
NNTP_TALK = Talk(
    accessing("nntp://{}/a.b/1"),
    b"CAPABILITIES\r\nGROUP a.b\r\nARTICLE 1\r\nQUIT\r\n",
    {
        **NEWS_STAGES,
        "group": Stage(READY, b"2"),
        "article": Stage(GROUP, b"2"),
        "header": Stage((*GROUP, says("220 1 <1@host.dom>")), b"X: y\r\n"),
        "body": Stage((*GROUP, ARTICLE), b"more\r\n"),
    },
)
NNTP_GROUP_TALK = Talk(
    accessing("nntp://{}/a.b"),
    b"CAPABILITIES\r\nGROUP a.b\r\nOVER 1-3\r\nQUIT\r\n",
    {"banner": NEWS_STAGES["banner"], "overview": Stage((*GROUP, says("224 list")), b"1\tSubject\r\n")},
)
NEWS_TALK = Talk(
    accessing("news:1@host.dom", server="{}"),
    b"CAPABILITIES\r\nARTICLE <1@host.dom>\r\nQUIT\r\n",
    {**NEWS_STAGES, "article": Stage(READY, b"2"), "body": Stage((*READY, ARTICLE), b"more\r\n")},
)
NEWS_GROUPS_TALK = Talk(
    accessing("news:*", server="{}"),
    b"CAPABILITIES\r\nLIST NEWSGROUPS\r\nLIST ACTIVE\r\nQUIT\r\n",
    {
        "banner": NEWS_STAGES["banner"],
        "descriptions": Stage((*READY, says("215 list")), b"a.b\t%s\r\n" % (b"c" * 200)),
        "groups": Stage((*READY, says("215 list", "."), hears(), says("215 list")), b"a.b 1 1 y\r\n"),
    },
)

# mailto

MAIL = b"From: ann@home.dom\r\nTo: joe@host.dom\r\nSubject: Hi\r\n\r\nHello\r\n"
HELLO = (says("220 ready"), hears(), says("250 relay"), hears())
ENVELOPE = (*HELLO, says("250 ok"), hears(), says("250 ok"), hears())
UNKNOWN: dict[str, Due] = dict.fromkeys(ROWS, Indeterminate)
MAILTO_TALK = Talk(
    sending,
    b"EHLO [127.0.0.1]\r\nMAIL FROM:<ann@home.dom>\r\nRCPT TO:<joe@host.dom>\r\nDATA\r\n" + MAIL + b".\r\nQUIT\r\n",
    {
        "banner": Stage((), b"220-more\r\n"),
        "EHLO": Stage(HELLO[:2], b"250-more\r\n"),
        "MAIL": Stage(HELLO, b"250-more\r\n"),
        "RCPT": Stage(ENVELOPE[:6], b"250-more\r\n"),
        "DATA": Stage(ENVELOPE, b"354-more\r\n"),
        "acceptance": Stage((*ENVELOPE, says("354 go"), hears_until(b"\r\n.\r\n")), b"250-more\r\n", due=UNKNOWN),
    },
)

# telnet: the reader of a session ends it; a login waits for as long as its argument says.

UNBOUNDED: dict[str, Due | None] = {"endless": None, "drip": None, "line": None}
NO_PROMPT: dict[str, Due] = {"silence": RemoteError, "half closed": RemoteError, "endless": RemoteError}
TELNET_TALK = Talk(
    listening,
    b"",
    {
        "banner": Stage((), b"", due={**UNBOUNDED, "half closed": 0}),
        "text": Stage((says(b"hel"),), b"", due={**UNBOUNDED, "half closed": 3}),
        "subnegotiation": Stage((says(b"hel\xff\xfa\x18\x01"),), b"x", begins=b""),
    },
)
LOGIN_TALK = Talk(
    logging_in,
    b"joe\r\nsecret\r\n",
    {
        "prompt": Stage((), b"more\r\n", due={**NO_PROMPT, "line": RemoteError}),
        "password": Stage((says(b"login: "), hears()), b"more\r\n", due={**NO_PROMPT, "line": RemoteError}),
    },
)

# wais: messages announce their length, so that only slices can go on for ever.

HEAD = b"0000100000z2wais        0"
SLICE_SIZE = 95_000 - len(b"id")
ACCEPTED = build_message(build_apdu(b"\x15\x01" + encode_number(6, 100_000), b""))
SLICE = build_message(
    build_apdu(
        b"\x17" + bytes(10),
        encode_element(99, encode_element(153, encode_element(116, b"id") + encode_element(127, bytes(SLICE_SIZE)))),
    )
)
NO_MESSAGE: dict[str, Due | None] = {"line": None, "endless": ProtocolError}


def hears_request(visitor: Visitor) -> None:
    visitor.hear_exactly(int(visitor.hear_exactly(25)[:10]))


def messages(*before: Act) -> dict[str, Stage]:
    """Return the two stages of an answer: before it, and within it."""
    words = HEAD + bytes(100_000)
    return {
        "answer": Stage(before, words, due=NO_MESSAGE),
        "message": Stage((*before, says(HEAD, b"hel")), bytes(1000), due=NO_MESSAGE),
    }


INIT = hears_exactly(len(init_request()))
ASSOCIATED = (INIT, says(ACCEPTED), hears_request)
AFTER_SLICE = (*ASSOCIATED, says(SLICE), hears_request)
WAIS_TALK = Talk(
    accessing("wais://{}/db/TEXT/id"),
    init_request()
    + b"".join(
        retrieval_request(b"db", b"id", b"TEXT", DocumentPart(start, start + SLICE_SIZE))
        for start in range(0, 2 * CAP, SLICE_SIZE)
    ),
    {
        **{f"init {name}": stage for name, stage in messages(INIT).items()},
        **{f"first {name}": stage for name, stage in messages(*ASSOCIATED).items()},
        "slice": Stage(AFTER_SLICE, HEAD + bytes(100_000), endless=loops(says(SLICE), hears_request), due=NO_LINES),
        "slice message": Stage((*AFTER_SLICE, says(SLICE[:40])), bytes(1000), due=NO_MESSAGE),
    },
)
WAIS_SEARCH_TALK = Talk(
    accessing("wais://{}/db?words"),
    init_request() + search_request(b"db", b"words"),
    {"init": Stage((INIT,), HEAD + bytes(100_000), due=NO_MESSAGE), **messages(*ASSOCIATED)},
)

TALKS = {
    "ftp": FTP_TALK,
    "gopher": GOPHER_TALK,
    "http": HTTP_TALK,
    "https": HTTPS_TALK,
    "nntp": NNTP_TALK,
    "nntp group": NNTP_GROUP_TALK,
    "news": NEWS_TALK,
    "news groups": NEWS_GROUPS_TALK,
    "mailto": MAILTO_TALK,
    "telnet": TELNET_TALK,
    "telnet login": LOGIN_TALK,
    "wais": WAIS_TALK,
    "wais search": WAIS_SEARCH_TALK,
}
SCHEMES = [name for name in TALKS if " " not in name]
PROSPERO = accessing("prospero://{}//a")
USES = {**{scheme: TALKS[scheme].use for scheme in SCHEMES}, "prospero": PROSPERO}
FIRST = {name: next(iter(talk.stages)) for name, talk in TALKS.items()}
STAGES = [
    (name, stage)
    for name, talk in TALKS.items()
    for stage in talk.stages
    if " " not in name or stage != FIRST[name] or name == "telnet login"
]


def stages(row: str, *, begun: bool = False) -> pytest.MarkDecorator:
    """Parametrize a test by the stages where the fault is possible; with `begun`, without each first stage."""
    chosen = [
        (name, stage)
        for name, stage in STAGES
        if TALKS[name].due(row, stage) is not None and not (begun and stage == FIRST[name])
    ]
    return pytest.mark.parametrize(("name", "stage"), chosen, ids=["-".join(each) for each in chosen])


# --- Laws for all faults ---------------------------------------------------------------------------------------------


def working_threads() -> set[threading.Thread]:
    """Return all threads but those in the resolver, which cannot be interrupted."""
    return {each for each in threading.enumerate() if "resolver" not in each.name}


@contextmanager
def nothing_left() -> Iterator[None]:
    """Assert that the block leaves no socket open, and no thread that does not end."""
    threads = working_threads()
    gc.freeze()  # ignore the objects that exist already
    try:
        yield
        gc.collect()
        sockets = [each for each in gc.get_objects() if isinstance(each, socket.socket) and each.fileno() >= 0]
    finally:
        gc.unfreeze()
    assert sockets == []
    for thread in working_threads() - threads:  # those of the server may be about to end
        thread.join(60)
    assert working_threads() <= threads


def check_octets_sent(talk: Talk, place: RogueAddress) -> None:
    """Assert that the server received the beginning of the good dialogue, and at most a QUIT after it."""
    good = talk.says.replace(b"{place}", str(place).encode())
    for heard in place.heard:
        if talk.says == WEB_SAYS:
            assert good.startswith(heard[: len(good)])
            assert heard.count(b"\r\n\r\n") <= 1
        else:
            assert good.startswith((heard, heard.removesuffix(b"QUIT\r\n")))


def outcome_of(use: Callable[..., Any], place: object, policy: Policy) -> Any:
    """Return what was read, or the error; check that it comes in time and can be printed.

    An access without its deadline would end with the server, after `LIFETIME`.
    """
    began = time.monotonic()
    outcome: Any = None
    try:
        outcome = use(place, policy)
    except URLError as error:
        outcome = error
    assert policy.limits.deadline
    assert time.monotonic() - began < min(policy.limits.deadline + 10, LIFETIME)
    if isinstance(outcome, URLError):
        assert len(str(outcome)) <= 300
        assert str(outcome).isascii()
        assert str(outcome).isprintable()
        assert "secret" not in str(outcome)
        outcome = outcome.with_traceback(None)
    return outcome


def patience(name: str, stage: str, policy: Policy) -> Policy:
    """Return the policy; where the error depends on what was sent before, one that leaves time to send it."""
    return UNHURRIED if TALKS[name].due("silence", stage) is Indeterminate else policy


def outcome_at(name: str, stage: str, *acts: Act, policy: Policy = HERE) -> Any:
    """Return the outcome of an access to a server that does `acts` at this stage; check the laws for all faults."""
    talk = TALKS[name]
    with nothing_left():
        with rogue(*talk.stages[stage].fails(*acts), lifetime=LIFETIME) as place:
            outcome = outcome_of(talk.use, place, policy)
        assert len(place.visits) == 1
    check_octets_sent(talk, place)
    return outcome


def check_outcome(row: str, name: str, stage: str, outcome: Any) -> None:
    """Assert that the outcome is the expected one; Indeterminate has the usual error as its cause."""
    due = TALKS[name].due(row, stage)
    if isinstance(due, int):
        assert outcome in {due, b""}
    else:
        assert due is not None
        assert isinstance(outcome, due), repr(outcome)
        if due is Indeterminate:
            usual = ROWS[row]
            assert not isinstance(usual, int)
            assert isinstance(outcome.__cause__, usual)


# --- Resolving and connecting -----------------------------------------------------------------------------------------

to_all = pytest.mark.parametrize("scheme", USES)


@pytest.mark.fault(1)
@to_all
def test_a_refused_connection(scheme: str) -> None:
    with nothing_left(), refusing() as place:
        assert isinstance(outcome_of(USES[scheme], place, HERE), ConnectError)


@pytest.mark.fault(2)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_connecting_hangs(scheme: str) -> None:
    with nothing_left(), deaf() as place:
        late = outcome_of(USES[scheme], place, IMPATIENT)
    assert isinstance(late, DeadlineExceeded)
    assert late.phase == "connect"


Names = Callable[..., list[str]]


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Names:
    """A function that gives `host.dom` these addresses, and returns the names that are then resolved."""
    asked: list[str] = []

    def resolve(*addresses: str, fault: Exception | None = None, hangs: threading.Event | None = None) -> list[str]:
        def answer(host: bytes | str, port: int, **_: Any) -> list[Any]:
            asked.append(host.decode() if isinstance(host, bytes) else host)
            if hangs is not None:
                hangs.wait(60)
            if fault is not None:
                raise fault
            return [(socket.AF_INET, socket.SOCK_STREAM, 0, "", (address, port)) for address in addresses]

        monkeypatch.setattr(socket, "getaddrinfo", answer)
        return asked

    return resolve


@pytest.mark.fault(3)
@to_all
def test_a_name_without_an_address(scheme: str, names: Names) -> None:
    with nothing_left():
        names(fault=socket.gaierror(socket.EAI_NONAME, "Name or service not known"))
        assert isinstance(outcome_of(USES[scheme], "host.dom", HERE), ResolveError)
        let_go = threading.Event()
        names(hangs=let_go)
        late = outcome_of(USES[scheme], "host.dom", IMPATIENT)
        let_go.set()
    assert isinstance(late, DeadlineExceeded)
    assert late.phase == "resolve"


@pytest.mark.fault(4)
@to_all
def test_one_private_address_refuses_them_all(scheme: str, names: Names) -> None:
    heard: list[bytes] = []
    with nothing_left(), rogue(stays_silent()) as place, Datagrams(lambda octets, _: heard.append(octets)) as datagrams:
        names("127.0.0.1", "10.1.2.3")
        port = datagrams.address.port if scheme == "prospero" else place.port
        refused = outcome_of(USES[scheme], f"host.dom:{port}", HERE)
        assert place.visits == []
    assert heard == []
    assert isinstance(refused, PolicyDenied)
    assert refused.rule == "networks"


@pytest.mark.fault(5)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_name_is_resolved_once_and_the_checked_address_used(scheme: str, names: Names) -> None:
    """A second answer could be another address; not even a data connection asks for it."""
    last = list(TALKS[scheme].stages.values())[-1]
    with rogue(*last.fails(resets())) as place:
        asked = names("127.0.0.1")
        assert isinstance(outcome_of(USES[scheme], f"host.dom:{place.port}", HERE), AccessError)
        assert asked == ["host.dom"]
        assert len(place.visits) == 1


# --- Faults at each stage ---------------------------------------------------------------------------------------------


@pytest.mark.fault(6)
@stages("silence")
def test_silence(name: str, stage: str) -> None:
    policy = patience(name, stage, IMPATIENT)
    check_outcome("silence", name, stage, outcome_at(name, stage, stays_silent(), policy=policy))


@pytest.mark.fault(9)
@stages("reset")
def test_reset(name: str, stage: str) -> None:
    check_outcome("reset", name, stage, outcome_at(name, stage, waits(0.05), resets()))


@pytest.mark.fault(10)
@stages("half closed")
def test_half_closed(name: str, stage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urlschemes_ftp.data_connection.CONFIRMATION_TIMEOUT", 0.3)
    check_outcome("half closed", name, stage, outcome_at(name, stage, ends_output(), stays_silent()))


@pytest.mark.fault(11)
@stages("endless")
def test_endless(name: str, stage: str) -> None:
    known = TALKS[name].stages[stage]
    tracemalloc.start()
    try:
        found = outcome_at(name, stage, known.endless or floods(known.goes_on))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    check_outcome("endless", name, stage, found)
    assert peak < CAP + 16 * 1024 * 1024


@pytest.mark.fault(12)
@stages("drip")
def test_octets_that_drip(name: str, stage: str) -> None:
    words, policy = TALKS[name].stages[stage].goes_on, patience(name, stage, BRIEF)
    check_outcome("drip", name, stage, outcome_at(name, stage, loops(drips(words, every=0.03)), policy=policy))


@pytest.mark.fault(13)
@stages("line")
def test_an_endless_line(name: str, stage: str) -> None:
    found = outcome_at(name, stage, says(TALKS[name].stages[stage].begins), floods(b"2" * 1000))
    check_outcome("line", name, stage, found)
    exceeded = found.__cause__ if isinstance(found, Indeterminate) else found
    if isinstance(exceeded, LimitExceeded):
        assert exceeded.value <= 65536


@pytest.mark.fault(14)
@pytest.mark.parametrize("scheme", [each for each in SCHEMES if each not in {"gopher", "telnet"}])
@pytest.mark.parametrize(
    "octets",
    [
        b"\0" * 5000 + b"\n",
        bytes(range(256)) * 20,
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"* OK IMAP4 ready\r\n",
        b"\x1b]0;owned\x07\r\n",
    ],
    ids=["NULs", "all octets", "SSH", "IMAP", "escapes"],
)
def test_another_protocol(scheme: str, octets: bytes) -> None:
    """For gopher and telnet all octets are text; their plugins test them."""
    found = outcome_at(scheme, FIRST[scheme], says(octets), stays_silent())
    assert isinstance(found, ProtocolError)
    assert found.where


# --- STARTTLS ---------------------------------------------------------------------------------------------------------

PROTECTED: dict[str, tuple[Callable[..., Any], bytes, tuple[Act, ...]]] = {
    "nntp": (
        accessing("nntp://{}/a.b/1", starttls="required"),
        b"STARTTLS\r\n",
        (says("200 ready"), hears(), says("382 go on")),
    ),
    "mailto": (
        sending,
        b"EHLO [127.0.0.1]\r\nSTARTTLS\r\n",
        (says("220 ready"), hears(), says("250-relay", "250 STARTTLS"), hears(), says("220 go")),
    ),
}
to_protected = pytest.mark.parametrize("scheme", PROTECTED)


def protected(scheme: str, *acts: Act, policy: Policy = HERE) -> Any:
    """Return the outcome of an access to a server that agrees to TLS and then does `acts`; nothing is sent in clear."""
    use, words, offer = PROTECTED[scheme]
    with nothing_left():
        with rogue(*offer, *acts, lifetime=20) as place:
            outcome = outcome_of(use, place, policy)
        assert len(place.visits) == 1
    heard = place.heard[0]
    assert heard.startswith(words)
    assert heard[len(words) : len(words) + 1] in {b"", b"\x16"}  # a TLS handshake or nothing
    for secret in (b"GROUP", b"MAIL", b"QUIT"):
        assert secret not in heard
    return outcome


@pytest.mark.fault(7)
@to_protected
@pytest.mark.parametrize("wrong", ["another host", "expired", "unknown authority"])
def test_nothing_is_sent_to_a_server_that_is_not_trusted(
    scheme: str, wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    offered = make_certificates(*(["other.dom"] if wrong == "another host" else []), expired=wrong == "expired")
    if wrong != "unknown authority":
        monkeypatch.setattr(f"{__name__}.certificates", lambda: offered)
    assert isinstance(protected(scheme, starts_tls(offered.server), stays_silent()), TLSError)


@pytest.mark.fault(8)
@to_protected
@pytest.mark.parametrize("octets", [b"250 what?\r\n" * 3, b"\x15\x03\x03\x00\x02\x02\x28"], ids=["words", "an alert"])
def test_a_server_without_tls(scheme: str, octets: bytes) -> None:
    assert isinstance(protected(scheme, hears_exactly(5), says(octets), stays_silent()), TLSError)


@pytest.mark.fault(8)
@to_protected
def test_a_handshake_that_hangs(scheme: str) -> None:
    late = protected(scheme, stays_silent(), policy=replace(HERE, limits=replace(HERE.limits, connect=0.4)))
    assert isinstance(late, DeadlineExceeded)
    assert late.phase == "tls"


@pytest.mark.fault(8)
@to_protected
def test_a_handshake_that_is_cut(scheme: str) -> None:
    assert isinstance(protected(scheme, hears_exactly(5), resets()), TLSError | Truncated)


# --- Datagrams --------------------------------------------------------------------------------------------------------


def packet(identifier: bytes, number: int, total: int, text: bytes = b"") -> bytes:
    return b"\x07" + identifier + number.to_bytes(2) + total.to_bytes(2) + text


PACKETS: dict[str, Callable[[bytes], list[bytes]]] = {
    "answer": lambda _: [],
    "packet": lambda identifier: [packet(identifier, 1, 2, b"NONE")],
}
to_packets = pytest.mark.parametrize("stage", PACKETS)


@contextmanager
def answering(stage: str, also: Callable[[bytes], list[bytes]] = lambda _: []) -> Iterator[Address]:
    """Start a server that answers each request with the datagrams of the stage, then with those of `also`."""
    heard: list[bytes] = []

    def hear(datagram: bytes, who: Address) -> None:
        heard.append(datagram)
        identifier = datagram[1:3]
        for octets in (*PACKETS[stage](identifier), *also(identifier)):
            listener.send(octets, who)

    with nothing_left(), Datagrams(hear) as listener:
        yield listener.address
    request = b"VERSION 5\nAUTHENTICATE '' UNAUTHENTICATED anonymous\nGET-OBJECT-INFO #ALL ASCII '/a' 0\n"
    assert {datagram[9:] for datagram in heard} <= {request, b""}


@pytest.mark.fault(5)
def test_prospero_resolves_a_name_once(names: Names) -> None:
    with answering("answer", lambda identifier: [b"\x03" + identifier + b"FAILURE NOT-AUTHORIZED\n"]) as place:
        asked = names("127.0.0.1")
        assert isinstance(outcome_of(PROSPERO, f"host.dom:{place.port}", HERE), RemoteError)
    assert asked == ["host.dom"]


@pytest.mark.fault(6)
@to_packets
def test_silence_of_datagrams(stage: str) -> None:
    with answering(stage) as place:
        late = outcome_of(PROSPERO, place, BRIEF)
    assert isinstance(late, DeadlineExceeded)
    assert late.phase in {"response", "content"}


@pytest.mark.fault(11)
@to_packets
def test_endless_datagrams(stage: str) -> None:
    tracemalloc.start()
    try:
        with answering(
            stage, lambda identifier: [packet(identifier, each, 0, b"x" * 1200) for each in range(3, 400)]
        ) as place:
            found = outcome_of(PROSPERO, place, replace(HERE, limits=replace(HERE.limits, datagrams=80)))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert isinstance(found, LimitExceeded)
    assert peak < CAP + 16 * 1024 * 1024


@pytest.mark.fault(14)
@to_packets
@pytest.mark.parametrize("octets", [b"220 ftp.dom ready\r\n", bytes(range(256)), b"", b"\x1b[2J", bytes(1500)])
def test_datagrams_of_another_protocol(stage: str, octets: bytes) -> None:
    with answering(stage, lambda _: [octets, octets]) as place:
        assert isinstance(outcome_of(PROSPERO, place, BRIEF), DeadlineExceeded)


# --- Ctrl-C -----------------------------------------------------------------------------------------------------------

has_signals = pytest.mark.skipif(os.name == "nt", reason="a thread sends a signal")


def interrupt() -> None:
    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)


def interrupts(visitor: Visitor) -> None:
    """Send SIGINT once the client waits."""
    visitor.wait(0.1)
    interrupt()


def interrupted(use: Callable[..., Any], place: object) -> None:
    """Assert that KeyboardInterrupt is raised at once."""
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        use(place, HERE)
    assert time.monotonic() - began < HERE.limits.idle


@pytest.mark.fault(50)
@has_signals
@stages("silence")
def test_interrupted_while_it_waits(name: str, stage: str) -> None:
    talk = TALKS[name]
    with nothing_left():
        with rogue(*talk.stages[stage].fails(interrupts, stays_silent()), lifetime=20) as place:
            interrupted(talk.use, place)
        assert len(place.visits) == 1
    check_octets_sent(talk, place)


@pytest.mark.fault(50)
@has_signals
@to_packets
def test_interrupted_while_it_waits_for_datagrams(stage: str) -> None:
    def interrupting(_: bytes) -> list[bytes]:
        interrupt()
        return []

    with answering(stage, interrupting) as place:
        interrupted(PROSPERO, place)


@pytest.mark.fault(50)
@has_signals
@to_all
def test_interrupted_while_it_resolves(scheme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(*_: object, **__: object) -> None:
        interrupt()
        let_go.wait(60)

    let_go = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", hang)
    with nothing_left():
        interrupted(USES[scheme], "host.dom")
        let_go.set()
