"""Plugins that do something wrong in an operation: in their algorithm or their URL type.

Each test installs distributions and runs a new Python, in which all other schemes must still work.
"""

from __future__ import annotations

import re

import pytest
from faulty import HEAD

IMPORTS = """
import time
from urlschemes import Registry
from urlschemes.errors import *
from urlschemes_access.errors import *
from urlschemes_access.attributes import Attributes, Entry
from urlschemes_access.protocol import Connect, Deliver, Follow, Open
def document(*items, **attributes):
    yield from Open("document", Attributes(**attributes))
    for item in items: yield from Deliver(item)
def listing(*items):
    yield from Open("listing", Attributes())
    for item in items: yield from Deliver(item)
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

RAISED = {
    "x-value": (
        "raise ValueError('ftp://u:secret@h/ \\x1b[31m')",
        "ValueError: ftp://u:***@h/ \\x1b[31m",
        "ValueError",
    ),
    "x-key": ("{}['nothing']", "KeyError: 'nothing'", "KeyError"),
    "x-attribute": ("None.nothing", "AttributeError: 'NoneType' object has no attribute 'nothing'", "AttributeError"),
    "x-deep": ("(f := lambda: f())()", "RecursionError: maximum recursion depth exceeded", "RecursionError"),
    "x-stop": ("raise StopAsyncIteration('early')", "StopAsyncIteration: early", "StopAsyncIteration"),
}


@pytest.mark.plugin_fault(15)
def test_an_exception_of_an_algorithm_is_a_plugin_error_with_its_cause(plugin, child):
    for name, (code, _, _) in RAISED.items():
        plugin(name, access=f"{IMPORTS}\ndef access(url):\n    yield from Open('document', Attributes())\n    {code}\n")
    outcomes = child(
        HEAD
        + f"""
outcomes = []
for name in {[*RAISED]!r}:
    try:
        with urlschemes_access.access(name + ":yes") as document:
            document.read()
    except URLError as error:
        cause = type(error.__cause__).__name__
        outcomes.append([type(error).__name__, error.scheme, error.distribution, str(error), cause])
controls()
print(json.dumps(outcomes))
""",
        plugin("x-good"),
    )
    for (name, (_, message, cause)), outcome in zip(RAISED.items(), outcomes, strict=True):
        assert outcome[:3] == ["PluginError", name, f"{name} 1.0"]
        assert outcome[3].startswith(f"the algorithm of scheme '{name}' failed: {message}")
        assert outcome[4] == cause


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


WRONG = {
    "none": ("document(None)", "octets of a document"),
    "text": ("document('text')", "octets of a document"),
    "entry": ("document(Entry(name='a'))", "octets of a document"),
    "octets": ("listing(b'a')", "entries of a listing"),
    "size": ("document(b'a', size='1')", "int or None as size"),
    "start": ("document(b'a', start=True)", "int or None as start"),
    "name": ("listing(Entry(name=b'a'))", "str or None as name"),
    "fields": ("listing(Entry(name='a', fields=[1]))", "a mapping of str to str as fields"),
    "field": ("document(b'a', fields={'a': 1})", "a mapping of str to str as fields"),
    "attributes": ("iter([Open('document', {})])", "an algorithm made by a generator function"),
    "function": ("7", "an algorithm made by a generator function"),
}


@pytest.mark.plugin_fault(17)
def test_the_types_of_what_an_algorithm_delivers_are_checked(plugin, child):
    table = ", ".join(f"{word!r}: lambda: {code}" for word, (code, _) in WRONG.items())
    plugin("x-wrong", access=f"{IMPORTS}\nTABLE = {{{table}}}\ndef access(url): return TABLE[url.word]()\n")
    outcomes = child(
        HEAD
        + f"""
