"""URL arguments of argparse, click and Typer: URLs of the chosen schemes, or the message of `parse`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Annotated, Any

import pytest

import urlschemes
from urlschemes import URL, Registry
from urlschemes_bridges.argparse import ArgparseURL

if TYPE_CHECKING:
    from collections.abc import Callable

    Read = Callable[..., URL | str]

ACCEPTED = urlschemes.parse("ftp://host.dom/notes.txt;type=a")
WRONG = {
    "ftp://host.dom/notes.txt;type=x": "invalid typecode 'x' at position 30: expected one of A, D, I, a, d, i;",
    "ftp://me:mellon@host.dom/a;type=x": "invalid typecode 'x' at position 32: expected one of A, D, I, a, d, i;",
    "htp://host.dom/": "no scheme is registered as 'htp'; did you mean http or https?",
    "http://host.dom/": "scheme 'http' at position 0: expected one of ftp, gopher",
    "notes.txt": 'unexpected end of the URL at position 9: expected ":"',
}


def read_by_argparse(text: str, *schemes: str, **options: Any) -> URL | str:
    parser = argparse.ArgumentParser(exit_on_error=False)
    parser.add_argument("source", type=ArgparseURL(*schemes, **options))
    try:
        return parser.parse_args([text]).source  # type: ignore[no-any-return]  # a namespace has anything
    except argparse.ArgumentError as error:
        return error.message


def read_by_click(text: str, *schemes: str, **options: Any) -> URL | str:
    click = pytest.importorskip("click", reason="needs click: python3 dev --group bridges pytest")
    from click.testing import CliRunner

    from urlschemes_bridges.click import ClickURL

    found: list[URL] = []
    given = click.Option(["--given"], type=ClickURL(), default=ACCEPTED)
    source = click.Argument(["source"], type=ClickURL(*schemes, **options))
    fetch = click.Command("fetch", params=[source, given], callback=lambda source, given: found.extend([source, given]))
    done = CliRunner().invoke(fetch, [text])
    if done.exit_code == 0:
        assert found.pop() == ACCEPTED
        return found.pop()
    assert done.exit_code == 2
    return done.output.partition("Invalid value for 'SOURCE': ")[2]


def read_by_typer(text: str, *schemes: str, **options: Any) -> URL | str:
    typer = pytest.importorskip("typer", reason="needs Typer: python3 dev --group bridges pytest")
    from typer.testing import CliRunner

    from urlschemes_bridges.typer import TyperURL

    found: list[URL] = []

    def fetch(source: URL) -> None:
        found.append(source)

    fetch.__annotations__ = {"source": Annotated[URL, typer.Argument(parser=TyperURL(*schemes, **options))]}
    app = typer.Typer(rich_markup_mode=None)
    app.command()(fetch)
    done = CliRunner().invoke(app, [text])
    if done.exit_code == 0:
        return found.pop()
    assert done.exit_code == 2
    return done.output.replace("SOURCE", "source").partition("Invalid value for 'source': ")[2]


pytestmark = pytest.mark.parametrize("read", [read_by_argparse, read_by_click, read_by_typer])


def test_an_argument_is_a_url_of_a_chosen_scheme(read: Read) -> None:
    url = read(str(ACCEPTED), "FTP", "gopher")
    assert (type(url), url) == (type(ACCEPTED), ACCEPTED)


@pytest.mark.parametrize(("text", "message"), WRONG.items())
def test_the_user_sees_the_message_of_parse_and_no_password(read: Read, text: str, message: str) -> None:
    shown = read(text, "ftp", "gopher")
    assert str(shown).startswith(message)
    assert "mellon" not in str(shown)


def test_without_names_every_scheme_of_the_registry_is_accepted_in_its_profile(read: Read) -> None:
    assert str(read("http://host.dom/")) == "http://host.dom/"
    assert "the scheme ftp is installed but disabled" in str(read(str(ACCEPTED), registry=Registry([])))
    modern = read("http://[::1]/~a#b", registry=Registry(profile="rfc3986"))
    assert isinstance(modern, URL)
    assert str(modern) == "http://[::1]/~a#b"
