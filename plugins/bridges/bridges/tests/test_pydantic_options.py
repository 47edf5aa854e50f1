"""The options of Schemes: repair, normal forms, warnings, JSON Schema; and the constraints of pydantic."""

from __future__ import annotations

from typing import Annotated, Any

import pytest

pytest.importorskip("pydantic", reason="needs pydantic: python3 dev --group bridges pytest")

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, PlainSerializer, TypeAdapter, ValidationError

from urlschemes import URL
from urlschemes.url.value import LIMIT
from urlschemes_bridges.pydantic import Schemes
from urlschemes_ftp import FtpURL
from urlschemes_http.rfc3986 import HttpURI
from urlschemes_rfc3986 import parse, registry


def web(**options: Any) -> Any:
    return Annotated[URL, Schemes("http", "https", registry=registry, **options)]


def read(kind: Any, value: object) -> str:
    """Return the text of the URL, or the type of the error and its message."""
    try:
        url = TypeAdapter[URL](kind).validate_python(value)
    except ValidationError as error:
        [found] = error.errors()
        return f"{found['type']}: {found['msg']}"
    assert isinstance(url, URL)
    return str(url)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("http://e.com/a b", "http://e.com/a%20b"),
        (" <http://e.com/ü> ", "http://e.com/%C3%BC"),
        ("http://e.com/%7e", "http://e.com/%7e"),
        ("http://u:secret@e.com/a b", "userinfo-not-allowed: unexpected user name at position 7: expected a host"),
        ("e.com", "invalid-scheme: unexpected end of the URL at position 5"),
        (" javascript:alert(1)", "invalid-scheme: scheme 'javascript' at position 0: expected one of http, https"),
        ("<ftp://e.com/>", "invalid-scheme: scheme 'ftp' at position 0: expected one of http, https"),
        (" ftp://e.com/a b", "invalid-scheme: scheme 'ftp' at position 0: expected one of http, https"),
    ],
)
def test_fix_repairs_what_has_one_repair(text: str, result: str) -> None:
    assert read(web(fix=True), text).startswith(result)


@pytest.mark.parametrize("text", ["http://e.com/" + "a" * 70_000, "http://e.com/".ljust(LIMIT, "a") + " "])
def test_the_error_for_a_text_that_is_too_long_names_no_argument(text: str) -> None:
    message = f"url-too-long: the URL has {len(text)} characters: expected at most {LIMIT}"
    assert read(web(fix=True), text) == read(web(), text) == message


def test_a_type_of_one_scheme_is_repaired_by_its_profile() -> None:
    assert read(Annotated[FtpURL, Schemes(fix=True)], "ftp://h/~a#b") == "ftp://h/%7Ea"
    assert read(Annotated[HttpURI, Schemes(fix=True)], "http://h/~a#b c") == "http://h/~a#b%20c"


@pytest.mark.parametrize("text", ["HTTP://E.com:80/%7ea/../b", "http://e.com:/"])
def test_normalized_urls_are_kept_and_have_no_warnings(text: str) -> None:
    normal = str(parse(text).normalized())
    for value in (text, parse(text)):
        assert read(web(normalize=True), value) == read(web(normalize=True, warnings="error"), value) == normal
        assert read(web(), value) == text


def test_a_warning_is_an_error_if_asked() -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(web(warnings="error")).validate_python("http://e.com/%7ea")
    [error] = caught.value.errors()
    assert error["type"] == "needless-escape"
    assert error["msg"].startswith("%7e is a needless escape: the characters mean the same without it; write")
    assert (error["ctx"]["span"], error["ctx"]["part"]) == ((13, 16), "path")


@pytest.mark.parametrize("text", [" http://2130706433/", "HTTP://2130706433:80/", "http://e.com/%7e b"])
def test_a_warning_about_a_changed_text_has_no_position(text: str) -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(web(fix=True, normalize="%" not in text, warnings="error")).validate_python(text)
    [error] = caught.value.errors()
    assert error["input"] == text
    assert not {"position", "span"} & error["ctx"].keys()


@pytest.mark.parametrize("value", ["always", ["x"], None])
def test_another_value_of_warnings_is_an_error_where_the_field_is_defined(value: Any) -> None:
    with pytest.raises(ValueError, match=r'^warnings must be "error" or "ignore", not '):
        TypeAdapter(web(warnings=value))


@pytest.mark.parametrize("kind", [web(), web(fix=True), HttpURI])
def test_a_host_alone_is_an_error_that_says_so(kind: Any) -> None:
    hint = "a host alone is not a URL: write the name of the scheme, a colon and `//` before it"
    assert read(kind, "e.com").endswith(f'unexpected end of the URL at position 5: expected ":"; {hint}')


@pytest.mark.parametrize("kind", [web(), HttpURI, web(fix=True)])
def test_lengths_count_the_characters(kind: Any) -> None:
    class Model(BaseModel):
        url: kind = Field(min_length=14, max_length=15)

    read = [f"http://e.com/{'a' * count}" for count in range(4)]
    valid = [text for text in read if not Model.__pydantic_validator__.isinstance_python({"url": text})]
    assert valid == [read[0], read[3]]
    schema = Model.model_json_schema()["properties"]["url"]
    assert (schema["minLength"], schema["maxLength"]) == (14, 15)


def test_validators_may_come_before_and_after_the_schemes() -> None:
    marks = BeforeValidator(lambda text: f"{text}1"), AfterValidator(lambda url: url / "2")
    kind: Any = Annotated[URL, *marks, Schemes("http", registry=registry), AfterValidator(lambda url: url / "3")]
    assert read(kind, "http://e.com/") == "http://e.com/1/2/3"
    assert read(kind, "ftp://e.com/") == "invalid-scheme: scheme 'ftp' at position 0: expected http"


def test_what_a_field_says_of_an_annotated_type_holds() -> None:
    class Model(BaseModel):
        url: Annotated[FtpURL, PlainSerializer(len), Schemes("ftp")] = Field(strict=True)

    with pytest.raises(ValidationError, match="Input should be an instance of FtpURL"):
        Model.model_validate({"url": "ftp://h/"})
    assert Model(url=FtpURL.parse("ftp://h/")).model_dump_json() == '{"url":8}'


def test_a_constraint_that_cannot_be_applied_is_an_error_when_the_model_is_defined() -> None:
    with pytest.raises(TypeError, match=r"^only lengths constrain a URL: write a validator after Schemes\('http'\)"):
        TypeAdapter(Annotated[URL, Field(pattern="a"), Schemes("http")])


@pytest.mark.parametrize("kind", [FtpURL, URL, web()])
def test_the_json_schema_has_no_pattern_unless_asked(kind: Any) -> None:
    assert TypeAdapter(kind).json_schema() == {"type": "string", "format": "uri"}


@pytest.mark.parametrize("pattern", [False, True])
def test_the_json_schema_is_of_what_is_taken_and_of_what_is_given(pattern: bool) -> None:
    plain, fixed = (TypeAdapter(web(fix=fix, pattern=pattern)) for fix in (False, True))
    assert ({"pattern"} <= plain.json_schema().keys()) == pattern
    assert {"type": "string", "format": "uri"}.items() <= plain.json_schema().items()
    assert fixed.json_schema() == {"type": "string"}
    assert fixed.json_schema(mode="serialization") == plain.json_schema()


def test_a_url_in_a_field_of_any_type_is_written_as_its_text() -> None:
    class Model(BaseModel):
        anything: Any

    url = parse("http://e.com/")
    model = Model(anything=[url])
    assert model.model_dump() == {"anything": [url]}
    assert model.model_dump_json() == '{"anything":["http://e.com/"]}'
