"""Access to x-shelf URLs: the part `thing` says what the server does."""

from datetime import UTC, datetime

from urlschemes_access.attributes import Attributes, Entry
from urlschemes_access.credentials import Form, Question
from urlschemes_access.errors import AuthRequired, Truncated
from urlschemes_access.protocol import Ask, Authenticate, Connect, Deliver, Open, Reader, Send, Unterminated
from urlschemes_access.resources import Session

HOSTILE = "caf\u00e9 \x1b[31mred \u202ebidi\r\nnext\tcolumn\x9b5m\n"
MONDAY = datetime(1994, 12, 5, 8, 30, tzinfo=UTC)
TEXT = Attributes(media_type="text/plain", name="../../etc/passwd")


def access(url, *, shout=False, times=1):
    match url.thing:
        case "options":
            yield from document(f"{shout!r} {times!r}".encode())
        case "menu":
            yield from menu()
        case "times":
            yield from timed_menu()
        case "cutmenu":
            yield from Open("listing")
            yield from Deliver(Entry(name="vase"))
            raise Truncated("it ended too early")
        case "session":
            yield from Open("session", session=Session)
        case "login":
            yield from login(url)
        case "form":
            yield from form()
        case "wire":
            yield from wire(url)
        case _:
            yield from special_document(url.thing)


def document(*pieces, attributes=TEXT):
    yield from Open("document", attributes)
    for piece in pieces:
        yield from Deliver(piece)


def special_document(thing):
    match thing:
        case "hostile":
            yield from document(*(bytes([octet]) for octet in HOSTILE.encode()), b"\xff")
        case "latin":
            yield from document(b"caf\xe9", attributes=Attributes(media_type="text/plain; charset=iso-8859-1"))
        case "utf-16":
            octets = "gr\u00fcn".encode("utf-16-be")
            yield from document(octets, attributes=Attributes(media_type="text/plain; charset=utf-16"))
        case "utf-16-marked":
            octets = "gr\u00fcn".encode("utf-16")
            yield from document(octets, attributes=Attributes(media_type="text/plain; charset=utf-16"))
        case "binary":
            yield from document(b"\x00\x1b[2J" * 100, attributes=Attributes(media_type="image/x-thing"))
        case "cut":
            yield from document(b"the beg")
            raise Truncated("it ended too early", received=7, expected=10)
        case "undotted":
            yield from document(b"all\n")
            yield from Unterminated()
        case "endless":
            yield from document()
            while True:
                yield from Deliver(b"more\n" * 1000)
        case _:
            yield from document(b"a vase\n")


def menu():
    yield from Open("listing")
    yield from Deliver(Entry(name="vase", url="x-shelf://host.dom/vase", kind="vase", size=12345, modified=MONDAY))
    yield from Deliver(Entry(name="e\x1b[2Jvil\n\tname", kind="thing", problem="it has no \x1b]0;name"))


def timed_menu():
    yield from Open("listing")
    for precision in ("day", "minute", "second"):
        yield from Deliver(Entry(name=precision, modified=MONDAY, precision=precision))


def login(url):
    known = yield from Authenticate(url.host, url.port, user=url.user, realm="the \x1b[31mvault")
    if known is None:
        raise AuthRequired("it wants a login")
    yield from document(f"{known.user} has {len(known.password)} letters\n".encode())


def form():
    questions = (
        Question("ask", "Name?", "nobody"),
        Question("ask", "Password:", hidden=True),
        Question("ask", "", "Ann"),
        Question("ask", "Word?", hidden=True),
        Question("choose", "Colour?", "red", ("red", "blue")),
        Question("choose", "Shade?", "", ("Light", "Dark")),
        Question("choose", "Sure?", "1", ("0", "1")),
        Question("ask", "Remarks?", multiline=True),
    )
    answers = yield from Ask(Form("A form\nwith a note", questions))
    yield from document(repr(answers).encode())


def wire(url):
    peer = yield from Connect(url.host, url.port)
    yield from Send(peer, b"PASS opensesame\r\n", secret=b"opensesame")
    reader = Reader(peer)
    yield from Open("document", TEXT)
    while octets := (yield from reader.some()):
        yield from Deliver(octets)


def find_attributes(url):
    fields = {"Colour": "blue\x1b[0m", "\x1b[2JSize\n": "s"}
    yield from Open("attributes", Attributes(media_type="text/plain", size=1234, modified=MONDAY, fields=fields))
