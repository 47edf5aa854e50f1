"""The schemas of docs/reference/schemas, and the validation of what commands write."""

from __future__ import annotations

import json
from typing import Any

from jsonschema import Draft202012Validator
from workspace import ROOT

__all__ = ["SCHEMAS", "schema", "validate"]

SCHEMAS = ROOT / "docs" / "reference" / "schemas"


def schema(name: str) -> dict[str, Any]:
    """Return the schema of that name."""
    found: dict[str, Any] = json.loads((SCHEMAS / f"{name}.json").read_text("utf-8"))
    return found


def validate(value: Any, name: str) -> None:
    """Raise ValidationError if `value` breaks the schema, or has a key that the schema does not describe."""
    Draft202012Validator(_closed(schema(name))).validate(value)


def _closed(part: Any) -> Any:
    """Return the schema so that it allows no other keys than it names."""
    if isinstance(part, list):
        return [_closed(each) for each in part]
    if not isinstance(part, dict):
        return part
    closed = {} if "additionalProperties" in part or "properties" not in part else {"additionalProperties": False}
    return {name: _closed(each) for name, each in part.items()} | closed
