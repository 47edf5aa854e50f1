"""The exceptions of the core, by whose fault they are.

    URLError
    ├── InvalidURL                  a text is not a URL of its scheme; `code` says why (also a ValueError)
    ├── UnknownScheme               no scheme of this name is registered (also a LookupError)
    ├── UnsafeURL                   the octets of a URL must not be sent (section 6)
    ├── UnsupportedOperation        the scheme does not offer the operation (section 2)
    ├── NotHierarchical             the scheme is not hierarchical, as `join` needs (section 2.3)
    ├── ConfigurationError          a configuration is invalid (also a ValueError)
    ├── RegistrationError           a registration record is invalid (also a ValueError)
    │   └── GrammarError            its BNF is invalid
    └── PluginError                 a plugin failed
        ├── PluginLoadError         it cannot be imported
        ├── PluginRecordError       its record is invalid (also a RegistrationError)
        ├── PluginConflict          two distributions claim one name
        └── PluginContractError     it breaks the plugin contract

The text of an error is one line of printable ASCII with at most 300 characters and no password. Errors can be pickled
and copied.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from copyreg import __newobj__  # type: ignore[attr-defined]
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

from urlschemes.redaction import in_line, one_line, redact_url

__all__ = [
    "INVALID_URL_CODES",
    "ConfigurationError",
    "GrammarError",
    "Hint",
    "InvalidURL",
    "NotHierarchical",
    "PluginConflict",
    "PluginContractError",
    "PluginError",
    "PluginLoadError",
    "PluginRecordError",
    "RegistrationError",
    "Remedy",
    "URLError",
    "UnknownScheme",
    "UnsafeURL",
    "UnsupportedOperation",
    "invalid_url",
    "members",
    "require_type",
]

INVALID_URL_CODES: Mapping[str, str] = MappingProxyType(
    {
        "invalid-url": "there is no text: the argument is not a str, or no URL has these parts",
        "url-too-long": "the text is longer than the limit, by default 64 KiB, and was not examined",
        "invalid-character": "a character that no URL may hold: not graphic US-ASCII, or unsafe (section 2.2)",
        "fragment-present": "a `#`, which separates a URL from a fragment identifier (section 2.2)",
        "bad-escape": "a `%` without two hexadecimal digits after it (section 2.2)",
        "invalid-scheme": "no scheme name before the first colon, or a scheme other than expected (section 2.1)",
        "missing-authority": "no `//` after the colon, as the Common Internet Scheme Syntax has it (section 3.1)",
        "invalid-userinfo": "the user name or the password is invalid (section 3.1)",
        "userinfo-not-allowed": "there is a user name or a password, and the scheme has none",
        "invalid-host": "the host does not derive from its rule (section 3.1)",
        "empty-host": "the host is empty (section 3.1)",
        "invalid-port": "the port does not derive from its rule (section 3.1)",
        "invalid-part": "another part is invalid, or the URL continues after its last part; see `part` and `rule`",
    }
)
"""The codes of InvalidURL, and what each of them means."""


_MOST, _LEAST_OF_HINT = 300, 140
"""Characters that the text of an error may have, and those of a hint that are kept in any case."""
_NAME = r"[^\s/\\\"'`,;:()]+"
# What a text that is too long loses first: the beginnings of paths, but for two names, then examples.
_SHORTER = (
    (re.compile(rf"(?<![\w/\\:.~])(?:[A-Za-z]:)?[/\\](?:{_NAME}[/\\])+(?={_NAME}[/\\]{_NAME})"), ".../"),
    (re.compile(r",? (?:such as|as in|for example) (?:`[^`]*`|'[^']*'|\"[^\"]*\"|[^\s,;:]+)"), ""),
)


class Remedy(NamedTuple):
    """A setting, and what it does with a value: "reads it". `str()` words it for Python, the command in its own way.

    The setting is an argument (`cert`), that of a class (`Limits.idle`), one of the `options` (`options.octets`), a
    variable (`URLSCHEMES_DISABLE`), or a function (`parse_generic()`). None leaves the value to the reader.
    """

    what: str
    setting: str
    value: object = None

    def __str__(self) -> str:
        owner, _, name = self.setting.rpartition(".")
        quoted = json.dumps(self.value) if isinstance(self.value, str) else repr(self.value).replace("'", '"')
        value = "..." if self.value is None else self.value if name.isupper() else quoted
        form = 'options={{"{1}": {2}}}' if owner == "options" else "{0}({1}={2})" if owner else "{1}={2}"
        form = f"`{name[:-2]}`" if name.endswith("()") else form
        return f"{form.format(owner, name, value)} {self.what}"


class Hint(str):
    """A hint with remedies: for Python as a str, for others in its `parts`."""

    __slots__ = ("parts",)
    parts: tuple[str | Remedy, ...]

    def __new__(cls, *parts: str | Remedy | None) -> Self:
        """Make a hint of texts, remedies and other hints."""
        given = [each for part in parts if part for each in (part.parts if isinstance(part, Hint) else (part,))]
        found = {str(each): each for each in given}
        hint = super().__new__(cls, "; ".join(found).replace("?; ", "? "))
        hint.parts = (*found.values(),)
        return hint


class URLError(Exception):
    """The base of all errors of urlschemes.

    `code` identifies the class for programs, and does not change. `scheme`, `part`, `position`, `rule` and `section`
    are None if they do not apply. `position` counts characters from 0. `hint` says what to do, as a `Hint` if it names
    a setting. `origin` is the distribution, with its version, whose algorithm raised the error; None for errors of the
    core. Messages may quote text of servers: they have one line, no control characters and no passwords of URLs.
    """

    code: ClassVar[str] = "url-error"
    origin: str | None = None

    def __init__(
        self,
        message: str = "",
        *,
        scheme: str | None = None,
        part: str | None = None,
        position: int | None = None,
        rule: str | None = None,
        section: str | None = None,
        hint: str | None = None,
    ) -> None:
        message = in_line(message)
        super().__init__(message)
        self.message = message
        self.scheme = scheme
        self.part = part
        self.position = position
        self.rule = rule
        self.section = section
        self.hint = hint

    def __str__(self) -> str:
        message, hint = one_line(self.message or self.code, 4 * _MOST), one_line(self.hint or "", 4 * _MOST)
        for pattern, shorter in _SHORTER:
            if len(message) + len(hint) > _MOST - 2:
                message, hint = pattern.sub(shorter, message), pattern.sub(shorter, hint)
        most = max(_LEAST_OF_HINT, _MOST - len(message))
        while len(hint) > most - 2 and "; " in hint:
            hint = hint.rpartition("; ")[0]
        tail = one_line(f"; {hint}", most) if hint else ""
        most = _MOST - len(tail)
        if len(message) > most:  # it begins with the place, and ends with the cause
            message = f"{message[: most // 3]} ... {message[most // 3 + 5 - most :]}"
        return message + tail

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return __newobj__, (type(self), *self.args), dict(self.__dict__)


_CODES_OF_PARTS = {
    "scheme": "invalid-scheme",
    "user": "invalid-userinfo",
    "password": "invalid-userinfo",
    "host": "invalid-host",
    "port": "invalid-port",
    None: "invalid-url",
}


class _Computed:
    """An attribute of an error that its explainer computes when it is first read."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, error: InvalidURL | UnknownScheme | None, _: object) -> Any:
        if error is None:
            return self
        explanation = error._explanation
        if explanation is None:
            text, explainer = error.given[:2]
            explanation = error._explanation = explainer.explanation(str(text))
        value = getattr(explanation, self.name)
        if self.name != "hint" or error.given[2:]:
            return value
        return Hint(value, getattr(explanation, "remedy", None)) or None


