"""The news scheme (RFC 1738 section 3.6): news groups and articles, wherever they are kept.

    news:<newsgroup-name>
    news:<message-id>

The syntax is in `registration.toml`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes import UNCHANGED, URL, Encoded, Registration, Scheme, Unchanged

if TYPE_CHECKING:
    from typing import Literal, Self

    from urlschemes.errors import InvalidPart

__all__ = ["NewsURL", "registration", "scheme"]

registration = Registration.of(__name__)


class NewsURL(URL, registration=registration):
    """A URL that designates all news groups, one group, or an article by its message identifier."""

    __slots__ = ()

    @property
    def form(self) -> Literal["groups", "group", "article"]:
        """What the URL names: all groups (`*`), a group, or an article."""
        group = self._text("group")
        if group is None:
            return "article"
        return "groups" if group == "*" else "group"

    @property
    def group(self) -> str | None:
        """The name of the group, as written; `"*"` is all groups. None where the URL names an article."""
        return self._text("group")

    @property
    def message_id(self) -> str | None:
        """The message identifier, decoded and without its angle brackets. None where the URL names a group."""
        return self._text("message_id")

    @classmethod
    def build(cls, *, group: str | None = None, message_id: str | Encoded | None = None) -> Self:
        """The URL of a group (`"*"`: of all), or of an article, encoded where it must be; `Encoded` is taken as it is.

        Exactly one of the two is given; the message identifier without its angle brackets. Raises InvalidURL where no
        URL can hold it.
        """
        _check(group, message_id)
        return cls._build(group=group, message_id=_written(message_id))

    def replace(
        self,
        *,
        group: str | Unchanged | None = UNCHANGED,
        message_id: str | Encoded | Unchanged | None = UNCHANGED,
    ) -> Self:
        """The URL with another group or message identifier. For one in place of the other, give None for the other."""
        _check(
            self.group if isinstance(group, Unchanged) else group,
            self.message_id if isinstance(message_id, Unchanged) else message_id,
        )
        return self._replace(group=group, message_id=_written(message_id))


def _check(group: object, message_id: object) -> None:
    """Raise InvalidPart unless there is exactly one of the two, the identifier without its angle brackets."""
    if (group is None) == (message_id is None):
        both = group is not None
        raise _wrong(
            "a news URL names a group or an article, and not both",
            "message_id" if both else "group",
            "give one of the two; in replace, None for the one that is to go" if both else "give one of the two",
        )
    if isinstance(message_id, str) and message_id.startswith("<") and message_id.endswith(">"):
        raise _wrong(
            "the angle brackets of a message identifier are no part of a news URL",
            "message_id",
            f"leave them out: {message_id[1:-1]!a}",
        )


def _wrong(message: str, part: str, hint: str) -> InvalidPart:
    from urlschemes.errors import Explanation, InvalidPart

    return InvalidPart(
        "", Explanation(message, scheme="news", part=part, rule="grouppart", section="RFC 1738 section 3.6", hint=hint)
    )


def _written(message_id: str | Unchanged | None) -> str | Unchanged | None:
    """`message_id` with all `@` encoded but the last, which alone divides it; or as it is, where there is one."""
    if not isinstance(message_id, str) or isinstance(message_id, Encoded) or message_id.count("@") < 2:
        return message_id
    syntax = registration.syntax
    syntax.automaton  # noqa: B018  which octets a part may hold is known once the automaton is built
    try:
        unique, at, domain = syntax.parts["message_id"].written(message_id).rpartition("@")
    except UnicodeEncodeError:  # `_build` says what is wrong with such a text
        return message_id
    return Encoded(unique.replace("@", "%40") + at + domain)


scheme = Scheme(registration, NewsURL, access="urlschemes_news.access")
