"""The attributes of a resource, as a table or as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from urlschemes.redaction import redact
from urlschemes_cli.output.text import write_note

if TYPE_CHECKING:
    from urlschemes_access import Attributes
    from urlschemes_access.attributes import Gateway

__all__ = ["attributes_json", "write_attributes"]


def write_attributes(attributes: Attributes, *, if_none: str) -> None:
    """Write a table of the attributes; if there are none, write the note `if_none`."""
    from urlschemes_cli.output.console import Console, facts_table  # late: rich

    rows = [
        ("media type", attributes.media_type),
        ("size", None if attributes.size is None else f"{attributes.size:,} octets"),
        ("modified", attributes.modified and attributes.modified.isoformat(" ", "seconds")),
        ("name", attributes.name),
        ("gateway", attributes.gateway and attributes.gateway.source),
        *(attributes.fields.items()),
    ]
    if all(value is None for _, value in rows):
        write_note(if_none)
    Console().print_table(facts_table(rows))


def attributes_json(attributes: Attributes) -> dict[str, Any]:
    """Return the attributes as JSON."""
    return {
        "media_type": attributes.media_type,
        "size": attributes.size,
        "modified": attributes.modified,
        "name": attributes.name,
        "fields": dict(attributes.fields),
        "gateway": _gateway_json(attributes.gateway),
    }


def _gateway_json(gateway: Gateway | None) -> dict[str, str] | None:
    if gateway is None:
        return None
    return {"asked": gateway.asked.redacted(), "url": gateway.url.redacted(), "source": redact(gateway.source)}
