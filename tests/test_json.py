"""What the commands write with --json is what docs/schemas says."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from schemas import SCHEMAS, conforms, schema
from workspace import ROOT, environ, metadata, scheme_plugins, write

from urlschemes.registry.claims import Claim

PAGE = (ROOT / "docs" / "json.md").read_text("utf-8")
NAMES = sorted(path.stem for path in SCHEMAS.glob("*.json"))
FAILURES = [
    (5, "show", "nobody-knows"),
    (5, "review", "nobody-knows"),
    (5, "review", "."),
    (2, "review"),
    (2, "review", "http", "--check", "nothing"),
    (2, "extract", "no-such-file"),
    (2, "no-such-command"),
    (5, "--plugins", "nobody-has-it", "schemes"),
    (5, "--plugins", "nobody-has-it", "review", "http"),
    (5, "--pin", "http=nobody-has-it", "doctor"),
    (2, "--pin", "http", "why", "http"),
    (2, "--config", "/no/such/file", "schemes"),
    (1, "parse", "http://host.dom/a b"),
    (1, "fix", "ftp://"),
    (5, "attributes", "x-nothing:a"),
    (4, "delete", "telnet://host.dom/"),
]
CASES = [
    *(("show", scheme) for plugin in scheme_plugins() for scheme in plugin.schemes),
    ("show", "iris"),
    ("show", "afs"),
    ("schemes",),
    ("schemes", "--all"),
    ("why", "http"),
    ("why", "nobody-knows"),
    ("doctor",),
    ("doctor", "--load"),
    ("config",),
    ("parse", "ftp://joe:secret@host.dom/a/b;type=a"),
    ("parse", "prospero://host.dom/a;v=1"),
    ("parse", "http://host.dom/a b"),
    ("parse", "x-nothing:a"),
    ("check", "ftp://host.dom/a%0D"),
    ("check", "http://host.dom/a b"),
    ("review", "x-example", "--examples", "20"),
]


def written(*arguments: str, path: str = "") -> Any:
    done = subprocess.run(
        [sys.executable, "-m", "urlschemes_cli", "--no-config", arguments[0], "--json", *arguments[1:]],
        env={**environ(), "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "Traceback" not in done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", NAMES)
def test_each_schema_is_one(name: str) -> None:
    found = schema(name)
    Draft202012Validator.check_schema(found)
    assert found["$id"] == f"urn:urlschemes:{name}"
    assert re.search(rf"^\| .*\[`{name}\.json`\]\(schemas/{name}\.json\)", PAGE, re.MULTILINE), "json.md lists it"


@pytest.mark.parametrize("arguments", CASES, ids=" ".join)
def test_a_command_writes_what_its_schema_says(arguments: tuple[str, ...]) -> None:
    conforms(written(*arguments), arguments[0])


def test_the_doctor_of_what_is_ill_writes_it_too(tmp_path: Any) -> None:
    claims = {"x-bad": "x_bad:scheme", "http": "x_bad:http", "NO": "x"}
    write(tmp_path, metadata("x-bad", {"urlschemes.schemes": claims}) | {"x_bad.py": ""})
    found = written("doctor", path=str(tmp_path))
    conforms(found, "doctor")
    states = {each["name"]: each["state"] for each in found if each["distribution"] == "x-bad"}
    assert states == {"x-bad": "broken", "http": "reserved", "NO": "malformed"}


@pytest.mark.parametrize("arguments", FAILURES, ids=lambda case: " ".join(map(str, case)))
def test_whatever_fails_says_so_in_json(arguments: tuple[Any, ...]) -> None:
    code, *words = arguments
    done = subprocess.run(
        [sys.executable, "-m", "urlschemes_cli", *words, "--json"],
        env=environ(),
        cwd=SCHEMAS,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, "Traceback" in done.stderr) == (code, False), done.stderr
    found = json.loads(done.stdout)
    conforms(found, "error")
    assert (found["error"]["code"] == "usage") == ("--help' says more" in done.stderr)
    assert found["error"]["message"] in done.stderr.replace("\n", " ")


def test_the_list_of_checks_is_what_its_schema_says() -> None:
    conforms(written("review", "--list"), "review-list")


@pytest.mark.parametrize("name", ["why", "doctor"])
def test_a_schema_names_every_state_and_allows_others(name: str) -> None:
    found = schema(name)
    state = (found["items"] if name == "doctor" else found["properties"]["claims"]["items"])["properties"]["state"]
    assert state["type"] == "string"
    assert "enum" not in state
    states = re.findall(r"`([a-z]+)`: ", Claim.__doc__ or "")
    assert {"active", "broken", "shadowed"} < {*states}
    for each in states:
        assert re.search(rf"\b{each}\b", state["description"]), each


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_refuses_what_lacks_a_key(name: str) -> None:
    """The schemas can fail: of what is written, no key may be missing that is required."""
    others = {"error": ("show", "nobody-knows"), "review-list": ("review", "--list")}
    validator = Draft202012Validator(schema(name))
    found = written(*others.get(name) or next(case for case in CASES if case[0] == name))
    value = found[0] if isinstance(found, list) else found
    for key in value:
        lacking = {other: each for other, each in value.items() if other != key}
        assert not validator.is_valid([lacking] if isinstance(found, list) else lacking), key
