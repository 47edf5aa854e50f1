"""The JSON of the commands matches the schemas in docs/reference/schemas."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, get_args

import pytest
from click.testing import CliRunner
from hostile_texts import hostile_texts
from hypothesis import given, settings
from jsonschema import Draft202012Validator
from schemas import SCHEMAS, schema, validate
from workspace import ROOT, metadata, scheme_plugins, write

from urlschemes.registry.claims import State
from urlschemes_cli.app import command
from urlschemes_conformance.laws import points_at_the_error

if TYPE_CHECKING:
    from collections.abc import Sequence

PAGE = (ROOT / "docs" / "reference" / "json.md").read_text("utf-8")
NAMES = sorted(path.stem for path in SCHEMAS.glob("*.json"))
FAILURES = [
    (5, "show", "nobody-knows"),
    (5, "review", "nobody-knows"),
    (5, "review", "."),
    (2, "review"),
    (2, "review", "http", "--check", "nothing"),
    (2, "no-such-command"),
    (5, "--plugins", "nobody-has-it", "schemes"),
    (5, "--plugins", "nobody-has-it", "review", "http"),
    (5, "--pin", "http=nobody-has-it", "doctor"),
    (2, "--pin", "http", "why", "http"),
    (2, "--config", "/no/such/file", "schemes"),
    (1, "parse", "http://host.dom/a b"),
    (1, "fix", "ftp://"),
    (1, "fix", "ftp://host.dom/a;b"),
    (5, "attributes", "x-nothing:a"),
    (4, "delete", "telnet://host.dom/"),
]
RESULTS = [
    *(("show", scheme) for plugin in scheme_plugins() for scheme in plugin.schemes),
    ("show", "iris"),
    ("show", "afs"),
    ("schemes",),
    ("schemes", "--all"),
    ("why", "http"),
    ("why", "nobody-knows"),
    ("doctor",),
    pytest.param(("doctor", "--load"), marks=pytest.mark.slow),
    ("config",),
    ("parse", "ftp://joe:secret@host.dom/a/b;type=a"),
    ("parse", "prospero://host.dom/a;v=1"),
    ("parse", "http://host.dom/a b"),
    ("parse", "x-nothing:a"),
    ("parse", "http://host.dom/%FF"),
    ("parse", "http://host.dom/\udcff"),
    ("parse", "http://host.dom/#a"),
    ("parse", "file:////host.dom/a"),
    ("check", "ftp://host.dom/a%0D"),
    ("check", "http://host.dom/a b"),
    ("check", "http://host.dom/\udcff"),
    ("check", "mailto:joe@host.dom?subject=a"),
    pytest.param(("review", "x-example", "--examples", "20"), marks=pytest.mark.slow),
]
LINES = ("access-many", "check-text", "mirror")
"""The schemas of what writes a value on each line."""
ONE_RESULT = {
    **{name: (name,) for name in LINES},
    "check": ("check", "ftp://host.dom/a%0D"),
    "config": ("config",),
    "doctor": ("doctor",),
    "error": ("review", "nobody-knows"),
    "parse": ("parse", "ftp://joe:secret@host.dom/a/b;type=a"),
    "review": ("review", "x-example", "--examples", "1", "--check", "name"),
    "review-list": ("review", "--list"),
    "schemes": ("schemes",),
    "show": ("show", "http"),
    "why": ("why", "http"),
}
"""A command for each schema, whose result it describes."""


@cache
def lines_of(name: str) -> list[dict[str, Any]]:
    """Return what a command writes for a folder with a document and one that cannot be read, or for such a text."""
    with TemporaryDirectory() as made:
        folder = Path(made)
        (folder / "tree").mkdir()
        (folder / "tree" / "a").write_bytes(b"octets")
        (folder / "tree" / "gone").symlink_to("/nowhere")
        (folder / "copy").mkdir()
        root, url, copy = str(folder / "tree"), f"file://{folder}/tree/", str(folder / "copy")
        words, text = {
            "mirror": (["mirror", url, copy, "--root", root], None),
            "access-many": (
                ["access", "--many", "-", "-o", copy, "--root", root],
                f"{url}a\n{url}\n{url}gone\nx-nothing:a\n",
            ),
            "check-text": (["check", "--text", "-", f"{root}/gone"], "http://host.dom:25/"),
        }[name]
        done = CliRunner().invoke(command, ["--no-config", *words, "--json"], input=text)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
    return sorted(lines, key=lambda line: "error" in line)


@cache
def result_of(*arguments: str) -> Any:
    """Return the JSON that a command writes; the first line of many."""
    if arguments[0] in LINES:
        return lines_of(arguments[0])[0]
    words = ["--no-config", arguments[0], "--json", *arguments[1:]]
    return json.loads(CliRunner().invoke(command, words, prog_name="urlschemes").stdout)


def label(arguments: Sequence[object]) -> str:
    return ascii(" ".join(map(str, arguments)))


@pytest.mark.parametrize("name", NAMES)
def test_every_schema_is_valid_and_listed(name: str) -> None:
    found = schema(name)
    Draft202012Validator.check_schema(found)
    assert found["$id"] == f"urn:urlschemes:{name}"
    assert re.search(rf"^\| .*\[`{name}\.json`\]\(schemas/{name}\.json\)", PAGE, re.MULTILINE), "json.md lists it"


@pytest.mark.parametrize("arguments", RESULTS, ids=label)
def test_results_match_their_schemas(arguments: tuple[str, ...]) -> None:
    validate(result_of(*arguments), arguments[0])


def test_the_list_of_checks_matches_its_schema() -> None:
    validate(result_of("review", "--list"), "review-list")


@pytest.mark.parametrize("name", LINES)
def test_each_line_matches_its_schema(name: str) -> None:
    lines = lines_of(name)
    for line in lines:
        validate(line, name)
    assert "error" not in lines[0]
    assert "error" in lines[-1]


def test_problems_found_by_the_doctor_match_its_schema(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    claims = {"x-bad": "x_bad:scheme", "http": "x_bad:http", "NO": "x"}
    write(tmp_path, metadata("x-bad", {"urlschemes.schemes": claims}) | {"x_bad.py": ""})
    monkeypatch.syspath_prepend(str(tmp_path))
    found = json.loads(CliRunner().invoke(command, ["--no-config", "doctor", "--json"]).stdout)
    validate(found, "doctor")
    states = {each["name"]: each["state"] for each in found if each["distribution"] == "x-bad"}
    assert states == {"x-bad": "broken", "http": "reserved", "NO": "malformed"}


@pytest.mark.parametrize("arguments", FAILURES, ids=label)
def test_every_failure_is_reported_as_json(arguments: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(SCHEMAS)
    code, *words = arguments
    done = CliRunner().invoke(command, [*words, "--json"], prog_name="urlschemes")
    assert done.exit_code == code, done.stderr
    error = json.loads(done.stdout)
    validate(error, "error")
    assert (error["error"]["code"] == "usage") == (" --help'." in done.stderr)
    assert error["error"]["message"] in done.stderr.replace("\n", " ")


@pytest.mark.parametrize("number", [10, pytest.param(200, marks=pytest.mark.slow)])
@pytest.mark.parametrize("profile", ["rfc1738", "rfc3986"])
@pytest.mark.parametrize("name", ["parse", "check", "fix"])
def test_every_error_points_at_its_place_in_the_text_that_was_given(name: str, profile: str, number: int) -> None:
    @settings(max_examples=number, deadline=None)
    @given(hostile_texts())
    def law(text: str) -> None:
        done = CliRunner().invoke(command, ["--no-config", "--profile", profile, name, "--json", "--", text])
        result = json.loads(done.stdout)
        errors = [result["error"]] if "error" in result else result.get("findings", ())
        for error in errors:
            points_at_the_error(text, SimpleNamespace(**error))

    law()


@pytest.mark.parametrize("name", ["why", "doctor"])
def test_schemas_describe_every_state_and_allow_others(name: str) -> None:
    found = schema(name)
    state = (found["items"] if name == "doctor" else found["properties"]["claims"]["items"])["properties"]["state"]
    assert state["type"] == "string"
    assert "enum" not in state
    for each in get_args(State):
        assert re.search(rf"\b{each}\b", state["description"]), each


@pytest.mark.parametrize("name", NAMES)
def test_schemas_refuse_results_without_a_key(name: str) -> None:
    validator = Draft202012Validator(schema(name))
    found = result_of(*ONE_RESULT[name])
    value = found[0] if isinstance(found, list) else found
    for key in value:
        lacking = {other: each for other, each in value.items() if other != key}
        assert not validator.is_valid([lacking] if isinstance(found, list) else lacking), key
