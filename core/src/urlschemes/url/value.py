"""URLs as immutable values: the generic URL, and the bases of the types that schemes define.

A URL holds the text it was parsed from, with what the pattern captured in it; parts are decoded when they are read.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING

from urlschemes.errors import (
    Explanation,
    InvalidURL,
    InvalidUserinfo,
    PluginContractError,
    PluginError,
    UnsafeURL,
    URLError,
)
from urlschemes.grammar.octets import ESCAPE, escape, normal, octets_of, unescape
from urlschemes.grammar.part import UNCHANGED, Encoded, Part, Unchanged
from urlschemes.grammar.syntax import Syntax
from urlschemes.redaction import HIDDEN, described, redact
from urlschemes.url.building import blamed, by_mark, cannot_be, lacking, outermost
from urlschemes.url.fault_kind import fault_of, is_scheme_name, refused, unfit

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any, ClassVar, Self, TypeAlias

    from urlschemes.errors import Explanation, InvalidURL, PluginError
    from urlschemes.grammar.part import Raw, Value
    from urlschemes.scheme.registration import Registration

    Given: TypeAlias = "str | int | Sequence[str] | Sequence[tuple[str, str]] | Unchanged | None"

__all__ = ["LIMIT", "UNCHANGED", "URL", "Encoded", "InternetURL", "LoginURL", "Unchanged", "type_failed"]


LIMIT = 64 * 1024
"""Characters that a URL may have, unless the caller says otherwise."""


class URL:
    """A URL: `<scheme>:<scheme-specific-part>` (RFC 1738 section 2.1).

    Of this class itself are URLs whose scheme nobody registered; every scheme has a subclass with its parts. URLs are
    made by `parse` and `build`. They are equal when their texts are, with the scheme's name in lower case; hash and
    order agree.
    """

    __slots__ = ("_match",)
    _match: re.Match[str]

    registration: ClassVar[Registration | None] = None
    """The record of the scheme; None for the generic URL."""
    syntax: ClassVar[Syntax] = Syntax(
        "", "genericurl", [Part("scheme", ["scheme"]), Part("schemepart", ["schemepart"])]
    )
    """What the text derives from."""
    _scheme: ClassVar[str] = ""
    _default_port: ClassVar[int | None] = None

    def __init_subclass__(cls, *, registration: Registration | None = None, **more: Any) -> None:
        super().__init_subclass__(**more)
        if registration is not None:
            cls.registration = registration
            cls._scheme = registration.scheme
            cls._default_port = registration.default_port
            cls.syntax = registration.syntax

    def __new__(cls, *_: object, **__: object) -> Self:
        """Raise TypeError: a type is not called."""
        how = f"{cls.__name__}.parse(text)" + (f" or {cls.__name__}.build(...)" if hasattr(cls, "build") else "")
        raise TypeError(f"a {cls.__name__} is made by {how}")

    @classmethod
    def parse(cls, text: str, *, limit: int = LIMIT) -> Self:
        """The URL that `text` is. Raises InvalidURL."""
        try:
            match = cls.syntax.fullmatch(text) if len(text) <= limit else None
        except TypeError:
            match = None
        if match is None:
            raise unfit(text, limit) or cls._other_scheme(text) or refused(text, cls.syntax, cls)
        url = new(cls)
        url._match = match
        return url

    @classmethod
    def _other_scheme(cls, text: str) -> InvalidURL | None:
        """The error for a text that begins with the name of another scheme than this type's."""
        name, colon, _ = text.partition(":")
        if not cls._scheme or not colon or not is_scheme_name(name) or name.lower() == cls._scheme:
            return None
        message = f"this is a URL of the scheme {name.lower()!r}, and a {cls.__name__} is wanted"
        return fault_of("scheme", text, message, scheme=cls._scheme, section="RFC 1738 section 2.1")

    @property
    def scheme(self) -> str:
        """The scheme's name, in lower case (section 2.1)."""
        return self._scheme or self._match.string.partition(":")[0].lower()

    @property
    def schemepart(self) -> str:
        """What follows the scheme's name and its colon, as written."""
        return self._match.string.partition(":")[2]

    @property
    def raw(self) -> Mapping[str, Raw | None]:
        """The parts as they are written. An absent part is None, an absent list is empty."""
        return {name: self.syntax.raw(self._match, name) for name in self.syntax.parts}

    @property
    def parts(self) -> Mapping[str, Value | None]:
        """The parts by name, as the attributes of that name give them. Raises PluginError where one of them fails."""
        try:
            return {name: getattr(self, name) for name in self.syntax.parts}
        except BaseException as error:  # of a type that a plugin made
            if isinstance(error, URLError | KeyboardInterrupt | MemoryError):
                raise
            raise type_failed(type(self), error, "a part cannot be read") from error

    def redacted(self) -> str:
        """The text for a person to see: with `***` in place of a password (section 6)."""
        text = self._match.string
        span = self.syntax.span(self._match, "password") if "password" in self.syntax.parts else None
        return str(text) if span is None else f"{text[: span[0]]}{HIDDEN}{text[span[1] :]}"

    def line(self, name: str) -> bytes:
        """The octets of the part `name`, for a protocol line; none where it is absent.

        Raises UnsafeURL where one of them is a control octet, PluginContractError for a list part or none at all.
        """
        if name not in self.syntax.parts:
            raise PluginContractError(
                f"a {type(self).__name__} has no part {name!r}",
                wants=f"one of {', '.join(self.syntax.parts)}",
                has=name,
            )
        self._check_line(self.syntax.parts[name])
        value = self._value(name)
        if isinstance(value, tuple):
            raise PluginContractError(
                f"the {name} is a list: it has no one line",
                wants="a part that is one text",
                has="a list part",
                hint="call url.check_line(), and send each element with urlschemes.grammar.octets.octets_of",
            )

        return b"" if value is None else octets_of(str(value))

    def check_line(self) -> None:
        """Raise UnsafeURL if a part that travels on a protocol line holds a control octet (section 6)."""
        for part in self.syntax.parts.values():
            self._check_line(part)

    def normalized(self) -> Self:
        """The same URL with what RFC 1738 says does not change its meaning written in one way.

        The scheme's name and the host in lower case, literals as in the rules, no default port, no zeros before a
        number. A character that a part may hold as it is, is not encoded; only in a part that travels as it is
        written, such as the path of an http URL, a character that may be reserved stays as it was. A character that
        the record warns of is encoded. The `/` behind a host is written where the record says that it may be omitted.
        """
        syntax = self.syntax
        raw = {name: each for name, each in self.raw.items() if syntax.whole(self._match, name) is not None}
        plain = {name: self._plain(syntax.parts[name], each) for name, each in raw.items() if each is not None}
        taken = syntax.taken(self._match, outermost(syntax, by_mark(syntax, raw)))
        if self.registration is not None and plain.get("port") == str(self.registration.default_port):
            del plain["port"]
        text = syntax.compose(outermost(syntax, by_mark(syntax, plain)), taken) or str(self)
        scheme, colon, rest = text.partition(":")
        if syntax.slash_may_be_omitted and "/" not in rest.removeprefix("//"):
            rest += "/"
        return self.parse(scheme.lower() + colon + rest, limit=max(LIMIT, len(text) + 1))

    @classmethod
    def _plain(cls, part: Part, raw: Raw) -> Raw:
        """`raw` with what does not change its meaning written in one way."""
        if isinstance(raw, tuple):
            return tuple(cls._plain(part, each) for each in raw)  # type: ignore[return-value]  # as `raw`: texts or pairs
        if part.number:
            return str(int(raw))
        if part.name in {"host", "scheme"}:
            return raw.lower()
        if part.travels == "as-written" or not part.escapes:
            return normal(raw)
        cautions = cls.registration.cautions if cls.registration else ()
        held = (each.holds or "" for each in cautions if each.part == part.name)
        misread = octets_of("".join(text for text in held if len(text) == 1))
        bare = part.bare - frozenset(misread)
        written = escape(octets_of(unescape(raw)), bare)
        if part.element is not None or cls.syntax.derives(part.name, written):
            return written
        # A character may divide the part where it stands as it is, as `@` does an article, and be data where it is
        # encoded.
        text = normal(raw)
        for digits in dict.fromkeys(ESCAPE.findall(text)):
            encoded = f"%{digits}"
            plainer = text.replace(encoded, escape(octets_of(unescape(encoded)), bare))
            if plainer != text and cls.syntax.derives(part.name, plainer):
                text = plainer
        return text

    def equivalent(self, other: object) -> bool:
        """Whether both mean the same by RFC 1738: whether they are equal when normalized."""
        return isinstance(other, URL) and self.normalized() == other.normalized()

    def join(self, reference: str) -> URL:
        """The URL that `reference`, which may be relative, means here (RFC 1808); its fragment is left out.

        User name and password are never carried to another host. A reference to another scheme gives a generic URL,
        which `urlschemes.parse(str(url))` reads further. Raises NotHierarchical where the scheme has no hierarchy,
        InvalidURL where the result is no URL of RFC 1738 (`urlschemes_lint.fix(url.resolve(reference))` may repair it).
        """
        text = self.resolve(reference).partition("#")[0]
        kind = type(self) if text.partition(":")[0].lower() == self.scheme else URL
        return kind.parse(text, limit=max(LIMIT, len(text)))

    def resolve(self, reference: str) -> str:
        """The text that `reference` means here, by RFC 1808 and with its fragment; it need not be a URL of RFC 1738.

        Raises NotHierarchical, and InvalidURL for a reference that is no text or longer than the bound.
        """
        from urlschemes.url.relative import resolve

        fault = unfit(reference, LIMIT)
        if fault is not None:
            raise fault
        return resolve(self.syntax, self._match, reference)

    @classmethod
    def explained(cls, text: str) -> Explanation:
        """Why `text` is no URL of this type: what the error that `parse` raises says of it."""
        from urlschemes.url.fault_place import explained

        return explained(text, cls.syntax, cls._scheme or None)

    def _value(self, name: str) -> Value | None:
        """The decoded part `name`."""
        part = self.syntax.parts[name]
        whole: str | None = self._match[part.mark]
        if whole is None and name in self.syntax.repeated:
            whole = self.syntax.whole(self._match, name)
        if whole is None:
            return part.absent
        raw = part.raw_of(whole)
        return part.value_of(raw) if "%" in whole or part.number else raw

    def _text(self, name: str) -> str | None:
        """The decoded text of the part `name`, None where it is absent.

        Of a part that takes the last of a list it is that element. Raises PluginContractError for one that takes all
        but the last.
        """
        try:
            raw: str | None = self._match[name]
        except IndexError:  # what takes some of a list is marked otherwise
            return self._taken(name)
        if raw is None and name in self.syntax.repeated:
            raw = self._whole(name)
        return raw if raw is None or "%" not in raw else unescape(raw)

    def _taken(self, name: str) -> str | None:
        """The decoded text that the part `name` takes of a list."""
        value = self._value(name)
        if isinstance(value, tuple):
            raise PluginContractError(
                f"the {name} is a list, and no text", wants="_elements, or _pairs, of a list part", has="_text"
            )
        return value  # type: ignore[return-value]  # no list is a number

    def _whole(self, name: str) -> str | None:
        """The raw text of the part `name`, which takes nothing of a list."""
        raw: str | None = self._match[name]
        return self.syntax.whole(self._match, name) if raw is None and name in self.syntax.repeated else raw

    def _elements(self, name: str) -> tuple[str, ...]:
        """The decoded elements of the list part `name`."""
        return self._value(name) or ()  # type: ignore[return-value]  # the record says that they are texts

    def _pairs(self, name: str) -> tuple[tuple[str, str], ...]:
        """The decoded elements of the list part `name`, which are pairs of a name and a value."""
        return self._value(name) or ()  # type: ignore[return-value]  # the record says that they are pairs

    def _check_line(self, part: Part) -> None:
        if part.travels in {"binary", "as-written"}:
            return

        value = self._value(part.name)
        for text in _texts(value):
            octets = octets_of(text)
            control = next((octet for octet in octets if octet < 0x20 or octet == 0x7F), None)
            if control is not None and not (part.travels == "form" and _is_form(octets)):
                span = self.syntax.span(self._match, part.name)

                raise UnsafeURL(
                    f"the {part.name} holds the control octet {control:02X}, which must not reach a protocol line",
                    scheme=self.scheme,
                    part=part.name,
                    position=span[0] if span else None,
                    section="RFC 1738 section 6",
                )

    @classmethod
    def _build(cls, /, **parts: Given) -> Self:
        """The URL of `parts`, each encoded as it must be. Raises InvalidURL where a part cannot be what it should."""
        from urlschemes.url.building import by_mark, written

        syntax, scheme = cls._syntax_of(parts), cls._scheme or None
        raw = {name: written(syntax.parts[name], value, scheme) for name, value in parts.items() if value is not None}
        return cls._checked(syntax.compose(by_mark(syntax, raw)), raw, raw, LIMIT)

    def _replace(self, /, **parts: Given) -> Self:
        """The URL with the raw text of `parts` replaced and nothing else changed. Raises InvalidURL."""
        from urlschemes.url.building import by_mark, edited, written

        syntax = self._syntax_of(parts)
        old = {name: value for name, value in self.raw.items() if syntax.whole(self._match, name) is not None}
        given = {name: value for name, value in parts.items() if not isinstance(value, Unchanged)}
        # A new part takes the place of what lies within it, and of what it lies within.
        new_raw = {name: raw for name, raw in old.items() if not any(syntax.overlap(name, other) for other in given)}
        for name, value in given.items():
            if value is not None:
                new_raw[name] = written(syntax.parts[name], value, self.scheme)
        before, after = by_mark(syntax, old), by_mark(syntax, new_raw)
        text = edited(syntax, self._match, before, after, given)
        # Who asked for a URL beyond the bound may change it.
        limit = LIMIT if len(self._match.string) <= LIMIT else sys.maxsize
        return self._checked(text, new_raw, given, limit)

    @classmethod
    def _syntax_of(cls, parts: Mapping[str, Given]) -> Syntax:
        """The syntax, which has all of `parts` and knows which octets each may hold."""
        for name in parts.keys() - cls.syntax.parts.keys():
            raise TypeError(f"a {cls.__name__} has no part {name!r}; it has {', '.join(cls.syntax.parts)}")
        cls.syntax.know_octets()
        return cls.syntax

    @classmethod
    def _checked(cls, text: str | None, raw: Mapping[str, Raw | None], given: Mapping[str, object], limit: int) -> Self:
        """The URL of a composed `text`, in which each part must be what `raw` says; None is no text at all.

        Of the parts, `given` are new: to blame, where there is no such URL.
        """
        scheme = cls._scheme or None
        if raw.get("password") is not None and raw.get("user") is None and "user" in cls.syntax.parts:
            raise InvalidUserinfo(
                "",
                Explanation(
                    "a password needs a user name", scheme=scheme, part="password", section="RFC 1738 section 3.1"
                ),
            )
        names = [*(name for name in given if name in raw), *(name for name in raw if name not in given)]
        if text is None:
            what = ", ".join(name for name, value in raw.items() if value not in {None, ()}) or "nothing"
            explanation = Explanation(
                f"no {scheme} URL has just these parts: {what}", scheme=scheme, hint=lacking(cls.syntax, raw)
            )
            raise blamed(cls.syntax, raw, names, scheme) or InvalidURL("", explanation)
        try:
            url = cls.parse(text, limit=max(limit, len(text)))
        except InvalidURL as error:
            raise blamed(cls.syntax, raw, names, scheme) or error from None
        for name in names:
            if raw[name] is not None and url.syntax.raw(url._match, name) != raw[name]:
                raise cannot_be(name, raw[name], scheme, cls.syntax)
        if len(text) > limit:
            cls.parse(text, limit=limit)
        return url

    def __str__(self) -> str:
        return str(self._match.string)  # of an Encoded, the plain text

    def __repr__(self) -> str:
        return f"{type(self).__name__}({redact(self.redacted())!r})"

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, URL) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __lt__(self, other: object) -> bool:
        return self._key() < other._key() if isinstance(other, URL) else NotImplemented

    def __le__(self, other: object) -> bool:
        return self._key() <= other._key() if isinstance(other, URL) else NotImplemented

    def __gt__(self, other: object) -> bool:
        return self._key() > other._key() if isinstance(other, URL) else NotImplemented

    def __ge__(self, other: object) -> bool:
        return self._key() >= other._key() if isinstance(other, URL) else NotImplemented

    def _key(self) -> str:
        text = self._match.string
        scheme, colon, rest = text.partition(":")
        return text if scheme.islower() else scheme.lower() + colon + rest

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _: object) -> Self:
        return self

    def __replace__(self, /, **parts: Any) -> Self:
        replaced: Self = getattr(self, "replace", self._replace)(**parts)
        return replaced

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self).__module__, type(self).__qualname__, self._match.string)


