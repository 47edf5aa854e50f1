"""The base of all types of URLs, and the parts of a type as fields of its class.

    class FtpURL(LoginURL, registration=Registration.of(__name__)):
        directories: tuple[str, ...] = list_part(default=())
        name: str | None = text_part(default=None)

Each field becomes a property that reads its part, and a keyword of the constructor. The record of the scheme says where
a part stands in the text; the field says its type, its default and its description.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, NamedTuple, Protocol, Self, TypeVar

from urlschemes.errors import PluginContractError, PluginError, RegistrationError
from urlschemes.grammar.part import Kind
from urlschemes.grammar.syntax import Syntax
from urlschemes.record.registration import Registration
from urlschemes.redaction import described
from urlschemes.url import pattern_reader
from urlschemes.url.original_text import OriginalText
from urlschemes.url.pattern_reader import Base

if TYPE_CHECKING:
    import inspect
    from decimal import Decimal

T_co = TypeVar("T_co", covariant=True)
REQUIRED: Final[Any] = object()

if not TYPE_CHECKING:
    Base = pattern_reader.READER.Base


class Field(NamedTuple):
    """A part as a class body declares it.

    `default` is the value of the part in a URL that lacks it, and REQUIRED if the constructor needs the part.
    """

    kind: Kind
    default: Any
    doc: str
    lower: bool = False
    when_needed: str | None = None


class URLBase(Base):
    """A text that the syntax of its type has matched."""

    __slots__ = ()
    registration: ClassVar[Registration | None] = None
    """The record of the scheme; None for the generic URL."""
    syntax: ClassVar[Syntax]
    """The syntax of the URLs of this type."""
    default_port: ClassVar[int | None] = None
    """The default port of the scheme; None if it has none."""
    _scheme: ClassVar[str] = ""
    _fields: ClassVar[Mapping[str, Field]] = {}

    if TYPE_CHECKING:

        @classmethod
        def parse(cls, text: str, *, limit: int = ...) -> Self:
            """Return the URL that `text` is. Raises InvalidURL."""

        @classmethod
        def explanation(cls, text: str, original: OriginalText | None = None) -> Any:
            """Return the reason why `text`, perhaps made of an `original`, is not a URL of this type."""

    else:
        explanation = classmethod(pattern_reader.READER.explanation)


class _Sequence(Protocol[T_co]):
    """A sequence that is no str, which contains other texts only."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[T_co]: ...
    def __contains__(self, value: object, /) -> bool: ...


class Listed(Generic[T_co]):
    """The annotation of a list part: a tuple when it is read; when it is given, any sequence but a str."""

    if TYPE_CHECKING:

        def __get__(self, url: object, kind: object = None) -> tuple[T_co, ...]: ...
        def __set__(self, url: object, value: _Sequence[T_co]) -> None: ...


def text_part(
    *, default: str | None = REQUIRED, doc: str = "", lower: bool = False, when_needed: str | None = None
) -> Any:
    """Declare a part that is text, decoded.

    `default` is its value in a URL that lacks it; without a default, the constructor requires the part. `when_needed`
    is the text that is written if the part is not given but other parts need it; without it, that is an error. `lower`
    returns the part in lower case, if its letter case has no meaning. `doc` is the description that `help` shows.
    """
    return Field("text", default, doc, lower=lower, when_needed=when_needed)


def number_part(*, default: int | None = REQUIRED, doc: str = "") -> Any:
    """Declare a part that is a number. The default of a part `port` is that of the scheme."""
    return Field("number", default, doc)


def decimal_part(*, default: Decimal | None = REQUIRED, doc: str = "") -> Any:
    """Declare a part that is a decimal number."""
    return Field("decimal", default, doc)


def list_part(*, default: Sequence[str] | None = REQUIRED, doc: str = "") -> Any:
    """Declare a part that is a list of texts, each decoded by itself."""
    return Field("list", default, doc)


def pairs_part(*, default: Sequence[tuple[str, str | None]] | None = REQUIRED, doc: str = "") -> Any:
    """Declare a part that is a list of names with their values, each decoded by itself; a value may be absent: None."""
    return Field("pairs", default, doc)


