"""`urlschemes demo`, with demonstrations of made-up schemes."""

from __future__ import annotations

import pytest

DEMO = """
from contextlib import contextmanager
from pathlib import Path

from urlschemes_cli.demonstration import Demonstration


@contextmanager
def shelf(folder):
    assert isinstance(folder, Path) and list(folder.iterdir()) == []
    yield Demonstration("x-shelf://joe:secretly@127.0.0.1/vase", "A vase is seen.")


@contextmanager
def broken(folder):
    raise RuntimeError('no server today')
    yield


@contextmanager
def odd(folder):
    yield "x-shelf://127.0.0.1/vase"
"""
BOTH = "shelf-schemes,shelf-demos"


@pytest.fixture
def demos(install):
    """Install demonstrations: entry points, and what to replace in their code."""

    def write(entry_points: str, replaced: str = "", by: str = "") -> None:
        assert replaced in DEMO
        install("shelf-demos", f"[urlschemes.demos]\n{entry_points}\n", {"shelf_demos.py": DEMO.replace(replaced, by)})

    return write


def test_it_shows_url_parts_dialogue_and_result(run, demos) -> None:
    demos("x-shelf = shelf_demos:shelf")
    result = run("demo", plugins=BOTH)
    assert (result.exit_code, result.stderr) == (0, "")
    for text in (
        "x-shelf  Things on a shelf",
        "A vase is seen.",
        "x-shelf://joe:***@127.0.0.1/vase",
        "+- thing 'vase'",
        "\nDialogue\n",
        "* open document",
        "\nResult\na document of 7 octets, text/plain:",
        "00000000  61 20 76 61 73 65 0a",
        "accessed: x-shelf",
        "installed, but without a demonstration: x-drawer",
    ):
        assert text in result.stdout
    assert "secretly" not in result.stdout


@pytest.mark.parametrize("error", ["RuntimeError('no server today')", "SystemExit('no server today')"])
def test_a_demonstration_that_fails_is_reported_and_the_others_are_shown(run, demos, error: str) -> None:
    demos("x-drawer = shelf_demos:broken\nx-shelf = shelf_demos:shelf", "RuntimeError('no server today')", error)
    result = run("demo", plugins=BOTH)
    assert result.exit_code == 3
    assert "the demonstration of x-drawer by shelf-demos 1.0 failed: " in result.stderr
    assert "no server today" in result.stderr
    assert "accessed: x-shelf\nfailed: x-drawer\n" in result.stdout
    assert run("demo", "x-shelf", plugins=BOTH).exit_code == 0
    assert run("demo", "x-attic", plugins=BOTH).exit_code == 5


def test_an_object_that_is_no_demonstration_is_an_error(run, demos) -> None:
    demos("x-shelf = shelf_demos:odd")
    result = run("demo", "x-shelf", plugins=BOTH)
    assert result.exit_code == 3
    assert "returned an object of type str\n  expected: a Demonstration\n" in result.stderr


def test_an_invalid_url_is_reported_with_its_distribution(run, demos) -> None:
    demos("x-shelf = shelf_demos:shelf", "127.0.0.1/vase", "127.0.0.1/a<vase")
    result = run("demo", "x-shelf", plugins=BOTH)
    assert result.exit_code == 3
    note, error, *_ = result.stderr.splitlines()
    assert note == (
        "urlschemes: the demonstration of shelf-demos 1.0 failed: access x-shelf://joe:***@127.0.0.1/a<vase"
    )
    assert "'<'" in error


def test_several_demonstrations_of_one_scheme_are_reported(run, install) -> None:
    for name in ("demos-one", "demos-two"):
        install(name, f"[urlschemes.demos]\nx-shelf = {name.replace('-', '_')}:shelf\n", {})
    install("shelf-demos", "[urlschemes.demos]\nx-drawer = shelf_demos:shelf\n", {"shelf_demos.py": DEMO})
    result = run("demo", "x-shelf", plugins=f"{BOTH},demos-one,demos-two")
    assert "several distributions demonstrate x-shelf, so none is used: demos-one 1.0 in " in result.stderr
    assert "; choose one: --pin x-shelf=demos-one, or switch the other off: --disable demos-two" in result.stderr


def test_without_demonstrations_it_says_why(run) -> None:
    result = run("demo")
    assert result.exit_code == 5
    if " has demonstrations, but is disabled: " not in result.stderr:  # urlschemes-servers may be installed
        assert "there are no servers to access: pip install urlschemes-servers" in result.stderr
