"""URLs as fields of pydantic models."""

from __future__ import annotations

import copy
import json
import pickle
import re
from typing import Annotated, Any

import pytest

pytest.importorskip("pydantic", reason="needs pydantic: python3 dev --group bridges pytest")

from jsonschema import Draft202012Validator
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

import urlschemes
from urlschemes import URL, InternetURL, InvalidURL, PluginError, Registry, UnknownScheme
from urlschemes_bridges.chosen_schemes import ChosenSchemes
from urlschemes_bridges.pydantic import Schemes
from urlschemes_ftp import FtpURL
from urlschemes_http import HttpURL
from urlschemes_http.rfc3986 import HttpURI
from urlschemes_https.rfc3986 import HttpsURI
from urlschemes_mailto import MailtoURL

FTP, HTTP, NEWS = "ftp://host.dom/a%20b", "http://host.dom/", "news:comp.lang.python"
MODERN, TODAY = Registry(profile="rfc3986"), "http://[::1]/~a#b"
Web = Annotated[URL, Schemes("HTTP", "https")]
Modern = Annotated[URL, Schemes("http", registry=MODERN)]


class Mirror(BaseModel):
    source: FtpURL
    page: Web | None = None
    groups: dict[URL, int] = {}


def failure(kind: Any, value: object, **options: Any) -> dict[str, Any]:
    """Return the one error for a value."""
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(kind).validate_python(value, **options)
    [error] = caught.value.errors()
    return dict(error)


@pytest.mark.parametrize(
    ("kind", "url"),
    [(kind, urlschemes.parse(FTP)) for kind in (FtpURL, InternetURL, URL, Annotated[URL, Schemes("ftp")])]
    + [(kind, MODERN.parse(TODAY)) for kind in (HttpURI, Annotated[HttpURI, Schemes("http")], Modern)],
)
def test_a_field_holds_a_url_of_its_scheme(kind: Any, url: URL) -> None:
    generic = urlschemes.default_registry.in_profile(url.syntax.profile).parse_generic(str(url))
    for value in (url, str(url), str(url).encode(), generic):
        found = TypeAdapter(kind).validate_python(value)
        assert (type(found), str(found)) == (type(url), str(url))


def test_a_url_that_fits_is_the_value_itself() -> None:
    url = urlschemes.parse(FTP)
    assert TypeAdapter(FtpURL).validate_python(url) is url
    assert TypeAdapter(FtpURL).validate_python(url, strict=True) is url


def test_a_model_is_written_and_read() -> None:
    given = {"source": FTP, "page": HTTP, "groups": {NEWS: 7}}
    mirror = Mirror.model_validate(given)
    assert mirror.model_dump(mode="json") == json.loads(mirror.model_dump_json()) == given
    assert mirror.model_dump()["source"] is mirror.source
    assert Mirror.model_validate_json(mirror.model_dump_json()) == mirror
    assert copy.deepcopy(mirror) == pickle.loads(pickle.dumps(mirror)) == mirror


def test_text_is_written_with_its_password() -> None:
    assert json.loads(Mirror(source="ftp://joe:secret@h/").model_dump_json())["source"] == "ftp://joe:secret@h/"


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (FtpURL, "ftp://host.dom:x/"),
        (FtpURL, "ftp://host.dom/;type=x"),
        (FtpURL, "ftp://h/{message}{code}{part}"),
        (FtpURL, HTTP),
        (URL, "news:a b"),
        (URL, "htp://host.dom/"),
        (InternetURL, NEWS),
        (Web, "https://-/"),
        (Web, FTP),
    ],
)
def test_an_error_is_that_of_parse(kind: Any, text: str) -> None:
    parse = {FtpURL: FtpURL.parse, Web: ChosenSchemes("http", "https").read}.get(
        kind, lambda text: urlschemes.default_registry.parse(text, kind)
    )
    with pytest.raises((InvalidURL, UnknownScheme)) as caught:
        parse(text)
    expected = caught.value
    error = failure(kind, text)
    message = str(expected).replace('; Registry(profile="rfc3986") reads it', "")  # which only the program can do
    assert (error["type"], error["msg"], error["input"]) == (expected.code, message, text)
    names = ("code", "position", "span", "part", "section", "rule", "scheme", "hint")
    present = {name: value for name in names if (value := getattr(expected, name, None)) is not None}
    assert error["ctx"] == {**present, "message": message}


