"""A site of Django: URLs of bounded length in a model, its forms and its admin, in redirects, templates and JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, Literal, assert_type

import pytest

pytest.importorskip("django", reason="needs Django: python3 dev --group bridges pytest")

from django.contrib.admin import EmptyFieldListFilter, ModelAdmin, register, site
from django.contrib.admin.widgets import AdminURLFieldWidget
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.core import serializers
from django.core.exceptions import ValidationError
from django.core.validators import URLValidator
from django.db import IntegrityError, connection, models
from django.forms import ModelForm, modelform_factory
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.template import Context, Template
from django.test import RequestFactory, override_settings
from django.urls import path

from urlschemes import URL, InternetURL
from urlschemes_bridges.django import URLField, URLFormField, URLJSONEncoder
from urlschemes_lint import fix
from urlschemes_rfc3986 import parse

PAGE, BROKEN = "https://e.com/a?b=1&c=2", "https://e.com/a|b"


class Bookmark(models.Model):  # noqa: DJ008  nobody reads its name
    url = URLField("http", "https", profile="rfc3986", max_length=40, unique=True)
    other = URLField("http", profile="rfc3986", fix=True, normalize=True, null=True, blank=True)
    home = URLField("https", profile="rfc3986", blank=True)
    host = URLField[str | URL, InternetURL]("https", profile="rfc3986", default=PAGE)

    class Meta:
        app_label = "urlschemes_bridges"


@register(Bookmark)
class BookmarkAdmin(ModelAdmin):  # type: ignore[type-arg]  # not generic where Django runs
    list_display = ("url",)
    list_filter = ("home", ("home", EmptyFieldListFilter))


urlpatterns = [path("", site.urls)]
Form: Any = modelform_factory(Bookmark, fields=["url", "other"])


def add(request: HttpRequest) -> HttpResponse:
    form: ModelForm[Bookmark] = Form(request.POST)
    if not form.is_valid():
        return JsonResponse(form.errors, status=400)
    return redirect(form.save().url)  # type: ignore[call-overload, no-any-return]  # the import adds what it needs


def links(request: HttpRequest) -> HttpResponse:
    return JsonResponse({"links": list(Bookmark.objects.values("url", "other"))}, encoder=URLJSONEncoder)


def post(**values: str) -> HttpResponse:
    return add(RequestFactory().post("/", values))


@pytest.fixture(autouse=True)
def tables() -> Iterator[None]:
    with connection.schema_editor() as editor:
        editor.create_model(Bookmark)
        editor.create_model(ContentType)  # for the admin
    yield
    with connection.schema_editor() as editor:
        editor.delete_model(Bookmark)
        editor.delete_model(ContentType)
    connection.close()


def test_a_url_goes_from_a_form_to_a_redirect_and_into_json() -> None:
    response = post(url=PAGE, other="HTTP://E.com/a b")
    assert (response.status_code, response["Location"]) == (302, PAGE)
    assert json.loads(links(RequestFactory().get("/")).content) == {
        "links": [{"url": PAGE, "other": "http://e.com/a%20b"}]
    }
    assert Bookmark.objects.filter(other="http://e.com:80/a b").exists()
    assert Bookmark.objects.create(url=PAGE + "d", other="HTTP://E.com/a b").other == parse("http://e.com/a%20b")
    Bookmark.objects.get(url=PAGE + "d").delete()
    assert json.loads(post(url=PAGE).content) == {"url": ["Bookmark with this Url already exists."]}
    template = Template('<a href="{{ link.url }}">{{ link.url.host }}</a>')
    assert (
        template.render(Context({"link": Bookmark.objects.get()}))
        == f'<a href="{PAGE.replace("&", "&amp;")}">e.com</a>'
    )
    text = Template(
        '{{ url|stringformat:"s"|slice:":5" }}{% if "a?" in url|stringformat:"s" %} with a query{% endif %}'
    )
    assert text.render(Context({"url": parse(PAGE)})) == "https with a query"


def test_type_checkers_know_which_values_may_be_missing() -> None:
    bookmark = Bookmark(url=PAGE)
    assert_type(bookmark.url, URL)
    assert_type(bookmark.other, URL | None)
    assert_type(bookmark.home, URL | Literal[""])
    assert bookmark.host.host == "e.com"


@pytest.mark.parametrize("field", [URLField("http", "ftp"), URLFormField("http", "ftp")])
def test_validators_of_django_get_text(field: Any) -> None:
    field.validators.append(URLValidator(["http"]))
    arguments = (None,) if isinstance(field, models.Field) else ()
    assert str(field.clean("http://h.dom/", *arguments)) == "http://h.dom/"
    with pytest.raises(ValidationError, match="Enter a valid URL"):
        field.clean("ftp://h.dom/", *arguments)


def test_the_validators_of_a_field_check_text() -> None:  # a serializer of Django REST framework has only these
    field: Any = Bookmark._meta.get_field("url")
    field.run_validators(PAGE)
    with pytest.raises(ValidationError, match="its path must not contain"):
        field.run_validators(BROKEN)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("https://e.com/a|b", 'Enter a valid URL: its path must not contain "|" (character 16).'),
        ("https://e.com/a b", "Enter a valid URL: its path must not contain a blank (character 16)."),
        ("https://é.com/", 'Enter a valid URL: its host must not contain "é" (character 9).'),
        ("https://e.com/a\u200bb", "Enter a valid URL: its path must not contain U+200B (character 16)."),
        ("https://e.com/%zz", "Enter a valid URL: check its path at character 15."),
        ("https://", "Enter a valid URL: check its host."),
        ("https://me:secret@e.com/", "Enter a URL without a user name and password."),
        ("javascript:alert(1)", "Enter a URL that begins with http:// or https://"),
        ("e.com", "Enter a URL that begins with http:// or https://"),
        ("https://e.com/" + "a" * 30, "Ensure this value has at most 40 characters (it has 44)."),
    ],
)
def test_a_visitor_reads_one_sentence(text: str, message: str) -> None:
    response = post(url=text)
    assert (response.status_code, json.loads(response.content)) == (400, {"url": [message]})
    with pytest.raises(ValidationError) as caught:
        Bookmark(url=text).full_clean()
    assert caught.value.message_dict == {"url": [message]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("htp://e.com/", "Enter a URL that begins with a known scheme, such as https://"),
        ("mailto:a b@e.com", "Enter a valid URL: its addresses must not contain a blank (character 9)."),
        ("ftp://me:s|x@e.com/", "Enter a valid URL: check its password at character 11."),
        ("http:" + "a" * 70_000, "Enter a valid URL."),
    ],
)
def test_a_visitor_learns_what_is_known_of_other_schemes(text: str, message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        URLFormField(profile="rfc3986").clean(text)
    assert caught.value.messages == [message]


@pytest.mark.parametrize(
    ("messages", "shown"),
    [
        ({"invalid": "No URL."}, "No URL."),
        ({"invalid-part": "Wrong %(part)s!", "invalid": "No URL."}, "Wrong article!"),
        ({"invalid": "%(message)s"}, "invalid article 'x' at position 11: expected a digit; an article is a number"),
    ],
)
def test_a_site_has_messages_of_its_own(messages: dict[str, str], shown: str) -> None:
    with pytest.raises(ValidationError) as caught:
        URLFormField("nntp", error_messages=messages).clean("nntp://h/a/x")
    assert caught.value.messages[0].startswith(shown)


@pytest.mark.parametrize(
    ("text", "code"), [("http://u:secret@e.com/a b", "userinfo-not-allowed"), ("htp://e.com/ ", "invalid-scheme")]
)
def test_what_has_no_one_repair_is_an_error_about_what_was_given(text: str, code: str) -> None:
    with pytest.raises(ValidationError) as caught:
        URLFormField("http", profile="rfc3986", fix=True).clean(text)
    assert caught.value.error_list[0].code == code


@pytest.mark.parametrize(("text", "place"), [("http://2130706433/", " at character 8"), ("HTTP://2130706433:80", "")])
def test_what_check_warns_of_is_refused(text: str, place: str) -> None:
    field = URLField("http", profile="rfc3986", normalize=True, warnings="error")
    for each in (field, field.formfield()):
        with pytest.raises(ValidationError) as caught:
            each.to_python(text)
        assert caught.value.messages == [f"Enter a valid URL: check its host{place}."]
    assert isinstance(field.from_db_value(text), URL)


@pytest.mark.parametrize(
    ("scheme", "beginning"),
    [("https", "https://"), ("file", "file://"), ("mailto", "mailto:"), ("news", "news:"), ("tel", "tel:")],
)
def test_what_urls_begin_with_is_what_to_write(scheme: str, beginning: str) -> None:
    with pytest.raises(ValidationError, match=f"^..Enter a URL that begins with {beginning}..$"):
        URLFormField(scheme, profile="rfc3986").clean("e.com")


def insert(url: str, other: str | None = None) -> None:
    """Write a row as another program does, without a check."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO urlschemes_bridges_bookmark (url, other, home, host) VALUES (%s, %s, '', %s)",
            [url, other, PAGE],
        )


