r"""The vocabulary of access algorithms: what one may ask for, and bounded readers built on that.

An access algorithm is one generator that reads like the dialogue of its protocol. It never holds a socket: it asks, by
`yield from`, and a backend answers (`urlschemes_access.backends`; in a test, a replayed dialogue):

    def access(url: FtpURL) -> Algorithm[None]:
        control = yield from Connect(url.host, url.port)
        replies = Reader(control)
        banner = yield from replies.line()
        yield from Send(control, b"QUIT\r\n")

Always `yield from`, never a bare `yield`: only then does a type checker know what is returned. Protocols of commands and
three-digit replies have `Control` in `urlschemes_access.protocol.replies`.
"""

from urlschemes_access.protocol.reader import LINE, TEXT_LINE, Reader, partly, place_of, unexpected
from urlschemes_access.protocol.requests import (
    CHUNK,
    Algorithm,
    Ask,
    Authenticate,
    Close,
    Connect,
    ConnectBack,
    Deliver,
    Examine,
    Follow,
    Keep,
    ListFolder,
    Open,
    OpenFile,
    Peer,
    Pull,
    Ready,
    Receive,
    Remove,
    Request,
    Send,
    StartTLS,
    Unterminated,
)

__all__ = [
    "CHUNK",
    "LINE",
    "TEXT_LINE",
    "Algorithm",
    "Ask",
    "Authenticate",
    "Close",
    "Connect",
    "ConnectBack",
    "Deliver",
    "Examine",
    "Follow",
    "Keep",
    "ListFolder",
    "Open",
    "OpenFile",
    "Peer",
    "Pull",
    "Reader",
    "Ready",
    "Receive",
    "Remove",
    "Request",
    "Send",
    "StartTLS",
    "Unterminated",
    "partly",
    "place_of",
    "unexpected",
]
