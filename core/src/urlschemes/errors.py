"""What can go wrong, split by whose fault it is.

    URLError
    ├── InvalidURL                  the text is no URL of its scheme (also a ValueError)
    │   ├── URLTooLong              longer than the bound, nothing else was looked at
    │   ├── InvalidCharacter        a character that no URL may hold (section 2.2)
    │   │   └── FragmentPresent     `#` and what follows is no part of a URL
    │   ├── BadEscape               `%` without two hexadecimal digits
    │   ├── InvalidScheme           no scheme name before the first colon (section 2.1)
    │   ├── MissingAuthority        the `//` of the Common Internet Scheme Syntax is missing (section 3.1)
    │   ├── InvalidUserinfo         user or password
    │   │   └── UserinfoNotAllowed  this scheme has none
    │   ├── InvalidHost             neither a domain name nor four groups of digits
    │   │   └── EmptyHost
    │   ├── InvalidPort
    │   └── InvalidPart             a part that this one scheme defines
    ├── UnknownScheme               nobody registered the name (also a LookupError)
    ├── UnsafeURL                   a URL, but its octets must not be sent (section 6)
    ├── UnsupportedOperation        the scheme does not offer this operation (section 2)
    ├── NotHierarchical             `join` needs a hierarchical scheme (section 2.3)
    ├── ConfigurationError          a configuration is wrong (also a ValueError)
    ├── RegistrationError           a registration record is wrong (also a ValueError)
    │   └── GrammarError            its BNF is
    └── PluginError                 a plugin is at fault
        ├── PluginLoadError         it cannot be imported
        ├── PluginConflict          two distributions claim one name
        └── PluginContractError     it offers something else than it promised

Every error prints as one line of printable ASCII, at most 300 characters, without a password; it can be pickled and
copied.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from urlschemes.redaction import in_line, one_line

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, ClassVar, Protocol

    class Explainer(Protocol):
        """Whoever can say why a text was refused."""

        def explanation(self, text: str, /) -> Explanation:
            """Why `text` was refused."""


__all__ = [
    "BadEscape",
    "ConfigurationError",
    "EmptyHost",
    "Explanation",
    "FragmentPresent",
    "GrammarError",
    "InvalidCharacter",
    "InvalidHost",
    "InvalidPart",
    "InvalidPort",
    "InvalidScheme",
    "InvalidURL",
    "InvalidUserinfo",
    "MissingAuthority",
    "NotHierarchical",
    "PluginConflict",
    "PluginContractError",
    "PluginError",
    "PluginLoadError",
    "RegistrationError",
    "URLError",
    "URLTooLong",
    "UnknownScheme",
    "UnsafeURL",
    "UnsupportedOperation",
    "UserinfoNotAllowed",
]


def _rebuild(cls: type[URLError], args: tuple[Any, ...], state: dict[str, Any]) -> URLError:
    error = cls.__new__(cls, *args)
    error.args = args
    error.__dict__.update(state)
    return error


class URLError(Exception):
    """The root of every error that this project raises.

    `code` is stable and meant for programs; `scheme`, `part`, `position`, `rule` and `section` are None where they do
    not apply. `position` counts characters from 0. `hint` says what to do next. `origin` is the distribution whose
    algorithm raised it, with its version; None where the core did, which then vouches for every field. A message may
    quote what somebody else said: it is made one line, with nothing in it that a terminal obeys, and without the
    passwords of URLs.
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
        message = self.message or self.code
        # The hint is what helps most: it is kept whole where the message has to be shortened.
        tail = one_line(f"; {self.hint}", 140) if self.hint else ""
        return one_line(message, 300 - len(tail)) + tail

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.args, dict(self.__dict__))


class Explanation:
    """What an InvalidURL says; it has the attributes of that name."""

    __slots__ = ("definition", "expected", "hint", "message", "part", "position", "rule", "scheme", "section")

    def __init__(
        self,
        message: str,
        *,
        scheme: str | None = None,
        part: str | None = None,
        position: int | None = None,
        expected: tuple[str, ...] = (),
        rule: str | None = None,
        definition: str | None = None,
        section: str | None = None,
        hint: str | None = None,
    ) -> None:
        self.message = message
        self.scheme = scheme
        self.part = part
        self.position = position
        self.expected = expected
        self.rule = rule
        self.definition = definition
        self.section = section
        self.hint = hint

    def explanation(self, _: str) -> Explanation:
        """The explanation itself: it is known already."""
        return self


class InvalidURL(URLError, ValueError):
    """The text derives from no production of its scheme (RFC 1738 section 5).

    `text` is the text as given; `expected` lists what could have stood at `position`, `definition` is the rule as it is
    written. These, and the message, are worked out when they are first read: refusing costs no more than matching.
    """

    code = "invalid-url"
    _LAZY = frozenset({"message", "scheme", "part", "position", "rule", "section", "hint", "expected", "definition"})
    expected: tuple[str, ...]
    definition: str | None

    if TYPE_CHECKING:

        def __init__(self, text: str, why: Explainer) -> None: ...

    # Making the error must cost as little as raising it: the arguments are kept, and nothing is done with them yet.
    __init__ = Exception.__init__  # type: ignore[assignment]

    @property
    def text(self) -> str:
        """The text that was refused."""
        return str(self.args[0])

    def __getattr__(self, name: str) -> Any:
        if name not in self._LAZY:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        found = self.args[1].explanation(self.text)
        self.__dict__.update({field: getattr(found, field) for field in self._LAZY})
        return self.__dict__[name]

    def __reduce__(self) -> tuple[Any, ...]:
        self.message  # noqa: B018  what is sent elsewhere must carry its explanation along
        return _rebuild, (type(self), (self.text, None), dict(self.__dict__))


