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
from typing import TYPE_CHECKING, Any, NamedTuple

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
    from django.core.validators import MaxLengthValidator, MinLengthValidator
    from django.db import models
    from django.db.models.query_utils import DeferredAttribute
    from django.utils.translation import gettext_lazy

    from urlschemes_bridges.reader import Reader
    from urlschemes_lint import NotRepairable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    Field = models.CharField[URL | str | None, URL | None]
else:
    Field = models.CharField  # not generic where Django runs

__all__ = ["URLField", "URLFormField", "URLJSONEncoder"]

URL.get_absolute_url = URL.__str__  # type: ignore[attr-defined]  # for `redirect`, which asks an object for it


@cache
def _reader(schemes: tuple[str, ...], profile: str | None, fix: bool, normalize: bool) -> Reader:
    """Return the reader in a profile. Raises PluginError without it, UnknownScheme without one of the schemes."""
    return Reader(*schemes, registry=registry_or_default(None, profile), fix=fix, normalize=normalize)


class _Reading(NamedTuple):
    """The schemes and the profile of a field, by name, and whether it repairs and normalizes URLs."""

    schemes: tuple[str, ...]
    profile: str | None = None
    fix: bool = False
    normalize: bool = False

    def options(self) -> dict[str, Any]:
        """Return the arguments of the field besides its schemes, without those that have their defaults."""
        return {name: value for name, value in self._asdict().items() if value and name != "schemes"}

    def reader(self) -> Reader:
        """Return the reader. Raises PluginError without the profile, UnknownScheme without one of the schemes."""
        return _reader(*self)

    def read(self, value: Any) -> URL:
        """Return the URL, repaired and in its normal form if that is asked for. Raises InvalidURL, UnknownScheme."""
        try:
            return self.reader().accept(value)
        except NotRepairable as error:
            raise error.__cause__ or error from None


def _checked(profile: object) -> str | None:
    """Return the argument `profile` of a field. Raises TypeError for what is not the name of one."""
    if profile is None or (isinstance(profile, str) and profile):
        return profile
    raise TypeError(f'profile must be the name of a profile, such as "rfc3986", not {profile!r}')


def _parse(value: Any, reading: _Reading, messages: Mapping[str, Any]) -> URL | None:
    """Return the URL, None for no value. Raises ValidationError, with the message of `parse` in its `params`."""
    if value is None or value == "":
        return None
    try:
        return reading.read(value)
    except (InvalidURL, UnknownScheme) as error:
        message = (
            messages.get(error.code)
            or messages.get("invalid")
            or _for_visitors(error, len(str(value)), reading.schemes)
        )
        names = ("position", "part", "section", "hint")
        params = {name: getattr(error, name) for name in names} | {
            "message": str(error),
            "value": redact_url(str(value)),
            "schemes": " or ".join(_beginning(name, reading.reader()) for name in reading.schemes),
            "part_name": _part_name(error, reading.reader()),
            "character": (error.position or 0) + 1,
        }
        raise ValidationError(message, code=error.code, params=params) from error


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


def _for_visitors(error: InvalidURL | UnknownScheme, length: int, schemes: tuple[str, ...]) -> Any:
    """Return the one sentence that visitors read, which `params` complete."""
    if error.part == "scheme" or isinstance(error, UnknownScheme):
        if schemes:
            return gettext_lazy("Enter a URL that begins with %(schemes)s")
        return gettext_lazy("Enter a URL that begins with a known scheme, such as https://")
    if error.code == "userinfo-not-allowed":
        return gettext_lazy("Enter a URL without a user name and password.")
    if error.part is None:
        return gettext_lazy("Enter a valid URL.")
    if error.position is None or error.position >= length:
        return gettext_lazy("Enter a valid URL: check its %(part_name)s.")
    return gettext_lazy("Enter a valid URL: check its %(part_name)s at character %(character)d.")


def _count_characters(validators: Iterable[Any]) -> None:
    """Make validators of lengths count the characters of URLs."""
    for each in validators:
        if isinstance(each, MaxLengthValidator | MinLengthValidator):
            each.clean = lambda x: len(str(x))  # type: ignore[method-assign]


class URLJSONEncoder(DjangoJSONEncoder):
    """Writes URLs as their text: `JsonResponse(data, encoder=URLJSONEncoder)`."""

    def default(self, o: Any) -> Any:
        """Return what is written for an object."""
        return str(o) if isinstance(o, URL) else super().default(o)


