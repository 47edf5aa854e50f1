"""What kind of error a text is that no URL derives from: the path that must be quick.

The order is that of what stops a reader first: size, repertoire, escape, structure. Two or three patterns tell the
kind; the words, the place and the rule are worked out by `urlschemes.explanation` when somebody reads them.
"""

from __future__ import annotations

import re

from urlschemes import errors
from urlschemes.errors import BadEscape, Explanation, FragmentPresent, InvalidCharacter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from urlschemes.errors import Explains, InvalidURL
    from urlschemes.syntax import Syntax

__all__ = [
    "AUTHORITY",
    "LOGIN_RUN",
    "NOT_IN_ANY_URL",
    "STOP",
    "fault_of",
    "is_scheme_name",
    "refusal",
    "refused",
    "unfit",
]

# Section 2.2: what a URL consists of, and what it is that stops it: nothing (1), `#` (2), a percent sign (3), another
# (none).
STOP = re.compile(
    r"[A-Za-z0-9$\-_.+!*'(),;/?:@&=]*+(?:%[0-9A-Fa-f]{2}[A-Za-z0-9$\-_.+!*'(),;/?:@&=]*+)*+(?:(\Z)|(#)|(%))?+"
)
_stop = STOP.match
NOT_IN_ANY_URL = re.compile(r"[^A-Za-z0-9$\-_.+!*'(),;/?:@&=%]")
_SCHEME = re.compile(r"[A-Za-z0-9+.\-]++")
_HOST = r"(?:(?:[A-Za-z0-9][A-Za-z0-9\-]*+(?<!-)\.)*+[A-Za-z][A-Za-z0-9\-]*+(?<!-)|[0-9]++\.[0-9]++\.[0-9]++\.[0-9]++)"
_LOGIN = r"(?:[^:@/%]|%[0-9A-Fa-f]{2})*+(?::(?:[^:@/%]|%[0-9A-Fa-f]{2})*+)?+"
# Section 3.1, how far a text keeps to it: `//` (1), a host (2), a port or none (3).
_REACHED = rf"{_HOST}(?=[:/]|\Z)()(?:(?::[0-9]{{1,4000}}+)?+(?=/|\Z)())?+"
_INTERNET = re.compile(rf"[A-Za-z0-9+.\-]++:(?://()(?:{_REACHED})?+)?+")
_INTERNET_LOGIN = re.compile(rf"[A-Za-z0-9+.\-]++:(?://()(?:(?:{_LOGIN}@)?+{_REACHED})?+)?+")
# The same as generous as it can be: where user, host and port would be if their characters were right.
AUTHORITY = re.compile(r"[^:]*+:(?P<slashes>//)?+(?:(?P<user>[^/]*)@)?+(?P<host>[^/:]*+)(?P<colon>:[^/]*+)?+")
LOGIN_RUN = re.compile(_LOGIN)

_ERRORS = {
    "scheme": errors.InvalidScheme,
    "user": errors.InvalidUserinfo,
    "password": errors.InvalidUserinfo,
    "host": errors.InvalidHost,
    "port": errors.InvalidPort,
}


def fault_of(
    part: str, text: str, message: str, *, scheme: str | None = None, section: str | None = None
) -> InvalidURL:
    """The error for a value that cannot be the part `part`."""
    kind = _ERRORS.get(part, errors.InvalidPart)
    return kind(text, Explanation(message, scheme=scheme, part=part, section=section))


def is_scheme_name(text: str) -> bool:
    """Whether `text` derives from the rule `scheme` (section 2.1), whatever its letter case."""
    return _SCHEME.fullmatch(text) is not None


def refusal(text: object, syntax: Syntax, why: Explains, limit: int) -> InvalidURL:
    """The error for a `text` that `syntax` does not match. The order: size, repertoire, escape, structure.

    `why` is asked for the explanation when somebody reads the error.
    """
    return unfit(text, limit) or refused(str(text), syntax, why)


def unfit(text: object, limit: int) -> InvalidURL | None:
    """The error for what is no text, or a text longer than `limit`; None for a text that can be looked at."""
    if not isinstance(text, str):
        kind = type(text).__name__
        return errors.InvalidURL(
            f"<{kind}>", Explanation(f"a URL is text (str), not {kind}", hint="decode it first, as US-ASCII")
        )
    if len(text) > limit:
        return errors.URLTooLong(
            text,
            Explanation(
                f"{len(text)} characters are more than the bound of {limit}",
                position=limit,
                hint="pass a larger `limit` where such URLs are wanted",
            ),
        )
    return None


def refused(text: str, syntax: Syntax, why: Explains) -> InvalidURL:
    """As `refusal`, for a `text` of the right size: the path that must be quick."""
    stopped = _stop(text).lastindex  # type: ignore[union-attr]  # it matches the empty text too
    if stopped is None:
        return InvalidCharacter(text, why)
    if stopped == 1:
        return _misshapen(text, syntax)(text, why)
    if stopped == 2:
        return FragmentPresent(text, why)
    wrong = NOT_IN_ANY_URL.search(text)
    kind = BadEscape if wrong is None else FragmentPresent if wrong[0] == "#" else InvalidCharacter
    return kind(text, why)


def _misshapen(text: str, syntax: Syntax) -> type[InvalidURL]:
    """The kind of error of a text that holds only what URLs may hold."""
    parts = syntax.parts
    if "host" not in parts:
        return errors.InvalidPart if is_scheme_name(text.partition(":")[0]) and ":" in text else errors.InvalidScheme
    login = "@" in text
    reached = (_INTERNET_LOGIN if login and "user" in parts else _INTERNET).match(text)
    if reached is None:
        return errors.InvalidScheme
    how_far = reached.lastindex
    if how_far is None:
        return errors.MissingAuthority
    if how_far == 3:
        if "port" not in parts and text.find(":", text.find(":") + 1) in range(reached.end()):
            return errors.InvalidHost
        return errors.InvalidPart
    if login:
        user = AUTHORITY.match(text)["user"]  # type: ignore[index]  # it matches what `_INTERNET` matched
        if user is not None and "user" not in parts:
            return errors.UserinfoNotAllowed
        if user is not None and LOGIN_RUN.fullmatch(user) is None:
            return errors.InvalidUserinfo
    if how_far == 2:
        return errors.InvalidPort if "port" in parts else errors.InvalidHost
    if text[reached.end() : reached.end() + 1] not in {"", "/", ":"} or AUTHORITY.match(text)["host"]:  # type: ignore[index]
        return errors.InvalidHost
    return errors.InvalidPart if syntax.host_may_be_empty else errors.EmptyHost
