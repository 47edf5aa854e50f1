"""`urlschemes demo`, with demonstrations of the scheme x-example, and one of a scheme without any."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import urlschemes_servers.command  # noqa: F401  imported here, since the registry logs an import that is slow
from urlschemes.errors import PluginError
from urlschemes_cli.app import command
from urlschemes_servers.demos import https

DEMOS = """
from contextlib import contextmanager
from pathlib import Path

from urlschemes_testing.demonstration import Demonstration
from urlschemes_x_example.demo import RULES, server


@contextmanager
def shelf(folder):
    assert isinstance(folder, Path) and list(folder.iterdir()) == []
    with server(RULES) as address:
        yield Demonstration(f"x-example://{address}/house%20rules", "The rules are seen.", server="a shelf")


@contextmanager
def broken(folder):
    raise RuntimeError("no server today")
    yield


@contextmanager
def odd(folder):
    yield "x-example://127.0.0.1/vase"


whole = 7
"""
PIN = ("--pin", "x-example=shelf-demos")

Run = Callable[..., Result]


@pytest.fixture
def run(install: Any, plugin: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """Run the command `demo` with x-example, x-bare and the demonstrations of the distribution shelf-demos."""

    def invoke(*words: str, demos: str, code: str = DEMOS, pin: tuple[str, ...] = PIN) -> Result:
        plugin("x-bare", code=None)
        site: Path = install("shelf-demos", f"[urlschemes.demos]\n{demos}\n", {"shelf_demos.py": code})
        monkeypatch.syspath_prepend(site)
        plugins = ("--plugins", "urlschemes-servers,urlschemes-x-example,x-bare,shelf-demos")
        return CliRunner().invoke(command, [*plugins, *pin, "demo", *words], prog_name="urlschemes")

    yield invoke
    sys.modules.pop("shelf_demos", None)


def test_a_line_says_what_was_fetched_from_where_and_how(run: Run) -> None:
    result = run(demos="x-example = shelf_demos:shelf")
    assert (result.exit_code, result.stderr) == (0, "")
    heading, _, line, *rest = result.stdout.splitlines()
    assert heading.split() == ["scheme", "server", "result", "operation:", "requests"]
    assert line == r"x-example  a shelf  42 octets  access: house rules\t"
    assert rest == [
        "",
        "installed, but without a demonstration: x-bare",
        "urlschemes demo x-example --dialogue shows URL, parts, dialogue and content.",
    ]


def test_the_dialogue_is_shown_with_the_url_its_parts_and_the_result(run: Run) -> None:
    result = run("x-example", "--dialogue", demos="x-example = shelf_demos:shelf")
    assert (result.exit_code, result.stderr) == (0, "")
    for text in (
        "x-example  Documents by name and edition",
        "The rules are seen.",
        "+- name 'house rules'",
        "\nDialogue\n",
        "* open document",
        "\nResult\na document of 42 octets, text/plain; charset=utf-8:\n00000000  42 65 20 6b",
    ):
        assert text in result.stdout
    assert "--dialogue" not in result.stdout


@pytest.mark.parametrize(
    ("attribute", "reason"),
    [("broken", "RuntimeError: no server today"), ("whole", "TypeError: 'int' object is not callable")],
)
def test_a_demonstration_that_fails_is_reported_and_the_others_are_shown(run: Run, attribute: str, reason: str) -> None:
    result = run(demos=f"x-bare = shelf_demos:{attribute}\nx-example = shelf_demos:shelf")
    assert result.exit_code == 3
    assert f"the demonstration of x-bare by shelf-demos 1.0 failed: {reason}" in result.stderr
    assert "x-example  a shelf" in result.stdout
    assert "failed: x-bare\n" in result.stdout


def test_a_demonstration_over_tls_names_the_extra_that_it_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "trustme", None)
    with pytest.raises(PluginError) as caught, https(tmp_path):
        pass
    assert "urlschemes-servers[tls]" in str(caught.value.hint)


def test_an_exit_of_a_demonstration_is_an_error(run: Run) -> None:
    code = DEMOS.replace("RuntimeError", "SystemExit")
    result = run("x-bare", demos="x-bare = shelf_demos:broken\nx-example = shelf_demos:shelf", code=code)
    assert result.exit_code == 3
    assert "SystemExit: no server today" in result.stderr


def test_an_object_that_is_no_demonstration_is_an_error(run: Run) -> None:
    result = run("x-example", demos="x-example = shelf_demos:odd")
    assert result.exit_code == 3
    assert "returned an object of type str\n  expected: a Demonstration\n" in result.stderr


def test_an_invalid_url_is_reported_with_its_distribution(run: Run) -> None:
    code = DEMOS.replace("{address}/house%20rules", "127.0.0.1/a<vase")
    result = run("x-example", demos="x-example = shelf_demos:shelf", code=code)
    assert result.exit_code == 3
    note, error, *_ = result.stderr.splitlines()
    whose = "x-example by shelf-demos 1.0"
    assert note == f"urlschemes: the demonstration of {whose} failed: access x-example://127.0.0.1/a<vase"
    assert "'<'" in error


def test_several_demonstrations_of_one_scheme_are_reported(run: Run) -> None:
    result = run("x-example", demos="x-example = shelf_demos:shelf", pin=())
    assert "several distributions demonstrate x-example, so none is used: shelf-demos 1.0 in " in result.stderr
    hint = "choose one: --pin x-example=shelf-demos, or switch the other off: --disable urlschemes-x-example"
    assert hint in result.stderr


def test_a_scheme_that_is_not_installed_is_an_error(run: Run) -> None:
    assert run("x-attic", demos="x-example = shelf_demos:shelf").exit_code == 5
