"""URL fields of Django: models in a SQLite database, forms, migrations, serialization."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("django", reason="needs Django: python3 dev --group bridges pytest")

from django.core import serializers
from django.core.exceptions import ValidationError
from django.db import connection, models
from django.db.migrations.writer import MigrationWriter
from django.db.utils import IntegrityError
from django.forms import modelform_factory

import urlschemes
from urlschemes import Registry, URLError
from urlschemes_bridges.django import URLField, URLFormField

NEWS, ARTICLE = "news:comp.lang.python", "nntp://host.dom/misc.test/7"


class Feed(models.Model):  # noqa: DJ008  nobody reads its name
    source = URLField("NNTP", "news", verbose_name="the source")
    mirror = URLField(null=True, blank=True, unique=True)
    about = URLField(blank=True)
    kind = URLField(choices=[(NEWS, "Python"), ("More", [("news:*", "All")])], default=NEWS)

    class Meta:
        app_label = "urlschemes_bridges"


@pytest.fixture(autouse=True)
def table() -> Iterator[None]:
    with connection.schema_editor() as editor:
        editor.create_model(Feed)
    yield
    with connection.schema_editor() as editor:
        editor.delete_model(Feed)
    connection.close()


def test_a_url_comes_back_as_it_was_written() -> None:
    Feed.objects.create(source=NEWS, mirror=urlschemes.parse("ftp://host.dom/a%20b"))
    Feed.objects.create(source=urlschemes.parse(ARTICLE))
    first, second = Feed.objects.order_by("id")
    assert (first.source, first.mirror) == (urlschemes.parse(NEWS), urlschemes.parse("ftp://host.dom/a%20b"))
    assert (second.source, second.mirror) == (urlschemes.parse(ARTICLE), None)
    assert type(second.source) is type(urlschemes.parse(ARTICLE))


def test_urls_and_texts_are_looked_up() -> None:
    Feed.objects.create(source=NEWS)
    for lookup in ({"source": NEWS}, {"source__in": [urlschemes.parse(NEWS)]}, {"source__contains": "lang"}):
        assert Feed.objects.filter(**lookup).count() == 1
    with pytest.raises(ValidationError) as caught:
        Feed.objects.filter(source="lang").exists()
    assert isinstance(caught.value, ValueError)  # Django REST framework then says it once, where a field is unique


def test_nothing_else_is_written_or_valid() -> None:
    message = "Enter a valid URL: check its article at character 27."
    wrong = {"source": "nntp://host.dom/misc.test/x"}
    with pytest.raises(ValidationError, match=message) as caught:
        Feed.objects.create(**wrong)
    assert caught.value.code == "invalid-part"
    assert caught.value.params == {
        "message": "invalid article 'x' at position 26: expected a digit; an article is a number in decimal digits",
        "position": 26,
        "character": 27,
        "part": "article",
        "part_name": "article",
        "found": None,
        "section": "RFC 1738 section 5",
        "hint": "an article is a number in decimal digits",
        "schemes": "news: or nntp://",
        "value": "nntp://host.dom/misc.test/x",
    }
    with pytest.raises(ValidationError) as caught:
        Feed(**wrong).full_clean()
    form = modelform_factory(Feed, fields=["source"])(wrong)
    for errors in (caught.value.message_dict, form.errors):
        assert message in errors["source"][0]


def test_a_form_gives_urls_and_knows_what_changed() -> None:
    form_class = modelform_factory(Feed, fields=["source", "mirror"])
    form = form_class({"source": f" {NEWS} ", "mirror": ""})
    feed = form.save()
    assert (feed.source, feed.mirror) == (urlschemes.parse(NEWS), None)
    assert f'value="{NEWS}"' in str(form_class(instance=feed))
    assert not form_class({"source": NEWS}, instance=feed).has_changed()
    assert "This field is required." in form_class({}).errors["source"]


def test_choices_are_urls() -> None:
    feed = Feed(source=NEWS, kind="news:*")
    feed.full_clean()
    assert (str(feed.kind), feed.get_kind_display()) == ("news:*", "All")
    feed.save()
    form_class = modelform_factory(Feed, fields=["kind"])
    assert '<option value="news:*" selected>' in str(form_class(instance=feed))
    assert not form_class({"kind": "news:*"}, instance=feed).has_changed()
    assert form_class({"kind": NEWS}, instance=feed).save().kind == urlschemes.parse(NEWS)
    for wrong, shown in (("news:x", "news:x"), ("ftp://me:secret@host.dom/", "ftp://me:***@host.dom/")):
        with pytest.raises(ValidationError) as caught:
            Feed(source=NEWS, kind=wrong).full_clean()
        assert caught.value.message_dict == {"kind": [f"Value '{shown}' is not a valid choice."]}


def test_a_blank_field_that_is_not_null_holds_an_empty_text() -> None:
    form_class = modelform_factory(Feed, fields=["source", "about"])
    assert form_class({"source": NEWS, "about": ""}).save().about == ""
    with connection.cursor() as cursor:
        cursor.execute("SELECT about FROM urlschemes_bridges_feed")
        assert cursor.fetchall() == [("",)]
    assert Feed.objects.get(about="").about == ""


@pytest.mark.parametrize(
    ("initial", "data", "changed"),
    [(NEWS, NEWS, False), (NEWS, f" {NEWS} ", False), (NEWS, "", True), (None, "", False), ("x", NEWS, True)],
)
def test_a_field_of_a_form_knows_what_changed(initial: str | None, data: str, changed: bool) -> None:
    assert URLFormField().has_changed(initial, data) is changed


def test_a_message_of_the_program_has_the_value_without_its_password() -> None:
    field = URLFormField("http", error_messages={"invalid": "“%(value)s” is no link"})
    with pytest.raises(ValidationError, match=r"“http://me:\*\*\*@host.dom/” is no link"):
        field.clean("http://me:secret@host.dom/")


def test_a_message_of_the_program_names_nothing_that_only_the_program_can_do() -> None:
    field = URLFormField("http", error_messages={"invalid": "%(message)s"})
    with pytest.raises(ValidationError, match=r"end with a letter or digit[^;]*$"):
        field.clean("http://-/")


def test_no_url_is_null() -> None:
    for missing in (None, ""):
        with pytest.raises(IntegrityError):
            Feed.objects.create(source=missing)
    with pytest.raises(IntegrityError):
        Feed.objects.create()


@pytest.mark.parametrize(
    ("given", "source", "mirror", "about"),
    [
        ({"mirror": "", "about": None}, NEWS, None, ""),
        ({"mirror": ARTICLE, "about": urlschemes.parse(NEWS)}, NEWS, ARTICLE, NEWS),
    ],
)
def test_a_saved_object_has_what_its_row_has(given: Any, source: str, mirror: str | None, about: str) -> None:
    for each in (Feed.objects.create(source=source, **given), Feed.objects.get()):
        assert (each.source, each.mirror, each.about) == tuple(
            urlschemes.parse(text) if text else text for text in (source, mirror, about)
        )


def test_what_is_assigned_becomes_a_url_if_it_is_one() -> None:
    feed: Any = Feed(source=NEWS, about="news:no group")
    assert (feed.source, feed.mirror, feed.about) == (urlschemes.parse(NEWS), None, "news:no group")
    assert Feed.objects.create(source=ARTICLE).source == urlschemes.parse(ARTICLE)
    feed = Feed.objects.defer("source").get()
    assert feed.source == urlschemes.parse(ARTICLE)
    feed.source = NEWS
    assert feed.source == urlschemes.parse(NEWS)
    del feed.source
    assert feed.source == urlschemes.parse(ARTICLE)
    feed.source = models.F("mirror")
    assert isinstance(feed.source, models.F)


@pytest.mark.parametrize(
    ("schemes", "profile", "message", "hint"),
    [
        (["http"], "rfc3968", "the profile rfc3968 is not installed", "did you mean rfc3986?"),
        (["htp"], None, "no scheme is registered as 'htp'", "did you mean http"),
    ],
)
def test_what_is_not_installed_is_found_by_the_system_checks(
    schemes: list[str], profile: str | None, message: str, hint: str
) -> None:
    field = URLField(*schemes, profile=profile)
    field.set_attributes_from_name("source")
    field.model = Feed
    (error,) = field.check()
    assert (error.id, message in error.msg, hint in error.hint) == ("urlschemes.E001", True, True)
    with pytest.raises(URLError, match=message):  # not a ValidationError, which visitors would see
        field.to_python("http://h/")
    with pytest.raises(URLError, match=message):
        field.from_db_value("http://h/")
    with pytest.raises(URLError, match=message):
        URLFormField(*schemes, profile=profile)
    assert Feed.check() == []


@pytest.mark.parametrize(
    ("choice", "code", "hint"),
    [("HTTP://H.dom", "E002", "write 'http://h.dom/'"), ("http://-/", "E001", "labels hold letters"), ("", None, "")],
)
def test_a_choice_that_is_not_as_its_values_are_is_found_by_the_system_checks(
    choice: str, code: str | None, hint: str
) -> None:
    field = URLField("http", normalize=True, choices=[("http://h.dom/a", "A"), ("More", [(choice, "B")])])
    field.set_attributes_from_name("source")
    field.model = Feed
    found = field.check()
    assert [each.id for each in found] == ([f"urlschemes.{code}"] if code else [])
    assert all(hint in str(each.hint) for each in found)


def test_an_empty_text_is_null_from_the_start() -> None:
    Feed.objects.create(source=NEWS, mirror="")
    feed = Feed(source=NEWS, mirror="")
    feed.full_clean(exclude=["about"])
    assert feed.mirror is None


@pytest.mark.parametrize("value", ["always", ["x"], None])
def test_another_value_of_warnings_is_an_error_where_the_field_is_defined(value: Any) -> None:
    for kind in (URLField, URLFormField):
        with pytest.raises(ValueError, match=r'^warnings must be "error" or "ignore", not '):
            kind("http", warnings=value)


@pytest.mark.parametrize("profile", ["", Registry(), 3986])
def test_a_profile_is_a_name(profile: Any) -> None:
    for kind in (URLField, URLFormField):
        with pytest.raises(TypeError, match='profile must be the name of a profile, such as "rfc3986"'):
            kind("http", profile=profile)


def test_migrations_and_fixtures_hold_what_makes_the_field_and_its_value() -> None:
    text, imports = MigrationWriter.serialize(Feed._meta.get_field("source"))
    assert text == "urlschemes_bridges.django.URLField('news', 'nntp', verbose_name='the source')"
    assert imports == {"import urlschemes_bridges.django"}
    text, _ = MigrationWriter.serialize(
        URLField("http", profile="rfc3986", fix=True, normalize=False, warnings="error")
    )
    assert text == "urlschemes_bridges.django.URLField('http', fix=True, profile='rfc3986', warnings='error')"
    Feed.objects.create(source=NEWS)
    dumped = serializers.serialize("json", Feed.objects.all())
    assert f'"source": "{NEWS}", "mirror": null' in dumped
    (loaded,) = serializers.deserialize("json", dumped)
    assert loaded.object.source == urlschemes.parse(NEWS)
