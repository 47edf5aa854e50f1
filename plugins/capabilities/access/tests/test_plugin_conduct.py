"""What a plugin does wrong once it is loaded: in its algorithm, its hooks, the type of its URLs.

Each test installs real distributions and runs a new Python, in which all other schemes still pass their controls.
"""

from __future__ import annotations

import pytest
from faulty import HEAD

IMPORTS = """
import time
from urlschemes import Registry
from urlschemes.errors import *
from urlschemes_access.attributes import Attributes, Entry
from urlschemes_access.protocol import Connect, Deliver, Follow, Open
class Hostile(str):
    def __str__(self): raise SystemExit(9)
    __repr__ = __len__ = __iter__ = __format__ = __hash__ = encode = translate = isascii = __str__
class HostileBytes(bytes):
    def __len__(self): raise SystemExit(9)
    __bool__ = __iter__ = __bytes__ = __len__
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
from urlschemes import Registration, Scheme
from urlschemes.url.value import LoginURL
registration = Registration.of(__name__)
class TestURL(LoginURL, registration=registration):
    __slots__ = ()
    @property
    def word(self): return self._text("word")
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
    "x-silent": ("raise type('E', (Exception,), {'__str__': lambda s: 1 / 0})", "E", "E"),
    "x-last": ("raise type('E', (BaseException,), {'__str__': lambda s: exec('raise GeneratorExit')})", "E", "E"),
}


@pytest.mark.plugin_fault(15)
def test_an_algorithm_that_raises_anything_fails_as_itself(plugin, child):
    for name, (code, _, _) in RAISED.items():
        plugin(name, access=f"{IMPORTS}\ndef access(url):\n    yield from Open('document', Attributes())\n    {code}\n")
    said = child(
        HEAD
        + f"""
said = []
for name in {[*RAISED]!r}:
    try:
        with urlschemes_access.access(name + ":yes") as document:
            document.read()
    except URLError as error:
        cause = type(error.__cause__).__name__
        said.append([type(error).__name__, error.scheme, error.distribution, str(error), cause])
controls()
print(json.dumps(said))
""",
        plugin("x-good"),
    )
    for (name, (_, told, cause)), found in zip(RAISED.items(), said, strict=True):
        assert found[:3] == ["PluginError", name, f"{name} 1.0"]
        assert found[3].startswith(f"the algorithm of scheme '{name}' failed: {told}")
        assert found[4] == cause


@pytest.mark.plugin_fault(16)
def test_an_error_of_ours_that_a_plugin_raises_says_where_it_came_from(plugin, child):
    plugin(
        "x-forger",
        access=IMPORTS
        + """
def access(url):
    if url.word == "caught":
        try:
            yield from Connect("nobody.invalid", 22)
        except PolicyDenied:
            raise
    if url.word == "own":
        yield from Connect("nobody.invalid", 22)
    raise PolicyDenied("your disk is full, go to http://evil.dom/", scheme="x-good", rule="roots", part="host")
""",
    )
    forged, *caught = child(
        HEAD
        + """
import pickle
said = []
for word in ("forged", "caught", "own"):
    try:
        urlschemes_access.access("x-forger:" + word)
    except URLError as error:
        said.append([type(error).__name__, error.scheme, error.origin, pickle.loads(pickle.dumps(error)).origin])
controls()
print(json.dumps(said))
""",
        plugin("x-good"),
    )
    assert forged == ["PolicyDenied", "x-good", "x-forger 1.0", "x-forger 1.0"]
    assert caught == [["PolicyDenied", "x-forger", None, None]] * 2


WRONG = {
    "none": ("document(None)", "PluginContractError: the algorithm of scheme 'x-wrong' owes Deliver of octets"),
    "text": ("document('text')", "PluginContractError: the algorithm of scheme 'x-wrong' owes Deliver of octets"),
    "generator": ("document(b'a' for _ in 'a')", "PluginContractError: the algorithm of scheme 'x-wrong' owes Deliver"),
    "entry": ("document(Entry(name='a'))", "PluginContractError: the algorithm of scheme 'x-wrong' owes Deliver"),
    "octets": ("listing(b'a')", "PluginContractError: the algorithm of scheme 'x-wrong' owes Deliver of entries"),
    "size": (
        "document(b'a', size='1')",
        "PluginContractError: the algorithm of scheme 'x-wrong' owes a number as size",
    ),
    "name": ("listing(Entry(name=b'a'))", "PluginContractError: the algorithm of scheme 'x-wrong' owes text as name"),
    "fields": (
        "listing(Entry(name='a', fields=[1]))",
        "PluginContractError: the algorithm of scheme 'x-wrong' owes a d",
    ),
    "field": (
        "document(b'a', fields={'a': 1})",
        "PluginContractError: the algorithm of scheme 'x-wrong' owes text as f",
    ),
    "attributes": (
        "iter([Open('document', {})])",
        "PluginContractError: the algorithm of scheme 'x-wrong' owes an alg",
    ),
    "function": ("7", "PluginContractError: the algorithm of scheme 'x-wrong' owes an algorithm, made by a generator"),
    "hostile": ("listing(Entry(name=Hostile('a'), kind=Hostile('b'), fields={'k': Hostile('c')}))", ["a"]),
    "bytes": ("document(HostileBytes(b'octets'), media_type=Hostile('text/plain'))", "octets"),
}


@pytest.mark.plugin_fault(17)
def test_what_an_algorithm_hands_out_is_checked_and_copied(plugin, child):
    table = ", ".join(f"{word!r}: lambda: {code}" for word, (code, _) in WRONG.items())
    plugin("x-wrong", access=f"{IMPORTS}\nTABLE = {{{table}}}\ndef access(url): return TABLE[url.word]()\n")
    said = child(
        HEAD
        + f"""