outcomes = [access("x-wrong:" + word) for word in {[*WRONG]!r}]
controls()
print(json.dumps(outcomes))
""",
        plugin("x-good"),
    )
    prefix = "PluginContractError: the algorithm of scheme 'x-wrong' broke its contract: expected "
    for (_, expected), outcome in zip(WRONG.values(), outcomes, strict=True):
        assert outcome.startswith(f"{prefix}{expected}, got "), outcome


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
    "x-line": (
        "def check_line(self): pass",
        "the type TestURL overrides check_line, which is the same for all URLs",
    ),
    "x-raw": (
        "raw = {'word': 'else'}",
        "the type TestURL overrides raw, which is the same for all URLs",
    ),
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
    "x-part": (
        "word = None",
        "x-part:yes",
    ),
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
    late = "DeadlineExceeded: the deadline of 0.2 seconds passed while waiting for content"
    assert [outcome.partition(";")[0] for outcome in outcomes] == [late] * 3
    assert len(logged) == 3
    for message in logged:
        assert re.fullmatch(r"x-sleeps 1.0 took \d+\.\d+ s for one step of x-sleeps; the deadline is 0\.2 s", message)


@pytest.mark.plugin_fault(22)
def test_endless_content_is_limited(plugin, child):
    plugin(
        "x-much",
        access=IMPORTS
        + """
def access(url):
    if url.word == "list":
        yield from Open("listing", Attributes())
        while True: yield from Deliver(Entry(name="a"))
    yield from Open("document", Attributes())
    while True: yield from Deliver(b"a" * 65536)
""",
    )
    octets, entries = child(
        HEAD
        + """
from urlschemes_access import Limits, Policy
policy = Policy(limits=Limits(content=1_000_000, entries=1000))
outcomes = [access("x-much:" + word, policy=policy) for word in ("octets", "list")]
controls()
print(json.dumps(outcomes))
""",
        plugin("x-good"),
    )
    assert octets.startswith("LimitExceeded: the content is longer than 1000000 octets; ")
    assert entries == "LimitExceeded: the listing has more entries than 1000; Limits.entries can be raised"


@pytest.mark.plugin_fault(20, 23)
def test_the_policy_applies_to_hosts_and_redirects_of_an_algorithm(plugin, child):
    plugin(
        "x-leads",
        LOGIN,
        lambda text: 'redirects = ["x-leads"]\n' + with_host(text),
        access=IMPORTS
        + """
def access(url):
    if url.word == "connect":
        yield from Connect("127.0.0.1", 8080)
    if url.word == "port":
        yield from Connect("h.dom", 22)
    target = yield from Follow({"scheme": "x-good:yes", "place": "x-leads://127.0.0.1:8080/", "port": "x-leads://h.dom:22/"}.get(
        url.word, "x-leads://h.dom/a\\r\\nb"))
    yield from Connect(target.host, target.port)
""",
    )
    outcomes = child(
        HEAD
        + """
outcomes = [access("x-leads://h.dom:8080/" + word) for word in ("connect", "port", "scheme", "place", "line")]
controls()
print(json.dumps(outcomes))
""",
        plugin("x-good"),
    )
    assert [each.partition(":")[0] for each in outcomes] == [
        "PolicyDenied",
        "PolicyDenied",
        "RedirectRefused",
        "PolicyDenied",
        "RedirectRefused",
    ]


@pytest.mark.plugin_fault(24, 40)
def test_errors_of_an_algorithm_hide_passwords_and_control_characters(plugin, child):
    plugin(
        "x-leaks",
        LOGIN,
        with_host,
        access=IMPORTS
        + """
def access(url):
    yield from Open("document", Attributes())
    if url.word == "ours":
        raise ProtocolError("wrong " + url.password + " \\x1b[2J\\u202e", where=url.password)
    raise ValueError("wrong " + url.password + " \\x1b[2J\\u202e")
""",
    )
    outcomes = child(
        HEAD
        + """
outcomes = []
for word in ("ours", "theirs"):
    try:
        with urlschemes_access.access("x-leaks://joe:s%65cret@h.dom:8080/" + word) as document:
            document.read()
    except URLError as error:
        outcomes.append([str(error), repr(error), str(getattr(error, "where", "")), error.__cause__ is None])
controls()
print(json.dumps(outcomes))
""",
        plugin("x-good"),
    )
    assert outcomes[0][0] == r"wrong *** \x1b[2J\u202e"
    assert outcomes[1][0] == r"the algorithm of scheme 'x-leaks' failed: ValueError: wrong *** \x1b[2J\u202e"
    assert [each[3] for each in outcomes] == [True, True]
    assert not any("secret" in text for each in outcomes for text in each[:3])


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
