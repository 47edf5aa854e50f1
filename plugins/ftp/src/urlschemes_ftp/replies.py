"""What the server says: replies (RFC 959 section 4.2), and the errors that they mean."""

from __future__ import annotations

from dataclasses import dataclass

from urlschemes.display import one_line
from urlschemes.errors import ProtocolError, RemoteError
from urlschemes.octets import text_of
from urlschemes.wire import partly

__all__ = ["Reply"]


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply (RFC 959 section 4.2): its code, and its lines as they came."""

    code: int
    lines: tuple[bytes, ...]

    @property
    def kind(self) -> int:
        """The first digit: 1 preliminary, 2 done, 3 go on, 4 refused for now, 5 refused."""
        return self.code // 100

    @property
    def words(self) -> bytes:
        """The text, without the codes."""
        code = b"%03d" % self.code
        return b" ".join(line[4:] if line.startswith(code) else line for line in self.lines).strip()

    @property
    def answer(self) -> str:
        """The text of a reply 213, what SIZE and MDTM ask for; empty where the reply is another."""
        return text_of(self.words) if self.code == 213 else ""

    def __str__(self) -> str:
        return one_line(f"{self.code} {text_of(self.words)}".rstrip(), 200)

    def without(self, secret: bytes) -> Reply:
        """The same reply where it quotes `secret` hidden: servers repeat a command that they do not know."""
        return Reply(self.code, tuple(line.replace(secret, b"***") for line in self.lines)) if secret else self

    def refusal(self, what: str, *, hint: str | None = None, sent: int | None = None) -> RemoteError:
        """The error that this reply means, `what` having been refused; after so many octets had been `sent`."""
        return RemoteError(
            f"the server refused {what}: {self}" + ("" if sent is None else f"; {partly(sent)}"),
            status=self.code,
            text=one_line(text_of(self.words)),
            temporary=self.kind == 4,
            hint=hint,
            sent=sent,
        )

    def astray(self, what: str, wanted: str, *, sent: int | None = None) -> ProtocolError:
        """The error of a reply that may not follow `what`; `sent` as above."""
        after = "" if sent is None else f"; {partly(sent)}"
        return ProtocolError(f"{wanted} was due in answer to {what}, but '{self}' came{after}", where=what, sent=sent)