said = [access("x-wrong:" + word) for word in {[*WRONG]!r}]
with urlschemes_access.access("x-wrong:hostile") as listing:
    (entry,) = listing
said.append([type(each).__name__ for each in (entry.name, entry.kind, *entry.fields.values())])
with urlschemes_access.access("x-wrong:bytes") as document:
    said.append([type(document.media_type).__name__, type(document.read()).__name__])
controls()
print(json.dumps(said))
""",
        plugin("x-good"),
    )
    for (word, (_, told)), found in zip(WRONG.items(), said, strict=False):
        assert found == told if isinstance(told, list) or word == "bytes" else found.startswith(told), word
    assert said[len(WRONG) :] == [["str", "str", "str"], ["str", "bytes"]]


HOOK = """
from urlschemes.registry.hooks import hookimpl
class Hostile(str):
    def __str__(self): raise SystemExit(9)
    __repr__ = __len__ = __iter__ = __format__ = encode = translate = isascii = __str__
@hookimpl
def urlschemes_veto(url, operation):
    {}
"""
VETOES = {
    "raise KeyError('x')": "PluginError: the hook urlschemes_veto of house 1.0 failed: KeyError: 'x'",
    "raise SystemExit(3)": "PluginError: the hook urlschemes_veto of house 1.0 failed: SystemExit: 3",
    "from urlschemes import UnknownScheme; raise UnknownScheme('x-good')": (
        "PluginError: the hook urlschemes_veto of house 1.0 failed: x-good"
    ),
    "return b'no'": "PluginContractError: the hook urlschemes_veto of house 1.0 gave a bytes",
    "return (no for no in 'no')": "PluginContractError: the hook urlschemes_veto of house 1.0 gave a generator",
    "return Hostile('no')": "PolicyDenied: house 1.0 forbids the access: no",
    "return None": "fine",
}


@pytest.mark.plugin_fault(15, 16, 17)
@pytest.mark.parametrize("code", VETOES)
def test_a_hook_that_fails_or_gives_something_else_is_named(plugin, install, child, code):
    plugin("x-plain", access=f"{IMPORTS}\ndef access(url): return document(b'fine')\n")
    site = install("house", "[urlschemes]\nveto = house\n", {"house.py": HOOK.format(code)})
    assert child(
        HEAD + "said = access('x-plain:yes')\ncontrols()\nprint(json.dumps(said))", site, plugin("x-good")
    ).startswith(VETOES[code])


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
        "the type TestURL has a __str__ of its own",
        None,
    ),
    "x-line": (
        "def check_line(self): pass",
        "the type TestURL has a check_line of its own",
        None,
    ),
    "x-raw": (
        "raw = {'word': 'else'}",
        "the type TestURL has a raw of its own",
        None,
    ),
    "x-none": (
        "@classmethod\n    def parse(cls, text, *, limit=0): return None",
        "the type TestURL breaks the contract of plugins: it gave a NoneType",
        None,
    ),
    "x-raises": (
        "@classmethod\n    def parse(cls, text, *, limit=0): return {}[text]",
        "the type TestURL failed: it cannot parse: KeyError: 'x-raises:yes'",
        None,
    ),
    "x-quits": (
        "@classmethod\n    def parse(cls, text, *, limit=0): raise GeneratorExit",
        "the type TestURL failed: it cannot parse: GeneratorExit",
        None,
    ),
    "x-else": (
        "@classmethod\n    def parse(cls, text, *, limit=0): return super().parse(text.replace('yes', 'no'))",
        "x-else:no",
        "the type TestURL breaks the contract of plugins: it gave a URL that prints as 'x-else:no'",
    ),
    "x-part": (
        "word = None",
        "x-part:yes",
        "the type TestURL breaks the contract of plugins: it gave no word",
    ),
    "x-lacks": (
        "pass",
        "x-lacks:yes",
        "a part cannot be read: AttributeError: 'TestURL' object has no attribute 'word'",
    ),
}


@pytest.mark.plugin_fault(18)
@pytest.mark.parametrize("mode", ["", "1"], ids=["as usual", "development mode"])
def test_a_type_whose_urls_do_not_print_back(plugin, child, mode):
    for name, (body, _, _) in TYPES.items():
        plugin(name, TYPE.format(body))
    names = [*TYPES]
    said = child(
        HEAD
        + f"""
