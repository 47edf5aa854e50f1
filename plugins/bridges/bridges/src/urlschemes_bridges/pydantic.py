"""URLs as fields of pydantic models.

    from urlschemes import URL
    from urlschemes_bridges.pydantic import Schemes
    from urlschemes_ftp import FtpURL

    class Mirror(BaseModel):
        source: FtpURL
        copy_of: Annotated[URL, Schemes("http", "https")] | None = None

The import makes every URL type a type of fields: it adds to `urlschemes.URL` the method that pydantic asks for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeGuard

from urlschemes import URL, InvalidURL, Registry, UnknownScheme
from urlschemes.redaction import redact_url
from urlschemes.registry.registry import default_registry, registry_or_default
from urlschemes.scheme.scheme import read_as
from urlschemes.url.algorithms import algorithms_of
from urlschemes_bridges.chosen_schemes import scheme_names
from urlschemes_bridges.extras import needs_extra

with needs_extra("pydantic"):
    from pydantic import Tag, ValidationError
    from pydantic_core import InitErrorDetails, PydanticCustomError, SchemaSerializer, core_schema

    from urlschemes_bridges.reader import Reader, message_for_users
    from urlschemes_tables import dialect_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic.json_schema import JsonSchemaValue
    from pydantic_core import CoreSchema

__all__ = ["Schemes"]


class Schemes:
    """The schemes of a field: `Annotated[URL, Schemes("http", "https")]`; without names, all schemes of `registry`.

    The registry is by default that of the process, in the profile of the annotated type. A model with such a field
    raises UnknownScheme when it is defined if the registry lacks one of the schemes, and TypeError if the URLs of one
    are not instances of the annotated type.

    With `fix`, text is repaired as by `urlschemes_lint.fix`; with `normalize`, URLs are kept in their normal form; with
    `warnings="error"`, a URL that `urlschemes_lint.check` warns of is an error. With `pattern`, the JSON Schema has the
    pattern of the schemes.
    """

    def __init__(
        self,
        *names: str,
        registry: Registry | None = None,
        fix: bool = False,
        normalize: bool = False,
        warnings: Literal["error", "ignore"] = "ignore",
        pattern: bool = False,
    ) -> None:
        self.names = scheme_names(names)
        self.options: dict[str, Any] = {"fix": fix, "normalize": normalize, "warnings": warnings, "pattern": pattern}
        self._registry = None if registry is None else registry_or_default(registry)

    def __repr__(self) -> str:
        return f"Schemes({', '.join(map(repr, self.names))})"

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Return the schema of a field of the URL type `source`. Raises TypeError, UnknownScheme."""
        schema = self.schema(source, handler)
        whole: Any = {"schema": handler(source)}  # has what was applied before: as `= Field(max_length=...)` is
        inner = whole
        while inner["schema"]["type"] != schema["type"]:
            inner = inner["schema"]
            if "schema" not in inner:
                raise TypeError(f"only lengths constrain a URL: write a validator after {self!r} for anything else")
        set_before = {name: inner["schema"][name] for name in ("serialization", "strict") if name in inner["schema"]}
        inner["schema"] = {**schema, **set_before}
        return whole["schema"]  # type: ignore[no-any-return]

    def schema(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Return the schema, whatever the type itself and the annotations before this one say."""
        if not (isinstance(source, type) and issubclass(source, URL)):
            raise TypeError(f"{self!r} must annotate a URL type, as in Annotated[URL, {self!r}] | None: got {source!r}")
        profile = source.syntax.profile
        registry = self._registry or default_registry.in_profile(profile)
        if source.registration is not None and registry.profile is not profile:
            raise TypeError(
                f"{source.__name__} has URLs of the profile {profile.name}, and the registry of {self!r} those of "
                f"{registry.profile.name}: annotate URL, or leave the registry out"
            )
        any_profile = source.registration is None and not (self.names or self._registry)
        field = _Field(source, *self.names, registry=registry, any_profile=any_profile, **self.options)
        for name in self.names:
            if not issubclass(kind := registry[name].url_type, source):
                raise TypeError(
                    f"{self!r} must name schemes of {source.__name__}, and the URLs of {name} are {kind.__name__}: "
                    f"leave out {name}, or annotate URL"
                )
        label = source.__name__ + (f"[{', '.join(self.names)}]" if self.names else "")
        # The tag is the location of an error in a union, instead of the name of the validator.
        return handler.generate_schema(Annotated[Any, field, Tag(label)])


class _Field(Reader):
    """A field that holds URLs of the type `kind`: of its own scheme, if it has one and no schemes are named.

    With `any_profile`, URLs of that type are kept whatever their profile; text is read by the registry.
    """

    def __init__(self, kind: type[URL], *names: str, any_profile: bool, pattern: bool, **options: Any) -> None:
        super().__init__(*names, **options)
        self.kind, self.any_profile, self.pattern = kind, any_profile, pattern
        self.own = None if names else kind.registration

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        read = core_schema.no_info_wrap_validator_function(self.validate, core_schema.str_schema())
        return core_schema.lax_or_strict_schema(
            lax_schema=read,
            strict_schema=core_schema.json_or_python_schema(
                json_schema=read, python_schema=core_schema.no_info_plain_validator_function(self.validate_strictly)
            ),
            serialization=core_schema.to_string_ser_schema(),
        )

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Return the JSON Schema; its pattern is that of the field's schemes, or of all URLs if it names none."""
        if self.fix and handler.mode == "validation":
            return handler(schema)
        if not self.pattern:
            return {**handler(schema), "format": "uri"}
        any_url = self.kind if self.own else algorithms_of(self.registry.profile).url_type
        syntaxes = [self.registry.registration(name).syntax for name in self.names] or [any_url.syntax]
        pattern = "|".join(dialect_of(syntax, "ecma") for syntax in syntaxes)
        return {**handler(schema), "format": "uri", "pattern": pattern}

    def validate(self, value: Any, to_str: Callable[[Any], str]) -> URL:
        """Return the URL that `value` is, or is the text of.

        Raises ValidationError, and PluginError if the plugin of the scheme is at fault.
        """
        given = value if isinstance(value, URL) else to_str(value)
        try:
            return self.accept(given)
        except (InvalidURL, UnknownScheme) as error:
            raise _invalid(error.text if isinstance(error, InvalidURL) else str(given), error) from error

    def validate_strictly(self, value: Any) -> URL:
        """Return `value`, which must be a URL of this field. Raises ValidationError."""
        if isinstance(value, self.kind):
            return self.validate(value, str)
        raise _failure("is_instance_of", value, {"class": self.kind.__name__})

    def read(self, value: object) -> URL:
        """Return the URL of this field that `value` is, if need be converted. Raises InvalidURL, UnknownScheme."""
        self.check(str(value))
        if self.keeps(value):
            return value
        if isinstance(value, URL) and value.syntax.profile is not self.registry.profile:
            self.registry.convert(value)  # raises the error for a meaning that would change
        return read_as(self.kind, str(value)) if self.own else self.registry.parse(str(value), self.kind)

    def keeps(self, given: object) -> TypeGuard[URL]:
        """Return True for a URL of the kind, of a known scheme (its type may be the generic one) and of the profile."""
        if not isinstance(given, self.kind) or given.registration is None:
            return False
        if self.own and given.scheme != self.own.scheme:  # https has a subclass of the type of http
            return False
        return self.any_profile or given.syntax.profile is self.registry.profile


def _invalid(text: str, error: InvalidURL | UnknownScheme) -> ValidationError:
    """Return the error for a `text` that is not a URL of the field."""
    names = ("code", "position", "span", "part", "section", "rule", "scheme", "hint")
    context = {name: value for name in names if (value := getattr(error, name, None)) is not None}
    # pydantic puts each value into the template, in this order: the last one is not read again.
    kind = PydanticCustomError(error.code, "{message}", {**context, "message": message_for_users(error)})
    return _failure(kind, text)


def _failure(kind: PydanticCustomError | str, value: object, context: dict[str, Any] | None = None) -> ValidationError:
    """Return an error of one field, which shows no password of the value."""
    if isinstance(value, bytes | bytearray):
        value = value.decode("latin-1")
    details = InitErrorDetails(type=kind, input=redact_url(str(value)) if isinstance(value, str | URL) else value)
    if context is not None:
        details["ctx"] = context
    return ValidationError.from_exception_data("URL", [details])


def _schema_of_type(_: type[URL], source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
    return Schemes().schema(source, handler)


# pydantic asks the type of a field for the first, and values for the others: those of a field `Any`, or with a length.
# The core cannot have them: it knows no library that it does not use.
URL.__get_pydantic_core_schema__ = classmethod(_schema_of_type)  # type: ignore[attr-defined]
URL.__pydantic_serializer__ = SchemaSerializer(  # type: ignore[attr-defined]
    core_schema.any_schema(serialization=core_schema.to_string_ser_schema())
)
URL.__len__ = lambda self: len(str(self))  # type: ignore[attr-defined]
