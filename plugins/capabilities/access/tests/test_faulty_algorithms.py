"""Plugins that do something wrong in an operation: in their algorithm or their URL type.

Each test installs distributions and runs a new Python, in which all other schemes must still work.
"""

from __future__ import annotations

import re
import sys

import pytest
from faulty import HEAD

IMPORTS = """
import time
from urlschemes.errors import *
from urlschemes_access.errors import *
from urlschemes_access.attributes import Attributes
from urlschemes_access.protocol import Connect, Deliver, Open
"""

HOST = """
testurl = "{name}://" login [ "/" word ]
word    = *uchar
"""


def with_host(text: str) -> str:
    """The record with a user, a password, a host and a port."""
    name = text.partition('scheme = "')[2].partition('"')[0]
    text = text.replace(f'testurl = "{name}:" word\nword    = 1*uchar', HOST.format(name=name).strip())
    text = text.replace(
        "[syntax.parts]\n",
        '[syntax.parts]\nuser = { at = "user" }\npassword = { at = "password" }\n'
        'host = { at = "host" }\nport = { at = "port", number = true }\n',
    )
    parts = '{ user = "u", password = "p", host = "h.dom", port = 70, word = "yes" }'
    return text.replace(
        f'url = "{name}:yes"\nparts = {{ word = "yes" }}', f'url = "{name}://u:p@h.dom:70/yes"\nparts = {parts}'
    )


LOGIN = """
from urlschemes import LoginURL, Registration, Scheme, text_part
registration = Registration.of(__name__)
class TestURL(LoginURL, registration=registration):
    word: str | None = text_part(default=None)
scheme = Scheme(registration, TestURL, access=__name__ + ".access")
"""


@pytest.mark.plugin_fault(16)
def test_a_url_error_that_an_algorithm_raises_has_its_origin(plugin, child):
    plugin(
        "x-forger",
        access=IMPORTS
        + """
def access(url):
    if url.word == "caught":
        try:
            yield from Connect("host.invalid", 22)
        except PolicyDenied:
            raise
    if url.word == "own":
        yield from Connect("host.invalid", 22)
    raise PolicyDenied("your disk is full, go to http://evil.dom/", scheme="x-good", rule="roots", part="host")
""",
    )
    forged, *caught = child(
        HEAD
        + """
import pickle
outcomes = []
for word in ("forged", "caught", "own"):
    try:
        urlschemes_access.access("x-forger:" + word)
    except URLError as error:
        outcomes.append([type(error).__name__, error.scheme, error.origin, pickle.loads(pickle.dumps(error)).origin])
controls()
print(json.dumps(outcomes))
""",
        plugin("x-good"),
    )
    assert forged == ["PolicyDenied", "x-good", "x-forger 1.0", "x-forger 1.0"]
    assert caught == [["PolicyDenied", "x-forger", None, None]] * 2


TYPE = """
from urlschemes import Registration, Scheme, URL
registration = Registration.of(__name__)
class TestURL(URL, registration=registration):
    {}
scheme = Scheme(registration, TestURL)
"""
TYPES = {
    "x-text": (
        "def __str__(self): return 'http://other.dom/'",
        "the type TestURL overrides __str__, which is the same for all URLs",
    ),
    "x-line": ("def check_line(self): pass", "the type TestURL overrides check_line, which is the same for all URLs"),
    "x-raw": ("raw = {'word': 'else'}", "the type TestURL overrides raw, which is the same for all URLs"),
    "x-none": (
        "@classmethod\n    def parse(cls, text, *, limit=0): return None",
        "the type TestURL breaks the plugin contract: it returned a NoneType",
    ),
    "x-raises": (
        "@classmethod\n    def parse(cls, text, *, limit=0): return {}[text]",
        "the type TestURL failed: it cannot parse: KeyError: 'x-raises:yes'",
    ),
    "x-else": (
        "@classmethod\n    def parse(cls, text, *, limit=0): return super().parse(text.replace('yes', 'no'))",
        "x-else:no",
    ),
    "x-part": ("word = None", "x-part:yes"),
}


@pytest.mark.plugin_fault(18)
def test_a_url_type_that_breaks_its_contract(plugin, child):
    for name, (body, _) in TYPES.items():
        plugin(name, TYPE.format(body))
    names = [*TYPES]
    outcomes = child(
        HEAD
        + f"""
outcomes = [use(name) for name in {names!r}]
controls(*{names!r})
print(json.dumps(outcomes))
""",
        plugin("x-good"),
    )
    for (_, expected), found in zip(TYPES.values(), outcomes, strict=True):
        assert expected in found


@pytest.mark.plugin_fault(21)
@pytest.mark.skipif(sys.flags.dev_mode, reason="asyncio reports the step, too")
def test_a_step_longer_than_the_deadline_is_logged(plugin, child):
    plugin(
        "x-sleeps",
        access=IMPORTS
        + """
def access(url):
    yield from Open("document", Attributes())
    while True:
        time.sleep(0.25)
        yield from Deliver(b"" if url.word == "nothing" else b"a")
""",
    )
    outcomes, logged = child(
        HEAD
        + """
import asyncio, logging
from urlschemes_access import AsyncClient, Limits, Policy
logged = []
class Handler(logging.Handler):
    def emit(self, record): logged.append(record.getMessage())
logging.getLogger("urlschemes").addHandler(Handler())
policy = Policy(limits=Limits(deadline=0.2))
outcomes = [access("x-sleeps:" + word, policy=policy) for word in ("nothing", "octets")]
async def read():
    async with await AsyncClient().access("x-sleeps:octets", policy=policy) as document:
        return await document.read()
try:
    asyncio.run(read())
except URLError as error:
    outcomes.append(type(error).__name__ + ": " + str(error))
controls()
print(json.dumps([outcomes, logged]))
""",
        plugin("x-good"),
    )
    late = "DeadlineExceeded: the deadline passed while waiting for content"
    assert [outcome.partition(";")[0] for outcome in outcomes] == [late] * 3
    assert len(logged) == 3
    for message in logged:
        assert re.fullmatch(r"x-sleeps 1.0 took \d+\.\d+ s for one step of x-sleeps; the deadline is 0\.2 s", message)


@pytest.mark.plugin_fault(39)
def test_a_url_type_with_another_host_than_its_url_reaches_nothing(plugin, child):
    lies = {"host": "'127.0.0.1'", "port": "8081", "raise": "1 / 0"}
    for word, lie in lies.items():
        part = "host" if word == "raise" else word
        code = LOGIN.replace("    word:", f"    @property\n    def {part}(self): return {lie}\n    word:")
        plugin(
            f"x-{word}", code, with_host, access=f"{IMPORTS}\ndef access(url): yield from Connect(url.host, url.port)\n"
        )
    outcomes = child(
        HEAD
        + f"""
import socket
def never(*_, **__): raise SystemExit("resolved")
socket.getaddrinfo = never
outcomes = [access(f"x-{{name}}://h.dom:8080/") for name in {[*lies]!r}]
controls(*(f"x-{{name}}" for name in {[*lies]!r}))
print(json.dumps(outcomes))
""",
        plugin("x-good"),
    )
    assert outcomes == [
        "PluginContractError: the type TestURL returns '127.0.0.1' as host, but the URL has 'h.dom'",
        "PluginContractError: the type TestURL returns '8081' as port, but the URL has '8080'",
        "PluginError: the type TestURL failed: its host cannot be read: ZeroDivisionError: division by zero",
    ]
