"""What the relay says: replies (RFC 5321 section 4.2), and the errors that they mean."""

from __future__ import annotations

from dataclasses import dataclass

from urlschemes.display import one_line
from urlschemes.errors import AuthRequired, ProtocolError, RemoteError
from urlschemes.octets import text_of

__all__ = ["Reply"]


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply: its code, and its lines without it."""

    code: int
    lines: tuple[bytes, ...]

    @property
    def kind(self) -> int:
        """The first digit: 2 done, 3 go on, 4 refused for now, 5 refused."""
        return self.code // 100

    @property
    def words(self) -> str:
        """The text, safe to print."""
        return one_line(text_of(b" ".join(self.lines).strip()))

    def __str__(self) -> str:
        return one_line(f"{self.code} {self.words}".rstrip(), 200)

    def without(self, *secrets: bytes) -> Reply:
        """The same reply where it quotes a secret hidden: servers repeat what they do not know."""
        lines = self.lines
        for secret in filter(None, secrets):
            lines = tuple(line.replace(secret, b"***") for line in lines)
        return Reply(self.code, lines)

    def refusal(self, step: str) -> RemoteError | AuthRequired:
        """The error that this reply means, having refused the `step`."""
        if self.code == 530:  # RFC 4954 section 6
            return AuthRequired(f"the relay wants a login before {step}: {self}", hint="pass credentials=")
        return RemoteError(
            f"the relay refused {step}: {self}",
            status=self.code,
            text=self.words,
            temporary=self.kind == 4,
            step=step,
        )

    def astray(self, step: str, wanted: str) -> ProtocolError:
        """The error of a reply that may not follow the `step`."""
        return ProtocolError(f"{wanted} was due in answer to {step}, but '{self}' came", where=step)
