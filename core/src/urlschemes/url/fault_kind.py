"""The class of InvalidURL for a text that is not a URL.

Of several faults, the first counts in the order size, repertoire, escape, structure. This must be fast: one match of
one pattern decides. The message, the place and the rule are computed by `urlschemes.url.fault_place` when they are
read.
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
    from urlschemes.grammar.syntax import FaultPattern, Syntax


__all__ = [
    "AUTHORITY",
    "LOGIN_RUN",
    "NOT_IN_ANY_URL",
    "STOP",
    "fault_of",
    "fault_pattern",
    "is_scheme_name",
    "refused",
    "unfit",
]

# Section 2.2: the characters of URLs beside escapes.
_XCHAR = re.escape(XCHAR)
_RIGHT = rf"[{_XCHAR}]*+(?:%[0-9A-Fa-f]{{2}}[{_XCHAR}]*+)*+"
# The beginning of a text up to its first illegal character, or up to a percent sign that begins no escape.
STOP = compiled(f"{_RIGHT}%?+")
NOT_IN_ANY_URL = compiled(f"[^{_XCHAR}%]")
# Section 3.1, for texts without illegal characters.
_LOGIN = "[^:@/]*+(?::[^:@/]*+)?+"
_GROUP = "[0-9]{1,4000}+"
_HOST = (
    r"(?:(?:[A-Za-z0-9][A-Za-z0-9\-]*+(?<!-)\.)*+[A-Za-z][A-Za-z0-9\-]*+(?<!-)"
    rf"|{_GROUP}\.{_GROUP}\.{_GROUP}\.{_GROUP})"
)
_ENDED = r"(?=/|\Z)"
LOGIN_RUN = compiled(_LOGIN)
# The places of user, host and port in a text, whatever characters they have.
AUTHORITY = compiled(r"[^:]*+:(?P<slashes>//)?+(?:(?P<user>[^/]*)@)?+(?P<host>[^/:]*+)(?P<colon>:[^/]*+)?+")

# The pattern that distinguishes the errors matches every text. `<Name>` stands for an empty group in it: the last group
# that took part in the match names the error. The structure is examined only if the repertoire is right.
_PATTERN = (
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
    """Return the error for a value that cannot be the part `part`."""
    kind = _ERRORS.get(part, errors.InvalidPart)
    return kind(text, Explanation(message, scheme=scheme, part=part, rule=rule, section=section, hint=hint))


def is_scheme_name(text: str) -> bool:
    """Return True if `text` derives from the rule `scheme` (section 2.1), in any letter case."""
    return SCHEME_NAME.fullmatch(text) is not None


def unfit(text: object, limit: int) -> InvalidURL | None:
    """Return the error for an object that is not str, or is longer than `limit`; None for others."""
    if not isinstance(text, str):
        kind = type(text).__name__
        hint = "decode it as US-ASCII first" if isinstance(text, bytes | bytearray) else "pass a str"
        return errors.InvalidURL(f"<{kind}>", Explanation(f"a URL must be str, not {kind}", hint=hint))
    if len(text) > limit:
        return errors.URLTooLong(
            text,
            Explanation(
                f"the URL has {len(text)} characters: expected at most {limit}",
                position=limit,
                hint="pass a larger `limit`",
            ),
        )
    return None


def refused(text: str, syntax: Syntax, explainer: Explainer) -> InvalidURL:
    """Return the error for a `text` that `syntax` does not match; `explainer` computes its attributes when needed."""
    match, kinds = syntax.fault_pattern or fault_pattern(syntax)
    return kinds[match(text).lastindex](text, explainer)  # type: ignore[union-attr, index]  # it matches every text


def fault_pattern(syntax: Syntax) -> FaultPattern:
    """Return the pattern that distinguishes the errors of `syntax`, and the class of each of its groups; made once."""
    kinds = [errors.InvalidURL]  # the first group has the number 1

    def group(mark: re.Match[str]) -> str:
        kinds.append(getattr(errors, mark[1]))
        return "()"

    pattern = compiled(re.sub("<([A-Z][A-Za-z]+)>", group, _PATTERN.replace("STRUCTURE", _structure(syntax))))
    syntax.fault_pattern = pattern.match, tuple(kinds)
    return syntax.fault_pattern


def _structure(syntax: Syntax) -> str:
    """Return the pattern for the structure of a text without illegal characters: InvalidHost unless a group matches."""
    parts = syntax.parts
    name = SCHEME_NAME.pattern
    if "host" not in parts:
        return f"(?:{name}:<InvalidPart>|<InvalidScheme>)"
    # Section 3.1: `//`, an optional login, a host, an optional port, and then a `/` or the end. If the rest of the
    # authority has an `@`, the text before it is an invalid login.
    login, stray = (f"(?:{_LOGIN}@)?+", "<InvalidUserinfo>") if "user" in parts else ("", "<UserinfoNotAllowed>")
    port = f":(?:{_GROUP}{_ENDED}<InvalidPart>|<InvalidPort>)" if "port" in parts else ":"
    no_host = "(?<=//)<InvalidPart>" if syntax.host_may_be_empty else "<EmptyHost>"
    authority = rf"{login}(?:{_HOST}(?:{_ENDED}<InvalidPart>|{port}|)|(?=[/:]|\Z){no_host}|)"
    return f"(?:{name}:(?://{authority}[^/@]*+(?:@{stray})?+|<MissingAuthority>)|<InvalidScheme>)"
