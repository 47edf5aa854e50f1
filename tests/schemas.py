"""The schemas of docs/schemas, and what a command wrote held against one."""

from __future__ import annotations

import json
from typing import Any

from jsonschema import Draft202012Validator
from workspace import ROOT

__all__ = ["SCHEMAS", "conforms", "schema"]

SCHEMAS = ROOT / "docs" / "schemas"


def schema(name: str) -> dict[str, Any]:
    """The schema of that name."""
    found: dict[str, Any] = json.loads((SCHEMAS / f"{name}.json").read_text("utf-8"))
    return found


def conforms(written: Any, name: str) -> None:
    """Nothing that was written may be wrong by the schema, or stay undescribed. Raises ValidationError."""
    Draft202012Validator(_strict(schema(name))).validate(written)


def _strict(part: Any) -> Any:
    """The schema with which a key that it does not name is wrong."""
    if isinstance(part, list):
        return [_strict(each) for each in part]
    if not isinstance(part, dict):
        return part
    closed = {} if "additionalProperties" in part or "properties" not in part else {"additionalProperties": False}
    return {name: _strict(each) for name, each in part.items()} | closed