def declared_fields(cls: type[URLBase], base: type[URLBase]) -> dict[str, Field]:
    """Return the fields of `cls`: the inherited ones, its own, and one for each other part of its record.

    An attribute of another kind that `cls` has for a part is not replaced. `base` is the class of all URLs. Raises
    PluginContractError for a field that is not a part of the record, or a part of another kind.
    """
    own = {name: value for name, value in vars(cls).items() if isinstance(value, Field)}
    fields = {name: field for name, field in {**cls._fields, **own}.items() if name in own or name not in vars(cls)}
    if cls.registration is None:
        return fields
    for name, annotation in vars(cls).get("__annotations__", {}).items():
        if name not in vars(cls) and "ClassVar" not in str(annotation):
            raise _contract_error(cls, name, "is annotated and has no value", f"{name}: ... = text_part(...)")
    parts = cls.syntax.parts
    for name, field in fields.items():
        if name in parts and field.kind != parts[name].kind:
            problem = f"is declared by {field.kind}_part, but the record makes it {parts[name].described}"
            raise _contract_error(cls, name, problem, f"{name} = {parts[name].kind}_part(...)")
        if name not in parts and (name in own or field.default is REQUIRED):
            raise _contract_error(cls, name, "is not a part of the record", f"one of {', '.join(parts)}")
    for name, part in parts.items():
        if _has(base, name):
            source, place = cls.registration.source, f"syntax.parts.{name}"
            message = f"{source or 'the record'}: {place}: every URL has an attribute of this name"
            raise RegistrationError(message, part=name, source=source, field=place, hint="give the part another name")
        if name not in fields and not _has(cls, name):
            fields[name] = Field(part.kind, part.absent, "", when_needed="" if part.kind == "text" else None)
    return fields


def _has(cls: type, name: str) -> bool:
    """Return True if instances of `cls` have the attribute `name`; attributes of its metaclass do not count."""
    return any(name in vars(each) for each in cls.__mro__)


def _contract_error(cls: type[URLBase], name: str, problem: str, wants: str) -> PluginContractError:
    return PluginContractError(
        f"{cls.__name__}.{name} {problem}", scheme=cls._scheme or None, part=name, wants=wants, has=name
    )


def type_failed(kind: type[URLBase], error: BaseException, what: str) -> PluginError:
    """Return the error for a URL type whose own code raised `error`."""
    return PluginError(f"the type {kind.__name__} failed: {what}: {described(error)}", scheme=kind._scheme or None)


def absent_value(cls: type[URLBase], name: str) -> Any:
    """Return the value of the part `name` in a URL that lacks it."""
    field = cls._fields[name]
    if field.default is REQUIRED:
        return () if field.kind in {"list", "pairs"} else None
    return cls.default_port if name == "port" and field.default is None else field.default


def add_property(cls: type[URLBase], name: str, field: Field) -> None:
    """Give `cls` the property that reads the part `name`."""
    part, absent = cls.syntax.parts.get(name), absent_value(cls, name)
    if part is None:
        _set_property(cls, name, lambda _: absent, field.doc)
        return
    doc = field.doc or f"The part {name}: {part.described}."

    def read_first(url: URLBase) -> Any:
        read = pattern_reader.READER.part(cls, part, absent, lower=field.lower)  # the pattern was compiled by now
        _set_property(cls, name, read, doc)
        return read(url)

    _set_property(cls, name, read_first, doc)


def _set_property(cls: type[URLBase], name: str, read: Callable[[URLBase], Any], doc: str) -> None:
    made = property(read, doc=doc)
    made.__set_name__(cls, name)  # type: ignore[attr-defined]  # typeshed lacks it; messages quote the name
    setattr(cls, name, made)


def signature(cls: type[URLBase]) -> inspect.Signature:
    """Return the signature of the constructor: a keyword for each part."""
    import inspect  # only `help` and the like need it

    annotations = {
        name: each for base in reversed(cls.__mro__) for name, each in vars(base).get("__annotations__", {}).items()
    }
    keyword = partial(inspect.Parameter, kind=inspect.Parameter.KEYWORD_ONLY)
    empty, found = inspect.Parameter.empty, []
    for name, field in cls._fields.items():
        if name in cls.syntax.parts:
            default = empty if field.default is REQUIRED else absent_value(cls, name)
            found.append(keyword(name, default=default, annotation=annotations.get(name, empty)))
    return inspect.Signature(found)