def _state(error: InvalidURL | UnknownScheme) -> dict[str, Any]:
    """Return the attributes for a pickle, which has the computed ones, not what computes them."""
    state = {**vars(error), **{name: getattr(error, name) for name in error.COMPUTED}}
    return {name: value for name, value in state.items() if name not in {"_explanation", "given"}}


class InvalidURL(URLError, ValueError):
    """The text is not a URL of its scheme (RFC 1738 section 5).

    `code` is one of INVALID_URL_CODES. `text` is the text as given; no other attribute shows a password in it, and a
    pickle or a copy of the error has it redacted. There, too, `position` and `span` count in the text that was parsed,
    which the copy no longer has. `position` is where the longest prefix ends that some URL begins with: at the
    character, escape or literal that cannot come next, or at the end if more was expected. `span` is the text that is
    blamed, `expected` lists what could come at `position`, `definition` is the rule in the notation of section 5. All
    attributes but `text` are computed when they are first read.
    """

    COMPUTED = (
        "code", "message", "scheme", "part", "position", "span", "rule", "section", "hint", "expected", "definition",
    )  # fmt: skip
    """The attributes that are computed when they are first read."""
    span: tuple[int, int] | None
    expected: tuple[str, ...]
    definition: str | None

    if TYPE_CHECKING:

        def __init__(self, text: str, explainer: Any) -> None: ...

    # Making the error must be as cheap as raising it: the arguments are only stored, under a name that nobody prints.
    # A third one is the type that the URL must have: another profile would not give one.
    __init__ = Exception.__init__  # type: ignore[assignment]
    given = BaseException.args
    _explanation: Any = None

    @property
    def args(self) -> tuple[Any, ...]:  # type: ignore[override]
        """The message, as of other errors."""
        return (self.message,)

    @property
    def text(self) -> str:
        """The text that is not a URL."""
        return str(self.given[0])

    def __reduce__(self) -> tuple[Any, ...]:
        return __newobj__, (type(self), redact_url(self.text), None), _state(self)


