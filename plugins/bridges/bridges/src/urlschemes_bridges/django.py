"""A model field for Django that holds URLs.

    class Feed(models.Model):
        source = URLField("nntp", "news")

Nothing but a URL of the named schemes is written or passes a form. What is assigned or read is a parsed URL, or a str
if it is no such URL. With `profile="rfc3986"`, URLs are those of that profile. The system checks of Django name a
scheme or a profile that is not installed. A field has the name of a profile, and no registry, since migrations hold its
arguments as text.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

from urlschemes import URL, InvalidURL, UnknownScheme, URLError
from urlschemes.redaction import redact_url
from urlschemes.registry.registry import registry_or_default
from urlschemes_bridges.chosen_schemes import ChosenSchemes, scheme_names
from urlschemes_bridges.extras import needs_extra

with needs_extra("django"):
    from django import forms
    from django.core import checks
    from django.core.exceptions import ValidationError
    from django.core.serializers.json import DjangoJSONEncoder
    from django.db import models
    from django.db.models.query_utils import DeferredAttribute
    from django.utils.translation import gettext_lazy

    from urlschemes_bridges.reader import Reader, check_warnings, message_for_users

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from typing_extensions import TypeVar

    Set_contra = TypeVar("Set_contra", contravariant=True, default=URL | str | None)
    Get_co = TypeVar("Get_co", covariant=True, default=URL)
    Field = models.CharField[Set_contra, Get_co]
else:
    Set_contra = Get_co = None

    class Field(models.CharField):  # which is not generic where Django runs
        __class_getitem__ = classmethod(lambda cls, _: cls)


__all__ = ["URLField", "URLFormField", "URLJSONEncoder"]

URL.get_absolute_url = URL.__str__  # type: ignore[attr-defined]  # for `redirect`, which asks an object for it


class _Reading(NamedTuple):
    """The schemes and the profile of a field, by name, and the options of its reader."""

    schemes: tuple[str, ...]
    profile: str | None = None
    fix: bool = False
    normalize: bool = False
    warnings: Literal["error", "ignore"] = "ignore"

    def options(self) -> dict[str, Any]:
        """Return the arguments of the field besides its schemes, without those that have their defaults."""
        defaults = self._field_defaults
        return {name: value for name, value in self._asdict().items() if value != defaults.get(name, value)}


def _reading(
    schemes: tuple[str, ...], profile: object, warnings: Literal["error", "ignore"], **options: Any
) -> _Reading:
    """Return the arguments of a field. Raises TypeError, ValueError."""
    if profile is not None and not (isinstance(profile, str) and profile):
        raise TypeError(f'profile must be the name of a profile, such as "rfc3986", not {profile!r}')
    check_warnings(warnings)
    return _Reading(scheme_names(schemes), profile, warnings=warnings, **options)


@cache
def _reader(reading: _Reading) -> Reader:
    """Return the reader. Raises PluginError without the profile, UnknownScheme without one of the schemes."""
    schemes, profile, fix, normalize, warnings = reading
    registry = registry_or_default(None, profile)
    return Reader(*schemes, registry=registry, fix=fix, normalize=normalize, warnings=warnings)


class _Refused(ValidationError, ValueError):
    """A ValueError, too: for Django REST framework, a lookup that raises one finds nothing."""


def _parse(value: Any, reader: Reader, messages: Mapping[str, Any]) -> Any:
    """Return the URL, or an empty value. Raises ValidationError, with the message of `parse` in its `params`."""
    if value is None or value == "":
        return value
    try:
        return reader.accept(value)
    except (InvalidURL, UnknownScheme) as error:
        text = str(value)
        message = messages.get(error.code) or messages.get("invalid") or _for_visitors(error, text, reader.names)
        names = ("position", "part", "section", "hint")
        params = {name: getattr(error, name) for name in names} | {
            "message": message_for_users(error),
            "value": redact_url(text),
            "schemes": " or ".join(_beginning(name, reader) for name in reader.names),
            "part_name": _part_name(error, reader),
            "character": (error.position or 0) + 1,
            "found": _found(error, text),
        }
        raise _Refused(message, code=error.code, params=params) from error


def _part_name(error: InvalidURL | UnknownScheme, chosen: ChosenSchemes) -> str | None:
    """Return what a part is called, if one is wrong."""
    if error.scheme is None or error.part is None or error.scheme not in chosen.registry:
        return error.part
    part = chosen.registry.registration(error.scheme).syntax.parts.get(error.part)
    return part.called if part else error.part


def _beginning(name: str, chosen: ChosenSchemes) -> str:
    """Return what the URLs of a scheme begin with. Some news URLs have slashes there, but others do not."""
    begins_with = chosen.registry.registration(name).syntax.begins_with
    return f"{name}://" if begins_with(f"{name}://") and not begins_with(f"{name}:x") else f"{name}:"


def _found(error: InvalidURL | UnknownScheme, text: str) -> str | None:
    """Return the name of the invalid character, None if it may be one of a password, or if something else is wrong."""
    if error.code != "invalid-character" or error.position is None or error.part in ("password", "port"):
        return None
    character = text[error.position : error.position + 1]
    return "a blank" if character == " " else f'"{character}"' if character.isprintable() else f"U+{ord(character):04X}"


def _for_visitors(error: InvalidURL | UnknownScheme, text: str, schemes: tuple[str, ...]) -> Any:
    """Return the one sentence that visitors read, which `params` complete."""
    if error.part == "scheme" or isinstance(error, UnknownScheme):
        if schemes:
            return gettext_lazy("Enter a URL that begins with %(schemes)s")
        return gettext_lazy("Enter a URL that begins with a known scheme, such as https://")
    if error.code == "userinfo-not-allowed":
        return gettext_lazy("Enter a URL without a user name and password.")
    if error.part is None:
        return gettext_lazy("Enter a valid URL.")
    if error.position is None or error.position >= len(text):
        return gettext_lazy("Enter a valid URL: check its %(part_name)s.")
    if _found(error, text):
        return gettext_lazy(
            "Enter a valid URL: its %(part_name)s must not contain %(found)s (character %(character)d)."
        )
    return gettext_lazy("Enter a valid URL: check its %(part_name)s at character %(character)d.")


class URLJSONEncoder(DjangoJSONEncoder):
    """Writes URLs as their text: `JsonResponse(data, encoder=URLJSONEncoder)`."""

    def default(self, o: Any) -> Any:
        """Return what is written for an object."""
        return str(o) if isinstance(o, URL) else super().default(o)


class URLFormField(forms.CharField):
    """The field of a form that takes a URL of `schemes`, or of every installed scheme if none is named.

    With `fix`, text is repaired as by `urlschemes_lint.fix`; with `normalize`, the URL is in its normal form; with
    `warnings="error"`, a URL that `urlschemes_lint.check` warns of is refused. `error_messages` has texts by the codes
    of errors, or one for all of them under "invalid". Raises UnknownScheme for a scheme that is not installed,
    PluginError for such a profile, ValueError for another value of `warnings`.
    """

    widget = forms.URLInput

    def __init__(
        self,
        *schemes: str,
        profile: str | None = None,
        fix: bool = False,
        normalize: bool = False,
        warnings: Literal["error", "ignore"] = "ignore",
        **options: Any,
    ) -> None:
        self.reader = _reader(_reading(schemes, profile, warnings, fix=fix, normalize=normalize))
        super().__init__(**options)

    def to_python(self, value: Any) -> Any:
        """Return the URL, or the `empty_value`. Raises ValidationError."""
        return _parse(super().to_python(value), self.reader, self.error_messages)

    def run_validators(self, value: Any) -> None:
        """Give the text to the validators. Raises ValidationError."""
        super().run_validators(str(value or ""))

    def prepare_value(self, value: Any) -> Any:
        """Return the text, for the widget."""
        return str(value or "")

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Return True if `data` is another URL than `initial`, which may be text."""
        with suppress(ValidationError):
            initial = self.to_python(initial)
        return super().has_changed(initial, data)


