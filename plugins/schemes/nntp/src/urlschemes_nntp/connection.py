"""The connection to a news server: commands, replies, and what precedes the first command: greeting, TLS, login."""

from __future__ import annotations

from typing import NamedTuple

from urlschemes.errors import Hint, Remedy, UnsupportedOperation
from urlschemes.grammar.octets import octets_of
from urlschemes.redaction import one_line
from urlschemes_access.credentials import Credentials
from urlschemes_access.errors import AuthRequired, ConnectError, LimitExceeded, TLSError
from urlschemes_access.protocol import Algorithm, Authenticate, Close, Connect, Peer, Reader, Release, replies
from urlschemes_access.protocol.texts import Text

__all__ = ["MAX_ARGUMENT", "Connection", "Reply", "open_connection"]

MAX_ARGUMENT = 497
"""Octets in the arguments of a command (RFC 3977 section 3.1)."""
MAX_CAPABILITIES = 1000
"""Lines in the reply to CAPABILITIES."""

_GREETINGS = (200, 201)
"""Codes of a server that is ready; with 201 it accepts no articles (RFC 3977 section 5.1)."""
_UNKNOWN_COMMAND = (500, 501, 503)
_LOGIN_REFUSED = (381, 480, 481, 482, 502)
_MEANINGS = {
    411: "the server has no such group",
    420: "the group has no such article",
    423: "the group has no article with that number",
    430: "the server has no such article",
    440: "the server does not accept articles from this client",
    441: "the server did not accept the article",
}
_PERMANENT = frozenset((401, 411, 412, 420, 421, 422, 423, 430, 435, 437, 440, 441, 480, 481, 482, 483))
"""Codes from 400 to 499 that repeating the command does not change."""
_TLS_HINT = Hint(Remedy("encrypts the connection", "options.starttls", "required"))
_CLEARTEXT = Remedy("sends the login unencrypted", "options.allow_cleartext", value=True)


class Reply(replies.Reply):
    """A reply of a news server (RFC 3977 section 3.2). Code 4xx: the command was correct, but was not performed."""

    __slots__ = ()

    @property
    def temporary(self) -> bool:
        """Return True if trying again later may help."""
        return super().temporary and self.code not in _PERMANENT

    @property
    def meaning(self) -> str | None:
        """The meaning that RFC 3977 gives the code; None for a plain refusal."""
        return _MEANINGS.get(self.code)


class _State(NamedTuple):
    """The state of a connection that is kept open: its login, and the capabilities of the server."""

    logged_in: bool
    capabilities: frozenset[bytes] | None