@pytest.mark.parametrize("value", ["https://h/", urlschemes.parse("https://h/")], ids=["text", "url"])
def test_a_field_of_http_holds_no_url_of_https_in_either_form(value: object) -> None:
    assert failure(HttpURL, value)["msg"] == "invalid scheme 'https' at position 0: expected http"


@pytest.mark.parametrize("value", [7, None, ["ftp://h/"]])
def test_other_values_are_errors_of_pydantic(value: object) -> None:
    assert failure(FtpURL, value)["type"] == "string_type"


@pytest.mark.parametrize(
    "value",
    [
        "ftp://joe:secret@host.dom:x/",
        "http://joe:secret@host.dom/",
        "ftp://joe:se@cret@h/",
        "ftp://joe:se cret@h/",
        "ftp:/joe:secret@h/",
        b"ftp://joe:secret@host.dom:x/",
        urlschemes.parse("telnet://joe:secret@host.dom/"),
    ],
)
@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("kind", [FtpURL, Web])
def test_no_error_shows_a_password(kind: Any, value: object, strict: bool) -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(kind).validate_python(value, strict=strict)
    for shown in (str(caught.value), repr(caught.value.errors()), caught.value.json()):
        assert "cret" not in shown
        assert "joe:***" in shown


def test_strict_code_gives_urls_and_strict_json_gives_text() -> None:
    class Strict(BaseModel):
        model_config = ConfigDict(strict=True)
        source: FtpURL

    assert Strict(source=urlschemes.parse(FTP)).source == Strict.model_validate_json(f'{{"source": "{FTP}"}}').source
    assert failure(Strict, {"source": FTP})["type"] == "is_instance_of"
    assert failure(Annotated[FtpURL, Field(strict=True)], FTP)["msg"] == "Input should be an instance of FtpURL"
    assert failure(FtpURL, urlschemes.parse(HTTP), strict=True)["type"] == "is_instance_of"
    assert failure(Web, urlschemes.parse(FTP), strict=True)["type"] == "invalid-scheme"


@pytest.mark.parametrize("mode", ["validation", "serialization"])
@pytest.mark.parametrize(
    ("kind", "names", "registry", "valid", "invalid"),
    [
        (FtpURL, [], None, [FTP, "FTP://h:21"], [HTTP, "ftp://h/;type=x", f"a{FTP}", "ftp://h/#a"]),
        (URL, ["http", "https"], None, [HTTP, "https://h"], [FTP, "http:/h", "http://h/ "]),
        (URL, [], None, [FTP, HTTP, NEWS], ["news", "news:a b", "a:%4"]),
        (HttpURI, [], None, [HTTP, TODAY], [FTP, "https://h/", "http://[::1/"]),
        (HttpURI, ["http", "https"], MODERN, [HTTP, "https://h/~"], [FTP, "http://[::1/"]),
        (URL, [], MODERN, [FTP, TODAY, "x:~#"], ["http://[::1/"]),
    ],
)
def test_the_json_schema_has_the_pattern_of_the_schemes_if_asked(
    kind: Any, names: list[str], registry: Registry | None, valid: list[str], invalid: list[str], mode: Any
) -> None:
    schemes = Schemes(*names, registry=registry, pattern=True)
    schema = TypeAdapter(Annotated[kind, schemes, Field(description="A thing.")]).json_schema(mode=mode)
    assert (schema["type"], schema["format"], schema["description"]) == ("string", "uri", "A thing.")
    assert all(map(Draft202012Validator(schema).is_valid, valid))
    assert not any(map(Draft202012Validator(schema).is_valid, invalid))


def test_a_url_of_another_profile_is_kept_unless_the_field_names_one() -> None:
    kind = Annotated[URL, Schemes(registry=MODERN)]
    url = TypeAdapter(kind).validate_python(urlschemes.parse(HTTP))
    assert (type(url), str(url)) == (MODERN["http"].url_type, HTTP)
    mail = MODERN.parse("mailto:a@b.c?subject=x")
    assert TypeAdapter(URL).validate_python(mail) is mail
    assert TypeAdapter(InternetURL).validate_python(MODERN.parse(TODAY)).fragment == "b"
    assert " at position 12: in RFC 1738, it is part of the address" in failure(MailtoURL, mail)["msg"]
    assert failure(FtpURL, MODERN.parse("ftp://h/~a"))["msg"] == failure(FtpURL, "ftp://h/~a")["msg"]
    for kind, text in ((MailtoURL, "mailto:a@b.c"), (FtpURL, FTP)):
        found = TypeAdapter(kind).validate_python(MODERN.parse(text))
        assert (type(found), str(found)) == (kind, text)


