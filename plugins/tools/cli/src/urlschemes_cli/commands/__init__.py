"""The commands: those built in, and the names that belong to distributions of plugins."""

from __future__ import annotations

GROUP = "urlschemes.commands"
"""The entry-point group of commands of plugins."""

BUILT_IN = {
    "Read URLs": {
        "parse": "Split a URL into its parts.",
        "explain": "Draw a URL with the names of its parts, or show where it is wrong.",
        "check": "List errors and warnings.",
        "fix": "Repair an invalid URL.",
        "extract": "List the URLs in a text.",
        "wrap": "Write a URL so that it is found in a text.",
    },
    "Access what URLs locate": {
        "access": "Get a document or a listing.",
        "attributes": "Show size, type and other facts, without the content.",
        "replace": "Replace or create a resource.",
        "update": "Append to a resource.",
        "delete": "Delete a resource.",
    },
    "Schemes, plugins and configuration": {
        "schemes": "List the installed schemes, or all known ones.",
        "show": "Show the record and the syntax of a scheme.",
        "why": "Show which plugin provides a scheme, and why.",
        "doctor": "Examine the installed plugins.",
        "config": "Show the configuration in force.",
        "completion": "Write the script with which a shell completes commands.",
    },
}
"""The short help of each built-in command, by section of the help."""

MODULES = {name: name for commands in BUILT_IN.values() for name in commands}
MODULES |= {
    "check": "check_and_fix",
    "fix": "check_and_fix",
    "wrap": "extract",
    "why": "doctor",
    "attributes": "access",
}
MODULES |= dict.fromkeys(("replace", "update", "delete"), "write")
"""The module of each built-in command."""

OF_PLUGINS = {
    "columns": "urlschemes-columns",
    "demo": "urlschemes-servers",
    "iana": "urlschemes-iana",
    "mirror": "urlschemes-mirror",
    "new": "urlschemes-conformance",
    "review": "urlschemes-conformance",
    "send": "urlschemes-mailto",
    "session": "urlschemes-telnet",
    "site": "urlschemes-site",
    "unicode": "urlschemes-rfc3986",
}
"""The distribution of each command that a plugin of this project provides."""

RESERVED = {GROUP: {**dict.fromkeys(MODULES, "urlschemes-cli"), **OF_PLUGINS}}
"""The names of commands that belong to one distribution, as the registry takes them."""
