"""A model field for Django that holds URLs.

    class Feed(models.Model):
        source = URLField("nntp", "news")

Nothing but a URL of the named schemes is written or passes a form, and what is read is a parsed URL. With
`profile="rfc3986"`, URLs are those of that profile. The system checks of Django name a scheme or a profile that is not
installed. A field has the name of a profile, and no registry, since migrations hold its arguments as text.
"""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Any

from django import forms
from django.core import checks
from django.core.exceptions import ValidationError
from django.db import models

from urlschemes import URL, InvalidURL, Registry, UnknownScheme, URLError, default_registry

if TYPE_CHECKING:
    from collections.abc import Sequence

    Field = models.TextField[URL | str | None, URL | None]
else:
    Field = models.TextField  # not generic where Django runs

__all__ = ["URLField", "URLFormField"]


@cache
def _registry(schemes: tuple[str, ...], profile: str | None) -> Registry:
    """Return the registry of a profile. Raises PluginError without it, UnknownScheme without a scheme."""
    registry = default_registry if profile is None else default_registry.in_profile(profile)
    for name in schemes:
        registry.registration(name)
    return registry


def _checked(profile: object) -> str | None:
    """Return the argument `profile` of a field. Raises TypeError for what is not the name of one."""
    if profile is None or (isinstance(profile, str) and profile):
        return profile
    raise TypeError(f'profile must be the name of a profile, such as "rfc3986", not {profile!r}')


def _parse(value: Any, schemes: tuple[str, ...], profile: str | None) -> URL | None:
    """Return the URL, None for no value. Raises ValidationError with the message of `parse`."""
    if value is None or value == "":
        return None
    registry = _registry(schemes, profile)
    try:
        url = registry.parse(str(registry.convert(value) if isinstance(value, URL) else value))
    except (InvalidURL, UnknownScheme) as error:
        params = {"position": error.position, "part": error.part, "hint": error.hint}
        raise ValidationError(str(error).replace("%", "%%"), code=error.code, params=params) from error
    if schemes and url.scheme not in schemes:
        message = "scheme %(scheme)r at position 0: expected one of %(schemes)s"
        raise ValidationError(message, code="scheme", params={"scheme": url.scheme, "schemes": ", ".join(schemes)})
    return url


class URLFormField(forms.CharField):
    """The field of a form that takes a URL of `schemes`, or of every installed scheme if none is named.

    Raises UnknownScheme for a scheme that is not installed, PluginError for such a profile.
    """

    def __init__(self, *schemes: str, profile: str | None = None, **options: Any) -> None:
        self.schemes = tuple(sorted(map(str.lower, schemes)))
        self.profile = _checked(profile)
        _registry(self.schemes, self.profile)
        super().__init__(**options)

    def to_python(self, value: Any) -> Any:
        """Return the URL, None for no value. Raises ValidationError."""
        return _parse(super().to_python(value), self.schemes, self.profile)


class URLField(Field):
    """The field of a model that holds a URL of `schemes`, or of every installed scheme if none is named.

    A str may be assigned; validation and reading from the database make a URL of it. Writing what is not such a URL
    raises ValidationError.
    """

    description = "URL"
    empty_strings_allowed = False  # no URL is NULL

    def __init__(self, *schemes: str, profile: str | None = None, **options: Any) -> None:
        self.schemes = tuple(sorted(map(str.lower, schemes)))
        self.profile = _checked(profile)
        super().__init__(**options)

    def check(self, **options: Any) -> list[checks.CheckMessage]:
        """Return the errors of the field: also a scheme or a profile that is not installed."""
        found = super().check(**options)
        try:
            _registry(self.schemes, self.profile)
        except URLError as error:
            found.append(checks.Error(str(error.message), hint=error.hint, obj=self, id="urlschemes.E001"))
        return found

    def deconstruct(self) -> tuple[str, str, Sequence[Any], dict[str, Any]]:
        """Return the arguments, for migrations."""
        name, path, _, options = super().deconstruct()
        return name, path, self.schemes, options if self.profile is None else {**options, "profile": self.profile}

    def to_python(self, value: Any) -> URL | None:
        """Return the URL, None for no value. Raises ValidationError."""
        return _parse(value, self.schemes, self.profile)

    def from_db_value(self, value: str | None, *_: Any) -> URL | None:
        """Return the URL that the database holds. Raises ValidationError."""
        return self.to_python(value)

    def get_prep_value(self, value: Any) -> str | None:
        """Return the text of the URL, which is checked."""
        url = super().get_prep_value(value)  # which calls to_python
        return None if url is None else str(url)

    def value_to_string(self, obj: models.Model) -> str:
        """Return the text of the URL, for serialization."""
        return self.get_prep_value(self.value_from_object(obj)) or ""

    def formfield(self, **options: Any) -> Any:
        """Return the field of forms."""
        form_class = partial(URLFormField, *self.schemes, profile=self.profile)
        defaults = {"form_class": form_class, "max_length": None, "widget": forms.TextInput}
        return super().formfield(**{**defaults, **options})