said = [use(name) for name in {names!r}]
for name in ("x-raises", "x-none"):
    for ask in (urlschemes_lint.check, urlschemes_lint.fix, urlschemes_lint.explain):
        try:
            ask(name + ":yes")
        except URLError:
            continue
        raise AssertionError(ask)
controls(*{names!r})
print(json.dumps(said))
""",
        plugin("x-good"),
        environ={"PYTHONDEVMODE": mode},
    )
    for (_, usual, developed), found in zip(TYPES.values(), said, strict=True):
        assert ((mode and developed) or usual) in found


GRAMMARS = {
    "x-nested": ("word = 1*[ 1*uchar ]", "PluginContractError"),
    "x-alike": ("word = *[ *alpha ] *[ *alpha ] *[ *alpha ] digit", "PluginContractError"),
    "x-either": ("word = 1*[ uchar | uchar ] 1*[ uchar | uchar ]", "PluginContractError"),
    "x-backs": ('word = 1*alpha [ "-" 1*alpha ] [ "-" 1*digit ] [ "." 1*alpha ]', [True, False, False]),
    "x-fine": ('word = 1*uchar *[ "/" 1*uchar ]', [True, True, False]),
}


@pytest.mark.plugin_fault(19)
def test_no_grammar_makes_parsing_slow(plugin, child):
    for name, (rule, _) in GRAMMARS.items():
        plugin(name, record=lambda text, rule=rule: text.replace("word    = 1*uchar", rule))
    said = child(
        HEAD
        + f"""
said = []
for name in {[*GRAMMARS]!r}:
    try:
        registry[name]
    except URLError as error:
        said.append(type(error).__name__)
        continue
    said.append([urlschemes.is_valid(name + ":" + "a" * 30_000 + end) for end in ("", "!", "\\x00")])
controls(*{[*GRAMMARS]!r})
print(json.dumps(said))
""",
        plugin("x-good"),
    )
    assert said == [outcome for _, outcome in GRAMMARS.values()]


@pytest.mark.plugin_fault(21)
def test_a_step_of_an_algorithm_that_outlasts_the_deadline_is_reported(plugin, child):
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
    said, logged = child(
        HEAD
        + """
import asyncio, logging
from urlschemes_access import AsyncClient
logged = []
class Handler(logging.Handler):
    def emit(self, record): logged.append(record.getMessage())
logging.getLogger("urlschemes").addHandler(Handler())
said = [access("x-sleeps:" + word, deadline=0.2) for word in ("nothing", "octets")]
async def read():
    async with await AsyncClient().access("x-sleeps:octets", deadline=0.2) as document:
        return await document.read()
try:
    asyncio.run(read())
except URLError as error:
    said.append(type(error).__name__ + ": " + str(error))
controls()
print(json.dumps([said, logged]))
""",
        plugin("x-good"),
    )
    assert said == ["DeadlineExceeded: the deadline passed while waiting for content"] * 3
    assert len(logged) == 3
    for message in logged:
        assert message.startswith("x-sleeps 1.0 took 0.")
        assert message.endswith(" s for one step of x-sleeps, and the deadline is 0.2 s")


@pytest.mark.plugin_fault(22)
def test_what_is_more_than_the_cap_is_cut(plugin, child):
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
    assert child(
        HEAD
        + """
from urlschemes import Limits, Policy
policy = Policy(limits=Limits(content=1_000_000, entries=1000))
said = [access("x-much:" + word, policy=policy) for word in ("octets", "list")]
controls()
print(json.dumps(said))
""",
        plugin("x-good"),
    ) == [
        "LimitExceeded: the content is longer than 1000000 octets; iterate over it, save it, or raise Limits.content",
        "LimitExceeded: the listing has more entries than 1000; Limits.entries can be raised",
    ]


@pytest.mark.plugin_fault(20, 23)
def test_where_a_plugin_leads_the_policy_holds(plugin, child):
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
    said = child(
        HEAD
        + """