new = object.__new__


class InternetURL(URL):
    """A URL of the Common Internet Scheme Syntax: it names a host (section 3.1)."""

    __slots__ = ()

    @property
    def host(self) -> str:
        """The domain name, or the address as four groups of digits, in lower case."""
        host: str = self._match["host"] or self._whole("host") or ""
        return host.lower()

    @property
    def port(self) -> int | None:
        """The port to connect to: the one written, else the scheme's default; None where there is neither.

        `raw["port"]` tells whether it was written.
        """
        try:
            written: str | None = self._match["port"]
            if written is None and "port" in self.syntax.repeated:
                written = self._whole("port")
        except IndexError:  # the syntax of the scheme has no port
            written = None
        return self._default_port if written is None else int(written)


class LoginURL(InternetURL):
    """An InternetURL that may hold a user name and a password (section 3.1)."""

    __slots__ = ()

    @property
    def user(self) -> str | None:
        """The user name; None where there is none, which is not the same as an empty one."""
        return self._text("user")

    @property
    def password(self) -> str | None:
        """The password; None where there is none, which is not the same as an empty one."""
        return self._text("password")


def _texts(value: Value | None) -> Iterator[str]:
    """The texts that a value consists of."""
    if isinstance(value, tuple):
        for each in value:
            yield from _texts(each)
    elif value is not None:
        yield str(value)


def _is_form(octets: bytes) -> bool:
    """Whether `octets` are a filled-in electronic form, exactly as section 3.4.9 has it."""
    lines = octets.split(b"\r\n")
    return (
        len(lines) >= 4
        and lines[0] == b"+\t1"
        and lines[1] == b"+-1"
        and lines[-2:] == [b".", b""]
        and not any(octet < 0x20 or octet == 0x7F for line in lines[2:] for octet in line)
        and b"." not in lines[2:-2]
    )


def _restore(module: str, name: str, text: str) -> URL:
    """A pickled URL; the generic one where its type is not installed."""
    try:
        found: object = importlib.import_module(module)
        for attribute in name.split("."):
            found = getattr(found, attribute)
    except (ImportError, AttributeError):
        found = URL
    # What another module only imports under that name is not the type that was pickled.
    kind = found if isinstance(found, type) and issubclass(found, URL) and found.__module__ == module else URL
    return kind.parse(text, limit=max(LIMIT, len(text)))


def type_failed(kind: type[URL], error: BaseException, what: str) -> PluginError:
    """The error of a type whose own code raised one."""
    return PluginError(f"the type {kind.__name__} failed: {what}: {described(error)}", scheme=kind._scheme or None)
