"""Operations on x-desk URLs, whose part `paper` is the path of a local file."""

from urlschemes_access.attributes import Attributes
from urlschemes_access.errors import RemoteError
from urlschemes_access.protocol import Keep, Open, OpenFile, Pull, Remove, Send


def write(url, to, say):
    sizes = []
    file = None
    while pieces := (yield from Pull()):
        sizes += map(len, pieces)
        file = file or (yield from OpenFile(url.paper, to=to))
        yield from Send(file, pieces)
    file = file or (yield from OpenFile(url.paper, to=to))
    facts = yield from Keep(file)
    fields = {"pieces": str(len(sizes)), "say": say}
    yield from Open("attributes", Attributes(size=facts.size, fields=fields))


def replace(url, *, say="thanks\x1b[2J"):
    yield from write(url, "replace", say)


def update(url):
    yield from write(url, "append", "")


def delete(url):
    yield from Remove(url.paper)
    yield from Open("attributes")


def access(url):
    raise RemoteError("this scheme has nothing to read")
    yield
