"""URLs of chosen schemes: what every bridge reads and refuses, with the message of `parse`."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import pytest

import urlschemes
from urlschemes import URL, InvalidURL, Registry, UnknownScheme, URLError
from urlschemes_bridges.argparse import ArgparseURL
from urlschemes_bridges.chosen_schemes import ChosenSchemes, scheme_names

if TYPE_CHECKING:
    from collections.abc import Callable

    Read = Callable[..., URL | str]

MODERN = Registry(profile="rfc3986")
WRONG = [
    ("ftp://host.dom/notes.txt;type=x", "invalid type code 'x' at position 30: expected one of A, D, I, a, d, i;"),
    ("ftp://me:mellon@host.dom/a;type=x", "invalid type code 'x' at position 32: expected one of A, D, I, a, d, i;"),
    ("ftp://host.dom/a%zz", "invalid escape at position 16: expected two hexadecimal digits after '%'"),
    ("ftp://host.dom/{message}{0}", "invalid character '{' in the name at position 15:"),
    ("javascript:alert(1)", "scheme 'javascript' at position 0: expected one of ftp, gopher"),
    ("telnet://me:mellon@host.dom/", "scheme 'telnet' at position 0: expected one of ftp, gopher"),
    (urlschemes.parse("http://host.dom/"), "scheme 'http' at position 0: expected one of ftp, gopher"),
    ("notes.txt", 'unexpected end of the URL at position 9: expected ":"'),
    pytest.param("ftp://host.dom/" + "a" * 65_536, "the URL has 65551 characters: expected at most 65536", id="long"),
]
"""Values that are no URL of ftp or gopher, with the beginning of the message."""


def read(value: object, *schemes: str, **options: Any) -> URL | str:
    """Return the URL or the message, as the functions for bridges do."""
    try:
        return ChosenSchemes(*schemes, **options).read(value)
    except URLError as error:
        return str(error)


def read_by_argparse(value: object, *schemes: str, **options: Any) -> URL | str:
    parser = argparse.ArgumentParser(exit_on_error=False)
    parser.add_argument("source", type=ArgparseURL(*schemes, **options))
    try:
        return parser.parse_args([str(value)]).source  # type: ignore[no-any-return]  # a namespace has anything
    except argparse.ArgumentError as error:
        return error.message


def read_by_click(value: object, *schemes: str, **options: Any) -> URL | str:
    import click

    from urlschemes_bridges.click import ClickURL

    source = click.Argument(["source"], type=ClickURL(*schemes, **options), default=value)
    command = click.Command("fetch", params=[source], callback=lambda source: source)
    try:
        return command.main([value] if isinstance(value, str) else [], standalone_mode=False)  # type: ignore[no-any-return]
    except click.BadParameter as error:
        return error.format_message().removeprefix("Invalid value for '[SOURCE]': ")


def read_by_typer(value: object, *schemes: str, **options: Any) -> URL | str:
    import typer

    from urlschemes_bridges.typer import TyperURL

    def fetch(source: URL) -> URL:
        return source

    fetch.__annotations__["source"] = Annotated[URL, typer.Argument(parser=TyperURL(*schemes, **options))]
    app = typer.Typer()
    app.command()(fetch)
    try:
        return app([str(value)], standalone_mode=False)  # type: ignore[no-any-return]
    except typer.BadParameter as error:
        return error.format_message().removeprefix("Invalid value for 'source': ")


def read_by_django(
    value: object, *schemes: str, registry: Registry | None = None, form: bool = False, **options: Any
) -> URL | str:
    from django.core.exceptions import ValidationError

    from urlschemes_bridges.django import URLField

    field: Any = URLField(*schemes, profile=registry.profile.name if registry else None, **options)
    try:
        return (field.formfield() if form else field).to_python(value)  # type: ignore[no-any-return]
    except ValidationError as error:
        return error.params["message"]  # visitors read less


def read_by_pydantic(value: object, *schemes: str, **options: Any) -> URL | str:
    from pydantic import TypeAdapter, ValidationError

    from urlschemes_bridges.pydantic import Schemes

    try:
        return TypeAdapter[URL](Annotated[URL, Schemes(*schemes, **options)]).validate_python(value)
    except ValidationError as error:
        return error.errors()[0]["msg"]


def read_by_sqlalchemy(value: object, *schemes: str, **options: Any) -> URL | str:
    import sqlalchemy
    from sqlalchemy.exc import StatementError

    from urlschemes_bridges.sqlalchemy import URLColumn

    with sqlalchemy.create_engine("sqlite://", poolclass=sqlalchemy.NullPool).connect() as connection:
        try:
            return connection.scalars(sqlalchemy.select(sqlalchemy.literal(value, URLColumn(schemes, **options)))).one()
        except StatementError as error:
            return str(error.orig)


BRIDGES: dict[str, Read] = {
    "urlschemes": read,
    "argparse": read_by_argparse,
    "click": read_by_click,
    "typer": read_by_typer,
    "django": read_by_django,
    "django form": partial(read_by_django, form=True),
    "pydantic": read_by_pydantic,
    "sqlalchemy": read_by_sqlalchemy,
}


@pytest.fixture(params=BRIDGES)
def bridge(request: pytest.FixtureRequest) -> Read:
    library = request.param.partition(" ")[0]
    pytest.importorskip(library, reason=f"needs {library}: python3 dev --group bridges pytest")
    return BRIDGES[request.param]


@pytest.mark.parametrize("names", [(), ("FTP",), ("http", "ftp")])
def test_a_url_or_its_text_is_read(bridge: Read, names: tuple[str, ...]) -> None:
    url = urlschemes.parse("ftp://host.dom/a%20b")
    for value in (url, str(url), urlschemes.parse_generic(str(url))):
        found = bridge(value, *names)
        assert (type(found), found) == (type(url), url)


@pytest.mark.parametrize(("value", "message"), WRONG)
def test_everything_else_is_refused_with_the_message_of_parse_and_no_password(
    bridge: Read, value: object, message: str
) -> None:
    shown = bridge(value, "ftp", "gopher")
    assert shown == read(value, "ftp", "gopher")
    assert str(shown).startswith(message)
    assert "mellon" not in str(shown)
    assert "`limit`" not in str(shown)  # no bridge has this argument of `parse`


def test_a_registry_brings_its_profile(bridge: Read) -> None:
    found = bridge("http://[::1]/~a#b", "http", registry=MODERN)
    assert (type(found), str(found)) == (MODERN["http"].url_type, "http://[::1]/~a#b")
    assert "write brackets around an IPv6 address" in str(bridge("http://2001:db8::1/", "http", registry=MODERN))


@pytest.mark.parametrize("bridge", ["urlschemes", "click", "django", "pydantic", "sqlalchemy"], indirect=True)
def test_a_url_of_another_profile_is_converted_or_refused(bridge: Read) -> None:
    assert bridge(MODERN.parse("mailto:a@b.c"), "mailto") == urlschemes.parse("mailto:a@b.c")
    refused = bridge(MODERN.parse("mailto:a@b.c?subject=x"), "mailto")
    assert " at position 12: in RFC 1738, it is part of the address;" in str(refused)
    assert " at position 7: " in str(bridge(urlschemes.parse_generic("mailto:@"), "mailto"))


@pytest.mark.parametrize("bridge", ["django", "django form", "pydantic", "sqlalchemy"], indirect=True)
@pytest.mark.parametrize(
    ("text", "options", "shown"),
    [
        ("http://E.com/ü", {"fix": True}, "http://E.com/%C3%BC"),
        (" <http://E.com/a b>", {"fix": True, "normalize": True}, "http://e.com/a%20b"),
        ("http://E.com/%7ea", {"normalize": True}, "http://e.com/~a"),
        (" <ftp://e.com/>", {"fix": True}, "scheme 'ftp' at position 0: expected http"),
    ],
)
def test_fields_and_columns_have_the_same_options(bridge: Read, text: str, options: dict[str, Any], shown: str) -> None:
    assert str(bridge(text, "http", registry=MODERN, **options)) == shown


@pytest.mark.parametrize(("names", "expected"), [(["news"], "news"), (["nntp", "NEWS"], "one of news, nntp")])
def test_a_url_of_another_scheme_is_invalid(names: list[str], expected: str) -> None:
    with pytest.raises(InvalidURL) as caught:
        ChosenSchemes(*names).read("ftp://joe:secret@host.dom/")
    error = caught.value
    assert str(error) == f"scheme 'ftp' at position 0: expected {expected}"
    assert (error.code, error.part, error.position, error.span) == ("invalid-scheme", "scheme", 0, (0, 3))
    assert (error.scheme, error.section) == ("ftp", "RFC 1738 section 2.1")


def test_a_chosen_scheme_must_be_installed() -> None:
    with pytest.raises(UnknownScheme, match="did you mean http or https"):
        ArgparseURL("ftp", "htp")


def test_a_url_of_another_scheme_loads_no_plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(Registry, "__getitem__")  # which loads a scheme
    with pytest.raises(InvalidURL, match=r"^scheme 'news' at position 0: expected nntp$"):
        ChosenSchemes("nntp").read("news:a b")


def test_names_are_those_of_schemes_each_by_itself() -> None:
    names: Any = [["http"]]
    with pytest.raises(TypeError, match=r'^a scheme must be a str, not list: write "http", "https"$'):
        scheme_names(names)
    assert repr(ChosenSchemes("NNTP", "news", "nntp")) == "ChosenSchemes('news', 'nntp')"
