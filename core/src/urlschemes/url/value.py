"""URLs as immutable values: the generic URL, and the bases of the types that schemes define.

A URL holds the match of its text by its syntax. Its parts are decoded when they are read, unless they are sent as
written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import total_ordering
from types import NoneType
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeGuard, dataclass_transform

from urlschemes.errors import InvalidURL, PluginContractError, UnsafeURL, URLError, invalid_url, require_type
from urlschemes.grammar.octets import octets_of
from urlschemes.grammar.part import Encoded, Pair, Part, Raw, Value
from urlschemes.grammar.syntax import Syntax
from urlschemes.record.registration import Registration
from urlschemes.redaction import HIDDEN, redact
from urlschemes.rfc1738 import RFC1738
from urlschemes.storage.named_objects import named
from urlschemes.url.algorithms import algorithms_of
from urlschemes.url.building import build, change
from urlschemes.url.fields import (
    URLBase,
    add_property,
    decimal_part,
    declared_fields,
    list_part,
    number_part,
    pairs_part,
    signature,
    text_part,
    type_failed,
)
from urlschemes.url.hierarchy import below, parent_of
from urlschemes.url.original_text import OriginalText
from urlschemes.url.pattern_reader import LIMIT, new

if TYPE_CHECKING:
    import inspect

    from urlschemes.url.fault_place import Fault

__all__ = ["LIMIT", "URL", "InternetURL", "LoginURL", "new", "type_failed", "unfit"]


class URLType(type):
    """The type of URL types. URLs have no `__dict__`, so that they are immutable."""

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **more: Any) -> URLType:
        """Make a URL type without a `__dict__` for its instances."""
        namespace.setdefault("__slots__", ())
        return super().__new__(cls, name, bases, namespace, **more)

    @property
    def __signature__(cls) -> inspect.Signature:
        """The signature of the constructor: a keyword for each part."""
        return signature(cls)  # type: ignore[arg-type]  # only URL and its subclasses have this type


@total_ordering
@dataclass_transform(
    kw_only_default=True,
    frozen_default=True,
    field_specifiers=(text_part, number_part, decimal_part, list_part, pairs_part),
)
class URL(URLBase, metaclass=URLType):
    """A URL: `<scheme>:<scheme-specific-part>`.

    `parse` makes a URL from its text, the constructor from its parts: `FtpURL(host="host.dom", name="motd")`. The
    constructor encodes each part as needed; an `Encoded` part is taken as it is, and a part that is sent as written
    keeps its escapes. It raises TypeError for a part that is missing or unknown, InvalidURL if no URL has these parts.

    Each scheme has a subclass with its parts as attributes; URLs of unregistered schemes have this class itself, or the
    one that another profile has for them. URLs of one profile are equal if their texts are, with the name of the scheme
    in lower case; hash and order agree.
    """

    syntax: ClassVar[Syntax] = Syntax(
        "",
        "genericurl",
        [Part("scheme", ["scheme"]), Part("schemepart", ["schemepart"], travels="as-written")],
        profile=RFC1738,
    )
    """The syntax of the URLs of this type."""

    def __init_subclass__(cls, *, registration: Registration | None = None, **more: Any) -> None:
        super().__init_subclass__(**more)
        if registration is not None:
            cls.registration = registration
            cls._scheme = registration.scheme
            cls.scheme = registration.scheme  # type: ignore[assignment, method-assign]  # a constant is read faster
            cls.default_port = registration.default_port
            cls.syntax = registration.syntax
        before, cls._fields = cls._fields, declared_fields(cls, URL)
        for name, field in cls._fields.items():
            if registration is not None or before.get(name) is not field:
                add_property(cls, name, field)

    def __new__(cls, /, *texts: object, **parts: Any) -> Self:
        """Return the URL of `parts`. Raises TypeError, InvalidURL."""
        if texts:
            raise TypeError(f"{cls.__name__}() takes its parts as keywords; use {cls.__name__}.parse(text) for a text")
        return build(cls, parts, LIMIT)

    @classmethod
    def parse(cls, text: str, *, limit: int = LIMIT) -> Self:
        """Return the URL that `text` is. Raises InvalidURL."""
        try:
            text = str.__str__(text)  # the characters that a subclass of str holds, whatever its own __str__ says
            match = cls.syntax.fullmatch(text) if len(text) <= limit else None
        except TypeError:
            match = None
        if match is None:
            raise unfit(text, limit) or InvalidURL(text, cls)
        url = new(cls)
        url._match = match
        return url

    @property
    def scheme(self) -> str:
        """The name of the scheme, in lower case (RFC 1738 section 2.1)."""
        return self._text.partition(":")[0].lower()

    @property
    def schemepart(self) -> str:
        """The text after the name of the scheme and its colon."""
        return self._text.partition(":")[2]

    @property
    def raw(self) -> Mapping[str, Raw | None]:
        """The parts as they are written, by name. An absent part is None; so is an absent list that differs from ()."""
        return {name: self.syntax.raw(self._match, name) for name in self.syntax.parts}

    @property
    def parts(self) -> Mapping[str, Any]:
        """The values of the parts by name, as the constructor takes them: those of the attributes.

        A part that is read as written is `Encoded`, so that it may begin with the delimiter before it. Raises
        PluginError if reading a part fails.
        """
        try:
            values = {name: getattr(self, name) for name in self.syntax.parts}
        except (URLError, MemoryError):
            raise
        except Exception as error:  # a plugin may define attributes of its own
            raise type_failed(type(self), error, "a part cannot be read") from error
        for name in self.syntax.as_written:
            if isinstance(value := values[name], str) and (value or self.span(name)):
                values[name] = Encoded(value)
        return values

    def span(self, name: str) -> tuple[int, int] | None:
        """Return where the part `name` stands in the text, None if it is absent. Raises ValueError for another name."""
        return self.syntax.place(self._match, self._part(name).name)

    def redacted(self) -> str:
        """Return the text with `***` in place of a password, also that of a URL within it, to be shown."""
        text = str(self._text)
        host = self.span("host") if "host" in self.syntax.parts else None
        end = host[1] if host else len(text)  # after the host, a colon and an `@` are of another URL, or data
        if "password" in self.syntax.parts and (place := self.span("password")):  # there may be no `//` before it
            start, after = place
            text = text[:start] + HIDDEN + text[after:]
            end += len(HIDDEN) - (after - start) if start < end else 0
        return redact(text[:end]) + redact(text[end:])

    def line(self, name: str) -> bytes:
        """Return the octets of the part `name` for a protocol line; empty if it is absent.

        Raises UnsafeURL if one of them is a control octet, PluginContractError for a list part, ValueError for a name
        that no part has.
        """
        part = self._part(name)
        self._check_line(part)
        value = self._value(part)
        if isinstance(value, tuple):
            problem = f"the part {name} is a list, which has no single line"
            hint = "call url.check_line(), and send each element with urlschemes.grammar.octets.octets_of"
            raise PluginContractError(problem, wants="a part that is one text", has="a list part", hint=hint)
        return b"" if value is None else octets_of(str(value))

    def _part(self, name: str) -> Part:
        parts = self.syntax.parts
        if name not in parts:
            raise ValueError(f"{type(self).__name__} has no part {name!r}; its parts are {', '.join(parts)}")
        return parts[name]

    def check_line(self, *, include_checked: bool = False) -> None:
        """Raise UnsafeURL if a part that travels on a protocol line holds a control octet (RFC 1738 section 6).

        A part that travels `checked` is left to the algorithm of its scheme, unless `include_checked`.
        """
        for part in self.syntax.parts.values():
            if include_checked or part.travels != "checked":
                self._check_line(part)

    def _check_line(self, part: Part) -> None:
        if part.travels in {"binary", "as-written"}:
            return
        for text in _texts(self._value(part)):
            control = next((octet for octet in octets_of(text) if octet < 0x20 or octet == 0x7F), None)
            if control is not None:
                span = self.syntax.span(self._match, part.name)
                position, section = span[0] if span else None, self.syntax.profile.section("security")
                problem = f"the {part.name} holds the control octet {control:02X}, which must not reach a protocol line"
                raise UnsafeURL(problem, scheme=self.scheme, part=part.name, position=position, section=section)

    def _value(self, part: Part) -> Value | None:
        """Return the decoded part, whatever attribute the type has for it."""
        whole = self.syntax.whole(self._match, part.name)
        decode = str if part.number == "decimal" else part.decode  # a Decimal may be written with an exponent
        return part.absent if whole is None else decode(whole)

    def normalized(self, level: str | None = None) -> Self:
        """Return the URL with everything that does not change its meaning by its profile written in one way.

        `level` is one of the profile's levels of normalization, by default the last; RFC 1738 has one only. Raises
        TypeError, ValueError for another.
        """
        profile = self.syntax.profile
        require_type("level", level, str, NoneType)
        if level is not None and level not in profile.levels:
            known = ", ".join(profile.levels) or "one level"
            raise ValueError(f"unknown level {level!r}: {profile.document} has {known}")
        text = algorithms_of(profile).normalized(self, level)
        return self._as_long(text)

    def equivalent(self, other: object) -> bool:
        """Return True if both URLs mean the same by their profile: if they are equal, as they are or normalized."""
        return isinstance(other, URL) and (self == other or self.normalized() == other.normalized())

    def join(self, reference: str | URL, *, limit: int = LIMIT) -> URL:
        """Return the URL that `reference` means relative to this URL; by RFC 1738, without its fragment.

        User name and password are never carried to another host. A reference with another scheme gives a generic URL;
        `urlschemes.parse(str(url))` gives the type of its scheme. Raises NotHierarchical if the scheme has no
        hierarchy, InvalidURL for a reference that is not str or longer than the limit, and if the result is not a URL:
        the text of the error, in which its positions count, is then `url.resolve(reference)`, which
        `urlschemes_lint.fix` may repair.
        """
        text, profile = self.resolve(reference, limit=limit), self.syntax.profile
        text = text if profile.has_fragments else text.partition("#")[0]
        if self.registration is not None and text.partition(":")[0].lower() == self.scheme:
            return self._as_long(text)
        algorithms = algorithms_of(profile)
        # A text with `//` is meant by the generic syntax: what is wrong in its authority must not pass.
        is_wider = isinstance(reference, URL) or not text.partition(":")[2].startswith("//")
        url: URL = algorithms.of_unknown(text) if is_wider else algorithms.url_type._as_long(text)
        return url

    def resolve(self, reference: str | URL, *, limit: int = LIMIT) -> str:
        """Return the text that `reference` means relative to this URL, with its fragment.

        The algorithm is that of the profile: RFC 1808 for RFC 1738. The text need not be a URL. Raises NotHierarchical,
        InvalidURL for a reference that is not str or longer than the limit.
        """
        text = str(reference) if isinstance(reference, URL) else reference
        if (fault := unfit(text, limit)) is not None:
            raise fault
        return algorithms_of(self.syntax.profile).resolve(self, str.__str__(text))

    @property
    def parent(self) -> Self:
        """The URL of the level that holds this one, without query and fragment: `/a/` of `/a/b`, and `/` of `/a/`.

        Raises NotHierarchical if the scheme has no hierarchy.
        """
        return self._as_long(parent_of(self))

    def __truediv__(self, segment: str) -> Self:
        """Return the URL of `segment`, which is not encoded yet, below this one, without query and fragment.

        It takes the place of an empty last segment; a `/` in it is data. Raises NotHierarchical, and InvalidURL
        for `.` and `..`, which are references for `join`, and for a URL that becomes longer than the default limit.
        """
        text = below(self, segment)
        return self.parse(text) if len(self._text) <= LIMIT else self._as_long(text)

    @classmethod
    def of(cls, url: URL) -> Self:
        """Return `url` with the scheme of this type, and with the text after it unchanged.

        Both schemes must have the same parts, in one profile. Raises TypeError if they have not, InvalidURL.
        """
        require_type("url", url, URL)
        if (profile := cls.syntax.profile) is not url.syntax.profile:
            raise TypeError(f"{cls.__name__}.of takes a URL of {profile.document}: convert it by `registry.convert`")
        if cls.registration is None or list(cls.syntax.parts) != list(url.syntax.parts):
            raise TypeError(f"{url!r} cannot be a {cls.__name__}, which has other parts: {', '.join(cls.syntax.parts)}")
        return cls._as_long(f"{cls._scheme}:{url.schemepart}")

    @classmethod
    def _as_long(cls, text: str) -> Self:
        """Return the URL of a `text` that was made of another URL, which may be longer than the limit."""
        return cls.parse(text, limit=max(LIMIT, len(text)))

    @classmethod
    def _explain(cls, text: str, original: OriginalText | None) -> Fault | InvalidURL:
        """Return what `explanation` returns, computed by walks over the automaton."""
        from urlschemes.url.fault_place import Fault  # only a program that reads an error needs it

        require_type("text", text, str)
        name, colon, _ = text.partition(":")
        known, scheme = name.lower() if colon else "", cls._scheme or None
        profile = cls.syntax.profile
        if scheme not in {None, known} and profile.is_scheme_name(known):
            span = original.span(0, len(name)) if original else (0, len(name))
            message = f"invalid scheme {name!r} at position {span[0]}: expected {scheme}"
            section = profile.section("scheme")
            return invalid_url(text, message, scheme=scheme, part="scheme", span=span, section=section)
        is_own = known == scheme or cls.registration is None
        syntax = cls.syntax if is_own else algorithms_of(profile).url_type.syntax
        return Fault(text, syntax, scheme, original)

    def replace(self, /, **parts: Any) -> Self:
        """Return the URL with these parts, and with the text of all others unchanged; None leaves a part out.

        The parts are given as for the constructor, and checked when this is called. Raises TypeError, InvalidURL.
        """
        return change(self, parts, LIMIT)

    __replace__ = replace

    def __str__(self) -> str:
        return self._text

    def __format__(self, form: str, /) -> str:
        return format(str(self), form)

    if not TYPE_CHECKING:  # a type checker says it, too

        def __contains__(self, _: object) -> bool:
            raise TypeError(f"{type(self).__name__} is not a container: look into its text, str(url)")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.redacted()!r})"

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if self._compares(other) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __lt__(self, other: object) -> bool:
        return self._key() < other._key() if self._compares(other) else NotImplemented

    def _compares(self, other: object) -> TypeGuard[URL]:
        """Return True if `other` is a URL of the same profile."""
        return isinstance(other, URL) and other.syntax.profile is self.syntax.profile

    def _key(self) -> str:
        text = self._text
        scheme, colon, rest = text.partition(":")
        return text if scheme.islower() else scheme.lower() + colon + rest

    def __copy__(self, _: object = None) -> Self:
        return self

    __deepcopy__ = __copy__

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self).__module__, type(self).__qualname__, self._text, self.syntax.profile.package)


def unfit(text: object, limit: int) -> InvalidURL | None:
    """Return the error for an object that is not str, or is longer than `limit`; None for others.

    Raises TypeError for a limit that is not a number.
    """
    require_type("limit", limit, int, float)
    if not isinstance(text, str):
        kind = type(text).__name__
        hint = "decode it as US-ASCII first" if isinstance(text, bytes | bytearray) else "pass a str"
        hint = "pass str(url); `registry.convert(url)` takes one of any profile" if isinstance(text, URL) else hint
        return invalid_url(f"<{kind}>", f"a URL must be str, not {kind}", hint=hint)
    if len(text) > limit:
        message = f"the URL has {len(text)} characters: expected at most {limit}"
        hint = "`parse` and `join` take a greater `limit=...`"
        return invalid_url(text, message, code="url-too-long", span=(limit, len(text)), hint=hint)
    return None


class InternetURL(URL):
    """A URL of the Common Internet Scheme Syntax: it names a host (RFC 1738 section 3.1)."""

    host: str = text_part(lower=True, doc="The domain name or the address, in lower case.")
    port: int | None = number_part(
        default=None,
        doc="The port to connect to: the one in the URL, or the default of the scheme; None if there is neither. "
        '`raw["port"]` tells them apart.',
    )
    if TYPE_CHECKING:

        @property
        def user(self) -> str | None:
            """The user name, decoded; None if absent, as in schemes that have none."""
    else:
        user = text_part(default=None, doc="The user name; None: URLs of this scheme have none.")


class LoginURL(InternetURL):
    """An InternetURL that may hold a user name and a password (RFC 1738 section 3.1)."""

    user: str | None = text_part(default=None, doc="The user name, decoded; None if absent, which differs from empty.")
    password: str | None = text_part(
        default=None, doc="The password, decoded; None if absent, which differs from empty."
    )


def _texts(value: Value | Pair | None) -> Iterator[str]:
    """Return the texts that a value consists of."""
    if isinstance(value, tuple):
        for each in value:
            yield from _texts(each)
    elif value is not None:
        yield str(value)


def _restore(module: str, name: str, text: str, profile: str) -> URL:
    """Return a pickled URL; a generic one of its profile if its type is not installed."""
    try:
        if module == "urlschemes.scheme.scheme":  # its type was made from a record
            registry = named("urlschemes.registry.registry", "registry_or_default")(None, named(profile, "profile"))
            found: Any = registry[text.partition(":")[0]].url_type
            module = found.__module__
        else:
            found = named(module, name)
        # A type that the module only imports under that name is not the type that was pickled.
        if isinstance(found, type) and issubclass(found, URL) and found.__module__ == module:
            return found._as_long(text)
    except (ImportError, AttributeError, URLError):  # InvalidURL: its record is another one now
        pass
    url: URL = algorithms_of(named(profile, "profile")).of_unknown(text)
    return url