@pytest.mark.parametrize("kind", [FtpURL, URL])
def test_a_scheme_that_is_not_registered_is_an_error_when_the_field_is_defined(kind: Any) -> None:
    with pytest.raises(UnknownScheme, match="did you mean http or https"):
        TypeAdapter(Annotated[kind, Schemes("ftp", "htp")])


def test_schemes_of_what_is_no_url_type_are_an_error_when_the_field_is_defined() -> None:
    message = "Schemes('http') must annotate a URL type, as in Annotated[URL, Schemes('http')] | None: got "
    for kind in (URL | None, str, list[URL]):
        with pytest.raises(TypeError, match=re.escape(message)):
            TypeAdapter(Annotated[kind, Schemes("http")])


@pytest.mark.parametrize(("kind", "names"), [(FtpURL, ["ftp", "news"]), (InternetURL, ["news"]), (HttpsURI, ["http"])])
def test_a_type_that_urls_of_a_scheme_have_not_is_an_error_when_the_field_is_defined(
    kind: Any, names: list[str]
) -> None:
    registry = MODERN if kind is HttpsURI else None
    wrong = (registry or urlschemes.default_registry)[names[-1]].url_type.__name__
    message = f"{Schemes(*names)} must name schemes of {kind.__name__}, and the URLs of {names[-1]} are {wrong}: leave"
    with pytest.raises(TypeError, match=f"^{re.escape(message)}"):
        TypeAdapter(Annotated[kind, Schemes(*names, registry=registry)])


@pytest.mark.parametrize("text", [HTTP, "https://host.dom/~joe"])
@pytest.mark.parametrize("registry", [None, MODERN])
def test_a_type_takes_the_named_schemes_whose_urls_are_its_instances(text: str, registry: Registry | None) -> None:
    field = TypeAdapter[HttpURI](Annotated[HttpURI, Schemes("http", "https", registry=registry)])
    url = MODERN.parse(text)
    assert field.validate_python(url) is url
    assert field.validate_python(text) == url
    assert failure(Annotated[HttpURI, Schemes("https", registry=MODERN)], HTTP)["type"] == "invalid-scheme"


def test_an_error_in_a_union_names_the_type() -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(FtpURL | Web | int).validate_python("x")
    assert [error["loc"] for error in caught.value.errors()] == [("FtpURL",), ("URL[http, https]",), ("int",)]


def test_a_faulty_plugin_is_not_an_invalid_value(monkeypatch: pytest.MonkeyPatch) -> None:
    def parse(text: str, *, limit: int) -> URL:
        raise ZeroDivisionError

    monkeypatch.setattr(FtpURL, "parse", parse)
    with pytest.raises(PluginError):
        TypeAdapter(FtpURL).validate_python(FTP)


def test_settings_are_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = pytest.importorskip("pydantic_settings", reason="needs pydantic-settings: --group bridges")

    class Settings(settings.BaseSettings):  # type: ignore[misc, name-defined]  # imported late
        mirror: FtpURL
        proxies: tuple[Web, ...] = ()

    monkeypatch.setenv("MIRROR", FTP)
    monkeypatch.setenv("PROXIES", f'["{HTTP}"]')
    found = Settings()
    assert (found.mirror, found.proxies) == (urlschemes.parse(FTP), (urlschemes.parse(HTTP),))
    monkeypatch.setenv("MIRROR", HTTP)
    with pytest.raises(ValidationError, match="invalid scheme 'http' at position 0"):
        Settings()


def test_a_type_of_another_profile_than_the_registry_is_an_error_when_the_field_is_defined() -> None:
    with pytest.raises(TypeError, match=r"^FtpURL has URLs of the profile rfc1738, and the registry of .* of rfc3986:"):
        TypeAdapter(Annotated[FtpURL, Schemes("ftp", registry=MODERN)])