class URLFormField(forms.CharField):
    """The field of a form that takes a URL of `schemes`, or of every installed scheme if none is named.

    With `fix`, text is repaired as by `urlschemes_lint.fix`; with `normalize`, the URL is in its normal form.
    `error_messages` has texts by the codes of errors, or one for all of them under "invalid". Raises UnknownScheme for
    a scheme that is not installed, PluginError for such a profile.
    """

    widget = forms.URLInput

    def __init__(
        self, *schemes: str, profile: str | None = None, fix: bool = False, normalize: bool = False, **options: Any
    ) -> None:
        self.reading = _Reading(scheme_names(schemes), _checked(profile), fix, normalize)
        self.reading.reader()
        super().__init__(**options)
        _count_characters(self.validators)

    def to_python(self, value: Any) -> Any:
        """Return the URL, None for no value. Raises ValidationError."""
        return _parse(super().to_python(value), self.reading, self.error_messages)

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Return True if `data` is another URL than `initial`, which may be text."""
        with suppress(ValidationError):
            initial = self.to_python(initial)
        return super().has_changed(initial, data)


class _Attribute(DeferredAttribute):
    """The attribute of a model for a field: a valid text that is assigned to it becomes a URL."""

    field: URLField

    def __set__(self, instance: models.Model, value: Any) -> None:
        instance.__dict__[self.field.attname] = self.field.from_db_value(value) if isinstance(value, str) else value

    def __delete__(self, instance: models.Model) -> None:  # then Django reads it again
        del instance.__dict__[self.field.attname]


class URLField(Field):
    """The field of a model that holds a URL of `schemes`, or of every installed scheme if none is named.

    The text of such a URL may be assigned, and becomes a URL. Any other text stays a str, also one that is read from
    the database; validating or writing it raises ValidationError. The column is text of any length, unless there is a
    `max_length`. No URL is None; with `blank` and without `null`, the column holds an empty text for it. The values of
    `choices` are text.

    `fix` and `normalize` are those of the form's field. They change what is validated, written and looked up, and
    nothing that the database holds already.
    """

    description = "URL"
    empty_strings_allowed = False
    descriptor_class = _Attribute

    def __init__(
        self, *schemes: str, profile: str | None = None, fix: bool = False, normalize: bool = False, **options: Any
    ) -> None:
        self.reading = _Reading(scheme_names(schemes), _checked(profile), fix, normalize)
        super().__init__(**options)
        _count_characters(self.validators)

    def get_internal_type(self) -> str:
        """Return the kind of the column: text, which is bounded only if there is a `max_length`."""
        return "TextField" if self.max_length is None else "CharField"

    @property
    def flatchoices(self) -> list[tuple[URL | None, Any]]:
        """The choices without groups, each with its URL, for what displays a value."""
        return [(self.to_python(value), label) for value, label in super().flatchoices]

    def check(self, **options: Any) -> list[checks.CheckMessage]:
        """Return the errors of the field: also a scheme or a profile that is not installed."""
        found = [each for each in super().check(**options) if each.id != "fields.E120"]  # asks for a max_length
        try:
            self.reading.reader()
        except URLError as error:
            found.append(checks.Error(str(error.message), hint=error.hint, obj=self, id="urlschemes.E001"))
        return found

    def deconstruct(self) -> tuple[str, str, Sequence[Any], dict[str, Any]]:
        """Return the arguments, for migrations."""
        name, path, _, options = super().deconstruct()
        return name, path, self.reading.schemes, options | self.reading.options()

    def to_python(self, value: Any) -> URL | None:
        """Return the URL, None for no value. Raises ValidationError."""
        return _parse(value, self.reading, self.error_messages)

    def from_db_value(self, value: str | None, *_: Any) -> URL | str | None:
        """Return the URL that the database holds, or its text if that is no such URL."""
        reader = self.reading.reader()
        with suppress(InvalidURL, UnknownScheme):
            return reader.read(value) if value else None
        return value

    def get_prep_value(self, value: Any) -> str | None:
        """Return the text of the URL, which is checked."""
        url = super().get_prep_value(value)  # which calls to_python
        if url is None:
            return "" if self.blank and not self.null else None
        return str(url)

    def validate(self, value: Any, model_instance: Any) -> None:
        """Raise ValidationError for a URL that is none of the choices."""
        is_choice = value is not None and value in dict(self.flatchoices)
        super().validate(str(value) if is_choice else value, model_instance)  # Django compares texts

    def value_to_string(self, obj: models.Model) -> str:
        """Return the text of the URL, for serialization."""
        return str(self.value_from_object(obj) or "")

    def formfield(self, **options: Any) -> Any:
        """Return the field of forms."""
        defaults: dict[str, Any] = {
            "form_class": partial(URLFormField, *self.reading.schemes, **self.reading.options())
        }
        return super().formfield(**(defaults | options))