class Connection(replies.Control):
    """A connection to the news server `host`.

    If the server requires a login (480), the connection logs in once: over TLS, or if `allow_cleartext` is true. If the
    connection was kept open by an earlier operation and the server has closed it, another one takes its place.
    """

    __slots__ = (
        "_allow_cleartext",
        "_block",
        "_capabilities",
        "_host",
        "_logged_in",
        "_password",
        "_port",
        "_starttls",
        "_user",
    )

    def __init__(
        self,
        peer: Peer,
        host: str,
        port: int,
        *,
        user: str | None,
        password: str | None,
        starttls: str,
        allow_cleartext: bool,
    ) -> None:
        super().__init__(peer, code_on="only line", reply_type=Reply)
        self._host = host
        self._port = port
        self._user = user
        self._password = password
        self._starttls = starttls
        self._allow_cleartext = allow_cleartext
        self._logged_in = False
        self._capabilities: frozenset[bytes] | None = None
        self._block = Text(self.reader.some, strict=True)

    def block(self) -> Text:
        """Return the block that follows the last reply. It must be read to its end before the next command."""
        self._block = Text(self.reader.some, strict=True)
        return self._block

    @property
    def pending(self) -> bytes:
        """Octets that the server sent without being asked, those after the last block included."""
        return self._block.excess + super().pending

    def command(self, line: bytes, *, what: str = "", secret: bytes | None = None) -> Algorithm[replies.Reply]:
        """Send a command and return its reply. If the server requires a login first, log in and repeat the command."""
        try:
            reply = yield from super().command(line, what=what, secret=secret)
        except ConnectError:  # before the first octet: the server has not carried out anything
            if self.peer.kept is None:
                raise
            yield from self._replace()
            reply = yield from super().command(line, what=what, secret=secret)
        if reply.code == 480:
            yield from self._log_in(reply)
            reply = yield from super().command(line, what=what, secret=secret)
            if reply.code == 480:
                raise _second_login(reply)
        if reply.code == 483:
            raise _tls_required(reply)
        return reply

    def capabilities(self) -> Algorithm[frozenset[bytes]]:
        """Return the capability labels (RFC 3977 section 5.2); none if the server does not know CAPABILITIES."""
        if self._capabilities is None:
            reply = yield from self.command(b"CAPABILITIES")
            if reply.kind == 5:
                self._capabilities = frozenset()
            else:
                reply.checked("CAPABILITIES", 101)
                self._capabilities = yield from self._read_labels()
        return self._capabilities

    def _read_labels(self) -> Algorithm[frozenset[bytes]]:
        block, labels, lines = self.block(), set(), 0
        while (line := (yield from block.line())) is not None:
            lines += 1
            if lines > MAX_CAPABILITIES:
                raise LimitExceeded(
                    f"the server listed more than {MAX_CAPABILITIES} capabilities",
                    limit="reply",
                    value=MAX_CAPABILITIES,
                )
            labels.update(line.upper().split()[:1])
        return frozenset(labels)

    def begin(self) -> Algorithm[None]:
        """Read the greeting, start TLS if wanted, and switch a server with two modes to its reader mode.

        A connection that was kept open has done so.
        """
        if isinstance(self.peer.kept, _State):
            self._logged_in, self._capabilities = self.peer.kept
            return
        yield from self.banner(*_GREETINGS)
        if self._starttls == "required":
            yield from self._start_tls()
        elif self._starttls == "if offered":
            yield from self._start_tls_if_offered()
        yield from self._enter_reader_mode()
        if self._starttls == "if offered":  # the reader may be another program, with other capabilities
            yield from self._start_tls_if_offered()

    def end(self) -> Algorithm[None]:
        """End the use of the connection: keep it for a later operation if that may be, else send QUIT."""
        if self.peer.keepable and not self.pending:
            yield from Release(self.peer, _State(self._logged_in, self._capabilities))
        else:
            yield from self.quit()

    def _replace(self) -> Algorithm[None]:
        """Close the connection, and begin again on a new one."""
        yield from Close(self.peer)
        self._logged_in, self._capabilities = False, None
        self.peer = yield from Connect(self._host, self._port)
        self.reader = Reader(self.peer)
        yield from self.begin()

    def _enter_reader_mode(self) -> Algorithm[None]:
        """Send MODE READER if the server has that capability, or is too old to list any (RFC 3977 section 5.3)."""
        capabilities = yield from self.capabilities()
        if capabilities and b"MODE-READER" not in capabilities:
            return
        reply = yield from self.command(b"MODE READER")
        if capabilities or reply.code not in _UNKNOWN_COMMAND:
            reply.checked("MODE READER", *_GREETINGS)
        if capabilities:
            self._capabilities = None

    def _start_tls_if_offered(self) -> Algorithm[None]:
        if not self.peer.secure and b"STARTTLS" in (yield from self.capabilities()):
            yield from self._start_tls()

    def _start_tls(self) -> Algorithm[None]:
        """Start TLS and forget the capabilities that were sent before it (RFC 4642 section 2.2)."""
        reply = yield from super().command(b"STARTTLS")
        if reply.code != 382:
            raise TLSError(f"the server did not start TLS: it answered STARTTLS with '{reply}'")
        yield from self.protect(self._host)
        self._capabilities = None

    def _log_in(self, demand: replies.Reply) -> Algorithm[None]:
        """Send AUTHINFO USER and PASS once (RFC 4643 section 2.3); `demand` is the reply that requires a login."""
        if self._logged_in:
            raise _second_login(demand)
        if not (self.peer.secure or self._allow_cleartext):
            raise AuthRequired(
                f"the server requires a login, and the connection is not encrypted: {demand}",
                hint=Hint(_TLS_HINT, _CLEARTEXT),
            )
        login = yield from self._login(demand)
        reply = yield from super().command(b"AUTHINFO USER " + octets_of(login.user))
        if reply.code == 381:
            reply = yield from super().command(b"AUTHINFO PASS ", secret=octets_of(login.password))
        if reply.code in _LOGIN_REFUSED:
            raise AuthRequired(f"the server refused the login: {reply}")
        if reply.code == 483:
            raise _tls_required(reply)
        reply.checked("the login", 281)
        self._logged_in = True
        self._capabilities = None

    def _login(self, demand: replies.Reply) -> Algorithm[Credentials]:
        """Return the login of the URL; if it lacks the password or has none, that of the caller."""
        if self._user is not None and self._password is not None:
            return Credentials(self._user, self._password)
        secure = self.peer.secure
        login = yield from Authenticate(self._host, self._port, user=self._user, realm=demand.text, protected=secure)
        if login is None or self._user not in (None, login.user):
            whose = "" if self._user is None else f" for the user '{one_line(self._user, 60)}'"
            hint = Hint(f"no credentials{whose} were given", Remedy("logs in", "credentials"))
            raise AuthRequired(f"the server requires a login: {demand}", hint=hint)
        return login


def _second_login(reply: replies.Reply) -> AuthRequired:
    return AuthRequired(f"the server requires a login again after it accepted one: {reply}")


def _tls_required(reply: replies.Reply) -> AuthRequired:
    return AuthRequired(f"the server requires an encrypted connection: {reply}", hint=_TLS_HINT)


def open_connection(
    host: str,
    port: int,
    *,
    user: str | None = None,
    password: str | None = None,
    starttls: str,
    allow_cleartext: bool,
) -> Algorithm[Connection]:
    """Return a connection that is ready for commands. Raise UnsupportedOperation if `starttls` is invalid.

    `user` and `password` are those of the URL, if it has them.
    """
    if starttls not in ("never", "if offered", "required"):
        raise UnsupportedOperation(
            f"invalid starttls '{one_line(str(starttls), 40)}': expected 'never', 'if offered' or 'required'",
            part="starttls",
        )
    reuse = f"starttls {starttls}, allow_cleartext {allow_cleartext}, login {user!r} {password!r}"
    peer = yield from Connect(host, port, reuse=reuse)
    connection = Connection(
        peer, host, port, user=user, password=password, starttls=starttls, allow_cleartext=allow_cleartext
    )
    yield from connection.begin()
    return connection
