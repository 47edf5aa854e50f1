"""The record of a scheme as JSON has it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from urlschemes.scheme.registration import Registration

__all__ = ["fields_of"]


def fields_of(record: Registration) -> dict[str, Any]:
    """All that the record says, its syntax with it."""
    names = (
        "scheme",
        "status",
        "title",
        "reference",
        "contact",
        "change_controller",
        "default_port",
        "ports",
        "operations",
    )
    more = ("redirects", "local", "source")
    prose = ("encoding_considerations", "interoperability_considerations", "security_considerations")
    syntax = record.syntax
    return {
        "installed": True,
        **{name: getattr(record, name) for name in (*names, *more, *prose)},
        "syntax": {
            "rule": syntax.rule,
            "hierarchy": syntax.hierarchy,
            "slash_may_be_omitted": syntax.slash_may_be_omitted,
            "bnf": syntax.bnf,
            "parts": {
                part.name: {
                    "at": ["/".join(path) for path in part.at],
                    "element": part.element,
                    "take": part.take,
                    "number": part.number,
                    "exclude": [f"{octet:02X}" for octet in sorted(part.exclude)],
                    "decoded": part.decoded,
                    "says": part.says,
                    "travels": part.travels,
                }
                for part in syntax.parts.values()
            },
        },
        "options": {
            name: {
                "description": option.description,
                "environment": option.environment,
                "configurable": option.configurable,
            }
            for name, option in record.options.items()
        },
        "cautions": [{name: getattr(each, name) for name in each.__slots__} for each in record.cautions],
        "examples": [{"url": each.url, "parts": each.parts, "says": each.says} for each in record.examples],
    }
