"""AnyResource: the base of all documents, listings and sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from urlschemes.errors import UnsupportedOperation
from urlschemes.redaction import one_line
from urlschemes_access.errors import AccessError

if TYPE_CHECKING:
    from urlschemes.url.value import URL
    from urlschemes_access.attributes import Attributes, Entry, Gateway
    from urlschemes_access.dialogue import Dialogue


def no_document(resource: AnyResource) -> UnsupportedOperation:
    """Return the error for a listing or a session where only a document can be used."""
    kind = type(resource).__name__.removeprefix("Async").lower()
    return UnsupportedOperation(
        f"{one_line(str(resource.url), 160)} is not a document: only documents can be downloaded",
        scheme=resource.url.scheme,
        hint=f"access it as a {kind}",
    )


class AnyResource:
    """A resource, whether reading it blocks or is awaited."""

    _KIND: ClassVar[str]

    def __init__(self, dialogue: Dialogue) -> None:
        self._dialogue = dialogue
        self._failure: BaseException | None = None
        self._closed = False

    @property
    def url(self) -> URL:
        """The URL of this resource, after redirects."""
        return self._dialogue.url

    @property
    def attributes(self) -> Attributes:
        """The attributes that the server announced before the content."""
        return self._dialogue.attributes

    @property
    def gateway(self) -> Gateway | None:
        """The gateway that the resource was reached through; None if it was reached directly."""
        return self.attributes.gateway

    @property
    def closed(self) -> bool:
        """True if the caller has closed the resource."""
        return self._closed

    def _check(self) -> None:
        """Raise the earlier failure, so that a part never looks complete; AccessError if the resource is closed."""
        if self._failure is not None:
            self._dialogue.close()  # still open if it failed for being used twice at once
            raise self._failure
        if self._closed:
            raise AccessError(f"this {self._KIND} is closed", scheme=self.url.scheme)

    async def _pull(self) -> bytes | Entry | None:
        """Return the next piece or entry, None at the end. After a failure, only that failure is raised."""
        self._check()
        try:
            return await self._dialogue.pull()
        except (Exception, KeyboardInterrupt, SystemExit) as failure:
            self._failure = failure
            raise
        except BaseException:  # the task was cancelled
            self._failure = AccessError(f"reading this {self._KIND} was cancelled", scheme=self.url.scheme)
            raise

    def _close_now(self) -> None:
        """Close everything now, without ending the dialogue."""
        self._closed = True
        self._dialogue.close()

    def __del__(self) -> None:
        # A resource that is dropped unread must not leave a connection open.
        if not getattr(self, "_closed", True):
            self._dialogue.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {one_line(str(self.url), 200)}>"