def test_what_is_stored_is_read_as_it_is() -> None:
    insert(PAGE, "HTTP://E.com/")
    insert(BROKEN, "HTTP://E.com/a b")
    assert [str(each.other) for each in Bookmark.objects.all()] == ["HTTP://E.com/", "HTTP://E.com/a b"]
    assert list(Bookmark.objects.values_list("url", flat=True)) == [parse(PAGE), BROKEN]
    assert BROKEN in serializers.serialize("json", Bookmark.objects.all())


def test_rows_that_are_no_urls_are_found_and_repaired() -> None:
    insert(PAGE)
    insert(BROKEN)
    rows: Any = Bookmark.objects.all()
    (found,) = [each for each in rows if isinstance(each.url, str)]
    with pytest.raises(ValidationError, match="its path must not contain"):
        found.save()
    found.url = fix(found.url, profile="rfc3986").url
    found.save()
    assert {str(each) for each in Bookmark.objects.values_list("url", flat=True)} == {PAGE, "https://e.com/a%7Cb"}


def shown(view: Callable[..., Any], *arguments: str, path: str = "/", **data: str) -> str:
    """Return the page of the admin."""
    request = RequestFactory().post(path, data) if data else RequestFactory().get(path)
    request.user = User(is_superuser=True)
    request._dont_enforce_csrf_checks = True  # type: ignore[attr-defined]
    return str(view(request, *arguments).render().content, "utf-8")


