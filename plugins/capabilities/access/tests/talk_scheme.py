"""x-talk, a made-up scheme, and algorithms for it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from urlschemes.record.registration import Registration
from urlschemes.url.value import URL, LoginURL
from urlschemes_access.attributes import Attributes
from urlschemes_access.backends.connection_pool import ConnectionPool
from urlschemes_access.dialogue import Dialogue, Operation
from urlschemes_access.errors import RemoteError
from urlschemes_access.policy import Limits, Policy
from urlschemes_access.protocol import Algorithm, Connect, Deliver, Open, Receive, Send
from urlschemes_access.resources import synchronous
from urlschemes_access.resources.synchronous import Session
from urlschemes_access.settings import Arguments, Settings

RECORD = """
scheme = "x-talk"
default_port = 7
operations = ["access", "find attributes", "replace", "update", "delete", "open session"]
redirects = ["x-talk", "x-talks"]
[syntax]
bnf = '''
talkurl = "x-talk://" login [ "/" what ]
what    = *uchar
'''
parts = { user = "user", password = "password", host = "host", port = { at = "port", number = true }, what = "what" }
"""
TALK = Registration.from_text(RECORD, source="test")


class TalkURL(LoginURL, registration=TALK):
    """A URL of it."""


LOCAL = Registration.from_text(
    RECORD.replace("[syntax]", "local = true\n[syntax]", 1).replace("x-talk", "x-local"), source="test"
)


class LocalURL(LoginURL, registration=LOCAL):
    pass


class TalksURL(
    LoginURL,
    registration=Registration.from_text(RECORD.replace("x-talk", "x-talks").replace("= 7", "= 8"), source="test"),
):
    pass


class Clock:
    """A clock that tests set forward."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


LOOPBACK = Policy(networks=("127.0.0.0/8", "::1/128"))


IMPATIENT = replace(LOOPBACK, limits=Limits(resolve=0.3, connect=0.3, first_octet=0.3, idle=0.3))
"""For a server that does nothing: on a busy machine, one that answers may take longer than this."""


def dialogue(algorithm: Algorithm[None], url: URL, *, policy: Policy = LOOPBACK, **given: Any) -> Dialogue:
    """Return a dialogue without a client. `given` are settings of the caller, and what else an operation has."""
    settings = {name: given.pop(name) for name in Arguments.__annotations__.keys() & given}
    return Dialogue(algorithm, Operation(url, Settings(policy=policy, **settings), **given))


def run(
    algorithm: Algorithm[None],
    *,
    port: int = 7,
    policy: Policy = LOOPBACK,
    url: URL | None = None,
    pool: ConnectionPool | None = None,
    **given: Any,
) -> Any:
    """Return the resource that an algorithm opens for a URL."""
    url = url or TalkURL.parse(f"x-talk://127.0.0.1:{port}/")
    return synchronous.run(dialogue(algorithm, url, policy=policy, **given), pool=pool)


def fetch(port: int, *, host: str = "127.0.0.1", greeting: bytes = b"") -> Algorithm[None]:
    """Deliver everything that arrives until the server closes."""
    peer = yield from Connect(host, port)
    if greeting:
        yield from Send(peer, greeting)
    yield from Open("document", Attributes(media_type="text/plain"))
    while octets := (yield from Receive(peer, phase="content")):
        yield from Deliver(octets)


class Shell(Session):
    said = 0

    def say(self, octets: bytes, *, within: float | None = None) -> bytes:
        self.said += 1
        return self.run_algorithm(self._saying(octets, within))

    def tell(self, octets: bytes) -> None:
        self.run_algorithm(self._saying(octets, None))

    def say_twice(self) -> bytes:
        return self.say(b"one") + self.say(b"two")

    def _saying(self, octets: bytes, within: float | None) -> Algorithm[bytes]:
        yield from Send(self.peer, octets)
        heard = (yield from Receive(self.peer, within=within)) or b""
        if heard.startswith(b"no"):
            raise RemoteError("it said no", text="no")
        return heard

    def deliver(self) -> None:
        def algorithm() -> Algorithm[None]:
            yield from Deliver(b"x")

        self.run_algorithm(algorithm())


def shell(port: int) -> Algorithm[None]:
    peer = yield from Connect("127.0.0.1", port)
    yield from Open("session", session=Shell, peer=peer)
    yield from Send(peer, b"bye")
