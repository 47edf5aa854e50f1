"""What the relay says: replies (RFC 5321 section 4.2)."""

from __future__ import annotations

from urlschemes_access.errors import AuthRequired, RemoteError
from urlschemes_access.protocol import replies

__all__ = ["Reply"]


class Reply(replies.Reply):
    """One reply. With 530 the relay wants a login (RFC 4954 section 6)."""

    __slots__ = ()

    def refusal(self, what: str, *, hint: str | None = None, sent: int | None = None) -> RemoteError | AuthRequired:
        """The error that this reply means, having refused the step `what`."""
        if self.code == 530:
            return AuthRequired(
                f"the relay wants a login before {what}: {self}",
                hint="give credentials; without TLS they are sent only where allow_cleartext says so",
            )
        return super().refusal(what, hint=hint, sent=sent)
