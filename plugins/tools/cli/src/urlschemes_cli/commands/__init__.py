"""The commands: those built in, and the names that belong to distributions of plugins."""

from __future__ import annotations

GROUP = "urlschemes.commands"
"""The entry-point group of commands of plugins."""

BUILT_IN = {
    "Read URLs": {
        "parse": ("parse", "Split a URL into its parts."),
        "explain": ("explain", "Draw a URL with the names of its parts, or show where it is wrong."),
        "check": ("check_and_fix", "List errors and warnings."),
        "fix": ("check_and_fix", "Repair an invalid URL."),
        "extract": ("extract", "List the URLs in a text."),
    },
    "Access what URLs locate": {
        "access": ("access", "Get a document or a listing."),
        "attributes": ("access", "Show size, type and other facts, without the content."),
        "replace": ("write", "Replace or create a resource."),
        "update": ("write", "Append to a resource."),
        "delete": ("write", "Delete a resource."),
    },
    "Schemes, plugins and configuration": {
        "schemes": ("schemes", "List the installed schemes, or all known ones."),
        "show": ("show", "Show the record and the syntax of a scheme."),
        "why": ("why", "Show which plugin provides a scheme, and why."),
        "doctor": ("doctor", "Examine the installed plugins."),
        "config": ("config", "Show the configuration in force."),
        "completion": ("completion", "Write the script with which a shell completes commands."),
    },
}
"""The built-in commands by section of the help: name, module, short help."""

MODULES = {name: module for commands in BUILT_IN.values() for name, (module, _) in commands.items()}
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
