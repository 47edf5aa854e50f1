"""What every scheme that goes over a network owes whatever its server does, row by row and stage by stage.

The error is of the kind that is due, it comes within the deadline and a second, little memory was taken, no socket is
left open, and nothing was sent that a good dialogue would not have sent. What belongs to one protocol alone is tested
with its plugin.
"""

from __future__ import annotations

import gc
import socket
import ssl
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

import urlschemes
from urlschemes import Document, Limits, Listing, Policy
from urlschemes.errors import (
    AccessError,
    ConnectError,
    DeadlineExceeded,
    LimitExceeded,
    PolicyDenied,
    ProtocolError,
    ResolveError,
    Truncated,
    URLError,
)
from urlschemes.terms import TraceEvent
from urlschemes_testing.rogue import (
    Act,
    RogueAddress,
    after_data,
    deaf,
    drips,
    ends_output,
    floods,
    hears,
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
from urlschemes_testing.servers import Certificates, make_certificates

DEADLINE = 2.0
CAP = 4 * 1024 * 1024
HERE = Policy(
    networks=("127.0.0.0/8",),
    limits=Limits(deadline=DEADLINE, idle=0.4, first_octet=0.4, connect=0.4, resolve=0.4, content=CAP),
)


@dataclass(frozen=True)
class Talk:
    """How a good dialogue of a scheme goes, up to each of its stages.

    `url` is a URL of the scheme but for host and port, `says` the client's words in a good dialogue, `stages` the acts
    of a server up to where it may fail, `goes_on` words by which each can go on for ever. `beside` are stages on a data
    connection.
    """

    url: str
    says: bytes
    stages: dict[str, tuple[Act, ...]]
    goes_on: dict[str, bytes]
    beside: dict[str, Callable[..., tuple[Act, ...]]]


def _data(*acts: Act) -> tuple[Act, ...]:
    """A transfer by FTP whose data connection goes through `acts`, and is never confirmed."""
    return (*FTP, offers_data("229 here (|||{port}|)", *acts), hears(), says("150 coming"), after_data(), closes_later)


def closes_later(visitor: Any) -> None:
    visitor.wait(0.1)


FTP: tuple[Act, ...] = (
    says("220 ready"),
    hears(),
    says("230 in"),
    hears(),
    says("200 image"),
    hears(),
    says("500 no size"),
    hears(),
)
REQUEST = b"\r\n\r\n"
OK = b"HTTP/1.1 200 OK\r\n"


def _web(*before: Act) -> dict[str, tuple[Act, ...]]:
    asked = (*before, hears_until(REQUEST))
    return {
        "answer": asked,
        "header": (*asked, says(OK)),
        "body": (*asked, says(OK + b"Content-Length: 999999999\r\n\r\nhel")),
        "chunk": (*asked, says(OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhel")),
    }


WEB_GOES_ON = {
    "answer": b"HTTP/1.1 100 Continue\r\n\r\n",
    "header": b"A: b\r\n",
    "body": b"x" * 8192,
    "chunk": b"lo\r\n1000\r\n" + b"x" * 4096 + b"\r\n5\r\nhel",
}
WEB_SAYS = b"GET /a HTTP/1.1\r\nHost: {place}\r\nUser-Agent: urlschemes/"


@pytest.fixture(scope="module")
def certificates() -> Certificates:
    return make_certificates()


@pytest.fixture(scope="module")
def trust(certificates: Certificates) -> ssl.SSLContext:
    return certificates.client()


@pytest.fixture(scope="module")
def talks(certificates: Certificates) -> dict[str, Talk]:
    return {
        "ftp": Talk(
            "ftp://{}/a",
            b"USER anonymous\r\nTYPE I\r\nSIZE a\r\nEPSV\r\nRETR a\r\nQUIT\r\n",
            {"banner": (), "reply": (says("220 ready"), hears()), "size": FTP[:6]},
            {"banner": b"220-more\r\n", "reply": b"230-more\r\n", "size": b"213-more\r\n", "data": b"x" * 8192},
            {"data": _data},
        ),
        "gopher": Talk(
            "gopher://{}/0a",
            b"a\r\n",
            {"answer": (hears(),), "text": (hears(), says("one", b"tw"))},
            {"answer": b"more\r\n", "text": b"more\r\n"},
            {},
        ),
        "http": Talk("http://{}/a", WEB_SAYS, _web(), WEB_GOES_ON, {}),
        "https": Talk("https://{}/a", WEB_SAYS, _web(starts_tls(certificates.server)), WEB_GOES_ON, {}),
    }


SCHEMES = ("ftp", "gopher", "http", "https")
FIRST = {"ftp": "banner", "gopher": "answer", "http": "answer", "https": "answer"}
STAGES = [
    ("ftp", "banner"),
    ("ftp", "reply"),
    ("ftp", "size"),
    ("ftp", "data"),
    ("gopher", "answer"),
    ("gopher", "text"),
    *((scheme, stage) for scheme in ("http", "https") for stage in ("answer", "header", "body", "chunk")),
]
BEGUN = [(scheme, stage) for scheme, stage in STAGES if stage != FIRST[scheme]]


def _use(url: str, trust: ssl.SSLContext, policy: Policy, **more: Any) -> bytes | int:
    with urlschemes.access(url, policy=policy, ssl_context=trust, **more) as found:
        if isinstance(found, Document):
            octets = found.read()
            return octets if found.terminated else len(octets)
        assert isinstance(found, Listing)
        return len(list(found))


def _open_sockets() -> set[int]:
    gc.collect()
    return {id(each) for each in gc.get_objects() if isinstance(each, socket.socket) and each.fileno() >= 0}


def _assert_said_only(talk: Talk, place: RogueAddress) -> None:
    good = talk.says.replace(b"{place}", str(place).encode())
    for heard in place.heard:
        anonymous = heard.replace(b"PASS anonymous@example.com\r\n", b"")
        if talk.says.startswith(b"GET"):
            assert good.startswith(anonymous[: len(good)])
            assert anonymous.count(b"\r\n\r\n") <= 1
        else:
            assert good.startswith((anonymous, anonymous.removesuffix(b"QUIT\r\n")))


def _meet(talk: Talk, stage: str, acts: tuple[Act, ...], trust: ssl.SSLContext, policy: Policy = HERE) -> Any:
    """What comes of a server that fails so: the error, or what was read. The laws that hold for all are asserted."""
    whole = (*talk.stages[stage], *acts) if stage in talk.stages else talk.beside[stage](says(b"hel"), *acts)
    before = _open_sockets()
    outcome: Any = None
    with rogue(*whole, lifetime=20) as place:
        began = time.monotonic()
        try:
            outcome = _use(talk.url.format(place), trust, policy)
        except URLError as error:
            outcome = error
        took = time.monotonic() - began
    assert took < policy.limits.deadline + 1
    assert len(place.visits) == 1
    assert _open_sockets() <= before
    _assert_said_only(talk, place)
    if isinstance(outcome, URLError):
        assert len(str(outcome)) <= 300
        assert str(outcome).isascii()
        assert str(outcome).isprintable()
        outcome = outcome.with_traceback(None)
    return outcome


@pytest.fixture
def meet(talks: dict[str, Talk], trust: ssl.SSLContext) -> Callable[..., Any]:
    def meeting(scheme: str, stage: str, *acts: Act, policy: Policy = HERE) -> Any:
        return _meet(talks[scheme], stage, acts, trust, policy)

    return meeting


Meet = Callable[..., Any]


# --- Reaching it ------------------------------------------------------------------------------------------------------


@pytest.fixture(params=SCHEMES)
def scheme(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


def test_b01_nobody_listens(scheme: str, talks: dict[str, Talk], trust: ssl.SSLContext) -> None:
    with refusing() as place, pytest.raises(ConnectError):
        _use(talks[scheme].url.format(place), trust, HERE)


def test_b02_connecting_hangs(scheme: str, talks: dict[str, Talk], trust: ssl.SSLContext) -> None:
    began = time.monotonic()
    with deaf() as place, pytest.raises(DeadlineExceeded) as late:
        _use(talks[scheme].url.format(place), trust, HERE)
    assert late.value.phase == "connect"
    assert time.monotonic() - began < DEADLINE + 1


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Lets `host.dom` have these addresses; gives the names that are asked for."""
    asked: list[str] = []

    def resolve(*addresses: str, fault: Exception | None = None, hangs: float = 0) -> list[str]:
        def answer(host: bytes | str, port: int, **_: Any) -> list[Any]:
            asked.append(host.decode() if isinstance(host, bytes) else host)
            time.sleep(hangs)
            if fault is not None:
                raise fault
            return [(socket.AF_INET, socket.SOCK_STREAM, 0, "", (address, port)) for address in addresses]

        monkeypatch.setattr(socket, "getaddrinfo", answer)
        return asked

    return resolve


def test_b03_a_name_without_an_address(
    scheme: str, talks: dict[str, Talk], trust: ssl.SSLContext, names: Callable[..., list[str]]
) -> None:
    names(fault=socket.gaierror(socket.EAI_NONAME, "Name or service not known"))
    with pytest.raises(ResolveError):
        _use(talks[scheme].url.format("host.dom"), trust, HERE)
    names(hangs=1.5)
    began = time.monotonic()
    with pytest.raises(DeadlineExceeded) as late:
        _use(talks[scheme].url.format("host.dom"), trust, HERE)
    assert late.value.phase == "resolve"
    assert time.monotonic() - began < 1.4


def test_b04_one_private_address_refuses_them_all(
    scheme: str, talks: dict[str, Talk], trust: ssl.SSLContext, names: Callable[..., list[str]]
) -> None:
    with rogue(stays_silent()) as place:
        names("127.0.0.1", "10.1.2.3")
        with pytest.raises(PolicyDenied) as refused:
            _use(talks[scheme].url.format(f"host.dom:{place.port}"), trust, HERE)
        assert refused.value.rule == "networks"
        assert place.visits == []


def test_b05_a_name_is_resolved_once_and_what_was_checked_is_dialled(
    scheme: str, talks: dict[str, Talk], trust: ssl.SSLContext, names: Callable[..., list[str]]
) -> None:
    """The second answer would be another address; nobody asks for it, not even for a data connection."""
    talk = talks[scheme]
    with rogue(
        *(talk.beside["data"](says(b"hel"), resets()) if talk.beside else (*talk.stages["answer"], resets()))
    ) as place:
        asked = names("127.0.0.1")
        with pytest.raises(AccessError):
            _use(talk.url.format(f"host.dom:{place.port}"), trust, HERE)
        assert asked == ["host.dom"]
        assert len(place.visits) == 1


# --- What the server does ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("scheme", "stage"), STAGES)
def test_b06_silence(scheme: str, stage: str, meet: Meet) -> None:
    assert isinstance(meet(scheme, stage, stays_silent()), DeadlineExceeded)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_b09_reset_at_once(scheme: str, meet: Meet) -> None:
    assert isinstance(meet(scheme, FIRST[scheme], resets()), ConnectError)


@pytest.mark.parametrize(("scheme", "stage"), BEGUN)
def test_b09_reset_in_the_middle(scheme: str, stage: str, meet: Meet) -> None:
    assert isinstance(meet(scheme, stage, waits(0.1), resets()), Truncated)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_b10_half_closed_at_once(scheme: str, meet: Meet) -> None:
    found = meet(scheme, FIRST[scheme], ends_output(), stays_silent())
    if scheme == "gopher":  # an empty text without its dot, and marked as such
        assert found == 0
    else:
        assert isinstance(found, ConnectError | Truncated)


@pytest.mark.parametrize(("scheme", "stage"), BEGUN)
def test_b10_half_closed_in_the_middle(scheme: str, stage: str, meet: Meet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urlschemes_ftp.transfer.CONFIRMATION", 0.3)
    found = meet(scheme, stage, ends_output(), stays_silent())
    if scheme == "gopher":
        assert found == len(b"one\r\ntw")
    else:
        assert isinstance(found, Truncated)


@pytest.mark.parametrize(("scheme", "stage"), STAGES)
def test_b11_endless(scheme: str, stage: str, meet: Meet, talks: dict[str, Talk]) -> None:
    words = talks[scheme].goes_on[stage]
    tracemalloc.start()
    try:
        found = meet(scheme, stage, floods(words), policy=replace(HERE, limits=replace(HERE.limits, deadline=30)))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert isinstance(found, LimitExceeded)
    assert peak < CAP + 16 * 1024 * 1024


@pytest.mark.parametrize(("scheme", "stage"), STAGES)
def test_b12_a_drip(scheme: str, stage: str, meet: Meet, talks: dict[str, Talk]) -> None:
    words = talks[scheme].goes_on[stage]
    policy = replace(HERE, limits=replace(HERE.limits, deadline=1.0))
    assert isinstance(meet(scheme, stage, loops(drips(words, every=0.05)), policy=policy), DeadlineExceeded)


@pytest.mark.parametrize(
    ("scheme", "stage"), [(scheme, stage) for scheme, stage in STAGES if stage not in {"data", "body", "chunk"}]
)
def test_b13_a_line_without_end(scheme: str, stage: str, meet: Meet) -> None:
    begins = b"HTTP/1.1 200 " if stage == "answer" and scheme != "gopher" else b"2"
    found = meet(scheme, stage, says(begins), floods(b"2" * 1000))
    assert isinstance(found, LimitExceeded)
    assert found.value <= 65536


@pytest.mark.parametrize("scheme", ["ftp", "http", "https"])
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
def test_b14_another_protocol(scheme: str, octets: bytes, meet: Meet) -> None:
    found = meet(scheme, FIRST[scheme], says(octets), stays_silent())
    assert isinstance(found, ProtocolError)
    assert found.where


@pytest.mark.parametrize(("scheme", "stage"), BEGUN)
def test_b50_the_caller_leaves_in_the_middle(
    scheme: str, stage: str, talks: dict[str, Talk], trust: ssl.SSLContext
) -> None:
    """Ctrl-C while it waits: the interrupt comes out as it is, and everything is closed at once."""
    talk = talks[scheme]
    acts = (
        (*talk.stages[stage], stays_silent())
        if stage in talk.stages
        else talk.beside[stage](says(b"hel"), stays_silent())
    )
    before = _open_sockets()

    def interrupt(event: TraceEvent) -> None:
        if event.kind == "receive" and (
            event.octets.endswith((b"hel", b"tw", OK)) or event.octets[:3] in (b"220", b"200")
        ):
            raise KeyboardInterrupt

    with rogue(*acts, lifetime=20) as place:
        began = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            _use(talk.url.format(place), trust, HERE, trace=interrupt)
        assert time.monotonic() - began < DEADLINE + 1
    assert _open_sockets() <= before