@override_settings(ROOT_URLCONF=__name__)
@pytest.mark.parametrize(
    ("query", "found"),
    [("?home=", True), ("?home__isempty=1", True), ("?home__isempty=0", False), ("?home=https://h/", False)],
)
def test_a_filter_of_the_admin_finds_empty_fields(query: str, found: bool) -> None:
    insert(PAGE)
    pages = site.get_model_admin(Bookmark)
    assert '"?home="' in shown(pages.changelist_view)
    assert ("1 bookmark" in shown(pages.changelist_view, path=f"/{query}")) is found


def test_the_admin_shows_links_where_it_is_asked_to() -> None:
    class LinkAdmin(ModelAdmin):  # type: ignore[type-arg]  # not generic where Django runs
        formfield_overrides = {URLField: {"widget": AdminURLFieldWidget}}  # noqa: RUF012  as in Django

    form: Any = LinkAdmin(Bookmark, site).get_form(RequestFactory().get("/"))
    assert f'Currently: <a href="{PAGE.replace("&", "&amp;")}">' in str(form(instance=Bookmark(url=PAGE)))


@override_settings(ROOT_URLCONF=__name__)
def test_the_admin_shows_rows_that_are_no_urls_and_says_what_is_wrong() -> None:
    insert(BROKEN)
    pages = site.get_model_admin(Bookmark)
    assert f">{BROKEN}</a>" in shown(pages.changelist_view)
    assert f'value="{BROKEN}"' in shown(pages.change_view, "1")
    assert "its path must not contain &quot;|&quot;" in shown(pages.change_view, "1", url=BROKEN)


def test_the_column_is_as_long_as_the_model_says() -> None:
    with connection.cursor() as cursor:
        columns = connection.introspection.get_table_description(cursor, Bookmark._meta.db_table)
    assert {each.name: each.type_code for each in columns} == {
        "id": "INTEGER",
        "url": "varchar(40)",
        "other": "TEXT",
        "home": "TEXT",
        "host": "TEXT",
    }
    Bookmark.objects.create(url=PAGE)
    with pytest.raises(IntegrityError):
        Bookmark.objects.create(url=PAGE)
    assert Bookmark.check() == []


def test_a_text_of_a_column_without_a_bound_needs_no_max_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection.features, "supports_unlimited_charfield", False)  # as in MySQL
    assert Bookmark.check() == []


def test_forms_and_the_admin_have_one_line() -> None:
    assert '<input type="url" name="url" maxlength="40" required' in str(Form())
    admin_form = BookmarkAdmin(Bookmark, site).get_form(RequestFactory().get("/"))
    assert '<input type="text" name="url" class="vTextField" maxlength="40" required' in str(admin_form())
    assert "textarea" not in str(admin_form())