class _Attribute(DeferredAttribute):
    """The attribute of a model for a field: a valid text that is assigned to it becomes a URL."""

    field: URLField[Any, Any]

    def __set__(self, instance: models.Model, value: Any) -> None:
        instance.__dict__[self.field.attname] = self.field.from_db_value(value) if isinstance(value, str) else value

    def __delete__(self, instance: models.Model) -> None:  # then Django reads it again
        del instance.__dict__[self.field.attname]


class URLField(Field[Set_contra, Get_co]):
    """The field of a model that holds a URL of `schemes`, or of every installed scheme if none is named.

    The text of such a URL may be assigned, and becomes a URL. Any other text stays a str, also one that is read from
    the database; validating or writing it raises ValidationError. The column is text of any length, unless there is a
    `max_length`. No URL is None; with `blank` and without `null`, it is an empty text. The values of `choices` are
    text, and validators get text.

    `fix`, `normalize` and `warnings` are those of the form's field. They change what is validated, written and looked
    up, and nothing that the database holds already.
    """

    description = "URL"
    descriptor_class = _Attribute

    @overload
    def __init__(
        self: URLField[URL | str | None, URL | None], *schemes: str, null: Literal[True], **options: Any
    ) -> None: ...
    @overload
    def __init__(
        self: URLField[URL | str | None, URL | Literal[""]], *schemes: str, blank: Literal[True], **options: Any
    ) -> None: ...
    @overload
    def __init__(self, *schemes: str, **options: Any) -> None: ...
    def __init__(
        self,
        *schemes: str,
        profile: str | None = None,
        fix: bool = False,
        normalize: bool = False,
        warnings: Literal["error", "ignore"] = "ignore",
        **options: Any,
    ) -> None:
        self.reading = _reading(schemes, profile, warnings, fix=fix, normalize=normalize)
        self.default_validators = [self.to_python]  # for serializers that take the validators alone
        super().__init__(**options)

    def get_internal_type(self) -> str:
        """Return the kind of the column: text, which is bounded only if there is a `max_length`."""
        return "TextField" if self.max_length is None else "CharField"

    @property
    def flatchoices(self) -> list[tuple[URL | None, Any]]:
        """The choices without groups, each with its URL, for what displays a value."""
        return [(self.to_python(value), label) for value, label in super().flatchoices]

    def check(self, **options: Any) -> list[checks.CheckMessage]:
        """Return the errors of the field: also a scheme or profile that is not installed, and an invalid choice."""
        found = [each for each in super().check(**options) if each.id != "fields.E120"]  # asks for a max_length
        try:
            reader = _reader(self.reading)
            for value, _ in super().flatchoices:
                if value and (written := str(reader.accept(value))) != value:
                    message = f"no saved value matches the choice {value!r}"
                    hint = f"write {written!r}, as it is saved"
                    found.append(checks.Error(message, hint=hint, obj=self, id="urlschemes.E002"))
        except URLError as error:
            found.append(checks.Error(str(error.message), hint=error.hint, obj=self, id="urlschemes.E001"))
        return found

    def deconstruct(self) -> tuple[str, str, Sequence[Any], dict[str, Any]]:
        """Return the arguments, for migrations."""
        name, path, _, options = super().deconstruct()
        return name, path, self.reading.schemes, options | self.reading.options()

    def to_python(self, value: Any) -> Any:
        """Return the URL, or the value if it is empty. Raises ValidationError."""
        return _parse(value, _reader(self.reading), self.error_messages)

    def from_db_value(self, value: str | None, *_: Any) -> URL | str | None:
        """Return the URL that the database holds, or its text if that is no such URL."""
        reader = _reader(self.reading)
        if not value:
            return None if self.null else value
        with suppress(InvalidURL, UnknownScheme):
            return reader.read(value)
        return value

    def get_prep_value(self, value: Any) -> str | None:
        """Return the text of the URL, which is checked."""
        text = str(super().get_prep_value(value) or "")  # which calls to_python
        return text if text or (self.blank and not self.null) else None

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:
        """Return what is written, and assign it. Raises ValidationError."""
        value = super().pre_save(model_instance, add)
        if hasattr(value, "resolve_expression"):
            return value
        setattr(model_instance, self.attname, self.get_prep_value(value))
        return getattr(model_instance, self.attname)

    def validate(self, value: Any, model_instance: Any) -> None:
        """Raise ValidationError for a URL that is none of the choices, which are text."""
        if isinstance(value, URL):
            value = str(value) if value in dict(self.flatchoices) else redact_url(str(value))
        super().validate(value, model_instance)

    def run_validators(self, value: Any) -> None:
        """Give the text to the validators. Raises ValidationError."""
        super().run_validators(str(value or ""))

    def value_to_string(self, obj: models.Model) -> str:
        """Return the text of the URL, for serialization."""
        return str(self.value_from_object(obj) or "")

    def formfield(self, **options: Any) -> Any:
        """Return the field of forms."""
        defaults: dict[str, Any] = {
            "form_class": partial(URLFormField, *self.reading.schemes, **self.reading.options())
        }
        return super().formfield(**(defaults | options))