def invalid_url(
    text: str,
    message: str,
    *,
    code: str | None = None,
    part: str | None = None,
    span: tuple[int, int] | None = None,
    **details: str | None,
) -> InvalidURL:
    """Return the error for `text` whose message is known: its `scheme`, `rule`, `section` and `hint` are `details`.

    The code is by default that of the part.
    """
    error = InvalidURL(text, None)
    known = {"code": code or _CODES_OF_PARTS.get(part, "invalid-part"), "message": message, "part": part, "span": span}
    position = None if span is None else span[0]
    error.__dict__.update(
        {**dict.fromkeys(InvalidURL.COMPUTED), **known, "position": position, "expected": (), **details}
    )
    return error


class UnknownScheme(URLError, LookupError):
    """No scheme of this name is registered.

    The `explainer`, if there is one, gives message and hint when one of them is first read: they may come from
    registers that take long to read.
    """

    code = "unknown-scheme"
    COMPUTED = "message", "hint"
    _explanation: Any = None

    def __init__(self, message: str = "", *, explainer: Any = None, **details: Any) -> None:
        super().__init__(message, **details)
        if explainer is not None:
            self.given = self.scheme, explainer
            del self.message, self.hint

    def __reduce__(self) -> tuple[Any, ...]:
        return __newobj__, (type(self), self.message), _state(self)


for _kind in (InvalidURL, UnknownScheme):
    for _name in _kind.COMPUTED:
        setattr(_kind, _name, _Computed(_name))
del _kind


class UnsafeURL(URLError):
    """The URL is valid, but its octets could make a server do something else (section 6).

    It is raised before any name is resolved.
    """

    code = "unsafe-url"


class UnsupportedOperation(URLError):
    """The scheme, or URLs of this form, do not offer the operation (section 2)."""

    code = "unsupported-operation"


class NotHierarchical(URLError):
    """The scheme is not hierarchical, so that relative references mean nothing (section 2.3, RFC 1808)."""

    code = "not-hierarchical"


class ConfigurationError(URLError, ValueError):
    """A configuration is invalid. `source` is the file or the variable, `key` the setting at fault."""

    code = "configuration-error"

    def __init__(self, message: str, *, source: str = "", key: str = "", **details: Any) -> None:
        super().__init__(message, **details)
        self.source = source
        self.key = key


class RegistrationError(URLError, ValueError):
    """A registration record is invalid. `source` is its file, `field` the field at fault.

    `line` is the line at fault, counted from 1, if a mistake in the BNF has one.
    """

    code = "registration-error"

    def __init__(
        self, message: str, *, source: str = "", field: str = "", line: int | None = None, **details: Any
    ) -> None:
        super().__init__(message, **details)
        self.source = source
        self.field = field
        self.line = line


class GrammarError(RegistrationError):
    """The BNF of a record is invalid. `rule` is the rule at fault. Without a record, `line` counts within the BNF."""

    code = "grammar-error"


class PluginError(URLError):
    """A plugin failed. `distribution` is its name and version."""

    code = "plugin-error"

    def __init__(self, message: str, *, distribution: str = "", **details: Any) -> None:
        super().__init__(message, **details)
        self.distribution = distribution


class PluginLoadError(PluginError):
    """The package of a plugin cannot be imported."""

    code = "plugin-load-error"


class PluginRecordError(PluginError, RegistrationError):
    """The record of an installed plugin is invalid."""

    code = "plugin-record-error"


class PluginConflict(PluginError):
    """Two distributions claim one name. Neither is used until the user chooses one."""

    code = "plugin-conflict"

    def __init__(self, message: str, *, claimants: tuple[str, ...] = (), **details: Any) -> None:
        super().__init__(message, **details)
        self.claimants = claimants


class PluginContractError(PluginError):
    """A plugin breaks the plugin contract. `wants` says what was expected of it, `has` what it did instead."""

    code = "plugin-contract-error"

    def __init__(self, message: str, *, wants: str = "", has: str = "", **details: Any) -> None:
        super().__init__(message, **details)
        self.wants = wants
        self.has = has


def require_type(name: str, value: object, *kinds: type) -> None:
    """Raise TypeError unless `value`, the argument `name`, has one of the types."""
    if not isinstance(value, kinds):
        wanted = " or ".join(f"{'an' if kind.__name__[0] in 'AEIOaeio' else 'a'} {kind.__name__}" for kind in kinds)
        raise TypeError(f"{name} must be {wanted.replace('a NoneType', 'None')}, not {type(value).__name__}")


def members(name: str, values: object, kind: type) -> tuple[Any, ...]:
    """Return the members of the collection `values`, the argument `name`.

    Raises TypeError for what is not a collection, for a single text, and for a member of another type.
    """
    found = tuple(values) if isinstance(values, Iterable) and not isinstance(values, str | bytes | bytearray) else None
    if found is None or not all(isinstance(each, kind) for each in found):
        raise TypeError(f"{name} must be a collection of {kind.__name__}, not {one_line(repr(values), 80)}")
    return found
