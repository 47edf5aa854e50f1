"""Access to x-drawer URLs, whose part `thing` is the path of a local file."""

from urlschemes_access.protocol import Deliver, Open, OpenFile, Reader


def access(url):
    reader = Reader((yield from OpenFile(url.thing)))
    yield from Open("document")
    while octets := (yield from reader.some()):
        yield from Deliver(octets)