class URLTooLong(InvalidURL):
    """The text is longer than the bound (64 KiB unless the caller sets another)."""

    code = "url-too-long"


class InvalidCharacter(InvalidURL):
    """A character that no URL may hold: not a graphic US-ASCII character, or one of the unsafe ones (section 2.2)."""

    code = "invalid-character"


class FragmentPresent(InvalidCharacter):
    """`#` delimits a URL from a fragment identifier, which is no part of the URL (section 2.2)."""

    code = "fragment-present"


class BadEscape(InvalidURL):
    """`%` must be followed by two hexadecimal digits (section 2.2)."""

    code = "bad-escape"


class InvalidScheme(InvalidURL):
    """There is no scheme name: letters, digits, `+`, `.` and `-` before the first colon (section 2.1)."""

    code = "invalid-scheme"


class MissingAuthority(InvalidURL):
    """The scheme-specific part must begin with `//` (section 3.1)."""

    code = "missing-authority"


class InvalidUserinfo(InvalidURL):
    """`:`, `@` or `/` stands unencoded within a user name or password (section 3.1)."""

    code = "invalid-userinfo"


class UserinfoNotAllowed(InvalidUserinfo):
    """The text has a user name or password, and its scheme allows none."""

    code = "userinfo-not-allowed"


class InvalidHost(InvalidURL):
    """The host is neither a domain name nor four groups of digits (section 3.1)."""

    code = "invalid-host"


class EmptyHost(InvalidHost):
    """Nothing stands where the host should."""

    code = "empty-host"


class InvalidPort(InvalidURL):
    """What follows the host's colon is no decimal number (section 3.1)."""

    code = "invalid-port"


class InvalidPart(InvalidURL):
    """A part that its scheme defines does not derive from its rule; `part` and `rule` name both."""

    code = "invalid-part"


class UnknownScheme(URLError, LookupError):
    """No scheme of this name is registered.

    What is known of the name may be in registers that take a while to read: if `describe` is given, it returns the
    message and the hint when one of them is first read.
    """

    code = "unknown-scheme"
    _message: str
    _hint: str | None

    def __init__(
        self, message: str = "", *, describe: Callable[[], tuple[str, str | None]] | None = None, **details: Any
    ) -> None:
        super().__init__(message, **details)
        self._describe = describe

    def _complete(self) -> None:
        if self._describe is not None:
            message, self._hint = self._describe()
            self._message = in_line(message)
            self.args, self._describe = (self._message,), None

    @property
    def message(self) -> str:
        """What is wrong."""
        self._complete()
        return self._message

    @message.setter
    def message(self, message: str) -> None:
        self._describe, self._message = None, message

    @property
    def hint(self) -> str | None:
        """What to do next."""
        self._complete()
        return self._hint

    @hint.setter
    def hint(self, hint: str | None) -> None:
        self._hint = hint

    def __reduce__(self) -> tuple[Any, ...]:
        self._complete()  # what is sent elsewhere must carry its message along
        return super().__reduce__()


class UnsafeURL(URLError):
    """The grammar allows the URL, and sending its octets would let it say something else (section 6).

    Raised before any name is resolved.
    """

    code = "unsafe-url"


class UnsupportedOperation(URLError):
    """The scheme, or the form of the URL, does not offer the operation (section 2)."""

    code = "unsupported-operation"


class NotHierarchical(URLError):
    """Relative references need a hierarchical scheme (section 2.3, RFC 1808)."""

    code = "not-hierarchical"


class ConfigurationError(URLError, ValueError):
    """A configuration cannot be used. `source` is the file or the variable at fault, `key` what is wrong in it."""

    code = "configuration-error"

    def __init__(self, message: str, *, source: str = "", key: str = "", **details: Any) -> None:
        super().__init__(message, **details)
        self.source = source
        self.key = key


class RegistrationError(URLError, ValueError):
    """A registration record lacks something or contradicts itself. `source` is its file, `field` what is wrong."""

    code = "registration-error"

    def __init__(self, message: str, *, source: str = "", field: str = "", **details: Any) -> None:
        super().__init__(message, **details)
        self.source = source
        self.field = field


class GrammarError(RegistrationError):
    """The BNF of a record cannot be used: `rule` is at fault, `line` counts from 1 within the BNF text."""

    code = "grammar-error"

    def __init__(self, message: str, *, line: int | None = None, **details: Any) -> None:
        super().__init__(message, **details)
        self.line = line


class PluginError(URLError):
    """A plugin is at fault. `distribution` names it with its version."""

    code = "plugin-error"

    def __init__(self, message: str, *, distribution: str = "", **details: Any) -> None:
        super().__init__(message, **details)
        self.distribution = distribution


class PluginLoadError(PluginError):
    """The plugin's package cannot be imported."""

    code = "plugin-load-error"


class PluginConflict(PluginError):
    """Two distributions claim one scheme; neither is used until one is chosen."""

    code = "plugin-conflict"

    def __init__(self, message: str, *, claimants: tuple[str, ...] = (), **details: Any) -> None:
        super().__init__(message, **details)
        self.claimants = claimants


class PluginContractError(PluginError):
    """The plugin gave something else than the contract asks: `wants` and `has` say what."""

    code = "plugin-contract-error"

    def __init__(self, message: str, *, wants: str = "", has: str = "", **details: Any) -> None:
        super().__init__(message, **details)
        self.wants = wants
        self.has = has
