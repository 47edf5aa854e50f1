r"""The vocabulary of access algorithms: requests, and bounded readers built on them.

An access algorithm is a generator that reads like the dialogue of its protocol. It never holds a socket: it yields a
request, and the dialogue sends the answer.

    def access(url: FtpURL) -> Algorithm[None]:
        control = yield from Connect(url.host, url.port)
        replies = Reader(control)
        banner = yield from replies.line()
        yield from Send(control, b"QUIT\r\n")

Write `yield from`, never a bare `yield`: only then does a type checker know the type of the answer.

hosts.py        Host: the name or address that the host of a URL stands for
networks.py     networks that are not the public Internet, and addresses within addresses
ports.py        ports that are known for a protocol
requests.py     Algorithm, Peer, and the requests: Connect, Send, Receive, Open, Deliver, OpenFile ...
reader.py       Reader: lines and counted blocks from one connection
ranges.py       Range: a part of a document
replies.py      Control: commands answered by three-digit replies (FTP, NNTP, SMTP)
texts.py        Text: lines up to one with a single dot (NNTP, Gopher)
times.py        times as servers write them
upload.py       Upload: content sent to a server that may answer before it has all of it

This package does not know policies, deadlines or sockets.
"""

from urlschemes_access.protocol.reader import LINE, TEXT_LINE, Reader, sent_so_far, server_address, unexpected
from urlschemes_access.protocol.requests import (
    CHUNK,
    Algorithm,
    Ask,
    Authenticate,
    Authenticator,
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
    Release,
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
    "Authenticator",
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
    "Release",
    "Remove",
    "Request",
    "Send",
    "StartTLS",
    "Unterminated",
    "sent_so_far",
    "server_address",
    "unexpected",
]
