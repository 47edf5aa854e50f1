"""The connection to a server: one command at a time and its reply, and what has to be settled before the first."""

from __future__ import annotations

from urlschemes.errors import UnsupportedOperation
from urlschemes.grammar.octets import octets_of
from urlschemes_access.errors import AuthRequired, LimitExceeded, TLSError
from urlschemes_access.protocol import Algorithm, Authenticate, Connect, Peer, replies
from urlschemes_nntp.block import Block
from urlschemes_nntp.replies import Reply

__all__ = ["MOST_ARGUMENT", "Connection", "connected"]

MOST_ARGUMENT = 497
"""Octets in the arguments of a command (RFC 3977 section 3.1)."""
MOST_CAPABILITIES = 1000
"""Lines in the answer to CAPABILITIES."""

_GREETINGS = (200, 201)
"""The server is ready; after 201 it takes no articles."""
_UNKNOWN = (500, 501, 503)
"""What a server answers that does not know the command, or not this form of it."""
_PROTECT = 'starttls="required" protects the connection first'


class Connection(replies.Control):
    """One session with the server `host`; `capabilities` tells what it can do, as far as it says so.

    A server that wants a login (480) gets one, once: over TLS, or where `allow_cleartext` is true.
    """

    __slots__ = ("_allow_cleartext", "_block", "_capabilities", "_host", "_logged_in", "_port")

    def __init__(self, peer: Peer, host: str, port: int, *, allow_cleartext: bool) -> None:
        super().__init__(peer, code_on="only line", reply_type=Reply)
        self._host = host
        self._port = port
        self._allow_cleartext = allow_cleartext
        self._logged_in = False
        self._capabilities: frozenset[bytes] | None = None
        self._block = Block(self.reader)

    def block(self) -> Block:
        """The lines that follow the reply which was just read. They are read to their end before the next command."""
        self._block = Block(self.reader)
        return self._block

    @property
    def unasked(self) -> bytes:
        """What was received, and nobody has asked for it: behind the last block, too."""
        return self._block.rest + super().unasked

    def command(self, line: bytes, *, what: str = "", secret: bytes | None = None) -> Algorithm[replies.Reply]:
        """Send a command and read its reply; where the server wants a login first, log in and send it once more."""
        reply = yield from super().command(line, what=what, secret=secret)
        if reply.code == 480:
            yield from self._log_in(reply)
            reply = yield from super().command(line, what=what, secret=secret)
            if reply.code == 480:
                raise AuthRequired(f"the server asks for a login again: {reply}")
        if reply.code == 483:
            raise AuthRequired(f"the server wants the connection protected: {reply}", hint=_PROTECT)
        return reply

    def capabilities(self) -> Algorithm[frozenset[bytes]]:
        """The capabilities by their labels (RFC 3977 section 5.2); none where the server does not know the command."""
        if self._capabilities is None:
            reply = yield from self.command(b"CAPABILITIES")
            if reply.kind == 5:
                self._capabilities = frozenset()
            else:
                reply.checked("CAPABILITIES", 101)
                self._capabilities = yield from self._labels()
        return self._capabilities

    def _labels(self) -> Algorithm[frozenset[bytes]]:
        block, labels, lines = self.block(), set(), 0
        while (line := (yield from block.line())) is not None:
            lines += 1
            if lines > MOST_CAPABILITIES:
                raise LimitExceeded(
                    f"the server names more than {MOST_CAPABILITIES} capabilities",
                    limit="reply",
                    value=MOST_CAPABILITIES,
                )
            labels.update(line.upper().split()[:1])
        return frozenset(labels)

    def begin(self, *, starttls: str) -> Algorithm[None]:
        """Take the greeting; protect the connection as `starttls` says; become a reader of a server that has modes."""
        yield from self.banner(*_GREETINGS)
        if starttls == "required":
            yield from self._start_tls()
        elif starttls == "if offered":
            yield from self._start_tls_if_offered()
        capabilities = yield from self.capabilities()
        if not capabilities or b"MODE-READER" in capabilities:
            reply = yield from self.command(b"MODE READER")
            if capabilities or reply.code not in _UNKNOWN:
                reply.checked("MODE READER", *_GREETINGS)
            self._capabilities = None if capabilities else capabilities
            if starttls == "if offered":  # what serves readers may be another program
                yield from self._start_tls_if_offered()

    def _start_tls_if_offered(self) -> Algorithm[None]:
        if not self.peer.secure and b"STARTTLS" in (yield from self.capabilities()):
            yield from self._start_tls()

    def _start_tls(self) -> Algorithm[None]:
        """RFC 4642 section 2.2. What the server said before does not count any more; that it serves readers does."""
        reply = yield from super().command(b"STARTTLS")
        if reply.code != 382:
            raise TLSError(f"the server does not protect the connection: STARTTLS was answered '{reply}'")
        yield from self.protect(self._host)
        self._capabilities = None

    def _log_in(self, wanted: replies.Reply) -> Algorithm[None]:
        """AUTHINFO USER and PASS (RFC 4643 section 2.3), each once."""
        if self._logged_in:
            raise AuthRequired(f"the server asks for a login again: {wanted}")
        if not (self.peer.secure or self._allow_cleartext):
            raise AuthRequired(
                f"the server wants a login, which anybody on the way could read: {wanted}",
                hint=f"{_PROTECT}; allow_cleartext sends the login as it is",
            )
        known = yield from Authenticate(self._host, self._port, realm=wanted.text, protected=self.peer.secure)
        if known is None:
            raise AuthRequired(f"the server wants a login: {wanted}", hint="no credentials were given")
        reply = yield from super().command(b"AUTHINFO USER " + octets_of(known.user))
        if reply.code == 381:
            reply = yield from super().command(b"AUTHINFO PASS ", secret=octets_of(known.password))
        if reply.code in (381, 480, 481, 482, 502):
            raise AuthRequired(f"the server refused the login: {reply}")
        if reply.code == 483:
            raise AuthRequired(f"the server wants the connection protected: {reply}", hint=_PROTECT)
        reply.checked("the login", 281)
        self._logged_in = True
        self._capabilities = None


def connected(host: str, port: int, *, starttls: str, allow_cleartext: bool) -> Algorithm[Connection]:
    """A connection that is ready for the first command of a reader. Raises UnsupportedOperation before it connects."""
    if starttls not in ("never", "if offered", "required"):
        raise UnsupportedOperation("starttls is 'never', 'if offered' or 'required'", part="starttls")
    peer = yield from Connect(host, port)
    connection = Connection(peer, host, port, allow_cleartext=allow_cleartext)
    yield from connection.begin(starttls=starttls)
    return connection
