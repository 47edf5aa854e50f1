"""URL arguments of argparse, click and Typer: URLs of the chosen schemes, or the message of `parse`."""

from __future__ import annotations

import argparse
import importlib
import subprocess
import sys
from collections.abc import Callable
from typing import Annotated

import pytest

import urlschemes
from urlschemes import URL, Registry
from urlschemes_arguments import ArgparseURL

NEEDS = "needs {}: python3 dev --group bridges pytest"
ACCEPTED = "ftp://host.dom/notes.txt;type=a"
WRONG = {
    "ftp://host.dom/notes.txt;type=x": "invalid typecode 'x' at position 30: expected one of A, D, I, a, d, i;",
    "htp://host.dom/": "no scheme is registered as 'htp'; did you mean http or https?",
    "http://host.dom/": "scheme 'http' at position 0: expected one of ftp, gopher",
    "notes.txt": 'unexpected end of the URL at position 9: expected ":"',
}


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser("fetch")
    made.add_argument("source", type=ArgparseURL("FTP", "gopher"))
    return made


def test_argparse_gives_a_url() -> None:
    assert parser().parse_args([ACCEPTED]).source == urlschemes.parse(ACCEPTED)


@pytest.mark.parametrize(("text", "message"), WRONG.items())
def test_argparse_shows_the_message(text: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parser().parse_args([text])
    assert f"fetch: error: argument source: {message}" in capsys.readouterr().err


def test_one_scheme_any_scheme_and_the_schemes_of_a_registry() -> None:
    with pytest.raises(argparse.ArgumentTypeError, match=r"scheme 'http' at position 0: expected ftp$"):
        ArgparseURL("ftp")("http://host.dom/")
    assert ArgparseURL()("http://host.dom/").scheme == "http"
    with pytest.raises(argparse.ArgumentTypeError, match="the scheme ftp is installed but disabled"):
        ArgparseURL(registry=Registry([]))("ftp://host.dom/")


def test_a_password_is_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parser().parse_args(["ftp://me:mellon@host.dom/a;type=x"])
    assert "mellon" not in capsys.readouterr().err


@pytest.mark.parametrize("library", ["click", "typer"])
def test_libraries_are_imported_when_they_are_used(library: str) -> None:
    code = f"import sys, urlschemes_arguments; sys.exit({library!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0


@pytest.mark.parametrize("library", ["argparse", "click", "typer"])
def test_an_argument_may_have_another_profile(library: str) -> None:
    modern = Registry(profile="rfc3986")
    if library == "argparse":
        read: Callable[[str], URL] = ArgparseURL("http", registry=modern)
    else:
        pytest.importorskip(library, reason=NEEDS.format(library))
        module = importlib.import_module(f"urlschemes_arguments.{library}")
        read = module.ClickURL(registry=modern) if library == "click" else module.TyperURL(registry=modern)
    assert str(read("http://[::1]/~a#b")) == "http://[::1]/~a#b"


def test_click_gives_a_url_or_shows_the_message() -> None:
    click = pytest.importorskip("click", reason=NEEDS.format("click"))
    from click.testing import CliRunner

    from urlschemes_arguments.click import ClickURL

    @click.command()
    @click.argument("source", type=ClickURL("ftp", "gopher"))
    @click.option("--to", type=ClickURL(), default=urlschemes.parse("http://host.dom/"))
    def fetch(source: URL, to: URL) -> None:
        click.echo(f"{type(source).__name__} {type(to).__name__}")

    assert CliRunner().invoke(fetch, [ACCEPTED]).output == "FtpURL HttpURL\n"
    for text, message in WRONG.items():
        result = CliRunner().invoke(fetch, [text])
        assert result.exit_code == 2
        assert f"Error: Invalid value for 'SOURCE': {message}" in result.output


def test_typer_gives_a_url_or_shows_the_message() -> None:
    typer = pytest.importorskip("typer", reason=NEEDS.format("typer"))
    from typer.testing import CliRunner

    from urlschemes_arguments.typer import TyperURL

    app = typer.Typer(rich_markup_mode=None)

    def fetch(source: URL, to: URL) -> None:
        typer.echo(f"{type(source).__name__} {type(to).__name__}")

    fetch.__annotations__ = {
        "source": Annotated[URL, typer.Argument(parser=TyperURL("ftp", "gopher"))],
        "to": Annotated[URL, typer.Option(parser=TyperURL())],
    }
    app.command()(fetch)
    arguments = ["--to", "http://host.dom/"]
    assert CliRunner().invoke(app, [*arguments, ACCEPTED]).output == "FtpURL HttpURL\n"
    for text, message in WRONG.items():
        result = CliRunner().invoke(app, [*arguments, text])
        assert result.exit_code == 2
        assert f"Invalid value for 'source': {message}" in result.output.replace("SOURCE", "source")
