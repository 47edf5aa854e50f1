"""A site of Django: URLs of bounded length in a model, its forms and its admin, in redirects, templates and JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("django", reason="needs Django: python3 dev --group bridges pytest")

from django.contrib.admin import ModelAdmin, site
from django.core.exceptions import ValidationError
from django.db import IntegrityError, connection, models
from django.forms import ModelForm, modelform_factory
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.template import Context, Template
from django.test import RequestFactory

from urlschemes_bridges.django import URLField, URLFormField, URLJSONEncoder

PAGE = "https://e.com/a?b=1&c=2"


class Bookmark(models.Model):  # noqa: DJ008  nobody reads its name
    url = URLField("http", "https", profile="rfc3986", max_length=40, unique=True)
    other = URLField("http", profile="rfc3986", fix=True, normalize=True, null=True, blank=True)

    class Meta:
        app_label = "urlschemes_bridges"


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
def table() -> Iterator[None]:
    with connection.schema_editor() as editor:
        editor.create_model(Bookmark)
    yield
    with connection.schema_editor() as editor:
        editor.delete_model(Bookmark)
    connection.close()


def test_a_url_goes_from_a_form_to_a_redirect_and_into_json() -> None:
    response = post(url=PAGE, other="HTTP://E.com/a b")
    assert (response.status_code, response["Location"]) == (302, PAGE)
    assert json.loads(links(RequestFactory().get("/")).content) == {
        "links": [{"url": PAGE, "other": "http://e.com/a%20b"}]
    }
    assert Bookmark.objects.filter(other="http://e.com:80/a b").exists()
    assert json.loads(post(url=PAGE).content) == {"url": ["Bookmark with this Url already exists."]}
    template = Template('<a href="{{ link.url }}">{{ link.url.host }}</a>')
    assert (
        template.render(Context({"link": Bookmark.objects.get()}))
        == f'<a href="{PAGE.replace("&", "&amp;")}">e.com</a>'
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("https://e.com/a|b", "Enter a valid URL: check its path at character 16."),
        ("https://", "Enter a valid URL: check its host."),
        ("https://me:secret@e.com/", "Enter a URL without a user name and password."),
        ("javascript:alert(1)", "Enter a URL that begins with http: or https:"),
        ("e.com", "Enter a URL that begins with http: or https:"),
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
        ("htp://e.com/", "Enter a URL that begins with a known scheme, such as https:"),
        ("mailto:a b@e.com", "Enter a valid URL: check its addresses at character 9."),
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


def test_what_is_stored_is_read_as_it_is() -> None:
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO urlschemes_bridges_bookmark VALUES (1, %s, 'HTTP://E.com/')", [PAGE])
    assert str(Bookmark.objects.get().other) == "HTTP://E.com/"


def test_the_column_is_as_long_as_the_model_says() -> None:
    with connection.cursor() as cursor:
        columns = connection.introspection.get_table_description(cursor, Bookmark._meta.db_table)
    assert {each.name: each.type_code for each in columns} == {"id": "INTEGER", "url": "varchar(40)", "other": "TEXT"}
    Bookmark.objects.create(url=PAGE)
    with pytest.raises(IntegrityError):
        Bookmark.objects.create(url=PAGE)
    assert Bookmark.check() == []


def test_a_text_of_a_column_without_a_bound_needs_no_max_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection.features, "supports_unlimited_charfield", False)  # as in MySQL
    assert Bookmark.check() == []


def test_forms_and_the_admin_have_one_line() -> None:
    assert '<input type="url" name="url" maxlength="40" required' in str(Form())
    admin_form = ModelAdmin(Bookmark, site).get_form(RequestFactory().get("/"))
    assert '<input type="text" name="url" class="vTextField" maxlength="40" required' in str(admin_form())
    assert "textarea" not in str(admin_form())
