"""The scheme of the README: the review finds nothing wrong in its record, and its algorithm works."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pages import blocks
from workspace import ROOT

from urlschemes import Registration, Scheme
from urlschemes_conformance.review import review
from urlschemes_testing.replay import Script, client, connect, replay, server, server_closes

if TYPE_CHECKING:
    from pathlib import Path


def block(name: str) -> str:
    (found,) = (each.body for each in blocks(ROOT / "README.md") if each.argument.endswith(f"/{name}"))
    return found


def test_the_record_of_the_readme_passes_the_review(tmp_path: Path) -> None:
    file = tmp_path / "registration.toml"
    file.write_text(block("registration.toml"), "utf-8")
    result = review(file, examples=50)
    assert result.scheme == "x-finger"
    outcomes = {verdict.check: verdict.outcome for verdict in result.verdicts}
    assert [check for check, outcome in outcomes.items() if outcome in {"failed", "warned"}] == []
    passed = {check for check, outcome in outcomes.items() if outcome == "passed"}
    assert {"record", "contact", "examples", "grammar", "parts", "examples-parse"} <= passed


def test_the_algorithm_of_the_readme_gets_a_document() -> None:
    scheme = Scheme(Registration.from_text(block("registration.toml")))
    namespace: dict[str, Any] = {}
    exec(block("access.py"), namespace)
    url = scheme.url_type.parse("x-finger://host.dom/joe%20smith")
    script = Script(connect("host.dom", 79), client("joe smith"), server(b"Joe is in.\r\n"), server_closes())
    assert replay(namespace["access"](url), script).content == b"Joe is in.\r\n"