said = [access("x-leads://h.dom:8080/" + word) for word in ("connect", "port", "scheme", "place", "line")]
controls()
print(json.dumps(said))
""",
        plugin("x-good"),
    )
    assert [each.partition(":")[0] for each in said] == [
        "PolicyDenied",
        "PolicyDenied",
        "RedirectRefused",
        "PolicyDenied",
        "RedirectRefused",
    ]


@pytest.mark.plugin_fault(24, 40)
def test_an_error_of_a_plugin_shows_neither_password_nor_escapes(plugin, child):
    plugin(
        "x-tells",
        LOGIN,
        with_host,
        access=IMPORTS
        + """
def access(url):
    yield from Open("document", Attributes())
    if url.word == "ours":
        raise ProtocolError("told " + url.password + " \\x1b[2J\\u202e", where=url.password)
    raise ValueError("told " + url.password + " \\x1b[2J\\u202e")
""",
    )
    said = child(
        HEAD
        + """
said = []
for word in ("ours", "theirs"):
    try:
        with urlschemes_access.access("x-tells://joe:s%65cret@h.dom:8080/" + word) as document:
            document.read()
    except URLError as error:
        said.append([str(error), repr(error), str(getattr(error, "where", "")), error.__cause__ is None])
controls()
print(json.dumps(said))
""",
        plugin("x-good"),
    )
    assert said[0][0] == r"told *** \x1b[2J\u202e"
    assert said[1][0] == r"the algorithm of scheme 'x-tells' failed: ValueError: told *** \x1b[2J\u202e"
    assert [each[3] for each in said] == [True, True]
    assert not any("secret" in text for each in said for text in each[:3])


@pytest.mark.plugin_fault(31)
def test_no_hook_is_first_and_none_sees_what_is_parsed(plugin, install, child):
    hook = (
        "from urlschemes.registry.hooks import hookimpl\nfrom urlschemes import Credentials\nasked = []\n"
        "@hookimpl(tryfirst={})\ndef urlschemes_veto(url, operation): asked.append(str(url))\n"
        "@hookimpl(tryfirst={})\ndef urlschemes_credentials(request): return Credentials({!r}, 'p')\n"
    )
    install(
        "zz-first",
        "[urlschemes]\nveto = zz_first\ncredentials = zz_first\n",
        {"zz_first.py": hook.format(True, True, "zz")},
    )
    site = install(
        "aa-last",
        "[urlschemes]\nveto = aa_last\ncredentials = aa_last\n",
        {"aa_last.py": hook.format(False, False, "aa")},
    )
    plugin("x-plain", access=f"{IMPORTS}\ndef access(url): return document(b'fine')\n")
    assert child(
        HEAD
        + """
controls()
urlschemes_lint.check("x-good:yes"), urlschemes_lint.fix("x-good:yes"), list(registry)
loaded = [name for name in ("zz_first", "aa_last") if name in sys.modules]
said = access("x-plain:yes")
import zz_first, aa_last
from urlschemes_access.protocol import Authenticate
user = registry.credentials_from_hooks(Authenticate("h.dom", 21)).user
print(json.dumps([loaded, said, zz_first.asked, aa_last.asked, user]))
""",
        site,
        plugin("x-good"),
    ) == [[], "fine", ["x-plain:yes"], ["x-plain:yes"], "aa"]


@pytest.mark.plugin_fault(39)
def test_a_type_that_lies_about_its_host_reaches_nobody(plugin, child):
    lies = {"host": "'127.0.0.1'", "port": "8081", "raise": "1 / 0"}
    for word, lie in lies.items():
        part = "host" if word == "raise" else word
        code = LOGIN.replace(
            "    @property\n", f"    @property\n    def {part}(self): return {lie}\n    @property\n", 1
        )
        plugin(
            f"x-{word}", code, with_host, access=f"{IMPORTS}\ndef access(url): yield from Connect(url.host, url.port)\n"
        )
    said = child(
        HEAD
        + f"""
import socket
def never(*_, **__): raise SystemExit("resolved")
socket.getaddrinfo = never
said = [access(f"x-{{name}}://h.dom:8080/") for name in {[*lies]!r}]
controls(*(f"x-{{name}}" for name in {[*lies]!r}))
print(json.dumps(said))
""",
        plugin("x-good"),
    )
    assert said == [
        "PluginContractError: the type TestURL says of another host than 'h.dom', which stands in the URL",
        "PluginContractError: the type TestURL says of another port than '8080', which stands in the URL",
        "PluginError: the type TestURL failed: its host cannot be read: ZeroDivisionError: division by zero",
    ]
