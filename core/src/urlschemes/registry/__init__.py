"""From a name to its scheme: which plugins are installed, which of them count, and why.

This package does not know what can be done with a scheme's URLs beyond parsing them.

    registry.py    Registry: schemes by name, parsing and converting; the registry of the process
    claims.py      Claim: an entry point by which a distribution asks for a name
    discovery.py   what is installed: the claims of all distributions
    ledgers.py     folders of records, one file for each name
    names.py       who provides a name and why; ledgers: names that are known without being installed
    selection.py   which claims count: conflicts, pins, reserved names, switches
    plugins.py     the plugins of one registry: from a claim to its record, scheme, hook or command, loaded once
    overrides.py   what the program itself registers, overrides or takes out
    hooks.py       what pluggy lacks to call hooks, and the hook of ledgers
    readers.py     the reader that a plugin provides for all URLs of this process
"""
