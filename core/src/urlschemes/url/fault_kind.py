"""What kind of error a text is that no URL derives from: the path that must be quick.

The order is that of what stops a reader first: size, repertoire, escape, structure. One match of one pattern tells the
kind; the words, the place and the rule are worked out by `urlschemes.url.fault_place` when somebody reads them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from urlschemes import errors
from urlschemes.errors import Explanation
from urlschemes.grammar.octets import SCHEME_NAME, XCHAR
from urlschemes.grammar.regex_compat import compiled

if TYPE_CHECKING:
    from urlschemes.errors import Explainer, InvalidURL
    from urlschemes.grammar.syntax import Syntax, Telling


__all__ = [
    "AUTHORITY",
    "LOGIN_RUN",
    "NOT_IN_ANY_URL",
    "STOP",
    "fault_of",
    "is_scheme_name",
    "refused",
    "telling",
    "unfit",
]

# Section 2.2: what a URL is written with beside escapes.
_XCHAR = re.escape(XCHAR)
_RIGHT = rf"[{_XCHAR}]*+(?:%[0-9A-Fa-f]{{2}}[{_XCHAR}]*+)*+"
# How far a text holds what a URL may hold, and the percent sign that begins no escape, where that ends it.
STOP = compiled(f"{_RIGHT}%?+")
NOT_IN_ANY_URL = compiled(f"[^{_XCHAR}%]")
# Section 3.1, for a text that holds only what URLs may hold.
_LOGIN = "[^:@/]*+(?::[^:@/]*+)?+"
_GROUP = "[0-9]{1,4000}+"
_HOST = (
    r"(?:(?:[A-Za-z0-9][A-Za-z0-9\-]*+(?<!-)\.)*+[A-Za-z][A-Za-z0-9\-]*+(?<!-)"
    rf"|{_GROUP}\.{_GROUP}\.{_GROUP}\.{_GROUP})"
)
_ENDED = r"(?=/|\Z)"
LOGIN_RUN = compiled(_LOGIN)
# Where user, host and port would be if their characters were right: as generous as it can be.
AUTHORITY = compiled(r"[^:]*+:(?P<slashes>//)?+(?:(?P<user>[^/]*)@)?+(?P<host>[^/:]*+)(?P<colon>:[^/]*+)?+")

# The pattern that tells the errors apart matches every text. In it `<Name>` stands for an empty group: the last group
# that is passed names the error. First comes the repertoire, and only for a text that has it the structure.
_TOLD = (
    rf"(?={_RIGHT}(?:\Z<InvalidHost>|#<FragmentPresent>"
    rf"|%[{_XCHAR}%]*+(?:\Z<BadEscape>|#<FragmentPresent>|<InvalidCharacter>)|<InvalidCharacter>))(?(1)STRUCTURE)"
)

_ERRORS = {
    "scheme": errors.InvalidScheme,
    "user": errors.InvalidUserinfo,
    "password": errors.InvalidUserinfo,
    "host": errors.InvalidHost,
    "port": errors.InvalidPort,
}


def fault_of(
    part: str,
    text: str,
    message: str,
    *,
    scheme: str | None = None,
    rule: str | None = None,
    section: str | None = None,
    hint: str | None = None,
) -> InvalidURL:
    """The error for a value that cannot be the part `part`."""
    kind = _ERRORS.get(part, errors.InvalidPart)
    return kind(text, Explanation(message, scheme=scheme, part=part, rule=rule, section=section, hint=hint))


def is_scheme_name(text: str) -> bool:
    """Whether `text` derives from the rule `scheme` (section 2.1), whatever its letter case."""
    return SCHEME_NAME.fullmatch(text) is not None


def unfit(text: object, limit: int) -> InvalidURL | None:
    """The error for what is no text, or a text longer than `limit`; None for a text that can be looked at."""
    if not isinstance(text, str):
        kind = type(text).__name__
        hint = "decode it first, as US-ASCII" if isinstance(text, bytes | bytearray) else "pass a text"
        return errors.InvalidURL(f"<{kind}>", Explanation(f"a URL is text (str), not {kind}", hint=hint))
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


def refused(text: str, syntax: Syntax, why: Explainer) -> InvalidURL:
    """The error for a `text` that `syntax` does not match. The order: repertoire, escape, structure.

    `why` is asked for the explanation when somebody reads the error.
    """
    match, kinds = syntax.telling or telling(syntax)
    return kinds[match(text).lastindex](text, why)  # type: ignore[union-attr, index]  # it matches every text


def telling(syntax: Syntax) -> Telling:
    """What tells the errors of `syntax` apart: a pattern, and the errors that its groups stand for; made once."""
    kinds = [errors.InvalidURL]  # groups are counted from one

    def group(mark: re.Match[str]) -> str:
        kinds.append(getattr(errors, mark[1]))
        return "()"

    pattern = compiled(re.sub("<([A-Z][A-Za-z]+)>", group, _TOLD.replace("STRUCTURE", _structure(syntax))))
    syntax.telling = pattern.match, tuple(kinds)
    return syntax.telling


def _structure(syntax: Syntax) -> str:
    """What is wrong in the structure of a text that holds only what URLs may hold: the host, where no group says so."""
    parts = syntax.parts
    name = SCHEME_NAME.pattern
    if "host" not in parts:
        return f"(?:{name}:<InvalidPart>|<InvalidScheme>)"
    # Section 3.1: `//`, perhaps a login, a host, perhaps a port, and then a `/` or the end. In what is left of the
    # authority there may be an `@`: then what stands before it should be a login, and is none.
    login, stray = (f"(?:{_LOGIN}@)?+", "<InvalidUserinfo>") if "user" in parts else ("", "<UserinfoNotAllowed>")
    port = f":(?:{_GROUP}{_ENDED}<InvalidPart>|<InvalidPort>)" if "port" in parts else ":"
    no_host = "(?<=//)<InvalidPart>" if syntax.host_may_be_empty else "<EmptyHost>"
    authority = rf"{login}(?:{_HOST}(?:{_ENDED}<InvalidPart>|{port}|)|(?=[/:]|\Z){no_host}|)"
    return f"(?:{name}:(?://{authority}[^/@]*+(?:@{stray})?+|<MissingAuthority>)|<InvalidScheme>)"
